// SPDX-License-Identifier: GPL-2.0
#include "loading.h"

const struct gslot_loading_rule gslot_loading_rules[] = {
	{ .name = "slot", .shared = true },
	{ .name = "sparse", .shown = true },
	{ .name = "demand" },
	{ .name = "predictive", .ahead = true },
};

const u32 gslot_loading_nr_rules = ARRAY_SIZE(gslot_loading_rules);

/**
 * gslot_loading_slots() - how many slots of high graphics memory fit into @units
 * @units: runs, those of low graphics memory included
 *
 * Return: the number of slots, GSLOT_PLACEMENT_MAX at most.
 */
u32 gslot_loading_slots(u32 units)
{
	if (units < GSLOT_LOADING_LOW)
		return 0;
	return min((units - GSLOT_LOADING_LOW) / GSLOT_SLOT_UNITS, (u32)GSLOT_PLACEMENT_MAX);
}

/**
 * gslot_loading_init() - no client has a place
 * @l: to be initialised
 * @rule: what is loaded; NULL: no client gets a place
 * @r: the runs: those of low graphics memory, and the slots of the rest
 */
void gslot_loading_init(struct gslot_loading *l, const struct gslot_loading_rule *rule,
			struct gslot_residency *r)
{
	*l = (struct gslot_loading) {
		.rule = rule, .r = r, .slots = gslot_loading_slots(r->count),
	};
}

/**
 * gslot_loading_run() - the run of a unit when it is loaded
 * @client: the client; it has a place
 * @unit: the unit
 *
 * Return: the run.
 */
u32 gslot_loading_run(const struct gslot_resident *client, u32 unit)
{
	if (unit < client->low)
		return unit;
	return GSLOT_LOADING_LOW + client->place * GSLOT_SLOT_UNITS + unit - client->low;
}

/* Count a client among the users of its slots, or not any more. */
static void loading_use(struct gslot_loading *l, const struct gslot_resident *client, s32 by)
{
	u32 unit;

	if (client->place == GSLOT_PLACE_NONE || client->idle || client->resizing)
		return;
	for (unit = 0; unit < client->low; unit += GSLOT_SLOT_UNITS)
		l->users[gslot_loading_run(client, unit) / GSLOT_SLOT_UNITS] += by;
	for (unit = client->low; unit < client->count; unit += GSLOT_SLOT_UNITS)
		l->users[gslot_loading_run(client, unit) / GSLOT_SLOT_UNITS] += by;
}

/**
 * gslot_loading_leave() - take a client's place away
 * @l: the clients
 * @client: the client; nothing of it is loaded
 */
void gslot_loading_leave(struct gslot_loading *l, struct gslot_resident *client)
{
	loading_use(l, client, -1);
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
	loading_use(l, client, 1);
}

/**
 * gslot_loading_set_idle() - let a client count among the users of its slots, or not
 * @l: the clients
 * @client: the client
 * @idle: it does not count
 */
void gslot_loading_set_idle(struct gslot_loading *l, struct gslot_resident *client, bool idle)
{
	loading_use(l, client, -1);
	client->idle = idle;
	loading_use(l, client, 1);
}

/**
 * gslot_loading_begin_resize() - let the units of a client be exchanged for others
 * @l: the clients
 * @client: nothing of it is loaded or held, until gslot_loading_end_resize(); it keeps its place
 */
void gslot_loading_begin_resize(struct gslot_loading *l, struct gslot_resident *client)
{
	loading_use(l, client, -1);
	client->resizing = true;
	if (l->active == client)
		l->active = NULL;
}

/**
 * gslot_loading_end_resize() - undo gslot_loading_begin_resize()
 * @l: the clients
 * @client: has joined with its new units; they fit into its place
 * @low: how many of them are of low graphics memory
 */
void gslot_loading_end_resize(struct gslot_loading *l, struct gslot_resident *client, u32 low)
{
	client->low = low;
	client->resizing = false;
	loading_use(l, client, 1);
}

/* Take a run from the client that it shows. */
static void loading_lose(struct gslot_loading *l, u32 run)
{
	const struct gslot_run *it = &l->r->runs[run];
	struct gslot_resident *client = it->client;

	if (!client)
		return;
	client->missing += client->units[it->unit].holds > 0;
	client->evictions++;
	gslot_residency_unassign(l->r, run);
}

/**
 * gslot_loading_hold() - prepared commands name a unit
 * @l: the clients
 * @client: the client; it has a place
 * @unit: the unit
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
 * gslot_loading_release() - undo gslot_loading_hold()
 * @l: the clients
 * @client: the client
 * @unit: the unit; held
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

/* Whether the client that has the GPU names what a run shows. */
static bool loading_in_use(const struct gslot_loading *l, u32 run)
{
	const struct gslot_run *it = &l->r->runs[run];

	return it->client && it->client == l->active && it->client->units[it->unit].holds;
}

static bool loading_is_needed(const struct gslot_loading *l, const struct gslot_loading_pass *pass,
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
		return absent && u->holds && !loading_in_use(l, run);
	}
	return false;
}

static void loading_load(struct gslot_loading *l, struct gslot_resident *client, u32 unit)
{
	u32 run = gslot_loading_run(client, unit);

	if (client->units[unit].run != GSLOT_NO_RUN)
		return;
	loading_lose(l, run);
	gslot_residency_assign(l->r, run, client, unit);
	client->missing -= client->units[unit].holds > 0;
}

/* Whether there is nothing to load. */
static bool loading_is_complete(const struct gslot_loading *l,
				const struct gslot_loading_pass *pass)
{
	if (pass->why == GSLOT_LOADING_SWITCH && (l->rule->shared || l->rule->shown))
		return false;
	return !pass->client->missing;
}

/**
 * gslot_loading_next() - choose what to load next
 * @l: the clients
 * @pass: of a client that has a place. With GSLOT_LOADING_SWITCH it has the GPU from the first
 *	call on
 *
 * Return: true: the caller writes the entries of @pass->count units from @pass->unit on to
 * @pass->run and the runs behind it, at once; they count as loaded already. False: the pass is
 * over.
 */
bool gslot_loading_next(struct gslot_loading *l, struct gslot_loading_pass *pass)
{
	struct gslot_resident *client = pass->client;
	u32 unit = pass->unit + pass->count, end;

	if (pass->why == GSLOT_LOADING_SWITCH)
		l->active = client;
	if (loading_is_complete(l, pass))
		unit = client->count;
	while (unit < client->count && !loading_is_needed(l, pass, unit))
		unit++;
	pass->unit = unit;
	pass->run = unit < client->count ? gslot_loading_run(client, unit) : 0;
	/* High graphics memory does not follow low graphics memory in the runs. */
	end = min(unit < client->low ? client->low : client->count, unit + GSLOT_LOADING_MAX);
	for (; unit < end && loading_is_needed(l, pass, unit); unit++)
		loading_load(l, client, unit);
	pass->count = unit - pass->unit;
	return pass->count;
}
