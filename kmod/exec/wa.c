// SPDX-License-Identifier: GPL-2.0
/*
 * Batches that the hardware runs when it loads a context of the render engine:
 * the indirect-context batch and the per-context batch. They are in the
 * guest's graphics memory and privileged, so the hardware gets scanned copies,
 * made again when the guest's bytes differ.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "../account.h"
#include "../core/scan.h"
#include "../../include/gen/cmds.h"
#include "../../include/gen/regs.h"

#define INDIRECT_PAGE		0
#define PER_CTX_PAGE		1
#define WA_PAGES		EXEC_WA_BATCHES
#define CACHE_LINE		64
#define INDIRECT_OFFSET_MASK	0xffc0u
#define PER_CTX_ADDR		(~(GEN_PAGE_SIZE - 1u))
/* The last dwords of a page end what is in it, whatever is before. */
#define TAIL			(GEN_PAGE_SIZE / sizeof(u32) - GSLOT_BATCH_TAIL_DWORDS)
#define PER_CTX_BYTES		(TAIL * sizeof(u32))

/* Nothing but NOOPs, and an end for a batch that has no size. */
static void clear_wa(struct exec_context *ctx, u32 *page)
{
	memset(page, 0, GEN_PAGE_SIZE);
	gslot_batch_seal(ctx->engine, page + TAIL);
}

static int create_wa(struct exec_context *ctx)
{
	struct gslot_bo *bo;
	u32 i;

	if (ctx->wa)
		return 0;
	ctx->wa_seen = kcalloc(WA_PAGES, GEN_PAGE_SIZE, GSLOT_GFP_GUEST);
	if (!ctx->wa_seen)
		return -ENOMEM;
	bo = exec_create_bo(ctx->exec, WA_PAGES, ctx);
	if (IS_ERR(bo)) {
		kfree(ctx->wa_seen);
		ctx->wa_seen = NULL;
		return PTR_ERR(bo);
	}
	ctx->wa = bo;
	for (i = 0; i < WA_PAGES; i++)
		clear_wa(ctx, bo->vaddr + i * GEN_PAGE_SIZE);
	return 0;
}

/*
 * What was scanned is known by its bytes and by how many they were: the same
 * bytes of another size are other commands.
 */
static int copy_wa(struct exec_context *ctx, u32 index, u32 addr, u32 bytes)
{
	struct gslot_exec *exec = ctx->exec;
	u8 *seen = ctx->wa_seen + index * GEN_PAGE_SIZE;
	u32 *copy = ctx->wa->vaddr + index * GEN_PAGE_SIZE;
	struct gslot_scan scan = {
		.engine = ctx->engine,
		.gen = exec->gen,
		.kind = GSLOT_SCAN_INDIRECT,
		.window = gslot_ggtt_window(exec->cfg.ggtt),
		.lrca = ctx->lrca,
	};
	u8 *now = exec->batch;
	int err;

	err = gslot_ggtt_read(exec->cfg.ggtt, addr, now, bytes);
	if (err)
		return err;
	if (bytes == ctx->wa_bytes[index] && !memcmp(now, seen, bytes))
		return 0;
	ctx->wa_bytes[index] = 0;
	clear_wa(ctx, copy);
	memcpy(seen, now, bytes);
	err = gslot_scan(&scan, (u32 *)now, bytes / sizeof(u32));
	if (err)
		return err;
	memcpy(copy, now, bytes);
	ctx->wa_bytes[index] = bytes;
	exec->denied += scan.denied;
	return 0;
}

/**
 * exec_context_load_wa() - copy the batches that an image names
 * @ctx: the context; the hardware does not hold it
 * @lrc: what the guest's image says; on return, what the host's shall say
 *
 * Return: 0, or -errno if they cannot be executed.
 */
int exec_context_load_wa(struct exec_context *ctx, struct gslot_lrc *lrc)
{
	u32 bytes = (lrc->indirect & INDIRECT_CTX_SIZE) * CACHE_LINE;
	bool per_ctx = lrc->per_ctx & BB_PER_CTX_VALID;
	u64 ggtt;
	int err;

	if (!bytes && !per_ctx) {
		lrc->indirect = 0;
		lrc->indirect_offset = 0;
		lrc->per_ctx = 0;
		return 0;
	}
	err = create_wa(ctx);
	if (err)
		return err;
	ggtt = gslot_bo_ggtt(ctx->wa);
	if (bytes) {
		err = copy_wa(ctx, INDIRECT_PAGE, lrc->indirect & INDIRECT_CTX_ADDR, bytes);
		lrc->indirect = (u32)(ggtt + INDIRECT_PAGE * GEN_PAGE_SIZE) | bytes / CACHE_LINE;
		lrc->indirect_offset &= INDIRECT_OFFSET_MASK;
	} else {
		lrc->indirect = 0;
		lrc->indirect_offset = 0;
	}
	if (per_ctx && !err) {
		err = copy_wa(ctx, PER_CTX_PAGE, lrc->per_ctx & PER_CTX_ADDR, PER_CTX_BYTES);
		lrc->per_ctx = (u32)(ggtt + PER_CTX_PAGE * GEN_PAGE_SIZE) | BB_PER_CTX_VALID;
	} else {
		lrc->per_ctx = 0;
	}
	return err;
}
