/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The GPU as its vGPUs know it. Whoever drives the GPU makes one of these and keeps it for
 * as long as there are vGPUs.
 */
#ifndef _GSLOT_VGPU_PARENT_H
#define _GSLOT_VGPU_PARENT_H

#include <linux/list.h>
#include <linux/mutex.h>

#include "../gm/runs.h"

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
 * @runs: the physical GGTT entries that vGPUs share
 * @lock: protects @vgpus
 * @vgpus: all vGPUs
 * @debugfs: its directory, in which those of the vGPUs are
 */
struct gslot_vgpu_parent {
	struct pci_dev *pdev;
	struct gslot_hw *hw;
	struct gslot_sched *sched;
	struct gslot_runs runs;
	struct mutex lock;	/* protects vgpus */
	struct list_head vgpus;
	struct dentry *debugfs;
};

/* debugfs.c: the table of vGPUs */
void gslot_vgpus_show(struct gslot_vgpu_parent *gpu, struct seq_file *m);

/* pm.c: system sleep */
void gslot_vgpus_suspend(struct gslot_vgpu_parent *gpu);
void gslot_vgpus_resume(struct gslot_vgpu_parent *gpu);

#endif
