/* SPDX-License-Identifier: GPL-2.0 */
/* Logical ring contexts: image, ring, requests. */
#ifndef _LIBVGPU_CONTEXT_H
#define _LIBVGPU_CONTEXT_H

#include "cs.h"
#include "engine.h"
#include "ppgtt.h"

#define RING_PAGES		4
/* The page of a context's fence and results, in dwords. */
#define FENCE_SEQNO		0	/* of the request that completed last */
#define FENCE_STARTED		16	/* of the request that started last */

/**
 * struct context - a context on one engine
 * @vgpu: whose
 * @engine: where it runs
 * @ppgtt: its address space
 * @own_ppgtt: the one it has if it was not given one
 * @image: bus address of its image
 * @image_ggtt: graphics address of its image
 * @state: its register state page
 * @ring: its ring; the tail of the last request is ring.pos
 * @ring_gpa: bus address of the ring
 * @ring_ggtt: graphics address of the ring
 * @fence: bus address of its fence page
 * @fence_ggtt: graphics address of its fence page
 * @seqno: of the request made last
 * @id: in its descriptor
 */
struct context {
	struct vgpu *vgpu;
	struct engine *engine;
	struct ppgtt *ppgtt;
	struct ppgtt own_ppgtt;
	u64 image;
	u64 image_ggtt;
	u32 *state;
	struct cs ring;
	u64 ring_gpa;
	u64 ring_ggtt;
	u64 fence;
	u64 fence_ggtt;
	u32 seqno;
	u32 id;
};

/* @ppgtt: NULL for one of its own. Memory is given back by vgpu_reset(). */
void context_init(struct context *ctx, struct vgpu *vgpu, enum vgpu_engine engine,
		  struct ppgtt *ppgtt);
u32 context_pages(enum vgpu_engine engine, u32 gen);
u64 context_desc(const struct context *ctx);
/* The image holds what the hardware saved: restore it from now on. */
void context_keep_state(struct context *ctx);

/* A request: begin, commands into ctx->ring, end (its seqno), submit. */
void request_begin(struct context *ctx);
u32 request_end(struct context *ctx);
/* Tail into the image. */
void context_commit(struct context *ctx);
void context_submit(struct context *ctx);
void context_submit2(struct context *first, struct context *second);

/* Batch start as a guest's driver emits it for a user's batch. */
void request_batch(struct context *ctx, u64 addr);

bool request_done(const struct context *ctx, u32 seqno);
bool request_wait(const struct context *ctx, u32 seqno, int ms);
bool request_started(const struct context *ctx, u32 seqno);
bool request_wait_started(const struct context *ctx, u32 seqno, int ms);
/* Submits what was emitted, waits for @seqno and for the engine to idle. */
bool request_run(struct context *ctx, u32 seqno);

/* Graphics address and memory of a dword of the fence page. */
u64 context_slot(const struct context *ctx, u32 dword);
u32 context_slot_value(const struct context *ctx, u32 dword);

/*
 * A register of the engine that belongs to the context: does it hold @value? An
 * engine that has none has only to run the question.
 */
#define CONTEXT_GPR		RING_GPR(1)
bool context_gpr_is(struct context *ctx, u32 value);

/**
 * struct spinner - a batch that runs until the CPU ends it, by data that it
 *	looks at: a batch that was submitted may be executed from a copy
 * @gpa: bus address
 * @addr: its address in the context's PPGTT
 * @ram: where it is
 */
struct spinner {
	u64 gpa;
	u64 addr;
	struct ram *ram;
};

/* @arbitrate: with an arbitration point in the loop. */
void spinner_init(struct spinner *spin, struct context *ctx, bool arbitrate);
/* A whole request that spins; started with arbitration off, as i915 does. */
u32 spinner_request(struct spinner *spin, struct context *ctx);
/* The same with arbitration on: even hardware would preempt it. */
u32 spinner_request_arb(struct spinner *spin, struct context *ctx);
void spinner_end(struct spinner *spin);
/* Its next request spins, too. */
void spinner_again(struct spinner *spin);

#endif
