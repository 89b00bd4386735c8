// SPDX-License-Identifier: GPL-2.0
/*
 * State that threads leave for the next context: the model tracks it, and the host's commands in
 * the context's load clear it.
 */
#include "core/cmd/scan.h"		/* first: the model takes what is defined */
#include "core/cmd/cmdtable.h"
#include "core/ctx/wa.h"
#include "test.h"
#include "model_host.h"

#define DRAW		0x7b000005u
#define WALKER		0x7105000du
#define L3SQCREG4	0x00204000u	/* the host's value */
#define SECRET		0x5ec4e700u
#define MAX_LINES	3
#define MAX_DWORDS	(MAX_LINES * GSLOT_CACHE_LINE / 4)

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

static int no_reloc(struct gslot_scan *scan, const struct gslot_reloc *reloc, u64 *phys)
{
	(void)scan;
	*phys = reloc->addr;
	return 0;
}

/* The batch of a load, with these commands of the guest. Return: how many lines it has. */
static u32 compose(u32 *dw, u64 scratch, const u32 *cmds, u32 count)
{
	static const struct gslot_window window = { .low_size = 0x10000 };
	struct gslot_scan scan = {
		.engine = GSLOT_RCS0, .gen = 9, .kind = GSLOT_SCAN_INDIRECT,
		.window = &window, .reloc = no_reloc,
	};
	u32 *guest = dw + GSLOT_WA_BEGIN_DWORDS;

	gslot_wa_begin(dw, scratch, L3SQCREG4);
	if (count)
		memcpy(guest, cmds, count * sizeof(*cmds));
	assert_int_equal(gslot_scan(&scan, guest, count), 0);
	return gslot_wa_end(dw, GSLOT_WA_BEGIN_DWORDS +
				gslot_wa_used(GSLOT_RCS0, guest, count, true));
}

/* The same without any, and with a page for the store. */
static void set_host_commands(struct ctx *c)
{
	u32 dw[MAX_DWORDS], lines = compose(dw, ggtt_map(alloc_pages(1), 1), NULL, 0);

	set_indirect(c, dw, lines);
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
	u64 scratch = alloc_pages(1);
	u32 dw[MAX_DWORDS], lines;
	struct ctx a, b;

	(void)state;
	lines = compose(dw, ggtt_map(scratch, 1) + 8, NULL, 0);
	set_ram32(scratch + 8, 1);
	set_ram32(scratch + 16, 1);
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	set_indirect(&b, dw, lines);
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
	u32 line[GSLOT_CACHE_LINE / 4] = { CMD_PIPE_CONTROL << 16 | 4 };

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

/* What user batches may write, and no context loads, is not the last guest's. */
static void test_unsaved(void **state)
{
	static const u32 regs[] = {
		GEN_OACONTROL, GEN_PERF_CNT_1, GEN_PERF_CNT_1 + 4, GEN_PERF_CNT_2,
		GEN_PERF_CNT_2 + 4, GEN_L3SQCREG4,
	};
	struct ctx a, b;
	u32 i;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	set_host_commands(&b);
	batch_begin(&a);
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		batch(&a, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1);
		batch(&a, regs[i]);
		batch(&a, SECRET + i);
	}
	emit_batch(&a);
	submit(&a);
	run_idle(GEN9_RCS0);
	for (i = 0; i < ARRAY_SIZE(regs); i++)
		assert_int_equal(rd(regs[i]), SECRET + i);
	dispatch(&b, DRAW, 7);
	for (i = 0; i < ARRAY_SIZE(regs); i++)
		assert_int_equal(rd(regs[i]), regs[i] == GEN_L3SQCREG4 ? L3SQCREG4 : 0);
}

/* Leave a secret in a register, and a predicate that makes what follows in batches NOOPs. */
static void set_secret(struct ctx *c, u32 secret)
{
	batch_begin(c);
	batch(c, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 3);
	batch(c, GEN_SO_WRITE_OFFSET(0));
	batch(c, secret);
	batch(c, GEN_RCS0_BASE + RING_PREDICATE_RESULT_2);
	batch(c, !!secret);
	batch(c, MI_CMD(OP_MI_SET_PREDICATE) | !!secret);
	emit_batch(c);
	emit(c, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1);
	emit(c, GEN_RCS0_BASE + RING_PREDICATE_RESULT_2);
	emit(c, 0);
	emit(c, 0);
	submit(c);
	run_idle(GEN9_RCS0);
}

/* How often the value is in the context's image. */
static u32 count_secrets(const struct ctx *c)
{
	u32 i, n = 0;

	for (i = 0; i < (gslot_context_pages(GSLOT_RCS0, 9) - LRC_STATE_PAGE) * 1024; i++)
		n += ctx_get(c, i) == SECRET;
	return n;
}

/* A context with this batch in its load is submitted, and another one as soon as that begins. */
static u32 secrets_of_switch(const u32 *dw, u32 lines)
{
	struct ctx victim, curious, other;

	ctx_new(&victim, GEN9_RCS0, 1);
	ctx_new(&curious, GEN9_RCS0, 2);
	ctx_new(&other, GEN9_RCS0, 3);
	set_host_commands(&other);
	set_secret(&curious, 0);
	set_secret(&victim, SECRET);
	set_indirect(&curious, dw, lines);
	emit_store(&curious, DATA_VA, 1);
	submit(&curious);
	assert_false(run_slices(GEN9_RCS0, 1, 1));
	assert_int_equal(count_secrets(&curious), 0);
	emit_store(&other, DATA_VA, 1);
	submit(&other);
	run_idle(GEN9_RCS0);
	return count_secrets(&curious);
}

