// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the registers of a vGPU
 *
 * Two tables, sorted by offset and without overlap: registers of an engine's
 * block, by their offset in the block, and all others. They hold what a stock
 * i915 touches when its display is fused off, and what its commands name.
 *
 * What a command may do follows one rule: a register that the hardware saves
 * and restores with a context (include/gen/ctxregs.h) is the guest's own
 * (ALLOW), and no other: it would survive into the next vGPU. Status that tells
 * nothing of other guests, nor where the host has put this one's ring, images and
 * batches, may be stored to memory (STATUS); what the host sets
 * once for all guests, or the hardware alone, is dropped without ado (IGNORE);
 * the rest is refused. For each register of an image there is a row, and none of
 * them refuses: so what a stock driver has refused is worth a look.
 */
#include "regtable.h"
#include "gen/pvinfo.h"
#include "gen/regs.h"

#define GEN8		(1u << 8)
#define RCS		(1u << GSLOT_RCS0)
#define BCS		(1u << GSLOT_BCS0)
#define ALL		((1u << GSLOT_NR_ENGINES) - 1)

/* Short names of what commands may do. */
#define DENY		GSLOT_CMD_DENY
#define ALLOW		GSLOT_CMD_ALLOW
#define STATUS		GSLOT_CMD_READ
#define IGNORE		GSLOT_CMD_IGNORE

