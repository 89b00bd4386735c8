// SPDX-License-Identifier: GPL-2.0
/* What all policies have in common: the clients of a run queue, and its owner. */
#include "policy_priv.h"

/* Add a client, and tell the policy, which does not know it, nor those after it. */
static void policy_add(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	c->index = p->count;
	p->clients[p->count++] = c;
	if (p->ops->join)
		p->ops->join(p, c, now);
}

/**
 * gslot_policy_change() - change the policy
 * @p: the run queue; without an owner
 * @ops: the policy from now on
 * @now: time, ns
 *
 * Clients keep their knobs, loads and times. To the policy all of them have just joined, in the
 * same order, and those with work have just woken. Debts and lags are forgotten.
 */
void gslot_policy_change(struct gslot_policy *p, const struct gslot_policy_ops *ops, u64 now)
{
	const size_t client = offsetof(struct gslot_policy_client, cap);
	const size_t state = offsetof(struct gslot_policy, cap);
	u32 i, count = p->count;

	memset((u8 *)p + state, 0, sizeof(*p) - state);
	for (i = 0; i < count; i++)
		memset((u8 *)p->clients[i] + client, 0, sizeof(*p->clients[i]) - client);
	p->ops = ops;
	p->count = 0;
	for (i = 0; i < count; i++)
		policy_add(p, p->clients[i], now);
	for (i = 0; i < count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		if (c->awake) {
			c->awake = false;
			gslot_policy_wake(p, c, now);
		}
	}
}

/**
 * gslot_policy_join() - a client joins
 * @p: the run queue
 * @c: the client; asleep
 * @now: time, ns
 *
 * Return: 0, or -ENOSPC.
 */
int gslot_policy_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (p->count == GSLOT_MAX_VGPUS)
		return -ENOSPC;
	memset(c, 0, sizeof(*c));
	c->knobs.weight = GSLOT_POLICY_WEIGHT;
	c->knobs.cap = GSLOT_WHOLE;
	policy_add(p, c, now);
	return 0;
}

/**
 * gslot_policy_leave() - a client leaves
 * @p: the run queue
 * @c: the client; nothing of it is on the hardware
 * @now: time, ns
 */
void gslot_policy_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	u32 i;

	if (p->owner == c)
		gslot_policy_off(p, now);
	gslot_policy_sleep(p, c, now);
	/* It pays for the time until now; what it owes then is void. */
	gslot_debt_pay(p, now);
	p->debt.debtors -= !!c->debt.debt_ns;
	if (p->ops->leave)
		p->ops->leave(p, c, now);
	if (p->last == c)
		p->last = NULL;
	p->count--;
	for (i = c->index; i < p->count; i++) {
		p->clients[i] = p->clients[i + 1];
		p->clients[i]->index = i;
	}
}

/**
 * gslot_policy_wake() - a client has work that may run
 * @p: the run queue
 * @c: the client; may be awake already
 * @now: time, ns
 */
void gslot_policy_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (c->awake)
		return;
	/* An owner without work let debts be paid until now. */
	if (c == p->owner) {
		gslot_debt_pay(p, now);
		p->debt.idle = false;
	}
	if (p->ops->wake)
		p->ops->wake(p, c, now);
	c->awake = true;
}

/**
 * gslot_policy_sleep() - a client has no such work any more
 * @p: the run queue
 * @c: the client; may be asleep already
 * @now: time, ns
 */
void gslot_policy_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (!c->awake)
		return;
	c->debt.grace_until = now + GSLOT_DEBT_GRACE_NS;
	if (p->ops->sleep)
		p->ops->sleep(p, c, now);
	c->awake = false;
}

/**
 * gslot_policy_set_knobs() - change a client's knobs
 * @p: the run queue
 * @c: the client
 * @now: time, ns
 * @knobs: the knobs from now on
 *
 * Return: 0, or -EINVAL if one is out of range, or the reservation is larger than the cap.
 */
int gslot_policy_set_knobs(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			   const struct gslot_policy_knobs *knobs)
{
	const struct gslot_policy_knobs old = c->knobs;

	if (!knobs->weight || knobs->weight > GSLOT_POLICY_WEIGHT_MAX || !knobs->cap ||
	    knobs->cap > GSLOT_WHOLE || knobs->reserve > knobs->cap)
		return -EINVAL;
	c->knobs = *knobs;
	if (p->ops->changed)
		p->ops->changed(p, c, now, &old);
	return 0;
}

