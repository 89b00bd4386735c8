/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler: which vGPU owns which engine, for how long, and which of its requests the hardware
 * gets. See docs/architecture.md, "Turn", and docs/scheduling.md.
 *
 * Each vGPU has a V-Channel per engine: a queue of prepared requests. A guest that sees a context
 * run assumes that the previous context has been saved, and that it may use its memory again. So no
 * context is loaded before the image of the previous one has been written back to the guest.
 */
#ifndef _GSLOT_SCHED_H
#define _GSLOT_SCHED_H

#include <linux/ktime.h>
#include <linux/list.h>
#include <linux/types.h>

#include "core/regs/engines.h"

struct gslot_copy_policy;
struct gslot_ggtt;
struct gslot_hw;
struct gslot_meter;
struct gslot_policy_knobs;
struct gslot_sched;

/* Default preempt timeout: as i915. */
#define GSLOT_SCHED_PREEMPT_US		640000
#define GSLOT_SCHED_QUANTUM_MAX_MS	1000

/* A context that can be submitted. */
struct gslot_hw_context {
	u64 desc;		/* descriptor without the id: LRCA in the physical GGTT and flags */
	u32 *state;		/* its register state page (LRC_* dwords) */
	u32 lrca;		/* the guest's address of it: its name in traces */
	u32 id;			/* identity in the CSB, unique on the GPU; set by the scheduler */
	/* RING_CTX_TIMESTAMP up to which its time is counted; set by the scheduler */
	u32 timestamp;
	ktime_t counted_at;	/* time of @timestamp */
	/*
	 * a request of it was cancelled, so its image still has the cancelled commands. Set by the
	 * scheduler; while it is set, what is queued is cancelled. Cleared when the image is built
	 * anew, with nothing of it queued
	 */
	bool banned;
};

/* In traces by these names: base/trace.h. */
enum gslot_request_result {
	GSLOT_REQUEST_DONE,
	GSLOT_REQUEST_CANCELLED,	/* taken back, unexecuted or half executed */
	GSLOT_REQUEST_HUNG,		/* its engine was reset, or its context was given up */
	GSLOT_REQUEST_ERROR,		/* its engine was reset, as it reported an error */
};

/* A part of a context's ring, ready to run. */
struct gslot_request {
	struct list_head link;	/* in the V-Channel */
	struct gslot_hw_context *context;
	u32 head;		/* ring offset of its begin: @tail of the request before */
	u32 tail;		/* ring offset of its end */
	u32 ring_size;		/* size of the context's ring, bytes */
	u64 seqno;		/* its number in its V-Channel, in order of queueing */
	u64 queued_at;		/* when it was queued, ns */
};

/**
 * struct gslot_client_ops - what the scheduler calls in a client (exec)
 * @retired: a request left its channel; in order: note it and wake the worker
 * @user_interrupt: the hardware executed MI_USER_INTERRUPT while the client owned the engine, or
 *	may have, at the end of a storm
 * @released: gslot_sched_released() or gslot_sched_awaited() may succeed now
 * @user_irq_mask: bit mask of engines that it wants user interrupts of
 * @cpu_ns: CPU time of its worker so far, ns; never goes back
 * @ggtt: its private GGTT, for the copy policy
 *
 * Called in any context, hard interrupts included, with the scheduler's lock held.
 */
struct gslot_client_ops {
	void (*retired)(void *data, enum gslot_engine_id engine, struct gslot_request *rq,
			enum gslot_request_result result);
	void (*user_interrupt)(void *data, enum gslot_engine_id engine);
	void (*released)(void *data, enum gslot_engine_id engine);
	u32 (*user_irq_mask)(void *data);
	u64 (*cpu_ns)(void *data);
	struct gslot_ggtt *(*ggtt)(void *data);
};

/* What a client has done so far. */
struct gslot_client_use {
	u64 busy_ns;	/* how long its contexts ran, on all engines together, up to now */
	u64 requests;	/* how many requests it has queued */
	bool pending;	/* some are not retired */
};

/* What a client had to do on a run queue. */
struct gslot_client_work {
	u64 had_ns;	/* how long it had work, and was the owner */
	u64 waited_ns;	/* how long it had work that may run, and was not the owner */
};

/* What a client owes the others on an engine, for a migration. */
struct gslot_client_debt {
	u64 debt_ns;	/* time that others waited for it to yield */
	u64 resets_ns;	/* time until its budget of resets is whole again */
};

/* The number of the meter of all vGPUs together. */
#define GSLOT_METER_ALL	0

/*
 * What is counted of the use of an engine. Those before GSLOT_METER_NR_TIMES are times, with the
 * period in progress up to now.
 */
enum gslot_meter_count {
	GSLOT_METER_BUSY_NS,		/* how long contexts ran, up to now */
	GSLOT_METER_HELD_NS,		/* how long it had an owner, up to now */
	GSLOT_METER_YIELD_NS,		/* the longest time that an owner took to yield */
	GSLOT_METER_NR_TIMES,
	GSLOT_METER_REQUESTS = GSLOT_METER_NR_TIMES,	/* that have ended, with any result */
	GSLOT_METER_PREEMPTIONS,	/* contexts that were preempted */
	GSLOT_METER_HANGS,		/* contexts that hung, or stopped it with an error */
	GSLOT_METER_RESETS,		/* of the engine */
	GSLOT_METER_SWITCHES,		/* to another client than the last owner */
	GSLOT_METER_LAG_NS,		/* the largest lag, by the policy fair */
	GSLOT_METER_NR,
};

