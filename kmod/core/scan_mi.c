// SPDX-License-Identifier: GPL-2.0
/*
 * MI commands: which of them a guest may have executed with privilege, and
 * what their operands are. What has no rule here is refused.
 */
#include "scan_priv.h"
#include "../../include/gen/cmds.h"

#define RCS		GSLOT_ENGINE_BIT(GSLOT_RCS0)
#define ALL		GSLOT_ALL_ENGINES

#define IN_RING		BIT(GSLOT_SCAN_RING)
#define IN_BATCH	BIT(GSLOT_SCAN_BATCH)
#define IN_INDIRECT	BIT(GSLOT_SCAN_INDIRECT)
#define ANYWHERE	(IN_RING | IN_BATCH | IN_INDIRECT)
#define IN_BATCHES	(IN_BATCH | IN_INDIRECT)

enum operand_kind {
	NO_OPERAND,
	ADDR,			/* in the GGTT if dword 0 has the bit @ggtt */
	REG_READ,
	REG_WRITE,
};

struct operand {
	u8 kind;
	u8 dword;
	u8 extent;		/* ADDR: bytes */
	u8 flags;		/* ADDR: low bits that are no address */
	u32 ggtt;
};

/**
 * struct mi_rule - one command
 * @engines: engines that may have it; 0: refused
 * @where: in which kinds of buffers
 * @min_len: shortest form, dwords
 * @max_len: longest form
 * @clear: bits of dword 0 that must not reach the hardware
 * @operands: what it names
 * @check: what a table cannot say; runs first
 */
struct mi_rule {
	u8 engines;
	u8 where;
	u16 min_len;
	u16 max_len;
	u32 clear;
	struct operand operands[2];
	int (*check)(struct gslot_cmd *cmd);
};

#define GGTT_ADDR(dw, bit, bytes) \
	{ .kind = ADDR, .dword = (dw), .ggtt = (bit), .extent = (bytes), .flags = 3 }

static int check_drop(struct gslot_cmd *cmd)
{
	gslot_scan_noop(cmd);
	return 0;
}

/*
 * A guest that sees no preemption brackets each batch with arbitration off.
 * It must be preemptible all the same. In the indirect-context batch the
 * switch protects the restore itself and lasts a few commands.
 */
static int check_arb_on_off(struct gslot_cmd *cmd)
{
	if (cmd->scan->kind == GSLOT_SCAN_INDIRECT || cmd->dw[0] & MI_ARB_ON)
		return 0;
	if (cmd->scan->gen >= 9)
		cmd->dw[0] |= MI_ARB_ON;
	else
		gslot_scan_noop(cmd);
	return 0;
}

static int check_store_data_imm(struct gslot_cmd *cmd)
{
	u32 data = cmd->len - 3;

	if (cmd->dw[0] & MI_SDI_QWORD && data & 1)
		return -EINVAL;
	if (cmd->dw[0] & MI_USE_GGTT)
		return gslot_scan_ggtt(cmd, 1, 3, data * sizeof(u32));
	return 0;
}

static int check_load_register_imm(struct gslot_cmd *cmd)
{
	u32 i;

	if (!(cmd->len & 1))
		return -EINVAL;
	for (i = 1; i < cmd->len; i += 2)
		gslot_scan_reg(cmd, i, true);
	return 0;
}

/*
 * By index means: into a status page. With the GGTT bit that is the engine's,
 * where the host's context status lives; without, the context's own, which is
 * the guest's page. So the guest's own it is.
 */
static int check_flush_dw(struct gslot_cmd *cmd)
{
	u32 *dw = cmd->dw;

	if (MI_FLUSH_DW_OP(dw[0]) == MI_FLUSH_DW_OP_NONE)
		return 0;
	if (cmd->len < 4)
		return -EINVAL;
	if (dw[0] & MI_FLUSH_DW_STORE_INDEX) {
		if (dw[1] & MI_FLUSH_DW_ADDR_GGTT)
			cmd->scan->denied++;
		dw[1] &= (GEN_PAGE_SIZE - 1) & ~7u;
		dw[2] = 0;
		return 0;
	}
	if (dw[1] & MI_FLUSH_DW_ADDR_GGTT)
		return gslot_scan_ggtt(cmd, 1, 7, sizeof(u64));
	return 0;
}

