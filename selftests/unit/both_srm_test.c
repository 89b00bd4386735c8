// SPDX-License-Identifier: GPL-2.0
/*
 * A privileged batch stores each register of its engine to memory: after the scan it shows no
 * graphics address of the host's.
 */
#include "core/cmd/scan.h"		/* first: the model takes what is defined */
#include "test.h"
#include "model_host.h"

#define AT_ONCE		128u	/* registers */
#define COPY_PAGES	2
#define BLOCK		0x800u
#define FIRST_GGTT	0x100000u	/* where the test host begins */

static u32 cmds[4 * AT_ONCE + 1];

static void fill(struct ctx *c, u32 first)
{
	for (u32 i = 0; i < AT_ONCE; i++) {
		cmds[4 * i] = MI_CMD(OP_MI_STORE_REGISTER_MEM) | 2;
		cmds[4 * i + 1] = engine_base[c->engine] + first + 4 * i;
		cmds[4 * i + 2] = DATA_VA + 4 * i;
		cmds[4 * i + 3] = 0;
	}
	cmds[4 * AT_ONCE] = MI_CMD(OP_MI_BATCH_BUFFER_END);
}

static u32 shown(struct ctx *c, u32 first, bool scanned)
{
	struct gslot_window window = { .low_size = FIRST_GGTT };
	struct gslot_scan scan = {
		.engine = c->engine, .gen = 9, .kind = GSLOT_SCAN_BATCH, .window = &window,
	};
	u64 copy = alloc_pages(COPY_PAGES);
	u32 n = 0;

	fill(c, first);
	if (scanned)
		assert_int_equal(gslot_scan(&scan, cmds, ARRAY_SIZE(cmds)), 0);
	memcpy(host.ram + copy, cmds, sizeof(cmds));
	emit(c, MI_CMD(OP_MI_BATCH_BUFFER_START) | 1);
	emit_addr(c, ggtt_map(copy, COPY_PAGES));
	submit(c);
	run_idle(c->engine);
	for (u32 i = 0; i < AT_ONCE; i++) {
		u32 value = data32(c, 4 * i);

		n += value >= FIRST_GGTT && value < host.next_ggtt;
	}
	return n;
}

static u32 shown_of_block(int engine, bool scanned)
{
	struct ctx c;
	u32 n = 0;

	ctx_new(&c, engine, 1);
	for (u32 first = 0; first < BLOCK; first += 4 * AT_ONCE)
		n += shown(&c, first, scanned);
	return n;
}

static void test_addresses(void **state)
{
	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		/* There is something to be seen. */
		assert_true(shown_of_block(e, false) > 0);
		assert_int_equal(shown_of_block(e, true), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		gpu_test(test_addresses),
	};

	return run_tap_tests("both_srm", tests);
}
