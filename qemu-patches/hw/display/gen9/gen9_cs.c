/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: the command streamer. It finds and fetches the next command,
 * has it executed, and preempts the engine.
 */
#include "gen9_compat.h"
#include "gen9_int.h"
#include "gen9_cmd.h"

/* A batch that jumps back this often is looping ... */
#define LOOPS_IDLE      8           /* ... without writing anything */
#define LOOPS_BUSY      256
#define LOOP_PAUSE_NS   150000
#define SEMAPHORE_PAUSE_MIN_NS 5000
#define SEMAPHORE_PAUSE_MAX_NS 100000

#define ERROR_PRIVILEGE (1u << 2)   /* EIR: command privilege violation */

int gen9_level(const Gen9Engine *e)
{
    int level;

    for (level = GEN9_LEVEL_WA; level >= GEN9_LEVEL_BB; level--) {
        if (e->bb[level].on) {
            break;
        }
    }
    return level;
}

bool gen9_privileged(const Gen9Engine *e)
{
    int level = gen9_level(e);

    return level == GEN9_LEVEL_RING || e->bb[level].ggtt;
}

/* Refused accesses only show in EIR; the batch goes on. */
void gen9_violation(Gen9Engine *e)
{
    gen9_count(e, GEN9_CNT_BLOCKED, 1);
    if (gen9_ereg(e, RING_EMR) & ERROR_PRIVILEGE) {
        return;
    }
    gen9_lock(e->gpu);
    gen9_ereg_set(e, RING_EIR, gen9_ereg(e, RING_EIR) | ERROR_PRIVILEGE);
    gen9_engine_irq(e, GT_IRQ_CS_ERROR);
    gen9_unlock(e->gpu);
}

void gen9_advance(Gen9Engine *e, unsigned dwords)
{
    int level = gen9_level(e);

    if (level == GEN9_LEVEL_RING) {
        gen9_store(&e->head, (e->head + dwords * 4) % e->size);
    } else {
        gen9_store(&e->bb[level].addr, e->bb[level].addr + dwords * 4);
    }
}

/* Reads dwords [first, first + n) from the current position. */
static bool fetch(Gen9Engine *e, unsigned first, unsigned n)
{
    int level = gen9_level(e);
    uint32_t at;

    if (level != GEN9_LEVEL_RING) {
        return gen9_mem(e, e->bb[level].ggtt, e->bb[level].addr + first * 4,
                        e->cmd + first, n * 4, false);
    }
    at = (e->head + first * 4) % e->size;
    if (at + n * 4 <= e->size) {
        return gen9_mem(e, true, (uint64_t)e->start + at, e->cmd + first,
                        n * 4, false);
    }
    for (unsigned i = first; i < first + n; i++) {
        at = (e->head + i * 4) % e->size;
        if (!gen9_mem(e, true, (uint64_t)e->start + at, e->cmd + i, 4,
                      false)) {
            return false;
        }
    }
    return true;
}

/*
 * NOOPs from the current position on, where one lies: at most @max, and not
 * beyond the page.
 */
static unsigned count_noops(Gen9Engine *e, unsigned max)
{
    int level = gen9_level(e);
    const uint32_t *p;
    unsigned n = 0;
    size_t len;

    if (level == GEN9_LEVEL_RING) {
        uint32_t left = e->tail > e->head ? e->tail - e->head :
                        e->size - e->head;

        p = gen9_mem_peek(e, true, (uint64_t)e->start + e->head, &len);
        len = MIN(len, left);
    } else {
        p = gen9_mem_peek(e, e->bb[level].ggtt, e->bb[level].addr, &len);
        if (level == GEN9_LEVEL_WA && e->wa_end) {
            len = MIN(len, e->wa_end - e->bb[level].addr);
        }
    }
    max = MIN(max, len / 4);
    while (p && n < max && gen9_load(p + n) == 0) {
        n++;
    }
    return MAX(n, 1);
}

bool gen9_next_is_arbitration(Gen9Engine *e)
{
    uint32_t dw0;

    if (!fetch(e, 0, 1)) {
        return false;
    }
    dw0 = e->cmd[0];
    if (CMD_CLIENT(dw0) == CMD_CLIENT_MI) {
        return MI_OPCODE(dw0) == OP_MI_ARB_CHECK;
    }
    return CMD_CLIENT(dw0) == CMD_CLIENT_RENDER &&
           gen9_render_is_arbitration(e, dw0);
}

/* ---- the batches that belong to a context's restore ---- */

