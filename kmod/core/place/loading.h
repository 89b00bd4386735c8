/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: loading
 *
 * The other way to share the physical GGTT, gScale's and DymGPU's: each client has a place in
 * it, which others may have, too, and what is to be seen there is loaded when the client gets
 * the GPU. All low graphics memory has the same place; high graphics memory is placed in slots
 * of 64 MB (core/place/placement).
 *
 * The runs of core/gtt/residency are its entries, here with one entry for each page and no more:
 * neighbours are neighbours. A unit has a run only while it is shown at its place.
 *
 * What of a client is loaded, when it gets the GPU, is the rule's. Whatever the rule: what its
 * prepared commands name is loaded before they run, so that none finds another's entries. That
 * is counted: &gslot_resident.missing.
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
 * @shared: all of slots that others have a place in, each time
 * @shown: units in which its guest has anything
 * @ahead: what it names, while another has the GPU, where that one does not need the place
 */
struct gslot_loading_rule {
	const char *name;
	bool shared;
	bool shown;
	bool ahead;
};

/**
 * struct gslot_loading - clients with places
 * @rule: what is loaded; NULL if nobody has a place, and residency is a cache
 * @r: whose what is
 * @slots: how many slots of high graphics memory there are; those of low are before them
 * @users: how many clients, which are not idle, have a place in a slot; by slot, low ones first
 * @active: who has the GPU, or had it last; NULL if nobody did
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
 * @client: whose
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
void gslot_loading_move(struct gslot_loading *l, struct gslot_resident *client, u32 place);
void gslot_loading_set_idle(struct gslot_loading *l, struct gslot_resident *client, bool idle);
u32 gslot_loading_run(const struct gslot_resident *client, u32 unit);
void gslot_loading_hold(struct gslot_loading *l, struct gslot_resident *client, u32 unit);
void gslot_loading_release(struct gslot_loading *l, struct gslot_resident *client, u32 unit);
void gslot_loading_drop(struct gslot_loading *l, struct gslot_resident *client, u32 unit);
bool gslot_loading_next(struct gslot_loading *l, struct gslot_loading_pass *pass);

#endif
