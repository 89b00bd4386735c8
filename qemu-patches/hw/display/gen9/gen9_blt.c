/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: commands of the 2D blitter (PRM Skylake volume 11,
 * "Blitter", and the layouts of volume 2a; all addresses are two dwords).
 *
 * Every command that draws becomes a job: a rectangle of the destination and
 * up to three operands (source, pattern, destination) that a raster operation
 * combines.
 */
#include "gen9_compat.h"
#include "gen9_blt_int.h"
#include "gen9_cmd.h"
#include "gen/cmds.h"
#include "gen/regs.h"

/* BR00 */
#define BR00_MONO_START(v)      ((v) >> 17 & 7)
#define BR00_CHROMA(v)          ((v) >> 17 & 7)
#define BR00_BYTE_PACKED        (1u << 16)
#define BR00_FIXED_PATTERN(v)   ((v) >> 15 & 15)
#define BR00_SEED_X(v)          ((v) >> 12 & 7)
#define BR00_SEED_Y(v)          ((v) >> 8 & 7)
#define BR00_FAST_SRC_TILING(v) ((v) >> 20 & 3)
#define BR00_FAST_DST_TILING(v) ((v) >> 13 & 3)

/* BR13 and BR01 */
#define BR13_SOLID_PATTERN      (1u << 31)
#define BR13_CLIP               (1u << 30)
#define BR13_MONO_SRC_TRANSPARENT (1u << 29)
#define BR13_MONO_PAT_TRANSPARENT (1u << 28)
#define BR13_DEPTH(v)           ((v) >> 24 & 3)
#define BR13_ROP(v)             ((v) >> 16 & 0xff)
#define BR13_PITCH(v)           ((int16_t)(v))
#define BR13_X_BACKWARDS        (1u << 30)      /* SRC_COPY_BLT alone */
#define BR13_FAST_SRC_YF        (1u << 31)
#define BR13_FAST_DST_YF        (1u << 30)
#define BR13_FAST_DEPTH(v)      ((v) >> 24 & 7)

static uint64_t addr_at(const uint32_t *dw)
{
    return (dw[0] | (uint64_t)dw[1] << 32) & ADDR_MASK;
}

static int low16(uint32_t dw)
{
    return (int16_t)dw;
}

static int high16(uint32_t dw)
{
    return (int16_t)(dw >> 16);
}

static void job_rect(BltJob *job, uint32_t top_left, uint32_t bottom_right)
{
    job->x1 = low16(top_left);
    job->y1 = high16(top_left);
    job->x2 = low16(bottom_right);
    job->y2 = high16(bottom_right);
}

/* A pitch is in bytes, or dwords if tiled; tiled surfaces are page aligned. */
static void surface_init(BltSurface *s, uint64_t base, uint32_t pitch,
                         Gen9Tiling tiling)
{
    s->tiling = tiling;
    s->base = tiling ? base & ~(uint64_t)(TILE_BYTES - 1) : base;
    s->pitch = BR13_PITCH(pitch) * (tiling ? 4 : 1);
}

static Gen9Tiling dst_tiling(const Gen9Blt *b, uint32_t br00)
{
    if (!(br00 & BLT_DST_TILED)) {
        return GEN9_TILING_LINEAR;
    }
    return b->swctrl & BCS_DST_Y ? GEN9_TILING_Y : GEN9_TILING_X;
}

static Gen9Tiling src_tiling(const Gen9Blt *b, uint32_t br00)
{
    if (!(br00 & BLT_SRC_TILED)) {
        return GEN9_TILING_LINEAR;
    }
    return b->swctrl & BCS_SRC_Y ? GEN9_TILING_Y : GEN9_TILING_X;
}

/* All but the pattern's pixels. */
static void job_clear(BltJob *job, Gen9Blt *b)
{
    memset(job, 0, offsetof(BltJob, pattern.colour));
    job->blt = b;
}

/* Depth, operation, masks; masks is the dword with the write enables. */
static void job_init(BltJob *job, Gen9Blt *b, uint32_t masks, uint32_t br13)
{
    job_clear(job, b);
    job->depth = BR13_DEPTH(br13);
    job->cpp = job->depth == DEPTH_8 ? 1 : job->depth == DEPTH_32 ? 4 : 2;
    job->rop = BR13_ROP(br13);
    job->write_mask = (masks & BLT_WRITE_ALPHA ? 0xff000000 : 0) |
        (masks & BLT_WRITE_RGB ? 0x00ffffff : 0);
}

