/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the parts of the scheduler; not for its users. Where they say that the
 * lock is held, it is &gslot_sched.lock.
 */
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
/* While the hardware works, look for events whose interrupt was lost. */
#define SCHED_WATCH_NS		(50 * NSEC_PER_MSEC)
/* From one timer interrupt to the next, of all engines together, whatever a policy asks for. */
#define SCHED_TIMER_GAP_NS	(100 * NSEC_PER_USEC)

/**
 * struct sched_channel - a V-Channel: one client's requests for one engine
 * @requests: in order of execution
 * @seqno: of the request queued last
 * @given: of the last one that the hardware was given
 * @waiting: how many there are behind that one
 * @closed: being emptied: nothing of it may enter the hardware
 * @owing: context that was loaded last, and whose image the client has not handed
 *	to its guest yet; until then no other one is loaded
 */
struct sched_channel {
	struct list_head requests;
	u64 seqno;
	u64 given;
	u32 waiting;
	bool closed;
	struct gslot_hw_context *owing;
};

/**
 * struct sched_engine_meter - what is counted of one engine
 * @count: that, as far as it is over
 * @seen: of the times, what was seen of them, and is never taken back
 * @queued: how long requests waited until the hardware was given them
 * @yielded: how long it took to let go of the engine
 */
struct sched_engine_meter {
	u64 count[GSLOT_METER_NR];
	u64 seen[GSLOT_METER_NR_TIMES];
	struct gslot_histogram queued;
	struct gslot_histogram yielded;
};

/**
 * struct gslot_meter - what a vGPU has used, or all of them together
 * @kref: who may read it
 * @link: in &gslot_sched.meters
 * @id: its number
 * @sched: whose engines it is about; NULL: it stands still
 * @engine: what is counted
 * @worker_lock: protects what follows
 * @worker: the vGPU's worker, if it has one: a reference
 * @cpu_ns: CPU time of those that it had before
 * @irq_ns: CPU time in interrupts for the vGPU's sake
 */
struct gslot_meter {
	struct kref kref;
	struct list_head link;
	u32 id;
	struct gslot_sched __rcu *sched;
	struct sched_engine_meter engine[GSLOT_NR_ENGINES];
	spinlock_t worker_lock;	/* see gpu.c */
	struct task_struct *worker;
	u64 cpu_ns;
	atomic64_t irq_ns;
};

/**
 * struct sched_work - what a client had to do in a turn
 * @awake_ns: how long it had work that may run
 * @had_ns: and the turn was its own
 * @counted_at: up to when the first is counted
 */
struct sched_work {
	u64 awake_ns;
	u64 had_ns;
	u64 counted_at;
};

struct gslot_client {
	struct gslot_sched *sched;
	struct list_head link;
	const char *name;
	struct gslot_meter *meter;
	const struct gslot_client_ops *ops;
	void *data;
	bool paused;			/* it must not be on the hardware, for a while */
	bool stopped;			/* the same, as an administrator says so */
	u64 preempt_ns;			/* how long it may take to let go of an engine */
	u32 awaits;			/* engines that it waits for a context on */
	u32 listens;			/* engines whose user interrupts the guest wants */
	struct sched_channel channel[GSLOT_NR_ENGINES];
	struct gslot_policy_client policy[GSLOT_NR_ENGINES];	/* one a turn: it has joined all */
	struct sched_work work[GSLOT_NR_ENGINES];		/* likewise */
};

/**
 * struct sched_port - what an engine was given
 * @context: what was given to it, or NULL
 * @tail: up to where
 * @last: number of the request that ends there
 */
struct sched_port {
	struct gslot_hw_context *context;
	u32 tail;
	u64 last;
};

/**
 * struct sched_engine - what is on one engine
 * @sched: the scheduler
 * @id: which engine
 * @runq: the turn that shares it out
 * @active: promoted submission
 * @pending: submission whose promote event is outstanding
 * @client: whose it is: whose work is on it, if any, and whom it tells; NULL: nobody's
 * @given_at: since when, ns
 * @leaving: it is being taken from @client: what is on it yields
 * @leaving_since: since when, ns
 * @last: whose it is, or was last
 * @wait: woken when the hardware let something go
 * @deadline: when a draining engine is reset; 0 if it does not drain
 * @late: it did not yield by then: the reset is on its way
 * @error: it stopped with an error
 * @stuck: its TLB does not answer: it must be reset, whatever it does
 * @stale: its TLB may know entries that have changed: the next context that is
 *	loaded must make it forget them
 * @resetting: it is being reset; its events mean nothing
 * @user_irqs: the hardware reports user interrupts
 * @storm: how often it does
 * @masked_until: it did so too often: not before then; 0: not so
 * @preempt: host-owned context without work, to preempt with
 * @preempt_image: its image
 * @preempt_ring: its ring, and behind it an empty PML4
 * @golden: what a reset leaves in the engine
 */
