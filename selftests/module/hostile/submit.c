// SPDX-License-Identifier: GPL-2.0
/* Contexts, rings, tails, and their submission. */
#include <sched.h>

#include "clock.h"
#include "hostile.h"

/* An engine that has refused a submission accepts none until a reset: reset it now and then. */
#define USES_PER_RESET	4
#define SWEEP_UNITS	250

static void elsp(struct actor *a, u32 engine, u64 first, u64 second)
{
	u32 reg = engine_infos[engine].base + RING_ELSP;
	struct vgpu *vgpu = actor_vgpu(a);

	mmio_write(vgpu, reg, upper_32_bits(second));
	mmio_write(vgpu, reg, lower_32_bits(second));
	mmio_write(vgpu, reg, upper_32_bits(first));
	mmio_write(vgpu, reg, lower_32_bits(first));
}

static void ring_init(struct actor *a, u32 ctx, struct cs *ring)
{
	cs_init(ring, page_ptr(a, PAGE_RING(ctx)), RING_DEFAULT_PAGES * PAGE_SIZE);
	ring->pos = READ_ONCE(a->guest->tail[ctx]) % ring->dwords;
}

static u32 *state_of(struct actor *a, u32 ctx)
{
	return page_ptr(a, PAGE_IMAGE(ctx) + LRC_STATE_PAGE);
}

/* Write the tail, sometimes the head, to the image; not always the correct values. */
static void set_tail(struct actor *a, u32 ctx, u32 pos)
{
	u32 *state = state_of(a, ctx), tail = pos * 4;

	WRITE_ONCE(a->guest->tail[ctx], pos);
	switch (below(a, 24)) {
	case 0:		/* into the middle of running work */
		tail = below(a, RING_DEFAULT_PAGES * PAGE_SIZE) & ~7u;
		break;
	case 1:		/* outside of the ring */
		tail = any_dword(a);
		break;
	case 2:
		WRITE_ONCE(state[LRC_RING_HEAD], below(a, RING_DEFAULT_PAGES * PAGE_SIZE) & ~7u);
		break;
	case 3:		/* the whole ring */
		tail = (tail - 8) & (RING_DEFAULT_PAGES * PAGE_SIZE - 1);
		break;
	default:
		break;
	}
	WRITE_ONCE(state[LRC_RING_TAIL], tail);
	memory_fence();
}

/* One invalid property of a context. */
static void spoil_image(struct actor *a, u32 ctx)
{
	static const u32 fields[] = {
		LRC_CONTEXT_CONTROL, LRC_RING_START, LRC_RING_CTL, LRC_BB_ADDR_UDW, LRC_BB_ADDR,
		LRC_BB_STATE, LRC_SBB_STATE, LRC_SBB_ADDR, LRC_PDP_UDW(0), LRC_PDP_LDW(0),
		LRC_PWR_CLK_STATE, LRC_LRI0, LRC_LRI1, LRC_LRI2,
	};
	u32 *state = state_of(a, ctx), n = below(a, 8), at;

	switch (below(a, 8)) {
	case 0:		/* restore the state that the hardware saved */
	case 1:
		WRITE_ONCE(state[LRC_CONTEXT_CONTROL],
			   GEN_MASKED_ENABLE(CTX_CTRL_INHIBIT_SYN_SWITCH) |
			   GEN_MASKED_DISABLE(CTX_CTRL_RESTORE_INHIBIT));
		break;
	case 2:		/* another size, another place */
		WRITE_ONCE(state[LRC_RING_CTL], n << 12 | RING_CTL_VALID);
		break;
	case 3:
		WRITE_ONCE(state[LRC_RING_START], GGTT_HIGH(PAGE_RING(below(a, NR_CTX))));
		break;
	case 4:
		WRITE_ONCE(state[fields[below(a, ARRAY_SIZE(fields))]], any_dword(a));
		break;
	case 5:		/* another register in a list */
		WRITE_ONCE(state[2 * below(a, 0x28)], any_register(a, ctx % VGPU_NR_ENGINES));
		break;
	case 6:		/* a list in the engine's part */
		at = LRC_RING_CONTEXT_DWORDS + below(a, 64);
		WRITE_ONCE(state[at], MI_CMD(OP_MI_LOAD_REGISTER_IMM) | (2 * n + 1));
		WRITE_ONCE(state[at + 1], any_register(a, ctx % VGPU_NR_ENGINES));
		break;
	default:
		break;
	}
}

