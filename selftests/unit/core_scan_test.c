// SPDX-License-Identifier: GPL-2.0
/*
 * The scanner: what passes, what is translated, what is neutralised, what is
 * refused; and that no input makes it touch anything outside.
 */
#include "test.h"
#include "place.h"
#include "gen/cmds.h"
#include "gen/regs.h"
#include "core/regs/regtable.h"
#include "core/cmd/scan.h"
#include "core/cmd/scan_priv.h"

#define MB		0x100000ULL
#define HIGH		GEN_LOW_GM_SIZE
#define HIGH_PHYS	(1024 * MB)
#define LOW_PHYS	(128 * MB)
#define NOPID(e)	(gslot_engines[e].base + RING_NOPID)

static const struct gslot_window window = {
	.low_size = 64 * MB, .high_size = 384 * MB,
};

static struct gslot_reloc last;
static unsigned int relocs, batches;

static int note_reloc(struct gslot_scan *scan, const struct gslot_reloc *reloc, u64 *phys)
{
	static const struct place place = { LOW_PHYS, HIGH_PHYS };

	(void)scan;
	last = *reloc;
	relocs++;
	*phys = place_of(&place, reloc->addr);
	return 0;
}

static int batch(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys)
{
	(void)scan;
	(void)level;
	batches++;
	if (addr != HIGH + 0x1000)
		return -EFAULT;
	*phys = 0xf8001000;
	return 0;
}

static struct gslot_scan scan;

static int run(enum gslot_engine_id engine, enum gslot_scan_kind kind, u32 *cmds, u32 n)
{
	scan = (struct gslot_scan) {
		.engine = engine, .gen = 9, .kind = kind, .window = &window,
		.reloc = note_reloc, .batch = batch,
	};
	relocs = 0;
	batches = 0;
	return gslot_scan(&scan, cmds, n);
}

#define RUN(engine, kind, cmds)	run(engine, GSLOT_SCAN_##kind, cmds, ARRAY_SIZE(cmds))
#define SDI(flags, n)	(MI_CMD(OP_MI_STORE_DATA_IMM) | (flags) | ((n) - 2))

static void test_breadcrumb(void **state)
{
	u32 sdi[] = { SDI(MI_USE_GGTT, 4), HIGH + 0x2040, 0, 42, MI_CMD(OP_MI_USER_INTERRUPT) };
	u32 flush[] = {
		MI_CMD(OP_MI_FLUSH_DW) | 1 << 14 | 2, 0x3008 | MI_FLUSH_DW_ADDR_GGTT, 0, 7,
	};
	u32 flush5[] = {
		MI_CMD(OP_MI_FLUSH_DW) | 1 << 14 | 3, 0x3008 | MI_FLUSH_DW_ADDR_GGTT, 0, 7, 8,
	};
	u32 pc[] = {
		CMD_PIPE_CONTROL << 16 | 4, PC_GLOBAL_GTT | 1 << 14 | PC_CS_STALL,
		(u32)HIGH + 0x40, 0, 9, 0,
	};

	(void)state;
	assert_int_equal(RUN(GSLOT_BCS0, RING, sdi), 0);
	assert_int_equal(sdi[1], HIGH_PHYS + 0x2040);
	assert_int_equal(sdi[2], 0);
	assert_int_equal(last.addr, HIGH + 0x2040);
	assert_int_equal(last.len, 4);
	assert_int_equal(RUN(GSLOT_VCS0, RING, flush), 0);
	assert_int_equal(flush[1], (LOW_PHYS + 0x3008) | MI_FLUSH_DW_ADDR_GGTT);
	assert_int_equal(RUN(GSLOT_VCS0, RING, flush5), 0);
	assert_int_equal(flush5[1], (LOW_PHYS + 0x3008) | MI_FLUSH_DW_ADDR_GGTT);
	assert_int_equal(last.len, 8);
	assert_int_equal(RUN(GSLOT_RCS0, RING, pc), 0);
	assert_int_equal(pc[2], HIGH_PHYS + 0x40);
	assert_int_equal(pc[3], 0);
}

