/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest memory: anonymous memory that the VFIO container maps at a bus
 * address, and an allocator of its pages.
 */
#ifndef _LIBVGPU_RAM_H
#define _LIBVGPU_RAM_H

#include "vfio.h"

#define PAGE_SIZE		4096u
/* Every guest has its memory at the same bus address. */
#define RAM_BASE		0ULL
#define RAM_SIZE		MB(64)
/* These pages are not allocated: they catch stray writes to address 0. */
#define RAM_CANARY_PAGES	16

/**
 * struct ram - a guest's memory
 * @base: bus address of its first byte
 * @size: bytes
 * @ptr: its address in the process
 * @next: first page that was never allocated
 * @canary: the contents of the canary pages
 * @borrowed: it is another vGPU's
 */
struct ram {
	u64 base;
	u64 size;
	u8 *ptr;
	u32 next;
	u64 canary;
	bool borrowed;
};

int ram_init(struct ram *ram, struct vfio *v, u64 size);	/* 0 or -errno */
/* The upper half of the pages of @of, for a second vGPU of its guest. */
void ram_borrow(struct ram *ram, const struct ram *of);
void ram_fini(struct ram *ram);

/* Allocate @pages contiguous zeroed pages, by bus address; dies if none are left. */
u64 ram_alloc(struct ram *ram, u32 pages);
/* Free everything. */
void ram_reset(struct ram *ram);
bool ram_canary_intact(const struct ram *ram);

static inline void *ram_ptr(const struct ram *ram, u64 gpa)
{
	return ram->ptr + (gpa - ram->base);
}

static inline u32 ram_read32(const struct ram *ram, u64 gpa)
{
	return READ_ONCE(*(u32 *)ram_ptr(ram, gpa));
}

static inline void ram_write32(const struct ram *ram, u64 gpa, u32 value)
{
	WRITE_ONCE(*(u32 *)ram_ptr(ram, gpa), value);
}

#endif
