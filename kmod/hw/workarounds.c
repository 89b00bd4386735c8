// SPDX-License-Identifier: GPL-2.0
/*
 * Hardware workarounds, as data: settings of the whole GPU, settings of engines that are not part
 * of a context, and the registers that a non-privileged batch may write. (A guest's driver puts
 * workarounds inside of a context into its images.)
 *
 * A register that a batch may write must be saved and restored with the context; else one guest
 * would set it for all. L3SQCREG4, which Linux lets user space write on some parts, is not: so it
 * is missing. According to the PRM user batches may write it all the same, so each load resets it
 * (core/ctx/wa.c).
 */
#include "hw_priv.h"

#define BDW	BIT(GSLOT_BROADWELL)
#define SKL	BIT(GSLOT_SKYLAKE)
#define KBL	BIT(GSLOT_KABYLAKE)
#define CFL	BIT(GSLOT_COFFEELAKE)
#define GEN9	(SKL | KBL | CFL)

/* A masked register: @clear and @set are the values of the low half. */
#define WA_MASKED	BIT(0)

/* Bits of a register that must be set or clear. */
struct workaround {
	u8 parts;	/* bit mask of enum gslot_platform */
	u8 flags;
	u32 reg;
	u32 clear;
	u32 set;
};

static const struct workaround gt_workarounds[] = {
	/* Off, as 2 MB pages are used. */
	{ BDW | GEN9, 0, GEN_GTT_CACHE_EN, ~0u, 0 },
	/* 64 KB pages are announced by the page directory entry. */
	{ GEN9, 0, GEN_GAMW_ECO, 0, 0xf },
	/* Arbitration for stream output; TLB and HDC invalidation. */
	{ BDW, 0, GEN_GAM_ECOCHK, 0, BIT(6) },
	{ SKL | KBL, 0, GEN_GAM_ECOCHK, 0, BIT(8) },
	{ GEN9, 0, GEN_GAM_ECOCHK, 0, BIT(25) },
	/* In-place decompression. */
	{ GEN9, 0, GEN_GAMT_ECO, 0, BIT(18) },
	/* L3 replacement for GPGPU. */
	{ BDW | GEN9, 0, GEN_L3_LRA_1, ~0u, 0x67f1427f },
	/* Hash of compressed resources. */
	{ GEN9, 0, GEN_MMCD_MISC, 0, BIT(31) | BIT(27) },
	/* Latency of leaving C6. */
	{ GEN9, 0, GEN_FBC_LLC_READ, 0, BIT(30) },
	/* GAFS unit clock gating. */
	{ GEN9, 0, GEN_UCGCTL4, 0, BIT(14) },
	/* DOP clock gating. */
	{ BDW | SKL, 0, GEN_MISCCPCTL, BIT(0), 0 },
	/* SDE unit clock gating. */
	{ BDW, 0, GEN_UCGCTL6, 0, BIT(14) },
	/* Credits, 30 general and 2 of high priority. */
	{ BDW, 0, GEN_L3SQCREG1, 0x1fu << 19 | 0x1fu << 14, 15u << 19 | 1u << 14 },
	{ }
};

static const struct workaround rcs_workarounds[] = {
	/* Messages to the idle logic at semaphores. */
	{ BDW, WA_MASKED, GEN_RCS0_BASE + RING_PSMI_CTL, 0, BIT(12) },
	/* Reference counts of vertex and domain shaders. */
	{ BDW, 0, GEN_RCS0_BASE + RING_FF_THREAD_MODE, BIT(19) | BIT(15), 0 },
	/* Preemption of GPGPU work and sync switches. */
	{ GEN9, WA_MASKED, GEN_RCS0_BASE + RING_CSFE_CHICKEN1, 0, BIT(2) },
	/* Each context says how finely it is preempted. */
	{ GEN9, WA_MASKED, GEN_RCS0_BASE + RING_FF_SLICE_CHICKEN1, 0, BIT(14) },
	/* Credits between GAPS and TSV. */
	{ GEN9, 0, GEN_GARBCNTL, 0, BIT(7) },
	/* No atomics in L3. */
	{ GEN9, 0, GEN_SCRATCH_LNCF1, BIT(0), 0 },
	{ GEN9, 0, GEN_L3SQCREG4, BIT(22), BIT(21) },
	{ GEN9, 0, GEN_SCRATCH1, BIT(8), BIT(2) },
	{ }
};