#define RANGE(f, l, cl, cm) \
	{ .first = (f), .last = (l), .class = GSLOT_REG_##cl, .cmd = (cm) }
#define REG(r, cl, cm)		RANGE(r, r, cl, cm)
#define REG_GEN(r, cl, cm, g, v) \
	{ .first = (r), .last = (r), .class = GSLOT_REG_##cl, .cmd = (cm), \
	  .gens = (g), .reset = (v) }
#define REG_RESET(r, cl, cm, v)	REG_GEN(r, cl, cm, 0, v)
#define RING_RANGE(f, l, cl, cm, e) \
	{ .first = (f), .last = (l), .class = GSLOT_REG_##cl, .cmd = (cm), \
	  .engines = (e) }
#define RING(r, cl, cm, e)	RING_RANGE(r, r, cl, cm, e)
#define RING_RESET(r, cl, cm, e, v) \
	{ .first = (r), .last = (r), .class = GSLOT_REG_##cl, .cmd = (cm), \
	  .engines = (e), .reset = (v) }

static const struct gslot_reg ring_regs[] = {
	RING(0x020, PLAIN, IGNORE, ALL),
	RING(0x024, PLAIN, IGNORE, ALL),
	RING(0x028, MASKED, IGNORE, ALL),			/* EXCC */
	RING_RANGE(RING_TAIL, RING_CTL, RING_STATE, DENY, ALL),
	RING(RING_PSMI_CTL, MASKED, IGNORE, ALL),
	RING(0x054, PLAIN, IGNORE, ALL),			/* PWRCTX_MAXCNT */
	RING(RING_ACTHD_UDW, RING_STATE, DENY, ALL),
	RING(RING_DMA_FADD_UDW, RO, DENY, ALL),
	RING_RANGE(RING_IPEIR, RING_IPEHR, RO, STATUS, ALL),
	RING_RESET(RING_INSTDONE, RO, STATUS, ALL, 0xffffffff),	/* all units idle */
	RING(RING_INSTPS, RO, STATUS, ALL),
	RING(RING_ACTHD, RING_STATE, DENY, ALL),
	RING(RING_DMA_FADD, RO, DENY, ALL),
	RING(RING_HWS_PGA, PLAIN, DENY, ALL),
	RING_RANGE(0x084, 0x090, MASKED, IGNORE, RCS),		/* FF_SLICE_CHICKEN, 3D_CHICKEN3 */
	RING(RING_NOPID, PLAIN, STATUS, ALL),
	RING(RING_HWSTAM, PLAIN, IGNORE, ALL),
	RING(RING_MI_MODE, MI_MODE, IGNORE, ALL),
	RING(0x0a0, PLAIN, IGNORE, RCS),			/* FF_THREAD_MODE */
	RING_RESET(RING_IMR, RING_IMR, IGNORE, ALL, 0xffffffff),
	RING(RING_EIR, W1C, STATUS, ALL),
	RING_RESET(RING_EMR, PLAIN, IGNORE, ALL, 0xffffffff),
	RING(RING_ESR, RO, STATUS, ALL),
	RING(RING_INSTPM, MASKED, ALLOW, ALL),
	RING(0x0c8, PLAIN, ALLOW, RCS),				/* R_PWR_CLK_STATE */
	RING(RING_RESET_CTL, RESET_CTL, DENY, ALL),
	RING_RANGE(0x0d4, 0x0ec, MASKED, IGNORE, ALL),		/* CSFE and FF chicken bits */
	RING_RANGE(RING_BBSTATE, RING_SBBADDR_UDW, RO, DENY, ALL),
	RING(RING_BBADDR, RO, DENY, ALL),
	RING_RANGE(0x150, 0x154, RO, IGNORE, ALL),		/* BB_START_ADDR, BB_ADDR_DIFF */
	RING(RING_BB_OFFSET, RO, IGNORE, ALL),
	RING(RING_BBADDR_UDW, RO, DENY, ALL),
	RING(0x170, RO, IGNORE, ALL),				/* BB_START_ADDR_UDW */
	RING_RANGE(0x178, 0x17c, PLAIN, IGNORE, ALL),		/* watchdog: the host's, off */
	RING(0x180, RO, DENY, ALL),				/* CCID */
	RING_RANGE(RING_BB_PER_CTX_PTR, RING_INDIRECT_CTX_OFFSET, PLAIN, DENY, ALL),
	RING(BCS_SWCTRL, MASKED, ALLOW, BCS),
	RING(RING_ELSP, ELSP, DENY, ALL),
	RING_RANGE(RING_EXECLIST_STATUS_LO, RING_EXECLIST_STATUS_HI, RING_STATE, DENY, ALL),
	RING(RING_CONTEXT_CONTROL, MASKED, IGNORE, ALL),
	RING(0x248, PLAIN, ALLOW, RCS),				/* CTX_PREEMPT */
	RING_RANGE(0x270, 0x28c, PLAIN, DENY, ALL),		/* PDP0..3 */
	RING_RANGE(0x290, 0x294, PLAIN, ALLOW, RCS),		/* GPGPU_THREADS_DISPATCHED */
	RING(RING_MODE, MASKED, IGNORE, ALL),
	RING_RANGE(0x2c8, 0x2cc, PLAIN, ALLOW, RCS),		/* pixel counts by slices */
	RING_RANGE(0x2d8, 0x2dc, PLAIN, ALLOW, RCS),
	RING_RANGE(0x2f0, 0x2fc, PLAIN, ALLOW, RCS),
	RING_RANGE(0x300, 0x344, PLAIN, ALLOW, RCS),		/* pipeline statistics */
	RING_RANGE(0x350, 0x354, PLAIN, ALLOW, RCS),
	RING_RANGE(RING_TIMESTAMP, RING_TIMESTAMP_UDW, TIMESTAMP, STATUS, ALL),
	RING_RANGE(0x360, 0x364, PLAIN, IGNORE, RCS),		/* counters of all guests: off */
	RING_RANGE(0x370, 0x39c, RO, DENY, ALL),		/* CSB */
	RING(RING_CSB_PTR, CSB_PTR, DENY, ALL),
	RING(RING_CTX_TIMESTAMP, RO, STATUS, ALL),
	RING(0x3bc, PLAIN, ALLOW, RCS),				/* PREDICATE_RESULT_2 */
	RING_RANGE(RING_PREDICATE_SRC0, RING_PREDICATE_RESULT, PLAIN, ALLOW, RCS),
	RING(0x41c, PLAIN, ALLOW, ALL),
	RING(0x420, PLAIN, ALLOW, RCS),				/* 3DPRIM_* */
	RING_RANGE(0x430, 0x440, PLAIN, ALLOW, RCS),
	RING_RANGE(0x448, 0x454, PLAIN, ALLOW, RCS),
	RING_RANGE(0x4d0, 0x4fc, PLAIN, IGNORE, ALL),		/* FORCE_TO_NONPRIV */
	RING_RANGE(0x500, 0x508, PLAIN, ALLOW, RCS),		/* GPGPU_DISPATCHDIM */
	RING(0x580, MASKED, ALLOW, RCS),			/* CS_CHICKEN1 */
	RING_RANGE(RING_GPR(0), RING_GPR_UDW(15), PLAIN, ALLOW, ALL),
};

static const struct gslot_reg shared_regs[] = {
	REG(GEN_RPM_CONFIG0, RO, STATUS),
	REG(GEN_FORCEWAKE_RENDER_ACK, RO, DENY),
	REG(GEN_FORCEWAKE_MEDIA_ACK, RO, DENY),
	REG(0x0fdc, PLAIN, IGNORE),			/* MCR selector */
	RANGE(0x4020, 0x4034, PLAIN, IGNORE),		/* arbiter modes */
	REG(GEN_GAMW_ECO, PLAIN, IGNORE),
	REG(0x4090, PLAIN, IGNORE),			/* GAM_ECOCHK */
	REG(GEN_RING_FAULT, PLAIN, DENY),
	REG(0x40a0, RO, DENY),				/* error, done: as if idle */
	REG(0x40b0, RO, DENY),
	RANGE(GEN_PAT_LO, GEN_PAT_HI, PLAIN, IGNORE),
	/* Invalidation is done when the write returns: reads 0. */
	RANGE(GEN_TLB_INV_RCS, GEN_TLB_INV_VECS, RO, DENY),
	RANGE(0x4ab0, 0x4ab8, PLAIN, IGNORE),		/* GAMT_ECO, GAMT_CHKN */
	RANGE(GEN_FAULT_TLB_DATA0, GEN_FAULT_TLB_DATA1, RO, DENY),
	RANGE(0x4dd0, 0x4ddc, PLAIN, IGNORE),
	RANGE(0x4de0, 0x4dfc, PLAIN, DENY),		/* TR-TT */
	RANGE(0x5200, 0x521c, PLAIN, ALLOW),		/* stream output */
	RANGE(0x5240, 0x525c, PLAIN, ALLOW),
	RANGE(0x5280, 0x528c, PLAIN, ALLOW),
	RANGE(0x5580, 0x5584, MASKED, IGNORE),		/* windower chicken bits */
	REG(0x5588, MASKED, ALLOW),
	REG(0x558c, MASKED, IGNORE),
	RANGE(0x7000, 0x7018, MASKED, ALLOW),		/* CACHE_MODE, GT_MODE, slice */
	REG(0x701c, MASKED, IGNORE),
	RANGE(0x7020, 0x703c, PLAIN, STATUS),
	RANGE(0x7100, 0x7104, RO, STATUS),		/* SC_INSTDONE */
	RANGE(0x7300, 0x7308, MASKED, ALLOW),		/* HDC chicken bits */
	RANGE(0x730c, 0x7318, MASKED, IGNORE),
	REG(0x731c, MASKED, ALLOW),
	RANGE(0x8390, 0x83a0, PLAIN, IGNORE),		/* VF scratch */
	REG(0x83a4, PLAIN, ALLOW),			/* guard band */
	RANGE(0x8500, 0x8500, RO, DENY),
	REG_RESET(GEN_RC6_CTX_INFO, RO, DENY, 0x1000),
	REG(0x9008, PLAIN, IGNORE),
	REG(0x9044, PLAIN, IGNORE),
	RANGE(0x9118, GEN_EU_DISABLE(3), RO, STATUS),	/* fuses */
	RANGE(0x9400, 0x9418, PLAIN, IGNORE),		/* clock gating */
	REG(GEN_GDRST, GDRST, DENY),
	RANGE(0x9420, 0x95fc, PLAIN, IGNORE),		/* clock gating */
	RANGE(0xa000, 0xa018, PLAIN, DENY),		/* RPS */
	REG(GEN_RPSTAT1, RPSTAT, DENY),
	RANGE(0xa020, 0xa184, PLAIN, DENY),
	REG(GEN_FORCEWAKE_GT, FORCEWAKE, IGNORE),
	RANGE(0xa18c, 0xa268, PLAIN, DENY),
	REG(GEN_CTC_MODE, RO, STATUS),
	REG(GEN_FORCEWAKE_MEDIA, FORCEWAKE, IGNORE),
	REG(0xa274, PLAIN, DENY),
	REG(GEN_FORCEWAKE_RENDER, FORCEWAKE, IGNORE),
	RANGE(0xa27c, 0xa3fc, PLAIN, DENY),
	RANGE(0xb000, 0xb01c, PLAIN, IGNORE),
	RANGE(GEN_LNCFCMOCS(0), GEN_LNCFCMOCS(31), PLAIN, IGNORE),
	RANGE(0xb0a0, 0xb1fc, PLAIN, IGNORE),		/* L3 */
	REG_RESET(GEN_GUC_STATUS, RO, DENY, GUC_STATUS_MIA_IN_RESET),
	RANGE(0xc004, 0xc3fc, PLAIN, DENY),		/* GuC, which never starts */
	RANGE(GEN_MOCS_RCS(0), GEN_MOCS_BCS(63), PLAIN, IGNORE),
	/* Half slice and row chicken bits: a few are the context's. */
	REG(0xe100, MASKED, ALLOW),
	RANGE(0xe104, 0xe17c, MASKED, IGNORE),
	RANGE(0xe180, 0xe188, MASKED, ALLOW),
	RANGE(0xe18c, 0xe190, MASKED, IGNORE),
	REG(0xe194, MASKED, ALLOW),
	RANGE(0xe198, 0xe3fc, MASKED, IGNORE),
	RANGE(0xe400, 0xe404, MASKED, ALLOW),
	RANGE(0xe408, 0xe4ec, MASKED, IGNORE),
	RANGE(0xe4f0, 0xe4f4, MASKED, ALLOW),
	RANGE(0xe4f8, 0xe4fc, MASKED, IGNORE),
	REG(0x14090, RO, DENY),				/* GAC_ECO_BITS */
	REG_RESET(SKL_FUSE_STATUS, RO, DENY, SKL_FUSE_DOWNLOADED | SKL_FUSE_PG_DISTRIBUTED),
	REG_GEN(BDW_FUSE_STRAP, RO, DENY, GEN8, FUSE_STRAP_DISPLAY_DISABLE),
	RANGE(0x42020, 0x42020, PLAIN, DENY),
	RANGE(0x42080, 0x4208c, PLAIN, DENY),
	RANGE(0x42090, 0x420bc, PLAIN, DENY),
	REG(GEN_FPGA_DBG, W1C, DENY),
	REG(0x43224, PLAIN, DENY),			/* frame buffer compression: chicken bits */
	REG(0x44050, PLAIN, IGNORE),			/* DERRMR */
	REG(GEN_MASTER_IRQ, IRQ, DENY),
	RANGE(GEN_GT_ISR(0), 0x444fc, IRQ, DENY),	/* all Gen8 interrupt groups */
	RANGE(0x45000, 0x4500c, PLAIN, DENY),
	RANGE(GEN_PWR_WELL_CTL(0), GEN_PWR_WELL_CTL(3), POWER_WELL, DENY),
	REG(0x45504, PLAIN, DENY),			/* DC_STATE_EN: none */
	RANGE(0x46400, 0x4653c, PLAIN, DENY),		/* clock gating */
	/* No display: what the GPU has not got, and what the vGPU has not. */
	REG_RESET(SKL_DFSM, RO, DENY,
		  SKL_DFSM_PIPE_A_DISABLE | SKL_DFSM_PIPE_B_DISABLE | SKL_DFSM_PIPE_C_DISABLE),
	REG(0x51004, RO, DENY),
	REG(0x64834, PLAIN, DENY),			/* PSR interrupts */
	REG(0x64838, W1C, DENY),
	RANGE(PVINFO_BASE, PVINFO_BASE + PVINFO_SIZE - 4, PLAIN, DENY), /* pvinfo.c */
	REG_GEN(BDW_SFUSE_STRAP, RO, DENY, GEN8, SFUSE_STRAP_DISPLAY_DISABLE),
	REG(0xc2020, PLAIN, DENY),
	REG(0xc4000, RO, DENY),				/* south display interrupts */
	REG(0xc4004, PLAIN, DENY),
	REG(0xc4008, W1C, DENY),
	REG(0xc400c, PLAIN, DENY),
	REG(0xc6204, RO, DENY),				/* raw clock of the display: none */
	RANGE(GEN_FENCE_LO(0), GEN_FENCE_HI(31), FENCE, DENY),
	REG(0x101000, PLAIN, DENY),
	REG(GEN_GFX_FLSH_CNTL, FLUSH, DENY),
	RANGE(0x1080c0, 0x1080c0, RO, DENY),		/* stolen memory: none */
	RANGE(0x1082c0, 0x1082c0, RO, DENY),
	RANGE(0x120000, 0x120008, RO, DENY),
	REG(GEN_EDRAM_CAP, RO, DENY),
	REG(GEN_FORCEWAKE_GT_ACK, RO, DENY),
	REG(0x130090, RO, DENY),
	RANGE(0x138104, 0x13811c, RO, DENY),		/* RC6 residency */
	REG(GEN_PCODE_MAILBOX, PCODE, DENY),
	RANGE(GEN_PCODE_DATA, GEN_PCODE_DATA1, PLAIN, DENY),
	RANGE(0x140000, 0x147ffc, RO, DENY),		/* MCHBAR mirror */
};

static const struct gslot_reg *find(const struct gslot_reg *regs, u32 count, u32 offset)
{
	u32 lo = 0, hi = count;

	while (lo < hi) {
		u32 mid = lo + (hi - lo) / 2;

		if (offset > regs[mid].last)
			lo = mid + 1;
		else if (offset < regs[mid].first)
			hi = mid;
		else
			return &regs[mid];
	}
	return NULL;
}

const struct gslot_reg *gslot_reg_rows(bool ring, u32 *count)
{
	*count = ring ? ARRAY_SIZE(ring_regs) : ARRAY_SIZE(shared_regs);
	return ring ? ring_regs : shared_regs;
}

const struct gslot_reg *gslot_reg_find(u32 offset, u32 gen)
{
	int engine = gslot_engine_of_reg(offset);
	const struct gslot_reg *reg;

	if (engine >= 0) {
		reg = find(ring_regs, ARRAY_SIZE(ring_regs), offset - gslot_engines[engine].base);
		if (reg && !(reg->engines & (1u << engine)))
			return NULL;
	} else {
		reg = find(shared_regs, ARRAY_SIZE(shared_regs), offset);
	}
	if (reg && reg->gens && !(reg->gens & (1u << gen)))
		return NULL;
	return reg;
}

enum gslot_reg_cmd gslot_reg_cmd(enum gslot_engine_id engine, u32 offset, u32 gen)
{
	const struct gslot_reg *reg = gslot_reg_find(offset, gen);
	int owner = gslot_engine_of_reg(offset);

	if (!reg || (owner >= 0 && owner != (int)engine))
		return GSLOT_CMD_DENY;
	/* Shared registers that are part of a context are the render engine's. */
	if (owner < 0 && reg->cmd == GSLOT_CMD_ALLOW && engine != GSLOT_RCS0)
		return GSLOT_CMD_DENY;
	return reg->cmd;
}
