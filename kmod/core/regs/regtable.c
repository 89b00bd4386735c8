// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the registers of a vGPU
 *
 * The row of a register says how the CPU uses it by MMIO, which handler it has if it is more than
 * stored bits, its value after a reset, what commands may do with it, and which engines' contexts
 * save it. A register without a row reads 0, drops writes, and the access is counted. There are
 * two tables, sorted by offset and without overlap: registers of an engine's block, by their
 * offset in the block, and all others. They have what a stock i915 touches when the display is
 * fused off, and what its commands name.
 *
 * One rule says what a command may write: only a register that the hardware saves and restores
 * with a context (ALLOW), as any other would keep its value for the next vGPU. A command may
 * store to memory (STATUS) what tells nothing of other guests, nor where the host has placed
 * this guest's ring, images and batches; and a register that only an image sets. Writes to what
 * the host sets once for all guests, or the hardware alone, are dropped without being counted
 * (IGNORE). Everything else is refused. Each register of an image (include/gen/ctxregs.h) has a
 * row that does not refuse it, so a refusal in a stock driver needs a look.
 */
#include "regtable.h"
#include "gen/pvinfo.h"
#include "gen/regs.h"

#define GEN8		(1u << 8)
#define GEN9		(1u << 9)
#define RCS		(1u << GSLOT_RCS0)
#define BCS		(1u << GSLOT_BCS0)
#define ALL		((1u << GSLOT_NR_ENGINES) - 1)

/* Short names of what commands may do. */
#define DENY		GSLOT_CMD_DENY
#define ALLOW		GSLOT_CMD_ALLOW
#define STATUS		GSLOT_CMD_READ
#define IGNORE		GSLOT_CMD_IGNORE

/* What few registers have; see struct gslot_reg. */
#define SAVED(e)	.saved = (e)
#define HANDLER(h)	.handler = GSLOT_HANDLER_##h
#define RESET(v)	.reset = (v)
#define ON(g)		.gens = (g)
#define CLEARED		.engine_reset = true
#define MODULE_WRITES	.module_writes = true
#define GEN8_RCS	.gen8_rcs = true

