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

/**
 * struct gslot_virq - interrupt state of a vGPU
 * @imr: masked bits, by group
 * @iir: latched bits
 * @ier: enabled bits
 * @ring_imr: masked bits, by engine
 * @master: the master enable
 * @line: the interrupt line is up
 */
struct gslot_virq {
	u32 imr[GEN_NR_IRQ_GROUPS];
	u32 iir[GEN_NR_IRQ_GROUPS];
	u32 ier[GEN_NR_IRQ_GROUPS];
	u32 ring_imr[GSLOT_NR_ENGINES];
	bool master;
	bool line;
};

void gslot_virq_reset(struct gslot_virq *virq);
u32 gslot_virq_unmasked(const struct gslot_virq *virq, u32 bits);
bool gslot_virq_raise(struct gslot_virq *virq, enum gslot_engine_id engine, u32 bits);
u32 gslot_virq_read(const struct gslot_virq *virq, u32 offset);
bool gslot_virq_write(struct gslot_virq *virq, u32 offset, u32 value);

#endif
