/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who has what is shared, and for how long: the interface of policies.
 *
 * What is shared (all engines together, or one) has one owner at a time. The
 * scheduler says what happens: clients join and leave, wake and sleep, the owner
 * is being taken off, is off. It asks gslot_policy_pick() after that, and again
 * after gslot_policy_timer(), and does what it says.
 *
 * A policy keeps what it knows in the structs below, which the caller embeds. Nothing
 * is allocated, no lock is taken, and time is what the caller says: nanoseconds that
 * never go back.
 */
#ifndef _GSLOT_CORE_POLICY_H
#define _GSLOT_CORE_POLICY_H

#include "core/types.h"
#include "cap.h"
#include "credit.h"
#include "debt.h"
#include "fair.h"
#include "rr.h"

#define GSLOT_POLICY_CLIENTS	80

#define GSLOT_POLICY_ALWAYS	1000	/* per mille */
#define GSLOT_POLICY_WEIGHT	100	/* of a client of which nobody has said anything else */
#define GSLOT_POLICY_WEIGHT_MAX	10000

/**
 * struct gslot_policy_knobs - what an administrator says of a client
 * @weight: its share is to those of others as this is to theirs; 1 .. GSLOT_POLICY_WEIGHT_MAX
 * @cap: it has at most so much of the time, per mille; 1 .. GSLOT_POLICY_ALWAYS, which is no cap
 * @reserve: it has at least so much when it has work, per mille; 0: only its share
 * @quantum_ns: how long it may have it while another waits; 0: as all others
 */
struct gslot_policy_knobs {
	u32 weight;
	u32 cap;
	u32 reserve;
	u64 quantum_ns;
};

/**
 * struct gslot_policy_load - what a client does, as far as a policy must be told
 * @queued: request blocks that wait to be dispatched, now
 * @dispatched: request blocks that were dispatched, since it joined
 * @cpu_ns: CPU time that its worker has spent, since it joined, ns
 * @bandwidth: how much of the memory's bandwidth it uses, per mille of the whole
 * @memory: how much of graphics memory it uses, per mille of the whole
 * @to_copy: how much would have to be copied for it if it were given what is shared now
 *
 * The caller keeps it up to date: whatever has changed is here before gslot_policy_pick(), and
 * @dispatched before the next one is dispatched. @dispatched and @cpu_ns never go back.
 */
struct gslot_policy_load {
	u32 queued;
	u64 dispatched;
	u64 cpu_ns;
	u32 bandwidth;
	u32 memory;
	u32 to_copy;
};

/**
 * struct gslot_policy_client - one of those who share
 * @index: its place in &gslot_policy.clients
 * @awake: it has work that may run
 * @knobs: what it is to have
 * @load: what it does
 * @turns: how often it was given what is shared after somebody else
 * @held_ns: how long it had it, in all turns that are over
 * @cap: what the policy cap knows of it
 * @credit: what the policy credit knows of it
 * @debt: what it owes for what it did not let go of: rr, fair
 * @fair: what the policy fair knows of it
 */
struct gslot_policy_client {
	u32 index;
	bool awake;
	struct gslot_policy_knobs knobs;
	struct gslot_policy_load load;
	u64 turns;
	u64 held_ns;
	struct gslot_cap_client cap;
	struct gslot_credit_client credit;
	struct gslot_debt_client debt;
	struct gslot_fair_client fair;
};

/**
 * struct gslot_policy - what is shared
 * @ops: the policy; another by gslot_policy_change()
 * @quantum_ns: how long one may have it while another waits
 * @count: how many clients there are
 * @clients: in the order in which they joined
 * @owner: who has it, or NULL
 * @last: who had it last, @owner included; NULL if that one has left
 * @since: when @owner was given it; U64_MAX: it has it, but not to use yet
 * @leaving: @owner is being taken off
 * @leaving_since: when that began
 * @turns: how often it went from one to another
 * @cap: what the policy cap knows
 * @credit: what the policy credit knows
 * @debt: what is owed for what was not let go of: rr, fair
 * @fair: what the policy fair knows
 * @rr: what the policy rr knows
 */
