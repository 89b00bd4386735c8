/* SPDX-License-Identifier: GPL-2.0 */
/* The other guests: more of their memory, and batches, beside the witness of lib. */
#ifndef _HOSTILE_WATCH_H
#define _HOSTILE_WATCH_H

#include "roamer.h"
#include "witness.h"

#define WATCH_PAGES	256

/**
 * struct watch - a guest; its memory, results and progress are watched
 * @witness: its registers, a page, its status pages
 * @guard: bus address of pages that the GPU can reach, and that are never written
 * @guard_low: their offset in the aperture
 * @guard_tiled: their offset in the aperture through a fence
 * @ctx: a context for batches on each engine
 * @batch: bus address of a page of commands and one of results an engine
 * @rounds: rounds done
 * @roamer: a second guest, for residency
 */
struct watch {
	struct witness witness;
	u64 guard;
	u64 guard_low;
	u64 guard_tiled;
	struct context ctx[VGPU_NR_ENGINES];
	u64 batch;
	u32 rounds;
	struct roamer roamer;
};

void watch_init(struct watch *w);
/* One round of checks. Prints what is wrong. */
bool watch_ok(struct watch *w);
void watch_free(struct watch *w);

#endif
