/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rows of the command table, and the search in them. Only one file of each program includes
 * it: kmod/core/cmd/cmdtable.c, and gen9_cmd.c of the model.
 */
#ifndef _GEN_CMDROWS_H
#define _GEN_CMDROWS_H

#include "cmds.h"
#include "cmdtable.h"

#define R		(1u << GEN_CLASS_RENDER)
#define B		(1u << GEN_CLASS_COPY)
#define V		(1u << GEN_CLASS_VIDEO)
#define E		(1u << GEN_CLASS_ENHANCE)
#define ALL		(R | B | V | E)

#define ANYWHERE	(GEN_IN_RING | GEN_IN_BATCH | GEN_IN_WA)
#define IN_CALLS	(GEN_IN_RING | GEN_IN_BATCH)
#define STATE		(IN_CALLS | GEN_IN_IMAGE)
#define REFUSED		0

/* Widths of length fields, all from bit 0. */
#define L6		0x3fu
#define L8		0xffu
#define L9		0x1ffu
#define L10		0x3ffu
#define L11		0x7ffu
#define L12		0xfffu
#define L16		0xffffu

#define GGTT_ADDR(dw, bit, bytes) \
	{ .kind = GEN_ADDR, .dword = (dw), .flags = 3, .ggtt = (bit), .extent = (bytes) }
#define REGISTER(access, dw)	{ .kind = GEN_REG_##access, .dword = (dw) }

/* MI commands by opcode: of one dword, refused with privilege, or described in full. */
#define ONE(c, w)		{ .classes = (c), .where = (w), .min = 1, .max = 1 }
#define ONE_NOOP(c, w)		{ .classes = (c), .where = (w), .min = 1, .max = 1, \
				  .user = GEN_USER_NOOP }
#define NEVER(c, m)		{ .classes = (c), .mask = (m) }
#define NEVER_NOOP(c, m)	{ .classes = (c), .mask = (m), .user = GEN_USER_NOOP }

