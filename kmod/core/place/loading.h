/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: loading
 *
 * The other way to share the physical GGTT, gScale's and DymGPU's: each client has a place in it,
 * which others may share. Its entries are loaded when it gets the GPU. All low graphics memory has
 * the same place; high graphics memory is placed in slots of 64 MB (core/place/placement.h).
 *
 * The entries are the runs of core/gtt/residency.h, with one entry for each page of a unit:
 * neighbouring units have neighbouring runs. A unit has a run only while it is loaded.
 *
 * A rule says what is loaded when a client gets the GPU. By any rule, the units that its prepared
 * commands name are loaded before these run, so that none finds another's entries.
 * &gslot_resident.missing counts them.
 */
#ifndef _GSLOT_CORE_LOADING_H
#define _GSLOT_CORE_LOADING_H

#include "placement.h"
#include "core/gtt/residency.h"

#define GSLOT_SLOT_UNITS	1024	/* 64 MB (DymGPU, section 2) */
#define GSLOT_LOADING_LOW	(2 * GSLOT_SLOT_UNITS)	/* the largest low graphics memory */
#define GSLOT_LOADING_MAX	64	/* units that are loaded in one step */

/**
 * struct gslot_loading_rule - what is loaded for a client that gets the GPU
 * @name: for people
 * @shared: all of its slots that others share, each time
 * @shown: units in which its guest has an entry
 * @ahead: units that it names, while another has the GPU and does not need their runs
 */
struct gslot_loading_rule {
	const char *name;
	bool shared;
	bool shown;
	bool ahead;
};

/**
 * struct gslot_loading - clients with places
 * @rule: what is loaded; NULL: no client has a place
 * @r: which unit each run shows
 * @slots: how many slots of high graphics memory there are; those of low memory are before them
 * @users: how many clients that are not idle use each slot, low ones first
 * @active: the client that has the GPU, or had it last; or NULL
 */
struct gslot_loading {
	const struct gslot_loading_rule *rule;
	struct gslot_residency *r;
	u32 slots;
	u32 users[GSLOT_LOADING_LOW / GSLOT_SLOT_UNITS + GSLOT_PLACEMENT_MAX];
	struct gslot_resident *active;
};

enum gslot_loading_why {
	GSLOT_LOADING_SWITCH,	/* it gets the GPU: as the rule says */
	GSLOT_LOADING_MORE,	/* it has the GPU, and names more */
	GSLOT_LOADING_AHEAD,	/* it gets the GPU next */
};

/**
 * struct gslot_loading_pass - going over a client's units
 * @why: why
 * @client: the client
 * @unit: the first one of a stretch that is to be written; 0 at the beginning
 * @count: how many; 0 at the beginning
 * @run: where its entries begin
 */
struct gslot_loading_pass {
	enum gslot_loading_why why;
	struct gslot_resident *client;
	u32 unit;
	u32 count;
	u32 run;
};

extern const struct gslot_loading_rule gslot_loading_rules[];
extern const u32 gslot_loading_nr_rules;

u32 gslot_loading_slots(u32 units);
void gslot_loading_init(struct gslot_loading *l, const struct gslot_loading_rule *rule,
			struct gslot_residency *r);
void gslot_loading_join(struct gslot_loading *l, struct gslot_resident *client, u32 low);
void gslot_loading_leave(struct gslot_loading *l, struct gslot_resident *client);
void gslot_loading_set_low(struct gslot_resident *client, u32 low);
void gslot_loading_begin_resize(struct gslot_loading *l, struct gslot_resident *client);
void gslot_loading_end_resize(struct gslot_loading *l, struct gslot_resident *client, u32 low);
void gslot_loading_move(struct gslot_loading *l, struct gslot_resident *client, u32 place);
void gslot_loading_set_idle(struct gslot_loading *l, struct gslot_resident *client, bool idle);
u32 gslot_loading_run(const struct gslot_resident *client, u32 unit);
void gslot_loading_hold(struct gslot_loading *l, struct gslot_resident *client, u32 unit);
void gslot_loading_release(struct gslot_loading *l, struct gslot_resident *client, u32 unit);
void gslot_loading_drop(struct gslot_loading *l, struct gslot_resident *client, u32 unit);
bool gslot_loading_next(struct gslot_loading *l, struct gslot_loading_pass *pass);

#endif
