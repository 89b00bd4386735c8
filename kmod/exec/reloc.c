// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: relocations of what is prepared
 *
 * Each request, and each workaround batch of a context, keeps where its commands name
 * graphics memory, and what the guest wrote there: see core/reloc.h. Most requests do so
 * a few times, which costs no allocation.
 *
 * A guest cannot have more of them than it has room for commands: a relocation stands for
 * ten bytes of them or more, in a ring or a copy that lives as long (budget.c).
 */
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

/**
 * exec_relocs_free() - the commands are not executed any more
 * @list: is empty when this returns
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
