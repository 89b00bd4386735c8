/* SPDX-License-Identifier: GPL-2.0 */
/* Migration of a vGPU, as its VFIO device uses it: VFIO's states, and the files of the data. */
#ifndef _GSLOT_MIGRATE_H
#define _GSLOT_MIGRATE_H

#include <linux/vfio.h>

struct file;
struct gslot_mig;
struct gslot_vgpu;

struct gslot_mig *gslot_mig_create(struct vfio_device *vdev, struct gslot_vgpu *vgpu);
void gslot_mig_destroy(struct gslot_mig *mig);
void gslot_mig_close(struct gslot_mig *mig);
void gslot_mig_reset(struct gslot_mig *mig);

struct file *gslot_mig_set_state(struct gslot_mig *mig, enum vfio_device_mig_state state);
int gslot_mig_get_state(struct gslot_mig *mig, enum vfio_device_mig_state *state);
int gslot_mig_data_size(struct gslot_mig *mig, unsigned long *size);

#endif
