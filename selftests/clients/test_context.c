// SPDX-License-Identifier: GPL-2.0
/* Contexts: their registers, address spaces, preemption and resets. */
#include <errno.h>
#include <string.h>

#include <gen/cmds.h>
#include <gen/regs.h>

#include "gem_test.h"

/* User-writable registers of rcs that belong to the context. */
#define IA_VERTICES_COUNT	0x2310
#define CL_PRIMITIVES_COUNT	0x2340
#define NR_COUNTERS		((CL_PRIMITIVES_COUNT - IA_VERTICES_COUNT) / 8 + 1)

#define NR_CONTEXTS		3
#define CONTEXT_ROUNDS		20

struct regs {
	uint64_t gpr[RING_NR_GPR];
	uint64_t counter[NR_COUNTERS];
};

#define NR_REGS			(sizeof(struct regs) / sizeof(uint64_t))

static uint32_t reg_offset(const struct gem_engine *engine, uint32_t i)
{
	if (i < RING_NR_GPR)
		return engine->base + RING_GPR(i);
	return IA_VERTICES_COUNT + 8 * (i - RING_NR_GPR);
}

static uint32_t nr_regs(const struct gem_engine *engine)
{
	return engine->base == GEN_RCS0_BASE ? NR_REGS : RING_NR_GPR;
}

static uint64_t reg_value(uint32_t ctx, uint32_t round, uint32_t i)
{
	return (uint64_t)(ctx + 1) << 40 | (uint64_t)round << 32 |
	       0x10000u * i | 0xabcd;
}

static void store_regs(struct batch *b, const struct gem_engine *engine,
		       struct gem_bo *bo)
{
	uint32_t i;

	for (i = 0; i < nr_regs(engine); i++) {
		uint32_t reg = reg_offset(engine, i);

		batch_store_reg(b, reg, bo, 8 * i);
		batch_store_reg(b, reg + 4, bo, 8 * i + 4);
	}
}

static void load_regs(struct batch *b, const struct gem_engine *engine,
		      uint32_t ctx, uint32_t round)
{
	uint32_t i;

	for (i = 0; i < nr_regs(engine); i++) {
		uint32_t reg = reg_offset(engine, i);
		uint64_t value = reg_value(ctx, round, i);

		batch_load_reg(b, reg, value);
		batch_load_reg(b, reg + 4, value >> 32);
	}
}

struct ctx {
	uint32_t id;
	struct batch b;
	struct gem_bo bo;
};

static enum gem_result ctx_init(struct ctx *c, int fd)
{
	int ret;

	ret = gem_context_create(fd, &c->id);
	CHECK(!ret, "context: %s", strerror(-ret));
	ret = batch_init(&c->b, fd, 2 * GEM_PAGE_SIZE);
	if (!ret)
		ret = gem_bo_create(&c->bo, fd, GEM_PAGE_SIZE);
	if (!ret)
		ret = gem_bo_map(&c->bo);
	CHECK(!ret, "objects: %s", strerror(-ret));
	return PASS;
}

static void ctx_fini(struct ctx *c, int fd)
{
	gem_bo_destroy(&c->bo);
	batch_fini(&c->b);
	gem_context_destroy(fd, c->id);
}

/* The values in a new context, the same for all. */
static enum gem_result read_defaults(struct env *env,
				     const struct gem_engine *engine,
				     uint64_t *defaults)
{
	struct ctx c;
	int ret;

	TRY(ctx_init(&c, env->fd));
	store_regs(&c.b, engine, &c.bo);
	ret = batch_submit(&c.b, c.id, engine->flag);
	if (!ret)
		ret = gem_bo_to_cpu(&c.bo, false);
	CHECK(!ret, "batch: %s", strerror(-ret));
	memcpy(defaults, c.bo.map, nr_regs(engine) * sizeof(*defaults));
	ctx_fini(&c, env->fd);
	return PASS;
}

