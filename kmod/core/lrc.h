/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Context images, from the guest's to the hardware's and back.
 *
 * The hardware executes an image as a list of privileged register writes. So
 * the host builds the ring context itself, and lets through of the engine
 * context behind it only what a guest's ring could write as well.
 */
#ifndef _GSLOT_CORE_LRC_H
#define _GSLOT_CORE_LRC_H

#include "types.h"
#include "engines.h"

#define GSLOT_LRC_STATE_DWORDS	1024	/* the register state page */

/**
 * struct gslot_lrc - the ring context: what an image says, or shall say
 * @start: graphics address of the ring
 * @size: size of the ring, bytes
 * @head: offset of the next command
 * @tail: offset of the end of the commands
 * @inhibit: the engine context is not to be loaded
 * @timestamp: CTX_TIMESTAMP
 * @engine_reg: value of the one engine register among them (R_PWR_CLK_STATE
 *	on rcs, BCS_SWCTRL on bcs)
 * @per_ctx: BB_PER_CTX_PTR, with its valid bit
 * @indirect: INDIRECT_CTX, address and size
 * @indirect_offset: INDIRECT_CTX_OFFSET
 * @pml4: bus address of the top page table
 */
struct gslot_lrc {
	u32 start;
	u32 size;
	u32 head;
	u32 tail;
	bool inhibit;
	u32 timestamp;
	u32 engine_reg;
	u32 per_ctx;
	u32 indirect;
	u32 indirect_offset;
	u64 pml4;
};

/**
 * gslot_lrc_parse() - read a guest's register state
 * @engine: the engine it is for
 * @state: the page, a host-owned copy
 * @lrc: out
 *
 * Return: 0, or -EINVAL for a ring that no hardware would run.
 */
int gslot_lrc_parse(enum gslot_engine_id engine, const u32 *state, struct gslot_lrc *lrc);

/**
 * gslot_lrc_build() - write a ring context for the hardware
 * @engine: the engine it is for
 * @gen: 8 or 9
 * @state: the page; dwords below LRC_RING_CONTEXT_DWORDS are written
 * @lrc: what it shall say
 */
void gslot_lrc_build(enum gslot_engine_id engine, u32 gen, u32 *state,
		     const struct gslot_lrc *lrc);

/* Do two register state pages differ in no more than the ring's tail? */
bool gslot_lrc_same(const u32 *a, const u32 *b);

/* Does the host's image hold an engine context to restore? */
bool gslot_lrc_ran(const u32 *hw);

/**
 * gslot_lrc_passed() - has a context that was saved executed all of a request?
 * @state: the register state page, as the hardware saved it
 * @size: size of the ring, bytes
 * @head: where the request begins; whatever was before it is executed
 * @tail: where it ends
 *
 * HEAD moves past MI_BATCH_BUFFER_START before the batch runs. So a request is
 * not over at its tail while the saved BB_ADDR says that a batch is under way
 * (PRM Skylake volume 2c, "BB_ADDR", bit 0).
 */
bool gslot_lrc_passed(const u32 *state, u32 size, u32 head, u32 tail);

/**
 * gslot_lrc_merge() - put what running changed into a guest's ring context
 * @guest: the guest's page, as the guest wrote it
 * @hw: the page that the hardware saved
 *
 * HEAD, the timestamp, and the end of the restore inhibit. All else of a ring
 * context is the guest's: it is the CPU's to write, or names host addresses.
 */
void gslot_lrc_merge(u32 *guest, const u32 *hw);

/**
 * gslot_lrc_audit() - make a guest's engine context fit for the hardware
 * @engine: the engine it is for
 * @gen: 8 or 9
 * @state: the register state page and the pages behind it, a host-owned copy;
 *	checked from LRC_RING_CONTEXT_DWORDS on
 * @dwords: how many, counted from @state
 *
 * Registers that the guest may not write become NOPID; what follows the end
 * of the list is cleared.
 *
 * Return: how many registers were refused that are neither status nor the
 * host's to set, or -EINVAL if it is not a list of register writes and state
 * commands. Then it must not be loaded.
 */
int gslot_lrc_audit(enum gslot_engine_id engine, u32 gen, u32 *state, u32 dwords);

/**
 * gslot_lrc_conceal() - make a saved engine context fit for the guest
 * @engine: the engine it is of
 * @gen: 8 or 9
 * @to: gets the list, at the same place, and nothing else
 * @from: what the hardware saved, as for gslot_lrc_audit()
 * @dwords: how many
 *
 * Values of registers that the guest may not read become 0.
 *
 * Return: where the list ends, dwords; or -EINVAL if it is not such a list.
 */
int gslot_lrc_conceal(enum gslot_engine_id engine, u32 gen, u32 *to, const u32 *from,
		      u32 dwords);

#endif
