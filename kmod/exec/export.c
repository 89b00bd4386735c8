// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: writeback of context images to the guest
 *
 * At completion, the guest's register page gets the ring's HEAD and what else a driver looks at.
 * The engine pages follow after the first run, and before another context is loaded on the engine:
 * see "Decisions" in docs/architecture.md. A driver treats progress of the next context as proof
 * that this image is saved, and may reuse its memory. So from then on, until the context is
 * loaded again, not a byte of the image is written.
 */
#include <linux/mm.h>
#include <linux/string.h>

#include "exec_priv.h"
#include "base/guest_error.h"
#include "base/trace.h"
#include "gm/guest_access.h"

#define RING_CONTEXT_BYTES	(LRC_RING_CONTEXT_DWORDS * sizeof(u32))

/* Return: the guest's page, or NULL if it is not the one that was imported. */
static struct gslot_guest_page *export_page(struct exec_context *ctx, u32 index)
{
	struct gslot_guest_page *page = exec_image_page(ctx, index);

	return page && page->gfn == ctx->gfn[index] ? page : NULL;
}

static void export_trace(struct exec_context *ctx, bool image)
{
	trace_gslot_context_export(ctx->exec->cfg.name, ctx->engine, ctx->hw.lrca,
				   ctx->hw.state[LRC_RING_HEAD], image);
}

/* Merge what has changed in the ring context into the guest's register page. */
void exec_context_report(struct exec_context *ctx)
{
	struct gslot_guest_page *page;
	void *guest;

	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	if (!ctx->loaded ||
	    !gslot_sched_writeback_pending(ctx->exec->client, ctx->engine, &ctx->hw))
		return;
	ctx->dirty = true;
	gslot_lrc_merge(ctx->seen, ctx->hw.state);
	page = export_page(ctx, LRC_STATE_PAGE);
	if (!page)
		return;
	guest = gslot_guest_page_map_write(page);
	gslot_lrc_merge(guest, ctx->hw.state);
	gslot_guest_page_unmap_write(page, guest);
	export_trace(ctx, false);
}

/*
 * Write the engine context @data of @bytes, counted from the register state page, to the guest. If
 * it is as long as before, only pages that the hardware has changed are written.
 */
static void export_engine_context(struct exec_context *ctx, const void *data, u32 bytes)
{
	const void *image = ctx->hw.state;
	bool anew = ctx->written_end != bytes, all = true;
	u32 from, end;

	for (from = RING_CONTEXT_BYTES; from < bytes; from = end) {
		struct gslot_guest_page *page;

		end = min_t(u32, bytes, ALIGN(from + 1, GEN_PAGE_SIZE));
		if (!anew && !memcmp(ctx->written + from, image + from, end - from))
			continue;
		memcpy(ctx->written + from, image + from, end - from);
		page = export_page(ctx, LRC_STATE_PAGE + from / GEN_PAGE_SIZE);
		if (page)
			gslot_guest_page_write(page, offset_in_page(from), data + from, end - from);
		else
			all = false;
	}
	ctx->written_end = all ? bytes : 0;
}

/* Does the guest have what the hardware saved? If all bytes are the same, so is the length. */
static bool export_is_current(const struct exec_context *ctx)
{
	const void *image = ctx->hw.state;

	return ctx->written_end &&
	       !memcmp(ctx->written + RING_CONTEXT_BYTES, image + RING_CONTEXT_BYTES,
		       ctx->written_end - RING_CONTEXT_BYTES);
}

/*
 * Write a dirty engine context to the guest's image. The hardware does not hold the context. It may
 * not be loaded: if the guest has given it another ring, and importing that has failed so far, what
 * the hardware saved is still there, and is nowhere else.
 */
void exec_context_export(struct exec_context *ctx)
{
	struct gslot_exec *exec = ctx->exec;
	int end;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (!ctx->dirty)
		return;
	ctx->dirty = false;
	ctx->exported = true;
	if (export_is_current(ctx))
		return;
	end = gslot_lrc_filter(ctx->engine, exec->gen, exec->scratch.image, ctx->hw.state,
			       (ctx->pages - LRC_STATE_PAGE) * (GEN_PAGE_SIZE / sizeof(u32)));
	/* The hardware saved it into memory that no guest can reach. */
	if (end < 0) {
		gslot_guest_err(exec->cfg.guest_errors, GSLOT_GUEST_ERR_IMAGE,
				"%s: context 0x%x: the saved image is malformed, the guest keeps its old one",
				gslot_engines[ctx->engine].name, ctx->hw.lrca);
		return;
	}
	end *= sizeof(u32);
	export_engine_context(ctx, exec->scratch.image, end);
	end = min_t(u32, end, GEN_PAGE_SIZE);
	memcpy(ctx->seen + LRC_RING_CONTEXT_DWORDS, exec->scratch.image + LRC_RING_CONTEXT_DWORDS,
	       end - RING_CONTEXT_BYTES);
	exec->stats.exports++;
	export_trace(ctx, true);
}

/*
 * Write back the context that was loaded last on its engine, so that another one can be loaded. All
 * that the hardware saved is in guest memory when this returns. Requests of the context may be
 * queued behind those of the other one.
 */
void exec_context_write_back(struct exec_context *ctx)
{
	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	if (ctx->in_flight)
		exec_context_report(ctx);
	exec_context_export(ctx);
	gslot_sched_writeback_done(ctx->exec->client, ctx->engine, &ctx->hw);
}
