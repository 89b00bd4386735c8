// SPDX-License-Identifier: GPL-2.0
/* Each context has its own registers, address space and image. */
#include <string.h>

#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

#define NR_MANY		24

static u32 gpr(const struct context *ctx, u32 n)
{
	return ctx->engine->info->base + RING_GPR(n);
}

static u32 pattern(u32 ctx, u32 n)
{
	return 0x5e000000 + (ctx << 8) + n;
}

static bool load_gprs(struct context *ctx, u32 which)
{
	u32 n;

	request_begin(ctx);
	for (n = 0; n < RING_NR_GPR; n++)
		cs_lri(&ctx->ring, gpr(ctx, n), pattern(which, n));
	return request_run(ctx, request_end(ctx));
}

static bool gprs_are(struct context *ctx, u32 which)
{
	u32 n, bad = 0;

	request_begin(ctx);
	for (n = 0; n < RING_NR_GPR; n++)
		cs_srm(&ctx->ring, GGTT, gpr(ctx, n), context_slot(ctx, 64 + n));
	if (!request_run(ctx, request_end(ctx)))
		return false;
	for (n = 0; n < RING_NR_GPR; n++) {
		u32 got = context_slot_value(ctx, 64 + n);

		if (got == pattern(which, n))
			continue;
		if (!bad++)
			tap_diag("context %u, GPR%u: %#x, not %#x", which, n, got,
				 pattern(which, n));
	}
	return !bad;
}

static void check_registers(struct vgpu *vgpu, u32 engine)
{
	const char *name = engine_infos[engine].name;
	struct context a, b;

	context_init(&a, vgpu, engine, NULL);
	context_init(&b, vgpu, engine, NULL);
	tap_ok(load_gprs(&a, 1), "%s: registers are loaded", name);
	tap_ok(wait_for(context_image_has(&a, gpr(&a, 0), pattern(1, 0)), SOON_MS),
	       "%s: the saved image of a first context reaches the guest", name);
	context_keep_state(&a);
	tap_ok(gprs_are(&a, 1), "%s: registers are kept between requests", name);
	tap_ok(load_gprs(&b, 2), "%s: another context has its own registers", name);
	context_keep_state(&b);
	tap_ok(gprs_are(&a, 1), "%s: the first context still has its registers", name);
	tap_ok(gprs_are(&b, 2), "%s: the second context still has its registers", name);
}

/* As i915 does: every later context starts as a copy of a first one. */
static void check_default_state(struct vgpu *vgpu, u32 engine)
{
	const char *name = engine_infos[engine].name;
	u32 pages = context_pages(engine, vgpu->gen);
	struct context first, later;
	struct cs *ring;

	context_init(&first, vgpu, engine, NULL);
	load_gprs(&first, 3);
	wait_for(context_image_has(&first, gpr(&first, 0), pattern(3, 0)), SOON_MS);

	context_init(&later, vgpu, engine, NULL);
	memcpy(later.state + LRC_RING_CONTEXT_DWORDS, first.state + LRC_RING_CONTEXT_DWORDS,
	       PAGE_SIZE - LRC_RING_CONTEXT_DWORDS * 4);
	memcpy(ram_ptr(&vgpu->ram, later.image + 2 * PAGE_SIZE),
	       ram_ptr(&vgpu->ram, first.image + 2 * PAGE_SIZE), (pages - 2) * PAGE_SIZE);
	context_keep_state(&later);
	tap_ok(gprs_are(&later, 3), "%s: a context starts from a copied image", name);

	/* A new context at the address of an old one is a new context. */
	ring = &later.ring;
	memset(ram_ptr(&vgpu->ram, later.ring_gpa), 0, RING_PAGES * PAGE_SIZE);
	ring->pos = 0;
	later.state[LRC_RING_HEAD] = 0;
	later.state[LRC_RING_TAIL] = 0;
	tap_ok(load_gprs(&later, 4) && gprs_are(&later, 4),
	       "%s: a new image at the same address is used", name);
}

static void check_many(struct vgpu *vgpu, u32 engine)
{
	static struct context ctx[NR_MANY];
	bool loaded = true, kept = true;
	u32 i, round;

	for (i = 0; i < NR_MANY; i++) {
		context_init(&ctx[i], vgpu, engine, NULL);
		loaded &= load_gprs(&ctx[i], 16 + i);
		context_keep_state(&ctx[i]);
	}
	tap_ok(loaded, "%s: %u contexts", engine_infos[engine].name, NR_MANY);
	for (round = 0; round < 3; round++)
		for (i = 0; i < NR_MANY; i++)
			kept &= gprs_are(&ctx[(i * 7) % NR_MANY], 16 + (i * 7) % NR_MANY);
	tap_ok(kept, "%s: each context has its own registers", engine_infos[engine].name);
}

