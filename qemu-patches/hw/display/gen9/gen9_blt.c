/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: the 2D blitter (PRM Skylake volume 11, "Blitter", and the
 * layouts of volume 2a; all addresses are two dwords).
 *
 * Every command becomes a job: a rectangle of the destination and up to three
 * operands (source, pattern, destination) that a raster operation combines. A
 * job is done in blocks. A block is read whole, combined, and written whole,
 * so that memory is accessed in spans as long as possible (rows of linear
 * surfaces, tiles of tiled ones), and blocks are done in the order in which
 * the hardware goes over overlapping surfaces: backwards if source and
 * destination have the same base address and the destination's coordinate is
 * the greater one. Overlapping surfaces with different base addresses are
 * undefined.
 *
 * Pixels that are not to be written (masks, transparency) are written back as
 * they were read.
 */
#include "gen9_compat.h"
#include "gen9_blt.h"
#include "gen9_tile.h"
#include "gen/cmds.h"
#include "gen/regs.h"

/* A block: 32 rows of 2 KB with a tiled surface, else one row of 32 KB. */
#define BLOCK_TILED_ROWS        32
#define BLOCK_TILED_BYTES       2048
#define BLOCK_LINEAR_BYTES      32768
#define BLOCK_SIZE              (BLOCK_TILED_ROWS * BLOCK_TILED_BYTES)

#define TILE_BYTES              4096
#define ADDR_MASK               0xffffffffffffULL

#define PATTERN_SIDE            8
#define MAX_CPP                 16

/* BR00 */
#define BR00_MONO_START(v)      ((v) >> 17 & 7)
#define BR00_CHROMA(v)          ((v) >> 17 & 7)
#define   CHROMA_ON             1       /* bits of the mode */
#define   CHROMA_DST            4
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
#define   DEPTH_8               0
#define   DEPTH_565             1
#define   DEPTH_1555            2
#define   DEPTH_32              3
#define BR13_ROP(v)             ((v) >> 16 & 0xff)
#define BR13_PITCH(v)           ((int16_t)(v))
#define BR13_X_BACKWARDS        (1u << 30)      /* SRC_COPY_BLT alone */
#define BR13_FAST_SRC_YF        (1u << 31)
#define BR13_FAST_DST_YF        (1u << 30)
#define BR13_FAST_DEPTH(v)      ((v) >> 24 & 7)

#define ROP_COPY                0xcc

typedef struct Surface {
    uint64_t base;
    int32_t pitch;              /* bytes */
    Gen9Tiling tiling;
} Surface;

/* A monochrome source, most significant bit of a byte first. */
typedef struct MonoSource {
    bool on;
    bool transparent;
    uint64_t addr;              /* unless immediate */
    const uint32_t *data;       /* immediate */
    size_t data_bytes;
    uint64_t first_bit;         /* of the first pixel */
    uint64_t stride_bits;       /* from row to row */
    uint32_t bg, fg;
} MonoSource;

typedef enum PatternKind {
    PATTERN_NONE,               /* reads as 0 */
    PATTERN_SOLID,
    PATTERN_COLOUR,
    PATTERN_MONO,
} PatternKind;

typedef struct Pattern {
    PatternKind kind;
    bool transparent;           /* monochrome */
    unsigned seed_x, seed_y;
    uint32_t bg, fg;            /* solid: bg */
    uint64_t addr;              /* colour, unless immediate */
    bool immediate;
    uint8_t bits[PATTERN_SIDE];
    uint8_t colour[PATTERN_SIDE * PATTERN_SIDE * 4];
} Pattern;

typedef struct Job {
    Gen9Blt *blt;
    unsigned cpp;
    unsigned depth;             /* DEPTH_*, for chroma keys */
    uint8_t rop;
    uint32_t write_mask;        /* of 32-bit pixels */
    Surface dst, src;
    bool colour_src;
    MonoSource mono;
    unsigned chroma;            /* mode, CHROMA_* */
    uint32_t chroma_low, chroma_high;
    int x1, y1, x2, y2;         /* as the command has them, then clipped */
    int dst_x, dst_y;           /* where the source's origin belongs */
    int src_x, src_y;
    bool clip;
    bool x_backwards;
    /* Derived: what there is to read and to do */
    bool need_src, need_dst, need_pattern, masked;
    Pattern pattern;            /* last, for job_clear() */
} Job;

