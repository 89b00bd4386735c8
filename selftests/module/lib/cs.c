// SPDX-License-Identifier: GPL-2.0
#include "cs.h"

/* In the context's status page, for stores of values that are not read. */
#define PPHWSP_SCRATCH	0xd0

static void cs_addr(struct cs *cs, u64 addr)
{
	cs_dw(cs, lower_32_bits(addr));
	cs_dw(cs, upper_32_bits(addr));
}

static u32 ggtt_bit(bool ggtt)
{
	return ggtt ? MI_USE_GGTT : 0;
}

void cs_store(struct cs *cs, bool ggtt, u64 addr, u32 value)
{
	cs_dw(cs, MI_CMD(OP_MI_STORE_DATA_IMM) | ggtt_bit(ggtt) | 2);
	cs_addr(cs, addr);
	cs_dw(cs, value);
}

void cs_store64(struct cs *cs, bool ggtt, u64 addr, u64 value)
{
	cs_dw(cs, MI_CMD(OP_MI_STORE_DATA_IMM) | ggtt_bit(ggtt) | MI_SDI_QWORD | 3);
	cs_addr(cs, addr);
	cs_addr(cs, value);
}

void cs_copy(struct cs *cs, bool ggtt, u64 dst, u64 src)
{
	cs_dw(cs, MI_CMD(OP_MI_COPY_MEM_MEM) | (ggtt ? MI_USE_GGTT | MI_COPY_DST_GGTT : 0) | 3);
	cs_addr(cs, dst);
	cs_addr(cs, src);
}

void cs_semaphore_wait(struct cs *cs, bool ggtt, u64 addr, u32 op, u32 value)
{
	cs_dw(cs, MI_CMD(OP_MI_SEMAPHORE_WAIT) | ggtt_bit(ggtt) | MI_SEMAPHORE_POLL |
	      (op << 12) | 2);
	cs_dw(cs, value);
	cs_addr(cs, addr);
}

void cs_lri(struct cs *cs, u32 reg, u32 value)
{
	cs_dw(cs, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1);
	cs_dw(cs, reg);
	cs_dw(cs, value);
}

void cs_srm(struct cs *cs, bool ggtt, u32 reg, u64 addr)
{
	cs_dw(cs, MI_CMD(OP_MI_STORE_REGISTER_MEM) | ggtt_bit(ggtt) | 2);
	cs_dw(cs, reg);
	cs_addr(cs, addr);
}

void cs_lrm(struct cs *cs, bool ggtt, u32 reg, u64 addr)
{
	cs_dw(cs, MI_CMD(OP_MI_LOAD_REGISTER_MEM) | ggtt_bit(ggtt) | 2);
	cs_dw(cs, reg);
	cs_addr(cs, addr);
}

void cs_noop(struct cs *cs, u32 count)
{
	while (count--)
		cs_dw(cs, MI_CMD(OP_MI_NOOP));
}

void cs_arb_check(struct cs *cs)
{
	cs_dw(cs, MI_CMD(OP_MI_ARB_CHECK));
}

void cs_arb(struct cs *cs, bool on)
{
	cs_dw(cs, MI_CMD(OP_MI_ARB_ON_OFF) | (on ? MI_ARB_ON : 0));
}

void cs_batch(struct cs *cs, bool ggtt, u64 addr)
{
	cs_dw(cs, MI_CMD(OP_MI_BATCH_BUFFER_START) | (ggtt ? 0 : MI_BB_PPGTT) | 1);
	cs_addr(cs, addr);
}

void cs_end(struct cs *cs)
{
	cs_dw(cs, MI_CMD(OP_MI_BATCH_BUFFER_END));
	if (cs->pos & 1)
		cs_noop(cs, 1);
}

#define COND_COMPARE	(1u << 21)

void cs_end_unless_above(struct cs *cs, u64 addr, u32 value)
{
	cs_dw(cs, MI_CMD(OP_MI_COND_BATCH_BUFFER_END) | COND_COMPARE | 2);
	cs_dw(cs, value);
	cs_addr(cs, addr);
}

void cs_user_interrupt(struct cs *cs)
{
	cs_dw(cs, MI_CMD(OP_MI_USER_INTERRUPT));
}

static void pipe_control(struct cs *cs, u32 flags, u64 addr, u32 value)
{
	cs_dw(cs, ((u32)CMD_PIPE_CONTROL << 16) | 4);
	cs_dw(cs, flags | PC_CS_STALL | (PC_POST_SYNC_STORE << 14));
	cs_addr(cs, addr);
	cs_addr(cs, value);
}

void cs_pipe_control_store(struct cs *cs, u64 ggtt_addr, u32 value)
{
	pipe_control(cs, PC_GLOBAL_GTT, ggtt_addr, value);
}

void cs_pipe_control_store_index(struct cs *cs, u32 offset, u32 value)
{
	pipe_control(cs, PC_GLOBAL_GTT | PC_STORE_INDEX, offset, value);
}

static void flush_dw(struct cs *cs, u32 flags, u64 addr, u32 value)
{
	cs_dw(cs, MI_CMD(OP_MI_FLUSH_DW) | flags | (MI_FLUSH_DW_OP_STORE << 14) | 2);
	cs_addr(cs, addr | MI_FLUSH_DW_ADDR_GGTT);
	cs_dw(cs, value);
}

void cs_flush_dw_store(struct cs *cs, u64 ggtt_addr, u32 value)
{
	flush_dw(cs, 0, ggtt_addr, value);
}

void cs_flush_dw_store_index(struct cs *cs, u32 offset, u32 value)
{
	flush_dw(cs, MI_FLUSH_DW_STORE_INDEX, offset, value);
}

void cs_invalidate(struct cs *cs, bool render)
{
	if (render) {
		pipe_control(cs, PC_TLB_INVALIDATE | PC_STORE_INDEX, PPHWSP_SCRATCH, 0);
		return;
	}
	cs_dw(cs, MI_CMD(OP_MI_FLUSH_DW) | MI_FLUSH_DW_TLB_INVALIDATE | MI_FLUSH_DW_STORE_INDEX |
	      (MI_FLUSH_DW_OP_STORE << 14) | 2);
	cs_addr(cs, PPHWSP_SCRATCH);
	cs_dw(cs, 0);
}

void cs_color_blt(struct cs *cs, u64 addr, u32 pitch, u32 width, u32 height, u32 color)
{
	cs_dw(cs, ((u32)CMD_CLIENT_BLT << 29) | (OP_XY_COLOR_BLT << 22) |
	      BLT_WRITE_ALPHA | BLT_WRITE_RGB | 5);
	cs_dw(cs, (3 << 24) | (0xf0 << 16) | pitch);	/* 32 bits, copy the pattern */
	cs_dw(cs, 0);
	cs_dw(cs, (height << 16) | width);
	cs_addr(cs, addr);
	cs_dw(cs, color);
}
