// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: import of context images
 *
 * An image is imported when its context is new, or when the guest has rewritten it. It is not
 * imported when only the tail has moved, as at each submission. When the head has moved as well, as
 * drivers move it in each context that they have not used for a while, only the ring context is
 * imported. The hardware executes an image with privilege: so the engine context that is loaded is
 * the golden one, with the guest's values.
 */
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "exec_priv.h"
#include "base/account.h"
#include "core/ctx/golden.h"

/*
 * Find the pages of the image: @gfn gets them. Return: 1 if it is on the pages from which it was
 * imported, 0 if it has moved, -EFAULT.
 */
static int image_find_pages(struct exec_context *ctx, u64 *gfn)
{
	u32 i;

	for (i = 0; i < ctx->pages; i++) {
		struct gslot_guest_page *page = exec_image_page(ctx, i);

		if (!page)
			return -EFAULT;
		gfn[i] = page->gfn;
	}
	return !memcmp(gfn, ctx->gfn, ctx->pages * sizeof(*gfn));
}

static int image_adopt_pphwsp(struct exec_context *ctx, u64 gfn)
{
	struct gslot_guest_page *page;

	if (ctx->pphwsp && ctx->pphwsp->gfn == gfn)
		return 0;
	page = gslot_guestmem_get(ctx->exec->cfg.mem, gfn, false);
	if (IS_ERR(page))
		return PTR_ERR(page);
	exec_context_set_pphwsp(ctx, page);
	return 0;
}

/* Fill the image buffer with the register page, read before, and the pages behind it. */
static int image_read_engine(struct exec_context *ctx)
{
	struct gslot_exec *exec = ctx->exec;
	void *to = exec->scratch.image;
	int ret = 0;
	u32 i;

	memcpy(to, exec->scratch.state, GEN_PAGE_SIZE);
	for (i = LRC_STATE_PAGE + 1; !ret && i < ctx->pages; i++)
		ret = gslot_ggtt_read(exec->cfg.ggtt, ctx->hw.lrca + i * GEN_PAGE_SIZE,
				      to + (i - LRC_STATE_PAGE) * GEN_PAGE_SIZE, GEN_PAGE_SIZE);
	return ret;
}

/* Import the guest's engine context if @restore, else start from the golden one. */
static int image_import_engine(struct exec_context *ctx, bool restore)
{
	struct gslot_exec *exec = ctx->exec;
	int ret = restore ? image_read_engine(ctx) : 0;

	if (ret)
		return ret;
	ret = gslot_golden_merge(gslot_sched_golden(exec->client, ctx->engine), ctx->engine,
				 exec->gen, ctx->hw.state, restore ? exec->scratch.image : NULL);
	exec->stats.denied += max(ret, 0);
	ctx->dirty = false;
	ctx->written_end = 0;
	return 0;
}

/* Have a buffer to scan the commands of a ring of @size bytes in. Return: 0 or -ENOMEM. */
static int image_alloc_commands(struct gslot_exec *exec, u32 size)
{
	void *commands;

	if (size <= exec->scratch.commands_size)
		return 0;
	commands = kvmalloc(size, GSLOT_GFP_GUEST);
	if (!commands)
		return -ENOMEM;
	kvfree(exec->scratch.commands);
	exec->scratch.commands = commands;
	exec->scratch.commands_size = size;
	return 0;
}

