// SPDX-License-Identifier: GPL-2.0
/*
 * The context that is loaded for a guest: it has all registers that a command may write, with the
 * guest's values if it has any, whatever its image says.
 */
#include "test.h"
#include "goldens.h"

#define BEGIN	LRC_RING_CONTEXT_DWORDS
#define RCS(r)	(GEN_RCS0_BASE + (r))
#define END	MI_CMD(OP_MI_BATCH_BUFFER_END)

static u32 saved[GOLDEN_DWORDS], guest[GOLDEN_DWORDS], merged[GOLDEN_DWORDS];
static struct gslot_golden_reg regs[GOLDEN_REGS];
static struct gslot_golden golden;

/* Make the golden context of @saved. */
static void init_golden(enum gslot_engine_id engine, u32 gen)
{
	u32 missing;

	golden = (struct gslot_golden) {
		.state = saved, .dwords = GOLDEN_DWORDS, .regs = regs, .room = GOLDEN_REGS,
	};
	assert_int_equal(gslot_golden_init(&golden, engine, gen, &missing), 0);
	assert_int_equal(missing, 0);
	memset(guest, 0, sizeof(guest));
	memset(merged, 0xee, sizeof(merged));
}

static u32 make_golden(enum gslot_engine_id engine, u32 gen)
{
	u32 at = golden_fill(saved, engine, gen);

	init_golden(engine, gen);
	return at;
}

/* The value that the list loads last; each register is in it. */
static u32 loaded(u32 reg)
{
	u32 i, k, value = 0, found = 0;

	for (i = BEGIN; i < GOLDEN_DWORDS && merged[i] != END; i++) {
		if (merged[i] >> 23 != OP_MI_LOAD_REGISTER_IMM)
			continue;
		for (k = 1; k < (merged[i] & 0xff) + 2; k += 2) {
			if (merged[i + k] != reg)
				continue;
			value = merged[i + k + 1];
			found++;
		}
		i += k - 1;
	}
	assert_int_not_equal(found, 0);
	return value;
}

static bool masked(u32 reg)
{
	return gslot_reg_find(reg, 9)->class == GSLOT_REG_MASKED;
}

static u32 golden_loaded(u32 reg)
{
	u32 value = golden_value(reg);

	return masked(reg) ? 0xffff0000 | (value & 0xffff) : value;
}

/* All registers that commands may write are loaded, as the reset left them, except @except. */
static void check_all(enum gslot_engine_id engine, u32 gen, u32 except)
{
	u32 list[GOLDEN_DWORDS], n, i;

	n = golden_put(list, engine, gen, true);
	n += golden_put(list + n, engine, gen, false);
	for (i = 0; i < n; i += 2)
		if (list[i] != except)
			assert_int_equal(loaded(list[i]), golden_loaded(list[i]));
	assert_int_equal(merged[BEGIN - 1], 0xeeeeeeee);
}

static void test_each(void **state)
{
	(void)state;
	for (u32 gen = 8; gen <= 9; gen++) {
		for (int e = 0; e < GSLOT_NR_ENGINES; e++) {
			make_golden(e, gen);
			assert_int_equal(gslot_golden_merge(&golden, e, gen, merged, NULL), 0);
			check_all(e, gen, 0);
			/* An image with nothing but an end, or with nothing. */
			assert_int_equal(gslot_golden_merge(&golden, e, gen, merged, guest), 0);
			check_all(e, gen, 0);
			guest[BEGIN] = END;
			assert_int_equal(gslot_golden_merge(&golden, e, gen, merged, guest), 0);
			check_all(e, gen, 0);
		}
	}
}

/* A register may be anywhere in the guest's list. */
static void test_values(void **state)
{
	(void)state;
	make_golden(GSLOT_RCS0, 9);
	guest[BEGIN + 7] = GOLDEN_LRI(4);
	guest[BEGIN + 8] = RCS(RING_GPR(3));
	guest[BEGIN + 9] = 0x1111;
	guest[BEGIN + 10] = RCS(RING_HWS_PGA);
	guest[BEGIN + 11] = 0x2222;
	guest[BEGIN + 12] = RCS(RING_TIMESTAMP);
	guest[BEGIN + 13] = 0x3333;
	guest[BEGIN + 14] = RCS(RING_GPR(3));
	guest[BEGIN + 15] = 0x4444;
	guest[BEGIN + 16] = END;
	guest[BEGIN + 17] = GOLDEN_LRI(1);
	guest[BEGIN + 18] = RCS(RING_GPR(4));
	guest[BEGIN + 19] = 0x5555;
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), 1);
	assert_int_equal(loaded(RCS(RING_GPR(3))), 0x4444);
	check_all(GSLOT_RCS0, 9, RCS(RING_GPR(3)));
	/* Other registers are not loaded, and the sink is cleared. */
	assert_int_equal(loaded(RCS(RING_NOPID)), 0);
	for (u32 i = BEGIN; i < GOLDEN_DWORDS; i++)
		assert_true(merged[i] != RCS(RING_HWS_PGA) && merged[i] != RCS(RING_TIMESTAMP));
}

