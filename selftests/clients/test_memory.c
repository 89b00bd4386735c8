// SPDX-License-Identifier: GPL-2.0
/* Many objects, big objects, and isolation from other guests' memory. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <gen/cmds.h>

#include "gem_test.h"

#define MANY		1500

static enum gem_result store_to_all(struct env *env, struct gem_bo *bo)
{
	struct batch b;
	uint32_t i;
	int ret;

	ret = batch_init(&b, env->fd, MANY * 16 + GEM_PAGE_SIZE);
	CHECK(!ret, "batch: %s", strerror(-ret));
	for (i = 0; i < MANY; i++)
		batch_store_dword(&b, &bo[i], i * 4 % GEM_PAGE_SIZE, ~i);
	ret = batch_run(&b, 0, I915_EXEC_RENDER);
	CHECK(!ret, "batch: %s", strerror(-ret));
	batch_fini(&b);

	for (i = 0; i < MANY; i++) {
		uint32_t *map;

		ret = gem_bo_map(&bo[i]);
		if (!ret)
			ret = gem_bo_to_cpu(&bo[i], false);
		map = bo[i].map;
		CHECK(!ret, "object %u: %s", i, strerror(-ret));
		CHECK(map[i % 1024] == ~i, "object %u: 0x%x, not 0x%x", i,
		      map[i % 1024], ~i);
	}
	return PASS;
}

enum gem_result test_many_objects(struct env *env)
{
	struct gem_bo *bo = calloc(MANY, sizeof(*bo));
	enum gem_result result;
	uint32_t i;
	int ret;

	CHECK(bo, "out of memory");
	for (i = 0; i < MANY; i++) {
		ret = gem_bo_create(&bo[i], env->fd, GEM_PAGE_SIZE);
		CHECK(!ret, "object %u: %s", i, strerror(-ret));
	}

	result = store_to_all(env, bo);

	for (i = 0; i < MANY; i++)
		gem_bo_destroy(&bo[i]);
	free(bo);
	return result;
}

#define BIG_OBJECTS	4
#define BIG_SIZE	(16 * MB)
#define MB_ROWS		(MB / SURFACE_WHOLE_PITCH)

/* Every MB has its own colour. */
static void fill_by_mb(struct batch *b, struct gem_bo *bo, uint32_t seed)
{
	struct surface s = surface_whole(bo);
	struct rect r = { .x2 = s.width };
	uint32_t i;

	for (i = 0; i < bo->size / MB; i++) {
		r.y1 = i * MB_ROWS;
		r.y2 = r.y1 + MB_ROWS;
		batch_fill(b, &s, &r, seed + i,
			   BLT_WRITE_RGB | BLT_WRITE_ALPHA);
	}
}

static enum gem_result check_by_mb(struct gem_bo *bo, uint32_t seed)
{
	uint32_t *map = bo->map;
	size_t i;
	int ret;

	ret = gem_bo_to_cpu(bo, false);
	CHECK(!ret, "set domain: %s", strerror(-ret));
	for (i = 0; i < bo->size / 4; i++)
		CHECK(map[i] == seed + i / (MB / 4),
		      "at 0x%llx + 0x%zx: 0x%08x, not 0x%08x",
		      (long long)bo->address, 4 * i, map[i],
		      seed + (uint32_t)(i / (MB / 4)));
	return PASS;
}

enum gem_result test_big(struct env *env)
{
	struct gem_bo bo[BIG_OBJECTS];
	struct batch b;
	uint32_t i;
	int ret;

	ret = batch_init(&b, env->fd, 16 * GEM_PAGE_SIZE);
	CHECK(!ret, "batch: %s", strerror(-ret));
	for (i = 0; i < BIG_OBJECTS; i++) {
		ret = gem_bo_create(&bo[i], env->fd, BIG_SIZE);
		CHECK(!ret, "object: %s", strerror(-ret));
		fill_by_mb(&b, &bo[i], 0xb1600000 + (i << 8));
	}
	ret = batch_run(&b, 0, I915_EXEC_BLT);
	CHECK(!ret, "batch: %s", strerror(-ret));

