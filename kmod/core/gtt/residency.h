/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: residency
 *
 * The physical GGTT is a cache of what vGPUs' commands name of their graphics memory. A
 * guest's graphics memory is cut into units of 16 pages. A unit that commands name has a
 * run of physical entries, anywhere; it keeps it for as long as prepared commands hold the
 * unit, and after that until somebody else needs the room: who held it longest ago gives it up.
 *
 * An access is shorter than a page, and may begin in a unit's last one. So a run has one entry
 * more than a unit has pages: for the page behind the unit. That makes all runs alike: none is
 * split or joined, and room is never in pieces.
 *
 * Nobody keeps others out by what he holds. Half of the runs, the odd one among them, are for
 * whoever comes first; of the other half each client has the same share for certain, in which
 * whatever it holds is counted.
 */
#ifndef _GSLOT_CORE_RESIDENCY_H
#define _GSLOT_CORE_RESIDENCY_H

#include "core/types.h"

#define GSLOT_UNIT_PAGES	16
#define GSLOT_RUN_ENTRIES	(GSLOT_UNIT_PAGES + 1)
#define GSLOT_NO_RUN		(~0u)

/**
 * struct gslot_unit - 16 pages of a client's graphics memory
 * @run: where it is resident, or GSLOT_NO_RUN
 * @holds: how many addresses of prepared commands are in it
 * @shown: how many of its pages the guest has an entry for; the owner's
 * @across: how many held accesses begin in it, and end in the next one; the owner's
 */
struct gslot_unit {
	u32 run;
	u32 holds;
	u32 shown;
	u32 across;
};

/**
 * struct gslot_resident - a client: one vGPU
 * @units: its graphics memory
 * @count: how many units
 * @resident: how many of them have a run
 * @held: how many of them are held
 * @loads: times that a unit was given a run
 * @evictions: times that one of its units lost its run to another, its own among them
 * @low: how many of @units are of low graphics memory; this, and what follows: core/place/loading
 * @place: its first slot, or GSLOT_PLACE_NONE
 * @idle: it does not count among those who share slots
 * @missing: how many units are held, and have no run
 */
struct gslot_resident {
	struct gslot_unit *units;
	u32 count;
	u32 resident;
	u32 held;
	u64 loads;
	u64 evictions;
	u32 low;
	u32 place;
	bool idle;
	u32 missing;
};

/**
 * struct gslot_units_kept - units that a client keeps as its graphics memory is resized
 * @from: the first one's number before
 * @to: and after
 * @count: how many
 */
struct gslot_units_kept {
	u32 from;
	u32 to;
	u32 count;
};

/**
 * struct gslot_run - a run of physical entries
 * @client: whose unit it is; NULL: nobody's
 * @unit: which
 * @prev: the run before it among those that nobody holds, or GSLOT_NO_RUN
 * @next: the one behind it
 */
struct gslot_run {
	struct gslot_resident *client;
	u32 unit;
	u32 prev;
	u32 next;
};

/**
 * struct gslot_residency - all runs of a GPU
 * @runs: the runs
 * @count: how many
 * @clients: how many there are
 * @resident: runs that are somebody's
 * @held: runs that are held
 * @first: the one to be given away next: nobody's, or not held for longest
 * @last: the one let go of last
 */
struct gslot_residency {
	struct gslot_run *runs;
	u32 count;
	u32 clients;
	u32 resident;
	u32 held;
	u32 first;
	u32 last;
};

void gslot_residency_init(struct gslot_residency *r, struct gslot_run *runs, u32 count);
void gslot_residency_join(struct gslot_residency *r, struct gslot_resident *client,
			  struct gslot_unit *units, u32 count);
void gslot_residency_resize(struct gslot_residency *r, struct gslot_resident *client,
			    struct gslot_unit *units, u32 count,
			    const struct gslot_units_kept *kept, u32 nr_kept);
void gslot_residency_leave(struct gslot_residency *r, struct gslot_resident *client);
int gslot_residency_hold(struct gslot_residency *r, struct gslot_resident *client, u32 unit);
void gslot_residency_release(struct gslot_residency *r, struct gslot_resident *client, u32 unit);
void gslot_residency_drop(struct gslot_residency *r, struct gslot_resident *client, u32 unit);

/* The owner of a run changes by these two only: here, and where units have places (core/place). */
void gslot_residency_take(struct gslot_residency *r, u32 run);
void gslot_residency_give(struct gslot_residency *r, u32 run, struct gslot_resident *client,
			  u32 unit);

/**
 * gslot_residency_hold_more() - hold a unit that is held already
 * @client: whose
 * @unit: which
 *
 * Concerns the client alone: no other one is changed, or looked at.
 *
 * Return: false if it is not held: gslot_residency_hold() is for that.
 */
static inline bool gslot_residency_hold_more(struct gslot_resident *client, u32 unit)
{
	if (!client->units[unit].holds)
		return false;
	client->units[unit].holds++;
	return true;
}

/**
 * gslot_residency_hold_less() - let go of a unit that is held more than once
 * @client: whose
 * @unit: which; held
 *
 * Concerns the client alone. A unit that is not held stays so: if its count wrapped, it would
 * count as held when its run is another client's.
 *
 * Return: false if it was the last hold, which is still there: gslot_residency_release() is
 * for that.
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

#endif
