// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: images of contexts, in
 *
 * An image is imported when its context is new, or when the guest rewrote
 * what it was left with. Not when it only moved the tail, as each submission
 * does; nor the engine context when it moved the head as well, as drivers do with
 * each context that they have not used for a while. The hardware executes what is imported
 * with privilege: so of the engine context the golden one is loaded, with the guest's values.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "exec_priv.h"
#include "core/ctx/golden.h"
#include "gen/regs.h"

static u32 *image_state(struct exec_context *ctx)
{
	return ctx->hw.state;
}

/**
 * exec_image_page() - a page of the guest's image
 * @ctx: the context
 * @index: which
 *
 * Return: the page, as gslot_ggtt_page().
 * Context: lock held.
 */
struct gslot_guest_page *exec_image_page(struct exec_context *ctx, u32 index)
{
	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	return gslot_ggtt_page(ctx->exec->cfg.ggtt, ctx->hw.lrca + index * GEN_PAGE_SIZE);
}

/* Return: 1 if the image lies where it lay, 0 if it moved, -EFAULT. */
static int find_pages(struct exec_context *ctx)
{
	bool same = true;
	u32 i;

	for (i = 0; i < ctx->pages; i++) {
		struct gslot_guest_page *page = exec_image_page(ctx, i);

		if (!page)
			return -EFAULT;
		same &= page->gfn == ctx->gfn[i];
		ctx->gfn[i] = page->gfn;
	}
	return same;
}

static int adopt_pphwsp(struct exec_context *ctx)
{
	struct gslot_guest_page *page;

	if (ctx->pphwsp && ctx->pphwsp->gfn == ctx->gfn[LRC_PPHWSP_PAGE])
		return 0;
	page = gslot_guestmem_get(ctx->exec->cfg.mem, ctx->gfn[LRC_PPHWSP_PAGE]);
	if (IS_ERR(page))
		return PTR_ERR(page);
	exec_context_set_pphwsp(ctx, page);
	return 0;
}

/* Into @exec->image: the register page (read before) and the pages behind it. */
static int read_engine(struct exec_context *ctx)
{
	struct gslot_exec *exec = ctx->exec;
	void *to = exec->image;
	int ret = 0;
	u32 i;

	memcpy(to, exec->state, GEN_PAGE_SIZE);
	for (i = LRC_STATE_PAGE + 1; !ret && i < ctx->pages; i++)
		ret = gslot_ggtt_read(exec->cfg.ggtt, ctx->hw.lrca + i * GEN_PAGE_SIZE,
				      to + (i - LRC_STATE_PAGE) * GEN_PAGE_SIZE, GEN_PAGE_SIZE);
	return ret;
}

/* Take the engine context from the guest, if it is to be restored, else as a reset leaves it. */
static int import_engine(struct exec_context *ctx, bool restore)
{
	struct gslot_exec *exec = ctx->exec;
	int ret = restore ? read_engine(ctx) : 0;

	if (ret)
		return ret;
	ret = gslot_golden_merge(gslot_sched_golden(exec->client, ctx->engine), ctx->engine,
				 exec->gen, image_state(ctx), restore ? exec->image : NULL);
	exec->denied += max(ret, 0);
	ctx->dirty = false;
	ctx->given_end = 0;
	return 0;
}

static int check_ring(struct exec_context *ctx, const struct gslot_lrc *lrc)
{
	return gslot_window_has(gslot_ggtt_window(ctx->exec->cfg.ggtt), lrc->start, lrc->size) ?
	       0 : -EFAULT;
}

/*
 * @engine_too: the engine pages in guest memory are newer than ours, or may be.
 * If not, the guest did not touch its context but for the ring's head; or it rewrote
 * the register page of one that it never saw leave the hardware: its engine pages there
 * are what they were long ago.
 */
