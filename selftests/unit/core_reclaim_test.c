// SPDX-License-Identifier: GPL-2.0
/*
 * Which memory is given first, and what a vGPU keeps, by each policy, for random sets of vGPUs.
 */
#include "test.h"
#include "core/mem/reclaim.h"

#define MAX_VGPUS	80u
#define SPACES		8u
#define LIVES		2000u
#define KEPT_MS		100u
#define UNUSED_MS	1000u

/* An address space: it has been unused for so long, and has so many pages */
struct space {
	u32 age_ms;
	u64 pages;
};

struct vgpu {
	struct space space[SPACES];
};

static struct vgpu vgpus[MAX_VGPUS];
static u32 count;

static u64 pinned(const struct vgpu *vgpu)
{
	u64 sum = 0;

	for (u32 i = 0; i < SPACES; i++)
		sum += vgpu->space[i].pages;
	return sum;
}

static u64 total(void)
{
	u64 sum = 0;

	for (u32 i = 0; i < count; i++)
		sum += pinned(&vgpus[i]);
	return sum;
}

/* Ages from now to hours, and sizes, both over orders of magnitude. */
static void begin_life(void)
{
	count = 1 + rnd() % MAX_VGPUS;
	for (u32 i = 0; i < count; i++)
		for (u32 k = 0; k < SPACES; k++)
			vgpus[i].space[k] = (struct space) {
				.age_ms = rnd() >> (10 + rnd() % 22),
				.pages = rnd() % 3 ? rnd() >> rnd() % 32 : 0,
			};
}

/* More than a share of what is left when the host has what it wants? */
static bool is_above(const struct vgpu *vgpu, u64 wanted)
{
	/* Not as in the module: a share in fractions of a page. */
	double left = wanted < total() ? (double)(total() - wanted) : 0;

	return pinned(vgpu) > 0 && (double)pinned(vgpu) >= left / count + 1;
}

/* For how long the memory has been unused that was unused for longest; 0 without any. */
static u32 oldest_left(void)
{
	u32 oldest = 0;

	for (u32 i = 0; i < count; i++)
		for (u32 k = 0; k < SPACES; k++)
			if (vgpus[i].space[k].pages && vgpus[i].space[k].age_ms > oldest)
				oldest = vgpus[i].space[k].age_ms;
	return oldest;
}

/* What a step takes of a vGPU, before any of it is taken. */
static void check_order(const struct vgpu *vgpu, u32 age_ms)
{
	for (u32 k = 0; k < SPACES; k++) {
		const struct space *s = &vgpu->space[k];

		if (!s->pages || s->age_ms < age_ms || s->age_ms >= UNUSED_MS)
			continue;
		/* It was used in the last second. Then nothing is left that was not. */
		assert_in_range(oldest_left(), 0, UNUSED_MS - 1);
		assert_in_range(s->age_ms, KEPT_MS, UINT32_MAX);
	}
}

static void take(struct vgpu *vgpu, const struct gslot_reclaim_order *order)
{
	u64 left = order->pages;

	for (u32 k = 0; k < SPACES; k++) {
		struct space *s = &vgpu->space[k];
		u64 n = s->age_ms >= order->idle_ms ? min(s->pages, left) : 0;

		s->pages -= n;
		left -= n;
	}
}

/* What a vGPU does in a step if a limit is reached, and the share of each is as given. */
static struct gslot_reclaim_order cold(u32 n, struct gslot_reclaim_client vgpu, u64 share)
{
	const struct gslot_reclaim_need need = {
		.clients = &vgpu, .count = 1, .total = share, .limit = true,
		.may_take = true, .may_postpone = true,
	};

	gslot_reclaim_cold.plan(&need, n);
	return vgpu.order;
}

/* The same of one with so many pages, and no settings. */
static struct gslot_reclaim_order order(u32 n, u64 has, u64 share)
{
	return cold(n, (struct gslot_reclaim_client) { .pinned = has }, share);
}

/* Is the step one for limits? */
static bool is_taken(u32 n)
{
	return order(n, 1, 0).pages;
}

/* What it does if the host needs pages, much of all that is pinned. */
static struct gslot_reclaim_order host_order(u32 n, u64 has, u64 share)
{
	struct gslot_reclaim_client vgpu = { .pinned = has };
	const struct gslot_reclaim_need need = {
		.clients = &vgpu, .count = 1, .total = share + 1, .wanted = 1,
	};

