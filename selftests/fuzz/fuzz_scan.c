// SPDX-License-Identifier: GPL-2.0
/*
 * The scanner. Byte 0: engine in 1:0, kind of buffer in 3:2; the rest is commands. Commands that
 * pass are walked once more, as by the command streamer, and may access nothing but the guest's
 * memory and registers: the rules are written here a second time, command by command. So are the
 * lengths that MI commands may have, and a command is refused for its length or addresses only if
 * these are wrong. Relocating the commands to another place gives the same result as a scan for
 * that place. With SMALL, the guest's memory and buffers are small, and so is the longest MI_MATH
 * of Gen8.
 */
#ifdef SMALL
#define GEN8_MATH_DWORDS	MATH_DWORDS
#define MATH_DWORDS		6
#define MAX_DWORDS		16
/* Neither part ends with a whole quadword. */
#define LOW_BYTES		68
#define HIGH_BYTES		4
#else
#define MATH_DWORDS		65
#define MAX_DWORDS		1024
#define LOW_BYTES		(64 << 20)
#define HIGH_BYTES		(384 << 20)
#endif

#include "test.h"
#include "place.h"
#include "core/regs/regtable.h"
#include "core/cmd/scan_priv.h"
#include "gen/cmds.h"
#include "gen/regs.h"
#ifdef SMALL
#include "core/cmd/scan_check.c"
#endif

#define COPY		0xf8001000u
/* Of MI_BATCH_BUFFER_START: the resource streamer, an added offset, and what is reserved. */
#define OTHER_START_BITS	0x003f7e00u