struct gslot_client;
struct gslot_golden;

extern const struct gslot_hw_events gslot_sched_hw_events;	/* data: struct gslot_sched */
struct gslot_sched *gslot_sched_create(struct gslot_hw *hw);
void gslot_sched_destroy(struct gslot_sched *sched);
int gslot_sched_record(struct gslot_sched *sched);
const struct gslot_golden *gslot_sched_golden(struct gslot_client *client,
					      enum gslot_engine_id engine);
struct gslot_client *gslot_client_create(struct gslot_sched *sched, const char *name,
					 struct gslot_meter *meter);
void gslot_client_destroy(struct gslot_client *client);
void gslot_client_attach(struct gslot_client *client, const struct gslot_client_ops *ops,
			 void *data);
void gslot_client_detach(struct gslot_client *client);

void gslot_sched_halt(struct gslot_sched *sched);
void gslot_sched_resume(struct gslot_sched *sched);

/* sched_copy.c: with places, loading comes before running */
void gslot_sched_set_copy_policy(struct gslot_sched *sched, struct gslot_copy_policy *policy);
void gslot_sched_loaded(struct gslot_sched *sched, const struct gslot_ggtt *ggtt);

/* Requests. */
void gslot_sched_queue(struct gslot_client *client, enum gslot_engine_id engine,
		       struct gslot_request *rq);
void gslot_sched_cancel(struct gslot_client *client, enum gslot_engine_id engine, bool force);
void gslot_sched_pause(struct gslot_client *client);
void gslot_sched_unpause(struct gslot_client *client);
void gslot_sched_limit(struct gslot_client *client, bool limited);
void gslot_sched_hang(struct gslot_client *client, enum gslot_engine_id engine,
		      const struct gslot_hw_context *context);
void gslot_client_update_user_irqs(struct gslot_client *client);

/* What an administrator sets. */
int gslot_sched_set_policy(struct gslot_sched *sched, const char *name);
ssize_t gslot_sched_show_policies(struct gslot_sched *sched, char *buf);
int gslot_sched_set_quantum_ms(struct gslot_sched *sched, u32 ms);
u32 gslot_sched_quantum_ms(const struct gslot_sched *sched);
int gslot_client_set_knobs(struct gslot_client *client, const struct gslot_policy_knobs *knobs);
void gslot_client_set_preempt_us(struct gslot_client *client, u32 us);
void gslot_client_set_stopped(struct gslot_client *client, bool stopped);

/* What the hardware has, and what must be written back. */
bool gslot_sched_released(struct gslot_client *client, enum gslot_engine_id engine,
			  const struct gslot_hw_context *context);
struct gslot_hw_context *gslot_sched_awaited(struct gslot_client *client,
					     enum gslot_engine_id engine);
bool gslot_sched_writeback_pending(struct gslot_client *client, enum gslot_engine_id engine,
				   const struct gslot_hw_context *context);
void gslot_sched_writeback_done(struct gslot_client *client, enum gslot_engine_id engine,
				const struct gslot_hw_context *context);
void gslot_sched_invalidate_tlbs(struct gslot_sched *sched, const struct gslot_client *client);

/* Use. */
struct gslot_client_use gslot_client_use(struct gslot_client *client);
void gslot_client_set_load(struct gslot_client *client, u32 bandwidth, u32 memory);
void gslot_client_work(struct gslot_client *client, struct gslot_client_work *work);

/* debts.c */
void gslot_client_debts(struct gslot_client *client, struct gslot_client_debt *debts);
void gslot_client_import_debts(struct gslot_client *client, const struct gslot_client_debt *debts);

/* meter.c: what has been used */
struct gslot_meter *gslot_meter_create(struct gslot_sched *sched);
void gslot_meter_end(struct gslot_meter *meter);
struct gslot_meter *gslot_meter_find(struct gslot_sched *sched, u32 id);
void gslot_meter_put(struct gslot_meter *meter);
u32 gslot_meter_id(const struct gslot_meter *meter);
u64 gslot_meter_read(struct gslot_meter *meter, enum gslot_engine_id id,
		     enum gslot_meter_count what);

/* cpu.c */
struct task_struct;
void gslot_meter_worker_begin(struct gslot_meter *meter, struct task_struct *worker);
void gslot_meter_worker_end(struct gslot_meter *meter);
void gslot_meter_charge_cpu(struct gslot_meter *meter, u64 ns);
u64 gslot_meter_cpu_ns(struct gslot_meter *meter);
u64 gslot_worker_cpu_ns(const struct task_struct *worker);

/* sched_show.c */
struct seq_file;
void gslot_client_show(struct gslot_client *client, struct seq_file *m);
void gslot_sched_show(struct gslot_sched *sched, struct seq_file *m);

#endif