	gslot_reclaim_cold.plan(&need, n);
	return vgpu.order;
}

static u32 steps(bool limit, bool may_postpone, u64 wanted, u64 all)
{
	const struct gslot_reclaim_need need = {
		.wanted = wanted, .total = all, .limit = limit, .may_take = limit,
		.may_postpone = may_postpone,
	};

	return gslot_reclaim_cold.steps(&need);
}

/* The vGPUs as a policy sees them. */
static struct gslot_reclaim_client clients[MAX_VGPUS];

static struct gslot_reclaim_need list(u64 wanted)
{
	for (u32 i = 0; i < count; i++)
		clients[i] = (struct gslot_reclaim_client) {
			.next = i + 1 < count ? &clients[i + 1] : NULL,
			.pinned = pinned(&vgpus[i]),
		};
	return (struct gslot_reclaim_need) {
		.clients = clients, .count = count, .wanted = wanted, .total = total(),
	};
}

static void step(u32 n, u64 wanted)
{
	const struct gslot_reclaim_need need = list(wanted);
	bool within = false;

	gslot_reclaim_cold.plan(&need, n);
	for (u32 i = 0; i < count; i++) {
		assert_false(clients[i].order.postpones);
		if (!clients[i].order.pages)
			continue;
		check_order(&vgpus[i], clients[i].order.idle_ms);
		within |= !is_above(&vgpus[i], wanted);
	}
	/* A vGPU above its share never keeps what another one gives. */
	for (u32 i = 0; within && i < count; i++)
		assert_true(clients[i].order.pages || !is_above(&vgpus[i], wanted));
	for (u32 i = 0; i < count; i++)
		if (clients[i].order.pages)
			take(&vgpus[i], &clients[i].order);
}

static void test_much(void **state)
{
	(void)state;
	for (u32 life = 0; life < LIVES; life++) {
		u64 wanted;

		begin_life();
		wanted = (total() >> rnd() % 6) + 1;
		for (u32 n = 0; n < steps(false, true, total() + 1, total()); n++)
			step(n, wanted);
		/* After all steps only what was just used is left. */
		assert_in_range(oldest_left(), 0, KEPT_MS - 1);
	}
}

/* If the host needs little, nothing is given that was used in the last second. */
static void test_little(void **state)
{
	(void)state;
	for (u64 all = 0; all < 100000; all += 64) {
		u32 few = steps(false, true, all / 64, all);

		assert_in_range(few, 1, 5);
		for (u32 n = 0; n < few; n++)
			assert_in_range(host_order(n, all, 0).idle_ms, UNUSED_MS, UINT32_MAX);
		assert_true(steps(false, true, all / 64 + 1, all) > few);
	}
}

/* A vGPU above its share gives what it used lately before another one does. */
static void test_above_first(void **state)
{
	bool all = false;

	(void)state;
	for (u32 n = 0; n < steps(false, true, 4000, 4000); n++) {
		struct gslot_reclaim_order above = host_order(n, 3000, 60);
		struct gslot_reclaim_order within = host_order(n, 50, 60);

		assert_true(above.pages || !within.pages);
		all |= above.pages && above.idle_ms == KEPT_MS;
		assert_true(all || !within.pages || within.idle_ms >= UNUSED_MS);
	}
	assert_true(all);
}

/* The order of one of @all vGPUs with so many pages when so many are wanted, of so many. */
static u64 gives(u32 n, u64 has, u32 all, u64 wanted, u64 of)
{
	struct gslot_reclaim_client vgpu = { .pinned = has };
	const struct gslot_reclaim_need need = {
		.clients = &vgpu, .count = all, .wanted = wanted, .total = of,
		.limit = true, .may_take = true, .may_postpone = true,
	};

	gslot_reclaim_cold.plan(&need, n);
	return vgpu.order.pages;
}