/* The rows of a block and what belongs to one row; 8-byte words. */
typedef struct Block {
    uint8_t *dst, *src;         /* stride bytes from row to row */
    uint64_t *pattern, *mono, *mask, *result;
    unsigned stride;
    bool filled;                /* dst holds the colour of a fill */
} Block;

/* ------------------------------------------------------------- surfaces */

static bool blt_mem(Gen9Blt *b, uint64_t addr, void *buf, size_t len,
                    bool write)
{
    if (!b->mem(b->opaque, addr & ADDR_MASK, buf, len, write)) {
        b->fault = true;
        return false;
    }
    return true;
}

static bool linear_rect(Gen9Blt *b, const Surface *s, unsigned x, unsigned y,
                        unsigned width, unsigned rows,
                        uint8_t *buf, unsigned stride, bool write)
{
    uint64_t addr = s->base + (int64_t)y * s->pitch + x;

    for (; rows; rows--, buf += stride, addr += (int64_t)s->pitch) {
        if (!blt_mem(b, addr, buf, width, write)) {
            return false;
        }
    }
    return true;
}

/* The tile that holds byte x of row y. */
static uint64_t tile_addr(const Surface *s, unsigned cpp,
                          unsigned x, unsigned y)
{
    unsigned ws = gen9_tile_width_shift(s->tiling, cpp);
    unsigned hs = gen9_tile_height_shift(s->tiling, cpp);
    /* A pitch is whole tiles, and may be negative. */
    int64_t tiles = s->pitch / (1 << ws);

    return s->base +
        ((int64_t)(y >> hs) * tiles + (x >> ws)) * (1 << (ws + hs));
}

/*
 * Copies a rectangle between an X or Y tile's image and rows of pixels. The
 * coordinates are inside the tile.
 */
static void tile_copy(const Surface *s, uint8_t *tile, unsigned x, unsigned y,
                      unsigned width, unsigned rows,
                      uint8_t *buf, unsigned stride, bool to_tile)
{
    unsigned run = s->tiling == GEN9_TILING_X ? 512 : 16;

    for (unsigned r = 0; r < rows; r++) {
        uint8_t *row = buf + (size_t)r * stride;

        for (unsigned i = 0, n; i < width; i += n) {
            uint8_t *t = tile + gen9_tile_swizzle(s->tiling, 0, x + i, y + r);

            n = MIN(width - i, run - (x + i) % run);
            if (n == 16) {
                /* worth a special case: a Y tile is 256 of these */
                memcpy(to_tile ? t : row + i, to_tile ? row + i : t, 16);
            } else {
                memcpy(to_tile ? t : row + i, to_tile ? row + i : t, n);
            }
        }
    }
}

/*
 * Moves the part of a rectangle that lies in one X or Y tile. Reads take the
 * span from its first to its last byte. Writes must not touch the rest of the
 * tile: a whole one goes at once, others by runs.
 */
static bool xy_tile_rect(Gen9Blt *b, const Surface *s, unsigned x, unsigned y,
                         unsigned width, unsigned rows,
                         uint8_t *buf, unsigned stride, bool write)
{
    unsigned tw = 1u << gen9_tile_width_shift(s->tiling, 0);
    unsigned th = 1u << gen9_tile_height_shift(s->tiling, 0);
    uint64_t addr = tile_addr(s, 0, x, y);
    uint8_t tile[TILE_BYTES];
    uint32_t first, last;

    x %= tw;
    y %= th;
    first = gen9_tile_swizzle(s->tiling, 0, x, y);
    last = gen9_tile_swizzle(s->tiling, 0, x + width - 1, y + rows - 1);
    if (!write) {
        if (!blt_mem(b, addr + first, tile + first, last - first + 1, false)) {
            return false;
        }
        tile_copy(s, tile, x, y, width, rows, buf, stride, false);
        return true;
    }

    tile_copy(s, tile, x, y, width, rows, buf, stride, true);
    if (width == tw && (rows == th || s->tiling == GEN9_TILING_X)) {
        /* full rows of an X tile, or all of a Y tile */
        return blt_mem(b, addr + first, tile + first, last - first + 1, true);
    }
    if (s->tiling == GEN9_TILING_X) {
        for (unsigned r = 0; r < rows; r++) {
            uint32_t o = gen9_tile_swizzle(s->tiling, 0, x, y + r);

            if (!blt_mem(b, addr + o, tile + o, width, true)) {
                return false;
            }
        }
        return true;
    }
    for (unsigned i = 0, n; i < width; i += n) {
        uint32_t o = gen9_tile_swizzle(s->tiling, 0, x + i, y);

        n = MIN(width - i, 16 - (x + i) % 16);
        if (n == 16) {
            if (!blt_mem(b, addr + o, tile + o, rows * 16, true)) {
                return false;
            }
            continue;
        }
        for (unsigned r = 0; r < rows; r++) {
            if (!blt_mem(b, addr + o + r * 16, tile + o + r * 16, n, true)) {
                return false;
            }
        }
    }
    return true;
}

