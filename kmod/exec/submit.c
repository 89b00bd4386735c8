// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: from a submission to requests
 *
 * Each of the two elements of a submission is a context with a new tail. Its new commands
 * become a request; then the guest gets the event that its list was taken. A list that cannot be
 * executed is refused without an event: the virtual engine hangs, as the hardware would, and the
 * guest's own recovery deals with it.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>

#include "exec_priv.h"
#include "base/guest_error.h"

#define MAX_QUEUED	64	/* requests of one engine */
/* How long a submission is retried for which the host has no room, with nothing queued. */
#define PATIENCE_MS	2000
#define RETRY_MAX_MS	64
/* The same if all vGPUs of the GPU together have no room, and all that can be done is done. */
#define ROOM_PATIENCE_MS	1500
/* The delay before that; gslot_exec_retry() ends it. */
#define ROOM_RETRY_MS	250
/* With this many pages more than at any try before, it makes progress. */
#define ROOM_PROGRESS	16
/* It is refused only after this many tries: a processor may stand still for longer. */
#define TRIES_MIN	16
/* How many pages a submission asks for, at first and at most: it does not know what it needs. */
#define ROOM_MIN	1024U
#define ROOM_MAX	8192U
/* At the vGPU's own limit, page tables of this many pages are dropped at a time. */
#define OWN_PAGES	1024U

static void submit_refuse(struct gslot_exec *exec, enum gslot_engine_id id, u64 desc, int ret,
			  u32 bad_cmd)
{
	exec->stats.refused++;
	gslot_vexec_hang(&exec->engine[id].ports);
	exec->cfg.ops->changed(exec->cfg.data, id);
	gslot_guest_err(exec->cfg.guest_errors, GSLOT_GUEST_ERR_CONTEXT,
			"%s: context 0x%llx (%d), command 0x%08x", gslot_engines[id].name,
			desc, ret, bad_cmd);
	if (bad_cmd)
		exec->cfg.ops->cs_error(exec->cfg.data, id, bad_cmd);
}

static bool submit_desc_valid(u64 desc)
{
	u32 addressing = (desc & CTX_DESC_ADDRESSING) >> CTX_DESC_ADDRESSING_SHIFT;

	return desc & CTX_DESC_VALID && addressing == CTX_ADDRESSING_LEGACY_64B;
}

static int submit_element(struct gslot_exec *exec, enum gslot_engine_id id, u64 desc,
			  struct gslot_vexec_element *element, u32 *bad_cmd)
{
	struct exec_attempt *attempt = &exec->engine[id].attempt;
	struct exec_context *ctx;
	struct exec_request *rq;