#define REGS(f, l, cl, cm, ...) \
	{ .first = (f), .last = (l), .class = GSLOT_REG_##cl, .cmd = (cm), ##__VA_ARGS__ }
#define REG(r, cl, cm, ...)	REGS(r, r, cl, cm, ##__VA_ARGS__)
/* Registers of an engine's block, and the engines that have them. */
#define RINGS(f, l, cl, cm, e, ...)	REGS(f, l, cl, cm, .engines = (e), ##__VA_ARGS__)
#define RING(r, cl, cm, e, ...)		RINGS(r, r, cl, cm, e, ##__VA_ARGS__)
/* State of the render engine: commands write it, and its contexts save it. */
#define RCS_RINGS(f, l)		RINGS(f, l, PLAIN, ALLOW, RCS, SAVED(RCS))
#define RCS_REGS(f, l, cl)	REGS(f, l, cl, ALLOW, SAVED(RCS))

/* Outside all blocks, but about the render engine. */
#define OF_RCS		.engines = RCS

/* Neighbours, and the upper half of a 64-bit register. */
#define BEFORE(r)	((r) - 4)
#define AFTER(r)	((r) + 4)
#define UPPER(r)	((r) + 4)

static const struct gslot_reg ring_regs[] = {
	RINGS(RING_PGTBL_CTL, RING_PGTBL_ER, PLAIN, IGNORE, ALL),
	RING(RING_EXCC, MASKED, IGNORE, ALL, SAVED(ALL)),
	RINGS(RING_TAIL, RING_CTL, LIVE, DENY, ALL, SAVED(ALL), HANDLER(RING_STATE)),
	RING(RING_PSMI_CTL, MASKED, IGNORE, ALL),
	RING(RING_PWRCTX_MAXCNT, PLAIN, IGNORE, ALL),
	RING(RING_ACTHD_UDW, LIVE, DENY, ALL, HANDLER(RING_STATE)),
	RING(RING_DMA_FADD_UDW, RO, DENY, ALL),
	RING(RING_IPEIR, RO, STATUS, ALL),
	RING(RING_IPEHR, RO, STATUS, ALL, SAVED(ALL), CLEARED, MODULE_WRITES),
	RING(RING_INSTDONE, RO, STATUS, ALL, RESET(0xffffffff)),	/* all units idle */
	RING(RING_INSTPS, RO, STATUS, ALL),
	RING(RING_ACTHD, LIVE, DENY, ALL, HANDLER(RING_STATE)),
	RING(RING_DMA_FADD, RO, DENY, ALL),
	RING(RING_HWS_PGA, PLAIN, DENY, ALL),
	RINGS(RING_3D_CHICKEN, RING_3D_CHICKEN3, MASKED, IGNORE, RCS),
	RING(RING_NOPID, PLAIN, IGNORE, ALL, SAVED(RCS)),
	RING(RING_HWSTAM, PLAIN, IGNORE, ALL),
	RING(RING_MI_MODE, MASKED, IGNORE, ALL, SAVED(ALL), HANDLER(MI_MODE), CLEARED),
	RING(RING_FF_THREAD_MODE, PLAIN, IGNORE, RCS),
	RING(RING_IMR, LIVE, IGNORE, ALL, HANDLER(RING_IMR)),
	RING(RING_EIR, W1C, STATUS, ALL, CLEARED),
	RING(RING_EMR, PLAIN, IGNORE, ALL, RESET(0xffffffff)),
	RING(RING_ESR, RO, STATUS, ALL),
	RING(RING_INSTPM, MASKED, ALLOW, ALL, SAVED(ALL), GEN8_RCS),
	RING(RING_PWR_CLK_STATE, PLAIN, STATUS, RCS, SAVED(RCS)),
	RING(RING_RESET_CTL, MASKED, DENY, ALL, HANDLER(RESET_CTL), CLEARED),
	RINGS(RING_CSFE_CHICKEN1, BEFORE(RING_CS_DEBUG_MODE1), MASKED, IGNORE, ALL),
	RING(RING_CS_DEBUG_MODE1, MASKED, IGNORE, ALL, SAVED(RCS)),
	RINGS(RING_BBSTATE, RING_SBBADDR_UDW, RO, DENY, ALL, SAVED(ALL)),
	RING(RING_BBADDR, RO, DENY, ALL, SAVED(ALL)),
	RINGS(RING_BB_START_ADDR, RING_BB_OFFSET, RO, IGNORE, ALL, SAVED(ALL)),
	RING(RING_BBADDR_UDW, RO, DENY, ALL, SAVED(ALL)),
	RING(RING_BB_START_ADDR_UDW, RO, IGNORE, ALL, SAVED(ALL)),
	/* The watchdog belongs to the host, and is off. */
	RINGS(RING_PR_CTR_CTL, RING_PR_CTR_THRSH, PLAIN, IGNORE, ALL, SAVED(ALL)),
	RING(RING_CCID, RO, DENY, ALL),
	RINGS(RING_BB_PER_CTX_PTR, RING_INDIRECT_CTX_OFFSET, PLAIN, DENY, ALL, SAVED(ALL)),
	RING(BCS_SWCTRL, MASKED, ALLOW, BCS, SAVED(BCS)),
	RING(RING_ELSP, RO, DENY, ALL, HANDLER(ELSP)),
	RINGS(RING_EXECLIST_STATUS_LO, RING_EXECLIST_STATUS_HI, LIVE, DENY, ALL,
	      HANDLER(RING_STATE)),
	RING(RING_CONTEXT_CONTROL, MASKED, IGNORE, ALL, SAVED(ALL)),
	RING(RING_CTX_PREEMPT, PLAIN, ALLOW, RCS, SAVED(RCS)),
	RINGS(RING_PDP_LDW(0), RING_PDP_UDW(3), PLAIN, DENY, ALL, SAVED(ALL)),
	RCS_RINGS(RING_GPGPU_THREADS_DISPATCHED, UPPER(RING_GPGPU_THREADS_DISPATCHED)),
	RING(RING_MODE, MASKED, IGNORE, ALL),
	RCS_RINGS(RING_PS_INVOCATION_COUNT_0, UPPER(RING_PS_INVOCATION_COUNT_0)),
	RCS_RINGS(RING_PS_DEPTH_COUNT_0, UPPER(RING_PS_DEPTH_COUNT_0)),
	RCS_RINGS(RING_PS_INVOCATION_COUNT_1, UPPER(RING_PS_DEPTH_COUNT_1)),
	RCS_RINGS(RING_HS_INVOCATION_COUNT, UPPER(RING_CL_PRIMITIVES_COUNT)),
	RCS_RINGS(RING_PS_DEPTH_COUNT, UPPER(RING_PS_DEPTH_COUNT)),
	RING(RING_TIMESTAMP, LIVE, STATUS, ALL, SAVED(ALL), HANDLER(TIMESTAMP)),
	RING(RING_TIMESTAMP_UDW, LIVE, STATUS, ALL, HANDLER(TIMESTAMP)),
	/* Performance counters would count for all guests, and are off. */
	RINGS(RING_OACTXCONTROL, RING_OACTXID, PLAIN, IGNORE, RCS, SAVED(RCS)),
	RINGS(RING_CSB(0), RING_CSB_UDW(5), RO, DENY, ALL, MODULE_WRITES),
	RING(RING_CSB_PTR, MASKED, DENY, ALL, HANDLER(CSB_PTR)),
	RING(RING_CTX_TIMESTAMP, RO, STATUS, ALL, SAVED(ALL)),
	RING(RING_PREDICATE_RESULT_2, PLAIN, ALLOW, RCS, SAVED(RCS)),
	RCS_RINGS(RING_PREDICATE_SRC0, RING_PREDICATE_RESULT),
	RING(RING_PREDICATE_RESULT_1, PLAIN, ALLOW, ALL, SAVED(ALL), GEN8_RCS),
	RING(RING_3DPRIM_END_OFFSET, PLAIN, ALLOW, RCS, SAVED(RCS)),
	RCS_RINGS(RING_3DPRIM_START_VERTEX, RING_3DPRIM_BASE_VERTEX),
	RCS_RINGS(RING_PS_INVOCATION_COUNT_2, UPPER(RING_PS_DEPTH_COUNT_2)),
	RINGS(RING_FORCE_TO_NONPRIV(0), RING_FORCE_TO_NONPRIV(RING_NONPRIV_SLOTS - 1), PLAIN,
	      IGNORE, ALL),
	RCS_RINGS(RING_GPGPU_DISPATCHDIM(0), RING_GPGPU_DISPATCHDIM(2)),
	RING(RING_CS_CHICKEN1, MASKED, ALLOW, RCS, SAVED(RCS)),
	RINGS(RING_GPR(0), RING_GPR_UDW(RING_NR_GPR - 1), PLAIN, ALLOW, ALL, SAVED(ALL), GEN8_RCS),
};

static const struct gslot_reg shared_regs[] = {
	REG(GEN_RPM_CONFIG0, FUSE, STATUS),
	REG(GEN_FORCEWAKE_RENDER_ACK, RO, DENY, ON(GEN9), MODULE_WRITES),
	REG(GEN_FORCEWAKE_MEDIA_ACK, RO, DENY, ON(GEN9), MODULE_WRITES),
	REG(GEN_MCR_SELECTOR, PLAIN, IGNORE),
	REGS(GEN_ARBITER_FIRST, GEN_ARBITER_LAST, PLAIN, IGNORE),
	REG(GEN_GAMW_ECO, PLAIN, IGNORE),
	REG(GEN_GAM_ECOCHK, PLAIN, IGNORE),
	REG(GEN_RING_FAULT, PLAIN, DENY),
	REG(GEN_GFX_ERROR, RO, DENY),			/* as if idle */
	REG(GEN_GFX_DONE, RO, DENY),
	REGS(GEN_PAT_LO, GEN_PAT_HI, PLAIN, IGNORE),
	/* 0: the invalidation is complete when the write returns. */
	REGS(GEN_TLB_INV_RCS, GEN_TLB_INV_VECS, RO, DENY),
	REGS(GEN_GAMT_ECO, GEN_GAMT_CHKN, PLAIN, IGNORE),
	REGS(GEN_FAULT_TLB_DATA0, GEN_FAULT_TLB_DATA1, RO, DENY),
	REGS(GEN_L3_LRA_0, GEN_MMCD_MISC, PLAIN, IGNORE),
	REGS(GEN_TRTT_FIRST, GEN_TRTT_LAST, PLAIN, DENY),
	RCS_REGS(GEN_SO_NUM_PRIMS_WRITTEN(0), UPPER(GEN_SO_NUM_PRIMS_WRITTEN(3)), PLAIN),
	RCS_REGS(GEN_SO_PRIM_STORAGE_NEEDED(0), UPPER(GEN_SO_PRIM_STORAGE_NEEDED(3)), PLAIN),
	RCS_REGS(GEN_SO_WRITE_OFFSET(0), GEN_SO_WRITE_OFFSET(3), PLAIN),
	REGS(GEN_WM_CHICKEN(1), GEN_WM_CHICKEN(2), MASKED, IGNORE),
	REG(GEN_WM_CHICKEN(3), MASKED, ALLOW, SAVED(RCS)),
	REG(GEN_WM_CHICKEN(4), MASKED, IGNORE),
	RCS_REGS(GEN_CACHE_MODE_0, GEN_HIZ_CHICKEN, MASKED),
	REG(AFTER(GEN_HIZ_CHICKEN), MASKED, IGNORE),
	REGS(GEN_SLICE_STATE_FIRST, BEFORE(GEN_L3CNTLREG), PLAIN, STATUS, OF_RCS),
	REG(GEN_L3CNTLREG, PLAIN, STATUS, OF_RCS, SAVED(RCS)),
	REGS(AFTER(GEN_L3CNTLREG), GEN_SLICE_STATE_LAST, PLAIN, STATUS, OF_RCS),
	REGS(GEN_SC_INSTDONE, GEN_SC_INSTDONE_EXTRA, RO, STATUS, OF_RCS),
	RCS_REGS(GEN_HDC_CHICKEN0, GEN_SLICE_ECO_CHICKEN0, MASKED),
	REGS(AFTER(GEN_SLICE_ECO_CHICKEN0), BEFORE(GEN_SLICE_ECO_CHICKEN1), MASKED, IGNORE),
	REG(GEN_SLICE_ECO_CHICKEN1, MASKED, ALLOW, SAVED(RCS)),
	REGS(GEN_VF_SCRATCH, BEFORE(GEN_VF_GUARDBAND), PLAIN, IGNORE),
	REG(GEN_VF_GUARDBAND, MASKED, ALLOW, SAVED(RCS)),
	REG(BEFORE(GEN_RC6_CTX_INFO), RO, DENY),
	REG(GEN_RC6_CTX_INFO, FUSE, DENY, RESET(0x1000)),
	REG(GEN_IDICR, PLAIN, IGNORE),
	REG(GEN_FBC_LLC_READ, PLAIN, IGNORE),
	REG(GEN_FUSE_FIRST, RO, STATUS),
	REGS(GEN_MEDIA_FUSE, GEN_FUSE2, FUSE, STATUS),
	REGS(AFTER(GEN_FUSE2), BEFORE(GEN_EU_DISABLE(0)), RO, STATUS),
	REGS(GEN_EU_DISABLE(0), GEN_EU_DISABLE(GEN_NR_SLICES - 1), FUSE, STATUS),
	REG(GEN_EU_DISABLE(GEN_NR_SLICES), RO, STATUS),
	REGS(GEN_CLOCK_GATING_FIRST, BEFORE(GEN_GDRST), PLAIN, IGNORE),
	/* Not state: its bits stay set only on a wedged GPU, and the destination's is not. */
	REG(GEN_GDRST, RO, DENY, HANDLER(GDRST)),
	REGS(AFTER(GEN_GDRST), GEN_CLOCK_GATING_LAST, PLAIN, IGNORE),
	REGS(GEN_RPS_FIRST, BEFORE(GEN_RPSTAT1), PLAIN, DENY),
	REG(GEN_RPSTAT1, LIVE, DENY, HANDLER(RPSTAT)),
	REGS(AFTER(GEN_RPSTAT1), BEFORE(GEN_FORCEWAKE_GT), PLAIN, DENY),
	REG(GEN_FORCEWAKE_GT, MASKED, IGNORE, HANDLER(FORCEWAKE)),
	REGS(AFTER(GEN_FORCEWAKE_GT), BEFORE(GEN_CTC_MODE), PLAIN, DENY),
	REG(GEN_CTC_MODE, FUSE, STATUS, ON(GEN9)),
	REG(GEN_FORCEWAKE_MEDIA, MASKED, IGNORE, ON(GEN9), HANDLER(FORCEWAKE)),
	REG(AFTER(GEN_FORCEWAKE_MEDIA), PLAIN, DENY),
	REG(GEN_FORCEWAKE_RENDER, MASKED, IGNORE, ON(GEN9), HANDLER(FORCEWAKE)),
	REGS(AFTER(GEN_FORCEWAKE_RENDER), GEN_RPS_LAST, PLAIN, DENY),
	REGS(GEN_L3_FIRST, GEN_L3_LAST, PLAIN, IGNORE),		/* and LNCFCMOCS */
	REG(GEN_GUC_STATUS, RO, DENY, ON(GEN9), RESET(GUC_STATUS_MIA_IN_RESET)),
	REGS(AFTER(GEN_GUC_STATUS), GEN_GUC_LAST, PLAIN, DENY),	/* which never starts */
	REGS(GEN_MOCS_RCS(0), GEN_MOCS_BCS(GEN9_NR_MOCS - 1), PLAIN, IGNORE, ON(GEN9)),
	/* Half-slice and row chicken registers, of which contexts save a few. */
	REG(GEN_HALF_SLICE_CHICKEN1, MASKED, ALLOW, SAVED(RCS)),
	REGS(AFTER(GEN_HALF_SLICE_CHICKEN1), BEFORE(GEN_HALF_SLICE_CHICKEN2), MASKED, IGNORE),
	RCS_REGS(GEN_HALF_SLICE_CHICKEN2, GEN_HALF_SLICE_CHICKEN5, MASKED),
	REGS(AFTER(GEN_HALF_SLICE_CHICKEN5), BEFORE(GEN_HALF_SLICE_CHICKEN7), MASKED, IGNORE),
	REG(GEN_HALF_SLICE_CHICKEN7, MASKED, ALLOW, SAVED(RCS)),
	REGS(AFTER(GEN_HALF_SLICE_CHICKEN7), BEFORE(GEN_TD_CTL), MASKED, IGNORE),
	RCS_REGS(GEN_TD_CTL, GEN_TD_CTL2, MASKED),
	REGS(AFTER(GEN_TD_CTL2), BEFORE(GEN_ROW_CHICKEN), MASKED, IGNORE),
	RCS_REGS(GEN_ROW_CHICKEN, GEN_ROW_CHICKEN2, MASKED),
	REGS(AFTER(GEN_ROW_CHICKEN2), GEN_SUBSLICE_LAST, MASKED, IGNORE),
	REG(GEN_GAC_ECO_BITS, RO, DENY),
	REG(SKL_FUSE_STATUS, RO, DENY, RESET(SKL_FUSE_DOWNLOADED | SKL_FUSE_PG_DISTRIBUTED)),
	REG(BDW_FUSE_STRAP, FUSE, DENY, ON(GEN8), RESET(FUSE_STRAP_DISPLAY_DISABLE)),
	REG(GEN_DSPCLK_GATE, PLAIN, DENY),
	REGS(GEN_DISPLAY_CHICKEN_FIRST, GEN_DISPLAY_CHICKEN_LAST, PLAIN, DENY),
	REG(GEN_FPGA_DBG, W1C, DENY),
	REG(GEN_DPFC_CHICKEN, PLAIN, DENY),
	REG(GEN_DERRMR, PLAIN, IGNORE),
	REG(GEN_MASTER_IRQ, LIVE, DENY, HANDLER(IRQ)),
	REGS(GEN_GT_ISR(0), GEN_GT_IER(GEN_NR_IRQ_GROUPS - 1), LIVE, DENY, HANDLER(IRQ)),
	REGS(GEN_DISP_ARB_CTL, AFTER(GEN_DBUF_CTL), PLAIN, DENY),
	REGS(GEN_PWR_WELL_CTL(0), GEN_PWR_WELL_CTL(GEN_NR_PWR_WELL_CTL - 1), PLAIN, DENY,
	     HANDLER(POWER_WELL)),
	REG(GEN_DC_STATE_EN, PLAIN, DENY),		/* none */
	REGS(GEN_CLKGATE_DIS_FIRST, GEN_CLKGATE_DIS_LAST, PLAIN, DENY),
	/* No display: neither the pipes that the GPU lacks nor those that it has. */
	REG(SKL_DFSM, FUSE, DENY, ON(GEN9),
	    RESET(SKL_DFSM_PIPE_A_DISABLE | SKL_DFSM_PIPE_B_DISABLE | SKL_DFSM_PIPE_C_DISABLE)),
	REG(SKL_DSSM, RO, DENY),
	REG(GEN_PSR_IMR, PLAIN, DENY),
	REG(GEN_PSR_IIR, W1C, DENY),
	REGS(PVINFO_BASE, PVINFO_BASE + PVINFO_SIZE - 4, LIVE, DENY, HANDLER(PVINFO)),
	REG(BDW_SFUSE_STRAP, FUSE, DENY, ON(GEN8), RESET(SFUSE_STRAP_DISPLAY_DISABLE)),
	REG(GEN_SOUTH_DSPCLK_GATE, PLAIN, DENY),
	REG(GEN_SDE_ISR, RO, DENY),
	REG(GEN_SDE_IMR, PLAIN, DENY),
	REG(GEN_SDE_IIR, W1C, DENY),
	REG(GEN_SDE_IER, PLAIN, DENY),
	REG(BDW_SERR_INT, W1C, DENY, ON(GEN8)),
	REG(GEN_RAWCLK_FREQ, RO, DENY),			/* none */
	REG(BDW_TRANS_CHICKEN1, PLAIN, DENY, ON(GEN8)),
	REGS(GEN_FENCE_LO(0), GEN_FENCE_HI(GEN_NR_FENCES - 1), LIVE, DENY, HANDLER(FENCE)),
	REG(GEN_TILECTL, PLAIN, DENY),
	REG(GEN_GFX_FLSH_CNTL, RO, DENY, HANDLER(FLUSH)),
	REG(GEN_DSM_BASE, RO, DENY),			/* none */
	REG(GEN_STOLEN_RESERVED, RO, DENY),
	REGS(GEN_EDRAM_CTL_FIRST, GEN_EDRAM_CTL_LAST, RO, DENY),
	REG(GEN_EDRAM_CAP, RO, DENY),			/* none for the guest's memory */
	REG(BDW_LCPLL_CTL, RO, DENY, ON(GEN8)),
	REG(GEN_FORCEWAKE_GT_ACK, RO, DENY, MODULE_WRITES),
	REG(GEN6_FORCEWAKE_ACK, RO, DENY),
	REGS(GEN_RC6_COUNTERS_FIRST, GEN_RC6_COUNTERS_LAST, RO, DENY),
	REG(GEN_PCODE_MAILBOX, PLAIN, DENY, HANDLER(PCODE)),
	REGS(GEN_PCODE_DATA, GEN_PCODE_DATA1, PLAIN, DENY),
	REGS(GEN_MCHBAR_FIRST, BEFORE(GEN_RP_STATE_CAP), RO, DENY),
	REG(GEN_RP_STATE_CAP, FUSE, DENY, HANDLER(RP_STATE_CAP)),
	REGS(AFTER(GEN_RP_STATE_CAP), BEFORE(GEN_MC_BIOS_DATA), RO, DENY),
	REG(GEN_MC_BIOS_DATA, FUSE, DENY),
	REGS(AFTER(GEN_MC_BIOS_DATA), GEN_MCHBAR_LAST, RO, DENY),
};

/* Return: the index of the row that has @offset, or else of the next one; @count: there is none */
static u32 reg_row_from(const struct gslot_reg *regs, u32 count, u32 offset)
{
	u32 lo = 0, hi = count;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (offset > regs[mid].last)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct gslot_reg *reg_search(const struct gslot_reg *regs, u32 count, u32 offset)
{
	u32 i = reg_row_from(regs, count, offset);

	return i < count && offset >= regs[i].first ? &regs[i] : NULL;
}

/**
 * gslot_reg_rows() - one of the two tables
 * @ring: the table of an engine's block; else that of all other registers
 * @count: out: number of rows
 *
 * Return: the rows, sorted by offset and without overlap.
 */
const struct gslot_reg *gslot_reg_rows(bool ring, u32 *count)
{
	*count = ring ? ARRAY_SIZE(ring_regs) : ARRAY_SIZE(shared_regs);
	return ring ? ring_regs : shared_regs;
}

static bool reg_in_gen(const struct gslot_reg *reg, u32 gen)
{
	return !reg->gens || reg->gens & (1u << gen);
}

/* @engine: the engine that has @offset in its block, or -1 */
static const struct gslot_reg *reg_look_up(u32 offset, int engine, u32 gen)
{
	const struct gslot_reg *reg;

	if (engine >= 0) {
		reg = reg_search(ring_regs, ARRAY_SIZE(ring_regs),
				 offset - gslot_engines[engine].base);
		if (reg && !(reg->engines & (1u << engine)))
			return NULL;
	} else {
		reg = reg_search(shared_regs, ARRAY_SIZE(shared_regs), offset);
	}
	return reg && reg_in_gen(reg, gen) ? reg : NULL;
}

/**
 * gslot_reg_find() - look up a register
 * @offset: offset in BAR0, a multiple of 4
 * @gen: 8 or 9
 *
 * Return: its row, or NULL if it has none.
 */
const struct gslot_reg *gslot_reg_find(u32 offset, u32 gen)
{
	return reg_look_up(offset, gslot_engine_of_reg(offset), gen);
}

/* Return: where the row ends that has @offset, or else where the next one begins; U32_MAX: never */
static u32 reg_row_end(const struct gslot_reg *regs, u32 count, u32 offset)
{
	u32 i = reg_row_from(regs, count, offset);

	if (i == count)
		return U32_MAX;
	return offset < regs[i].first ? regs[i].first : regs[i].last + sizeof(u32);
}

/**
 * gslot_reg_same_until() - how far registers have the same row, or none
 * @offset: offset of the first one in BAR0, a multiple of 4
 *
 * Return: the offset of the first register from @offset on that may have another row; U32_MAX if
 * there is none.
 */
u32 gslot_reg_same_until(u32 offset)
{
	const u32 block = GEN_RING_BLOCK_SIZE;
	int i, engine = gslot_engine_of_reg(offset);
	u32 end, base;

	if (engine >= 0) {
		base = gslot_engines[engine].base;
		end = reg_row_end(ring_regs, ARRAY_SIZE(ring_regs), offset - base);
		return base + min(end, block);
	}
	end = reg_row_end(shared_regs, ARRAY_SIZE(shared_regs), offset);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (gslot_engines[i].base > offset)
			end = min(end, gslot_engines[i].base);
	return end;
}

static bool reg_saved(const struct gslot_reg *reg, enum gslot_engine_id engine, u32 gen)
{
	if (gen == 8 && reg->gen8_rcs && engine != GSLOT_RCS0)
		return false;
	return reg->saved & (1u << engine);
}

/**
 * gslot_reg_cmd() - what a privileged command may do with a register
 * @engine: the engine that executes the command
 * @offset: offset in BAR0
 * @gen: 8 or 9
 *
 * Commands of an engine may name registers of its own block and shared registers, and write only
 * what its contexts save. A shared register about one engine may tell of another vGPU at that
 * moment, so commands of other engines may not read it.
 *
 * Return: GSLOT_CMD_*; GSLOT_CMD_DENY for a register without a row.
 */
enum gslot_reg_cmd gslot_reg_cmd(enum gslot_engine_id engine, u32 offset, u32 gen)
{
	int owner = gslot_engine_of_reg(offset);
	const struct gslot_reg *reg = reg_look_up(offset, owner, gen);

	if (!reg || (owner >= 0 && owner != (int)engine))
		return GSLOT_CMD_DENY;
	if (reg->engines && !(reg->engines & (1u << engine)))
		return GSLOT_CMD_DENY;
	if (reg->cmd == GSLOT_CMD_ALLOW && !reg_saved(reg, engine, gen))
		return GSLOT_CMD_DENY;
	return reg->cmd;
}

/**
 * gslot_reg_sink() - the register that a command names instead of one that it may not name
 * @engine: the engine that executes the command
 * @write: whether it writes the register
 *
 * Writes go to NOPID, which only holds the number of the last MI_NOOP that had one. No command
 * may read it: not all engines save it with a context, so the next vGPU would read what was
 * refused to this one. Reads go to EXCC, in which no bit is ever set.
 *
 * Return: its offset in BAR0.
 */
u32 gslot_reg_sink(enum gslot_engine_id engine, bool write)
{
	return gslot_engines[engine].base + (write ? RING_NOPID : RING_EXCC);
}

/**
 * gslot_reg_fuse() - enumerate the registers of class GSLOT_REG_FUSE
 * @index: number of the register, from 0
 * @gen: 8 or 9
 *
 * Return: its offset in BAR0, or 0 if there are no more.
 */
u32 gslot_reg_fuse(u32 index, u32 gen)
{
	u32 i, offset;

	for (i = 0; i < ARRAY_SIZE(shared_regs); i++) {
		const struct gslot_reg *reg = &shared_regs[i];

		if (reg->class != GSLOT_REG_FUSE || !reg_in_gen(reg, gen))
			continue;
		for (offset = reg->first; offset <= reg->last; offset += 4)
			if (!index--)
				return offset;
	}
	return 0;
}

/**
 * gslot_reg_preset() - enumerate the registers of a vGPU's state that are not 0 after a reset
 * @index: number of the register, from 0
 *
 * Only registers of engines' blocks are: core_reg_test checks that.
 *
 * Return: its offset in BAR0, or 0 if there are no more.
 */
u32 gslot_reg_preset(u32 index)
{
	u32 engine, i;

	for (engine = 0; engine < GSLOT_NR_ENGINES; engine++)
		for (i = 0; i < ARRAY_SIZE(ring_regs); i++) {
			const struct gslot_reg *reg = &ring_regs[i];

			if (gslot_reg_is_state(reg) && reg->reset &&
			    reg->engines & (1u << engine) && !index--)
				return gslot_engines[engine].base + reg->first;
		}
	return 0;
}
