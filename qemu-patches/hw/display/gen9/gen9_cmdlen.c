/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: lengths of commands.
 *
 * Which commands exist on which command streamer is the map of PRM Skylake
 * volume 6 ("Command Stream Programming"), volumes 8, 9 and 10 for the video
 * engines, plus the few that those maps leave out but that drivers have
 * always used (noted below). The position and width of the length field
 * differs between commands; everything else about their contents is not
 * looked at here.
 */
#include "gen9_compat.h"
#include "gen9_cmdlen.h"
#include "gen/cmds.h"

/* How a command tells its length; NONE: no such command. */
typedef enum Gen9LenKind {
    NONE,
    ONE,                        /* one dword, no length field */
    L6,                         /* length field 5:0 */
    L8,                         /* 7:0 */
    L9,                         /* 8:0 */
    L10,                        /* 9:0 */
    L11,                        /* 10:0 */
    L12,                        /* 11:0 */
    L16,                        /* 15:0 */
} Gen9LenKind;

#define LEN_BIAS 2

static unsigned len_of_kind(uint8_t kind, uint32_t dw0)
{
    static const uint16_t field[] = {
        [L6] = 0x3f, [L8] = 0xff, [L9] = 0x1ff, [L10] = 0x3ff,
        [L11] = 0x7ff, [L12] = 0xfff, [L16] = 0xffff,
    };

    if (kind <= ONE) {
        return kind;
    }
    return (dw0 & field[kind]) + LEN_BIAS;
}

/* MI: by opcode, with the classes that have the command. */
#define R   (1u << GEN9_CLASS_RENDER)
#define B   (1u << GEN9_CLASS_COPY)
#define V   (1u << GEN9_CLASS_VIDEO)
#define E   (1u << GEN9_CLASS_ENHANCE)
#define ALL (R | B | V | E)

static const struct {
    uint8_t kind;
    uint8_t classes;
} mi_commands[64] = {
    [OP_MI_NOOP]                    = { ONE, ALL },
    [OP_MI_SET_PREDICATE]           = { ONE, R },
    [OP_MI_USER_INTERRUPT]          = { ONE, ALL },
    [OP_MI_WAIT_FOR_EVENT]          = { ONE, ALL },
    [0x04 /* MI_FLUSH */]           = { ONE, ALL },
    [OP_MI_ARB_CHECK]               = { ONE, ALL },
    [OP_MI_RS_CONTROL]              = { ONE, R },
    [OP_MI_REPORT_HEAD]             = { ONE, ALL },
    /* "All except Blitter" in the map; in the blitter's own list of commands */
    [OP_MI_ARB_ON_OFF]              = { ONE, ALL },
    [OP_MI_URB_ATOMIC_ALLOC]        = { ONE, R },
    [OP_MI_BATCH_BUFFER_END]        = { ONE, ALL },
    [OP_MI_SUSPEND_FLUSH]           = { ONE, ALL },
    [OP_MI_PREDICATE]               = { ONE, R },
    [OP_MI_TOPOLOGY_FILTER]         = { ONE, R },
    [0x0e /* MI_SET_APPID */]       = { ONE, ALL },
    [OP_MI_RS_CONTEXT]              = { ONE, R },
    [0x12 /* LOAD_SCAN_LINES_INCL */] = { L6, R | B },
    [0x13 /* LOAD_SCAN_LINES_EXCL */] = { L6, R | B },
    [OP_MI_DISPLAY_FLIP]            = { L8, R | B },
    [0x16 /* MI_SEMAPHORE_MBOX */]  = { L8, ALL },
    [OP_MI_SET_CONTEXT]             = { L8, R },
    [OP_MI_MATH]                    = { L8, ALL },
    [OP_MI_SEMAPHORE_SIGNAL]        = { L8, ALL },
    [OP_MI_SEMAPHORE_WAIT]          = { L8, ALL },
    [OP_MI_FORCE_WAKEUP]            = { L8, B | V | E },
    [OP_MI_STORE_DATA_IMM]          = { L10, ALL },
    [OP_MI_STORE_DATA_INDEX]        = { L8, ALL },
    [OP_MI_LOAD_REGISTER_IMM]       = { L8, ALL },
    [OP_MI_UPDATE_GTT]              = { L10, ALL },
    [OP_MI_STORE_REGISTER_MEM]      = { L8, ALL },
    /* Bit 7 invalidates the bit stream decoder, 6 is reserved. */
    [OP_MI_FLUSH_DW]                = { L6, B | V | E },
    [OP_MI_CLFLUSH]                 = { L10, R },
    [OP_MI_REPORT_PERF_COUNT]       = { L6, R },    /* not in the map */
    [OP_MI_LOAD_REGISTER_MEM]       = { L8, ALL },
    [OP_MI_LOAD_REGISTER_REG]       = { L8, ALL },
    [OP_MI_RS_STORE_DATA_IMM]       = { L8, R },
    [OP_MI_LOAD_URB_MEM]            = { L8, R },
    [OP_MI_STORE_URB_MEM]           = { L8, R },
    [OP_MI_COPY_MEM_MEM]            = { L8, ALL },
    [OP_MI_ATOMIC]                  = { L8, ALL },
    [OP_MI_BATCH_BUFFER_START]      = { L8, ALL },
    [OP_MI_COND_BATCH_BUFFER_END]   = { L8, ALL },
};

