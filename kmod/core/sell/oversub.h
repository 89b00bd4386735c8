/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Oversubscription of the GPU's time: the sum of the caps that are sold exceeds the whole. A
 * controller moves caps between clients, and reports when one more fits and when there are too
 * many. The approach is gOver's ("Economy-oriented GPU virtualization with dynamic and adaptive
 * oversubscription", IEEE TC 2023): utilisation against the cap, frames per second against a
 * target. There are two controllers:
 *
 * gover: the paper's Algorithm 1. Once a second. A client is overloaded if it has used more than
 *	U_o of its cap three times in succession, or has fewer frames than its target. If it is
 *	the only one, the lightest one, with the least w_u * u_i + w_e * e_i, gives it 0.2 of what
 *	it has not used of its cap. If there are several: a warning. One more fits if no client
 *	was overloaded three times in succession and the sum of u_i * cap_i is below U_l.
 *
 * lend: ours. Ten times a second, at each stage of the policy cap. The differences (by measurement
 *	only the last one matters: docs/performance.md):
 *
 *	- A cap is an upper bound. So the cap of a borrower is raised, and that of a lender stays:
 *	  a lender that wakes has all of its own at once, and the borrower gets what is left from
 *	  the next stage on. gover's lender is short until it has been overloaded for three
 *	  seconds.
 *	- All that is free is lent at once; gover lends a fifth of one client's in a second.
 *	- Clients below their targets borrow before those that only want more: the cost of a
 *	  frame is known, and so the cost of the target.
 *	- One more fits if there is room for what such a client needs in the worst second of the
 *	  last minute, of all clients together; gover looks at three seconds, in which a load
 *	  that is heavy now and then may be light.
 */
#ifndef _GSLOT_CORE_OVERSUB_H
#define _GSLOT_CORE_OVERSUB_H

#include "core/limits.h"
#include "core/types.h"

#define GSLOT_OVERSUB_CLIENTS	GSLOT_POLICY_CLIENTS
#define GSLOT_OVERSUB_WHOLE	GSLOT_WHOLE	/* per mille */

/* gover. The paper: three times in succession, a fifth of what is not used. */
#define GSLOT_OVERSUB_TIMES	3
#define GSLOT_OVERSUB_PART	5
/* Of these it gives no values: U_o, U_l (per mille), w_u (of one per mille), w_e (of a frame). */
#define GSLOT_OVERSUB_HIGH	900u
#define GSLOT_OVERSUB_LOW	500u
#define GSLOT_OVERSUB_W_USE	1
#define GSLOT_OVERSUB_W_DEFICIT	10

/* lend: how many looks count for what is wanted, and how many seconds for room. */
#define GSLOT_OVERSUB_LOOKS	10
#define GSLOT_OVERSUB_SECONDS	60u
/* After so many seconds the load of a client is known. */
#define GSLOT_OVERSUB_KNOWN	20
/* So many seconds of these with a target missed are too many. */
#define GSLOT_OVERSUB_MISSED	2

/* A verdict holds for so long: gover repeats "room" every third second. */
#define GSLOT_OVERSUB_HOLDS_NS	5000000000ull
/* The advice changes no sooner than this after its last change. */
#define GSLOT_OVERSUB_REST_NS	1000000000ull

enum gslot_oversub_verdict {
	GSLOT_OVERSUB_STEADY,	/* nothing to report */
	GSLOT_OVERSUB_MOVED,	/* one was overloaded and has got some of another's cap */
	GSLOT_OVERSUB_ROOM,	/* one more client fits */
	GSLOT_OVERSUB_OVERLOAD,	/* more than caps can help against: one should be migrated away */
};

/**
 * struct gslot_oversub_counters - what a client has done since it joined
 * @busy_ns: how long it has had the GPU
 * @waited_ns: how long it had work and did not have the GPU
 * @frames: how many frames it has completed
 */
struct gslot_oversub_counters {
	u64 busy_ns;
	u64 waited_ns;
	u64 frames;
};

/**
 * struct gslot_oversub_gover - what the controller gover knows of a client
 * @heavy: how often in succession it used more than U_o of its cap
 * @calm: how often in succession it would not have been overloaded with what it was sold
 */
struct gslot_oversub_gover {
	u32 heavy;
	u32 calm;
};

