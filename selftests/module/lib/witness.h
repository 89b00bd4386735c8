/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A second guest that lives through whatever the first one does: it is never
 * reset, and what it holds in contexts and memory must stay as it is.
 */
#ifndef _LIBVGPU_WITNESS_H
#define _LIBVGPU_WITNESS_H

#include "clock.h"
#include "context.h"
#include "vgpu.h"

/*
 * What @n vGPUs make another wait for a request at most. The scheduler gives a vGPU that does not
 * yield 640 ms of an engine and then resets it; with the turn of 16 ms, the reset itself and an
 * emulated GPU on two processors, that is a second. All of them may do so one after another,
 * before their debts bar them. One more, for a DMA unmap or a busy machine may fall into it.
 */
#define OTHERS_WAIT_MS(n)	(((n) + 1) * 1000 * slowness())

/**
 * struct witness - a guest that must not notice anything
 * @vgpu: its vGPU
 * @ctx: a context on each engine
 * @page: a page of its memory, filled once
 * @round: how often it was asked
 * @stale: stale TLB hits that the model has counted
 * @tables_change: somebody changes tables of work that runs: until the host has
 *	invalidated what was changed, hits are no defect
 * @worst_us: the longest that a request of it has taken, but for what the machine stood still
 */
struct witness {
	struct vgpu *vgpu;
	struct context ctx[VGPU_NR_ENGINES];
	u64 page;
	u32 round;
	u64 stale;
	bool tables_change;
	u64 worst_us;
};

void witness_init(struct witness *w);
/* Is it as before, and does it still run? Says what is wrong. */
bool witness_ok(struct witness *w);
/* A request that it has submitted: is it done in time, and the engine idle? */
bool witness_wait(struct witness *w, struct context *ctx, u32 seqno);
void witness_free(struct witness *w);

/* Two tests: the vGPU works after a reset; the witness noticed nothing. */
void survived(struct vgpu *vgpu, struct witness *w, const char *what);

#endif
