// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: images of contexts
 *
 * In: an image is imported when its context is new, or when the guest rewrote
 * what it was left with. Not when it only moved the tail, as each submission
 * does.
 *
 * Out: at completion the guest's register page gets the ring's HEAD and what
 * else a driver looks at. The engine pages stay with the host, and are written
 * when the guest may look at them: after the first run, from which drivers
 * take their default state, and before another context of the engine is loaded.
 * A driver knows by what the other one does that the hardware has let go of the
 * image, and may give its memory to somebody else: from then on until it is loaded
 * again, not a byte of it is written. What the hardware did not change since is
 * not written again: most registers of a context never change.
 */
#include <linux/err.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/string.h>

#include "exec_priv.h"
#include "gen/regs.h"

#define RING_CONTEXT_BYTES	(LRC_RING_CONTEXT_DWORDS * sizeof(u32))

static u32 *image_state(struct exec_context *ctx)
{
	return ctx->hw.state;
}

/* Dwords of the image from the register state page on. */
static u32 state_dwords(const struct exec_context *ctx)
{
	return (ctx->pages - LRC_STATE_PAGE) * (GEN_PAGE_SIZE / sizeof(u32));
}

static struct gslot_guest_page *guest_page(struct exec_context *ctx, u32 index)
{
	return gslot_ggtt_page(ctx->exec->cfg.ggtt, ctx->lrca + index * GEN_PAGE_SIZE);
}

/* The guest's page, if it still is the one that was imported. */
static struct gslot_guest_page *own_page(struct exec_context *ctx, u32 index)
{
	struct gslot_guest_page *page = guest_page(ctx, index);

	return page && page->gfn == ctx->gfn[index] ? page : NULL;
}

