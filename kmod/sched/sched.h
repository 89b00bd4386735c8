/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler: which vGPU has which engine, for how long, and which of its
 * requests the hardware gets.
 *
 * Each vGPU has a V-Channel an engine: a queue of prepared requests. A vGPU
 * owns an engine for a quantum, which is filled from its channel; at the end
 * of the quantum, if another vGPU waits for it, its context is preempted; an engine
 * that does not yield in time is reset, and the context that held it is reported
 * hung. Each engine has turns of its own, unless vGPUs have places in graphics memory:
 * then a vGPU owns all of them.
 *
 * A guest that sees a context run takes it that the one before is saved, and its
 * memory its own again. So no other context is loaded before the client has handed
 * the image of the one before to the guest.
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

/* How long a client may take to let go of an engine, if nobody says anything else: as i915. */
#define GSLOT_SCHED_PREEMPT_US		640000
#define GSLOT_SCHED_QUANTUM_MAX_MS	1000

/**
 * struct gslot_hw_context - a context that the hardware can be given
 * @desc: descriptor without the id: LRCA in the physical GGTT and flags
 * @state: its register state page (LRC_* dwords)
 * @lrca: the guest's address of it: what it is called in traces
 * @id: identity in the CSB, unique on the GPU; set by the scheduler
 * @timestamp: RING_CTX_TIMESTAMP up to which its time is counted; by the scheduler
 * @counted_at: when that was
 * @banned: a request of it was taken back: its image is from before that, and
 *	would have the hardware execute again what nobody owns any more. Set by
 *	the scheduler, and what is queued from then on is cancelled at once;
 *	cleared by who makes the image anew, with nothing of it queued
 */
struct gslot_hw_context {
	u64 desc;
	u32 *state;
	u32 lrca;
	u32 id;
	u32 timestamp;
	ktime_t counted_at;
	bool banned;
};

/* In traces by these names: base/trace.h. */
enum gslot_request_result {
	GSLOT_REQUEST_DONE,
	GSLOT_REQUEST_CANCELLED,	/* taken back unexecuted or half-executed */
	GSLOT_REQUEST_HUNG,		/* its engine had to be reset */
	GSLOT_REQUEST_ERROR,		/* the same, because the engine reported an error */
};

/**
 * struct gslot_request - a stretch of a context's ring, prepared to run
 * @link: in the V-Channel
 * @context: what to load
 * @head: ring offset at which this request begins: the tail of the one before
 * @tail: ring offset at which this request is complete
 * @ring_size: size of the context's ring, bytes
 * @seqno: order of queueing in its V-Channel
 * @queued_at: when that was, ns
 */
struct gslot_request {
	struct list_head link;
	struct gslot_hw_context *context;
	u32 head;
	u32 tail;
	u32 ring_size;
	u64 seqno;
	u64 queued_at;
};

/**
 * struct gslot_client_ops - what the scheduler tells a client (exec)
 * @retired: requests left the channel, in order; hard interrupt or any
 *	context, scheduler's lock held: only note it and kick the worker
 * @user_interrupt: the hardware executed MI_USER_INTERRUPT while this client
 *	owned it, or may have: at the end of a storm. Same contexts
 * @released: what gslot_sched_released() or gslot_sched_awaited() denied is worth
 *	another look. Same contexts
 * @listens: bit mask of engines whose user interrupts it wants; the same
 * @cpu_ns: CPU time that its worker has spent so far, ns; never goes back. Same contexts
 * @ggtt: its private GGTT, for the copy policy; the same
 */
struct gslot_client_ops {
	void (*retired)(void *data, enum gslot_engine_id engine, struct gslot_request *rq,
			enum gslot_request_result result);
	void (*user_interrupt)(void *data, enum gslot_engine_id engine);
	void (*released)(void *data, enum gslot_engine_id engine);
	u32 (*listens)(void *data);
	u64 (*cpu_ns)(void *data);
	struct gslot_ggtt *(*ggtt)(void *data);
};

/**
 * struct gslot_client_use - what a client has done so far
 * @busy_ns: how long its contexts ran, of all engines together, those that run included
 * @requests: how many it has queued
 * @pending: some of them are not retired: they run, or wait
 */
struct gslot_client_use {
	u64 busy_ns;
	u64 requests;
	bool pending;
};

/**
 * struct gslot_client_work - what a client had to do in a turn, and whether it could
 * @had_ns: how long it had work, and the turn was its own
 * @waited_ns: how long it had work that may run, and the turn was another's or nobody's
 */
struct gslot_client_work {
	u64 had_ns;
	u64 waited_ns;
};

/* The number of the meter of all. */
#define GSLOT_METER_ALL	0

/**
 * enum gslot_meter_count - what is counted of the use of an engine
 * @GSLOT_METER_BUSY_NS: how long contexts ran, those that run included
 * @GSLOT_METER_HELD_NS: how long it was somebody's, now included
 * @GSLOT_METER_YIELD_NS: the longest time from when somebody was to let go of it to when he had
 * @GSLOT_METER_NR_TIMES: those before are times, and what is under way comes on top
 * @GSLOT_METER_REQUESTS: requests that have ended, in whatever way
 * @GSLOT_METER_PREEMPTIONS: contexts that were preempted
 * @GSLOT_METER_HANGS: contexts that hung, or had the engine stop with an error
 * @GSLOT_METER_RESETS: resets of it
 * @GSLOT_METER_SWITCHES: times that it was given to somebody else than who had it last
 * @GSLOT_METER_LAG_NS: by how much somebody was behind his share at most, by the policy fair
 * @GSLOT_METER_NR: how many there are
 */
