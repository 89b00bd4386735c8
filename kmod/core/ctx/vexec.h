/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Virtual execlist ports: which context status events a guest gets.
 *
 * The guest may have an active list of two elements and a pending list. Its driver expects exactly
 * one promote event for each list that it submits, and one completion for each element that ran
 * to its end. These events do not depend on when the hardware ran the work: requests are queued
 * in order, and an element is complete when the last request queued up to it is retired.
 */
#ifndef _GSLOT_CORE_VEXEC_H
#define _GSLOT_CORE_VEXEC_H

#include "core/types.h"

/* Room for those of one call: at most five, with which selftests/fuzz makes do. */
#ifndef GSLOT_VEXEC_MAX_EVENTS
#define GSLOT_VEXEC_MAX_EVENTS	8
#endif

/* A context in a list */
struct gslot_vexec_element {
	u32 lrca;	/* address of the context, which identifies it */
	u32 id;		/* the descriptor's upper half, which events repeat */
	u64 last;	/* number of the last request that it waits for */
	bool valid;	/* there is such an element */
};

/* The ports of one virtual engine */
struct gslot_vexec {
	struct gslot_vexec_element active[2];	/* the elements that run, in order */
	struct gslot_vexec_element pending[2];	/* the list that is not promoted yet */
	u64 retired;				/* number of the last retired request */
	/* There are no events until the guest resets the engine */
	bool hung;
};

struct gslot_vexec_event {
	u32 status;
	u32 id;
};

/* Events for the guest, in order */
struct gslot_vexec_events {
	u32 count;						/* their number */
	struct gslot_vexec_event event[GSLOT_VEXEC_MAX_EVENTS];	/* context status buffer entries */
};

void gslot_vexec_submit(struct gslot_vexec *v, const struct gslot_vexec_element list[2],
			struct gslot_vexec_events *out);
void gslot_vexec_adopt(struct gslot_vexec *v, const struct gslot_vexec_element list[2],
		       struct gslot_vexec_events *out);
void gslot_vexec_retire(struct gslot_vexec *v, u64 seqno, struct gslot_vexec_events *out);

/* The work of a running element will never complete: freeze the ports until gslot_vexec_reset(). */
static inline void gslot_vexec_hang(struct gslot_vexec *v)
{
	v->hung = true;
}

/* A reset of the engine empties both ports; they keep @retired. */
static inline void gslot_vexec_reset(struct gslot_vexec *v)
{
	*v = (struct gslot_vexec) { .retired = v->retired };
}

#endif
