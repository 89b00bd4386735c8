/* SPDX-License-Identifier: GPL-2.0 */
/* Between the files of the scheduler; not for its users. */
#ifndef _GSLOT_SCHED_PRIV_H
#define _GSLOT_SCHED_PRIV_H

#include <linux/hrtimer.h>
#include <linux/idr.h>
#include <linux/kref.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "sched.h"
#include "core/ctx/golden.h"
#include "core/sched/histogram.h"
#include "core/sched/policy.h"
#include "core/sched/storm.h"
#include "hw/hw.h"

#define SCHED_QUANTUM_NS	(16 * NSEC_PER_MSEC)
/* While the hardware works, poll for events, as interrupts may be lost. */
#define SCHED_WATCH_NS		(50 * NSEC_PER_MSEC)
/* Least distance between two timer interrupts, of all engines together. */
#define SCHED_TIMER_GAP_NS	(100 * NSEC_PER_USEC)

/* A V-Channel: a client's requests for one engine. */
struct sched_channel {
	struct list_head requests; /* in order of execution */
	u64 seqno;	/* number of the request that was queued last */
	u64 given;	/* number of the last request that the hardware was given */
	u32 waiting;	/* how many requests come after that one */
	u64 limit;	/* number of the last request that may be submitted; 0: all */
	bool closed;	/* it is being emptied: none of its requests may be submitted */
	/*
	 * the context that was loaded last, while its writeback is pending: its image has not
	 * been written back to the guest, and no other context is loaded before it is
	 */
	struct gslot_hw_context *writeback;
};

/* What is counted of one engine. */
struct sched_engine_meter {
	u64 count[GSLOT_METER_NR];	/* the counters; times without the period in progress */
	/* of the times, what a reader may have seen; never goes back */
	u64 seen[GSLOT_METER_NR_TIMES];
	struct gslot_histogram queued;	/* how long requests waited until they were submitted */
	struct gslot_histogram yielded;	/* how long clients took to yield */
};

/* What a vGPU has used, or all vGPUs together. */
struct gslot_meter {
	struct kref kref;		/* references of readers */
	struct list_head link;		/* in &gslot_sched.meters */
	u32 id;
	/* the scheduler that uses it; NULL: it does not count any more */
	struct gslot_sched __rcu *sched;
	struct sched_engine_meter engine[GSLOT_NR_ENGINES];
	spinlock_t worker_lock;		/* protects what follows */
	struct task_struct *worker;	/* a reference to the vGPU's worker, if it has one */
	u64 cpu_ns;			/* CPU time of earlier workers */
	atomic64_t irq_ns;		/* CPU time of interrupts for the vGPU */
};

/* What a client had to do on a run queue. */
struct sched_work {
	u64 awake_ns;	/* how long it had work that may run */
	u64 had_ns;	/* for how much of that it was the owner */
	u64 counted_at;	/* @awake_ns is counted up to then */
};

/* A client of the scheduler: one vGPU, open or not */
struct gslot_client {
	struct gslot_sched *sched;
	struct list_head link;
	const char *name;
	struct gslot_meter *meter;
	const struct gslot_client_ops *ops;	/* NULL: detached, and without requests */
	void *data;
	u64 cpu_before_ns;		/* CPU time of earlier workers */
	bool paused;			/* off the hardware for a while */
	bool stopped;			/* the same, by an administrator */
	u64 preempt_ns;			/* preempt timeout */
	u32 awaits;			/* mask of engines that it waits for a context on */
	u32 user_irq_mask;		/* engines with user interrupts that are wanted */
	struct sched_channel channel[GSLOT_NR_ENGINES];
	struct gslot_policy_client policy[GSLOT_NR_ENGINES];	/* on each run queue */
	struct sched_work work[GSLOT_NR_ENGINES];		/* likewise */
};

/* A submission to an engine. */
struct sched_port {
	struct gslot_hw_context *context;	/* the context, or NULL */
	u32 tail;
	u64 last;				/* number of the last request in it */
};

/* In traces by these names: base/trace.h. What may follow what: sched_state.c. */
enum sched_engine_state {
	SCHED_ENGINE_FREE,	/* no owner, and nothing of a client on it */
	SCHED_ENGINE_OWNED,	/* given its owner's requests */
	SCHED_ENGINE_DRAINING,	/* its context has to yield by the deadline */
	SCHED_ENGINE_LATE,	/* it did not: a reset is queued */
	SCHED_ENGINE_FAILED,	/* stopped, or its events make no sense: likewise */
	SCHED_ENGINE_RESETTING,	/* its events are ignored */
};