struct gslot_policy {
	const struct gslot_policy_ops *ops;
	u64 quantum_ns;
	u32 count;
	struct gslot_policy_client *clients[GSLOT_POLICY_CLIENTS];
	struct gslot_policy_client *owner;
	struct gslot_policy_client *last;
	u64 since;
	bool leaving;
	u64 leaving_since;
	u64 turns;
	struct gslot_cap cap;
	struct gslot_credit credit;
	struct gslot_debt debt;
	struct gslot_fair fair;
	struct gslot_rr rr;
};

enum gslot_policy_verdict {
	GSLOT_POLICY_KEEP,	/* all stays as it is */
	GSLOT_POLICY_GIVE,	/* whoever had it has not any more: @client has it */
	/* take the owner off, and ask again when it is: at once if nothing of it is there */
	GSLOT_POLICY_PREEMPT,
};

/**
 * struct gslot_policy_choice - what to do
 * @verdict: what
 * @client: with GSLOT_POLICY_GIVE: who has it now
 */
struct gslot_policy_choice {
	enum gslot_policy_verdict verdict;
	struct gslot_policy_client *client;
};

/**
 * struct gslot_policy_ops - a policy
 * @name: for people
 * @join: a client comes, asleep, with its knobs and loads as they are then; the first one, with
 *	nothing known of the time before
 * @leave: it goes; it is asleep, and not the owner
 * @wake: it has work
 * @sleep: it has none any more, or may not run
 * @changed: its knobs are others than before, which were @old
 * @ran: the owner has had it for @ns, until now
 * @charge: for the last @ns of them the others waited for it to be off
 * @reset: what is shared had to be reset, as it did not let go
 * @pick: what is to be done now? &gslot_policy.owner changes after it. It is
 *	busy while something of the owner is on the hardware
 * @next: who would be given it if the owner had no work any more? NULL: nobody
 * @timer: after how many nanoseconds may @pick say something else without an
 *	event? 0: never
 * @patience: how long may the owner take to be off, if at best that is
 *	@full_ns?
 * @blocks: how many request blocks may be dispatched for the owner before @pick is asked
 *	again? NULL: any number
 *
 * What makes no difference to a policy is NULL, but for @pick, @next, @timer, @patience.
 * The policy's view is the one of before the event, and of after it in @pick. Its own parts of
 * &gslot_policy and &gslot_policy_client are zero before the first @join, and that of the client
 * before its own.
 */
struct gslot_policy_ops {
	const char *name;
	void (*join)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
	void (*leave)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
	void (*wake)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
	void (*sleep)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
	void (*changed)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			const struct gslot_policy_knobs *old);
	void (*ran)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns);
	void (*charge)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now, u64 ns);
	void (*reset)(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
	struct gslot_policy_choice (*pick)(struct gslot_policy *p, u64 now, bool busy);
	struct gslot_policy_client *(*next)(const struct gslot_policy *p, u64 now);
	u64 (*timer)(const struct gslot_policy *p, u64 now);
	u64 (*patience)(const struct gslot_policy *p, u64 full_ns);
	u32 (*blocks)(const struct gslot_policy *p);
};

void gslot_policy_init(struct gslot_policy *p, const struct gslot_policy_ops *ops,
		       u64 quantum_ns);
void gslot_policy_change(struct gslot_policy *p, const struct gslot_policy_ops *ops, u64 now);
int gslot_policy_join(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_policy_leave(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_policy_wake(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_policy_sleep(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
int gslot_policy_set_knobs(struct gslot_policy *p, struct gslot_policy_client *c, u64 now,
			   const struct gslot_policy_knobs *knobs);
void gslot_policy_preempt(struct gslot_policy *p, u64 now);
void gslot_policy_reset(struct gslot_policy *p, struct gslot_policy_client *c, u64 now);
void gslot_policy_off(struct gslot_policy *p, u64 now);
void gslot_policy_hold(struct gslot_policy *p);
void gslot_policy_begin(struct gslot_policy *p, u64 now);
struct gslot_policy_choice gslot_policy_pick(struct gslot_policy *p, u64 now, bool busy);
struct gslot_policy_client *gslot_policy_next(const struct gslot_policy *p, u64 now);
u64 gslot_policy_timer(const struct gslot_policy *p, u64 now);
u64 gslot_policy_patience(const struct gslot_policy *p, u64 full_ns);
u32 gslot_policy_blocks(const struct gslot_policy *p);
u64 gslot_policy_held(const struct gslot_policy *p, const struct gslot_policy_client *c,
		      u64 now);

#endif
