// SPDX-License-Identifier: GPL-2.0
/*
 * The blitter against a naive reference: one pixel at a time, addresses by
 * division and remainder, operands and masks as the PRM defines them, all reads
 * before all writes.
 */
#include "test.h"
#include <time.h>
#include "gen9_blt.h"
#include "gen/cmds.h"
#include "gen/regs.h"

/* The memory's address; commands have its canonical form. */
#define WINDOW		0x812345600000ULL
#define CANONICAL(a)	((a) | 0xffff000000000000ULL)
#define RAM_SIZE	0x100000u
#define DST_AREA	0u		/* destinations */
#define SRC_AREA	0x80000u	/* sources and patterns */
#define AREA_SIZE	0x80000u

static uint8_t ram[RAM_SIZE];		/* the model's memory */
static uint8_t want[RAM_SIZE];		/* the reference's */

static struct {
	uint64_t calls;
	uint64_t bytes;
	uint64_t fail_at;		/* the call that fails; 0: none */
	size_t longest;
	bool outside;
} mem_stats;

static bool mem(void *opaque, uint64_t addr, void *buf, size_t len, bool write)
{
	uint8_t *p;

	assert_ptr_equal(opaque, ram);
	assert_true(len > 0 && len < 0x10000);
	mem_stats.calls++;
	mem_stats.bytes += len;
	mem_stats.longest = len > mem_stats.longest ? len : mem_stats.longest;
	if (mem_stats.calls == mem_stats.fail_at)
		return false;
	if (addr < WINDOW || addr + len > WINDOW + RAM_SIZE) {
		mem_stats.outside = true;
		return false;
	}
	p = ram + (addr - WINDOW);
	if (write)
		memcpy(p, buf, len);
	else
		memcpy(buf, p, len);
	return true;
}

static Gen9Blt blt;

/* The reference's state of XY_SETUP_*. */
static struct {
	uint32_t dw[10];
	uint32_t clip[2];
	uint64_t colour_pattern;
	uint32_t bits[2];
	bool mono;
} ref_setup;

static void reset(void)
{
	memset(&blt, 0, sizeof(blt));
	blt.opaque = ram;
	blt.mem = mem;
	memset(&ref_setup, 0, sizeof(ref_setup));
	for (size_t i = 0; i < RAM_SIZE; i++)
		ram[i] = rnd();
	memcpy(want, ram, RAM_SIZE);
	memset(&mem_stats, 0, sizeof(mem_stats));
}

/* ----------------------------------------------------------- reference */

enum { LINEAR, X, Y, YF, YS };

struct ref_surface {
	uint64_t base;
	int64_t pitch;
	int tiling;
	int cpp;
};

struct ref {
	int cpp, depth, rop, mode;
	uint32_t mask;
	int64_t x1, y1, x2, y2;
	bool clip;
	int64_t cx1, cy1, cx2, cy2;
	struct ref_surface dst, src;
	bool colour_src, mono_src, mono_transparent;
	int64_t sx, sy;
	uint64_t mono_addr;
	const uint32_t *mono_data;
	unsigned mono_dwords;
	int64_t mono_first, mono_stride;
	uint32_t mono_bg, mono_fg;
	char pattern;			/* 'n'one, 's'olid, 'c'olour, 'm'ono */
	bool pat_transparent;
	uint64_t pat_addr;
	const uint32_t *pat_data;
	int seed_x, seed_y;
	uint32_t pat_bg, pat_fg, pat_bits[2];
	uint32_t low, high;
};

static uint64_t addr64(const uint32_t *dw)
{
	return (dw[0] | (uint64_t)dw[1] << 32) & 0xffffffffffffULL;
}

static uint64_t ref_addr(const struct ref_surface *s, int64_t x, int64_t y)
{
	int64_t b = x * s->cpp;
	static const char *const yf[] = {
		[1] = "xyxyyyyyxxxx", [2] = "xyxyxyyyxxxx", [4] = "xyxyxyyyxxxx",
		[8] = "xyxyxyxyxxxx", [16] = "xyxyxyxyxxxx",
	};
	static const char *const ys[] = {
		[1] = "xyxyxyxyyyyyxxxx", [2] = "xyxyxyxyxyyyxxxx",
		[4] = "xyxyxyxyxyyyxxxx", [8] = "xyxyxyxyxyxyxxxx",
		[16] = "xyxyxyxyxyxyxxxx",
	};
	const char *bits;
	unsigned xb = 0, yb = 0;
	uint64_t o = 0;

	switch (s->tiling) {
	case LINEAR:
		return s->base + y * s->pitch + b;
	case X:
		return s->base + (y / 8 * (s->pitch / 512) + b / 512) * 4096 +
			y % 8 * 512 + b % 512;
	case Y:
		return s->base + (y / 32 * (s->pitch / 128) + b / 128) * 4096 +
			b % 128 / 16 * 512 + y % 32 * 16 + b % 16;
	}
	bits = s->tiling == YF ? yf[s->cpp] : ys[s->cpp];
	for (const char *c = bits; *c; c++) {
		xb += *c == 'x';
		yb += *c == 'y';
	}
	o = ((uint64_t)(y >> yb) * (s->pitch >> xb) + (b >> xb)) << (xb + yb);
	for (unsigned i = 0, n = xb + yb; i < n; i++) {
		if (bits[i] == 'x')
			o |= (uint64_t)(b >> --xb & 1) << (n - 1 - i);
		else
			o |= (uint64_t)(y >> --yb & 1) << (n - 1 - i);
	}
	return s->base + o;
}

static const uint8_t *ref_byte(uint64_t addr)
{
	assert_in_range(addr, WINDOW, WINDOW + RAM_SIZE - 1);
	return want + (addr - WINDOW);
}

static uint32_t ref_load(uint64_t addr, int cpp)
{
	uint32_t v = 0;

	for (int i = 0; i < cpp && i < 4; i++)
		v |= (uint32_t)*ref_byte(addr + i) << 8 * i;
	return v;
}

static bool in_range(const struct ref *r, uint32_t v, bool alpha)
{
	static const int shifts[4][5] = {
		{ 0, 8 }, { 0, 5, 11, 16 }, { 0, 5, 10, 15, 16 },
		{ 0, 8, 16, 24, 32 },
	};
	int components = r->depth == 0 ? 1 : r->depth == 1 ? 3 : alpha ? 4 : 3;

	for (int i = 0; i < components; i++) {
		int lo = shifts[r->depth][i], n = shifts[r->depth][i + 1] - lo;
		uint32_t m = (1ULL << n) - 1;

		if ((v >> lo & m) < (r->low >> lo & m) ||
		    (v >> lo & m) > (r->high >> lo & m))
			return false;
	}
	return true;
}

static bool ref_mono_bit(const struct ref *r, int64_t x, int64_t y)
{
	uint64_t bit = r->mono_first + (y - r->y1) * r->mono_stride + x - r->x1;

	if (r->mono_data) {
		if (bit / 32 >= r->mono_dwords)
			return false;
		return r->mono_data[bit / 32] >> (bit % 32 ^ 7) & 1;
	}
	return *ref_byte(r->mono_addr + bit / 8) >> (7 - bit % 8) & 1;
}

