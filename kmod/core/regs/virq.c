// SPDX-License-Identifier: GPL-2.0
#include "virq.h"

#define GROUP_VCS1_SHIFT	16	/* in group 1 */
#define GROUP_PM		2
#define GROUP_PCU		((GEN_PCU_ISR - GEN_GT_ISR(0)) / 0x10)

enum { ISR = 0x0, IMR = 0x4, IIR = 0x8, IER = 0xc };

static u32 virq_pending(const struct gslot_virq *virq, u32 group)
{
	return virq->iir[group] & virq->ier[group];
}

/* The master register's bits for the interrupts that are latched and enabled. */
static u32 virq_master_bits(const struct gslot_virq *virq)
{
	u32 bits = 0, i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		const struct gslot_engine_info *info = &gslot_engines[i];

		if (virq_pending(virq, info->irq_group) & (0xffffu << info->irq_shift))
			bits |= info->master_irq;
	}
	if (virq_pending(virq, 1) >> GROUP_VCS1_SHIFT)
		bits |= MASTER_IRQ_VCS1;
	if (virq_pending(virq, GROUP_PM))
		bits |= MASTER_IRQ_PM;
	if (virq_pending(virq, GROUP_PCU))
		bits |= MASTER_IRQ_PCU;
	return bits;
}

/* Return: true if the line rose. */
static bool virq_update_line(struct gslot_virq *virq)
{
	bool was = virq->line;

	virq->line = virq->master && virq_master_bits(virq);
	return virq->line && !was;
}

/**
 * gslot_virq_unmasked() - engines of which no mask blocks given events
 * @virq: the state
 * @bits: GT_IRQ_*
 *
 * Return: a bit mask of enum gslot_engine_id.
 */
u32 gslot_virq_unmasked(const struct gslot_virq *virq, u32 bits)
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
 * gslot_virq_raise() - report events of an engine
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
	return virq_update_line(virq);
}

/* The word that holds a group's register; NULL: ISR, or no register of a group. */
static const u32 *virq_word(const struct gslot_virq *virq, u32 offset)
{
	u32 group;

	if (offset < GEN_GT_ISR(0) || offset >= GEN_GT_ISR(GEN_NR_IRQ_GROUPS))
		return NULL;
	group = (offset - GEN_GT_ISR(0)) / 0x10;
	switch (offset & 0xc) {
	case IMR:
		return &virq->imr[group];
	case IIR:
		return &virq->iir[group];
	case IER:
		return &virq->ier[group];
	default:
		return NULL;
	}
}

/**
 * gslot_virq_read() - read GEN_MASTER_IRQ or a group's register for the guest
 * @virq: the state
 * @offset: offset in BAR0
 *
 * Return: its value. ISR reads 0, as events are pulses; so does any other register.
 */
u32 gslot_virq_read(const struct gslot_virq *virq, u32 offset)
{
	const u32 *word = virq_word(virq, offset);

	if (offset == GEN_MASTER_IRQ)
		return (virq->master ? MASTER_IRQ_ENABLE : 0) | virq_master_bits(virq);
	return word ? *word : 0;
}

/**
 * gslot_virq_refresh() - bring the interrupt line up to date after the state was set as a whole
 * @virq: the state
 *
 * Return: true if the line is up.
 */
bool gslot_virq_refresh(struct gslot_virq *virq)
{
	virq_update_line(virq);
	return virq->line;
}

/**
 * gslot_virq_write() - write GEN_MASTER_IRQ or a group's register for the guest
 * @virq: the state
 * @offset: offset in BAR0
 * @value: the value
 *
 * Return: true if an MSI is due.
 */
bool gslot_virq_write(struct gslot_virq *virq, u32 offset, u32 value)
{
	u32 *word = (u32 *)virq_word(virq, offset);

	if (offset == GEN_MASTER_IRQ)
		virq->master = value & MASTER_IRQ_ENABLE;
	else if (word)
		*word = (offset & 0xc) == IIR ? *word & ~value : value;
	return virq_update_line(virq);
}
