// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: interrupts to the guest
 *
 * core/regs/virq decides when an MSI is due; the VFIO device sends it. An interrupt costs a guest
 * half a dozen exits, and no guest waits for a promote event alone. So a promote event is held back
 * for a moment: a short request completes meanwhile, and one interrupt reports both.
 */
#include <linux/mm.h>

#include "vgpu_priv.h"
#include "base/compat.h"
#include "base/trace.h"

/* How long a promote event is held back. */
#define PROMOTE_DELAY_NS	(100 * NSEC_PER_USEC)

/* Show a register in the guest's face. */
static void irq_show_register(struct gslot_vgpu *vgpu, u32 offset)
{
	u32 *page = vgpu->faces.page[GSLOT_FACE_IRQ];

	WRITE_ONCE(page[offset_in_page(offset) / sizeof(u32)],
		   gslot_virq_read(&vgpu->irq.state, offset));
}

/* Events of engines were raised: show what that changes, before the guest is interrupted. */
static void irq_show_events(struct gslot_vgpu *vgpu)
{
	u32 i;

	lockdep_assert_held(&vgpu->irq.lock);
	if (!READ_ONCE(vgpu->faces.shown[GSLOT_FACE_IRQ]))
		return;
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		irq_show_register(vgpu, GEN_GT_IIR(gslot_engines[i].irq_group));
	irq_show_register(vgpu, GEN_MASTER_IRQ);
}

/* Show the interrupt registers from @first to before @end; both are multiples of 4. */
void gslot_irq_show(struct gslot_vgpu *vgpu, u32 first, u32 end)
{
	unsigned long flags;
	u32 offset;

	if (!READ_ONCE(vgpu->faces.shown[GSLOT_FACE_IRQ]))
		return;
	spin_lock_irqsave(&vgpu->irq.lock, flags);
	for (offset = first; offset < end; offset += sizeof(u32))
		irq_show_register(vgpu, offset);
	spin_unlock_irqrestore(&vgpu->irq.lock, flags);
}

/* Show all interrupt registers. */
void gslot_irq_show_all(struct gslot_vgpu *vgpu)
{
	gslot_irq_show(vgpu, GEN_MASTER_IRQ, GEN_MASTER_IRQ + sizeof(u32));
	gslot_irq_show(vgpu, GEN_GT_ISR(0), GEN_GT_ISR(GEN_NR_IRQ_GROUPS));
}

static void irq_send_msi(struct gslot_vgpu *vgpu)
{
	lockdep_assert_held(&vgpu->irq.lock);
	if (unlikely(vgpu->irq.held)) {
		vgpu->irq.msi_pending = true;
		return;
	}
	if (trace_gslot_guest_irq_enabled())
		trace_gslot_guest_irq(gslot_vgpu_name(vgpu),
				      gslot_virq_read(&vgpu->irq.state, GEN_MASTER_IRQ));
	vgpu->ops->interrupt(vgpu->user.data);
	vgpu->irq.sent++;
}

/* Raise the events that are held back. Return: whether an MSI is due. */
static bool irq_release_promoted(struct gslot_vgpu_irq *irq)
{
	bool due = false;
	int i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (irq->promoted & BIT(i))
			due |= gslot_virq_raise(&irq->state, i, GT_IRQ_CONTEXT_SWITCH);
	irq->promoted = 0;
	return due;
}

static enum hrtimer_restart irq_timer(struct hrtimer *timer)
{
	struct gslot_vgpu *vgpu = container_of(timer, struct gslot_vgpu, irq.timer);
	struct gslot_vgpu_irq *irq = &vgpu->irq;
	unsigned long flags;
	bool due;

	spin_lock_irqsave(&irq->lock, flags);
	due = irq_release_promoted(irq);
	irq_show_events(vgpu);
	if (due)
		irq_send_msi(vgpu);
	spin_unlock_irqrestore(&irq->lock, flags);
	return HRTIMER_NORESTART;
}