/*
 * If the engine switched within a load, it would save the last one's values of what is not loaded
 * yet, for the guest that is loaded.
 */
static void test_no_switch_in_load(void **state)
{
	const u32 check[] = { MI_CMD(OP_MI_ARB_CHECK) };
	const u32 on[] = {
		MI_CMD(OP_MI_ARB_ON_OFF) | MI_ARB_ON, MI_CMD(OP_MI_ARB_CHECK),
		MI_CMD(OP_MI_BATCH_BUFFER_END),
	};
	u64 scratch = ggtt_map(alloc_pages(1), 1);
	u32 dw[MAX_DWORDS], lines;

	(void)state;
	lines = compose(dw, scratch, check, ARRAY_SIZE(check));
	assert_int_equal(secrets_of_switch(dw, lines), 0);
	lines = compose(dw, scratch, on, ARRAY_SIZE(on));
	assert_int_equal(secrets_of_switch(dw, lines), 0);
	/* The model does that: with arbitration on, and if the predicate is disabled too late. */
	memset(dw, 0, sizeof(dw));
	dw[0] = MI_CMD(OP_MI_SET_PREDICATE);
	dw[1] = MI_CMD(OP_MI_ARB_ON_OFF) | MI_ARB_ON;
	dw[2] = MI_CMD(OP_MI_ARB_CHECK);
	assert_int_not_equal(secrets_of_switch(dw, 1), 0);
	dw[0] = MI_CMD(OP_MI_ARB_ON_OFF);
	dw[1] = MI_CMD(OP_MI_SET_PREDICATE);
	assert_int_not_equal(secrets_of_switch(dw, 1), 0);
}

/* What turns arbitration off in a load has to turn it on: the load's end does not. */
static void test_off_stays_off(void **state)
{
	u32 dw[MAX_DWORDS] = { MI_CMD(OP_MI_ARB_ON_OFF) };
	struct ctx a, b;

	(void)state;
	ctx_new(&a, GEN9_RCS0, 1);
	ctx_new(&b, GEN9_RCS0, 2);
	set_ram32(b.data, 0);
	set_indirect(&a, dw, 1);
	submit(&a);
	run_for(GEN9_RCS0, 10);
	emit_store(&b, DATA_VA, 1);
	submit(&b);
	run_for(GEN9_RCS0, 100);
	assert_int_equal(ram32(b.data), 0);
}

/* The host's commands end as they found the engine. */
static void test_commands(void **state)
{
	u32 dw[MAX_DWORDS], pos, len, n;

	(void)state;
	for (n = 0; n < 24; n++) {
		/* No command; an end, with each of its bits. */
		u32 end = MI_CMD(OP_MI_BATCH_BUFFER_END) | 1u << n >> 1;

		memset(dw, 0xff, sizeof(dw));
		assert_int_equal(compose(dw, 0x4fc0, &end, !!n), 2);
		assert_int_equal(dw[0], MI_CMD(OP_MI_SET_PREDICATE));
		assert_int_equal(dw[1], MI_CMD(OP_MI_ARB_ON_OFF));
		for (pos = 0; pos < GSLOT_WA_BEGIN_DWORDS; pos += len)
			len = gslot_cmd_len(GSLOT_RCS0, dw[pos]);
		assert_int_equal(pos, GSLOT_WA_BEGIN_DWORDS);
		assert_int_equal(dw[pos++], MI_CMD(OP_MI_ARB_ON_OFF) | MI_ARB_ON);
		while (pos < 2 * GSLOT_CACHE_LINE / 4)
			assert_int_equal(dw[pos++], 0);
	}
	/* A line that is full, and one that is not. */
	for (n = 1; n <= MAX_DWORDS - GSLOT_WA_END_DWORDS; n++) {
		memset(dw, 0xff, sizeof(dw));
		assert_int_equal(gslot_wa_end(dw, n), (n + 16) / 16);
		assert_int_equal(dw[n], MI_CMD(OP_MI_ARB_ON_OFF) | MI_ARB_ON);
		assert_int_equal(dw[n - 1], ~0u);
		for (pos = n + 1; pos < (n + 16) / 16 * 16; pos++)
			assert_int_equal(dw[pos], 0);
		assert_true(pos == MAX_DWORDS || dw[pos] == ~0u);
	}
}

/* Padding is what follows the last command, not what its data looks like. */
static void test_used(void **state)
{
	u32 cmds[32] = { 0, MI_CMD(OP_MI_STORE_DATA_IMM) | 12 };

	(void)state;
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 32, false), 15);
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 15, false), 15);
	cmds[31] = MI_CMD(OP_MI_ARB_CHECK);
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 32, true), 32);
	memset(cmds, 0, sizeof(cmds));
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 32, true), 0);
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 0, true), 0);
	/* What ends a batch is padding if that ends by its size. */
	cmds[2] = MI_CMD(OP_MI_BATCH_BUFFER_END) | 0x8001;
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 32, true), 0);
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 32, false), 3);
	/* An unknown command is not padding. */
	cmds[3] = 0xe0000000;
	assert_int_equal(gslot_wa_used(GSLOT_RCS0, cmds, 32, true), 32);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_residue),
		gpu_test(test_residue_stays),
		gpu_test(test_clear),
		gpu_test(test_no_clear),
		gpu_test(test_unsaved),
		cmocka_unit_test_setup_teardown(test_no_switch_in_load, setup_load_at_once,
						teardown),
		gpu_test(test_off_stays_off),
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_used),
	};

	return run_tap_tests("both_wa", tests);
}
