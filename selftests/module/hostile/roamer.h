/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest whose memory is all over its graphics memory, and who looks at it there. He goes
 * through so much of it that with a small GGTT nothing stays resident that nobody holds.
 */
#ifndef _HOSTILE_ROAMER_H
#define _HOSTILE_ROAMER_H

#include "witness.h"

#define ROAMER_PAGES	64
#define ROAMER_STEP	96	/* from one page to the next, pages */
#define ROAMER_LOOKS	16	/* in a round */
#define ROAMER_STORES	384	/* in a round, one in each unit */

/**
 * struct roamer - that guest
 * @vgpu: its vGPU
 * @ctx: its contexts
 * @pages: bus address of its pages, which nobody writes
 * @addr: graphics address of the first
 * @results: bus address of what it has read
 * @results_ggtt: graphics address of that
 * @nowhere: graphics address of what has no pages
 * @unit: the next unit of that to be stored to
 */
struct roamer {
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	u64 pages;
	u64 addr;
	u64 results;
	u64 results_ggtt;
	u64 nowhere;
	u32 unit;
};

void roamer_init(struct roamer *r);
/* One round, which the witness waits for. Says what is not as it should be. */
bool roamer_ok(struct roamer *r, struct witness *w, u32 round);
void roamer_free(struct roamer *r);

#endif
