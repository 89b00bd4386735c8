// SPDX-License-Identifier: GPL-2.0
/*
 * A driver that sees another context run assumes that the previous one has been saved: it reads the
 * image, or frees its memory. So the state must be in the guest's image before that, and the image
 * must not be written afterwards.
 */
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "tap.h"
#include "vgpu.h"

#define ROUNDS		20
#define SWITCHES	200
#define SLOT		128	/* of the fence page: values that one context reads of another */

static u32 gpr(const struct context *ctx)
{
	return ctx->engine->info->base + CONTEXT_GPR;
}

/* Offset of a register's value in the image; 0: none. */
static u32 find_reg(const struct context *ctx, u32 reg)
{
	u32 i;

	for (i = LRC_RING_CONTEXT_DWORDS; i + 1 < PAGE_SIZE / 4; i++)
		if (ctx->state[i] == reg)
			return i + 1;
	return 0;
}

static u64 state_ggtt(const struct context *ctx, u32 dword)
{
	return ctx->image_ggtt + LRC_STATE_PAGE * PAGE_SIZE + dword * sizeof(u32);
}

static u32 set_gpr(struct context *ctx, u32 value)
{
	request_begin(ctx);
	cs_lri(&ctx->ring, gpr(ctx), value);
	return request_end(ctx);
}

static bool ready(struct context *ctx)
{
	u32 seqno = set_gpr(ctx, 0);

	if (!request_run(ctx, seqno))
		return false;
	context_keep_state(ctx);
	request_begin(ctx);
	return request_run(ctx, request_end(ctx));
}

/*
 * Both in one submission: the second reads the first one's image by the GPU, so a delay of the host
 * cannot hide a late write.
 */
static void check_saved(struct vgpu *vgpu, u32 engine)
{
	const char *name = engine_infos[engine].name;
	u32 where, head, i, seqno, values = 0, heads = 0;
	struct context a, b;

	context_init(&a, vgpu, engine, NULL);
	context_init(&b, vgpu, engine, NULL);
	if (!tap_ok(ready(&a) && ready(&b), "%s: two contexts", name))
		return;
	where = find_reg(&a, gpr(&a));
	tap_ok(where, "%s: the image of the first has its registers", name);
	for (i = 1; i <= ROUNDS; i++) {
		set_gpr(&a, i);
		request_begin(&b);
		cs_copy(&b.ring, GGTT, context_slot(&b, SLOT), state_ggtt(&a, where));
		cs_copy(&b.ring, GGTT, context_slot(&b, SLOT + 1), state_ggtt(&a, LRC_RING_HEAD));
		seqno = request_end(&b);
		head = cs_offset(&a.ring);
		context_submit2(&a, &b);
		if (!request_wait(&b, seqno, SOON_MS) || !engine_wait_idle(b.engine, SOON_MS))
			break;
		values += context_slot_value(&b, SLOT) == i;
		heads += context_slot_value(&b, SLOT + 1) == head;
	}
	tap_eq(values, ROUNDS, "%s: the second context reads the first one's saved registers",
	       name);
	tap_eq(heads, ROUNDS, "%s: the second context reads the first one's saved HEAD", name);
}

/* After the second has run, the first one's image is ordinary memory. */
static void check_reused(struct vgpu *vgpu, u32 engine)
{
	const char *name = engine_infos[engine].name;
	u32 pages = context_pages(engine, vgpu->gen), i, k, seqno, intact = 0;
	static u8 saved[GEN9_RCS_CTX_PAGES * PAGE_SIZE];
	struct context a, b;
	u8 *image;

	context_init(&a, vgpu, engine, NULL);
	context_init(&b, vgpu, engine, NULL);
	ready(&a);
	ready(&b);
	image = ram_ptr(&vgpu->ram, a.image);
	for (i = 1; i <= ROUNDS; i++) {
		set_gpr(&a, i);
		request_begin(&b);
		seqno = request_end(&b);
		context_submit2(&a, &b);
		if (!request_wait(&b, seqno, SOON_MS))
			break;
		memcpy(saved, image, pages * PAGE_SIZE);
		memset(image, 0x5a, pages * PAGE_SIZE);
		memory_fence();
		if (!engine_wait_idle(b.engine, SOON_MS))
			break;
		request_begin(&b);
		request_run(&b, request_end(&b));
		for (k = 0; k < pages * PAGE_SIZE && image[k] == 0x5a; k++)
			;
		intact += k == pages * PAGE_SIZE;
		memcpy(image, saved, pages * PAGE_SIZE);
	}
	tap_eq(intact, ROUNDS, "%s: a saved image is not written any more", name);
	tap_ok(context_gpr_is(&a, ROUNDS), "%s: the image can be restored and runs", name);
}

