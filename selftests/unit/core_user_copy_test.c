// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of user batches: where they lead, what becomes of their commands, and
 * that whatever a guest has in its memory, a copy leads nowhere but into itself
 * and names nothing that a user may not.
 */
#include "test.h"
#include "user_copies.h"

static int setup(void **state)
{
	(void)state;
	memset(mem, 0, sizeof(mem));
	return 0;
}

static void test_line(void **state)
{
	(void)state;
	PUT(3, MI_CMD(OP_MI_USER_INTERRUPT), 0, BBE, 0xffffffff);
	assert_int_equal(make(3, GSLOT_LEVEL_FIRST), 0);
	assert_int_equal(copy.out[0], MI_CMD(OP_MI_USER_INTERRUPT));
	assert_int_equal(copy.out[2], BBE);
	assert_int_equal(copy.used, 4);
	assert_int_equal(copy.out[3], BBE);
}

static void test_jump_and_loop(void **state)
{
	(void)state;
	put_start(1, 0, 100);
	put_start(102, MI_BB_PREDICATE, 1);
	put_start(105, 0, 101);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	assert_int_equal(copy.nr_runs, 2);
	assert_int_equal(copy.out[1], MI_CMD(OP_MI_BATCH_BUFFER_START) | 1);
	assert_int_equal(target(1), 5);			/* 4 dwords and an end */
	assert_int_equal(copy.out[4], BBE);
	assert_int_equal(copy.out[7], MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PREDICATE | 1);
	assert_int_equal(target(7), 1);
	assert_int_equal(target(10), 6);
}

static void test_self(void **state)
{
	(void)state;
	put_start(0, 0, 0);
	assert_int_equal(make(0, GSLOT_LEVEL_SECOND), 0);
	assert_int_equal(target(0), 0);
	assert_int_equal(copy.used, 4);
}

/* Forward, to what its own run comes to later: no second copy. */
static void test_forward(void **state)
{
	(void)state;
	put_start(0, MI_BB_PREDICATE, 6);
	mem[7] = BBE;
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	assert_int_equal(target(0), 6);
	assert_int_equal(copy.used, 9);
}

static void test_levels(void **state)
{
	(void)state;
	/*
	 * From the first level a call, which returns; from the second a jump, which does not. The
	 * hardware takes the bit of the latter to tell which level it stays on.
	 */
	put_start(0, MI_BB_SECOND_LEVEL, 100);
	mem[4] = BBE;
	put_start(100, MI_BB_SECOND_LEVEL, 200);
	mem[103] = 0xffffffff;
	PUT(200, 0, BBE);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	assert_int_equal(copy.out[0], MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_SECOND_LEVEL | 1);
	assert_int_equal(copy.run[1].level, GSLOT_LEVEL_SECOND);
	assert_int_equal(copy.out[target(0)],
			 MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_SECOND_LEVEL | 1);
	assert_int_equal(copy.nr_runs, 3);
	/* The same commands on both levels are two copies. */
	put_start(0, MI_BB_SECOND_LEVEL, 200);
	put_start(3, 0, 200);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	assert_int_equal(copy.nr_runs, 3);
	assert_int_not_equal(target(0), target(3));
}

static void test_middle(void **state)
{
	(void)state;
	PUT(0, LRI(1), GEN_BCS0_BASE + RING_GPR(0), BBE);
	put_start(3, 0, 2);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	assert_int_equal(copy.nr_runs, 2);
	assert_int_equal(target(3), 7);
	assert_int_equal(copy.out[7], BBE);
}

static void test_failures(void **state)
{
	u32 i;

	(void)state;
	mem[0] = 0xe0000000;
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), -EPERM);
	assert_int_equal(copy.bad_cmd, 0xe0000000);
	mem[0] = (u32)CMD_CLIENT_RENDER << 29;
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), -EPERM);
	mem[0] = MI_CMD(OP_MI_BATCH_BUFFER_START) | 2;
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), -EINVAL);
	mem[0] = MI_CMD(OP_MI_SET_PREDICATE) | 1;
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), -EPERM);
	mem[0] = 0;
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), -EFAULT);	/* off the end */
	for (i = 0; i < MEM_DWORDS; i++)
		mem[i] = BBE;
	for (i = 0; i < GSLOT_COPY_RUNS; i++)
		put_start(3 * i, MI_BB_SECOND_LEVEL, 0x1000 + i);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), -E2BIG);
	mem[3 * (GSLOT_COPY_RUNS - 1)] = BBE;
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
}

static void test_budget(void **state)
{
	u32 i;

	(void)state;
	mem[200] = BBE;
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	assert_int_equal(gslot_copy_budget.dwords - budget.dwords, 256);
	assert_int_equal(gslot_copy_budget.runs - budget.runs, 1);
	for (i = 0; i < 2; i++) {
		budget.dwords = 200 + i;
		assert_int_equal(gslot_user_copy(&copy, at(0), GSLOT_LEVEL_FIRST), i ? 0 : -E2BIG);
	}
	budget.runs = 0;
	assert_int_equal(gslot_user_copy(&copy, at(0), GSLOT_LEVEL_FIRST), -E2BIG);
}

