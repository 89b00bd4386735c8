/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: tiled surfaces and fence registers.
 */
#ifndef GEN9_TILE_H
#define GEN9_TILE_H

#include "gen9_compat.h"

typedef enum Gen9Tiling {
    GEN9_TILING_LINEAR,
    GEN9_TILING_X,              /* 512 bytes x 8 rows, row by row */
    GEN9_TILING_Y,              /* 128 bytes x 32 rows, 16-byte columns */
    GEN9_TILING_YF,             /* 4 KB, shape depends on the pixel size */
    GEN9_TILING_YS,             /* 64 KB, likewise */
} Gen9Tiling;

/*
 * Size of a tile: log2 of its width in bytes and of its height in rows. cpp
 * is the bytes per pixel (1, 2, 4, 8, 16) and matters for Yf and Ys alone.
 * Linear surfaces have tiles of one byte.
 */
unsigned gen9_tile_width_shift(Gen9Tiling tiling, unsigned cpp);
unsigned gen9_tile_height_shift(Gen9Tiling tiling, unsigned cpp);

/*
 * Offset, inside a tile, of byte x of row y. Runs of 16 bytes (512 in an X
 * tile) that are aligned as such stay together in all of them.
 */
uint32_t gen9_tile_swizzle(Gen9Tiling tiling, unsigned cpp,
                           uint32_t x, uint32_t y);

/*
 * Offset into a surface of byte x of row y. pitch is in bytes; on a tiled
 * surface what exceeds whole tiles is ignored. There is no bit 6 swizzling
 * on this generation.
 */
uint64_t gen9_tile_offset(Gen9Tiling tiling, uint32_t pitch, unsigned cpp,
                          uint32_t x, uint32_t y);

/*
 * Where an access to the aperture really goes: *out is the graphics address
 * after detiling by the lowest numbered of the 32 fences (low and high dwords
 * in turn) that covers the address, or the address itself. True if a fence
 * covers it. Any register values are safe. An access that does not cross a
 * multiple of 16 is not split by a fence.
 */
bool gen9_fence_translate(const uint32_t fences[64], uint64_t aperture_offset,
                          uint64_t *out);

#endif
