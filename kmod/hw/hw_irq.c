// SPDX-License-Identifier: GPL-2.0
/*
 * Interrupts: one MSI. The master enable is off while the hard handler reads
 * and clears what is pending; turning it on again sends another message if
 * something new has come. What happened is reported from here, because the
 * next context waits for it.
 *
 * Display and power management interrupts are masked: nobody here uses them.
 */
#include <linux/interrupt.h>

#include "base/trace.h"
#include "hw_priv.h"

/* Banks of four registers, by their first: ISR, and behind it: */
#define BANK_IMR	0x4
#define BANK_IIR	0x8
#define BANK_IER	0xc

static const u32 banks[] = {
	GEN_GT_ISR(0),
	GEN_GT_ISR(1),
	GEN_GT_ISR(2),
	GEN_GT_ISR(3),
	GEN_PCU_ISR,
	GEN_DE_PIPE_ISR(0),
	GEN_DE_PIPE_ISR(1),
	GEN_DE_PIPE_ISR(2),
	GEN_DE_PORT_ISR,
	GEN_DE_MISC_ISR,
	GEN_SDE_ISR,
};

/**
 * hw_irq_reset() - let no interrupt be enabled, and none be pending
 * @hw: the GPU; its interrupt is not requested or disabled, or irq_lock is held
 *
 * Context: any.
 */
void hw_irq_reset(struct gslot_hw *hw)
{
	u32 i;

	hw_write(hw, GEN_MASTER_IRQ, 0);
	hw_read(hw, GEN_MASTER_IRQ);
	for (i = 0; i < ARRAY_SIZE(banks); i++) {
		hw_write(hw, banks[i] + BANK_IMR, ~0u);
		hw_write(hw, banks[i] + BANK_IER, 0);
		/* An IIR queues a second event behind the first: clear twice. */
		hw_write(hw, banks[i] + BANK_IIR, ~0u);
		hw_read(hw, banks[i] + BANK_IIR);
		hw_write(hw, banks[i] + BANK_IIR, ~0u);
		hw_read(hw, banks[i] + BANK_IIR);
	}
}

/**
 * hw_irq_enable() - enable the engines' interrupts and the master
 * @hw: the GPU; nobody is being told of events yet, or its interrupt is disabled
 *
 * Which of them an engine raises is its own mask's affair.
 * Context: any.
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

/**
 * hw_fault_take() - take what is in the fault register, if it is of this engine
 * @engine: the engine
 * @addr: where the access went, in bytes; written if there is a fault
 *
 * The register serves all engines and keeps the first fault until it is cleared:
 * that is done here.
 *
 * Return: the register, or 0: no fault, or another engine's.
 * Context: any; takes fault_lock.
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

static void handle_error(struct hw_engine *engine)
{
	const struct gslot_hw_events *events = READ_ONCE(engine->hw->events);
	u64 addr = 0;
	u32 eir, fault;

	eir = hw_ring_read(engine, RING_EIR);
	fault = hw_fault_take(engine, &addr);
	hw_ring_write(engine, RING_EIR, eir);
	/* What cannot be cleared must not interrupt for ever. */
	if (hw_ring_read(engine, RING_EIR)) {
		hw_ring_write(engine, RING_EMR, ~0u);
		hw_ring_write(engine, RING_EIR, ~0u);
	}

	trace_gslot_fault(engine->id, eir, fault, addr);
	if (events)
		events->error(engine->hw->events_data, engine->id, eir, fault);
}

static void handle_engine(struct hw_engine *engine, u32 bits)
{
	const struct gslot_hw_events *events = READ_ONCE(engine->hw->events);

	if (bits & GT_IRQ_CS_ERROR)
		handle_error(engine);
	/*
	 * User interrupts first: whoever raised it is still known to be on the
	 * engine, for nobody else gets it before its context switch is seen to.
	 */
	if (bits & GT_IRQ_USER) {
		if (events)
			events->user_interrupt(engine->hw->events_data, engine->id);
		atomic_dec(&engine->user_taken);
	}
	if (bits & GT_IRQ_CONTEXT_SWITCH)
		hw_csb_drain(engine);
}

/* Reads what is pending and clears it; the master enable is off after it. */
static u32 take_pending(struct gslot_hw *hw, u32 iir[GEN_NR_GT_IRQ_GROUPS])
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
		/* Cleared before it is handled: what comes now comes again. */
		hw_write(hw, GEN_GT_IIR(group), iir[group]);
	}
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		if (iir[engine->info->irq_group] >> engine->info->irq_shift & GT_IRQ_USER)
			atomic_inc(&engine->user_taken);
	return master & ~MASTER_IRQ_ENABLE;
}