/* Yf and Ys, by runs of 16 bytes: rarely used. */
static bool yf_ys_rect(Gen9Blt *b, const Surface *s, unsigned cpp,
                       unsigned x, unsigned y, unsigned width, unsigned rows,
                       uint8_t *buf, unsigned stride, bool write)
{
    for (unsigned r = 0; r < rows; r++, buf += stride) {
        for (unsigned i = 0, n; i < width; i += n) {
            uint64_t addr = tile_addr(s, cpp, x + i, y + r) +
                gen9_tile_swizzle(s->tiling, cpp, x + i, y + r);

            n = MIN(width - i, 16 - (x + i) % 16);
            if (!blt_mem(b, addr, buf + i, n, write)) {
                return false;
            }
        }
    }
    return true;
}

/* Moves a rectangle between a surface and rows that are stride bytes apart. */
static bool surface_rect(Gen9Blt *b, const Surface *s, unsigned cpp,
                         unsigned x, unsigned y, unsigned width, unsigned rows,
                         uint8_t *buf, unsigned stride, bool write)
{
    unsigned tw, th;

    b->bytes += (uint64_t)width * rows;
    if (s->tiling == GEN9_TILING_LINEAR) {
        return linear_rect(b, s, x, y, width, rows, buf, stride, write);
    }
    if (s->tiling == GEN9_TILING_YF || s->tiling == GEN9_TILING_YS) {
        return yf_ys_rect(b, s, cpp, x, y, width, rows, buf, stride, write);
    }

    tw = 1u << gen9_tile_width_shift(s->tiling, cpp);
    th = 1u << gen9_tile_height_shift(s->tiling, cpp);
    for (unsigned r = 0, nr; r < rows; r += nr) {
        nr = MIN(rows - r, th - (y + r) % th);
        for (unsigned i = 0, n; i < width; i += n) {
            n = MIN(width - i, tw - (x + i) % tw);
            if (!xy_tile_rect(b, s, x + i, y + r, n, nr,
                              buf + (size_t)r * stride + i, stride, write)) {
                return false;
            }
        }
    }
    return true;
}

/* ------------------------------------------------------------- operands */

static bool rop_uses_dst(uint8_t rop)
{
    return (rop ^ rop >> 1) & 0x55;
}

static bool rop_uses_src(uint8_t rop)
{
    return (rop ^ rop >> 2) & 0x33;
}

static bool rop_uses_pattern(uint8_t rop)
{
    return (rop ^ rop >> 4) & 0x0f;
}

/*
 * Combines n words into dst. Bit 4p + 2s + d of the raster operation is the
 * result for pattern bit p, source bit s and destination bit d: a tree of
 * seven multiplexers.
 */
static void rop_words(uint8_t rop, uint64_t *dst, const uint64_t *src,
                      const uint64_t *pattern, size_t n)
{
    uint64_t m[8];

    for (int i = 0; i < 8; i++) {
        m[i] = rop >> i & 1 ? ~0ULL : 0;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t d = dst[i], s = src[i], p = pattern[i];
        uint64_t a = m[0] ^ (d & (m[0] ^ m[1]));
        uint64_t b = m[2] ^ (d & (m[2] ^ m[3]));
        uint64_t c = m[4] ^ (d & (m[4] ^ m[5]));
        uint64_t e = m[6] ^ (d & (m[6] ^ m[7]));

        a ^= s & (a ^ b);
        c ^= s & (c ^ e);
        dst[i] = a ^ (p & (a ^ c));
    }
}

static void put_pixel(void *row, unsigned i, unsigned cpp, uint32_t value)
{
    switch (cpp) {
    case 1:
        ((uint8_t *)row)[i] = value;
        break;
    case 2:
        ((uint16_t *)row)[i] = value;
        break;
    default:
        ((uint32_t *)row)[i] = value;
        break;
    }
}