/**
 * gslot_policy_preempt() - the owner is being preempted
 * @p: the run queue; it has an owner
 * @now: time, ns
 */
void gslot_policy_preempt(struct gslot_policy *p, u64 now)
{
	if (p->leaving)
		return;
	/* From here on the owner does not yield, and time pays nothing. */
	gslot_debt_pay(p, now);
	p->leaving = true;
	p->leaving_since = now;
}

/* How long the owner has had the engine; 0 before gslot_policy_begin(). */
static u64 policy_had_for(const struct gslot_policy *p, u64 now)
{
	return now > p->since ? now - p->since : 0;
}

/**
 * gslot_policy_off() - the owner is off the hardware
 * @p: the run queue; it has no owner when this returns
 * @now: time, ns
 */
void gslot_policy_off(struct gslot_policy *p, u64 now)
{
	struct gslot_policy_client *c = p->owner;

	gslot_debt_pay(p, now);
	if (p->ops->ran)
		p->ops->ran(p, c, now);
	if (p->leaving && p->ops->charge)
		p->ops->charge(p, c, now, now - p->leaving_since);
	c->held_ns += policy_had_for(p, now);
	p->owner = NULL;
	p->leaving = false;
}

static void policy_give(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (p->owner)
		gslot_policy_off(p, now);
	if (p->last != c) {
		c->turns++;
		p->turns++;
	}
	p->owner = c;
	p->last = c;
	p->since = now;
}

/**
 * gslot_policy_pick() - choose what to do now
 * @p: the run queue; its owner is not being preempted
 * @now: time, ns
 * @busy: work of the owner is on the hardware
 *
 * Return: what the caller carries out at once; the run queue is already as if it were.
 */
struct gslot_policy_choice gslot_policy_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice;

	gslot_debt_pay(p, now);
	choice = p->ops->pick(p, now, busy);
	p->debt.idle = choice.verdict == GSLOT_POLICY_KEEP && p->owner && !busy && !p->owner->awake;
	if (choice.verdict == GSLOT_POLICY_GIVE)
		policy_give(p, choice.client, now);
	else if (choice.verdict == GSLOT_POLICY_PREEMPT)
		gslot_policy_preempt(p, now);
	return choice;
}

/**
 * gslot_policy_next() - guess the next owner
 * @p: the run queue
 * @now: time of the last gslot_policy_pick(), ns, which has looked at all that time alone changes.
 *	Debts that were paid since are not considered
 *
 * Return: the client that gslot_policy_pick() would choose if the owner had no work any more, or
 * NULL.
 */
struct gslot_policy_client *gslot_policy_next(const struct gslot_policy *p, u64 now)
{
	struct gslot_policy_client *c = p->ops->next(p, now);

	return c == p->owner ? NULL : c;
}

/**
 * gslot_policy_timer() - when the choice may change without an event
 * @p: the run queue
 * @now: time, ns
 *
 * Return: after how many nanoseconds; 0: never.
 */
u64 gslot_policy_timer(const struct gslot_policy *p, u64 now)
{
	if (p->leaving)
		return 0;
	return gslot_sooner(p->ops->timer(p, now), gslot_debt_timer(p, now));
}

/**
 * gslot_policy_blocks() - how many of the owner's request blocks may be dispatched now
 * @p: the run queue
 *
 * Return: their number until the next gslot_policy_pick(); U32_MAX: any.
 */
u32 gslot_policy_blocks(const struct gslot_policy *p)
{
	if (!p->owner || p->leaving)
		return 0;
	return p->ops->blocks ? p->ops->blocks(p) : U32_MAX;
}

/**
 * gslot_policy_held() - how long a client has had the engine
 * @p: the run queue
 * @c: the client
 * @now: time, ns
 *
 * Return: nanoseconds, the present turn included.
 */
u64 gslot_policy_held(const struct gslot_policy *p, const struct gslot_policy_client *c,
		      u64 now)
{
	return c->held_ns + (p->owner == c ? policy_had_for(p, now) : 0);
}
