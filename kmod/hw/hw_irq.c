// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts: one MSI. The master enable is off while the hard interrupt handler reads and clears
 * pending bits; turning it on sends another message if new ones are set. The handler itself reports
 * the events, as the next context waits for that.
 *
 * Display and power management interrupts are masked: the module does not use them.
 */
#include <linux/interrupt.h>

#include "base/trace.h"
#include "hw_priv.h"

/* Offsets in a bank of four registers, which begins with its ISR. */
#define BANK_IMR	0x4
#define BANK_IIR	0x8
#define BANK_IER	0xc

static const u32 hw_irq_banks[] = {
	GEN_GT_ISR(0), GEN_GT_ISR(1), GEN_GT_ISR(2), GEN_GT_ISR(3), GEN_PCU_ISR,
	GEN_DE_PIPE_ISR(0), GEN_DE_PIPE_ISR(1), GEN_DE_PIPE_ISR(2),
	GEN_DE_PORT_ISR, GEN_DE_MISC_ISR, GEN_SDE_ISR,
};

/*
 * Disable and clear all interrupts. The interrupt is not requested, or it is disabled, or irq_lock
 * is held.
 */
void hw_irq_reset(struct gslot_hw *hw)
{
	u32 i;

	hw_write(hw, GEN_MASTER_IRQ, 0);
	hw_read(hw, GEN_MASTER_IRQ);
	for (i = 0; i < ARRAY_SIZE(hw_irq_banks); i++) {
		hw_write(hw, hw_irq_banks[i] + BANK_IMR, ~0u);
		hw_write(hw, hw_irq_banks[i] + BANK_IER, 0);
		/* An IIR queues a second event behind the first: clear twice. */
		hw_write(hw, hw_irq_banks[i] + BANK_IIR, ~0u);
		hw_read(hw, hw_irq_banks[i] + BANK_IIR);
		hw_write(hw, hw_irq_banks[i] + BANK_IIR, ~0u);
		hw_read(hw, hw_irq_banks[i] + BANK_IIR);
	}
}

/*
 * Enable the master and the engines' interrupts, of which RING_IMR selects those that an engine
 * raises. No event is reported yet, or the interrupt is disabled.
 */
