// SPDX-License-Identifier: GPL-2.0
/* Whose memory the host gets first, and what a vGPU keeps, for random sets of vGPUs. */
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

static void step(u32 n, u64 wanted)
{
	u64 share = gslot_reclaim_share(wanted, total(), count);
	u32 ages[MAX_VGPUS], within = 0, above = 0;
	bool any_within = false, any_above = false;

	for (u32 i = 0; i < count; i++) {
		ages[i] = gslot_reclaim_age_ms(n, pinned(&vgpus[i]), share);
		if (is_above(&vgpus[i], wanted)) {
			any_above = true;
			above = ages[i];
		} else {
			any_within = true;
			within = ages[i];
		}
		if (ages[i] != GSLOT_RECLAIM_NOTHING)
			check_order(&vgpus[i], ages[i]);
	}
	/* A vGPU above its share never keeps what another one gives. */
	if (any_within && any_above)
		assert_true(above <= within);
	for (u32 i = 0; i < count; i++)
		if (ages[i] != GSLOT_RECLAIM_NOTHING)
			take(&vgpus[i], ages[i]);
}

static void test_much(void **state)
{
	(void)state;
	for (u32 life = 0; life < LIVES; life++) {
		u64 wanted;

		begin_life();
		wanted = total() >> rnd() % 6;
		for (u32 n = 0; n < gslot_reclaim_steps(total() + 1, total()); n++)
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
		u32 few = gslot_reclaim_steps(all / 64, all);

		assert_in_range(few, 1, 5);
		for (u32 n = 0; n < few; n++)
			assert_in_range(gslot_reclaim_age_ms(n, all, 0), UNUSED_MS, UINT32_MAX);
		assert_true(gslot_reclaim_steps(all / 64 + 1, all) > few);
	}
}

/* A vGPU above its share gives what it used lately before another one does. */
static void test_above_first(void **state)
{
	bool all = false;

	(void)state;
	for (u32 n = 0; n < gslot_reclaim_steps(4000, 4000); n++) {
		u64 share = gslot_reclaim_share(1000, 4000, 2);
		u32 above = gslot_reclaim_age_ms(n, 3000, share);
		u32 within = gslot_reclaim_age_ms(n, 1000, share);

		all |= above == KEPT_MS;
		assert_true(all || within >= UNUSED_MS);
		assert_true(above <= within);
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
		for (u32 n = 0; n < gslot_reclaim_steps(1000 * vgpu, 1000 * vgpu); n++) {
			u32 at = gslot_reclaim_age_ms(n, 1000, 1000);

			assert_int_equal(gslot_reclaim_age_ms(n, 999, 1000), at);
			assert_int_equal(gslot_reclaim_age_ms(n, 0, 0), at);
			above += gslot_reclaim_age_ms(n, 1001, 1000) < at;
		}
		assert_true(above);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_much),
		cmocka_unit_test(test_little),
		cmocka_unit_test(test_above_first),
		cmocka_unit_test(test_share),
	};

	return run_tap_tests("core_reclaim", tests);
}
