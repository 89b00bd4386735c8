/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: the register file.
 *
 * Registers without a rule are plain words: what is written is read back.
 * That is right for most of what a driver programs (workarounds, memory
 * object control, power management set points), because it programs things
 * which the model does not have. Rules are kept in tables by subject; a byte
 * per register finds the rule. Only registers with a rule take the lock.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

#define MAX_RULES 255

/* Rule numbers are positions in this list, from 1. Built once. */
static const Gen9RegRule *rules[MAX_RULES + 1];
static unsigned nr_rules;

static const Gen9RegRule *const global_tables[] = {
    gen9_global_rules, gen9_irq_rules, gen9_reset_rules,
};

/*
 * What user batches may write: PRM Skylake volume 6, "User Mode Privileged
 * Commands", tables of non-privileged registers. Besides these there are the
 * twelve FORCE_TO_NONPRIV slots of each engine.
 */
typedef struct UserRange {
    uint32_t offset;
    uint32_t count;             /* dwords */
    uint32_t engines;           /* 1 << Gen9EngineId */
} UserRange;

#define RCS (1u << GEN9_RCS0)
#define BCS (1u << GEN9_BCS0)
#define VCS (1u << GEN9_VCS0)
#define VECS (1u << GEN9_VECS0)

#define RING(engine, reg) (GEN_##engine##0_BASE + RING_##reg)

static const UserRange user_ranges[] = {
    { RING(RCS, NOPID), 1, RCS },
    { RING(RCS, INSTPM), 1, RCS },
    { RING(RCS, BB_OFFSET), 1, RCS },
    { RING(RCS, GPGPU_THREADS_DISPATCHED), 2, RCS },
    { RING(RCS, PS_INVOCATION_COUNT_0), 2, RCS },
    { RING(RCS, PS_DEPTH_COUNT_0), 2, RCS },
    { RING(RCS, PS_INVOCATION_COUNT_1), 4, RCS },   /* PS_DEPTH_COUNT_1 */
    { RING(RCS, HS_INVOCATION_COUNT), 14, RCS },    /* DS, IA, VS, GS */
    { RING(RCS, CL_INVOCATION_COUNT), 4, RCS },     /* CL_PRIMITIVES_COUNT */
    { RING(RCS, OACTXCONTROL), 2, RCS },            /* OACTXID */
    { RING(RCS, PREDICATE_RESULT_2), 1, RCS },
    { RING(RCS, PREDICATE_SRC0), 8, RCS },          /* to RESULT_1 */
    { RING(RCS, 3DPRIM_END_OFFSET), 1, RCS },
    { RING(RCS, 3DPRIM_START_VERTEX), 5, RCS },     /* to BASE_VERTEX */
    { RING(RCS, PS_INVOCATION_COUNT_2), 4, RCS },   /* PS_DEPTH_COUNT_2 */
    { RING(RCS, GPGPU_DISPATCHDIM(0)), 3, RCS },
    { RING(RCS, GPR(0)), 2 * RING_NR_GPR, RCS },
    { GEN_OACONTROL, 1, RCS },
    { GEN_SO_NUM_PRIMS_WRITTEN(0), 2 * GEN_NR_SO_STREAMS, RCS },
    { GEN_SO_PRIM_STORAGE_NEEDED(0), 2 * GEN_NR_SO_STREAMS, RCS },
    { GEN_SO_WRITE_OFFSET(0), GEN_NR_SO_STREAMS, RCS },
    { GEN_CACHE_MODE_0, 3, RCS },                   /* _1, GT_MODE */
    { GEN_L3CNTLREG, 1, RCS },
    { GEN_PERF_CNT_1, 4, RCS },                     /* PERF_CNT_2 */
    { GEN_L3SQCREG4, 1, RCS },
    { GEN_TD_CTL, 2, RCS },                         /* TD_CTL2 */
    { GEN_BCS0_BASE + BCS_SWCTRL, 1, BCS },
    { RING(BCS, GPR(0)), 2 * RING_NR_GPR, BCS },
    { RING(VCS, GPR(0)), 2 * RING_NR_GPR, VCS },
    { 0x12800, 512, VCS },                          /* MFC of VDBOX 0 */
    { 0x1e900, 128, VCS },                          /* HEVC */
    { RING(VECS, GPR(0)), 2 * RING_NR_GPR, VECS },
};