static const struct workaround vecs_workarounds[] = {
	/* Interval of polling a semaphore. */
	{ KBL, 0, GEN_VECS0_BASE + RING_SEMA_WAIT_POLL, ~0u, 1 },
	{ }
};

/* Registers that non-privileged batches may write; all are in the context. */
static const u32 gen9_rcs_nonpriv[] = {
	RCS_CTX_PREEMPT_REG,
	RCS_CS_CHICKEN1,
	GEN_COMMON_SLICE_CHICKEN2,
	GEN_HDC_CHICKEN1,
};

static bool workaround_applies(struct gslot_hw *hw, const struct workaround *wa)
{
	return wa->parts & BIT(hw->part->platform);
}

static void workaround_verify(struct gslot_hw *hw, u32 reg, u32 mask, u32 value)
{
	u32 now = hw_read(hw, reg);

	if ((now & mask) == value || hw->workarounds_lost)
		return;
	hw->workarounds_lost = true;
	dev_warn(&hw->pdev->dev, "workaround lost: register 0x%x is 0x%x, not 0x%x in 0x%x\n",
		 reg, now, value, mask);
}

static void workaround_apply(struct gslot_hw *hw, const struct workaround *wa)
{
	if (wa->flags & WA_MASKED)
		hw_write(hw, wa->reg, GEN_MASKED_FIELD(wa->clear | wa->set, wa->set));
	else
		hw_rmw(hw, wa->reg, wa->clear, wa->set);
}

static void workaround_apply_list(struct gslot_hw *hw, const struct workaround *list)
{
	const struct workaround *wa;

	for (wa = list; wa->parts; wa++)
		if (workaround_applies(hw, wa))
			workaround_apply(hw, wa);
	for (wa = list; wa->parts; wa++)
		if (workaround_applies(hw, wa))
			workaround_verify(hw, wa->reg, wa->clear | wa->set, wa->set);
}

/* Select a slice and subslice, not fused off, from which registers of that kind are read. */
static void workaround_select_slice(struct gslot_hw *hw)
{
	u32 fuse = gslot_hw_fuse(hw, GEN_FUSE2);
	u32 slices = FUSE2_SLICES(fuse);
	u32 subslices = ~FUSE2_NO_SUBSLICES(fuse, 9) & 0xf;

	if (!slices || !subslices)
		return;
	hw_rmw(hw, GEN_MCR_SELECTOR, MCR_SLICE(3) | MCR_SUBSLICE(3),
	       MCR_SLICE(__ffs(slices)) | MCR_SUBSLICE(__ffs(subslices)));
}

/* Apply the workarounds of the whole GPU, which was just reset. */
void hw_workarounds_gt(struct gslot_hw *hw)
{
	if (hw->part->gen >= 9)
		workaround_select_slice(hw);
	workaround_apply_list(hw, gt_workarounds);
}

/*
 * Unused slots name a register that a batch may write anyway: NOPID, which each context load
 * clears. Of Gen8's engines only rcs does so: others get a register without writable bits.
 */
static void workaround_init_nonpriv(struct hw_engine *engine)
{
	bool cleared = engine->id == GSLOT_RCS0 || engine->hw->part->gen >= 9;
	u32 nothing = engine->info->base + (cleared ? RING_NOPID : RING_IPEIR);
	u32 count = 0, i, value;

	if (engine->id == GSLOT_RCS0 && engine->hw->part->gen >= 9)
		count = ARRAY_SIZE(gen9_rcs_nonpriv);
	for (i = 0; i < RING_NONPRIV_SLOTS; i++) {
		value = i < count ? gen9_rcs_nonpriv[i] : nothing;
		hw_ring_write(engine, RING_FORCE_TO_NONPRIV(i), value);
		workaround_verify(engine->hw, engine->info->base + RING_FORCE_TO_NONPRIV(i),
				  RING_NONPRIV_ADDR, value);
	}
}

/* Apply an engine's workarounds and set its non-privileged registers, after its reset. */
void hw_workarounds_engine(struct hw_engine *engine)
{
	if (engine->id == GSLOT_RCS0)
		workaround_apply_list(engine->hw, rcs_workarounds);
	if (engine->id == GSLOT_VECS0)
		workaround_apply_list(engine->hw, vecs_workarounds);
	workaround_init_nonpriv(engine);
}
