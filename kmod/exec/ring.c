// SPDX-License-Identifier: GPL-2.0
/*
 * Commands on their way from the guest to the hardware: the new part of the
 * ring, at the same offsets, and copies of batches that it calls.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "../account.h"
#include "../core/cmdtable.h"
#include "../core/ring.h"
#include "../core/scan.h"
#include "gen/cmds.h"

/* A first and a second level. */
#define MAX_BATCH_DEPTH	2
#define CACHE_LINE	64
#define TAIL_BYTES	(GSLOT_BATCH_TAIL_DWORDS * sizeof(u32))

struct ring_scan {
	struct gslot_scan scan;
	struct exec_context *ctx;
	struct exec_request *rq;
	u32 bad_user_cmd;
};

static int scan_batch(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys);
static int copy_user_batch(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys);

static void init_scan(struct ring_scan *rs, struct exec_context *ctx, struct exec_request *rq,
		      enum gslot_scan_kind kind, u32 level)
{
	struct gslot_exec *exec = ctx->exec;

	*rs = (struct ring_scan) {
		.scan = {
			.engine = ctx->engine,
			.gen = exec->gen,
			.kind = kind,
			.level = level,
			.window = gslot_ggtt_window(exec->cfg.ggtt),
			.lrca = ctx->lrca,
			.batch = scan_batch,
			.user_batch = copy_user_batch,
			.data = rs,
		},
		.ctx = ctx,
		.rq = rq,
	};
}

/*
 * Read a batch of unknown length, page by page, until its end is in sight.
 * Return: its size in bytes, or -errno.
 */
static int read_batch(struct gslot_exec *exec, enum gslot_engine_id engine, u64 addr)
{
	u32 *cmds = (u32 *)exec->batch;
	u32 have = 0, pos = 0, len, chunk;
	int err;

	for (;;) {
		while (pos < have) {
			if (cmds[pos] == MI_CMD(OP_MI_BATCH_BUFFER_END))
				return (pos + 1) * sizeof(u32);
			len = gslot_cmd_len(engine, cmds[pos]);
			if (!len)
				return -EPERM;
			pos += len;
		}
		chunk = GEN_PAGE_SIZE - ((addr + have * sizeof(u32)) & (GEN_PAGE_SIZE - 1));
		chunk = min_t(u32, chunk, EXEC_BATCH_BYTES - have * sizeof(u32));
		if (!chunk)
			return -E2BIG;
		err = gslot_ggtt_read(exec->cfg.ggtt, addr + have * sizeof(u32), cmds + have,
				      chunk);
		if (err)
			return err;
		have += chunk / sizeof(u32);
	}
}

/* Is there room? If not, other requests may make some: but not this one itself. */
static int check_room(struct gslot_exec *exec, const struct exec_request *rq, u32 pages)
{
	const struct exec_batch *batch;
	u32 own = 0;

	if (exec->batch_pages + pages <= EXEC_MAX_BATCH_PAGES)
		return 0;
	list_for_each_entry(batch, &rq->batches, link)
		own += batch->bo->count;
	return own + pages > EXEC_MAX_BATCH_PAGES ? -E2BIG : -EDQUOT;
}

static struct exec_batch *add_batch(struct gslot_exec *exec, struct exec_request *rq, u32 pages)
{
	struct exec_batch *batch;
	int err;

	err = check_room(exec, rq, pages);
	if (err)
		return ERR_PTR(err);
	batch = kzalloc(sizeof(*batch), GSLOT_GFP_GUEST);
	if (!batch)
		return ERR_PTR(-ENOMEM);
	batch->bo = gslot_bo_create(exec->cfg.hw, exec->cfg.quota, pages);
	if (IS_ERR(batch->bo)) {
		err = PTR_ERR(batch->bo);
		kfree(batch);
		return ERR_PTR(err);
	}
	exec->batch_pages += pages;
	list_add(&batch->link, &rq->batches);
	return batch;
}

/**
 * exec_batch_alloc() - get memory for a copy of a batch
 * @exec: the vGPU's
 * @rq: the request that calls it, and keeps it until it is retired
 * @bytes: how large it is
 * @ggtt: where the GPU sees it; no guest does
 *
 * Return: the memory, zeroed; -EDQUOT if other requests of the vGPU have what is
 * missing; or another ERR_PTR.
 */
