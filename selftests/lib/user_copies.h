/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest's memory with user batches, and the invariants of a copy of them: it jumps only into
 * itself, names nothing that a user may not, and does the same as the guest's batches.
 */
#ifndef SELFTESTS_USER_COPIES_H
#define SELFTESTS_USER_COPIES_H

#include "gen/cmds.h"
#include "gen/regs.h"
#include "core/cmd/scan_priv.h"
#include "core/cmd/user_copy.h"

#define MEM_ADDR	0x10000ull
#ifndef MEM_DWORDS
#define MEM_DWORDS	0x2000
#endif
#define BASE		0xf8000000ull
#define NOPID		(GEN_BCS0_BASE + RING_NOPID)
#define BBE		MI_CMD(OP_MI_BATCH_BUFFER_END)
#define BBS		(MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1)
#define LRI(n)		(MI_CMD(OP_MI_LOAD_REGISTER_IMM) | (2 * (n) - 1))

static u32 mem[MEM_DWORDS];
static struct gslot_user_copy copy;
static struct gslot_copy_budget budget;

static inline int read_mem(void *data, u64 addr, u32 *to, u32 dwords)
{
	(void)data;
	assert_int_equal(addr & 3, 0);
	assert_true((addr & 0xfff) + dwords * 4 <= 0x1000);
	assert_true(to >= copy.out && to + dwords < copy.out + GSLOT_COPY_DWORDS);
	if (addr < MEM_ADDR || addr + dwords * 4 > MEM_ADDR + sizeof(mem))
		return -EFAULT;
	memcpy(to, mem + (addr - MEM_ADDR) / 4, dwords * 4);
	return 0;
}

static inline u64 at(u32 dword)
{
	return MEM_ADDR + dword * 4ull;
}

static inline int make(u32 dword, u32 level)
{
	int err;

	budget = gslot_copy_budget;
	copy.engine = GSLOT_BCS0;
	copy.read = read_mem;
	copy.budget = &budget;
	err = gslot_user_copy(&copy, at(dword), level);
	if (!err)
		gslot_user_copy_relocate(&copy, BASE);
	return err;
}

static inline void put(u32 dword, const u32 *cmds, u32 n)
{
	memcpy(mem + dword, cmds, n * sizeof(u32));
}

#define PUT(dword, ...) do {						\
	const u32 cmds[] = { __VA_ARGS__ };				\
									\
	put(dword, cmds, ARRAY_SIZE(cmds));				\
} while (0)

static inline void put_start(u32 dword, u32 flags, u32 to)
{
	PUT(dword, BBS | flags, (u32)at(to), 0);
}

static inline u32 target(u32 pos)
{
	assert_int_equal(copy.out[pos + 2], 0);
	assert_true(copy.out[pos + 1] >= BASE);
	return (copy.out[pos + 1] - BASE) / 4;
}

static inline bool user_reg(u32 reg, bool write)
{
	u32 off = reg >= GEN_BCS0_BASE ? reg - GEN_BCS0_BASE : U32_MAX;

	if (reg == NOPID || off == BCS_SWCTRL ||
	    (off >= RING_GPR(0) && off < RING_GPR(0) + RING_NR_GPR * 8))
		return true;
	return !write && (off == RING_EXCC || off == RING_CTX_TIMESTAMP ||
			  (off & ~4u) == RING_TIMESTAMP ||
			  (reg & ~4u) == GEN_RCS0_BASE + RING_TIMESTAMP ||
			  (reg & ~4u) == GEN_VCS0_BASE + RING_TIMESTAMP);
}

/* Commands that a copy must not contain, by the field definitions alone. */
static inline void check_command(const u32 *dw, u32 len)
{
	if (CMD_CLIENT(dw[0]) == CMD_CLIENT_BLT)
		return;
	assert_int_equal(CMD_CLIENT(dw[0]), CMD_CLIENT_MI);
	switch (MI_OPCODE(dw[0])) {
	case OP_MI_NOOP:
		assert_int_equal(dw[0], 0);
		break;
	case OP_MI_USER_INTERRUPT:
	case OP_MI_ARB_CHECK:
	case OP_MI_BATCH_BUFFER_END:
	case OP_MI_MATH:
		break;
	case OP_MI_LOAD_REGISTER_IMM:
		for (u32 i = 1; i < len; i += 2)
			assert_true(user_reg(dw[i], true));
		break;
	case OP_MI_LOAD_REGISTER_REG:
		assert_true(user_reg(dw[1], false) && user_reg(dw[2], true));
		break;
	case OP_MI_LOAD_REGISTER_MEM:
	case OP_MI_STORE_REGISTER_MEM:
		assert_true(user_reg(dw[1], MI_OPCODE(dw[0]) == OP_MI_LOAD_REGISTER_MEM));
		assert_false(dw[0] & MI_USE_GGTT);
		break;
	case OP_MI_FLUSH_DW:
		assert_false(dw[0] & (MI_FLUSH_DW_STORE_INDEX | 1 << 22));
		assert_false(MI_FLUSH_DW_OP(dw[0]) && dw[1] & MI_FLUSH_DW_ADDR_GGTT);
		assert_false(MI_FLUSH_DW_OP(dw[0]) && len < 4);
		break;
	case OP_MI_SEMAPHORE_WAIT:
		assert_false(dw[0] & (MI_USE_GGTT | MI_SEMAPHORE_REGISTER_POLL));
		break;
	case OP_MI_COPY_MEM_MEM:
		assert_false(dw[0] & (MI_USE_GGTT | MI_COPY_DST_GGTT));
		break;
	case OP_MI_STORE_DATA_IMM:
		assert_false(dw[0] & MI_SDI_QWORD && !(len & 1));
		/* fallthrough */
	case OP_MI_ATOMIC:
	case OP_MI_COND_BATCH_BUFFER_END:
		assert_false(dw[0] & MI_USE_GGTT);
		break;
	case OP_MI_BATCH_BUFFER_START:
		assert_int_equal(dw[0] & ~(MI_BB_SECOND_LEVEL | MI_BB_PREDICATE),
				 MI_CMD(OP_MI_BATCH_BUFFER_START) | 1);
		break;
	default:
		fail();
	}
}

