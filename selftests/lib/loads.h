/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the tests of loading have in common: clients, and beside them an oracle that keeps
 * nothing but plain arrays: the client and unit last written to each run, which it learns from
 * the stretches alone.
 */
#ifndef SELFTESTS_LOADS_H
#define SELFTESTS_LOADS_H

#include "core/place/loading.h"

#ifndef SLOT
#define SLOT		1024	/* units */
#define STRETCH		64	/* units */
#define MAX_SLOTS	64
#define MAX_CLIENTS	16
#define MAX_UNITS	18432	/* 128 MB low, 1024 MB high */
#endif
#define LOW		(2 * SLOT)	/* runs of low graphics memory: two slots */
#define MAX_RUNS	(LOW + (MAX_SLOTS + 1) * SLOT)
#define NO_CLIENT	(~0u)
#define NOWHERE		GSLOT_PLACE_NONE

static struct gslot_residency all;
static struct gslot_loading l;
static struct gslot_run runs[MAX_RUNS];
static struct gslot_resident clients[MAX_CLIENTS];
static struct gslot_unit units[MAX_CLIENTS][2][MAX_UNITS];

/* What the oracle knows of a run: what was written there last, and is to be seen there. */
static struct {
	u32 client;
	u32 unit;
} own[MAX_RUNS];

/*
 * And of a client. Of its units: how often it is held; whether commands that name it may be
 * executed when the client has the GPU: it was held when the switch began, or more was loaded.
 */
static struct {
	bool there;
	bool idle;
	u32 low;
	u32 count;
	u32 place;
	u64 loads;
	u64 evictions;
	u32 holds[MAX_UNITS];
	bool shown[MAX_UNITS];
	bool sure[MAX_UNITS];
} of[MAX_CLIENTS];

/* The client that has the GPU, and whether its switch is over. */
static u32 active;
static bool switched;

static inline void fresh(const char *rule, u32 count)
{
	const struct gslot_loading_rule *it = NULL;

	for (u32 i = 0; i < gslot_loading_nr_rules; i++)
		if (!strcmp(gslot_loading_rules[i].name, rule))
			it = &gslot_loading_rules[i];
	assert_non_null(it);
	gslot_residency_init(&all, runs, count);
	gslot_loading_init(&l, it, &all);
	memset(of, 0, sizeof(of));
	for (u32 i = 0; i < count; i++)
		own[i].client = NO_CLIENT;
	active = NO_CLIENT;
	switched = false;
}

static inline u32 where(u32 c, u32 unit)
{
	return unit < of[c].low ? unit : LOW + of[c].place * SLOT + (unit - of[c].low);
}

static inline bool is_there(u32 c, u32 unit)
{
	u32 run;

	if (of[c].place == NOWHERE)
		return false;
	run = where(c, unit);
	return own[run].client == c && own[run].unit == unit;
}

/* Has a client a place in a slot? The first two are low graphics memory. */
static inline bool has(u32 c, u32 slot)
{
	u32 high = of[c].count - of[c].low;

	if (!of[c].there || of[c].place == NOWHERE)
		return false;
	if (slot < 2)
		return of[c].low > slot * SLOT;
	slot -= 2;
	return slot >= of[c].place && high > (slot - of[c].place) * SLOT;
}

/* The number of clients of a slot that are not idle. */
static inline s32 users(u32 slot)
{
	s32 sum = 0;

	for (u32 c = 0; c < MAX_CLIENTS; c++)
		sum += has(c, slot) && !of[c].idle;
	return sum;
}

static inline void join(u32 c, u32 low, u32 high)
{
	gslot_residency_join(&all, &clients[c], units[c][0], low + high);
	clients[c].low = low;
	memset(&of[c], 0, sizeof(of[c]));
	of[c].there = true;
	of[c].low = low;
	of[c].count = low + high;
	of[c].place = NOWHERE;
}

static inline void move(u32 c, u32 place)
{
	gslot_loading_move(&l, &clients[c], place);
	of[c].place = place;
	if (active == c)
		active = NO_CLIENT;
}

/* A client that has a place at once. */
static inline void come(u32 c, u32 low, u32 high, u32 place)
{
	join(c, low, high);
	move(c, place);
}

static inline void hold(u32 c, u32 first, u32 count)
{
	for (u32 unit = first; unit < first + count; unit++) {
		gslot_loading_hold(&l, &clients[c], unit);
		of[c].holds[unit]++;
	}
}

static inline void release(u32 c, u32 first, u32 count)
{
	for (u32 unit = first; unit < first + count; unit++) {
		gslot_loading_release(&l, &clients[c], unit);
		if (!--of[c].holds[unit])
			of[c].sure[unit] = false;
	}
}

static inline void release_all(u32 c)
{
	for (u32 unit = 0; unit < of[c].count; unit++)
		while (of[c].holds[unit])
			release(c, unit, 1);
}

