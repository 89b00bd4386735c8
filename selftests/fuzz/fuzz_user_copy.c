// SPDX-License-Identifier: GPL-2.0
/*
 * User batches of the blitter: the input is the guest's memory. Byte 0: level in bit 0; byte 1:
 * start of the batch; bytes 2 and 3: reductions of the budget. A copy's batch starts lead into the
 * copy, it names only what a user may access, and it does what the guest's batches do. Nothing is
 * written behind the copy. What does not fit has used up one of the limits. With SMALL, limits are
 * so small that short inputs reach and exceed them.
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

/* Of the last read: where the run begins in the copy, and where the dwords end. */
static u32 read_run, read_end;

static int read_some(void *data, u64 addr, u32 *to, u32 dwords)
{
	read_run = copy.used;
	read_end = to + dwords - copy.out;
	return read_mem(data, addr, to, dwords);
}

/* Is a part of the budget used up, or all room for runs or, but for a run's end, for dwords? */
static bool is_used_up(void)
{
	u32 end = read_run == copy.used ? read_end : copy.used;

	return !budget.dwords || !budget.runs || !budget.starts ||
	       copy.nr_runs == GSLOT_COPY_RUNS || end >= GSLOT_COPY_DWORDS - 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 level, from;
	int err;

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
	copy.read = read_some;
	copy.budget = &budget;
	read_run = U32_MAX;
	err = gslot_user_copy(&copy, at(from), level);
	must(err != -E2BIG || is_used_up());
	if (err)
		return 0;
	must(budget.dwords <= gslot_copy_budget.dwords);
	gslot_user_copy_relocate(&copy, BASE);
	check_copy();
	check_follows(from, level);
	return 0;
}