#undef R
#undef B
#undef V
#undef E
#undef ALL

static const uint8_t blt_commands[128] = {
    [OP_XY_SETUP_BLT]                       = L8,
    [OP_XY_SETUP_CLIP_BLT]                  = L8,
    [OP_XY_SETUP_MONO_PATTERN_SL_BLT]       = L8,
    [OP_XY_PIXEL_BLT]                       = L8,
    [OP_XY_SCANLINES_BLT]                   = L8,
    [OP_XY_TEXT_BLT]                        = L8,
    [OP_XY_TEXT_IMMEDIATE_BLT]              = L8,
    [OP_COLOR_BLT]                          = L8,
    [OP_XY_FAST_COPY_BLT]                   = L8,   /* not in the map */
    [OP_SRC_COPY_BLT]                       = L8,
    [OP_XY_COLOR_BLT ... OP_XY_MONO_PAT_FIXED_BLT] = L8,
    [OP_XY_MONO_SRC_COPY_IMMEDIATE_BLT ... OP_XY_PAT_CHROMA_BLT_IMMEDIATE] = L8,
};

/*
 * Type 3 commands: by type (28:27), opcode (26:24) and sub-opcode (23:16).
 * Video commands split the sub-opcode into A (23:21) and B (20:16).
 */
#define IDX(type, op, sub)      ((type) << 11 | (op) << 8 | (sub))
#define IDX_AB(op, a, b)        IDX(2, op, (a) << 5 | (b))
#define NR_IDX                  IDX(4, 0, 0)