/* The guest has @pages there. */
static inline void show(u32 c, u32 first, u32 count, u32 pages)
{
	for (u32 unit = first; unit < first + count; unit++) {
		clients[c].units[unit].shown = pages;
		of[c].shown[unit] = pages;
	}
}

static inline void set_idle(u32 c, bool idle)
{
	gslot_loading_set_idle(&l, &clients[c], idle);
	of[c].idle = idle;
}

/* Mark a run as free. */
static inline void drop(u32 c, u32 unit)
{
	gslot_residency_unassign(&all, clients[c].units[unit].run);
	own[where(c, unit)].client = NO_CLIENT;
}

/* As the kernel takes a place: nothing is held, nor resident. */
static inline void clear(u32 c)
{
	release_all(c);
	for (u32 unit = 0; unit < of[c].count; unit++)
		if (is_there(c, unit))
			drop(c, unit);
}

static inline void unplace(u32 c)
{
	clear(c);
	gslot_loading_leave(&l, &clients[c]);
	of[c].place = NOWHERE;
	if (active == c)
		active = NO_CLIENT;
}

static inline void leave(u32 c)
{
	unplace(c);
	assert_int_equal(clients[c].resident, 0);
	assert_int_equal(clients[c].missing, 0);
	gslot_residency_leave(&all, &clients[c]);
	of[c].there = false;
}

/*
 * Nothing of the client is resident; it keeps its place, if it has one. The units that it keeps are
 * counted from the beginning of low graphics memory and of high. It is idle, or not, before the
 * resize is over.
 */
static inline void resize(u32 c, u32 low, u32 high, bool idle)
{
	u32 old_low = of[c].low, old_high = of[c].count - old_low;
	struct gslot_unit *to = units[c][clients[c].units == units[c][0]];
	const struct gslot_units_kept kept[] = {
		{ .count = min(old_low, low) },
		{ .from = old_low, .to = low, .count = min(old_high, high) },
	};
	static bool shown[MAX_UNITS];

	if (of[c].place != NOWHERE)
		gslot_loading_begin_resize(&l, &clients[c]);
	if (active == c)
		active = NO_CLIENT;
	gslot_residency_resize(&all, &clients[c], to, low + high, kept, ARRAY_SIZE(kept));
	set_idle(c, idle);
	if (of[c].place != NOWHERE)
		gslot_loading_end_resize(&l, &clients[c], low);
	else
		clients[c].low = low;
	memcpy(shown, of[c].shown, sizeof(shown));
	memset(of[c].shown, 0, sizeof(shown));
	memcpy(of[c].shown, shown, kept[0].count);
	memcpy(of[c].shown + low, shown + old_low, kept[1].count);
	of[c].low = low;
	of[c].count = low + high;
}

static inline struct gslot_loading_pass pass_of(u32 c, enum gslot_loading_why why)
{
	return (struct gslot_loading_pass) { .why = why, .client = &clients[c] };
}

/* What a switch finds held is there before anything of the client is executed. */
static inline void begin_switch(u32 c)
{
	if (active != NO_CLIENT)
		memset(of[active].sure, 0, sizeof(of[active].sure));
	active = c;
	switched = false;
	for (u32 unit = 0; unit < of[c].count; unit++)
		of[c].sure[unit] = of[c].holds[unit];
}

static inline struct gslot_loading_pass begin(u32 c, enum gslot_loading_why why)
{
	if (why == GSLOT_LOADING_SWITCH)
		begin_switch(c);
	return pass_of(c, why);
}

static inline void end(const struct gslot_loading_pass *pass)
{
	u32 c = pass->client - clients;

	if (pass->why == GSLOT_LOADING_SWITCH)
		switched = true;
	for (u32 unit = 0; pass->why == GSLOT_LOADING_MORE && unit < of[c].count; unit++)
		of[c].sure[unit] = of[c].holds[unit];
}

/* Do commands of the client that has the GPU name the unit that is in a run? */
static inline bool in_use(u32 run)
{
	return active != NO_CLIENT && own[run].client == active && of[active].holds[own[run].unit];
}

static inline void expect_stretch(u32 c, const struct gslot_loading_pass *pass)
{
	u32 after = pass->unit + pass->count;

	assert_in_range(pass->count, 1, STRETCH);
	assert_true(after <= of[c].count);
	assert_true(pass->unit >= of[c].low || after <= of[c].low);
	assert_int_equal(pass->run, where(c, pass->unit));
	assert_true(pass->run + pass->count <= all.count);
}

static inline void write_unit(u32 c, u32 unit, u32 run)
{
	if (own[run].client == c && own[run].unit == unit)
		return;
	if (own[run].client != NO_CLIENT)
		of[own[run].client].evictions++;
	of[c].loads++;
	own[run].client = c;
	own[run].unit = unit;
}

