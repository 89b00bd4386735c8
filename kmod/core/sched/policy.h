/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interface of scheduling policies: which client owns an engine, and for how long.
 *
 * A run queue shares out one engine, or all of them together: "the engine" here. The engine has
 * one owner at a time; a period of ownership is a turn. The scheduler reports events. It calls
 * gslot_policy_pick() after each of them, and again after gslot_policy_timer(), and carries out the
 * choice.
 *
 * A policy keeps its state in the structs below, which the caller embeds. It allocates nothing and
 * takes no lock. The caller passes the time: nanoseconds that never go back.
 */
#ifndef _GSLOT_CORE_POLICY_H
#define _GSLOT_CORE_POLICY_H

#include "core/limits.h"
#include "core/types.h"
#include "policy_state.h"

#define GSLOT_POLICY_WEIGHT	100	/* default */
#define GSLOT_POLICY_WEIGHT_MAX	10000

/* What an administrator sets of a client */
struct gslot_policy_knobs {
	u32 weight;	/* its share is proportional to it; 1 .. GSLOT_POLICY_WEIGHT_MAX */
	/* The most that it gets of the time, per mille; 1 .. GSLOT_WHOLE, which is no cap */
	u32 cap;
	/* The least that it gets of the time while it has work, per mille; 0: its share */
	u32 reserve;
	u64 quantum_ns;	/* longest turn while another client waits; 0: &gslot_policy.quantum_ns */
};

/*
 * What a client does, as far as policies use it. The caller updates it before gslot_policy_pick(),
 * and @dispatched before the next dispatch. @dispatched and @cpu_ns never go back.
 */
struct gslot_policy_load {
	u32 queued;	/* request blocks that wait to be dispatched, now */
	u64 dispatched;	/* request blocks dispatched since it joined */
	u64 cpu_ns;	/* CPU time of its worker since it joined, ns */
	u32 bandwidth;	/* its part of the memory's bandwidth, per mille */
	u32 memory;	/* its part of graphics memory, per mille */
	u32 to_copy;	/* how much would have to be copied for it if it got the engine now */
};

/* A client of a run queue */
struct gslot_policy_client {
	u32 index;				/* its place in &gslot_policy.clients */
	bool awake;				/* it has work that may run */
	struct gslot_policy_knobs knobs;	/* what an administrator has set */
	struct gslot_policy_load load;		/* what it does */
	/* How often it got the engine after another client */
	u64 turns;
	u64 held_ns;				/* sum of its turns that are over */
	/* State of the policy cap. A change of the policy zeroes this and all members below */
	struct gslot_cap_client cap;
	struct gslot_credit_client credit;	/* state of the policy credit */
	struct gslot_debt_client debt;		/* what it owes */
	struct gslot_fair_client fair;		/* state of the policy fair */
};

/* A run queue */
struct gslot_policy {
	/* The policy; changed by gslot_policy_change() */
	const struct gslot_policy_ops *ops;
	u64 quantum_ns;			/* longest turn while another client waits */
	u32 count;			/* number of clients */
	/* In the order in which they joined */
	struct gslot_policy_client *clients[GSLOT_MAX_VGPUS];
	/* The client that has the engine, or NULL */
	struct gslot_policy_client *owner;
	/* The client that had it last, @owner included; NULL if it has left */
	struct gslot_policy_client *last;
	u64 since;			/* since when @owner can use the engine; U64_MAX: not yet */
	bool leaving;			/* @owner is being preempted */
	u64 leaving_since;		/* since when */
	u64 turns;			/* how often the engine passed from one client to another */
	/* State of the policy cap. A change of the policy zeroes this and all members below */
	struct gslot_cap cap;
	struct gslot_credit credit;	/* state of the policy credit */
	struct gslot_debt debt;		/* what clients owe */
	struct gslot_fair fair;		/* state of the policy fair */
	struct gslot_rr rr;		/* state of the policy rr */
};

