// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: stopping for a migration
 *
 * The vGPU is quiesced as for an unmapping: work that does not yield in time is hung, and charged
 * as always. Then all contexts are written back to guest memory, so their images have the saved
 * HEAD and the engine's state.
 *
 * A context that was preempted in a batch of its own address space goes on there. A batch that is a
 * copy of the module's has no address that the guest knows: its context runs on, preempted again
 * and again, until it is in no such batch; requests behind its first one wait. The time for which
 * it may run in one batch is limited, and the time of all this together. Then it is hung, without a
 * reset of the engine, and not charged: it did yield, and used no time but its own.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "exec_priv.h"
#include "gen/regs.h"

/* How long a lock may be waited for, or an engine to leave a copy. */
#define STOP_TIMEOUT	(5 * HZ)
/* To leave a copy takes longer than to yield: it may run for this long at least. */
#define STOP_LEAST_NS	(500 * NSEC_PER_MSEC)
/* How long a context runs before it is preempted again. */
#define STOP_RUN_NS	NSEC_PER_MSEC
#define STOP_RUN_MAX_NS	(16 * NSEC_PER_MSEC)
#define STOP_POLL_MS	1

/* Contexts that have to leave copies of batches. */
struct stop {
	struct gslot_exec *exec;
	enum gslot_engine_id engine;	/* a context on it is in a copy */
	bool found;			/* one was found, and has a deadline */
	unsigned long until;		/* the deadline, jiffies */
	/* RING_HEAD, by which a batch differs from the next one; U32_MAX: in none yet */
	u32 head[GSLOT_NR_ENGINES];
	u64 began_ns[GSLOT_NR_ENGINES];	/* how long the engine had run when it was there first */
	u64 most_ns;			/* how long one may run on to leave a batch */
	u64 run_ns;			/* for which @engine may run next */
};

/*
 * The blitter's batches, and those of the GGTT, are copies. A batch of a context at address 0,
 * where no driver has one, is treated alike: a stream cannot name it.
 */
static bool stop_batch_is_copy(const struct exec_context *ctx)
{
	const u32 *state = ctx->hw.state;

	if (ctx->engine == GSLOT_BCS0 || !ctx->hw.lrca || !(state[LRC_BB_STATE] & RING_BB_PPGTT))
		return true;
	return state[LRC_SBB_ADDR] & RING_BB_VALID && !(state[LRC_SBB_STATE] & RING_BB_PPGTT);
}

/* Return: a context that is in a copy of a batch; NULL: none. Of a hung engine none counts. */
static struct exec_context *stop_find_in_copy(const struct gslot_exec *exec)
{
	struct exec_context *ctx;

	list_for_each_entry(ctx, &exec->contexts.list, link)
		if (!exec->engine[ctx->engine].ports.hung && exec_context_in_batch(ctx) &&
		    stop_batch_is_copy(ctx))
			return ctx;
	return NULL;
}

static u64 stop_busy_ns(const struct stop *s, enum gslot_engine_id id)
{
	return gslot_meter_read(s->exec->cfg.meter, id, GSLOT_METER_BUSY_NS);
}

/* How long the engine has run in the batch in which it was found. */
static u64 stop_ran_ns(const struct stop *s, enum gslot_engine_id id)
{
	return stop_busy_ns(s, id) - s->began_ns[id];
}

/* The context is in a copy: is it the first one, or not the one in which it was before? */
static void stop_note_copy(struct stop *s, const struct exec_context *ctx)
{
	u32 head = ctx->hw.state[LRC_RING_HEAD];

	if (!s->found) {
		s->until = jiffies + STOP_TIMEOUT;
		gslot_sched_limit(s->exec->client, true);
	}
	s->found = true;
	if (head == s->head[ctx->engine])
		return;
	s->head[ctx->engine] = head;
	s->began_ns[ctx->engine] = stop_busy_ns(s, ctx->engine);
}

