/* SPDX-License-Identifier: GPL-2.0 */
/* Address spaces of some size, and whether their pages are pinned. */
#ifndef _LIBVGPU_SPACE_H
#define _LIBVGPU_SPACE_H

#include "context.h"

#define SPACE_ADDR	0x40000000ull

/**
 * struct space - an address space of a guest, and a context with it
 * @ctx: the context
 * @gpa: its memory
 * @pages: size of that
 */
struct space {
	struct context ctx;
	u64 gpa;
	u32 pages;
};

void space_init(struct space *s, struct vgpu *vgpu, u32 pages);
/* Submit a batch in its first page that stores to its last one. Return: the seqno. */
u32 space_submit(struct space *s, u32 value);
/* Has it stored? */
bool space_has(const struct space *s, u32 value);
/* Both; false if it has not after SOON_MS. */
bool space_runs(struct space *s, u32 value);
/* Are its pages in use by page tables? Rings and the like are few. */
bool space_is_used(const struct space *s);

#endif