void hw_irq_enable(struct gslot_hw *hw)
{
	u32 enable[GEN_NR_GT_IRQ_GROUPS] = { 0 };
	struct hw_engine *engine;
	u32 group;

	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		enable[engine->info->irq_group] |= HW_ENGINE_IRQS << engine->info->irq_shift;
	for (group = 0; group < GEN_NR_GT_IRQ_GROUPS; group++) {
		hw_write(hw, GEN_GT_IER(group), enable[group]);
		hw_write(hw, GEN_GT_IMR(group), ~enable[group]);
	}
	hw_write(hw, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	hw_read(hw, GEN_MASTER_IRQ);
}

/*
 * Read and clear the fault register, if it has a fault of this engine. All engines share it, and it
 * keeps the first fault until it is cleared. Return: the register, with the address of the access,
 * in bytes, in @addr; 0: no fault, or another engine's.
 */
u32 hw_fault_take(struct hw_engine *engine, u64 *addr)
{
	struct gslot_hw *hw = engine->hw;
	unsigned long flags;
	u32 fault;

	spin_lock_irqsave(&hw->fault_lock, flags);
	fault = hw_read(hw, GEN_RING_FAULT);
	if (!(fault & RING_FAULT_VALID) ||
	    (fault & RING_FAULT_ENGINE(7)) != RING_FAULT_ENGINE(engine->info->fault_id)) {
		fault = 0;
		goto out;
	}
	*addr = (u64)hw_read(hw, GEN_FAULT_TLB_DATA0) << 12 |
		(u64)(hw_read(hw, GEN_FAULT_TLB_DATA1) & 0xf) << 44;
	hw_write(hw, GEN_RING_FAULT, fault & ~RING_FAULT_VALID);
	hw_read(hw, GEN_RING_FAULT);
out:
	spin_unlock_irqrestore(&hw->fault_lock, flags);
	return fault;
}

static void hw_irq_error(struct hw_engine *engine)
{
	const struct gslot_hw_events *events = READ_ONCE(engine->hw->events);
	u64 addr = 0;
	u32 eir, fault;

	eir = hw_ring_read(engine, RING_EIR);
	fault = hw_fault_take(engine, &addr);
	hw_ring_write(engine, RING_EIR, eir);
	/* Mask errors that cannot be cleared, against an interrupt storm. */
	if (hw_ring_read(engine, RING_EIR)) {
		hw_ring_write(engine, RING_EMR, ~0u);
		hw_ring_write(engine, RING_EIR, ~0u);
	}

	trace_gslot_fault(engine->id, eir, fault, addr);
	if (events)
		events->error(engine->hw->events_data, engine->id, eir, fault);
}

static void hw_irq_engine(struct hw_engine *engine, u32 bits)
{
	const struct gslot_hw_events *events = READ_ONCE(engine->hw->events);

	if (bits & GT_IRQ_CS_ERROR)
		hw_irq_error(engine);
	/* Before the context switch is handled, which may give the engine to another vGPU. */
	if (bits & GT_IRQ_USER) {
		if (events)
			events->user_interrupt(engine->hw->events_data, engine->id);
		atomic_dec(&engine->user_taken);
	}
	if (bits & GT_IRQ_CONTEXT_SWITCH)
		hw_csb_drain(engine);
}

/* Read and clear the pending bits; the master enable is off when this returns. */
static u32 hw_irq_take_pending(struct gslot_hw *hw, u32 iir[GEN_NR_GT_IRQ_GROUPS])
{
	struct hw_engine *engine;
	u32 master, group;

	hw_write(hw, GEN_MASTER_IRQ, 0);
	master = hw_read(hw, GEN_MASTER_IRQ);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++) {
		group = engine->info->irq_group;
		if (!(master & engine->info->master_irq) || iir[group])
			continue;
		iir[group] = hw_read(hw, GEN_GT_IIR(group));
		/* Cleared before they are handled: later events set them again. */
		hw_write(hw, GEN_GT_IIR(group), iir[group]);
	}
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		if (iir[engine->info->irq_group] >> engine->info->irq_shift & GT_IRQ_USER)
			atomic_inc(&engine->user_taken);
	return master & ~MASTER_IRQ_ENABLE;
}

