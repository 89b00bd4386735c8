// SPDX-License-Identifier: GPL-2.0
/*
 * Scanning the commands of a context, and copying the batches that they call.
 *
 * A batch in the GGTT runs with privilege, so the hardware gets a scanned copy. A user batch in the
 * PPGTT is copied only on an engine that does not confine it: see core/cmd/user_copy.h.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "exec_priv.h"
#include "base/account.h"
#include "core/cmd/cmdtable.h"
#include "gen/cmds.h"

/* A first and a second level. */
#define MAX_BATCH_DEPTH	2
#define TAIL_BYTES	(GSLOT_BATCH_TAIL_DWORDS * sizeof(u32))

/* Read a batch page by page, until its end is found. Return: its size in bytes, or -errno. */
static int exec_scan_read_batch(struct gslot_exec *exec, enum gslot_engine_id engine, u64 addr)
{
	u32 *cmds = (u32 *)exec->scratch.batch;
	u32 have = 0, pos = 0, len, chunk;
	int ret;

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
		ret = gslot_ggtt_read(exec->cfg.ggtt, addr + have * sizeof(u32), cmds + have,
				      chunk);
		if (ret)
			return ret;
		have += chunk / sizeof(u32);
	}
}

/*
 * Scan a private copy of a batch. Only if it passes, it is written to where the GPU executes it.
 * No guest can tell, as none learns where that is before the scan is over.
 */
static int exec_scan_publish(struct exec_scan *caller, u32 level, u32 *cmds, u32 bytes, u32 *to)
{
	struct exec_context *ctx = caller->ctx;
	struct exec_scan es = {
		.scan = { .kind = GSLOT_SCAN_BATCH, .level = level },
		.ctx = ctx,
		.rq = caller->rq,
		.relocs = caller->relocs,
		.to = to,
	};
	int ret;

	ctx->exec->scratch.batch_depth++;
	ret = exec_scan(&es, cmds, bytes / sizeof(u32));
	ctx->exec->scratch.batch_depth--;
	if (ret)
		return ret;
	memcpy(to, cmds, bytes);
	gslot_batch_seal(ctx->engine, to + bytes / sizeof(u32));
	return 0;
}

/* Scanner callback: copy and scan a privileged batch. */
static int exec_scan_batch(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys)
{
	struct exec_scan *caller = scan->data;
	struct exec_context *ctx = caller->ctx;
	struct gslot_exec *exec = ctx->exec;
	u32 *copy, *cmds;
	int bytes, ret;

	if (exec->scratch.batch_depth == MAX_BATCH_DEPTH)
		return -EPERM;
	bytes = exec_scan_read_batch(exec, ctx->engine, addr);
	if (bytes < 0)
		return bytes;
	copy = exec_batch_alloc(exec, caller->rq, bytes + TAIL_BYTES, phys);
	if (IS_ERR(copy))
		return PTR_ERR(copy);
	/* The batches that this one calls are read into the same buffer. */
	cmds = kvmalloc(bytes, GSLOT_GFP_GUEST);
	if (!cmds)
		return -ENOMEM;
	memcpy(cmds, exec->scratch.batch, bytes);
	ret = exec_scan_publish(caller, level, cmds, bytes, copy);
	kvfree(cmds);
	return ret;
}

static int exec_scan_read_user(void *data, u64 addr, u32 *to, u32 dwords)
{
	struct exec_context *ctx = data;

	return ppgtt_read(ctx->root, addr, to, dwords * sizeof(u32));
}

/* Scanner callback: copy a user batch. The context's page tables are synced. */
static int exec_scan_user_batch(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys)
{
	struct exec_scan *caller = scan->data;
	struct exec_context *ctx = caller->ctx;
	struct gslot_exec *exec = ctx->exec;
	struct gslot_user_copy *copy = exec->scratch.user_copy;
	void *to;
	int ret;

	/* 1.5 times the size of the largest copy: only for vGPUs that need it. */
	if (!copy)
		copy = kvzalloc(sizeof(*copy), GSLOT_GFP_GUEST);
	if (!copy)
		return -ENOMEM;
	exec->scratch.user_copy = copy;
	copy->engine = ctx->engine;
	copy->read = exec_scan_read_user;
	copy->data = ctx;
	copy->budget = &caller->rq->budget;
	ret = gslot_user_copy(copy, addr, level);
	exec->stats.denied += copy->denied;
	if (ret) {
		caller->bad_user_cmd = copy->bad_cmd;
		return ret;
	}
	to = exec_batch_alloc(exec, caller->rq, copy->used * sizeof(u32), phys);
	if (IS_ERR(to))
		return PTR_ERR(to);
	gslot_user_copy_relocate(copy, *phys);
	memcpy(to, copy->out, copy->used * sizeof(u32));
	exec->stats.user_copies++;
	return 0;
}

/* Scanner callback: record a graphics address that a command names. */
static int exec_scan_reloc(struct gslot_scan *scan, const struct gslot_reloc *reloc, u64 *phys)
{
	struct exec_scan *es = scan->data;

	return exec_relocs_add(es->ctx->exec, es->relocs, es->to + reloc->dword, reloc, phys);
}

/* Check and patch commands of a context, in a copy of the host's. Return: as gslot_scan(). */
int exec_scan(struct exec_scan *es, u32 *cmds, u32 dwords)
{
	struct exec_context *ctx = es->ctx;
	struct gslot_exec *exec = ctx->exec;
	struct gslot_scan *scan = &es->scan;
	int ret;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	scan->engine = ctx->engine;
	scan->gen = exec->gen;
	scan->window = gslot_ggtt_window(exec->cfg.ggtt);
	scan->batch = es->rq ? exec_scan_batch : NULL;
	scan->user_batch = es->rq ? exec_scan_user_batch : NULL;
	scan->reloc = exec_scan_reloc;
	scan->data = es;
	ret = gslot_scan(scan, cmds, dwords);
	exec->stats.denied += scan->denied;
	return ret;
}
