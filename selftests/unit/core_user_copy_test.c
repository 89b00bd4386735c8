// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of user batches: where they lead, what becomes of their commands, and
 * that whatever a guest has in its memory, a copy leads nowhere but into itself
 * and names nothing that a user may not.
 */
#include "test.h"
#include "gen/cmds.h"
#include "gen/regs.h"
#include "scan_priv.h"
#include "user_copy.h"

#define MEM_ADDR	0x10000ull
#define MEM_DWORDS	0x2000
#define BASE		0xf8000000ull
#define NOPID		(GEN_BCS0_BASE + RING_NOPID)
#define BBE		MI_CMD(OP_MI_BATCH_BUFFER_END)
#define BBS		(MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1)
#define LRI(n)		(MI_CMD(OP_MI_LOAD_REGISTER_IMM) | (2 * (n) - 1))

static u32 mem[MEM_DWORDS];
static struct gslot_user_copy copy;
static struct gslot_copy_budget budget;

static int read_mem(void *data, u64 addr, u32 *to, u32 dwords)
{
	(void)data;
	assert_int_equal(addr & 3, 0);
	assert_true((addr & 0xfff) + dwords * 4 <= 0x1000);
	if (addr < MEM_ADDR || addr + dwords * 4 > MEM_ADDR + sizeof(mem))
		return -EFAULT;
	memcpy(to, mem + (addr - MEM_ADDR) / 4, dwords * 4);
	return 0;
}

static u64 at(u32 dword)
{
	return MEM_ADDR + dword * 4ull;
}

static int make(u32 dword, u32 level)
{
	int err;

	budget = gslot_copy_budget;
	copy.engine = GSLOT_BCS0;
	copy.read = read_mem;
	copy.budget = &budget;
	err = gslot_user_copy(&copy, at(dword), level);
	if (!err)
		gslot_user_copy_relocate(&copy, BASE);
	return err;
}

static void put(u32 dword, const u32 *cmds, u32 n)
{
	memcpy(mem + dword, cmds, n * sizeof(u32));
}

#define PUT(dword, ...) do {						\
	const u32 cmds[] = { __VA_ARGS__ };				\
									\
	put(dword, cmds, ARRAY_SIZE(cmds));				\
} while (0)

static void put_start(u32 dword, u32 flags, u32 to)
{
	PUT(dword, BBS | flags, (u32)at(to), 0);
}

static u32 target(u32 pos)
{
	assert_int_equal(copy.out[pos + 2], 0);
	assert_true(copy.out[pos + 1] >= BASE);
	return (copy.out[pos + 1] - BASE) / 4;
}

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
	/* From the first level a call, which returns; from the second a jump, which does not. */
	put_start(0, MI_BB_SECOND_LEVEL, 100);
	mem[4] = BBE;
	put_start(100, MI_BB_SECOND_LEVEL, 200);
	mem[103] = 0xffffffff;
	PUT(200, 0, BBE);
	assert_int_equal(make(0, GSLOT_LEVEL_FIRST), 0);
	assert_int_equal(copy.out[0], MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_SECOND_LEVEL | 1);
	assert_int_equal(copy.run[1].level, GSLOT_LEVEL_SECOND);
	assert_int_equal(copy.out[target(0)], MI_CMD(OP_MI_BATCH_BUFFER_START) | 1);
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
	assert_int_equal(copy.out[12], NOPID);
	assert_int_equal(copy.out[16], NOPID);
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

static bool user_reg(u32 reg, bool write)
{
	u32 off = reg - GEN_BCS0_BASE;

	if (reg == NOPID || off == BCS_SWCTRL || off - RING_GPR(0) < RING_NR_GPR * 8)
		return true;
	return !write && (off == RING_CTX_TIMESTAMP || (off & ~4u) == RING_TIMESTAMP ||
			  (reg & ~4u) == GEN_RCS0_BASE + RING_TIMESTAMP ||
			  (reg & ~4u) == GEN_VCS0_BASE + RING_TIMESTAMP);
}

