// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: relocations of prepared commands
 *
 * Each request, and each workaround batch of a context, records where its commands name graphics
 * memory, and what the guest wrote there: see core/cmd/scan.h. That memory is held, which means
 * that it is resident and does not move: until the request is retired, or while the context is in
 * flight. It may have moved when the context is loaded again, so its batches are relocated then.
 *
 * Most requests name graphics memory a few times, which needs no allocation. A guest cannot have
 * more relocations than it has room for commands: one stands for ten bytes of them or more
 * (MI_COPY_MEM_MEM has two in 5 dwords), in a ring or in a copy that lives as long (budget.c).
 */
#include <linux/lockdep.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "exec_priv.h"
#include "base/account.h"
#include "base/trace.h"

#define MIN_ROOM	256u	/* a page of them */

static struct exec_reloc *relocs_at(struct exec_relocs *list, u32 i)
{
	return i < EXEC_FIRST_RELOCS ? &list->first[i] : &list->more[i - EXEC_FIRST_RELOCS];
}

/* Make room for one more. Return: 0 or -ENOMEM. */
static int relocs_grow(struct exec_relocs *list)
{
	u32 room = max(2 * list->room, MIN_ROOM);
	struct exec_reloc *more;

	if (list->count < EXEC_FIRST_RELOCS + list->room)
		return 0;
	more = kvmalloc_array(room, sizeof(*more), GSLOT_GFP_GUEST);
	if (!more)
		return -ENOMEM;
	if (list->room)
		memcpy(more, list->more, list->room * sizeof(*more));
	kvfree(list->more);
	list->more = more;
	list->room = room;
	return 0;
}

/*
 * Record that a command names graphics memory, in the address field @at, where the hardware will
 * read it. @phys gets the physical graphics address if @list is held, else 0, which is not valid.
 * Return: 0, -ENOMEM, or as gslot_ggtt_hold().
 */
int exec_relocs_add(struct gslot_exec *exec, struct exec_relocs *list, u32 *at,
		    const struct gslot_reloc *reloc, u64 *phys)
{
	struct exec_reloc *new;
	int ret = relocs_grow(list);

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (ret)
		return ret;
	*phys = 0;
	new = relocs_at(list, list->count++);
	*new = (struct exec_reloc) { .at = at, .addr = reloc->addr, .len = reloc->len };
	if (!list->hold)
		return 0;
	ret = gslot_ggtt_hold(exec->cfg.ggtt, reloc->addr, reloc->len, phys);
	if (ret)
		return ret;
	new->held = true;
	trace_gslot_request_name(exec->cfg.name, reloc->addr, *phys);
	return 0;
}

/*
 * Hold what commands name, before they are executed (again).
 * Return: 0, or as gslot_ggtt_hold(): then a part is held, until exec_relocs_release().
 */
int exec_relocs_hold(struct gslot_exec *exec, struct exec_relocs *list)
{
	u64 phys;
	int ret;
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	for (i = 0; i < list->count; i++) {
		struct exec_reloc *reloc = relocs_at(list, i);

		if (reloc->held)
			continue;
		ret = gslot_ggtt_hold(exec->cfg.ggtt, reloc->addr, reloc->len, &phys);
		if (ret)
			return ret;
		gslot_reloc_apply(reloc->at, phys);
		reloc->held = true;
	}
	return 0;
}

static void relocs_log(struct gslot_exec *exec, u64 addr)
{
	struct gslot_guest_page *page = gslot_ggtt_page(exec->cfg.ggtt, addr);

	if (page)
		gslot_guest_page_set_dirty(page);
}

/* For the dirty log: commands may have written what they name, less than a page each. */
void exec_relocs_log(struct gslot_exec *exec, struct exec_relocs *list)
{
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (!exec->ppgtt.logging)
		return;
	for (i = 0; i < list->count; i++) {
		const struct exec_reloc *reloc = relocs_at(list, i);

		if (!reloc->held)
			continue;
		relocs_log(exec, reloc->addr);
		relocs_log(exec, (u64)reloc->addr + reloc->len - 1);
	}
}

/* The commands are not executed until exec_relocs_hold(). */
void exec_relocs_release(struct gslot_exec *exec, struct exec_relocs *list)
{
	u32 i;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	exec_relocs_log(exec, list);
	for (i = 0; i < list->count; i++) {
		struct exec_reloc *reloc = relocs_at(list, i);

		if (reloc->held)
			gslot_ggtt_release(exec->cfg.ggtt, reloc->addr, reloc->len);
		reloc->held = false;
	}
}

/* Release and forget the relocations of commands that are not executed any more. */
void exec_relocs_free(struct gslot_exec *exec, struct exec_relocs *list)
{
	exec_relocs_release(exec, list);
	kvfree(list->more);
	list->more = NULL;
	list->room = 0;
	list->count = 0;
}