/* Each command with a GGTT operand, at the last good place and one too far. */
static void test_bounds(void **state)
{
	static const struct {
		u32 dw0, len, addr, extent, engine, kind;
	} c[] = {
		{ SDI(MI_USE_GGTT, 4), 4, 1, 4, GSLOT_RCS0, GSLOT_SCAN_RING },
		{ SDI(MI_USE_GGTT | MI_SDI_QWORD, 5), 5, 1, 8, GSLOT_RCS0, GSLOT_SCAN_RING },
		{ SDI(MI_USE_GGTT, 35), 35, 1, 128, GSLOT_BCS0, GSLOT_SCAN_RING },
		{ MI_CMD(OP_MI_STORE_REGISTER_MEM) | MI_USE_GGTT | 2, 4, 2, 4, GSLOT_RCS0,
		  GSLOT_SCAN_RING },
		{ MI_CMD(OP_MI_LOAD_REGISTER_MEM) | MI_USE_GGTT | 2, 4, 2, 4, GSLOT_RCS0,
		  GSLOT_SCAN_RING },
		{ MI_CMD(OP_MI_ATOMIC) | MI_USE_GGTT | 1, 3, 1, 16, GSLOT_RCS0, GSLOT_SCAN_RING },
		{ MI_CMD(OP_MI_ATOMIC) | MI_USE_GGTT | MI_ATOMIC_INLINE | 9, 11, 1, 16, GSLOT_RCS0,
		  GSLOT_SCAN_RING },
		{ MI_CMD(OP_MI_COPY_MEM_MEM) | MI_USE_GGTT | 3, 5, 3, 4, GSLOT_RCS0,
		  GSLOT_SCAN_RING },
		{ MI_CMD(OP_MI_COPY_MEM_MEM) | MI_COPY_DST_GGTT | 3, 5, 1, 4, GSLOT_RCS0,
		  GSLOT_SCAN_RING },
		{ MI_CMD(OP_MI_SEMAPHORE_WAIT) | MI_USE_GGTT | 2, 4, 2, 4, GSLOT_RCS0,
		  GSLOT_SCAN_RING },
		{ MI_CMD(OP_MI_COND_BATCH_BUFFER_END) | MI_USE_GGTT | 2, 4, 2, 8, GSLOT_RCS0,
		  GSLOT_SCAN_BATCH },
	};

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(c); i++) {
		for (int past = 0; past < 2; past++) {
			u64 addr = window.low_size - c[i].extent + (past ? 4 : 0);
			u32 dw[64] = { c[i].dw0 };

			dw[c[i].addr] = addr;
			assert_int_equal(run(c[i].engine, c[i].kind, dw, c[i].len),
					 past ? -EFAULT : 0);
			if (!past) {
				assert_int_equal(dw[c[i].addr], LOW_PHYS + addr);
				assert_int_equal(last.len, c[i].extent);
			}
			/* Between low and high graphics memory, behind them, and beyond 4 GB. */
			dw[0] = c[i].dw0;
			dw[c[i].addr] = 128 * MB;
			assert_int_equal(run(c[i].engine, c[i].kind, dw, c[i].len), -EFAULT);
			dw[c[i].addr] = HIGH + window.high_size;
			assert_int_equal(run(c[i].engine, c[i].kind, dw, c[i].len), -EFAULT);
			dw[c[i].addr] = 0;
			dw[c[i].addr + 1] = 1;
			assert_int_equal(run(c[i].engine, c[i].kind, dw, c[i].len), -EFAULT);
			/* Without the GGTT bit the address is in the PPGTT. */
			dw[0] &= ~(MI_USE_GGTT | MI_COPY_DST_GGTT);
			dw[0] |= c[i].dw0 & MI_SDI_QWORD &&
				 MI_OPCODE(c[i].dw0) == OP_MI_STORE_DATA_IMM ? MI_SDI_QWORD : 0;
			assert_int_equal(run(c[i].engine, c[i].kind, dw, c[i].len), 0);
			assert_int_equal(dw[c[i].addr + 1], 1);
			assert_int_equal(relocs, 0);
		}
	}
}

/* A post-sync write behind the window, in all forms of the flushes. */
static void test_flush_bounds(void **state)
{
	(void)state;
	for (u32 len = 3; len <= 6; len++) {
		for (u32 op = 0; op < 4; op++) {
			u32 dw[6] = {
				MI_CMD(OP_MI_FLUSH_DW) | op << 14 | (len - 2),
				(128 * MB) | MI_FLUSH_DW_ADDR_GGTT,
			};
			int err = run(GSLOT_BCS0, GSLOT_SCAN_RING, dw, len);

			if (len > 5 || (op && len < 4))
				assert_int_equal(err, -EINVAL);
			else
				assert_int_equal(err, op ? -EFAULT : 0);
		}
	}
	for (u32 op = 0; op < 4; op++) {
		u32 dw[6] = { CMD_PIPE_CONTROL << 16 | 4, PC_GLOBAL_GTT | op << 14, 128 * MB };

		assert_int_equal(RUN(GSLOT_RCS0, RING, dw), op ? -EFAULT : 0);
	}
}

