/* SPDX-License-Identifier: GPL-2.0 */
/* A guest with an endless request that never yields, submitted again after each reset. */
#ifndef _LIBVGPU_HOG_H
#define _LIBVGPU_HOG_H

#include "context.h"

/**
 * struct hog - such a guest's work on an engine
 * @ctx: its context
 * @spin: the loop, without an arbitration point
 * @seqno: of the current request
 * @resets: the vGPU's count of engine resets when that was submitted
 * @turns: number of requests that were ended by a reset
 */
struct hog {
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	long resets;
	u32 turns;
};

/* Submit its first request. */
void hog_init(struct hog *hog, struct vgpu *vgpu, enum vgpu_engine engine);
bool hog_started(const struct hog *hog);
/* Has the host reset the engine under it? */
bool hog_is_reset(const struct hog *hog);
/* Reset the engine as its guest, and submit the next request. */
void hog_again(struct hog *hog);
/* Reset the engine as its guest, and submit nothing more. */
void hog_end(struct hog *hog);

#endif
