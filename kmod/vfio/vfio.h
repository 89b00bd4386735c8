/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How user space sees vGPUs: as VFIO PCI devices on mediated devices.
 */
#ifndef _GSLOT_VFIO_H
#define _GSLOT_VFIO_H

struct gslot_vfio_parent;
struct gslot_vgpus;

/* Of the module. */
int gslot_vfio_init(void);
void gslot_vfio_exit(void);

/* Of a GPU. */
struct gslot_vfio_parent *gslot_vfio_register(struct gslot_vgpus *gpu);
void gslot_vfio_unregister(struct gslot_vfio_parent *parent);

#endif
