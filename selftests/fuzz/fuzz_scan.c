// SPDX-License-Identifier: GPL-2.0
/*
 * The scanner. Byte 0: engine in 1:0, kind of buffer in 3:2; the rest is commands. Commands that
 * pass are walked once more, as by the command streamer, and may access nothing but the guest's
 * memory and registers: the rules are written here a second time, command by command. Relocating
 * the commands to another place gives the same result as a scan for that place.
 */
#include "test.h"
#include "place.h"
#include "core/regs/regtable.h"
#include "core/cmd/scan_priv.h"
#include "gen/cmds.h"
#include "gen/regs.h"

#define MAX_DWORDS	1024
#define COPY		0xf8001000u
/* Of MI_BATCH_BUFFER_START: the resource streamer, an added offset, and what is reserved. */
#define OTHER_START_BITS	0x003f7e00u

static const struct gslot_window window = {
	.low_size = 64 << 20, .high_size = 384 << 20,
};

static const struct place here = { 128 << 20, 1024 << 20 };
static const struct place elsewhere = { 64 << 20, 3072ull << 20 };

static struct gslot_reloc relocs[MAX_DWORDS];
static u32 nr_relocs;

static int copy_batch(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys)
{
	(void)scan;
	(void)addr;
	(void)level;
	*phys = COPY;
	return 0;
}

static int keep_reloc(struct gslot_scan *scan, const struct gslot_reloc *reloc, u64 *phys)
{
	(void)scan;
	must(nr_relocs < MAX_DWORDS * 2 / 5);
	relocs[nr_relocs++] = *reloc;
	*phys = place_of(&here, reloc->addr);
	return 0;
}

static int move_reloc(struct gslot_scan *scan, const struct gslot_reloc *reloc, u64 *phys)
{
	(void)scan;
	*phys = place_of(&elsewhere, reloc->addr);
	return 0;
}

static void ours(const u32 *dw, u32 flags, u64 len)
{
	u64 at = (u64)dw[1] << 32 | (dw[0] & ~flags);

	must((at >= here.low && at + len <= here.low + window.low_size) ||
	     (at >= here.high && at + len <= here.high + window.high_size));
}

static void may_write(const struct gslot_scan *scan, u32 reg)
{
	must(reg == gslot_engines[scan->engine].base + RING_NOPID ||
	     gslot_reg_cmd(scan->engine, reg, scan->gen) == GSLOT_CMD_ALLOW);
}

static void may_read(const struct gslot_scan *scan, u32 reg)
{
	enum gslot_reg_cmd rule = gslot_reg_cmd(scan->engine, reg, scan->gen);

	/* While a context is loaded, registers have another vGPU's values. */
	must((scan->kind != GSLOT_SCAN_INDIRECT &&
	      (rule == GSLOT_CMD_ALLOW || rule == GSLOT_CMD_READ)) ||
	     reg == gslot_engines[scan->engine].base + RING_EXCC);
}

/* May the engine use its general purpose registers? */
static bool has_gprs(const struct gslot_scan *scan)
{
	return scan->kind != GSLOT_SCAN_INDIRECT && (scan->gen > 8 || scan->engine == GSLOT_RCS0);
}

/* Commands that say whether their addresses are of the GGTT; false: it is none of them. */
static bool check_mi_address(const struct gslot_scan *scan, const u32 *dw, u32 len)
{
	bool ggtt = dw[0] & MI_USE_GGTT;

	switch (MI_OPCODE(dw[0])) {
	case OP_MI_STORE_DATA_IMM:
		must(!(dw[0] & MI_SDI_QWORD) || len & 1);
		if (ggtt)
			ours(dw + 1, dw[0] & MI_SDI_QWORD ? 7 : 3, (len - 3) * 4);
		return true;
	case OP_MI_ATOMIC:
		must(len == (dw[0] & MI_ATOMIC_INLINE ? 11 : 3));
		must((dw[0] & MI_ATOMIC_INLINE && !(dw[0] & MI_ATOMIC_RETURN)) || has_gprs(scan));
		if (ggtt)
			ours(dw + 1, 3, 16);
		return true;
	case OP_MI_COPY_MEM_MEM:
		if (dw[0] & MI_COPY_DST_GGTT)
			ours(dw + 1, 3, 4);
		if (ggtt)
			ours(dw + 3, 3, 4);
		return true;
	case OP_MI_FLUSH_DW:
		if (!MI_FLUSH_DW_OP(dw[0]))
			return true;
		if (dw[0] & MI_FLUSH_DW_STORE_INDEX)
			must(!(dw[1] & MI_FLUSH_DW_ADDR_GGTT));
		else if (dw[1] & MI_FLUSH_DW_ADDR_GGTT)
			ours(dw + 1, 7, 8);
		return true;
	case OP_MI_REPORT_PERF_COUNT:
		if (dw[1] & 1)
			ours(dw + 1, 0x3f, 256);
		return true;
	default:
		return false;
	}
}

