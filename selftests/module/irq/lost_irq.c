// SPDX-License-Identifier: GPL-2.0
/* Lost interrupts of the GPU: the host soon finds their events without them. */
#include "clock.h"
#include "context.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

#define FOREVER		0xffffffffULL

static u64 irqs_dropped(void)
{
	u64 value = 0;

	model_get("interrupts-dropped", &value);
	return value;
}

static u32 interrupting(struct context *ctx)
{
	request_begin(ctx);
	cs_user_interrupt(&ctx->ring);
	cs_noop(&ctx->ring, 1);
	return request_end(ctx);
}

/*
 * The line rises once and stays high, as it is not serviced: with that interrupt all later ones are
 * lost.
 */
static void lose_one(struct vgpu *vgpu, u32 engine)
{
	struct engine *e = &vgpu->engines[engine];
	const char *name = e->info->name;
	struct context ctx;
	u32 users;
	u64 before;

	context_init(&ctx, vgpu, engine, NULL);
	while (irq_service(vgpu, 10))
		;
	users = e->user_irqs;
	before = irqs_dropped();
	model_set("drop-interrupts", 1);
	tap_ok(request_run(&ctx, interrupting(&ctx)),
	       "%s: a request completes although its interrupt is lost",
	       name);
	tap_eq(irqs_dropped(), before + 1, "%s: the interrupt was lost", name);
	tap_ok(irq_wait(vgpu, &e->user_irqs, users + 1, SOON_MS),
	       "%s: the guest gets its interrupt", name);
}

/* No interrupts at all, while two guests are scheduled in turn. */
static void lose_all(struct vgpu *vgpu, struct witness *w)
{
	struct context ctx[VGPU_NR_ENGINES];
	u64 before = irqs_dropped();
	bool done = true;
	u32 i, round;

	for (i = 0; i < VGPU_NR_ENGINES; i++)
		context_init(&ctx[i], vgpu, i, NULL);
	model_set("drop-interrupts", FOREVER);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < VGPU_NR_ENGINES; i++)
			done &= request_run(&ctx[i], interrupting(&ctx[i]));
		done &= witness_ok(w);
	}
	model_set("drop-interrupts", 0);
	tap_ok(done, "two guests make progress without any interrupt");
	tap_ok(irqs_dropped() > before, "there was no interrupt");
}

int main(void)
{
	struct vgpu *vgpu;
	struct witness w;
	u64 value;
	u32 i;

	vgpu_test_init(200);
	if (!model_get("drop-interrupts", &value))
		tap_skip_all("no GPU model");
	witness_init(&w);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		lose_one(vgpu, i);
	lose_all(vgpu, &w);
	survived(vgpu, &w, "lost interrupts");
	vgpu_free(vgpu);
	witness_free(&w);
	return vgpu_test_done();
}