static enum gem_result check_regs(struct ctx *ctx, uint32_t c, uint32_t round,
				  const struct gem_engine *engine,
				  const uint64_t *defaults)
{
	const uint64_t *got = ctx[c].bo.map;
	uint64_t want;
	uint32_t i;
	int ret;

	ret = gem_bo_to_cpu(&ctx[c].bo, false);
	CHECK(!ret, "wait: %s", strerror(-ret));
	for (i = 0; i < nr_regs(engine); i++) {
		want = round ? reg_value(c, round - 1, i) : defaults[i];
		CHECK(got[i] == want,
		      "%s, context %u, round %u: register 0x%x is 0x%llx, not 0x%llx",
		      engine->name, c, round, reg_offset(engine, i),
		      (long long)got[i], (long long)want);
	}
	return PASS;
}

/*
 * Each context stores the values that it has, then loads new ones. The batches
 * are queued without waiting, so that they follow each other closely.
 */
static enum gem_result switch_round(struct ctx *ctx, uint32_t round,
				    const struct gem_engine *engine,
				    const uint64_t *defaults)
{
	uint32_t c;
	int ret;

	for (c = 0; c < NR_CONTEXTS; c++) {
		ret = batch_reset(&ctx[c].b);
		CHECK(!ret, "batch: %s", strerror(-ret));
		store_regs(&ctx[c].b, engine, &ctx[c].bo);
		load_regs(&ctx[c].b, engine, c, round);
	}
	for (c = 0; c < NR_CONTEXTS; c++) {
		ret = batch_submit(&ctx[c].b, ctx[c].id, engine->flag);
		CHECK(!ret, "batch: %s", strerror(-ret));
	}
	for (c = 0; c < NR_CONTEXTS; c++)
		TRY(check_regs(ctx, c, round, engine, defaults));
	return PASS;
}

static enum gem_result contexts_on(struct env *env,
				   const struct gem_engine *engine)
{
	uint64_t defaults[NR_REGS], again[NR_REGS];
	struct ctx ctx[NR_CONTEXTS];
	uint32_t c, round;

	TRY(read_defaults(env, engine, defaults));
	for (c = 0; c < NR_CONTEXTS; c++)
		TRY(ctx_init(&ctx[c], env->fd));
	for (round = 0; round < CONTEXT_ROUNDS; round++)
		TRY(switch_round(ctx, round, engine, defaults));
	TRY(read_defaults(env, engine, again));
	for (c = 0; c < nr_regs(engine); c++)
		CHECK(again[c] == defaults[c],
		      "%s: a new context finds 0x%llx in register 0x%x, the first one 0x%llx",
		      engine->name, (long long)again[c], reg_offset(engine, c),
		      (long long)defaults[c]);
	for (c = 0; c < NR_CONTEXTS; c++)
		ctx_fini(&ctx[c], env->fd);
	return PASS;
}

/* Registers have the same values in all new contexts; then each context keeps its own. */
enum gem_result test_contexts(struct env *env)
{
	int i;

	for (i = 0; i < GEM_NR_ENGINES; i++)
		if (gem_has_gprs(env->fd, &gem_engines[i]))
			TRY(contexts_on(env, &gem_engines[i]));
	return PASS;
}

/*
 * Address spaces: the same address names another object in every context, on
 * each engine, while they alternate.
 */
enum gem_result test_ctx_memory(struct env *env)
{
	struct ctx ctx[NR_CONTEXTS];
	uint32_t c, round, *map;
	int ret;

	for (c = 0; c < NR_CONTEXTS; c++) {
		TRY(ctx_init(&ctx[c], env->fd));
		gem_bo_place(&ctx[c].bo, 0x123456789000);
	}
	for (round = 0; round < CONTEXT_ROUNDS; round++) {
		const struct gem_engine *engine = &gem_engines[round % 4];

		for (c = 0; c < NR_CONTEXTS; c++) {
			ret = batch_reset(&ctx[c].b);
			CHECK(!ret, "batch: %s", strerror(-ret));
			batch_store_dword(&ctx[c].b, &ctx[c].bo, 0,
					  round << 8 | c);
			ret = batch_submit(&ctx[c].b, ctx[c].id, engine->flag);
			CHECK(!ret, "batch: %s", strerror(-ret));
		}
		for (c = 0; c < NR_CONTEXTS; c++) {
			ret = gem_bo_to_cpu(&ctx[c].bo, false);
			map = ctx[c].bo.map;
			CHECK(!ret && map[0] == (round << 8 | c),
			      "%s, context %u, round %u: 0x%x (%s)",
			      engine->name, c, round, map[0], strerror(-ret));
		}
	}
	for (c = 0; c < NR_CONTEXTS; c++)
		ctx_fini(&ctx[c], env->fd);
	return PASS;
}