/* Dwords 0-5 of nearly all XY commands: to the destination's address. */
static void job_init_xy(BltJob *job, Gen9Blt *b, const uint32_t *dw)
{
    job_init(job, b, dw[0], dw[1]);
    job->clip = dw[1] & BR13_CLIP;
    job->pattern.seed_x = BR00_SEED_X(dw[0]);
    job->pattern.seed_y = BR00_SEED_Y(dw[0]);
    job_rect(job, dw[2], dw[3]);
    surface_init(&job->dst, addr_at(dw + 4), dw[1], dst_tiling(b, dw[0]));
}

/* For the commands that draw with what XY_SETUP_* left. */
static void job_init_setup(BltJob *job, Gen9Blt *b, uint32_t br00,
                           uint32_t top_left, uint32_t bottom_right)
{
    const Gen9BltSetup *s = &b->setup;

    job_init(job, b, s->br00, s->br01);
    job->clip = s->br01 & BR13_CLIP;
    job->pattern.seed_x = BR00_SEED_X(br00);
    job->pattern.seed_y = BR00_SEED_Y(br00);
    job_rect(job, top_left, bottom_right);
    surface_init(&job->dst, s->br09, s->br01, dst_tiling(b, br00));
}

static void job_colour_src(BltJob *job, uint32_t br00, uint32_t corner,
                           uint32_t pitch, const uint32_t *addr)
{
    job->colour_src = true;
    job->src_x = low16(corner);
    job->src_y = high16(corner);
    surface_init(&job->src, addr_at(addr), pitch, src_tiling(job->blt, br00));
}

static void job_solid(BltJob *job, uint32_t colour)
{
    job->pattern.kind = PATTERN_SOLID;
    job->pattern.bg = colour;
}

static void job_colour_pattern(BltJob *job, uint64_t addr)
{
    job->pattern.kind = PATTERN_COLOUR;
    job->pattern.addr = addr;
}

/* Patterns in the command: 16 dwords a byte of the pixels. */
static bool job_immediate_pattern(BltJob *job, const uint32_t *dw, unsigned n)
{
    size_t size = PATTERN_SIDE * PATTERN_SIDE * job->cpp;

    if (n * sizeof(*dw) < size) {
        return false;
    }
    job->pattern.kind = PATTERN_COLOUR;
    job->pattern.immediate = true;
    memcpy(job->pattern.colour, dw, size);
    return true;
}

static void job_mono_pattern(BltJob *job, uint32_t br13,
                             uint32_t bg, uint32_t fg,
                             uint32_t bits0, uint32_t bits1)
{
    BltPattern *p = &job->pattern;

    p->kind = br13 & BR13_SOLID_PATTERN ? PATTERN_SOLID : PATTERN_MONO;
    p->transparent = br13 & BR13_MONO_PAT_TRANSPARENT;
    p->bg = bg;
    p->fg = fg;
    for (int i = 0; i < PATTERN_SIDE; i++) {
        p->bits[i] = (i < 4 ? bits0 : bits1) >> i % 4 * 8;
    }
}

/* Rows of a monochrome source are padded to 16 bits. */
static void job_mono_src(BltJob *job, uint32_t br00, uint32_t br13,
                         uint32_t bg, uint32_t fg)
{
    BltMonoSource *m = &job->mono;
    unsigned width = MAX(job->x2 - job->x1, 0);

    m->on = true;
    m->transparent = br13 & BR13_MONO_SRC_TRANSPARENT;
    m->first_bit = BR00_MONO_START(br00);
    m->stride_bits = ROUND_UP(m->first_bit + width, 16);
    m->bg = bg;
    m->fg = fg;
}

/* Those of text are padded to bytes, or not at all. */
static void job_text(BltJob *job, uint32_t br00)
{
    const Gen9BltSetup *s = &job->blt->setup;

    job_mono_src(job, 0, s->br01, s->br05, s->br06);
    job->mono.stride_bits = MAX(job->x2 - job->x1, 0);
    if (br00 & BR00_BYTE_PACKED) {
        job->mono.stride_bits = ROUND_UP(job->mono.stride_bits, 8);
    }
}

static void job_mono_data(BltJob *job, const uint32_t *dw, unsigned n)
{
    job->mono.data = dw;
    job->mono.data_bytes = n * sizeof(*dw);
}

static void job_chroma(BltJob *job, uint32_t br00, const uint32_t *low_high,
                       unsigned allowed)
{
    unsigned mode = BR00_CHROMA(br00);

    if ((mode & CHROMA_ON) && (mode & CHROMA_DST || allowed != CHROMA_DST)) {
        job->chroma = mode;
        job->chroma_low = low_high[0];
        job->chroma_high = low_high[1];
    }
}