/* Destination pixels, written when all have been computed. */
static struct { uint64_t addr; uint8_t v[16]; } pending[1 << 18];
static unsigned nr_pending;

static void ref_pixel(const struct ref *r, int64_t x, int64_t y)
{
	int64_t sx = x - r->x1 + r->sx, sy = y - r->y1 + r->sy;
	uint64_t addr;
	uint32_t d, s = 0, p = 0, v = 0, mask = ~0u;
	bool bit;

	if (x < 0 || y < 0 || (r->colour_src && (sx < 0 || sy < 0)))
		return;
	if (r->clip && (x < r->cx1 || x >= r->cx2 || y < r->cy1 || y >= r->cy2))
		return;
	addr = ref_addr(&r->dst, x, y);
	pending[nr_pending].addr = addr;
	if (r->cpp > 4) {			/* fast copy: no operation */
		memcpy(pending[nr_pending++].v,
		       ref_byte(ref_addr(&r->src, sx, sy)), r->cpp);
		return;
	}

	d = ref_load(addr, r->cpp);
	if (r->colour_src)
		s = ref_load(ref_addr(&r->src, sx, sy), r->cpp);
	if (r->mono_src) {
		bit = ref_mono_bit(r, x, y);
		s = bit ? r->mono_fg : r->mono_bg;
		if (!bit && r->mono_transparent)
			return;
	}
	if (r->pattern == 's')
		p = r->pat_bg;
	if (r->pattern == 'c') {
		int i = ((y + r->seed_y) & 7) * 8 + ((x + r->seed_x) & 7);

		if (r->pat_data)
			memcpy(&p, (const uint8_t *)r->pat_data + i * r->cpp,
			       r->cpp);
		else
			p = ref_load(r->pat_addr + i * r->cpp, r->cpp);
	}
	if (r->pattern == 'm') {
		int row = (y + r->seed_y) & 7, col = (x + r->seed_x) & 7;

		bit = r->pat_bits[row / 4] >> (row % 4 * 8 + 7 - col) & 1;
		p = bit ? r->pat_fg : r->pat_bg;
		if (!bit && r->pat_transparent)
			return;
	}
	if (r->mode == 1 && in_range(r, s, false))
		return;
	if (r->mode == 3 && in_range(r, s, true))
		return;
	if (r->mode == 5 && !in_range(r, d, true))
		return;
	if (r->mode == 7 && !in_range(r, d, false))
		return;
	for (int i = 0; i < 8; i++)
		if (r->rop >> i & 1)
			v |= (i & 4 ? p : ~p) & (i & 2 ? s : ~s) &
				(i & 1 ? d : ~d);
	if (r->cpp == 4)
		mask = r->mask;
	v = (v & mask) | (d & ~mask);
	memcpy(pending[nr_pending++].v, &v, r->cpp);
}

static void ref_run(const struct ref *r)
{
	nr_pending = 0;
	for (int64_t y = r->y1; y < r->y2; y++)
		for (int64_t x = r->x1; x < r->x2; x++)
			ref_pixel(r, x, y);
	for (unsigned i = 0; i < nr_pending; i++)
		memcpy(want + (pending[i].addr - WINDOW), pending[i].v, r->cpp);
}

static void ref_control(struct ref *r, uint32_t br00, uint32_t br13)
{
	r->depth = br13 >> 24 & 3;
	r->cpp = r->depth == 0 ? 1 : r->depth == 3 ? 4 : 2;
	r->rop = br13 >> 16 & 0xff;
	r->mask = (br00 >> 21 & 1 ? 0xff000000 : 0) |
		(br00 >> 20 & 1 ? 0xffffff : 0);
	r->clip = br13 >> 30 & 1;
	r->mono_transparent = br13 >> 29 & 1;
	r->pat_transparent = br13 >> 28 & 1;
	r->cx1 = ref_setup.clip[0] & 0x7fff;
	r->cy1 = ref_setup.clip[0] >> 16 & 0x7fff;
	r->cx2 = ref_setup.clip[1] & 0x7fff;
	r->cy2 = ref_setup.clip[1] >> 16 & 0x7fff;
	r->pattern = 'n';
}

static void ref_surface(struct ref_surface *s, int cpp, uint64_t base,
			uint32_t pitch, int tiling)
{
	s->base = tiling ? base & ~0xfffULL : base;
	s->pitch = (int16_t)pitch * (tiling ? 4 : 1);
	s->tiling = tiling;
	s->cpp = cpp;
}

static void ref_rect(struct ref *r, uint32_t a, uint32_t b)
{
	r->x1 = (int16_t)a;
	r->y1 = (int16_t)(a >> 16);
	r->x2 = (int16_t)b;
	r->y2 = (int16_t)(b >> 16);
}

static void ref_colour_src(struct ref *r, uint32_t br00, uint32_t xy,
			   uint32_t pitch, const uint32_t *addr)
{
	r->colour_src = true;
	r->sx = (int16_t)xy;
	r->sy = (int16_t)(xy >> 16);
	ref_surface(&r->src, r->cpp, addr64(addr), pitch,
		    br00 & 1 << 15 ? (blt.swctrl & 1 ? Y : X) : LINEAR);
}

static void ref_mono_src(struct ref *r, uint32_t br00, uint32_t bg, uint32_t fg)
{
	int64_t w = r->x2 > r->x1 ? r->x2 - r->x1 : 0;

	r->mono_src = true;
	r->mono_first = br00 >> 17 & 7;
	r->mono_stride = (r->mono_first + w + 15) / 16 * 16;
	r->mono_bg = bg;
	r->mono_fg = fg;
}

static void ref_mono_pattern(struct ref *r, bool solid, uint32_t bg,
			     uint32_t fg, uint32_t b0, uint32_t b1)
{
	r->pattern = solid ? 's' : 'm';
	r->pat_bg = bg;
	r->pat_fg = fg;
	r->pat_bits[0] = b0;
	r->pat_bits[1] = b1;
}

static void ref_draw_with_setup(struct ref *r, const uint32_t *dw, unsigned n)
{
	const uint32_t *s = ref_setup.dw;
	int64_t w;

	ref_control(r, s[0], s[1]);
	r->seed_x = dw[0] >> 12 & 7;
	r->seed_y = dw[0] >> 8 & 7;
	ref_surface(&r->dst, r->cpp, addr64(s + 4), s[1],
		    dw[0] & 1 << 11 ? (blt.swctrl & 2 ? Y : X) : LINEAR);
	ref_rect(r, dw[1], dw[BLT_OPCODE(dw[0]) == OP_XY_PIXEL_BLT ? 1 : 2]);
	switch (BLT_OPCODE(dw[0])) {
	case OP_XY_PIXEL_BLT:
		r->x2 = r->x1 + 1;
		r->y2 = r->y1 + 1;
		r->pattern = 's';
		r->pat_bg = s[6];
		return;
	case OP_XY_SCANLINES_BLT:
		if (ref_setup.mono) {
			ref_mono_pattern(r, s[1] >> 31, s[6], s[7],
					 ref_setup.bits[0], ref_setup.bits[1]);
		} else {
			r->pattern = 'c';
			r->pat_addr = ref_setup.colour_pattern & ~63ULL;
		}
		return;
	}
	ref_mono_src(r, 0, s[6], s[7]);
	w = r->x2 > r->x1 ? r->x2 - r->x1 : 0;
	r->mono_stride = dw[0] & 1 << 16 ? (w + 7) / 8 * 8 : w;
	if (BLT_OPCODE(dw[0]) == OP_XY_TEXT_BLT) {
		r->mono_addr = addr64(dw + 3);
	} else {
		r->mono_data = dw + 3;
		r->mono_dwords = n - 3;
	}
}

