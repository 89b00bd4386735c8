/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: residency
 *
 * The physical GGTT is a cache of the graphics memory that vGPUs' commands name. A guest's graphics
 * memory consists of units of 16 pages. A unit that commands name gets a run of physical entries,
 * anywhere. It keeps the run while prepared commands hold the unit, and after that until another
 * unit needs a run: the one that was held longest ago loses it.
 *
 * An access is shorter than a page, and may begin in a unit's last page. So a run has one entry
 * more than a unit has pages, for the page behind the unit. All runs have the same length: none is
 * split or joined, and there is no fragmentation.
 *
 * A client cannot block others with what it holds. Half of the runs, rounded up, are for the first
 * to ask. Of the other half each client is guaranteed an equal share, against which all that it
 * holds counts.
 *
 * kmod/gm/runs.c owns the runs of a GPU, with their lock. It writes the entries of a run that was
 * given to a unit. kmod/core/place/loading.c gives runs by place instead.
 */
#ifndef _GSLOT_CORE_RESIDENCY_H
#define _GSLOT_CORE_RESIDENCY_H

#include "core/limits.h"
#include "core/types.h"

#define GSLOT_UNIT_PAGES	16
#define GSLOT_RUN_ENTRIES	(GSLOT_UNIT_PAGES + 1)
#define GSLOT_NO_RUN		(~0u)

/**
 * struct gslot_unit - 16 pages of a client's graphics memory
 * @run: its run, or GSLOT_NO_RUN
 * @holds: number of addresses in it that prepared commands name
 * @shown: for kmod/gm: number of its pages that have an entry in the guest's GGTT
 * @across: for kmod/gm: number of held accesses that begin in it and end in the next unit
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
 * @count: number of units
 * @resident: units that have a run
 * @held: units that are held
 * @loads: how often a unit was given a run
 * @evictions: how often a unit lost its run to another one, including the client's own
 * @low: units of low graphics memory; this and the rest are for core/place/loading.c
 * @place: its first slot, or GSLOT_PLACE_NONE
 * @idle: it does not count among the clients that share slots
 * @resizing: nor does it while its units and @low change
 * @missing: units that are held and have no run
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
	bool resizing;
	u32 missing;
};

/**
 * struct gslot_units_kept - units that a client keeps when its graphics memory is resized
 * @from: number of the first one before
 * @to: number of the first one after
 * @count: how many
 */
struct gslot_units_kept {
	u32 from;
	u32 to;
	u32 count;
};

/**
 * struct gslot_run - a run of physical entries
 * @client: the client of the unit that has it; NULL: it is free
 * @unit: number of that unit
 * @prev: the run before it in the list of runs that are not held, or GSLOT_NO_RUN
 * @next: the run behind it
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
 * @count: number of runs
 * @clients: number of clients
 * @resident: runs that a unit has
 * @held: runs that are held
 * @first: the run that is reused next: it is free, or was released longest ago
 * @last: the run that was released last
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

/* Only these two change which unit has a run: for residency.c and core/place/loading.c. */
void gslot_residency_unassign(struct gslot_residency *r, u32 run);
void gslot_residency_assign(struct gslot_residency *r, u32 run, struct gslot_resident *client,
			    u32 unit);

/**
 * gslot_residency_hold_more() - hold a unit that is held already
 * @client: the unit's client
 * @unit: number of the unit
 *
 * It accesses this client only.
 *
 * Return: false if the unit is not held: the caller uses gslot_residency_hold().
 */
static inline bool gslot_residency_hold_more(struct gslot_resident *client, u32 unit)
{
	if (!client->units[unit].holds)
		return false;
	client->units[unit].holds++;
	return true;
}

/**
 * gslot_residency_hold_less() - release a unit that is held more than once
 * @client: the unit's client
 * @unit: number of the unit
 *
 * It accesses this client only. A unit that is not held stays so: if its count wrapped, it would
 * count as held when another client has its run.
 *
 * Return: false if the unit is held once, and still is: the caller uses gslot_residency_release().
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
