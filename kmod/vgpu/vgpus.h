/* SPDX-License-Identifier: GPL-2.0 */
/* The vGPUs of a GPU, and what they share. The PCI driver owns it; it outlives all vGPUs. */
#ifndef _GSLOT_VGPU_VGPUS_H
#define _GSLOT_VGPU_VGPUS_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/mem/steps.h"
#include "core/mem/token.h"
#include "core/oversub/oversub.h"
#include "gm/aperture_pool.h"
#include "gm/pinned.h"
#include "gm/runs.h"
#include "sched/sched.h"

struct dentry;
struct gslot_copy_policy;
struct gslot_gpu_places;
struct gslot_hw;
struct gslot_profile;
struct gslot_reclaim_ops;
struct pci_dev;
struct seq_file;
struct shrinker;

/* Samples the use of the GPU by its vGPUs, once a second */
struct gslot_vgpu_monitor {
	struct mutex lock;	/* protects all of this, and the samples of each vGPU; see gpu.c */
	struct list_head vgpus;	/* the vGPUs that are open */
	/* Takes the samples; queued or running while a vGPU is open */
	struct delayed_work work;
	/* How long a vGPU must have had no work to count as idle; read without the lock */
	u32 idle_ms;
};

/* Moves caps between the vGPUs of a GPU */
struct gslot_vgpu_oversub {
	struct mutex lock;	/* protects all of this, and the caps in force; see gpu.c */
	struct list_head vgpus;			/* the vGPUs that are open */
	/* The controller and its state; its @ops are NULL if there is no controller */
	struct gslot_oversub core;
	struct gslot_oversub_advice advice;	/* what the controller has advised */
	/* Runs the controller; queued or running while there is one */
	struct delayed_work work;
	u64 look_at;				/* when @work is due, ns */
};

/* Room for guests' memory that vGPUs pin (room.c) */
struct gslot_vgpus_room {
	struct gslot_pinned pinned;
	spinlock_t lock;		/* protects @token; see gpu.c */
	struct gslot_token token;	/* for vGPUs that wait for room */
};

/* Gives guests' memory back that the host needs, or a vGPU (shrink.c) */
struct gslot_vgpus_shrink {
	const struct gslot_reclaim_ops *policy;	/* says what they give; without a lock */
	struct shrinker *shrinker;	/* tells how much the host needs */
	struct workqueue_struct *wq;	/* runs @work */
	struct workqueue_struct *give_wq;	/* runs the works of the vGPUs */
	struct delayed_work work;	/* takes a step */
	atomic_long_t wanted;		/* how many pinned pages the host still wants */
	atomic_long_t given;		/* how many were unpinned; only grows */
	atomic_t busy;			/* how many vGPUs have work queued, or do it */
	/* Nothing is given to the host, or for a limit, before that, jiffies; without a lock */
	unsigned long rest_until[2];
	u64 over;			/* by how many pages vGPUs exceed quotas; without a lock */
	u32 count;			/* how many vGPUs the last step was for; @work */
	struct gslot_steps steps;	/* the steps that are taken; @work */
	u32 token_number;		/* the token's number at the last look; @work */
	bool token_held;		/* a vGPU held it then; without a lock */
	bool postpones;			/* a step has had submissions postponed; @work */
	/* The token's number when the last step, which may do so, was taken; without a lock */
	u32 postpones_for;
	unsigned long looked;		/* when @work looked last, jiffies; without a lock */
	long given_before;		/* @given when the last step began; @work */
};