static void ref_fast_copy(struct ref *r, const uint32_t *dw)
{
	static const int cpp[8] = { 1, 2, 2, 4, 8, 16, 16, 16 };
	static const int tiling[4] = { LINEAR, X, Y, YS };
	int s = tiling[dw[0] >> 20 & 3], d = tiling[dw[0] >> 13 & 3];

	if (s == Y && dw[1] >> 31)
		s = YF;
	if (d == Y && dw[1] >> 30 & 1)
		d = YF;
	r->cpp = cpp[dw[1] >> 24 & 7];
	r->rop = 0xcc;
	r->mask = ~0u;
	r->colour_src = true;
	r->sx = (int16_t)dw[6];
	r->sy = (int16_t)(dw[6] >> 16);
	ref_rect(r, dw[2], dw[3]);
	ref_surface(&r->dst, r->cpp, addr64(dw + 4), dw[1], d);
	ref_surface(&r->src, r->cpp, addr64(dw + 8), dw[7], s);
}

static void ref_linear(struct ref *r, const uint32_t *dw)
{
	ref_control(r, dw[0], dw[1]);
	r->clip = false;
	r->x2 = (dw[2] & 0xffff) / r->cpp;
	r->y2 = dw[2] >> 16;
	ref_surface(&r->dst, r->cpp, addr64(dw + 3), dw[1], LINEAR);
}

/* The PRM's patterns of XY_MONO_PAT_FIXED_BLT. */
static const char *const ref_fixed[16] = {
	"0000000000000000000000001111111100000000000000000000000000000000",
	"0000100000001000000010000000100000001000000010000000100000001000",
	"1000000001000000001000000001000000001000000001000000001000000001",
	"0000000100000010000001000000100000010000001000000100000010000000",
	"0000100000001000000010001111111100001000000010000000100000001000",
	"1000000101000010001001000001100000011000001001000100001010000001",
	[8] = "0101010110101010010101011010101001010101101010100101010110101010",
	"1100110000110011110011000011001111001100001100111100110000110011",
	"1000100001000100001000100001000110001000010001000010001000010001",
	"0111011110111011110111011110111001110111101110111101110111101110",
};

static void ref_fixed_pattern(struct ref *r, const uint32_t *dw)
{
	const char *bits = ref_fixed[dw[0] >> 15 & 15];

	ref_mono_pattern(r, false, dw[6], dw[7], 0, 0);
	for (int i = 0; bits && i < 64; i++)
		if (bits[i] == '1')
			r->pat_bits[i / 32] |= 1u << (i % 32 ^ 7);
}

/* Commands that only set up later ones; false: it is none of them. */
static bool ref_set_up(unsigned op, const uint32_t *dw)
{
	switch (op) {
	case OP_XY_SETUP_BLT:
	case OP_XY_SETUP_MONO_PATTERN_SL_BLT:
		memcpy(ref_setup.dw, dw, 10 * 4);
		memcpy(ref_setup.clip, dw + 2, 8);
		ref_setup.mono = op != OP_XY_SETUP_BLT;
		if (ref_setup.mono)
			memcpy(ref_setup.bits, dw + 8, 8);
		else
			ref_setup.colour_pattern = addr64(dw + 8);
		return true;
	case OP_XY_SETUP_CLIP_BLT:
		memcpy(ref_setup.clip, dw + 1, 8);
		return true;
	}
	return false;
}

static void ref_linear_copy(struct ref *r, const uint32_t *dw)
{
	ref_linear(r, dw);
	r->colour_src = true;
	ref_surface(&r->src, r->cpp, addr64(dw + 6), dw[5], LINEAR);
	if (dw[1] & 1 << 30) {
		r->dst.base -= r->x2 * r->cpp - 1;
		r->src.base -= r->x2 * r->cpp - 1;
	}
}

/* Commands with a form of their own; false: it is none of them. */
static bool ref_other_form(struct ref *r, unsigned op, const uint32_t *dw, unsigned n)
{
	switch (op) {
	case OP_XY_PIXEL_BLT:
	case OP_XY_SCANLINES_BLT:
	case OP_XY_TEXT_BLT:
	case OP_XY_TEXT_IMMEDIATE_BLT:
		ref_draw_with_setup(r, dw, n);
		return true;
	case OP_XY_FAST_COPY_BLT:
		ref_fast_copy(r, dw);
		return true;
	case OP_COLOR_BLT:
		ref_linear(r, dw);
		r->pattern = 's';
		r->pat_bg = dw[5];
		return true;
	case OP_SRC_COPY_BLT:
		ref_linear_copy(r, dw);
		return true;
	}
	return false;
}

/* What the XY forms have in common: their first six dwords. */
static void ref_xy_form(struct ref *r, const uint32_t *dw)
{
	ref_control(r, dw[0], dw[1]);
	r->seed_x = dw[0] >> 12 & 7;
	r->seed_y = dw[0] >> 8 & 7;
	ref_rect(r, dw[2], dw[3]);
	ref_surface(&r->dst, r->cpp, addr64(dw + 4), dw[1],
		    dw[0] & 1 << 11 ? (blt.swctrl & 2 ? Y : X) : LINEAR);
}

static void ref_colour_pattern(struct ref *r, const uint32_t *addr)
{
	r->pattern = 'c';
	r->pat_addr = addr64(addr) & ~63ULL;
}

static void ref_immediate_pattern(struct ref *r, const uint32_t *data)
{
	r->pattern = 'c';
	r->pat_data = data;
}

static void ref_pattern_chroma(struct ref *r, uint32_t dw0, const uint32_t *keys)
{
	r->mode = dw0 >> 17 & 7;
	r->mode = r->mode & 4 && r->mode & 1 ? r->mode : 0;
	r->low = keys[0];
	r->high = keys[1];
}