	if (!submit_desc_valid(desc))
		return -EINVAL;
	ctx = exec_context_get(exec, id, desc & CTX_DESC_LRCA);
	if (IS_ERR(ctx))
		return PTR_ERR(ctx);
	rq = exec_request_prepare(ctx, bad_cmd);
	attempt->pml4 = ctx->lrc.pml4;
	if (!IS_ERR_OR_NULL(rq))
		exec_request_queue(rq);
	else if (!ctx->in_flight)	/* loaded in vain */
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

/*
 * The submission needs no more room, or waits for something else. If no other submission needs
 * room, the vGPU passes the pin token on.
 */
static void submit_room_done(struct gslot_exec *exec, struct exec_attempt *attempt)
{
	u32 i;

	if (!attempt->wants_room)
		return;
	attempt->wants_room = false;
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (exec->engine[i].attempt.wants_room)
			return;
	exec->cfg.ops->room_done(exec->cfg.data);
}

/* The submission is processed, or will never be. */
void exec_attempt_end(struct gslot_exec *exec, enum gslot_engine_id id)
{
	struct exec_attempt *attempt = &exec->engine[id].attempt;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	WRITE_ONCE(attempt->valid, false);
	submit_room_done(exec, attempt);
}

static unsigned long submit_after(u32 ms)
{
	return (jiffies + msecs_to_jiffies(ms)) | 1;	/* 0 means now */
}

/* Retry with growing delays, while queued requests may make room, and for a while after that. */
static bool submit_delay(struct exec_attempt *attempt, bool queued, u32 patience_ms)
{
	if (queued || !attempt->until)
		attempt->until = submit_after(patience_ms);
	else if (time_after(jiffies, attempt->until) && attempt->tries >= TRIES_MIN)
		return false;
	attempt->not_before = submit_after(min(1U << min(attempt->tries, 16U), RETRY_MAX_MS));
	return true;
}

/*
 * The vGPU has @count pages pinned. More than at any try before is progress: the time until the
 * submission is refused begins anew.
 */
static void submit_note_progress(struct exec_attempt *attempt, u32 count)
{
	if (count < attempt->most + ROOM_PROGRESS)
		return;
	attempt->most = count;
	attempt->until = 0;
}

/*
 * Ask for room among the pinned pages of the GPU. The submission is refused only if all that can be
 * done for it was in vain.
 */
static bool submit_request_room(struct gslot_exec *exec, struct exec_attempt *attempt, bool queued)
{
	u32 pages = min(ROOM_MIN << min(attempt->asked, 16U), ROOM_MAX);
	enum gslot_exec_room room;

	attempt->wants_room = true;
	room = exec->cfg.ops->request_room(exec->cfg.data, pages);
	attempt->asked += room != GSLOT_EXEC_ROOM_WAITS;
	submit_note_progress(attempt, READ_ONCE(exec->cfg.mem->count));
	if (room == GSLOT_EXEC_ROOM_ALL)
		return submit_delay(attempt, queued, ROOM_PATIENCE_MS);
	attempt->waits_since = jiffies | 1;
	attempt->not_before = submit_after(ROOM_RETRY_MS);
	return true;
}

/*
 * The submission does not wait for room any more. That time does not count against its deadline,
 * and exec_attempts_extend() leaves it out.
 */
static void submit_waited(struct exec_attempt *attempt)
{
	if (attempt->waits_since && attempt->until)
		attempt->until = attempt->until + jiffies - attempt->waits_since ?: 1;
	attempt->waits_since = 0;
}

static void submit_keep_root(struct gslot_exec *exec, const struct exec_attempt *attempt, bool keep)
{
	if (attempt->valid && attempt->pml4)
		ppgtt_root_keep(&exec->ppgtt, attempt->pml4 >> GEN_PAGE_SHIFT, keep);
}

/* Is the vGPU to give what will be needed soon? The roots that are to be kept are known. */
static bool submit_gives_needed(const struct gslot_exec *exec)
{
	const struct gslot_guestmem *mem = exec->cfg.mem;

	return gslot_reclaim_gives_needed(READ_ONCE(mem->count), READ_ONCE(mem->all->most),
					  ppgtt_dropped_pages(&exec->ppgtt));
}

/*
 * At the vGPU's own limit, drop page tables that no request uses. Those that its other submissions
 * have prepared go, too: else two submissions could wait for each other. A vGPU that is to give its
 * own memory does the same, but keeps what its submissions have prepared, and often what will be
 * needed soon. Return: whether some were dropped.
 */
static bool submit_make_room(struct gslot_exec *exec, const struct exec_attempt *attempt)
{
	bool own = gslot_guestmem_at_max(exec->cfg.mem), dropped;
	struct gslot_exec_trim trim = { .pages = OWN_PAGES, .keeps_empty = !own };

	if (!own && !gslot_guestmem_gives_own(exec->cfg.mem))
		return false;
	if (!own)
		exec_attempts_keep_roots(exec, true);
	submit_keep_root(exec, attempt, true);
	if (!own && !submit_gives_needed(exec))
		trim.idle_ms = GSLOT_RECLAIM_YOUNG_MS;
	dropped = ppgtt_drop_some(&exec->ppgtt, &trim);
	exec_attempts_keep_roots(exec, false);
	return dropped;
}

/*
 * Decide whether a failed attempt is repeated. The guest is not at fault if there is no room, or if
 * the hardware still holds the context. But it may ask for more than there will ever be: so an
 * attempt that needs what the vGPU's own requests use is repeated until the last of them is
 * retired, however long they run.
 */
static bool submit_again(struct gslot_exec *exec, struct exec_engine *engine, int ret)
{
	struct exec_attempt *attempt = &engine->attempt;
	bool queued = gslot_exec_has_requests(exec), own;

	if (ret == -EINTR)	/* the next unlock kicks the worker, or it is throttled */
		return true;
	own = ret == -EDQUOT || (ret == -ENOBUFS && gslot_guestmem_at_max(exec->cfg.mem));
	if (ret != -ENOBUFS || own)
		submit_room_done(exec, attempt);
	if (ret == -EAGAIN) {	/* no room in the ring */
		engine->waiting = engine->queued;
		return engine->waiting;
	}
	if (ret != -EBUSY && ret != -ENOMEM && ret != -ENOSPC && ret != -EDQUOT && ret != -ENOBUFS)
		return false;
	if (!attempt->tries++)
		exec->stats.retried++;
	if (own && queued) {
		attempt->starved = true;
		return true;
	}
	if (ret == -ENOBUFS && !own)
		return submit_request_room(exec, attempt, queued);
	return submit_delay(attempt, queued, PATIENCE_MS);
}

/* Does an engine have a submission that waits for nothing but its time? */
static bool submit_ready(const struct exec_engine *engine)
{
	return engine->attempt.valid && !engine->resetting && !engine->waiting &&
	       !engine->attempt.starved;
}

/* Take a submission from the inbox, if the engine has none under way and can take one. */
static void submit_start(struct gslot_exec *exec, enum gslot_engine_id id)
{
	struct exec_engine *engine = &exec->engine[id];
	struct exec_submission submission;

	if (engine->attempt.valid || engine->resetting || engine->queued >= MAX_QUEUED ||
	    !exec_inbox_take(&exec->worker.inbox, id, &submission))
		return;
	exec->stats.submissions++;
	engine->attempt = (struct exec_attempt) { .submission = submission };
	WRITE_ONCE(engine->attempt.valid, true);
}

/* Return: whether an engine has a submission to be processed now; it is under way then. */
bool exec_attempt_due(struct gslot_exec *exec, enum gslot_engine_id id)
{
	const struct exec_attempt *attempt = &exec->engine[id].attempt;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	submit_start(exec, id);
	return submit_ready(&exec->engine[id]) &&
	       (!attempt->not_before || time_after_eq(jiffies, attempt->not_before));
}

/* No submission is due. Return: jiffies until one of an engine is; ULONG_MAX if there is none. */
unsigned long exec_attempts_wait(const struct gslot_exec *exec)
{
	unsigned long now = jiffies, wait = ULONG_MAX;
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		unsigned long not_before = exec->engine[i].attempt.not_before;

		if (submit_ready(&exec->engine[i]))
			wait = min(wait, time_after(not_before, now) ? not_before - now : 0);
	}
	return wait;
}

