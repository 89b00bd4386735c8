/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The GPU as its vGPUs know it. Whoever drives the GPU makes one of these and keeps it for
 * as long as there are vGPUs.
 */
#ifndef _GSLOT_VGPU_VGPUS_H
#define _GSLOT_VGPU_VGPUS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/sell/oversub.h"
#include "gm/aperture_pool.h"
#include "gm/runs.h"

struct dentry;
struct gslot_copy_policy;
struct gslot_gpu_places;
struct gslot_hw;
struct gslot_profile;
struct gslot_sched;
struct pci_dev;
struct seq_file;

/**
 * struct gslot_vgpu_monitor - who looks at the vGPUs of a GPU once a second
 * @lock: protects all of this, and what is known of each vGPU
 * @vgpus: those that are open
 * @work: the look; waits or runs while there are any
 * @idle_ms: for how long a vGPU must have had nothing to do to be idle
 */
struct gslot_vgpu_monitor {
	struct mutex lock;	/* see gpu.c */
	struct list_head vgpus;
	struct delayed_work work;
	u32 idle_ms;
};

/**
 * struct gslot_vgpu_oversub - who moves caps between the vGPUs of a GPU
 * @lock: protects all of this, and the caps in force
 * @vgpus: those that are open
 * @core: the controller, and what it knows; its @ops are NULL: there is none
 * @advice: what it has said
 * @work: the look; waits or runs while there is a controller
 * @look_at: when it is due, ns
 */
struct gslot_vgpu_oversub {
	struct mutex lock;	/* see gpu.c */
	struct list_head vgpus;
	struct gslot_oversub core;
	struct gslot_oversub_advice advice;
	struct delayed_work work;
	u64 look_at;
};

/**
 * struct gslot_vgpus - what vGPUs need of their GPU
 * @pdev: its PCI device
 * @hw: the hardware
 * @sched: its scheduler
 * @runs: the physical GGTT entries that vGPUs share
 * @aperture: the physical aperture, the same
 * @copy_policy: NULL: `cached`. Changed with @lock held and the gate closed, so that a vGPU's
 *	@life keeps it, too, if it was taken through the gate
 * @places: places of vGPUs
 * @gate_closed: all vGPUs are stopped, or are about to be (gate.c); @lock
 * @gate_wait: woken when the gate is opened
 * @parked: the machine is about to sleep: no worker begins anything; @lock
 * @lock: protects @parked, @vgpus, @count, @max, @room and @most, and which vGPUs are open. With
 *	the default copy policy no caller waits for a vGPU while it holds this lock
 * @vgpus: all vGPUs
 * @count: how many there are
 * @max: how many there may be
 * @room: for how many the host keeps a part of graphics memory
 * @most: for how many it can
 * @monitor: how much each of them does
 * @oversub: who moves their caps
 * @debugfs: its directory, in which those of the vGPUs are
 */
struct gslot_vgpus {
	struct pci_dev *pdev;
	struct gslot_hw *hw;
	struct gslot_sched *sched;
	struct gslot_runs runs;
	struct gslot_aperture_pool aperture;
	struct gslot_copy_policy *copy_policy;
	struct gslot_gpu_places *places;
	bool gate_closed;
	wait_queue_head_t gate_wait;
	bool parked;
	struct mutex lock;	/* see gpu.c */
	struct list_head vgpus;
	u32 count;
	u32 max;
	u32 room;
	u32 most;
	struct gslot_vgpu_monitor monitor;
	struct gslot_vgpu_oversub oversub;
	struct dentry *debugfs;
};

/**
 * struct gslot_vgpu_count - how many vGPUs
 * @now: there are
 * @max: there may be
 * @room: graphics memory has room for
 */
struct gslot_vgpu_count {
	u32 now;
	u32 max;
	u32 room;
};

/* limit.c: how many there may be */
void gslot_vgpus_init_limit(struct gslot_vgpus *gpu, const struct gslot_profile *smallest);
int gslot_vgpus_set_max(struct gslot_vgpus *gpu, u32 max);
int gslot_vgpus_set_room(struct gslot_vgpus *gpu, u32 room);
struct gslot_vgpu_count gslot_vgpus_count(struct gslot_vgpus *gpu);

/* vgpu_monitor.c: who uses the GPU how much, and who does not */
void gslot_vgpus_monitor_init(struct gslot_vgpus *gpu);
void gslot_vgpus_monitor_fini(struct gslot_vgpus *gpu);
int gslot_vgpus_set_idle_ms(struct gslot_vgpus *gpu, u32 ms);
u32 gslot_vgpus_idle_ms(struct gslot_vgpus *gpu);

/* vgpu_oversub.c: more of its time may be sold than there is */
void gslot_vgpus_oversub_init(struct gslot_vgpus *gpu);
void gslot_vgpus_oversub_fini(struct gslot_vgpus *gpu);
int gslot_vgpus_set_oversub(struct gslot_vgpus *gpu, const char *name);
ssize_t gslot_vgpus_show_oversub(struct gslot_vgpus *gpu, char *buf);
const char *gslot_vgpus_oversub_advice(struct gslot_vgpus *gpu);

/* vgpu_debugfs.c: the table of vGPUs */
void gslot_vgpus_show(struct gslot_vgpus *gpu, struct seq_file *m);

/* pm.c: system sleep and shutdown */
int gslot_vgpus_park(struct gslot_vgpus *gpu);
void gslot_vgpus_unpark(struct gslot_vgpus *gpu);
int gslot_vgpus_suspend(struct gslot_vgpus *gpu);
void gslot_vgpus_resume(struct gslot_vgpus *gpu);
void gslot_vgpus_shutdown(struct gslot_vgpus *gpu);

#endif