	for (i = 0; i < BIG_OBJECTS; i++) {
		ret = gem_bo_map(&bo[i]);
		CHECK(!ret, "map: %s", strerror(-ret));
		TRY(check_by_mb(&bo[i], 0xb1600000 + (i << 8)));
		gem_bo_destroy(&bo[i]);
	}
	batch_fini(&b);
	return PASS;
}

/* New memory must be empty, for the CPU and for the GPU. */
static enum gem_result check_zero(struct gem_bo *bo, const char *name)
{
	uint64_t *map = bo->map;
	size_t i;
	int ret;

	ret = gem_bo_to_cpu(bo, false);
	CHECK(!ret, "set domain: %s", strerror(-ret));
	for (i = 0; i < bo->size / 8; i++)
		CHECK(!map[i], "%s finds 0x%llx in a new object, at 0x%zx",
		      name, (long long)map[i], 8 * i);
	return PASS;
}

/* One round: new memory is zero for CPU and GPU, then has this guest's values for both. */
static enum gem_result isolation_round(struct env *env, struct batch *b,
				       uint32_t round)
{
	uint32_t seed = env->seed * 0x01000193u + (round << 8);
	struct gem_bo bo, copy;
	int ret;

	ret = gem_bo_create(&bo, env->fd, (uint64_t)env->megabytes * MB);
	if (!ret)
		ret = gem_bo_create(&copy, env->fd, bo.size);
	if (!ret)
		ret = gem_bo_map(&bo);
	if (!ret)
		ret = gem_bo_map(&copy);
	CHECK(!ret, "objects of %u MB: %s", env->megabytes, strerror(-ret));

	/* The destination is not zero, so that a lost blit is detected. */
	ret = batch_reset(b);
	CHECK(!ret, "batch: %s", strerror(-ret));
	fill_by_mb(b, &copy, ~seed);
	ret = batch_run(b, 0, I915_EXEC_BLT);
	if (!ret)
		ret = batch_run_copy(b, &copy, &bo, bo.size);
	CHECK(!ret, "batch: %s", strerror(-ret));
	TRY(check_zero(&copy, "the GPU"));
	TRY(check_zero(&bo, "the CPU"));

	ret = batch_reset(b);
	CHECK(!ret, "batch: %s", strerror(-ret));
	fill_by_mb(b, &bo, seed);
	ret = batch_run(b, 0, I915_EXEC_BLT);
	if (!ret)
		ret = batch_run_copy(b, &copy, &bo, bo.size);
	CHECK(!ret, "batch: %s", strerror(-ret));
	TRY(check_by_mb(&bo, seed));
	TRY(check_by_mb(&copy, seed));

	gem_bo_destroy(&copy);
	gem_bo_destroy(&bo);
	return PASS;
}

/*
 * For several guests at once, each with its own seed: one object stays and is
 * checked again and again, others are made and freed.
 */
enum gem_result test_isolation(struct env *env)
{
	uint64_t end = gem_now_ns() + env->seconds * 1000000000ull;
	uint32_t seed = env->seed * 0x9e3779b1u, round = 0;
	struct gem_bo keep;
	struct batch b;
	int ret;

	ret = batch_init(&b, env->fd, 16 * GEM_PAGE_SIZE);
	if (!ret)
		ret = gem_bo_create(&keep, env->fd,
				    (uint64_t)env->megabytes * MB);
	if (!ret)
		ret = gem_bo_map(&keep);
	CHECK(!ret, "objects of %u MB: %s", env->megabytes, strerror(-ret));
	fill_by_mb(&b, &keep, seed);
	ret = batch_run(&b, 0, I915_EXEC_BLT);
	CHECK(!ret, "batch: %s", strerror(-ret));

	do {
		TRY(isolation_round(env, &b, round++));
		TRY(check_by_mb(&keep, seed));
	} while (gem_now_ns() < end);
	tap_diag("seed %u: %u rounds of %u MB", env->seed, round,
		 env->megabytes);

	gem_bo_destroy(&keep);
	batch_fini(&b);
	return PASS;
}
