/* SPDX-License-Identifier: GPL-2.0 */
/* What vGPUs do all day. */
#ifndef _BENCH_FAIR_LOAD_H
#define _BENCH_FAIR_LOAD_H

#include "engine.h"

/* What the model takes for one, if it is told so (tools/bench-fair). */
#define PRIMITIVE_US	100
#define MOST_PRIMITIVES	200

enum kind {
	KIND_NONE,
	KIND_WORK,	/* primitives, between which it can be preempted */
	KIND_SOLID,	/* primitives, between which it cannot */
	KIND_BLIT,
	KIND_SPIN,	/* no end, but points to be preempted at */
	KIND_HOG,	/* neither */
};

/**
 * struct load - a kind of work
 * @name: for people
 * @kind: what requests do
 * @engine: where
 * @least: primitives of a request, at least
 * @most: and at most
 * @together: so many requests are submitted at a time
 * @depth: so many submissions are under way at a time
 * @sleep_least_us: after the last of them is done there is none for so long, at least
 * @sleep_most_us: and at most; 0: there always are some
 */
struct load {
	const char *name;
	enum kind kind;
	enum vgpu_engine engine;
	u32 least;
	u32 most;
	u32 together;
	u32 depth;
	u32 sleep_least_us;
	u32 sleep_most_us;
};

/* Dies if there is none of that name. */
const struct load *load_find(const char *name);

static inline bool load_endless(const struct load *load)
{
	return load->kind == KIND_SPIN || load->kind == KIND_HOG;
}

/*
 * It always has work, and yields. Who has nops has not: they end before its client, on a
 * processor that others use, too, can submit more.
 */
static inline bool load_counts(const struct load *load)
{
	if (load->kind == KIND_WORK && !load->most)
		return false;
	return load->kind != KIND_NONE && load->kind != KIND_HOG && !load->sleep_most_us;
}

#endif
