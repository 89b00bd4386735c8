// SPDX-License-Identifier: GPL-2.0
/*
 * Submission, and the context status buffer (CSB).
 *
 * The status page has the CSB, a ring of six entries, and the index of the last one, which the
 * hardware writes after each entry. The index is read before the entries (rmb); still, on some
 * parts an entry has been seen to arrive after the index. So an entry that was read is overwritten
 * with a value that the hardware never writes. If that is found, the entry is waited for, and at
 * last read from the registers that mirror it.
 *
 * Entries are reported in order and without a lock, though the interrupt and gslot_hw_poll() may
 * both drain the CSB: the first one reports, and the other one only flags its new entries to it.
 */
#include "hw_priv.h"

#define CSB_VOID	(~0ULL)
#define CSB_WAIT_US	50
/* Passes in a row over the CSB; later entries raise their own interrupt. */
#define CSB_MAX_ROUNDS	16

static u64 *csb_entry(struct hw_engine *engine, u32 index)
{
	return engine->hwsp->vaddr + HWSP_CSB + index * sizeof(u64);
}

static u32 *csb_write_ptr(struct hw_engine *engine)
{
	return engine->hwsp->vaddr + HWSP_CSB_WRITE_PTR;
}

/**
 * gslot_hw_submit() - submit a context to an engine
 * @hw: the GPU
 * @engine: the engine
 * @desc: the context's descriptor, with its id; its image has the rest
 *
 * Context: any; one call at a time for each engine, after the promote event of the last submission.
 */
void gslot_hw_submit(struct gslot_hw *hw, enum gslot_engine_id engine, u64 desc)
{
	struct hw_engine *e = &hw->engines[engine];

	if (!hw_usable(hw))
		return;
	/* Context image and ring are written before. */
	wmb();
	/* The second element, which is empty, is written first. */
	hw_ring_write(e, RING_ELSP, 0);
	hw_ring_write(e, RING_ELSP, 0);
	hw_ring_write(e, RING_ELSP, upper_32_bits(desc));
	/* The last of the four writes submits. */
	hw_ring_write(e, RING_ELSP, lower_32_bits(desc));
}

/*
 * Reset the CSB of an engine that is stopped or was just reset: its next entry is number 0. Entries
 * that were read before and are not reported yet are dropped. Process context: interrupts are on.
 */
void hw_csb_reset(struct hw_engine *engine)
{
	u32 i;

	spin_lock_irq(&engine->csb_lock);
	for (i = 0; i < CSB_ENTRIES; i++)
		WRITE_ONCE(*csb_entry(engine, i), CSB_VOID);
	WRITE_ONCE(*csb_write_ptr(engine), CSB_RESET_PTR);
	/* Written before the hardware may write there. */
	wmb();
	hw_ring_write(engine, RING_CSB_PTR,
		      GEN_MASKED_FIELD(0xffff, CSB_RESET_PTR << 8 | CSB_RESET_PTR));
	hw_ring_read(engine, RING_CSB_PTR);
	engine->csb_head = CSB_RESET_PTR;
	WRITE_ONCE(engine->epoch, engine->epoch + 1);
	spin_unlock_irq(&engine->csb_lock);
}

static u64 csb_from_registers(struct hw_engine *engine, u32 index)
{
	return hw_ring_read(engine, RING_CSB(index)) |
	       (u64)hw_ring_read(engine, RING_CSB_UDW(index)) << 32;
}

static u64 csb_take(struct hw_engine *engine, u32 index)
{
	u64 *slot = csb_entry(engine, index);
	u64 entry;
	int ret;

	ret = read_poll_timeout_atomic(READ_ONCE, entry, entry != CSB_VOID, 1, CSB_WAIT_US, false,
				       *slot);
	if (ret)
		entry = csb_from_registers(engine, index);
	WRITE_ONCE(*slot, CSB_VOID);
	return entry;
}

/* Read the new entries. Return: how many. */
static u32 csb_read(struct hw_engine *engine, u64 *entries)
{
	u32 tail = READ_ONCE(*csb_write_ptr(engine)) & 0xff;
	u32 count = 0;

	lockdep_assert_held(&engine->csb_lock);
	if (tail >= CSB_ENTRIES)
		return 0;

	/* The index is read before the entries. */
	rmb();
	while (engine->csb_head != tail) {
		engine->csb_head = (engine->csb_head + 1) % CSB_ENTRIES;
		entries[count++] = csb_take(engine, engine->csb_head);
	}
	return count;
}

/* Report entries until the engine is reset: the rest is dropped. */
static void csb_deliver(struct hw_engine *engine, const u64 *entries, u32 count, u32 epoch)
{
	const struct gslot_hw_events *events = READ_ONCE(engine->hw->events);
	void *data = engine->hw->events_data;
	u32 i;

	if (!events)
		return;
	for (i = 0; i < count; i++) {
		if (READ_ONCE(engine->epoch) != epoch)
			return;
		events->context_status(data, engine->id, lower_32_bits(entries[i]),
				       upper_32_bits(entries[i]));
	}
	events->context_status_end(data, engine->id);
}

/*
 * Report the new entries of the CSB. If another CPU is reporting entries, the new ones are left to
 * it.
 */
void hw_csb_drain(struct hw_engine *engine)
{
	u64 entries[CSB_ENTRIES];
	u32 count, epoch, round = 0;

	lockdep_assert_irqs_disabled();
	spin_lock(&engine->csb_lock);
	if (engine->delivering) {
		engine->again = true;
		goto out;
	}

	engine->delivering = true;
	do {
		engine->again = false;
		count = csb_read(engine, entries);
		if (!count)
			continue;
		epoch = engine->epoch;
		spin_unlock(&engine->csb_lock);
		csb_deliver(engine, entries, count, epoch);
		spin_lock(&engine->csb_lock);
	} while ((count || engine->again) && ++round < CSB_MAX_ROUNDS);
	engine->delivering = false;
out:
	spin_unlock(&engine->csb_lock);
}

/*
 * Wait until no CPU reports entries. Events are off, or the engine was just reset. Not called from
 * an event: it spins as long as the handlers take. Process context: interrupts are on.
 */
void hw_csb_finish(struct hw_engine *engine)
{
	bool busy;

	do {
		spin_lock_irq(&engine->csb_lock);
		busy = engine->delivering;
		spin_unlock_irq(&engine->csb_lock);
		cpu_relax();
	} while (busy);
}
