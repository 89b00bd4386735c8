// SPDX-License-Identifier: GPL-2.0
/*
 * Memory beyond what may be pinned, by each policy of kmod/core/mem/reclaim*.c and the pin token of
 * kmod/core/mem/token.c, which the module has; and by the least recent use. Memory is in chunks,
 * which are what one page table maps.
 *
 * First, the allocation part of GPUswap's experiment: what does not fit is elsewhere, where
 * programs still reach it.
 *
 * Then, this GPU: an address space runs only if all of its memory is pinned. A vGPU has several,
 * which it uses one after the other, or at random. It takes time to pin a chunk, by the vGPU's
 * worker, while the others run. Beside what had to be pinned stands the least that any policy can
 * pin, if it knows all future uses (Belady's).
 *
 * Unlike in the module, memory is given at once, to the chunk, and no submission is interrupted for
 * that. With cold a vGPU waits for the token even if it may give its own memory. No submission is
 * refused, and the host needs no memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/mem/reclaim.h"
#include "core/mem/token.h"

#define ARRAY_LEN(a)	(sizeof(a) / sizeof((a)[0]))
#define LOCAL_MB	1400u
#define ALLOCATOR_MB	2048u

#define CHUNK_PAGES	512u
#define CHUNK_MB	2u
#define LIMIT		(LOCAL_MB / CHUNK_MB)
#define SPACE		(256u / CHUNK_MB)	/* chunks of an address space */
#define MAX_SPACES	16u
#define MAX_VGPUS	8u
/* As `make bench T=pages` measures: 6.0 us to pin a page, which is a new one */
#define PIN_US		(60 * CHUNK_PAGES / 10)
#define REQUEST_MS	8u
/* What was not used until then has been idle for long. */
#define START		10000u
#define LOOK_MS		20u
#define RUN_MS		120000u
#define SEQUENCE	1000u
/* A vGPU asks for so many chunks at a time. */
#define ASK		16u

/* As cold, but what was used longest ago goes first. */
static struct gslot_reclaim_ops lru;

static const struct gslot_reclaim_ops *const policies[] = {
	&gslot_reclaim_cold, &lru, &gslot_reclaim_quota, &gslot_reclaim_gpuswap,
};

static u64 seed;

static u32 rnd(u32 below)
{
	seed = seed * 6364136223846793005ull + 1442695040888963407ull;
	return (seed >> 33) % below;
}

/*
 * GPUswap's machine: two programs ask for a chunk each, in any order, until each has all. Return:
 * by how many chunks they differ at the end.
 */
static u32 allocate(u32 chunk_kb)
{
	struct gslot_reclaim_client client[2] = { { .next = &client[1] }, { .next = NULL } };
	struct gslot_reclaim_need need = { .clients = client, .count = 2, .chunk = 1 };
	u64 all = ALLOCATOR_MB * 1024ull / chunk_kb, fit = LOCAL_MB * 1024ull / chunk_kb;
	u64 asked[2] = { 0, 0 }, local[2] = { 0, 0 };

	while (asked[0] < all || asked[1] < all) {
		u32 i = rnd(2), step, k;

		if (asked[i] == all)
			continue;
		asked[i]++;
		/* A chunk of the request itself may be chosen. */
		local[i]++;
		need.wanted = local[0] + local[1] - min(fit, local[0] + local[1]);
		for (step = 0; need.wanted && step < gslot_reclaim_gpuswap.steps(&need); step++) {
			for (k = 0; k < 2; k++)
				client[k].pinned = local[k];
			gslot_reclaim_gpuswap.plan(&need, step);
			for (k = 0; k < 2; k++) {
				local[k] -= client[k].order.pages;
				need.wanted -= client[k].order.pages;
			}
		}
	}
	return local[0] > local[1] ? local[0] - local[1] : local[1] - local[0];
}

