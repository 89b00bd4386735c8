/* SPDX-License-Identifier: GPL-2.0 */
/*
 * debugfs/gslot/<pci>/: what a GPU is doing. A vGPU's own directory is made
 * below gpu->debugfs by the layer that makes the vGPU.
 */
#ifndef _GSLOT_DEBUGFS_H
#define _GSLOT_DEBUGFS_H

struct gslot_vgpus;

void gslot_debugfs_init(void);
void gslot_debugfs_exit(void);
void gslot_debugfs_gpu_add(struct gslot_vgpus *gpu);
void gslot_debugfs_gpu_remove(struct gslot_vgpus *gpu);

#endif