/* Exactly a share is not above it; a page more is. The host may want more than there is. */
static void test_gives_needed(void **state)
{
	(void)state;
	assert_false(gslot_reclaim_gives_needed(300, 300, 100));
	assert_true(gslot_reclaim_gives_needed(300, 300, 101));
	assert_true(gslot_reclaim_gives_needed(700, 800, 234));
	assert_false(gslot_reclaim_gives_needed(699, 800, 699));
	assert_true(gslot_reclaim_gives_needed(900, 800, 301));
	assert_false(gslot_reclaim_gives_needed(0, 0, 0));
	assert_true(gslot_reclaim_gives_needed(0, 0, 1));
	assert_false(gslot_reclaim_gives_needed(0, U64_MAX, U64_MAX));
	assert_true(gslot_reclaim_gives_needed(U64_MAX, U64_MAX, U64_MAX));
}

static void test_share(void **state)
{
	(void)state;
	assert_int_equal(gslot_reclaim_share(1000, 0), 1000);
	assert_int_equal(gslot_reclaim_own_from(1600, 0, 2), 700);
	assert_int_equal(gslot_reclaim_own_from(1700, 100, 2), 700);
	assert_int_equal(gslot_reclaim_own_from(1700, 1700, 2), 0);
	assert_int_equal(gslot_reclaim_own_from(1700, 1701, 2), 0);
	assert_int_equal(gslot_reclaim_own_from(800, 0, 0), 700);
	for (u32 vgpu = 1; vgpu <= MAX_VGPUS; vgpu++) {
		u32 above = 0;

		assert_int_equal(gslot_reclaim_share(1000 * vgpu, vgpu), 1000);
		assert_int_equal(gslot_reclaim_share(1001 * vgpu - 1, vgpu), 1000);
		for (u32 n = 0; n < steps(true, true, 1, 1000 * vgpu); n++) {
			bool all = gives(n, 600, vgpu, 400 * vgpu, 1000 * vgpu);

			if (!is_taken(n))
				continue;
			assert_int_equal(gives(n, 601, vgpu, 400 * vgpu, 1000 * vgpu),
					 all ? 601 : 1);
			assert_int_equal(gives(n, 1, vgpu, 1000 * vgpu, 1000 * vgpu), 1);
			assert_int_equal(gives(n, 1, vgpu, 1000 * vgpu + 1, 1000 * vgpu), 1);
			assert_int_equal(gives(n, 599, vgpu, 400 * vgpu, 1000 * vgpu) != 0, all);
		}
		for (u32 n = 0; n < steps(true, true, 1, 1000 * vgpu); n++) {
			bool at = order(n, 1000, 1000).pages != 0;

			assert_int_equal(order(n, 999, 1000).pages != 0, at);
			above += order(n, 1001, 1000).pages && !at;
		}
		assert_true(above);
	}
}

/* What the administrator sets: exactly @min is kept; with more than @low it gives first. */
static void test_settings(void **state)
{
	struct gslot_reclaim_client vgpu = { .pinned = 1000 };
	u32 first = 0;

	(void)state;
	for (u32 n = 0; n < steps(true, true, 1, 1000); n++) {
		if (!is_taken(n))
			continue;
		vgpu.low = 0;
		for (vgpu.min = 0; vgpu.min < 1100; vgpu.min++) {
			struct gslot_reclaim_order o = cold(n, vgpu, 0);

			assert_int_equal(o.pages, vgpu.min < 1000 ? 1000 - vgpu.min : 0);
			assert_int_equal(o.keep, vgpu.min);
			assert_true(o.pages || !o.postpones);
		}
		vgpu.min = 0;
		vgpu.low = 1000;
		if (cold(n, vgpu, 0).pages)
			continue;
		first++;
		vgpu.low = 999;
		assert_int_equal(cold(n, vgpu, 5000).pages, 1);
	}
	assert_true(first);
}

/*
 * At a limit, what will be unused for long goes first, of all vGPUs. Then any does that is not
 * needed at once, of those first that have much.
 */
