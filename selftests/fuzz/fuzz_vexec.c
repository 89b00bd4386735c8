// SPDX-License-Identifier: GPL-2.0
/*
 * Virtual execlists with a guest that submits any lists at any time: two bytes a step. The events
 * are checked against what a driver knows: which lists it submitted, in which order, and which
 * requests are retired. With SMALL there is no room for more events than a call can have: two
 * elements complete, a list is promoted, and both of its elements complete.
 */
#ifdef SMALL
#define GSLOT_VEXEC_MAX_EVENTS	5
#endif

#include "test.h"
#include "core/ctx/vexec.h"
#include "gen/lrc.h"
#ifdef SMALL
#include "core/ctx/vexec.c"
#endif

#define NR_CONTEXTS	4

enum step {
	STEP_SUBMIT,
	STEP_SUBMIT_ONE,
	STEP_RETIRE,
	STEP_RETIRE_ALL,
	STEP_HANG,
	STEP_RESET,
	STEP_MOVE,
	NR_STEPS,
};

/**
 * struct driver - what a driver knows
 * @active: the list that was promoted last; its first element completes next
 * @pending: the list that it submitted last, if it is not promoted yet
 * @last: the newest request of each context
 * @queued: requests that were queued
 * @retired: requests that are retired
 * @hung: no event may come
 * @moved: its engine has moved, and the next list was promoted before
 */
struct driver {
	struct gslot_vexec_element active[2];
	struct gslot_vexec_element pending[2];
	u64 last[NR_CONTEXTS];
	u64 queued;
	u64 retired;
	bool hung;
	bool moved;
};

static void promoted(struct driver *d, const struct gslot_vexec_event *ev)
{
	must(d->pending[0].valid);
	if (ev->status == CSB_IDLE_ACTIVE) {
		must(!d->active[0].valid);
	} else {
		must(ev->status == (CSB_PREEMPTED | CSB_LITE_RESTORE));
		must(d->active[0].valid && d->active[0].lrca == d->pending[0].lrca);
		must(ev->id == d->active[0].id);
	}
	memcpy(d->active, d->pending, sizeof(d->active));
	memset(d->pending, 0, sizeof(d->pending));
}

static void completed(struct driver *d, const struct gslot_vexec_event *ev)
{
	must(ev->status & CSB_COMPLETE);
	must(d->active[0].valid && ev->id == d->active[0].id);
	must(d->active[0].last <= d->retired);
	must(!!(ev->status & CSB_ELEMENT_SWITCH) == d->active[1].valid);
	must(!(ev->status & CSB_ACTIVE_IDLE) == d->active[1].valid);
	d->active[0] = d->active[1];
	d->active[1].valid = false;
}

static void check(struct driver *d, const struct gslot_vexec *v,
		  const struct gslot_vexec_events *events)
{
	u32 i;

	must(events->count <= 5);
	must(!d->hung || !events->count);
	for (i = 0; i < events->count; i++) {
		if (events->event[i].status & CSB_PROMOTE)
			promoted(d, &events->event[i]);
		else
			completed(d, &events->event[i]);
	}
	must(v->active[0].valid == d->active[0].valid);
	if (d->hung)
		return;
	/* No event that is due is missing. */
	must(!d->active[0].valid || d->active[0].last > d->retired);
	must(d->active[0].valid || !d->pending[0].valid);
}

static struct gslot_vexec_element element(struct driver *d, u8 context, bool work)
{
	if (work)
		d->last[context] = ++d->queued;
	return (struct gslot_vexec_element) {
		.lrca = context, .id = 0x100 + context, .last = d->last[context], .valid = true,
	};
}

static void submit(struct driver *d, struct gslot_vexec *v, u8 arg, bool two,
		   struct gslot_vexec_events *out)
{
	struct gslot_vexec_element list[2] = { element(d, arg & 3, arg & 4) };

	if (two)
		list[1] = element(d, arg >> 3 & 3, arg & 0x20);
	/* A hung engine gets no submission before its reset, which drops what is queued. */
	if (d->moved) {
		gslot_vexec_adopt(v, list, out);
		if (!d->hung)
			memcpy(d->active, list, sizeof(list));
	} else {
		gslot_vexec_submit(v, list, out);
		if (!d->hung)
			memcpy(d->pending, list, sizeof(list));
	}
	d->moved = false;
}

static void retire(struct driver *d, struct gslot_vexec *v, u64 seqno,
		   struct gslot_vexec_events *out)
{
	d->retired = max(d->retired, seqno);
	gslot_vexec_retire(v, seqno, out);
}

static void step(struct driver *d, struct gslot_vexec *v, u8 what, u8 arg)
{
	struct gslot_vexec_events events = { };

	switch (what % NR_STEPS) {
	case STEP_SUBMIT:
	case STEP_SUBMIT_ONE:
		submit(d, v, arg, what % NR_STEPS == STEP_SUBMIT, &events);
		break;
	case STEP_RETIRE:
		/* Also out of order: a number below the last one has no effect. */
		retire(d, v, min(d->retired + 4 - (arg & 7), d->queued), &events);
		break;
	case STEP_RETIRE_ALL:
		retire(d, v, d->queued, &events);
		break;
	case STEP_HANG:
		gslot_vexec_hang(v);
		d->hung = true;
		break;
	case STEP_RESET:
	case STEP_MOVE:
		gslot_vexec_reset(v);
		memset(d->active, 0, sizeof(d->active));
		memset(d->pending, 0, sizeof(d->pending));
		d->hung = false;
		d->moved = what % NR_STEPS == STEP_MOVE;
		break;
	}
	check(d, v, &events);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct driver d = { .queued = 8, .retired = 8 };
	struct gslot_vexec v = { .retired = 8 };

	for (; size >= 2; size -= 2, data += 2)
		step(&d, &v, data[0], data[1]);
	return 0;
}
