// SPDX-License-Identifier: GPL-2.0
#include "fence.h"

#define PITCH_UNIT	128u
/* The field has 12 bits in the register; the hardware uses 11. selftests/fuzz has less. */
#ifndef GSLOT_FENCE_MAX_PITCH
#define GSLOT_FENCE_MAX_PITCH	(2048 * PITCH_UNIT)
#endif

/* A tile has 4 KB: 512 bytes by 8 rows (X), or 128 bytes by 32 rows (Y). */
#define X_TILE_WIDTH	512u
#define Y_TILE_WIDTH	128u

static u32 fence_pitch(u64 value)
{
	return ((upper_32_bits(value) & FENCE_PITCH) + 1) * PITCH_UNIT;
}

static u32 fence_tile_width(u64 value)
{
	return value & FENCE_TILE_Y ? Y_TILE_WIDTH : X_TILE_WIDTH;
}

/**
 * gslot_fence_row_pages() - pages in a row of tiles
 * @value: a register that gslot_fence_confine() returned, not 0
 *
 * The fence has whole rows, counted from its start; detiling moves no byte to another row.
 *
 * Return: pages.
 */
u32 gslot_fence_row_pages(u64 value)
{
	return fence_pitch(value) / fence_tile_width(value);
}

/**
 * gslot_fence_at() - move a fence
 * @value: a register that gslot_fence_confine() returned, not 0
 * @start: new address of its first byte, a multiple of the size of a page
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
 * gslot_fence_confine() - check a fence of a guest's
 * @value: the 64-bit register as the guest wrote it
 * @size: bytes of low graphics memory of the guest, from 0 on
 *
 * A fence is valid if it lies in that memory, its pitch is a whole number of tiles that the
 * hardware supports, and its size is a whole number of rows of tiles. Then the hardware detiles
 * each address in it to an address in it.
 *
 * Return: the register without its undefined bits; 0, a disabled fence, if it is not valid.
 */
u64 gslot_fence_confine(u64 value, u64 size)
{
	u64 start = gslot_fence_start(value), last = gslot_fence_last(value);
	u32 pitch = fence_pitch(value), width = fence_tile_width(value);
	u32 row = pitch / width * GEN_PAGE_SIZE;

	if (!(value & FENCE_VALID) || start > last || last >= size)
		return 0;
	if (pitch > GSLOT_FENCE_MAX_PITCH || pitch % width || (u32)(last + 1 - start) % row)
		return 0;
	return value & (((u64)(FENCE_END | FENCE_PITCH) << 32) |
			FENCE_START | FENCE_TILE_Y | FENCE_VALID);
}