/* @bytes 0: until MI_BATCH_BUFFER_END. */
void gen9_wa_batch_start(Gen9Engine *e, uint32_t addr, uint32_t bytes)
{
    Gen9Batch *b = &e->bb[GEN9_LEVEL_WA];

    b->on = true;
    b->ggtt = true;
    b->addr = addr;
    e->wa_end = bytes ? (uint64_t)addr + bytes : 0;
}

/* After the indirect context batch the restore goes on. */
void gen9_wa_batch_end(Gen9Engine *e)
{
    bool indirect = e->wa_end;

    e->bb[GEN9_LEVEL_WA].on = false;
    e->wa_end = 0;
    if (indirect) {
        gen9_context_load_rest(e);
    }
}

static bool wa_batch_ended(Gen9Engine *e)
{
    Gen9Batch *b = &e->bb[GEN9_LEVEL_WA];

    if (!b->on || !e->wa_end || b->addr < e->wa_end) {
        return false;
    }
    gen9_wa_batch_end(e);
    return true;
}

/* ---- execution ---- */

/*
 * Whether the batch lacks the privilege for the command, which then is a NOOP:
 * the command table has volume 6's "User Mode Privileged Commands".
 */
static bool dropped(Gen9Engine *e, const struct gen_cmd *row, unsigned n)
{
    if (gen9_privileged(e) || gen_cmd_user(row, e->cmd, n) != GEN_USER_NOOP) {
        return false;
    }
    gen9_violation(e);
    return true;
}

static Gen9Exec blt_exec(Gen9Engine *e, unsigned n)
{
    uint64_t before = e->blt.bytes;

    e->blt.fault = false;
    e->blt.swctrl = gen9_ereg(e, BCS_SWCTRL) & 0xffff;
    if (!gen9_blt_exec(&e->blt, e->cmd, n)) {
        return GEN9_EXEC_UNKNOWN;
    }
    gen9_count(e, GEN9_CNT_BLT_BYTES, e->blt.bytes - before);
    return e->blt.fault ? GEN9_EXEC_HALT : GEN9_EXEC_NEXT;
}

static Gen9Exec dispatch(Gen9Engine *e, const struct gen_cmd *row, unsigned n)
{
    switch (CMD_CLIENT(e->cmd[0])) {
    case CMD_CLIENT_MI:
        return gen9_mi_exec(e, row, e->cmd, n);
    case CMD_CLIENT_BLT:
        return blt_exec(e, n);
    case CMD_CLIENT_RENDER:
        return gen9_render_exec(e, row, e->cmd, n);
    }
    return GEN9_EXEC_UNKNOWN;
}

static Gen9Exec instruction_error(Gen9Engine *e)
{
    gen9_count(e, GEN9_CNT_ERRORS, 1);
    gen9_log(e->gpu, "%s: unknown command 0x%x, context 0x%x", e->info->name,
             e->cmd[0], e->lrca);
    gen9_ereg_set(e, RING_IPEHR, e->cmd[0]);
    gen9_store(&e->halted, true);
    gen9_error(e, RING_ERROR_INSTRUCTION);
    return GEN9_EXEC_HALT;
}

static bool injected_hang(Gen9Engine *e)
{
    uint64_t at = gen9_load(&e->hang_at);

    if (likely(!at) || gen9_load(&e->counters[GEN9_CNT_COMMANDS]) < at) {
        return false;
    }
    gen9_trace(injected, e->info->name, "hang");
    gen9_store(&e->hang_at, 0);
    gen9_store(&e->halted, true);
    return true;
}

static Gen9Exec exec_noops(Gen9Engine *e, unsigned budget, unsigned *done)
{
    unsigned n = count_noops(e, budget);

    *done = n;
    gen9_count_own(e, GEN9_CNT_COMMANDS, n);
    gen9_cost(e, (uint64_t)n * e->gpu->config.timing.command_ns);
    gen9_advance(e, n);
    return GEN9_EXEC_JUMP;
}

/* Executes one command, or a run of NOOPs; @done says how many. */
static Gen9Exec exec_next(Gen9Engine *e, unsigned budget, unsigned *done)
{
    const struct gen_cmd *row;
    Gen9Exec result;
    unsigned n;

    *done = 1;
    if (injected_hang(e) || !fetch(e, 0, 1)) {
        return GEN9_EXEC_HALT;
    }
    if (e->cmd[0] == 0) {
        return exec_noops(e, budget, done);
    }
    gen9_count_own(e, GEN9_CNT_COMMANDS, 1);
    row = gen9_cmd_find(e->info->cls, e->cmd[0]);
    if (!row) {
        return instruction_error(e);
    }
    n = gen_cmd_length(row, e->cmd[0]);
    if (n > 1 && !fetch(e, 1, n - 1)) {
        return GEN9_EXEC_HALT;
    }
    e->cost_system = 0;         /* fetching is part of the command's cost */
    e->cost_local = 0;
    gen9_ereg_set(e, RING_IPEHR, e->cmd[0]);
    result = gen9_predicated_off(e) || dropped(e, row, n) ? GEN9_EXEC_NEXT :
             dispatch(e, row, n);
    gen9_cost_command(e);
    if (result == GEN9_EXEC_UNKNOWN) {
        return instruction_error(e);
    }
    if (result == GEN9_EXEC_NEXT) {
        gen9_advance(e, n);
    }
    return result;
}

