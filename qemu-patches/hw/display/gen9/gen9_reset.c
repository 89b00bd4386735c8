/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: holding engines, reset, errors and faults.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

/* Takes the engine from the thread that runs it; with the lock. */
void gen9_engine_hold(Gen9Engine *e)
{
    e->hold++;
    gen9_store_rel(&e->attention, true);
    while (e->running) {
        gen9_wait(e->gpu);
    }
}

void gen9_engine_unhold(Gen9Engine *e)
{
    if (--e->hold == 0) {
        gen9_kick(e);
    }
}

/*
 * Returns when each of the engines has passed a point at which it uses no
 * translation that it made before; with the lock.
 */
void gen9_engine_sync(Gen9Gpu *gpu, uint32_t engines)
{
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        Gen9Engine *e = &gpu->engine[i];

        if ((engines & (1u << i)) && e->running) {
            e->sync_wanted = true;
            gen9_store_rel(&e->attention, true);
        }
    }
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        Gen9Engine *e = &gpu->engine[i];

        while ((engines & (1u << i)) && e->running && e->sync_wanted) {
            gen9_wait(gpu);
        }
    }
}

/* The engine's answer to its attention flag. */
bool gen9_attend(Gen9Engine *e)
{
    bool leave;

    gen9_lock(e->gpu);
    gen9_store(&e->attention, false);
    leave = e->hold || e->reset_wanted || gen9_load(&e->interrupted);
    if ((e->hold && !e->finishing) || e->reset_wanted) {
        e->aborted = true;
    }
    if (e->sync_wanted) {
        e->sync_wanted = false;
        gen9_wake(e->gpu);
    }
    if (leave) {
        gen9_store(&e->attention, true);
    }
    gen9_unlock(e->gpu);
    return leave;
}

/*
 * Page faults stop the engine for good: contexts with legacy addressing
 * cannot wait for a page. The first fault stays in the register until the
 * driver clears it (PRM volume 2c, "RING_FAULT_REG").
 */
void gen9_fault(Gen9Engine *e, bool ggtt, uint64_t addr, uint32_t type)
{
    Gen9Gpu *gpu = e->gpu;

    gen9_trace(fault, e->info->name, ggtt, addr, type, e->lrca);
    gen9_count(e, GEN9_CNT_FAULTS, 1);
    gen9_lock(gpu);
    if (!(gen9_reg(gpu, GEN_RING_FAULT) & RING_FAULT_VALID)) {
        gen9_reg_set(gpu, GEN_RING_FAULT,
                     RING_FAULT_VALID | RING_FAULT_TYPE(type) |
                     (ggtt ? RING_FAULT_GGTT : 0) |
                     RING_FAULT_ENGINE(e->info->fault_id));
        gen9_reg_set(gpu, GEN_FAULT_TLB_DATA0, addr >> 12);
        gen9_reg_set(gpu, GEN_FAULT_TLB_DATA1,
                     ((addr >> 44) & 0xf) | (ggtt ? FAULT_TLB_GGTT : 0));
    }
    gen9_unlock(gpu);
    gen9_log(gpu, "%s: %s fault at 0x%" PRIx64 ", context 0x%x", e->info->name,
             ggtt ? "GGTT" : "PPGTT", addr, e->lrca);
    gen9_store(&e->halted, true);
}

/* Raises bits of the error registers; the caller stops the engine. */
void gen9_error(Gen9Engine *e, uint32_t bits)
{
    uint32_t unmasked = bits & ~gen9_ereg(e, RING_EMR);

    gen9_trace(error, e->info->name, bits);
    gen9_lock(e->gpu);
    gen9_ereg_set(e, RING_ESR, gen9_ereg(e, RING_ESR) | bits);
    if (unmasked) {
        gen9_ereg_set(e, RING_EIR, gen9_ereg(e, RING_EIR) | unmasked);
        gen9_engine_irq(e, GT_IRQ_CS_ERROR);
    }
    gen9_unlock(e->gpu);
}

/* Registers of an engine that its reset clears. */
static const uint16_t reset_regs[] = {
    RING_TAIL, RING_HEAD, RING_START, RING_CTL, RING_MI_MODE, RING_MODE,
    RING_RESET_CTL, RING_EXECLIST_STATUS_LO, RING_EXECLIST_STATUS_HI,
    RING_BBADDR, RING_BBADDR_UDW, RING_BBSTATE, RING_SBBADDR,
    RING_SBBADDR_UDW, RING_SBBSTATE, RING_BB_PER_CTX_PTR, RING_INDIRECT_CTX,
    RING_INDIRECT_CTX_OFFSET, RING_EIR, RING_ESR, RING_IPEHR, RING_IPEIR,
};

/*
 * With the lock, while no thread runs the engine. Its TLB entries survive, as
 * no manual says that they do not.
 */
void gen9_engine_reset(Gen9Engine *e)
{
    gen9_trace(engine_reset, e->info->name);
    for (unsigned i = 0; i < ARRAY_SIZE(reset_regs); i++) {
        gen9_ereg_set(e, reset_regs[i], 0);
    }
    gen9_ereg_set(e, RING_IMR, ~0u);
    gen9_ereg_set(e, RING_EMR, ~0u);
    gen9_execlists_reset(e);
    gen9_context_reset(e);
    gen9_store(&e->halted, false);
    e->aborted = false;
    e->reset_wanted = false;
    e->busy_until = 0;
    gen9_count(e, GEN9_CNT_RESETS, 1);
}

