// SPDX-License-Identifier: GPL-2.0
/*
 * Rings: the new part of the guest's on its way to the hardware's, at the same offsets.
 */
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/mm.h>

#include "exec_priv.h"
#include "base/account.h"
#include "core/cmd/ring.h"
#include "gen/cmds.h"

/* Have room to scan the commands of a ring of @size bytes. Return: 0 or -ENOMEM. */
static int prepare_scan(struct gslot_exec *exec, u32 size)
{
	void *commands;

	if (size <= exec->commands_size)
		return 0;
	commands = kvmalloc(size, GSLOT_GFP_GUEST);
	if (!commands)
		return -ENOMEM;
	kvfree(exec->commands);
	exec->commands = commands;
	exec->commands_size = size;
	return 0;
}

/**
 * exec_context_set_ring() - have a ring of the guest's size
 * @ctx: the context; the hardware does not hold it
 * @size: bytes
 *
 * Return: 0, -ENOMEM, -ENOSPC or -EDQUOT.
 * Context: lock held; may sleep.
 */
int exec_context_set_ring(struct exec_context *ctx, u32 size)
{
	u32 pages = size >> GEN_PAGE_SHIFT;
	struct gslot_bo *ring;
	int ret;

	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	ret = prepare_scan(ctx->exec, size);
	if (ret)
		return ret;
	if (ctx->ring && ctx->ring->count == pages)
		return 0;
	exec_destroy_bo(ctx->exec, ctx->ring);
	ctx->ring = NULL;
	ring = exec_create_bo(ctx->exec, pages, ctx);
	if (IS_ERR(ring))
		return PTR_ERR(ring);
	ctx->ring = ring;
	return 0;
}

/* Into the private copy, at the same offsets; scanned there. */
static int scan_piece(struct exec_context *ctx, struct exec_request *rq, u32 from, u32 to,
		      u32 *bad_cmd)
{
	u32 *cmds = ctx->exec->commands + from;
	struct exec_scan es;
	int ret;

	ret = gslot_ggtt_read(ctx->exec->cfg.ggtt, ctx->lrc.start + from, cmds, to - from);
	if (ret)
		return ret;
	exec_scan_init(&es, ctx, rq, GSLOT_SCAN_RING, GSLOT_LEVEL_RING, &rq->relocs);
	ret = exec_scan(&es, cmds, (to - from) / sizeof(u32), ctx->ring->vaddr + from);
	/* At the end of the ring the tail is 0. */
	if (!ret && es.scan.open && to % ctx->lrc.size == rq->base.tail) {
		es.scan.bad_cmd = MI_CMD(OP_MI_BATCH_BUFFER_START);
		ret = -EPERM;
	}
	if (ret)
		*bad_cmd = es.bad_user_cmd ?: es.scan.bad_cmd;
	return ret;
}

static void publish_piece(struct exec_context *ctx, u32 from, u32 to)
{
	memcpy(ctx->ring->vaddr + from, ctx->exec->commands + from, to - from);
}

/* Does a stretch lie in the ring, and the ring in both of what was allocated for it? */
static bool is_in_ring(const struct exec_context *ctx, u32 from, u32 to)
{
	u32 size = ctx->lrc.size;

	return from < size && to < size && size <= ctx->exec->commands_size && ctx->ring &&
	       size >> GEN_PAGE_SHIFT <= ctx->ring->count;
}

/**
 * exec_ring_copy() - copy commands to the hardware's ring, scanned
 * @ctx: the context
 * @rq: gets the batches that they call
 * @from: ring offset of the first
 * @to: ring offset behind the last
 * @bad_cmd: the command that was refused, if one was
 *
 * The last one must not start a batch: HEAD would be at the tail, where the
 * request ends, while the batch is still to run.
 *
 * What did not pass never is in the hardware's ring. It may be executing that
 * up to @ctx->position, so the new commands must leave that alone.
 *
 * Return: 0; -EAGAIN if there is no room before a request of @ctx is retired;
 * or -errno.
 * Context: lock held; may sleep.
 */
int exec_ring_copy(struct exec_context *ctx, struct exec_request *rq, u32 from, u32 to,
		   u32 *bad_cmd)
{
	u32 end = from <= to ? to : ctx->lrc.size;
	int ret;

	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	/* What was loaded had its ring made as large: exec_context_set_ring(). */
	if (WARN_ON_ONCE(!is_in_ring(ctx, from, to)))
		return -EINVAL;
	if (!gslot_ring_has_room(ctx->lrc.size, ctx->oldest, from, to))
		return -EAGAIN;
	ret = scan_piece(ctx, rq, from, end, bad_cmd);
	if (!ret && to < from)
		ret = scan_piece(ctx, rq, 0, to, bad_cmd);
	if (ret)
		return ret;
	publish_piece(ctx, from, end);
	if (to < from)
		publish_piece(ctx, 0, to);
	return 0;
}
