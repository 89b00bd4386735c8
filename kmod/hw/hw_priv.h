/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hardware layer from inside: struct gslot_hw, register access, and the functions that its
 * files call of each other (prefix hw_). The layers above include hw.h.
 *
 * No lock of this layer is held while an event is delivered. The table of locks is in gpu.c.
 */
#ifndef _GSLOT_HW_PRIV_H
#define _GSLOT_HW_PRIV_H

#include <linux/io.h>
#include <linux/iopoll.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/spinlock.h>

#include "core/regs/regtable.h"
#include "gen/gtt.h"
#include "gen/lrc.h"
#include "gen/regs.h"
#include "hw.h"

enum gslot_platform {
	GSLOT_BROADWELL,
	GSLOT_SKYLAKE,
	GSLOT_KABYLAKE,
	GSLOT_COFFEELAKE,	/* and Whiskey, Amber and Comet Lake */
};

/* A kind of GPU. */
struct hw_part {
	enum gslot_platform platform;	/* selects the workarounds */
	const char *name;		/* for messages */
	u32 gen;			/* 8 or 9 */
};

/* The interrupts of an engine, in its part of a group and in RING_IMR. */
#define HW_ENGINE_IRQS	(GT_IRQ_USER | GT_IRQ_CS_ERROR | GT_IRQ_CONTEXT_SWITCH)

/* A register that never changes, and its value at start. */
struct hw_fuse {
	u32 offset;
	u32 value;
};

/* A command streamer. */
struct hw_engine {
	struct gslot_hw *hw;
	enum gslot_engine_id id;
	const struct gslot_engine_info *info;
	struct gslot_bo *hwsp;	/* hardware status page, with the CSB and its write pointer */
	spinlock_t csb_lock;	/* protects the next four */
	u32 csb_head;		/* index of the entry last read */
	u32 epoch;		/* number of resets; entries read before one are dropped */
	bool delivering;	/* a CPU reports entries that it has read */
	bool again;		/* another CPU has left its entries to that one */
	bool user_irqs;		/* user interrupts are not masked; protected by irq_lock */
	/* user interrupts that were cleared in the IIR and are not reported yet */
	atomic_t user_taken;
};

/* A GPU. */
struct gslot_hw {
	struct pci_dev *pdev;
	const struct hw_part *part;
	void __iomem *regs;		/* register half of BAR 0, uncached */
	void __iomem *gsm;		/* its GGTT entries, write-combined */
	u32 ggtt_entries;
	u64 *ggtt;			/* copy of the GGTT entries, for resume */
	struct page *scratch;		/* the page that free GGTT entries name */
	dma_addr_t scratch_dma;		/* its bus address */
	spinlock_t host_lock;		/* protects the bit maps of @host and of all quotas */
	/* the host's part of the GGTT; entries reserved by a quota are used */
	struct gslot_ggtt_quota host;
	struct hw_engine engines[GSLOT_NR_ENGINES];
	/* protects the fence registers, of two halves each, and @fences */
	spinlock_t fence_lock;
	u64 fences[GEN_NR_FENCES];	/* copy of the fence registers, for reset and resume */
	/* the registers that core/regs/regtable calls fuses, as of start */
	struct hw_fuse fuses[GSLOT_NR_FUSES];
	/* callbacks for events; NULL before start and after stop */
	const struct gslot_hw_events *events;
	void *events_data;		/* for @events */
	/* protects the master enable, which follows @events, and the IIRs */
	spinlock_t irq_lock;
	int irq;			/* interrupt number, while @events is set */
	bool awake;			/* registers may be accessed; cleared by suspend */
	const char *wedged;		/* why the GPU was given up, or NULL; never cleared */
	bool workarounds_lost;		/* a warning of a lost workaround was logged */
	struct mutex reset_mutex;	/* serialises reset, suspend and resume */
	struct mutex tlb_lock;		/* serialises TLB invalidations */
	spinlock_t fault_lock;		/* protects the fault register */
};

