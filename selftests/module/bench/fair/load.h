/* SPDX-License-Identifier: GPL-2.0 */
/* Loads of vGPUs. */
#ifndef _BENCH_FAIR_LOAD_H
#define _BENCH_FAIR_LOAD_H

#include "engine.h"

/* The model's time for a primitive, set by tools/bench-fair. */
#define PRIMITIVE_US	100
#define MOST_PRIMITIVES	200

enum kind {
	KIND_NONE,
	KIND_WORK,	/* primitives, preemptible in between */
	KIND_SOLID,	/* primitives, not preemptible */
	KIND_BLIT,
	KIND_SPIN,	/* endless, preemptible */
	KIND_HOG,	/* endless, not preemptible */
};

/**
 * struct load - a kind of work
 * @name: shown
 * @kind: kind of requests
 * @engine: their engine
 * @least: primitives in a request, at least
 * @most: and at most
 * @together: requests submitted at a time
 * @depth: submissions under way at a time
 * @sleep_least_us: sleep after the last of them, at least
 * @sleep_most_us: and at most; 0: it always has work
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

/* Ends the program if there is none of that name. */
const struct load *load_find(const char *name);

static inline bool load_endless(const struct load *load)
{
	return load->kind == KIND_SPIN || load->kind == KIND_HOG;
}

/*
 * It always has work, and yields. The load of nops does not: they complete before the client, which
 * shares its processor, can submit more.
 */
static inline bool load_counts(const struct load *load)
{
	if (load->kind == KIND_WORK && !load->most)
		return false;
	return load->kind != KIND_NONE && load->kind != KIND_HOG && !load->sleep_most_us;
}

#endif
