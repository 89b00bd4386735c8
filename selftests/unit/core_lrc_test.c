// SPDX-License-Identifier: GPL-2.0
/*
 * Context images: the host's image has the hardware's layout, the guest's image is checked, and the
 * guest gets nothing of the host's back.
 */
#include "test.h"
#include "gen/cmds.h"
#include "gen/lrc.h"
#include "gen/regs.h"
#include "core/ctx/lrc.h"
#include "core/regs/regtable.h"

#define DWORDS	GSLOT_LRC_STATE_DWORDS
#define LRI(n)	(MI_CMD(OP_MI_LOAD_REGISTER_IMM) | MI_LRI_FORCE_POSTED | (2 * (n) - 1))
#define BB_END	MI_CMD(OP_MI_BATCH_BUFFER_END)
#define RCS(reg) (GEN_RCS0_BASE + (reg))

static u32 image[DWORDS], other[DWORDS];

static const struct gslot_lrc good = {
	.start = 0xf8004000, .size = 0x4000, .head = 0x120, .tail = 0x180,
	.timestamp = 77, .engine_reg = 0x80000101, .per_ctx = 0xf9000001,
	.indirect = 0xf9001005, .indirect_offset = 0x980, .pml4 = 0x123456000,
};

/* The value dword of a register must follow its offset, and be in a list. */
static void check_pair(u32 dword, u32 reg, u32 value)
{
	assert_int_equal(image[dword - 1], reg);
	assert_int_equal(image[dword], value);
}

static void test_build(void **state)
{
	(void)state;
	memset(image, 0xff, sizeof(image));
	gslot_lrc_build(GSLOT_RCS0, 9, image, &good);
	assert_int_equal(image[0], 0);
	assert_int_equal(image[LRC_LRI0], LRI(14));
	assert_int_equal(image[LRC_LRI1], LRI(9));
	assert_int_equal(image[LRC_LRI2], LRI(1));
	check_pair(LRC_RING_HEAD, RCS(RING_HEAD), 0x120);
	check_pair(LRC_RING_TAIL, RCS(RING_TAIL), 0x180);
	check_pair(LRC_RING_START, RCS(RING_START), 0xf8004000);
	check_pair(LRC_RING_CTL, RCS(RING_CTL), 0x3001);
	check_pair(LRC_BB_ADDR, RCS(RING_BBADDR), 0);
	check_pair(LRC_BB_ADDR_UDW, RCS(RING_BBADDR_UDW), 0);
	check_pair(LRC_BB_STATE, RCS(RING_BBSTATE), 0);
	check_pair(LRC_SBB_ADDR, RCS(RING_SBBADDR), 0);
	check_pair(LRC_BB_PER_CTX_PTR, RCS(RING_BB_PER_CTX_PTR), 0xf9000001);
	check_pair(LRC_INDIRECT_CTX, RCS(RING_INDIRECT_CTX), 0xf9001005);
	check_pair(LRC_INDIRECT_CTX_OFFSET, RCS(RING_INDIRECT_CTX_OFFSET), 0x980);
	check_pair(LRC_CTX_TIMESTAMP, RCS(RING_CTX_TIMESTAMP), 77);
	check_pair(LRC_PDP_UDW(0), RCS(RING_PDP_UDW(0)), 1);
	check_pair(LRC_PDP_LDW(0), RCS(RING_PDP_LDW(0)), 0x23456000);
	check_pair(LRC_PDP_LDW(3), RCS(RING_PDP_LDW(3)), 0);
	check_pair(LRC_PWR_CLK_STATE, RCS_PWR_CLK_STATE, 0x80000101);
	assert_int_equal(image[LRC_CONTEXT_CONTROL],
			 GEN_MASKED_ENABLE(CTX_CTRL_INHIBIT_SYN_SWITCH) |
			 GEN_MASKED_DISABLE(CTX_CTRL_RESTORE_INHIBIT | CTX_CTRL_RS_CTX_ENABLE |
					    CTX_CTRL_SAVE_INHIBIT));
	/* The engine context is left alone. */
	assert_int_equal(image[LRC_RING_CONTEXT_DWORDS], 0xffffffff);
}

