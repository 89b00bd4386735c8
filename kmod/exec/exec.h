/* SPDX-License-Identifier: GPL-2.0 */
/* Execution: from a guest's execlist submission to the events that the guest gets. */
#ifndef _GSLOT_EXEC_H
#define _GSLOT_EXEC_H

#include "base/lock.h"
#include "core/regs/engines.h"
#include "gm/ggtt.h"
#include "sched/sched.h"

struct gslot_exec;
struct gslot_guest_errors;
struct gslot_throttle;
struct seq_file;

/*
 * Entries of the host's part of the GGTT that are reserved for a vGPU: its limits (budget.c), and
 * a margin for fragmentation, since its allocations are of many sizes.
 */
#define GSLOT_EXEC_GGTT_PAGES	6144

/**
 * enum gslot_exec_room - what is done for a vGPU that needs room to pin pages
 * @GSLOT_EXEC_ROOM_WAITS: it waits for the pin token
 * @GSLOT_EXEC_ROOM_TOKEN: it holds the token: others give what they do not use
 * @GSLOT_EXEC_ROOM_ALL: their submissions are postponed, too: no more can be done
 */
enum gslot_exec_room {
	GSLOT_EXEC_ROOM_WAITS,
	GSLOT_EXEC_ROOM_TOKEN,
	GSLOT_EXEC_ROOM_ALL,
};

/**
 * struct gslot_exec_ops - callbacks to the vGPU
 * @csb: write a context status event for the guest; the vGPU's lock is held
 * @csb_irq: the events of one step are written: raise CONTEXT_SWITCH if the guest has not been
 *	notified yet; the vGPU's lock is held
 * @user_interrupt: the guest's MI_USER_INTERRUPT was executed, or may have been, if there were too
 *	many to tell; under the scheduler's lock, perhaps in a hard interrupt
 * @user_irq_mask: get the bit mask of engines with user interrupts that are not masked,
 *	under the scheduler's lock, perhaps in a hard interrupt
 * @cs_error: the guest's command streamer stopped with an error; the vGPU's lock is held
 * @changed: what gslot_exec_read_reg() returns may have changed; the vGPU's lock is held
 * @request_room: a submission needs more pages than all vGPUs of the GPU together may pin; @pages:
 *	some that would help; it waits for gslot_exec_retry(); the vGPU's lock is held
 * @room_done: no submission needs such pages any more; the vGPU's lock is held
 */
struct gslot_exec_ops {
	void (*csb)(void *data, enum gslot_engine_id engine, u32 status, u32 ctx_id);
	void (*csb_irq)(void *data, enum gslot_engine_id engine);
	void (*user_interrupt)(void *data, enum gslot_engine_id engine);
	u32 (*user_irq_mask)(void *data);
	void (*cs_error)(void *data, enum gslot_engine_id engine, u32 bad_cmd);
	void (*changed)(void *data, enum gslot_engine_id engine);
	enum gslot_exec_room (*request_room)(void *data, u32 pages);
	void (*room_done)(void *data);
};

/*
 * Pages that page tables named, which were dropped to free memory. An estimate: two tables may name
 * the same page, and the guest may have unmapped it. Changed with the vGPU's lock, read without it.
 */
struct gslot_exec_dropped {
	u64 away;		/* how many, of roots that have not run since */
	u64 brought_back;	/* how many were away when their root ran again */
};

/*
 * What execution uses of the layers around it. Memory that is allocated for the guest is charged to
 * the memory cgroup of the process that calls gslot_exec_create().
 */
struct gslot_exec_config {
	struct gslot_hw *hw;
	struct gslot_sched *sched;
	struct gslot_client *client;	/* the vGPU's; detached */
	struct gslot_ggtt *ggtt;
	struct gslot_ggtt_quota *quota;	/* GSLOT_EXEC_GGTT_PAGES entries of the host's part */
	struct gslot_guestmem *mem;
	struct gslot_exec_dropped *dropped;	/* away is 0 */
	struct gslot_vgpu_lock *lock;	/* the vGPU's; the worker holds it while it works */
	struct gslot_guest_errors *guest_errors;
	struct gslot_meter *meter;	/* counts what the vGPU uses */
	struct gslot_throttle *throttle;	/* of its CPU time; with @lock held */
	u32 cpu_max;			/* as by gslot_exec_set_cpu_max() */
	const char *name;		/* the vGPU's */
	u32 max_tables;			/* page tables of the guest with a shadow at a time */
	const struct gslot_exec_ops *ops;
	void *data;			/* for @ops */
};

/* Lists that wait, for a migration. */
#define GSLOT_EXEC_NR_SUBMITS	3

/* Where a context was preempted in a batch of its own address space */
struct gslot_exec_position {
	u32 lrca;		/* the context; 0: there is none */
	u32 head;		/* RING_HEAD that was saved with it */
	u64 addr;		/* BB_ADDR, with its valid bit */
	u64 second_addr;	/* SBB_ADDR; 0: not in a second-level batch */
};