/* Commands with a pattern and no source; false: it is none of them. */
static bool ref_pattern_only(struct ref *r, unsigned op, const uint32_t *dw)
{
	switch (op) {
	case OP_XY_COLOR_BLT:
		r->pattern = 's';
		r->pat_bg = dw[6];
		return true;
	case OP_XY_PAT_CHROMA_BLT:
		ref_pattern_chroma(r, dw[0], dw + 8);
		ref_colour_pattern(r, dw + 6);
		return true;
	case OP_XY_PAT_BLT:
		ref_colour_pattern(r, dw + 6);
		return true;
	case OP_XY_PAT_BLT_IMMEDIATE:
		ref_immediate_pattern(r, dw + 6);
		return true;
	case OP_XY_PAT_CHROMA_BLT_IMMEDIATE:
		ref_pattern_chroma(r, dw[0], dw + 6);
		ref_immediate_pattern(r, dw + 8);
		return true;
	case OP_XY_MONO_PAT_BLT:
		ref_mono_pattern(r, dw[1] >> 31, dw[6], dw[7], dw[8], dw[9]);
		return true;
	case OP_XY_MONO_PAT_FIXED_BLT:
		ref_fixed_pattern(r, dw);
		return true;
	}
	return false;
}

/* Commands with a source and no pattern; false: it is none of them. */
static bool ref_source_only(struct ref *r, unsigned op, const uint32_t *dw, unsigned n)
{
	switch (op) {
	case OP_XY_SRC_COPY_CHROMA_BLT:
		r->mode = dw[0] >> 17 & 7;
		r->low = dw[10];
		r->high = dw[11];
		/* fall through */
	case OP_XY_SRC_COPY_BLT:
		ref_colour_src(r, dw[0], dw[6], dw[7], dw + 8);
		return true;
	case OP_XY_MONO_SRC_COPY_BLT:
		ref_mono_src(r, dw[0], dw[8], dw[9]);
		r->mono_addr = addr64(dw + 6);
		return true;
	case OP_XY_MONO_SRC_COPY_IMMEDIATE_BLT:
		ref_mono_src(r, dw[0], dw[6], dw[7]);
		r->mono_data = dw + 8;
		r->mono_dwords = n - 8;
		return true;
	}
	return false;
}

/* Commands with both; false: it is none of them. */
static bool ref_full(struct ref *r, unsigned op, const uint32_t *dw)
{
	switch (op) {
	case OP_XY_FULL_BLT:
	case OP_XY_FULL_IMMEDIATE_PATTERN_BLT:
	case OP_XY_FULL_MONO_PATTERN_BLT:
		ref_colour_src(r, dw[0], dw[7], dw[6], dw + 8);
		break;
	case OP_XY_FULL_MONO_SRC_BLT:
	case OP_XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT:
	case OP_XY_FULL_MONO_PATTERN_MONO_SRC_BLT:
		ref_mono_src(r, dw[0], dw[8], dw[9]);
		r->mono_addr = addr64(dw + 6);
		break;
	default:
		return false;
	}
	switch (op) {
	case OP_XY_FULL_BLT:
	case OP_XY_FULL_MONO_SRC_BLT:
		ref_colour_pattern(r, dw + 10);
		break;
	case OP_XY_FULL_IMMEDIATE_PATTERN_BLT:
	case OP_XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT:
		ref_immediate_pattern(r, dw + 10);
		break;
	default:
		ref_mono_pattern(r, dw[1] >> 31, dw[10], dw[11], dw[12], dw[13]);
	}
	return true;
}

static void ref_exec(const uint32_t *dw, unsigned n)
{
	unsigned op = BLT_OPCODE(dw[0]);
	struct ref r = { 0 };

	if (ref_set_up(op, dw))
		return;
	if (!ref_other_form(&r, op, dw, n)) {
		ref_xy_form(&r, dw);
		if (!ref_pattern_only(&r, op, dw) && !ref_source_only(&r, op, dw, n) &&
		    !ref_full(&r, op, dw))
			fail_msg("no reference for %#x", op);
	}
	ref_run(&r);
}

/* -------------------------------------------------------- random commands */

/*
 * The XY forms, by their dwords from 6 on. 'v' any value, 'P' address of
 * a pattern, 'M' of a monochrome source, 'S' of a source, 'x' its coordinates,
 * 'p' its pitch, 'I' immediate pattern, 'B' immediate bits.
 */
static const struct {
	const char *name;
	unsigned op;
	const char *tail;
} forms[] = {
	{ "XY_COLOR_BLT", OP_XY_COLOR_BLT, "v" },
	{ "XY_PAT_BLT", OP_XY_PAT_BLT, "P" },
	{ "XY_PAT_BLT_IMMEDIATE", OP_XY_PAT_BLT_IMMEDIATE, "I" },
	{ "XY_PAT_CHROMA_BLT", OP_XY_PAT_CHROMA_BLT, "Pvv" },
	{ "XY_PAT_CHROMA_BLT_IMMEDIATE", OP_XY_PAT_CHROMA_BLT_IMMEDIATE, "vvI" },
	{ "XY_MONO_PAT_BLT", OP_XY_MONO_PAT_BLT, "vvvv" },
	{ "XY_MONO_PAT_FIXED_BLT", OP_XY_MONO_PAT_FIXED_BLT, "vv" },
	{ "XY_SRC_COPY_BLT", OP_XY_SRC_COPY_BLT, "xpS" },
	{ "XY_SRC_COPY_CHROMA_BLT", OP_XY_SRC_COPY_CHROMA_BLT, "xpSvv" },
	{ "XY_MONO_SRC_COPY_BLT", OP_XY_MONO_SRC_COPY_BLT, "Mvv" },
	{ "XY_MONO_SRC_COPY_IMMEDIATE_BLT", OP_XY_MONO_SRC_COPY_IMMEDIATE_BLT,
	  "vvB" },
	{ "XY_FULL_BLT", OP_XY_FULL_BLT, "pxSP" },
	{ "XY_FULL_IMMEDIATE_PATTERN_BLT", OP_XY_FULL_IMMEDIATE_PATTERN_BLT,
	  "pxSI" },
	{ "XY_FULL_MONO_PATTERN_BLT", OP_XY_FULL_MONO_PATTERN_BLT, "pxSvvvv" },
	{ "XY_FULL_MONO_SRC_BLT", OP_XY_FULL_MONO_SRC_BLT, "MvvP" },
	{ "XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT",
	  OP_XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT, "MvvI" },
	{ "XY_FULL_MONO_PATTERN_MONO_SRC_BLT",
	  OP_XY_FULL_MONO_PATTERN_MONO_SRC_BLT, "Mvvvvvv" },
};

static int random_rop(void)
{
	static const uint8_t common[] = {
		0xcc, 0xf0, 0x00, 0xff, 0x55, 0x5a, 0x66, 0x88, 0xee, 0xaa,
		0xfc, 0xce, 0xb8, 0xe2, 0x33, 0x0f,
	};

	return rnd() & 1 ? common[rnd_below(sizeof(common))] : rnd_below(256);
}

static uint32_t xy(int x, int y)
{
	return (uint16_t)x | (uint32_t)(uint16_t)y << 16;
}

static int min(int a, int b)
{
	return a < b ? a : b;
}

static unsigned put_addr(uint32_t *dw, uint64_t offset)
{
	uint64_t a = CANONICAL(WINDOW + offset);

	dw[0] = a;
	dw[1] = a >> 32;
	return 2;
}

