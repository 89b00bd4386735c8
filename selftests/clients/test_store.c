// SPDX-License-Identifier: GPL-2.0
/* The command streamers themselves: stores, registers, timestamps. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include <gen/cmds.h>
#include <gen/regs.h>

#include "gem_test.h"

static const struct {
	const char *name;
	int param;
	int least;
} params[] = {
	{ "HAS_BSD", I915_PARAM_HAS_BSD, 1 },
	{ "HAS_BLT", I915_PARAM_HAS_BLT, 1 },
	{ "HAS_VEBOX", I915_PARAM_HAS_VEBOX, 1 },
	{ "HAS_LLC", I915_PARAM_HAS_LLC, 1 },
	{ "HAS_ALIASING_PPGTT", I915_PARAM_HAS_ALIASING_PPGTT, 2 },
	{ "HAS_EXEC_SOFTPIN", I915_PARAM_HAS_EXEC_SOFTPIN, 1 },
	{ "MMAP_GTT_VERSION", I915_PARAM_MMAP_GTT_VERSION, 4 },
};

static enum gem_result check_engines(int fd)
{
	struct {
		struct drm_i915_query_engine_info info;
		struct drm_i915_engine_info engines[16];
	} buf = { 0 };
	struct drm_i915_query_item item = {
		.query_id = DRM_I915_QUERY_ENGINE_INFO,
		.length = sizeof(buf),
		.data_ptr = (uintptr_t)&buf,
	};
	struct drm_i915_query query = {
		.num_items = 1,
		.items_ptr = (uintptr_t)&item,
	};
	uint32_t classes = 0, i;
	int ret;

	ret = gem_ioctl(fd, DRM_IOCTL_I915_QUERY, &query);
	CHECK(!ret && item.length > 0, "engine query: %s, length %d",
	      strerror(-ret), item.length);

	for (i = 0; i < buf.info.num_engines; i++) {
		const struct i915_engine_class_instance *e =
			&buf.engines[i].engine;

		tap_diag("engine class %u instance %u", e->engine_class,
			 e->engine_instance);
		classes |= 1u << e->engine_class;
	}
	CHECK(classes == 0xf, "engine classes 0x%x, not 0xf", classes);
	return PASS;
}

enum gem_result test_params(struct env *env)
{
	int id = 0, value, ret;
	size_t i;

	ret = gem_param(env->fd, I915_PARAM_CHIPSET_ID, &id);
	CHECK(!ret, "CHIPSET_ID: %s", strerror(-ret));
	tap_diag("chipset 0x%04x, preemption %s", id,
		 gem_has_preemption(env->fd) ? "yes" : "no");
	CHECK(!env->chipset || id == env->chipset, "chipset is 0x%04x", id);

	for (i = 0; i < ARRAY_SIZE(params); i++) {
		value = 0;
		ret = gem_param(env->fd, params[i].param, &value);
		CHECK(!ret && value >= params[i].least, "%s: %d (%s)",
		      params[i].name, value, strerror(-ret));
	}
	return check_engines(env->fd);
}

#define STORE_OBJECTS		4
#define STORE_SIZE		(64 * 1024)

/* Uneven steps include the ends of pages and of the object. */
static uint64_t store_offset(uint32_t i)
{
	static const uint32_t offsets[] = {
		0, 8, 64, 4088, 4096, 8184, 32768, STORE_SIZE - 8,
	};

	return offsets[i % ARRAY_SIZE(offsets)];
}

static uint64_t store_value(uint32_t object, uint32_t i)
{
	return 0x1234567800000000ull * (i & 1) + 0xc0de0000u + object * 256 + i;
}

static enum gem_result check_stores(struct gem_bo *bo, uint32_t object)
{
	uint32_t i;
	int ret;

	ret = gem_bo_to_cpu(bo, false);
	CHECK(!ret, "set domain: %s", strerror(-ret));
	for (i = 0; i < 8; i++) {
		uint64_t offset = store_offset(i), got;

		memcpy(&got, (char *)bo->map + offset, sizeof(got));
		CHECK(got == store_value(object, i),
		      "object %u at 0x%llx + 0x%llx: 0x%llx, not 0x%llx",
		      object, (long long)bo->address, (long long)offset,
		      (long long)got, (long long)store_value(object, i));
	}
	return PASS;
}

static enum gem_result run_stores(struct env *env, struct batch *b,
				  struct gem_bo *bo)
{
	uint32_t object, i;
	int ret;

	for (object = 0; object < STORE_OBJECTS; object++) {
		for (i = 0; i < 8; i++) {
			uint64_t value = store_value(object, i);

			if (i & 1)
				batch_store_qword(b, &bo[object],
						  store_offset(i), value);
			else
				batch_store_dword(b, &bo[object],
						  store_offset(i), value);
		}
	}
	ret = batch_run(b, 0, env->engine->flag);
	CHECK(!ret, "batch: %s", strerror(-ret));