/* A virtual engine, for a migration */
struct gslot_exec_saved {
	bool hung;	/* it has no events for the guest until the guest resets it */
	u32 head;	/* RING_HEAD, RING_TAIL and RING_START as the guest reads them */
	u32 tail;
	u32 start;
	u64 active[2];	/* descriptors of the list that the guest was told runs */
	u32 nr_active;	/* how many there are */
	u64 submit[GSLOT_EXEC_NR_SUBMITS][2];	/* lists that follow, in order */
	u32 nr_submits;
	struct gslot_exec_position batch;	/* where the first context stopped */
};

/* Why no submission is processed; a bit each */
enum gslot_exec_postpone {
	GSLOT_POSTPONE_FOR_TOKEN = 1,	/* the holder of the pin token takes the vGPU's memory */
	GSLOT_POSTPONE_IN_PRECOPY = 2,	/* a migration waits for it: core/mem/precopy.h */
};

/* Which page tables gslot_exec_trim() drops */
struct gslot_exec_trim {
	u64 pages;	/* of about this many pages */
	u32 idle_ms;	/* those that will be idle for this long: gslot_reclaim_idle_ms() */
	bool prepared;	/* also those that submissions under way have prepared */
	bool random;	/* arbitrary ones; else those first that will be idle for longest */
	bool keeps_empty;	/* no root that has no tables, but a history of use */
};

u64 gslot_exec_host_memory(u32 tables);
struct gslot_exec *gslot_exec_create(const struct gslot_exec_config *config);
void gslot_exec_destroy(struct gslot_exec *exec);
struct mem_cgroup *gslot_exec_memcg(const struct gslot_exec *exec);

/* What the guest writes, and reads. */
void gslot_exec_submit(struct gslot_exec *exec, enum gslot_engine_id engine, u64 desc0, u64 desc1);
void gslot_exec_ppgtt_destroy(struct gslot_exec *exec, u64 pml4);
void gslot_exec_reset(struct gslot_exec *exec, u32 engines);
u32 gslot_exec_read_reg(struct gslot_exec *exec, enum gslot_engine_id engine, u32 reg);

/* Quiescing, and what is done meanwhile. */
void gslot_exec_lock(struct gslot_exec *exec);
bool gslot_exec_lock_until(struct gslot_exec *exec, unsigned long until);
void gslot_exec_unlock(struct gslot_exec *exec);
void gslot_exec_park(struct gslot_exec *exec);
void gslot_exec_unpark(struct gslot_exec *exec);
bool gslot_exec_is_parked(struct gslot_exec *exec);
void gslot_exec_quiesce(struct gslot_exec *exec);
int gslot_exec_quiesce_until(struct gslot_exec *exec, unsigned long until);
void gslot_exec_resume(struct gslot_exec *exec);
int gslot_exec_stop(struct gslot_exec *exec, u64 yield_ns);
void gslot_exec_drop_range(struct gslot_exec *exec, u64 gfn, u64 count);
void gslot_exec_forget_range(struct gslot_exec *exec, u64 gfn, u64 count);
void gslot_exec_drop_all(struct gslot_exec *exec);
bool gslot_exec_trim(struct gslot_exec *exec, const struct gslot_exec_trim *trim);
bool gslot_exec_may_trim(const struct gslot_exec *exec, u32 idle_ms);
bool gslot_exec_prepares(const struct gslot_exec *exec);
bool gslot_exec_wants_lock(const struct gslot_exec *exec);
void gslot_exec_retry(struct gslot_exec *exec);
void gslot_exec_postpone(struct gslot_exec *exec, enum gslot_exec_postpone why);
void gslot_exec_unpostpone(struct gslot_exec *exec, enum gslot_exec_postpone why);
bool gslot_exec_has_requests(const struct gslot_exec *exec);
void gslot_exec_unhold(struct gslot_exec *exec);
int gslot_exec_rehold(struct gslot_exec *exec);

/* The dirty log. */
void gslot_exec_log_start(struct gslot_exec *exec);
void gslot_exec_log_stop(struct gslot_exec *exec);
void gslot_exec_log_begin(struct gslot_exec *exec);
int gslot_exec_log_collect(struct gslot_exec *exec, unsigned long *key);

/* Migration state of a quiesced vGPU. */
int gslot_exec_save_engine(struct gslot_exec *exec, enum gslot_engine_id id,
			   struct gslot_exec_saved *to);
int gslot_exec_restore_engine(struct gslot_exec *exec, enum gslot_engine_id id,
			      const struct gslot_exec_saved *from);
void gslot_exec_sync_begin(struct gslot_exec *exec);
int gslot_exec_sync_wait(struct gslot_exec *exec, unsigned long until);
bool gslot_exec_synced(struct gslot_exec *exec);

/* The worker's CPU time, and what debugfs shows. */
void gslot_exec_set_cpu_max(struct gslot_exec *exec, u32 max);
void gslot_exec_show(struct gslot_exec *exec, struct seq_file *m);

#endif
