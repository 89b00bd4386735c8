// SPDX-License-Identifier: GPL-2.0
/*
 * More tiled objects than fences: the driver gives an object a fence when it is accessed, and takes
 * the fence from another. Threads go from object to object and from page to page, so fences change
 * hands all the time; with several guests, the GPU's fences, too.
 *
 * A thread needs a fence of its own while it faults. If more threads fault than there are fences,
 * i915 without a display crashes (fence_find() asks the display), on any hardware. So there are no
 * more threads than fences.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "gem_test.h"
#include "tiled.h"

#define MAX_THREADS	32
#define MAX_OBJECTS	96	/* of all threads */
#define BACK		24	/* more than half of 32 fences, the share of one of two guests */

struct user;

/**
 * struct plan - the plan of a subtest
 * @threads: number of threads, if there are as many fences
 * @objects: objects of each thread
 * @modes: their tilings, in turn
 * @rounds: rounds of each thread
 * @use: the work of a round
 */
struct plan {
	uint32_t threads;
	uint32_t objects;
	uint32_t modes[2];
	uint32_t rounds;
	void (*use)(struct user *u, uint32_t round);
};

struct user {
	const struct plan *plan;
	pthread_t id;
	uint32_t seed;
	uint32_t first;
	struct tiled *objects;
	struct tiled_errors errors;
};

/* Differs by guest, round, object and dword. */
static uint32_t tag(const struct user *u, uint32_t round, uint32_t object)
{
	return u->seed << 24 | round << 22 | (u->first + object) * TILED_DWORDS;
}

static void fill_all(struct user *u, uint32_t round)
{
	uint32_t i, page;

	for (page = 0; page < TILED_PAGES; page++) {
		for (i = 0; i < u->plan->objects; i++)
			tiled_fill_page(&u->objects[i], page, tag(u, round, i));
		sched_yield();
	}
}

static void check_all(struct user *u, uint32_t round)
{
	uint32_t i, page;

	for (page = 0; page < TILED_PAGES; page++) {
		for (i = 0; i < u->plan->objects; i++)
			tiled_check_page(&u->objects[i], page, tag(u, round, i), &u->errors);
		sched_yield();
	}
}

static void fill_and_check(struct user *u, uint32_t round)
{
	fill_all(u, round);
	check_all(u, round);
}

/* Copies the first object to the second, which has another tiling. */
static void copy(struct user *u, uint32_t round)
{
	uint32_t page;

	for (page = 0; page < TILED_PAGES; page++) {
		tiled_fill_page(&u->objects[0], page, tag(u, round, 0));
		sched_yield();
	}
	for (page = 0; page < TILED_PAGES; page++) {
		tiled_copy_page(&u->objects[1], &u->objects[0], page);
		sched_yield();
	}
	for (page = 0; page < TILED_PAGES; page++) {
		tiled_check_page(&u->objects[1], page, tag(u, round, 0), &u->errors);
		sched_yield();
	}
}

static void fill_object(struct user *u, uint32_t round, uint32_t object)
{
	uint32_t page;

	for (page = 0; page < TILED_PAGES; page++)
		tiled_fill_page(&u->objects[object], page, tag(u, round, object));
}

static void check_object(struct user *u, uint32_t round, uint32_t object)
{
	uint32_t page;

	for (page = 0; page < TILED_PAGES; page++)
		tiled_check_page(&u->objects[object], page, tag(u, round, object), &u->errors);
}

/*
 * The driver has taken an object's fence when its turn comes again, but not after only BACK other
 * objects. A GPU that several guests share may have taken it then, too.
 */
static void take_turns(struct user *u, uint32_t round)
{
	uint32_t i;

	for (i = 0; i < u->plan->objects; i++) {
		if (round)
			check_object(u, round - 1, i);
		if (round + 1 == u->plan->rounds)
			continue;
		fill_object(u, round, i);
		if (i >= BACK)
			check_object(u, round, i - BACK);
	}
}

static void *use_objects(void *arg)
{
	struct user *u = arg;
	uint32_t round;

	for (round = 0; round < u->plan->rounds; round++)
		u->plan->use(u, round);
	return NULL;
}

static enum gem_result run_threads(struct user *users, uint32_t threads)
{
	uint32_t i, started;

	for (started = 0; started < threads; started++)
		if (pthread_create(&users[started].id, NULL, use_objects, &users[started]))
			break;
	for (i = 0; i < started; i++)
		pthread_join(users[i].id, NULL);
	CHECK(started == threads, "only %u of %u threads", started, threads);
	for (i = 0; i < threads; i++)
		CHECK(!users[i].errors.count,
		      "thread %u: %u dwords are wrong, one is 0x%08x, not 0x%08x", i,
		      users[i].errors.count, users[i].errors.got, users[i].errors.want);
	return PASS;
}

static enum gem_result run(struct env *env, const struct plan *plan)
{
	struct tiled objects[MAX_OBJECTS];
	struct user users[MAX_THREADS];
	uint32_t threads, count, i;
	int fences = 0, ret;

	if (gem_param(env->fd, I915_PARAM_NUM_FENCES_AVAIL, &fences) || fences <= 0)
		SKIP("no fences");
	threads = plan->threads < (uint32_t)fences ? plan->threads : (uint32_t)fences;
	count = threads * plan->objects;
	for (i = 0; i < count; i++) {
		ret = tiled_create(&objects[i], env->fd, plan->modes[i % 2]);
		CHECK(!ret, "object %u: %s", i, strerror(-ret));
	}
	for (i = 0; i < threads; i++)
		users[i] = (struct user){
			.plan = plan,
			.seed = env->seed,
			.first = i * plan->objects,
			.objects = &objects[i * plan->objects],
		};
	tap_diag("%u threads, %u objects, %d fences", threads, count, fences);
	TRY(run_threads(users, threads));
	for (i = 0; i < count; i++)
		tiled_destroy(&objects[i]);
	return PASS;
}

enum gem_result test_fences_y(struct env *env)
{
	return run(env, &(struct plan){ 32, 3, { I915_TILING_Y, I915_TILING_Y }, 2,
					fill_and_check });
}

enum gem_result test_fences_x(struct env *env)
{
	return run(env, &(struct plan){ 32, 3, { I915_TILING_X, I915_TILING_X }, 1,
					fill_and_check });
}

enum gem_result test_fences_none(struct env *env)
{
	return run(env, &(struct plan){ 32, 3, { I915_TILING_NONE, I915_TILING_NONE }, 1,
					fill_and_check });
}

/* One thread that uses more objects than there are fences. */
enum gem_result test_fences_turns(struct env *env)
{
	return run(env, &(struct plan){ 1, 80, { I915_TILING_X, I915_TILING_Y }, 3, take_turns });
}

/*
 * At first the driver takes fences from objects all the time. Then it has a fence for each object,
 * and only the GPU's fences change, for other guests.
 */
enum gem_result test_fences_copy(struct env *env)
{
	struct plan plan = { 32, 2, { I915_TILING_X, I915_TILING_Y }, 1, copy };

	TRY(run(env, &plan));
	plan.threads = 16;
	return run(env, &plan);
}