static void gpuswap_machine(void)
{
	static const u32 sizes_kb[] = { 128, 512, 2048, 8192, 65536 };
	u32 i;

	printf("GPUswap's machine: two programs allocate %u MB each, where %u MB fit\n",
	       ALLOCATOR_MB, LOCAL_MB);
	printf("%10s %20s\n", "chunk, KB", "end apart by, chunks");
	for (i = 0; i < ARRAY_LEN(sizes_kb); i++)
		printf("%10u %20u\n", sizes_kb[i], allocate(sizes_kb[i]));
}

/* This GPU. An address space */
struct space {
	u32 chunks, pinned;
	struct gslot_reclaim_use use;
};

enum state { PREPARES, QUEUED, RUNS };

struct vgpu {
	struct gslot_reclaim_client client;
	struct gslot_token_member member;
	struct space space[MAX_SPACES];
	u32 spaces, next;
	enum state state;
	u64 since;		/* when it became so, ms */
	u64 began;		/* when it began to prepare its request, ms */
	u64 queued;		/* when that was done, ms */
	bool postponed, idle;
	u32 pin_us;		/* it has worked so long for the next chunk */
	u32 requests;
	u64 pins, longest, seed;
};

static struct vgpu vgpus[MAX_VGPUS];
static u32 count, running;
static u64 now;
static struct gslot_token token;
static u32 step, token_number;
static const struct gslot_reclaim_ops *policy;
static bool alternate;	/* each waits until the one before it is done */
static u32 active;	/* the one that may run then */
static bool at_random;	/* it uses its address spaces at random */

static u32 pinned(const struct vgpu *v)
{
	u32 sum = 0, i;

	for (i = 0; i < v->spaces; i++)
		sum += v->space[i].pinned;
	return sum;
}

static u32 all_pinned(void)
{
	u32 sum = 0, i;

	for (i = 0; i < count; i++)
		sum += pinned(&vgpus[i]);
	return sum;
}

static u32 missing(const struct vgpu *v)
{
	return v->space[v->next].chunks - v->space[v->next].pinned;
}

static const struct vgpu *holder(void)
{
	if (!token.holder)
		return NULL;
	return (struct vgpu *)((char *)token.holder - offsetof(struct vgpu, member));
}

/* Room for one more chunk: what is left is the holder's, as far as it needs it. */
static bool has_room(const struct vgpu *v)
{
	u32 left = LIMIT - min(all_pinned(), LIMIT);
	u32 kept = holder() && holder() != v ? min(ASK, missing(holder())) : 0;

	if (policy->quotas && pinned(v) >= LIMIT / count)
		return false;
	return left > kept;
}

/* Does one of two address spaces give before the other? */
static bool before(const struct space *a, const struct space *b)
{
	if (policy != &gslot_reclaim_cold)
		return a->use.last_ms < b->use.last_ms;
	return gslot_reclaim_idle_ms(&a->use, now) > gslot_reclaim_idle_ms(&b->use, now);
}

/* For how long it will be idle, or has been. */
static u64 idle_ms(const struct space *s)
{
	return policy == &gslot_reclaim_cold ? gslot_reclaim_idle_ms(&s->use, now) :
					       now - s->use.last_ms;
}

/* Return: the address space that gives the next chunk; NULL: none. */
static struct space *victim(struct vgpu *v, const struct gslot_reclaim_order *order)
{
	struct space *found[MAX_SPACES], *first = NULL;
	u32 n = 0, i;

	for (i = 0; i < v->spaces; i++) {
		struct space *s = &v->space[i];
		bool used = i == v->next && !v->idle &&
			    (v->state != PREPARES || !order->prepared);

		if (!s->pinned || used || idle_ms(s) < order->idle_ms)
			continue;
		found[n++] = s;
		if (!first || before(s, first))
			first = s;
	}
	return order->random && n ? found[rnd(n)] : first;
}

