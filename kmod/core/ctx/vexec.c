// SPDX-License-Identifier: GPL-2.0
#include "vexec.h"
#include "gen/lrc.h"

static void vexec_emit(struct gslot_vexec_events *out, u32 status, u32 id)
{
	struct gslot_vexec_event *event = &out->event[out->count++];

	event->status = status;
	event->id = id;
}

static void vexec_promote(struct gslot_vexec *v)
{
	memcpy(v->active, v->pending, sizeof(v->active));
	memset(v->pending, 0, sizeof(v->pending));
}

/* Promote the pending list if the engine is idle, or runs the same context. */
static void vexec_try_promote(struct gslot_vexec *v, struct gslot_vexec_events *out)
{
	if (!v->pending[0].valid)
		return;
	if (!v->active[0].valid) {
		vexec_promote(v);
		vexec_emit(out, CSB_IDLE_ACTIVE, 0);
	} else if (v->active[0].lrca == v->pending[0].lrca) {
		vexec_emit(out, CSB_PREEMPTED | CSB_LITE_RESTORE, v->active[0].id);
		vexec_promote(v);
	}
}

static bool vexec_complete_one(struct gslot_vexec *v, struct gslot_vexec_events *out)
{
	struct gslot_vexec_element done = v->active[0];

	if (!done.valid || done.last > v->retired)
		return false;
	v->active[0] = v->active[1];
	v->active[1].valid = false;
	vexec_emit(out, CSB_COMPLETE | (v->active[0].valid ? CSB_ELEMENT_SWITCH : CSB_ACTIVE_IDLE),
		   done.id);
	return true;
}

/* Ends after a few steps: there are at most two lists of two elements. */
static void vexec_advance(struct gslot_vexec *v, struct gslot_vexec_events *out)
{
	do {
		vexec_try_promote(v, out);
	} while (vexec_complete_one(v, out));
}

/* Put a list into ports, active or pending. */
static void vexec_put(struct gslot_vexec *v, struct gslot_vexec_element *ports,
		      const struct gslot_vexec_element list[2], struct gslot_vexec_events *out)
{
	out->count = 0;
	if (v->hung)
		return;
	memcpy(ports, list, sizeof(v->active));
	vexec_advance(v, out);
}

/**
 * gslot_vexec_submit() - submit a list of the guest's
 * @v: the ports
 * @list: its two elements; the first is valid
 * @out: out: events
 *
 * It replaces a pending list, as in hardware.
 */
void gslot_vexec_submit(struct gslot_vexec *v, const struct gslot_vexec_element list[2],
			struct gslot_vexec_events *out)
{
	vexec_put(v, v->pending, list, out);
}

/**
 * gslot_vexec_adopt() - a list was promoted elsewhere, and goes on here
 * @v: the ports; a list that is active is replaced, without its events
 * @list: its two elements; the first is valid
 * @out: out: events, without that of its promotion
 */
void gslot_vexec_adopt(struct gslot_vexec *v, const struct gslot_vexec_element list[2],
		       struct gslot_vexec_events *out)
{
	vexec_put(v, v->active, list, out);
}

/**
 * gslot_vexec_retire() - retire all requests up to a number
 * @v: the ports
 * @seqno: the number
 * @out: out: events
 */
void gslot_vexec_retire(struct gslot_vexec *v, u64 seqno, struct gslot_vexec_events *out)
{
	out->count = 0;
	if (seqno > v->retired)
		v->retired = seqno;
	if (!v->hung)
		vexec_advance(v, out);
}