/* Return: 0: the context is hung; -EAGAIN: it may run on; -EBUSY: another task keeps it off. */
static int stop_end_copy(struct stop *s, const struct exec_context *ctx)
{
	struct gslot_exec *exec = s->exec;

	stop_note_copy(s, ctx);
	if (stop_ran_ns(s, ctx->engine) < s->most_ns) {
		s->engine = ctx->engine;
		if (!time_after(jiffies, s->until))
			return -EAGAIN;
		if (READ_ONCE(exec->quiesced) > 1)
			return -EBUSY;
	}
	gslot_sched_hang(exec->client, ctx->engine, &ctx->hw);
	exec_process_retired(exec);
	return 0;
}

/*
 * A context that goes on is not exported for good: at the end of its first run its engine pages
 * are written back once more, as ever.
 */
static void stop_write_back_context(struct exec_context *ctx)
{
	bool exported = ctx->exported;

	exec_context_write_back(ctx);
	if (ctx->in_flight)
		ctx->exported = exported;
}

/* The vGPU is quiesced. Return: as stop_end_copy(); or -EBUSY: another task keeps the lock. */
static int stop_write_back(struct stop *s)
{
	struct gslot_exec *exec = s->exec;
	struct exec_context *ctx;
	int ret = 0;

	if (!gslot_lock_until(&exec->cfg.lock->mutex, jiffies + STOP_TIMEOUT))
		return -EBUSY;
	exec_process_retired(exec);
	while (!ret && (ctx = stop_find_in_copy(exec)))
		ret = stop_end_copy(s, ctx);
	if (!ret)
		list_for_each_entry(ctx, &exec->contexts.list, link)
			stop_write_back_context(ctx);
	mutex_unlock(&exec->cfg.lock->mutex);
	return ret;
}

/* Return: as stop_write_back(); if it is not 0, the vGPU is not quiesced. */
static int stop_try(struct stop *s)
{
	int ret = gslot_exec_quiesce_until(s->exec, jiffies + STOP_TIMEOUT);

	if (ret)
		return ret;
	ret = stop_write_back(s);
	if (ret)
		gslot_exec_resume(s->exec);
	return ret;
}

/*
 * The worker is parked, so only what is queued runs. An engine that other vGPUs have, too, runs
 * when it is its turn.
 */
static void stop_run_on(struct stop *s)
{
	const u32 *queued = &s->exec->engine[s->engine].queued;
	u64 until_ns = min(stop_ran_ns(s, s->engine) + s->run_ns, s->most_ns);

	do {
		msleep(STOP_POLL_MS);
	} while (READ_ONCE(*queued) && stop_ran_ns(s, s->engine) < until_ns &&
		 !time_after(jiffies, s->until));
	s->run_ns = min(2 * s->run_ns, STOP_RUN_MAX_NS);
}

/**
 * gslot_exec_stop() - quiesce the vGPU for a migration
 * @exec: the vGPU's
 * @yield_ns: its preempt timeout
 *
 * As gslot_exec_quiesce_until(), and all images are in guest memory then.
 *
 * Return: 0, and gslot_exec_resume() undoes this; or -EBUSY, and the vGPU goes on: a task keeps a
 * lock of it for five seconds, as one does that waits for guest memory, or keeps it quiesced while
 * a context has to leave a copy.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_exec_stop(struct gslot_exec *exec, u64 yield_ns)
{
	struct stop s = {
		.exec = exec,
		.most_ns = max_t(u64, yield_ns, STOP_LEAST_NS),
		.run_ns = STOP_RUN_NS,
	};
	int ret;

	memset(s.head, 0xff, sizeof(s.head));
	gslot_exec_park(exec);
	while ((ret = stop_try(&s)) == -EAGAIN)
		stop_run_on(&s);
	gslot_sched_limit(exec->client, false);
	gslot_exec_unpark(exec);
	return ret;
}