struct sched_engine {
	struct gslot_sched *sched;
	enum gslot_engine_id id;
	struct sched_runq *runq;
	struct sched_port active;
	struct sched_port pending;
	struct gslot_client *client;
	u64 given_at;
	bool leaving;
	u64 leaving_since;
	const struct gslot_meter *last;
	wait_queue_head_t wait;
	ktime_t deadline;
	bool late;
	bool error;
	bool stuck;
	bool stale;
	bool resetting;
	bool user_irqs;
	struct gslot_storm storm;
	ktime_t masked_until;
	struct gslot_hw_context preempt;
	struct gslot_bo *preempt_image;
	struct gslot_bo *preempt_ring;
	struct gslot_golden golden;
};

/**
 * struct sched_runq - who has which engines: a policy, and the engines that it shares out
 * @sched: the scheduler
 * @engines: bit mask; 0: this turn is not in use now
 * @policy: whose turn it is; of a client it knows the one of &gslot_client.policy that has
 *	the index of the turn
 * @switch_ns: time in which nobody had them, as one was being taken off
 * @counted_at: up to when its owner's work is counted
 * @awake: how many clients are awake in it
 * @idle: nobody was, and nothing was on its engines, when the policy was asked last
 */
struct sched_runq {
	struct gslot_sched *sched;
	u32 engines;
	struct gslot_policy policy;
	u64 switch_ns;
	u64 counted_at;
	u32 awake;
	bool idle;
};

struct gslot_sched {
	struct gslot_hw *hw;
	u32 tick_hz;			/* of contexts' timestamps */
	spinlock_t lock;		/* protects all below, channels included */
	struct list_head clients;
	struct sched_engine engine[GSLOT_NR_ENGINES];
	struct sched_runq runq[GSLOT_NR_ENGINES];
	u32 halts;			/* reasons why it is nobody's turn, on no engine */
	u32 next_id;			/* identity of a context on the hardware */
	struct gslot_copy_policy *copy_policy;	/* NULL: nothing is loaded before a client runs */
	u64 load_since;			/* since when an owner is being loaded, ns; 0: none is */
	u64 load_ns;			/* how long that took in all */
	struct list_head meters;	/* of vGPUs */
	struct gslot_meter *meter;	/* of all of them together */
	struct ida meter_ids;
	struct hrtimer timer;
	ktime_t timer_at;		/* 0: not armed */
	ktime_t timer_from;		/* not before then */
	struct work_struct reset_work;
	struct mutex policy_lock;	/* one change of the policy at a time; see gpu.c */
	struct mutex reset_lock;	/* one reset at a time */
};

static inline struct sched_runq *sched_runqs_end(struct gslot_sched *sched)
{
	return sched->runq + GSLOT_NR_ENGINES;
}

/* What the policy of a turn knows of a client. */
static inline struct gslot_policy_client *sched_policy_client(const struct sched_runq *runq,
							      struct gslot_client *client)
{
	return &client->policy[runq - runq->sched->runq];
}

/* And the other way round; NULL: nobody. */
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

/* sched_engine.c */
bool sched_engine_quiet(const struct sched_engine *engine);
bool sched_engine_holds(const struct sched_engine *engine,
			const struct gslot_hw_context *context);
void sched_engine_update(struct sched_engine *engine);
void sched_engine_idle(struct sched_engine *engine);
void sched_engine_event(struct sched_engine *engine, u32 status, u32 ctx_id);
void sched_retire(struct gslot_client *client, enum gslot_engine_id engine,
		  struct gslot_request *rq, enum gslot_request_result result);
void sched_retire_context(struct sched_engine *engine, struct gslot_hw_context *context, u64 last,
			  enum gslot_request_result result);
struct gslot_hw_context *sched_awaited(struct gslot_client *client, enum gslot_engine_id id);

/* sched.c */
void sched_wait_off(struct gslot_sched *sched, const struct gslot_client *client);
void sched_notify_released(struct sched_engine *engine);

/* sched_policy.c */
void sched_load_changed(struct sched_runq *runq, struct gslot_client *client);
u32 sched_blocks(const struct sched_engine *engine);
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

/* work.c */
void sched_work_owner(struct sched_runq *runq, u64 now);
void sched_work_client(struct sched_runq *runq, struct gslot_client *client, u64 now);

/* sched_copy.c */
bool sched_load(struct sched_runq *runq, u64 now);
void sched_look_at_copies(struct sched_runq *runq);
void sched_load_ahead(struct sched_runq *runq, u64 now);

/* preempt.c */
int sched_preempt_create(struct sched_engine *engine, struct gslot_hw *hw);
void sched_preempt_destroy(struct sched_engine *engine);

/* sched_golden.c */
void sched_golden_fini(struct sched_engine *engine);

/* runq.c */
void sched_runqs_init(struct gslot_sched *sched);
void sched_regroup(struct gslot_sched *sched, bool together);
int sched_join(struct gslot_client *client);
void sched_part(struct gslot_client *client);
void sched_update(struct gslot_sched *sched);
void sched_leave(struct gslot_sched *sched, const struct gslot_client *client);
void sched_give_all(struct sched_runq *runq, u64 now);
void sched_client_changed(struct gslot_client *client);
enum hrtimer_restart sched_timer(struct hrtimer *timer);

#endif
