/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: tiled surfaces and fence registers (PRM Skylake volume 5,
 * "Memory Views").
 */
#include "gen9_compat.h"
#include "gen9_tile.h"
#include "gen/regs.h"

/*
 * Yf and Ys tiles are as nearly square, in pixels, as their size allows: 64 by
 * 64 bytes, 128 by 32 for 2 and 4 bytes per pixel, 256 by 16 for 8 and 16; Ys
 * has four times as much of each.
 */
static unsigned y_family_width_shift(bool ys, unsigned cpp)
{
    unsigned shift = cpp >= 8 ? 8 : cpp >= 2 ? 7 : 6;

    return shift + (ys ? 2 : 0);
}

static unsigned y_family_height_shift(bool ys, unsigned cpp)
{
    return (ys ? 16 : 12) - y_family_width_shift(ys, cpp);
}

unsigned gen9_tile_width_shift(Gen9Tiling tiling, unsigned cpp)
{
    switch (tiling) {
    case GEN9_TILING_X:
        return 9;
    case GEN9_TILING_Y:
        return 7;
    case GEN9_TILING_YF:
    case GEN9_TILING_YS:
        return y_family_width_shift(tiling == GEN9_TILING_YS, cpp);
    default:
        return 0;
    }
}

unsigned gen9_tile_height_shift(Gen9Tiling tiling, unsigned cpp)
{
    switch (tiling) {
    case GEN9_TILING_X:
        return 3;
    case GEN9_TILING_Y:
        return 5;
    case GEN9_TILING_YF:
    case GEN9_TILING_YS:
        return y_family_height_shift(tiling == GEN9_TILING_YS, cpp);
    default:
        return 0;
    }
}

/*
 * The lowest four bits are x's; from the top bit down x and y take turns until
 * x has none left (xyxyxyyyxxxx for 4 bytes per pixel).
 */
static uint32_t y_family_swizzle(bool ys, unsigned cpp, uint32_t x, uint32_t y)
{
    unsigned xb = y_family_width_shift(ys, cpp);
    unsigned yb = y_family_height_shift(ys, cpp);
    uint32_t out = x & 15;
    int bit = ys ? 15 : 11;
    bool take_x = true;

    while (bit >= 4) {
        if ((take_x && xb > 4) || !yb) {
            out |= (x >> --xb & 1) << bit;
        } else {
            out |= (y >> --yb & 1) << bit;
        }
        take_x = !take_x;
        bit--;
    }
    return out;
}

uint32_t gen9_tile_swizzle(Gen9Tiling tiling, unsigned cpp,
                           uint32_t x, uint32_t y)
{
    switch (tiling) {
    case GEN9_TILING_X:
        return (y & 7) << 9 | (x & 511);
    case GEN9_TILING_Y:
        return (x & 0x70) << 5 | (y & 31) << 4 | (x & 15);
    case GEN9_TILING_YF:
    case GEN9_TILING_YS:
        return y_family_swizzle(tiling == GEN9_TILING_YS, cpp, x, y);
    default:
        return 0;
    }
}

uint64_t gen9_tile_offset(Gen9Tiling tiling, uint32_t pitch, unsigned cpp,
                          uint32_t x, uint32_t y)
{
    unsigned ws, hs;
    uint64_t tile;

    if (tiling == GEN9_TILING_LINEAR) {
        return (uint64_t)y * pitch + x;
    }
    ws = gen9_tile_width_shift(tiling, cpp);
    hs = gen9_tile_height_shift(tiling, cpp);
    tile = (uint64_t)(y >> hs) * (pitch >> ws) + (x >> ws);
    return (tile << (ws + hs)) + gen9_tile_swizzle(tiling, cpp, x, y);
}

bool gen9_fence_translate(const uint32_t fences[64], uint64_t aperture_offset,
                          uint64_t *out)
{
    *out = aperture_offset;
    for (int i = 0; i < GEN_NR_FENCES; i++) {
        uint32_t lo = fences[i * 2], hi = fences[i * 2 + 1];
        uint64_t start = lo & FENCE_START;
        uint64_t last = (hi & FENCE_END) | 0xfff;
        uint32_t pitch = ((hi & FENCE_PITCH) + 1) * 128;
        Gen9Tiling tiling;
        uint64_t offset;

        if (!(lo & FENCE_VALID) ||
            aperture_offset < start || aperture_offset > last) {
            continue;
        }
        tiling = lo & FENCE_TILE_Y ? GEN9_TILING_Y : GEN9_TILING_X;
        if (tiling == GEN9_TILING_X) {
            /* Whole tiles: X tiles are 4 times as wide as the unit is. */
            pitch = MAX(pitch & ~511u, 512);
        }
        offset = aperture_offset - start;
        *out = start + gen9_tile_offset(tiling, pitch, 0,
                                        offset % pitch, offset / pitch);
        return true;
    }
    return false;
}