/* The interval of polling a register. */
#define HW_POLL_US	20

/* Registers. Forcewake is held while the GPU is in use. */
static inline u32 hw_read(struct gslot_hw *hw, u32 reg)
{
	return readl(hw->regs + reg);
}

static inline void hw_write(struct gslot_hw *hw, u32 reg, u32 value)
{
	writel(value, hw->regs + reg);
}

static inline void hw_rmw(struct gslot_hw *hw, u32 reg, u32 clear, u32 set)
{
	hw_write(hw, reg, (hw_read(hw, reg) & ~clear) | set);
}

/* Wait until the bits of @mask are @value; sleeps. Return: 0 or -ETIMEDOUT. */
static inline int hw_wait(struct gslot_hw *hw, u32 reg, u32 mask, u32 value, u32 timeout_us)
{
	u32 now;

	return readl_poll_timeout(hw->regs + reg, now, (now & mask) == value, HW_POLL_US,
				  timeout_us);
}

/* An engine's own registers: offsets RING_*. */
static inline u32 hw_ring_read(struct hw_engine *engine, u32 reg)
{
	return hw_read(engine->hw, engine->info->base + reg);
}

static inline void hw_ring_write(struct hw_engine *engine, u32 reg, u32 value)
{
	hw_write(engine->hw, engine->info->base + reg, value);
}

static inline int hw_ring_wait(struct hw_engine *engine, u32 reg, u32 mask, u32 value,
			       u32 timeout_us)
{
	return hw_wait(engine->hw, engine->info->base + reg, mask, value, timeout_us);
}

static inline struct hw_engine *hw_engines_end(struct gslot_hw *hw)
{
	return hw->engines + GSLOT_NR_ENGINES;
}

/* ids.c */
const struct hw_part *hw_part_of(struct pci_dev *pdev);

/* hw_mmio.c */
int hw_mmio_map(struct gslot_hw *hw);
void hw_mmio_unmap(struct gslot_hw *hw);
int hw_forcewake_get(struct gslot_hw *hw);
void hw_forcewake_put(struct gslot_hw *hw);

/* hw_fence.c */
void hw_fences_restore(struct gslot_hw *hw);

/* hw_ggtt.c */
int hw_ggtt_init(struct gslot_hw *hw);
void hw_ggtt_fini(struct gslot_hw *hw);
void hw_ggtt_restore(struct gslot_hw *hw);
int hw_ggtt_alloc(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 count, u32 *first);
void hw_ggtt_free(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 first, u32 count);

/* execlists.c */
void hw_csb_reset(struct hw_engine *engine);
void hw_csb_drain(struct hw_engine *engine);
void hw_csb_finish(struct hw_engine *engine);

/* hw_irq.c */
void hw_irq_reset(struct gslot_hw *hw);
void hw_irq_enable(struct gslot_hw *hw);
void hw_irq_mask_engine(struct hw_engine *engine);
u32 hw_fault_take(struct hw_engine *engine, u64 *addr);

/* Whether the GPU can execute anything. */
static inline bool hw_usable(const struct gslot_hw *hw)
{
	return READ_ONCE(hw->awake) && !READ_ONCE(hw->wedged);
}

/* hw_reset.c */
void hw_wedge(struct gslot_hw *hw, const char *why);
int hw_reset_gpu(struct gslot_hw *hw);
void hw_start_gpu(struct gslot_hw *hw);

/* workarounds.c */
void hw_workarounds_gt(struct gslot_hw *hw);
void hw_workarounds_engine(struct hw_engine *engine);

/* mocs.c */
void hw_pat_init(struct gslot_hw *hw);
void hw_mocs_init(struct hw_engine *engine);

/* power.c */
void hw_power_init(struct gslot_hw *hw);
void hw_power_fini(struct gslot_hw *hw);

#endif
