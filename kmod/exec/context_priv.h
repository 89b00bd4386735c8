/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The host's contexts for those of a guest. "Lock held" means the vGPU's lock, which protects all
 * of them.
 */
#ifndef _GSLOT_EXEC_CONTEXT_PRIV_H
#define _GSLOT_EXEC_CONTEXT_PRIV_H

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

/**
 * struct exec_reloc - a graphics address in prepared commands
 * @at: its place in memory that the hardware executes
 * @addr: the guest's graphics address
 * @len: number of bytes accessed there, less than a page
 * @held: they are held
 */
struct exec_reloc {
	u32 *at;
	u32 addr;
	u16 len;
	bool held;
};

/**
 * struct exec_relocs - the graphics addresses in some prepared commands
 * @count: number of addresses
 * @room: room in @more
 * @hold: new ones are held at once
 * @first: the first ones
 * @more: the others
 */
struct exec_relocs {
	u32 count;
	u32 room;
	bool hold;
	struct exec_reloc first[EXEC_FIRST_RELOCS];
	struct exec_reloc *more;
};

/**
 * struct exec_context - the host's context for one of the guest
 * @hw: what the scheduler gets; @hw.lrca and @engine identify the context
 * @link: in the list of all contexts
 * @hash: in the hash table of all contexts
 * @exec: the vGPU's
 * @engine: its engine
 * @pages: size of the image
 * @gfn: the guest's pages of the image that was imported
 * @pphwsp: page 0 of them, which the GPU uses in place of @image's
 * @image: the image that the hardware loads and saves
 * @ring: the ring, as large as the guest's
 * @wa: the indirect-context batch and the per-context batch; on rcs
 * @wa_seen: the guest's bytes of these batches, as last copied; a page each
 * @wa_bytes: how many of these bytes have passed the scan; 0: the copy is empty
 * @wa_used: bytes of the indirect-context batch that are not padding
 * @wa_relocs: the graphics memory that the batches name; held while in flight
 * @lrc: the guest's ring context when it was loaded
 * @oldest: ring offset of the first command that may not have been executed
 * @position: ring offset up to which commands are copied and queued
 * @in_flight: number of requests that are not retired
 * @last: sequence number of the request queued last
 * @root: page tables, held while in flight
 * @seen: the guest's register state page, as last read or written
 * @written: the engine context that was last written back, from the register state page on, as the
 *	hardware saved it; the guest may have got less of it
 * @written_end: size of the part that was written back, bytes; 0: the guest may have anything
 * @loaded: @image holds this context's state
 * @dirty: @image is newer than the guest's engine pages
 * @exported: the engine pages were written back after a run
 */
struct exec_context {
	struct gslot_hw_context hw;
	struct list_head link;
	struct hlist_node hash;
	struct gslot_exec *exec;
	enum gslot_engine_id engine;
	u32 pages;
	u64 gfn[GEN9_RCS_CTX_PAGES];
	struct gslot_guest_page *pphwsp;
	struct gslot_bo *image;
	struct gslot_bo *ring;
	struct gslot_bo *wa;
	u8 *wa_seen;
	u32 wa_bytes[EXEC_WA_BATCHES];
	u32 wa_used;
	struct exec_relocs wa_relocs[EXEC_WA_BATCHES];
	struct gslot_lrc lrc;
	u32 oldest;
	u32 position;
	u32 in_flight;
	u64 last;
	struct ppgtt_table *root;
	u32 *seen;
	u8 *written;
	u32 written_end;
	bool loaded;
	bool dirty;
	bool exported;
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

#endif
