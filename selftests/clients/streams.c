// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <gen/cmds.h>

#include "streams.h"

/* As in Intel's compute runtime. */
#define MOST_BY_CPU		(10 * MB)

#define SELECT_PIPELINE		(CMD_PIPELINE_SELECT << 16 | PIPELINE_SELECT_MASK)
#define   PIPELINE_GPGPU	2u
#define CMD_GPGPU_WALKER	(0x7105u << 16 | (15 - 2))
#define CMD_MEDIA_STATE_FLUSH	(0x7004u << 16 | (2 - 2))
#define PIPE_CONTROL_DWORDS	6

/* Largest number of kernels launched and not waited for. */
#define MOST_KERNELS		1024

/* The commands of many kernels are in one object, as in a driver. */
#define COMMANDS		MB

/* A kernel's record among the stamps: its begin, its end, its number. */
enum {
	STAMP_BEGIN,
	STAMP_END,
	STAMP_NUMBER,
	STAMP_QWORDS = 4,
};

/**
 * stream_part - begin another part of a program
 * @s: the program
 * @part: the part
 */
void stream_part(struct stream *s, enum stream_part part)
{
	uint64_t now = gem_now_ns();

	s->part_ns[s->part] += now - s->since;
	s->since = now;
	s->part = part;
}

uint64_t stream_total_ns(const struct stream *s)
{
	uint64_t ns = 0;
	int i;

	for (i = 0; i < PART_CHECK; i++)
		ns += s->part_ns[i];
	return ns;
}

/**
 * stream_begin - start a program
 * @s: the program; @fd, @walker_us and @shrink are set, all else is 0
 */
void stream_begin(struct stream *s)
{
	s->part = PART_POPULATE;
	s->since = gem_now_ns();
	gem_check("clock", gem_param(s->fd, I915_PARAM_CS_TIMESTAMP_FREQUENCY,
				     &s->tick_hz));
	gem_check("batch", batch_init(&s->copy, s->fd, GEM_PAGE_SIZE));
	gem_check("batch", batch_init(&s->kernels, s->fd, COMMANDS));
	gem_check("stamps", gem_bo_create(&s->stamps, s->fd,
					  8 * STAMP_QWORDS * MOST_KERNELS));
	gem_check("stamps", gem_bo_map(&s->stamps));
}

void stream_end(struct stream *s)
{
	stream_part(s, PART_CHECK);
	batch_fini(&s->copy);
	batch_fini(&s->kernels);
	gem_bo_destroy(&s->stamps);
}

static void populate(struct gem_bo *bo, int fd, uint64_t bytes)
{
	gem_check("object", gem_bo_create(bo, fd, bytes));
	gem_check("map", gem_bo_map(bo));
	gem_check("pages", gem_bo_to_cpu(bo, true));
}

/**
 * array_make - make an array, with its pages
 * @s: the program
 * @a: the array
 * @bytes: its size
 */
void array_make(struct stream *s, struct array *a, uint64_t bytes)
{
	uint64_t i;

	stream_part(s, PART_POPULATE);
	/* The blitter copies whole rows. */
	bytes = (bytes + SURFACE_WHOLE_PITCH - 1) / SURFACE_WHOLE_PITCH *
		SURFACE_WHOLE_PITCH;
	a->count = bytes / sizeof(uint64_t);
	populate(&a->host, s->fd, bytes);
	populate(&a->device, s->fd, bytes);
	for (i = 0; i < a->count; i += GEM_PAGE_SIZE / sizeof(uint64_t))
		((uint64_t *)a->host.map)[i] = 0;
}

void array_free(struct stream *s, struct array *a)
{
	stream_part(s, PART_POPULATE);
	gem_bo_destroy(&a->host);
	gem_bo_destroy(&a->device);
}

/* Return: the program's side, for writing. */
void *array_write(struct stream *s, struct array *a)
{
	stream_part(s, PART_CPU);
	gem_check("array", gem_bo_to_cpu(&a->host, true));
	return a->host.map;
}

const void *array_read(struct stream *s, struct array *a)
{
	stream_part(s, PART_CPU);
	gem_check("array", gem_bo_to_cpu(&a->host, false));
	return a->host.map;
}

static uint64_t pattern(uint64_t seed, uint64_t i)
{
	return seed ? (seed << 56) + i * 0x9e3779b97f4a7c15ull : 0;
}

void array_fill(struct stream *s, struct array *a, uint64_t seed)
{
	uint64_t *host = array_write(s, a), i;

	for (i = 0; i < a->count; i++)
		host[i] = pattern(seed, i);
}

static void copy_by_cpu(struct gem_bo *to, struct gem_bo *from, uint64_t bytes)
{
	gem_check("copy", gem_bo_to_cpu(from, false));
	gem_check("copy", gem_bo_to_cpu(to, true));
	memcpy(to->map, from->map, bytes);
}

/* Copies the beginning of the larger one. */
static void copy(struct stream *s, struct gem_bo *to, struct gem_bo *from)
{
	uint64_t bytes = to->size < from->size ? to->size : from->size;
	bool by_gpu = bytes > MOST_BY_CPU;
	bool first = by_gpu && (!to->user || !from->user);

	stream_part(s, first ? PART_FIRST : PART_TRANSFER);
	if (by_gpu)
		gem_check("blit", batch_run_copy(&s->copy, to, from, bytes));
	else
		copy_by_cpu(to, from, bytes);
}

void array_upload(struct stream *s, struct array *a)
{
	copy(s, &a->device, &a->host);
}

void array_download(struct stream *s, struct array *a)
{
	copy(s, &a->host, &a->device);
}