/*
 * User batches, which the host does not check, can write registers that a ring may not. Those are
 * loaded as well, and never with the guest's value.
 */
static void test_hosts(void **state)
{
	static const u32 hosts[] = { GEN_L3CNTLREG, RCS(RING_BB_OFFSET) };

	(void)state;
	make_golden(GSLOT_RCS0, 9);
	guest[BEGIN] = GOLDEN_LRI(2);
	for (u32 i = 0; i < ARRAY_SIZE(hosts); i++) {
		guest[BEGIN + 1 + 2 * i] = hosts[i];
		guest[BEGIN + 2 + 2 * i] = 0x5555;
	}
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), 0);
	for (u32 i = 0; i < ARRAY_SIZE(hosts); i++)
		assert_int_equal(loaded(hosts[i]), golden_value(hosts[i]));
}

/* A saved value shows that a register is masked, even if the table does not say so. */
static void test_mask_saved(void **state)
{
	u32 i;

	(void)state;
	golden_fill(saved, GSLOT_RCS0, 9);
	for (i = BEGIN; saved[i] != RCS(RING_GPR(2)); i++)
		assert_true(i < GOLDEN_DWORDS - 1);
	saved[i + 1] = 0xffff0012;
	init_golden(GSLOT_RCS0, 9);
	guest[BEGIN] = GOLDEN_LRI(1);
	guest[BEGIN + 1] = saved[i];
	guest[BEGIN + 2] = 0x00005678;
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), 0);
	assert_int_equal(loaded(saved[i]), 0xffff0012);
	guest[BEGIN + 2] = 0x00ff5678;
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), 0);
	assert_int_equal(loaded(saved[i]), 0xffff0078);
	assert_int_equal(gslot_reg_find(GEN_VF_GUARDBAND, 9)->class, GSLOT_REG_MASKED);
}

/* All bits are loaded, whatever the guest's mask says. */
static void test_masked(void **state)
{
	(void)state;
	make_golden(GSLOT_RCS0, 9);
	guest[BEGIN] = GOLDEN_LRI(3);
	guest[BEGIN + 1] = GEN_TD_CTL;
	guest[BEGIN + 2] = 0x0000ffff;
	guest[BEGIN + 3] = GEN_ROW_CHICKEN;
	guest[BEGIN + 4] = 0x00f000a0;
	guest[BEGIN + 5] = GEN_ROW_CHICKEN;
	guest[BEGIN + 6] = 0x000f0005;
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), 0);
	assert_int_equal(loaded(GEN_TD_CTL), golden_loaded(GEN_TD_CTL));
	assert_int_equal(loaded(GEN_ROW_CHICKEN),
			 (golden_loaded(GEN_ROW_CHICKEN) & ~0xffu) | 0xa5);
}

static void test_state(void **state)
{
	u32 at, i;

	(void)state;
	at = make_golden(GSLOT_RCS0, 9);
	/* Without the bits that say that something is set. */
	guest[at] = CMD_PIPELINE_SELECT << 16 | PIPELINE_SELECT_GPGPU;
	guest[at + 1] = CMD_STATE_BASE_ADDRESS << 16 | (19 - 2);
	for (i = 2; i < 20; i++)
		guest[at + i] = 0x1000 * i;
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), 0);
	assert_int_equal(merged[at], guest[at] | PIPELINE_SELECT_MASKS);
	assert_int_equal(merged[at + 2], guest[at + 2] | STATE_BASE_MODIFY);
	assert_int_equal(merged[at + 3], guest[at + 3]);
	assert_int_equal(merged[at + 17], guest[at + 17] | STATE_BASE_MODIFY);
	check_all(GSLOT_RCS0, 9, 0);
	/* At another place, of another length, or another command: it is ignored. */
	memset(guest, 0, sizeof(guest));
	guest[at - 1] = CMD_PIPELINE_SELECT << 16 | PIPELINE_SELECT_GPGPU;
	guest[at + 1] = CMD_STATE_BASE_ADDRESS << 16 | (16 - 2);
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), 0);
	assert_memory_equal(merged + BEGIN, saved + BEGIN, (GOLDEN_DWORDS - BEGIN) * 4);

	at = make_golden(GSLOT_BCS0, 9);
	guest[at] = 2u << 29 | OP_XY_SETUP_MONO_PATTERN_SL_BLT << 22 | 8;
	guest[at + 9] = 0x1234;
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_BCS0, 9, merged, guest), 0);
	assert_int_equal(merged[at], guest[at]);
	assert_int_equal(merged[at + 9], 0x1234);
}