static void test_registers(void **state)
{
	(void)state;
	PUT(0, LRI(3), GEN_BCS0_BASE + RING_GPR(3), 1, GEN_RCS0_BASE + RING_HWS_PGA, 2,
	    GEN_BCS0_BASE + RING_TIMESTAMP, 3,
	    MI_CMD(OP_MI_STORE_REGISTER_MEM) | 2, GEN_BCS0_BASE + RING_TIMESTAMP, 0, 0,
	    MI_CMD(OP_MI_STORE_REGISTER_MEM) | 2, GEN_BCS0_BASE + RING_HWS_PGA, 0, 0,
	    MI_CMD(OP_MI_LOAD_REGISTER_REG) | 1, GEN_RCS0_BASE + RING_HWS_PGA, GEN_GDRST, BBE);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	assert_int_equal(copy.out[1], GEN_BCS0_BASE + RING_GPR(3));
	assert_int_equal(copy.out[3], NOPID);
	assert_int_equal(copy.out[5], NOPID);
	assert_int_equal(copy.out[8], GEN_BCS0_BASE + RING_TIMESTAMP);
	assert_int_equal(copy.out[12], GEN_BCS0_BASE + RING_EXCC);
	assert_int_equal(copy.out[16], GEN_BCS0_BASE + RING_EXCC);
	assert_int_equal(copy.out[17], NOPID);
	assert_int_equal(copy.denied, 5);
}

static void test_privileged(void **state)
{
	u32 i;

	(void)state;
	PUT(0, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2, 0, 0, 7,
	    MI_CMD(OP_MI_COPY_MEM_MEM) | MI_COPY_DST_GGTT | 3, 1, 1, 1, 1,
	    MI_CMD(OP_MI_UPDATE_GTT) | 1, 1, 1,
	    MI_CMD(OP_MI_STORE_DATA_INDEX) | 1, 1, 1,
	    MI_CMD(OP_MI_ARB_ON_OFF), MI_CMD(OP_MI_REPORT_HEAD),
	    MI_CMD(OP_MI_NOOP) | 1 << 22 | 5,
	    MI_CMD(OP_MI_FLUSH_DW) | MI_FLUSH_DW_TLB_INVALIDATE | 1 << 14 | 2,
	    MI_FLUSH_DW_ADDR_GGTT | 8, 0, 9, BBE);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	for (i = 0; i < 18; i++)
		assert_int_equal(copy.out[i], 0);
	assert_int_equal(copy.out[18], MI_CMD(OP_MI_FLUSH_DW) | MI_FLUSH_DW_TLB_INVALIDATE | 2);
	assert_int_equal(copy.out[19], 0);
}

/* Commands that are shorter than what they say they store. */
static void test_short_stores(void **state)
{
	(void)state;
	PUT(0, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_SDI_QWORD | 2, 0, 0, 1, BBE);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), -EINVAL);
	PUT(0, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_SDI_QWORD | 3, 0, 0, 1, 2, BBE);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	PUT(0, MI_CMD(OP_MI_FLUSH_DW) | 1 << 14 | 1, 0, 0, BBE);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), -EINVAL);
	PUT(0, MI_CMD(OP_MI_FLUSH_DW) | 1, 0, 0, BBE);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	PUT(0, MI_CMD(OP_MI_FLUSH_DW) | 1 << 14 | 2, 0, 0, 1, BBE);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
}

static u32 random_command(void)
{
	static const u32 likely[] = {
		BBE, BBS, BBS | MI_BB_SECOND_LEVEL, BBS | MI_BB_PREDICATE, LRI(1), LRI(2),
		MI_CMD(OP_MI_STORE_REGISTER_MEM) | 2, MI_CMD(OP_MI_FLUSH_DW) | 2,
		MI_CMD(OP_MI_STORE_DATA_IMM) | 2, MI_CMD(OP_MI_LOAD_REGISTER_REG) | 1,
		MI_CMD(OP_MI_SEMAPHORE_WAIT) | 2, MI_CMD(OP_MI_ATOMIC) | 1, 0, 0,
		2u << 29 | OP_XY_COLOR_BLT << 22 | 5,
	};
	u32 dw = likely[rnd_below(ARRAY_SIZE(likely))];

	switch (rnd_below(8)) {
	case 0:
		return (u32)at(rnd_below(256));
	case 1:
		return GEN_BCS0_BASE + (rnd_below(0x800) & ~3u);
	case 2:
		return dw ^ 1u << rnd_below(23);
	case 3:
		return MI_CMD(rnd_below(64)) | rnd_below(4);
	default:
		return dw;
	}
}

static void test_random(void **state)
{
	u32 ok = 0, i, n;

	(void)state;
	for (n = 0; n < rounds(20000); n++) {
		u32 from = rnd_below(256), level = rnd_range(GSLOT_LEVEL_FIRST, GSLOT_LEVEL_SECOND);

		for (i = 0; i < 256; i++)
			mem[i] = random_command();
		mem[256 + rnd_below(8)] = BBE;
		if (make(from, level))
			continue;
		check_copy();
		check_follows(from, level);
		ok++;
	}
	printf("# %u of %u were copied\n", ok, n);
	assert_true(ok > n / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_line, setup),
		cmocka_unit_test_setup(test_jump_and_loop, setup),
		cmocka_unit_test_setup(test_self, setup),
		cmocka_unit_test_setup(test_forward, setup),
		cmocka_unit_test_setup(test_levels, setup),
		cmocka_unit_test_setup(test_middle, setup),
		cmocka_unit_test_setup(test_failures, setup),
		cmocka_unit_test_setup(test_budget, setup),
		cmocka_unit_test_setup(test_registers, setup),
		cmocka_unit_test_setup(test_privileged, setup),
		cmocka_unit_test_setup(test_short_stores, setup),
		cmocka_unit_test_setup(test_random, setup),
	};

	return run_tap_tests("user_copy", tests);
}