	for (object = 0; object < STORE_OBJECTS; object++)
		TRY(check_stores(&bo[object], object));
	return PASS;
}

enum gem_result test_store(struct env *env)
{
	struct gem_bo bo[STORE_OBJECTS];
	enum gem_result result;
	struct batch b;
	size_t i;
	int ret;

	ret = batch_init(&b, env->fd, GEM_PAGE_SIZE);
	for (i = 0; !ret && i < STORE_OBJECTS; i++) {
		ret = gem_bo_create(&bo[i], env->fd, STORE_SIZE);
		if (!ret)
			ret = gem_bo_map(&bo[i]);
	}
	CHECK(!ret, "objects: %s", strerror(-ret));
	/* The last page below 2^47, the end of canonical addresses. */
	gem_bo_place(&bo[0], (1ull << 47) - STORE_SIZE);

	result = run_stores(env, &b, bo);

	for (i = 0; i < STORE_OBJECTS; i++)
		gem_bo_destroy(&bo[i]);
	batch_fini(&b);
	return result;
}

/* Addresses that the kernel chooses and writes into the batch. */
enum gem_result test_reloc(struct env *env)
{
	struct drm_i915_gem_relocation_entry reloc = { 0 };
	struct drm_i915_gem_exec_object2 obj[2] = { 0 };
	struct drm_i915_gem_execbuffer2 arg = {
		.buffers_ptr = (uintptr_t)obj,
		.buffer_count = 2,
		.flags = I915_EXEC_RENDER,
	};
	struct gem_bo bo;
	struct batch b;
	uint32_t *map;
	int ret;

	ret = batch_init(&b, env->fd, GEM_PAGE_SIZE);
	CHECK(!ret, "batch: %s", strerror(-ret));
	ret = gem_bo_create(&bo, env->fd, GEM_PAGE_SIZE);
	CHECK(!ret && !gem_bo_map(&bo), "object: %s", strerror(-ret));

	/* Wrong on purpose: the kernel must relocate it. */
	reloc.target_handle = bo.handle;
	reloc.offset = 4;
	reloc.delta = 16;
	reloc.presumed_offset = -1;
	reloc.read_domains = I915_GEM_DOMAIN_RENDER;
	reloc.write_domain = I915_GEM_DOMAIN_RENDER;
	obj[0].handle = bo.handle;
	obj[1].handle = b.bo.handle;
	obj[1].relocation_count = 1;
	obj[1].relocs_ptr = (uintptr_t)&reloc;

	batch_store_dword(&b, &bo, 0, 0xfeedbeef);
	batch_emit(&b, MI_CMD(OP_MI_BATCH_BUFFER_END));
	ret = gem_ioctl(env->fd, DRM_IOCTL_I915_GEM_EXECBUFFER2, &arg);
	if (ret == -EINVAL)
		SKIP("no relocations in this kernel");
	CHECK(!ret, "execbuffer: %s", strerror(-ret));

	ret = gem_bo_to_cpu(&bo, false);
	map = bo.map;
	CHECK(!ret && map[4] == 0xfeedbeef, "0x%08x (%s)", map[4],
	      strerror(-ret));
	gem_bo_destroy(&bo);
	batch_fini(&b);
	return PASS;
}

/*
 * Reads the engine's timestamp from two batches and checks its pace: each is taken
 * between the clock's times before and after its batch, however far these lie apart.
 */
static enum gem_result engine_ts(struct env *env,
				 const struct gem_engine *engine, int hz)
{
	const struct timespec pause = { .tv_nsec = 50 * 1000 * 1000 };
	uint64_t before[2], after[2], ts[2], ms, least, most;
	struct gem_bo bo;
	struct batch b;
	int i, ret;

	ret = batch_init(&b, env->fd, GEM_PAGE_SIZE);
	if (!ret)
		ret = gem_bo_create(&bo, env->fd, GEM_PAGE_SIZE);
	CHECK(!ret && !gem_bo_map(&bo), "objects: %s", strerror(-ret));

	for (i = 0; i < 2; i++) {
		batch_reset(&b);
		batch_store_reg(&b, engine->base + RING_TIMESTAMP, &bo, 8 * i);
		batch_store_reg(&b, engine->base + RING_TIMESTAMP_UDW, &bo,
				8 * i + 4);
		before[i] = gem_now_ns();
		ret = batch_run(&b, 0, engine->flag);
		after[i] = gem_now_ns();
		CHECK(!ret, "%s batch: %s", engine->name, strerror(-ret));
		if (!i)
			nanosleep(&pause, NULL);
	}
	ret = gem_bo_to_cpu(&bo, false);
	memcpy(ts, bo.map, sizeof(ts));
	CHECK(!ret && ts[1] > ts[0], "%s: %llu then %llu", engine->name,
	      (long long)ts[0], (long long)ts[1]);

	ms = (ts[1] - ts[0]) * 1000 / hz;
	least = (before[1] - after[0]) / 1000000;
	most = (after[1] - before[0]) / 1000000;
	tap_diag("%s: %llu ms of GPU clock in %llu to %llu ms", engine->name,
		 (long long)ms, (long long)least, (long long)most);
	/* Allow for the difference of the two clocks. */
	CHECK(ms >= least - least / 10 && ms <= most + most / 10 + 1, "clock runs wrong");

	gem_bo_destroy(&bo);
	batch_fini(&b);
	return PASS;
}

