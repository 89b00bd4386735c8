// SPDX-License-Identifier: GPL-2.0
#include "fence.h"

#define PITCH_UNIT	128u
/* The field has 12 bits in the register, of which hardware has 11. */
#define MAX_PITCH	(2048 * PITCH_UNIT)

/* Tiles are 4 KB: 512 bytes by 8 rows in X, 128 by 32 in Y. */
#define X_TILE_WIDTH	512u
#define Y_TILE_WIDTH	128u

static u32 fence_pitch(u64 value)
{
	return ((upper_32_bits(value) & FENCE_PITCH) + 1) * PITCH_UNIT;
}

static u32 tile_width(u64 value)
{
	return value & FENCE_TILE_Y ? Y_TILE_WIDTH : X_TILE_WIDTH;
}

/**
 * gslot_fence_row_pages() - how many pages a row of tiles has
 * @value: what gslot_fence_confine() let through
 *
 * Counted from the start of the fence, each page in a row is shown in that row.
 *
 * Return: pages; the fence has whole rows.
 */
u32 gslot_fence_row_pages(u64 value)
{
	return fence_pitch(value) / tile_width(value);
}

/**
 * gslot_fence_at() - the same fence elsewhere
 * @value: what gslot_fence_confine() let through
 * @start: its first byte there, a multiple of the size of a page
 *
 * Return: the 64-bit register.
 */
u64 gslot_fence_at(u64 value, u64 start)
{
	u64 end = start + gslot_fence_last(value) - gslot_fence_start(value);

	value &= ~((u64)FENCE_END << 32 | FENCE_START);
	return value | (end & FENCE_END) << 32 | start;
}

/**
 * gslot_fence_confine() - what of a fence may be given to the hardware
 * @value: the 64-bit register as a guest wrote it
 * @size: bytes of graphics memory, from 0, that are the guest's
 *
 * A fence works if it lies in that memory, its pitch is a whole number of tiles
 * and no more than the hardware has bits for, and its size is a whole number
 * of rows of tiles: then every address in it is detiled to one in it.
 *
 * Return: the register without its undefined bits; 0, which is a disabled
 * fence, if it does not work.
 */
u64 gslot_fence_confine(u64 value, u64 size)
{
	u64 start = gslot_fence_start(value), last = gslot_fence_last(value);
	u32 pitch = fence_pitch(value), width = tile_width(value);
	u32 row = pitch / width * GEN_PAGE_SIZE;

	if (!(value & FENCE_VALID) || start > last || last >= size)
		return 0;
	if (pitch > MAX_PITCH || pitch % width || (u32)(last + 1 - start) % row)
		return 0;
	return value & (((u64)(FENCE_END | FENCE_PITCH) << 32) |
			FENCE_START | FENCE_TILE_Y | FENCE_VALID);
}
