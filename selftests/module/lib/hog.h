/* SPDX-License-Identifier: GPL-2.0 */
/* A guest that has an engine work without an end and never yields, again after each reset. */
#ifndef _LIBVGPU_HOG_H
#define _LIBVGPU_HOG_H

#include "context.h"

/**
 * struct hog - such a guest's work on an engine
 * @ctx: its context
 * @spin: the loop, without an arbitration point
 * @seqno: of the request under way
 * @resets: how often the engine had been reset under it when that was submitted
 * @turns: how many requests have ended so
 */
struct hog {
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	long resets;
	u32 turns;
};

/* Its first request is submitted. */
void hog_init(struct hog *hog, struct vgpu *vgpu, enum vgpu_engine engine);
bool hog_started(const struct hog *hog);
/* The host has reset the engine under it. */
bool hog_is_reset(const struct hog *hog);
/* Its guest resets the engine, too, and begins anew. */
void hog_again(struct hog *hog);
/* The same, but it gives up. */
void hog_end(struct hog *hog);

#endif