/* The patterns of XY_MONO_PAT_FIXED_BLT, row by row; 6, 7, 12-15 reserved. */
static const uint8_t fixed_patterns[16][PATTERN_SIDE] = {
    { 0x00, 0x00, 0x00, 0xff, 0x00, 0x00, 0x00, 0x00 },     /* horizontal */
    { 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08, 0x08 },     /* vertical */
    { 0x80, 0x40, 0x20, 0x10, 0x08, 0x04, 0x02, 0x01 },     /* falling */
    { 0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80 },     /* rising */
    { 0x08, 0x08, 0x08, 0xff, 0x08, 0x08, 0x08, 0x08 },     /* cross */
    { 0x81, 0x42, 0x24, 0x18, 0x18, 0x24, 0x42, 0x81 },     /* diagonal cross */
    [8] = { 0x55, 0xaa, 0x55, 0xaa, 0x55, 0xaa, 0x55, 0xaa }, /* screen door */
    { 0xcc, 0x33, 0xcc, 0x33, 0xcc, 0x33, 0xcc, 0x33 },     /* the same, wide */
    { 0x88, 0x44, 0x22, 0x11, 0x88, 0x44, 0x22, 0x11 },     /* walking one */
    { 0x77, 0xbb, 0xdd, 0xee, 0x77, 0xbb, 0xdd, 0xee },     /* walking zero */
};

static void fast_copy(BltJob *job, Gen9Blt *b, const uint32_t *dw)
{
    static const uint8_t cpps[8] = { 1, 2, 2, 4, 8, 16, 16, 16 };
    static const Gen9Tiling tilings[4] = {
        GEN9_TILING_LINEAR, GEN9_TILING_X, GEN9_TILING_Y, GEN9_TILING_YS,
    };
    Gen9Tiling src = tilings[BR00_FAST_SRC_TILING(dw[0])];
    Gen9Tiling dst = tilings[BR00_FAST_DST_TILING(dw[0])];

    if (src == GEN9_TILING_Y && dw[1] & BR13_FAST_SRC_YF) {
        src = GEN9_TILING_YF;
    }
    if (dst == GEN9_TILING_Y && dw[1] & BR13_FAST_DST_YF) {
        dst = GEN9_TILING_YF;
    }
    job_clear(job, b);
    job->cpp = cpps[BR13_FAST_DEPTH(dw[1])];
    job->rop = ROP_COPY;
    job->write_mask = UINT32_MAX;
    job->colour_src = true;
    job_rect(job, dw[2], dw[3]);
    job->src_x = low16(dw[6]);
    job->src_y = high16(dw[6]);
    surface_init(&job->dst, addr_at(dw + 4), dw[1], dst);
    surface_init(&job->src, addr_at(dw + 8), dw[7], src);
}

/*
 * COLOR_BLT and SRC_COPY_BLT: dwords 2-4 are the height and the width in
 * bytes, and the address of the first byte.
 */
static void job_init_linear(BltJob *job, Gen9Blt *b, const uint32_t *dw)
{
    job_init(job, b, dw[0], dw[1]);
    job->x2 = (dw[2] & 0xffff) / job->cpp;
    job->y2 = dw[2] >> 16;
    surface_init(&job->dst, addr_at(dw + 3), dw[1], GEN9_TILING_LINEAR);
}

static void src_copy(BltJob *job, Gen9Blt *b, const uint32_t *dw)
{
    job_init_linear(job, b, dw);
    job->colour_src = true;
    surface_init(&job->src, addr_at(dw + 6), dw[5], GEN9_TILING_LINEAR);
    if (dw[1] & BR13_X_BACKWARDS) {
        /* the addresses are those of the last bytes of the first rows */
        unsigned width = job->x2 * job->cpp;

        job->x_backwards = true;
        if (width) {
            job->dst.base -= width - 1;
            job->src.base -= width - 1;
        }
    }
}

/* XY_SETUP_*: no drawing. */
static void setup(Gen9Blt *b, const uint32_t *dw, bool mono)
{
    Gen9BltSetup *s = &b->setup;

    s->br00 = dw[0];
    s->br01 = dw[1];
    s->br24 = dw[2];
    s->br25 = dw[3];
    s->br09 = addr_at(dw + 4);
    s->br05 = dw[6];
    s->br06 = dw[7];
    s->mono = mono;
    if (mono) {
        s->br20 = dw[8];
        s->br21 = dw[9];
    } else {
        s->br07 = addr_at(dw + 8);
    }
}

