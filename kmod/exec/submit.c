// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: from a submission to requests
 *
 * Each of the two elements is a context whose tail has moved. What is new
 * becomes a request; then the guest is told that its list was taken. A list
 * that cannot be executed is not told about at all: the virtual engine hangs,
 * as the hardware would, and the guest's own recovery must deal with it.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>

#include "exec_priv.h"
#include "base/guest_error.h"

static void refuse(struct gslot_exec *exec, enum gslot_engine_id engine, u64 desc, int ret,
		   u32 bad_cmd)
{
	exec->refused++;
	gslot_vexec_hang(&exec->engine[engine].ports);
	gslot_guest_err(exec->cfg.guest_errors, GSLOT_CAUSE_CONTEXT,
		       "%s: context 0x%llx (%d), command 0x%08x", gslot_engines[engine].name,
		       desc, ret, bad_cmd);
	if (bad_cmd)
		exec->cfg.ops->cs_error(exec->cfg.data, engine, bad_cmd);
}

static bool desc_valid(u64 desc)
{
	u32 addressing = (desc & CTX_DESC_ADDRESSING) >> CTX_DESC_ADDRESSING_SHIFT;

	return desc & CTX_DESC_VALID && addressing == CTX_ADDRESSING_LEGACY_64B;
}

static int submit_element(struct gslot_exec *exec, enum gslot_engine_id engine, u64 desc,
			  struct gslot_vexec_element *element, u32 *bad_cmd)
{
	struct exec_context *ctx;
	struct exec_request *rq;

	if (!desc_valid(desc))
		return -EINVAL;
	ctx = exec_context_get(exec, engine, desc & CTX_DESC_LRCA);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	rq = exec_request_prepare(ctx, bad_cmd);
	if (!IS_ERR_OR_NULL(rq))
		exec_request_queue(rq);
	else if (!ctx->in_flight)	/* loaded for nothing */
		exec_context_unload(ctx);
	if (IS_ERR(rq))
		return PTR_ERR(rq);
	element->lrca = ctx->hw.lrca;
	element->id = upper_32_bits(desc);
	element->last = ctx->last;
	element->valid = true;
	return 0;
}

static int submit_elements(struct gslot_exec *exec, enum gslot_engine_id id, u32 *bad_cmd)
{
	struct exec_attempt *attempt = &exec->engine[id].attempt;
	int ret;

	for (; attempt->next < 2; attempt->next++) {
		u64 desc = attempt->submission.desc[attempt->next];

		if (attempt->next && !(desc & CTX_DESC_VALID))
			break;
		ret = submit_element(exec, id, desc, &attempt->list[attempt->next], bad_cmd);
		if (ret)
			return ret;
	}
	return 0;
}

static bool submit_any_queued(const struct gslot_exec *exec)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (exec->engine[i].queued)
			return true;
	return false;
}

/* Not for ever, if no request of the vGPU is left whose end could make room. */
static bool try_later(struct gslot_exec *exec, struct exec_attempt *attempt, bool queued)
{
	unsigned long delay;

	if (queued || !attempt->until)
		attempt->until = (jiffies + msecs_to_jiffies(EXEC_PATIENCE_MS)) | 1;
	else if (time_after(jiffies, attempt->until))
		return false;
	delay = msecs_to_jiffies(min(1U << min(attempt->tries, 16U), EXEC_RETRY_MAX_MS));
	/* 0 means now. */
	attempt->not_before = (jiffies + delay) | 1;
	return true;
}

/*
 * Is a submission to be tried again? It is not the guest's fault if there is no
 * room, or if the hardware still has the context. But it may be: what a guest
 * wants may be more than there will ever be. So what its own requests have is
 * waited for until the last of them is retired, however long they run.
 */
static bool try_again(struct gslot_exec *exec, struct exec_engine *engine, int ret)
{
	struct exec_attempt *attempt = &engine->attempt;
	bool queued = submit_any_queued(exec);

	if (ret == -EINTR)	/* somebody waits for the lock, and will kick */
		return true;
	if (ret == -EAGAIN) {	/* for a request that is retired */
		engine->waiting = engine->queued;
		return engine->waiting;
	}
	if (ret != -EBUSY && ret != -ENOMEM && ret != -ENOSPC && ret != -EDQUOT)
		return false;
	if (!attempt->tries++)
		exec->retried++;
	if (ret == -EDQUOT && queued) {
		attempt->starved = true;
		return true;
	}
	return try_later(exec, attempt, queued);
}

