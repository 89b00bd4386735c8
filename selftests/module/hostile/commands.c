// SPDX-License-Identifier: GPL-2.0
/* Commands: mostly well formed, with all kinds of addresses. */
#include "hostile.h"

static void cs_addr(struct cs *cs, u64 addr)
{
	cs_dw(cs, lower_32_bits(addr));
	cs_dw(cs, upper_32_bits(addr));
}

static void emit_store(struct actor *a, struct cs *cs, u32 engine)
{
	bool ggtt = below(a, 2);
	u64 addr = any_address(a, ggtt), other = any_address(a, ggtt);

	switch (below(a, 7)) {
	case 0:
		cs_store64(cs, ggtt, addr & ~7ULL, any_pte(a));
		break;
	case 1:
		cs_copy(cs, ggtt, addr, other);
		break;
	case 2:
		cs_srm(cs, ggtt, any_register(a, engine), addr);
		break;
	case 3:
		if (engine == RCS)
			cs_pipe_control_store(cs, addr & ~7ULL, any_dword(a));
		else
			cs_flush_dw_store(cs, addr & ~7ULL, any_dword(a));
		break;
	case 4:		/* any operation, any width, with or without inline data */
		cs_dw(cs, MI_CMD(OP_MI_ATOMIC) | (ggtt ? MI_USE_GGTT : 0) |
		      below(a, 64) << 8 | (below(a, 8) << 16 & ~MI_ATOMIC_INLINE) | 1);
		cs_addr(cs, addr);
		break;
	default:
		cs_store(cs, ggtt, addr, any_dword(a));
		break;
	}
}

/* Change an entry of a page table that may be in use, by the GPU. */
static void emit_table_store(struct actor *a, struct cs *cs)
{
	u64 at = GPA(PAGE_TABLE(below(a, NR_SPACES), below(a, TABLES_PER_SPACE))) +
		 below(a, GEN_PTES_PER_PAGE) * 8;
	bool ggtt = below(a, 2);

	cs_store64(cs, ggtt, ggtt ? GEN_LOW_GM_SIZE + at : at, any_pte(a));
}

static void emit_register(struct actor *a, struct cs *cs, u32 engine)
{
	u32 i, n = 1 + below(a, 4);

	switch (below(a, 4)) {
	case 0:
		cs_lrm(cs, below(a, 2), any_register(a, engine), any_address(a, GGTT));
		break;
	case 1:
		cs_dw(cs, MI_CMD(OP_MI_LOAD_REGISTER_REG) | 1);
		cs_dw(cs, any_register(a, engine));
		cs_dw(cs, any_register(a, engine));
		break;
	default:
		cs_dw(cs, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | (2 * n - 1));
		for (i = 0; i < n; i++) {
			cs_dw(cs, any_register(a, engine));
			cs_dw(cs, any_dword(a));
		}
		break;
	}
}

static void emit_blit(struct actor *a, struct cs *cs)
{
	u32 width = 1 + below(a, 64), height = 1 + below(a, 16);

	if (one_in(a, 16)) {
		width = below(a, 0x7fff);
		height = below(a, 64);
	}
	if (below(a, 2)) {
		cs_color_blt(cs, any_address(a, below(a, 2)), below(a, 0x8000), width, height,
			     any_dword(a));
		return;
	}
	cs_dw(cs, (u32)CMD_CLIENT_BLT << 29 | OP_XY_SRC_COPY_BLT << 22 | BLT_WRITE_ALPHA |
	      BLT_WRITE_RGB | below(a, 2) * BLT_SRC_TILED | below(a, 2) * BLT_DST_TILED | 8);
	cs_dw(cs, 3 << 24 | 0xcc << 16 | below(a, 0x8000));
	cs_dw(cs, 0);
	cs_dw(cs, height << 16 | width);
	cs_addr(cs, any_address(a, PPGTT));
	cs_dw(cs, 0);
	cs_dw(cs, below(a, 0x8000));
	cs_addr(cs, any_address(a, PPGTT));
}