/*
 * A command must not wait for engines, least of all for its own: one that
 * runs is reset at the end of its slice, which comes at once.
 */
static void reset_by_command(Gen9Gpu *gpu, uint32_t engines)
{
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        Gen9Engine *e = &gpu->engine[i];

        if (!(engines & (1u << i))) {
            continue;
        }
        if (e->running) {
            e->reset_wanted = true;
            gen9_store_rel(&e->attention, true);
        } else {
            gen9_engine_reset(e);
        }
    }
}

/*
 * All are held before the first is reset: a command of one that still runs
 * could ask for a reset of another, which would come when the driver has
 * submitted to it again.
 */
static void reset_by_cpu(Gen9Gpu *gpu, uint32_t engines)
{
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        if (engines & (1u << i)) {
            gen9_engine_hold(&gpu->engine[i]);
        }
    }
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        if (engines & (1u << i)) {
            gen9_engine_reset(&gpu->engine[i]);
            gen9_engine_unhold(&gpu->engine[i]);
        }
    }
}

static void gdrst_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                        uint32_t value, Gen9Engine *from)
{
    bool full = value & GDRST_FULL;
    uint32_t engines = 0, stuck = 0;

    if (full && gen9_inject_take(&gpu->inject[GEN9_INJ_FAIL_FULL_RESET])) {
        stuck |= GDRST_FULL;
        full = false;
    }
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        Gen9Engine *engine = &gpu->engine[i];
        uint32_t bit = engine->info->reset_bit;

        if ((value & bit) && gen9_injected(engine, GEN9_INJ_FAIL_RESET)) {
            stuck |= bit;
        } else if (full || (value & bit)) {
            engines |= 1u << i;
        }
    }
    if (from) {
        reset_by_command(gpu, engines);
    } else {
        reset_by_cpu(gpu, engines);
    }
    if (full) {
        gen9_add(&gpu->map_generation, 1);      /* empties all TLBs */
    }
    if (stuck) {
        gen9_trace(reset_failed, stuck);
    }
    gen9_reg_set(gpu, GEN_GDRST,
                 full ? stuck : (gen9_reg(gpu, GEN_GDRST) & ~value) | stuck);
}

void gen9_gdrst_release(Gen9Gpu *gpu, uint32_t bits)
{
    gen9_reg_set(gpu, GEN_GDRST, gen9_reg(gpu, GEN_GDRST) & ~bits);
}

static void tlb_invalidate(Gen9Engine *e)
{
    e->tlb_waits = false;
    gen9_reg_set(e->gpu, e->info->tlb_reg, 0);
    gen9_tlb_flush_ppgtt(e);
}

/*
 * An invalidation by the CPU takes its time: it is not done before the register
 * was read. If it was asked to fail, the register stays busy until one succeeds.
 */
static void tlb_inv_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                          uint32_t value, Gen9Engine *from)
{
    if (!(value & 1)) {
        return;
    }
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        Gen9Engine *engine = &gpu->engine[i];

        if (engine->info->tlb_reg != offset) {
            continue;
        }
        if (gen9_injected(engine, GEN9_INJ_TLB_BUSY)) {
            engine->tlb_waits = false;
            gen9_reg_set(gpu, offset, 1);
        } else if (from) {
            tlb_invalidate(engine);
        } else if (gpu->config.tlb_at_once) {
            tlb_invalidate(engine);
            gen9_engine_sync(gpu, 1u << i);
        } else {
            engine->tlb_waits = true;
            gen9_reg_set(gpu, offset, 1);
        }
    }
}

/* The CPU has read a TLB register, which was busy: it is not any more. */
void gen9_tlb_was_read(Gen9Gpu *gpu, uint32_t offset)
{
    gen9_lock(gpu);
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        Gen9Engine *engine = &gpu->engine[i];

        if (engine->info->tlb_reg == offset && engine->tlb_waits) {
            tlb_invalidate(engine);
            gen9_engine_sync(gpu, 1u << i);
        }
    }
    gen9_unlock(gpu);
}

/* Does the invalidations that were kept busy. */
void gen9_tlb_release(Gen9Engine *e)
{
    if (gen9_reg(e->gpu, e->info->tlb_reg)) {
        tlb_invalidate(e);
        gen9_engine_sync(e->gpu, 1u << e->id);
    }
}

static void flsh_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                       uint32_t value, Gen9Engine *from)
{
    gen9_reg_set(gpu, offset, value);
    gen9_ggtt_flush(gpu, !from);
}

const Gen9RegRule gen9_reset_rules[] = {
    { GEN_GDRST, 1, GEN9_PLAIN, NULL, gdrst_write },
    { GEN_TLB_INV_RCS, GEN9_TLB_REGS, GEN9_PLAIN, NULL, tlb_inv_write },
    { GEN_GFX_FLSH_CNTL, 1, GEN9_PLAIN, NULL, flsh_write },
    { 0 }
};
