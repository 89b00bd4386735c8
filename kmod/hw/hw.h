/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The physical GPU: MMIO, GGTT, execlists, interrupts, reset.
 *
 * This is the lowest layer. It knows nothing of guests, and reports events by the callbacks of
 * struct gslot_hw_events.
 */
#ifndef _GSLOT_HW_H
#define _GSLOT_HW_H

#include <linux/mod_devicetable.h>
#include <linux/types.h>

#include "core/regs/engines.h"
#include "gen/gtt.h"

struct device;
struct gslot_hw;
struct page;
struct pci_dev;

/* The GPUs that the module supports: ids.c. */
extern const struct pci_device_id gslot_pci_ids[];

/**
 * struct gslot_hw_events - callbacks for hardware events
 * @context_status: one entry of the context status buffer (CSB), in order
 * @context_status_end: all entries of one interrupt are reported
 * @user_interrupt: the engine executed MI_USER_INTERRUPT
 * @error: the command streamer stopped with an error (EIR, fault register)
 *
 * Called with interrupts off, and without a lock of this layer; they must not sleep.
 */
struct gslot_hw_events {
	void (*context_status)(void *data, enum gslot_engine_id engine, u32 status, u32 ctx_id);
	void (*context_status_end)(void *data, enum gslot_engine_id engine);
	void (*user_interrupt)(void *data, enum gslot_engine_id engine);
	void (*error)(void *data, enum gslot_engine_id engine, u32 eir, u32 fault);
};

/* hw.c, hw_irq.c: life */
struct gslot_hw *gslot_hw_create(struct pci_dev *pdev);
int gslot_hw_start(struct gslot_hw *hw, const struct gslot_hw_events *events, void *data);
void gslot_hw_stop(struct gslot_hw *hw);
void gslot_hw_destroy(struct gslot_hw *hw);
void gslot_hw_suspend(struct gslot_hw *hw);
int gslot_hw_resume(struct gslot_hw *hw);

/* hw.c: constants of the GPU */
struct device *gslot_hw_dev(struct gslot_hw *hw);
u32 gslot_hw_gen(struct gslot_hw *hw);
const char *gslot_hw_name(struct gslot_hw *hw);
u64 gslot_hw_ggtt_size(struct gslot_hw *hw);
resource_size_t gslot_hw_aperture(struct gslot_hw *hw);
u32 gslot_hw_fuse(struct gslot_hw *hw, u32 offset);

/* hw_ggtt.c: entries by index. A caller flushes a cleared entry before it unpins the page. */
void gslot_hw_ggtt_write(struct gslot_hw *hw, u32 first, const u64 *ptes, u32 count);
void gslot_hw_ggtt_clear(struct gslot_hw *hw, u32 first, u32 count);
void gslot_hw_ggtt_flush(struct gslot_hw *hw);

/* hw_ggtt.c: the host's part of the GGTT */
u64 gslot_hw_ggtt_host_first(struct gslot_hw *hw);
u32 gslot_hw_ggtt_most_host(struct gslot_hw *hw);
void gslot_hw_ggtt_set_host(struct gslot_hw *hw, u32 count);

/* Entries of the host's part that are reserved for a user. */
struct gslot_ggtt_quota {
	u32 first;		/* the first one */
	u32 count;		/* how many; 0: none */
	unsigned long *used;	/* bit map of those in use, from the last one to the first */
};

int gslot_hw_ggtt_reserve(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 count);
void gslot_hw_ggtt_unreserve(struct gslot_hw *hw, struct gslot_ggtt_quota *quota);
u32 gslot_hw_ggtt_used(struct gslot_hw *hw);

/* Host memory that the GPU can access. */
struct gslot_bo {
	struct gslot_hw *hw;
	struct gslot_ggtt_quota *quota;	/* the reservation that its entries are from, or NULL */
	struct page **pages;
	dma_addr_t *dma;		/* their bus addresses */
	void *vaddr;			/* contiguous kernel mapping */
	u32 count;
	u32 first;			/* its first GGTT entry; gslot_bo_ggtt() has its address */
};

struct gslot_bo *gslot_bo_create(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 count);
void gslot_bo_destroy(struct gslot_bo *bo);
void gslot_bo_alias(struct gslot_bo *bo, u32 index, dma_addr_t dma);

/* Its graphics address. */
static inline u64 gslot_bo_ggtt(const struct gslot_bo *bo)
{
	return (u64)bo->first << GEN_PAGE_SHIFT;
}

/* execlists.c, hw_irq.c, hw_tlb.c: execution */
void gslot_hw_submit(struct gslot_hw *hw, enum gslot_engine_id engine, u64 desc);
void gslot_hw_poll(struct gslot_hw *hw, enum gslot_engine_id engine);
void gslot_hw_user_interrupts(struct gslot_hw *hw, enum gslot_engine_id engine, bool on);
bool gslot_hw_user_pending(struct gslot_hw *hw, enum gslot_engine_id engine);
u32 gslot_hw_tlb_invalidate(struct gslot_hw *hw, u32 engines);

/* hw_reset.c */
int gslot_hw_engine_reset(struct gslot_hw *hw, enum gslot_engine_id engine);
int gslot_hw_full_reset(struct gslot_hw *hw);
const char *gslot_hw_wedged(const struct gslot_hw *hw);

/* hw.c, hw_fence.c: registers */
u32 gslot_hw_read(struct gslot_hw *hw, u32 offset);
u64 gslot_hw_timestamp(struct gslot_hw *hw);
void gslot_hw_fence_write(struct gslot_hw *hw, u32 index, u64 value);

#endif
