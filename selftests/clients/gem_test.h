/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CLIENTS_GEM_TEST_H
#define _CLIENTS_GEM_TEST_H

#include "batch.h"
#include "tap.h"

/* The result of a subtest, or of a part of one. */
enum gem_result {
	PASS,
	FAIL,
	SKIPPED,
};

/* Fails a subtest with a message. */
#define CHECK(cond, fmt, ...)						\
	do {								\
		if (!(cond)) {						\
			tap_diag("%s:%d: " fmt, __FILE__, __LINE__,	\
				 ##__VA_ARGS__);			\
			return FAIL;					\
		}							\
	} while (0)

/* A call of a helper that has printed its own message. */
#define TRY(call)							\
	do {								\
		enum gem_result __r = (call);				\
									\
		if (__r != PASS)					\
			return __r;					\
	} while (0)

/* The subtest is not possible here. */
#define SKIP(why)							\
	do {								\
		env->skipped = (why);					\
		return SKIPPED;						\
	} while (0)

/**
 * struct env - the environment of a subtest
 * @fd: the GPU, freshly opened
 * @device: node, NULL to search
 * @chipset: PCI device id to expect, 0 for any
 * @seed: pattern of the tests of isolation and of fences
 * @megabytes: memory that the isolation test fills
 * @seconds: how long it checks that memory
 * @engine: the engine, for subtests of one engine
 * @skipped: the reason, if it was skipped
 */
struct env {
	int fd;
	const char *device;
	int chipset;
	uint32_t seed;
	uint32_t megabytes;
	uint32_t seconds;
	const struct gem_engine *engine;
	const char *skipped;
};

/* test_store.c */
enum gem_result test_params(struct env *env);
enum gem_result test_store(struct env *env);
enum gem_result test_reloc(struct env *env);
enum gem_result test_gpu_ts(struct env *env);
enum gem_result test_nonpriv(struct env *env);
enum gem_result test_parallel(struct env *env);

/* test_blt.c */
enum gem_result test_fill(struct env *env);
enum gem_result test_copy(struct env *env);
enum gem_result test_fast_copy(struct env *env);
enum gem_result test_gtt_mmap(struct env *env);

/* test_fences.c */
enum gem_result test_fences_y(struct env *env);
enum gem_result test_fences_x(struct env *env);
enum gem_result test_fences_none(struct env *env);
enum gem_result test_fences_turns(struct env *env);
enum gem_result test_fences_copy(struct env *env);

/* test_memory.c */
enum gem_result test_many_objects(struct env *env);
enum gem_result test_big(struct env *env);
enum gem_result test_isolation(struct env *env);

/* test_context.c */
enum gem_result test_contexts(struct env *env);
enum gem_result test_ctx_memory(struct env *env);
enum gem_result test_threads(struct env *env);
enum gem_result test_timeslice(struct env *env);
enum gem_result test_hang(struct env *env);

#endif