static uint32_t get_pixel(const void *row, unsigned i, unsigned cpp)
{
    switch (cpp) {
    case 1:
        return ((const uint8_t *)row)[i];
    case 2:
        return ((const uint16_t *)row)[i];
    default:
        return ((const uint32_t *)row)[i];
    }
}

static uint64_t replicate(uint32_t value, unsigned cpp)
{
    switch (cpp) {
    case 1:
        return (value & 0xff) * 0x0101010101010101ULL;
    case 2:
        return (value & 0xffff) * 0x0001000100010001ULL;
    default:
        return value * 0x0000000100000001ULL;
    }
}

static void fill_words(uint64_t *row, uint64_t value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        row[i] = value;
    }
}

/* The pattern for n pixels from x of row y, and its mask. */
static void pattern_row(const Job *job, const Block *blk, unsigned words,
                        unsigned x, unsigned y, unsigned n)
{
    const Pattern *p = &job->pattern;
    unsigned row = (y + p->seed_y) % PATTERN_SIDE;
    unsigned cpp = job->cpp;

    switch (p->kind) {
    case PATTERN_NONE:
        fill_words(blk->pattern, 0, words);
        break;
    case PATTERN_SOLID:
        fill_words(blk->pattern, replicate(p->bg, cpp), words);
        break;
    case PATTERN_COLOUR:
        for (unsigned i = 0; i < n; i++) {
            unsigned col = (x + i + p->seed_x) % PATTERN_SIDE;

            memcpy((uint8_t *)blk->pattern + i * cpp,
                   p->colour + (row * PATTERN_SIDE + col) * cpp, cpp);
        }
        break;
    case PATTERN_MONO:
        for (unsigned i = 0; i < n; i++) {
            unsigned col = (x + i + p->seed_x) % PATTERN_SIDE;
            bool set = p->bits[row] & 0x80 >> col;

            put_pixel(blk->pattern, i, cpp, set ? p->fg : p->bg);
            if (p->transparent && !set) {
                put_pixel(blk->mask, i, cpp, 0);
            }
        }
        break;
    }
}

/* The monochrome source for n pixels from x of row y, and its mask. */
static bool mono_row(const Job *job, const Block *blk,
                     unsigned x, unsigned y, unsigned n)
{
    const MonoSource *m = &job->mono;
    uint64_t bit = m->first_bit + (y - job->dst_y) * m->stride_bits +
        (x - job->dst_x);
    uint8_t bits[BLOCK_LINEAR_BYTES / 8 + 1];
    size_t first = bit / 8, bytes = (bit + n - 1) / 8 - first + 1;

    if (m->data) {
        for (size_t i = 0; i < bytes; i++) {
            bits[i] = first + i < m->data_bytes ?
                m->data[(first + i) / 4] >> (first + i) % 4 * 8 : 0;
        }
    } else {
        job->blt->bytes += bytes;
        if (!blt_mem(job->blt, m->addr + first, bits, bytes, false)) {
            return false;
        }
    }
    bit %= 8;
    for (unsigned i = 0; i < n; i++, bit++) {
        bool set = bits[bit / 8] & 0x80 >> bit % 8;

        put_pixel(blk->mono, i, job->cpp, set ? m->fg : m->bg);
        if (m->transparent && !set) {
            put_pixel(blk->mask, i, job->cpp, 0);
        }
    }
    return true;
}

/* Whether the components of a pixel are all in the range of the key. */
static bool chroma_in_range(const Job *job, uint32_t pixel)
{
    /* Masks of components, alpha last. */
    static const uint32_t components[4][4] = {
        [DEPTH_8] = { 0xff },
        [DEPTH_565] = { 0x1f, 0x7e0, 0xf800 },
        [DEPTH_1555] = { 0x1f, 0x3e0, 0x7c00, 0x8000 },
        [DEPTH_32] = { 0xff, 0xff00, 0xff0000, 0xff000000 },
    };
    /* Modes 3 and 5 compare alpha as well. */
    unsigned n = job->chroma == 3 || job->chroma == 5 ? 4 : 3;

    for (unsigned i = 0; i < n; i++) {
        uint32_t mask = components[job->depth][i];

        if ((pixel & mask) < (job->chroma_low & mask) ||
            (pixel & mask) > (job->chroma_high & mask)) {
            return false;
        }
    }
    return true;
}