/* gslot_hw_poll() calls it too, perhaps at the same time as the interrupt. */
static u32 hw_irq_service(struct gslot_hw *hw)
{
	u32 iir[GEN_NR_GT_IRQ_GROUPS] = { 0 };
	struct hw_engine *engine;
	u32 pending = 0;

	lockdep_assert_irqs_disabled();
	spin_lock(&hw->irq_lock);
	if (hw->events)
		pending = hw_irq_take_pending(hw, iir);
	spin_unlock(&hw->irq_lock);

	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		hw_irq_engine(engine, iir[engine->info->irq_group] >> engine->info->irq_shift);

	spin_lock(&hw->irq_lock);
	if (hw->events)
		hw_write(hw, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	spin_unlock(&hw->irq_lock);
	return pending;
}

static void hw_irq_write_imr(struct hw_engine *engine)
{
	u32 bits = HW_ENGINE_IRQS;

	lockdep_assert_held(&engine->hw->irq_lock);
	if (!engine->user_irqs)
		bits &= ~GT_IRQ_USER;
	hw_ring_write(engine, RING_IMR, ~(bits << engine->info->irq_shift));
}

/* Restore an engine's RING_IMR after a reset. Process context: interrupts are on. */
void hw_irq_mask_engine(struct hw_engine *engine)
{
	spin_lock_irq(&engine->hw->irq_lock);
	hw_irq_write_imr(engine);
	spin_unlock_irq(&engine->hw->irq_lock);
}

/**
 * gslot_hw_user_interrupts() - mask or unmask an engine's MI_USER_INTERRUPT
 * @hw: the GPU
 * @engine: the engine
 * @on: unmask; masked ones are lost. Resets keep the setting
 *
 * Context: any.
 */
void gslot_hw_user_interrupts(struct gslot_hw *hw, enum gslot_engine_id engine, bool on)
{
	struct hw_engine *e = &hw->engines[engine];
	unsigned long flags;

	spin_lock_irqsave(&hw->irq_lock, flags);
	e->user_irqs = on;
	if (READ_ONCE(hw->awake))
		hw_irq_write_imr(e);
	spin_unlock_irqrestore(&hw->irq_lock, flags);
}

/**
 * gslot_hw_user_pending() - whether a user interrupt is pending that is not reported yet
 * @hw: the GPU
 * @id: the engine
 *
 * Return: true if one is pending.
 * Context: any.
 */
bool gslot_hw_user_pending(struct gslot_hw *hw, enum gslot_engine_id id)
{
	struct hw_engine *engine = &hw->engines[id];
	unsigned long flags;
	u32 iir;
	bool pending;

	spin_lock_irqsave(&hw->irq_lock, flags);
	iir = READ_ONCE(hw->awake) ? hw_read(hw, GEN_GT_IIR(engine->info->irq_group)) : 0;
	pending = iir >> engine->info->irq_shift & GT_IRQ_USER || atomic_read(&engine->user_taken);
	spin_unlock_irqrestore(&hw->irq_lock, flags);
	return pending;
}

static irqreturn_t hw_irq_handler(int irq, void *data)
{
	return hw_irq_service(data) ? IRQ_HANDLED : IRQ_NONE;
}

/**
 * gslot_hw_poll() - handle pending interrupts and CSB entries
 * @hw: the GPU
 * @engine: the engine
 *
 * For the case of a lost interrupt: the message is sent on a rising edge, so no other one comes
 * before the pending bits are cleared. Entries that another CPU is about to report are left to it.
 * Context: any; no lock held that the handlers take.
 */
void gslot_hw_poll(struct gslot_hw *hw, enum gslot_engine_id engine)
{
	unsigned long flags;

	if (!READ_ONCE(hw->events) || !hw_usable(hw))
		return;
	local_irq_save(flags);
	if (hw_read(hw, GEN_MASTER_IRQ) & ~MASTER_IRQ_ENABLE)
		hw_irq_service(hw);
	hw_csb_drain(&hw->engines[engine]);
	local_irq_restore(flags);
}

/* Process context: interrupts are on. */
static void hw_irq_set_events(struct gslot_hw *hw, const struct gslot_hw_events *events)
{
	spin_lock_irq(&hw->irq_lock);
	WRITE_ONCE(hw->events, events);
	if (!events)
		hw_irq_reset(hw);
	spin_unlock_irq(&hw->irq_lock);
}

/**
 * gslot_hw_start() - enable interrupts and the report of events
 * @hw: the GPU
 * @events: the callbacks
 * @data: for @events
 *
 * Return: 0 or -errno of pci_alloc_irq_vectors() or request_irq().
 * Context: may sleep.
 */
int gslot_hw_start(struct gslot_hw *hw, const struct gslot_hw_events *events, void *data)
{
	int ret;

	/* The driver core does not log one of its errors, -ENODEV. */
	ret = pci_alloc_irq_vectors(hw->pdev, 1, 1, PCI_IRQ_MSI);
	if (ret < 0)
		return dev_err_probe(&hw->pdev->dev, ret, "no MSI\n");
	hw->irq = pci_irq_vector(hw->pdev, 0);
	ret = request_irq(hw->irq, hw_irq_handler, 0, "gslot", hw);
	if (ret) {
		pci_free_irq_vectors(hw->pdev);
		return ret;
	}
	hw->events_data = data;
	hw_irq_set_events(hw, events);
	hw_irq_enable(hw);
	return 0;
}

/**
 * gslot_hw_stop() - undo gslot_hw_start(): no event is reported any more
 * @hw: the GPU, started or not; its work goes on
 *
 * Context: may sleep; not from an event.
 */
void gslot_hw_stop(struct gslot_hw *hw)
{
	struct hw_engine *engine;

	if (!hw->events)
		return;
	hw_irq_set_events(hw, NULL);
	free_irq(hw->irq, hw);
	pci_free_irq_vectors(hw->pdev);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		hw_csb_finish(engine);
}