static const struct gen_cmd gen_mi_cmds[64] = {
	[OP_MI_NOOP]			= ONE(ALL, ANYWHERE | GEN_IN_IMAGE),
	/*
	 * An enabled predicate makes all that follows NOOPs, including the end of the batch, and
	 * stays in the context. So it may not be enabled with privilege.
	 */
	[OP_MI_SET_PREDICATE]		= {
		.classes = R, .where = ANYWHERE | GEN_IN_IMAGE, .min = 1, .max = 1,
		.zero = 0xf,
	},
	[OP_MI_USER_INTERRUPT]		= ONE(ALL, ANYWHERE),
	[OP_MI_WAIT_FOR_EVENT]		= ONE(ALL, ANYWHERE),
	[OP_MI_FLUSH]			= ONE(ALL, REFUSED),
	[OP_MI_ARB_CHECK]		= ONE(ALL, ANYWHERE),
	[OP_MI_RS_CONTROL]		= ONE(R, REFUSED),
	[OP_MI_REPORT_HEAD]		= ONE(ALL, REFUSED),
	/* "All except Blitter" in the map, but it is in the blitter's own list of commands. */
	[OP_MI_ARB_ON_OFF]		= ONE_NOOP(ALL, ANYWHERE),
	[OP_MI_URB_ATOMIC_ALLOC]	= ONE(R, GEN_IN_IMAGE),
	/* Later generations have a meaning for some of the other bits. */
	[OP_MI_BATCH_BUFFER_END]	= {
		.classes = ALL, .where = GEN_IN_BATCH | GEN_IN_WA | GEN_IN_IMAGE,
		.min = 1, .max = 1, .clear = 0x007fffff,
	},
	[OP_MI_SUSPEND_FLUSH]		= ONE(ALL, REFUSED),
	/* Like MI_MATH, it reads registers, which are not loaded yet in a workaround batch. */
	[OP_MI_PREDICATE]		= ONE(R, IN_CALLS | GEN_IN_IMAGE),
	[OP_MI_TOPOLOGY_FILTER]		= ONE(R, GEN_IN_IMAGE),
	[OP_MI_SET_APPID]		= ONE(ALL, REFUSED),
	[OP_MI_RS_CONTEXT]		= ONE(R, REFUSED),
	[OP_MI_LOAD_SCAN_LINES_INCL]	= NEVER(R | B, L6),
	[OP_MI_LOAD_SCAN_LINES_EXCL]	= NEVER(R | B, L6),
	[OP_MI_DISPLAY_FLIP]		= {
		.classes = R | B, .where = ANYWHERE, .mask = L8, .min = 3, .max = 6,
		.user = GEN_USER_NOOP,
	},
	[OP_MI_SEMAPHORE_MBOX]		= NEVER(ALL, L8),
	[OP_MI_SET_CONTEXT]		= NEVER_NOOP(R, L8),
	[OP_MI_MATH]			= {
		.classes = ALL, .where = IN_CALLS, .mask = L8, .min = 2, .max = 257,
	},
	[OP_MI_SEMAPHORE_SIGNAL]	= NEVER(ALL, L8),
	/* Not in a workaround batch: a context's load must not wait. */
	[OP_MI_SEMAPHORE_WAIT]		= {
		.classes = ALL, .where = IN_CALLS, .mask = L8, .min = 4, .max = 4,
		/* Polling a register would reveal values of the host. */
		.zero = MI_SEMAPHORE_REGISTER_POLL,
		.user = GEN_USER_GGTT_NOOP,
		.operands = { GGTT_ADDR(2, MI_USE_GGTT, 4) },
	},
	[OP_MI_FORCE_WAKEUP]		= NEVER(B | V | E, L8),
	[OP_MI_STORE_DATA_IMM]		= {
		.classes = ALL, .where = ANYWHERE, .mask = L10, .min = 4, .max = 1025,
		.user = GEN_USER_GGTT_NOOP,
		.operands = { GGTT_ADDR(1, MI_USE_GGTT, 0) },
	},
	[OP_MI_STORE_DATA_INDEX]	= NEVER_NOOP(ALL, L8),
	[OP_MI_LOAD_REGISTER_IMM]	= {
		.classes = ALL, .where = ANYWHERE | GEN_IN_IMAGE, .mask = L8,
		.min = 3, .max = 257,
		.clear = 0x007fe000,	/* all but posting and byte masks */
		.operands = { REGISTER(LIST, 1) },
	},
	[OP_MI_UPDATE_GTT]		= NEVER_NOOP(ALL, L10),
	[OP_MI_STORE_REGISTER_MEM]	= {
		.classes = ALL, .where = ANYWHERE, .mask = L8, .min = 4, .max = 4,
		.user = GEN_USER_GGTT_NOOP,
		.operands = { REGISTER(READ, 1), GGTT_ADDR(2, MI_USE_GGTT, 4) },
	},
	/* Not in the length field: bit 7 invalidates the bit stream decoder, 6 is reserved. */
	[OP_MI_FLUSH_DW]		= {
		.classes = B | V | E, .where = ANYWHERE, .mask = L6, .min = 3, .max = 5,
		.clear = 1u << 22,	/* protected memory */
		.user = GEN_USER_GGTT_NO_STORE,
		.operands = { {
			.kind = GEN_ADDR, .dword = 1, .flags = 7, .extent = 8, .need = 4,
			.ggtt_dword = 1, .ggtt = MI_FLUSH_DW_ADDR_GGTT,
			.mode_dword = 0, .index = MI_FLUSH_DW_STORE_INDEX,
			.when = MI_FLUSH_DW_OP_MASK,
		} },
	},
	[OP_MI_CLFLUSH]			= {
		.classes = R, .mask = L10, .user = GEN_USER_GGTT_NOOP,
		.operands = { GGTT_ADDR(1, MI_USE_GGTT, 64) },
	},
	/* Not in the map, but drivers use it. The address has the GGTT bit. */
	[OP_MI_REPORT_PERF_COUNT]	= {
		.classes = R, .where = ANYWHERE, .mask = L6, .min = 4, .max = 4,
		.user = GEN_USER_GGTT_NOOP,
		.operands = { {
			.kind = GEN_ADDR, .dword = 1, .flags = 0x3f, .extent = 256,
			.ggtt_dword = 1, .ggtt = MI_REPORT_PERF_GGTT,
		} },
	},
	[OP_MI_LOAD_REGISTER_MEM]	= {
		.classes = ALL, .where = ANYWHERE, .mask = L8, .min = 4, .max = 4,
		.user = GEN_USER_GGTT_NOOP,
		.operands = { REGISTER(WRITE, 1), GGTT_ADDR(2, MI_USE_GGTT, 4) },
	},
	[OP_MI_LOAD_REGISTER_REG]	= {
		.classes = ALL, .where = ANYWHERE, .mask = L8, .min = 3, .max = 3,
		.operands = { REGISTER(READ, 1), REGISTER(WRITE, 2) },
	},
	[OP_MI_RS_STORE_DATA_IMM]	= NEVER(R, L8),
	[OP_MI_LOAD_URB_MEM]		= NEVER(R, L8),
	[OP_MI_STORE_URB_MEM]		= NEVER(R, L8),
	[OP_MI_COPY_MEM_MEM]		= {
		.classes = ALL, .where = ANYWHERE, .mask = L8, .min = 5, .max = 5,
		.user = GEN_USER_GGTT_NOOP,
		.operands = {
			GGTT_ADDR(1, MI_COPY_DST_GGTT, 4), GGTT_ADDR(3, MI_USE_GGTT, 4),
		},
	},
	[OP_MI_ATOMIC]			= {
		.classes = ALL, .where = ANYWHERE, .mask = L8, .min = 3, .max = 11,
		.user = GEN_USER_GGTT_NOOP,
		.operands = { GGTT_ADDR(1, MI_USE_GGTT, 16) },	/* at most an octword */
	},
	/* A workaround batch must not call another batch. */
	[OP_MI_BATCH_BUFFER_START]	= {
		.classes = ALL, .where = IN_CALLS, .mask = L8, .min = 3, .max = 3,
		.user = GEN_USER_GGTT_PPGTT,
	},
	/* Not in a workaround batch: a context's load must not end early. */
	[OP_MI_COND_BATCH_BUFFER_END]	= {
		.classes = ALL, .where = GEN_IN_BATCH, .mask = L8, .min = 4, .max = 4,
		.user = GEN_USER_GGTT_NOOP,
		.operands = { GGTT_ADDR(2, MI_USE_GGTT, 8) },
	},
};