/* Extent of a random rectangle: mostly small, some beyond a block. */
struct extent {
	int w, h;
};

static struct extent random_extent(int cpp)
{
	struct extent e = { rnd_range(0, 40), rnd_range(0, 24) };

	if (!rnd_below(8))
		e.w = rnd_range(1, 5000 / cpp);
	if (!rnd_below(8))
		e.h = rnd_range(1, e.w * cpp > 2000 ? 40 : 80);
	return e;
}

/* Sometimes negative. */
static int random_coordinate(int limit)
{
	return rnd_below(4) ? rnd_range(0, limit - 1) : rnd_range(-20, 20);
}

/*
 * Places a surface of at least w x h pixels in an area: the base is an offset
 * into the memory, the pitch is in the command's unit.
 */
static uint64_t place_surface(unsigned area, int cpp, int w, int h, int tiling,
			      uint32_t *pitch)
{
	static const int tile_w[] = { 1, 512, 128 };
	static const int tile_h[] = { 1, 8, 32 };
	int tw = tile_w[tiling > Y ? Y : tiling];
	int th = tile_h[tiling > Y ? Y : tiling];
	int bytes = (w > 0 ? w : 1) * cpp, rows = h > 0 ? h : 1;
	int p, room;

	if (tiling > Y) {		/* big enough for Yf and Ys */
		tw = tiling == YF ? 256 : 1024;
		th = tiling == YF ? 64 : 256;
	}
	p = (bytes + tw - 1) / tw * tw;
	rows = (rows + th - 1) / th * th;
	if (tiling) {
		p += tw * rnd_below(2);
		if (p * rows > (int)AREA_SIZE)
			p = (bytes + tw - 1) / tw * tw;
		room = AREA_SIZE - p * rows;
		assert_true(room >= 0);
		*pitch = p / 4;
		/* low bits of a tiled surface's address are ignored */
		return area + (tiling > Y ? 0 : rnd_below(room / 4096 + 1) * 4096) +
			(rnd_below(4) ? 0 : 64);
	}
	p = (p + 3) & ~3;
	p += rnd_below(16) * 4;
	room = AREA_SIZE - p * rows;
	assert_true(room >= 0);
	if (rnd_below(5) == 0) {	/* bottom up */
		*pitch = (uint16_t)-p;
		return area + (rows - 1) * p + rnd_below(room / cpp + 1) * cpp;
	}
	*pitch = p;
	return area + rnd_below(room / cpp + 1) * cpp;
}

static int cpp_of(int depth)
{
	return depth == 0 ? 1 : depth == 3 ? 4 : 2;
}

/* BR00 and BR13 with everything random but the opcode. */
static void random_control(uint32_t *dw, unsigned op, int depth, int rop)
{
	uint32_t masks = rnd_below(3) ? 3 : rnd_below(4);

	dw[0] = 2u << 29 | op << 22 | masks << 20 | rnd_below(8) << 17 |
		rnd_below(2) << 16 | rnd_below(2) << 15 | rnd_below(8) << 12 |
		rnd_below(2) << 11 | rnd_below(8) << 8;
	dw[1] = rnd_below(2) << 31 | (rnd_below(4) == 0) << 30 |
		rnd_below(2) << 29 | rnd_below(2) << 28 |
		depth << 24 | rop << 16;
}

static void run_both(const char *name, const uint32_t *dw, unsigned n)
{
	uint64_t calls = mem_stats.calls, bytes = blt.bytes;
	size_t i;

	ref_exec(dw, n);
	if (!gen9_blt_exec(&blt, dw, n))
		fail_msg("%s: refused, %u dwords", name, n);
	if (mem_stats.outside || blt.fault)
		fail_msg("%s: access outside the surfaces", name);
	assert_true((mem_stats.calls != calls) >= (blt.bytes != bytes));
	if (!memcmp(ram, want, RAM_SIZE))
		return;
	for (i = 0; ram[i] == want[i]; i++)
		;
	for (unsigned k = 0; k < n && k < 16; k++)
		printf("# dw%u %08x\n", k, dw[k]);
	fail_msg("%s: swctrl %x, offset %#zx is %02x, not %02x", name,
		 blt.swctrl, i, ram[i], want[i]);
}

/* A clip rectangle that mostly cuts something off. */
static void random_clip(void)
{
	uint32_t dw[3] = { 2u << 29 | OP_XY_SETUP_CLIP_BLT << 22 | 1 };
	int x = rnd_below(60), y = rnd_below(40);

	dw[1] = xy(x, y) | rnd_below(2) << 15;	/* 15 bits count */
	dw[2] = xy(x + rnd_below(200), y + rnd_below(60));
	run_both("XY_SETUP_CLIP_BLT", dw, 3);
}

/* Builds a random command of an XY form; returns its length. */
static unsigned random_xy(uint32_t *dw, int form, int rop)
{
	int depth = rnd_below(4), cpp = cpp_of(depth);
	struct extent e = random_extent(cpp);
	int x = random_coordinate(50);
	int y = random_coordinate(20);
	int sx = random_coordinate(50);
	int sy = random_coordinate(20);
	uint32_t pitch, src_pitch = 0;
	uint64_t src = 0;
	unsigned n = 4, count;

	blt.swctrl = rnd_below(4);
	if (!rnd_below(10))
		random_clip();
	random_control(dw, forms[form].op, depth, rop);
	dw[2] = xy(x, y);
	dw[3] = xy(x + e.w, y + e.h);
	n += put_addr(dw + n, place_surface(DST_AREA, cpp, x + e.w, y + e.h,
			dw[0] & 1 << 11 ? (blt.swctrl & 2 ? Y : X) : LINEAR,
			&pitch));
	dw[1] |= pitch & 0xffff;
	src = place_surface(SRC_AREA, cpp, sx + e.w, sy + e.h,
			    dw[0] & 1 << 15 ? (blt.swctrl & 1 ? Y : X) : LINEAR,
			    &src_pitch);
	for (const char *t = forms[form].tail; *t; t++) {
		switch (*t) {
		case 'v':
			dw[n++] = rnd_below(4) ? rnd() : rnd_below(2) - 1;
			break;
		case 'P':
			n += put_addr(dw + n, SRC_AREA +
				      rnd_below((AREA_SIZE - 512) / 8) * 8);
			break;
		case 'M':
			n += put_addr(dw + n, SRC_AREA +
				      rnd_below(AREA_SIZE / 2));
			break;
		case 'S':
			n += put_addr(dw + n, src);
			break;
		case 'x':
			dw[n++] = xy(sx, sy);
			break;
		case 'p':
			dw[n++] = src_pitch & 0xffff;
			break;
		case 'I':
			for (count = 16 * cpp; count; count--)
				dw[n++] = rnd();
			break;
		case 'B':
			for (count = rnd_below(32); count; count--)
				dw[n++] = rnd();
			break;
		}
	}
	dw[0] |= n - 2;
	return n;
}

#define CASES	500

