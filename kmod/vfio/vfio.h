/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How user space sees vGPUs: as VFIO PCI devices on mediated devices.
 */
#ifndef _GSLOT_VFIO_H
#define _GSLOT_VFIO_H

struct gslot_vfio_parent;
struct gslot_vgpu_parent;

int gslot_vfio_init(void);	/* module init: the mdev driver */
void gslot_vfio_exit(void);

/* Registers the mdev types; vGPUs can be created when it returns. ERR_PTR */
struct gslot_vfio_parent *gslot_vfio_register(struct gslot_vgpu_parent *gpu);
void gslot_vfio_unregister(struct gslot_vfio_parent *parent);	/* removes all vGPUs */

#endif
