// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: images of contexts, out
 *
 * At completion the guest's register page gets the ring's HEAD and what
 * else a driver looks at. The engine pages stay with the host, and are written
 * when the guest may look at them: after the first run, from which drivers
 * take their default state, and before another context of the engine is loaded.
 * A driver knows by what the other one does that the hardware has let go of the
 * image, and may give its memory to somebody else: from then on until it is loaded
 * again, not a byte of it is written. What the hardware did not change since is
 * not written again: most registers of a context never change.
 */
#include <linux/mm.h>
#include <linux/string.h>

#include "exec_priv.h"
#include "base/guest_error.h"
#include "base/trace.h"

#define RING_CONTEXT_BYTES	(LRC_RING_CONTEXT_DWORDS * sizeof(u32))

/* The guest's page, if it still is the one that was imported. */
static struct gslot_guest_page *own_page(struct exec_context *ctx, u32 index)
{
	struct gslot_guest_page *page = exec_image_page(ctx, index);

	return page && page->gfn == ctx->gfn[index] ? page : NULL;
}

static void trace_export(struct exec_context *ctx, bool image)
{
	trace_gslot_context_export(ctx->exec->cfg.name, ctx->engine, ctx->hw.lrca,
				   ctx->hw.state[LRC_RING_HEAD], image);
}

/* What changed of the ring context, into the guest's register page. */
static void report(struct exec_context *ctx)
{
	struct gslot_guest_page *page;
	void *guest;

	if (!ctx->loaded || !gslot_sched_writeback_pending(ctx->exec->client, ctx->engine, &ctx->hw))
		return;
	ctx->dirty = true;
	gslot_lrc_merge(ctx->seen, ctx->hw.state);
	page = own_page(ctx, LRC_STATE_PAGE);
	if (!page)
		return;
	guest = gslot_guest_page_map_write(page);
	gslot_lrc_merge(guest, ctx->hw.state);
	gslot_guest_page_unmap(guest);
	trace_export(ctx, false);
}

/**
 * exec_context_complete() - the hardware has run all that was queued
 * @ctx: the context
 *
 * Context: lock held; may sleep.
 */
void exec_context_complete(struct exec_context *ctx)
{
	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	exec_context_unload(ctx);
	report(ctx);
}

/* Write a part of one of the image's pages. Return: whether it still is there. */
static bool write_guest(struct exec_context *ctx, u32 index, u32 offset, const void *data,
			u32 bytes)
{
	struct gslot_guest_page *page = own_page(ctx, index);

	if (!page)
		return false;
	gslot_guest_page_write(page, offset, data, bytes);
	return true;
}

/*
 * Give the guest the engine context, up to byte @to counted from the register state
 * page: of a list that ends where it ended, the pages that the hardware changed.
 */
static void give(struct exec_context *ctx, const void *data, u32 to)
{
	const void *image = ctx->hw.state;
	bool anew = ctx->given_end != to, all = true;
	u32 from, end;

	for (from = RING_CONTEXT_BYTES; from < to; from = end) {
		end = min_t(u32, to, ALIGN(from + 1, GEN_PAGE_SIZE));
		if (!anew && !memcmp(ctx->given + from, image + from, end - from))
			continue;
		memcpy(ctx->given + from, image + from, end - from);
		all &= write_guest(ctx, LRC_STATE_PAGE + from / GEN_PAGE_SIZE,
				   offset_in_page(from), data + from, end - from);
	}
	ctx->given_end = all ? to : 0;
}

/*
 * Does the guest have what the hardware saved? The list ends where it ended if all
 * of it is the same.
 */
static bool is_given(const struct exec_context *ctx)
{
	const void *image = ctx->hw.state;

	return ctx->given_end &&
	       !memcmp(ctx->given + RING_CONTEXT_BYTES, image + RING_CONTEXT_BYTES,
		       ctx->given_end - RING_CONTEXT_BYTES);
}

/**
 * exec_context_export() - bring the guest's engine context up to date
 * @ctx: the context; the hardware does not hold it
 *
 * Context: lock held; may sleep.
 */
void exec_context_export(struct exec_context *ctx)
{
	struct gslot_exec *exec = ctx->exec;
	int end;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (!ctx->dirty || !ctx->loaded)
		return;
	ctx->dirty = false;
	ctx->exported = true;
	if (is_given(ctx))
		return;
	/* The hardware saved it, into memory that no guest reaches. */
	end = gslot_lrc_conceal(ctx->engine, exec->gen, exec->image, ctx->hw.state,
				exec_image_dwords(ctx));
	if (end < 0) {
		gslot_guest_err(exec->cfg.guest_errors, GSLOT_CAUSE_IMAGE,
			       "%s: context 0x%x, as saved, is no list: its guest keeps the one before",
			       gslot_engines[ctx->engine].name, ctx->hw.lrca);
		return;
	}
	end *= sizeof(u32);
	give(ctx, exec->image, end);
	end = min_t(u32, end, GEN_PAGE_SIZE);
	memcpy(ctx->seen + LRC_RING_CONTEXT_DWORDS, exec->image + LRC_RING_CONTEXT_DWORDS,
	       end - RING_CONTEXT_BYTES);
	exec->exports++;
	trace_export(ctx, true);
}

/**
 * exec_context_write_back() - another context of the engine is about to be loaded
 * @ctx: the context that was loaded last; more may be queued, behind the other
 *
 * All that the hardware saved is in the guest's memory when this returns, and the
 * other one may run.
 *
 * Context: lock held; may sleep.
 */
void exec_context_write_back(struct exec_context *ctx)
{
	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	if (ctx->in_flight)
		report(ctx);
	exec_context_export(ctx);
	gslot_sched_writeback_done(ctx->exec->client, ctx->engine, &ctx->hw);
}