static void add_rule(Gen9Gpu *gpu, const Gen9RegRule *rule, uint32_t base)
{
    unsigned n = 1;

    while (n <= nr_rules && rules[n] != rule) {
        n++;
    }
    if (n > nr_rules) {
        nr_rules = n;
        rules[n] = rule;
    }
    for (uint32_t i = 0; i < rule->count; i++) {
        gpu->rule[(base + rule->offset) / 4 + i] = n;
    }
}

static void add_rules(Gen9Gpu *gpu, const Gen9RegRule *table, uint32_t base)
{
    for (const Gen9RegRule *r = table; r->count; r++) {
        add_rule(gpu, r, base);
    }
}

void gen9_regs_init(Gen9Gpu *gpu)
{
    for (unsigned t = 0; t < ARRAY_SIZE(global_tables); t++) {
        add_rules(gpu, global_tables[t], 0);
    }
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        add_rules(gpu, gen9_engine_rules, gpu->engine[i].base);
    }
    if (gen9_is_gen8(gpu)) {
        add_rules(gpu, gen8_global_rules, 0);
        for (int i = GEN9_RCS0 + 1; i < GEN9_NR_ENGINES; i++) {
            add_rules(gpu, gen8_xcs_rules, gpu->engine[i].base);
        }
    }
    for (unsigned i = 0; i < ARRAY_SIZE(user_ranges); i++) {
        for (uint32_t k = 0; k < user_ranges[i].count; k++) {
            gpu->user[user_ranges[i].offset / 4 + k] |= user_ranges[i].engines;
        }
    }
}

void gen9_regs_reset(Gen9Gpu *gpu)
{
    for (uint32_t i = 0; i < GEN9_NR_REGS; i++) {
        gen9_store(&gpu->regs[i], 0);
    }
    for (int g = 0; g < GEN_NR_GT_IRQ_GROUPS; g++) {
        gen9_reg_set(gpu, GEN_GT_IMR(g), ~0u);
    }
    gen9_reg_set(gpu, GEN_PCU_IMR, ~0u);
    gen9_pm_reset(gpu);
}

static const Gen9RegRule *rule_of(Gen9Gpu *gpu, uint32_t offset)
{
    return rules[gpu->rule[offset / 4]];
}

bool gen9_reg_is_masked(Gen9Gpu *gpu, uint32_t offset)
{
    const Gen9RegRule *rule = rule_of(gpu, offset);

    return rule && rule->access == GEN9_MASKED;
}

Gen9Engine *gen9_reg_engine(Gen9Gpu *gpu, uint32_t offset)
{
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        if (offset - gpu->engine[i].base < GEN_RING_BLOCK_SIZE) {
            return &gpu->engine[i];
        }
    }
    return NULL;
}

static uint32_t reg_read(Gen9Gpu *gpu, uint32_t offset)
{
    const Gen9RegRule *rule = rule_of(gpu, offset);
    uint32_t value;

    if (likely(!rule || !rule->read)) {
        return gen9_reg(gpu, offset);
    }
    gen9_lock(gpu);
    value = rule->read(gpu, gen9_reg_engine(gpu, offset), offset);
    gen9_unlock(gpu);
    return value;
}

static void reg_write(Gen9Gpu *gpu, uint32_t offset, uint32_t value,
                      Gen9Engine *from)
{
    const Gen9RegRule *rule = rule_of(gpu, offset);
    uint32_t old;

    if (likely(!rule)) {
        gen9_reg_set(gpu, offset, value);
        return;
    }
    gen9_lock(gpu);
    old = gen9_reg(gpu, offset);
    switch (rule->access) {
    case GEN9_PLAIN:
        break;
    case GEN9_RO:
        value = old;
        break;
    case GEN9_MASKED:
        value = (old & ~(value >> 16)) | (value & (value >> 16));
        break;
    case GEN9_W1C:
        value = old & ~value;
        break;
    }
    if (rule->write) {
        rule->write(gpu, gen9_reg_engine(gpu, offset), offset, value, from);
    } else {
        gen9_reg_set(gpu, offset, value);
    }
    gen9_unlock(gpu);
}

