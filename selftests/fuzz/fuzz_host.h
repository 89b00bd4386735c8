/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The unit tests' host for fuzzers: its checks abort. One model lives through
 * all runs; each begins with a cold reset and fresh contexts.
 */
#ifndef FUZZ_HOST_H
#define FUZZ_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In place of test.h. */
#define UNIT_TEST_H
#define assert_true(c)			((c) ? (void)0 : abort())
#define assert_false(c)			assert_true(!(c))
#define assert_null(p)			assert_true(!(p))
#define assert_non_null(p)		assert_true(p)
#define assert_int_equal(a, b)		assert_true((a) == (b))
#define fail_msg(...)			abort()
#define cmocka_unit_test_setup_teardown(...)	{ 0 }

#include "model_host.h"

/* Reads from the fuzzer's input; zeros behind its end. */
struct input {
	const uint8_t *data;
	size_t left;
};

static inline uint64_t take(struct input *in, size_t n)
{
	uint64_t v = 0;
	size_t have = n < in->left ? n : in->left;

	memcpy(&v, in->data, have);
	in->data += have;
	in->left -= have;
	return v;
}

static inline void fuzz_begin(void)
{
	if (!host.gpu)
		host_start(NULL);
	gen9_gpu_reset(host.gpu);
	host.next_page = 0x10000;
	host.next_ggtt = 0x100000;
	host.irq_level = false;
	wr(GEN_GAMW_ECO, 0xf);
	for (int g = 0; g < GEN_NR_GT_IRQ_GROUPS; g++) {
		wr(GEN_GT_IMR(g), 0);
		wr(GEN_GT_IER(g), ~0u);
	}
	wr(GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	for (int i = 0; i < GEN9_NR_ENGINES; i++) {
		host.hwsp_pa[i] = alloc_pages(1);
		host.hwsp[i] = ggtt_map(host.hwsp_pa[i], 1);
		engine_setup(i);
	}
}

/* A few slices, as any spinner must allow. */
static inline void fuzz_run(int engine)
{
	for (int i = 0; i < 8; i++) {
		Gen9RunResult r = gen9_engine_run(host.gpu, engine, 200);

		assert_true(r.idle != r.more);
		if (r.idle)
			break;
		host.now += r.wait_ns;
	}
}

#endif
