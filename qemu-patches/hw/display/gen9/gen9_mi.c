/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: MI commands (PRM Skylake volume 2a).
 *
 * Commands that a batch without privilege may not have at all do not come
 * here; some lose the part that is privileged.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

#define NEXT_OR_HALT(ok) ((ok) ? GEN9_EXEC_NEXT : GEN9_EXEC_HALT)

/* Status page offsets of automatic reports. */
#define HWSP_HEAD_REPORT 0x10

typedef Gen9Exec (*MiHandler)(Gen9Engine *e, const uint32_t *cmd, unsigned n);

static uint64_t dword_addr(const uint32_t *cmd)
{
    return gen9_addr(cmd[0] & ~3u, cmd[1]);
}

static uint64_t qword_addr(const uint32_t *cmd)
{
    return gen9_addr(cmd[0] & ~7u, cmd[1]);
}

/* The per-process status page, or the engine's. */
static uint64_t status_page(Gen9Engine *e, bool per_process)
{
    return per_process ? e->lrca :
           gen9_ereg(e, RING_HWS_PGA) & ~(GEN_PAGE_SIZE - 1u);
}

static Gen9Exec noop(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    if (cmd[0] & MI_USE_GGTT) {         /* identification number write */
        gen9_ereg_set(e, RING_NOPID, cmd[0] & 0x3fffff);
    }
    return GEN9_EXEC_NEXT;
}

static Gen9Exec set_predicate(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    e->predicate = cmd[0] & 0xf;
    return GEN9_EXEC_NEXT;
}

static Gen9Exec user_interrupt(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    gen9_lock(e->gpu);
    gen9_engine_irq(e, GT_IRQ_USER);
    gen9_unlock(e->gpu);
    e->effect = true;
    return GEN9_EXEC_NEXT;
}

static Gen9Exec report_head(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    return NEXT_OR_HALT(gen9_write32(e, true, e->lrca + HWSP_HEAD_REPORT,
                                     e->head));
}

static Gen9Exec arb_on_off(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    e->arbitrate = cmd[0] & MI_ARB_ON;
    return GEN9_EXEC_NEXT;
}

static void end_batch(Gen9Engine *e)
{
    int level = gen9_level(e);

    if (level == GEN9_LEVEL_RING) {
        gen9_advance(e, 1);
        return;
    }
    if (level == GEN9_LEVEL_WA) {
        gen9_wa_batch_end(e);
        return;
    }
    e->bb[level].on = false;    /* but the predicate stays */
}

static Gen9Exec batch_end(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    end_batch(e);
    return GEN9_EXEC_JUMP;
}

static Gen9Exec predicate(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    gen9_mi_predicate(e, cmd[0]);
    return GEN9_EXEC_NEXT;
}

/*
 * From the ring it starts a batch; from a batch it continues in another one,
 * or calls a second level batch. A batch is never more privileged than the
 * one that started it.
 */
static Gen9Exec batch_start(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    bool ggtt = !(cmd[0] & MI_BB_PPGTT) && gen9_privileged(e);
    int from = gen9_level(e);
    int to = from;
    Gen9Batch *b;

    if ((cmd[0] & MI_BB_PREDICATE) &&
        !(gen9_ereg(e, RING_PREDICATE_RESULT) & 1)) {
        return GEN9_EXEC_NEXT;
    }
    if (!(cmd[0] & MI_BB_PPGTT) && !ggtt) {
        gen9_violation(e);
    }
    if (from == GEN9_LEVEL_RING) {
        to = GEN9_LEVEL_BB;
    } else if (from == GEN9_LEVEL_BB && (cmd[0] & MI_BB_SECOND_LEVEL)) {
        to = GEN9_LEVEL_SBB;
    }
    if (to != from) {
        gen9_advance(e, n);
        gen9_count(e, GEN9_CNT_BATCHES, 1);
        e->loops = 0;
    }
    b = &e->bb[to];
    if (to == from && dword_addr(cmd + 1) <= b->addr) {
        e->loops++;
    }
    if (to == GEN9_LEVEL_WA && e->wa_end) {
        e->wa_end = UINT64_MAX;         /* no longer by size */
    }
    b->ggtt = ggtt;
    gen9_store(&b->addr, dword_addr(cmd + 1) &
                         ((1ULL << GEN_PPGTT_ADDR_BITS) - 1));
    b->on = true;
    return GEN9_EXEC_JUMP;
}

/* Ends the batch unless memory is above the command's value. */
static Gen9Exec cond_batch_end(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    bool ggtt = cmd[0] & MI_USE_GGTT;
    uint64_t memory;
    uint32_t value;

    if (!gen9_read64(e, ggtt, qword_addr(cmd + 2), &memory)) {
        return GEN9_EXEC_HALT;
    }
    value = memory;
    if (cmd[0] & (1u << 19)) {          /* compare mask mode */
        value &= memory >> 32;
    }
    if (value > cmd[1]) {
        return GEN9_EXEC_NEXT;
    }
    end_batch(e);
    return GEN9_EXEC_JUMP;
}

