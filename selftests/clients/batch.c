// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gen/cmds.h>
#include <gen/regs.h>

#include "batch.h"

#define BLT_CMD(op)		(((uint32_t)CMD_CLIENT_BLT << 29) | ((op) << 22))
#define BLT_DEPTH_SHIFT		24
#define BLT_ROP_SHIFT		16
#define   ROP_SOURCE		0xcc
#define   ROP_PATTERN		0xf0

#define FAST_COPY_SRC_TILE_SHIFT	20
#define FAST_COPY_DST_TILE_SHIFT	13

/* Room for the end and for padding to a quadword. */
#define BATCH_RESERVED		4

static uint32_t next_serial(void)
{
	static uint32_t serial;

	return __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED);
}

int batch_init(struct batch *b, int fd, uint32_t bytes)
{
	int ret;

	memset(b, 0, sizeof(*b));
	ret = gem_bo_create(&b->bo, fd, bytes);
	if (ret)
		return ret;

	ret = gem_bo_map(&b->bo);
	if (ret) {
		gem_bo_destroy(&b->bo);
		return ret;
	}
	b->max = b->bo.size / sizeof(uint32_t) - BATCH_RESERVED;
	return batch_reset(b);
}

void batch_fini(struct batch *b)
{
	gem_bo_destroy(&b->bo);
	free(b->objects);
	memset(b, 0, sizeof(*b));
}

/* Begins another batch behind the submitted one, which the GPU may still execute. */
void batch_next(struct batch *b)
{
	b->start = b->pos;
	b->nr_objects = 0;
	b->serial = next_serial();
	b->error = 0;
}

/* Starts over, after the GPU has completed the last use. */
int batch_reset(struct batch *b)
{
	b->pos = 0;
	batch_next(b);
	return gem_bo_to_cpu(&b->bo, true);
}

static bool grow_objects(struct batch *b)
{
	uint32_t max = b->max_objects ? 2 * b->max_objects : 16;
	void *objects = realloc(b->objects, max * sizeof(*b->objects));

	if (!objects) {
		b->error = -ENOMEM;
		return false;
	}
	b->objects = objects;
	b->max_objects = max;
	return true;
}

void batch_use(struct batch *b, struct gem_bo *bo, bool write)
{
	struct drm_i915_gem_exec_object2 *obj;

	if (bo->user != b->serial) {
		/* Keeps an entry free for the batch itself. */
		if (b->nr_objects + 2 > b->max_objects && !grow_objects(b))
			return;

		obj = &b->objects[b->nr_objects];
		memset(obj, 0, sizeof(*obj));
		obj->handle = bo->handle;
		obj->offset = bo->address;
		obj->flags = EXEC_OBJECT_PINNED |
			     EXEC_OBJECT_SUPPORTS_48B_ADDRESS;
		bo->slot = b->nr_objects++;
		bo->user = b->serial;
	}
	if (write)
		b->objects[bo->slot].flags |= EXEC_OBJECT_WRITE;
}

void batch_emit(struct batch *b, uint32_t dword)
{
	uint32_t *cs = b->bo.map;

	if (b->pos < b->max)
		cs[b->pos++] = dword;
	else
		b->error = -ENOSPC;
}

void batch_emit_address(struct batch *b, struct gem_bo *bo, uint64_t offset,
			bool write)
{
	uint64_t address = bo->address + offset;

	if (bo != &b->bo)
		batch_use(b, bo, write);
	batch_emit(b, address);
	batch_emit(b, address >> 32);
}

/* Submits the batch again. */
int batch_resubmit(struct batch *b, uint32_t ctx, unsigned int engine)
{
	struct drm_i915_gem_execbuffer2 arg = {
		.buffers_ptr = (uintptr_t)b->objects,
		.buffer_count = b->nr_objects,
		.batch_start_offset = b->start * sizeof(uint32_t),
		.flags = engine | I915_EXEC_NO_RELOC,
	};

	i915_execbuffer2_set_context_id(arg, ctx);
	return gem_ioctl(b->bo.fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &arg);
}

int batch_submit(struct batch *b, uint32_t ctx, unsigned int engine)
{
	uint32_t *cs = b->bo.map;

	batch_use(b, &b->bo, false);
	if (b->error)
		return b->error;

	cs[b->pos++] = MI_CMD(OP_MI_BATCH_BUFFER_END);
	if (b->pos & 1)
		cs[b->pos++] = MI_CMD(OP_MI_NOOP);
	return batch_resubmit(b, ctx, engine);
}

int batch_wait(struct batch *b)
{
	return gem_bo_wait(&b->bo, -1);
}

int batch_run(struct batch *b, uint32_t ctx, unsigned int engine)
{
	int ret = batch_submit(b, ctx, engine);

	return ret ? ret : batch_wait(b);
}

