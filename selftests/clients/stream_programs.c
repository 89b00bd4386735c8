// SPDX-License-Identifier: GPL-2.0
/*
 * The four programs of LoGV's measurement as a GPU's driver sees them: mmul, and
 * Rodinia's lud, nn and backprop, with their copies and kernels in their order.
 * They take seconds with a processor under TCG and a GPU a tenth as fast as an
 * HD 530: 7 Gflop/s in plain kernels, 3.4 GB/s.
 */
#include <errno.h>
#include <stdio.h>

#include "streams.h"

#define FLOPS_PER_US		7000.0
#define BYTES_PER_US		3400.0

#define INPUTS(...)		((struct array *const []){ __VA_ARGS__, NULL })

/* A product of matrices of 2048 by 2048 floats: one kernel. */
void stream_mmul(struct stream *s)
{
	const double n = 2048;
	const uint64_t bytes = n * n * 4 / s->shrink;
	struct array a, b, product;
	uint64_t result;

	array_make(s, &a, bytes);
	array_make(s, &b, bytes);
	array_make(s, &product, bytes);
	array_fill(s, &a, 1);
	array_fill(s, &b, 2);
	array_upload(s, &a);
	array_upload(s, &b);
	result = kernel_launch(s, 2 * n * n * n / FLOPS_PER_US, &product,
			       INPUTS(&a, &b));
	kernels_wait(s);
	array_download(s, &product);

	array_expect(s, &product, 0, result);
	array_expect_device(s, &a, 1, 0);
	array_expect_device(s, &b, 2, 0);
	array_free(s, &a);
	array_free(s, &b);
	array_free(s, &product);
}

/*
 * A matrix of 3072 by 3072 floats is decomposed in place, in blocks of 16. Each
 * step does a block, those beside and below it, and the rest of the matrix.
 */
void stream_lud(struct stream *s)
{
	const uint32_t block = 16, steps = 3072 / block;
	const double flops = 2.0 * block * block * block;
	struct array matrix;
	uint64_t result;
	uint32_t left;

	array_make(s, &matrix, 4 * 3072 * 3072 / s->shrink);
	array_fill(s, &matrix, 1);
	array_upload(s, &matrix);
	for (left = steps - 1; left; left--) {
		kernel_launch(s, flops / FLOPS_PER_US, &matrix, INPUTS(NULL));
		kernel_launch(s, 2 * left * flops / FLOPS_PER_US, &matrix,
			      INPUTS(NULL));
		kernel_launch(s, left * left * flops / FLOPS_PER_US, &matrix,
			      INPUTS(NULL));
	}
	result = kernel_launch(s, flops / FLOPS_PER_US, &matrix, INPUTS(NULL));
	kernels_wait(s);
	array_download(s, &matrix);

	array_expect(s, &matrix, 1, result);
	array_free(s, &matrix);
}

#define NEAREST			10

static void find_nearest(struct stream *s, struct array *found)
{
	uint32_t *distance = array_write(s, found);
	uint64_t count = 2 * found->count, i, k;

	for (k = 0; k < NEAREST; k++) {
		uint64_t best = k;
		uint32_t least = distance[k];

		for (i = k + 1; i < count; i++)
			if (distance[i] < least)
				least = distance[best = i];
		distance[best] = distance[k];
		distance[k] = least;
	}
}

/*
 * All others are farther away. The kernel's result, 0 and its number, overwrites
 * two distances.
 */
static void expect_nearest(struct stream *s, struct array *found,
			   struct array *list, uint64_t result)
{
	const uint32_t *nearest = array_read(s, found);
	const uint32_t *distance = array_read(s, list);
	uint64_t count = 2 * found->count, i, nearer = 2;

