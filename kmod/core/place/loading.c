// SPDX-License-Identifier: GPL-2.0
/*
 * Loading: see loading.h.
 */
#include "loading.h"

const struct gslot_loading_rule gslot_loading_rules[] = {
	{ .name = "slot", .shared = true },
	{ .name = "sparse", .shown = true },
	{ .name = "demand" },
	{ .name = "predictive", .ahead = true },
};

const u32 gslot_loading_nr_rules = ARRAY_SIZE(gslot_loading_rules);

/**
 * gslot_loading_slots() - how many slots of high graphics memory is there room for?
 * @units: in how many units
 *
 * Return: how many.
 */
u32 gslot_loading_slots(u32 units)
{
	u32 slots = units < GSLOT_LOADING_LOW ? 0 :
		    (units - GSLOT_LOADING_LOW) / GSLOT_SLOT_UNITS;

	return slots < GSLOT_PLACEMENT_MAX ? slots : GSLOT_PLACEMENT_MAX;
}

/**
 * gslot_loading_init() - nobody has a place
 * @l: to be initialised
 * @rule: what is loaded; NULL if nobody is to have a place
 * @r: its runs: those of low graphics memory, and of as many slots as there are of the rest
 */
void gslot_loading_init(struct gslot_loading *l, const struct gslot_loading_rule *rule,
			struct gslot_residency *r)
{
	*l = (struct gslot_loading) {
		.rule = rule, .r = r, .slots = gslot_loading_slots(r->count),
	};
}

/**
 * gslot_loading_run() - where is a unit when it is loaded?
 * @client: whose; it has a place
 * @unit: which
 *
 * Return: the run.
 */
u32 gslot_loading_run(const struct gslot_resident *client, u32 unit)
{
	if (unit < client->low)
		return unit;
	return GSLOT_LOADING_LOW + client->place * GSLOT_SLOT_UNITS + unit - client->low;
}

/* It uses the slots of its place, or does not any more. */
static void use(struct gslot_loading *l, const struct gslot_resident *client, s32 by)
{
	u32 unit;

	if (client->place == GSLOT_PLACE_NONE || client->idle)
		return;
	for (unit = 0; unit < client->low; unit += GSLOT_SLOT_UNITS)
		l->users[gslot_loading_run(client, unit) / GSLOT_SLOT_UNITS] += by;
	for (unit = client->low; unit < client->count; unit += GSLOT_SLOT_UNITS)
		l->users[gslot_loading_run(client, unit) / GSLOT_SLOT_UNITS] += by;
}

/**
 * gslot_loading_set_low() - how much of a client's graphics memory is low?
 * @client: which; it has no place
 * @low: how many units
 */
void gslot_loading_set_low(struct gslot_resident *client, u32 low)
{
	client->low = low;
}

/**
 * gslot_loading_join() - a client comes
 * @l: the clients
 * @client: has joined @l->r; it has no place
 * @low: how many of its units are of low graphics memory
 */
void gslot_loading_join(struct gslot_loading *l, struct gslot_resident *client, u32 low)
{
	gslot_loading_set_low(client, low);
	client->place = GSLOT_PLACE_NONE;
	client->idle = false;
	client->missing = 0;
}

/**
 * gslot_loading_leave() - a client goes, or is to have another place
 * @l: the clients
 * @client: has no place when this returns; nothing of it is loaded
 */
void gslot_loading_leave(struct gslot_loading *l, struct gslot_resident *client)
{
	use(l, client, -1);
	client->place = GSLOT_PLACE_NONE;
	if (l->active == client)
		l->active = NULL;
}

/**
 * gslot_loading_move() - give a client a place
 * @l: the clients
 * @client: nothing of it is loaded, nor held if it had a place
 * @place: its first slot; there are as many as it needs from there on
 */
void gslot_loading_move(struct gslot_loading *l, struct gslot_resident *client, u32 place)
{
	gslot_loading_leave(l, client);
	client->place = place;
	use(l, client, 1);
}

/**
 * gslot_loading_set_idle() - does a client not count among those who share slots?
 * @l: the clients
 * @client: which
 * @idle: it does not
 */
void gslot_loading_set_idle(struct gslot_loading *l, struct gslot_resident *client, bool idle)
{
	use(l, client, -1);
	client->idle = idle;
	use(l, client, 1);
}

