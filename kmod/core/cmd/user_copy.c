// SPDX-License-Identifier: GPL-2.0
/*
 * Copies of user batches: follow the flow of commands. scan_user.c checks each command.
 */
#include "scan_priv.h"
#include "gen/gtt.h"

#define FETCH_BYTES	512u	/* read at a time: most batches are short */
#define ADDR_MASK	((1ULL << GEN_PPGTT_ADDR_BITS) - sizeof(u32))
/* The MI_BATCH_BUFFER_END behind a run. */
#define END_DWORDS	1

const struct gslot_copy_budget gslot_copy_budget = {
	.dwords = 0x100000,
	.runs = 1024,
	.starts = 4096,
};

static void copy_mark_command(struct gslot_user_copy *copy, u32 pos, u32 len)
{
	u32 i;

	for (i = pos; i < pos + len; i++)
		copy->begins[i / 8] &= ~(1u << i % 8);
	copy->begins[pos / 8] |= 1u << pos % 8;
}

static bool copy_command_begins(const struct gslot_user_copy *copy, u32 pos)
{
	return copy->begins[pos / 8] & 1u << pos % 8;
}

/* Find the run, and the offset in it, that has the copy of the command at an address. */
static bool copy_find(const struct gslot_user_copy *copy, u64 addr, u32 level, u32 *run, u32 *off)
{
	u32 i;

	for (i = 0; i < copy->nr_runs; i++) {
		const struct gslot_copy_run *r = &copy->run[i];

		if (r->level != level || addr < r->addr ||
		    addr - r->addr >= (u64)r->len * sizeof(u32))
			continue;
		*off = (addr - r->addr) / sizeof(u32);
		if (copy_command_begins(copy, r->pos + *off)) {
			*run = i;
			return true;
		}
	}
	return false;
}

static int copy_find_or_add(struct gslot_user_copy *copy, u64 addr, u32 level, u32 *run, u32 *off)
{
	if (copy_find(copy, addr, level, run, off))
		return 0;
	*off = 0;
	for (*run = 0; *run < copy->nr_runs; (*run)++)
		if (copy->run[*run].addr == addr && copy->run[*run].level == level)
			return 0;
	if (copy->nr_runs == GSLOT_COPY_RUNS || !copy->budget->runs)
		return -E2BIG;
	copy->budget->runs--;
	copy->run[copy->nr_runs++] = (struct gslot_copy_run) { .addr = addr, .level = level };
	return 0;
}

/*
 * An MI_BATCH_BUFFER_START of the copy. Its target's address is known when all runs have their
 * positions: until then the operand is the number of a run and an offset in it.
 */
static int copy_start(struct gslot_user_copy *copy, const struct gslot_copy_run *from, u32 *dw,
		      bool *ends)
{
	u64 addr = ((u64)dw[2] << 32 | dw[1]) & ADDR_MASK;
	u32 level = gslot_batch_level(from->level, dw[0]);

	if (!copy->budget->starts)
		return -E2BIG;
	copy->budget->starts--;
	*ends = level == from->level && !(dw[0] & MI_BB_PREDICATE);
	/* The copy is in the GGTT. Keep the level and the predicate only: no added offset. */
	dw[0] = MI_CMD(OP_MI_BATCH_BUFFER_START) | 1 |
		(dw[0] & (MI_BB_SECOND_LEVEL | MI_BB_PREDICATE));
	return copy_find_or_add(copy, addr, level, &dw[1], &dw[2]);
}

/* Dwords that a run at @pos may have, without the MI_BATCH_BUFFER_END behind it. */
static u32 copy_room(u32 pos)
{
	return pos < GSLOT_COPY_DWORDS - END_DWORDS ? GSLOT_COPY_DWORDS - END_DWORDS - pos : 0;
}

