/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The GPU as its vGPUs know it. Whoever drives the GPU makes one of these and keeps it for
 * as long as there are vGPUs.
 */
#ifndef _GSLOT_VGPU_PARENT_H
#define _GSLOT_VGPU_PARENT_H

#include <linux/list.h>
#include <linux/mutex.h>

#include "../gm/slots.h"

struct dentry;
struct gslot_hw;
struct gslot_sched;
struct pci_dev;
struct seq_file;

/**
 * struct gslot_vgpu_parent - what vGPUs need of their GPU
 * @pdev: its PCI device
 * @hw: the hardware
 * @sched: its scheduler
 * @slots: who has which slots and fences
 * @lock: protects @vgpus and @slots
 * @vgpus: all vGPUs
 * @debugfs: its directory, in which those of the vGPUs are
 */
struct gslot_vgpu_parent {
	struct pci_dev *pdev;
	struct gslot_hw *hw;
	struct gslot_sched *sched;
	struct gslot_slots slots;
	struct mutex lock;	/* protects vgpus and slots */
	struct list_head vgpus;
	struct dentry *debugfs;
};

/* pm.c: system sleep */
void gslot_vgpus_suspend(struct gslot_vgpu_parent *gpu);
void gslot_vgpus_resume(struct gslot_vgpu_parent *gpu);

/* debugfs.c: the table of slots */
void gslot_vgpus_show_slots(struct gslot_vgpu_parent *gpu, struct seq_file *m);

#endif