#define SPINNER_TIMEOUT_NS	(20 * 1000000000ll)

/* A batch that runs until an end command is written to its first dword. */
static int spinner_start(struct ctx *spinner, const struct gem_engine *engine)
{
	int ret = batch_reset(&spinner->b);

	if (ret)
		return ret;
	batch_emit(&spinner->b, MI_CMD(OP_MI_ARB_CHECK));
	batch_store_dword(&spinner->b, &spinner->bo, 0, 1);
	batch_loop(&spinner->b, 0);
	return batch_submit(&spinner->b, spinner->id, engine->flag);
}

static void spinner_stop(struct ctx *spinner)
{
	uint32_t *cs = spinner->b.bo.map;

	__atomic_store_n(cs, MI_CMD(OP_MI_BATCH_BUFFER_END), __ATOMIC_SEQ_CST);
}

/* The spinner stores into its object all the time. */
static void spinner_forget(struct ctx *spinner)
{
	uint32_t *sign = spinner->bo.map;

	__atomic_store_n(sign, 0, __ATOMIC_SEQ_CST);
}

static bool spinner_runs(struct ctx *spinner)
{
	uint64_t end = gem_now_ns() + SPINNER_TIMEOUT_NS;
	uint32_t *sign = spinner->bo.map;

	while (!__atomic_load_n(sign, __ATOMIC_SEQ_CST))
		if (gem_now_ns() > end)
			return false;
	return true;
}

static enum gem_result past_spinner(struct ctx *spinner, struct ctx *other,
				    const struct gem_engine *engine)
{
	uint32_t i, *map = other->bo.map;
	int ret;

	spinner_forget(spinner);
	ret = spinner_start(spinner, engine);
	CHECK(!ret, "%s spinner: %s", engine->name, strerror(-ret));
	CHECK(spinner_runs(spinner), "%s spinner does not start",
	      engine->name);

	for (i = 0; i < 3; i++) {
		batch_reset(&other->b);
		batch_store_dword(&other->b, &other->bo, 0, 0x600d + i);
		ret = batch_submit(&other->b, other->id, engine->flag);
		if (!ret)
			ret = gem_bo_wait(&other->b.bo, SPINNER_TIMEOUT_NS);
		CHECK(!ret, "%s batch behind a spinner: %s", engine->name,
		      strerror(-ret));
		CHECK(map[0] == 0x600d + i, "%s: 0x%x", engine->name, map[0]);
	}
	CHECK(gem_bo_busy(&spinner->b.bo), "%s spinner has ended",
	      engine->name);

	/* It continues after the preemption. */
	spinner_forget(spinner);
	CHECK(spinner_runs(spinner), "%s spinner was not resumed",
	      engine->name);
	return PASS;
}

/*
 * Not on bcs: there i915 runs a copy of the batch, which the test cannot
 * stop.
 */
enum gem_result test_timeslice(struct env *env)
{
	static const char * const engines[] = { "rcs", "vcs", "vecs" };
	struct drm_i915_reset_stats stats;
	struct ctx spinner, other;
	enum gem_result result;
	size_t i;
	int ret;

	if (!gem_has_preemption(env->fd))
		SKIP("this i915 does not preempt");

	for (i = 0; i < ARRAY_SIZE(engines); i++) {
		TRY(ctx_init(&spinner, env->fd));
		TRY(ctx_init(&other, env->fd));
		result = past_spinner(&spinner, &other,
				      gem_engine(engines[i]));
		spinner_stop(&spinner);
		TRY(result);
		ret = batch_wait(&spinner.b);
		CHECK(!ret, "%s spinner: %s", engines[i], strerror(-ret));
		ret = gem_reset_stats(env->fd, spinner.id, &stats);
		CHECK(!ret && !stats.batch_active, "%s spinner was reset",
		      engines[i]);
		ctx_fini(&other, env->fd);
		ctx_fini(&spinner, env->fd);
	}
	return PASS;
}