/* The blitter's commands by opcode; their surfaces are in the PPGTT. */
#define BLT(lo, hi)		{ .classes = B, .where = IN_CALLS, .mask = L8, \
				  .min = (lo), .max = (hi) }
#define BLT_FIXED(n)		BLT(n, n)
#define BLT_IMMEDIATE(n)	BLT(n, 257)	/* data in the command */
/* Sets state for other commands, and draws nothing. */
#define BLT_SETUP(n)		{ .classes = B, .where = STATE, .mask = L8, \
				  .min = (n), .max = (n) }

static const struct gen_cmd gen_blt_cmds[128] = {
	[OP_XY_SETUP_BLT]				= BLT_SETUP(10),
	[OP_XY_SETUP_CLIP_BLT]				= BLT_SETUP(3),
	[OP_XY_SETUP_MONO_PATTERN_SL_BLT]		= BLT_SETUP(10),
	[OP_XY_PIXEL_BLT]				= BLT_FIXED(2),
	[OP_XY_SCANLINES_BLT]				= BLT_FIXED(3),
	[OP_XY_TEXT_BLT]				= BLT_FIXED(5),
	[OP_XY_TEXT_IMMEDIATE_BLT]			= BLT_IMMEDIATE(3),
	[OP_COLOR_BLT]					= BLT_FIXED(6),
	[OP_XY_FAST_COPY_BLT]				= BLT_FIXED(10), /* not in the map */
	[OP_SRC_COPY_BLT]				= BLT_FIXED(8),
	[OP_XY_COLOR_BLT]				= BLT_FIXED(7),
	[OP_XY_PAT_BLT]					= BLT_FIXED(8),
	[OP_XY_MONO_PAT_BLT]				= BLT_FIXED(10),
	[OP_XY_SRC_COPY_BLT]				= BLT_FIXED(10),
	[OP_XY_MONO_SRC_COPY_BLT]			= BLT_FIXED(10),
	[OP_XY_FULL_BLT]				= BLT_FIXED(12),
	[OP_XY_FULL_MONO_SRC_BLT]			= BLT_FIXED(12),
	[OP_XY_FULL_MONO_PATTERN_BLT]			= BLT_FIXED(14),
	[OP_XY_FULL_MONO_PATTERN_MONO_SRC_BLT]		= BLT_FIXED(14),
	[OP_XY_MONO_PAT_FIXED_BLT]			= BLT_FIXED(8),
	[OP_XY_MONO_SRC_COPY_IMMEDIATE_BLT]		= BLT_IMMEDIATE(8),
	[OP_XY_PAT_BLT_IMMEDIATE]			= BLT_IMMEDIATE(6),
	[OP_XY_SRC_COPY_CHROMA_BLT]			= BLT_FIXED(12),
	[OP_XY_FULL_IMMEDIATE_PATTERN_BLT]		= BLT_IMMEDIATE(10),
	[OP_XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT]	= BLT_IMMEDIATE(10),
	[OP_XY_PAT_CHROMA_BLT]				= BLT_FIXED(10),
	[OP_XY_PAT_CHROMA_BLT_IMMEDIATE]		= BLT_IMMEDIATE(8),
};

