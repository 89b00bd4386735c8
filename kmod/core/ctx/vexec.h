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

#define GSLOT_VEXEC_MAX_EVENTS	8	/* of one call, at most */

/**
 * struct gslot_vexec_element - a context in a list
 * @lrca: address of the context, which identifies it
 * @id: the descriptor's upper half, which events repeat
 * @last: number of the last request that it waits for
 * @valid: there is such an element
 */
struct gslot_vexec_element {
	u32 lrca;
	u32 id;
	u64 last;
	bool valid;
};

/**
 * struct gslot_vexec - the ports of one virtual engine
 * @active: the elements that run, in order
 * @pending: the list that is not promoted yet
 * @retired: number of the last retired request
 * @hung: there are no events until the guest resets the engine
 */
struct gslot_vexec {
	struct gslot_vexec_element active[2];
	struct gslot_vexec_element pending[2];
	u64 retired;
	bool hung;
};

struct gslot_vexec_event {
	u32 status;
	u32 id;
};

/**
 * struct gslot_vexec_events - events for the guest, in order
 * @count: their number
 * @event: context status buffer entries
 */
struct gslot_vexec_events {
	u32 count;
	struct gslot_vexec_event event[GSLOT_VEXEC_MAX_EVENTS];
};

void gslot_vexec_reset(struct gslot_vexec *v);
void gslot_vexec_submit(struct gslot_vexec *v, const struct gslot_vexec_element list[2],
			struct gslot_vexec_events *out);
void gslot_vexec_retire(struct gslot_vexec *v, u64 seqno, struct gslot_vexec_events *out);
void gslot_vexec_hang(struct gslot_vexec *v);

#endif