void batch_store_dword(struct batch *b, struct gem_bo *bo, uint64_t offset,
		       uint32_t value)
{
	batch_emit(b, MI_CMD(OP_MI_STORE_DATA_IMM) | (4 - 2));
	batch_emit_address(b, bo, offset, true);
	batch_emit(b, value);
}

void batch_store_qword(struct batch *b, struct gem_bo *bo, uint64_t offset,
		       uint64_t value)
{
	batch_emit(b, MI_CMD(OP_MI_STORE_DATA_IMM) | MI_SDI_QWORD | (5 - 2));
	batch_emit_address(b, bo, offset, true);
	batch_emit(b, value);
	batch_emit(b, value >> 32);
}

void batch_load_reg(struct batch *b, uint32_t reg, uint32_t value)
{
	batch_emit(b, MI_CMD(OP_MI_LOAD_REGISTER_IMM) | (3 - 2));
	batch_emit(b, reg);
	batch_emit(b, value);
}

void batch_store_reg(struct batch *b, uint32_t reg, struct gem_bo *bo,
		     uint64_t offset)
{
	batch_emit(b, MI_CMD(OP_MI_STORE_REGISTER_MEM) | (4 - 2));
	batch_emit(b, reg);
	batch_emit_address(b, bo, offset, true);
}

/* Jumps to dword @target of the batch itself. */
void batch_loop(struct batch *b, uint32_t target)
{
	batch_emit(b, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT |
		   (3 - 2));
	batch_emit_address(b, &b->bo, 4ull * target, false);
}

/* The blitter takes the pitch of tiled surfaces in dwords. */
static uint32_t blt_pitch(const struct surface *s)
{
	return s->tiling == TILING_LINEAR ? s->pitch : s->pitch / 4;
}

static uint32_t blt_depth(uint32_t cpp)
{
	switch (cpp) {
	case 1:
		return 0u << BLT_DEPTH_SHIFT;
	case 2:
		return 1u << BLT_DEPTH_SHIFT;
	default:
		return 3u << BLT_DEPTH_SHIFT;
	}
}

static uint32_t blt_point(int x, int y)
{
	return (uint32_t)y << 16 | (uint16_t)x;
}

/* The older blits know X tiles only; a register makes those Y tiles. */
static void set_y_tiling(struct batch *b, uint32_t bits)
{
	batch_emit(b, MI_CMD(OP_MI_FLUSH_DW) | (4 - 2));
	batch_emit(b, 0);
	batch_emit(b, 0);
	batch_emit(b, 0);
	batch_load_reg(b, GEN_BCS0_BASE + BCS_SWCTRL,
		       GEN_MASKED_FIELD(BCS_SRC_Y | BCS_DST_Y, bits));
}

/**
 * batch_fill - fill a rectangle (XY_COLOR_BLT)
 * @b: the batch, to be submitted to bcs
 * @dst: surface
 * @r: rectangle in @dst
 * @color: in the surface's format
 * @channels: BLT_WRITE_RGB and BLT_WRITE_ALPHA; matters for 4 bytes a pixel
 */
void batch_fill(struct batch *b, const struct surface *dst,
		const struct rect *r, uint32_t color, uint32_t channels)
{
	uint32_t cmd = BLT_CMD(OP_XY_COLOR_BLT) | (7 - 2);

	if (dst->cpp == 4)
		cmd |= channels;
	if (dst->tiling != TILING_LINEAR)
		cmd |= BLT_DST_TILED;
	if (dst->tiling == TILING_Y)
		set_y_tiling(b, BCS_DST_Y);

	batch_emit(b, cmd);
	batch_emit(b, blt_depth(dst->cpp) | ROP_PATTERN << BLT_ROP_SHIFT |
		   blt_pitch(dst));
	batch_emit(b, blt_point(r->x1, r->y1));
	batch_emit(b, blt_point(r->x2, r->y2));
	batch_emit_address(b, dst->bo, dst->offset, true);
	batch_emit(b, color);

	if (dst->tiling == TILING_Y)
		set_y_tiling(b, 0);
}

/* batch_fill_object - fill an object of BATCH_FILL_MB: 2048 by 2048 pixels */
void batch_fill_object(struct batch *b, struct gem_bo *bo, uint32_t color)
{
	const struct surface s = {
		.bo = bo, .width = 2048, .height = 2048, .pitch = 2048 * 4, .cpp = 4,
	};
	const struct rect all = { 0, 0, s.width, s.height };

	batch_fill(b, &s, &all, color, BLT_WRITE_RGB | BLT_WRITE_ALPHA);
}

/**
 * batch_copy - copy a rectangle (XY_SRC_COPY_BLT)
 * @b: the batch, to be submitted to bcs
 * @dst: destination
 * @r: rectangle in @dst
 * @src: source, of the same pixel size
 * @sx: left end of the rectangle in @src
 * @sy: its upper end
 */
