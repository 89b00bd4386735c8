/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: execution of blits.
 *
 * A job is done in blocks. A block is read whole, combined, and written whole,
 * so that memory is accessed in spans as long as possible (rows of linear
 * surfaces, tiles of tiled ones), and blocks are done in the order in which
 * the hardware goes over overlapping surfaces: backwards if source and
 * destination have the same base address and the destination's coordinate is
 * the greater one. Overlapping surfaces with different base addresses are
 * undefined (PRM Skylake volume 11, "BLT Programming Restrictions").
 *
 * Pixels that are not to be written (masks, transparency) are written back as
 * they were read.
 */
#include "gen9_compat.h"
#include "gen9_blt_int.h"

/* A block: 32 rows of 2 KB with a tiled surface, else one row of 32 KB. */
#define BLOCK_TILED_ROWS        32
#define BLOCK_TILED_BYTES       2048
#define BLOCK_LINEAR_BYTES      32768

/* The rows of a block and what belongs to one row; 8-byte words. */
typedef struct BltBlock {
    uint8_t *dst, *src;         /* stride bytes from row to row */
    uint64_t *pattern, *mono, *mask, *result;
    unsigned stride;
    bool filled;                /* dst holds the colour of a fill */
} BltBlock;

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

static bool linear_rect(Gen9Blt *b, const BltSurface *s, unsigned x, unsigned y,
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
static uint64_t tile_addr(const BltSurface *s, unsigned cpp,
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
static void tile_copy(const BltSurface *s, uint8_t *tile,
                      unsigned x, unsigned y, unsigned width, unsigned rows,
                      uint8_t *buf, unsigned stride, bool to_tile)
{
    /* bytes that stay together, which is also the way to the next row */
    unsigned run = s->tiling == GEN9_TILING_X ? 512 : 16;

    for (unsigned i = 0, n; i < width; i += n) {
        uint8_t *t = tile + gen9_tile_swizzle(s->tiling, 0, x + i, y);
        uint8_t *row = buf + i;

        n = MIN(width - i, run - (x + i) % run);
        if (n == 16 && to_tile) {       /* the usual case, of known size */
            for (unsigned r = 0; r < rows; r++, t += run, row += stride) {
                memcpy(t, row, 16);
            }
        } else if (n == 16) {
            for (unsigned r = 0; r < rows; r++, t += run, row += stride) {
                memcpy(row, t, 16);
            }
        } else {
            for (unsigned r = 0; r < rows; r++, t += run, row += stride) {
                memcpy(to_tile ? t : row, to_tile ? row : t, n);
            }
        }
    }
}

/*
 * Moves the part of a rectangle that lies in one X or Y tile. Reads take the
 * span from its first to its last byte. Writes must not touch the rest of the
 * tile: a whole one goes at once, others by runs.
 */
static bool xy_tile_rect(Gen9Blt *b, const BltSurface *s,
                         unsigned x, unsigned y,
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
static bool yf_ys_rect(Gen9Blt *b, const BltSurface *s, unsigned cpp,
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
static bool surface_rect(Gen9Blt *b, const BltSurface *s, unsigned cpp,
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
static void pattern_row(const BltJob *job, const BltBlock *blk, unsigned words,
                        unsigned x, unsigned y, unsigned n)
{
    const BltPattern *p = &job->pattern;
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
static bool mono_row(const BltJob *job, const BltBlock *blk,
                     unsigned x, unsigned y, unsigned n)
{
    const BltMonoSource *m = &job->mono;
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
static bool chroma_in_range(const BltJob *job, uint32_t pixel)
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
static void chroma_row(const BltJob *job, const BltBlock *blk,
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
static bool combine_row(const BltJob *job, const BltBlock *blk, uint64_t *dst,
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

static bool is_copy(const BltJob *job)
{
    return job->rop == ROP_COPY && job->colour_src && !job->masked;
}

/* One colour for all. */
static bool is_fill(const BltJob *job)
{
    return !job->need_src && !job->need_dst && !job->masked &&
        (!job->need_pattern || job->pattern.kind <= PATTERN_SOLID);
}

static bool job_block(const BltJob *job, BltBlock *blk, unsigned x, unsigned y,
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
static void job_blocks(const BltJob *job, BltBlock *blk,
                       unsigned bw, unsigned bh)
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
static bool job_clip(BltJob *job)
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
static bool job_load_pattern(BltJob *job)
{
    BltPattern *p = &job->pattern;
    size_t size = PATTERN_SIDE * PATTERN_SIDE * job->cpp;

    if (!job->need_pattern || p->kind != PATTERN_COLOUR || p->immediate) {
        return true;
    }
    job->blt->bytes += size;
    return blt_mem(job->blt, p->addr & ~63ULL, p->colour, size, false);
}

void gen9_blt_run(BltJob *job)
{
    BltPattern *p = &job->pattern;
    bool tiled, keyed;
    unsigned bw, bh, stride, rows;
    size_t plane;
    uint8_t *mem;
    BltBlock blk = { 0 };

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