/* One stretch: behind what was written before, so nothing is written twice. */
static inline bool step(struct gslot_loading_pass *pass)
{
	u32 c = pass->client - clients, from = pass->unit + pass->count;
	bool more = gslot_loading_next(&l, pass);

	if (!more) {
		assert_int_equal(pass->count, 0);
		end(pass);
		return false;
	}
	assert_true(pass->unit >= from);
	expect_stretch(c, pass);
	for (u32 i = 0; i < pass->count; i++) {
		if (pass->why == GSLOT_LOADING_AHEAD)
			assert_false(in_use(pass->run + i));
		write_unit(c, pass->unit + i, pass->run + i);
	}
	return true;
}

/* What the rule says of a unit, in the papers' words. */
static inline bool is_needed(u32 c, u32 unit, enum gslot_loading_why why)
{
	bool absent = !is_there(c, unit), held = of[c].holds[unit];
	u32 run = where(c, unit);

	if (why == GSLOT_LOADING_SWITCH && !strcmp(l.rule->name, "slot"))
		return absent || users(run / SLOT) >= 2;
	if (why == GSLOT_LOADING_SWITCH && !strcmp(l.rule->name, "sparse"))
		return absent && (held || of[c].shown[unit]);
	return absent && held && !(why == GSLOT_LOADING_AHEAD && in_use(run));
}

/* An uninterrupted pass: what is needed, nothing else, in as few stretches as can be. */
static inline u32 go_over(u32 c, enum gslot_loading_why why)
{
	static bool need[MAX_UNITS + 1];
	struct gslot_loading_pass pass;
	u32 unit, at = 0, written = 0;

	for (unit = 0; unit < of[c].count; unit++)
		need[unit] = is_needed(c, unit, why);
	need[unit] = false;
	for (pass = begin(c, why); step(&pass); written += pass.count) {
		for (; at < pass.unit; at++)
			assert_false(need[at]);
		for (; at < pass.unit + pass.count; at++)
			assert_true(need[at]);
		if (pass.count < STRETCH && at != of[c].low)
			assert_false(need[at]);
	}
	for (; at < of[c].count; at++)
		assert_false(need[at]);
	assert_false(gslot_loading_next(&l, &pass));
	return written;
}

/*
 * The invariant: what commands name that may be executed shows what is their client's, where
 * they look for it.
 */
static inline void expect_secure(void)
{
	if (active == NO_CLIENT || !switched)
		return;
	for (u32 unit = 0; unit < of[active].count; unit++) {
		u32 run = gslot_loading_run(&clients[active], unit);

		if (!of[active].sure[unit])
			continue;
		assert_int_equal(run, where(active, unit));
		assert_int_equal(own[run].client, active);
		assert_int_equal(own[run].unit, unit);
	}
}

static inline void expect_client(u32 c, u32 *resident, u32 *held)
{
	u32 missing = 0, mine = 0, holds = 0;

	for (u32 unit = 0; unit < of[c].count; unit++) {
		bool is = is_there(c, unit);

		assert_int_equal(clients[c].units[unit].run, is ? where(c, unit) : GSLOT_NO_RUN);
		assert_int_equal(clients[c].units[unit].holds, of[c].holds[unit]);
		mine += is;
		holds += of[c].holds[unit] > 0;
		missing += !is && of[c].holds[unit];
	}
	assert_int_equal(clients[c].missing, missing);
	assert_int_equal(clients[c].resident, mine);
	assert_int_equal(clients[c].held, holds);
	assert_int_equal(clients[c].place, of[c].place);
	assert_int_equal(clients[c].loads, of[c].loads);
	assert_int_equal(clients[c].evictions, of[c].evictions);
	*resident += mine;
	*held += holds;
}

static inline void expect_same(void)
{
	u32 resident = 0, held = 0;

	for (u32 i = 0; i < all.count; i++) {
		if (own[i].client == NO_CLIENT) {
			assert_null(runs[i].client);
			continue;
		}
		assert_ptr_equal(runs[i].client, &clients[own[i].client]);
		assert_int_equal(runs[i].unit, own[i].unit);
	}
	for (u32 c = 0; c < MAX_CLIENTS; c++)
		if (of[c].there)
			expect_client(c, &resident, &held);
	assert_int_equal(all.resident, resident);
	assert_int_equal(all.held, held);
	for (u32 slot = 0; slot < ARRAY_SIZE(l.users); slot++)
		assert_int_equal(l.users[slot], users(slot));
	assert_ptr_equal(l.active, active == NO_CLIENT ? NULL : &clients[active]);
	expect_secure();
}

static inline void expect_free(void)
{
	for (u32 c = 0; c < MAX_CLIENTS; c++)
		if (of[c].there)
			leave(c);
	expect_same();
	assert_int_equal(all.clients, 0);
	assert_int_equal(all.resident, 0);
	assert_int_equal(all.held, 0);
	for (u32 slot = 0; slot < ARRAY_SIZE(l.users); slot++)
		assert_int_equal(l.users[slot], 0);
}

#endif