/**
 * struct gslot_oversub_lend - what the controller lend knows of a client
 * @looks: the last looks, a ring
 * @want: what it would use of the GPU if it were alone, per mille
 * @need: what of that it needs for its target
 * @given: what of that it gets
 * @lacked: in the last second it had fewer frames than its target, and waited too long for those
 * @second: of @needs, in this second
 * @seconds: how many of @needs there are
 * @needs: the most it needed in each of the last seconds, per mille; a ring
 */
struct gslot_oversub_lend {
	struct gslot_oversub_counters looks[GSLOT_OVERSUB_LOOKS];
	u32 want;
	u32 need;
	u32 given;
	bool lacked;
	u32 second;
	u32 seconds;
	u16 needs[GSLOT_OVERSUB_SECONDS];
};

/**
 * struct gslot_oversub_client - a client
 * @index: its index in &gslot_oversub.clients
 * @sold: the cap that it was sold, per mille
 * @qos_fps: how many frames per second it is to have at least; 0: it has no such target
 * @counters: the caller keeps them up to date
 * @cap: the cap that it is to have now, per mille, 1 .. GSLOT_OVERSUB_WHOLE
 * @last: @counters at the last look
 * @busy_ns: how long it had the GPU between the last two looks
 * @use: that, per mille of its cap then
 * @fps: its frames per second then
 * @gover: of the controller gover
 * @lend: of the controller lend
 */
struct gslot_oversub_client {
	u32 index;
	u32 sold;
	u32 qos_fps;
	struct gslot_oversub_counters counters;
	u32 cap;
	struct gslot_oversub_counters last;
	u64 busy_ns;
	u32 use;
	u32 fps;
	struct gslot_oversub_gover gover;
	struct gslot_oversub_lend lend;
};

/**
 * struct gslot_oversub - the clients of a controller
 * @ops: the controller
 * @count: how many clients there are
 * @clients: in the order in which they joined
 * @looked_at: when they were sampled last
 * @passed_ns: the time between the last two samples
 * @calm: gover: how often in succession no client was overloaded
 * @looks: lend: the number of samples
 * @missed: lend: bit i: a client missed its target i seconds ago
 */
struct gslot_oversub {
	const struct gslot_oversub_ops *ops;
	u32 count;
	struct gslot_oversub_client *clients[GSLOT_OVERSUB_CLIENTS];
	u64 looked_at;
	u64 passed_ns;
	u32 calm;
	u64 looks;
	u64 missed;
};

/**
 * struct gslot_oversub_ops - a controller
 * @name: for people
 * @period_ns: the time between two samples
 * @leave: a client leaves; may be NULL
 * @look: set the caps of all clients; returns a verdict
 */
struct gslot_oversub_ops {
	const char *name;
	u64 period_ns;
	void (*leave)(struct gslot_oversub *o, struct gslot_oversub_client *c);
	enum gslot_oversub_verdict (*look)(struct gslot_oversub *o);
};

/**
 * struct gslot_oversub_advice - the advice to administrators
 * @word: GSLOT_OVERSUB_STEADY, _ROOM or _OVERLOAD
 * @since: since when
 * @said: the last verdict, if it still holds: @word will be that
 * @said_at: when it was given
 */
struct gslot_oversub_advice {
	enum gslot_oversub_verdict word;
	u64 since;
	enum gslot_oversub_verdict said;
	u64 said_at;
};

extern const struct gslot_oversub_ops gslot_oversub_gover;
extern const struct gslot_oversub_ops gslot_oversub_lend;

void gslot_oversub_init(struct gslot_oversub *o, const struct gslot_oversub_ops *ops, u64 now);
int gslot_oversub_join(struct gslot_oversub *o, struct gslot_oversub_client *c, u32 sold,
		       u32 qos_fps);
void gslot_oversub_leave(struct gslot_oversub *o, struct gslot_oversub_client *c);
enum gslot_oversub_verdict gslot_oversub_look(struct gslot_oversub *o, u64 now);

bool gslot_oversub_advise(struct gslot_oversub_advice *a, enum gslot_oversub_verdict verdict,
			  u64 now);
bool gslot_oversub_unsay(struct gslot_oversub_advice *a, u64 now);

#endif