static void test_build_others(void **state)
{
	struct gslot_lrc lrc = good;

	(void)state;
	lrc.inhibit = true;
	gslot_lrc_build(GSLOT_BCS0, 9, image, &lrc);
	assert_int_equal(image[LRC_LRI0], LRI(14));
	assert_int_equal(image[LRC_LRI2 + 1], GEN_BCS0_BASE + BCS_SWCTRL);
	assert_true(image[LRC_CONTEXT_CONTROL] & CTX_CTRL_RESTORE_INHIBIT);
	assert_true(image[LRC_CONTEXT_CONTROL] >> 16 & CTX_CTRL_RESTORE_INHIBIT);
	gslot_lrc_build(GSLOT_BCS0, 8, image, &lrc);
	assert_int_equal(image[LRC_LRI2], LRI(2));
	/* All bits of it are loaded. */
	check_pair(LRC_PWR_CLK_STATE, GEN_BCS0_BASE + BCS_SWCTRL, 0xffff0000);
	lrc.engine_reg = 0x00030002;
	gslot_lrc_build(GSLOT_BCS0, 8, image, &lrc);
	check_pair(LRC_PWR_CLK_STATE, GEN_BCS0_BASE + BCS_SWCTRL, 0xffff0002);
	check_pair(LRC_PWR_CLK_STATE + 2, GEN_BCS0_BASE + RING_EXCC, 0);
	gslot_lrc_build(GSLOT_VCS0, 8, image, &lrc);
	assert_int_equal(image[LRC_LRI0], LRI(11));
	assert_int_equal(image[LRC_INDIRECT_CTX], 0);
	assert_int_equal(image[LRC_LRI2], 0);
}

static void test_parse(void **state)
{
	struct gslot_lrc lrc;

	(void)state;
	gslot_lrc_build(GSLOT_RCS0, 9, image, &good);
	assert_int_equal(gslot_lrc_parse(GSLOT_RCS0, image, &lrc), 0);
	assert_memory_equal(&lrc, &good, sizeof(lrc));
	assert_int_equal(gslot_lrc_parse(GSLOT_VECS0, image, &lrc), 0);
	assert_int_equal(lrc.indirect | lrc.per_ctx, 0);
}

static void test_parse_bad(void **state)
{
	static const struct {
		u32 dword, value;
	} bad[] = {
		{ LRC_RING_CTL, 0x3000 },
		{ LRC_RING_START, 0xf8004010 },
		{ LRC_RING_HEAD, 0x4000 },
		{ LRC_RING_TAIL, 0x4000 },
		{ LRC_RING_TAIL, 0x184 },
		{ LRC_RING_TAIL, 0xffffff00 },
	};
	struct gslot_lrc lrc;

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		gslot_lrc_build(GSLOT_RCS0, 9, image, &good);
		image[bad[i].dword] = bad[i].value;
		assert_int_equal(gslot_lrc_parse(GSLOT_RCS0, image, &lrc), -EINVAL);
	}
}

static void test_same(void **state)
{
	(void)state;
	for (u32 i = 0; i < DWORDS; i++)
		image[i] = rnd();
	memcpy(other, image, sizeof(image));
	assert_true(gslot_lrc_same(image, other));
	for (u32 i = 0; i < DWORDS; i++) {
		other[i] ^= 1;
		assert_int_equal(gslot_lrc_same(image, other),
				 i == LRC_RING_HEAD || i == LRC_RING_TAIL);
		other[i] ^= 1;
	}
}