/* Index mode names a status page: never the engine's, where the host's CSB is. */
static void test_index(void **state)
{
	u32 flush[] = {
		MI_CMD(OP_MI_FLUSH_DW) | MI_FLUSH_DW_STORE_INDEX | 1 << 14 | 2,
		0xabcd07d0 | MI_FLUSH_DW_ADDR_GGTT, 5, 7,
	};
	u32 pc[] = {
		CMD_PIPE_CONTROL << 16 | 4, PC_STORE_INDEX | PC_GLOBAL_GTT | 1 << 14,
		0xabcd0d0, 5, 9, 0,
	};
	u32 sdi_index[] = { MI_CMD(OP_MI_STORE_DATA_INDEX) | 1, 0x40, 1 };

	(void)state;
	assert_int_equal(RUN(GSLOT_BCS0, RING, flush), 0);
	assert_int_equal(flush[1], 0x7d0);
	assert_int_equal(flush[2], 0);
	assert_int_equal(scan.denied, 1);
	assert_int_equal(RUN(GSLOT_RCS0, RING, pc), 0);
	assert_false(pc[1] & PC_GLOBAL_GTT);
	assert_int_equal(pc[2], 0xd0);
	assert_int_equal(pc[3], 0);
	assert_int_equal(RUN(GSLOT_RCS0, RING, sdi_index), -EPERM);
}

static void test_registers(void **state)
{
	u32 lri[] = {
		MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 5,
		GEN_RCS0_BASE + RING_GPR(0), 1,
		GEN_RCS0_BASE + RING_HWS_PGA, 2,
		GEN_BCS0_BASE + RING_GPR(0), 3,
	};
	u32 srm[] = {
		MI_CMD(OP_MI_STORE_REGISTER_MEM) | 2, GEN_RCS0_BASE + RING_TIMESTAMP, 0, 0,
		MI_CMD(OP_MI_STORE_REGISTER_MEM) | 2, GEN_MASTER_IRQ, 0, 0,
	};
	u32 lrm[] = {
		MI_CMD(OP_MI_LOAD_REGISTER_MEM) | 2, GEN_RCS0_BASE + RING_TIMESTAMP, 0, 0,
	};
	u32 lrr[] = {
		MI_CMD(OP_MI_LOAD_REGISTER_REG) | 1, GEN_RCS0_BASE + RING_TIMESTAMP,
		GEN_RCS0_BASE + RING_GPR(1),
	};
	u32 host[] = { MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 1, GEN_RCS0_BASE + RING_MI_MODE, 1 };
	u32 even[] = { MI_CMD(OP_MI_LOAD_REGISTER_IMM) | 2, GEN_RCS0_BASE + RING_GPR(0), 1, 2 };

	(void)state;
	assert_int_equal(RUN(GSLOT_RCS0, RING, lri), 0);
	assert_int_equal(lri[1], GEN_RCS0_BASE + RING_GPR(0));
	assert_int_equal(lri[3], NOPID(GSLOT_RCS0));
	assert_int_equal(lri[5], NOPID(GSLOT_RCS0));
	assert_int_equal(scan.denied, 2);
	/* What the host sets for all guests is dropped, and not counted. */
	assert_int_equal(RUN(GSLOT_RCS0, RING, host), 0);
	assert_int_equal(host[1], NOPID(GSLOT_RCS0));
	assert_int_equal(scan.denied, 0);
	assert_int_equal(RUN(GSLOT_RCS0, RING, srm), 0);
	assert_int_equal(srm[1], GEN_RCS0_BASE + RING_TIMESTAMP);
	assert_int_equal(srm[5], GEN_RCS0_BASE + RING_EXCC);
	assert_int_equal(RUN(GSLOT_RCS0, RING, lrm), 0);
	assert_int_equal(lrm[1], NOPID(GSLOT_RCS0));
	assert_int_equal(RUN(GSLOT_RCS0, RING, lrr), 0);
	assert_int_equal(lrr[1], GEN_RCS0_BASE + RING_TIMESTAMP);
	assert_int_equal(lrr[2], GEN_RCS0_BASE + RING_GPR(1));
	assert_int_equal(RUN(GSLOT_RCS0, RING, even), -EINVAL);
}

/* PIPE_CONTROL can write a register, too; no driver needs that in a ring. */
static void test_pipe_control_register(void **state)
{
	u32 pc[] = { CMD_PIPE_CONTROL << 16 | 4, 1 << 23, GEN_RCS0_BASE + RING_ELSP, 0, 9, 0 };
	u32 small[] = { CMD_PIPE_CONTROL << 16 | 3, 0, 0, 0, 0 };

	(void)state;
	assert_int_equal(RUN(GSLOT_RCS0, RING, pc), -EPERM);
	assert_int_equal(RUN(GSLOT_RCS0, RING, small), -EINVAL);
}

/* The longest that passes on Gen8: with one dword more the length needs a seventh bit. */
static void test_math_length(void **state)
{
	u32 cmds[66] = { };

	(void)state;
	for (u32 gen = 8; gen <= 9; gen++) {
		scan = (struct gslot_scan) {
			.engine = GSLOT_RCS0, .gen = gen, .kind = GSLOT_SCAN_RING,
			.window = &window,
		};
		cmds[0] = MI_CMD(OP_MI_MATH) | (65 - 2);
		assert_int_equal(gslot_scan(&scan, cmds, 65), 0);
		cmds[0]++;
		assert_int_equal(gslot_scan(&scan, cmds, 66), gen == 8 ? -EINVAL : 0);
	}
}

