/* SPDX-License-Identifier: GPL-2.0 */
/* The host's contexts for those of a guest. The vGPU's lock protects all of them. */
#ifndef _GSLOT_EXEC_CONTEXT_PRIV_H
#define _GSLOT_EXEC_CONTEXT_PRIV_H

#include <linux/hashtable.h>
#include <linux/list.h>

#include "core/cmd/scan.h"
#include "core/ctx/lrc.h"
#include "gen/lrc.h"
#include "gm/guestmem.h"
#include "hw/hw.h"
#include "sched/sched.h"

struct gslot_exec;
struct ppgtt_table;

/* The indirect-context batch and the per-context batch, a page each. */
#define EXEC_WA_BATCHES		2
/* More than most requests have. */
#define EXEC_FIRST_RELOCS	6
#define EXEC_HASH_BITS		8	/* of the table of contexts */

/* A graphics address in prepared commands. */
struct exec_reloc {
	u32 *at;	/* its place in memory that the hardware executes */
	u32 addr;	/* the guest's graphics address */
	u16 len;	/* bytes accessed there, less than a page */
	bool held;
};

/* The graphics addresses in some prepared commands. */
struct exec_relocs {
	u32 count;
	u32 room;	/* in @more */
	bool hold;	/* new ones are held at once */
	struct exec_reloc first[EXEC_FIRST_RELOCS];
	struct exec_reloc *more;
};

/* The host's context for one of the guest. */
struct exec_context {
	struct gslot_hw_context hw;	/* what the scheduler gets */
	struct list_head link;		/* in &exec_contexts.list */
	struct hlist_node hash;		/* in &exec_contexts.by_lrca, by @engine and @hw.lrca */
	struct gslot_exec *exec;
	enum gslot_engine_id engine;
	u32 pages;			/* size of the image */
	u64 gfn[GEN9_RCS_CTX_PAGES];	/* the guest's pages of the image that was imported */
	struct gslot_guest_page *pphwsp;	/* page 0 of them; the GPU uses it, not @image's */
	struct gslot_bo *image;		/* the image that the hardware loads and saves */
	struct gslot_bo *ring;		/* as large as the guest's */

	/* The indirect-context batch and the per-context batch, a page each; on rcs. */
	struct gslot_bo *wa;
	u8 *wa_seen;			/* the guest's bytes, as last copied */
	u32 wa_bytes[EXEC_WA_BATCHES];	/* of @wa_seen, checked; 0: the copy is empty */
	u32 wa_used;			/* bytes of the indirect-context batch without padding */
	struct exec_relocs wa_relocs[EXEC_WA_BATCHES];	/* held while in flight */

	struct gslot_lrc lrc;		/* the guest's ring context when it was loaded */
	u32 oldest;			/* offset of the first command that may be unexecuted */
	u32 position;			/* offset up to which commands are copied and queued */
	u32 in_flight;			/* number of requests that are not retired */
	u64 last;			/* sequence number of the request queued last */
	struct ppgtt_table *root;	/* page tables, held while in flight */
	u32 *seen;			/* the guest's register page, as last read or written */

	/*
	 * The engine context that was last written back, from the register state page on, as the
	 * hardware saved it; the guest may have got less of it.
	 */
	u8 *written;
	u32 written_end;		/* bytes; 0: the guest may have anything */
	bool loaded;			/* @image holds this context's state */
	bool dirty;			/* @image is newer than the guest's engine pages */
	bool exported;			/* the engine pages were written back after a run */
};

/* The contexts of a vGPU. */
struct exec_contexts {
	struct list_head list;		/* most recently used first */
	DECLARE_HASHTABLE(by_lrca, EXEC_HASH_BITS);
	u32 pages;			/* of all, with their rings */
};

/* context.c */
struct exec_context *exec_context_get(struct gslot_exec *exec, enum gslot_engine_id engine,
				      u32 lrca);
void exec_context_destroy(struct exec_context *ctx);
void exec_context_unload(struct exec_context *ctx);
void exec_context_set_pphwsp(struct exec_context *ctx, struct gslot_guest_page *page);

/* image.c */
int exec_context_load(struct exec_context *ctx);

/* export.c */
void exec_context_report(struct exec_context *ctx);
void exec_context_export(struct exec_context *ctx);
void exec_context_write_back(struct exec_context *ctx);

/* exec_wa.c */
int exec_context_load_wa(struct exec_context *ctx, struct gslot_lrc *lrc);

/* exec_reloc.c */
int exec_relocs_add(struct gslot_exec *exec, struct exec_relocs *list, u32 *at,
		    const struct gslot_reloc *reloc, u64 *phys);
int exec_relocs_hold(struct gslot_exec *exec, struct exec_relocs *list);
void exec_relocs_release(struct gslot_exec *exec, struct exec_relocs *list);
void exec_relocs_free(struct gslot_exec *exec, struct exec_relocs *list);
void exec_relocs_log(struct gslot_exec *exec, struct exec_relocs *list);

#endif
