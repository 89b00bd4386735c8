// SPDX-License-Identifier: GPL-2.0
/*
 * Residency: see residency.h. The runs that nobody holds are in a list, in the order in which
 * they are to be given away. Each step but joining and resizing takes the same time, however many
 * there are.
 */
#include "residency.h"

static void unlink_run(struct gslot_residency *r, u32 run)
{
	struct gslot_run *it = &r->runs[run];

	if (it->prev == GSLOT_NO_RUN)
		r->first = it->next;
	else
		r->runs[it->prev].next = it->next;
	if (it->next == GSLOT_NO_RUN)
		r->last = it->prev;
	else
		r->runs[it->next].prev = it->prev;
}

/* To be given away after all others. */
static void link_last(struct gslot_residency *r, u32 run)
{
	struct gslot_run *it = &r->runs[run];

	it->prev = r->last;
	it->next = GSLOT_NO_RUN;
	if (r->last == GSLOT_NO_RUN)
		r->first = run;
	else
		r->runs[r->last].next = run;
	r->last = run;
}

/* Before all others. */
static void link_first(struct gslot_residency *r, u32 run)
{
	struct gslot_run *it = &r->runs[run];

	it->prev = GSLOT_NO_RUN;
	it->next = r->first;
	if (r->first == GSLOT_NO_RUN)
		r->last = run;
	else
		r->runs[r->first].prev = run;
	r->first = run;
}

/**
 * gslot_residency_take() - a run is nobody's any more
 * @r: the runs
 * @run: which
 */
void gslot_residency_take(struct gslot_residency *r, u32 run)
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
 * gslot_residency_give() - a unit is given a run
 * @r: the runs
 * @run: which; nobody's
 * @client: whose unit it is
 * @unit: which; it has none
 */
void gslot_residency_give(struct gslot_residency *r, u32 run, struct gslot_resident *client,
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
 * gslot_residency_init() - no client, all runs free
 * @r: to be initialised
 * @runs: of the caller's, for as long as @r is used
 * @count: how many, more than 0
 */
void gslot_residency_init(struct gslot_residency *r, struct gslot_run *runs, u32 count)
{
	u32 i;

	*r = (struct gslot_residency) {
		.runs = runs, .count = count, .first = GSLOT_NO_RUN, .last = GSLOT_NO_RUN,
	};
	for (i = 0; i < count; i++) {
		runs[i].client = NULL;
		link_last(r, i);
	}
}

/**
 * gslot_residency_join() - a vGPU comes
 * @r: the runs
 * @client: to be initialised; nothing of it is resident
 * @units: of the caller's, for as long as it is there
 * @count: how many
 */
void gslot_residency_join(struct gslot_residency *r, struct gslot_resident *client,
			  struct gslot_unit *units, u32 count)
{
	u32 i;

	/* core/place/loading.h: it has no place. */
	*client = (struct gslot_resident) { .units = units, .count = count, .place = ~0u };
	for (i = 0; i < count; i++)
		units[i] = (struct gslot_unit) { .run = GSLOT_NO_RUN };
	r->clients++;
}

static void keep_units(struct gslot_residency *r, const struct gslot_resident *client,
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
 * gslot_residency_resize() - a vGPU has more or less graphics memory
 * @r: the runs
 * @client: whose
 * @units: of the caller's, instead of those before
 * @count: how many
 * @kept: which of those before are which of these
 * @nr_kept: how many such parts; what is in none of them is not resident
 *
 * What is resident and held of what is kept stays so, where it is. It is the one step whose
 * time depends on how much graphics memory the client has.
 */
void gslot_residency_resize(struct gslot_residency *r, struct gslot_resident *client,
			    struct gslot_unit *units, u32 count,
			    const struct gslot_units_kept *kept, u32 nr_kept)
{
	u32 i;

	for (i = 0; i < count; i++)
		units[i] = (struct gslot_unit) { .run = GSLOT_NO_RUN };
	for (i = 0; i < nr_kept; i++)
		keep_units(r, client, units, &kept[i]);
	client->units = units;
	client->count = count;
}

/**
 * gslot_residency_leave() - a vGPU goes
 * @r: the runs
 * @client: nothing of it is resident: gslot_residency_drop()
 */
void gslot_residency_leave(struct gslot_residency *r, struct gslot_resident *client)
{
	client->units = NULL;
	client->count = 0;
	r->clients--;
}

/* May a client hold one unit more? */
static bool may_hold(const struct gslot_residency *r, const struct gslot_resident *client)
{
	u32 shares = r->count / 2;

	return r->held < r->count - shares || client->held < shares / r->clients;
}

/**
 * gslot_residency_hold() - commands name a unit
 * @r: the runs
 * @client: whose
 * @unit: which
 *
 * Return: 0 if it is resident already; 1 if it was given a run, whose entries show something
 * else; -EDQUOT if the client holds too much to have one; or -EBUSY if all others are held,
 * as they may be for a while when a client has come and the shares are smaller.
 */
int gslot_residency_hold(struct gslot_residency *r, struct gslot_resident *client, u32 unit)
{
	struct gslot_unit *u = &client->units[unit];
	u32 run = u->run;
	bool load = run == GSLOT_NO_RUN;

	if (gslot_residency_hold_more(client, unit))
		return 0;
	if (!may_hold(r, client))
		return -EDQUOT;
	if (load)
		run = r->first;
	if (run == GSLOT_NO_RUN)
		return -EBUSY;
	unlink_run(r, run);
	if (load) {
		if (r->runs[run].client)
			r->runs[run].client->evictions++;
		gslot_residency_take(r, run);
		gslot_residency_give(r, run, client, unit);
	}
	u->holds = 1;
	client->held++;
	r->held++;
	return load;
}

/**
 * gslot_residency_release() - commands that named a unit are over
 * @r: the runs
 * @client: whose
 * @unit: which; held
 *
 * With the last hold the unit stays resident, until its run is needed.
 */
void gslot_residency_release(struct gslot_residency *r, struct gslot_resident *client, u32 unit)
{
	if (gslot_residency_hold_less(client, unit))
		return;
	client->units[unit].holds = 0;
	client->held--;
	r->held--;
	link_last(r, client->units[unit].run);
}

/**
 * gslot_residency_drop() - a unit is not to be resident any more
 * @r: the runs
 * @client: whose
 * @unit: which; resident, and not held
 *
 * Its run is free, and the first to be given away.
 */
void gslot_residency_drop(struct gslot_residency *r, struct gslot_resident *client, u32 unit)
{
	u32 run = client->units[unit].run;

	unlink_run(r, run);
	gslot_residency_take(r, run);
	link_first(r, run);
}