/* More requests of the first behind the second: it is saved in between, and continues. */
static void check_between(struct vgpu *vgpu, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct context a, b;
	struct spinner spin;
	u32 where, seqno;

	context_init(&a, vgpu, engine, NULL);
	context_init(&b, vgpu, engine, NULL);
	ready(&a);
	ready(&b);
	where = find_reg(&a, gpr(&a));
	spinner_init(&spin, &a, true);
	seqno = spinner_request(&spin, &a);
	request_begin(&b);
	cs_copy(&b.ring, GGTT, context_slot(&b, SLOT), state_ggtt(&a, where));
	request_end(&b);
	context_submit2(&a, &b);
	tap_ok(request_wait_started(&a, seqno, SOON_MS) &&
	       engine_wait_promoted(a.engine, SOON_MS), "%s: the first context spins", name);
	set_gpr(&a, 77);
	seqno = set_gpr(&a, 78);
	context_submit2(&b, &a);
	spinner_end(&spin);
	tap_ok(request_wait(&a, seqno, SOON_MS) && engine_wait_idle(a.engine, SOON_MS),
	       "%s: first, second, first: all run", name);
	tap_ok(context_slot_value(&b, SLOT) < 77, "%s: they run in this order", name);
	tap_ok(context_gpr_is(&a, 78), "%s: all complete", name);
	tap_ok(!a.engine->bad, "%s: their completions are reported", name);
}

static void measure(struct vgpu *vgpu, u32 engine, bool alternate)
{
	struct context ctx[2];
	u64 began, exports;
	u32 i, seqno[2];

	context_init(&ctx[0], vgpu, engine, NULL);
	context_init(&ctx[1], vgpu, engine, NULL);
	ready(&ctx[0]);
	ready(&ctx[1]);
	exports = counters_number(vgpu, "exec", "exports");
	began = now_us();
	for (i = 0; i < SWITCHES; i++) {
		struct context *last = &ctx[alternate];

		request_begin(&ctx[0]);
		seqno[0] = request_end(&ctx[0]);
		request_begin(last);
		seqno[alternate] = request_end(last);
		if (alternate)
			context_submit2(&ctx[0], last);
		else
			context_submit(last);
		if (!request_wait(last, seqno[alternate], SOON_MS) ||
		    !engine_wait_idle(last->engine, SOON_MS))
			break;
	}
	tap_eq(i, SWITCHES, "%s: %u submissions of two requests, %s", engine_infos[engine].name,
	       SWITCHES, alternate ? "two contexts" : "one context");
	tap_diag("%llu us each", (unsigned long long)(now_us() - began) / SWITCHES);
	exports = counters_number(vgpu, "exec", "exports") - exports;
	tap_ok(exports <= 4, "unchanged images are not written (%llu were)",
	       (unsigned long long)exports);
}

int main(void)
{
	struct vgpu *vgpu;
	u32 i;

	vgpu_test_init(120);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		if (!engine_has_gprs(&vgpu->engines[i]))
			continue;
		check_saved(vgpu, i);
		check_reused(vgpu, i);
		check_between(vgpu, i);
		vgpu_reset(vgpu);
	}
	measure(vgpu, RCS, false);
	measure(vgpu, RCS, true);
	measure(vgpu, BCS, false);
	measure(vgpu, BCS, true);
	vgpu_free(vgpu);
	return vgpu_test_done();
}