/* Read a run up to @want dwords; *@have, never more than copy_room(), are read already. */
static int copy_fetch(struct gslot_user_copy *copy, const struct gslot_copy_run *run, u32 *have,
		      u32 want)
{
	u32 room = copy_room(run->pos);

	while (*have < want) {
		u64 addr = (run->addr + (u64)*have * sizeof(u32)) & ADDR_MASK;
		u32 n = (FETCH_BYTES - (addr & (FETCH_BYTES - 1))) / sizeof(u32);
		int ret;

		n = min(n, room - *have);
		n = min(n, copy->budget->dwords);
		if (!n)
			return -E2BIG;
		copy->budget->dwords -= n;
		ret = copy->read(copy->data, addr, copy->out + run->pos + *have, n);
		if (ret)
			return ret;
		*have += n;
	}
	return 0;
}

static int copy_command(struct gslot_user_copy *copy, struct gslot_copy_run *run, u32 *have,
			bool *ends)
{
	u32 *dw = copy->out + run->pos + run->len;
	u32 len, dw0;
	int ret;

	ret = copy_fetch(copy, run, have, run->len + 1);
	if (ret)
		return ret;
	dw0 = dw[0];
	len = gslot_cmd_len(copy->engine, dw0);
	ret = len ? copy_fetch(copy, run, have, run->len + len) : -EPERM;
	if (ret)
		goto err;
	copy_mark_command(copy, run->pos + run->len, len);
	run->len += len;
	ret = gslot_scan_user(copy->engine, dw, len, &copy->denied);
	if (!ret && GSLOT_IS_MI(dw[0], OP_MI_BATCH_BUFFER_START))
		ret = copy_start(copy, run, dw, ends);
	else
		*ends = GSLOT_IS_MI(dw[0], OP_MI_BATCH_BUFFER_END);
err:
	if (ret)
		copy->bad_cmd = dw0;
	return ret;
}

static int copy_run(struct gslot_user_copy *copy, struct gslot_copy_run *run)
{
	bool ends = false;
	u32 have = 0;
	int ret;

	run->pos = copy->used;
	while (!ends) {
		ret = copy_command(copy, run, &have, &ends);
		if (ret)
			return ret;
	}
	copy->used = run->pos + run->len;
	/* Whatever the hardware does with the last command, the batch ends behind it. */
	copy->out[copy->used++] = MI_CMD(OP_MI_BATCH_BUFFER_END);
	return 0;
}

/**
 * gslot_user_copy() - copy a user batch and all batches that it leads to
 * @copy: @engine, @read, @data and @budget are set
 * @addr: address of the batch in the PPGTT
 * @level: GSLOT_LEVEL_FIRST or GSLOT_LEVEL_SECOND
 *
 * What was read is what is checked and will be executed, even if the guest writes to the batch
 * meanwhile.
 *
 * Return: 0; -EPERM for an unknown command; -EINVAL for a command of a wrong length; -E2BIG beyond
 * a limit; or what @read returned.
 */
int gslot_user_copy(struct gslot_user_copy *copy, u64 addr, u32 level)
{
	u32 i, run, off;
	int ret;

	copy->used = 0;
	copy->nr_runs = 0;
	copy->denied = 0;
	copy->bad_cmd = 0;
	ret = copy_find_or_add(copy, addr & ADDR_MASK, level, &run, &off);
	for (i = 0; !ret && i < copy->nr_runs; i++) {
		struct gslot_copy_run *r = &copy->run[i];

		/* A run that was copied since this one was added may include its commands. */
		if (copy_find(copy, r->addr, r->level, &run, &off))
			r->pos = copy->run[run].pos + off;
		else
			ret = copy_run(copy, r);
	}
	return ret;
}

/**
 * gslot_user_copy_relocate() - point the copy's batch starts into the copy
 * @copy: made by gslot_user_copy()
 * @base: GGTT address at which its first dword will be executed
 */
void gslot_user_copy_relocate(struct gslot_user_copy *copy, u64 base)
{
	u32 pos, len;

	for (pos = 0; pos < copy->used; pos += len) {
		u32 *dw = copy->out + pos;
		u64 to;

		len = gslot_cmd_len(copy->engine, dw[0]);
		if (!GSLOT_IS_MI(dw[0], OP_MI_BATCH_BUFFER_START))
			continue;
		to = base + (u64)(copy->run[dw[1]].pos + dw[2]) * sizeof(u32);
		dw[1] = lower_32_bits(to);
		dw[2] = upper_32_bits(to);
	}
}
