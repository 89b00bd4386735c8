/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: interrupts (PRM Skylake volume 12, "GT interrupts").
 *
 * An event of an engine passes the engine's own mask, is latched in the IIR of
 * its group unless the group masks it, and raises the line when the IER and
 * the master enable allow it. The message signalled interrupt is sent when the
 * line rises: a driver that disables the master, handles interrupts and
 * enables it again gets another message if one is still latched.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

/* Halves of the GT groups, and which master bit they raise. */
static const struct {
    uint8_t group;
    uint32_t mask;
    uint32_t master;
} halves[] = {
    { 0, 0x0000ffff, MASTER_IRQ_RCS },
    { 0, 0xffff0000, MASTER_IRQ_BCS },
    { 1, 0x0000ffff, MASTER_IRQ_VCS0 },
    { 1, 0xffff0000, MASTER_IRQ_VCS1 },
    { 2, 0xffffffff, MASTER_IRQ_PM },
    { 3, 0x0000ffff, MASTER_IRQ_VECS },
};

void gen9_irq_update(Gen9Gpu *gpu)
{
    uint32_t enable = gen9_reg(gpu, GEN_MASTER_IRQ) & MASTER_IRQ_ENABLE;
    uint32_t master = 0;
    bool level, dropped;

    for (unsigned i = 0; i < ARRAY_SIZE(halves); i++) {
        unsigned g = halves[i].group;

        if (gen9_reg(gpu, GEN_GT_IIR(g)) & gen9_reg(gpu, GEN_GT_IER(g)) &
            halves[i].mask) {
            master |= halves[i].master;
        }
    }
    if (gen9_reg(gpu, GEN_PCU_IIR) & gen9_reg(gpu, GEN_PCU_IER)) {
        master |= MASTER_IRQ_PCU;
    }
    gen9_reg_set(gpu, GEN_MASTER_IRQ, enable | master);

    level = enable && master;
    if (level == gpu->irq_level) {
        return;
    }
    gpu->irq_level = level;
    dropped = level && gen9_inject_take(&gpu->inject[GEN9_INJ_DROP_IRQ]);
    gen9_trace(irq, level, master, dropped);
    if (dropped) {
        gen9_add(&gpu->counters[GEN9_CNT_INTERRUPTS_DROPPED], 1);
        return;
    }
    if (level) {
        gen9_add(&gpu->counters[GEN9_CNT_INTERRUPTS], 1);
    }
    if (gpu->ops->irq) {
        gpu->ops->irq(gpu->opaque, level);
    }
}

void gen9_engine_irq(Gen9Engine *e, uint32_t bits)
{
    Gen9Gpu *gpu = e->gpu;
    unsigned g = e->info->irq_group;

    bits <<= e->info->irq_shift;
    bits &= ~gen9_ereg(e, RING_IMR) & ~gen9_reg(gpu, GEN_GT_IMR(g));
    if (bits) {
        gen9_reg_set(gpu, GEN_GT_IIR(g), gen9_reg(gpu, GEN_GT_IIR(g)) | bits);
        gen9_irq_update(gpu);
    }
}

static void master_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                         uint32_t value, Gen9Engine *from)
{
    gen9_reg_set(gpu, offset, value & MASTER_IRQ_ENABLE);
    gen9_irq_update(gpu);
}

static void iir_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                      uint32_t value, Gen9Engine *from)
{
    gen9_reg_set(gpu, offset, gen9_reg(gpu, offset) & ~value);
    gen9_irq_update(gpu);
}

static void ier_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                      uint32_t value, Gen9Engine *from)
{
    gen9_reg_set(gpu, offset, value);
    gen9_irq_update(gpu);
}

#define IRQ_BANK(iir) \
    { (iir), 1, GEN9_PLAIN, NULL, iir_write }, \
    { (iir) + 4, 1, GEN9_PLAIN, NULL, ier_write }

const Gen9RegRule gen9_irq_rules[] = {
    { GEN_MASTER_IRQ, 1, GEN9_PLAIN, NULL, master_write },
    IRQ_BANK(GEN_GT_IIR(0)),
    IRQ_BANK(GEN_GT_IIR(1)),
    IRQ_BANK(GEN_GT_IIR(2)),
    IRQ_BANK(GEN_GT_IIR(3)),
    IRQ_BANK(GEN_PCU_IIR),
    /* Display banks never have anything pending, but are cleared as all. */
    { 0x44408, 1, GEN9_W1C },           /* pipes A, B, C */
    { 0x44418, 1, GEN9_W1C },
    { 0x44428, 1, GEN9_W1C },
    { 0x44448, 1, GEN9_W1C },           /* ports */
    { 0x44468, 1, GEN9_W1C },           /* miscellaneous */
    { 0x64838, 1, GEN9_W1C },           /* panel self refresh */
    { 0x6f838, 1, GEN9_W1C },
    { 0xc4008, 1, GEN9_W1C },           /* south display */
    { 0 }
};