/* Batches jump only forward, so that most of them end. */
static void emit_jump(struct actor *a, struct cs *cs, bool wild)
{
	bool ggtt = below(a, 2);
	u64 at = GPA(PAGE_BATCH(below(a, NR_BATCHES)));

	if (wild && one_in(a, 4))
		at = any_address(a, ggtt) & ~3ULL;
	else if (ggtt)
		at += GEN_LOW_GM_SIZE;
	cs_dw(cs, MI_CMD(OP_MI_BATCH_BUFFER_START) | (ggtt ? 0 : MI_BB_PPGTT) |
	      (one_in(a, 4) ? MI_BB_SECOND_LEVEL : 0) | (one_in(a, 8) ? MI_BB_PREDICATE : 0) | 1);
	cs_addr(cs, at);
}

static void emit_flow(struct actor *a, struct cs *cs, bool wild)
{
	switch (below(a, 8)) {
	case 0:
		cs_arb(cs, below(a, 2));
		break;
	case 1:
		cs_arb_check(cs);
		break;
	case 2:
		cs_user_interrupt(cs);
		break;
	case 3:
		cs_dw(cs, MI_CMD(OP_MI_SET_PREDICATE) | below(a, 16));
		break;
	case 4:
		cs_dw(cs, MI_CMD(OP_MI_PREDICATE) | below(a, 256));
		break;
	case 5:		/* not equal to a value that is never written: true, unless it is wild */
		cs_semaphore_wait(cs, below(a, 2), any_address(a, GGTT) & ~3ULL,
				  wild ? below(a, 8) : SEMAPHORE_NE, 0x5e3a0001);
		break;
	case 6:
		cs_dw(cs, MI_CMD(OP_MI_COND_BATCH_BUFFER_END) | below(a, 2) * MI_USE_GGTT | 2);
		cs_dw(cs, any_dword(a));
		cs_addr(cs, any_address(a, PPGTT) & ~7ULL);
		break;
	default:
		cs_noop(cs, 1 + below(a, 8));
		break;
	}
}

/* Any client and opcode, with any length. */
static void emit_any(struct actor *a, struct cs *cs)
{
	u32 i, n = below(a, 12), dw = rng_u64(&a->rng);

	if (below(a, 4))
		dw = (dw & 0x7fff0000) | n;
	if (below(a, 2))
		dw &= ~0x80000000u;
	cs_dw(cs, dw);
	for (i = 0; i < n + 1; i++)
		cs_dw(cs, any_dword(a));
}

/* Any state command of the 3D pipeline. */
static void emit_state(struct actor *a, struct cs *cs)
{
	u32 i, n = below(a, 6);

	cs_dw(cs, 0x78000000 | below(a, 4) << 24 | below(a, 0x80) << 16 | n);
	for (i = 0; i < n + 1; i++)
		cs_dw(cs, below(a, 2) ? 0 : (u32)GPA(harmless_page(a)));
}

void emit_commands(struct actor *a, struct cs *cs, u32 engine, u32 count, bool wild)
{
	while (count--) {
		switch (below(a, 16)) {
		case 0:
		case 1:
		case 2:
			emit_register(a, cs, engine);
			break;
		case 3:
			if (engine == BCS)
				emit_blit(a, cs);
			else if (engine == RCS)
				emit_state(a, cs);
			break;
		case 4:
		case 5:
			emit_flow(a, cs, wild);
			break;
		case 6:
			emit_table_store(a, cs);
			break;
		case 7:
			if (wild)
				emit_any(a, cs);
			break;
		case 8:
			if (wild)
				emit_jump(a, cs, wild);
			break;
		default:
			emit_store(a, cs, engine);
			break;
		}
	}
}

void write_batch(struct actor *a, u32 n, bool wild)
{
	struct cs cs;

	cs_init(&cs, page_ptr(a, PAGE_BATCH(n)), PAGE_SIZE);
	emit_commands(a, &cs, n % VGPU_NR_ENGINES, 1 + below(a, 12), wild);
	cs_end(&cs);
}

/* A batch that jumps to itself. */
void write_spinner(struct actor *a, u32 n, bool arbitrate)
{
	struct cs cs;

	cs_init(&cs, page_ptr(a, PAGE_BATCH(n)), PAGE_SIZE);
	if (arbitrate)
		cs_arb_check(&cs);
	else
		cs_noop(&cs, 1);
	cs_batch(&cs, PPGTT, GPA(PAGE_BATCH(n)));
}