/*
 * While a context is loaded, registers have another vGPU's values: no command in a workaround
 * batch may read one. Commands of drivers that read registers of the host are neutralised.
 */
static void test_no_look_from_restore(void **state)
{
	static const u32 regs[] = {
		GEN_RCS0_BASE + RING_GPR(0), GEN_SO_NUM_PRIMS_WRITTEN(0), GEN_ROW_CHICKEN,
		GEN_L3CNTLREG, GEN_L3SQCREG4,
	};
	u32 math[] = { MI_CMD(OP_MI_MATH) | 0, 0 };
	u32 predicate = MI_CMD(OP_MI_PREDICATE) | 2 << 6 | 2 << 3 | 2;
	u32 predicated[] = {
		MI_CMD(OP_MI_STORE_REGISTER_MEM) | MI_USE_GGTT | MI_SRM_PREDICATE | 2,
		GEN_RCS0_BASE + RING_GPR(0), 0x100, 0,
	};
	u32 atomic[] = { MI_CMD(OP_MI_ATOMIC) | 1, 0x100, 0 };
	u32 inlined[11] = { MI_CMD(OP_MI_ATOMIC) | MI_ATOMIC_INLINE | 9, 0x100 };
	u32 returns[11] = {
		MI_CMD(OP_MI_ATOMIC) | MI_ATOMIC_INLINE | MI_ATOMIC_RETURN | 9, 0x100,
	};
	u32 depth[] = {
		CMD_PIPE_CONTROL << 16 | 4, PC_GLOBAL_GTT | PC_POST_SYNC_PS_DEPTH << 14,
		(u32)HIGH + 0x40, 0, 0, 0,
	};
	u32 i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(regs); i++) {
		u32 srm[] = {
			MI_CMD(OP_MI_STORE_REGISTER_MEM) | MI_USE_GGTT | 2, regs[i], 0x100, 0,
		};
		u32 lrr[] = {
			MI_CMD(OP_MI_LOAD_REGISTER_REG) | 1, regs[i], GEN_RCS0_BASE + RING_GPR(1),
		};

		assert_int_equal(RUN(GSLOT_RCS0, INDIRECT, srm), 0);
		assert_int_equal(srm[1], GEN_RCS0_BASE + RING_EXCC);
		assert_int_equal(RUN(GSLOT_RCS0, INDIRECT, lrr), 0);
		assert_int_equal(lrr[1], GEN_RCS0_BASE + RING_EXCC);
		assert_int_equal(lrr[2], GEN_RCS0_BASE + RING_GPR(1));
	}
	assert_int_equal(scan.denied, 0);	/* i915 keeps L3SQCREG4 there */
	assert_int_equal(RUN(GSLOT_RCS0, RING, math), 0);
	assert_int_equal(RUN(GSLOT_RCS0, INDIRECT, math), -EPERM);
	assert_int_equal(run(GSLOT_RCS0, GSLOT_SCAN_RING, &predicate, 1), 0);
	assert_int_equal(run(GSLOT_RCS0, GSLOT_SCAN_INDIRECT, &predicate, 1), -EPERM);
	assert_int_equal(RUN(GSLOT_RCS0, RING, predicated), 0);
	assert_true(predicated[0] & MI_SRM_PREDICATE);
	predicated[2] = 0x100;
	predicated[3] = 0;
	assert_int_equal(RUN(GSLOT_RCS0, INDIRECT, predicated), 0);
	assert_false(predicated[0] & MI_SRM_PREDICATE);
	assert_int_equal(RUN(GSLOT_RCS0, RING, atomic), 0);
	assert_int_equal(RUN(GSLOT_RCS0, INDIRECT, atomic), -EPERM);
	assert_int_equal(RUN(GSLOT_RCS0, INDIRECT, inlined), 0);
	assert_int_equal(RUN(GSLOT_RCS0, INDIRECT, returns), -EPERM);
	assert_int_equal(RUN(GSLOT_RCS0, INDIRECT, depth), -EPERM);
	assert_int_equal(RUN(GSLOT_RCS0, RING, depth), 0);
}

/* Of the engines of Gen8 only rcs is known to save general purpose registers. */
static void test_gprs(void **state)
{
	u32 math[] = { MI_CMD(OP_MI_MATH) | 0, 0 };
	u32 atomic[] = { MI_CMD(OP_MI_ATOMIC) | 1, 0x100, 0 };
	u32 inlined[11] = { MI_CMD(OP_MI_ATOMIC) | MI_ATOMIC_INLINE | 9, 0x100 };

	(void)state;
	for (u32 engine = 0; engine < GSLOT_NR_ENGINES; engine++) {
		for (u32 gen = 8; gen <= 9; gen++) {
			int expected = gen == 8 && engine != GSLOT_RCS0 ? -EPERM : 0;

			scan = (struct gslot_scan) {
				.engine = engine, .gen = gen, .kind = GSLOT_SCAN_RING,
				.window = &window,
			};
			assert_int_equal(gslot_scan(&scan, math, 2), expected);
			assert_int_equal(gslot_scan(&scan, atomic, 3), expected);
			assert_int_equal(gslot_scan(&scan, inlined, 11), 0);
		}
	}
}

