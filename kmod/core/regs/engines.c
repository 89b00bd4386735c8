// SPDX-License-Identifier: GPL-2.0
#include "engines.h"
#include "gen/lrc.h"
#include "gen/regs.h"

const struct gslot_engine_info gslot_engines[GSLOT_NR_ENGINES] = {
	[GSLOT_RCS0] = {
		.name = "rcs0", .base = GEN_RCS0_BASE,
		.irq_group = 0, .irq_shift = 0, .master_irq = MASTER_IRQ_RCS,
		.gdrst = GDRST_RCS, .fault_id = GEN_FAULT_ENGINE_RCS,
		.tlb_inv = GEN_TLB_INV_RCS, .mocs = GEN_MOCS_RCS(0),
	},
	[GSLOT_BCS0] = {
		.name = "bcs0", .base = GEN_BCS0_BASE,
		.irq_group = 0, .irq_shift = 16, .master_irq = MASTER_IRQ_BCS,
		.gdrst = GDRST_BCS, .fault_id = GEN_FAULT_ENGINE_BCS,
		.tlb_inv = GEN_TLB_INV_BCS, .mocs = GEN_MOCS_BCS(0),
	},
	[GSLOT_VCS0] = {
		.name = "vcs0", .base = GEN_VCS0_BASE,
		.irq_group = 1, .irq_shift = 0, .master_irq = MASTER_IRQ_VCS0,
		.gdrst = GDRST_VCS0, .fault_id = GEN_FAULT_ENGINE_VCS0,
		.tlb_inv = GEN_TLB_INV_VCS0, .mocs = GEN_MOCS_VCS0(0),
	},
	[GSLOT_VECS0] = {
		.name = "vecs0", .base = GEN_VECS0_BASE,
		.irq_group = 3, .irq_shift = 0, .master_irq = MASTER_IRQ_VECS,
		.gdrst = GDRST_VECS, .fault_id = GEN_FAULT_ENGINE_VECS,
		.tlb_inv = GEN_TLB_INV_VECS, .mocs = GEN_MOCS_VECS(0),
	},
};

/**
 * gslot_engine_of_reg() - which engine's register block holds an offset
 * @offset: offset into BAR0
 *
 * Return: the engine's id, or -1.
 */
int gslot_engine_of_reg(u32 offset)
{
	int i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		u32 base = gslot_engines[i].base;

		if (offset >= base && offset - base < GEN_RING_BLOCK_SIZE)
			return i;
	}
	return -1;
}

/**
 * gslot_context_pages() - size of a context image
 * @engine: the engine
 * @gen: 8 or 9
 *
 * Return: pages of 4 KB, PPHWSP and register state included.
 */
u32 gslot_context_pages(enum gslot_engine_id engine, u32 gen)
{
	if (engine != GSLOT_RCS0)
		return GEN_XCS_CTX_PAGES;
	return gen >= 9 ? GEN9_RCS_CTX_PAGES : GEN8_RCS_CTX_PAGES;
}

/* The crystal's frequency is divided by 8 at most. */
#define CTC_SHIFT(mode)		((mode) >> 1 & 3)

/**
 * gslot_timestamp_hz() - frequency of the GPU's timestamps
 * @gen: 8 or 9
 * @ctc_mode: GEN_CTC_MODE
 *
 * It applies to RING_TIMESTAMP and RING_CTX_TIMESTAMP. A tick of Gen8 is 80 ns. Gen9 divides the
 * frequency of its 24 MHz crystal (PRM Skylake volume 2c, "CTC_MODE").
 *
 * Return: ticks per second.
 */
u32 gslot_timestamp_hz(u32 gen, u32 ctc_mode)
{
	return gen >= 9 ? 24000000u >> (3 - CTC_SHIFT(ctc_mode)) : 12500000u;
}

/**
 * gslot_context_ran() - how long a context ran
 * @from: its RING_CTX_TIMESTAMP at the beginning
 * @to: its RING_CTX_TIMESTAMP at the end
 * @wall: time in between, in the same ticks
 *
 * The timestamp has 32 bits and stands still while the context is not loaded. It is taken to have
 * wrapped as often as @wall allows; that is wrong only if the context waited for as long as a
 * wrap takes, which is about six minutes.
 *
 * Return: ticks.
 */
u64 gslot_context_ran(u32 from, u32 to, u64 wall)
{
	u64 ticks = (u32)(to - from);

	return wall > ticks ? ticks + ((wall - ticks) >> 32 << 32) : ticks;
}