unsigned gen9_blt_setup_length(uint32_t dw0)
{
    if (CMD_CLIENT(dw0) != CMD_CLIENT_BLT) {
        return 0;
    }
    switch (BLT_OPCODE(dw0)) {
    case OP_XY_SETUP_BLT:
    case OP_XY_SETUP_MONO_PATTERN_SL_BLT:
        return 10;
    case OP_XY_SETUP_CLIP_BLT:
        return 3;
    }
    return 0;
}

/* Without a whole setup, there may be a clip rectangle. */
unsigned gen9_blt_save_setup(const Gen9Blt *b, uint32_t *out)
{
    const Gen9BltSetup *s = &b->setup;

    if (!s->br00) {
        out[0] = (uint32_t)CMD_CLIENT_BLT << 29 |
                 OP_XY_SETUP_CLIP_BLT << 22 | 1;
        out[1] = s->br24;
        out[2] = s->br25;
        return 3;
    }
    out[0] = s->br00;
    out[1] = s->br01;
    out[2] = s->br24;
    out[3] = s->br25;
    out[4] = s->br09;
    out[5] = s->br09 >> 32;
    out[6] = s->br05;
    out[7] = s->br06;
    out[8] = s->mono ? s->br20 : s->br07;
    out[9] = s->mono ? s->br21 : s->br07 >> 32;
    return 10;
}

static void scanlines_pattern(BltJob *job, const Gen9BltSetup *s)
{
    if (s->mono) {
        job_mono_pattern(job, s->br01, s->br05, s->br06, s->br20, s->br21);
    } else {
        job_colour_pattern(job, s->br07);
    }
}

/* The commands that only a setup makes complete. */
static void exec_setup(Gen9Blt *b, const uint32_t *dw, unsigned n, BltJob *job)
{
    switch (BLT_OPCODE(dw[0])) {
    case OP_XY_PIXEL_BLT:
        job_init_setup(job, b, dw[0], dw[1], dw[1]);
        job->x2++;
        job->y2++;
        job_solid(job, b->setup.br05);
        break;
    case OP_XY_SCANLINES_BLT:
        job_init_setup(job, b, dw[0], dw[1], dw[2]);
        scanlines_pattern(job, &b->setup);
        break;
    case OP_XY_TEXT_BLT:
        job_init_setup(job, b, dw[0], dw[1], dw[2]);
        job_text(job, dw[0]);
        job->mono.addr = addr_at(dw + 3);
        break;
    case OP_XY_TEXT_IMMEDIATE_BLT:
        job_init_setup(job, b, dw[0], dw[1], dw[2]);
        job_text(job, dw[0]);
        job_mono_data(job, dw + 3, n - 3);
        break;
    }
    gen9_blt_run(job);
}

/* One source and a destination, or a pattern and a destination. */
static bool exec_two_operands(Gen9Blt *b, const uint32_t *dw, unsigned n,
                              BltJob *job)
{
    const uint8_t *fixed;

    job_init_xy(job, b, dw);
    switch (BLT_OPCODE(dw[0])) {
    case OP_XY_COLOR_BLT:
        job_solid(job, dw[6]);
        break;
    case OP_XY_PAT_BLT:
        job_colour_pattern(job, addr_at(dw + 6));
        break;
    case OP_XY_PAT_BLT_IMMEDIATE:
        if (!job_immediate_pattern(job, dw + 6, n - 6)) {
            return false;
        }
        break;
    case OP_XY_PAT_CHROMA_BLT:
        job_colour_pattern(job, addr_at(dw + 6));
        job_chroma(job, dw[0], dw + 8, CHROMA_DST);
        break;
    case OP_XY_PAT_CHROMA_BLT_IMMEDIATE:
        if (!job_immediate_pattern(job, dw + 8, n - 8)) {
            return false;
        }
        job_chroma(job, dw[0], dw + 6, CHROMA_DST);
        break;
    case OP_XY_MONO_PAT_BLT:
        job_mono_pattern(job, dw[1], dw[6], dw[7], dw[8], dw[9]);
        break;
    case OP_XY_MONO_PAT_FIXED_BLT:
        fixed = fixed_patterns[BR00_FIXED_PATTERN(dw[0])];
        job_mono_pattern(job, dw[1] & ~BR13_SOLID_PATTERN, dw[6], dw[7], 0, 0);
        memcpy(job->pattern.bits, fixed, PATTERN_SIDE);
        break;
    case OP_XY_SRC_COPY_BLT:
        job_colour_src(job, dw[0], dw[6], dw[7], dw + 8);
        break;
    case OP_XY_SRC_COPY_CHROMA_BLT:
        job_colour_src(job, dw[0], dw[6], dw[7], dw + 8);
        job_chroma(job, dw[0], dw + 10, 0);
        break;
    case OP_XY_MONO_SRC_COPY_BLT:
        job_mono_src(job, dw[0], dw[1], dw[8], dw[9]);
        job->mono.addr = addr_at(dw + 6);
        break;
    case OP_XY_MONO_SRC_COPY_IMMEDIATE_BLT:
        job_mono_src(job, dw[0], dw[1], dw[6], dw[7]);
        job_mono_data(job, dw + 8, n - 8);
        break;
    }
    gen9_blt_run(job);
    return true;
}