/* Source pixels inside the range are dropped, destination ones outside. */
static void chroma_row(const Job *job, const Block *blk,
                       const uint64_t *src, const uint64_t *dst, unsigned n)
{
    bool by_dst = job->chroma & CHROMA_DST;

    for (unsigned i = 0; i < n; i++) {
        uint32_t pixel = get_pixel(by_dst ? dst : src, i, job->cpp);

        if (chroma_in_range(job, pixel) != by_dst) {
            put_pixel(blk->mask, i, job->cpp, 0);
        }
    }
}

/* Combines one row of a block: n pixels from x of row y. */
static bool combine_row(const Job *job, const Block *blk, uint64_t *dst,
                        const uint64_t *src, unsigned x, unsigned y, unsigned n)
{
    size_t words = DIV_ROUND_UP((size_t)n * job->cpp, 8);

    if (job->masked) {
        fill_words(blk->mask, job->cpp == 4 ? replicate(job->write_mask, 4) :
                   ~0ULL, words);
    }
    if (job->need_pattern) {
        pattern_row(job, blk, words, x, y, n);
    }
    if (!job->colour_src) {
        src = blk->mono;
        if (job->need_src && !mono_row(job, blk, x, y, n)) {
            return false;
        }
    }
    if (job->chroma) {
        chroma_row(job, blk, src, dst, n);
    }
    if (!job->masked) {
        rop_words(job->rop, dst, src, blk->pattern, words);
        return true;
    }
    memcpy(blk->result, dst, words * 8);
    rop_words(job->rop, blk->result, src, blk->pattern, words);
    for (size_t i = 0; i < words; i++) {
        dst[i] ^= (dst[i] ^ blk->result[i]) & blk->mask[i];
    }
    return true;
}

/* ----------------------------------------------------------------- jobs */

static bool is_copy(const Job *job)
{
    return job->rop == ROP_COPY && job->colour_src && !job->masked;
}

/* One colour for all. */
static bool is_fill(const Job *job)
{
    return !job->need_src && !job->need_dst && !job->masked &&
        (!job->need_pattern || job->pattern.kind <= PATTERN_SOLID);
}

static bool job_block(const Job *job, Block *blk, unsigned x, unsigned y,
                      unsigned n, unsigned rows)
{
    Gen9Blt *b = job->blt;
    unsigned cpp = job->cpp, width = n * cpp;

    if (job->need_dst &&
        !surface_rect(b, &job->dst, cpp, x * cpp, y, width, rows,
                      blk->dst, blk->stride, false)) {
        return false;
    }
    if (job->need_src && job->colour_src &&
        !surface_rect(b, &job->src, cpp, (x - job->dst_x + job->src_x) * cpp,
                      y - job->dst_y + job->src_y, width, rows,
                      is_copy(job) ? blk->dst : blk->src, blk->stride,
                      false)) {
        return false;
    }
    if (!is_copy(job) && !blk->filled) {
        for (unsigned r = 0; r < rows; r++) {
            size_t o = (size_t)r * blk->stride;

            if (!combine_row(job, blk, (uint64_t *)(blk->dst + o),
                             (const uint64_t *)(blk->src + o), x, y + r, n)) {
                return false;
            }
        }
    }
    return surface_rect(b, &job->dst, cpp, x * cpp, y, width, rows,
                        blk->dst, blk->stride, true);
}

/*
 * Blocks start at multiples of their size in the destination, so that they
 * hold whole tiles of it.
 */
static void job_blocks(const Job *job, Block *blk, unsigned bw, unsigned bh)
{
    unsigned cols = (job->x2 - 1) / bw - job->x1 / bw + 1;
    unsigned bands = (job->y2 - 1) / bh - job->y1 / bh + 1;
    bool same_base = job->colour_src && job->src.base == job->dst.base;
    bool up = same_base && job->src_y < job->dst_y;
    bool left = job->x_backwards || (same_base && job->src_x < job->dst_x);

    for (unsigned j = 0; j < bands; j++) {
        unsigned band = job->y1 / bh + (up ? bands - 1 - j : j);
        unsigned y = MAX((unsigned)job->y1, band * bh);
        unsigned rows = MIN((unsigned)job->y2, (band + 1) * bh) - y;

        for (unsigned i = 0; i < cols; i++) {
            unsigned col = job->x1 / bw + (left ? cols - 1 - i : i);
            unsigned x = MAX((unsigned)job->x1, col * bw);
            unsigned n = MIN((unsigned)job->x2, (col + 1) * bw) - x;

            if (!job_block(job, blk, x, y, n, rows)) {
                return;
            }
        }
    }
}