void batch_copy(struct batch *b, const struct surface *dst,
		const struct rect *r, const struct surface *src, int sx,
		int sy)
{
	uint32_t cmd = BLT_CMD(OP_XY_SRC_COPY_BLT) | (10 - 2);
	uint32_t y_tiling = 0;

	if (dst->cpp == 4)
		cmd |= BLT_WRITE_RGB | BLT_WRITE_ALPHA;
	if (dst->tiling != TILING_LINEAR)
		cmd |= BLT_DST_TILED;
	if (src->tiling != TILING_LINEAR)
		cmd |= BLT_SRC_TILED;
	if (dst->tiling == TILING_Y)
		y_tiling |= BCS_DST_Y;
	if (src->tiling == TILING_Y)
		y_tiling |= BCS_SRC_Y;
	if (y_tiling)
		set_y_tiling(b, y_tiling);

	batch_emit(b, cmd);
	batch_emit(b, blt_depth(dst->cpp) | ROP_SOURCE << BLT_ROP_SHIFT |
		   blt_pitch(dst));
	batch_emit(b, blt_point(r->x1, r->y1));
	batch_emit(b, blt_point(r->x2, r->y2));
	batch_emit_address(b, dst->bo, dst->offset, true);
	batch_emit(b, blt_point(sx, sy));
	batch_emit(b, blt_pitch(src));
	batch_emit_address(b, src->bo, src->offset, false);

	if (y_tiling)
		set_y_tiling(b, 0);
}

/**
 * batch_fast_copy - copy a rectangle (XY_FAST_COPY_BLT)
 * @b: the batch, to be submitted to bcs
 * @dst: destination; pitches and offsets must be multiples of 64 bytes
 * @r: rectangle in @dst
 * @src: source, of the same pixel size
 * @sx: left end of the rectangle in @src
 * @sy: its upper end
 */
void batch_fast_copy(struct batch *b, const struct surface *dst,
		     const struct rect *r, const struct surface *src, int sx,
		     int sy)
{
	batch_emit(b, BLT_CMD(OP_XY_FAST_COPY_BLT) | (10 - 2) |
		   (uint32_t)src->tiling << FAST_COPY_SRC_TILE_SHIFT |
		   (uint32_t)dst->tiling << FAST_COPY_DST_TILE_SHIFT);
	batch_emit(b, blt_depth(dst->cpp) | blt_pitch(dst));
	batch_emit(b, blt_point(r->x1, r->y1));
	batch_emit(b, blt_point(r->x2, r->y2));
	batch_emit_address(b, dst->bo, dst->offset, true);
	batch_emit(b, blt_point(sx, sy));
	batch_emit(b, blt_pitch(src));
	batch_emit_address(b, src->bo, src->offset, false);
}

/**
 * surface_whole - an object as pixels of 4 bytes, to be filled or copied
 * @bo: of whole rows of SURFACE_WHOLE_PITCH bytes
 */
struct surface surface_whole(struct gem_bo *bo)
{
	struct surface s = {
		.bo = bo,
		.width = SURFACE_WHOLE_PITCH / 4,
		.height = bo->size / SURFACE_WHOLE_PITCH,
		.pitch = SURFACE_WHOLE_PITCH,
		.cpp = 4,
	};

	return s;
}

/**
 * batch_run_copy - let the blitter copy the beginning of an object, and wait
 * @b: a batch
 * @to: destination
 * @from: the object
 * @bytes: whole rows of SURFACE_WHOLE_PITCH bytes
 *
 * Return: 0, or a negative errno.
 */
int batch_run_copy(struct batch *b, struct gem_bo *to, struct gem_bo *from,
		   uint64_t bytes)
{
	struct surface dst = surface_whole(to), src = surface_whole(from);
	struct rect r = { .x2 = dst.width, .y2 = bytes / dst.pitch };
	int ret = batch_reset(b);

	if (ret)
		return ret;
	batch_copy(b, &dst, &r, &src, 0, 0);
	return batch_run(b, 0, I915_EXEC_BLT);
}

/**
 * surface_texel - the position of a pixel
 * @s: the surface
 * @x: column
 * @y: row
 *
 * The reference for what the GPU does: an X tile is 8 rows of 512 bytes, a
 * Y tile is 8 columns of 32 times 16 bytes; both are a page.
 *
 * Return: its byte offset in the object.
 */
size_t surface_texel(const struct surface *s, int x, int y)
{
	size_t xb = (size_t)x * s->cpp;

	switch (s->tiling) {
	case TILING_X:
		return s->offset +
		       (y / 8 * (s->pitch / 512) + xb / 512) * GEM_PAGE_SIZE +
		       y % 8 * 512 + xb % 512;
	case TILING_Y:
		return s->offset +
		       (y / 32 * (s->pitch / 128) + xb / 128) * GEM_PAGE_SIZE +
		       xb % 128 / 16 * 512 + y % 32 * 16 + xb % 16;
	default:
		return s->offset + (size_t)y * s->pitch + xb;
	}
}