/* XY_FULL_*: source pitch before coordinates, unlike XY_SRC_COPY_BLT. */
static bool exec_three_operands(Gen9Blt *b, const uint32_t *dw, unsigned n,
                                BltJob *job)
{
    job_init_xy(job, b, dw);
    switch (BLT_OPCODE(dw[0])) {
    case OP_XY_FULL_BLT:
        job_colour_src(job, dw[0], dw[7], dw[6], dw + 8);
        job_colour_pattern(job, addr_at(dw + 10));
        break;
    case OP_XY_FULL_IMMEDIATE_PATTERN_BLT:
        job_colour_src(job, dw[0], dw[7], dw[6], dw + 8);
        if (!job_immediate_pattern(job, dw + 10, n - 10)) {
            return false;
        }
        break;
    case OP_XY_FULL_MONO_PATTERN_BLT:
        job_colour_src(job, dw[0], dw[7], dw[6], dw + 8);
        job_mono_pattern(job, dw[1], dw[10], dw[11], dw[12], dw[13]);
        break;
    case OP_XY_FULL_MONO_SRC_BLT:
        job_mono_src(job, dw[0], dw[1], dw[8], dw[9]);
        job->mono.addr = addr_at(dw + 6);
        job_colour_pattern(job, addr_at(dw + 10));
        break;
    case OP_XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT:
        job_mono_src(job, dw[0], dw[1], dw[8], dw[9]);
        job->mono.addr = addr_at(dw + 6);
        if (!job_immediate_pattern(job, dw + 10, n - 10)) {
            return false;
        }
        break;
    case OP_XY_FULL_MONO_PATTERN_MONO_SRC_BLT:
        job_mono_src(job, dw[0], dw[1], dw[8], dw[9]);
        job->mono.addr = addr_at(dw + 6);
        job_mono_pattern(job, dw[1], dw[10], dw[11], dw[12], dw[13]);
        break;
    }
    gen9_blt_run(job);
    return true;
}

bool gen9_blt_exec(Gen9Blt *b, const uint32_t *cmd, unsigned n)
{
    const struct gen_cmd *row;
    BltJob job;

    if (!n || CMD_CLIENT(cmd[0]) != CMD_CLIENT_BLT) {
        return false;
    }
    row = gen9_cmd_find(GEN9_CLASS_COPY, cmd[0]);
    if (!row || n < row->min || n > row->max) {
        return false;
    }
    switch (BLT_OPCODE(cmd[0])) {
    case OP_XY_SETUP_BLT:
        setup(b, cmd, false);
        return true;
    case OP_XY_SETUP_MONO_PATTERN_SL_BLT:
        setup(b, cmd, true);
        return true;
    case OP_XY_SETUP_CLIP_BLT:
        b->setup.br24 = cmd[1];
        b->setup.br25 = cmd[2];
        return true;
    case OP_XY_PIXEL_BLT:
    case OP_XY_SCANLINES_BLT:
    case OP_XY_TEXT_BLT:
    case OP_XY_TEXT_IMMEDIATE_BLT:
        exec_setup(b, cmd, n, &job);
        return true;
    case OP_COLOR_BLT:
        job_init_linear(&job, b, cmd);
        job_solid(&job, cmd[5]);
        gen9_blt_run(&job);
        return true;
    case OP_SRC_COPY_BLT:
        src_copy(&job, b, cmd);
        gen9_blt_run(&job);
        return true;
    case OP_XY_FAST_COPY_BLT:
        fast_copy(&job, b, cmd);
        gen9_blt_run(&job);
        return true;
    case OP_XY_FULL_BLT:
    case OP_XY_FULL_MONO_SRC_BLT:
    case OP_XY_FULL_MONO_PATTERN_BLT:
    case OP_XY_FULL_MONO_PATTERN_MONO_SRC_BLT:
    case OP_XY_FULL_IMMEDIATE_PATTERN_BLT:
    case OP_XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT:
        return exec_three_operands(b, cmd, n, &job);
    default:
        return exec_two_operands(b, cmd, n, &job);
    }
}
