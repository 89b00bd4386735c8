// SPDX-License-Identifier: GPL-2.0
/* What is the same under every policy: who is there, and whose turn it is. */
#include "policy.h"

/**
 * gslot_policy_init() - begin to share something
 * @p: what is shared: nobody's
 * @ops: the policy
 * @quantum_ns: how long one may have it while another waits
 */
void gslot_policy_init(struct gslot_policy *p, const struct gslot_policy_ops *ops,
		       u64 quantum_ns)
{
	memset(p, 0, sizeof(*p));
	p->ops = ops;
	p->quantum_ns = quantum_ns;
}

/* A client is there; the policy has not heard of it, nor of those behind it. */
static void tell_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	c->index = p->count;
	p->clients[p->count++] = c;
	if (p->ops->join)
		p->ops->join(p, c, now);
}

static void forget(struct gslot_policy *p)
{
	u32 i;

	memset(&p->cap, 0, sizeof(p->cap));
	memset(&p->credit, 0, sizeof(p->credit));
	memset(&p->debt, 0, sizeof(p->debt));
	memset(&p->fair, 0, sizeof(p->fair));
	memset(&p->rr, 0, sizeof(p->rr));
	for (i = 0; i < p->count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		memset(&c->cap, 0, sizeof(c->cap));
		memset(&c->credit, 0, sizeof(c->credit));
		memset(&c->debt, 0, sizeof(c->debt));
		memset(&c->fair, 0, sizeof(c->fair));
	}
}

/**
 * gslot_policy_change() - another policy decides from now on
 * @p: what is shared: nobody's
 * @ops: the policy
 * @now: time, ns
 *
 * Clients stay what they are: their knobs, what they do, what they have had. To the policy they
 * are new: all have just come, in the order in which they did, and those that have work have just
 * woken. What the old one knew, who owes what to whom, is forgotten.
 */
void gslot_policy_change(struct gslot_policy *p, const struct gslot_policy_ops *ops, u64 now)
{
	u32 i, count = p->count;

	forget(p);
	p->ops = ops;
	p->count = 0;
	for (i = 0; i < count; i++)
		tell_join(p, p->clients[i], now);
	for (i = 0; i < count; i++) {
		struct gslot_policy_client *c = p->clients[i];

		if (c->awake && ops->wake) {
			c->awake = false;
			ops->wake(p, c, now);
			c->awake = true;
		}
	}
}

/**
 * gslot_policy_join() - a client comes
 * @p: what is shared
 * @c: the client; asleep
 * @now: time, ns
 *
 * Return: 0, or -ENOSPC.
 */
int gslot_policy_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (p->count == GSLOT_POLICY_CLIENTS)
		return -ENOSPC;
	memset(c, 0, sizeof(*c));
	c->knobs.weight = GSLOT_POLICY_WEIGHT;
	c->knobs.cap = GSLOT_POLICY_ALWAYS;
	tell_join(p, c, now);
	return 0;
}

/**
 * gslot_policy_leave() - a client goes
 * @p: what is shared
 * @c: the client; nothing of it is on the hardware
 * @now: time, ns
 */
void gslot_policy_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	u32 i;

	if (p->owner == c)
		gslot_policy_off(p, now);
	gslot_policy_sleep(p, c, now);
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
 * @p: what is shared
 * @c: the client; may be awake already
 * @now: time, ns
 */
void gslot_policy_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (c->awake)
		return;
	if (p->ops->wake)
		p->ops->wake(p, c, now);
	c->awake = true;
}

/**
 * gslot_policy_sleep() - a client has no such work any more
 * @p: what is shared
 * @c: the client; may be asleep already
 * @now: time, ns
 */
void gslot_policy_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (!c->awake)
		return;
	if (p->ops->sleep)
		p->ops->sleep(p, c, now);
	c->awake = false;
}

/**
 * gslot_policy_set_knobs() - an administrator says what a client is to have
 * @p: what is shared
 * @c: the client
 * @now: time, ns
 * @knobs: that; from now on
 *
 * Return: 0, or -EINVAL if one of them is out of its range, or it reserves more than its cap.
 */
int gslot_policy_set_knobs(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			   const struct gslot_policy_knobs *knobs)
{
	const struct gslot_policy_knobs old = c->knobs;

	if (!knobs->weight || knobs->weight > GSLOT_POLICY_WEIGHT_MAX || !knobs->cap ||
	    knobs->cap > GSLOT_POLICY_ALWAYS || knobs->reserve > knobs->cap)
		return -EINVAL;
	c->knobs = *knobs;
	if (p->ops->changed)
		p->ops->changed(p, c, now, &old);
	return 0;
}

/**
 * gslot_policy_preempt() - the owner is being taken off
 * @p: what is shared; somebody has it
 * @now: time, ns
 */
