// SPDX-License-Identifier: GPL-2.0
/* The state that a well-behaved driver would set up, from which operations deviate. */
#include <string.h>

#include "ggtt.h"
#include "hostile.h"

#define TABLE_FLAGS	(GEN_PTE_PRESENT | GEN_PTE_RW)

static void start_engine(struct vgpu *vgpu, u32 e)
{
	u32 base = engine_infos[e].base;

	mmio_write(vgpu, base + RING_MODE, GEN_MASKED_ENABLE(RING_MODE_RUN_LIST));
	mmio_write(vgpu, base + RING_MI_MODE, GEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	mmio_write(vgpu, base + RING_HWS_PGA, GGTT_HIGH(PAGE_HWSP(e)));
	mmio_write(vgpu, base + RING_EIR, ~0u);
	mmio_write(vgpu, base + RING_IMR, 0);
	mmio_write(vgpu, base + RING_CSB_PTR,
		   GEN_MASKED_FIELD(0xffffu, CSB_RESET_PTR << 8 | CSB_RESET_PTR));
}

void setup_registers(struct actor *a)
{
	struct vgpu *vgpu = actor_vgpu(a);
	u32 e;

	vfio_config_write(&vgpu->dev, 4, 2, 6);
	irq_start(vgpu);
	for (e = 0; e < VGPU_NR_ENGINES; e++)
		start_engine(vgpu, e);
}

void setup_ggtt(struct actor *a)
{
	struct vgpu *vgpu = actor_vgpu(a);

	ggtt_map(vgpu, GGTT_HIGH(0), GPA(0), PAGES_MAPPED);
	ggtt_map(vgpu, GGTT_LOW(0), GPA(0), PAGES_MAPPED);
	ggtt_flush(vgpu);
}

/*
 * An address space maps the first 8 MB of memory at their own addresses: table 0 is the root, 1 the
 * PDP, 2 the PD, the next four are page tables. The rest is not mapped.
 */
void setup_tables(struct actor *a, u32 space)
{
	u64 *root = page_ptr(a, PAGE_TABLE(space, 0));
	u64 *pdp = page_ptr(a, PAGE_TABLE(space, 1));
	u64 *pd = page_ptr(a, PAGE_TABLE(space, 2));
	u32 i, k;

	memset(root, 0, TABLES_PER_SPACE * PAGE_SIZE);
	root[0] = GPA(PAGE_TABLE(space, 1)) | TABLE_FLAGS;
	pdp[0] = GPA(PAGE_TABLE(space, 2)) | TABLE_FLAGS;
	for (i = 0; i < PAGES_MAPPED / GEN_PTES_PER_PAGE; i++) {
		u64 *pt = page_ptr(a, PAGE_TABLE(space, 3 + i));

		pd[i] = GPA(PAGE_TABLE(space, 3 + i)) | TABLE_FLAGS;
		for (k = 0; k < GEN_PTES_PER_PAGE; k++)
			pt[k] = GPA(i * GEN_PTES_PER_PAGE + k) | TABLE_FLAGS | GEN_PTE_PAT;
	}
}

static void reg(u32 *state, u32 base, u32 dword, u32 offset, u32 value)
{
	state[dword - 1] = base + offset;
	state[dword] = value;
}

static u32 lri(u32 regs)
{
	return MI_CMD(OP_MI_LOAD_REGISTER_IMM) | MI_LRI_FORCE_POSTED | (2 * regs - 1);
}

void setup_image(struct actor *a, u32 ctx)
{
	u32 *state = page_ptr(a, PAGE_IMAGE(ctx) + LRC_STATE_PAGE);
	u32 engine = ctx % VGPU_NR_ENGINES, base = engine_infos[engine].base, n;
	u64 root = GPA(PAGE_TABLE(below(a, NR_SPACES), 0));

	state[LRC_LRI0] = lri(14);
	reg(state, base, LRC_CONTEXT_CONTROL, RING_CONTEXT_CONTROL,
	    GEN_MASKED_ENABLE(CTX_CTRL_INHIBIT_SYN_SWITCH | CTX_CTRL_RESTORE_INHIBIT) |
	    GEN_MASKED_DISABLE(CTX_CTRL_SAVE_INHIBIT | CTX_CTRL_RS_CTX_ENABLE));
	reg(state, base, LRC_RING_HEAD, RING_HEAD, 0);
	reg(state, base, LRC_RING_TAIL, RING_TAIL, 0);
	reg(state, base, LRC_RING_START, RING_START, GGTT_HIGH(PAGE_RING(ctx)));
	reg(state, base, LRC_RING_CTL, RING_CTL,
	    ((RING_DEFAULT_PAGES - 1) * PAGE_SIZE & RING_CTL_NR_PAGES) | RING_CTL_VALID);
	reg(state, base, LRC_BB_ADDR_UDW, RING_BBADDR_UDW, 0);
	reg(state, base, LRC_BB_ADDR, RING_BBADDR, 0);
	reg(state, base, LRC_BB_STATE, RING_BBSTATE, RING_BB_PPGTT);
	reg(state, base, LRC_SBB_ADDR_UDW, RING_SBBADDR_UDW, 0);
	reg(state, base, LRC_SBB_ADDR, RING_SBBADDR, 0);
	reg(state, base, LRC_SBB_STATE, RING_SBBSTATE, 0);
	reg(state, base, LRC_BB_PER_CTX_PTR, RING_BB_PER_CTX_PTR, 0);
	reg(state, base, LRC_INDIRECT_CTX, RING_INDIRECT_CTX, 0);
	reg(state, base, LRC_INDIRECT_CTX_OFFSET, RING_INDIRECT_CTX_OFFSET, 0);
	state[LRC_LRI1] = lri(9);
	reg(state, base, LRC_CTX_TIMESTAMP, RING_CTX_TIMESTAMP, 0);
	for (n = 0; n < 4; n++) {
		reg(state, base, LRC_PDP_UDW(n), RING_PDP_UDW(n), 0);
		reg(state, base, LRC_PDP_LDW(n), RING_PDP_LDW(n), n ? 0 : lower_32_bits(root));
	}
	state[LRC_LRI2] = lri(1);
	reg(state, base, LRC_PWR_CLK_STATE,
	    engine == RCS ? RCS_PWR_CLK_STATE - GEN_RCS0_BASE : BCS_SWCTRL, 0);
	a->guest->tail[ctx] = 0;
}

u64 context_descriptor(u32 ctx)
{
	return GGTT_HIGH(PAGE_IMAGE(ctx)) | CTX_DESC_VALID | CTX_DESC_PRIVILEGE |
	       (u64)CTX_ADDRESSING_LEGACY_64B << CTX_DESC_ADDRESSING_SHIFT |
	       (u64)(ctx + 1) << (CTX_DESC_ID_SHIFT + 5);
}

void setup_all(struct actor *a)
{
	u32 i;

	setup_registers(a);
	setup_ggtt(a);
	for (i = 0; i < NR_SPACES; i++)
		setup_tables(a, i);
	for (i = 0; i < NR_CTX; i++)
		setup_image(a, i);
	for (i = 0; i < NR_BATCHES; i++)
		write_batch(a, i, false);
}