/* The TLB of an engine. */
struct sched_tlb {
	bool stuck;	/* it does not answer: the engine must be reset, whatever its state is */
	/* it may have entries that have changed: loading the next context must flush them */
	bool stale;
};

/* User interrupts of an engine. */
struct sched_user_irqs {
	bool on;			/* the hardware reports them */
	struct gslot_storm storm;	/* their rate */
	ktime_t masked_until;		/* they were too many: masked until then; 0: not masked */
};

/* One engine. */
struct sched_engine {
	struct gslot_sched *sched;
	enum gslot_engine_id id;
	struct sched_runq *runq;		/* the run queue that has it */
	struct sched_port active;		/* submission with a promote event */
	struct sched_port pending;		/* submission that has no promote event yet */
	struct gslot_client *owner;		/* the only client with work on it; NULL: none */
	u64 given_at;				/* when @owner got it, ns */
	const struct gslot_meter *last;		/* meter of @owner, or of the last one */
	wait_queue_head_t wait;			/* woken when the hardware has released something */
	enum sched_engine_state state;		/* changed by sched_engine_set_state() only */
	enum sched_engine_state reset_from;	/* in SCHED_ENGINE_RESETTING: the state before */
	/* in SCHED_ENGINE_DRAINING: when the engine is late */
	ktime_t deadline;
	struct sched_tlb tlb;
	struct sched_user_irqs user_irqs;
	struct gslot_hw_context preempt;	/* the preempt context: the host's, without work */
	struct gslot_bo *preempt_image;
	struct gslot_bo *preempt_ring;		/* its ring, and behind it an empty PML4 */
	struct gslot_golden golden;		/* what a reset leaves in the engine */
};

/* A run queue: a policy, and the engines that it shares out. */
struct sched_runq {
	struct gslot_sched *sched;
	u32 engines;	/* bit mask; 0: not in use */
	/* chooses the owner; its clients are &gslot_client.policy with the index of the queue */
	struct gslot_policy policy;
	u64 switch_ns;	/* time that it took to preempt owners */
	u64 counted_at;	/* the owner's &sched_work.had_ns is counted up to then */
	u32 awake;	/* number of clients that have work and may run */
	/* at the last sched_update() no client was awake, and nothing was on its engines */
	bool idle;
};

/* The timer of a GPU. */
struct sched_timer {
	struct hrtimer hrtimer;
	ktime_t at;		/* when it expires; 0: it is not armed */
	ktime_t from;		/* it must not expire before then */
	ktime_t last;		/* when it interrupted last */
	u64 irqs;
	/* smallest distance between two of its interrupts; 0: there were no two */
	u64 least_gap_ns;
};

/* The scheduler of a GPU */
struct gslot_sched {
	struct gslot_hw *hw;
	u32 tick_hz;			/* of contexts' timestamps */
	spinlock_t lock;		/* protects all below, and channels */
	struct list_head clients;
	struct sched_engine engine[GSLOT_NR_ENGINES];
	struct sched_runq runq[GSLOT_NR_ENGINES];
	u32 halts;			/* reasons why no client may own an engine */
	u32 next_id;			/* of a context on the hardware */
	struct gslot_copy_policy *copy_policy;	/* NULL: nothing is loaded before a client runs */
	u64 load_since;			/* since when an owner is being loaded, ns; 0: none is */
	u64 load_ns;			/* how long that took in all */
	struct list_head meters;	/* of vGPUs */
	struct gslot_meter *meter;	/* of all vGPUs together */
	struct ida meter_ids;
	struct sched_timer timer;
	struct work_struct reset_work;
	struct mutex policy_lock;	/* serializes changes of the policy; see gpu.c */
	struct mutex reset_lock;	/* serializes resets */
};

static inline const struct sched_engine *sched_engines_end(const struct gslot_sched *sched)
{
	return sched->engine + GSLOT_NR_ENGINES;
}

static inline const struct sched_runq *sched_runqs_end(const struct gslot_sched *sched)
{
	return sched->runq + GSLOT_NR_ENGINES;
}

/* A client, as the policy of a run queue knows it. */
static inline struct gslot_policy_client *sched_policy_client(const struct sched_runq *runq,
							      struct gslot_client *client)
{
	return &client->policy[runq - runq->sched->runq];
}

/* The inverse; NULL: none. */
static inline struct gslot_client *sched_client(const struct sched_runq *runq,
						struct gslot_policy_client *c)
{
	return c ? container_of(c - (runq - runq->sched->runq), struct gslot_client, policy[0]) :
		   NULL;
}

static inline struct gslot_client *sched_owner(const struct sched_runq *runq)
{
	return sched_client(runq, runq->policy.owner);
}