#define STATE(op, n)	((op) << 16 | ((n) - 2))
#define PREDICATE(load, combine, compare) \
	(MI_CMD(OP_MI_PREDICATE) | (load) << 6 | (combine) << 3 | (compare))

/*
 * Each golden state command is loaded with its index and the bits that say that it sets something.
 * If another command replaced it, the state would keep the previous vGPU's value.
 */
static void test_each_state(void **state)
{
	static const struct {
		u32 golden[8];
		u32 guest[8];
		u32 len;
		u32 dword;
		u32 want;
	} cases[] = {
		/* CONSTANT_GS and PS; BINDING_TABLE_POINTERS_VS and PS */
		{ { STATE(0x7816, 11) }, { STATE(0x7815, 11), 5 }, 2, 1, 0 },
		{ { STATE(0x782a, 2) }, { STATE(0x7826, 2), 5 }, 2, 1, 0 },
		/* The same one is taken. */
		{ { STATE(0x782a, 2), 3 }, { STATE(0x782a, 2), 5 }, 2, 1, 5 },
		/* CC_STATE_POINTERS and BLEND_STATE_POINTERS: valid */
		{ { STATE(0x780e, 2), 1 }, { STATE(0x780e, 2), 0x40 }, 2, 1, 0x41 },
		{ { STATE(0x7824, 2), 1 }, { STATE(0x7824, 2), 0x40 }, 2, 1, 0x41 },
		/* CLEAR_PARAMS: valid */
		{ { STATE(0x7804, 3), 0, 1 }, { STATE(0x7804, 3), 7, 0 }, 3, 2, 1 },
		/* VERTEX_BUFFERS: which one, and that its address is taken */
		{ { STATE(0x7808, 5), 3u << 26 | 1 << 14 }, { STATE(0x7808, 5), 1u << 26 | 9 },
		  5, 1, 3u << 26 | 1 << 14 | 9 },
		/* VF_INSTANCING, CHROMA_KEY, SO_BUFFER: which one */
		{ { STATE(0x7849, 3), 5 }, { STATE(0x7849, 3), 0x104 }, 3, 1, 0x105 },
		{ { STATE(0x7904, 4), 2u << 30 }, { STATE(0x7904, 4), 1u << 30 }, 4, 1, 2u << 30 },
		{ { STATE(0x7918, 8), 2u << 29 | 3 << 20 },
		  { STATE(0x7918, 8), 1u << 31 | 1u << 29 },
		  8, 1, 1u << 31 | 2u << 29 | 3 << 20 },
		/* DRAWING_RECTANGLE: of which cores */
		{ { STATE(0x7900, 4) | 1 << 14, 1 }, { STATE(0x7900, 4) | 2 << 14, 2 }, 4, 0,
		  STATE(0x7900, 4) | 1 << 14 },
		/* RS_CONSTANT_POINTER: of which shader, and that it loads */
		{ { STATE(0x7854, 4), 4u << 28 }, { STATE(0x7854, 4), 1u << 12, 0x40 }, 4, 1,
		  4u << 28 },
		/* LINE_STIPPLE: the counter and the index are taken */
		{ { STATE(0x7908, 3), 1u << 31 }, { STATE(0x7908, 3), 0x5555 }, 3, 1,
		  1u << 31 | 0x5555 },
		/* MI_PREDICATE: the predicate is set, whatever it was */
		{ { PREDICATE(2, 0, 2) }, { PREDICATE(0, 1, 3) }, 1, 0, PREDICATE(2, 0, 3) },
		{ { PREDICATE(2, 0, 2) }, { PREDICATE(3, 0, 2) }, 1, 0, PREDICATE(3, 0, 2) },
		/* BINDING_TABLE_EDIT_VS: has entries of any index */
		{ { STATE(0x7843, 3), 0, 1 }, { STATE(0x7843, 3), 0, 2 }, 3, 2, 1 },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		u32 at = golden_fill(saved, GSLOT_RCS0, 9);

		memset(saved + at, 0, 24 * sizeof(u32));
		memcpy(saved + at, cases[i].golden, sizeof(cases[i].golden));
		saved[at + 16] = END;
		init_golden(GSLOT_RCS0, 9);
		memcpy(guest + at, cases[i].guest, sizeof(cases[i].guest));
		assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), 0);
		if (merged[at + cases[i].dword] != cases[i].want)
			fail_msg("command %#x: %#x, not %#x", saved[at],
				 merged[at + cases[i].dword], cases[i].want);
		if (cases[i].dword)
			assert_int_equal(merged[at], saved[at]);
	}
}