static void test_form(void **state)
{
	int form = (int)(intptr_t)*state;
	uint32_t dw[128];

	reset();
	for (unsigned i = 0; i < rounds(CASES); i++)
		run_both(forms[form].name, dw,
			 random_xy(dw, form, random_rop()));
}

/* Every raster operation on three operands, colour and monochrome. */
static void test_all_rops(void **state)
{
	uint32_t dw[128];

	(void)state;
	reset();
	for (int rop = 0; rop < 256; rop++) {
		for (int form = 0; form < (int)ARRAY_SIZE(forms); form++)
			run_both(forms[form].name, dw,
				 random_xy(dw, form, rop));
	}
}

/* Setups, and commands that use them. */
static unsigned random_setup(uint32_t *dw)
{
	int depth = rnd_below(4), cpp = cpp_of(depth), tiled;
	bool mono = rnd_below(2);
	uint32_t pitch;

	blt.swctrl = rnd_below(4);
	random_control(dw, mono ? OP_XY_SETUP_MONO_PATTERN_SL_BLT :
		       OP_XY_SETUP_BLT, depth, random_rop());
	tiled = dw[0] >> 11 & 1;
	dw[2] = xy(rnd_below(30), rnd_below(20));
	dw[3] = xy(rnd_below(300), rnd_below(80));
	put_addr(dw + 4, place_surface(DST_AREA, cpp, 400, 90,
				       tiled ? (blt.swctrl & 2 ? Y : X) : LINEAR,
				       &pitch));
	dw[1] |= pitch & 0xffff;
	dw[6] = rnd();
	dw[7] = rnd();
	if (mono) {
		dw[8] = rnd();
		dw[9] = rnd();
	} else {
		put_addr(dw + 8, SRC_AREA + rnd_below(AREA_SIZE - 512));
	}
	dw[0] |= 8;
	return tiled;
}

static unsigned random_draw(uint32_t *dw, unsigned op, bool tiled)
{
	int x = rnd_range(-10, 60), y = rnd_range(-10, 30);
	int w = rnd_below(4) ? rnd_below(40) : rnd_below(300);
	unsigned n = 1;

	dw[0] = 2u << 29 | op << 22 | rnd_below(2) << 16 | rnd_below(8) << 12 |
		(tiled ? 1 << 11 : 0) | rnd_below(8) << 8;
	dw[n++] = xy(x, y);
	if (op != OP_XY_PIXEL_BLT)
		dw[n++] = xy(x + w, y + rnd_below(50));
	if (op == OP_XY_TEXT_BLT)
		n += put_addr(dw + n, SRC_AREA + rnd_below(AREA_SIZE / 2));
	if (op == OP_XY_TEXT_IMMEDIATE_BLT)
		for (unsigned k = rnd_below(33); k; k--)
			dw[n++] = rnd();
	dw[0] |= n - 2;
	return n;
}

static void test_setup_and_draw(void **state)
{
	static const unsigned ops[] = {
		OP_XY_PIXEL_BLT, OP_XY_SCANLINES_BLT, OP_XY_TEXT_BLT,
		OP_XY_TEXT_IMMEDIATE_BLT,
	};
	uint32_t dw[64];

	(void)state;
	reset();
	for (unsigned i = 0; i < rounds(CASES); i++) {
		bool tiled = random_setup(dw);

		run_both("XY_SETUP", dw, 10);
		if (!rnd_below(3))
			random_clip();
		for (int k = 0; k < 8; k++)
			run_both("draw", dw,
				 random_draw(dw, ops[rnd_below(4)], tiled));
	}
}

static void test_fast_copy(void **state)
{
	static const int depths[] = { 0, 1, 3, 4, 5 };
	static const int cpps[] = { 1, 2, 4, 8, 16 };
	static const int codes[] = { 0, 1, 2, 2, 3 };	/* LINEAR to YS */
	uint32_t dw[10];

	(void)state;
	reset();
	for (unsigned i = 0; i < rounds(4 * CASES); i++) {
		int k = rnd_below(5), cpp = cpps[k];
		int dt = rnd_below(3), st = rnd_below(3);
		struct extent e = random_extent(cpp);
		int x = rnd_range(0, 30), y = rnd_range(0, 20);
		int sx = rnd_range(0, 30), sy = rnd_range(0, 20);
		uint32_t dp, sp;

		if (!rnd_below(4)) {
			dt = rnd_below(5);
			st = rnd_below(5);
			e.w = min(e.w, 800 / cpp);
		}
		put_addr(dw + 4, place_surface(DST_AREA, cpp, x + e.w, y + e.h,
					       dt, &dp));
		put_addr(dw + 8, place_surface(SRC_AREA, cpp, sx + e.w,
					       sy + e.h, st, &sp));
		dw[0] = 2u << 29 | OP_XY_FAST_COPY_BLT << 22 | 8 |
			codes[st] << 20 | codes[dt] << 13;
		dw[1] = depths[k] << 24 | (dp & 0xffff) |
			(st == YF ? 1u << 31 : 0) | (dt == YF ? 1u << 30 : 0);
		dw[2] = xy(x, y);
		dw[3] = xy(x + e.w, y + e.h);
		dw[6] = xy(sx, sy);
		dw[7] = sp & 0xffff;
		run_both("XY_FAST_COPY_BLT", dw, 10);
	}
}

/* Fills and copies without coordinates, forwards and backwards. */
static void test_linear_blits(void **state)
{
	uint32_t dw[10];

	(void)state;
	reset();
	for (unsigned i = 0; i < rounds(2 * CASES); i++) {
		int depth = rnd_below(4), cpp = cpp_of(depth);
		struct extent e = random_extent(cpp);
		bool copy = rnd_below(2), back = copy && rnd_below(2);
		uint32_t dp, sp;
		uint64_t d, s;

		if (!e.w || !e.h)
			back = false;
		d = place_surface(DST_AREA, cpp, e.w, e.h, LINEAR, &dp);
		s = place_surface(SRC_AREA, cpp, e.w, e.h, LINEAR, &sp);
		if (back) {
			d += e.w * cpp - 1;
			s += e.w * cpp - 1;
		}
		random_control(dw, copy ? OP_SRC_COPY_BLT : OP_COLOR_BLT, depth,
			       random_rop());
		dw[1] = (dw[1] & 0x0fff0000) | (dp & 0xffff) |
			(back ? 1u << 30 : 0);
		dw[2] = xy(e.w * cpp, e.h);
		put_addr(dw + 3, d);
		dw[5] = copy ? sp & 0xffff : rnd();
		put_addr(dw + 6, s);
		dw[0] |= copy ? 6 : 4;
		run_both(copy ? "SRC_COPY_BLT" : "COLOR_BLT", dw, copy ? 8 : 6);
	}
}