uint32_t gen9_cs_reg_read(Gen9Engine *e, uint32_t offset)
{
    offset &= MI_REG_OFFSET;
    return offset < GEN_MMIO_SIZE ? reg_read(e->gpu, offset) : 0;
}

/*
 * The blitter of Gen9 does not check registers: any batch may write any of
 * them (CVE-2019-0155; i915 has had to parse every user batch of bcs since).
 * That of Gen8 does.
 */
static bool user_may_write(Gen9Engine *e, uint32_t offset)
{
    if (e->id == GEN9_BCS0 && !gen9_is_gen8(e->gpu) &&
        !e->gpu->config.strict_blitter) {
        return true;
    }
    if (e->gpu->user[offset / 4] & (1u << e->id)) {
        return true;
    }
    for (int i = 0; i < RING_NONPRIV_SLOTS; i++) {
        uint32_t slot = gen9_ereg(e, RING_FORCE_TO_NONPRIV(i));

        if ((slot & RING_NONPRIV_ADDR) == offset) {
            return true;
        }
    }
    return false;
}

bool gen9_cs_reg_write(Gen9Engine *e, uint32_t offset, uint32_t value,
                       bool privileged)
{
    offset &= MI_REG_OFFSET;
    if (offset >= GEN_MMIO_SIZE) {
        return true;
    }
    if (!privileged && !user_may_write(e, offset)) {
        gen9_violation(e);
        return false;
    }
    gen9_trace(cs_reg_write, e->info->name, offset, value, privileged);
    reg_write(e->gpu, offset, value, e);
    return true;
}

/* A CPU access of up to four bytes inside one dword. */
static uint32_t narrow_read(Gen9Gpu *gpu, uint32_t offset, unsigned size)
{
    uint32_t reg = offset & ~3u;
    uint32_t value = reg_read(gpu, reg) >> (8 * (offset & 3));

    if (unlikely(reg - GEN_TLB_INV_RCS < GEN9_TLB_REGS * 4)) {
        gen9_tlb_was_read(gpu, reg);
    }
    return size < 4 ? value & ((1u << (8 * size)) - 1) : value;
}

static void narrow_write(Gen9Gpu *gpu, uint32_t offset, unsigned size,
                         uint32_t value)
{
    unsigned shift = 8 * (offset & 3);
    uint32_t mask = size < 4 ? ((1u << (8 * size)) - 1) << shift : ~0u;
    uint32_t old;

    offset &= ~3u;
    if (mask != ~0u) {
        /* Byte enables: the other bytes keep their value. */
        old = rule_of(gpu, offset) ? 0 : gen9_reg(gpu, offset);
        value = (old & ~mask) | ((value << shift) & mask);
    }
    reg_write(gpu, offset, value, NULL);
}

uint64_t gen9_mmio_read(Gen9Gpu *gpu, uint64_t offset, unsigned size)
{
    uint64_t value = 0;

    gen9_add(&gpu->counters[GEN9_CNT_MMIO_READS], 1);
    for (unsigned done = 0; done < size;) {
        unsigned n = MIN(size - done, 4 - (unsigned)(offset & 3));

        if (offset < GEN_MMIO_SIZE) {
            value |= (uint64_t)narrow_read(gpu, offset, n) << (8 * done);
        }
        offset += n;
        done += n;
    }
    return value;
}

void gen9_mmio_write(Gen9Gpu *gpu, uint64_t offset, unsigned size,
                     uint64_t value)
{
    gen9_add(&gpu->counters[GEN9_CNT_MMIO_WRITES], 1);
    for (unsigned done = 0; done < size;) {
        unsigned n = MIN(size - done, 4 - (unsigned)(offset & 3));

        if (offset < GEN_MMIO_SIZE) {
            narrow_write(gpu, offset, n, value >> (8 * done));
        }
        offset += n;
        done += n;
    }
}
