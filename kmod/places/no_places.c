// SPDX-License-Identifier: GPL-2.0
/*
 * A module without copy policies with places: see places.h.
 */
#include <linux/errno.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "places.h"

/**
 * gslot_places_create() - nothing to create
 * @vgpus: the GPU
 *
 * Return: 0.
 * Context: any.
 */
int gslot_places_create(struct gslot_vgpus *vgpus)
{
	return 0;
}

/**
 * gslot_places_destroy() - undo gslot_places_create()
 * @vgpus: the GPU
 *
 * Context: any.
 */
void gslot_places_destroy(struct gslot_vgpus *vgpus)
{
}

/**
 * gslot_places_set_rule() - choose the only copy policy
 * @vgpus: the GPU
 * @name: "cached"
 *
 * Return: 0, or -EINVAL if there is none of that name.
 * Context: any.
 */
int gslot_places_set_rule(struct gslot_vgpus *vgpus, const char *name)
{
	return sysfs_streq(name, "cached") ? 0 : -EINVAL;
}

/**
 * gslot_places_set_policy() - there is no placement policy
 * @vgpus: the GPU
 * @name: any
 *
 * Return: -EINVAL.
 * Context: any.
 */
int gslot_places_set_policy(struct gslot_vgpus *vgpus, const char *name)
{
	return -EINVAL;
}

/**
 * gslot_places_show_rules() - list the copy policies
 * @vgpus: the GPU
 * @buf: buffer of sysfs
 *
 * Return: how many bytes were written.
 * Context: any.
 */
ssize_t gslot_places_show_rules(struct gslot_vgpus *vgpus, char *buf)
{
	return sysfs_emit(buf, "[cached]\n");
}

/**
 * gslot_places_show_policies() - list the placement policies: none
 * @vgpus: the GPU
 * @buf: buffer of sysfs
 *
 * Return: how many bytes were written.
 * Context: any.
 */
ssize_t gslot_places_show_policies(struct gslot_vgpus *vgpus, char *buf)
{
	return sysfs_emit(buf, "\n");
}

/**
 * gslot_places_show() - show slots in debugfs
 * @vgpus: the GPU
 * @m: where to print
 *
 * Context: any.
 */
void gslot_places_show(struct gslot_vgpus *vgpus, struct seq_file *m)
{
	seq_puts(m, "copy_policy: cached\nslots: 0\n");
}

/**
 * gslot_places_show_copies() - show in debugfs how much was loaded: nothing
 * @vgpus: the GPU
 * @m: where to print
 *
 * Context: any.
 */
void gslot_places_show_copies(struct gslot_vgpus *vgpus, struct seq_file *m)
{
}
