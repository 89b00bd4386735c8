/* SPDX-License-Identifier: GPL-2.0 */
/* vGPUs as VFIO PCI devices, on mediated devices. */
#ifndef _GSLOT_VFIO_H
#define _GSLOT_VFIO_H

struct gslot_vfio_parent;
struct gslot_vgpus;

/* When the module is loaded and unloaded. */
int gslot_vfio_init(void);
void gslot_vfio_exit(void);

/* When a GPU is bound and unbound. */
struct gslot_vfio_parent *gslot_vfio_register(struct gslot_vgpus *vgpus);
void gslot_vfio_unregister(struct gslot_vfio_parent *parent);

#endif