/* Commands that read or write registers; false: it is none of them. */
static bool check_mi_register(const struct gslot_scan *scan, const u32 *dw, u32 len)
{
	bool ggtt = dw[0] & MI_USE_GGTT;
	u32 i;

	switch (MI_OPCODE(dw[0])) {
	case OP_MI_LOAD_REGISTER_IMM:
		for (i = 1; i < len; i += 2)
			may_write(scan, dw[i]);
		return true;
	case OP_MI_LOAD_REGISTER_REG:
		may_read(scan, dw[1]);
		may_write(scan, dw[2]);
		return true;
	case OP_MI_LOAD_REGISTER_MEM:
		may_write(scan, dw[1]);
		if (ggtt)
			ours(dw + 2, 3, 4);
		return true;
	case OP_MI_STORE_REGISTER_MEM:
		may_read(scan, dw[1]);
		must(!(dw[0] & MI_SRM_PREDICATE) || scan->kind != GSLOT_SCAN_INDIRECT);
		if (ggtt)
			ours(dw + 2, 3, 4);
		return true;
	default:
		return false;
	}
}

static void check_mi(const struct gslot_scan *scan, const u32 *dw, u32 len)
{
	bool ggtt = dw[0] & MI_USE_GGTT;

	if (check_mi_address(scan, dw, len) || check_mi_register(scan, dw, len))
		return;
	switch (MI_OPCODE(dw[0])) {
	case OP_MI_NOOP:
	case OP_MI_USER_INTERRUPT:
	case OP_MI_ARB_CHECK:
		break;
	case OP_MI_PREDICATE:
		must(scan->kind != GSLOT_SCAN_INDIRECT);
		break;
	case OP_MI_MATH:
		must(has_gprs(scan));
		break;
	case OP_MI_ARB_ON_OFF:
		must(dw[0] & MI_ARB_ON && scan->kind != GSLOT_SCAN_INDIRECT);
		break;
	case OP_MI_SET_PREDICATE:
		must(!(dw[0] & 0xf));
		break;
	case OP_MI_BATCH_BUFFER_END:
		must(scan->kind != GSLOT_SCAN_RING && !(dw[0] & 0x007fffff));
		break;
	case OP_MI_SEMAPHORE_WAIT:
		must(scan->kind != GSLOT_SCAN_INDIRECT);
		must(!(dw[0] & MI_SEMAPHORE_REGISTER_POLL));
		if (ggtt)
			ours(dw + 2, 3, 4);
		break;
	case OP_MI_COND_BATCH_BUFFER_END:
		must(scan->kind == GSLOT_SCAN_BATCH);
		if (ggtt)
			ours(dw + 2, 7, 8);
		break;
	case OP_MI_BATCH_BUFFER_START:
		must(scan->kind != GSLOT_SCAN_INDIRECT);
		must(!(dw[0] & OTHER_START_BITS));
		if (dw[0] & MI_BB_PPGTT)
			must(scan->engine != GSLOT_BCS0 || scan->gen != 9);
		else
			must(dw[1] == COPY && !dw[2]);
		break;
	default:
		abort();	/* no other passes */
	}
}

static void check(const struct gslot_scan *scan, const u32 *dw, u32 len)
{
	switch (CMD_CLIENT(dw[0])) {
	case CMD_CLIENT_MI:
		check_mi(scan, dw, len);
		return;
	case CMD_CLIENT_BLT:
		must(scan->engine == GSLOT_BCS0);
		return;
	case CMD_CLIENT_RENDER:
		must(scan->engine == GSLOT_RCS0);
		break;
	default:
		abort();
	}
	if (dw[0] >> 16 != CMD_PIPE_CONTROL)
		return;
	must(!(dw[1] & PC_LRI_POST_SYNC));
	if (!PC_POST_SYNC_OP(dw[1]))
		return;
	if (dw[1] & PC_STORE_INDEX)
		must(!(dw[1] & PC_GLOBAL_GTT) && dw[2] < GEN_PAGE_SIZE && !dw[3]);
	else if (dw[1] & PC_GLOBAL_GTT)
		ours(dw + 2, 7, 8);
}

/* The guest's commands for another place: scanned for it, and relocated from the first one. */
static void check_relocs(struct gslot_scan *scan, u32 *cmds, u32 end, const u8 *guest)
{
	static u32 direct[MAX_DWORDS];
	u32 i;

	memcpy(direct, guest, end * 4);
	scan->reloc = move_reloc;
	must(!gslot_scan(scan, direct, end));
	/* Without relocations of the command at which the scan ended. */
	for (i = 0; i < nr_relocs && relocs[i].dword < end; i++)
		gslot_reloc_apply(cmds + relocs[i].dword, place_of(&elsewhere, relocs[i].addr));
	must(!memcmp(cmds, direct, end * 4));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u32 cmds[MAX_DWORDS];
	struct gslot_scan scan = {
		.window = &window, .batch = copy_batch, .user_batch = copy_batch,
		.reloc = keep_reloc,
	};
	u32 n, end, pos, len;
	int err;

	if (size < 5)
		return 0;
	n = min((size - 1) / 4, (size_t)MAX_DWORDS);
	memcpy(cmds, data + 1, n * 4);
	scan.engine = data[0] & 3;
	scan.kind = (data[0] >> 2 & 3) % 3;
	scan.gen = data[0] & 16 ? 8 : 9;
	nr_relocs = 0;
	err = gslot_scan(&scan, cmds, n);
	end = err ? scan.bad : n;
	must(end <= n);
	for (pos = 0; pos < end; pos += len) {
		len = gslot_cmd_len(scan.engine, cmds[pos]);
		must(len && len <= end - pos);
		check(&scan, cmds + pos, len);
	}
	check_relocs(&scan, cmds, end, data + 1);
	return 0;
}
