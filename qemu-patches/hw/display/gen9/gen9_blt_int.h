/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: blits, between their commands and their execution.
 */
#ifndef GEN9_BLT_INT_H
#define GEN9_BLT_INT_H

#include "gen9_blt.h"
#include "gen9_tile.h"

#define PATTERN_SIDE            8
#define TILE_BYTES              4096
#define ROP_COPY                0xcc
#define ADDR_MASK               0xffffffffffffULL

/* Colour depths as BR13 has them. */
enum { DEPTH_8, DEPTH_565, DEPTH_1555, DEPTH_32 };

/* Bits of a chroma key's mode. */
#define CHROMA_ON               1
#define CHROMA_DST              4

typedef struct BltSurface {
    uint64_t base;
    int32_t pitch;              /* bytes */
    Gen9Tiling tiling;
} BltSurface;

/* A monochrome source, most significant bit of a byte first. */
typedef struct BltMonoSource {
    bool on;
    bool transparent;
    uint64_t addr;              /* unless immediate */
    const uint32_t *data;       /* immediate */
    size_t data_bytes;
    uint64_t first_bit;         /* of the first pixel */
    uint64_t stride_bits;       /* from row to row */
    uint32_t bg, fg;
} BltMonoSource;

typedef enum BltPatternKind {
    PATTERN_NONE,               /* reads as 0 */
    PATTERN_SOLID,
    PATTERN_COLOUR,
    PATTERN_MONO,
} BltPatternKind;

typedef struct BltPattern {
    BltPatternKind kind;
    bool transparent;           /* monochrome */
    unsigned seed_x, seed_y;
    uint32_t bg, fg;            /* solid: bg */
    uint64_t addr;              /* colour, unless immediate */
    bool immediate;
    uint8_t bits[PATTERN_SIDE];
    uint8_t colour[PATTERN_SIDE * PATTERN_SIDE * 4];
} BltPattern;

typedef struct BltJob {
    Gen9Blt *blt;
    unsigned cpp;
    unsigned depth;             /* DEPTH_*, for chroma keys */
    uint8_t rop;
    uint32_t write_mask;        /* of 32-bit pixels */
    BltSurface dst, src;
    bool colour_src;
    BltMonoSource mono;
    unsigned chroma;            /* mode, CHROMA_* */
    uint32_t chroma_low, chroma_high;
    int x1, y1, x2, y2;         /* as the command has them, then clipped */
    int dst_x, dst_y;           /* where the source's origin belongs */
    int src_x, src_y;
    bool clip;
    bool x_backwards;
    /* Derived: what there is to read and to do */
    bool need_src, need_dst, need_pattern, masked;
    BltPattern pattern;         /* last, for job_clear() */
} BltJob;

/* Does it, and tells faults in blt->fault. */
void gen9_blt_run(BltJob *job);

#endif