static void test_merge(void **state)
{
	struct gslot_lrc guest = good;

	(void)state;
	guest.start = 0x10000000;
	guest.pml4 = 0xabc000;
	guest.inhibit = true;
	gslot_lrc_build(GSLOT_RCS0, 9, image, &good);	/* the hardware's */
	image[LRC_RING_HEAD] = 0x180;
	image[LRC_CTX_TIMESTAMP] = 99;
	image[LRC_BB_ADDR] = 0xf8008001;
	gslot_lrc_build(GSLOT_RCS0, 9, other, &guest);
	gslot_lrc_merge(other, image);
	assert_int_equal(other[LRC_RING_HEAD], 0x180);
	assert_int_equal(other[LRC_CTX_TIMESTAMP], 99);
	assert_false(other[LRC_CONTEXT_CONTROL] & CTX_CTRL_RESTORE_INHIBIT);
	assert_int_equal(other[LRC_RING_START], 0x10000000);
	assert_int_equal(other[LRC_PDP_LDW(0)], 0xabc000);
	assert_int_equal(other[LRC_BB_ADDR], 0);
}

/* HEAD is behind MI_BATCH_BUFFER_START while the batch still runs. */
static void test_passed(void **state)
{
	const u32 size = 0x4000;

	(void)state;
	memset(image, 0, sizeof(image));
	image[LRC_RING_HEAD] = 0x200;
	assert_true(gslot_lrc_passed(image, size, 0x100, 0x200));
	assert_true(gslot_lrc_passed(image, size, 0x100, 0x1f8));
	assert_false(gslot_lrc_passed(image, size, 0x100, 0x208));
	image[LRC_BB_ADDR] = 0xf8008000 | RING_BB_VALID;
	assert_false(gslot_lrc_passed(image, size, 0x100, 0x200));
	/* The batch is of the next request. */
	assert_true(gslot_lrc_passed(image, size, 0x100, 0x1f8));
	/* An address without the valid bit is a past batch. */
	image[LRC_BB_ADDR] = 0xf8008000;
	assert_true(gslot_lrc_passed(image, size, 0x100, 0x200));
	/* Around the end of the ring; HEAD counts wraps above its address. */
	image[LRC_RING_HEAD] = 0x00200008;
	assert_true(gslot_lrc_passed(image, size, 0x3f00, 0x8));
	assert_false(gslot_lrc_passed(image, size, 0x3f00, 0x10));
	assert_true(gslot_lrc_passed(image, size, 0x3f00, 0));
	image[LRC_BB_ADDR] |= RING_BB_VALID;
	assert_false(gslot_lrc_passed(image, size, 0x3f00, 0x8));
}

static void test_conceal(void **state)
{
	u32 *from = image + LRC_RING_CONTEXT_DWORDS, *to = other + LRC_RING_CONTEXT_DWORDS;

	(void)state;
	memset(image, 0, sizeof(image));
	from[1] = LRI(3);
	from[2] = RCS(RING_GPR(0));
	from[3] = 0x1111;
	from[4] = RCS(RING_HWS_PGA);
	from[5] = 0x2222;
	from[6] = RCS(RING_TIMESTAMP);
	from[7] = 0x3333;
	from[8] = BB_END;
	from[9] = 0x4444;
	memset(other, 0xff, sizeof(other));
	assert_int_equal(gslot_lrc_filter(GSLOT_RCS0, 9, other, image, DWORDS),
			 LRC_RING_CONTEXT_DWORDS + 9);
	assert_int_equal(to[-1], 0xffffffff);
	assert_int_equal(to[2], RCS(RING_GPR(0)));
	assert_int_equal(to[3], 0x1111);
	assert_int_equal(to[4], RCS(RING_HWS_PGA));
	assert_int_equal(to[5], 0);
	assert_int_equal(to[7], 0x3333);
	assert_int_equal(to[8], BB_END);
	assert_int_equal(to[9], 0xffffffff);
	/* The guest is not shown what is no list. */
	from[8] = 0xdeadbeef;
	assert_int_equal(gslot_lrc_filter(GSLOT_RCS0, 9, other, image, DWORDS), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_build),
		cmocka_unit_test(test_build_others),
		cmocka_unit_test(test_parse),
		cmocka_unit_test(test_parse_bad),
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_passed),
		cmocka_unit_test(test_conceal),
	};

	return run_tap_tests("core_lrc", tests);
}
