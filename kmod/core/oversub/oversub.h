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
 * lend: ours. Ten times a second; under the policy cap, a change counts from the next stage on. The
 *	differences (by measurement only the last one matters: docs/performance.md):
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

/* gover. The paper: three times in succession, a fifth of what is not used. */
#define GSLOT_OVERSUB_TIMES	3
#define GSLOT_OVERSUB_PART	5
/* The paper has no values for U_o and U_l (per mille), w_u (for 1 per mille), w_e (for 1 fps). */
#define GSLOT_OVERSUB_HIGH	900u
#define GSLOT_OVERSUB_LOW	500u
#define GSLOT_OVERSUB_W_USE	1
#define GSLOT_OVERSUB_W_DEFICIT	10

/* selftests/fuzz has smaller ones. */
#ifndef GSLOT_OVERSUB_LOOKS
/* lend: over how many looks wants are estimated; over how many seconds, if one more fits. */
#define GSLOT_OVERSUB_LOOKS	10
#define GSLOT_OVERSUB_SECONDS	60u
/* After this many seconds the load of a client is known. */
#define GSLOT_OVERSUB_KNOWN	20
/* If a target is missed in this many seconds of these, that is too many. */
#define GSLOT_OVERSUB_MISSED	2
#endif

/* A verdict holds for this long: gover repeats "room" every third second. */
#define GSLOT_OVERSUB_HOLDS_NS	5000000000ull
/* The advice changes no sooner than this after its last change. */
#define GSLOT_OVERSUB_REST_NS	1000000000ull

enum gslot_oversub_verdict {
	GSLOT_OVERSUB_STEADY,	/* nothing to report */
	GSLOT_OVERSUB_MOVED,	/* one was overloaded and has got some of another's cap */
	GSLOT_OVERSUB_ROOM,	/* one more client fits */
	GSLOT_OVERSUB_OVERLOAD,	/* to move caps is not enough: a client should be migrated away */
};

/* What a client has done since it joined */
struct gslot_oversub_counters {
	u64 busy_ns;	/* how long it has had the GPU */
	u64 waited_ns;	/* how long it had work and did not have the GPU */
	u64 frames;	/* how many frames it has completed */
};

/* What the controller gover knows of a client */
struct gslot_oversub_gover {
	u32 heavy;	/* how often in succession it used more than U_o of its cap */
	/* How often in succession it would not have been overloaded with what it was sold */
	u32 calm;
};

/* What the controller lend knows of a client */
struct gslot_oversub_lend {
	/* The last looks, a ring */
	struct gslot_oversub_counters looks[GSLOT_OVERSUB_LOOKS];
	u32 want;	/* what it would use of the GPU if it were alone, per mille */
	u32 need;	/* what of that it needs for its target */
	u32 given;	/* what of that it gets */
	/* In the last second it missed its target, as it waited for the GPU: lend_lacked() */
	bool lacked;
	u32 second;	/* the most that it has needed in this second, per mille */
	u32 seconds;	/* how many of @needs there are */
	/* The most it needed in each of the last seconds, per mille; a ring */
	u16 needs[GSLOT_OVERSUB_SECONDS];
};

/* A client */
struct gslot_oversub_client {
	u32 index;				/* its index in &gslot_oversub.clients */
	u32 sold;				/* the cap that it was sold, per mille */
	/* How many frames per second it is to have at least; 0: it has no such target */
	u32 qos_fps;
	struct gslot_oversub_counters counters;	/* the caller keeps them up to date */
	/* The cap that it is to have now, per mille, 1 .. GSLOT_WHOLE */
	u32 cap;
	struct gslot_oversub_counters last;	/* @counters at the last look */
	/* How long it had the GPU between the last two looks */
	u64 busy_ns;
	u32 use;				/* that, per mille of its cap then */
	u32 fps;				/* its frames per second then */
	struct gslot_oversub_gover gover;	/* of the controller gover */
	struct gslot_oversub_lend lend;		/* of the controller lend */
};

/* The clients of a controller */
struct gslot_oversub {
	const struct gslot_oversub_ops *ops;
	u32 count;	/* how many clients there are */
	/* In the order in which they joined */
	struct gslot_oversub_client *clients[GSLOT_MAX_VGPUS];
	u64 looked_at;	/* when they were sampled last */
	u64 passed_ns;	/* the time between the last two samples */
	u32 calm;	/* gover: how often in succession no client was overloaded */
	u64 looks;	/* lend: the number of samples */
	u64 missed;	/* lend: bit i: a client missed its target i seconds ago */
};

/* A controller */
struct gslot_oversub_ops {
	const char *name;	/* as in sysfs */
	u64 period_ns;		/* the time between two samples */
	/* A client leaves; may be NULL */
	void (*leave)(struct gslot_oversub *o, struct gslot_oversub_client *c);
	/* Set the caps of all clients; returns a verdict */
	enum gslot_oversub_verdict (*look)(struct gslot_oversub *o);
};

/* The advice to administrators */
struct gslot_oversub_advice {
	enum gslot_oversub_verdict word;	/* GSLOT_OVERSUB_STEADY, _ROOM or _OVERLOAD */
	u64 since;				/* since when */
	/* The last verdict that still holds, else GSLOT_OVERSUB_STEADY; @word follows it */
	enum gslot_oversub_verdict said;
	u64 said_at;				/* when it was given */
};

extern const struct gslot_oversub_ops gslot_oversub_gover;
extern const struct gslot_oversub_ops gslot_oversub_lend;

int gslot_oversub_join(struct gslot_oversub *o, struct gslot_oversub_client *c, u32 sold,
		       u32 qos_fps);
void gslot_oversub_leave(struct gslot_oversub *o, struct gslot_oversub_client *c);
enum gslot_oversub_verdict gslot_oversub_look(struct gslot_oversub *o, u64 now);

bool gslot_oversub_advise(struct gslot_oversub_advice *a, enum gslot_oversub_verdict verdict,
			  u64 now);
bool gslot_oversub_reset_advice(struct gslot_oversub_advice *a, u64 now);

/* Begin to control caps, without clients. */
static inline void gslot_oversub_init(struct gslot_oversub *o, const struct gslot_oversub_ops *ops,
				      u64 now)
{
	*o = (struct gslot_oversub) { .ops = ops, .looked_at = now };
}

#endif
