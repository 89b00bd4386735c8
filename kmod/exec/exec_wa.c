// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: batches that the render engine executes while it loads a context
 *
 * The indirect-context batch and the per-context batch are in the guest's graphics memory and
 * privileged, so the hardware gets scanned copies, which are made again when the guest's bytes
 * differ.
 *
 * The indirect-context batch of every context of the render engine begins with commands of the
 * host, which clear what other contexts left, and let no switch happen until the batch's end: see
 * "Residue" in docs/architecture.md. If the guest names no batch, these commands are the whole
 * batch. The host decides at which point of the load they are executed.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "base/account.h"
#include "core/ctx/golden.h"
#include "core/ctx/wa.h"
#include "gen/regs.h"

#define INDIRECT_PAGE		0
#define PER_CTX_PAGE		1
#define BEGIN_BYTES		(GSLOT_WA_BEGIN_DWORDS * sizeof(u32))
#define END_BYTES		(GSLOT_WA_END_DWORDS * sizeof(u32))
/* The size field of the indirect-context batch cannot cover the page's last line. */
#define SCRATCH			(INDIRECT_CTX_SIZE * GSLOT_CACHE_LINE)
#define INDIRECT_BYTES		(SCRATCH - BEGIN_BYTES - END_BYTES)
#define PER_CTX_ADDR		(~(GEN_PAGE_SIZE - 1u))
/* The last dwords of the other page end its batch, whatever is before them. */
#define TAIL			(GEN_PAGE_SIZE / sizeof(u32) - GSLOT_BATCH_TAIL_DWORDS)
#define PER_CTX_BYTES		(TAIL * sizeof(u32))

/* Return: where the guest's commands go. @room gets how many bytes there are for them. */
static u32 *wa_guest_part(struct exec_context *ctx, u32 index, u32 *room)
{
	*room = index == INDIRECT_PAGE ? INDIRECT_BYTES : PER_CTX_BYTES;
	return ctx->wa->vaddr + index * GEN_PAGE_SIZE +
	       (index == INDIRECT_PAGE ? BEGIN_BYTES : 0);
}

static int wa_create(struct exec_context *ctx)
{
	struct gslot_bo *bo;

	if (ctx->wa)
		return 0;
	if (!ctx->wa_seen)
		ctx->wa_seen = kcalloc(EXEC_WA_BATCHES, GEN_PAGE_SIZE, GSLOT_GFP_GUEST);
	if (!ctx->wa_seen)
		return -ENOMEM;
	bo = exec_create_bo(ctx->exec, EXEC_WA_BATCHES, ctx);
	if (IS_ERR(bo))
		return PTR_ERR(bo);
	ctx->wa = bo;
	gslot_wa_begin(bo->vaddr + INDIRECT_PAGE * GEN_PAGE_SIZE,
		       gslot_bo_ggtt(bo) + INDIRECT_PAGE * GEN_PAGE_SIZE + SCRATCH,
		       gslot_sched_golden(ctx->exec->client, ctx->engine)->l3sqcreg4);
	gslot_batch_seal(ctx->engine, (u32 *)(bo->vaddr + PER_CTX_PAGE * GEN_PAGE_SIZE) + TAIL);
	return 0;
}

/*
 * Copy and scan a batch, unless it has the bytes and the size of the one that was scanned last: the
 * same bytes with another size are other commands.
 */
