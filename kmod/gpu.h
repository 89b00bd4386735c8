/* SPDX-License-Identifier: GPL-2.0 */
/* The PCI driver. gpu.c knows the parts of a GPU; its vGPUs know struct gslot_vgpus. */
#ifndef _GSLOT_GPU_H
#define _GSLOT_GPU_H

struct attribute_group;
struct device;
struct gslot_vgpus;

int gslot_gpu_init(void);
void gslot_gpu_exit(void);
struct gslot_vgpus *gslot_gpu_vgpus(struct device *dev);

/* sysfs.c */
extern const struct attribute_group *gslot_gpu_groups[];

#endif