/* Copies of a surface onto itself, in all directions. */
static void test_overlap(void **state)
{
	static const unsigned ops[] = {
		OP_XY_SRC_COPY_BLT, OP_XY_FULL_BLT, OP_XY_FAST_COPY_BLT,
		OP_XY_FULL_MONO_PATTERN_BLT,
	};
	uint32_t dw[16];

	(void)state;
	reset();
	for (unsigned i = 0; i < rounds(4 * CASES); i++) {
		unsigned op = ops[rnd_below(4)], n = 10;
		int depth = rnd_below(4), cpp = cpp_of(depth);
		int tiling = rnd_below(3);
		struct extent e = random_extent(cpp);
		int dx = rnd_range(-40, 40), dy = rnd_range(-40, 40);
		int x = 40 + rnd_below(10), y = 40 + rnd_below(10);
		uint32_t pitch;
		uint64_t base;

		if (!rnd_below(3))
			dx = rnd_range(-2, 2);
		if (!rnd_below(3))
			dy = rnd_range(-2, 2);
		e.w = min(e.w, 3000 / cpp);
		if (e.w * cpp > 1000)
			e.h = min(e.h, 20);
		base = place_surface(DST_AREA, cpp, e.w + 100, e.h + 100,
				     tiling, &pitch);
		blt.swctrl = tiling == Y ? 3 : 0;
		random_control(dw, op, depth, rnd_below(2) ? 0xcc : random_rop());
		dw[0] &= ~(1u << 15 | 1u << 11);
		dw[1] &= ~(1u << 30);
		if (tiling)
			dw[0] |= 1u << 15 | 1u << 11;
		dw[2] = xy(x, y);
		dw[3] = xy(x + e.w, y + e.h);
		put_addr(dw + 4, base);
		put_addr(dw + 8, base);
		dw[6] = xy(x + dx, y + dy);
		dw[7] = pitch & 0xffff;
		if (op == OP_XY_FAST_COPY_BLT) {
			dw[0] = 2u << 29 | op << 22 | tiling << 20 | tiling << 13;
			dw[1] = (cpp == 2 ? 1 : depth) << 24;
		} else if (op != OP_XY_SRC_COPY_BLT) {
			uint32_t t = dw[6];

			dw[6] = dw[7];
			dw[7] = t;
			put_addr(dw + 10, SRC_AREA);
			n = op == OP_XY_FULL_BLT ? 12 : 14;
			if (n == 14)
				for (int k = 10; k < 14; k++)
					dw[k] = rnd();
		}
		dw[1] |= pitch & 0xffff;
		dw[0] |= n - 2;
		run_both("overlap", dw, n);
	}
}

/* --------------------------------------------------------------- limits */

static const struct { unsigned op, len; bool more; } lengths[] = {
	{ OP_XY_SETUP_BLT, 10, 0 }, { OP_XY_SETUP_CLIP_BLT, 3, 0 },
	{ OP_XY_SETUP_MONO_PATTERN_SL_BLT, 10, 0 }, { OP_XY_PIXEL_BLT, 2, 0 },
	{ OP_XY_SCANLINES_BLT, 3, 0 }, { OP_XY_TEXT_BLT, 5, 0 },
	{ OP_XY_TEXT_IMMEDIATE_BLT, 3, 1 }, { OP_COLOR_BLT, 6, 0 },
	{ OP_XY_FAST_COPY_BLT, 10, 0 }, { OP_SRC_COPY_BLT, 8, 0 },
	{ OP_XY_COLOR_BLT, 7, 0 }, { OP_XY_PAT_BLT, 8, 0 },
	{ OP_XY_MONO_PAT_BLT, 10, 0 }, { OP_XY_SRC_COPY_BLT, 10, 0 },
	{ OP_XY_MONO_SRC_COPY_BLT, 10, 0 }, { OP_XY_FULL_BLT, 12, 0 },
	{ OP_XY_FULL_MONO_SRC_BLT, 12, 0 }, { OP_XY_FULL_MONO_PATTERN_BLT, 14, 0 },
	{ OP_XY_FULL_MONO_PATTERN_MONO_SRC_BLT, 14, 0 },
	{ OP_XY_MONO_PAT_FIXED_BLT, 8, 0 },
	{ OP_XY_MONO_SRC_COPY_IMMEDIATE_BLT, 8, 1 },
	{ OP_XY_PAT_BLT_IMMEDIATE, 22, 1 }, { OP_XY_SRC_COPY_CHROMA_BLT, 12, 0 },
	{ OP_XY_FULL_IMMEDIATE_PATTERN_BLT, 26, 1 },
	{ OP_XY_FULL_MONO_SRC_IMMEDIATE_PATTERN_BLT, 26, 1 },
	{ OP_XY_PAT_CHROMA_BLT, 10, 0 },
	{ OP_XY_PAT_CHROMA_BLT_IMMEDIATE, 24, 1 },
};

/* Of all opcodes and lengths only the right ones are accepted (8 bits deep). */
static void test_lengths(void **state)
{
	uint32_t dw[258] = { 0 };	/* a length field says 257 at most */

	(void)state;
	reset();
	for (unsigned op = 0; op < 128; op++) {
		for (unsigned n = 0; n < ARRAY_SIZE(dw); n++) {
			uint64_t calls = mem_stats.calls;
			bool ok = false;

			for (size_t i = 0; i < ARRAY_SIZE(lengths); i++)
				if (lengths[i].op == op)
					ok = n == lengths[i].len ||
						(n > lengths[i].len &&
						 lengths[i].more);
			dw[0] = 2u << 29 | op << 22;
			if (gen9_blt_exec(&blt, dw, n) != ok)
				fail_msg("opcode %#x, %u dwords: not %d", op, n,
					 ok);
			assert_true(ok || mem_stats.calls == calls);
		}
	}
	dw[0] = OP_XY_COLOR_BLT << 22;		/* another client */
	assert_false(gen9_blt_exec(&blt, dw, 7));
}

/* An immediate pattern needs the dwords of its depth. */
static void test_short_pattern(void **state)
{
	uint32_t dw[80] = { 2u << 29 | OP_XY_PAT_BLT_IMMEDIATE << 22 };

	(void)state;
	reset();
	dw[1] = 3u << 24 | 0xf0 << 16 | 64;
	dw[3] = xy(4, 4);
	put_addr(dw + 4, 0);
	assert_false(gen9_blt_exec(&blt, dw, 69));
	assert_int_equal(mem_stats.calls, 0);
	assert_true(gen9_blt_exec(&blt, dw, 70));
}

/* Each access of a blit fails in turn: the blit ends there, and is not refused. */
static void test_faults(void **state)
{
	uint32_t dw[128];

	(void)state;
	for (int form = 0; form < (int)ARRAY_SIZE(forms); form++) {
		for (int i = 0; i < 20; i++) {
			unsigned n;
			uint64_t calls;

			reset();
			n = random_xy(dw, form, random_rop());
			memset(&mem_stats, 0, sizeof(mem_stats));
			assert_true(gen9_blt_exec(&blt, dw, n));
			calls = mem_stats.calls;
			for (uint64_t k = 1; k <= calls; k += 1 + calls / 8) {
				memset(&mem_stats, 0, sizeof(mem_stats));
				mem_stats.fail_at = k;
				blt.fault = false;
				assert_true(gen9_blt_exec(&blt, dw, n));
				assert_true(blt.fault);
				assert_int_equal(mem_stats.calls, k);
			}
		}
	}
}