static void test_limit(void **state)
{
	struct gslot_reclaim_client vgpu = { .pinned = 1000 };
	const struct gslot_reclaim_need need = {
		.clients = &vgpu, .count = 1, .total = 1000, .wanted = 1000, .limit = true,
		.may_take = true,
	};
	u32 idle = 0, used = 0;

	(void)state;
	for (u32 n = 0; n < gslot_reclaim_cold.steps(&need); n++) {
		gslot_reclaim_cold.plan(&need, n);
		if (!vgpu.order.pages)
			continue;
		if (vgpu.order.idle_ms > UNUSED_MS) {
			assert_int_equal(used, 0);
			idle++;
		} else {
			used++;
			assert_int_equal(vgpu.order.takes, vgpu.order.idle_ms < KEPT_MS);
		}
	}
	assert_int_equal(idle, 1);
	assert_int_equal(used, 3);
	/* What is needed at once goes before what another vGPU needs, of those that have much. */
	vgpu.low = 2000;
	for (u32 n = 0; n < gslot_reclaim_cold.steps(&need); n++) {
		gslot_reclaim_cold.plan(&need, n);
		assert_true(!vgpu.order.pages || vgpu.order.idle_ms >= KEPT_MS);
	}
}

/* Memory is needed again as regularly as before; what is late, is not soon. */
static void test_use(void **state)
{
	struct gslot_reclaim_use use = { 0 };
	u64 now = 5000;

	(void)state;
	gslot_reclaim_used(&use, now - 40, now);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now), 0);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now + 700), 700);
	/* How long it is used does not count, and not that it is used twice at once. */
	for (u32 i = 0; i < 10; i++, now += 900)
		gslot_reclaim_used(&use, now + 300, now + 900);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now), 300);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now + 299), 1);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now + 300), 300);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now + 3000), 3000);
	/* Another gap counts for a quarter. */
	gslot_reclaim_used(&use, now + 700, now + 710);
	now += 710;
	assert_int_equal(gslot_reclaim_idle_ms(&use, now), 400);
	/* It may be used all the time, and within a millisecond. */
	for (u32 i = 0; i < 100; i++)
		gslot_reclaim_used(&use, now, now);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now), 0);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now + 5), 5);
	/* The clock of a caller may be a moment late. */
	gslot_reclaim_used(&use, now - 1, now);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now - 1), 0);
}

/* No use is predicted to be idle for longer than the bound of a set that it belongs to. */
static void test_most_idle(void **state)
{
	for (u32 life = 0; life < LIVES; life++) {
		u64 now = rnd(), first = U64_MAX, gap = 0, most = 0;

		for (u32 n = rnd() % SPACES; n; n--) {
			struct gslot_reclaim_use use = {
				.last_ms = rnd() >> rnd() % 32,
				.gap_ms = rnd() >> rnd() % 32,
			};

			first = min(first, use.last_ms);
			gap = max(gap, use.gap_ms);
			most = max(most, gslot_reclaim_idle_ms(&use, now));
		}
		assert_true(gslot_reclaim_most_idle_ms(first, gap, now) >= most);
	}
	assert_int_equal(gslot_reclaim_most_idle_ms(U64_MAX, 0, UNUSED_MS), 0);
	assert_int_equal(gslot_reclaim_most_idle_ms(1, UNUSED_MS - 2, UNUSED_MS), UNUSED_MS - 1);
	assert_int_equal(gslot_reclaim_most_idle_ms(1, U64_MAX, UNUSED_MS), U64_MAX);
}

/* After a pause, prediction begins anew: the pause itself is no gap. */
static void test_pause(void **state)
{
	struct gslot_reclaim_use use = { 0 };
	u64 now = 5000;

	(void)state;
	for (u32 i = 0; i < 10; i++, now += 16)
		gslot_reclaim_used(&use, now, now);
	now -= 16;
	assert_int_equal(gslot_reclaim_idle_ms(&use, now), 16);
	gslot_reclaim_used(&use, now + 9999, now + 9999);
	assert_in_range(gslot_reclaim_idle_ms(&use, now + 9999), 2000, 3000);
	now += 20000;
	gslot_reclaim_used(&use, now, now);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now), 0);
	gslot_reclaim_used(&use, now + 16, now + 16);
	assert_int_equal(gslot_reclaim_idle_ms(&use, now + 16), 16);
}

