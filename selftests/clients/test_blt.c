// SPDX-License-Identifier: GPL-2.0
/* The blitter, compared with a CPU reference pixel by pixel. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gen/cmds.h>

#include "gem_test.h"

/* A surface in an object, and the object's expected bytes. */
struct canvas {
	struct gem_bo bo;
	struct surface s;
	uint8_t *expected;
};

static uint32_t random32(void)
{
	static uint32_t state = 0x2545f491;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static enum gem_result canvas_init(struct canvas *c, int fd, uint32_t width,
				   uint32_t height, uint32_t cpp,
				   enum tiling tiling)
{
	static const uint32_t align[] = {
		[TILING_LINEAR] = 64, [TILING_X] = 512, [TILING_Y] = 128,
	};
	uint32_t a = align[tiling], *map;
	size_t size, i;
	int ret;

	memset(c, 0, sizeof(*c));
	c->s.bo = &c->bo;
	/* A page before and behind, where nothing may be written. */
	c->s.offset = GEM_PAGE_SIZE;
	c->s.width = width;
	c->s.height = height;
	c->s.pitch = (width * cpp + a - 1) / a * a;
	c->s.cpp = cpp;
	c->s.tiling = tiling;

	size = (size_t)c->s.pitch * ((height + 31) & ~31u) + 2 * GEM_PAGE_SIZE;
	ret = gem_bo_create(&c->bo, fd, size);
	if (!ret)
		ret = gem_bo_map(&c->bo);
	if (!ret)
		ret = gem_bo_to_cpu(&c->bo, true);
	CHECK(!ret, "surface: %s", strerror(-ret));
	c->expected = malloc(c->bo.size);
	CHECK(c->expected, "out of memory");

	map = c->bo.map;
	for (i = 0; i < c->bo.size / 4; i++)
		map[i] = random32();
	memcpy(c->expected, map, c->bo.size);
	return PASS;
}

static void canvas_fini(struct canvas *c)
{
	gem_bo_destroy(&c->bo);
	free(c->expected);
}

static enum gem_result canvas_check(struct canvas *c, const char *what)
{
	const uint8_t *map = c->bo.map;
	size_t i;
	int ret;

	ret = gem_bo_to_cpu(&c->bo, false);
	CHECK(!ret, "set domain: %s", strerror(-ret));
	if (!memcmp(map, c->expected, c->bo.size))
		return PASS;

	for (i = 0; map[i] == c->expected[i]; i++)
		;
	CHECK(false, "%s: byte 0x%zx of 0x%llx is 0x%02x, not 0x%02x", what,
	      i, (long long)c->bo.size, map[i], c->expected[i]);
}

/* Does not clip: the rectangles of this file are inside their surfaces. */
static struct rect random_rect(const struct surface *s)
{
	struct rect r;

	r.x1 = random32() % s->width;
	r.x2 = r.x1 + 1 + random32() % (s->width - r.x1);
	r.y1 = random32() % s->height;
	r.y2 = r.y1 + 1 + random32() % (s->height - r.y1);
	return r;
}

static void cpu_fill(struct canvas *c, const struct rect *r, uint32_t color,
		     uint32_t channels)
{
	uint32_t mask = 0, old;
	int x, y;

	if (channels & BLT_WRITE_RGB)
		mask |= 0x00ffffff;
	if (channels & BLT_WRITE_ALPHA)
		mask |= 0xff000000;
	if (c->s.cpp != 4)
		mask = 0xffffffff;

	for (y = r->y1; y < r->y2; y++) {
		for (x = r->x1; x < r->x2; x++) {
			uint8_t *p = c->expected + surface_texel(&c->s, x, y);

			memcpy(&old, p, c->s.cpp);
			old = (old & ~mask) | (color & mask);
			memcpy(p, &old, c->s.cpp);
		}
	}
}

static void cpu_copy(struct canvas *dst, const struct rect *r,
		     const struct canvas *src, int sx, int sy)
{
	int x, y;

	for (y = r->y1; y < r->y2; y++)
		for (x = r->x1; x < r->x2; x++)
			memcpy(dst->expected + surface_texel(&dst->s, x, y),
			       src->expected +
			       surface_texel(&src->s, sx + x - r->x1,
					     sy + y - r->y1),
			       dst->s.cpp);
}

static const char *tiling_name(enum tiling tiling)
{
	static const char * const names[] = { "linear", "X", "Y" };

	return names[tiling];
}

#define FILL_RECTS	24

static enum gem_result fill_one(struct env *env, uint32_t cpp,
				enum tiling tiling)
{
	static const uint32_t channels[] = {
		BLT_WRITE_RGB | BLT_WRITE_ALPHA, BLT_WRITE_RGB, BLT_WRITE_ALPHA,
	};
	uint32_t color, mask, i;
	struct canvas c;
	struct batch b;
	struct rect r;
	char what[64];
	int ret;

	TRY(canvas_init(&c, env->fd, 317, 203, cpp, tiling));
	ret = batch_init(&b, env->fd, 2 * GEM_PAGE_SIZE);
	CHECK(!ret, "batch: %s", strerror(-ret));

	for (i = 0; i < FILL_RECTS; i++) {
		r = random_rect(&c.s);
		/* The whole surface first, then one pixel. */
		if (i == 0)
			r = (struct rect){ 0, 0, c.s.width, c.s.height };
		if (i == 1)
			r = (struct rect){ 5, 7, 6, 8 };
		color = random32();
		mask = channels[i % ARRAY_SIZE(channels)];
		batch_fill(&b, &c.s, &r, color, mask);
		cpu_fill(&c, &r, color, mask);
	}
	ret = batch_run(&b, 0, I915_EXEC_BLT);
	CHECK(!ret, "batch: %s", strerror(-ret));

	snprintf(what, sizeof(what), "%u bits, %s", 8 * cpp,
		 tiling_name(tiling));
	TRY(canvas_check(&c, what));
	batch_fini(&b);
	canvas_fini(&c);
	return PASS;
}

enum gem_result test_fill(struct env *env)
{
	uint32_t cpp;
	int tiling;

	for (tiling = TILING_LINEAR; tiling <= TILING_Y; tiling++)
		for (cpp = 1; cpp <= 4; cpp *= 2)
			TRY(fill_one(env, cpp, tiling));
	return PASS;
}

typedef void (*copy_fn)(struct batch *b, const struct surface *dst,
			const struct rect *r, const struct surface *src,
			int sx, int sy);

#define COPY_RECTS	12

static enum gem_result copy_rects(struct env *env, struct canvas *dst,
				  struct canvas *src, copy_fn copy)
{
	struct batch b;
	struct rect r;
	uint32_t i;
	int ret;

	ret = batch_init(&b, env->fd, 2 * GEM_PAGE_SIZE);
	CHECK(!ret, "batch: %s", strerror(-ret));

	for (i = 0; i < COPY_RECTS; i++) {
		int sx, sy;

		r = random_rect(&dst->s);
		sx = random32() % (src->s.width - (r.x2 - r.x1) + 1);
		sy = random32() % (src->s.height - (r.y2 - r.y1) + 1);
		copy(&b, &dst->s, &r, &src->s, sx, sy);
		cpu_copy(dst, &r, src, sx, sy);
	}
	ret = batch_run(&b, 0, I915_EXEC_BLT);
	CHECK(!ret, "batch: %s", strerror(-ret));
	batch_fini(&b);
	return PASS;
}

static enum gem_result copy_one(struct env *env, copy_fn copy, uint32_t cpp,
				enum tiling to, enum tiling from)
{
	struct canvas dst, src;
	char what[64];

	TRY(canvas_init(&dst, env->fd, 259, 131, cpp, to));
	TRY(canvas_init(&src, env->fd, 300, 150, cpp, from));
	TRY(copy_rects(env, &dst, &src, copy));
	snprintf(what, sizeof(what), "%u bits, %s to %s", 8 * cpp,
		 tiling_name(from), tiling_name(to));
	TRY(canvas_check(&dst, what));
	TRY(canvas_check(&src, "source"));
	canvas_fini(&src);
	canvas_fini(&dst);
	return PASS;
}

static enum gem_result copy_all(struct env *env, copy_fn copy)
{
	uint32_t cpp;
	int to, from;

	for (to = TILING_LINEAR; to <= TILING_Y; to++)
		for (from = TILING_LINEAR; from <= TILING_Y; from++)
			for (cpp = 1; cpp <= 4; cpp *= 2)
				TRY(copy_one(env, copy, cpp, to, from));
	return PASS;
}

/* Overlapping moves within a surface, which the blitter handles. */
static enum gem_result copy_overlap(struct env *env)
{
	static const struct {
		struct rect to;
		int sx, sy;
	} moves[] = {
		{ { 10, 10, 110, 60 }, 20, 20 },
		{ { 20, 20, 120, 70 }, 10, 10 },
		{ { 13, 10, 113, 60 }, 10, 10 },
		{ { 10, 10, 110, 60 }, 13, 10 },
	};
	struct canvas c, copy;
	struct batch b;
	size_t i;
	int ret;

	TRY(canvas_init(&c, env->fd, 128, 80, 4, TILING_LINEAR));
	ret = batch_init(&b, env->fd, GEM_PAGE_SIZE);
	CHECK(!ret, "batch: %s", strerror(-ret));
	copy = c;
	copy.expected = malloc(c.bo.size);
	CHECK(copy.expected, "out of memory");
	for (i = 0; i < ARRAY_SIZE(moves); i++) {
		batch_copy(&b, &c.s, &moves[i].to, &c.s, moves[i].sx,
			   moves[i].sy);
		memcpy(copy.expected, c.expected, c.bo.size);
		cpu_copy(&c, &moves[i].to, &copy, moves[i].sx, moves[i].sy);
	}
	free(copy.expected);
	ret = batch_run(&b, 0, I915_EXEC_BLT);
	CHECK(!ret, "batch: %s", strerror(-ret));
	TRY(canvas_check(&c, "overlapping move"));
	batch_fini(&b);
	canvas_fini(&c);
	return PASS;
}

enum gem_result test_copy(struct env *env)
{
	TRY(copy_all(env, batch_copy));
	return copy_overlap(env);
}

enum gem_result test_fast_copy(struct env *env)
{
	return copy_all(env, batch_fast_copy);
}

#define MMAP_WIDTH	256
#define MMAP_HEIGHT	64

/* The CPU writes linearly through a fence; the blitter reads the tiles. */
static enum gem_result gtt_mmap_write(struct env *env, struct surface *tiled,
				      uint32_t *gtt)
{
	struct canvas linear;
	struct rect all = { .x2 = MMAP_WIDTH, .y2 = MMAP_HEIGHT };
	struct batch b;
	uint32_t x, y;
	int ret;

	TRY(canvas_init(&linear, env->fd, MMAP_WIDTH, MMAP_HEIGHT, 4,
			TILING_LINEAR));
	ret = gem_bo_to_gtt(tiled->bo, true);
	CHECK(!ret, "set domain: %s", strerror(-ret));
	for (y = 0; y < MMAP_HEIGHT; y++) {
		for (x = 0; x < MMAP_WIDTH; x++) {
			uint32_t value = y << 16 | x;

			gtt[y * tiled->pitch / 4 + x] = value;
			memcpy(linear.expected +
			       surface_texel(&linear.s, x, y), &value, 4);
		}
	}

	ret = batch_init(&b, env->fd, GEM_PAGE_SIZE);
	CHECK(!ret, "batch: %s", strerror(-ret));
	batch_copy(&b, &linear.s, &all, tiled, 0, 0);
	ret = batch_run(&b, 0, I915_EXEC_BLT);
	CHECK(!ret, "batch: %s", strerror(-ret));
	TRY(canvas_check(&linear, "CPU through fence, blitter from tiles"));
	batch_fini(&b);
	canvas_fini(&linear);
	return PASS;
}

/* The blitter writes tiles; the CPU reads them linearly. */
static enum gem_result gtt_mmap_read(struct env *env, struct surface *tiled,
				     uint32_t *gtt)
{
	struct canvas linear;
	struct rect all = { .x2 = MMAP_WIDTH, .y2 = MMAP_HEIGHT };
	uint32_t x, y, want, got;
	struct batch b;
	int ret;

	TRY(canvas_init(&linear, env->fd, MMAP_WIDTH, MMAP_HEIGHT, 4,
			TILING_LINEAR));
	ret = batch_init(&b, env->fd, GEM_PAGE_SIZE);
	CHECK(!ret, "batch: %s", strerror(-ret));
	batch_copy(&b, tiled, &all, &linear.s, 0, 0);
	ret = batch_run(&b, 0, I915_EXEC_BLT);
	if (!ret)
		ret = gem_bo_to_gtt(tiled->bo, false);
	CHECK(!ret, "batch: %s", strerror(-ret));

	for (y = 0; y < MMAP_HEIGHT; y++) {
		for (x = 0; x < MMAP_WIDTH; x++) {
			memcpy(&want, linear.expected +
			       surface_texel(&linear.s, x, y), 4);
			got = gtt[y * tiled->pitch / 4 + x];
			CHECK(got == want, "(%u, %u) is 0x%08x, not 0x%08x",
			      x, y, got, want);
		}
	}
	batch_fini(&b);
	canvas_fini(&linear);
	return PASS;
}

static enum gem_result gtt_mmap_one(struct env *env, enum tiling tiling)
{
	struct gem_bo bo;
	struct surface s = {
		.bo = &bo,
		.width = MMAP_WIDTH,
		.height = MMAP_HEIGHT,
		.pitch = MMAP_WIDTH * 4,
		.cpp = 4,
		.tiling = tiling,
	};
	uint32_t *gtt;
	int ret;

	ret = gem_bo_create(&bo, env->fd, (uint64_t)s.pitch * s.height);
	CHECK(!ret, "object: %s", strerror(-ret));
	if (tiling != TILING_LINEAR) {
		ret = gem_bo_tile(&bo, tiling, s.pitch);
		if (ret == -EOPNOTSUPP)
			SKIP("no fences");
		CHECK(!ret, "set tiling: %s", strerror(-ret));
	}
	gtt = gem_bo_map_as(&bo, I915_MMAP_OFFSET_GTT);
	CHECK(gtt, "GTT mmap: %s", strerror(errno));

	TRY(gtt_mmap_write(env, &s, gtt));
	TRY(gtt_mmap_read(env, &s, gtt));
	tap_diag("%s: right both ways", tiling_name(tiling));
	gem_bo_destroy(&bo);
	return PASS;
}

enum gem_result test_gtt_mmap(struct env *env)
{
	TRY(gtt_mmap_one(env, TILING_LINEAR));
	TRY(gtt_mmap_one(env, TILING_X));
	return gtt_mmap_one(env, TILING_Y);
}
