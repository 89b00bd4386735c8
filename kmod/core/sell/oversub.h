/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Oversubscription of the GPU's time: clients are sold caps that are more than the whole in sum,
 * and a controller moves caps between them, and says when one more fits and when there are too
 * many. The frame is gOver's ("Economy-oriented GPU virtualization with dynamic and adaptive
 * oversubscription", IEEE TC 2023): utilisation against the cap, frames per second against a
 * target. There are two controllers:
 *
 * gover: the paper's Algorithm 1. Once a second. A client is overloaded if it has used more than
 *	U_o of its cap three times in succession, or has fewer frames than its target. If it is
 *	the only one, the lightest one, with the least w_u * u_i + w_e * e_i, gives it 0.2 of what
 *	it has not used of its cap. If there are several: a warning. One more fits if nobody was
 *	overloaded three times in succession and the sum of u_i * cap_i is below U_l.
 *
 * lend: ours. Ten times a second, at each stage of the policy cap. What is different (and what
 *	of that is worth it, by measurement the last: docs/scheduling.md):
 *
 *	- A cap is an upper bound, so nobody has to give up any of his for another to have what
 *	  he does not use: the other's is raised. Who wakes has his own at once, and at the next
 *	  stage the other's is what is left; gover's lender is short until it has been
 *	  overloaded for three seconds.
 *	- It lends what is free, all of it, at once; gover a fifth of one client's in a second.
 *	- What is borrowed goes to those below their targets before those that only want more:
 *	  what a frame costs is known, so what the target costs.
 *	- Whether one more fits is seen by the last minute's worst second, of all of them
 *	  together, and by what such a client needs; not by what three seconds were like, in which
 *	  what is heavy now and then was light.
 */
#ifndef _GSLOT_CORE_OVERSUB_H
#define _GSLOT_CORE_OVERSUB_H

#include "core/limits.h"
#include "core/types.h"

#define GSLOT_OVERSUB_CLIENTS	GSLOT_POLICY_CLIENTS
#define GSLOT_OVERSUB_WHOLE	GSLOT_POLICY_ALWAYS	/* per mille */

/* gover. The paper: three times in succession, a fifth of what is not used. */
#define GSLOT_OVERSUB_TIMES	3
#define GSLOT_OVERSUB_PART	5
/* Of these it gives no values: U_o, U_l (per mille), w_u (of one per mille), w_e (of a frame). */
#define GSLOT_OVERSUB_HIGH	900u
#define GSLOT_OVERSUB_LOW	500u
#define GSLOT_OVERSUB_W_USE	1
#define GSLOT_OVERSUB_W_DEFICIT	10

/* lend: it looks back on so many looks for what is wanted, and on so many seconds for room. */
#define GSLOT_OVERSUB_LOOKS	10
#define GSLOT_OVERSUB_SECONDS	60u
/* So many seconds of a client say what it is like. */
#define GSLOT_OVERSUB_KNOWN	20
/* So many seconds of these with a target missed are too many. */
#define GSLOT_OVERSUB_MISSED	2

/* What was said holds for so long: gover says that there is room every third second. */
#define GSLOT_OVERSUB_HOLDS_NS	5000000000ull
/* And no sooner than after this comes another word. */
#define GSLOT_OVERSUB_REST_NS	1000000000ull

enum gslot_oversub_verdict {
	GSLOT_OVERSUB_STEADY,	/* nothing to be said */
	GSLOT_OVERSUB_MOVED,	/* one was overloaded and has got some of another's cap */
	GSLOT_OVERSUB_ROOM,	/* one more client fits */
	GSLOT_OVERSUB_OVERLOAD,	/* more than caps can help against: one should be migrated away */
};

/**
 * struct gslot_oversub_counters - what a client has done since it came
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
 * struct gslot_oversub_client - one of those whose caps are controlled
 * @index: its place in &gslot_oversub.clients
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
 * struct gslot_oversub - those whose caps are controlled
 * @ops: the controller
 * @count: how many they are
 * @clients: in the order in which they came
 * @looked_at: when they were looked at last
 * @passed_ns: how long before that they were looked at
 * @calm: gover: how often in succession nobody was overloaded
 * @looks: lend: how many looks there were
 * @missed: lend: bit i: somebody missed its target i seconds ago
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
 * @period_ns: how often it wants to look
 * @leave: a client goes
 * @look: set all clients' caps, and say what there is to be said
 *
 * @leave is NULL if it makes no difference.
 */
struct gslot_oversub_ops {
	const char *name;
	u64 period_ns;
	void (*leave)(struct gslot_oversub *o, struct gslot_oversub_client *c);
	enum gslot_oversub_verdict (*look)(struct gslot_oversub *o);
};

/**
 * struct gslot_oversub_advice - what there is to be said, as others hear it
 * @word: GSLOT_OVERSUB_STEADY, _ROOM or _OVERLOAD
 * @since: since when
 * @said: what the controller said last, if it still holds: @word will be that
 * @said_at: when it did
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