enum gem_result test_gpu_ts(struct env *env)
{
	uint64_t first, second;
	int hz = 0, i, ret;

	ret = gem_param(env->fd, I915_PARAM_CS_TIMESTAMP_FREQUENCY, &hz);
	CHECK(!ret && hz > 0, "frequency: %d (%s)", hz, strerror(-ret));
	tap_diag("timestamp frequency %d Hz", hz);

	ret = gem_reg_read(env->fd, GEN_RCS0_BASE + RING_TIMESTAMP, &first);
	if (!ret)
		ret = gem_reg_read(env->fd, GEN_RCS0_BASE + RING_TIMESTAMP,
				   &second);
	CHECK(!ret && second > first, "register: %llu then %llu (%s)",
	      (long long)first, (long long)second, strerror(-ret));

	for (i = 0; i < GEM_NR_ENGINES; i++)
		TRY(engine_ts(env, &gem_engines[i], hz));
	return PASS;
}

/*
 * A client's batch is not privileged: it cannot change the engine's error mask,
 * and continues after the attempt.
 */
enum gem_result test_nonpriv(struct env *env)
{
	uint32_t reg = GEN_RCS0_BASE + RING_EMR, *map;
	struct gem_bo bo;
	struct batch b;
	int ret;

	ret = batch_init(&b, env->fd, GEM_PAGE_SIZE);
	if (!ret)
		ret = gem_bo_create(&bo, env->fd, GEM_PAGE_SIZE);
	CHECK(!ret && !gem_bo_map(&bo), "objects: %s", strerror(-ret));

	batch_store_reg(&b, reg, &bo, 0);
	batch_load_reg(&b, reg, 0xffffffff);
	batch_store_reg(&b, reg, &bo, 4);
	batch_load_reg(&b, reg, 0xfffffff0);
	batch_store_reg(&b, reg, &bo, 8);
	batch_store_dword(&b, &bo, 12, 0x600d);
	ret = batch_run(&b, 0, I915_EXEC_RENDER);
	CHECK(!ret, "batch: %s", strerror(-ret));

	ret = gem_bo_to_cpu(&bo, false);
	map = bo.map;
	CHECK(!ret && map[0] == map[1] && map[0] == map[2],
	      "EMR went from 0x%x to 0x%x to 0x%x", map[0], map[1], map[2]);
	CHECK(map[3] == 0x600d, "the batch did not go on: 0x%x", map[3]);
	gem_bo_destroy(&bo);
	batch_fini(&b);
	return PASS;
}

#define PARALLEL_ROUNDS		100

struct worker {
	struct env env;
	pthread_t thread;
	enum gem_result result;
};

static enum gem_result hammer(struct env *env)
{
	struct gem_bo bo;
	uint32_t i, *map;
	struct batch b;
	int ret;

	ret = batch_init(&b, env->fd, GEM_PAGE_SIZE);
	if (!ret)
		ret = gem_bo_create(&bo, env->fd, GEM_PAGE_SIZE);
	CHECK(!ret && !gem_bo_map(&bo), "objects: %s", strerror(-ret));

	map = bo.map;
	for (i = 0; i < PARALLEL_ROUNDS; i++) {
		batch_reset(&b);
		batch_store_dword(&b, &bo, i * 16 % GEM_PAGE_SIZE, ~i);
		ret = batch_run(&b, 0, env->engine->flag);
		CHECK(!ret, "%s batch %u: %s", env->engine->name, i,
		      strerror(-ret));
		CHECK(map[i * 4 % 1024] == ~i, "%s batch %u: 0x%x",
		      env->engine->name, i, map[i * 4 % 1024]);
	}
	gem_bo_destroy(&bo);
	batch_fini(&b);
	return PASS;
}

static void *worker_run(void *arg)
{
	struct worker *w = arg;

	w->result = hammer(&w->env);
	return NULL;
}

/* All engines at once. */
enum gem_result test_parallel(struct env *env)
{
	struct worker workers[GEM_NR_ENGINES];
	enum gem_result result = PASS;
	int i;

	for (i = 0; i < GEM_NR_ENGINES; i++) {
		workers[i].env = *env;
		workers[i].env.engine = &gem_engines[i];
		if (pthread_create(&workers[i].thread, NULL, worker_run,
				   &workers[i]))
			tap_die("no thread");
	}
	for (i = 0; i < GEM_NR_ENGINES; i++) {
		pthread_join(workers[i].thread, NULL);
		if (workers[i].result != PASS)
			result = FAIL;
	}
	return result;
}
