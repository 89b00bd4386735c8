/* SPDX-License-Identifier: GPL-2.0 */
/* debugfs/gslot/<pci>/: the state of a GPU. vgpu/vgpu_debugfs.c has the directories of vGPUs. */
#ifndef _GSLOT_DEBUGFS_H
#define _GSLOT_DEBUGFS_H

struct gslot_vgpus;

void gslot_debugfs_init(void);
void gslot_debugfs_exit(void);
void gslot_debugfs_gpu_add(struct gslot_vgpus *vgpus);
void gslot_debugfs_gpu_remove(struct gslot_vgpus *vgpus);

#endif