/* Give the context a hardware ring of the guest's size. */
static int image_set_ring(struct exec_context *ctx, u32 size)
{
	u32 pages = size >> GEN_PAGE_SHIFT;
	struct gslot_bo *ring;
	int ret;

	ret = image_alloc_commands(ctx->exec, size);
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

/* Take over the ring context from the register page, and give the context what it needs for it. */
static int image_import_ring(struct exec_context *ctx, const u64 *gfn)
{
	struct gslot_exec *exec = ctx->exec;
	struct gslot_lrc lrc;
	int ret;

	ret = gslot_lrc_parse(ctx->engine, exec->scratch.state, &lrc);
	if (ret)
		return ret;
	if (!gslot_window_has(gslot_ggtt_window(exec->cfg.ggtt), lrc.start, lrc.size))
		return -EFAULT;
	if (ctx->engine == GSLOT_RCS0)
		lrc.engine_reg = gslot_sseu_limit(&exec->sseu, lrc.engine_reg);
	ret = image_set_ring(ctx, lrc.size) ?: image_adopt_pphwsp(ctx, gfn[LRC_PPHWSP_PAGE]);
	if (ret)
		return ret;
	ctx->lrc = lrc;
	ctx->position = lrc.head;
	ctx->oldest = lrc.head;
	return 0;
}

/*
 * Import an image from the pages @gfn. @engine_too: the guest's engine pages are newer than the
 * host's, or may be. They are not if the guest has changed only the ring's head; nor if it rewrote
 * the register page of a context that was not written back since: then its engine pages are older
 * than the host's. After an error the context has its old pages, so that the next try knows again
 * that the image has moved.
 */
static int image_import(struct exec_context *ctx, const u64 *gfn, bool engine_too)
{
	struct gslot_exec *exec = ctx->exec;
	struct gslot_lrc lrc;
	int ret;

	ctx->loaded = false;
	ret = image_import_ring(ctx, gfn);
	if (ret)
		return ret;
	lrc = ctx->lrc;
	if (engine_too || lrc.inhibit)
		ret = image_import_engine(ctx, !lrc.inhibit);
	if (!ret)
		ret = exec_context_load_wa(ctx, &lrc);
	if (ret)
		return ret;

	lrc.inhibit = false;
	lrc.start = gslot_bo_ggtt(ctx->ring);
	lrc.tail = lrc.head;
	lrc.pml4 = 0;	/* set by image_load_root() */
	gslot_lrc_build(ctx->engine, exec->gen, ctx->hw.state, &lrc);
	exec_restore_batch(ctx);
	memcpy(ctx->seen, exec->scratch.state, GEN_PAGE_SIZE);
	memcpy(ctx->gfn, gfn, ctx->pages * sizeof(*gfn));
	ctx->hw.banned = false;
	ctx->loaded = true;
	if (!ctx->dirty)
		gslot_sched_writeback_done(exec->client, ctx->engine, &ctx->hw);
	exec->stats.imports++;
	return 0;
}

static int image_load_root(struct exec_context *ctx)
{
	struct ppgtt_table *root;

	if (!ctx->lrc.pml4 || ctx->lrc.pml4 & ~GEN_PTE_ADDR)
		return -EFAULT;
	root = ppgtt_root_get(&ctx->exec->ppgtt, ctx->lrc.pml4 >> GEN_PAGE_SHIFT);
	if (IS_ERR(root))
		return PTR_ERR(root);
	ctx->root = root;
	ctx->hw.state[LRC_PDP_UDW(0)] = upper_32_bits(root->dma);
	ctx->hw.state[LRC_PDP_LDW(0)] = lower_32_bits(root->dma);
	return 0;
}

/* Load the workaround batches again, which the guest may have rewritten in place. */
static int image_refresh_wa(struct exec_context *ctx)
{
	struct gslot_lrc lrc = ctx->lrc;
	u32 *state = ctx->hw.state;
	int ret = exec_context_load_wa(ctx, &lrc);

	if (!ret && ctx->wa) {
		state[LRC_BB_PER_CTX_PTR] = lrc.per_ctx;
		state[LRC_INDIRECT_CTX] = lrc.indirect;
		state[LRC_INDIRECT_CTX_OFFSET] = lrc.indirect_offset;
	}
	return ret;
}

/* Take over the tail that the guest wrote. Return: 0, or -EINVAL if it is not in the ring. */
static int image_set_tail(struct exec_context *ctx, u32 tail)
{
	if (tail >= ctx->lrc.size || tail & 7)
		return -EINVAL;
	ctx->lrc.tail = tail;
	return 0;
}

/* Of a context in flight, only the tail is read. */
static int image_read_tail(struct exec_context *ctx)
{
	u32 tail;
	int ret;

	ret = gslot_ggtt_read(ctx->exec->cfg.ggtt,
			      ctx->hw.lrca + LRC_STATE_PAGE * GEN_PAGE_SIZE +
			      LRC_RING_TAIL * sizeof(u32), &tail, sizeof(tail));
	return ret ?: image_set_tail(ctx, tail);
}

/*
 * Prepare a context for a new request. On success it holds its page tables, its tail is in
 * @ctx->lrc, and the commands from @ctx->position on are still to be copied.
 * Return: 0, or -errno if the submission cannot be executed.
 */
int exec_context_load(struct exec_context *ctx)
{
	struct gslot_exec *exec = ctx->exec;
	u64 gfn[GEN9_RCS_CTX_PAGES];
	int in_place, ret;
	bool same;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (ctx->in_flight)
		return image_read_tail(ctx);
	in_place = image_find_pages(ctx, gfn);
	if (in_place < 0)
		return in_place;
	ret = gslot_ggtt_read(exec->cfg.ggtt, ctx->hw.lrca + LRC_STATE_PAGE * GEN_PAGE_SIZE,
			      exec->scratch.state, GEN_PAGE_SIZE);
	if (ret)
		return ret;
	if (!gslot_sched_released(exec->client, ctx->engine, &ctx->hw))
		return -EBUSY;
	if (ctx->root)	/* kept by retire_context() */
		exec_context_unload(ctx);
	same = ctx->loaded && !ctx->hw.banned && in_place &&
	       gslot_lrc_same(exec->scratch.state, ctx->seen);
	if (same && exec->scratch.state[LRC_RING_HEAD] == ctx->seen[LRC_RING_HEAD]) {
		ret = image_set_tail(ctx, exec->scratch.state[LRC_RING_TAIL]) ?:
		      image_adopt_pphwsp(ctx, gfn[LRC_PPHWSP_PAGE]) ?: image_refresh_wa(ctx);
	} else {
		ret = image_import(ctx, gfn, !(same || (in_place && ctx->dirty)));
	}
	return ret ?: image_load_root(ctx);
}