static u32 give(struct vgpu *v, const struct gslot_reclaim_order *order, u32 wanted)
{
	u64 most = order->pages / CHUNK_PAGES;
	struct space *s;
	u32 given = 0;

	v->postponed |= order->postpones;
	if (order->takes)
		gslot_token_take(&token, now);
	while (given < most && given < wanted) {
		s = victim(v, order);
		if (!s)
			break;
		s->pinned--;
		given++;
	}
	return given;
}

static struct gslot_reclaim_need needed(u32 wanted)
{
	struct gslot_reclaim_need need = {
		.count = count,
		.wanted = (u64)wanted * CHUNK_PAGES,
		.total = (u64)all_pinned() * CHUNK_PAGES,
		.max = (u64)LIMIT * CHUNK_PAGES,
		.chunk = CHUNK_PAGES,
		.limit = true,
		.may_take = holder() && gslot_token_may_take(&token, now),
		.may_postpone = gslot_token_may_postpone(&token, now),
	};
	u32 i;

	for (i = 0; i < count; i++) {
		struct vgpu *v = &vgpus[i];

		v->client = (struct gslot_reclaim_client) {
			.next = need.clients,
			.pinned = (u64)pinned(v) * CHUNK_PAGES,
			.asks = v == holder() ? (u64)missing(v) * CHUNK_PAGES : 0,
			.holder = v == holder(),
			.waits = v->member.waits,
		};
		need.clients = &v->client;
	}
	return need;
}

/* How many chunks are to be kept free. */
static u32 spare(void)
{
	u64 max = policy->spares ? (u64)LIMIT * CHUNK_PAGES : 0;

	return gslot_token_spare(&token, now, max) / CHUNK_PAGES;
}

/* How many chunks are to be given: for the holder of the token, or to be kept free. */
static u32 shortfall(void)
{
	u32 needs = holder() ? min(ASK, missing(holder())) : 0;
	u32 all = all_pinned() + needs + spare();

	return all > LIMIT ? all - LIMIT : 0;
}

/* As the shrinker does: steps, until there is room. The last one is repeated at the next look. */
static void look(void)
{
	u32 i;

	gslot_token_expire(&token, now);
	if (token_number != token.number) {
		token_number = token.number;
		step = 0;
		for (i = 0; i < count; i++)
			vgpus[i].postponed = false;
	}
	while (shortfall()) {
		struct gslot_reclaim_need need = needed(shortfall());
		u32 steps = policy->steps(&need);
		bool last = step >= steps;

		policy->plan(&need, last ? steps - 1 : step);
		for (i = 0; i < count; i++)
			give(&vgpus[i], &vgpus[i].client.order, shortfall());
		if (last)
			break;
		step++;
	}
	if (!shortfall())
		step = 0;
	if (!gslot_token_may_postpone(&token, now))
		for (i = 0; i < count; i++)
			vgpus[i].postponed = false;
}

/* At its quota a vGPU makes room by itself: what it has not used for longest. */
static bool give_own(struct vgpu *v)
{
	const struct gslot_reclaim_order order = { .pages = CHUNK_PAGES };

	return policy->quotas && pinned(v) >= LIMIT / count && give(v, &order, 1);
}

static void set_state(struct vgpu *v, enum state state)
{
	v->state = state;
	v->since = now;
}

/* The worker of a vGPU has a millisecond. */
static void prepare(struct vgpu *v)
{
	if (v->postponed || v->idle || (alternate && v != &vgpus[active]))
		return;
	v->pin_us += 1000;
	while (missing(v)) {
		if (v->pin_us < PIN_US)
			return;
		if (!has_room(v) && !give_own(v)) {
			v->pin_us = 0;
			gslot_token_join(&token, &v->member, false, now);
			look();
			return;
		}
		v->pin_us -= PIN_US;
		v->space[v->next].pinned++;
		v->pins++;
		v->member.pinned += CHUNK_PAGES;
	}
	v->pin_us = 0;
	gslot_token_leave(&token, &v->member, now);
	v->queued = now;
	set_state(v, QUEUED);
}