/* The vGPUs of a GPU, and what they share */
struct gslot_vgpus {
	struct pci_dev *pdev;			/* its PCI device */
	struct gslot_hw *hw;			/* the hardware */
	struct gslot_sched *sched;		/* its scheduler */
	struct gslot_runs runs;			/* the physical GGTT entries that vGPUs share */
	struct gslot_aperture_pool aperture;	/* the physical aperture, which they share, too */
	/*
	 * NULL: `cached`. Changed with @lock held and the gate closed, so that a vGPU's @life
	 * keeps it, too, if it was taken through the gate
	 */
	struct gslot_copy_policy *copy_policy;
	struct gslot_gpu_places *places;	/* places of vGPUs */
	bool gate_closed;	/* all vGPUs are stopped, or are about to be (gate.c); @lock */
	wait_queue_head_t gate_wait;		/* woken when the gate is opened */
	bool parked;	/* the machine is about to sleep: no worker begins anything; @lock */
	/*
	 * Protects @parked, @list, @count, @max, @reserved and @most, and which vGPUs are open.
	 * How long it may be held: gpu.c
	 */
	struct mutex lock;
	struct list_head list;			/* all vGPUs */
	u32 count;				/* how many vGPUs there are */
	u32 max;				/* how many there may be */
	u32 reserved;				/* for how many the host reserves GGTT entries */
	u32 most;				/* for how many it can */
	struct gslot_vgpu_monitor monitor;	/* samples their use of the GPU */
	struct gslot_vgpu_oversub oversub;	/* moves their caps */
	struct gslot_vgpus_room room;		/* their pinned memory */
	struct gslot_vgpus_shrink shrink;	/* gives it back */
	struct dentry *debugfs;	/* the directory of the GPU, which contains those of the vGPUs */
};

/* How many vGPUs */
struct gslot_vgpu_count {
	u32 now;	/* there are */
	u32 max;	/* there may be */
	u32 most;	/* the largest value that @max can be set to now */
};

/* vgpu.c */
void gslot_vgpus_init(struct gslot_vgpus *vgpus, struct pci_dev *pdev);
void gslot_vgpus_fini(struct gslot_vgpus *vgpus);

/* limit.c: how many vGPUs there may be */
void gslot_vgpus_init_limit(struct gslot_vgpus *vgpus, const struct gslot_profile *smallest);
int gslot_vgpus_set_max(struct gslot_vgpus *vgpus, u32 max);
struct gslot_vgpu_count gslot_vgpus_count(struct gslot_vgpus *vgpus);

/* room.c: how much memory they may pin */
void gslot_vgpus_init_room(struct gslot_vgpus *vgpus);
u32 gslot_vgpus_pinned_max_mb(struct gslot_vgpus *vgpus);
int gslot_vgpus_set_pinned_max_mb(struct gslot_vgpus *vgpus, u32 mb);

/* shrink.c: memory that the host needs */
int gslot_vgpus_set_reclaim(struct gslot_vgpus *vgpus, const char *name);
ssize_t gslot_vgpus_show_reclaim(struct gslot_vgpus *vgpus, char *buf);
int gslot_vgpus_init_shrink(struct gslot_vgpus *vgpus);
void gslot_vgpus_fini_shrink(struct gslot_vgpus *vgpus);

/* vgpu_monitor.c: samples of use */
int gslot_vgpus_set_idle_ms(struct gslot_vgpus *vgpus, u32 ms);
u32 gslot_vgpus_idle_ms(struct gslot_vgpus *vgpus);

/* knobs.c: the scheduling policy, and its quantum */
int gslot_vgpus_set_sched_policy(struct gslot_vgpus *vgpus, const char *name);
ssize_t gslot_vgpus_show_sched_policies(struct gslot_vgpus *vgpus, char *buf);
int gslot_vgpus_set_quantum_ms(struct gslot_vgpus *vgpus, u32 ms);
u32 gslot_vgpus_quantum_ms(struct gslot_vgpus *vgpus);

/* vgpu_oversub.c: controllers that move caps */
int gslot_vgpus_set_oversub(struct gslot_vgpus *vgpus, const char *name);
ssize_t gslot_vgpus_show_oversub(struct gslot_vgpus *vgpus, char *buf);
const char *gslot_vgpus_oversub_advice(struct gslot_vgpus *vgpus);

/* vgpu_debugfs.c: the table of vGPUs */
void gslot_vgpus_show(struct gslot_vgpus *vgpus, struct seq_file *m);

/* pm.c: system sleep and shutdown */
int gslot_vgpus_park(struct gslot_vgpus *vgpus);
void gslot_vgpus_unpark(struct gslot_vgpus *vgpus);
int gslot_vgpus_check_hibernate(struct gslot_vgpus *vgpus);
int gslot_vgpus_suspend(struct gslot_vgpus *vgpus);
void gslot_vgpus_resume(struct gslot_vgpus *vgpus);
void gslot_vgpus_shutdown(struct gslot_vgpus *vgpus);

#endif
