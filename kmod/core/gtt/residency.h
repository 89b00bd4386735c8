/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: residency
 *
 * The physical GGTT is a cache of the graphics memory that vGPUs' commands name, in units of 16
 * pages: docs/graphics-memory.md, *Residency*. A client cannot block others with what it holds:
 * half of the runs, rounded up, are for the first to ask; of the other half each client is
 * guaranteed an equal share, against which all that it holds counts.
 *
 * kmod/gm/runs.c owns the runs of a GPU, with their lock. It writes the entries of a run that was
 * given to a unit. kmod/core/place/loading.c gives runs by place instead.
 */
#ifndef _GSLOT_CORE_RESIDENCY_H
#define _GSLOT_CORE_RESIDENCY_H

#include "core/limits.h"
#include "core/types.h"

#define GSLOT_UNIT_PAGES	16
/* An access, shorter than a page, may begin in a unit's last page, and end in the next one. */
#define GSLOT_RUN_ENTRIES	(GSLOT_UNIT_PAGES + 1)
#define GSLOT_NO_RUN		(~0u)

/* 16 pages of a client's graphics memory */
struct gslot_unit {
	u32 run;	/* its run, or GSLOT_NO_RUN */
	u32 holds;	/* number of addresses in it that prepared commands name */
	/* For kmod/gm: number of its pages that have an entry in the guest's GGTT */
	u32 shown;
	/* For kmod/gm: number of held accesses that begin in it and end in the next unit */
	u32 across;
};

/* A client: one vGPU */
struct gslot_resident {
	struct gslot_unit *units;	/* its graphics memory */
	u32 count;			/* number of units */
	u32 resident;			/* units that have a run */
	u32 held;			/* units that are held */
	u64 loads;			/* how often a unit was given a run */
	/* How often a unit lost its run to another one, including the client's own */
	u64 evictions;
	/* Units of low graphics memory; this and the rest are for core/place/loading.c */
	u32 low;
	u32 place;			/* its first slot, or GSLOT_PLACE_NONE */
	bool idle;			/* it does not count among the clients that share slots */
	bool resizing;			/* nor does it while its units and @low change */
	u32 missing;			/* units that are held and have no run */
};

/* Units that a client keeps when its graphics memory is resized */
struct gslot_units_kept {
	u32 from;	/* number of the first one before */
	u32 to;		/* number of the first one after */
	u32 count;	/* how many */
};

/* A run of physical entries */
struct gslot_run {
	struct gslot_resident *client;	/* the client of the unit that has it; NULL: it is free */
	u32 unit;			/* number of that unit */
	/* The run before it in the list of runs that are not held, or GSLOT_NO_RUN */
	u32 prev;
	u32 next;			/* the run behind it */
};

/* All runs of a GPU */
struct gslot_residency {
	struct gslot_run *runs;
	u32 count;	/* number of runs */
	u32 clients;	/* number of clients */
	u32 resident;	/* runs that a unit has */
	u32 held;	/* runs that are held */
	u32 first;	/* the run that is reused next: it is free, or was released longest ago */
	u32 last;	/* the run that was released last */
};

void gslot_residency_init(struct gslot_residency *r, struct gslot_run *runs, u32 count);
void gslot_residency_join(struct gslot_residency *r, struct gslot_resident *client,
			  struct gslot_unit *units, u32 count);
void gslot_residency_resize(struct gslot_residency *r, struct gslot_resident *client,
			    struct gslot_unit *units, u32 count,
			    const struct gslot_units_kept *kept, u32 nr_kept);
int gslot_residency_hold(struct gslot_residency *r, struct gslot_resident *client, u32 unit);
void gslot_residency_release(struct gslot_residency *r, struct gslot_resident *client, u32 unit);
void gslot_residency_drop(struct gslot_residency *r, struct gslot_resident *client, u32 unit);

/* Only these two change which unit has a run: for residency.c and core/place/loading.c. */
void gslot_residency_unassign(struct gslot_residency *r, u32 run);
void gslot_residency_assign(struct gslot_residency *r, u32 run, struct gslot_resident *client,
			    u32 unit);

/*
 * Hold a unit that is held already, which accesses this client only. Returns false if it is not
 * held: the caller uses gslot_residency_hold().
 */
static inline bool gslot_residency_hold_more(struct gslot_resident *client, u32 unit)
{
	if (!client->units[unit].holds)
		return false;
	client->units[unit].holds++;
	return true;
}

/*
 * Release a unit that is held more than once, which accesses this client only. Returns false if it
 * is held once, and still is: the caller uses gslot_residency_release(). A unit that is not held
 * stays so: if its count wrapped, it would count as held when another client has its run.
 */
static inline bool gslot_residency_hold_less(struct gslot_resident *client, u32 unit)
{
	u32 *holds = &client->units[unit].holds;

	if (*holds == 1)
		return false;
	if (*holds)
		--*holds;
	return true;
}

/* None of the client's units is resident: gslot_residency_drop(). */
static inline void gslot_residency_leave(struct gslot_residency *r, struct gslot_resident *client)
{
	client->units = NULL;
	client->count = 0;
	r->clients--;
}

#endif
