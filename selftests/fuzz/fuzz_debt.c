// SPDX-License-Identifier: GPL-2.0
/*
 * Debts of clients, imported ones included: two bytes a step, and the time that passes first. The
 * run queue is beside an oracle that pays a debt of one tick after each tick, and counts down the
 * times of resets: it keeps times in ticks, and the order in which clients became debtors. With
 * SMALL a tick is a nanosecond, and the largest debt and the budget of resets are a few; else it is
 * a millisecond.
 */
#ifdef SMALL
#define GSLOT_DEBT_MAX_NS	11ull
#define GSLOT_DEBT_RESETS	2u
#define GSLOT_DEBT_RESET_NS	5ull
#define GSLOT_DEBT_HOG_QUANTA	2u
#define TICK			1ull
#define QUANTUM			3
#else
#define TICK			1000000ull
#define QUANTUM			16
#endif

#include "test.h"
#include "core/sched/policy_priv.h"
#ifdef SMALL
#include "core/sched/debt.c"
#endif

#define MAX_CLIENTS	20
#define MAX_DEBT	((u32)(GSLOT_DEBT_MAX_NS / TICK))
#define RESET		((u32)(GSLOT_DEBT_RESET_NS / TICK))
#define GRACE		((u32)(GSLOT_DEBT_GRACE_NS / TICK))
#define BUDGET		(GSLOT_DEBT_RESETS * RESET)

enum step {
	STEP_PICK,
	STEP_OFF,
	STEP_RESET,
	STEP_PREEMPT,
	STEP_WAKE,
	STEP_SLEEP,
	STEP_IMPORT,
	STEP_IMPORT_RESETS,
	STEP_CHARGE,
	STEP_CHARGE_ALL,
	STEP_CHARGE_HOG,
	STEP_COME_OR_GO,
	NR_STEPS,
};

/* What the oracle knows of a client; times are in ticks. */
static struct {
	bool there;
	bool awake;
	bool was_reset;
	u32 own;	/* what it owes for what it did here */
	u32 imported;	/* what it owes from elsewhere */
	u64 since;	/* when it became a debtor, or one of this host's */
	u32 grace;	/* for how long debtors still wait for it */
	u32 resets;	/* when its budget of resets is whole again */
} of[MAX_CLIENTS];

static struct gslot_policy p;
static struct gslot_policy_client clients[MAX_CLIENTS];
static u64 ticks;	/* since the beginning */
static bool idle;	/* the owner has nothing to do, and no other client wants the engine */

static u64 now(void)
{
	return (1000 + ticks) * TICK;
}

/* What an owed tick counts as: 0 is paid first, 3 is nothing owed. */
static u32 class_of(u32 c)
{
	if (of[c].own)
		return of[c].own >= QUANTUM;
	return of[c].imported ? 2 : 3;
}

static bool is_before(u32 c, u32 other)
{
	if (class_of(c) != class_of(other))
		return class_of(c) < class_of(other);
	if (of[c].since != of[other].since)
		return of[c].since < of[other].since;
	/* At the same time: the one that joined first. */
	return clients[c].index < clients[other].index;
}

static void pay_one(void)
{
	u32 first = MAX_CLIENTS;

	for (u32 c = 0; c < MAX_CLIENTS; c++)
		if (of[c].there && class_of(c) < 3 && (first == MAX_CLIENTS || is_before(c, first)))
			first = c;
	if (first == MAX_CLIENTS)
		return;
	if (of[first].own)
		of[first].own--;
	else
		of[first].imported--;
}

static bool owes(u32 c)
{
	return class_of(c) < 3;
}

static void tick(void)
{
	ticks++;
	for (u32 c = 0; c < MAX_CLIENTS; c++) {
		of[c].grace -= of[c].grace > 0;
		of[c].resets -= of[c].resets > 0;
	}
	if (p.leaving || (p.owner && owes(p.owner - clients) && !idle))
		return;
	pay_one();
}

static void charge(u32 c, u32 waited)
{
	of[c].was_reset = false;
	if (!waited)
		return;
	if (!of[c].own)
		of[c].since = ticks;
	of[c].own = min(of[c].own + waited + (waited >= QUANTUM ? QUANTUM : 0), MAX_DEBT);
	if (of[c].own + of[c].imported > MAX_DEBT)
		of[c].imported = MAX_DEBT - of[c].own;
}

static void import(u32 c, u64 debt, u64 resets)
{
	u32 had = of[c].own + of[c].imported;
	u64 most = BUDGET + RESET;

	gslot_policy_import_debt(&p, &clients[c], now(), debt, resets);
	debt = min(debt / TICK, (u64)MAX_DEBT);
	if (debt > had) {
		if (!had)
			of[c].since = ticks;
		of[c].imported += debt - had;
	}
	of[c].resets = max(of[c].resets, (u32)min(resets / TICK, most));
}

static bool any_without(void)
{
	for (u32 c = 0; c < MAX_CLIENTS; c++)
		if (of[c].there && !owes(c) && (of[c].awake || of[c].grace))
			return true;
	return false;
}

static bool sits_out(u32 c)
{
	return (owes(c) && any_without()) || of[c].resets > BUDGET;
}

/* The client that gets the engine has work, and does not sit out. */
static void pick(bool busy)
{
	struct gslot_policy_choice choice;

	if (p.leaving)
		return;
	choice = gslot_policy_pick(&p, now(), busy && p.owner);
	if (choice.verdict == GSLOT_POLICY_GIVE) {
		must(of[p.owner - clients].awake && !sits_out(p.owner - clients));
		idle = false;
	} else {
		idle = choice.verdict == GSLOT_POLICY_KEEP && p.owner && !busy &&
		       !of[p.owner - clients].awake;
	}
}

