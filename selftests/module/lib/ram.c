// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "ram.h"
#include "tap.h"

static void fill_canary(struct ram *ram)
{
	u64 *p = (u64 *)ram->ptr;
	u32 i;

	for (i = 0; i < RAM_CANARY_PAGES * PAGE_SIZE / sizeof(*p); i++)
		p[i] = ram->canary + i;
}

int ram_init(struct ram *ram, struct vfio *v, u64 size)
{
	static u64 serial;
	int ret;

	ram->base = RAM_BASE;
	ram->size = size;
	ram->canary = 0xca9a57ca9a000000ULL + (serial++ << 20);
	ram->ptr = mmap(NULL, size, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (ram->ptr == MAP_FAILED) {
		ram->ptr = NULL;
		return -errno;
	}
	ram->next = RAM_CANARY_PAGES;
	fill_canary(ram);
	ret = vfio_dma_map(v, ram->base, ram->ptr, size);
	if (ret)
		ram_fini(ram);
	return ret;
}

void ram_borrow(struct ram *ram, const struct ram *of)
{
	*ram = *of;
	ram->borrowed = true;
	ram->next = ram->size / PAGE_SIZE / 2;
}

void ram_fini(struct ram *ram)
{
	if (ram->ptr && !ram->borrowed)
		munmap(ram->ptr, ram->size);
	ram->ptr = NULL;
}

u64 ram_alloc(struct ram *ram, u32 pages)
{
	u64 gpa = ram->base + (u64)ram->next * PAGE_SIZE;

	if (ram->next + (u64)pages > ram->size / PAGE_SIZE)
		tap_die("guest memory is used up");
	ram->next += pages;
	memset(ram_ptr(ram, gpa), 0, (size_t)pages * PAGE_SIZE);
	return gpa;
}

void ram_reset(struct ram *ram)
{
	ram->next = RAM_CANARY_PAGES;
	fill_canary(ram);
}

bool ram_canary_intact(const struct ram *ram)
{
	const u64 *p = (const u64 *)ram->ptr;
	u32 i;

	for (i = 0; i < RAM_CANARY_PAGES * PAGE_SIZE / sizeof(*p); i++) {
		if (p[i] == ram->canary + i)
			continue;
		tap_diag("stray write at %#zx: %#llx", i * sizeof(*p), (unsigned long long)p[i]);
		return false;
	}
	return true;
}
