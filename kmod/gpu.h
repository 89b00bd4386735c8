/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One GPU and what the module builds on it. Composition only: the layers do
 * not include this header, except vgpu and vfio at the top.
 */
#ifndef _GSLOT_GPU_H
#define _GSLOT_GPU_H

#include <linux/list.h>
#include <linux/mdev.h>
#include <linux/mutex.h>
#include <linux/pci.h>

#include "gm/slots.h"
#include "hw/hw.h"
#include "sched/sched.h"

struct gslot_vfio_parent;

/**
 * struct gslot_gpu - a GPU that gslot drives
 * @pdev: its PCI device
 * @hw: the hardware
 * @sched: its scheduler
 * @slots: who has which slots and fences
 * @lock: protects @vgpus and @slots
 * @vgpus: all vGPUs
 * @debugfs: its directory
 * @vfio: mdev registration
 */
struct gslot_gpu {
	struct pci_dev *pdev;
	struct gslot_hw *hw;
	struct gslot_sched *sched;
	struct gslot_slots slots;
	struct mutex lock;	/* protects vgpus and slots */
	struct list_head vgpus;
	struct dentry *debugfs;
	struct gslot_vfio_parent *vfio;
};

/* kmod/gpu.c: the PCI driver. */
int gslot_gpu_init(void);
void gslot_gpu_exit(void);

/* kmod/vfio: registers the mdev types; a vGPU can be created when it returns. */
int gslot_vfio_register(struct gslot_gpu *gpu);
void gslot_vfio_unregister(struct gslot_gpu *gpu);	/* removes all vGPUs */
int gslot_vfio_init(void);		/* module init: the mdev driver */
void gslot_vfio_exit(void);

/* kmod/vgpu: system sleep. */
void gslot_vgpus_suspend(struct gslot_gpu *gpu);
void gslot_vgpus_resume(struct gslot_gpu *gpu);

#endif