/* Submissions are postponed last, of vGPUs that give what they use; never those of the holder. */
static void test_postponed(void **state)
{
	u32 few = steps(true, false, 1, 1000), all = steps(true, true, 1, 1000);
	const struct gslot_reclaim_client holder = { .pinned = 1000, .holder = true };

	(void)state;
	assert_int_equal(few, steps(false, true, 1000, 1000));
	for (u32 n = few; n < all; n++)
		assert_int_equal(host_order(n, 1000, 0).pages, 0);
	assert_true(all > few);
	for (u32 n = 0; n < all; n++) {
		struct gslot_reclaim_order o = order(n, 1000, 0);

		if (!is_taken(n))
			continue;
		assert_int_equal(o.postpones, n >= few);
		assert_true(n < few || !o.idle_ms);
		assert_int_equal(order(n, 0, 0).pages, 0);
		assert_int_equal(cold(n, holder, 0).pages, 1000);
		assert_false(cold(n, holder, 0).postpones);
	}
	/* What a vGPU has prepared that waits is given without that, if it is not the holder. */
	for (u32 n = 0; n < all; n++) {
		const struct gslot_reclaim_client waits = { .pinned = 1000, .waits = true };
		const struct gslot_reclaim_client owns = {
			.pinned = 1000, .waits = true, .holder = true,
		};
		struct gslot_reclaim_order o = cold(n, waits, 0);

		if (!is_taken(n))
			continue;
		assert_int_equal(o.prepared, order(n, 1000, 0).idle_ms <= KEPT_MS);
		assert_true(!o.prepared || !o.idle_ms);
		assert_false(cold(n, owns, 0).prepared);
		assert_int_equal(order(n, 1000, 0).prepared, n >= few);
	}
	/* First those above their share, then all. */
	assert_int_equal(order(few, 500, 500).pages, 0);
	assert_true(order(few, 501, 500).postpones);
	assert_true(order(all - 1, 1, 500).postpones);
}

/* Random vGPUs, one of which asks for more; in pages. */
static void begin_requests(u32 chunk)
{
	count = 1 + rnd() % 12;
	for (u32 i = 0; i < count; i++)
		clients[i] = (struct gslot_reclaim_client) {
			.next = i + 1 < count ? &clients[i + 1] : NULL,
			.pinned = rnd() % 4 ? rnd() % (200 * chunk) : 0,
			.min = rnd() % 3 ? 0 : rnd() % (100 * chunk),
		};
	clients[rnd() % count].holder = true;
}

static u64 rest(const struct gslot_reclaim_client *client)
{
	return client->pinned > client->min ? client->pinned - client->min : 0;
}

static u64 rests(void)
{
	u64 sum = 0;

	for (u32 i = 0; i < count; i++)
		sum += rest(&clients[i]);
	return sum;
}

/* Return: the vGPU that gives something in the step; NULL: none. Others go on. */
static struct gslot_reclaim_client *only_victim(bool limit, bool may)
{
	struct gslot_reclaim_client *victim = NULL;

	for (u32 i = 0; i < count; i++) {
		struct gslot_reclaim_client *c = &clients[i];

		bool takes = c->order.pages && limit && !c->holder;

		assert_true(c->order.random);
		assert_int_equal(c->order.idle_ms, takes && !may ? KEPT_MS : 0);
		assert_int_equal(c->order.prepared, takes && may);
		assert_int_equal(c->order.takes, takes && may);
		assert_int_equal(c->order.postpones, takes && may);
		if (!c->order.pages)
			continue;
		assert_null(victim);
		assert_in_range(c->order.pages, 1, rest(c));
		victim = c;
	}
	return victim;
}

/*
 * The vGPU with most memory gives: as many chunks as it takes to get enough, and no more.
 * Afterwards no vGPU that gave is more than two chunks smaller than one that could still give.
 */
static void test_gpuswap(void **state)
{
	(void)state;
	for (u32 life = 0; life < LIVES; life++) {
		u32 chunk = 1 + rnd() % 600;
		struct gslot_reclaim_need need = {
			.clients = clients, .chunk = chunk, .limit = life % 4,
			.may_take = life % 2, .may_postpone = life % 2,
		};
		u64 gave[12] = { 0 }, all, sum = 0, asks = rnd() % (300 * chunk);

		begin_requests(chunk);
		need.count = count;
		all = rests();
		need.wanted = asks - rnd() % (asks / 2 + 1);
		for (u32 i = 0; i < count; i++)
			clients[i].asks = clients[i].holder ? asks : 0;
		/* In the other steps the holder is not asked. */
		for (u32 n = 0; n < gslot_reclaim_gpuswap.steps(&need); n += 2) {
			struct gslot_reclaim_client *victim;

			gslot_reclaim_gpuswap.plan(&need, n);
			victim = only_victim(need.limit, need.may_postpone);
			if (!victim)
				continue;
			gave[victim - clients] += victim->order.pages;
			sum += victim->order.pages;
			victim->pinned -= victim->order.pages;
			need.wanted -= min(need.wanted, victim->order.pages);
		}
		if (sum < all)
			assert_int_equal(need.wanted, 0);
		for (u32 i = 0; i < count; i++)
			for (u32 k = 0; gave[i] && k < count; k++)
				assert_true(rest(&clients[k]) < chunk ||
					    clients[k].pinned + clients[k].asks <=
					    clients[i].pinned + clients[i].asks + 2 * chunk);
	}
}