/*
 * The render client's commands by dw0 >> 16, sorted: type (28:27), opcode (26:24), sub-opcode
 * (23:16), which in video commands is A (23:21) and B (20:16). A length that differs between Gen8
 * and Gen9 is a range.
 */
#define ROWS(c, f, l, w, m, lo, hi) \
	{ .first = (f), .last = (l), .classes = (c), .where = (w), .mask = (m), \
	  .min = (lo), .max = (hi) }
#define CMD(op, w, m, lo, hi)	ROWS(R, op, op, w, m, lo, hi)
#define STATES(f, l, n)		ROWS(R, f, l, STATE, L8, n, n)
#define STATE_CMD(op, n)	STATES(op, op, n)
/* Known from one source only, or with a length that no other source confirms. */
#define UNSURE(f, l, m)		ROWS(R, f, l, REFUSED, m, 0, 0)

static const struct gen_cmd gen_render_cmds[] = {
	STATE_CMD(0x6003, 2),			/* STATE_PREFETCH */
	CMD(0x6101, STATE, L8, 16, 19),		/* STATE_BASE_ADDRESS */
	STATE_CMD(0x6102, 3),			/* STATE_SIP */
	STATE_CMD(0x6104, 3),			/* GPGPU_CSR_BASE_ADDRESS */
	CMD(0x680b, STATE, 0, 1, 1),		/* 3DSTATE_VF_STATISTICS */
	CMD(0x6904, STATE, 0, 1, 1),		/* PIPELINE_SELECT */
	CMD(0x7000, STATE, L16, 9, 9),		/* MEDIA_VFE_STATE */
	CMD(0x7001, STATE, L16, 4, 4),		/* MEDIA_CURBE_LOAD */
	CMD(0x7002, STATE, L16, 4, 4),		/* MEDIA_INTERFACE_DESCRIPTOR_LOAD */
	UNSURE(0x7003, 0x7003, L16),		/* MEDIA_GATEWAY_STATE */
	CMD(0x7004, IN_CALLS, L16, 2, 2),	/* MEDIA_STATE_FLUSH */
	CMD(0x7005, STATE | GEN_IN_WA, L16, 6, 6), /* MEDIA_POOL_STATE */
	CMD(0x7100, IN_CALLS, L16, 6, 0x10001),	/* MEDIA_OBJECT */
	CMD(0x7102, IN_CALLS, L16, 16, 16),	/* MEDIA_OBJECT_PRT */
	CMD(0x7103, IN_CALLS, L16, 17, 0x10001), /* MEDIA_OBJECT_WALKER */
	UNSURE(0x7104, 0x7104, L8),		/* GPGPU_OBJECT */
	CMD(0x7105, IN_CALLS, L8, 15, 15),	/* GPGPU_WALKER */
	CMD(0x7106, IN_CALLS, L16, 7, 0x10001),	/* MEDIA_OBJECT_GRPID */
	/* 3D, pipelined state */
	STATE_CMD(0x7804, 3),			/* CLEAR_PARAMS */
	STATE_CMD(0x7805, 8),			/* DEPTH_BUFFER */
	STATES(0x7806, 0x7807, 5),		/* STENCIL_, HIER_DEPTH_BUFFER */
	CMD(0x7808, STATE, L8, 5, 133),		/* VERTEX_BUFFERS: 1 to 33 */
	CMD(0x7809, STATE, L8, 3, 69),		/* VERTEX_ELEMENTS: 1 to 34 */
	STATE_CMD(0x780a, 5),			/* INDEX_BUFFER */
	UNSURE(0x780b, 0x780b, 0),		/* VF_STATISTICS, according to the map */
	STATES(0x780c, 0x780f, 2),		/* VF..SCISSOR_STATE_POINTERS */
	STATE_CMD(0x7810, 9),			/* VS */
	STATE_CMD(0x7811, 10),			/* GS */
	STATES(0x7812, 0x7813, 4),		/* CLIP, SF */
	STATE_CMD(0x7814, 2),			/* WM */
	STATES(0x7815, 0x7817, 11),		/* CONSTANT_VS, GS, PS */
	STATE_CMD(0x7818, 2),			/* SAMPLE_MASK */
	STATES(0x7819, 0x781a, 11),		/* CONSTANT_HS, DS */
	STATE_CMD(0x781b, 9),			/* HS */
	STATE_CMD(0x781c, 4),			/* TE */
	CMD(0x781d, STATE, L8, 9, 11),		/* DS */
	STATE_CMD(0x781e, 5),			/* STREAMOUT */
	CMD(0x781f, STATE, L8, 4, 6),		/* SBE */
	STATE_CMD(0x7820, 12),			/* PS */
	STATE_CMD(0x7821, 2),			/* VIEWPORT_STATE_POINTERS_SF_CLIP */
	STATES(0x7823, 0x7824, 2),		/* VIEWPORT_.._CC, BLEND_STATE_POINTERS */
	UNSURE(0x7825, 0x7825, L8),		/* DEPTH_STENCIL_STATE_POINTERS */
	STATES(0x7826, 0x7833, 2),		/* BINDING_TABLE_POINTERS_VS..URB_GS */
	CMD(0x7834, STATE, L8, 2, 257),		/* GATHER_CONSTANT_VS */
	ROWS(R, 0x7835, 0x7838, STATE, L8, 3, 257), /* GATHER_CONSTANT_GS..PS */
	UNSURE(0x7839, 0x783a, L11),		/* DX9_CONSTANTF_VS, PS */
	UNSURE(0x783b, 0x7842, L8),		/* DX9_CONSTANTI.. */
	ROWS(R, 0x7843, 0x7847, STATE, L9, 2, 513), /* BINDING_TABLE_EDIT_* */
	UNSURE(0x7848, 0x7848, L8),		/* VF_HASHING */
	STATE_CMD(0x7849, 3),			/* VF_INSTANCING */
	STATES(0x784a, 0x784d, 2),		/* VF_SGVS..PS_BLEND */
	CMD(0x784e, STATE, L8, 3, 4),		/* WM_DEPTH_STENCIL */
	STATE_CMD(0x784f, 2),			/* PS_EXTRA */
	STATE_CMD(0x7850, 5),			/* RASTER */
	STATE_CMD(0x7851, 11),			/* SBE_SWIZ */
	STATE_CMD(0x7852, 5),			/* WM_HZ_OP */
	UNSURE(0x7853, 0x7853, L8),
	STATE_CMD(0x7854, 4),			/* RS_CONSTANT_POINTER */
	STATE_CMD(0x7855, 5),			/* VF_COMPONENT_PACKING */
	/* 3D, non-pipelined state */
	STATE_CMD(0x7900, 4),			/* DRAWING_RECTANGLE */
	CMD(0x7902, STATE, L8, 2, 257),		/* SAMPLER_PALETTE_LOAD0 */
	STATE_CMD(0x7904, 4),			/* CHROMA_KEY */
	STATE_CMD(0x7906, 2),			/* POLY_STIPPLE_OFFSET */
	STATE_CMD(0x7907, 33),			/* POLY_STIPPLE_PATTERN */
	STATE_CMD(0x7908, 3),			/* LINE_STIPPLE */
	STATE_CMD(0x790a, 3),			/* AA_LINE_PARAMETERS */
	UNSURE(0x790b, 0x790b, L8),		/* GS_SVB_INDEX */
	CMD(0x790c, STATE, L8, 2, 257),		/* SAMPLER_PALETTE_LOAD1 */
	UNSURE(0x790d, 0x7910, L8),
	STATE_CMD(0x7911, 2),			/* MONOFILTER_SIZE */
	STATES(0x7912, 0x7916, 2),		/* PUSH_CONSTANT_ALLOC_* */
	CMD(0x7917, STATE, L9, 3, 513),		/* SO_DECL_LIST */
	STATE_CMD(0x7918, 8),			/* SO_BUFFER */
	STATES(0x7919, 0x791b, 4),		/* BINDING_TABLE_, GATHER_, .._POOL_ALLOC */
	STATE_CMD(0x791c, 9),			/* SAMPLE_PATTERN */
	STATE_CMD(0x791d, 2),			/* URB_CLEAR */
	{					/* PIPE_CONTROL */
		.first = CMD_PIPE_CONTROL, .last = CMD_PIPE_CONTROL,
		.classes = R, .where = ANYWHERE, .mask = L8, .min = 6, .max = 6,
		.user = GEN_USER_GGTT_NO_STORE,
		.operands = { {
			.kind = GEN_ADDR, .dword = 2, .flags = 7, .extent = 8,
			.ggtt_dword = 1, .ggtt = PC_GLOBAL_GTT,
			.mode_dword = 1, .index = PC_STORE_INDEX, .when = PC_POST_SYNC_MASK,
		} },
	},
	CMD(0x7b00, IN_CALLS, L8, 7, 7),	/* 3DPRIMITIVE */
};