	stream_part(s, PART_CHECK);
	for (i = 2; i < count; i++)
		nearer += distance[i] < nearest[NEAREST - 1];
	if (nearest[0] != 0 || nearest[1] != result || nearer != NEAREST - 1) {
		fprintf(stderr, "of the %d nearest, %llu were found\n", NEAREST,
			(unsigned long long)nearer + 1);
		gem_check("wrong result", -EIO);
	}
}

/*
 * The nearest of 8 million places of 8 bytes each: one short kernel computes all
 * distances, and the processor searches them. As shaders do not run, the
 * distances are half of the list.
 */
void stream_nn(struct stream *s)
{
	const uint64_t bytes = 64ull * MB / s->shrink;
	struct array list, found;
	uint64_t result;

	array_make(s, &list, bytes);
	array_make(s, &found, bytes / 2);
	array_fill(s, &list, 1);
	array_upload(s, &list);
	result = kernel_launch(s, 96 * MB / BYTES_PER_US, &list,
			       INPUTS(&found));
	kernels_wait(s);
	array_download_to(s, &found, &list);
	find_nearest(s, &found);

	expect_nearest(s, &found, &list, result);
	array_expect_device(s, &list, 1, result);
	array_free(s, &list);
	array_free(s, &found);
}

#define EPOCHS			10

/* The processor completes the sums of the first kernel. */
static void add_up(struct stream *s, struct array *partial, struct array *delta)
{
	const uint64_t *sums = array_read(s, partial);
	uint64_t *deltas = array_write(s, delta), sum = 0, i;

	for (i = 0; i < partial->count; i++)
		sum += sums[i];
	deltas[1] = sum;
}

/**
 * struct layer - the arrays of backprop
 * @input: half a million floats
 * @weights: 17 for each
 * @previous: the last change of each weight
 * @partial: sums by block
 * @delta: errors of the 16 units of the next layer
 */
struct layer {
	struct array input;
	struct array weights;
	struct array previous;
	struct array partial;
	struct array delta;
};

/* The copies are Rodinia's, which keeps nothing on the GPU. */
static uint64_t train(struct stream *s, struct layer *l)
{
	const double us = l->weights.host.size * s->shrink / BYTES_PER_US;
	uint64_t result;

	array_upload(s, &l->input);
	array_upload(s, &l->weights);
	kernel_launch(s, 2 * us, &l->partial, INPUTS(&l->input, &l->weights));
	kernels_wait(s);
	array_download(s, &l->partial);
	add_up(s, &l->partial, &l->delta);

	array_upload(s, &l->delta);
	array_upload(s, &l->previous);
	array_upload(s, &l->weights);
	result = kernel_launch(s, 4 * us, &l->weights,
			       INPUTS(&l->input, &l->delta, &l->previous));
	kernels_wait(s);
	array_download(s, &l->input);
	array_download(s, &l->weights);
	return result;
}

/* A layer of half a million learns, ten times. */
void stream_backprop(struct stream *s)
{
	const uint64_t floats = MB / 2 / s->shrink;
	uint64_t result = 0;
	struct layer l;
	int i;

	array_make(s, &l.input, floats * 4);
	array_make(s, &l.weights, floats * 4 * 17);
	array_make(s, &l.previous, floats * 4 * 17);
	array_make(s, &l.partial, floats * 4);
	array_make(s, &l.delta, GEM_PAGE_SIZE);
	array_fill(s, &l.input, 1);
	array_fill(s, &l.weights, 2);
	array_fill(s, &l.previous, 3);
	for (i = 0; i < EPOCHS; i++)
		result = train(s, &l);

	array_expect(s, &l.input, 1, 0);
	array_expect(s, &l.weights, 2, result);
	array_expect(s, &l.partial, 0, result - 1);
	array_expect_device(s, &l.weights, 2, result);
	array_expect_device(s, &l.previous, 3, 0);
	array_free(s, &l.input);
	array_free(s, &l.weights);
	array_free(s, &l.previous);
	array_free(s, &l.partial);
	array_free(s, &l.delta);
}
