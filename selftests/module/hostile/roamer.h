/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest with memory mapped all over its graphics memory, which it reads there. It covers so much
 * that with a small GGTT no range stays resident unless it is held.
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
 * @pages: bus address of its pages, which are never written
 * @addr: graphics address of the first
 * @results: bus address of the words that it has read
 * @results_ggtt: graphics address of these
 * @nowhere: graphics address of a range without pages
 * @unit: the next unit of that range to store to
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
/* One round; the witness waits for its end. Prints what is wrong. */
bool roamer_ok(struct roamer *r, struct witness *w, u32 round);
void roamer_free(struct roamer *r);

#endif