/* What a command of a copy may not be, by the field definitions alone. */
static void check_command(const u32 *dw, u32 len)
{
	if (CMD_CLIENT(dw[0]) == CMD_CLIENT_BLT)
		return;
	assert_int_equal(CMD_CLIENT(dw[0]), CMD_CLIENT_MI);
	switch (MI_OPCODE(dw[0])) {
	case OP_MI_NOOP:
		assert_int_equal(dw[0], 0);
		break;
	case OP_MI_USER_INTERRUPT:
	case OP_MI_ARB_CHECK:
	case OP_MI_BATCH_BUFFER_END:
	case OP_MI_MATH:
		break;
	case OP_MI_LOAD_REGISTER_IMM:
		for (u32 i = 1; i < len; i += 2)
			assert_true(user_reg(dw[i], true));
		break;
	case OP_MI_LOAD_REGISTER_REG:
		assert_true(user_reg(dw[1], false) && user_reg(dw[2], true));
		break;
	case OP_MI_LOAD_REGISTER_MEM:
	case OP_MI_STORE_REGISTER_MEM:
		assert_true(user_reg(dw[1], MI_OPCODE(dw[0]) == OP_MI_LOAD_REGISTER_MEM));
		assert_false(dw[0] & MI_USE_GGTT);
		break;
	case OP_MI_FLUSH_DW:
		assert_false(dw[0] & (MI_FLUSH_DW_STORE_INDEX | 1 << 22));
		assert_false(MI_FLUSH_DW_OP(dw[0]) && dw[1] & MI_FLUSH_DW_ADDR_GGTT);
		break;
	case OP_MI_SEMAPHORE_WAIT:
		assert_false(dw[0] & (MI_USE_GGTT | MI_SEMAPHORE_REGISTER_POLL));
		break;
	case OP_MI_COPY_MEM_MEM:
		assert_false(dw[0] & (MI_USE_GGTT | MI_COPY_DST_GGTT));
		break;
	case OP_MI_STORE_DATA_IMM:
	case OP_MI_ATOMIC:
	case OP_MI_COND_BATCH_BUFFER_END:
		assert_false(dw[0] & MI_USE_GGTT);
		break;
	case OP_MI_BATCH_BUFFER_START:
		assert_int_equal(dw[0] & ~(MI_BB_SECOND_LEVEL | MI_BB_PREDICATE),
				 MI_CMD(OP_MI_BATCH_BUFFER_START) | 1);
		break;
	default:
		fail();
	}
}

static bool begins[GSLOT_COPY_DWORDS];

static void check_copy(void)
{
	u32 pos, len;

	memset(begins, 0, sizeof(begins));
	for (pos = 0; pos < copy.used; pos += len) {
		begins[pos] = true;
		len = gslot_cmd_len(GSLOT_BCS0, copy.out[pos]);
		assert_true(len && len <= copy.used - pos);
		check_command(copy.out + pos, len);
	}
	for (pos = 0; pos < copy.used; pos++)
		if (begins[pos] && GSLOT_IS_MI(copy.out[pos], OP_MI_BATCH_BUFFER_START)) {
			u32 to = target(pos);

			assert_true(to < copy.used && begins[to]);
			assert_int_equal(copy.out[pos + 1] & 3, 0);
		}
	assert_int_equal(copy.out[copy.used - 1], BBE);
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
		for (i = 0; i < 256; i++)
			mem[i] = random_command();
		mem[256 + rnd_below(8)] = BBE;
		if (make(rnd_below(256), rnd_range(GSLOT_LEVEL_FIRST, GSLOT_LEVEL_SECOND)))
			continue;
		check_copy();
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
		cmocka_unit_test_setup(test_random, setup),
	};

	return run_tap_tests("user_copy", tests);
}
