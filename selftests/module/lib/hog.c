// SPDX-License-Identifier: GPL-2.0
#include "hog.h"
#include "used.h"
#include "vgpu.h"

static long resets(const struct hog *hog)
{
	return used_get(hog->ctx.vgpu->uuid, hog->ctx.engine->info - engine_infos, "resets");
}

static void submit(struct hog *hog)
{
	hog->resets = resets(hog);
	hog->seqno = spinner_request(&hog->spin, &hog->ctx);
	context_submit(&hog->ctx);
}

void hog_init(struct hog *hog, struct vgpu *vgpu, enum vgpu_engine engine)
{
	context_init(&hog->ctx, vgpu, engine, NULL);
	spinner_init(&hog->spin, &hog->ctx, false);
	hog->turns = 0;
	submit(hog);
}

bool hog_started(const struct hog *hog)
{
	return request_started(&hog->ctx, hog->seqno);
}

bool hog_is_reset(const struct hog *hog)
{
	return resets(hog) > hog->resets;
}

void hog_end(struct hog *hog)
{
	engine_reset(hog->ctx.engine);
	hog->ctx.engine->bad = false;
	hog->ctx.state[LRC_RING_HEAD] = cs_offset(&hog->ctx.ring);
}

void hog_again(struct hog *hog)
{
	hog->turns++;
	hog_end(hog);
	submit(hog);
}
