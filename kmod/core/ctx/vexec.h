/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A virtual execlist port pair: which context status events a guest gets.
 *
 * The guest may have one list of two elements running and one list waiting to
 * take its place. Its driver counts on exactly one promote event for each
 * list that it submits, and one completion for each element that ran to its
 * end. When the hardware in fact ran the work is another matter: requests are
 * queued in order, and an element is complete when the last request queued
 * for it, or before it, is retired.
 */
#ifndef _GSLOT_CORE_VEXEC_H
#define _GSLOT_CORE_VEXEC_H

#include "core/types.h"

#define GSLOT_VEXEC_MAX_EVENTS	8	/* one call never yields more */

/**
 * struct gslot_vexec_element - one context in one port
 * @lrca: which context; two elements with one LRCA are the same
 * @id: the descriptor's upper half, echoed in events
 * @last: number of the last request that it waits for
 * @valid: the port is taken
 */
struct gslot_vexec_element {
	u32 lrca;
	u32 id;
	u64 last;
	bool valid;
};

/**
 * struct gslot_vexec - the ports of one virtual engine
 * @active: running elements, in order
 * @pending: a list that has not been promoted yet
 * @retired: number of the last retired request
 * @hung: nothing happens any more until the guest resets the engine
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
 * struct gslot_vexec_events - what a step tells the guest, in order
 * @count: how many
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