/* Also from gslot_hw_poll(), at the same time as the interrupt. */
static u32 service(struct gslot_hw *hw)
{
	u32 iir[GEN_NR_GT_IRQ_GROUPS] = { 0 };
	struct hw_engine *engine;
	u32 pending = 0;

	lockdep_assert_irqs_disabled();
	spin_lock(&hw->irq_lock);
	if (hw->events)
		pending = take_pending(hw, iir);
	spin_unlock(&hw->irq_lock);

	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		handle_engine(engine, iir[engine->info->irq_group] >> engine->info->irq_shift);

	spin_lock(&hw->irq_lock);
	if (hw->events)
		hw_write(hw, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	spin_unlock(&hw->irq_lock);
	return pending;
}

static void write_imr(struct hw_engine *engine)
{
	u32 bits = HW_ENGINE_IRQS;

	lockdep_assert_held(&engine->hw->irq_lock);
	if (!engine->user_irqs)
		bits &= ~GT_IRQ_USER;
	hw_ring_write(engine, RING_IMR, ~(bits << engine->info->irq_shift));
}

/**
 * hw_irq_mask_engine() - set an engine's own interrupt mask, after a reset of it
 * @engine: the engine
 *
 * Context: any; takes irq_lock.
 */
void hw_irq_mask_engine(struct hw_engine *engine)
{
	unsigned long flags;

	spin_lock_irqsave(&engine->hw->irq_lock, flags);
	write_imr(engine);
	spin_unlock_irqrestore(&engine->hw->irq_lock, flags);
}

/**
 * gslot_hw_user_interrupts() - mask or unmask an engine's MI_USER_INTERRUPT
 * @hw: the GPU
 * @engine: the engine
 * @on: whether it is to be reported; what is masked is lost
 *
 * Context: any. It stays so over resets.
 */
void gslot_hw_user_interrupts(struct gslot_hw *hw, enum gslot_engine_id engine, bool on)
{
	struct hw_engine *e = &hw->engines[engine];
	unsigned long flags;

	spin_lock_irqsave(&hw->irq_lock, flags);
	e->user_irqs = on;
	if (READ_ONCE(hw->awake))
		write_imr(e);
	spin_unlock_irqrestore(&hw->irq_lock, flags);
}

/**
 * gslot_hw_user_pending() - has a user interrupt happened that is not reported?
 * @hw: the GPU
 * @id: of which engine
 *
 * Return: true if so.
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

static irqreturn_t hw_irq(int irq, void *data)
{
	return service(data) ? IRQ_HANDLED : IRQ_NONE;
}

/**
 * gslot_hw_poll() - see to what the hardware has done and nobody has noticed
 * @hw: the GPU
 * @engine: the engine
 *
 * For when an interrupt may have been lost. The message is sent when the line
 * rises, so after a lost one there is no other until somebody looks: this.
 * What another CPU is about to report is left to that CPU.
 * Context: any; no lock held that the handlers take.
 */
void gslot_hw_poll(struct gslot_hw *hw, enum gslot_engine_id engine)
{
	unsigned long flags;

	if (!READ_ONCE(hw->events) || !hw_usable(hw))
		return;
	local_irq_save(flags);
	if (hw_read(hw, GEN_MASTER_IRQ) & ~MASTER_IRQ_ENABLE)
		service(hw);
	hw_csb_drain(&hw->engines[engine]);
	local_irq_restore(flags);
}

static void set_events(struct gslot_hw *hw, const struct gslot_hw_events *events)
{
	unsigned long flags;

	spin_lock_irqsave(&hw->irq_lock, flags);
	WRITE_ONCE(hw->events, events);
	if (!events)
		hw_irq_reset(hw);
	spin_unlock_irqrestore(&hw->irq_lock, flags);
}

/**
 * gslot_hw_start() - enable interrupts
 * @hw: the GPU
 * @events: whom to tell what happens
 * @data: for @events
 *
 * Return: 0, or why there is no interrupt.
 * Context: may sleep.
 */
int gslot_hw_start(struct gslot_hw *hw, const struct gslot_hw_events *events, void *data)
{
	int ret;

	/* Of one of its errors, -ENODEV, the driver core says nothing. */
	ret = pci_alloc_irq_vectors(hw->pdev, 1, 1, PCI_IRQ_MSI);
	if (ret < 0)
		return dev_err_probe(&hw->pdev->dev, ret, "it has no interrupt\n");
	hw->irq = pci_irq_vector(hw->pdev, 0);
	ret = request_irq(hw->irq, hw_irq, 0, "gslot", hw);
	if (ret) {
		pci_free_irq_vectors(hw->pdev);
		return ret;
	}
	hw->events_data = data;
	set_events(hw, events);
	hw_irq_enable(hw);
	return 0;
}

/**
 * gslot_hw_stop() - disable interrupts
 * @hw: the GPU; it may or may not have been started
 *
 * No event is delivered after it returns. What runs on the GPU runs on.
 * Context: may sleep; not from an event.
 */
void gslot_hw_stop(struct gslot_hw *hw)
{
	struct hw_engine *engine;

	if (!hw->events)
		return;
	set_events(hw, NULL);
	free_irq(hw->irq, hw);
	pci_free_irq_vectors(hw->pdev);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++)
		hw_csb_finish(engine);
}
