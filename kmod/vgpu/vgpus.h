/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The GPU as its vGPUs know it. Whoever drives the GPU makes one of these and keeps it for
 * as long as there are vGPUs.
 */
#ifndef _GSLOT_VGPU_VGPUS_H
#define _GSLOT_VGPU_VGPUS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/workqueue.h>

#include "core/sell/oversub.h"
#include "gm/aperture_pool.h"
#include "gm/runs.h"

struct dentry;
struct gslot_hw;
struct gslot_place_ops;
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
 * @looks: how often it looked
 */
struct gslot_vgpu_monitor {
	struct mutex lock;	/* see gpu.c */
	struct list_head vgpus;
	struct delayed_work work;
	u32 idle_ms;
	u32 looks;
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
 * @place_lock: protects @placement, and places: who opens a vGPU has it
 * @placement: the policy by which vGPUs get places, if they have any
 * @place_work: looks at places again
 * @place_due: it is time to, even if nothing has changed
 * @still: who makes a vGPU stand still, and takes his time, has it to read; who makes all of them,
 *	to write
 * @parked: the machine is about to sleep: no worker begins anything; @place_lock
 * @lock: protects @vgpus, @count, @max, @reserved and @most
 * @vgpus: all vGPUs
 * @count: how many there are
 * @max: how many there may be
 * @reserved: for how many the host reserves GGTT entries
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
	struct mutex place_lock;	/* see gpu.c */
	const struct gslot_place_ops *placement;
	struct work_struct place_work;
	bool place_due;
	bool parked;
	struct rw_semaphore still;	/* see gpu.c */
	struct mutex lock;	/* see gpu.c */
	struct list_head vgpus;
	u32 count;
	u32 max;
	u32 reserved;
	u32 most;
	struct gslot_vgpu_monitor monitor;
	struct gslot_vgpu_oversub oversub;
	struct dentry *debugfs;
};

/**
 * struct gslot_vgpu_count - how many vGPUs
 * @now: there are
 * @max: there may be
 * @most: the largest value that @max can be set to now
 */
struct gslot_vgpu_count {
	u32 now;
	u32 max;
	u32 most;
};

/* limit.c: how many there may be */
void gslot_vgpus_init_limit(struct gslot_vgpus *gpu, const struct gslot_profile *smallest);
int gslot_vgpus_set_max(struct gslot_vgpus *gpu, u32 max);
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

/* place.c: where in graphics memory they are, and how it is loaded */
void gslot_places_init(struct gslot_vgpus *gpu);
void gslot_places_fini(struct gslot_vgpus *gpu);
void gslot_places_look(struct gslot_vgpus *gpu, bool due);
int gslot_places_update(struct gslot_vgpus *gpu, bool due);
int gslot_places_set_rule(struct gslot_vgpus *gpu, const char *name);
int gslot_places_set_policy(struct gslot_vgpus *gpu, const char *name);
ssize_t gslot_places_show_rules(struct gslot_vgpus *gpu, char *buf);
ssize_t gslot_places_show_policies(struct gslot_vgpus *gpu, char *buf);
void gslot_places_show(struct gslot_vgpus *gpu, struct seq_file *m);

/* still.c: all of them stand still */
int gslot_vgpus_stop(struct gslot_vgpus *gpu);
void gslot_vgpus_go_on(struct gslot_vgpus *gpu);

/* pm.c: system sleep and shutdown */
int gslot_vgpus_park(struct gslot_vgpus *gpu);
void gslot_vgpus_unpark(struct gslot_vgpus *gpu);
int gslot_vgpus_suspend(struct gslot_vgpus *gpu);
void gslot_vgpus_resume(struct gslot_vgpus *gpu);
void gslot_vgpus_shutdown(struct gslot_vgpus *gpu);

#endif