/* The largest one, which holds the token, can give nothing: the others are asked. */
static void test_gpuswap_stuck(void **state)
{
	struct gslot_reclaim_client client[3] = {
		{ .next = &client[1], .pinned = 10000, .holder = true },
		{ .next = &client[2], .pinned = 3000 },
		{ .pinned = 2000 },
	};
	const struct gslot_reclaim_need need = {
		.clients = client, .count = 3, .chunk = 512, .wanted = 1000, .limit = true,
		.may_take = true,
	};
	u64 asked[3] = { 0 };

	(void)state;
	for (u32 n = 0; n < gslot_reclaim_gpuswap.steps(&need); n++) {
		gslot_reclaim_gpuswap.plan(&need, n);
		for (u32 i = 0; i < 3; i++) {
			asked[i] += client[i].order.pages;
			if (i)
				client[i].pinned -= client[i].order.pages;
		}
	}
	assert_true(asked[0] && asked[1] && asked[2]);
	assert_int_equal(client[0].pinned, 10000);
}

/* Two that ask, at random, for more than there is end within a chunk of each other. */
static void test_gpuswap_equal(void **state)
{
	struct gslot_reclaim_client pair[2] = { { .next = &pair[1] } };
	struct gslot_reclaim_need need = { .clients = pair, .count = 2, .chunk = 512 };
	const u64 there_is = 700 * 512;

	(void)state;
	for (u32 i = 0; i < 2000; i++) {
		u64 has;

		pair[rnd() % 2].pinned += 512;
		has = pair[0].pinned + pair[1].pinned;
		if (has <= there_is)
			continue;
		need.wanted = has - there_is;
		gslot_reclaim_gpuswap.plan(&need, 0);
		for (u32 k = 0; k < 2; k++)
			pair[k].pinned -= pair[k].order.pages;
		assert_int_equal(pair[0].pinned + pair[1].pinned, there_is);
		if (i > 1500)
			assert_in_range(pair[0].pinned, there_is / 2 - 512, there_is / 2 + 512);
	}
}

/* Each gives what it has beyond an equal share of what may be pinned; to the host, all idle. */
static void test_quota(void **state)
{
	(void)state;
	for (u32 life = 0; life < LIVES; life++) {
		struct gslot_reclaim_need need = {
			.clients = clients, .limit = life % 4, .may_postpone = life % 2,
		};
		u64 quota;

		begin_requests(512);
		need.count = count;
		need.max = rnd() % (200 * 512 * count);
		quota = need.max / count;
		assert_int_equal(gslot_reclaim_quota.steps(&need), 1);
		gslot_reclaim_quota.plan(&need, 0);
		for (u32 i = 0; i < count; i++) {
			const struct gslot_reclaim_client *c = &clients[i];
			u64 kept = need.limit ? quota : c->min;

			assert_int_equal(c->pinned - c->order.pages, min(c->pinned, kept));
			assert_int_equal(c->order.keep, kept);
			assert_int_equal(c->order.prepared, need.limit && !c->holder);
			assert_int_equal(c->order.idle_ms, need.limit ? 0 : KEPT_MS);
			assert_false(c->order.takes);
			assert_false(c->order.postpones);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_much),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_above_first),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_gives_needed),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_use),
		cmocka_unit_test(test_most_idle),
		cmocka_unit_test(test_pause),
		cmocka_unit_test(test_postponed),
		cmocka_unit_test(test_gpuswap),
		cmocka_unit_test(test_gpuswap_stuck),
		cmocka_unit_test(test_gpuswap_equal),
		cmocka_unit_test(test_quota),
	};

	return run_tap_tests("core_reclaim", tests);
}