static int check_atomic(struct gslot_cmd *cmd)
{
	if (cmd->len != 3 && cmd->len != 11)
		return -EINVAL;
	if (cmd->dw[0] & MI_USE_GGTT)	/* at most an octword */
		return gslot_scan_ggtt(cmd, 1, 3, 16);
	return 0;
}

static int check_semaphore_wait(struct gslot_cmd *cmd)
{
	/* Polling a register would show the host's. */
	return cmd->dw[0] & MI_SEMAPHORE_REGISTER_POLL ? -EPERM : 0;
}

/* The report's GGTT bit is in the address itself. */
#define REPORT_GGTT	((u32)BIT(0))
#define REPORT_FLAGS	0x3fu
#define REPORT_BYTES	256

static int check_report_perf(struct gslot_cmd *cmd)
{
	if (cmd->dw[1] & REPORT_GGTT)
		return gslot_scan_ggtt(cmd, 1, REPORT_FLAGS, REPORT_BYTES);
	return 0;
}

static int check_batch_start(struct gslot_cmd *cmd)
{
	struct gslot_scan *scan = cmd->scan;
	u32 *dw = cmd->dw;
	u64 phys;
	int err;

	if (scan->kind == GSLOT_SCAN_RING && dw[0] & MI_BB_SECOND_LEVEL)
		return -EPERM;
	if (dw[0] & MI_BB_PPGTT)	/* drops privilege: confined by its PPGTT */
		return 0;
	if (!scan->batch)
		return -EPERM;
	err = scan->batch(scan, (u64)dw[2] << 32 | (dw[1] & ~3u), &phys);
	if (err)
		return err;
	/* Nothing but the level and the predicate: no added offset. */
	dw[0] &= ~0x007ffe00u | MI_BB_SECOND_LEVEL | MI_BB_PREDICATE;
	dw[1] = lower_32_bits(phys);
	dw[2] = upper_32_bits(phys);
	return 0;
}

#define ONE(e, w)	{ .engines = (e), .where = (w), .min_len = 1, .max_len = 1 }
#define DROP(n)		{ .engines = ALL, .where = ANYWHERE, .min_len = 1, \
			  .max_len = (n), .check = check_drop }

