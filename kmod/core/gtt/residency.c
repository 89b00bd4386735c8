// SPDX-License-Identifier: GPL-2.0
/*
 * Residency: see residency.h. The runs that are not held are in a list, in the order in which they
 * will be reused. Each operation but init, join and resize takes constant time.
 */
#include "residency.h"

/* The link of the list that leads to a run from the one before it, or from the one behind it. */
static u32 *residency_next(struct gslot_residency *r, u32 prev)
{
	return prev == GSLOT_NO_RUN ? &r->first : &r->runs[prev].next;
}

static u32 *residency_prev(struct gslot_residency *r, u32 next)
{
	return next == GSLOT_NO_RUN ? &r->last : &r->runs[next].prev;
}

static void residency_unlink(struct gslot_residency *r, u32 run)
{
	const struct gslot_run *it = &r->runs[run];

	*residency_next(r, it->prev) = it->next;
	*residency_prev(r, it->next) = it->prev;
}

/* Insert a run between two that are neighbours. */
static void residency_link(struct gslot_residency *r, u32 run, u32 prev, u32 next)
{
	r->runs[run].prev = prev;
	r->runs[run].next = next;
	*residency_next(r, prev) = run;
	*residency_prev(r, next) = run;
}

/**
 * gslot_residency_unassign() - take a run from the unit that has it, if one does
 * @r: the runs
 * @run: number of the run
 */
void gslot_residency_unassign(struct gslot_residency *r, u32 run)
{
	struct gslot_resident *client = r->runs[run].client;

	if (!client)
		return;
	client->units[r->runs[run].unit].run = GSLOT_NO_RUN;
	client->resident--;
	r->resident--;
	r->runs[run].client = NULL;
}

/**
 * gslot_residency_assign() - give a run to a unit
 * @r: the runs
 * @run: number of the run, which no unit has
 * @client: the unit's client
 * @unit: number of the unit, which has no run
 */
void gslot_residency_assign(struct gslot_residency *r, u32 run, struct gslot_resident *client,
			    u32 unit)
{
	r->runs[run].client = client;
	r->runs[run].unit = unit;
	client->units[unit].run = run;
	client->resident++;
	client->loads++;
	r->resident++;
}

/**
 * gslot_residency_init() - initialise the runs of a GPU, without clients
 * @r: the runs
 * @runs: an array of the caller's that lives as long as @r
 * @count: its length, more than 0
 */
void gslot_residency_init(struct gslot_residency *r, struct gslot_run *runs, u32 count)
{
	u32 i;

	*r = (struct gslot_residency) {
		.runs = runs, .count = count, .first = GSLOT_NO_RUN, .last = GSLOT_NO_RUN,
	};
	for (i = 0; i < count; i++) {
		runs[i].client = NULL;
		residency_link(r, i, r->last, GSLOT_NO_RUN);
	}
}

/**
 * gslot_residency_join() - add a vGPU
 * @r: the runs
 * @client: the vGPU's; it is initialised, with no unit resident
 * @units: an array of the caller's that lives as long as @client
 * @count: its length
 */
void gslot_residency_join(struct gslot_residency *r, struct gslot_resident *client,
			  struct gslot_unit *units, u32 count)
{
	u32 i;

	*client = (struct gslot_resident) {
		.units = units, .count = count, .place = GSLOT_PLACE_NONE,
	};
	for (i = 0; i < count; i++)
		units[i] = (struct gslot_unit) { .run = GSLOT_NO_RUN };
	r->clients++;
}

static void residency_keep(struct gslot_residency *r, const struct gslot_resident *client,
			   struct gslot_unit *units, const struct gslot_units_kept *kept)
{
	u32 i;

	for (i = 0; i < kept->count; i++) {
		struct gslot_unit *unit = &units[kept->to + i];

		*unit = client->units[kept->from + i];
		if (unit->run != GSLOT_NO_RUN)
			r->runs[unit->run].unit = kept->to + i;
	}
}

/**
 * gslot_residency_resize() - change how much graphics memory a vGPU has
 * @r: the runs
 * @client: the vGPU's
 * @units: an array of the caller's that replaces the previous one
 * @count: its length
 * @kept: ranges of units that are kept; no other unit may be resident
 * @nr_kept: number of ranges
 *
 * Units that are kept stay resident and held, in the same runs. It takes time in proportion to the
 * client's graphics memory.
 */
void gslot_residency_resize(struct gslot_residency *r, struct gslot_resident *client,
			    struct gslot_unit *units, u32 count,
			    const struct gslot_units_kept *kept, u32 nr_kept)
{
	u32 i;

	for (i = 0; i < count; i++)
		units[i] = (struct gslot_unit) { .run = GSLOT_NO_RUN };
	for (i = 0; i < nr_kept; i++)
		residency_keep(r, client, units, &kept[i]);
	client->units = units;
	client->count = count;
}

/* Whether a client may hold a further unit. */
static bool residency_may_hold(const struct gslot_residency *r, const struct gslot_resident *client)
{
	u32 shares = r->count / 2;

	return r->held < r->count - shares || client->held < shares / r->clients;
}

/**
 * gslot_residency_hold() - hold a unit that commands name
 * @r: the runs
 * @client: the unit's client
 * @unit: number of the unit
 *
 * Return: 0 if it is resident already; 1 if it was given a run, and the caller writes its entries;
 * -EDQUOT if the client holds too many units; or -EBUSY if all runs are held, which may last for a
 * while after a client was added and the shares became smaller.
 */
int gslot_residency_hold(struct gslot_residency *r, struct gslot_resident *client, u32 unit)
{
	struct gslot_unit *u = &client->units[unit];
	u32 run = u->run;
	bool load = run == GSLOT_NO_RUN;

	if (gslot_residency_hold_more(client, unit))
		return 0;
	if (!residency_may_hold(r, client))
		return -EDQUOT;
	if (load)
		run = r->first;
	if (run == GSLOT_NO_RUN)
		return -EBUSY;
	residency_unlink(r, run);
	if (load) {
		if (r->runs[run].client)
			r->runs[run].client->evictions++;
		gslot_residency_unassign(r, run);
		gslot_residency_assign(r, run, client, unit);
	}
	u->holds = 1;
	client->held++;
	r->held++;
	return load;
}

/**
 * gslot_residency_release() - release a hold when the commands that name the unit are complete
 * @r: the runs
 * @client: the unit's client
 * @unit: number of the unit, which is held
 *
 * After the last release the unit stays resident until its run is needed.
 */
void gslot_residency_release(struct gslot_residency *r, struct gslot_resident *client, u32 unit)
{
	if (gslot_residency_hold_less(client, unit))
		return;
	client->units[unit].holds = 0;
	client->held--;
	r->held--;
	residency_link(r, client->units[unit].run, r->last, GSLOT_NO_RUN);
}

/**
 * gslot_residency_drop() - make a unit not resident
 * @r: the runs
 * @client: the unit's client
 * @unit: number of the unit, which is resident and not held
 *
 * Its run is free, and the first to be reused.
 */
void gslot_residency_drop(struct gslot_residency *r, struct gslot_resident *client, u32 unit)
{
	u32 run = client->units[unit].run;

	residency_unlink(r, run);
	gslot_residency_unassign(r, run);
	residency_link(r, run, GSLOT_NO_RUN, r->first);
}