#define CMD_3DPRIMITIVE		0x7b000005
#define PRIMITIVE_DWORDS	7

static enum gem_result dispatch(struct ctx *c)
{
	uint32_t i;
	int ret;

	ret = batch_reset(&c->b);
	CHECK(!ret, "batch: %s", strerror(-ret));
	batch_emit(&c->b, CMD_3DPRIMITIVE);
	for (i = 1; i < PRIMITIVE_DWORDS; i++)
		batch_emit(&c->b, 0);
	ret = batch_run(&c->b, c->id, I915_EXEC_RENDER);
	CHECK(!ret, "batch: %s", strerror(-ret));
	return PASS;
}

/* Contexts that dispatch threads in turn. The model counts threads that see another's residue. */
enum gem_result test_threads(struct env *env)
{
	struct ctx ctx[NR_CONTEXTS];
	uint32_t i, round;

	for (i = 0; i < NR_CONTEXTS; i++)
		TRY(ctx_init(&ctx[i], env->fd));
	for (round = 0; round < CONTEXT_ROUNDS; round++)
		for (i = 0; i < NR_CONTEXTS; i++)
			TRY(dispatch(&ctx[i]));
	for (i = 0; i < NR_CONTEXTS; i++)
		ctx_fini(&ctx[i], env->fd);
	return PASS;
}

#define HANG_TIMEOUT_NS		(60 * 1000000000ll)

static enum gem_result store_works(struct ctx *c,
				   const struct gem_engine *engine,
				   uint32_t value)
{
	uint32_t *map = c->bo.map;
	int ret;

	ret = batch_reset(&c->b);
	CHECK(!ret, "batch: %s", strerror(-ret));
	batch_store_dword(&c->b, &c->bo, 0, value);
	ret = batch_submit(&c->b, c->id, engine->flag);
	if (!ret)
		ret = gem_bo_wait(&c->b.bo, HANG_TIMEOUT_NS);
	CHECK(!ret, "batch: %s", strerror(-ret));
	CHECK(map[0] == value, "0x%x, not 0x%x", map[0], value);
	return PASS;
}

/* An endless loop that cannot be preempted: only a reset ends it. */
enum gem_result test_hang(struct env *env)
{
	struct drm_i915_reset_stats stats;
	struct ctx hang, innocent;
	uint64_t start;
	int ret;

	TRY(ctx_init(&hang, env->fd));
	TRY(ctx_init(&innocent, env->fd));
	TRY(store_works(&innocent, env->engine, 1));

	ret = batch_reset(&hang.b);
	CHECK(!ret, "batch: %s", strerror(-ret));
	batch_emit(&hang.b, MI_CMD(OP_MI_NOOP));
	batch_loop(&hang.b, 0);
	start = gem_now_ns();
	ret = batch_submit(&hang.b, hang.id, env->engine->flag);
	if (!ret)
		ret = gem_bo_wait(&hang.b.bo, HANG_TIMEOUT_NS);
	CHECK(!ret, "hanging batch: %s", strerror(-ret));
	tap_diag("reset after %.1f s", (gem_now_ns() - start) / 1e9);

	ret = gem_reset_stats(env->fd, hang.id, &stats);
	CHECK(!ret && stats.batch_active == 1,
	      "hanging context: %u active, %u pending (%s)",
	      stats.batch_active, stats.batch_pending, strerror(-ret));
	ret = gem_reset_stats(env->fd, innocent.id, &stats);
	CHECK(!ret && !stats.batch_active,
	      "innocent context: %u active, %u pending (%s)",
	      stats.batch_active, stats.batch_pending, strerror(-ret));

	TRY(store_works(&innocent, env->engine, 2));
	TRY(store_works(&hang, env->engine, 3));
	ctx_fini(&innocent, env->fd);
	ctx_fini(&hang, env->fd);
	return PASS;
}
