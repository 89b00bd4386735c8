// SPDX-License-Identifier: GPL-2.0
/*
 * A guest's interrupt registers, and events of its engines: six bytes a step. An event that no mask
 * blocks is latched. The line is up while the master enable is set and a latched bit is enabled. An
 * MSI is due when the line rises.
 */
#include "test.h"
#include "core/regs/virq.h"
#include "gen/regs.h"

#define GROUPS	32u

/* According to the manual: each engine has a half of one of the first four groups. */
struct model {
	u32 imr[GROUPS], iir[GROUPS], ier[GROUPS], ring_imr[4];
	bool master;
	bool line;
};

static const struct {
	u32 group, shift;
} engines[] = { { 0, 0 }, { 0, 16 }, { 1, 0 }, { 3, 0 } };

static bool rises(struct model *m)
{
	bool was = m->line;
	u32 i;

	m->line = false;
	for (i = 0; i < GROUPS; i++)
		m->line |= m->master && (m->iir[i] & m->ier[i]);
	return m->line && !was;
}

static bool model_raise(struct model *m, u32 engine, u32 bits)
{
	u32 group = engines[engine].group, i;

	for (i = 0; i < 16; i++) {
		u32 bit = 1u << (i + engines[engine].shift);

		if (bits >> i & 1 && !(m->ring_imr[engine] & bit) && !(m->imr[group] & bit))
			m->iir[group] |= bit;
	}
	return rises(m);
}

static bool model_write(struct model *m, u32 offset, u32 value)
{
	u32 i;

	for (i = 0; i < GROUPS; i++) {
		if (offset == GEN_GT_IMR(i))
			m->imr[i] = value;
		if (offset == GEN_GT_IIR(i))
			m->iir[i] &= ~value;
		if (offset == GEN_GT_IER(i))
			m->ier[i] = value;
	}
	if (offset == GEN_MASTER_IRQ)
		m->master = value >> 31;
	return rises(m);
}

static void check(const struct gslot_virq *virq, const struct model *m)
{
	u32 i;

	must(virq->line == m->line);
	must(gslot_virq_read(virq, GEN_MASTER_IRQ) >> 31 == m->master);
	for (i = 0; i < GROUPS; i++) {
		must(gslot_virq_read(virq, GEN_GT_IIR(i)) == m->iir[i]);
		must(gslot_virq_read(virq, GEN_GT_IMR(i)) == m->imr[i]);
		must(gslot_virq_read(virq, GEN_GT_IER(i)) == m->ier[i]);
	}
}

static void step(struct gslot_virq *virq, struct model *m, u8 what, u8 n, u32 value)
{
	const u32 offsets[] = {
		GEN_GT_IMR(n), GEN_GT_IIR(n), GEN_GT_IER(n), GEN_GT_ISR(n), GEN_MASTER_IRQ,
		GEN_GT_IMR(n) + GEN_NR_IRQ_GROUPS * 0x10, GEN_MASTER_IRQ - 4u * n, value & ~3u,
	};
	u32 offset = offsets[what >> 2 & 7];

	if (what & 1) {
		must(gslot_virq_raise(virq, n & 3, value & 0xffff) ==
		     model_raise(m, n & 3, value & 0xffff));
	} else if (what & 2) {
		virq->ring_imr[n & 3] = value;
		m->ring_imr[n & 3] = value;
	} else {
		must(gslot_virq_write(virq, offset, value) == model_write(m, offset, value));
		gslot_virq_read(virq, offset);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct gslot_virq virq;
	struct model m = { };

	gslot_virq_reset(&virq);
	memset(m.imr, 0xff, sizeof(m.imr));
	memset(m.ring_imr, 0xff, sizeof(m.ring_imr));
	while (in.left) {
		u8 what = take(&in, 1), n = take(&in, 1) % GROUPS;

		step(&virq, &m, what, n, take(&in, 4));
		check(&virq, &m);
	}
	return 0;
}
