// SPDX-License-Identifier: GPL-2.0
/* What places.h declares, for a module without the baselines: `cached` is its only copy policy. */
#include <linux/errno.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "places.h"

int gslot_places_create(struct gslot_vgpus *vgpus)
{
	return 0;
}

void gslot_places_destroy(struct gslot_vgpus *vgpus)
{
}

int gslot_places_set_copy_policy(struct gslot_vgpus *vgpus, const char *name)
{
	return sysfs_streq(name, "cached") ? 0 : -EINVAL;
}

int gslot_places_set_placement(struct gslot_vgpus *vgpus, const char *name)
{
	return -EINVAL;
}

ssize_t gslot_places_show_copy_policies(struct gslot_vgpus *vgpus, char *buf)
{
	return sysfs_emit(buf, "[cached]\n");
}

ssize_t gslot_places_show_placements(struct gslot_vgpus *vgpus, char *buf)
{
	return sysfs_emit(buf, "\n");
}

void gslot_places_show(struct gslot_vgpus *vgpus, struct seq_file *m)
{
	seq_puts(m, "copy_policy: cached\nslots: 0\n");
}

void gslot_places_show_copies(struct gslot_vgpus *vgpus, struct seq_file *m)
{
}