static const uint8_t render_commands[NR_IDX] = {
    /* Common */
    [IDX(0, 0, 0x03)]                   = L8,   /* STATE_PREFETCH */
    [IDX(0, 1, 0x01)]                   = L8,   /* STATE_BASE_ADDRESS */
    [IDX(0, 1, 0x02)]                   = L8,   /* STATE_SIP */
    [IDX(0, 1, 0x04)]                   = L8,   /* GPGPU_CSR_BASE_ADDRESS */
    /* Single dword */
    [IDX(1, 0, 0x0b)]                   = ONE,  /* 3DSTATE_VF_STATISTICS */
    [IDX(1, 1, 0x04)]                   = ONE,  /* PIPELINE_SELECT */
    /* Media and GPGPU */
    [IDX(2, 0, 0x00) ... IDX(2, 0, 0x05)] = L16, /* VFE_STATE..POOL_STATE */
    [IDX(2, 1, 0x00)]                   = L16,  /* MEDIA_OBJECT */
    [IDX(2, 1, 0x02)]                   = L16,  /* MEDIA_OBJECT_PRT */
    [IDX(2, 1, 0x03)]                   = L16,  /* MEDIA_OBJECT_WALKER */
    [IDX(2, 1, 0x04)]                   = L8,   /* GPGPU_OBJECT */
    [IDX(2, 1, 0x05)]                   = L8,   /* GPGPU_WALKER */
    [IDX(2, 1, 0x06)]                   = L16,  /* MEDIA_OBJECT_GRPID */
    /* 3D, pipelined state */
    [IDX(3, 0, 0x04) ... IDX(3, 0, 0x0a)] = L8, /* CLEAR_PARAMS..INDEX_BUFFER */
    [IDX(3, 0, 0x0b)]                   = ONE,  /* VF_STATISTICS, as mapped */
    [IDX(3, 0, 0x0c) ... IDX(3, 0, 0x21)] = L8, /* VF..VIEWPORT_SF_CLIP */
    [IDX(3, 0, 0x23) ... IDX(3, 0, 0x38)] = L8, /* VIEWPORT_CC..GATHER_PS */
    [IDX(3, 0, 0x39) ... IDX(3, 0, 0x3a)] = L11, /* DX9_CONSTANTF_VS, PS */
    [IDX(3, 0, 0x3b) ... IDX(3, 0, 0x42)] = L8, /* DX9_CONSTANTI.. */
    [IDX(3, 0, 0x43) ... IDX(3, 0, 0x47)] = L9, /* BINDING_TABLE_EDIT_* */
    [IDX(3, 0, 0x48) ... IDX(3, 0, 0x55)] = L8, /* VF_HASHING..VF_PACKING */
    /* 3D, non-pipelined state */
    [IDX(3, 1, 0x00)]                   = L8,   /* DRAWING_RECTANGLE */
    [IDX(3, 1, 0x02)]                   = L8,   /* SAMPLER_PALETTE_LOAD0 */
    [IDX(3, 1, 0x04)]                   = L8,   /* CHROMA_KEY */
    [IDX(3, 1, 0x06) ... IDX(3, 1, 0x08)] = L8, /* POLY_, LINE_STIPPLE */
    [IDX(3, 1, 0x0a) ... IDX(3, 1, 0x16)] = L8, /* AA_LINE..PUSH_CONSTANT */
    [IDX(3, 1, 0x17)]                   = L9,   /* SO_DECL_LIST */
    [IDX(3, 1, 0x18) ... IDX(3, 1, 0x1d)] = L8, /* SO_BUFFER..URB_CLEAR */
    [IDX(3, 2, 0x00)]                   = L8,   /* PIPE_CONTROL */
    [IDX(3, 3, 0x00)]                   = L8,   /* 3DPRIMITIVE */
};

