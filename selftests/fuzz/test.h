/* SPDX-License-Identifier: GPL-2.0 */
/* What every fuzzer needs: checks that abort, and a way to read its input. */
#ifndef FUZZ_TEST_H
#define FUZZ_TEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static inline void must(bool ok)
{
	if (!ok)
		abort();
}

/* What headers of selftests/lib check by. */
#define assert_true(c)			must(c)
#define assert_false(c)			must(!(c))
#define assert_null(p)			must(!(p))
#define assert_non_null(p)		must(p)
#define assert_int_equal(a, b)		must((a) == (b))
#define assert_ptr_equal(a, b)		must((a) == (b))
#define assert_in_range(n, low, high)	must((n) >= (low) && (n) <= (high))
#define fail_msg(...)			abort()

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

/* A few slices, as any spinner must allow. */
#define fuzz_run(engine)		run_slices(engine, 8, 200)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