/* The length must be that of the form that a bit says. */
static void test_atomic_length(void **state)
{
	u32 with[11] = { MI_CMD(OP_MI_ATOMIC) | 9, 0x100 };
	u32 without[] = { MI_CMD(OP_MI_ATOMIC) | MI_ATOMIC_INLINE | 1, 0x100, 0 };

	(void)state;
	assert_int_equal(RUN(GSLOT_RCS0, RING, with), -EINVAL);
	assert_int_equal(RUN(GSLOT_RCS0, RING, without), -EINVAL);
	assert_int_equal(RUN(GSLOT_BCS0, BATCH, with), -EINVAL);
	assert_int_equal(RUN(GSLOT_BCS0, BATCH, without), -EINVAL);
}

static void test_arbitration(void **state)
{
	u32 off = MI_CMD(OP_MI_ARB_ON_OFF), dw;

	(void)state;
	dw = off;
	assert_int_equal(run(GSLOT_RCS0, GSLOT_SCAN_RING, &dw, 1), 0);
	assert_int_equal(dw, off | MI_ARB_ON);
	dw = off;
	assert_int_equal(run(GSLOT_RCS0, GSLOT_SCAN_INDIRECT, &dw, 1), 0);
	assert_int_equal(dw, 0);
	dw = off | MI_ARB_ON;
	assert_int_equal(run(GSLOT_RCS0, GSLOT_SCAN_INDIRECT, &dw, 1), 0);
	assert_int_equal(dw, 0);
	dw = off;
	scan.gen = 8;
	scan.kind = GSLOT_SCAN_RING;
	assert_int_equal(gslot_scan(&scan, &dw, 1), 0);
	assert_int_equal(dw, 0);
}

/* A context's load does not wait, and does not end on a condition. */
static void test_no_wait_in_load(void **state)
{
	u32 wait[] = { MI_CMD(OP_MI_SEMAPHORE_WAIT) | MI_SEMAPHORE_POLL | 2, 1, 0, 0 };
	u32 cond[] = { MI_CMD(OP_MI_COND_BATCH_BUFFER_END) | 2, 0, 0, 0 };

	(void)state;
	assert_int_equal(RUN(GSLOT_RCS0, RING, wait), 0);
	assert_int_equal(RUN(GSLOT_RCS0, INDIRECT, wait), -EPERM);
	assert_int_equal(RUN(GSLOT_RCS0, BATCH, cond), 0);
	assert_int_equal(RUN(GSLOT_RCS0, INDIRECT, cond), -EPERM);
}

#define BB_START	(MI_CMD(OP_MI_BATCH_BUFFER_START) | 1)

/* No resource streamer, which no context saves here; no added offset. */
static void test_start_bits(void **state)
{
	u32 kept = BB_START | MI_BB_PPGTT | MI_BB_PREDICATE;
	u32 dw[] = { kept | 0x003f7e00, 0x1000, 0 };

	(void)state;
	assert_int_equal(RUN(GSLOT_RCS0, RING, dw), 0);
	assert_int_equal(dw[0], kept);
	dw[0] |= MI_BB_SECOND_LEVEL;
	assert_int_equal(RUN(GSLOT_RCS0, BATCH, dw), 0);
	assert_int_equal(dw[0], kept | MI_BB_SECOND_LEVEL);
}