/*
 * Clips: a negative source coordinate moves the destination's, then the clip
 * rectangle, then the surface's own corner. False if nothing is left.
 */
static bool job_clip(Job *job)
{
    const Gen9BltSetup *s = &job->blt->setup;

    job->dst_x = job->x1;
    job->dst_y = job->y1;
    if (job->colour_src) {
        job->x1 += MAX(-job->src_x, 0);
        job->y1 += MAX(-job->src_y, 0);
    }
    if (job->clip) {
        job->x1 = MAX(job->x1, (int)(s->br24 & 0x7fff));
        job->y1 = MAX(job->y1, (int)(s->br24 >> 16 & 0x7fff));
        job->x2 = MIN(job->x2, (int)(s->br25 & 0x7fff));
        job->y2 = MIN(job->y2, (int)(s->br25 >> 16 & 0x7fff));
    }
    job->x1 = MAX(job->x1, 0);
    job->y1 = MAX(job->y1, 0);
    return job->x1 < job->x2 && job->y1 < job->y2;
}

/* Reads the colour pattern. */
static bool job_load_pattern(Job *job)
{
    Pattern *p = &job->pattern;
    size_t size = PATTERN_SIDE * PATTERN_SIDE * job->cpp;

    if (!job->need_pattern || p->kind != PATTERN_COLOUR || p->immediate) {
        return true;
    }
    job->blt->bytes += size;
    return blt_mem(job->blt, p->addr & ~63ULL, p->colour, size, false);
}

static void job_run(Job *job)
{
    Pattern *p = &job->pattern;
    bool tiled, keyed;
    unsigned bw, bh, stride, rows;
    size_t plane;
    uint8_t *mem;
    Block blk = { 0 };

    if (!job_clip(job) || (job->cpp == 4 && !job->write_mask)) {
        return;
    }
    /* Operands that neither the operation nor a mask uses are not read. */
    keyed = p->kind == PATTERN_MONO && p->transparent;
    job->need_pattern = rop_uses_pattern(job->rop) || keyed;
    job->need_src = (job->colour_src || job->mono.on) &&
        (rop_uses_src(job->rop) || (job->mono.on && job->mono.transparent) ||
         (job->chroma && !(job->chroma & CHROMA_DST)));
    job->masked = keyed || (job->mono.on && job->mono.transparent) ||
        job->chroma || (job->cpp == 4 && job->write_mask != UINT32_MAX);
    job->need_dst = rop_uses_dst(job->rop) || job->masked;
    if (!job_load_pattern(job)) {
        return;
    }

    tiled = job->dst.tiling || (job->need_src && job->src.tiling);
    bw = tiled ? BLOCK_TILED_BYTES : BLOCK_LINEAR_BYTES;
    bh = tiled ? BLOCK_TILED_ROWS : 1;
    stride = MIN((unsigned)(job->x2 - job->x1) * job->cpp, bw);
    stride = ROUND_UP(stride, 16);
    rows = MIN((unsigned)(job->y2 - job->y1), bh);
    plane = (size_t)stride * rows;
    mem = malloc(2 * plane + 4 * stride);
    if (!mem) {
        job->blt->fault = true;
        return;
    }
    blk.stride = stride;
    blk.pattern = (uint64_t *)mem;
    blk.mono = (uint64_t *)(mem + stride);
    blk.mask = (uint64_t *)(mem + 2 * stride);
    blk.result = (uint64_t *)(mem + 3 * stride);
    blk.dst = mem + 4 * stride;
    blk.src = blk.dst + plane;
    memset(mem, 0, 2 * stride);         /* operands that do not exist are 0 */
    if (is_fill(job)) {
        for (unsigned r = 0; r < rows; r++) {
            combine_row(job, &blk, (uint64_t *)(blk.dst + (size_t)r * stride),
                        blk.mono, 0, 0, stride / job->cpp);
        }
        blk.filled = true;
    }
    job_blocks(job, &blk, bw / job->cpp, bh);
    free(mem);
}

/* ------------------------------------------------------------- commands */

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

static void job_rect(Job *job, uint32_t top_left, uint32_t bottom_right)
{
    job->x1 = low16(top_left);
    job->y1 = high16(top_left);
    job->x2 = low16(bottom_right);
    job->y2 = high16(bottom_right);
}

