/* SPDX-License-Identifier: GPL-2.0 */
/* Logical ring contexts: image, ring, requests. */
#ifndef _LIBVGPU_CONTEXT_H
#define _LIBVGPU_CONTEXT_H

#include "cs.h"
#include "engine.h"
#include "ppgtt.h"

#define RING_PAGES		4
/* The page of a context's fence and results, in dwords. */
#define FENCE_SEQNO		0	/* of the last request that completed */
#define FENCE_STARTED		16	/* of the last request that started */

/**
 * struct context - a context on one engine
 * @vgpu: its vGPU
 * @engine: its engine
 * @ppgtt: its address space
 * @own_ppgtt: used if none is given
 * @image: bus address of its image
 * @image_ggtt: graphics address of its image
 * @state: its register state page
 * @ring: its ring; ring.pos is the tail of the last request
 * @ring_gpa: bus address of the ring
 * @ring_ggtt: graphics address of the ring
 * @fence: bus address of its fence page
 * @fence_ggtt: graphics address of its fence page
 * @seqno: of the last request
 * @id: context id in its descriptor
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

/* @ppgtt: NULL for one of its own. vgpu_reset() frees the memory. */
void context_init(struct context *ctx, struct vgpu *vgpu, enum vgpu_engine engine,
		  struct ppgtt *ppgtt);
u32 context_pages(enum vgpu_engine engine, u32 gen);
u64 context_desc(const struct context *ctx);
/* Does the register page of the image have a register with @value, behind the ring context? */
bool context_image_has(const struct context *ctx, u32 reg, u32 value);
/* The image holds state that the hardware saved: restore it from now on. */
void context_keep_state(struct context *ctx);

/* A request: begin, commands into ctx->ring, end (its seqno), submit. */
void request_begin(struct context *ctx);
u32 request_end(struct context *ctx);
/* Write the tail to the image. */
void context_commit(struct context *ctx);
void context_submit(struct context *ctx);
/* Submit an empty request; its seqno. */
u32 request_submit(struct context *ctx);
void context_submit2(struct context *first, struct context *second);

/* Start a user batch, as a guest's driver does. */
void request_batch(struct context *ctx, u64 addr);

bool request_done(const struct context *ctx, u32 seqno);
bool request_wait(const struct context *ctx, u32 seqno, int ms);
bool request_started(const struct context *ctx, u32 seqno);
bool request_wait_started(const struct context *ctx, u32 seqno, int ms);
/* Submit the emitted commands, wait for @seqno and for the engine to idle. */
bool request_run(struct context *ctx, u32 seqno);

/* Graphics address and memory of a dword of the fence page. */
/* The longest indirect-context batch: 63 lines without the host's commands. */
#define INDIRECT_MAX_LINES	63
#define INDIRECT_MAX_DWORDS	(INDIRECT_MAX_LINES * 16 - 22)

u64 context_slot(const struct context *ctx, u32 dword);
u32 context_slot_value(const struct context *ctx, u32 dword);

/*
 * Does the context's own register of the engine hold @value? On an engine without such a
 * register, true if the request that reads it runs.
 */
#define CONTEXT_GPR		RING_GPR(1)
bool context_gpr_is(struct context *ctx, u32 value);

/**
 * struct spinner - a batch that runs until the CPU ends it, by data that it polls: a submitted
 * batch
 *	may be executed from a copy
 * @gpa: bus address
 * @addr: its address in the context's PPGTT
 * @ram: its memory
 */
struct spinner {
	u64 gpa;
	u64 addr;
	struct ram *ram;
};

/* @arbitrate: with an arbitration point in the loop. */
void spinner_init(struct spinner *spin, struct context *ctx, bool arbitrate);
/* A request that spins, with arbitration off, as i915 starts it. */
u32 spinner_request(struct spinner *spin, struct context *ctx);
/* The same with arbitration on: hardware can preempt it. */
u32 spinner_request_arb(struct spinner *spin, struct context *ctx);
void spinner_end(struct spinner *spin);
/* Rearm it for the next request. */
void spinner_again(struct spinner *spin);

#endif
