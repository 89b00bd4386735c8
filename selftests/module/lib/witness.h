/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A well-behaved guest beside the one under test: it is never reset, and its contexts and memory
 * must keep their contents.
 */
#ifndef _LIBVGPU_WITNESS_H
#define _LIBVGPU_WITNESS_H

#include "clock.h"
#include "context.h"
#include "vgpu.h"

/*
 * The longest time for which @n vGPUs can delay a request of another. The scheduler resets the
 * engine under a vGPU that does not yield for 640 ms; with the turn of 16 ms, the reset itself and
 * an emulated GPU on two processors, that is a second. All @n may do so one after another before
 * their debts exclude them. One more second covers a DMA unmap or a busy machine.
 */
#define OTHERS_WAIT_MS(n)	(((n) + 1) * 1000 * slowness())

/**
 * struct witness - a guest that must not be affected
 * @vgpu: its vGPU
 * @ctx: a context on each engine
 * @page: a page of its memory, filled once
 * @round: number of checks
 * @stale: the model's count of stale TLB hits
 * @tables_change: tables of running work are being changed: hits are no defect until the host has
 *	invalidated the changed entries
 * @worst_us: the longest time of a request, less the machine's standstills
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
/* Is its state as before, and does it still run? Prints what is wrong. */
bool witness_ok(struct witness *w);
/* Is a submitted request done in time, and the engine idle? */
bool witness_wait(struct witness *w, struct context *ctx, u32 seqno);
void witness_free(struct witness *w);

/* Two tests: the vGPU works after a reset; the witness is not affected. */
void survived(struct vgpu *vgpu, struct witness *w, const char *what);

#endif
