// SPDX-License-Identifier: GPL-2.0
/*
 * User batches of the blitter: the input is the guest's memory. Byte 0: level in bit 0; byte 1:
 * start of the batch; bytes 2 and 3: reductions of the budget. A copy's batch starts lead into the
 * copy, it names only what a user may access, and it does what the guest's batches do. Nothing is
 * written behind the copy. With SMALL, limits are so small that short inputs reach and exceed them.
 */
#ifdef SMALL
#define GSLOT_COPY_DWORDS	96
#define GSLOT_COPY_RUNS		4
#endif
#define MEM_DWORDS		0x400

#include "test.h"
#define fail()			abort()
#include "core/types.h"
#include "user_copies.h"
#ifdef SMALL
#include "core/cmd/user_copy.c"
#endif

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 level, from;

	if (size < 8 || size - 4 > sizeof(mem))
		return 0;
	level = data[0] & 1 ? GSLOT_LEVEL_SECOND : GSLOT_LEVEL_FIRST;
	from = data[1];
	/* The input is repeated all over the memory, so that each batch start has a target. */
	for (u32 i = 0; i < MEM_DWORDS; i++)
		memcpy(mem + i, data + 4 + i * 4 % ((size - 4) & ~3ul), sizeof(u32));
	budget = gslot_copy_budget;
	if (data[2])
		budget.dwords = data[2] * 4;
	if (data[3]) {
		budget.runs = data[3] & 7;
		budget.starts = data[3] >> 3;
	}
	copy.engine = GSLOT_BCS0;
	copy.read = read_mem;
	copy.budget = &budget;
	if (gslot_user_copy(&copy, at(from), level))
		return 0;
	must(budget.dwords <= gslot_copy_budget.dwords);
	gslot_user_copy_relocate(&copy, BASE);
	check_copy();
	check_follows(from, level);
	return 0;
}