static int wa_copy(struct exec_context *ctx, u32 index, u32 addr, u32 bytes)
{
	struct gslot_exec *exec = ctx->exec;
	u8 *seen = ctx->wa_seen + index * GEN_PAGE_SIZE;
	struct exec_relocs *relocs = &ctx->wa_relocs[index];
	u32 room, used, *copy = wa_guest_part(ctx, index, &room);
	u8 *now = exec->scratch.batch;
	struct exec_scan es = {
		.scan = { .kind = GSLOT_SCAN_INDIRECT, .level = GSLOT_LEVEL_RING },
		.ctx = ctx,
		.relocs = relocs,
		.to = copy,
	};
	int ret;

	ret = gslot_ggtt_read(exec->cfg.ggtt, addr, now, bytes);
	if (ret)
		return ret;
	if (bytes == ctx->wa_bytes[index] && !memcmp(now, seen, bytes))
		return 0;
	ctx->wa_bytes[index] = 0;
	exec_relocs_free(exec, relocs);
	memset(copy, 0, room);
	memcpy(seen, now, bytes);
	ret = exec_scan(&es, (u32 *)now, bytes / sizeof(u32));
	used = gslot_wa_used(ctx->engine, (u32 *)now, bytes / sizeof(u32),
			     index == INDIRECT_PAGE) * sizeof(u32);
	if (!ret && used > room)
		ret = -E2BIG;
	if (ret) {
		exec_relocs_free(exec, relocs);
		return ret;
	}
	memcpy(copy, now, used);
	ctx->wa_bytes[index] = bytes;
	if (index == INDIRECT_PAGE)
		ctx->wa_used = used;
	return 0;
}

/* The image names no such batch any more: what it named need not be resident. */
static void wa_drop(struct exec_context *ctx, u32 index)
{
	ctx->wa_bytes[index] = 0;
	exec_relocs_free(ctx->exec, &ctx->wa_relocs[index]);
}

static int wa_load_indirect(struct exec_context *ctx, struct gslot_lrc *lrc)
{
	u32 bytes = (lrc->indirect & INDIRECT_CTX_SIZE) * GSLOT_CACHE_LINE;
	u32 addr = lrc->indirect & INDIRECT_CTX_ADDR;
	u32 lines, used = BEGIN_BYTES;
	int ret;

	if (bytes) {
		ret = wa_copy(ctx, INDIRECT_PAGE, addr, bytes);
		if (ret)
			return ret;
		used += ctx->wa_used;
	} else {
		wa_drop(ctx, INDIRECT_PAGE);
	}
	lines = gslot_wa_end(ctx->wa->vaddr + INDIRECT_PAGE * GEN_PAGE_SIZE, used / sizeof(u32));
	lrc->indirect = (u32)(gslot_bo_ggtt(ctx->wa) + INDIRECT_PAGE * GEN_PAGE_SIZE) | lines;
	lrc->indirect_offset = gslot_wa_offset(ctx->exec->gen);
	return 0;
}

static int wa_load_per_ctx(struct exec_context *ctx, struct gslot_lrc *lrc)
{
	int ret;

	if (!(lrc->per_ctx & BB_PER_CTX_VALID)) {
		wa_drop(ctx, PER_CTX_PAGE);
		lrc->per_ctx = 0;
		return 0;
	}
	ret = wa_copy(ctx, PER_CTX_PAGE, lrc->per_ctx & PER_CTX_ADDR, PER_CTX_BYTES);
	lrc->per_ctx = (u32)(gslot_bo_ggtt(ctx->wa) + PER_CTX_PAGE * GEN_PAGE_SIZE) |
		       BB_PER_CTX_VALID;
	return ret;
}

/*
 * Copy the batches that an image names, while the hardware does not hold the context. On return,
 * the batches in @lrc are the host's. The graphics memory that they name is held until
 * exec_context_unload().
 * Return: 0; -E2BIG if the guest's indirect-context batch leaves no room for the host's commands;
 * or another -errno if the batches cannot be executed.
 */
int exec_context_load_wa(struct exec_context *ctx, struct gslot_lrc *lrc)
{
	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	/* Other engines have neither such batches nor EUs to clear. */
	if (ctx->engine != GSLOT_RCS0)
		return 0;
	return wa_create(ctx) ?: wa_load_indirect(ctx, lrc) ?: wa_load_per_ctx(ctx, lrc) ?:
	       exec_relocs_hold(ctx->exec, &ctx->wa_relocs[INDIRECT_PAGE]) ?:
	       exec_relocs_hold(ctx->exec, &ctx->wa_relocs[PER_CTX_PAGE]);
}
