/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The worker of a vGPU, and the inbox through which vCPUs reach it.
 */
#ifndef _GSLOT_EXEC_WORKER_PRIV_H
#define _GSLOT_EXEC_WORKER_PRIV_H

#include <linux/kthread.h>
#include <linux/llist.h>
#include <linux/spinlock.h>

#include "core/regs/engines.h"
#include "core/sched/throttle.h"

struct gslot_exec;
struct mem_cgroup;

#define EXEC_INBOX_SIZE		4	/* unread submissions of an engine */
#define EXEC_MAX_DESTROYED	64	/* unread notifications of destroyed PPGTTs */

/* The two descriptors that the guest wrote to ELSP. */
struct exec_submission {
	u64 desc[2];
};

/**
 * struct exec_inbox - what vCPUs have left for the worker
 * @lock: protects all of it
 * @submission: unread submissions by engine, oldest first
 * @nr_submissions: their numbers
 * @destroyed: bus addresses of the PML4s of destroyed PPGTTs
 * @nr_destroyed: their number
 */
struct exec_inbox {
	spinlock_t lock;	/* see gpu.c */
	struct exec_submission submission[GSLOT_NR_ENGINES][EXEC_INBOX_SIZE];
	u32 nr_submissions[GSLOT_NR_ENGINES];
	u64 destroyed[EXEC_MAX_DESTROYED];
	u32 nr_destroyed;
};

/**
 * struct exec_worker - the thread that does all that may sleep or takes long
 * @thread: the thread
 * @work: processes what there is; queued by exec_kick()
 * @wake: the same, when a submission is due
 * @memcg: memory cgroup that is charged for what the worker allocates
 * @inbox: has a lock of its own
 * @retired: requests that were retired, the last one first; added in hard interrupts
 * @released: the hardware has released a context; set in hard interrupts
 * @cpu_max: limit of its CPU time, per mille of a processor; written in any context
 * @throttle: enforces @cpu_max
 * @throttled_since: since when it is throttled, jiffies; 0: it is not
 * @interrupted: it has left work undone because the vGPU's lock was contended
 * @next_engine: the engine whose submission is processed next, if it has one
 *
 * The vGPU's lock protects @throttle and what follows. @thread and @memcg never change. @retired,
 * @released and @cpu_max are accessed without a lock.
 */
struct exec_worker {
	struct kthread_worker *thread;
	struct kthread_work work;
	struct kthread_delayed_work wake;
	struct mem_cgroup *memcg;
	struct exec_inbox inbox;
	struct llist_head retired;
	bool released;
	u32 cpu_max;
	struct gslot_throttle throttle;
	unsigned long throttled_since;
	bool interrupted;
	u32 next_engine;
};

/* inbox.c */
bool exec_inbox_take(struct exec_inbox *inbox, enum gslot_engine_id id,
		     struct exec_submission *submission);
void exec_process_destroyed(struct gslot_exec *exec);

/* worker.c */
void exec_kick(struct gslot_exec *exec);
int exec_worker_create(struct gslot_exec *exec);
void exec_worker_destroy(struct gslot_exec *exec);

#endif