/* If it is being preempted, it is charged for that. */
static void off(bool reset)
{
	u32 c = p.owner - clients;

	if (!p.owner)
		return;
	if (reset) {
		gslot_policy_reset(&p, p.owner, now());
		of[c].resets += RESET;
		of[c].was_reset = true;
	}
	if (p.leaving)
		charge(c, (now() - p.leaving_since) / TICK);
	gslot_policy_off(&p, now());
}

static void charge_hog(u32 c, u32 waited)
{
	bool is_hog = of[c].was_reset || waited >= GSLOT_DEBT_HOG_QUANTA * QUANTUM;

	gslot_debt_pay(&p, now());
	gslot_debt_charge_hog(&p, &clients[c], now(), waited * TICK);
	if (is_hog)
		charge(c, waited);
}

static void come(u32 c)
{
	must(!gslot_policy_join(&p, &clients[c], now()));
	memset(&of[c], 0, sizeof(of[c]));
	of[c].there = true;
}

static void go(u32 c)
{
	gslot_policy_leave(&p, &clients[c], now());
	memset(&of[c], 0, sizeof(of[c]));
}

static void set_awake(u32 c, bool awake)
{
	if (of[c].awake == awake)
		return;
	if (awake)
		gslot_policy_wake(&p, &clients[c], now());
	else
		gslot_policy_sleep(&p, &clients[c], now());
	if (awake && p.owner == &clients[c])
		idle = false;
	if (!awake)
		of[c].grace = GRACE;
	of[c].awake = awake;
}

static void charge_one(u32 c, u32 waited)
{
	gslot_debt_pay(&p, now());
	gslot_debt_charge(&p, &clients[c], now(), waited * TICK);
	charge(c, waited);
}

/* Small numbers, and those about the largest that count. */
static u64 amount(u8 arg, u32 limit)
{
	u32 n = arg >> 5;

	return n < 4 ? n * TICK : n == 7 ? U64_MAX : (limit + n - 5) * TICK;
}

static void step(u8 what, u8 arg)
{
	u32 c = arg % MAX_CLIENTS;

	if (what % NR_STEPS == STEP_COME_OR_GO) {
		if (of[c].there)
			go(c);
		else
			come(c);
	}
	if (!of[c].there)
		return;
	switch (what % NR_STEPS) {
	case STEP_PICK:
		pick(arg & 0x80);
		break;
	case STEP_OFF:
	case STEP_RESET:
		off(what % NR_STEPS == STEP_RESET);
		break;
	case STEP_PREEMPT:
		if (p.owner)
			gslot_policy_preempt(&p, now());
		break;
	case STEP_WAKE:
	case STEP_SLEEP:
		set_awake(c, what % NR_STEPS == STEP_WAKE);
		break;
	case STEP_IMPORT:
		import(c, amount(arg, arg & 0x10 ? QUANTUM : MAX_DEBT), 0);
		break;
	case STEP_IMPORT_RESETS:
		import(c, 0, amount(arg, arg & 0x10 ? BUDGET : BUDGET + RESET));
		break;
	case STEP_CHARGE:
		charge_one(c, arg >> 5 < 4 ? arg >> 5 : QUANTUM - 6 + (arg >> 5));
		break;
	case STEP_CHARGE_ALL:
		for (c = 0; c < MAX_CLIENTS; c++)
			if (of[c].there)
				charge_one(c, QUANTUM);
		break;
	case STEP_CHARGE_HOG:
		charge_hog(c, GSLOT_DEBT_HOG_QUANTA * QUANTUM - 1 + (arg >> 6));
		break;
	}
}

/* The preempt timeout is divided by how many others owe a quantum or more, up to 15, and one. */
static void check_patience(void)
{
	u32 large = 1;

	for (u32 c = 0; c < MAX_CLIENTS; c++)
		large += of[c].there && &clients[c] != p.owner && of[c].own >= QUANTUM;
	must(gslot_policy_patience(&p, 640000) == 640000 / min(large, 16u));
}

static void check(void)
{
	bool waits = false;
	u32 debtors = 0;

	gslot_debt_pay(&p, now());
	must(gslot_debt_any_without(&p, now()) == any_without());
	for (u32 c = 0; c < MAX_CLIENTS; c++) {
		if (!of[c].there)
			continue;
		must(clients[c].debt.debt_ns == (of[c].own + of[c].imported) * TICK);
		must(clients[c].debt.imported_ns == of[c].imported * TICK);
		must(gslot_debt_sits_out(&clients[c], now(), any_without()) == sits_out(c));
		must(!sits_out(c) || gslot_debt_any(&p, now()));
		debtors += owes(c);
		waits |= &clients[c] != p.owner && of[c].awake && sits_out(c);
	}
	must(p.debt.debtors == debtors);
	must(gslot_debt_timer(&p, now()) == (waits ? QUANTUM * TICK : 0));
	check_patience();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	u32 count = 1 + take(&in, 1) % MAX_CLIENTS;

	ticks = 0;
	idle = false;
	memset(of, 0, sizeof(of));
	gslot_policy_init(&p, &gslot_rr, QUANTUM * TICK);
	for (u32 c = 0; c < count; c++)
		come(c);
	gslot_debt_pay(&p, now());
	while (in.left) {
		u8 what = take(&in, 1);

		for (u32 i = what >> 4; i; i--)
			tick();
		step(what & 15, take(&in, 1));
		check();
	}
	return 0;
}
