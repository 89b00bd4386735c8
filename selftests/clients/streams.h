/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations of programs that compute on a GPU: arrays on both sides, copies
 * between them, kernels in a row, and a stopwatch for each part. An error ends
 * the process.
 *
 * Copies are made as in Intel's compute runtime: up to 10 MB by the processor,
 * which maps the object; more by the blitter, from or to the program's own
 * pages. The program waits for copies, not for kernels.
 *
 * A kernel is a batch of walkers, each of which takes the model's primitive-ns.
 * Shaders do not run there: a kernel only stores its number at both ends of its
 * output.
 */
#ifndef _CLIENTS_STREAMS_H
#define _CLIENTS_STREAMS_H

#include "batch.h"

/**
 * enum stream_part - parts of a program's time
 * @PART_POPULATE: objects are made, populated and freed
 * @PART_FIRST: copies by the GPU that name pages that are new to it
 * @PART_TRANSFER: other copies from and to the GPU
 * @PART_KERNEL: kernels are built, submitted, and waited for
 * @PART_CPU: the program's own work
 * @PART_CHECK: checks of results, which are no part of the program
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
 * struct array - 64 bit numbers, on both sides
 * @host: the program's side
 * @device: the GPU's side
 * @count: count of numbers
 */
struct array {
	struct gem_bo host;
	struct gem_bo device;
	uint64_t count;
};

/**
 * struct stream - a program that runs
 * @fd: the GPU
 * @walker_us: the time of a walker
 * @shrink: divides all sizes and times
 * @part: the current part
 * @since: when it began
 * @part_ns: the time of each part
 * @design_us: the time of all kernels by design
 * @gpu_ns: their time by the GPU's clock
 * @tick_hz: the rate of that clock
 * @copy: batch of the blitter
 * @stamps: each kernel stores the clock and its number there
 * @kernels: batches of kernels that the program has not waited for
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