/* Workaround batches of any size, in a page that others write to. */
static void set_wa(struct actor *a, u32 ctx)
{
	u64 at = GGTT_HIGH(PAGE_WA(below(a, NR_WA)));
	u32 *state = state_of(a, ctx);

	WRITE_ONCE(state[LRC_INDIRECT_CTX], lower_32_bits(at) | below(a, 64));
	WRITE_ONCE(state[LRC_INDIRECT_CTX_OFFSET], below(a, 4) ? 0x26 << 6 : any_dword(a));
	if (below(a, 2))
		WRITE_ONCE(state[LRC_BB_PER_CTX_PTR],
			   (lower_32_bits(at) + below(a, 16) * 64) | BB_PER_CTX_VALID);
}

static void batch_start(struct actor *a, struct cs *ring, u32 n)
{
	bool ggtt = one_in(a, 3);

	cs_arb(ring, below(a, 2));
	cs_batch(ring, ggtt, (ggtt ? GEN_LOW_GM_SIZE : 0) + GPA(PAGE_BATCH(n)));
	cs_arb(ring, true);
	cs_noop(ring, 1);
}

static void end_request(struct actor *a, u32 ctx, struct cs *ring)
{
	u64 at = GGTT_HIGH(PAGE_DATA(ctx));

	if (ctx % VGPU_NR_ENGINES == RCS)
		cs_pipe_control_store(ring, at, any_dword(a));
	else
		cs_flush_dw_store(ring, at, any_dword(a));
	cs_user_interrupt(ring);
	cs_noop(ring, ring->pos & 1);
}

static void count_use(struct actor *a, u32 engine)
{
	if (__atomic_add_fetch(&a->guest->uses[engine], 1, __ATOMIC_RELAXED) % USES_PER_RESET)
		return;
	reset_engine(a, engine, below(a, 2));
}

static u32 prepare(struct actor *a, bool wild)
{
	u32 ctx = below(a, NR_CTX), engine = ctx % VGPU_NR_ENGINES, n = below(a, NR_BATCHES);
	struct cs ring;

	/* A new context, or one that continues. */
	if (below(a, 2))
		setup_image(a, ctx);
	ring_init(a, ctx, &ring);
	cs_invalidate(&ring, engine == RCS);
	if (below(a, 2))
		emit_commands(a, &ring, engine, below(a, 4), wild);
	if (below(a, 3)) {
		if (below(a, 2))
			write_batch(a, n, wild);
		batch_start(a, &ring, n);
	}
	end_request(a, ctx, &ring);
	set_tail(a, ctx, ring.pos);
	if (one_in(a, 4))
		set_wa(a, ctx);
	if (one_in(a, 4))
		spoil_image(a, ctx);
	return ctx;
}

void op_submit(struct actor *a)
{
	u32 ctx = prepare(a, false), engine = ctx % VGPU_NR_ENGINES;
	u64 second = 0;

	/* Another context of the same engine behind it, or itself. */
	if (one_in(a, 4))
		second = context_descriptor((ctx + below(a, 3) * VGPU_NR_ENGINES) % NR_CTX);
	elsp(a, engine, context_descriptor(ctx), second);
	if (below(a, 2))
		sched_yield();
	count_use(a, engine);
}

void submit_with_wa(struct actor *a)
{
	u32 ctx = prepare(a, false);

	set_wa(a, ctx);
	elsp(a, ctx % VGPU_NR_ENGINES, context_descriptor(ctx), 0);
	count_use(a, ctx % VGPU_NR_ENGINES);
}

static void submit_ring(struct actor *a, u32 ctx, const struct cs *ring)
{
	WRITE_ONCE(a->guest->tail[ctx], ring->pos);
	WRITE_ONCE(state_of(a, ctx)[LRC_RING_TAIL], cs_offset(ring));
	memory_fence();
	elsp(a, ctx % VGPU_NR_ENGINES, context_descriptor(ctx), 0);
	count_use(a, ctx % VGPU_NR_ENGINES);
}

void submit_address(struct actor *a, u32 engine, bool ggtt, u64 addr)
{
	u32 ctx = below(a, NR_CTX / VGPU_NR_ENGINES) * VGPU_NR_ENGINES + engine;
	struct cs ring;

	setup_image(a, ctx);
	ring_init(a, ctx, &ring);
	cs_arb(&ring, true);
	cs_batch(&ring, ggtt, addr);
	cs_noop(&ring, 1);
	end_request(a, ctx, &ring);
	submit_ring(a, ctx, &ring);
}