/*
 * Process a submission that is under way, or a part of it. If the host has no room for it, it stays
 * under way while the vGPU has requests queued, and for a while after that: the guest sees slow
 * hardware, not a hang.
 * Return: false if it was interrupted and must be resumed.
 */
bool exec_attempt(struct gslot_exec *exec, enum gslot_engine_id id)
{
	struct exec_attempt *attempt = &exec->engine[id].attempt;
	struct gslot_vexec_events events;
	u32 bad_cmd = 0;
	int ret;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	attempt->not_before = 0;
	submit_waited(attempt);
	if (exec->engine[id].ports.hung) {
		exec_attempt_end(exec, id);
		return true;
	}
	ret = gslot_ggtt_sync(exec->cfg.ggtt);
	if (!ret) {
		if (!attempt->begun)
			ppgtt_next_generation(&exec->ppgtt);
		ret = submit_elements(exec, id, &bad_cmd);
		attempt->begun = ret == -EINTR || ret == -ENOBUFS;
	}
	/* With room, it is resumed at once. */
	if (ret == -ENOBUFS && submit_make_room(exec, attempt))
		return false;
	attempt->begun &= ret == -EINTR;
	if (ret && submit_again(exec, &exec->engine[id], ret))
		return ret != -EINTR;
	exec_attempt_end(exec, id);
	/* Where a context stopped elsewhere applies to the first list only. */
	exec->engine[id].batch.lrca = 0;
	if (ret) {
		submit_refuse(exec, id, attempt->submission.desc[attempt->next], ret, bad_cmd);
		return true;
	}
	if (attempt->submission.promoted)
		gslot_vexec_adopt(&exec->engine[id].ports, attempt->list, &events);
	else
		gslot_vexec_submit(&exec->engine[id].ports, attempt->list, &events);
	exec_notify(exec, id, &events);
	return true;
}

/* There may be room now: a request was retired, a context released, or memory unpinned. */
void exec_attempts_retry_now(struct gslot_exec *exec)
{
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		exec->engine[i].attempt.not_before = 0;
		exec->engine[i].attempt.starved = false;
	}
}

/*
 * Have ppgtt_drop_some() keep the page tables that submissions under way have prepared, or drop
 * them again. A submission is processed in parts, and while there is no room, again and again.
 */
void exec_attempts_keep_roots(struct gslot_exec *exec, bool keep)
{
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		submit_keep_root(exec, &exec->engine[i].attempt, keep);
}

/*
 * No submission was processed for @by jiffies: extend their deadlines. The guest may have changed
 * page tables that were compared before, and added commands that need the changes: all are compared
 * again.
 */
void exec_attempts_extend(struct gslot_exec *exec, unsigned long by)
{
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		struct exec_attempt *attempt = &exec->engine[i].attempt;

		attempt->begun = false;
		if (attempt->until && !attempt->waits_since)
			attempt->until = attempt->until + by ?: 1;
	}
}
