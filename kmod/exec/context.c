// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: contexts of the host
 *
 * A guest's context is identified by its engine and the address of its image. The host keeps a
 * context for it until that is evicted, so that the state which the hardware saves does not pass
 * through guest memory between runs.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "base/account.h"

/* The address is page-aligned, which leaves room for the engine. */
static u32 context_key(enum gslot_engine_id engine, u32 lrca)
{
	return lrca | engine;
}

/* The context is not in flight, and the hardware has released it. */
void exec_context_destroy(struct exec_context *ctx)
{
	struct gslot_exec *exec = ctx->exec;
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	gslot_sched_writeback_done(exec->client, ctx->engine, &ctx->hw);
	exec_context_set_pphwsp(ctx, NULL);
	exec_context_unload(ctx);
	exec_destroy_bo(exec, ctx->wa);
	exec_destroy_bo(exec, ctx->ring);
	exec_destroy_bo(exec, ctx->image);
	list_del(&ctx->link);
	hash_del(&ctx->hash);
	for (i = 0; i < EXEC_WA_BATCHES; i++)
		exec_relocs_free(exec, &ctx->wa_relocs[i]);
	kfree(ctx->wa_seen);
	kvfree(ctx->written);
	kfree(ctx->seen);
	kfree(ctx);
}

static struct exec_context *context_create(struct gslot_exec *exec, enum gslot_engine_id engine,
					   u32 lrca)
{
	struct exec_context *ctx = kzalloc(sizeof(*ctx), GSLOT_GFP_GUEST);
	int ret = -ENOMEM;

	if (!ctx)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&ctx->link);
	ctx->exec = exec;
	ctx->engine = engine;
	ctx->hw.lrca = lrca;
	ctx->pages = gslot_context_pages(engine, exec->gen);
	ctx->seen = kzalloc(GEN_PAGE_SIZE, GSLOT_GFP_GUEST);
	ctx->written = kvmalloc((ctx->pages - LRC_STATE_PAGE) * GEN_PAGE_SIZE, GSLOT_GFP_GUEST);
	if (!ctx->seen || !ctx->written)
		goto err;
	ctx->image = exec_create_bo(exec, ctx->pages, NULL);
	if (IS_ERR(ctx->image)) {
		ret = PTR_ERR(ctx->image);
		ctx->image = NULL;
		goto err;
	}
	ctx->hw.desc = gslot_lrc_desc(exec->gen, gslot_bo_ggtt(ctx->image));
	ctx->hw.state = ctx->image->vaddr + LRC_STATE_PAGE * GEN_PAGE_SIZE;
	list_add(&ctx->link, &exec->contexts.list);
	hash_add(exec->contexts.by_lrca, &ctx->hash, context_key(engine, lrca));
	return ctx;

err:
	exec_context_destroy(ctx);
	return ERR_PTR(ret);
}

/* Return: the host's context, perhaps a new one that is not loaded, or ERR_PTR. */
struct exec_context *exec_context_get(struct gslot_exec *exec, enum gslot_engine_id engine,
				      u32 lrca)
{
	struct exec_context *ctx;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	hash_for_each_possible(exec->contexts.by_lrca, ctx, hash, context_key(engine, lrca)) {
		if (ctx->engine == engine && ctx->hw.lrca == lrca) {
			list_move(&ctx->link, &exec->contexts.list);
			return ctx;
		}
	}
	return context_create(exec, engine, lrca);
}

/* Release what a context holds in flight: page tables, and what its workaround batches name. */
void exec_context_unload(struct exec_context *ctx)
{
	u32 i;

	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	for (i = 0; i < EXEC_WA_BATCHES; i++)
		exec_relocs_release(ctx->exec, &ctx->wa_relocs[i]);
	if (ctx->root)
		ppgtt_root_put(&ctx->exec->ppgtt, ctx->root);
	ctx->root = NULL;
	/* For the dirty log: the GPU has saved the context. */
	if (ctx->pphwsp)
		gslot_guest_page_set_dirty(ctx->pphwsp);
}

/*
 * Set the page that the GPU uses as PPHWSP, while the hardware does not hold the context. The
 * context takes over the reference to @page. NULL: the image's own page.
 */
void exec_context_set_pphwsp(struct exec_context *ctx, struct gslot_guest_page *page)
{
	struct gslot_guest_page *old = ctx->pphwsp;

	lockdep_assert_held(&ctx->exec->cfg.lock->mutex);
	if (page == old)
		return;
	if (ctx->image)
		gslot_bo_alias(ctx->image, LRC_PPHWSP_PAGE, page ? page->dma : 0);
	ctx->pphwsp = page;
	if (!old)
		return;
	/* As in exec_context_unload(), which comes later if it is in flight. */
	if (ctx->root)
		gslot_guest_page_set_dirty(old);
	gslot_guestmem_put(ctx->exec->cfg.mem, old);
}