static const struct gslot_window window = {
	.low_size = LOW_BYTES, .high_size = HIGH_BYTES,
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

/* An access to the GGTT */
struct access {
	const u32 *dw;	/* the two dwords of its address */
	u32 flags;	/* bits that are not part of it */
	u32 len;	/* bytes */
};

static bool is_in(const struct access *a, const struct place *p)
{
	u64 at = a->dw[0] & ~a->flags;

	/* All that is the guest's is below 4 GB. */
	return !a->dw[1] &&
	       ((at >= p->low && at + a->len <= p->low + window.low_size) ||
		(at >= p->high && at + a->len <= p->high + window.high_size));
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

/* Lengths of MI commands: what may be in a privileged buffer and has more than one dword. */
static bool mi_length_fits(const struct gslot_scan *scan, u32 dw0, u32 len)
{
	switch (MI_OPCODE(dw0)) {
	case OP_MI_DISPLAY_FLIP:
		return len >= 3 && len <= 6;
	case OP_MI_MATH:
		return len >= 2 && len <= (scan->gen == 8 ? MATH_DWORDS : 257);
	case OP_MI_STORE_DATA_IMM:
		return len >= 4 && len <= 1025 && (!(dw0 & MI_SDI_QWORD) || len & 1);
	case OP_MI_LOAD_REGISTER_IMM:
		return len >= 3 && len <= 257 && len & 1;
	case OP_MI_FLUSH_DW:
		return len >= (MI_FLUSH_DW_OP(dw0) ? 4 : 3) && len <= 5;
	case OP_MI_ATOMIC:
		return len == (dw0 & MI_ATOMIC_INLINE ? 11 : 3);
	case OP_MI_LOAD_REGISTER_REG:
	case OP_MI_BATCH_BUFFER_START:
		return len == 3;
	case OP_MI_SEMAPHORE_WAIT:
	case OP_MI_STORE_REGISTER_MEM:
	case OP_MI_REPORT_PERF_COUNT:
	case OP_MI_LOAD_REGISTER_MEM:
	case OP_MI_COND_BATCH_BUFFER_END:
		return len == 4;
	case OP_MI_COPY_MEM_MEM:
		return len == 5;
	default:
		return len == 1;
	}
}

/* Those that only draw or set state are not here: they name the PPGTT alone. */
static bool length_fits(const struct gslot_scan *scan, u32 dw0, u32 len)
{
	if (CMD_CLIENT(dw0) == CMD_CLIENT_MI)
		return mi_length_fits(scan, dw0, len);
	return dw0 >> 16 != CMD_PIPE_CONTROL || len == 6;
}

/*
 * What a command accesses by the GGTT. Of the address of a qword bit 2 counts, which the hardware
 * ignores: gslot refuses more than it must. Return: how many accesses, at most 2.
 */
static u32 mi_accesses(const u32 *dw, u32 len, struct access *a)
{
	bool ggtt = dw[0] & MI_USE_GGTT;
	u32 n = 0;

	switch (MI_OPCODE(dw[0])) {
	case OP_MI_STORE_DATA_IMM:
		if (ggtt)
			a[n++] = (struct access) { dw + 1, 3, (len - 3) * 4 };
		break;
	case OP_MI_ATOMIC:
		if (ggtt)
			a[n++] = (struct access) { dw + 1, 3, 16 };
		break;
	case OP_MI_COPY_MEM_MEM:
		if (dw[0] & MI_COPY_DST_GGTT)
			a[n++] = (struct access) { dw + 1, 3, 4 };
		if (ggtt)
			a[n++] = (struct access) { dw + 3, 3, 4 };
		break;
	case OP_MI_FLUSH_DW:
		if (MI_FLUSH_DW_OP(dw[0]) && !(dw[0] & MI_FLUSH_DW_STORE_INDEX) &&
		    dw[1] & MI_FLUSH_DW_ADDR_GGTT)
			a[n++] = (struct access) { dw + 1, 7, 8 };
		break;
	case OP_MI_REPORT_PERF_COUNT:
		if (dw[1] & 1)
			a[n++] = (struct access) { dw + 1, 0x3f, 256 };
		break;
	case OP_MI_LOAD_REGISTER_MEM:
	case OP_MI_STORE_REGISTER_MEM:
	case OP_MI_SEMAPHORE_WAIT:
		if (ggtt)
			a[n++] = (struct access) { dw + 2, 3, 4 };
		break;
	case OP_MI_COND_BATCH_BUFFER_END:
		if (ggtt)
			a[n++] = (struct access) { dw + 2, 3, 8 };
		break;
	}
	return n;
}

static u32 accesses(const u32 *dw, u32 len, struct access *a)
{
	if (CMD_CLIENT(dw[0]) == CMD_CLIENT_MI)
		return mi_accesses(dw, len, a);
	if (dw[0] >> 16 != CMD_PIPE_CONTROL || !PC_POST_SYNC_OP(dw[1]) ||
	    dw[1] & PC_STORE_INDEX || !(dw[1] & PC_GLOBAL_GTT))
		return 0;
	*a = (struct access) { dw + 2, 7, 8 };
	return 1;
}

/* Are all accesses by the GGTT to the guest's memory, which is at that place? */
static bool all_ours(const u32 *dw, u32 len, const struct place *p)
{
	struct access a[2];
	u32 n = accesses(dw, len, a);

	while (n)
		if (!is_in(&a[--n], p))
			return false;
	return true;
}

static void check_mi(const struct gslot_scan *scan, const u32 *dw, u32 len)
{
	u32 i;

	switch (MI_OPCODE(dw[0])) {
	case OP_MI_NOOP:
	case OP_MI_USER_INTERRUPT:
	case OP_MI_ARB_CHECK:
	case OP_MI_STORE_DATA_IMM:
	case OP_MI_COPY_MEM_MEM:
	case OP_MI_REPORT_PERF_COUNT:
		break;
	case OP_MI_ATOMIC:
		must((dw[0] & MI_ATOMIC_INLINE && !(dw[0] & MI_ATOMIC_RETURN)) || has_gprs(scan));
		break;
	case OP_MI_FLUSH_DW:
		must(!MI_FLUSH_DW_OP(dw[0]) || !(dw[0] & MI_FLUSH_DW_STORE_INDEX) ||
		     !(dw[1] & MI_FLUSH_DW_ADDR_GGTT));
		break;
	case OP_MI_LOAD_REGISTER_IMM:
		for (i = 1; i < len; i += 2)
			may_write(scan, dw[i]);
		break;
	case OP_MI_LOAD_REGISTER_REG:
		may_read(scan, dw[1]);
		may_write(scan, dw[2]);
		break;
	case OP_MI_LOAD_REGISTER_MEM:
		may_write(scan, dw[1]);
		break;
	case OP_MI_STORE_REGISTER_MEM:
		may_read(scan, dw[1]);
		must(!(dw[0] & MI_SRM_PREDICATE) || scan->kind != GSLOT_SCAN_INDIRECT);
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
		break;
	case OP_MI_COND_BATCH_BUFFER_END:
		must(scan->kind == GSLOT_SCAN_BATCH);
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
	must(length_fits(scan, dw[0], len) && all_ours(dw, len, &here));
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
	if (PC_POST_SYNC_OP(dw[1]) && dw[1] & PC_STORE_INDEX)
		must(!(dw[1] & PC_GLOBAL_GTT) && dw[2] < GEN_PAGE_SIZE && !dw[3]);
}

/* The command that was refused, as the guest wrote it, with @left dwords up to the end. */
static void check_refused(const struct gslot_scan *scan, int err, const u32 *dw, u32 left)
{
	static const struct place guest = { 0, GEN_LOW_GM_SIZE };
	u32 len = gslot_cmd_len(scan->engine, dw[0]);
	bool other = CMD_CLIENT(dw[0]) != CMD_CLIENT_MI && dw[0] >> 16 != CMD_PIPE_CONTROL;

	must(err != -EINVAL || other || len > left || !length_fits(scan, dw[0], len));
	must(err != -EFAULT || (len <= left && !all_ours(dw, len, &guest)));
}

/* The guest's commands for another place: scanned for it, and relocated from the first one. */
static void check_relocs(struct gslot_scan *scan, u32 *cmds, u32 end, const u32 *guest)
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
	static u32 cmds[MAX_DWORDS], guest[MAX_DWORDS];
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
	memcpy(guest, data + 1, n * 4);
	if (err)
		check_refused(&scan, err, guest + end, n - end);
	for (pos = 0; pos < end; pos += len) {
		len = gslot_cmd_len(scan.engine, cmds[pos]);
		must(len && len <= end - pos);
		check(&scan, cmds + pos, len);
	}
	check_relocs(&scan, cmds, end, guest);
	return 0;
}