/* Copies as much of @from as fits into @to. */
void array_download_to(struct stream *s, struct array *to, struct array *from)
{
	copy(s, &to->host, &from->device);
}

static void mismatch(const char *what, uint64_t i, uint64_t is, uint64_t should)
{
	fprintf(stderr, "%s %llu: 0x%llx, not 0x%llx\n", what,
		(unsigned long long)i, (unsigned long long)is,
		(unsigned long long)should);
	gem_check("wrong result", -EIO);
}

/**
 * array_expect - check the program's side
 * @s: the program
 * @a: the array
 * @seed: of array_fill(), 0: it was not filled
 * @result: number of the last kernel that wrote it, or 0
 */
void array_expect(struct stream *s, struct array *a, uint64_t seed,
		  uint64_t result)
{
	const uint64_t *host = array_read(s, a);
	uint64_t i;

	stream_part(s, PART_CHECK);
	for (i = 0; i < a->count; i++) {
		bool end = !i || i == a->count - 1;
		uint64_t should = result && end ? result : pattern(seed, i);

		if (host[i] != should)
			mismatch("element", i, host[i], should);
	}
}

/* The same for the GPU's side, which is copied to the program's. */
void array_expect_device(struct stream *s, struct array *a, uint64_t seed,
			 uint64_t result)
{
	uint64_t part_ns[NR_STREAM_PARTS];

	/* That time is not the program's. */
	stream_part(s, PART_CHECK);
	memcpy(part_ns, s->part_ns, sizeof(part_ns));
	gem_check("array", gem_bo_to_cpu(&a->host, true));
	memset(a->host.map, 0xff, a->host.size);
	array_download(s, a);
	array_expect(s, a, seed, result);
	memcpy(s->part_ns, part_ns, sizeof(part_ns));
}

static void emit_pipe_control(struct stream *s, struct batch *b, uint32_t op,
			      uint32_t qword, uint64_t value)
{
	uint64_t offset = 8 * (STAMP_QWORDS * s->nr_kernels + qword);

	batch_emit(b, CMD_PIPE_CONTROL << 16 | (PIPE_CONTROL_DWORDS - 2));
	batch_emit(b, PC_CS_STALL | op << 14);
	batch_emit_address(b, &s->stamps, offset, true);
	batch_emit(b, value);
	batch_emit(b, value >> 32);
}

static void emit_walkers(struct batch *b, uint32_t count)
{
	uint32_t i, dw;

	batch_emit(b, SELECT_PIPELINE | PIPELINE_GPGPU);
	for (i = 0; i < count; i++) {
		batch_emit(b, CMD_GPGPU_WALKER);
		for (dw = 1; dw < 15; dw++)
			batch_emit(b, 0);
		batch_emit(b, CMD_MEDIA_STATE_FLUSH);
		batch_emit(b, 0);
	}
}

/**
 * kernel_launch - submit a kernel
 * @s: the program
 * @us: its time on the GPU, at least a walker's
 * @out: its output, which is input, too
 * @in: other arrays that it reads, with a NULL at the end
 *
 * Return: the number that it stores at both ends of @out.
 */
uint64_t kernel_launch(struct stream *s, double us, struct array *out,
		       struct array *const *in)
{
	struct batch *b = &s->kernels;
	uint32_t walkers = us / s->shrink / s->walker_us + 0.5;
	uint64_t number = ++s->launched;

	stream_part(s, PART_KERNEL);
	if (!walkers)
		walkers = 1;
	if (s->nr_kernels == MOST_KERNELS)
		gem_check("kernels", -ENOSPC);
	batch_next(b);
	emit_pipe_control(s, b, PC_POST_SYNC_TIMESTAMP, STAMP_BEGIN, 0);
	while (*in)
		batch_use(b, &(*in++)->device, false);
	emit_walkers(b, walkers);
	batch_store_qword(b, &out->device, 0, number);
	batch_store_qword(b, &out->device, 8 * (out->count - 1), number);
	emit_pipe_control(s, b, PC_POST_SYNC_STORE, STAMP_NUMBER, number);
	emit_pipe_control(s, b, PC_POST_SYNC_TIMESTAMP, STAMP_END, 0);
	gem_check("kernel", batch_submit(b, 0, I915_EXEC_RENDER));
	s->design_us += (uint64_t)walkers * s->walker_us;
	s->nr_kernels++;
	return number;
}

/* Checks that they were executed in order. */
static void check_stamps(struct stream *s)
{
	const uint64_t *stamp = s->stamps.map;
	uint64_t first = s->launched - s->nr_kernels + 1, ticks = 0;
	uint32_t i;

	gem_check("stamps", gem_bo_to_cpu(&s->stamps, false));
	for (i = 0; i < s->nr_kernels; i++, stamp += STAMP_QWORDS) {
		if (stamp[STAMP_NUMBER] != first + i)
			mismatch("kernel", i, stamp[STAMP_NUMBER], first + i);
		if (stamp[STAMP_END] < stamp[STAMP_BEGIN] ||
		    (i && stamp[STAMP_BEGIN] < (stamp - STAMP_QWORDS)[STAMP_END]))
			mismatch("order of", i, stamp[STAMP_BEGIN], stamp[STAMP_END]);
		ticks += stamp[STAMP_END] - stamp[STAMP_BEGIN];
	}
	s->gpu_ns += ticks * 1000000000.0 / s->tick_hz;
}

/* Waits for all launched kernels. */
void kernels_wait(struct stream *s)
{
	stream_part(s, PART_KERNEL);
	gem_check("wait", batch_wait(&s->kernels));
	check_stamps(s);
	gem_check("batch", batch_reset(&s->kernels));
	s->nr_kernels = 0;
}
