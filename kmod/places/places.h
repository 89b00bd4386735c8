/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copy policies with places, as the PCI driver, sysfs and debugfs call them. A module without them
 * ("make BASELINES=n") has `cached` alone (no_places.c).
 */
#ifndef _GSLOT_PLACES_H
#define _GSLOT_PLACES_H

#include <linux/types.h>

struct gslot_vgpus;
struct seq_file;

int gslot_places_create(struct gslot_vgpus *vgpus);
void gslot_places_destroy(struct gslot_vgpus *vgpus);
int gslot_places_set_copy_policy(struct gslot_vgpus *vgpus, const char *name);
int gslot_places_set_placement(struct gslot_vgpus *vgpus, const char *name);
ssize_t gslot_places_show_copy_policies(struct gslot_vgpus *vgpus, char *buf);
ssize_t gslot_places_show_placements(struct gslot_vgpus *vgpus, char *buf);
void gslot_places_show(struct gslot_vgpus *vgpus, struct seq_file *m);
void gslot_places_show_copies(struct gslot_vgpus *vgpus, struct seq_file *m);

#endif
