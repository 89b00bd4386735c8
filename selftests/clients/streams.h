/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What programs that compute on a GPU have their driver do: arrays on both
 * sides, copies between them, kernels in a row; and a stopwatch that says what
 * their time went into. An error ends the process.
 *
 * Copies are made as Intel's compute runtime makes them: up to 10 MB by the
 * processor, which maps the object; more by the blitter, from or to the
 * program's own pages. They are waited for, kernels are not.
 *
 * A kernel is a batch of walkers, each of which takes the time that the model
 * was told (primitive-ns). Shaders do not run there: what a kernel computes is
 * one number, which it stores at both ends of its output.
 */
#ifndef _CLIENTS_STREAMS_H
#define _CLIENTS_STREAMS_H

#include "batch.h"

/**
 * enum stream_part - what time goes into
 * @PART_POPULATE: objects are made and get their pages, and go
 * @PART_FIRST: copies by the GPU that name pages which it has not seen before
 * @PART_TRANSFER: other copies from and to the GPU
 * @PART_KERNEL: kernels are built, submitted, and waited for
 * @PART_CPU: the program's own work
 * @PART_CHECK: whether all is right, which is no part of the program
 */
enum stream_part {
	PART_POPULATE,
	PART_FIRST,
	PART_TRANSFER,
	PART_KERNEL,
	PART_CPU,
	PART_CHECK,
	NR_STREAM_PARTS,
};

/**
 * struct array - of 64 bit numbers, on both sides
 * @host: the program's
 * @device: the GPU's
 * @count: of numbers
 */
struct array {
	struct gem_bo host;
	struct gem_bo device;
	uint64_t count;
};

/**
 * struct stream - a program that runs
 * @fd: the GPU
 * @walker_us: what a walker takes
 * @shrink: all sizes and times are divided by that
 * @part: what is being done
 * @since: since when
 * @part_ns: what each part has taken
 * @design_us: what all kernels take by design
 * @gpu_ns: what they took, as they have read the GPU's clock
 * @tick_hz: of that clock
 * @copy: batch of the blitter
 * @stamps: of the clock, and a number, by each kernel
 * @kernels: batches of those that were not waited for
 * @nr_kernels: their number
 * @launched: kernels in all
 */
struct stream {
	int fd;
	uint32_t walker_us;
	uint32_t shrink;
	enum stream_part part;
	uint64_t since;
	uint64_t part_ns[NR_STREAM_PARTS];
	uint64_t design_us;
	uint64_t gpu_ns;
	int tick_hz;
	struct batch copy;
	struct gem_bo stamps;
	struct batch kernels;
	uint32_t nr_kernels;
	uint64_t launched;
};

void stream_begin(struct stream *s);
void stream_end(struct stream *s);
void stream_part(struct stream *s, enum stream_part part);
uint64_t stream_total_ns(const struct stream *s);

void array_make(struct stream *s, struct array *a, uint64_t bytes);
void array_free(struct stream *s, struct array *a);
void *array_write(struct stream *s, struct array *a);
const void *array_read(struct stream *s, struct array *a);
void array_fill(struct stream *s, struct array *a, uint64_t seed);
void array_expect(struct stream *s, struct array *a, uint64_t seed,
		  uint64_t result);
void array_expect_device(struct stream *s, struct array *a, uint64_t seed,
			 uint64_t result);
void array_upload(struct stream *s, struct array *a);
void array_download(struct stream *s, struct array *a);
void array_download_to(struct stream *s, struct array *to, struct array *from);

uint64_t kernel_launch(struct stream *s, double us, struct array *out,
		       struct array *const *in);
void kernels_wait(struct stream *s);

/* stream_programs.c */
void stream_mmul(struct stream *s);
void stream_lud(struct stream *s);
void stream_nn(struct stream *s);
void stream_backprop(struct stream *s);

#endif