/* One after the other; or at random, where each is used half as often as the one before it. */
static u32 next_space(struct vgpu *v)
{
	u32 i = 0;

	if (!at_random)
		return (v->next + 1) % v->spaces;
	v->seed = v->seed * 6364136223846793005ull + 1442695040888963407ull;
	while (i < v->spaces - 1 && v->seed >> (40 + i) & 1)
		i++;
	return i;
}

static void complete(struct vgpu *v)
{
	gslot_reclaim_used(&v->space[v->next].use, v->queued, now);
	v->requests++;
	if (now - v->began > v->longest)
		v->longest = now - v->began;
	v->next = next_space(v);
	v->began = now;
	set_state(v, PREPARES);
	active = (active + 1) % count;
}

/* The engine takes requests in the order in which they were queued. */
static void run_engine(void)
{
	struct vgpu *next = NULL;
	u32 i;

	if (running < count) {
		if (now - vgpus[running].since < REQUEST_MS)
			return;
		complete(&vgpus[running]);
		running = count;
	}
	for (i = 0; i < count; i++)
		if (vgpus[i].state == QUEUED && (!next || vgpus[i].since < next->since))
			next = &vgpus[i];
	if (!next)
		return;
	set_state(next, RUNS);
	running = next - vgpus;
}

static void begin(const struct gslot_reclaim_ops *ops, u32 n, u32 spaces, u32 chunks)
{
	u32 i, k;

	memset(vgpus, 0, sizeof(vgpus));
	memset(&token, 0, sizeof(token));
	policy = ops;
	count = n;
	running = n;
	now = START;
	step = 0;
	token_number = 0;
	active = 0;
	seed = 22;
	for (i = 0; i < n; i++) {
		vgpus[i].seed = 22 + i;
		vgpus[i].spaces = spaces;
		vgpus[i].began = now;
		for (k = 0; k < spaces; k++)
			vgpus[i].space[k].chunks = chunks;
	}
}

static void tick(void)
{
	u32 i;

	now++;
	run_engine();
	/* Each is first as often as the others. */
	for (i = 0; i < count; i++) {
		struct vgpu *v = &vgpus[(now + i) % count];

		if (v->state == PREPARES)
			prepare(v);
	}
	if (!(now % LOOK_MS) || token_number != token.number)
		look();
}

/* Which address space of all of them runs, as the vGPUs alternate. */
static u32 sequence[SEQUENCE];

static void draw_sequence(u32 n, u32 spaces)
{
	u32 i;

	begin(policies[0], n, spaces, 0);
	for (i = 0; i < SEQUENCE; i++) {
		struct vgpu *v = &vgpus[i % n];

		sequence[i] = i % n * spaces + v->next;
		v->next = next_space(v);
	}
}

static u32 next_use(u32 space, u32 from)
{
	while (from < SEQUENCE && sequence[from] != space)
		from++;
	return from;
}

/*
 * The least that has to be pinned for the sequence. Between two uses of a chunk it is kept or not:
 * so to drop what is used again last is best. All chunks of an address space are used at once.
 */
static u64 least_pins(u32 spaces, u32 chunks)
{
	u32 has[MAX_VGPUS * MAX_SPACES] = { 0 }, sum = 0, i, k;
	u64 pins = 0;

	for (i = 0; i < SEQUENCE; i++) {
		u32 at = sequence[i], needs = chunks - has[at];

		pins += needs;
		has[at] += needs;
		sum += needs;
		while (sum > LIMIT) {
			u32 last = at, use = i, n;

			for (k = 0; k < spaces; k++)
				if (k != at && has[k] && next_use(k, i + 1) > use) {
					last = k;
					use = next_use(k, i + 1);
				}
			n = min(has[last], sum - LIMIT);
			has[last] -= n;
			sum -= n;
		}
	}
	return pins;
}