/*
 * Video and enhancement: user batches have them, without privilege. Drivers need them nowhere
 * else, and the lengths of many differ between steppings.
 */
#define VIDEO(f, l)		ROWS(V, f, l, REFUSED, L12, 0, 0)
#define CIPHER(f, l)		ROWS(V, f, l, REFUSED, L16, 0, 0)
#define ENHANCE(f, l)		ROWS(E, f, l, REFUSED, L12, 0, 0)

static const struct gen_cmd gen_video_cmds[] = {
	ROWS(V, 0x6800, 0x6800, REFUSED, 0, 0, 0), /* MFX_WAIT, despite a field */
	VIDEO(0x7000, 0x7009),			/* MFX, common to all formats */
	VIDEO(0x7029, 0x7029),			/* MFD_IT_OBJECT */
	VIDEO(0x7048, 0x7048),			/* MFX_PAK_INSERT_OBJECT */
	VIDEO(0x704a, 0x704a),			/* MFX_STITCH_OBJECT */
	VIDEO(0x7080, 0x708f),			/* VDENC */
	VIDEO(0x7100, 0x7105),			/* AVC */
	VIDEO(0x7125, 0x7128),
	VIDEO(0x7142, 0x7142),
	VIDEO(0x7148, 0x7149),
	VIDEO(0x7200, 0x7202),			/* VC1 */
	VIDEO(0x7220, 0x7221),
	VIDEO(0x7228, 0x7228),
	VIDEO(0x7300, 0x7301),			/* MPEG2 */
	VIDEO(0x7328, 0x7328),
	VIDEO(0x7343, 0x7343),
	VIDEO(0x7349, 0x7349),
	VIDEO(0x7380, 0x7386),			/* HCP: HEVC and VP9 */
	VIDEO(0x7388, 0x7388),			/* HEVC_VP9_RDOQ_STATE */
	VIDEO(0x7390, 0x7394),
	VIDEO(0x73a0, 0x73a2),
	VIDEO(0x73b0, 0x73b5),
	VIDEO(0x7400, 0x7404),			/* VP8 */
	VIDEO(0x7408, 0x7408),
	VIDEO(0x7428, 0x7428),
	VIDEO(0x7440, 0x7443),
	VIDEO(0x7449, 0x7449),
	VIDEO(0x7480, 0x7486),			/* SFC behind this engine */
	VIDEO(0x7500, 0x7500),			/* VC1_BSD */
	VIDEO(0x7503, 0x7503),
	VIDEO(0x7508, 0x7508),
	VIDEO(0x7580, 0x7585),			/* HUC */
	VIDEO(0x75a0, 0x75a1),
	CIPHER(0x7600, 0x7601),
	CIPHER(0x7608, 0x7609),
	VIDEO(0x7700, 0x7700),			/* JPEG */
	VIDEO(0x7702, 0x7702),
	VIDEO(0x7728, 0x7728),
	VIDEO(0x7743, 0x7743),
	VIDEO(0x7749, 0x7749),
	VIDEO(0x7780, 0x7780),			/* VD_PIPELINE_FLUSH */
};