static void test_batch_start(void **state)
{
	u32 last[] = { 0, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1, 0, 0 };
	u32 followed[] = { MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1, 0, 0, 0 };
	u32 ppgtt[] = { BB_START | MI_BB_PPGTT, 0x12345000, 0x7f };
	u32 ggtt[] = { BB_START | 1 << 16 | 1 << 10, HIGH + 0x1000, 0 };
	u32 bad[] = { BB_START, 128 * MB, 0 };
	u32 second[] = { BB_START | MI_BB_SECOND_LEVEL | MI_BB_PPGTT, 0x1000, 0 };
	u32 end[] = { MI_CMD(OP_MI_BATCH_BUFFER_END), 0x31337 << 12 | 0xe0000000, 1 };

	(void)state;
	assert_int_equal(RUN(GSLOT_VECS0, RING, ppgtt), 0);
	assert_int_equal(ppgtt[1], 0x12345000);
	assert_int_equal(batches, 0);
	assert_int_equal(RUN(GSLOT_RCS0, RING, ggtt), 0);
	assert_int_equal(ggtt[0], BB_START);	/* no added offset, no streamer */
	assert_int_equal(ggtt[1], 0xf8001000);
	assert_int_equal(RUN(GSLOT_RCS0, RING, bad), -EFAULT);
	assert_int_equal(RUN(GSLOT_RCS0, RING, second), -EPERM);
	assert_int_equal(RUN(GSLOT_RCS0, BATCH, second), 0);
	assert_int_equal(RUN(GSLOT_RCS0, RING, end), -EPERM);
	/* Behind the end of a batch nothing is checked, so nothing is left. */
	assert_int_equal(RUN(GSLOT_RCS0, BATCH, end), 0);
	assert_int_equal(end[1] | end[2], 0);
	/* Is the last command a batch's start? */
	assert_int_equal(RUN(GSLOT_RCS0, RING, last), 0);
	assert_true(scan.open);
	assert_int_equal(RUN(GSLOT_RCS0, RING, followed), 0);
	assert_false(scan.open);
	/* Without a callback there are no privileged batches. */
	ggtt[1] = HIGH + 0x1000;
	scan.batch = NULL;
	scan.kind = GSLOT_SCAN_RING;
	assert_int_equal(gslot_scan(&scan, ggtt, 3), -EPERM);
}

static void test_refused(void **state)
{
	static const u32 ops[] = {
		OP_MI_RS_CONTROL, OP_MI_REPORT_HEAD, OP_MI_URB_ATOMIC_ALLOC,
		OP_MI_SUSPEND_FLUSH, OP_MI_TOPOLOGY_FILTER, OP_MI_RS_CONTEXT,
		OP_MI_SET_CONTEXT, OP_MI_SEMAPHORE_SIGNAL, OP_MI_FORCE_WAKEUP,
		OP_MI_STORE_DATA_INDEX, OP_MI_UPDATE_GTT, OP_MI_CLFLUSH,
		OP_MI_RS_STORE_DATA_IMM, OP_MI_LOAD_URB_MEM, OP_MI_STORE_URB_MEM,
		OP_MI_COND_BATCH_BUFFER_END,
	};
	u32 poll[] = { MI_CMD(OP_MI_SEMAPHORE_WAIT) | MI_SEMAPHORE_REGISTER_POLL | 2, 0, 0, 0 };

	(void)state;
	for (int e = 0; e < GSLOT_NR_ENGINES; e++) {
		for (unsigned int i = 0; i < ARRAY_SIZE(ops); i++) {
			u32 dw[257] = { MI_CMD(ops[i]) | 2 };

			assert_int_equal(RUN(e, RING, dw), -EPERM);
			assert_int_equal(scan.bad, 0);
			assert_int_equal(scan.bad_cmd, MI_CMD(ops[i]) | 2);
		}
	}
	for (u32 client = 1; client < 8; client++) {
		u32 dw = client << 29;

		if (client != CMD_CLIENT_BLT && client != CMD_CLIENT_RENDER)
			assert_int_equal(run(GSLOT_RCS0, GSLOT_SCAN_RING, &dw, 1), -EPERM);
	}
	assert_int_equal(RUN(GSLOT_RCS0, RING, poll), -EPERM);
}

/*
 * An enabled predicate makes the end of a batch a NOOP, too, and outlives the batch. So it may not
 * be enabled with privilege. A user batch can enable it, and a later privileged batch must end all
 * the same.
 */
static void test_predicate(void **state)
{
	u32 tail[GSLOT_BATCH_TAIL_DWORDS];

	(void)state;
	for (int kind = GSLOT_SCAN_RING; kind <= GSLOT_SCAN_INDIRECT; kind++) {
		for (u32 enable = 0; enable < 16; enable++) {
			u32 dw = MI_CMD(OP_MI_SET_PREDICATE) | enable;

			assert_int_equal(run(GSLOT_RCS0, kind, &dw, 1), enable ? -EPERM : 0);
			assert_int_equal(dw, MI_CMD(OP_MI_SET_PREDICATE) | enable);
		}
	}
	gslot_batch_seal(GSLOT_RCS0, tail);
	assert_int_equal(tail[0], MI_CMD(OP_MI_SET_PREDICATE));
	assert_int_equal(tail[1], MI_CMD(OP_MI_BATCH_BUFFER_END));
	for (int e = GSLOT_BCS0; e < GSLOT_NR_ENGINES; e++) {
		gslot_batch_seal(e, tail);
		assert_int_equal(tail[0], 0);	/* it has no predicate */
		assert_int_equal(tail[1], MI_CMD(OP_MI_BATCH_BUFFER_END));
	}
}

/* Workaround batches call no other batches. */
static void test_no_call_from_restore(void **state)
{
	u32 ggtt[] = { BB_START, HIGH + 0x1000, 0 };
	u32 ppgtt[] = { BB_START | MI_BB_PPGTT, 0x1000, 0 };

	(void)state;
	for (int e = 0; e < GSLOT_NR_ENGINES; e++) {
		assert_int_equal(RUN(e, INDIRECT, ggtt), -EPERM);
		assert_int_equal(RUN(e, INDIRECT, ppgtt), -EPERM);
		assert_int_equal(batches, 0);
	}
}

