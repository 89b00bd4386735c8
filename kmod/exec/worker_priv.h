/* SPDX-License-Identifier: GPL-2.0 */
/* The worker of a vGPU, and the inbox through which vCPUs reach it. */
#ifndef _GSLOT_EXEC_WORKER_PRIV_H
#define _GSLOT_EXEC_WORKER_PRIV_H

#include <linux/atomic.h>
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/spinlock.h>

#include "core/regs/engines.h"

struct gslot_exec;
struct mem_cgroup;

#define EXEC_INBOX_SIZE		4	/* unread submissions of an engine */
#define EXEC_MAX_DESTROYED	64	/* unread notifications of destroyed PPGTTs */

/* What the guest wrote to ELSP */
struct exec_submission {
	u64 desc[2];	/* the two descriptors */
	bool promoted;	/* the guest has its promote event: it comes from a migration */
};

/* What vCPUs have left for the worker, and whether it looks. @lock protects all of it. */
struct exec_inbox {
	spinlock_t lock;	/* see gpu.c */
	struct exec_submission submission[GSLOT_NR_ENGINES][EXEC_INBOX_SIZE];	/* oldest first */
	u32 nr_submissions[GSLOT_NR_ENGINES];
	u64 destroyed[EXEC_MAX_DESTROYED];	/* bus addresses of the PML4s of destroyed PPGTTs */
	u32 nr_destroyed;
	bool throttled;		/* the worker is: @wake wakes it, and exec_kick() does not */
};

/* The thread that does all that may sleep or takes long. @thread and @memcg never change. */
struct exec_worker {
	struct kthread_worker *thread;
	struct kthread_work work;	/* processes what there is; queued by exec_wake() */
	struct kthread_delayed_work wake;	/* the same, later: see worker_wake_in() */
	struct kthread_work sync;	/* syncs the private GGTT; while parked, too */
	struct completion synced;	/* no @sync is under way */
	int sync_error;			/* with @synced: its result */
	struct mem_cgroup *memcg;	/* charged for what the worker allocates */
	struct exec_inbox inbox;

	/* Accessed without a lock, the first two in hard interrupts. */
	struct llist_head retired;	/* requests that were retired, the last one first */
	bool retry;			/* there may be room: submissions are tried again */
	atomic_long_t quiesced_jiffies;	/* how long the vGPU was quiesced since the last step */
	u32 cpu_max;			/* limit of its CPU time, per mille of a processor */
	atomic_t postponed;		/* bits of enum gslot_exec_postpone; 0: no reason */
	bool waits;			/* the worker waits for the vGPU's lock */

	/* The vGPU's lock protects the rest. */
	bool held;			/* no submission is processed */
	unsigned long held_since;	/* with @held: jiffies */
	bool interrupted;		/* it left work undone because the lock was contended */
	u32 next_engine;		/* its submission is processed next, if it has one */
};

/* inbox.c */
void exec_inbox_put(struct gslot_exec *exec, enum gslot_engine_id id,
		    const struct exec_submission *submission);
bool exec_inbox_take(struct exec_inbox *inbox, enum gslot_engine_id id,
		     struct exec_submission *submission);
void exec_process_destroyed(struct gslot_exec *exec);

/* ggtt_sync.c */
void exec_sync_init(struct exec_worker *worker);

/* worker.c */
void exec_wake(struct gslot_exec *exec);
void exec_kick(struct gslot_exec *exec);
int exec_worker_create(struct gslot_exec *exec);
void exec_worker_destroy(struct gslot_exec *exec);

#endif