static const struct gen_cmd gen_enhance_cmds[] = {
	ENHANCE(0x7400, 0x7403),		/* VEBOX_* */
	ENHANCE(0x7500, 0x7506),		/* SFC behind this engine */
};

#undef R
#undef B
#undef V
#undef E
#undef ALL
#undef ANYWHERE
#undef IN_CALLS
#undef STATE
#undef REFUSED
#undef L6
#undef L8
#undef L9
#undef L10
#undef L11
#undef L12
#undef L16
#undef GGTT_ADDR
#undef REGISTER
#undef ONE
#undef ONE_NOOP
#undef NEVER
#undef NEVER_NOOP
#undef BLT
#undef BLT_FIXED
#undef BLT_IMMEDIATE
#undef ROWS
#undef CMD
#undef STATES
#undef STATE_CMD
#undef UNSURE
#undef VIDEO
#undef CIPHER
#undef ENHANCE

static inline const struct gen_cmd *gen_cmd_search(const struct gen_cmd *rows, unsigned int count,
						   unsigned int op)
{
	unsigned int lo = 0, hi = count;

	while (lo < hi) {
		unsigned int mid = lo + (hi - lo) / 2;

		if (op > rows[mid].last)
			lo = mid + 1;
		else if (op < rows[mid].first)
			hi = mid;
		else
			return &rows[mid];
	}
	return NULL;
}

