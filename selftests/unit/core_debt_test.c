// SPDX-License-Identifier: GPL-2.0
/*
 * Clients that never yield, under each policy: what is left for one that does, and how long it
 * waits.
 */
#include "policies.h"
#include "core/sched/policy_priv.h"

#define MS		1000000ull
#define QUANTUM		(16 * MS)
#define PATIENCE	(640 * MS)
#define LENGTH		(120000 * MS)
#define STEP		MS
/* i915 takes its engine for hung when nothing has happened for so long. */
#define GUEST_GIVES_UP	(10000 * MS)

struct outcome {
	u64 longest;		/* that the honest client waited */
	u64 run;		/* that it had */
};

static struct gslot_policy p;
static struct gslot_policy_client clients[GSLOT_MAX_VGPUS];

/* The first client is honest; the others are taken off by a reset. */
static u64 take_off(u64 now)
{
	struct gslot_policy_client *owner = p.owner;
	bool hostile = owner != &clients[0];

	if (hostile)
		now += gslot_policy_patience(&p, PATIENCE);
	if (hostile)
		gslot_policy_reset(&p, owner, now);
	gslot_policy_off(&p, now);
	return now;
}

/* Return: the time. */
static u64 ask(u64 now)
{
	struct gslot_policy_choice choice = gslot_policy_pick(&p, now, p.owner);

	if (choice.verdict == GSLOT_POLICY_PREEMPT) {
		now = take_off(now);
		choice = gslot_policy_pick(&p, now, false);
	}
	if (choice.verdict == GSLOT_POLICY_GIVE)
		p.owner->load.dispatched++;
	return now;
}

static struct outcome live(const struct gslot_policy_ops *ops, u32 count)
{
	struct outcome outcome = { };
	u64 now = 1000 * MS, had = now;
	u32 i;

	memset(clients, 0, sizeof(clients));
	gslot_policy_init(&p, ops, QUANTUM);
	for (i = 0; i < count; i++) {
		clients[i].load.queued = 10;
		assert_int_equal(gslot_policy_join(&p, &clients[i], now), 0);
		gslot_policy_wake(&p, &clients[i], now);
	}
	while (now < 1000 * MS + LENGTH) {
		u64 timer, before;

		now = ask(now);
		timer = gslot_policy_timer(&p, now);
		before = now;
		now += timer && timer < STEP ? timer : STEP;
		if (p.owner != &clients[0])
			continue;
		outcome.longest = max(outcome.longest, before - had);
		outcome.run += now - before;
		had = now;
	}
	outcome.longest = max(outcome.longest, now - had);
	return outcome;
}

/* Debts are the scheduler's: every policy has them. */
static void test_hostile(void **state)
{
	static const u32 counts[] = { 2, 6, 15, 32 };

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(all_policies); i++)
		for (u32 k = 0; k < ARRAY_SIZE(counts); k++) {
			struct outcome o = live(all_policies[i], counts[k]);

			printf("# %s, %u of %u hostile: waits %llu ms at most, has %llu/1000\n",
			       all_policies[i]->name, counts[k] - 1, counts[k],
			       (unsigned long long)(o.longest / MS),
			       (unsigned long long)(o.run * 1000 / LENGTH));
			assert_in_range(o.longest, 0, GUEST_GIVES_UP / 2);
			assert_in_range(o.run, LENGTH / 10, LENGTH);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile),
	};

	return run_tap_tests("core_debt", tests);
}