void gslot_policy_preempt(struct gslot_policy *p, u64 now)
{
	if (p->leaving)
		return;
	p->leaving = true;
	p->leaving_since = now;
}

/* How long the owner has had it; nothing before it begins. */
static u64 had_for(const struct gslot_policy *p, u64 now)
{
	return now > p->since ? now - p->since : 0;
}

/**
 * gslot_policy_reset() - what is shared was reset, as a client did not let go of it
 * @p: what is shared
 * @c: the client
 * @now: time, ns
 */
void gslot_policy_reset(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
{
	if (p->ops->reset)
		p->ops->reset(p, c, now);
}

/**
 * gslot_policy_off() - the owner has nothing on the hardware any more
 * @p: what is shared; somebody has it, and nobody does when this returns
 * @now: time, ns
 */
void gslot_policy_off(struct gslot_policy *p, u64 now)
{
	struct gslot_policy_client *c = p->owner;

	u64 ns = had_for(p, now);

	if (p->ops->ran)
		p->ops->ran(p, c, now, ns);
	if (p->leaving && p->ops->charge)
		p->ops->charge(p, c, now, now - p->leaving_since);
	c->held_ns += ns;
	p->owner = NULL;
	p->leaving = false;
}

/**
 * gslot_policy_hold() - it takes a while until the owner has it
 * @p: what is shared; somebody was just given it
 *
 * That is nobody's time (DymGPU: that of a switch is not charged). gslot_policy_begin() ends it;
 * until then gslot_policy_pick() is not asked.
 */
void gslot_policy_hold(struct gslot_policy *p)
{
	p->since = U64_MAX;
}

/**
 * gslot_policy_begin() - the owner has it only from now on
 * @p: what is shared; somebody has it
 * @now: time, ns
 */
void gslot_policy_begin(struct gslot_policy *p, u64 now)
{
	p->since = now;
}

static void give(struct gslot_policy *p, struct gslot_policy_client *c, u64 now)
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
 * gslot_policy_pick() - what is to be done now?
 * @p: what is shared; nobody is being taken off
 * @now: time, ns
 * @busy: something of the owner is on the hardware
 *
 * Return: what the caller does, at once: it is as if it were done.
 */
struct gslot_policy_choice gslot_policy_pick(struct gslot_policy *p, u64 now, bool busy)
{
	struct gslot_policy_choice choice = p->ops->pick(p, now, busy);

	if (choice.verdict == GSLOT_POLICY_GIVE)
		give(p, choice.client, now);
	else if (choice.verdict == GSLOT_POLICY_PREEMPT)
		gslot_policy_preempt(p, now);
	return choice;
}

/**
 * gslot_policy_next() - who comes next, as far as is known?
 * @p: what is shared
 * @now: time, ns: that of the last gslot_policy_pick(). What time alone changes was looked at
 *	then; of who has paid since, nothing is known
 *
 * Return: whom gslot_policy_pick() would give it to if the owner had no work any more; NULL if
 * that is nobody.
 */
struct gslot_policy_client *gslot_policy_next(const struct gslot_policy *p, u64 now)
{
	struct gslot_policy_client *c = p->ops->next(p, now);

	return c == p->owner ? NULL : c;
}

/**
 * gslot_policy_timer() - when may the choice be another without an event?
 * @p: what is shared
 * @now: time, ns
 *
 * Return: after how many nanoseconds; 0: never.
 */
u64 gslot_policy_timer(const struct gslot_policy *p, u64 now)
{
	return p->leaving ? 0 : p->ops->timer(p, now);
}

/**
 * gslot_policy_patience() - how long may the owner take to be off?
 * @p: what is shared
 * @full_ns: if nobody has done others harm
 *
 * Return: nanoseconds.
 */
u64 gslot_policy_patience(const struct gslot_policy *p, u64 full_ns)
{
	return p->ops->patience(p, full_ns);
}

/**
 * gslot_policy_blocks() - how many request blocks may be dispatched now?
 * @p: what is shared
 *
 * Return: so many of the owner's before gslot_policy_pick() is asked again; U32_MAX: any number.
 */
u32 gslot_policy_blocks(const struct gslot_policy *p)
{
	if (!p->owner || p->leaving)
		return 0;
	return p->ops->blocks ? p->ops->blocks(p) : U32_MAX;
}

/**
 * gslot_policy_held() - how long has a client had what is shared?
 * @p: what is shared
 * @c: the client
 * @now: time, ns
 *
 * Return: nanoseconds, the turn that is not over included.
 */
u64 gslot_policy_held(const struct gslot_policy *p, const struct gslot_policy_client *c,
		      u64 now)
{
	return c->held_ns + (p->owner == c ? had_for(p, now) : 0);
}