/* vGPUs that use their address spaces alternately, so much in all, of what may be pinned. */
static void alternating(u32 per_cent)
{
	u32 i, n = 2, spaces = 7, chunks = LIMIT * per_cent / 100 / (n * spaces);

	draw_sequence(n, spaces);
	for (i = 0; i < ARRAY_LEN(policies); i++) {
		double least = least_pins(n * spaces, chunks), pins;

		begin(policies[i], n, spaces, chunks);
		alternate = true;
		while (vgpus[0].requests + vgpus[1].requests < SEQUENCE)
			tick();
		pins = vgpus[0].pins + vgpus[1].pins;
		printf("%5u %%   %-8s %16.1f %16.1f %14.2f %14.1f\n", per_cent,
		       policies[i]->name, pins / SEQUENCE, least / SEQUENCE, pins / least,
		       (double)(now - START) / SEQUENCE);
	}
}

static void all_alternating(const char *how)
{
	static const u32 per_cent[] = { 100, 150, 200, 300 };
	u32 i;

	printf("\nThis GPU: %u MB may be pinned; two vGPUs use their address spaces %s\n",
	       LOCAL_MB, how);
	printf("%-9s %-8s %16s %16s %14s %14s\n", "they use", "policy", "chunks/request",
	       "least", "of the least", "request, ms");
	for (i = 0; i < ARRAY_LEN(per_cent); i++)
		alternating(per_cent[i]);
}

/* Two vGPUs of 2 GB each, all the time. */
static void both(void)
{
	u32 i;

	for (i = 0; i < ARRAY_LEN(policies); i++) {
		begin(policies[i], 2, ALLOCATOR_MB / CHUNK_MB / SPACE, SPACE);
		alternate = false;
		while (now < START + RUN_MS)
			tick();
		printf("%-8s %13u %12u %11u %10u %16.1f %12llu\n", policies[i]->name,
		       vgpus[0].requests, vgpus[1].requests, pinned(&vgpus[0]), pinned(&vgpus[1]),
		       (double)(vgpus[0].pins + vgpus[1].pins) /
		       (vgpus[0].requests + vgpus[1].requests),
		       (unsigned long long)(vgpus[0].longest > vgpus[1].longest ?
					    vgpus[0].longest : vgpus[1].longest));
	}
}

/* One has as much as it likes, and is idle; another one needs more than half. */
static void beside_idle(void)
{
	u32 i, k;

	for (i = 0; i < ARRAY_LEN(policies); i++) {
		u64 pins;
		u32 requests;

		begin(policies[i], 2, 4, SPACE);
		alternate = false;
		vgpus[0].idle = true;
		for (k = 0; k < 4; k++)
			vgpus[0].space[k].pinned = SPACE;
		while (now < START + RUN_MS / 2)
			tick();
		pins = vgpus[1].pins;
		requests = vgpus[1].requests;
		while (now < START + RUN_MS)
			tick();
		pins = vgpus[1].pins - pins;
		requests = vgpus[1].requests - requests;
		printf("%-8s %16.1f %14.1f\n", policies[i]->name, (double)pins / requests,
		       RUN_MS / 2.0 / requests);
	}
}

int main(void)
{
	lru = gslot_reclaim_cold;
	lru.name = "lru";
	seed = 22;
	gpuswap_machine();
	all_alternating("one after the other");
	at_random = true;
	all_alternating("at random");
	at_random = false;
	printf("\nTwo vGPUs use %u MB each all the time, in address spaces of %u MB\n",
	       ALLOCATOR_MB, SPACE * CHUNK_MB);
	printf("%-8s %12s %12s %10s %10s %16s %12s\n", "policy", "requests of 0", "of 1",
	       "chunks of 0", "of 1", "chunks/request", "longest, ms");
	both();
	printf("\nA vGPU uses %u MB all the time, beside one with as much, idle for ten seconds\n",
	       4 * SPACE * CHUNK_MB);
	printf("%-8s %16s %14s\n", "policy", "chunks/request", "request, ms");
	beside_idle();
	return 0;
}