/* A pitch is in bytes, or dwords if tiled; tiled surfaces are page aligned. */
static void surface_init(Surface *s, uint64_t base, uint32_t pitch,
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
static void job_clear(Job *job, Gen9Blt *b)
{
    memset(job, 0, offsetof(Job, pattern.colour));
    job->blt = b;
}

/* Depth, operation, masks; masks is the dword with the write enables. */
static void job_init(Job *job, Gen9Blt *b, uint32_t masks, uint32_t br13)
{
    job_clear(job, b);
    job->depth = BR13_DEPTH(br13);
    job->cpp = job->depth == DEPTH_8 ? 1 : job->depth == DEPTH_32 ? 4 : 2;
    job->rop = BR13_ROP(br13);
    job->write_mask = (masks & BLT_WRITE_ALPHA ? 0xff000000 : 0) |
        (masks & BLT_WRITE_RGB ? 0x00ffffff : 0);
}

/* Dwords 0-5 of nearly all XY commands: to the destination's address. */
static void job_init_xy(Job *job, Gen9Blt *b, const uint32_t *dw)
{
    job_init(job, b, dw[0], dw[1]);
    job->clip = dw[1] & BR13_CLIP;
    job->pattern.seed_x = BR00_SEED_X(dw[0]);
    job->pattern.seed_y = BR00_SEED_Y(dw[0]);
    job_rect(job, dw[2], dw[3]);
    surface_init(&job->dst, addr_at(dw + 4), dw[1], dst_tiling(b, dw[0]));
}

/* For the commands that draw with what XY_SETUP_* left. */
static void job_init_setup(Job *job, Gen9Blt *b, uint32_t br00,
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

static void job_colour_src(Job *job, uint32_t br00, uint32_t corner,
                           uint32_t pitch, const uint32_t *addr)
{
    job->colour_src = true;
    job->src_x = low16(corner);
    job->src_y = high16(corner);
    surface_init(&job->src, addr_at(addr), pitch, src_tiling(job->blt, br00));
}

static void job_solid(Job *job, uint32_t colour)
{
    job->pattern.kind = PATTERN_SOLID;
    job->pattern.bg = colour;
}

static void job_colour_pattern(Job *job, uint64_t addr)
{
    job->pattern.kind = PATTERN_COLOUR;
    job->pattern.addr = addr;
}

/* Patterns in the command: 16 dwords a byte of the pixels. */
static bool job_immediate_pattern(Job *job, const uint32_t *dw, unsigned n)
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

static void job_mono_pattern(Job *job, uint32_t br13, uint32_t bg, uint32_t fg,
                             uint32_t bits0, uint32_t bits1)
{
    Pattern *p = &job->pattern;

    p->kind = br13 & BR13_SOLID_PATTERN ? PATTERN_SOLID : PATTERN_MONO;
    p->transparent = br13 & BR13_MONO_PAT_TRANSPARENT;
    p->bg = bg;
    p->fg = fg;
    for (int i = 0; i < PATTERN_SIDE; i++) {
        p->bits[i] = (i < 4 ? bits0 : bits1) >> i % 4 * 8;
    }
}

/* Rows of a monochrome source are padded to 16 bits. */
static void job_mono_src(Job *job, uint32_t br00, uint32_t br13,
                         uint32_t bg, uint32_t fg)
{
    MonoSource *m = &job->mono;
    unsigned width = MAX(job->x2 - job->x1, 0);

    m->on = true;
    m->transparent = br13 & BR13_MONO_SRC_TRANSPARENT;
    m->first_bit = BR00_MONO_START(br00);
    m->stride_bits = ROUND_UP(m->first_bit + width, 16);
    m->bg = bg;
    m->fg = fg;
}

/* Those of text are padded to bytes, or not at all. */
static void job_text(Job *job, uint32_t br00)
{
    const Gen9BltSetup *s = &job->blt->setup;

    job_mono_src(job, 0, s->br01, s->br05, s->br06);
    job->mono.stride_bits = MAX(job->x2 - job->x1, 0);
    if (br00 & BR00_BYTE_PACKED) {
        job->mono.stride_bits = ROUND_UP(job->mono.stride_bits, 8);
    }
}

static void job_mono_data(Job *job, const uint32_t *dw, unsigned n)
{
    job->mono.data = dw;
    job->mono.data_bytes = n * sizeof(*dw);
}

static void job_chroma(Job *job, uint32_t br00, const uint32_t *low_high,
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

static void fast_copy(Job *job, Gen9Blt *b, const uint32_t *dw)
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
static void job_init_linear(Job *job, Gen9Blt *b, const uint32_t *dw)
{
    job_init(job, b, dw[0], dw[1]);
    job->x2 = (dw[2] & 0xffff) / job->cpp;
    job->y2 = dw[2] >> 16;
    surface_init(&job->dst, addr_at(dw + 3), dw[1], GEN9_TILING_LINEAR);
}

static void src_copy(Job *job, Gen9Blt *b, const uint32_t *dw)
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

static void scanlines_pattern(Job *job, const Gen9BltSetup *s)
{
    if (s->mono) {
        job_mono_pattern(job, s->br01, s->br05, s->br06, s->br20, s->br21);
    } else {
        job_colour_pattern(job, s->br07);
    }
}

/* Lengths in dwords; those with immediate data may have more. */
#define IMMEDIATE 0x80

static const uint8_t lengths[128] = {
    [OP_XY_SETUP_BLT]                       = 10,
    [OP_XY_SETUP_CLIP_BLT]                  = 3,
    [OP_XY_SETUP_MONO_PATTERN_SL_BLT]       = 10,
    [OP_XY_PIXEL_BLT]                       = 2,
    [OP_XY_SCANLINES_BLT]                   = 3,
    [OP_XY_TEXT_BLT]                        = 5,
    [OP_XY_TEXT_IMMEDIATE_BLT]              = 3 | IMMEDIATE,
    [OP_COLOR_BLT]                          = 6,
    [OP_XY_FAST_COPY_BLT]                   = 10,
    [OP_SRC_COPY_BLT]                       = 8,
    [OP_XY_COLOR_BLT]                       = 7,
    [OP_XY_PAT_BLT]                         = 8,
    [OP_XY_MONO_PAT_BLT]                    = 10,
    [OP_XY_SRC_COPY_BLT]                    = 10,
    [OP_XY_MONO_SRC_COPY_BLT]               = 10,
    [OP_XY_FULL_BLT]                        = 12,
    [OP_XY_FULL_MONO_SRC_BLT]               = 12,
    [OP_XY_FULL_MONO_PATTERN_BLT]           = 14,
    [OP_XY_FULL_MONO_PATTERN_MONO_SRC_BLT]  = 14,
    [OP_XY_MONO_PAT_FIXED_BLT]              = 8,
    [OP_XY_MONO_SRC_COPY_IMMEDIATE_BLT]     = 8 | IMMEDIATE,
    [OP_XY_PAT_BLT_IMMEDIATE]               = 6 | IMMEDIATE,
    [OP_XY_SRC_COPY_CHROMA_BLT]             = 12,
    [OP_XY_FULL_IMMEDIATE_PATTERN_BLT]      = 10 | IMMEDIATE,
    [OP_XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT] = 10 | IMMEDIATE,
    [OP_XY_PAT_CHROMA_BLT]                  = 10,
    [OP_XY_PAT_CHROMA_BLT_IMMEDIATE]        = 8 | IMMEDIATE,
};

/* The commands that only a setup makes complete. */
static void exec_setup(Gen9Blt *b, const uint32_t *dw, unsigned n, Job *job)
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
    job_run(job);
}

/* One source and a destination, or a pattern and a destination. */
static bool exec_two_operands(Gen9Blt *b, const uint32_t *dw, unsigned n,
                              Job *job)
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
    job_run(job);
    return true;
}

/* XY_FULL_*: source pitch before coordinates, unlike XY_SRC_COPY_BLT. */
static bool exec_three_operands(Gen9Blt *b, const uint32_t *dw, unsigned n,
                                Job *job)
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
    job_run(job);
    return true;
}

bool gen9_blt_exec(Gen9Blt *b, const uint32_t *cmd, unsigned n)
{
    unsigned length;
    Job job;

    if (!n || CMD_CLIENT(cmd[0]) != CMD_CLIENT_BLT) {
        return false;
    }
    length = lengths[BLT_OPCODE(cmd[0])];
    if (!length || n < (length & ~IMMEDIATE) ||
        (n > length && !(length & IMMEDIATE))) {
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
        job_run(&job);
        return true;
    case OP_SRC_COPY_BLT:
        src_copy(&job, b, cmd);
        job_run(&job);
        return true;
    case OP_XY_FAST_COPY_BLT:
        fast_copy(&job, b, cmd);
        job_run(&job);
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
