// SPDX-License-Identifier: GPL-2.0
/*
 * A guest writes a fence register. Eight bytes: the register; then the size of the guest's low
 * graphics memory in pages, which is small, so that fences end exactly there and one page behind.
 * A fence passes exactly if, according to the manual, each address in it is detiled to one in it.
 * With SMALL, the largest pitch is so small that fences in that memory reach and exceed it.
 */
#ifdef SMALL
#define GSLOT_FENCE_MAX_PITCH	MAX_PITCH
#define MAX_PITCH		(8 * 128)
#else
#define MAX_PITCH		(2048 * 128)
#endif

#include "test.h"
#include "core/gtt/fence.h"
#include "gen/gtt.h"
#include "gen/regs.h"
#ifdef SMALL
#include "core/gtt/fence.c"
#endif

#define TILE_BYTES	4096u

struct fields {
	u64 start;
	u64 end;	/* behind the last page */
	u32 pitch;	/* bytes */
	bool y;
	bool valid;
};

/* The bits of PRM Skylake volume 2c, "FENCE"; of the pitch's 12 bits the hardware uses 11. */
static struct fields fields_of(u64 value)
{
	return (struct fields) {
		.start = value & 0xfffff000,
		.end = (value >> 32 & 0xfffff000) + 0x1000,
		.pitch = ((value >> 32 & 0xfff) + 1) * 128,
		.y = value & 2,
		.valid = value & 1,
	};
}

/* Offset in memory of a byte of the linear view: whole tiles, row by row. */
static u64 tile_of(const struct fields *f, u64 offset)
{
	u32 width = f->y ? 128 : 512, height = TILE_BYTES / width;
	u64 x = offset % f->pitch, y = offset / f->pitch;

	return (y / height * (f->pitch / width) + x / width) * TILE_BYTES;
}

static bool stays_inside(const struct fields *f)
{
	u64 offset, length = f->end - f->start;

	if (f->pitch % (f->y ? 128 : 512))
		return false;
	for (offset = 0; offset < length; offset += 128)
		if (tile_of(f, offset) + TILE_BYTES > length)
			return false;
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	u64 value = take(&in, 8), memory = take(&in, 1) * GEN_PAGE_SIZE, fence;
	struct fields f;
	bool works;

	if (size < 9)
		return 0;
	/* Mostly near the end of that memory. */
	if (take(&in, 1) & 1)
		value &= ~(0xfff00000ull | 0xfff00000ull << 32);
	f = fields_of(value);
	fence = gslot_fence_confine(value, memory);
	works = f.valid && f.pitch <= MAX_PITCH && f.start < f.end && f.end <= memory &&
		stays_inside(&f);
	must(!!fence == works);
	if (!fence)
		return 0;
	must(!((fence ^ value) & (0xfffff003ull | 0xfffff7ffull << 32)));
	must(gslot_fence_start(fence) == f.start && gslot_fence_last(fence) + 1 == f.end);
	must(gslot_fence_row_pages(fence) * (f.y ? 128u : 512u) == f.pitch);
	fence = gslot_fence_at(fence, 0x40000000);
	must(gslot_fence_start(fence) == 0x40000000);
	must(gslot_fence_last(fence) - 0x40000000 == f.end - 1 - f.start);
	return 0;
}