/* The same addresses map other pages. */
static void check_spaces(struct vgpu *vgpu, u32 engine)
{
	struct context a, b;
	u64 addr = 0x10000, batch = ram_alloc(&vgpu->ram, 1);
	u64 da = ram_alloc(&vgpu->ram, 1), db = ram_alloc(&vgpu->ram, 1);
	struct cs cs;
	u32 i;

	context_init(&a, vgpu, engine, NULL);
	context_init(&b, vgpu, engine, NULL);
	ppgtt_map(a.ppgtt, 0, batch, 1);
	ppgtt_map(b.ppgtt, 0, batch, 1);
	ppgtt_map(a.ppgtt, addr, da, 1);
	ppgtt_map(b.ppgtt, addr, db, 1);
	for (i = 0; i < 2; i++) {
		cs_init(&cs, ram_ptr(&vgpu->ram, batch), PAGE_SIZE);
		cs_store(&cs, PPGTT, addr, 0xa + i);
		cs_end(&cs);
		request_begin(i ? &b : &a);
		request_batch(i ? &b : &a, 0);
		request_run(i ? &b : &a, request_end(i ? &b : &a));
	}
	tap_ok(ram_read32(&vgpu->ram, da) == 0xa && ram_read32(&vgpu->ram, db) == 0xb,
	       "%s: two contexts have different address spaces", engine_infos[engine].name);
	ppgtt_notify(vgpu, a.ppgtt, false);
	request_begin(&b);
	request_batch(&b, 0);
	tap_ok(request_run(&b, request_end(&b)), "%s: one is destroyed, the other still works",
	       engine_infos[engine].name);
}

/* One address space for contexts of all engines. */
static void check_shared_space(struct vgpu *vgpu)
{
	struct ppgtt ppgtt;
	u64 data = ram_alloc(&vgpu->ram, 1), batch = ram_alloc(&vgpu->ram, 4);
	bool ok = true;
	struct cs cs;
	u32 i;

	ppgtt_init(&ppgtt, &vgpu->ram);
	ppgtt_notify(vgpu, &ppgtt, true);
	ppgtt_map(&ppgtt, 0x7ffffffff000ULL, data, 1);
	ppgtt_map(&ppgtt, 0x40000000, batch, 4);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		struct context ctx;

		cs_init(&cs, ram_ptr(&vgpu->ram, batch + i * PAGE_SIZE), PAGE_SIZE);
		cs_store(&cs, PPGTT, 0x7ffffffff000ULL + i * 4, 100 + i);
		cs_end(&cs);
		context_init(&ctx, vgpu, i, &ppgtt);
		request_begin(&ctx);
		request_batch(&ctx, 0x40000000 + i * PAGE_SIZE);
		ok &= request_run(&ctx, request_end(&ctx));
		ok &= ram_read32(&vgpu->ram, data + i * 4) == 100 + i;
	}
	tap_ok(ok, "contexts of all engines share an address space");
	ppgtt_notify(vgpu, &ppgtt, false);
}

static bool loads_power(struct context *ctx, u32 value, u32 loaded)
{
	ctx->state[LRC_PWR_CLK_STATE] = value;
	request_begin(ctx);
	/* Commands may read it, but not write it. */
	cs_lri(&ctx->ring, RCS_PWR_CLK_STATE, 0x5e5e5e5e);
	cs_srm(&ctx->ring, GGTT, RCS_PWR_CLK_STATE, context_slot(ctx, 64));
	return request_run(ctx, request_end(ctx)) && context_slot_value(ctx, 64) == loaded;
}

/* A context cannot have more units powered than the fuses leave. */
static void check_power(struct vgpu *vgpu)
{
	u32 fuse2 = mmio_read(vgpu, GEN_FUSE2), most, all, i;
	struct context ctx;

	most = __builtin_popcount(~FUSE2_NO_SUBSLICES(fuse2, vgpu->gen) &
				  (vgpu->gen >= 9 ? 0xf : 7));
	all = PWR_CLK_ENABLE | PWR_CLK_SLICES_ENABLE | PWR_CLK_SUBSLICES_ENABLE |
	      __builtin_popcount(FUSE2_SLICES(fuse2)) << PWR_CLK_SLICES_SHIFT |
	      most << PWR_CLK_SUBSLICES_SHIFT;
	for (i = 0; i < 2; i++) {
		context_init(&ctx, vgpu, RCS, NULL);
		if (i)
			context_keep_state(&ctx);
		tap_ok(loads_power(&ctx, 0xffffffff, all | 0x88), "all units that the fuses leave");
		tap_ok(loads_power(&ctx, all | 0x84, all | 0x84),
		       "fewer units, as a driver may request");
		tap_ok(loads_power(&ctx, ~PWR_CLK_ENABLE, 0), "no request");
	}
}

int main(void)
{
	struct vgpu *vgpu;
	u32 i;

	vgpu_test_init(200);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		check_spaces(vgpu, i);
		if (!engine_has_gprs(&vgpu->engines[i]))
			continue;
		check_registers(vgpu, i);
		check_default_state(vgpu, i);
		check_many(vgpu, i);
	}
	check_shared_space(vgpu);
	check_power(vgpu);
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
