/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the files of kmod/places.
 */
#ifndef _GSLOT_PLACES_PRIV_H
#define _GSLOT_PLACES_PRIV_H

#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "places.h"
#include "base/copy_policy.h"
#include "core/place/loading.h"
#include "vgpu/vgpus.h"

/**
 * struct places_loader - loading before a vGPU runs
 * @lock: protects all below, but for @worker
 * @worker: does it, in a thread of real-time priority
 * @work: there is something to load
 * @ggtt: the vGPU that is given the engines when it is loaded; NULL: none
 * @ahead: the vGPU that may be loaded while another one has the engines; NULL: none
 * @busy: the vGPU that the thread is loading; NULL: none
 * @loaded: the vGPU that had the engines last, as long as its entries are loaded; else NULL
 * @foreseen: the vGPU that is expected to run next, since the engines were given; NULL: none
 * @wait: woken when the thread is done with a vGPU
 */
struct places_loader {
	spinlock_t lock;	/* see gpu.c */
	struct kthread_worker *worker;
	struct kthread_work work;
	struct gslot_ggtt *ggtt;
	struct gslot_ggtt *ahead;
	struct gslot_ggtt *busy;
	const struct gslot_ggtt *loaded;
	const struct gslot_ggtt *foreseen;
	wait_queue_head_t wait;
};

/**
 * struct places_stats - for debugfs
 * @low: entries of low graphics memory written as a vGPU got the engines, or had them
 * @high: of high graphics memory
 * @ahead: of both, before it got them
 * @loads: how often some were written as a vGPU got the engines
 * @load_ns: how long that took
 */
struct places_stats {
	u64 low;
	u64 high;
	u64 ahead;
	u64 loads;
	u64 load_ns;
};

/**
 * struct gslot_gpu_places - the places of a GPU's vGPUs
 * @policy: what is handed down to the layers while there are places
 * @vgpus: the GPU
 * @lock: protects @placement, @due_at and the choice of the rule; held while vGPUs are moved
 * @placement: the policy that chooses places
 * @work: reconsiders places, once a second while there are any
 * @due_at: when places are reconsidered even if nothing has changed, jiffies
 * @loading: which unit is loaded where, and by which rule; &gslot_runs.lock. The rule is NULL
 *	without places; it is changed with @lock held and all vGPUs stopped
 * @ptes: scratch; the same lock
 * @stats: counters; the same lock
 * @loader: loads vGPUs before they run
 */
struct gslot_gpu_places {
	struct gslot_copy_policy policy;
	struct gslot_vgpus *vgpus;
	struct mutex lock;	/* see gpu.c */
	const struct gslot_place_ops *placement;
	struct delayed_work work;
	unsigned long due_at;
	struct gslot_loading loading;
	u64 *ptes;
	struct places_stats stats;
	struct places_loader loader;
};

static inline struct gslot_gpu_places *places_of(struct gslot_copy_policy *policy)
{
	return container_of(policy, struct gslot_gpu_places, policy);
}

/* ggtt_placed.c */
u32 placed_hold(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt, u32 entry);
void placed_release(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt, u32 entry);
void placed_publish(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
void placed_leave(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
u32 placed_to_copy(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
void placed_load(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt,
		 enum gslot_loading_why why);
void placed_unplace(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt);
void placed_place(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt, u32 place);
void placed_begin_resize(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt);
void placed_end_resize(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt);
u32 placed_place_of(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt);
void placed_set_idle(struct gslot_gpu_places *places, struct gslot_ggtt *ggtt, bool idle);

/* loader.c */
int loader_init(struct gslot_gpu_places *places);
void loader_fini(struct gslot_gpu_places *places);
bool loader_give(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
void loader_next(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
void loader_forget(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);

/* quiesce.c */
int quiesce_all(struct gslot_vgpus *vgpus);
void quiesce_end(struct gslot_vgpus *vgpus);

/* place.c */
void place_look_again(struct gslot_gpu_places *places, unsigned long delay);

#endif
