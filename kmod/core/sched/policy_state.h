/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each policy knows of a client and of a run queue. Only the policy in use looks at its part;
 * all parts are zeroed when another one begins.
 */
#ifndef _GSLOT_CORE_POLICY_STATE_H
#define _GSLOT_CORE_POLICY_STATE_H

#include "core/limits.h"
#include "core/types.h"
#include "bucket.h"

struct gslot_policy_client;

/* Algorithm 2 of gOver: a period of a second, in ten stages. */
#define GSLOT_CAP_STAGE_NS	100000000ull
#define GSLOT_CAP_STAGES	10u
#define GSLOT_CAP_PERIOD_NS	(GSLOT_CAP_STAGES * GSLOT_CAP_STAGE_NS)

/* A client, for the policy cap */
struct gslot_cap_client {
	/* How long it may still have the engine; negative if it has overrun */
	s64 timeslice_ns;
};

/* A run queue, for the policy cap */
struct gslot_cap {
	/* Index at which the search for the next client begins: behind the one that was last */
	u32 next;
	u32 stage;		/* of the period, 0 .. GSLOT_CAP_STAGES - 1 */
	u64 stage_since;	/* when the stage began */
	u64 charged_until;	/* up to here the owner's time is taken off its timeslice */
	bool idle;		/* the owner has nothing to do, and is not charged */
};

/* A client, for the policy credit */
struct gslot_credit_client {
	u32 credit1;	/* credit that is left */
	u32 credit2;	/* credit that it was given last */
	u64 dispatched;	/* how many of its blocks are paid for */
	u64 cpu_ns;	/* CPU time of its worker when the round began, ns */
	u64 spent_ns;	/* CPU time of its worker in the round before */
	u64 slice_ns;	/* the longest that its turn in this round takes */
	bool served;	/* it has had a turn in this round */
};

/* A run queue, for the policy credit */
struct gslot_credit {
	u64 given_at;		/* when credits were given out last */
	u64 turn_since;		/* when the owner's turn began */
	u64 turn_dispatched;	/* how many of its blocks had been dispatched then */
};

/* A run queue, for the policy rr */
struct gslot_rr {
	/* Index at which the search for the next client begins: behind the one that was last */
	u32 next;
};

/* What a client owes */
struct gslot_debt_client {
	u64 debt_ns;		/* its debt */
	u64 imported_ns;	/* how much of that is from another host */
	u64 debtor_since;	/* when it became a debtor */
	u64 grace_until;	/* it has just had work: until then debtors wait for it */
	u64 resets_until;	/* when its budget of resets is whole again */
	bool was_reset;		/* its engine was reset since it was charged last */
};

/* What the clients of a run queue owe */
struct gslot_debt {
	u32 debtors;	/* how many owe anything */
	u64 resets_until;	/* the latest of all clients' */
	u64 paid_until;	/* debts are paid up to here */
	bool idle;	/* the owner has nothing to do, and no other client wants the engine */
};

/*
 * Clients sorted by a key, the first one first. Keys are times of one kind or another, which may
 * wrap: of two of them, less than 2^63 apart, one is before the other. Clients with the same key
 * are in the order in which they were inserted.
 */
struct gslot_sorted {
	u32 count;
	struct gslot_sorted_entry {
		u64 key;
		struct gslot_policy_client *client;
	} entry[GSLOT_MAX_VGPUS];
};

enum gslot_fair_queue {
	GSLOT_FAIR_NONE,
	GSLOT_FAIR_ELIGIBLE,	/* by virtual deadline */
	GSLOT_FAIR_INELIGIBLE,	/* ahead: by virtual time */
};

/* A client, for the policy fair */
struct gslot_fair_client {
	bool wants;			/* it has work */
	bool barred;			/* it is a debtor, and sits out */
	bool capped;			/* its cap is used up, and it is in &gslot_fair.capped */
	bool reserves;			/* it is in &gslot_fair.reserved */
	/* Its weight counts: it competes, or is ahead since it did */
	bool member;
	enum gslot_fair_queue queue;	/* the queue of members that it is in */
	u32 weight;
	u64 vtime;
	u32 remainder;			/* of @vtime: what division left, less than @weight */
	u64 deadline;			/* virtual time at which its request is due */
	u64 request_ns;			/* length of its requests */
	u64 burst_ns;			/* how long it has been served since it woke */
	/* How much of what it is ahead by is time in which it did not yield */
	u64 overrun_ns;
	struct gslot_bucket cap;	/* its cap; unused if it has none */
	u64 release_at;			/* with @capped: when its cap has time again */
	struct gslot_bucket reserve;	/* its reservation; of rate 0 if it has none */
	/* With @reserves: when it is to be served by its reservation */
	u64 due_at;
	s64 most_lag_ns;		/* the most that it ever was behind */
	s64 least_lag_ns;		/* the least: below zero it was ahead */
};

/* A run queue, for the policy fair */
struct gslot_fair {
	u64 vtime;
	u64 remainder;				/* of @vtime: what division left */
	u32 weight;				/* sum of all members' weights */
	/* Lag that clients gave up and no member has got yet, ns << GSLOT_FAIR_SHIFT */
	u64 forfeited;
	u64 until;				/* time is accounted for up to here, ns */
	struct gslot_policy_client *owner;
	bool idle;				/* the owner has nothing to do */
	/* The owner is served beyond its share: virtual time stands still */
	bool extra;
	bool any_barred;			/* there is a client that is barred */
	/* Virtual time at which the client that was preferred last is due */
	u64 preferred_until;
	u64 stretch_ns;				/* the longest that a client did not yield */
	struct gslot_sorted eligible;		/* members that are not ahead, by deadline */
	struct gslot_sorted ineligible;		/* members that are ahead, by virtual time */
	/* Clients without time of their cap, by when they have some again */
	struct gslot_sorted capped;
	/* Clients that compete and have a reservation, by when it has time */
	struct gslot_sorted reserved;
};

#endif
