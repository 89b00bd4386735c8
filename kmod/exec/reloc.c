// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: relocations of what is prepared
 *
 * Each request, and each workaround batch of a context, keeps where its commands name
 * graphics memory, and what the guest wrote there: see core/reloc.h. Most requests do so
 * a few times, which costs no allocation.
 *
 * A guest cannot have more of them than it has room for commands: a relocation stands for
 * ten bytes of them or more (MI_COPY_MEM_MEM has two in 5 dwords), in a ring or a copy that
 * lives as long (budget.c).
 */
#include <linux/bug.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "../account.h"

static struct exec_reloc *next_place(struct exec_relocs *list)
{
	struct exec_reloc_chunk *chunk = list->chunks;

	if (list->count < ARRAY_SIZE(list->first))
		return &list->first[list->count];
	if (!chunk || chunk->count == ARRAY_SIZE(chunk->reloc)) {
		chunk = kmalloc(sizeof(*chunk), GSLOT_GFP_GUEST);
		if (!chunk)
			return NULL;
		chunk->count = 0;
		chunk->next = list->chunks;
		list->chunks = chunk;
	}
	return &chunk->reloc[chunk->count++];
}

/**
 * exec_relocs_add() - commands name graphics memory
 * @list: of these commands
 * @at: the address, where the hardware will find it
 * @reloc: what the guest wrote there
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep; one at a time a list.
 */
int exec_relocs_add(struct exec_relocs *list, u32 *at, const struct gslot_reloc *reloc)
{
	struct exec_reloc *place = next_place(list);

	if (!place)
		return -ENOMEM;
	*place = (struct exec_reloc) { .at = at, .addr = reloc->addr, .len = reloc->len };
	list->count++;
	return 0;
}

static void apply(const struct exec_reloc *reloc, u32 count, const struct gslot_window *window)
{
	u32 i;

	/* The guest's own it is in any place: it was when it was prepared. */
	for (i = 0; i < count; i++)
		WARN_ON_ONCE(gslot_reloc_apply(reloc[i].at, reloc[i].addr, reloc[i].len, window));
}

static void apply_all(const struct exec_relocs *list, const struct gslot_window *window)
{
	const struct exec_reloc_chunk *chunk;

	apply(list->first, min_t(u32, list->count, ARRAY_SIZE(list->first)), window);
	for (chunk = list->chunks; chunk; chunk = chunk->next)
		apply(chunk->reloc, chunk->count, window);
}

/**
 * gslot_exec_relocate() - the vGPU's graphics memory is somewhere else now
 * @exec: the vGPU's; quiesced
 *
 * What is prepared is translated anew, whether it has begun or not: a request that was
 * preempted goes on with its next command, which it reads again.
 * Context: the vGPU's lock is held.
 */
void gslot_exec_relocate(struct gslot_exec *exec)
{
	const struct gslot_window *window = gslot_ggtt_window(exec->cfg.ggtt);
	struct exec_context *ctx;
	struct exec_request *rq;
	u32 i;

	lockdep_assert_held(exec->cfg.lock);
	list_for_each_entry(ctx, &exec->contexts, link)
		for (i = 0; i < EXEC_WA_BATCHES; i++)
			apply_all(&ctx->wa_relocs[i], window);
	list_for_each_entry(rq, &exec->requests, link) {
		apply_all(&rq->relocs, window);
		exec->relocated++;
	}
}

/**
 * exec_relocs_free() - the commands are not executed any more
 * @list: is empty when this returns
 *
 * Context: any; one at a time a list.
 */
void exec_relocs_free(struct exec_relocs *list)
{
	struct exec_reloc_chunk *chunk, *next;

	for (chunk = list->chunks; chunk; chunk = next) {
		next = chunk->next;
		kfree(chunk);
	}
	list->chunks = NULL;
	list->count = 0;
}
