// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: relocations of prepared commands
 *
 * Each request, and each workaround batch of a context, records where its commands name graphics
 * memory, and what the guest wrote there: see core/cmd/reloc.h. That memory is held, which means
 * that it is resident and does not move: until the request is retired, or while the context is in
 * flight. It may have moved when the context is loaded again, so its batches are relocated then.
 *
 * Most requests name graphics memory a few times, which needs no allocation. A guest cannot have
 * more relocations than it has room for commands: one stands for ten bytes of them or more
 * (MI_COPY_MEM_MEM has two in 5 dwords), in a ring or in a copy that lives as long (budget.c).
 */
#include <linux/bug.h>
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "base/account.h"
#include "base/trace.h"

static struct exec_reloc *relocs_next(struct exec_relocs *list)
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
 * exec_relocs_add() - record that a command names graphics memory
 * @exec: the vGPU's
 * @list: the relocations of these commands
 * @at: the address field, where the hardware will read it
 * @reloc: what the guest wrote there
 * @phys: gets the physical graphics address if @list is held, else 0, which is not valid
 *
 * Return: 0, -ENOMEM, or as gslot_ggtt_hold().
 * Context: lock held; may sleep.
 */
int exec_relocs_add(struct gslot_exec *exec, struct exec_relocs *list, u32 *at,
		    const struct gslot_reloc *reloc, u64 *phys)
{
	struct exec_reloc *place = relocs_next(list);
	int ret = 0;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (!place)
		return -ENOMEM;
	*phys = 0;
	*place = (struct exec_reloc) { .at = at, .addr = reloc->addr, .len = reloc->len };
	list->count++;
	if (list->hold)
		ret = gslot_ggtt_hold(exec->cfg.ggtt, reloc->addr, reloc->len, phys);
	place->held = list->hold && !ret;
	if (place->held)
		trace_gslot_request_name(exec->cfg.name, reloc->addr, *phys);
	return ret;
}

static int relocs_hold(struct gslot_exec *exec, struct exec_reloc *reloc, u32 count)
{
	u64 phys;
	int ret;
	u32 i;

	for (i = 0; i < count; i++) {
		if (reloc[i].held)
			continue;
		ret = gslot_ggtt_hold(exec->cfg.ggtt, reloc[i].addr, reloc[i].len, &phys);
		if (ret)
			return ret;
		gslot_reloc_apply(reloc[i].at, phys);
		reloc[i].held = true;
	}
	return 0;
}

static u32 relocs_nr_first(const struct exec_relocs *list)
{
	return min_t(u32, list->count, ARRAY_SIZE(list->first));
}

/**
 * exec_relocs_hold() - hold what commands name, before they are executed (again)
 * @exec: the vGPU's
 * @list: the relocations of these commands, which the hardware does not execute now
 *
 * Return: 0, or as gslot_ggtt_hold(): then a part is held, until it is released.
 * Context: lock held; may sleep.
 */
int exec_relocs_hold(struct gslot_exec *exec, struct exec_relocs *list)
{
	struct exec_reloc_chunk *chunk;
	int ret;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	ret = relocs_hold(exec, list->first, relocs_nr_first(list));
	for (chunk = list->chunks; !ret && chunk; chunk = chunk->next)
		ret = relocs_hold(exec, chunk->reloc, chunk->count);
	return ret;
}

static void relocs_release(struct gslot_exec *exec, struct exec_reloc *reloc, u32 count)
{
	u32 i;

	for (i = 0; i < count; i++) {
		if (reloc[i].held)
			gslot_ggtt_release(exec->cfg.ggtt, reloc[i].addr, reloc[i].len);
		reloc[i].held = false;
	}
}

/**
 * exec_relocs_release() - undo exec_relocs_hold()
 * @exec: the vGPU's
 * @list: the relocations of commands that are not executed until they are held again
 *
 * Context: lock held; may sleep.
 */
void exec_relocs_release(struct gslot_exec *exec, struct exec_relocs *list)
{
	struct exec_reloc_chunk *chunk;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	relocs_release(exec, list->first, relocs_nr_first(list));
	for (chunk = list->chunks; chunk; chunk = chunk->next)
		relocs_release(exec, chunk->reloc, chunk->count);
}

/**
 * exec_relocs_free() - release and forget the relocations of commands
 * @exec: the vGPU's
 * @list: the relocations of commands that are not executed any more; emptied
 *
 * Context: lock held; may sleep.
 */
void exec_relocs_free(struct gslot_exec *exec, struct exec_relocs *list)
{
	struct exec_reloc_chunk *chunk, *next;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	exec_relocs_release(exec, list);
	for (chunk = list->chunks; chunk; chunk = next) {
		next = chunk->next;
		kfree(chunk);
	}
	list->chunks = NULL;
	list->count = 0;
}