static void test_display_is_dropped(void **state)
{
	u32 dw[] = { MI_CMD(OP_MI_WAIT_FOR_EVENT) | 2, MI_CMD(OP_MI_DISPLAY_FLIP) | 1, 1, 2 };

	(void)state;
	assert_int_equal(RUN(GSLOT_RCS0, RING, dw), 0);
	assert_int_equal(dw[0] | dw[1] | dw[2] | dw[3], 0);
}

static void test_clients(void **state)
{
	u32 blt[7] = { CMD_CLIENT_BLT << 29 | OP_XY_COLOR_BLT << 22 | 5 };
	u32 odd[2] = { CMD_CLIENT_BLT << 29 | 0x3f << 22 };
	u32 draw[7] = { 0x7b000005 };
	u32 media[9] = { 0x70000007 };		/* MEDIA_VFE_STATE */
	u32 odd_media[8] = { 0x70000006 };	/* one that has not its length */

	(void)state;
	assert_int_equal(RUN(GSLOT_BCS0, RING, blt), 0);
	assert_int_equal(RUN(GSLOT_RCS0, RING, blt), -EPERM);
	assert_int_equal(RUN(GSLOT_BCS0, RING, odd), -EPERM);
	assert_int_equal(RUN(GSLOT_RCS0, RING, draw), 0);
	assert_int_equal(RUN(GSLOT_BCS0, RING, draw), -EPERM);
	assert_int_equal(RUN(GSLOT_VCS0, RING, draw), -EPERM);
	assert_int_equal(RUN(GSLOT_VCS0, RING, media), -EPERM);
	assert_int_equal(RUN(GSLOT_RCS0, RING, media), 0);
	assert_int_equal(RUN(GSLOT_RCS0, RING, odd_media), -EINVAL);
}

/*
 * The state that a stock i915 gives the first context of the render engine, by
 * a batch in the GGTT: the commands of Gen9's and those that differ on Gen8.
 */
static void test_null_state(void **state)
{
	static const u32 headers[] = {
		0x7a000004, 0x69040300, 0x78140000, 0x7820000a, 0x78130002, 0x781f0004,
		0x78510009, 0x78100007, 0x781b0007, 0x78110008, 0x781e0003, 0x781d0009,
		0x78120002, 0x78500003, 0x781c0002, 0x780c0000, 0x78520003, 0x78300000,
		0x78310000, 0x78320000, 0x78330000, 0x79190002, 0x791a0002, 0x791b0002,
		0x79120000, 0x79130000, 0x79140000, 0x79150000, 0x79160000, 0x78150009,
		0x78190009, 0x781a0009, 0x78160009, 0x78170009, 0x78490001, 0x784a0000,
		0x784b0000, 0x79170101, 0x79180006, 0x61010011, 0x61020001, 0x79000002,
		0x78050006, 0x79040002, 0x79080001, 0x790a0001, 0x78060003, 0x78070003,
		0x78040001, 0x79110000, 0x780d0000, 0x79060000, 0x7907001f, 0x7902000f,
		0x790c000f, 0x780a0003, 0x78080083, 0x78090043, 0x78550003, 0x680b0001,
		0x780e0000, 0x78240000, 0x784f0000, 0x784d0000, 0x782b0000, 0x782c0000,
		0x782d0000, 0x782e0000, 0x782f0000, 0x780f0000, 0x78230000, 0x78210000,
		0x78260000, 0x78270000, 0x78280000, 0x78290000, 0x782a0000, 0x7b000005,
		/* Gen8 */
		0x69040000, 0x781f0002, 0x781d0007, 0x6101000e,
	};

	(void)state;
	for (unsigned int i = 0; i < ARRAY_SIZE(headers); i++) {
		u32 dw[600] = { headers[i] };

		if (run(GSLOT_RCS0, GSLOT_SCAN_BATCH, dw, ARRAY_SIZE(dw)))
			fail_msg("%08x is refused", headers[i]);
	}
}

static void test_over_the_end(void **state)
{
	u32 dw[] = { 0, SDI(0, 4), 0, 0 };

	(void)state;
	assert_int_equal(RUN(GSLOT_RCS0, RING, dw), -EINVAL);
	assert_int_equal(scan.bad, 1);
}

static bool ours(u64 phys, u64 len)
{
	return (phys >= LOW_PHYS && phys + len <= LOW_PHYS + window.low_size) ||
	       (phys >= HIGH_PHYS && phys + len <= HIGH_PHYS + window.high_size);
}

static u64 addr_at(const u32 *dw)
{
	return (u64)dw[1] << 32 | (dw[0] & ~7u);
}

