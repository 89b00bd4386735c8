/* SPDX-License-Identifier: GPL-2.0 */
/* The vGPUs of a GPU, and what they share. The PCI driver owns it; it outlives all vGPUs. */
#ifndef _GSLOT_VGPU_VGPUS_H
#define _GSLOT_VGPU_VGPUS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/sell/oversub.h"
#include "gm/aperture_pool.h"
#include "gm/runs.h"
#include "sched/sched.h"

struct dentry;
struct gslot_copy_policy;
struct gslot_gpu_places;
struct gslot_hw;
struct gslot_profile;
struct pci_dev;
struct seq_file;

/**
 * struct gslot_vgpu_monitor - samples the use of the GPU by its vGPUs, once a second
 * @lock: protects all of this, and the samples of each vGPU
 * @vgpus: the vGPUs that are open
 * @work: takes the samples; queued or running while a vGPU is open
 * @idle_ms: how long a vGPU must have had no work to count as idle; read without the lock
 */
struct gslot_vgpu_monitor {
	struct mutex lock;	/* see gpu.c */
	struct list_head vgpus;
	struct delayed_work work;
	u32 idle_ms;
};

/**
 * struct gslot_vgpu_oversub - moves caps between the vGPUs of a GPU
 * @lock: protects all of this, and the caps in force
 * @vgpus: the vGPUs that are open
 * @core: the controller and its state; its @ops are NULL if there is no controller
 * @advice: what the controller has advised
 * @work: runs the controller; queued or running while there is one
 * @look_at: when @work is due, ns
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
 * struct gslot_vgpus - the vGPUs of a GPU, and what they share
 * @pdev: its PCI device
 * @hw: the hardware
 * @sched: its scheduler
 * @runs: the physical GGTT entries that vGPUs share
 * @aperture: the physical aperture, which they share, too
 * @copy_policy: NULL: `cached`. Changed with @lock held and the gate closed, so that a vGPU's
 *	@life keeps it, too, if it was taken through the gate
 * @places: places of vGPUs
 * @gate_closed: all vGPUs are stopped, or are about to be (gate.c); @lock
 * @gate_wait: woken when the gate is opened
 * @parked: the machine is about to sleep: no worker begins anything; @lock
 * @lock: protects @parked, @list, @count, @max, @reserved and @most, and which vGPUs are open.
 *	With the default copy policy a holder waits for no vGPU
 * @list: all vGPUs
 * @count: how many vGPUs there are
 * @max: how many there may be
 * @reserved: for how many the host reserves GGTT entries
 * @most: for how many it can
 * @monitor: samples their use of the GPU
 * @oversub: moves their caps
 * @debugfs: the directory of the GPU, which contains those of the vGPUs
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
	struct list_head list;
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

/* limit.c: how many vGPUs there may be */
void gslot_vgpus_init(struct gslot_vgpus *vgpus, struct pci_dev *pdev);
void gslot_vgpus_fini(struct gslot_vgpus *vgpus);
void gslot_vgpus_init_limit(struct gslot_vgpus *vgpus, const struct gslot_profile *smallest);
int gslot_vgpus_set_max(struct gslot_vgpus *vgpus, u32 max);
struct gslot_vgpu_count gslot_vgpus_count(struct gslot_vgpus *vgpus);

/* vgpu_monitor.c: samples of use */
int gslot_vgpus_set_idle_ms(struct gslot_vgpus *vgpus, u32 ms);
u32 gslot_vgpus_idle_ms(struct gslot_vgpus *vgpus);

/* vgpu_oversub.c: controllers that move caps */
int gslot_vgpus_set_oversub(struct gslot_vgpus *vgpus, const char *name);
ssize_t gslot_vgpus_show_oversub(struct gslot_vgpus *vgpus, char *buf);
const char *gslot_vgpus_oversub_advice(struct gslot_vgpus *vgpus);

/* vgpu_debugfs.c: the table of vGPUs */
void gslot_vgpus_show(struct gslot_vgpus *vgpus, struct seq_file *m);

/* pm.c: system sleep and shutdown */
int gslot_vgpus_park(struct gslot_vgpus *vgpus);
void gslot_vgpus_unpark(struct gslot_vgpus *vgpus);
int gslot_vgpus_suspend(struct gslot_vgpus *vgpus);
void gslot_vgpus_resume(struct gslot_vgpus *vgpus);
void gslot_vgpus_shutdown(struct gslot_vgpus *vgpus);

#endif