void submit_at_ring_end(struct actor *a, u32 ctx, u32 dwords)
{
	u32 engine = ctx % VGPU_NR_ENGINES, begin;
	struct cs ring;

	setup_image(a, ctx);
	ring_init(a, ctx, &ring);
	begin = ring.dwords - dwords / 2 * 2;
	ring.pos = begin;
	WRITE_ONCE(state_of(a, ctx)[LRC_RING_HEAD], cs_offset(&ring));
	/* The last command ends with the ring, or wraps around its end. */
	emit_commands(a, &ring, engine, 1 + below(a, 6), false);
	if (below(a, 2))
		cs_batch(&ring, PPGTT, GPA(PAGE_BATCH(below(a, NR_BATCHES))));
	if (ring.pos < ring.dwords && below(a, 2))
		cs_noop(&ring, ring.dwords - ring.pos);
	cs_noop(&ring, ring.pos & 1);
	submit_ring(a, ctx, &ring);
}

void submit_batch(struct actor *a, u32 engine, u32 batch)
{
	u32 ctx = below(a, NR_CTX / VGPU_NR_ENGINES) * VGPU_NR_ENGINES + engine;
	struct cs ring;

	setup_image(a, ctx);
	ring_init(a, ctx, &ring);
	batch_start(a, &ring, batch);
	end_request(a, ctx, &ring);
	submit_ring(a, ctx, &ring);
}

/* Commands that name as much graphics memory as a batch of a page can, which evicts others'. */
void op_sweep(struct actor *a)
{
	u32 engine = below(a, VGPU_NR_ENGINES), n = below(a, NR_BATCHES);
	u32 ctx = below(a, NR_CTX / VGPU_NR_ENGINES) * VGPU_NR_ENGINES + engine;
	u32 page = below(a, actor_vgpu(a)->high_size / PAGE_SIZE), i;
	struct cs cs;

	cs_init(&cs, page_ptr(a, PAGE_BATCH(n)), PAGE_SIZE);
	for (i = 0; i < SWEEP_UNITS; i++) {
		page = (page + 1 + below(a, 31)) % (actor_vgpu(a)->high_size / PAGE_SIZE);
		/* Do not overwrite itself. */
		if (page >= PAGES_MAPPED)
			cs_store(&cs, GGTT, GGTT_HIGH(page) + below(a, PAGE_SIZE / 4) * 4,
				 any_dword(a));
	}
	cs_end(&cs);
	setup_image(a, ctx);
	ring_init(a, ctx, &cs);
	cs_batch(&cs, GGTT, GGTT_HIGH(PAGE_BATCH(n)));
	end_request(a, ctx, &cs);
	set_tail(a, ctx, cs.pos);
	elsp(a, engine, context_descriptor(ctx), 0);
	count_use(a, engine);
}

/* Reset work that may hang its engine soon: the time-out is costly. */
void op_submit_wild(struct actor *a)
{
	u32 ctx = prepare(a, true), engine = ctx % VGPU_NR_ENGINES;

	elsp(a, engine, context_descriptor(ctx), 0);
	sleep_us(below(a, 400));
	reset_engine(a, engine, below(a, 2));
}

/* Leave it to the scheduler, at worst until its time-out. */
void op_spin(struct actor *a)
{
	u32 ctx = below(a, NR_CTX), engine = ctx % VGPU_NR_ENGINES, n = below(a, NR_BATCHES);
	struct cs ring;

	setup_image(a, ctx);
	write_spinner(a, n, below(a, 2));
	ring_init(a, ctx, &ring);
	cs_arb(&ring, below(a, 2));
	cs_batch(&ring, PPGTT, GPA(PAGE_BATCH(n)));
	end_request(a, ctx, &ring);
	set_tail(a, ctx, ring.pos);
	reset_engine(a, engine, false);
	elsp(a, engine, context_descriptor(ctx), 0);
}

/* Invalid descriptors, incomplete submissions. */
void op_elsp(struct actor *a)
{
	u32 engine = below(a, VGPU_NR_ENGINES), n = 1 + below(a, 6);
	u64 desc = context_descriptor(below(a, NR_CTX));

	while (n--) {
		u32 value = below(a, 2) ? upper_32_bits(desc) : lower_32_bits(desc);

		mmio_write(actor_vgpu(a), engine_infos[engine].base + RING_ELSP,
			   below(a, 4) ? value : any_dword(a));
	}
	count_use(a, engine);
}