/* Is nothing awaited for it but its time? */
static bool is_ready(const struct exec_engine *engine)
{
	const struct exec_attempt *attempt = &engine->attempt;

	return attempt->valid && !engine->stopped && !engine->waiting && !attempt->starved;
}

/**
 * exec_attempt_due() - is there a submission to be taken now?
 * @exec: the vGPU's
 * @id: the engine
 *
 * Return: true if so.
 * Context: lock held.
 */
bool exec_attempt_due(const struct gslot_exec *exec, enum gslot_engine_id id)
{
	const struct exec_engine *engine = &exec->engine[id];
	unsigned long not_before = engine->attempt.not_before;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	return is_ready(engine) && (!not_before || time_after_eq(jiffies, not_before));
}

/**
 * exec_attempts_await() - have the worker woken when the first submission is due
 * @exec: the vGPU's; no submission is due now
 *
 * Each engine may have one that is to be tried again, at a time of its own.
 *
 * Context: lock held.
 */
void exec_attempts_await(struct gslot_exec *exec)
{
	unsigned long now = jiffies, wait = ULONG_MAX;
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		const struct exec_engine *engine = &exec->engine[i];

		if (is_ready(engine))
			wait = min(wait, time_after(engine->attempt.not_before, now) ?
				   engine->attempt.not_before - now : 0);
	}
	if (wait != ULONG_MAX)
		kthread_mod_delayed_work(exec->worker, &exec->retry, wait);
}

/**
 * exec_attempt_start() - a submission of the guest is to be taken
 * @exec: the vGPU's
 * @id: the engine; it has none under way
 * @submission: the descriptors
 *
 * Context: lock held.
 */
void exec_attempt_start(struct gslot_exec *exec, enum gslot_engine_id id,
			const struct exec_submission *submission)
{
	lockdep_assert_held(&exec->cfg.lock->mutex);
	exec->submissions++;
	exec->engine[id].attempt = (struct exec_attempt) {
		.submission = *submission,
		.valid = true,
	};
}

/**
 * exec_attempt() - take a submission of the guest, or a part of it
 * @exec: the vGPU's
 * @id: the engine; it has one under way
 *
 * If the host has no room for it, it stays under way, as long as the vGPU has work
 * queued and for a while after that: the guest sees hardware that is slow to take
 * it, not hardware that hangs.
 *
 * Return: false if it was interrupted, and is to be gone on with.
 * Context: lock held; may sleep.
 */
bool exec_attempt(struct gslot_exec *exec, enum gslot_engine_id id)
{
	struct exec_attempt *attempt = &exec->engine[id].attempt;
	struct gslot_vexec_events events;
	u32 bad_cmd = 0;
	int ret;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	attempt->not_before = 0;
	if (exec->engine[id].ports.hung) {
		attempt->valid = false;
		return true;
	}
	ret = gslot_ggtt_sync(exec->cfg.ggtt);
	if (!ret) {
		if (!attempt->begun)
			ppgtt_next_generation(&exec->ppgtt);
		ret = submit_elements(exec, id, &bad_cmd);
		attempt->begun = ret == -EINTR;
	}
	if (ret && try_again(exec, &exec->engine[id], ret))
		return ret != -EINTR;
	attempt->valid = false;
	if (ret) {
		refuse(exec, id, attempt->submission.desc[attempt->next], ret, bad_cmd);
		return true;
	}
	gslot_vexec_submit(&exec->engine[id].ports, attempt->list, &events);
	exec_notify(exec, id, &events);
	return true;
}

/**
 * exec_attempts_hurry() - there may be the room now that a submission waits for
 * @exec: the vGPU's
 *
 * A request was retired, or something left the hardware.
 *
 * Context: lock held.
 */
void exec_attempts_hurry(struct gslot_exec *exec)
{
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		exec->engine[i].attempt.not_before = 0;
		exec->engine[i].attempt.starved = false;
	}
}

/**
 * exec_attempts_extend() - submissions were not looked at for a while
 * @exec: the vGPU's
 * @by: for how long, jiffies
 *
 * That was not as there was no room: they are given up as much later.
 *
 * Context: lock held.
 */
void exec_attempts_extend(struct gslot_exec *exec, unsigned long by)
{
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct exec_attempt *attempt = &exec->engine[i].attempt;

		if (attempt->until)
			attempt->until = (attempt->until + by) | 1;
	}
}
