// SPDX-License-Identifier: GPL-2.0
#include "virq.h"

#define GROUP_VCS1_SHIFT	16	/* in group 1 */
#define GROUP_PM		2
#define GROUP_PCU		((GEN_PCU_ISR - GEN_GT_ISR(0)) / 0x10)

enum { ISR = 0x0, IMR = 0x4, IIR = 0x8, IER = 0xc };

/**
 * gslot_virq_reset() - everything is masked, nothing is latched
 * @virq: the state
 */
void gslot_virq_reset(struct gslot_virq *virq)
{
	memset(virq, 0, sizeof(*virq));
	memset(virq->imr, 0xff, sizeof(virq->imr));
	memset(virq->ring_imr, 0xff, sizeof(virq->ring_imr));
}

static u32 pending(const struct gslot_virq *virq, u32 group)
{
	return virq->iir[group] & virq->ier[group];
}

/* The master register's bits for what is latched and enabled. */
static u32 master_bits(const struct gslot_virq *virq)
{
	u32 bits = 0, i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		const struct gslot_engine_info *info = &gslot_engines[i];

		if (pending(virq, info->irq_group) & (0xffffu << info->irq_shift))
			bits |= info->master_irq;
	}
	if (pending(virq, 1) >> GROUP_VCS1_SHIFT)
		bits |= MASTER_IRQ_VCS1;
	if (pending(virq, GROUP_PM))
		bits |= MASTER_IRQ_PM;
	if (pending(virq, GROUP_PCU))
		bits |= MASTER_IRQ_PCU;
	return bits;
}

/* Return: true if the line rose. */
static bool update_line(struct gslot_virq *virq)
{
	bool was = virq->line;

	virq->line = virq->master && master_bits(virq);
	return virq->line && !was;
}

/**
 * gslot_virq_listens() - which engines' events does neither mask hold back?
 * @virq: the state
 * @bits: GT_IRQ_*
 *
 * Return: bit mask of enum gslot_engine_id.
 */
u32 gslot_virq_listens(const struct gslot_virq *virq, u32 bits)
{
	u32 i, engines = 0;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		const struct gslot_engine_info *info = &gslot_engines[i];
		u32 masked = virq->ring_imr[i] | virq->imr[info->irq_group];

		if ((bits << info->irq_shift) & ~masked)
			engines |= BIT(i);
	}
	return engines;
}

/**
 * gslot_virq_raise() - an engine reports events
 * @virq: the state
 * @engine: the engine
 * @bits: GT_IRQ_*
 *
 * Return: true if an MSI is due.
 */
bool gslot_virq_raise(struct gslot_virq *virq, enum gslot_engine_id engine, u32 bits)
{
	const struct gslot_engine_info *info = &gslot_engines[engine];

	bits = (bits << info->irq_shift) & ~virq->ring_imr[engine];
	virq->iir[info->irq_group] |= bits & ~virq->imr[info->irq_group];
	return update_line(virq);
}

/* GEN_NR_IRQ_GROUPS or more: it is no register of a group. */
static u32 group_of(u32 offset)
{
	return offset < GEN_GT_ISR(0) ? GEN_NR_IRQ_GROUPS : (offset - GEN_GT_ISR(0)) / 0x10;
}

/**
 * gslot_virq_read() - the guest reads GEN_MASTER_IRQ or a group's register
 * @virq: the state
 * @offset: offset in BAR0
 *
 * Return: its value; 0 for a register that is none of these.
 */
u32 gslot_virq_read(const struct gslot_virq *virq, u32 offset)
{
	u32 group = group_of(offset);

	if (offset == GEN_MASTER_IRQ)
		return (virq->master ? MASTER_IRQ_ENABLE : 0) | master_bits(virq);
	if (group >= GEN_NR_IRQ_GROUPS)
		return 0;
	switch (offset & 0xc) {
	case IMR:
		return virq->imr[group];
	case IIR:
		return virq->iir[group];
	case IER:
		return virq->ier[group];
	default:
		return 0;	/* ISR: events are pulses */
	}
}

/**
 * gslot_virq_write() - the guest writes GEN_MASTER_IRQ or a group's register
 * @virq: the state
 * @offset: offset in BAR0
 * @value: what it writes
 *
 * Return: true if an MSI is due.
 */
bool gslot_virq_write(struct gslot_virq *virq, u32 offset, u32 value)
{
	u32 group = group_of(offset);

	if (offset == GEN_MASTER_IRQ) {
		virq->master = value & MASTER_IRQ_ENABLE;
		return update_line(virq);
	}
	if (group >= GEN_NR_IRQ_GROUPS)
		return false;
	switch (offset & 0xc) {
	case IMR:
		virq->imr[group] = value;
		break;
	case IIR:
		virq->iir[group] &= ~value;
		break;
	case IER:
		virq->ier[group] = value;
		break;
	}
	return update_line(virq);
}
