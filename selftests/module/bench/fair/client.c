// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <string.h>

#include "client.h"
#include "clock.h"
#include "counters.h"
#include "tap.h"
#include "used.h"

#define WORK_ADDR	0x310000000000ULL
#define SOLID_ADDR	0x320000000000ULL
#define BLIT_ADDR	0x300000000000ULL
#define BLIT_PITCH	4096u
#define BLIT_LINES	256u
#define BLIT_PAGES	(BLIT_PITCH * BLIT_LINES / PAGE_SIZE)
#define LOOK_US		300
#define HANGS_US	10000
#define RARE_HANGS_US	1000000
#define STUCK_US	60000000

struct client clients[MOST_CLIENTS];
u32 nr_clients;

void clients_add(void)
{
	struct client *c = &clients[nr_clients];

	memset(c, 0, sizeof(*c));
	c->rng.state = ++nr_clients;
	c->vgpu = vgpu_new(MDEV_TYPE_SMALL);
	ppgtt_init(&c->ppgtt, &c->vgpu->ram);
	ppgtt_notify(c->vgpu, &c->ppgtt, true);
	context_init(&c->ctx[RCS], c->vgpu, RCS, &c->ppgtt);
	context_init(&c->ctx[BCS], c->vgpu, BCS, &c->ppgtt);
	work_init(&c->work, c->vgpu, &c->ppgtt, WORK_ADDR, MOST_PRIMITIVES, true);
	work_init(&c->solid, c->vgpu, &c->ppgtt, SOLID_ADDR, MOST_PRIMITIVES, false);
	ppgtt_map(&c->ppgtt, BLIT_ADDR, ram_alloc(&c->vgpu->ram, BLIT_PAGES), BLIT_PAGES);
	spinner_init(&c->spin, &c->ctx[RCS], true);
	spinner_init(&c->hog, &c->ctx[RCS], false);
	c->load = load_find("idle");
}

void clients_remove(void)
{
	u32 i;

	for (i = 0; i < nr_clients; i++)
		vgpu_free(clients[i].vgpu);
	nr_clients = 0;
}

static struct context *context_of(struct client *c)
{
	return &c->ctx[c->load->engine];
}

u32 client_done(const struct client *c)
{
	return context_slot_value(&c->ctx[c->load->engine], FENCE_SEQNO);
}

long client_used(const struct client *c, const char *what)
{
	return used_get(c->vgpu->uuid, c->load->engine, what);
}

static u32 under_way(struct client *c)
{
	return context_of(c)->seqno - client_done(c);
}

void clients_cast(const struct load *const *loads, u32 count)
{
	u32 i;

	for (i = 0; i < nr_clients; i++) {
		struct client *c = &clients[i];

		c->load = i < count ? loads[i] : load_find("idle");
		c->wakes_at = 0;
		c->waits_since = 0;
		c->hangs = client_used(c, "hangs");
	}
}

void clients_forget(void)
{
	u32 i;

	for (i = 0; i < nr_clients; i++)
		clients[i].wait_us = 0;
}

static u32 between(struct client *c, u32 least, u32 most)
{
	return least + rng_below(&c->rng, most - least + 1);
}

static void emit_work(struct client *c, const struct work *work)
{
	u32 count = between(c, c->load->least, c->load->most);

	if (count)
		request_batch(context_of(c), work_batch(work, count));
}

static void emit(struct client *c)
{
	struct context *ctx = context_of(c);

	switch (c->load->kind) {
	case KIND_WORK:
		emit_work(c, &c->work);
		break;
	case KIND_SOLID:
		emit_work(c, &c->solid);
		break;
	case KIND_BLIT:
		cs_color_blt(&ctx->ring, BLIT_ADDR, BLIT_PITCH, BLIT_PITCH / 4, BLIT_LINES,
			     ctx->seqno);
		break;
	case KIND_SPIN:
		spinner_again(&c->spin);
		request_batch(ctx, c->spin.addr);
		break;
	case KIND_HOG:
		spinner_again(&c->hog);
		request_batch(ctx, c->hog.addr);
		break;
	case KIND_NONE:
		break;
	}
}

static void submit(struct client *c)
{
	struct context *ctx = context_of(c);
	u32 i;

	if (c->load->sleep_most_us) {
		c->waits_since = now_us();
		c->awaited = ctx->seqno + 1;
	}
	for (i = 0; i < c->load->together; i++) {
		request_begin(ctx);
		emit(c);
		request_end(ctx);
	}
	context_submit(ctx);
}

/* If its request has hung, reset its engine, as a driver does, and forget what was under way. */
static void recover(struct client *c)
{
	struct context *ctx = context_of(c);
	u64 now = now_us();
	long hangs;

	if (now < c->hangs_at)
		return;
	c->hangs_at = now + (c->load->kind == KIND_HOG ? HANGS_US : RARE_HANGS_US);
	hangs = client_used(c, "hangs");
	if (hangs == c->hangs)
		return;
	c->hangs = hangs;
	if (c->load->kind != KIND_HOG)
		printf("# vGPU %td hung, but yields: the machine is too slow\n", c - clients);
	engine_reset(ctx->engine);
	ctx->engine->bad = false;
	ctx->state[LRC_RING_HEAD] = cs_offset(&ctx->ring);
	ram_write32(&c->vgpu->ram, ctx->fence, ctx->seqno);
}

static void look(struct client *c)
{
	struct context *ctx = context_of(c);

	engine_process(ctx->engine);
	if (c->waits_since && request_started(ctx, c->awaited)) {
		u64 waited = now_us() - c->waits_since;

		c->wait_us = waited > c->wait_us ? waited : c->wait_us;
		c->waits_since = 0;
	}
	recover(c);
	if (ctx->engine->bad)
		tap_die("vGPU %td: bad events of its engine", c - clients);
}

/* Return: whether it is awake. */
static bool awake(struct client *c)
{
	const struct load *load = c->load;

	if (!load->sleep_most_us)
		return true;
	if (!c->wakes_at)
		c->wakes_at = now_us() + between(c, load->sleep_least_us, load->sleep_most_us);
	if (now_us() < c->wakes_at)
		return false;
	c->wakes_at = 0;
	return true;
}

static void feed(struct client *c)
{
	const struct load *load = c->load;
	struct context *ctx = context_of(c);

	look(c);
	if (ctx->engine->pending || under_way(c) > (load->depth - 1) * load->together)
		return;
	if (awake(c))
		submit(c);
}

void clients_run(u64 until)
{
	u32 i;

	while (now_us() < until) {
		for (i = 0; i < nr_clients; i++)
			if (clients[i].load->kind != KIND_NONE)
				feed(&clients[i]);
		sleep_us(LOOK_US);
	}
}

static bool stopped(struct client *c)
{
	struct context *ctx = context_of(c);

	look(c);
	return !under_way(c) && !ctx->engine->pending && !ctx->engine->active;
}

void clients_stop(void)
{
	u64 end = now_us() + STUCK_US;
	u32 i, left;

	for (i = 0; i < nr_clients; i++) {
		spinner_end(&clients[i].spin);
		spinner_end(&clients[i].hog);
	}
	do {
		for (i = 0, left = 0; i < nr_clients; i++) {
			if (stopped(&clients[i]))
				continue;
			left++;
			if (now_us() < end)
				continue;
			counters_explain(clients[i].vgpu);
			tap_die("vGPU %u does not complete its requests", i);
		}
		sleep_us(LOOK_US);
	} while (left);
}
