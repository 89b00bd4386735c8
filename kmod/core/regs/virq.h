/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The interrupt registers of a vGPU: from an engine's event to the decision that an MSI is due.
 * These functions have state and logic only; the caller takes a lock and sends the MSI.
 *
 * An event that passes the engine's own mask (RING_IMR) and the group's IMR is latched in the
 * group's IIR. While the IER enables a latched bit, the group's bit in the master register reads
 * 1. If the master enable is set too, the interrupt line is up. An MSI is due when the line
 * rises. That includes the moment at which the guest's handler, which clears the master enable
 * while it works, sets it again and a bit is still latched.
 */
#ifndef _GSLOT_CORE_VIRQ_H
#define _GSLOT_CORE_VIRQ_H

#include "core/types.h"
#include "engines.h"
#include "gen/regs.h"

/* Interrupt state of a vGPU */
struct gslot_virq {
	u32 imr[GEN_NR_IRQ_GROUPS];	/* masked bits, by group */
	u32 iir[GEN_NR_IRQ_GROUPS];	/* latched bits */
	u32 ier[GEN_NR_IRQ_GROUPS];	/* enabled bits */
	u32 ring_imr[GSLOT_NR_ENGINES];	/* masked bits, by engine */
	bool master;			/* the master enable */
	bool line;			/* the interrupt line is up */
};

u32 gslot_virq_unmasked(const struct gslot_virq *virq, u32 bits);
bool gslot_virq_raise(struct gslot_virq *virq, enum gslot_engine_id engine, u32 bits);
u32 gslot_virq_read(const struct gslot_virq *virq, u32 offset);
bool gslot_virq_refresh(struct gslot_virq *virq);
bool gslot_virq_write(struct gslot_virq *virq, u32 offset, u32 value);

/* Mask all interrupts, latch none. */
static inline void gslot_virq_reset(struct gslot_virq *virq)
{
	memset(virq, 0, sizeof(*virq));
	memset(virq->imr, 0xff, sizeof(virq->imr));
	memset(virq->ring_imr, 0xff, sizeof(virq->ring_imr));
}

#endif
