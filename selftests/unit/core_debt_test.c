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

/* A client has a debt from another host, and sits out until it is paid. */
static void test_import(void **state)
{
	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(all_policies); i++) {
		u64 now = 1000 * MS, until = now + 100 * MS;
		u32 had = 0;

		memset(clients, 0, sizeof(clients));
		gslot_policy_init(&p, all_policies[i], QUANTUM);
		for (u32 k = 0; k < 2; k++) {
			clients[k].load.queued = 10;
			assert_int_equal(gslot_policy_join(&p, &clients[k], now), 0);
		}
		gslot_policy_import_debt(&p, &clients[1], now, 100 * MS, 0);
		assert_int_equal(p.debt.debtors, 1);
		/* The larger one counts, and no more than any client can owe. */
		gslot_policy_import_debt(&p, &clients[1], now, 50 * MS, 0);
		assert_int_equal(clients[1].debt.debt_ns, 100 * MS);
		gslot_policy_import_debt(&p, &clients[0], now, 0, U64_MAX);
		assert_int_equal(clients[0].debt.debt_ns, 0);
		assert_int_equal(p.debt.debtors, 1);
		/* No resets that a stream tells of stop a client for longer than one more. */
		assert_true(gslot_debt_sits_out(&clients[0], now, false));
		assert_false(gslot_debt_sits_out(&clients[0], now + GSLOT_DEBT_RESET_NS, false));
		clients[0].debt.resets_until = 0;
		p.debt.resets_until = 0;
		gslot_policy_wake(&p, &clients[0], now);
		gslot_policy_wake(&p, &clients[1], now);
		for (; now < until; now += STEP) {
			ask(now);
			assert_ptr_not_equal(p.owner, &clients[1]);
		}
		for (; now < until + 1000 * MS; now += STEP) {
			ask(now);
			had += p.owner == &clients[1];
		}
		assert_true(had);
		assert_int_equal(p.debt.debtors, 0);
		gslot_policy_import_debt(&p, &clients[0], now, U64_MAX, 0);
		assert_int_equal(clients[0].debt.debt_ns, GSLOT_DEBT_MAX_NS);
	}
}

static u64 begin(u32 count)
{
	memset(clients, 0, sizeof(clients));
	gslot_policy_init(&p, &gslot_fair, QUANTUM);
	for (u32 k = 0; k < count; k++)
		assert_int_equal(gslot_policy_join(&p, &clients[k], 1000 * MS), 0);
	gslot_debt_pay(&p, 1000 * MS);
	return 1000 * MS;
}

/* The time from @now on pays debts. Return: its end. */
static u64 pay(u64 now, u64 ns)
{
	gslot_debt_pay(&p, now + ns);
	return now + ns;
}

/* Imported debts are paid last, and shorten the preempt timeout of no other client. */
static void test_unverified(void **state)
{
	u64 now = begin(3);

	(void)state;
	gslot_policy_import_debt(&p, &clients[1], now, QUANTUM - 1, 0);
	gslot_policy_import_debt(&p, &clients[2], now, 100 * MS, 0);
	assert_int_equal(gslot_policy_patience(&p, PATIENCE), PATIENCE);
	now = pay(now, MS);
	gslot_debt_charge(&p, &clients[0], now, 100 * MS);
	assert_int_equal(gslot_policy_patience(&p, PATIENCE), PATIENCE / 2);
	now = pay(now, 100 * MS + QUANTUM);
	assert_int_equal(clients[0].debt.debt_ns, 0);
	assert_int_equal(clients[1].debt.debt_ns, QUANTUM - 1 - MS);
	assert_int_equal(clients[2].debt.debt_ns, 100 * MS);
	/* What a client is charged here is not imported. */
	gslot_debt_charge(&p, &clients[2], now, 100 * MS);
	assert_int_equal(gslot_policy_patience(&p, PATIENCE), PATIENCE / 2);
	now = pay(now, QUANTUM);
	assert_int_equal(clients[1].debt.debt_ns, QUANTUM - 1 - MS);
	now = pay(now, 1000 * MS);
	assert_int_equal(p.debt.debtors, 0);
	gslot_debt_charge(&p, &clients[1], now, 100 * MS);
	assert_int_equal(gslot_policy_patience(&p, PATIENCE), PATIENCE / 2);
}

/* A debt is what it is, whatever the client imports before or after it. */
static void test_no_laundering(void **state)
{
	u64 now = begin(2);

	(void)state;
	/* An import does not make an earlier debt unverified .. */
	gslot_debt_charge(&p, &clients[0], now, 100 * MS);
	gslot_policy_import_debt(&p, &clients[0], now, 2000 * MS, 0);
	assert_int_equal(clients[0].debt.debt_ns, 2000 * MS);
	assert_int_equal(gslot_policy_patience(&p, PATIENCE), PATIENCE / 2);
	/* .. which is paid first, and of the import nothing counts then. */
	now = pay(now, 100 * MS + QUANTUM);
	assert_int_equal(clients[0].debt.imported_ns, clients[0].debt.debt_ns);
	assert_int_equal(gslot_policy_patience(&p, PATIENCE), PATIENCE);

	/* A charge does not verify an import: only as much as was charged counts. */
	gslot_debt_charge(&p, &clients[0], now, MS);
	assert_int_equal(gslot_policy_patience(&p, PATIENCE), PATIENCE);
	gslot_debt_charge(&p, &clients[1], now, 2 * QUANTUM);
	assert_int_equal(gslot_policy_patience(&p, PATIENCE), PATIENCE / 2);
	now = pay(now, MS + 3 * QUANTUM);
	assert_int_equal(clients[1].debt.debt_ns, 0);
	assert_int_equal(clients[0].debt.debt_ns, clients[0].debt.imported_ns);

	/* Nor does the largest import leave no room for charges. */
	gslot_policy_import_debt(&p, &clients[0], now, U64_MAX, 0);
	assert_int_equal(clients[0].debt.imported_ns, GSLOT_DEBT_MAX_NS);
	gslot_debt_charge(&p, &clients[0], now, 100 * MS);
	assert_int_equal(clients[0].debt.debt_ns, GSLOT_DEBT_MAX_NS);
	assert_int_equal(gslot_policy_patience(&p, PATIENCE), PATIENCE / 2);
	now = pay(now, GSLOT_DEBT_MAX_NS);
	assert_int_equal(clients[0].debt.debt_ns, 0);
	assert_int_equal(clients[0].debt.imported_ns, 0);
	assert_int_equal(p.debt.debtors, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hostile),
		cmocka_unit_test(test_import),
		cmocka_unit_test(test_unverified),
		cmocka_unit_test(test_no_laundering),
	};

	return run_tap_tests("core_debt", tests);
}