static int import(struct exec_context *ctx, bool engine_too)
{
	struct gslot_exec *exec = ctx->exec;
	struct gslot_lrc lrc;
	int ret;

	ctx->loaded = false;
	ret = gslot_lrc_parse(ctx->engine, exec->state, &lrc);
	if (ctx->engine == GSLOT_RCS0)
		lrc.engine_reg = gslot_sseu_limit(&exec->sseu, lrc.engine_reg);
	if (!ret)
		ret = check_ring(ctx, &lrc);
	if (!ret)
		ret = exec_context_set_ring(ctx, lrc.size);
	if (!ret)
		ret = adopt_pphwsp(ctx);
	if (ret)
		return ret;
	ctx->lrc = lrc;
	ctx->position = lrc.head;
	ctx->oldest = lrc.head;
	if (engine_too || lrc.inhibit)
		ret = import_engine(ctx, !lrc.inhibit);
	if (!ret)
		ret = exec_context_load_wa(ctx, &lrc);
	if (ret)
		return ret;

	lrc.inhibit = false;
	lrc.start = gslot_bo_ggtt(ctx->ring);
	lrc.tail = lrc.head;
	lrc.pml4 = 0;	/* known when the tables are */
	gslot_lrc_build(ctx->engine, exec->gen, image_state(ctx), &lrc);
	memcpy(ctx->seen, exec->state, GEN_PAGE_SIZE);
	ctx->hw.banned = false;
	ctx->loaded = true;
	if (!ctx->dirty)	/* the guest has it all */
		gslot_sched_writeback_done(exec->client, ctx->engine, &ctx->hw);
	exec->imports++;
	return 0;
}

static int load_root(struct exec_context *ctx)
{
	struct ppgtt *ppgtt = &ctx->exec->ppgtt;
	struct ppgtt_table *root;

	if (!ctx->lrc.pml4 || ctx->lrc.pml4 & ~GEN_PTE_ADDR)
		return -EFAULT;
	root = ppgtt_root_get(ppgtt, ctx->lrc.pml4 >> GEN_PAGE_SHIFT);
	if (IS_ERR(root))
		return PTR_ERR(root);
	ctx->root = root;
	image_state(ctx)[LRC_PDP_UDW(0)] = upper_32_bits(root->dma);
	image_state(ctx)[LRC_PDP_LDW(0)] = lower_32_bits(root->dma);
	return 0;
}

/* Batches may be rewritten in place; an image that names none has none. */
static int refresh_wa(struct exec_context *ctx)
{
	struct gslot_lrc lrc = ctx->lrc;
	u32 *state = image_state(ctx);
	int ret = exec_context_load_wa(ctx, &lrc);

	if (!ret && ctx->wa) {
		state[LRC_BB_PER_CTX_PTR] = lrc.per_ctx;
		state[LRC_INDIRECT_CTX] = lrc.indirect;
		state[LRC_INDIRECT_CTX_OFFSET] = lrc.indirect_offset;
	}
	return ret;
}

/**
 * exec_context_set_tail() - the guest moved the tail
 * @ctx: the context, loaded
 * @tail: what the guest wrote
 *
 * Return: 0, or -EINVAL if it is not in the ring.
 * Context: lock held.
 */
int exec_context_set_tail(struct exec_context *ctx, u32 tail)
{
	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	if (tail >= ctx->lrc.size || tail & 7)
		return -EINVAL;
	ctx->lrc.tail = tail;
	return 0;
}

/**
 * exec_context_load() - get a context ready that is not in flight
 * @ctx: the context
 *
 * On success its page tables are held, its tail is in @ctx->lrc, and commands
 * from @ctx->position on are still to be copied.
 *
 * Return: 0, or -errno: the submission cannot be executed.
 * Context: lock held; may sleep.
 */
int exec_context_load(struct exec_context *ctx)
{
	struct gslot_exec *exec = ctx->exec;
	int where = find_pages(ctx);
	bool same;
	int ret;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (where < 0)
		return where;
	ret = gslot_ggtt_read(exec->cfg.ggtt, ctx->hw.lrca + LRC_STATE_PAGE * GEN_PAGE_SIZE,
			      exec->state, GEN_PAGE_SIZE);
	if (ret)
		return ret;
	if (!gslot_sched_released(exec->client, ctx->engine, &ctx->hw))
		return -EBUSY;
	if (ctx->root)	/* kept by context_done() */
		exec_context_unload(ctx);
	same = ctx->loaded && !ctx->hw.banned && where && gslot_lrc_same(exec->state, ctx->seen);
	if (same && exec->state[LRC_RING_HEAD] == ctx->seen[LRC_RING_HEAD]) {
		ret = exec_context_set_tail(ctx, exec->state[LRC_RING_TAIL]) ?:
		      adopt_pphwsp(ctx) ?: refresh_wa(ctx);
	} else {
		ret = import(ctx, !(same || (where && ctx->dirty)));
	}
	return ret ?: load_root(ctx);
}