static const uint8_t video_commands[NR_IDX] = {
    [IDX(1, 0, 0x00)]                   = ONE,  /* MFX_WAIT, despite a field */
    /* MFX, common to all formats */
    [IDX_AB(0, 0, 0x00) ... IDX_AB(0, 0, 0x09)] = L12,
    [IDX_AB(0, 1, 0x09)]                = L12,  /* MFD_IT_OBJECT */
    [IDX_AB(0, 2, 0x08)]                = L12,  /* MFX_PAK_INSERT_OBJECT */
    [IDX_AB(0, 2, 0x0a)]                = L12,  /* MFX_STITCH_OBJECT */
    /* VDENC: 23 set, sub-opcode in 22:16 */
    [IDX(2, 0, 0x80) ... IDX(2, 0, 0x8f)] = L12,
    /* AVC */
    [IDX_AB(1, 0, 0x00) ... IDX_AB(1, 0, 0x05)] = L12,
    [IDX_AB(1, 1, 0x05) ... IDX_AB(1, 1, 0x08)] = L12,
    [IDX_AB(1, 2, 0x02)]                = L12,
    [IDX_AB(1, 2, 0x08) ... IDX_AB(1, 2, 0x09)] = L12,
    /* VC1 */
    [IDX_AB(2, 0, 0x00) ... IDX_AB(2, 0, 0x02)] = L12,
    [IDX_AB(2, 1, 0x00) ... IDX_AB(2, 1, 0x01)] = L12,
    [IDX_AB(2, 1, 0x08)]                = L12,
    /* MPEG2 */
    [IDX_AB(3, 0, 0x00) ... IDX_AB(3, 0, 0x01)] = L12,
    [IDX_AB(3, 1, 0x08)]                = L12,
    [IDX_AB(3, 2, 0x03)]                = L12,
    [IDX_AB(3, 2, 0x09)]                = L12,
    /* HCP: HEVC and VP9, 23 set */
    [IDX(2, 3, 0x80) ... IDX(2, 3, 0x86)] = L12, /* PIPE_MODE_SELECT.. */
    [IDX(2, 3, 0x90) ... IDX(2, 3, 0x94)] = L12, /* PIC_STATE..SLICE_STATE */
    [IDX(2, 3, 0xa0) ... IDX(2, 3, 0xa2)] = L12, /* BSD, PAK, INSERT */
    [IDX(2, 3, 0xb0) ... IDX(2, 3, 0xb5)] = L12, /* VP9 */
    /* VP8 and the short-format AVC commands */
    [IDX_AB(4, 0, 0x00) ... IDX_AB(4, 0, 0x04)] = L12,
    [IDX_AB(4, 0, 0x08)]                = L12,
    [IDX_AB(4, 1, 0x08)]                = L12,  /* MFD_VP8_BSD_OBJECT */
    [IDX_AB(4, 2, 0x00) ... IDX_AB(4, 2, 0x03)] = L12,
    [IDX_AB(4, 2, 0x09)]                = L12,  /* MFX_VP8_PAK_OBJECT */
    /* SFC behind this engine: 23 set */
    [IDX(2, 4, 0x80) ... IDX(2, 4, 0x86)] = L12,
    /* VC1_BSD */
    [IDX_AB(5, 0, 0x00)]                = L12,
    [IDX_AB(5, 0, 0x03)]                = L12,
    [IDX_AB(5, 0, 0x08)]                = L12,
    /* HUC: 23 set */
    [IDX(2, 5, 0x80) ... IDX(2, 5, 0x85)] = L12,
    [IDX(2, 5, 0xa0) ... IDX(2, 5, 0xa1)] = L12, /* STREAM_OBJECT, START */
    /* Cipher */
    [IDX_AB(6, 0, 0x00) ... IDX_AB(6, 0, 0x01)] = L16,
    [IDX_AB(6, 0, 0x08) ... IDX_AB(6, 0, 0x09)] = L16,
    /* JPEG */
    [IDX_AB(7, 0, 0x00)]                = L12,
    [IDX_AB(7, 0, 0x02)]                = L12,
    [IDX_AB(7, 1, 0x08)]                = L12,
    [IDX_AB(7, 2, 0x03)]                = L12,
    [IDX_AB(7, 2, 0x09)]                = L12,
    [IDX(2, 7, 0x80)]                   = L12,  /* VD_PIPELINE_FLUSH */
};

static const uint8_t enhance_commands[NR_IDX] = {
    [IDX_AB(4, 0, 0x00) ... IDX_AB(4, 0, 0x03)] = L12, /* VEBOX_* */
    [IDX(2, 5, 0x00) ... IDX(2, 5, 0x06)] = L12, /* SFC behind this engine */
};

unsigned gen9_cmd_len(Gen9EngineClass cls, uint32_t dw0)
{
    static const uint8_t *const type3[GEN9_NR_CLASSES] = {
        [GEN9_CLASS_RENDER] = render_commands,
        [GEN9_CLASS_VIDEO] = video_commands,
        [GEN9_CLASS_ENHANCE] = enhance_commands,
    };
    unsigned op;

    if ((unsigned)cls >= GEN9_NR_CLASSES) {
        return 0;
    }
    switch (CMD_CLIENT(dw0)) {
    case CMD_CLIENT_MI:
        op = MI_OPCODE(dw0);
        if (!(mi_commands[op].classes & 1u << cls)) {
            return 0;
        }
        return len_of_kind(mi_commands[op].kind, dw0);
    case CMD_CLIENT_BLT:
        if (cls != GEN9_CLASS_COPY) {
            return 0;
        }
        return len_of_kind(blt_commands[BLT_OPCODE(dw0)], dw0);
    case CMD_CLIENT_RENDER:
        if (!type3[cls]) {
            return 0;
        }
        return len_of_kind(type3[cls][dw0 >> 16 & (NR_IDX - 1)], dw0);
    default:
        return 0;
    }
}