static bool begins[GSLOT_COPY_DWORDS];

static inline void check_copy(void)
{
	u32 pos, len;

	memset(begins, 0, sizeof(begins));
	for (pos = 0; pos < copy.used; pos += len) {
		begins[pos] = true;
		len = gslot_cmd_len(GSLOT_BCS0, copy.out[pos]);
		assert_true(len && len <= copy.used - pos);
		check_command(copy.out + pos, len);
	}
	for (pos = 0; pos < copy.used; pos++)
		if (begins[pos] && GSLOT_IS_MI(copy.out[pos], OP_MI_BATCH_BUFFER_START)) {
			u32 to = target(pos);

			assert_true(to < copy.used && begins[to]);
			assert_int_equal(copy.out[pos + 1] & 3, 0);
		}
	assert_int_equal(copy.out[copy.used - 1], BBE);
}

/*
 * Follow the guest's batches and the copy in parallel, from the guest's command at @dword. Each
 * command of the copy corresponds to one of the guest's: the same one, or no-ops of the same
 * length.
 */
static inline void check_follows(u32 dword, u32 level)
{
	static struct { u64 addr; u32 level; bool known; } origin[GSLOT_COPY_DWORDS];
	static u32 todo[GSLOT_COPY_DWORDS];
	u32 nr = 1;

	memset(origin, 0, copy.used * sizeof(*origin));
	todo[0] = copy.run[0].pos;
	origin[todo[0]].addr = at(dword);
	origin[todo[0]].level = level;
	origin[todo[0]].known = true;
	while (nr) {
		u32 pos = todo[--nr], next[2], n = 0, i, k, len;
		const u32 *out = copy.out + pos;
		u64 addr = origin[pos].addr, to[2];
		u32 of = origin[pos].level, levels[2];
		const u32 *dw = mem + (addr - MEM_ADDR) / 4;

		assert_true(addr >= MEM_ADDR && addr < at(MEM_DWORDS));
		len = gslot_cmd_len(GSLOT_BCS0, dw[0]);
		assert_true(len && pos + len < copy.used);
		if (GSLOT_IS_MI(dw[0], OP_MI_BATCH_BUFFER_END)) {
			assert_true(GSLOT_IS_MI(out[0], OP_MI_BATCH_BUFFER_END));
			continue;
		}
		if (GSLOT_IS_MI(dw[0], OP_MI_BATCH_BUFFER_START)) {
			assert_true(GSLOT_IS_MI(out[0], OP_MI_BATCH_BUFFER_START));
			levels[n] = gslot_batch_level(of, dw[0]);
			to[n] = ((u64)dw[2] << 32 | dw[1]) & ((1ull << 48) - 4);
			next[n++] = target(pos);
			assert_int_equal(!(out[0] & MI_BB_PREDICATE), !(dw[0] & MI_BB_PREDICATE));
			assert_int_equal(!(out[0] & MI_BB_SECOND_LEVEL),
					 !(dw[0] & MI_BB_SECOND_LEVEL));
		} else if (!out[0]) {
			for (k = 0; k < len; k++)
				assert_int_equal(out[k], 0);
		} else {
			assert_int_equal(out[0] >> 23, dw[0] >> 23);
			assert_int_equal(gslot_cmd_len(GSLOT_BCS0, out[0]), len);
		}
		if (!n || levels[0] != of || dw[0] & MI_BB_PREDICATE) {
			levels[n] = of;
			to[n] = addr + 4ull * len;
			next[n++] = pos + len;
		}
		for (i = 0; i < n; i++) {
			if (!origin[next[i]].known) {
				origin[next[i]].addr = to[i];
				origin[next[i]].level = levels[i];
				origin[next[i]].known = true;
				todo[nr++] = next[i];
			}
			assert_true(origin[next[i]].addr == to[i]);
			assert_int_equal(origin[next[i]].level, levels[i]);
		}
	}
}

#endif
