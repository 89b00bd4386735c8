/* SPDX-License-Identifier: GPL-2.0 */
/* Internals of places; for kmod/places only. */
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

/* Loading before a vGPU runs. @lock protects all members but @worker. */
struct places_loader {
	spinlock_t lock;	/* see gpu.c */
	/*
	 * A thread of real-time priority; NULL without places. It is started and ended with
	 * &gslot_gpu_places.lock held, while no layer has the copy policy. loader_give() and
	 * loader_next() are called only while a layer has it.
	 */
	struct kthread_worker *worker;
	struct kthread_work work;	/* there is something to load */

	/* Private GGTTs; or NULL. */
	struct gslot_ggtt *ggtt;	/* its vGPU is given the engines when it is loaded */
	struct gslot_ggtt *ahead;	/* may be loaded while another vGPU has the engines */
	struct gslot_ggtt *busy;	/* the thread is loading it */
	const struct gslot_ggtt *loaded;	/* the last one loaded for its vGPU to run */
	/* The last one that loader_next() has named since the engines were given to a vGPU */
	const struct gslot_ggtt *foreseen;
	wait_queue_head_t wait;		/* woken when the thread is done with a vGPU */
};

/* For debugfs: entries that were written, and how long that took. */
struct places_stats {
	u64 low;	/* of low graphics memory, as a vGPU got the engines, or had them */
	u64 high;	/* of high graphics memory */
	u64 ahead;	/* of both, before it got them */
	u64 loads;	/* how often some were written as a vGPU got the engines */
	u64 load_ns;	/* how long that took */
};

/* The places of a GPU's vGPUs. */
struct gslot_gpu_places {
	struct gslot_copy_policy policy;	/* for the layers, while there are places */
	struct gslot_vgpus *vgpus;
	/* Serialises writes to `copy_policy` and `placement`. Taken by gslot_lock_until() only. */
	struct mutex change_lock;	/* see gpu.c */
	/*
	 * Protects @placement, @due_at, the choice of the rule, and the loader's thread; held while
	 * vGPUs are moved. A function that only shows @placement or the rule does not take it.
	 */
	struct mutex lock;	/* see gpu.c */
	const struct gslot_place_ops *placement;	/* chooses places; READ_ONCE() to show it */
	struct delayed_work work;	/* reconsiders them, once a second while there are any */
	unsigned long due_at;		/* when that is done without a change, jiffies */

	/*
	 * &gslot_runs.lock protects the next three. The rule of @loading is NULL without places; it
	 * is changed with @lock and &gslot_vgpus.lock held as well, and all vGPUs stopped. So the
	 * loader, which is called while a layer has the policy, reads it without a lock.
	 */
	struct gslot_loading loading;	/* which unit is loaded where, and by which rule */
	u64 ptes[GSLOT_LOADING_MAX * GSLOT_UNIT_PAGES];	/* scratch */
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
void loader_init(struct gslot_gpu_places *places);
int loader_start(struct gslot_gpu_places *places);
void loader_stop(struct gslot_gpu_places *places);
bool loader_give(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
void loader_next(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
void loader_forget(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);

/* quiesce.c */
int quiesce_all(struct gslot_vgpus *vgpus);
void quiesce_end(struct gslot_vgpus *vgpus);

/* place.c */
void place_look_again(struct gslot_gpu_places *places, unsigned long delay);

#endif