void gslot_irq_init(struct gslot_vgpu *vgpu)
{
	spin_lock_init(&vgpu->irq.lock);
	hrtimer_setup(&vgpu->irq.timer, irq_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	gslot_virq_reset(&vgpu->irq.state);
}

/* Set the interrupt registers to their state at power-on. */
void gslot_irq_reset(struct gslot_vgpu *vgpu)
{
	spin_lock_irq(&vgpu->irq.lock);
	gslot_virq_reset(&vgpu->irq.state);
	vgpu->irq.promoted = 0;
	vgpu->irq.urgent = 0;
	vgpu->irq.msi_pending = false;
	spin_unlock_irq(&vgpu->irq.lock);
	gslot_irq_show_all(vgpu);
	if (vgpu->exec)
		gslot_client_update_user_irqs(vgpu->client);
}

/* Nothing raises events any more. */
void gslot_irq_fini(struct gslot_vgpu *vgpu)
{
	hrtimer_cancel(&vgpu->irq.timer);
}

/* Raise events of an engine, GT_IRQ_*, and those that are held back. In any context. */
void gslot_irq_raise(struct gslot_vgpu *vgpu, enum gslot_engine_id engine, u32 bits)
{
	struct gslot_vgpu_irq *irq = &vgpu->irq;
	unsigned long flags;
	bool due;

	spin_lock_irqsave(&irq->lock, flags);
	due = irq_release_promoted(irq);
	due |= gslot_virq_raise(&irq->state, engine, bits);
	irq_show_events(vgpu);
	if (due)
		irq_send_msi(vgpu);
	spin_unlock_irqrestore(&irq->lock, flags);
}

/* Hold back a promote event of an engine. In any context. */
void gslot_irq_promote(struct gslot_vgpu *vgpu, enum gslot_engine_id engine)
{
	struct gslot_vgpu_irq *irq = &vgpu->irq;
	unsigned long flags;

	spin_lock_irqsave(&irq->lock, flags);
	if (!irq->promoted)
		hrtimer_start(&irq->timer, ns_to_ktime(PROMOTE_DELAY_NS), HRTIMER_MODE_REL);
	irq->promoted |= BIT(engine);
	spin_unlock_irqrestore(&irq->lock, flags);
}

u32 gslot_irq_read(struct gslot_vgpu *vgpu, u32 offset)
{
	u32 value;

	spin_lock_irq(&vgpu->irq.lock);
	value = gslot_virq_read(&vgpu->irq.state, offset);
	spin_unlock_irq(&vgpu->irq.lock);
	return value;
}

void gslot_irq_write(struct gslot_vgpu *vgpu, u32 offset, u32 value)
{
	const struct gslot_virq *state = &vgpu->irq.state;
	bool due, changed;
	u32 before;

	spin_lock_irq(&vgpu->irq.lock);
	before = gslot_virq_unmasked(state, GT_IRQ_USER);
	due = gslot_virq_write(&vgpu->irq.state, offset, value);
	changed = gslot_virq_unmasked(state, GT_IRQ_USER) != before;
	if (READ_ONCE(vgpu->faces.shown[GSLOT_FACE_IRQ])) {
		irq_show_register(vgpu, offset);
		irq_show_register(vgpu, GEN_MASTER_IRQ);
	}
	if (due)
		irq_send_msi(vgpu);
	spin_unlock_irq(&vgpu->irq.lock);
	if (changed)
		gslot_client_update_user_irqs(vgpu->client);
}

void gslot_irq_write_ring_imr(struct gslot_vgpu *vgpu, enum gslot_engine_id engine, u32 value)
{
	spin_lock_irq(&vgpu->irq.lock);
	WRITE_ONCE(vgpu->irq.state.ring_imr[engine], value);
	spin_unlock_irq(&vgpu->irq.lock);
	gslot_client_update_user_irqs(vgpu->client);
}

/* Send no MSI from now on; those that were sent have arrived. Events are latched as ever. */
void gslot_irq_hold(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_irq *irq = &vgpu->irq;
	bool due;

	spin_lock_irq(&irq->lock);
	due = irq_release_promoted(irq);
	irq_show_events(vgpu);
	if (due)
		irq_send_msi(vgpu);
	WRITE_ONCE(irq->held, true);
	spin_unlock_irq(&irq->lock);
	vgpu->ops->interrupt_sync(vgpu->user.data);
}

/* Undo gslot_irq_hold(), and send an MSI if one was due meanwhile. */
void gslot_irq_unhold(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_irq *irq = &vgpu->irq;

	spin_lock_irq(&irq->lock);
	WRITE_ONCE(irq->held, false);
	if (irq->msi_pending)
		irq_send_msi(vgpu);
	irq->msi_pending = false;
	spin_unlock_irq(&irq->lock);
}

void gslot_irq_save(struct gslot_vgpu *vgpu, struct gslot_mig_irq *to)
{
	const struct gslot_virq *state = &vgpu->irq.state;

	BUILD_BUG_ON(sizeof(to->imr) != sizeof(state->imr));
	BUILD_BUG_ON(sizeof(to->ring_imr) != sizeof(state->ring_imr));
	spin_lock_irq(&vgpu->irq.lock);
	memcpy(to->imr, state->imr, sizeof(to->imr));
	memcpy(to->iir, state->iir, sizeof(to->iir));
	memcpy(to->ier, state->ier, sizeof(to->ier));
	memcpy(to->ring_imr, state->ring_imr, sizeof(to->ring_imr));
	to->master = state->master;
	to->msi_pending = vgpu->irq.msi_pending;
	spin_unlock_irq(&vgpu->irq.lock);
}

/*
 * Restore the interrupt registers, any values; MSIs are held. If the line is up, the MSI for it is
 * sent again when the vGPU runs: the source cannot know whether the guest has got it. A driver
 * ignores a spurious MSI.
 */
void gslot_irq_restore(struct gslot_vgpu *vgpu, const struct gslot_mig_irq *from)
{
	struct gslot_virq *state = &vgpu->irq.state;

	spin_lock_irq(&vgpu->irq.lock);
	memcpy(state->imr, from->imr, sizeof(state->imr));
	memcpy(state->iir, from->iir, sizeof(state->iir));
	memcpy(state->ier, from->ier, sizeof(state->ier));
	memcpy(state->ring_imr, from->ring_imr, sizeof(state->ring_imr));
	state->master = from->master;
	vgpu->irq.msi_pending = gslot_virq_refresh(state) || from->msi_pending;
	spin_unlock_irq(&vgpu->irq.lock);
	gslot_irq_show_all(vgpu);
	gslot_client_update_user_irqs(vgpu->client);
}

/* Return: bit mask of the engines with user interrupts enabled by the guest. */
u32 gslot_irq_listens(struct gslot_vgpu *vgpu)
{
	unsigned long flags;
	u32 engines;

	spin_lock_irqsave(&vgpu->irq.lock, flags);
	engines = gslot_virq_unmasked(&vgpu->irq.state, GT_IRQ_USER);
	spin_unlock_irqrestore(&vgpu->irq.lock, flags);
	return engines;
}
