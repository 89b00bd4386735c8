/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: loading
 *
 * The other way to share the physical GGTT, gScale's and DymGPU's: each client has a place in it,
 * which others may share, and its entries are loaded when it gets the GPU: docs/graphics-memory.md,
 * *Places*. The entries are the runs of core/gtt/residency.h, with one entry for each page of a
 * unit: neighbouring units have neighbouring runs. A unit has a run only while it is loaded.
 *
 * By any rule, the units that a client's prepared commands name are loaded before these run, so
 * that none finds another's entries. &gslot_resident.missing counts them.
 */
#ifndef _GSLOT_CORE_LOADING_H
#define _GSLOT_CORE_LOADING_H

#include "placement.h"
#include "core/gtt/residency.h"

/* selftests/fuzz has smaller ones. */
#ifndef GSLOT_SLOT_UNITS
#define GSLOT_SLOT_UNITS	1024	/* 64 MB (DymGPU, section 2) */
#define GSLOT_LOADING_MAX	64	/* units that are loaded in one step */
#endif
#define GSLOT_LOADING_LOW	(2 * GSLOT_SLOT_UNITS)	/* the largest low graphics memory */

/* What is loaded for a client that gets the GPU */
struct gslot_loading_rule {
	const char *name;	/* as in sysfs */
	bool shared;		/* all of its slots that others share, each time */
	bool shown;		/* units in which its guest has an entry */
	/* Units that it names, while another has the GPU and does not need their runs */
	bool ahead;
};

/* Clients with places */
struct gslot_loading {
	/* What is loaded; NULL: no client has a place */
	const struct gslot_loading_rule *rule;
	struct gslot_residency *r;	/* which unit each run shows */
	/* How many slots of high graphics memory there are; those of low memory are before them */
	u32 slots;
	/* How many clients that are not idle use each slot, low ones first */
	s32 users[GSLOT_LOADING_LOW / GSLOT_SLOT_UNITS + GSLOT_PLACEMENT_MAX];
	struct gslot_resident *active;	/* the client that has the GPU, or had it last; or NULL */
};

enum gslot_loading_why {
	GSLOT_LOADING_SWITCH,	/* it gets the GPU: as the rule says */
	GSLOT_LOADING_MORE,	/* it has the GPU, and names more */
	GSLOT_LOADING_AHEAD,	/* it gets the GPU next */
};

/* Going over a client's units */
struct gslot_loading_pass {
	enum gslot_loading_why why;
	struct gslot_resident *client;
	/* The first one of a stretch that is to be written; 0 at the beginning */
	u32 unit;
	u32 count;			/* how many; 0 at the beginning */
	u32 run;			/* where its entries begin */
};

extern const struct gslot_loading_rule gslot_loading_rules[];
extern const u32 gslot_loading_nr_rules;

u32 gslot_loading_slots(u32 units);
void gslot_loading_init(struct gslot_loading *l, const struct gslot_loading_rule *rule,
			struct gslot_residency *r);
void gslot_loading_leave(struct gslot_loading *l, struct gslot_resident *client);
void gslot_loading_begin_resize(struct gslot_loading *l, struct gslot_resident *client);
void gslot_loading_end_resize(struct gslot_loading *l, struct gslot_resident *client, u32 low);
void gslot_loading_move(struct gslot_loading *l, struct gslot_resident *client, u32 place);
void gslot_loading_set_idle(struct gslot_loading *l, struct gslot_resident *client, bool idle);
u32 gslot_loading_run(const struct gslot_resident *client, u32 unit);
void gslot_loading_hold(struct gslot_loading *l, struct gslot_resident *client, u32 unit);
void gslot_loading_release(struct gslot_loading *l, struct gslot_resident *client, u32 unit);
bool gslot_loading_next(struct gslot_loading *l, struct gslot_loading_pass *pass);

#endif
