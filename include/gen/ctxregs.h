/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers that a context image saves and restores, besides those of the ring
 * context (lrc.h): PRM Skylake volume 3 and 7, "Register State Context". For
 * the model, which saves just these, and for the test that the module lets
 * commands of a guest write no others.
 */
#ifndef _GEN_CTXREGS_H
#define _GEN_CTXREGS_H

/**
 * struct gen_ctx_regs - a run of registers
 * @first: offset of the first
 * @count: how many; 0 ends a list
 */
struct gen_ctx_regs {
	unsigned int first;
	unsigned int count;
};

/* Of every engine, by the offset in its block, in the order of the image. */
static const unsigned short gen_ctx_common[] = {
	0x028,	/* EXCC */
	0x09c,	/* MI_MODE */
	0x0c0,	/* INSTPM */
	0x178,	/* PR_CTR_CTL: the watchdog's control */
	0x17c,	/* PR_CTR_THRSH: and its threshold */
	0x358,	/* TIMESTAMP */
	0x170,	/* BB_START_ADDR_UDW */
	0x150,	/* BB_START_ADDR */
	0x154,	/* BB_ADDR_DIFF */
	0x158,	/* BB_OFFSET */
	0x41c,	/* MI_PREDICATE_RESULT_1 */
	/* the GPRs 0x600 to 0x67c and 0x068, IPEHR, follow */
};

/* Of the render engine, which has 0x20c8 in the ring context. */
static const struct gen_ctx_regs gen_ctx_rcs[] = {
	{ 0x2094, 1 }, { 0x20ec, 1 }, { 0x2248, 1 }, { 0x2290, 2 },
	{ 0x22c8, 2 },		/* PS_INVOCATION_COUNT of slice 0 */
	{ 0x22d8, 2 },		/* PS_DEPTH_COUNT of slice 0 */
	{ 0x22f0, 4 },		/* both of slice 1 */
	{ 0x2300, 18 }, { 0x2350, 2 },
	{ 0x2360, 2 },		/* OACTXCONTROL, OACTXID */
	{ 0x23bc, 1 }, { 0x2400, 7 }, { 0x2420, 1 }, { 0x2430, 5 },
	{ 0x2448, 4 },		/* both of slice 2 */
	{ 0x2500, 3 },
	{ 0x2580, 1 }, { 0x5200, 8 }, { 0x5240, 8 }, { 0x5280, 4 },
	{ 0x5588, 1 }, { 0x7000, 4 }, { 0x7010, 3 }, { 0x7034, 1 },
	{ 0x7300, 3 }, { 0x731c, 1 }, { 0x83a4, 1 }, { 0xe100, 1 },
	{ 0xe180, 3 }, { 0xe194, 1 }, { 0xe400, 2 }, { 0xe4f0, 2 },
	{ 0, 0 }
};

#endif