void *exec_batch_alloc(struct gslot_exec *exec, struct exec_request *rq, u32 bytes, u64 *ggtt)
{
	struct exec_batch *batch = list_first_entry_or_null(&rq->batches, struct exec_batch, link);
	void *place;

	bytes = ALIGN(bytes, CACHE_LINE);
	if (!batch || batch->used + bytes > batch->bo->count * GEN_PAGE_SIZE)
		batch = add_batch(exec, rq, DIV_ROUND_UP(bytes, GEN_PAGE_SIZE));
	if (IS_ERR(batch))
		return batch;
	place = batch->bo->vaddr + batch->used;
	*ggtt = gslot_bo_ggtt(batch->bo) + batch->used;
	batch->used += bytes;
	return place;
}

/* A batch in the GGTT runs with privilege: so it must be a scanned copy. */
static int scan_batch(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys)
{
	struct ring_scan *caller = scan->data;
	struct exec_context *ctx = caller->ctx;
	struct gslot_exec *exec = ctx->exec;
	struct ring_scan rs;
	int bytes, err;
	u32 *copy;

	if (exec->batch_depth == MAX_BATCH_DEPTH)
		return -EPERM;
	bytes = read_batch(exec, ctx->engine, addr);
	if (bytes < 0)
		return bytes;
	copy = exec_batch_alloc(exec, caller->rq, bytes + TAIL_BYTES, phys);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	memcpy(copy, exec->batch, bytes);
	gslot_batch_seal(ctx->engine, copy + bytes / sizeof(u32));
	init_scan(&rs, ctx, caller->rq, GSLOT_SCAN_BATCH, level);
	exec->batch_depth++;
	err = gslot_scan(&rs.scan, copy, bytes / sizeof(u32));
	exec->batch_depth--;
	exec->denied += rs.scan.denied;
	return err;
}

/* One in the PPGTT, on an engine that lets such do what they like. */
static int copy_user_batch(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys)
{
	struct ring_scan *caller = scan->data;

	return exec_copy_user_batch(caller->ctx, caller->rq, addr, level, phys,
				    &caller->bad_user_cmd);
}

void exec_free_batches(struct gslot_exec *exec, struct exec_request *rq)
{
	struct exec_batch *batch, *next;

	list_for_each_entry_safe(batch, next, &rq->batches, link) {
		exec->batch_pages -= batch->bo->count;
		gslot_bo_destroy(batch->bo);
		kfree(batch);
	}
	INIT_LIST_HEAD(&rq->batches);
}

/* Into the private copy, at the same offsets; scanned there. */
static int scan_piece(struct exec_context *ctx, struct exec_request *rq, u32 from, u32 to,
		      u32 *bad_cmd)
{
	u32 *cmds = ctx->exec->commands + from;
	struct ring_scan rs;
	int err;

	err = gslot_ggtt_read(ctx->exec->cfg.ggtt, ctx->lrc.start + from, cmds, to - from);
	if (err)
		return err;
	init_scan(&rs, ctx, rq, GSLOT_SCAN_RING, GSLOT_LEVEL_RING);
	err = gslot_scan(&rs.scan, cmds, (to - from) / sizeof(u32));
	ctx->exec->denied += rs.scan.denied;
	if (!err && rs.scan.open && to == rq->base.tail) {
		rs.scan.bad_cmd = MI_CMD(OP_MI_BATCH_BUFFER_START);
		err = -EPERM;
	}
	if (err)
		*bad_cmd = rs.bad_user_cmd ?: rs.scan.bad_cmd;
	return err;
}

static void publish_piece(struct exec_context *ctx, u32 from, u32 to)
{
	memcpy(ctx->ring->vaddr + from, ctx->exec->commands + from, to - from);
}

/**
 * exec_ring_prepare() - have room to scan a ring's commands
 * @exec: the vGPU's
 * @size: of the ring, bytes
 *
 * Return: 0 or -ENOMEM.
 */
int exec_ring_prepare(struct gslot_exec *exec, u32 size)
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
 */
int exec_ring_copy(struct exec_context *ctx, struct exec_request *rq, u32 from, u32 to,
		   u32 *bad_cmd)
{
	u32 end = from <= to ? to : ctx->lrc.size;
	int err;

	if (!gslot_ring_has_room(ctx->lrc.size, ctx->oldest, from, to))
		return -EAGAIN;
	err = scan_piece(ctx, rq, from, end, bad_cmd);
	if (!err && to < from)
		err = scan_piece(ctx, rq, 0, to, bad_cmd);
	if (err)
		return err;
	publish_piece(ctx, from, end);
	if (to < from)
		publish_piece(ctx, 0, to);
	return 0;
}
