/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Command buffers: a growing list of dwords and of the objects they name.
 * Errors (full, out of memory) stick in the batch and come back from
 * batch_submit(), so that building needs no checks.
 */
#ifndef _CLIENTS_BATCH_H
#define _CLIENTS_BATCH_H

#include "gem.h"

/**
 * struct batch - a command buffer
 * @bo: the object that holds the commands
 * @start: dword at which the batch begins
 * @pos: next dword
 * @max: dwords in all
 * @objects: execbuf2's list; the batch itself is put last at submission
 * @nr_objects: used entries of @objects
 * @max_objects: allocated entries of @objects
 * @serial: tells whether gem_bo.slot is an index into @objects
 * @error: first error while building
 */
struct batch {
	struct gem_bo bo;
	uint32_t start;
	uint32_t pos;
	uint32_t max;
	struct drm_i915_gem_exec_object2 *objects;
	uint32_t nr_objects;
	uint32_t max_objects;
	uint32_t serial;
	int error;
};

int batch_init(struct batch *b, int fd, uint32_t bytes);
void batch_fini(struct batch *b);
int batch_reset(struct batch *b);
void batch_next(struct batch *b);
void batch_use(struct batch *b, struct gem_bo *bo, bool write);
void batch_emit(struct batch *b, uint32_t dword);
void batch_emit_address(struct batch *b, struct gem_bo *bo, uint64_t offset,
			bool write);
int batch_submit(struct batch *b, uint32_t ctx, unsigned int engine);
int batch_resubmit(struct batch *b, uint32_t ctx, unsigned int engine);
int batch_run(struct batch *b, uint32_t ctx, unsigned int engine);
int batch_wait(struct batch *b);

/* Memory interface. */
void batch_store_dword(struct batch *b, struct gem_bo *bo, uint64_t offset,
		       uint32_t value);
void batch_store_qword(struct batch *b, struct gem_bo *bo, uint64_t offset,
		       uint64_t value);
void batch_load_reg(struct batch *b, uint32_t reg, uint32_t value);
void batch_store_reg(struct batch *b, uint32_t reg, struct gem_bo *bo,
		     uint64_t offset);
void batch_loop(struct batch *b, uint32_t target);

/* Blitter. */
#define BATCH_FILL_MB	16u	/* what batch_fill_object() fills */

enum tiling {
	TILING_LINEAR = I915_TILING_NONE,
	TILING_X = I915_TILING_X,
	TILING_Y = I915_TILING_Y,
};

/**
 * struct surface - pixels in an object
 * @bo: the object
 * @offset: of the first pixel in @bo
 * @width: in pixels
 * @height: in rows
 * @pitch: bytes from row to row
 * @cpp: bytes a pixel: 1, 2 or 4
 * @tiling: layout
 */
struct surface {
	struct gem_bo *bo;
	uint64_t offset;
	uint32_t width;
	uint32_t height;
	uint32_t pitch;
	uint32_t cpp;
	enum tiling tiling;
};

struct rect {
	int x1;
	int y1;
	int x2;
	int y2;
};

void batch_fill(struct batch *b, const struct surface *dst,
		const struct rect *r, uint32_t color, uint32_t channels);
void batch_fill_object(struct batch *b, struct gem_bo *bo, uint32_t color);
void batch_copy(struct batch *b, const struct surface *dst,
		const struct rect *r, const struct surface *src, int sx,
		int sy);
void batch_fast_copy(struct batch *b, const struct surface *dst,
		     const struct rect *r, const struct surface *src, int sx,
		     int sy);
#define SURFACE_WHOLE_PITCH	16384
struct surface surface_whole(struct gem_bo *bo);
int batch_run_copy(struct batch *b, struct gem_bo *to, struct gem_bo *from,
		   uint64_t bytes);
size_t surface_texel(const struct surface *s, int x, int y);

#endif
