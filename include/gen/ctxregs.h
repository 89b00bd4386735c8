/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers that a context image saves and restores, except those of the ring context (lrc.h):
 * PRM Skylake volumes 3 and 7, "Register State Context". The model saves exactly these, and a test
 * checks that the module lets a guest's commands write no others.
 */
#ifndef _GEN_CTXREGS_H
#define _GEN_CTXREGS_H

#include "regs.h"

/**
 * struct gen_ctx_regs - a run of registers
 * @first: offset of the first
 * @count: how many; 0 ends a list
 */
struct gen_ctx_regs {
	unsigned int first;
	unsigned int count;
};

/* Of each engine, as offsets in its block, in the order of the image. */
static const unsigned short gen_ctx_common[] = {
	RING_EXCC, RING_MI_MODE, RING_INSTPM, RING_PR_CTR_CTL, RING_PR_CTR_THRSH, RING_TIMESTAMP,
	RING_BB_START_ADDR_UDW, RING_BB_START_ADDR, RING_BB_ADDR_DIFF, RING_BB_OFFSET,
	RING_PREDICATE_RESULT_1,
	/* RING_GPR(0) to RING_GPR_UDW(15) and RING_IPEHR follow */
};

/* Of the render engine; RING_PWR_CLK_STATE is in its ring context. */
static const struct gen_ctx_regs gen_ctx_rcs[] = {
	{ GEN_RCS0_BASE + RING_NOPID, 1 },
	{ RCS_CS_DEBUG_MODE1, 1 },
	{ RCS_CTX_PREEMPT_REG, 1 },
	{ GEN_RCS0_BASE + RING_GPGPU_THREADS_DISPATCHED, 2 },
	{ GEN_RCS0_BASE + RING_PS_INVOCATION_COUNT_0, 2 },
	{ GEN_RCS0_BASE + RING_PS_DEPTH_COUNT_0, 2 },
	{ GEN_RCS0_BASE + RING_PS_INVOCATION_COUNT_1, 4 },	/* and PS_DEPTH_COUNT_1 */
	{ GEN_RCS0_BASE + RING_HS_INVOCATION_COUNT, 18 },	/* to CL_PRIMITIVES_COUNT */
	{ GEN_RCS0_BASE + RING_PS_DEPTH_COUNT, 2 },
	{ GEN_RCS0_BASE + RING_OACTXCONTROL, 2 },		/* and OACTXID */
	{ GEN_RCS0_BASE + RING_PREDICATE_RESULT_2, 1 },
	{ GEN_RCS0_BASE + RING_PREDICATE_SRC0, 7 },		/* to PREDICATE_RESULT */
	{ GEN_RCS0_BASE + RING_3DPRIM_END_OFFSET, 1 },
	{ GEN_RCS0_BASE + RING_3DPRIM_START_VERTEX, 5 },	/* to 3DPRIM_BASE_VERTEX */
	{ GEN_RCS0_BASE + RING_PS_INVOCATION_COUNT_2, 4 },	/* and PS_DEPTH_COUNT_2 */
	{ GEN_RCS0_BASE + RING_GPGPU_DISPATCHDIM(0), 3 },
	{ RCS_CS_CHICKEN1, 1 },
	{ GEN_SO_NUM_PRIMS_WRITTEN(0), 2 * GEN_NR_SO_STREAMS },
	{ GEN_SO_PRIM_STORAGE_NEEDED(0), 2 * GEN_NR_SO_STREAMS },
	{ GEN_SO_WRITE_OFFSET(0), GEN_NR_SO_STREAMS },
	{ GEN_WM_CHICKEN(3), 1 },
	{ GEN_CACHE_MODE_0, 4 },				/* CACHE_MODE_1, GT_MODE, 0x700c */
	{ GEN_COMMON_SLICE_CHICKEN1, 3 },			/* to HIZ_CHICKEN */
	{ GEN_L3CNTLREG, 1 },
	{ GEN_HDC_CHICKEN0, 3 },				/* to SLICE_ECO_CHICKEN0 */
	{ GEN_SLICE_ECO_CHICKEN1, 1 },
	{ GEN_VF_GUARDBAND, 1 },
	{ GEN_HALF_SLICE_CHICKEN1, 1 },
	{ GEN_HALF_SLICE_CHICKEN2, 3 },				/* to HALF_SLICE_CHICKEN5 */
	{ GEN_HALF_SLICE_CHICKEN7, 1 },
	{ GEN_TD_CTL, 2 },
	{ GEN_ROW_CHICKEN, 2 },
	{ 0, 0 }
};

#endif
