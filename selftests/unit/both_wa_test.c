// SPDX-License-Identifier: GPL-2.0
/*
 * State that threads leave for the next context: the model tracks it, and the host's commands in
 * the context's load clear it.
 */
#include "core/cmd/scan.h"		/* first: the model takes what is defined */
#include "core/ctx/wa.h"
#include "test.h"
#include "model_host.h"

#define DRAW	0x7b000005u
#define WALKER	0x7105000du

static u64 residues(void)
{
	return counter(GEN9_RCS0, GEN9_CNT_RESIDUES);
}

static void dispatch(struct ctx *c, u32 dw0, u32 len)
{
	batch_begin(c);
	batch(c, dw0);
	while (--len)
		batch(c, 0);
	emit_batch(c);
	submit(c);
	run_idle(GEN9_RCS0);
}

/* An indirect-context batch of these commands. */
static u64 set_indirect(struct ctx *c, const u32 *cmds, u32 lines)
{
	u64 pa = alloc_pages(1);
	u32 addr = ggtt_map(pa, 1);

	memcpy(host.ram + pa, cmds, lines * GSLOT_CACHE_LINE);
	ctx_set(c, LRC_INDIRECT_CTX, addr | lines);
	ctx_set(c, LRC_INDIRECT_CTX_OFFSET, gslot_wa_offset(9));
	ctx_set(c, LRC_CONTEXT_CONTROL, GEN_MASKED_DISABLE(CTX_CTRL_RESTORE_INHIBIT));
	return pa;
}

static void test_residue(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	dispatch(&a, DRAW, 7);
	assert_int_equal(residues(), 0);
	dispatch(&a, WALKER, 15);
	assert_int_equal(residues(), 0);	/* its own */
	dispatch(&b, DRAW, 7);
	assert_int_equal(residues(), 1);
	dispatch(&b, WALKER, 15);
	assert_int_equal(residues(), 1);
	dispatch(&a, WALKER, 15);
	assert_int_equal(residues(), 2);
	assert_int_equal(counter(GEN9_RCS0, GEN9_CNT_DISPATCHES), 5);
}

/* A reset does not clear it, so the host must not rely on one. */
static void test_residue_stays(void **state)
{
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	dispatch(&a, DRAW, 7);
	wr(GEN_GDRST, GDRST_RCS);
	engine_setup(GEN9_RCS0);
	dispatch(&b, DRAW, 7);
	assert_int_equal(residues(), 1);
}

static void test_clear(void **state)
{
	u32 line[GSLOT_WA_CLEAR_DWORDS];
	u64 scratch = alloc_pages(1);
	struct ctx a, b;

	(void)state;
	gslot_wa_clear(line, ggtt_map(scratch, 1) + 8);
	set_ram32(scratch + 8, 1);
	set_ram32(scratch + 16, 1);
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	set_indirect(&b, line, 1);
	dispatch(&a, DRAW, 7);
	dispatch(&b, DRAW, 7);
	assert_int_equal(residues(), 0);
	assert_int_equal(ram32(scratch + 8), 0);
	assert_int_equal(ram32(scratch + 16), 1);
	dispatch(&a, DRAW, 7);
	assert_int_equal(residues(), 1);
	assert_int_equal(counter(GEN9_RCS0, GEN9_CNT_ERRORS), 0);
	assert_int_equal(counter(GEN9_RCS0, GEN9_CNT_FAULTS), 0);
}

/* No flush of L3 by halves. */
static void test_no_clear(void **state)
{
	static const u32 flags[] = { PC_CS_STALL, PC_FLUSH_L3, 0 };
	u32 line[GSLOT_WA_CLEAR_DWORDS] = { CMD_PIPE_CONTROL << 16 | 4 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(flags); i++) {
		struct ctx a, b;
		u64 before = residues();

		ctx_new(&a, GEN9_RCS0, 1);
		ctx_new(&b, GEN9_RCS0, 2);
		line[1] = flags[i];
		set_indirect(&b, line, 1);
		dispatch(&a, DRAW, 7);
		before = residues();
		dispatch(&b, DRAW, 7);
		assert_int_equal(residues(), before + 1);
	}
}

static int no_reloc(struct gslot_scan *scan, const struct gslot_reloc *reloc, u64 *phys)
{
	(void)scan;
	*phys = reloc->addr;
	return 0;
}

/* The host's commands end as they found the engine, and pass their own check. */
static void test_commands(void **state)
{
	struct gslot_scan scan = { .engine = GSLOT_RCS0, .gen = 9, .kind = GSLOT_SCAN_INDIRECT };
	struct gslot_window window = { .low_size = 0x10000 };
	u32 line[GSLOT_WA_CLEAR_DWORDS];

	(void)state;
	scan.window = &window;
	scan.reloc = no_reloc;
	gslot_wa_clear(line, 0x4fc0);
	assert_int_equal(gslot_scan(&scan, line, GSLOT_WA_CLEAR_DWORDS), 0);
	assert_int_equal(scan.denied, 0);
	assert_int_equal(line[0], MI_CMD(OP_MI_ARB_ON_OFF));
	assert_int_equal(line[1], MI_CMD(OP_MI_SET_PREDICATE));
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, line, GSLOT_WA_CLEAR_DWORDS), 9);
	assert_int_equal(line[8], MI_CMD(OP_MI_ARB_ON_OFF) | MI_ARB_ON);
}

/* Padding is what follows the last command, not what its data looks like. */
static void test_used(void **state)
{
	u32 cmds[32] = { 0, MI_CMD(OP_MI_STORE_DATA_IMM) | 12 };

	(void)state;
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 32), 15);
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 15), 15);
	cmds[31] = MI_CMD(OP_MI_ARB_CHECK);
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 32), 32);
	memset(cmds, 0, sizeof(cmds));
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 32), 0);
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 0), 0);
	/* An unknown command is not padding. */
	cmds[3] = 0xe0000000;
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 32), 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_residue),
		gpu_test(test_residue_stays),
		gpu_test(test_clear),
		gpu_test(test_no_clear),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_used),
	};

	return run_tap_tests("both_wa", tests);
}
