// SPDX-License-Identifier: GPL-2.0
/* Which memory is given first, and what a vGPU keeps, for random sets of vGPUs. */
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

static void take(struct vgpu *vgpu, u32 age_ms)
{
	for (u32 k = 0; k < SPACES; k++)
		if (vgpu->space[k].age_ms >= age_ms)
			vgpu->space[k].pages = 0;
}

/* What a vGPU with so many pages, and no settings, does in a step. */
static struct gslot_reclaim_order order(u32 n, u64 has, u64 share)
{
	const struct gslot_reclaim_vgpu vgpu = { .pinned = has };

	return gslot_reclaim_order(n, &vgpu, share);
}

static u32 steps(bool limit, bool may_postpone, u64 wanted, u64 all)
{
	const struct gslot_reclaim_need need = {
		.wanted = wanted, .total = all, .limit = limit, .may_postpone = may_postpone,
	};

	return gslot_reclaim_steps(&need);
}

static void step(u32 n, u64 wanted)
{
	u64 share = gslot_reclaim_share(wanted, total(), count);
	bool within = false, above = false;
	struct gslot_reclaim_order o[MAX_VGPUS];

	for (u32 i = 0; i < count; i++) {
		o[i] = order(n, pinned(&vgpus[i]), share);
		assert_false(o[i].postpones);
		if (!o[i].pages)
			continue;
		check_order(&vgpus[i], o[i].age_ms);
		above |= is_above(&vgpus[i], wanted);
		within |= !is_above(&vgpus[i], wanted);
	}
	/* A vGPU above its share never keeps what another one gives. */
	for (u32 i = 0; within && i < count; i++)
		assert_true(o[i].pages || !is_above(&vgpus[i], wanted));
	for (u32 i = 0; i < count; i++)
		if (o[i].pages)
			take(&vgpus[i], o[i].age_ms);
}

static void test_much(void **state)
{
	(void)state;
	for (u32 life = 0; life < LIVES; life++) {
		u64 wanted;

		begin_life();
		wanted = total() >> rnd() % 6;
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
			assert_in_range(order(n, all, 0).age_ms, UNUSED_MS, UINT32_MAX);
		assert_true(steps(false, true, all / 64 + 1, all) > few);
	}
}

/* A vGPU above its share gives what it used lately before another one does. */
static void test_above_first(void **state)
{
	bool all = false;

	(void)state;
	for (u32 n = 0; n < steps(false, true, 4000, 4000); n++) {
		u64 share = gslot_reclaim_share(1000, 4000, 2);
		struct gslot_reclaim_order above = order(n, 3000, share);
		struct gslot_reclaim_order within = order(n, 1000, share);

		assert_true(above.pages);
		all |= above.age_ms == KEPT_MS;
		assert_true(all || !within.pages || within.age_ms >= UNUSED_MS);
	}
	assert_true(all);
}

/* Exactly a share is not above it; a page more is. The host may want more than there is. */
static void test_share(void **state)
{
	(void)state;
	for (u32 vgpu = 1; vgpu <= MAX_VGPUS; vgpu++) {
		u32 above = 0;

		assert_int_equal(gslot_reclaim_share(0, 1000 * vgpu, vgpu), 1000);
		assert_int_equal(gslot_reclaim_share(400 * vgpu, 1000 * vgpu, vgpu), 600);
		assert_int_equal(gslot_reclaim_share(1000 * vgpu, 1000 * vgpu, vgpu), 0);
		assert_int_equal(gslot_reclaim_share(1000 * vgpu + 1, 1000 * vgpu, vgpu), 0);
		assert_int_equal(gslot_reclaim_share(1, 0, vgpu), 0);
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
	struct gslot_reclaim_vgpu vgpu = { .pinned = 1000 };
	u32 first = 0;

	(void)state;
	for (u32 n = 0; n < steps(true, true, 1, 1000); n++) {
		vgpu.low = 0;
		for (vgpu.min = 0; vgpu.min < 1100; vgpu.min++) {
			struct gslot_reclaim_order o = gslot_reclaim_order(n, &vgpu, 0);

			assert_int_equal(o.pages, vgpu.min < 1000 ? 1000 - vgpu.min : 0);
			assert_true(o.pages || !o.postpones);
		}
		vgpu.min = 0;
		vgpu.low = 1000;
		if (gslot_reclaim_order(n, &vgpu, 0).pages)
			continue;
		first++;
		vgpu.low = 999;
		assert_int_equal(gslot_reclaim_order(n, &vgpu, 5000).pages, 1000);
	}
	assert_true(first);
}

/* Submissions are postponed last, of vGPUs that give what they use; never those of the owner. */
static void test_postponed(void **state)
{
	u32 few = steps(true, false, 1, 1000), all = steps(true, true, 1, 1000);
	const struct gslot_reclaim_vgpu owner = { .pinned = 1000, .owner = true };

	(void)state;
	assert_int_equal(few, steps(false, true, 1000, 1000));
	assert_true(all > few);
	for (u32 n = 0; n < all; n++) {
		struct gslot_reclaim_order o = order(n, 1000, 0);

		assert_int_equal(o.postpones, n >= few);
		assert_int_equal(o.age_ms == 0, n >= few);
		assert_int_equal(order(n, 0, 0).pages, 0);
		assert_int_equal(gslot_reclaim_order(n, &owner, 0).pages, 1000);
		assert_false(gslot_reclaim_order(n, &owner, 0).postpones);
	}
	/* What a vGPU has prepared that waits is given without that, if it is not the owner. */
	for (u32 n = 0; n < all; n++) {
		const struct gslot_reclaim_vgpu waits = { .pinned = 1000, .waits = true };
		const struct gslot_reclaim_vgpu owns = {
			.pinned = 1000, .waits = true, .owner = true,
		};
		struct gslot_reclaim_order o = gslot_reclaim_order(n, &waits, 0);

		assert_int_equal(o.prepared, order(n, 1000, 0).age_ms <= KEPT_MS);
		assert_true(!o.prepared || !o.age_ms);
		assert_false(gslot_reclaim_order(n, &owns, 0).prepared);
		assert_int_equal(order(n, 1000, 0).prepared, n >= few);
	}
	/* First those above their share, then all. */
	assert_int_equal(order(few, 500, 500).pages, 0);
	assert_true(order(few, 501, 500).postpones);
	assert_true(order(all - 1, 1, 500).postpones);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_much),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_above_first),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_postponed),
	};

	return run_tap_tests("core_reclaim", tests);
}
