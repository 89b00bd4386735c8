// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: interrupts to the guest
 *
 * core/regs/virq decides when an MSI is due; the VFIO device sends it. An interrupt costs a guest
 * half a dozen exits, and no guest waits for a promote event alone. So a promote event is held back
 * for a moment: a short request completes meanwhile, and one interrupt reports both.
 */
#include "vgpu_priv.h"
#include "base/compat.h"
#include "base/trace.h"

/* How long a promote event is held back. */
#define PROMOTE_DELAY_NS	(100 * NSEC_PER_USEC)

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

	spin_lock_irqsave(&irq->lock, flags);
	if (irq_release_promoted(irq))
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
	bool changed;
	u32 before;

	spin_lock_irq(&vgpu->irq.lock);
	before = gslot_virq_unmasked(state, GT_IRQ_USER);
	if (gslot_virq_write(&vgpu->irq.state, offset, value))
		irq_send_msi(vgpu);
	changed = gslot_virq_unmasked(state, GT_IRQ_USER) != before;
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

	spin_lock_irq(&irq->lock);
	if (irq_release_promoted(irq))
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