static const struct mi_rule mi_rules[64] = {
	[OP_MI_NOOP]			= ONE(ALL, ANYWHERE),
	[OP_MI_SET_PREDICATE]		= ONE(ALL, ANYWHERE),
	[OP_MI_USER_INTERRUPT]		= ONE(ALL, ANYWHERE),
	[OP_MI_WAIT_FOR_EVENT]		= DROP(1),
	[OP_MI_ARB_CHECK]		= ONE(ALL, ANYWHERE),
	[OP_MI_ARB_ON_OFF]		= {
		.engines = ALL, .where = ANYWHERE, .min_len = 1, .max_len = 1,
		.check = check_arb_on_off,
	},
	[OP_MI_BATCH_BUFFER_END]	= ONE(ALL, IN_BATCHES),
	[OP_MI_PREDICATE]		= ONE(RCS, ANYWHERE),
	[OP_MI_DISPLAY_FLIP]		= DROP(257),
	[OP_MI_MATH]			= {
		.engines = ALL, .where = ANYWHERE, .min_len = 2, .max_len = 257,
	},
	[OP_MI_SEMAPHORE_WAIT]		= {
		.engines = ALL, .where = ANYWHERE, .min_len = 4, .max_len = 4,
		.operands = { GGTT_ADDR(2, MI_USE_GGTT, 4) },
		.check = check_semaphore_wait,
	},
	[OP_MI_STORE_DATA_IMM]		= {
		.engines = ALL, .where = ANYWHERE, .min_len = 4, .max_len = 1025,
		.check = check_store_data_imm,
	},
	[OP_MI_LOAD_REGISTER_IMM]	= {
		.engines = ALL, .where = ANYWHERE, .min_len = 3, .max_len = 257,
		.clear = 0x007fe000,	/* all but posting and byte masks */
		.check = check_load_register_imm,
	},
	[OP_MI_STORE_REGISTER_MEM]	= {
		.engines = ALL, .where = ANYWHERE, .min_len = 4, .max_len = 4,
		.operands = {
			{ .kind = REG_READ, .dword = 1 },
			GGTT_ADDR(2, MI_USE_GGTT, 4),
		},
	},
	[OP_MI_FLUSH_DW]		= {
		.engines = ALL & ~RCS, .where = ANYWHERE, .min_len = 3, .max_len = 5,
		.clear = BIT(22),	/* protected memory */
		.check = check_flush_dw,
	},
	[OP_MI_REPORT_PERF_COUNT]	= {
		.engines = RCS, .where = ANYWHERE, .min_len = 4, .max_len = 4,
		.check = check_report_perf,
	},
	[OP_MI_LOAD_REGISTER_MEM]	= {
		.engines = ALL, .where = ANYWHERE, .min_len = 4, .max_len = 4,
		.operands = {
			{ .kind = REG_WRITE, .dword = 1 },
			GGTT_ADDR(2, MI_USE_GGTT, 4),
		},
	},
	[OP_MI_LOAD_REGISTER_REG]	= {
		.engines = ALL, .where = ANYWHERE, .min_len = 3, .max_len = 3,
		.operands = {
			{ .kind = REG_READ, .dword = 1 },
			{ .kind = REG_WRITE, .dword = 2 },
		},
	},
	[OP_MI_COPY_MEM_MEM]		= {
		.engines = ALL, .where = ANYWHERE, .min_len = 5, .max_len = 5,
		.operands = {
			GGTT_ADDR(1, MI_COPY_DST_GGTT, 4),
			GGTT_ADDR(3, MI_USE_GGTT, 4),
		},
	},
	[OP_MI_ATOMIC]			= {
		.engines = ALL, .where = ANYWHERE, .min_len = 3, .max_len = 11,
		.check = check_atomic,
	},
	[OP_MI_BATCH_BUFFER_START]	= {
		.engines = ALL, .where = ANYWHERE, .min_len = 3, .max_len = 3,
		.check = check_batch_start,
	},
	[OP_MI_COND_BATCH_BUFFER_END]	= {
		.engines = ALL, .where = IN_BATCHES, .min_len = 4, .max_len = 4,
		.operands = { GGTT_ADDR(2, MI_USE_GGTT, 8) },
	},
};

static int scan_operand(struct gslot_cmd *cmd, const struct operand *op)
{
	switch (op->kind) {
	case ADDR:
		if (!(cmd->dw[0] & op->ggtt))
			return 0;
		return gslot_scan_ggtt(cmd, op->dword, op->flags, op->extent);
	case REG_READ:
	case REG_WRITE:
		gslot_scan_reg(cmd, op->dword, op->kind == REG_WRITE);
		return 0;
	default:
		return 0;
	}
}

int gslot_scan_mi(struct gslot_cmd *cmd)
{
	const struct mi_rule *rule = &mi_rules[MI_OPCODE(cmd->dw[0])];
	u32 i;
	int err;

	if (!(rule->engines & GSLOT_ENGINE_BIT(cmd->scan->engine)) ||
	    !(rule->where & BIT(cmd->scan->kind)))
		return -EPERM;
	if (cmd->len < rule->min_len || cmd->len > rule->max_len)
		return -EINVAL;
	cmd->dw[0] &= ~rule->clear;
	err = rule->check ? rule->check(cmd) : 0;
	for (i = 0; !err && i < ARRAY_SIZE(rule->operands); i++)
		err = scan_operand(cmd, &rule->operands[i]);
	return err;
}