#define GEN_CMD_COUNT(rows)	(sizeof(rows) / sizeof((rows)[0]))

/* The row of the command that begins with @dw0, or NULL. */
static inline const struct gen_cmd *gen_cmd_find(enum gen_class class, unsigned int dw0)
{
	const struct gen_cmd *cmd;

	if ((unsigned int)class >= GEN_NR_CLASSES)
		return NULL;
	switch (CMD_CLIENT(dw0)) {
	case CMD_CLIENT_MI:
		cmd = &gen_mi_cmds[MI_OPCODE(dw0)];
		return cmd->classes & 1u << class ? cmd : NULL;
	case CMD_CLIENT_BLT:
		cmd = &gen_blt_cmds[BLT_OPCODE(dw0)];
		return cmd->classes & 1u << class ? cmd : NULL;
	case CMD_CLIENT_RENDER:
		break;
	default:
		return NULL;
	}
	switch (class) {
	case GEN_CLASS_RENDER:
		return gen_cmd_search(gen_render_cmds, GEN_CMD_COUNT(gen_render_cmds), dw0 >> 16);
	case GEN_CLASS_VIDEO:
		return gen_cmd_search(gen_video_cmds, GEN_CMD_COUNT(gen_video_cmds), dw0 >> 16);
	case GEN_CLASS_ENHANCE:
		return gen_cmd_search(gen_enhance_cmds, GEN_CMD_COUNT(gen_enhance_cmds), dw0 >> 16);
	default:
		return NULL;
	}
}

#endif
