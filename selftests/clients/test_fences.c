// SPDX-License-Identifier: GPL-2.0
/*
 * More tiled objects than there are fences, used by several threads at once: the driver gives
 * each a fence as it is touched, and takes it from another.
 *
 * A thread that faults keeps a fence for itself meanwhile. If more do than there are fences, i915
 * without a display crashes (fence_find() asks the display), on any hardware. So there are fewer
 * threads than the 32 fences of a GPU.
 */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "gem_test.h"

#define THREADS		24
#define OBJECTS		4	/* of each thread */
#define ROUNDS		2
#define PAGES		32
#define PITCH		1024

struct user {
	pthread_t id;
	int fd;
	uint32_t number;
	struct gem_bo bo[OBJECTS];
	uint32_t *gtt[OBJECTS];
	uint32_t bad;
	uint32_t got;
	int error;
};

static uint32_t pattern(const struct user *u, uint32_t round, uint32_t object, uint32_t page)
{
	return u->number << 16 | round << 12 | object << 8 | page;
}

/* One word of each page, in another place in each. */
static uint32_t *word(const struct user *u, uint32_t object, uint32_t page)
{
	return &u->gtt[object][page * GEM_PAGE_SIZE / 4 + (page * 37 + u->number * 5) % 1024];
}

static void use_objects(struct user *u, uint32_t round)
{
	uint32_t i, page, want, got;

	for (i = 0; i < OBJECTS; i++)
		for (page = 0; page < PAGES; page++)
			__atomic_store_n(word(u, i, page), pattern(u, round, i, page),
					 __ATOMIC_RELAXED);
	for (i = 0; i < OBJECTS; i++)
		for (page = 0; page < PAGES; page++) {
			want = pattern(u, round, i, page);
			got = __atomic_load_n(word(u, i, page), __ATOMIC_RELAXED);
			if (got == want)
				continue;
			u->bad++;
			u->got = got;
		}
}

static int make_object(struct user *u, uint32_t i)
{
	int ret = gem_bo_create(&u->bo[i], u->fd, PAGES * GEM_PAGE_SIZE);

	if (!ret)
		ret = gem_bo_tile(&u->bo[i], I915_TILING_Y, PITCH);
	if (ret)
		return ret;
	u->gtt[i] = gem_bo_map_as(&u->bo[i], I915_MMAP_OFFSET_GTT);
	return u->gtt[i] ? gem_bo_to_gtt(&u->bo[i], true) : -errno;
}

static void *use_fences(void *arg)
{
	struct user *u = arg;
	uint32_t i;

	for (i = 0; i < OBJECTS && !u->error; i++)
		u->error = make_object(u, i);
	for (i = 0; i < ROUNDS && !u->error; i++)
		use_objects(u, i);
	for (i = 0; i < OBJECTS; i++) {
		if (u->gtt[i])
			munmap(u->gtt[i], PAGES * GEM_PAGE_SIZE);
		gem_bo_destroy(&u->bo[i]);
	}
	return NULL;
}

static enum gem_result check_user(const struct user *u)
{
	CHECK(!u->error, "thread %u: %s", u->number, strerror(-u->error));
	CHECK(!u->bad, "thread %u: %u words are wrong, one is 0x%08x", u->number, u->bad, u->got);
	return PASS;
}

enum gem_result test_fences(struct env *env)
{
	static struct user users[THREADS];
	uint32_t i, started;
	int fences = 0;

	if (gem_param(env->fd, I915_PARAM_NUM_FENCES_AVAIL, &fences) || !fences)
		SKIP("no fences");
	for (started = 0; started < THREADS; started++) {
		users[started].fd = env->fd;
		users[started].number = started;
		if (pthread_create(&users[started].id, NULL, use_fences, &users[started]))
			break;
	}
	for (i = 0; i < started; i++)
		pthread_join(users[i].id, NULL);
	tap_diag("%u threads, %u objects, %d fences", started, started * OBJECTS, fences);
	CHECK(started == THREADS, "only %u of %u threads", started, THREADS);
	for (i = 0; i < started; i++)
		TRY(check_user(&users[i]));
	return PASS;
}