/* Nobody is shown in a run. */
static void lose(struct gslot_loading *l, u32 run)
{
	const struct gslot_run *it = &l->r->runs[run];
	struct gslot_resident *client = it->client;

	if (!client)
		return;
	client->missing += client->units[it->unit].holds > 0;
	client->evictions++;
	gslot_residency_take(l->r, run);
}

/**
 * gslot_loading_hold() - commands name a unit
 * @l: the clients
 * @client: whose; it has a place
 * @unit: which
 */
void gslot_loading_hold(struct gslot_loading *l, struct gslot_resident *client, u32 unit)
{
	if (gslot_residency_hold_more(client, unit))
		return;
	client->units[unit].holds = 1;
	client->held++;
	l->r->held++;
	client->missing += client->units[unit].run == GSLOT_NO_RUN;
}

/**
 * gslot_loading_release() - commands that named a unit are over
 * @l: the clients
 * @client: whose
 * @unit: which; held
 */
void gslot_loading_release(struct gslot_loading *l, struct gslot_resident *client, u32 unit)
{
	if (gslot_residency_hold_less(client, unit))
		return;
	client->units[unit].holds = 0;
	client->held--;
	l->r->held--;
	client->missing -= client->units[unit].run == GSLOT_NO_RUN;
}

/**
 * gslot_loading_drop() - a unit is not to be shown any more
 * @l: the clients
 * @client: whose
 * @unit: which; loaded, and not held
 */
void gslot_loading_drop(struct gslot_loading *l, struct gslot_resident *client, u32 unit)
{
	gslot_residency_take(l->r, client->units[unit].run);
}

/* Does who has the GPU name what is shown in a run? */
static bool in_use(const struct gslot_loading *l, u32 run)
{
	const struct gslot_run *it = &l->r->runs[run];

	return it->client && it->client == l->active && it->client->units[it->unit].holds;
}

static bool is_needed(const struct gslot_loading *l, const struct gslot_loading_pass *pass,
		      u32 unit)
{
	const struct gslot_resident *client = pass->client;
	const struct gslot_unit *u = &client->units[unit];
	u32 run = gslot_loading_run(client, unit);
	bool absent = u->run == GSLOT_NO_RUN;

	switch (pass->why) {
	case GSLOT_LOADING_SWITCH:
		if (l->rule->shared)
			return absent || l->users[run / GSLOT_SLOT_UNITS] > 1;
		return absent && (u->holds || (l->rule->shown && u->shown));
	case GSLOT_LOADING_MORE:
		return absent && u->holds;
	case GSLOT_LOADING_AHEAD:
		return absent && u->holds && !in_use(l, run);
	}
	return false;
}

static void load(struct gslot_loading *l, struct gslot_resident *client, u32 unit)
{
	u32 run = gslot_loading_run(client, unit);

	if (client->units[unit].run != GSLOT_NO_RUN)
		return;
	lose(l, run);
	gslot_residency_give(l->r, run, client, unit);
	client->missing -= client->units[unit].holds > 0;
}

/* Is there nothing to be found, wherever one looks? */
static bool is_complete(const struct gslot_loading *l, const struct gslot_loading_pass *pass)
{
	if (pass->why == GSLOT_LOADING_SWITCH && (l->rule->shared || l->rule->shown))
		return false;
	return !pass->client->missing;
}

/**
 * gslot_loading_next() - what is to be loaded next?
 * @l: the clients
 * @pass: of a client that has a place. With GSLOT_LOADING_SWITCH it has the GPU from the first
 *	call on
 *
 * Return: true if the entries of @pass->count units in a row from @pass->unit on are to be
 * written to @pass->run and the runs behind it, at once: it is as if they were. False if the
 * pass is over.
 */
bool gslot_loading_next(struct gslot_loading *l, struct gslot_loading_pass *pass)
{
	struct gslot_resident *client = pass->client;
	u32 unit = pass->unit + pass->count, end;

	if (pass->why == GSLOT_LOADING_SWITCH)
		l->active = client;
	if (is_complete(l, pass))
		unit = client->count;
	while (unit < client->count && !is_needed(l, pass, unit))
		unit++;
	pass->unit = unit;
	pass->run = unit < client->count ? gslot_loading_run(client, unit) : 0;
	/* Where low graphics memory ends, what follows is somewhere else. */
	end = min(unit < client->low ? client->low : client->count, unit + GSLOT_LOADING_MAX);
	for (; unit < end && is_needed(l, pass, unit); unit++)
		load(l, client, unit);
	pass->count = unit - pass->unit;
	return pass->count;
}