static bool semaphore_passes(unsigned op, uint32_t memory, uint32_t value)
{
    switch (op) {
    case 0:
        return memory > value;
    case 1:
        return memory >= value;
    case 2:
        return memory < value;
    case 3:
        return memory <= value;
    case 4:
        return memory == value;
    case 5:
        return memory != value;
    }
    return true;
}

/* Signal mode is polled as well; signals only make the engine look sooner. */
static Gen9Exec semaphore_wait(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    bool ggtt = cmd[0] & MI_USE_GGTT;
    uint32_t memory;

    if (cmd[0] & MI_SEMAPHORE_REGISTER_POLL) {
        memory = gen9_cs_reg_read(e, cmd[2]);
    } else if (!gen9_read32(e, ggtt, dword_addr(cmd + 2), &memory)) {
        return GEN9_EXEC_HALT;
    }
    if (semaphore_passes(MI_SEMAPHORE_OP(cmd[0]), memory, cmd[1])) {
        return GEN9_EXEC_NEXT;
    }
    if (!e->waiting) {
        gen9_lock(e->gpu);
        gen9_engine_irq(e, GT_IRQ_WAIT_SEMAPHORE);
        gen9_unlock(e->gpu);
    }
    return GEN9_EXEC_WAIT;
}

static Gen9Exec semaphore_signal(Gen9Engine *e, const uint32_t *cmd,
                                 unsigned n)
{
    e->effect = true;                   /* wakes engines that wait */
    return GEN9_EXEC_NEXT;
}

static Gen9Exec store_data_imm(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    bool qword = cmd[0] & MI_SDI_QWORD;
    uint64_t addr = qword ? qword_addr(cmd + 1) : dword_addr(cmd + 1);

    return NEXT_OR_HALT(gen9_mem(e, cmd[0] & MI_USE_GGTT, addr,
                                 (void *)(cmd + 3), (n - 3) * 4, true));
}

static Gen9Exec store_data_index(Gen9Engine *e, const uint32_t *cmd,
                                 unsigned n)
{
    uint64_t page = status_page(e, cmd[0] & MI_SDI_QWORD);

    if (n < 3) {
        return GEN9_EXEC_NEXT;
    }
    return NEXT_OR_HALT(gen9_mem(e, true, page + (cmd[1] & 0xffc),
                                 (void *)(cmd + 2), MIN(n - 2, 2) * 4, true));
}

static Gen9Exec load_register_imm(Gen9Engine *e, const uint32_t *cmd,
                                  unsigned n)
{
    bool privileged = gen9_privileged(e);

    for (unsigned i = 1; i + 1 < n; i += 2) {
        gen9_cs_reg_write(e, cmd[i], cmd[i + 1], privileged);
    }
    return GEN9_EXEC_NEXT;
}

static Gen9Exec load_register_mem(Gen9Engine *e, const uint32_t *cmd,
                                  unsigned n)
{
    uint32_t value;

    if (!gen9_read32(e, cmd[0] & MI_USE_GGTT, dword_addr(cmd + 2), &value)) {
        return GEN9_EXEC_HALT;
    }
    gen9_cs_reg_write(e, cmd[1], value, gen9_privileged(e));
    return GEN9_EXEC_NEXT;
}

static Gen9Exec load_register_reg(Gen9Engine *e, const uint32_t *cmd,
                                  unsigned n)
{
    gen9_cs_reg_write(e, cmd[2], gen9_cs_reg_read(e, cmd[1]),
                      gen9_privileged(e));
    return GEN9_EXEC_NEXT;
}

static Gen9Exec store_register_mem(Gen9Engine *e, const uint32_t *cmd,
                                   unsigned n)
{
    uint32_t value = gen9_cs_reg_read(e, cmd[1]);

    if ((cmd[0] & MI_SRM_PREDICATE) &&
        !(gen9_ereg(e, RING_PREDICATE_RESULT) & 1)) {
        return GEN9_EXEC_NEXT;
    }
    return NEXT_OR_HALT(gen9_write32(e, cmd[0] & MI_USE_GGTT,
                                     dword_addr(cmd + 2), value));
}

static Gen9Exec copy_mem_mem(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    uint32_t value;

    if (!gen9_read32(e, cmd[0] & MI_USE_GGTT, dword_addr(cmd + 3), &value)) {
        return GEN9_EXEC_HALT;
    }
    return NEXT_OR_HALT(gen9_write32(e, cmd[0] & MI_COPY_DST_GGTT,
                                     dword_addr(cmd + 1), value));
}

static Gen9Exec atomic(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    return gen9_mi_atomic(e, cmd, n, cmd[0] & MI_USE_GGTT);
}