static Gen9RunResult later(uint64_t wait_ns)
{
    return (Gen9RunResult) { .more = true, .wait_ns = wait_ns };
}

void gen9_set_waiting(Gen9Engine *e, bool waiting)
{
    if (e->waiting != waiting) {
        gen9_store(&e->waiting, waiting);
        gen9_add(&e->gpu->waiters, waiting ? 1u : -1u);
    }
}

/* A semaphore that is not satisfied is polled again after a growing pause. */
static Gen9RunResult semaphore_pause(Gen9Engine *e)
{
    uint64_t pause = MAX(e->semaphore_pause, SEMAPHORE_PAUSE_MIN_NS);

    e->semaphore_pause = MIN(2 * pause, SEMAPHORE_PAUSE_MAX_NS);
    return later(pause);
}

/* Engines that wait for memory to change poll when another has written. */
static void wake_waiters(Gen9Engine *e)
{
    if (!e->effect || !gen9_load(&e->gpu->waiters)) {
        return;
    }
    gen9_lock(e->gpu);
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        Gen9Engine *other = &e->gpu->engine[i];

        if (other != e && gen9_load(&other->waiting)) {
            gen9_kick(other);
        }
    }
    gen9_unlock(e->gpu);
}

static Gen9RunResult run(Gen9Engine *e, unsigned budget)
{
    const Gen9RunResult idle = { .idle = true };

    while (budget) {
        uint64_t ahead = gen9_ahead(e);
        unsigned done = 0;
        bool storm;

        if (unlikely(gen9_load_acq(&e->attention)) && gen9_attend(e)) {
            return later(0);
        }
        if (ahead) {
            return later(ahead);
        }
        storm = gen9_execlists_storm(e);
        switch (gen9_execlists_step(e)) {
        case GEN9_STEP_IDLE:
            if (storm) {
                budget--;
                continue;
            }
            return idle;
        case GEN9_STEP_AGAIN:
            budget--;
            continue;
        case GEN9_STEP_RUN:
            break;
        }
        if (wa_batch_ended(e)) {
            continue;
        }
        switch (exec_next(e, budget, &done)) {
        case GEN9_EXEC_WAIT:
            gen9_set_waiting(e, true);
            return semaphore_pause(e);
        case GEN9_EXEC_HALT:
            return idle;
        default:
            gen9_set_waiting(e, false);
            e->semaphore_pause = 0;
        }
        budget -= MIN(budget, done);
        if (e->loops > (e->effect ? LOOPS_BUSY : LOOPS_IDLE)) {
            e->loops = 0;
            return later(LOOP_PAUSE_NS);
        }
    }
    return later(0);
}

Gen9RunResult gen9_engine_run(Gen9Gpu *gpu, int engine, unsigned budget)
{
    Gen9Engine *e = &gpu->engine[engine];
    Gen9RunResult result = { .idle = true };
    uint32_t map_generation;

    if (!(gpu->config.engines & (1u << engine))) {
        return result;
    }
    gen9_lock(gpu);
    if (e->hold) {
        gen9_unlock(gpu);
        return result;          /* a kick follows when it is let go */
    }
    e->running = true;
    gen9_unlock(gpu);

    map_generation = gen9_load(&gpu->map_generation);
    if (e->map_generation != map_generation) {
        e->map_generation = map_generation;
        gen9_tlb_flush_all(e);
    }
    e->effect = false;
    result = run(e, budget);
    wake_waiters(e);

    gen9_lock(gpu);
    if (e->reset_wanted) {
        gen9_engine_reset(e);
    }
    e->running = false;
    e->sync_wanted = false;
    gen9_store(&e->attention, false);
    gen9_store(&e->interrupted, false);
    gen9_wake(gpu);
    gen9_unlock(gpu);
    return result;
}

void gen9_engine_interrupt(Gen9Gpu *gpu, int engine)
{
    Gen9Engine *e = &gpu->engine[engine];

    gen9_store(&e->interrupted, true);
    gen9_store_rel(&e->attention, true);
}