enum gslot_policy_verdict {
	GSLOT_POLICY_KEEP,	/* nothing changes */
	GSLOT_POLICY_GIVE,	/* @client is the owner now, and the one before is not */
	/* Preempt the owner; call gslot_policy_pick() once it is off the hardware */
	GSLOT_POLICY_PREEMPT,
};

struct gslot_policy_choice {
	enum gslot_policy_verdict verdict;
	struct gslot_policy_client *client;	/* with GSLOT_POLICY_GIVE: the new owner */
};

/**
 * struct gslot_policy_ops - a policy
 * @name: as in sysfs
 * @join: a client joins, asleep, with its present knobs and load. When the first one joins, the
 *	policy's state is zero: its time begins
 * @leave: a client leaves; it is asleep, and not the owner
 * @wake: a client has work
 * @sleep: a client has no work any more, or may not run
 * @changed: a client's knobs have changed, from @old
 * @ran: the owner had the engine, until now
 * @charge: other clients have waited for the owner to yield, for the last @ns
 * @pick: choose. &gslot_policy.owner changes after it. @busy: work of the owner is on the hardware
 * @next: the client that would get the engine if the owner had no work any more, or NULL
 * @timer: after how many nanoseconds @pick may decide otherwise though there was no event; 0:
 *	never. Debts are left out: gslot_debt_timer() is for these
 * @blocks: how many request blocks of the owner may be dispatched before the next @pick; NULL: any
 *	number
 *
 * All but @name, @pick, @next and @timer may be NULL. A function sees the queue as it was before
 * the event, @pick as it is after it; debts (debt.c) are up to date. A policy's state is zero
 * before the first @join, that of a client before its own.
 */
struct gslot_policy_ops {
	const char *name;
	void (*join)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
	void (*leave)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
	void (*wake)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
	void (*sleep)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
	void (*changed)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			const struct gslot_policy_knobs *old);
	void (*ran)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
	void (*charge)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns);
	struct gslot_policy_choice (*pick)(struct gslot_policy *p, u64 now, bool busy);
	struct gslot_policy_client *(*next)(const struct gslot_policy *p, u64 now);
	u64 (*timer)(const struct gslot_policy *p, u64 now);
	u32 (*blocks)(const struct gslot_policy *p);
};

void gslot_policy_change(struct gslot_policy *p, const struct gslot_policy_ops *ops, u64 now);
int gslot_policy_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_policy_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_policy_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_policy_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
int gslot_policy_set_knobs(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			   const struct gslot_policy_knobs *knobs);
void gslot_policy_preempt(struct gslot_policy *p, u64 now);
void gslot_policy_reset(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_policy_import_debt(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			      u64 debt_ns, u64 resets_ns);
void gslot_policy_off(struct gslot_policy *p, u64 now);
struct gslot_policy_choice gslot_policy_pick(struct gslot_policy *p, u64 now, bool busy);
struct gslot_policy_client *gslot_policy_next(const struct gslot_policy *p, u64 now);
u64 gslot_policy_timer(const struct gslot_policy *p, u64 now);
u64 gslot_policy_patience(const struct gslot_policy *p, u64 full_ns);
u32 gslot_policy_blocks(const struct gslot_policy *p);
u64 gslot_policy_held(const struct gslot_policy *p, const struct gslot_policy_client *c,
		      u64 now);

/* A run queue without an owner and clients. */
static inline void gslot_policy_init(struct gslot_policy *p, const struct gslot_policy_ops *ops,
				     u64 quantum_ns)
{
	memset(p, 0, sizeof(*p));
	p->ops = ops;
	p->quantum_ns = quantum_ns;
}

/*
 * The owner, which has just got the engine, cannot use it yet: it is not charged for that time (as
 * in DymGPU). gslot_policy_begin() ends it; gslot_policy_pick() must not be called until then.
 */
static inline void gslot_policy_hold(struct gslot_policy *p)
{
	p->since = U64_MAX;
}

/* The owner can use the engine from @now on; ends gslot_policy_hold(). */
static inline void gslot_policy_begin(struct gslot_policy *p, u64 now)
{
	p->since = now;
}

#endif