static void check_writable(int engine, u32 reg)
{
	assert_true(reg == NOPID(engine) || gslot_reg_cmd(engine, reg, 9) == GSLOT_CMD_ALLOW);
}

/* The most that an accepted command may access, by rules independent of the scanner. */
static void check_harmless(int engine, const u32 *dw, u32 len)
{
	bool ggtt = dw[0] & MI_USE_GGTT;

	switch (MI_OPCODE(dw[0])) {
	case OP_MI_STORE_DATA_IMM:
		assert_true(!ggtt || ours(addr_at(dw + 1), (len - 3) * 4));
		break;
	case OP_MI_LOAD_REGISTER_IMM:
		for (u32 i = 1; i < len; i += 2)
			check_writable(engine, dw[i]);
		break;
	case OP_MI_LOAD_REGISTER_REG:
		check_writable(engine, dw[2]);
		break;
	case OP_MI_LOAD_REGISTER_MEM:
		check_writable(engine, dw[1]);
		assert_true(!ggtt || ours(addr_at(dw + 2), 4));
		break;
	case OP_MI_STORE_REGISTER_MEM:
	case OP_MI_SEMAPHORE_WAIT:
		assert_true(!ggtt || ours(addr_at(dw + 2), 4));
		break;
	case OP_MI_ATOMIC:
		assert_true(!ggtt || ours(addr_at(dw + 1), 16));
		break;
	case OP_MI_COPY_MEM_MEM:
		assert_true(!(dw[0] & MI_COPY_DST_GGTT) || ours(addr_at(dw + 1), 4));
		assert_true(!ggtt || ours(addr_at(dw + 3), 4));
		break;
	case OP_MI_FLUSH_DW:
		if (MI_FLUSH_DW_OP(dw[0]) && dw[1] & MI_FLUSH_DW_ADDR_GGTT)
			assert_true(!(dw[0] & MI_FLUSH_DW_STORE_INDEX) &&
				    ours(addr_at(dw + 1), 8));
		break;
	case OP_MI_REPORT_PERF_COUNT:
		assert_true(!(dw[1] & 1) || ours(addr_at(dw + 1) & ~0x3full, 256));
		break;
	case OP_MI_BATCH_BUFFER_START:
		assert_true(dw[0] & MI_BB_PPGTT || dw[1] == 0xf8001000);
		break;
	case OP_MI_ARB_ON_OFF:
		assert_true(dw[0] & MI_ARB_ON);
		break;
	default:
		/* No other that is accepted has an operand. */
		assert_true(gslot_cmd_len(engine, dw[0]) == 1 ||
			    MI_OPCODE(dw[0]) == OP_MI_MATH);
	}
}

/* A dword that is now and then an address or a register of interest. */
static u32 likely_dword(int engine)
{
	switch (rnd_below(6)) {
	case 0:
		return rnd();
	case 1:
		return rnd_below(3);
	case 2:
		return gslot_engines[engine].base + (rnd_below(0x800) & ~3u);
	case 3:
		return HIGH + rnd_below(window.high_size + 0x1000);
	case 4:
		return HIGH + 0x1000;
	default:
		return rnd_below(window.low_size + 0x1000);
	}
}

static void test_random(void **state)
{
	unsigned int accepted = 0;

	(void)state;
	for (unsigned int i = 0; i < rounds(500000); i++) {
		u32 dw[16], n = rnd_range(1, 16), len;
		int engine = rnd_below(GSLOT_NR_ENGINES);

		for (u32 k = 0; k < n; k++)
			dw[k] = likely_dword(engine);
		dw[0] = MI_CMD(rnd_below(64)) | (rnd() & 0x7ff000) | rnd_below(12);
		/* The rest is of no interest here: only the first command. */
		len = gslot_cmd_len(engine, dw[0]);
		if (!len || len > n || run(engine, GSLOT_SCAN_RING, dw, len))
			continue;
		accepted++;
		check_harmless(engine, dw, len);
	}
	assert_true(accepted > 10000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_breadcrumb),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_flush_bounds),
		cmocka_unit_test(test_index),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_pipe_control_register),
		cmocka_unit_test(test_math_length),
		cmocka_unit_test(test_no_look_from_restore),
		cmocka_unit_test(test_gprs),
		cmocka_unit_test(test_atomic_length),
		cmocka_unit_test(test_arbitration),
		cmocka_unit_test(test_no_wait_in_load),
		cmocka_unit_test(test_start_bits),
		cmocka_unit_test(test_batch_start),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_predicate),
		cmocka_unit_test(test_no_call_from_restore),
		cmocka_unit_test(test_display_is_dropped),
		cmocka_unit_test(test_clients),
		cmocka_unit_test(test_null_state),
		cmocka_unit_test(test_over_the_end),
		cmocka_unit_test(test_random),
	};

	return run_tap_tests("core_scan", tests);
}