/* Is an engine being taken from its owner? Since when is &gslot_policy.leaving_since. */
static inline bool sched_engine_leaving(const struct sched_engine *engine)
{
	return engine->owner && engine->runq->policy.leaving;
}

/* Is it neither paused, for a change of what it uses, nor stopped by an administrator? */
static inline bool sched_client_may_run(const struct gslot_client *client)
{
	return !client->paused && !client->stopped;
}

/* sched_state.c */
void sched_engine_set_state(struct sched_engine *engine, enum sched_engine_state state);
void sched_engine_set_owner(struct sched_engine *engine, struct gslot_client *owner);
void sched_engine_set_ready(struct sched_engine *engine);
void sched_engine_fail(struct sched_engine *engine);

/* sched_engine.c */
bool sched_engine_quiet(const struct sched_engine *engine);
bool sched_engines_quiet(const struct gslot_sched *sched, u32 engines);
bool sched_engine_holds(const struct sched_engine *engine,
			const struct gslot_hw_context *context);
void sched_engine_update(struct sched_engine *engine);
void sched_engine_submit_preempt(struct sched_engine *engine);
void sched_engine_event(struct sched_engine *engine, u32 status, u32 ctx_id);
bool sched_retire(struct gslot_client *client, enum gslot_engine_id engine,
		  struct gslot_request *rq, enum gslot_request_result result);
void sched_retire_context(struct sched_engine *engine, struct gslot_hw_context *context, u64 last,
			  enum gslot_request_result result);
struct gslot_hw_context *sched_awaited(struct gslot_client *client, enum gslot_engine_id id);

/* sched.c */
void sched_wait_off(struct gslot_sched *sched, const struct gslot_client *client);
void sched_notify_released(struct sched_engine *engine);

/* sched_policy.c */
void sched_load_changed(struct sched_runq *runq, struct gslot_client *client);
void sched_dispatched(struct sched_engine *engine, u32 count, u64 last);

/* sched_reset.c */
void sched_engine_reset(struct sched_engine *engine, const struct gslot_client *client,
			enum gslot_request_result result);
void sched_reset_work(struct work_struct *work);

/* sched_irq.c */
void sched_user_interrupt(struct sched_engine *engine);
void sched_user_irqs_given(struct sched_engine *engine);
void sched_user_irqs_left(struct sched_engine *engine, struct gslot_client *client);
void sched_user_irqs_unmask(struct sched_engine *engine);

/* busy.c */
void sched_busy_load(struct sched_engine *engine, struct gslot_hw_context *context);
void sched_busy_saved(struct sched_engine *engine, struct gslot_hw_context *context);
u64 sched_busy_running(struct sched_engine *engine);
void sched_busy_lost(struct sched_engine *engine);

/* meter.c */
int sched_meters_init(struct gslot_sched *sched);
void sched_meters_fini(struct gslot_sched *sched);
void sched_meter_add(struct sched_engine *engine, struct gslot_client *client,
		     enum gslot_meter_count what, u64 n);
void sched_meter_queued(struct sched_engine *engine, u64 ns);
void sched_meter_given(struct sched_engine *engine);
void sched_meter_yielded(struct sched_engine *engine, u64 now);
u64 sched_meter_now(struct gslot_meter *meter, struct sched_engine *engine,
		    enum gslot_meter_count what);
void sched_meter_look(struct gslot_sched *sched);

/* sched_copy.c */
bool sched_load(struct sched_runq *runq, u64 now);
void sched_look_at_copies(struct sched_runq *runq);
void sched_load_ahead(struct sched_runq *runq, u64 now);

/* sched_golden.c */
int sched_preempt_create(struct sched_engine *engine);
void sched_preempt_destroy(struct sched_engine *engine);
void sched_golden_fini(struct sched_engine *engine);

/* runq.c */
struct gslot_request *sched_channel_first(struct sched_channel *channel);
void sched_runqs_init(struct gslot_sched *sched);
void sched_regroup(struct gslot_sched *sched, bool together);
int sched_join(struct gslot_client *client);
void sched_quit(struct gslot_client *client);
void sched_update(struct gslot_sched *sched);
void sched_preempt_owner(struct gslot_sched *sched, const struct gslot_client *client);
void sched_give_all(struct sched_runq *runq, u64 now);
void sched_client_changed(struct gslot_client *client);

/* sched_timer.c */
void sched_timer_arm(struct gslot_sched *sched, ktime_t now, u64 recheck_ns);
enum hrtimer_restart sched_timer(struct hrtimer *timer);

#endif
