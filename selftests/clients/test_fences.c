// SPDX-License-Identifier: GPL-2.0
/*
 * More tiled objects than there are fences, used by many threads at once: the driver gives each a
 * fence as it is touched, and takes it from another.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "gem_test.h"

#define THREADS_PER_FENCE	5
#define OBJECTS			2	/* of each thread */
#define ROUNDS			3
#define PAGES			32
#define PITCH			1024

struct user {
	pthread_t id;
	int fd;
	uint32_t number;
	struct gem_bo bo[OBJECTS];
	uint32_t *gtt[OBJECTS];
	uint32_t bad;
	uint32_t got;
	int error;
};

static uint32_t pattern(const struct user *u, uint32_t round, uint32_t object, uint32_t page)
{
	return u->number << 16 | round << 12 | object << 8 | page;
}

/* One word of each page, in another place in each. */
static uint32_t *word(const struct user *u, uint32_t object, uint32_t page)
{
	return &u->gtt[object][page * GEM_PAGE_SIZE / 4 + (page * 37 + u->number * 5) % 1024];
}

static void use_objects(struct user *u, uint32_t round)
{
	uint32_t i, page, want, got;

	for (page = 0; page < PAGES; page++)
		for (i = 0; i < OBJECTS; i++)
			__atomic_store_n(word(u, i, page), pattern(u, round, i, page),
					 __ATOMIC_RELAXED);
	for (page = 0; page < PAGES; page++)
		for (i = 0; i < OBJECTS; i++) {
			want = pattern(u, round, i, page);
			got = __atomic_load_n(word(u, i, page), __ATOMIC_RELAXED);
			if (got == want)
				continue;
			u->bad++;
			u->got = got;
		}
}

static int make_object(struct user *u, uint32_t i)
{
	int ret = gem_bo_create(&u->bo[i], u->fd, PAGES * GEM_PAGE_SIZE);

	if (!ret)
		ret = gem_bo_tile(&u->bo[i], I915_TILING_Y, PITCH);
	if (ret)
		return ret;
	u->gtt[i] = gem_bo_map_as(&u->bo[i], I915_MMAP_OFFSET_GTT);
	return u->gtt[i] ? gem_bo_to_gtt(&u->bo[i], true) : -errno;
}

static void *use_fences(void *arg)
{
	struct user *u = arg;
	uint32_t i;

	for (i = 0; i < OBJECTS && !u->error; i++)
		u->error = make_object(u, i);
	for (i = 0; i < ROUNDS && !u->error; i++)
		use_objects(u, i);
	for (i = 0; i < OBJECTS; i++) {
		if (u->gtt[i])
			munmap(u->gtt[i], PAGES * GEM_PAGE_SIZE);
		gem_bo_destroy(&u->bo[i]);
	}
	return NULL;
}

static enum gem_result check_users(const struct user *users, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++) {
		CHECK(!users[i].error, "thread %u: %s", i, strerror(-users[i].error));
		CHECK(!users[i].bad, "thread %u: %u words are wrong, one is 0x%08x", i,
		      users[i].bad, users[i].got);
	}
	return PASS;
}

enum gem_result test_fences(struct env *env)
{
	uint32_t count, i, started;
	enum gem_result result;
	struct user *users;
	int fences = 0;

	if (gem_param(env->fd, I915_PARAM_NUM_FENCES_AVAIL, &fences) || !fences)
		SKIP("no fences");
	count = fences * THREADS_PER_FENCE;
	users = calloc(count, sizeof(*users));
	CHECK(users, "out of memory");
	for (started = 0; started < count; started++) {
		users[started].fd = env->fd;
		users[started].number = started;
		if (pthread_create(&users[started].id, NULL, use_fences, &users[started]))
			break;
	}
	for (i = 0; i < started; i++)
		pthread_join(users[i].id, NULL);
	tap_diag("%u threads, %u objects, %d fences", started, started * OBJECTS, fences);
	result = check_users(users, started);
	free(users);
	CHECK(started == count, "only %u of %u threads", started, count);
	return result;
}
