// SPDX-License-Identifier: GPL-2.0
/* Numbers that a guest might try: mostly valid or nearly so, some at limits, some random. */
#include <gen/pvinfo.h>

#include "hostile.h"

u32 any_page(struct actor *a)
{
	switch (below(a, 8)) {
	case 0:		return PAGE_HWSP(below(a, VGPU_NR_ENGINES));
	case 1:		return PAGE_IMAGE(below(a, NR_CTX)) + below(a, IMAGE_PAGES);
	case 2:		return PAGE_RING(below(a, NR_CTX)) + below(a, RING_MAX_PAGES);
	case 3:		return PAGE_BATCH(below(a, NR_BATCHES));
	case 4:		return PAGE_WA(below(a, NR_WA));
	case 5:		return PAGE_TABLE(below(a, NR_SPACES), below(a, TABLES_PER_SPACE));
	default:	return PAGE_DATA(below(a, NR_DATA));
	}
}

u32 harmless_page(struct actor *a)
{
	return PAGE_DATA(below(a, NR_DATA));
}

u64 any_gpa(struct actor *a)
{
	switch (below(a, 16)) {
	case 0:
		return RAM_SIZE - PAGE_SIZE;
	case 1:
		return RAM_SIZE + GPA(below(a, 16));
	case 2:
	case 3:
		return WINDOW_IOVA(below(a, NR_WINDOWS)) + GPA(below(a, WINDOW_SIZE / PAGE_SIZE));
	case 4:
		return 0xfee00000 + GPA(below(a, 4));
	case 5:
		return rng_u64(&a->rng) & ~4095ULL;
	default:
		return GPA(any_page(a));
	}
}

u64 any_pte(struct actor *a)
{
	static const u64 flags[] = {
		GEN_PTE_PRESENT | GEN_PTE_RW, GEN_PTE_PRESENT | GEN_PTE_RW | GEN_PTE_PAT,
		GEN_PTE_PRESENT, GEN_PTE_RW, GEN_PTE_PRESENT | GEN_PTE_RW | GEN_PDE_64K,
		GEN_PTE_PRESENT | GEN_PTE_RW | GEN_PTE_PCD, 0, 0xfff,
	};

	if (one_in(a, 16))
		return rng_u64(&a->rng);
	return any_gpa(a) | flags[below(a, ARRAY_SIZE(flags))];
}

u64 any_address(struct actor *a, bool ggtt)
{
	struct vgpu *vgpu = actor_vgpu(a);
	u32 in_page = below(a, PAGE_SIZE) & ~3u;

	switch (below(a, 24)) {
	case 0:
		return vgpu->low_size - 8 + below(a, 4) * 4;
	case 1:
		return GEN_LOW_GM_SIZE - 8 + below(a, 4) * 4;
	case 2:
		return GEN_LOW_GM_SIZE + vgpu->high_size - 8 + below(a, 4) * 4;
	case 3:
		return rng_u64(&a->rng) & 0xfffffffc;
	case 4:
		return rng_u64(&a->rng);
	case 5:
		return GEN_GGTT_SIZE - 8 + below(a, 4) * 4;
	case 6:
		return GPA(any_page(a)) + PAGE_SIZE - 4;
	case 7:
		return ggtt ? GGTT_LOW(any_page(a)) + in_page : (1ULL << 47) + in_page;
	case 8:
		return (ggtt ? GGTT_HIGH(any_page(a)) : GPA(any_page(a))) + in_page;
	default:
		break;
	}
	return (ggtt ? GGTT_HIGH(harmless_page(a)) : GPA(harmless_page(a))) + in_page;
}

u32 any_register(struct actor *a, u32 engine)
{
	static const u32 known[] = {
		GEN_GDRST, GEN_MASTER_IRQ, GEN_GFX_FLSH_CNTL, GEN_FENCE_LO(0), GEN_FENCE_HI(0),
		GEN_TLB_INV_RCS, GEN_TLB_INV_BCS, GEN_PAT_LO, GEN_RING_FAULT, GEN_PCODE_MAILBOX,
		GEN_FORCEWAKE_RENDER, GEN_GT_IMR(0), GEN_GT_IIR(0), GEN_GT_IER(0), GEN_MOCS_RCS(3),
		GEN_GAMW_ECO, RCS_PWR_CLK_STATE, RCS_CS_CHICKEN1, RCS_CS_DEBUG_MODE1,
		PVINFO_BASE + PVINFO_O_G2V_NOTIFY, GEN_PWR_WELL_CTL(0), GEN_RC_CONTROL,
		GEN_OACONTROL, GEN_PERF_CNT_1, GEN_PERF_CNT_2 + 4, GEN_L3SQCREG4,
	};
	static const u32 of_engine[] = {
		RING_TAIL, RING_HEAD, RING_START, RING_CTL, RING_HWS_PGA, RING_MI_MODE, RING_IMR,
		RING_EIR, RING_EMR, RING_INSTPM, RING_RESET_CTL, RING_ELSP, RING_MODE,
		RING_CONTEXT_CONTROL, RING_CSB_PTR, RING_BBADDR, RING_INDIRECT_CTX,
		RING_BB_PER_CTX_PTR, RING_FORCE_TO_NONPRIV(0), RING_FORCE_TO_NONPRIV(11),
		RING_TIMESTAMP, RING_CTX_TIMESTAMP, RING_PDP_LDW(0), RING_PREDICATE_SRC0,
		RING_PREDICATE_RESULT, BCS_SWCTRL, RING_HWSTAM,
	};

	switch (below(a, 8)) {
	case 0:
		return below(a, GEN_MMIO_SIZE) & ~3u;
	case 1:
		return known[below(a, ARRAY_SIZE(known))];
	case 2:
		return engine_infos[below(a, VGPU_NR_ENGINES)].base +
		       of_engine[below(a, ARRAY_SIZE(of_engine))];
	case 3:
		return engine_infos[engine].base + (below(a, GEN_RING_BLOCK_SIZE) & ~3u);
	default:
		return engine_infos[engine].base + RING_GPR(below(a, RING_NR_GPR));
	}
}

u32 any_dword(struct actor *a)
{
	u64 r = rng_u64(&a->rng);

	switch (r >> 61) {
	case 0:		return 0;
	case 1:		return ~0u;
	case 2:		return 1u << (r & 31);
	case 3:		return (u32)(r & 0xffff) << 16 | (r & 0xffff);	/* a masked register */
	default:	return r;
	}
}