/* Rewrites entries of the GGTT from the given address on. */
static Gen9Exec update_gtt(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    uint64_t page;

    if (n < 2) {
        return GEN9_EXEC_NEXT;
    }
    page = cmd[1] >> GEN_PAGE_SHIFT;
    for (unsigned i = 2; i + 1 < n && page < gen9_ggtt_entries(e->gpu);
         i += 2) {
        gen9_gsm_update(e->gpu, page++, gen9_addr(cmd[i], cmd[i + 1]));
    }
    return GEN9_EXEC_NEXT;
}

/* Counters do not count here: a report is its id, the time, and zeros. */
static Gen9Exec report_perf_count(Gen9Engine *e, const uint32_t *cmd,
                                  unsigned n)
{
    uint32_t report[64] = { 0 };
    bool ggtt = cmd[1] & 1;

    report[0] = cmd[3];
    report[1] = gen9_timestamp(e->gpu);
    report[2] = e->ctx_id;
    return NEXT_OR_HALT(gen9_mem(e, ggtt, gen9_addr(cmd[1] & ~0x3fu, cmd[2]),
                                 report, sizeof(report), true));
}

/* The post-sync operation of MI_FLUSH_DW. */
static bool flush_store(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    bool index = cmd[0] & MI_FLUSH_DW_STORE_INDEX;
    bool ggtt = index || (cmd[1] & MI_FLUSH_DW_ADDR_GGTT);
    uint64_t addr = qword_addr(cmd + 1);

    if (ggtt && !gen9_privileged(e)) {
        gen9_violation(e);
        return true;
    }
    if (index) {
        addr = e->lrca + (cmd[1] & 0xff8);
    }
    switch (MI_FLUSH_DW_OP(cmd[0])) {
    case MI_FLUSH_DW_OP_STORE:
        if (n > 4) {
            return gen9_write64(e, ggtt, addr, gen9_addr(cmd[3], cmd[4]));
        }
        return gen9_write32(e, ggtt, addr, n > 3 ? cmd[3] : 0);
    case MI_FLUSH_DW_OP_TIMESTAMP:
        return gen9_write64(e, ggtt, addr, gen9_timestamp(e->gpu));
    }
    return true;
}

static Gen9Exec flush_dw(Gen9Engine *e, const uint32_t *cmd, unsigned n)
{
    if (cmd[0] & MI_FLUSH_DW_TLB_INVALIDATE) {
        gen9_tlb_flush_ppgtt(e);
    }
    if (MI_FLUSH_DW_OP(cmd[0]) != MI_FLUSH_DW_OP_NONE &&
        !flush_store(e, cmd, n)) {
        return GEN9_EXEC_HALT;
    }
    if (cmd[0] & MI_FLUSH_DW_NOTIFY) {
        gen9_lock(e->gpu);
        gen9_engine_irq(e, GT_IRQ_FLUSH_NOTIFY);
        gen9_unlock(e->gpu);
    }
    return GEN9_EXEC_NEXT;
}

/* Commands that are not here are known by their length, and do nothing. */
static const MiHandler handlers[64] = {
    [OP_MI_NOOP] = noop,
    [OP_MI_SET_PREDICATE] = set_predicate,
    [OP_MI_USER_INTERRUPT] = user_interrupt,
    [OP_MI_REPORT_HEAD] = report_head,
    [OP_MI_ARB_ON_OFF] = arb_on_off,
    [OP_MI_BATCH_BUFFER_END] = batch_end,
    [OP_MI_PREDICATE] = predicate,
    [OP_MI_MATH] = gen9_mi_math,
    [OP_MI_SEMAPHORE_SIGNAL] = semaphore_signal,
    [OP_MI_SEMAPHORE_WAIT] = semaphore_wait,
    [OP_MI_STORE_DATA_IMM] = store_data_imm,
    [OP_MI_STORE_DATA_INDEX] = store_data_index,
    [OP_MI_LOAD_REGISTER_IMM] = load_register_imm,
    [OP_MI_UPDATE_GTT] = update_gtt,
    [OP_MI_STORE_REGISTER_MEM] = store_register_mem,
    [OP_MI_FLUSH_DW] = flush_dw,
    [OP_MI_REPORT_PERF_COUNT] = report_perf_count,
    [OP_MI_LOAD_REGISTER_MEM] = load_register_mem,
    [OP_MI_LOAD_REGISTER_REG] = load_register_reg,
    [OP_MI_COPY_MEM_MEM] = copy_mem_mem,
    [OP_MI_ATOMIC] = atomic,
    [OP_MI_BATCH_BUFFER_START] = batch_start,
    [OP_MI_COND_BATCH_BUFFER_END] = cond_batch_end,
};

Gen9Exec gen9_mi_exec(Gen9Engine *e, const struct gen_cmd *row,
                      const uint32_t *cmd, unsigned n)
{
    MiHandler exec = handlers[MI_OPCODE(cmd[0])];

    if (!exec) {
        return GEN9_EXEC_NEXT;
    }
    return n < row->min ? GEN9_EXEC_UNKNOWN : exec(e, cmd, n);
}
