// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "tiled.h"

#define PAGE_QWORDS		(GEM_PAGE_SIZE / 8)

/* Two tiles wide: with one tile, tiling X equals linear. */
static uint32_t pitch(uint32_t mode)
{
	switch (mode) {
	case I915_TILING_X:
		return 2 * 512;
	case I915_TILING_Y:
		return 2 * 128;
	default:
		return 0;
	}
}

/**
 * tiled_create - create an empty object
 * @t: the object; to be destroyed after an error, too
 * @fd: the GPU
 * @mode: I915_TILING_NONE, _X or _Y
 *
 * Return: 0, or a negative errno.
 */
int tiled_create(struct tiled *t, int fd, uint32_t mode)
{
	int ret;

	memset(t, 0, sizeof(*t));
	ret = gem_bo_create(&t->bo, fd, TILED_PAGES * GEM_PAGE_SIZE);
	if (!ret)
		ret = gem_bo_tile(&t->bo, mode, pitch(mode));
	if (ret)
		return ret;
	t->gtt = gem_bo_map_as(&t->bo, I915_MMAP_OFFSET_GTT);
	return t->gtt ? gem_bo_to_gtt(&t->bo, true) : -errno;
}

void tiled_destroy(struct tiled *t)
{
	if (t->gtt)
		munmap(t->gtt, TILED_PAGES * GEM_PAGE_SIZE);
	gem_bo_destroy(&t->bo);
	memset(t, 0, sizeof(*t));
}

/* Two dwords at a time: an access under a fence may be an access to a device. */
static uint64_t pattern(uint32_t tag, uint32_t i)
{
	return (uint64_t)(tag + 2 * i + 1) << 32 | (tag + 2 * i);
}

void tiled_fill_page(struct tiled *t, uint32_t page, uint32_t tag)
{
	uint32_t i;

	for (i = page * PAGE_QWORDS; i < (page + 1) * PAGE_QWORDS; i++)
		__atomic_store_n(&t->gtt[i], pattern(tag, i), __ATOMIC_RELAXED);
}

/*
 * Loads and stores are separate instructions, each of which needs one fence: one instruction for
 * both would need two at once.
 */
void tiled_copy_page(struct tiled *to, struct tiled *from, uint32_t page)
{
	uint32_t i;

	for (i = page * PAGE_QWORDS; i < (page + 1) * PAGE_QWORDS; i++)
		__atomic_store_n(&to->gtt[i], __atomic_load_n(&from->gtt[i], __ATOMIC_RELAXED),
				 __ATOMIC_RELAXED);
}

static void compare(uint32_t got, uint32_t want, struct tiled_errors *errors)
{
	if (got == want)
		return;
	errors->count++;
	errors->got = got;
	errors->want = want;
}

void tiled_check_page(struct tiled *t, uint32_t page, uint32_t tag, struct tiled_errors *errors)
{
	uint64_t got, want;
	uint32_t i;

	for (i = page * PAGE_QWORDS; i < (page + 1) * PAGE_QWORDS; i++) {
		got = __atomic_load_n(&t->gtt[i], __ATOMIC_RELAXED);
		want = pattern(tag, i);
		compare(got, want, errors);
		compare(got >> 32, want >> 32, errors);
	}
}