/* A command in place of a register of the golden list: the value looks like its header. */
static void test_inside(void **state)
{
	u32 *pair, missing;

	(void)state;
	golden_fill(saved, GSLOT_RCS0, 9);
	pair = saved + BEGIN + 2;
	pair[1] = CMD_PIPELINE_SELECT << 16;
	assert_int_equal(gslot_golden_init(&golden, GSLOT_RCS0, 9, &missing), 0);
	memset(guest, 0, sizeof(guest));
	guest[BEGIN + 3] = CMD_PIPELINE_SELECT << 16 | PIPELINE_SELECT_GPGPU;
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), 0);
	assert_memory_equal(merged + BEGIN, saved + BEGIN, (GOLDEN_DWORDS - BEGIN) * 4);
}

static void test_refused(void **state)
{
	static const u32 bad[] = {
		MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2,
		MI_CMD(OP_MI_BATCH_BUFFER_START) | 1,
		MI_CMD(OP_MI_UPDATE_GTT) | 1,
		MI_CMD(OP_MI_ARB_ON_OFF),
		CMD_PIPE_CONTROL << 16 | 4,
		MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 2,
		0x50000000,
		0xdeadbeef,
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(bad); i++) {
		make_golden(GSLOT_RCS0, 9);
		guest[BEGIN] = GOLDEN_LRI(1);
		guest[BEGIN + 1] = RCS(RING_GPR(0));
		guest[BEGIN + 2] = 0x1111;
		guest[BEGIN + 8] = bad[i];
		assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest),
				 -EINVAL);
		check_all(GSLOT_RCS0, 9, 0);
	}
	/* A list that runs over the end, and one that ends there. */
	make_golden(GSLOT_RCS0, 9);
	guest[GOLDEN_DWORDS - 2] = GOLDEN_LRI(1);
	guest[GOLDEN_DWORDS - 1] = RCS(RING_GPR(0));
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), -EINVAL);
	guest[GOLDEN_DWORDS - 3] = GOLDEN_LRI(1);
	guest[GOLDEN_DWORDS - 2] = RCS(RING_GPR(0));
	guest[GOLDEN_DWORDS - 1] = 0x1111;
	assert_int_equal(gslot_golden_merge(&golden, GSLOT_RCS0, 9, merged, guest), 0);
	assert_int_equal(loaded(RCS(RING_GPR(0))), 0x1111);
}

static void test_init_refuses(void **state)
{
	u32 missing, count;

	(void)state;
	make_golden(GSLOT_RCS0, 9);
	count = golden.count;
	/* As many registers as fit, and one more. */
	golden.room = count;
	golden_fill(saved, GSLOT_RCS0, 9);
	assert_int_equal(gslot_golden_init(&golden, GSLOT_RCS0, 9, &missing), 0);
	golden.room = count - 1;
	golden_fill(saved, GSLOT_RCS0, 9);
	assert_int_equal(gslot_golden_init(&golden, GSLOT_RCS0, 9, &missing), -ENOSPC);
	golden.room = count;
	/* One that the hardware does not save. */
	golden_fill(saved, GSLOT_RCS0, 9);
	for (u32 i = BEGIN; i < GOLDEN_DWORDS; i++)
		if (saved[i] == GEN_TD_CTL)
			saved[i] = RCS(RING_TIMESTAMP);
	assert_int_equal(gslot_golden_init(&golden, GSLOT_RCS0, 9, &missing), -ENODATA);
	assert_int_equal(missing, GEN_TD_CTL);
	/* No list. */
	golden_fill(saved, GSLOT_RCS0, 9);
	saved[BEGIN] = 0xdeadbeef;
	assert_int_equal(gslot_golden_init(&golden, GSLOT_RCS0, 9, &missing), -EINVAL);
	memset(saved, 0, sizeof(saved));
	assert_int_equal(gslot_golden_init(&golden, GSLOT_RCS0, 9, &missing), -ENODATA);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_hosts),
		cmocka_unit_test(test_mask_saved),
		cmocka_unit_test(test_masked),
		cmocka_unit_test(test_state),
		cmocka_unit_test(test_each_state),
		cmocka_unit_test(test_inside),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_init_refuses),
	};

	return run_tap_tests("core_golden", tests);
}