enum gslot_meter_count {
	GSLOT_METER_BUSY_NS,
	GSLOT_METER_HELD_NS,
	GSLOT_METER_YIELD_NS,
	GSLOT_METER_NR_TIMES,
	GSLOT_METER_REQUESTS = GSLOT_METER_NR_TIMES,
	GSLOT_METER_PREEMPTIONS,
	GSLOT_METER_HANGS,
	GSLOT_METER_RESETS,
	GSLOT_METER_SWITCHES,
	GSLOT_METER_LAG_NS,
	GSLOT_METER_NR,
};

struct gslot_client;
struct gslot_golden;

/* Life. */
extern const struct gslot_hw_events gslot_sched_hw_events;	/* data: struct gslot_sched */
struct gslot_sched *gslot_sched_create(struct gslot_hw *hw);
void gslot_sched_destroy(struct gslot_sched *sched);
int gslot_sched_record(struct gslot_sched *sched);
const struct gslot_golden *gslot_sched_golden(struct gslot_client *client,
					      enum gslot_engine_id engine);
struct gslot_client *gslot_client_create(struct gslot_sched *sched, const char *name,
					 struct gslot_meter *meter,
					 const struct gslot_client_ops *ops, void *data);
void gslot_client_destroy(struct gslot_client *client);

void gslot_sched_halt(struct gslot_sched *sched);
void gslot_sched_go_on(struct gslot_sched *sched);

/* sched_copy.c: with places, loading comes before running */
void gslot_sched_set_copy_policy(struct gslot_sched *sched, struct gslot_copy_policy *policy);
void gslot_sched_loaded(struct gslot_sched *sched, const struct gslot_ggtt *ggtt);

/* Work, and taking it back. */
void gslot_sched_queue(struct gslot_client *client, enum gslot_engine_id engine,
		       struct gslot_request *rq);
void gslot_sched_cancel(struct gslot_client *client, enum gslot_engine_id engine, bool force);
void gslot_sched_pause(struct gslot_client *client);
void gslot_sched_unpause(struct gslot_client *client);
void gslot_client_listen(struct gslot_client *client);

/* Who has how much: an administrator's choice. */
int gslot_sched_set_policy(struct gslot_sched *sched, const char *name);
ssize_t gslot_sched_show_policies(struct gslot_sched *sched, char *buf);
int gslot_sched_set_quantum_ms(struct gslot_sched *sched, u32 ms);
u32 gslot_sched_quantum_ms(const struct gslot_sched *sched);
int gslot_client_set_knobs(struct gslot_client *client, const struct gslot_policy_knobs *knobs);
void gslot_client_set_preempt_us(struct gslot_client *client, u32 us);
void gslot_client_set_stopped(struct gslot_client *client, bool stopped);

/* What the hardware has, and what of it is owed to the guest. */
bool gslot_sched_released(struct gslot_client *client, enum gslot_engine_id engine,
			  const struct gslot_hw_context *context);
struct gslot_hw_context *gslot_sched_awaited(struct gslot_client *client,
					     enum gslot_engine_id engine);
bool gslot_sched_writeback_pending(struct gslot_client *client, enum gslot_engine_id engine,
		      const struct gslot_hw_context *context);
void gslot_sched_writeback_done(struct gslot_client *client, enum gslot_engine_id engine,
			const struct gslot_hw_context *context);
void gslot_sched_invalidate_tlbs(struct gslot_sched *sched, const struct gslot_client *client);

/* How much it does. */
struct gslot_client_use gslot_client_use(struct gslot_client *client);
void gslot_client_set_load(struct gslot_client *client, u32 bandwidth, u32 memory);
void gslot_client_work(struct gslot_client *client, struct gslot_client_work *work);

/* meter.c: what has been used. */
struct gslot_meter *gslot_meter_create(struct gslot_sched *sched);
void gslot_meter_end(struct gslot_meter *meter);
struct gslot_meter *gslot_meter_find(struct gslot_sched *sched, u32 id);
void gslot_meter_put(struct gslot_meter *meter);
u32 gslot_meter_id(const struct gslot_meter *meter);
u64 gslot_meter_read(struct gslot_meter *meter, enum gslot_engine_id id,
		     enum gslot_meter_count what);

/* cpu.c: and of CPU time */
struct task_struct;
void gslot_meter_worker_begin(struct gslot_meter *meter, struct task_struct *worker);
void gslot_meter_worker_end(struct gslot_meter *meter);
void gslot_meter_charge_cpu(struct gslot_meter *meter, u64 ns);
u64 gslot_meter_cpu_ns(struct gslot_meter *meter);
u64 gslot_worker_cpu_ns(const struct task_struct *worker);

/* For debugfs. */
struct seq_file;
void gslot_client_show(struct gslot_client *client, struct seq_file *m);
void gslot_sched_show(struct gslot_sched *sched, struct seq_file *m);

#endif