/* Return: 1 if the image lies where it lay, 0 if it moved, -EFAULT. */
static int find_pages(struct exec_context *ctx)
{
	bool same = true;
	u32 i;

	for (i = 0; i < ctx->pages; i++) {
		struct gslot_guest_page *page = guest_page(ctx, i);

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

/*
 * Take the engine context from the guest: the rest of the register page (read
 * before) and the pages behind it. One that is not to be restored still tells
 * which registers the hardware shall save.
 */
static void import_engine(struct exec_context *ctx, struct gslot_lrc *lrc)
{
	struct gslot_exec *exec = ctx->exec;
	u32 *state = image_state(ctx);
	u32 i, dwords = state_dwords(ctx);
	int denied;

	memset(state, 0, dwords * sizeof(u32));
	memcpy(state + LRC_RING_CONTEXT_DWORDS, exec->state + LRC_RING_CONTEXT_DWORDS,
	       GEN_PAGE_SIZE - RING_CONTEXT_BYTES);
	for (i = LRC_STATE_PAGE + 1; !lrc->inhibit && i < ctx->pages; i++)
		gslot_ggtt_read(exec->cfg.ggtt, ctx->lrca + i * GEN_PAGE_SIZE,
				ctx->image->vaddr + i * GEN_PAGE_SIZE, GEN_PAGE_SIZE);

	denied = gslot_lrc_audit(ctx->engine, exec->gen, state, dwords);
	if (denied < 0) {
		memset(state, 0, dwords * sizeof(u32));
		lrc->inhibit = true;
	} else {
		exec->denied += denied;
	}
	ctx->dirty = false;
	ctx->given_end = 0;
}

static int check_ring(struct exec_context *ctx, const struct gslot_lrc *lrc)
{
	u64 phys;

	if (!gslot_window_to_phys(gslot_ggtt_window(ctx->exec->cfg.ggtt), lrc->start, lrc->size,
				  &phys))
		return -EFAULT;
	return 0;
}

/*
 * @engine_too: the engine pages in guest memory are at least as new as ours.
 * If not, the guest rewrote the register page of a context that it never saw
 * leave the hardware: its engine pages there are what they were long ago.
 */
static int import(struct exec_context *ctx, bool engine_too)
{
	struct gslot_exec *exec = ctx->exec;
	struct gslot_lrc lrc;
	int err;

	ctx->loaded = false;
	err = gslot_lrc_parse(ctx->engine, exec->state, &lrc);
	if (!err)
		err = check_ring(ctx, &lrc);
	if (!err)
		err = exec_context_set_ring(ctx, lrc.size);
	if (!err)
		err = adopt_pphwsp(ctx);
	if (err)
		return err;
	ctx->lrc = lrc;
	ctx->position = lrc.head;
	ctx->oldest = lrc.head;
	if (engine_too || lrc.inhibit)
		import_engine(ctx, &lrc);
	err = exec_context_load_wa(ctx, &lrc);
	if (err)
		return err;

	lrc.start = gslot_bo_ggtt(ctx->ring);
	lrc.tail = lrc.head;
	lrc.pml4 = 0;	/* known when the tables are */
	gslot_lrc_build(ctx->engine, exec->gen, image_state(ctx), &lrc);
	memcpy(ctx->seen, exec->state, GEN_PAGE_SIZE);
	ctx->hw.banned = false;
	ctx->loaded = true;
	if (!ctx->dirty)	/* the guest has it all */
		gslot_sched_settle(exec->client, ctx->engine, &ctx->hw);
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
	int err = exec_context_load_wa(ctx, &lrc);

	if (!err && ctx->wa) {
		state[LRC_BB_PER_CTX_PTR] = lrc.per_ctx;
		state[LRC_INDIRECT_CTX] = lrc.indirect;
		state[LRC_INDIRECT_CTX_OFFSET] = lrc.indirect_offset;
	}
	return err;
}

/**
 * exec_context_set_tail() - the guest moved the tail
 * @ctx: the context, loaded
 * @tail: what the guest wrote
 *
 * Return: 0, or -EINVAL if it is not in the ring.
 */
int exec_context_set_tail(struct exec_context *ctx, u32 tail)
{
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
 */
int exec_context_load(struct exec_context *ctx)
{
	struct gslot_exec *exec = ctx->exec;
	int where = find_pages(ctx);
	int err;

	if (where < 0)
		return where;
	err = gslot_ggtt_read(exec->cfg.ggtt, ctx->lrca + LRC_STATE_PAGE * GEN_PAGE_SIZE,
			      exec->state, GEN_PAGE_SIZE);
	if (err)
		return err;
	if (!gslot_sched_released(exec->client, ctx->engine, &ctx->hw))
		return -EBUSY;
	if (ctx->loaded && !ctx->hw.banned && where && gslot_lrc_same(exec->state, ctx->seen)) {
		err = exec_context_set_tail(ctx, exec->state[LRC_RING_TAIL]) ?:
		      adopt_pphwsp(ctx) ?: refresh_wa(ctx);
	} else {
		err = import(ctx, !(ctx->loaded && where && ctx->dirty));
	}
	return err ?: load_root(ctx);
}

/* What changed of the ring context, into the guest's register page. */
static void report(struct exec_context *ctx)
{
	struct gslot_guest_page *page;
	u32 *guest;

	if (!ctx->loaded || !gslot_sched_owes(ctx->exec->client, ctx->engine, &ctx->hw))
		return;
	ctx->dirty = gslot_lrc_ran(image_state(ctx));
	gslot_lrc_merge(ctx->seen, image_state(ctx));
	page = own_page(ctx, LRC_STATE_PAGE);
	if (!page)
		return;
	guest = kmap_local_page(page->page);
	gslot_lrc_merge(guest, image_state(ctx));
	kunmap_local(guest);
}

/**
 * exec_context_complete() - the hardware has run all that was queued
 * @ctx: the context
 */
void exec_context_complete(struct exec_context *ctx)
{
	exec_context_put_root(ctx);
	report(ctx);
}

/* Write a part of one of the image's pages. Return: whether it still is there. */
static bool write_guest(struct exec_context *ctx, u32 index, u32 offset, const void *data,
			u32 bytes)
{
	struct gslot_guest_page *page = own_page(ctx, index);
	void *guest;

	if (!page)
		return false;
	guest = kmap_local_page(page->page);
	memcpy(guest + offset, data, bytes);
	kunmap_local(guest);
	return true;
}

/*
 * Give the guest the engine context, up to byte @to counted from the register state
 * page: of a list that ends where it ended, the pages that the hardware changed.
 */
static void give(struct exec_context *ctx, const void *data, u32 to)
{
	const void *image = image_state(ctx);
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
 */
void exec_context_export(struct exec_context *ctx)
{
	struct gslot_exec *exec = ctx->exec;
	int end;

	if (!ctx->dirty || !ctx->loaded)
		return;
	ctx->dirty = false;
	ctx->exported = true;
	if (is_given(ctx))
		return;
	end = gslot_lrc_conceal(ctx->engine, exec->gen, exec->image, image_state(ctx),
				state_dwords(ctx));
	if (end < 0)
		return;
	end *= sizeof(u32);
	give(ctx, exec->image, end);
	end = min_t(u32, end, GEN_PAGE_SIZE);
	memcpy(ctx->seen + LRC_RING_CONTEXT_DWORDS, exec->image + LRC_RING_CONTEXT_DWORDS,
	       end - RING_CONTEXT_BYTES);
	exec->exports++;
}

/**
 * exec_context_settle() - another context of the engine is about to be loaded
 * @ctx: the context that was loaded last; more may be queued, behind the other
 *
 * All that the hardware saved is in the guest's memory when this returns, and the
 * other one may run.
 */
void exec_context_settle(struct exec_context *ctx)
{
	if (ctx->in_flight)
		report(ctx);
	exec_context_export(ctx);
	gslot_sched_settle(ctx->exec->client, ctx->engine, &ctx->hw);
}