/* Operands that the operation does not use are not read. */
static void test_unused_operands(void **state)
{
	uint32_t dw[12] = { 2u << 29 | OP_XY_FULL_BLT << 22 | 3 << 20 | 10 };

	(void)state;
	for (int rop = 0; rop < 256; rop++) {
		bool s = (rop >> 2 & 0x33) != (rop & 0x33);
		bool p = (rop >> 4 & 0x0f) != (rop & 0x0f);
		bool d = (rop >> 1 & 0x55) != (rop & 0x55);

		reset();
		dw[1] = 3u << 24 | rop << 16 | 256;
		dw[2] = xy(0, 0);
		dw[3] = xy(16, 4);
		put_addr(dw + 4, 0);
		dw[6] = 256;
		dw[7] = 0;
		put_addr(dw + 8, SRC_AREA);
		put_addr(dw + 10, SRC_AREA + 0x1000);
		assert_true(gen9_blt_exec(&blt, dw, 12));
		assert_int_equal(mem_stats.bytes,
				 256 + (s ? 256 : 0) + (d ? 256 : 0) +
				 (p ? 256 : 0));
		assert_int_equal(blt.bytes, mem_stats.bytes);
	}
}

static uint64_t hostile_calls;

static bool hostile_mem(void *opaque, uint64_t addr, void *buf, size_t len,
			bool write)
{
	(void)opaque;
	assert_true(len > 0 && len < 0x10000);
	assert_true(addr < 1ULL << 48);
	if (!write)
		memset(buf, 0x5a, len);
	return ++hostile_calls < 60;
}

/* Random dwords, with memory at all addresses, where accesses fail at some time. */
static void test_hostile(void **state)
{
	uint32_t dw[300];

	(void)state;
	reset();
	blt.mem = hostile_mem;
	for (unsigned i = 0; i < rounds(5000); i++) {
		size_t k = rnd_below(ARRAY_SIZE(lengths));
		unsigned n = lengths[k].len;

		if (lengths[k].more)
			n = rnd_range(n + 48, 257);
		for (unsigned j = 0; j < n; j++)
			dw[j] = rnd_below(3) ? rnd() : rnd_below(2) ?
				0x7fff7fff : 0x80008000;
		dw[0] = (dw[0] & 0x3fffff) | 2u << 29 | lengths[k].op << 22;
		blt.swctrl = rnd_below(4);
		hostile_calls = 0;
		assert_true(gen9_blt_exec(&blt, dw, n));
	}
}

/* The largest rectangle of each form is done in bounded steps. */
static void test_huge(void **state)
{
	uint32_t dw[300] = { 0 };

	(void)state;
	reset();
	blt.mem = hostile_mem;
	for (size_t k = 0; k < ARRAY_SIZE(lengths); k++) {
		for (int tiled = 0; tiled < 4; tiled++) {
			unsigned n = lengths[k].len + (lengths[k].more ? 48 : 0);

			memset(dw, 0, sizeof(dw));
			dw[0] = 2u << 29 | lengths[k].op << 22 | 3 << 20 |
				(tiled & 1) << 15 | (tiled >> 1) << 11;
			dw[1] = 3u << 24 | 0x66 << 16 | 0x7fff;
			dw[3] = 0x7fff7fff;
			dw[2] = lengths[k].op == OP_COLOR_BLT ||
				lengths[k].op == OP_SRC_COPY_BLT ? ~0u : 0;
			hostile_calls = 0;
			assert_true(gen9_blt_exec(&blt, dw, n));
		}
	}
}

/* -------------------------------------------------------------- throughput */

static uint8_t *big;

static bool big_mem(void *opaque, uint64_t addr, void *buf, size_t len,
		    bool write)
{
	(void)opaque;
	if (write)
		memcpy(big + addr, buf, len);
	else
		memcpy(buf, big + addr, len);
	return true;
}

static double seconds(void)
{
	struct timespec t;

	/* CPU time, which other load does not change. */
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Prints the throughput; fails if 16 MB take a second. */
static void test_speed(void **state)
{
	static const struct { const char *name; unsigned op, flags, rop; } runs[] = {
		{ "fill, linear", OP_XY_COLOR_BLT, 0, 0xf0 },
		{ "fill, Y", OP_XY_COLOR_BLT, 1 << 11, 0xf0 },
		{ "copy, linear", OP_XY_SRC_COPY_BLT, 0, 0xcc },
		{ "copy, linear to Y", OP_XY_SRC_COPY_BLT, 1 << 11, 0xcc },
		{ "copy, Y to Y", OP_XY_SRC_COPY_BLT, 1 << 11 | 1 << 15, 0xcc },
		{ "xor, linear", OP_XY_SRC_COPY_BLT, 0, 0x66 },
	};
	const unsigned pitch = 4096, rows = 4096, size = pitch * rows;

	(void)state;
	reset();
	big = malloc(2 * size);
	memset(big, 1, 2 * size);
	blt.mem = big_mem;
	blt.swctrl = 3;
	for (size_t i = 0; i < ARRAY_SIZE(runs); i++) {
		bool tiled = runs[i].flags & 1 << 11;
		uint32_t dw[10] = {
			2u << 29 | runs[i].op << 22 | 3 << 20 | runs[i].flags,
			3u << 24 | runs[i].rop << 16 | (tiled ? pitch / 4 : pitch),
			0, xy(pitch / 4, rows), size, 0, 0,
			runs[i].flags & 1 << 15 ? pitch / 4 : pitch, 0, 0,
		};
		unsigned n = runs[i].op == OP_XY_COLOR_BLT ? 7 : 10;
		double begin, best = 1e9;

		for (int k = 0; k < 3; k++) {
			begin = seconds();
			assert_true(gen9_blt_exec(&blt, dw, n));
			if (seconds() - begin < best)
				best = seconds() - begin;
		}
		printf("# 16 MB %s: %.1f ms\n", runs[i].name, best * 1e3);
		assert_true(best < 1);
	}
	free(big);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_SIZE(forms) + 16];
	const struct CMUnitTest others[] = {
		cmocka_unit_test(test_all_rops),
		cmocka_unit_test(test_setup_and_draw),
		cmocka_unit_test(test_fast_copy),
		cmocka_unit_test(test_linear_blits),
		cmocka_unit_test(test_overlap),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_short_pattern),
		cmocka_unit_test(test_faults),
		cmocka_unit_test(test_unused_operands),
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_huge),
		cmocka_unit_test(test_speed),
	};
	size_t n = 0;

	for (; n < ARRAY_SIZE(forms); n++)
		tests[n] = (struct CMUnitTest){
			.name = forms[n].name, .test_func = test_form,
			.initial_state = (void *)(intptr_t)n,
		};
	memcpy(tests + n, others, sizeof(others));
	n += ARRAY_SIZE(others);
	cmocka_set_message_output(CM_OUTPUT_TAP);
	test_seed();
	return _cmocka_run_group_tests("model_blt", tests, n, NULL, NULL);
}
