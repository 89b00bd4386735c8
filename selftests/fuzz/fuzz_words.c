// SPDX-License-Identifier: GPL-2.0
/*
 * Two page tables of up to four steps, and their first steps, are compared: they differ exactly if
 * memcmp() says so. One byte: how long they are; one: how many bits differ, up to three, and two
 * for each of these; the rest is what both have in common, repeated. They end where an allocation
 * ends, so that the sanitizer reports an access behind them.
 */
#include "test.h"
#include "core/gtt/words.h"

static u64 *table(const struct input *content, u32 bytes)
{
	u8 *to = malloc(bytes);

	must(to || !bytes);
	for (u32 i = 0; i < bytes; i++)
		to[i] = content->left ? content->data[i % content->left] : 0;
	return (u64 *)to;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size }, content;
	u32 words = take(&in, 1) % 5 * GSLOT_WORDS_STEP, bits = take(&in, 1) % 4;
	u64 *a, *b;

	content = in;
	take(&content, 6);
	a = table(&content, words * sizeof(*a));
	b = table(&content, words * sizeof(*b));
	for (u32 i = 0; i < bits && words; i++) {
		u32 bit = take(&in, 2) % (words * 64);

		b[bit / 64] ^= 1ull << bit % 64;
	}
	for (u32 count = 0; count <= words; count += GSLOT_WORDS_STEP)
		must(gslot_words_differ(a, b, count) ==
		     (count && memcmp(a, b, count * sizeof(*a))));
	free(a);
	free(b);
	return 0;
}
