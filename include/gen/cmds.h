/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands of the Gen8/Gen9 command streamers (PRM Skylake volume 2a, "Command Reference:
 * Instructions"): opcodes and flags. The command table (cmdtable.h) has their lengths, engines and
 * operands, and in which buffers a guest may have them.
 */
#ifndef _GEN_CMDS_H
#define _GEN_CMDS_H

/* Bits 31:29 select the client. */
#define CMD_CLIENT(dw)			((dw) >> 29)
#define   CMD_CLIENT_MI			0
#define   CMD_CLIENT_BLT		2
#define   CMD_CLIENT_RENDER		3

/* MI: opcode in 28:23. */
#define MI_OPCODE(dw)			(((dw) >> 23) & 0x3f)
#define MI_CMD(op)			((op) << 23)
#define OP_MI_NOOP			0x00
#define OP_MI_SET_PREDICATE		0x01
#define OP_MI_USER_INTERRUPT		0x02
#define OP_MI_WAIT_FOR_EVENT		0x03
#define OP_MI_FLUSH			0x04
#define OP_MI_ARB_CHECK			0x05
#define OP_MI_RS_CONTROL		0x06
#define OP_MI_REPORT_HEAD		0x07
#define OP_MI_ARB_ON_OFF		0x08
#define OP_MI_URB_ATOMIC_ALLOC		0x09
#define OP_MI_BATCH_BUFFER_END		0x0a
#define OP_MI_SUSPEND_FLUSH		0x0b
#define OP_MI_PREDICATE			0x0c
#define OP_MI_TOPOLOGY_FILTER		0x0d
#define OP_MI_SET_APPID			0x0e
#define OP_MI_RS_CONTEXT		0x0f
#define OP_MI_LOAD_SCAN_LINES_INCL	0x12
#define OP_MI_LOAD_SCAN_LINES_EXCL	0x13
#define OP_MI_DISPLAY_FLIP		0x14
#define OP_MI_SEMAPHORE_MBOX		0x16
#define OP_MI_SET_CONTEXT		0x18
#define OP_MI_MATH			0x1a
#define OP_MI_SEMAPHORE_SIGNAL		0x1b
#define OP_MI_SEMAPHORE_WAIT		0x1c
#define OP_MI_FORCE_WAKEUP		0x1d
#define OP_MI_STORE_DATA_IMM		0x20
#define OP_MI_STORE_DATA_INDEX		0x21
#define OP_MI_LOAD_REGISTER_IMM		0x22
#define OP_MI_UPDATE_GTT		0x23
#define OP_MI_STORE_REGISTER_MEM	0x24
#define OP_MI_FLUSH_DW			0x26
#define OP_MI_CLFLUSH			0x27
#define OP_MI_REPORT_PERF_COUNT		0x28
#define OP_MI_LOAD_REGISTER_MEM		0x29
#define OP_MI_LOAD_REGISTER_REG		0x2a
#define OP_MI_RS_STORE_DATA_IMM		0x2b
#define OP_MI_LOAD_URB_MEM		0x2c
#define OP_MI_STORE_URB_MEM		0x2d
#define OP_MI_COPY_MEM_MEM		0x2e
#define OP_MI_ATOMIC			0x2f
#define OP_MI_BATCH_BUFFER_START	0x31
#define OP_MI_COND_BATCH_BUFFER_END	0x36

#define MI_ARB_ON			(1u << 0)	/* ARB_ON_OFF: enable */
#define MI_USE_GGTT			(1u << 22)	/* most memory commands */
#define MI_SDI_QWORD			(1u << 21)	/* STORE_DATA_IMM */
#define MI_COPY_DST_GGTT		(1u << 21)	/* COPY_MEM_MEM; src is 22 */
#define MI_LRI_FORCE_POSTED		(1u << 12)
#define MI_FLUSH_DW_STORE_INDEX		(1u << 21)
#define MI_FLUSH_DW_TLB_INVALIDATE	(1u << 18)
#define MI_FLUSH_DW_OP(dw)		(((dw) >> 14) & 3)
#define   MI_FLUSH_DW_OP_MASK		(3u << 14)
#define   MI_FLUSH_DW_OP_NONE		0
#define   MI_FLUSH_DW_OP_STORE		1
#define   MI_FLUSH_DW_OP_TIMESTAMP	3
#define MI_FLUSH_DW_NOTIFY		(1u << 8)
#define MI_FLUSH_DW_ADDR_GGTT		(1u << 2)	/* in dword 1 */
#define MI_REPORT_PERF_GGTT		(1u << 0)	/* in dword 1 */
#define MI_BB_SECOND_LEVEL		(1u << 22)
#define MI_BB_PREDICATE			(1u << 15)
#define MI_BB_PPGTT			(1u << 8)	/* non-privileged, per-process */
#define MI_SEMAPHORE_REGISTER_POLL	(1u << 16)
#define MI_SEMAPHORE_POLL		(1u << 15)
#define MI_SEMAPHORE_OP(dw)		(((dw) >> 12) & 7)
#define MI_SRM_PREDICATE		(1u << 21)	/* only if MI_PREDICATE_RESULT is set */
#define MI_ATOMIC_QWORD			(1u << 19)	/* size field 20:19 = 1 */
#define MI_ATOMIC_INLINE		(1u << 18)
#define MI_ATOMIC_RETURN		(1u << 16)
#define MI_ATOMIC_OP(dw)		(((dw) >> 8) & 0xff)
#define MI_REG_OFFSET			0x007ffffc	/* register fields, 22:2 */
#define MI_PREDICATE_LOAD		(1u << 7)	/* the predicate is set; with 6, inverted */
#define MI_PREDICATE_COMBINE		(3u << 3)	/* with the one before, unless 0 */

/* Blitter: opcode in 28:22. */
#define BLT_OPCODE(dw)			(((dw) >> 22) & 0x7f)
#define OP_XY_SETUP_BLT			0x01
#define OP_XY_SETUP_CLIP_BLT		0x03
#define OP_XY_SETUP_MONO_PATTERN_SL_BLT	0x11
#define OP_XY_PIXEL_BLT			0x24
#define OP_XY_SCANLINES_BLT		0x25
#define OP_XY_TEXT_BLT			0x26
#define OP_XY_TEXT_IMMEDIATE_BLT	0x31
#define OP_COLOR_BLT			0x40
#define OP_XY_FAST_COPY_BLT		0x42
#define OP_SRC_COPY_BLT			0x43
#define OP_XY_COLOR_BLT			0x50
#define OP_XY_PAT_BLT			0x51
#define OP_XY_MONO_PAT_BLT		0x52
#define OP_XY_SRC_COPY_BLT		0x53
#define OP_XY_MONO_SRC_COPY_BLT		0x54
#define OP_XY_FULL_BLT			0x55
#define OP_XY_FULL_MONO_SRC_BLT		0x56
#define OP_XY_FULL_MONO_PATTERN_BLT	0x57
#define OP_XY_FULL_MONO_PATTERN_MONO_SRC_BLT 0x58
#define OP_XY_MONO_PAT_FIXED_BLT	0x59
#define OP_XY_MONO_SRC_COPY_IMMEDIATE_BLT 0x71
#define OP_XY_PAT_BLT_IMMEDIATE		0x72
#define OP_XY_SRC_COPY_CHROMA_BLT	0x73
#define OP_XY_FULL_IMMEDIATE_PATTERN_BLT 0x74
#define OP_XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT 0x75
#define OP_XY_PAT_CHROMA_BLT		0x76
#define OP_XY_PAT_CHROMA_BLT_IMMEDIATE	0x77
#define BLT_WRITE_ALPHA			(1u << 21)
#define BLT_WRITE_RGB			(1u << 20)
#define BLT_SRC_TILED			(1u << 15)
#define BLT_DST_TILED			(1u << 11)

/* Render client: type in 28:27, opcode in 26:24, sub-opcode in 23:16. */
#define RENDER_TYPE(dw)			(((dw) >> 27) & 3)
#define CMD_STATE_BASE_ADDRESS		0x6101
#define   STATE_BASE_MODIFY		(1u << 0)	/* in a dword: its value is taken */
#define CMD_PIPELINE_SELECT		0x6904
#define   PIPELINE_SELECT_MASKS		0xff00u		/* Gen9: a mask of the lower 8 bits */
#define   PIPELINE_SELECT_MASK		0x300u		/* of it, for the pipeline */
#define   PIPELINE_SELECT_GPGPU		2u
/* State commands, dw0 >> 16, that set one of several states, or may leave parts unchanged. */
#define CMD_CLEAR_PARAMS		0x7804
#define   CLEAR_PARAMS_VALID		(1u << 0)
#define CMD_VERTEX_BUFFERS		0x7808		/* in the first dword of each */
#define   VERTEX_BUFFER_INDEX		(0x3fu << 26)
#define   VERTEX_BUFFER_MODIFY		(1u << 14)
#define CMD_CC_STATE_POINTERS		0x780e
#define   STATE_POINTERS_VALID		(1u << 0)
#define CMD_BLEND_STATE_POINTERS	0x7824
#define CMD_GATHER_CONSTANT_VS		0x7834
#define CMD_GATHER_CONSTANT_PS		0x7838
#define CMD_BINDING_TABLE_EDIT_VS	0x7843
#define CMD_BINDING_TABLE_EDIT_PS	0x7847
#define CMD_VF_INSTANCING		0x7849
#define   VF_INSTANCING_INDEX		0x3fu
#define CMD_RS_CONSTANT_POINTER		0x7854
#define   RS_CONSTANT_SHADER		(7u << 28)
#define   RS_CONSTANT_STORE		(1u << 12)
#define CMD_DRAWING_RECTANGLE		0x7900
#define   DRAWING_RECTANGLE_CORES	(3u << 14)	/* in dword 0 */
#define CMD_CHROMA_KEY			0x7904
#define   CHROMA_KEY_INDEX		(3u << 30)
#define CMD_LINE_STIPPLE		0x7908
#define   LINE_STIPPLE_MODIFY		(1u << 31)	/* counter and index are taken */
#define CMD_SO_BUFFER			0x7918
#define   SO_BUFFER_INDEX		(3u << 29)
#define   SO_BUFFER_SET_OFFSET		(1u << 21)
#define   SO_BUFFER_SET_ADDRESS		(1u << 20)
#define CMD_PIPE_CONTROL		0x7a00		/* dw >> 16 */
#define PC_STORE_INDEX			(1u << 21)	/* dword 1 */
#define PC_FLUSH_L3			(1u << 27)	/* also clears the state of EUs and SLM */
#define PC_GLOBAL_GTT			(1u << 24)
#define PC_TLB_INVALIDATE		(1u << 18)
#define PC_NOTIFY			(1u << 8)
#define PC_CS_STALL			(1u << 20)
#define PC_LRI_POST_SYNC		(1u << 23)	/* writes a register */
#define PC_POST_SYNC_OP(dw)		(((dw) >> 14) & 3)
#define   PC_POST_SYNC_MASK		(3u << 14)
#define   PC_POST_SYNC_NONE		0
#define   PC_POST_SYNC_STORE		1
#define   PC_POST_SYNC_PS_DEPTH		2
#define   PC_POST_SYNC_TIMESTAMP	3

#endif
