// SPDX-License-Identifier: GPL-2.0
#include "vexec.h"
#include "gen/lrc.h"

static void emit(struct gslot_vexec_events *out, u32 status, u32 id)
{
	struct gslot_vexec_event *event = &out->event[out->count++];

	event->status = status;
	event->id = id;
}

static void promote(struct gslot_vexec *v)
{
	memcpy(v->active, v->pending, sizeof(v->active));
	memset(v->pending, 0, sizeof(v->pending));
}

/* Can the waiting list take over now? One that is unlike waits for idleness. */
static void try_promote(struct gslot_vexec *v, struct gslot_vexec_events *out)
{
	if (!v->pending[0].valid)
		return;
	if (!v->active[0].valid) {
		promote(v);
		emit(out, CSB_IDLE_ACTIVE, 0);
	} else if (v->active[0].lrca == v->pending[0].lrca) {
		emit(out, CSB_PREEMPTED | CSB_LITE_RESTORE, v->active[0].id);
		promote(v);
	}
}

static bool complete_one(struct gslot_vexec *v, struct gslot_vexec_events *out)
{
	struct gslot_vexec_element done = v->active[0];

	if (!done.valid || done.last > v->retired)
		return false;
	v->active[0] = v->active[1];
	v->active[1].valid = false;
	emit(out, CSB_COMPLETE | (v->active[0].valid ? CSB_ELEMENT_SWITCH : CSB_ACTIVE_IDLE),
	     done.id);
	return true;
}

/* At most two lists of two elements: the steps are few. */
static void advance(struct gslot_vexec *v, struct gslot_vexec_events *out)
{
	do {
		try_promote(v, out);
	} while (complete_one(v, out));
}

/**
 * gslot_vexec_reset() - the engine was reset: nothing runs, nothing waits
 * @v: the ports; they keep the number of the last retired request
 */
void gslot_vexec_reset(struct gslot_vexec *v)
{
	memset(v->active, 0, sizeof(v->active));
	memset(v->pending, 0, sizeof(v->pending));
	v->hung = false;
}

/**
 * gslot_vexec_submit() - the guest submitted a list
 * @v: the ports
 * @list: its two elements; the first is valid
 * @out: events
 *
 * A list that waits already is replaced, as in hardware.
 */
void gslot_vexec_submit(struct gslot_vexec *v, const struct gslot_vexec_element list[2],
			struct gslot_vexec_events *out)
{
	out->count = 0;
	if (v->hung)
		return;
	memcpy(v->pending, list, sizeof(v->pending));
	advance(v, out);
}

/**
 * gslot_vexec_retire() - all requests up to a number are retired
 * @v: the ports
 * @seqno: the number
 * @out: events
 */
void gslot_vexec_retire(struct gslot_vexec *v, u64 seqno, struct gslot_vexec_events *out)
{
	out->count = 0;
	if (seqno > v->retired)
		v->retired = seqno;
	if (!v->hung)
		advance(v, out);
}

/**
 * gslot_vexec_hang() - the work of a running element can never complete
 * @v: the ports; nothing happens to them until gslot_vexec_reset()
 */
void gslot_vexec_hang(struct gslot_vexec *v)
{
	v->hung = true;
}
