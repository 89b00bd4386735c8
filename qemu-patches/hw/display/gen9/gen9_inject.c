/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: error injection.
 *
 * Each kind of error has a count, which is set from outside and reduced by one
 * each time the error happens. Counts are atomic words, as engines' threads
 * reduce them while they are set.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

static const char *const gpu_injection_names[GEN9_NR_GPU_INJECTIONS] = {
    [GEN9_INJ_DROP_IRQ] = "drop-interrupts",
    [GEN9_INJ_FAIL_FULL_RESET] = "fail-full-reset",
};

static const char *const engine_injection_names[GEN9_NR_ENGINE_INJECTIONS] = {
    [GEN9_INJ_FAIL_READY] = "fail-ready",
    [GEN9_INJ_FAIL_RESET] = "fail-reset",
    [GEN9_INJ_TLB_BUSY] = "tlb-busy",
    [GEN9_INJ_CSB_SHORT] = "csb-short",
    [GEN9_INJ_CSB_TWICE] = "csb-twice",
    [GEN9_INJ_CSB_STORM] = "csb-storm",
    [GEN9_INJ_LOAD_LATE] = "load-late",
};

bool gen9_inject_take(uint32_t *left)
{
    uint32_t now = gen9_load(left);

    do {
        if (now == 0 || now == GEN9_INJ_FOREVER) {
            return now;
        }
    } while (!__atomic_compare_exchange_n(left, &now, now - 1, false,
                                          __ATOMIC_RELAXED,
                                          __ATOMIC_RELAXED));
    return true;
}

void gen9_gpu_inject(Gen9Gpu *gpu, Gen9GpuInjection what, uint32_t times)
{
    gen9_trace(inject, gpu_injection_names[what], times);
    gen9_lock(gpu);
    gen9_store(&gpu->inject[what], times);
    if (what == GEN9_INJ_FAIL_FULL_RESET && !times) {
        gen9_gdrst_release(gpu, GDRST_FULL);
    }
    gen9_unlock(gpu);
}

uint32_t gen9_gpu_injections(Gen9Gpu *gpu, Gen9GpuInjection what)
{
    return gen9_load(&gpu->inject[what]);
}

void gen9_engine_inject(Gen9Gpu *gpu, int engine, Gen9EngineInjection what,
                        uint32_t times)
{
    Gen9Engine *e = &gpu->engine[engine];

    gen9_trace(inject_engine, e->info->name, engine_injection_names[what],
               times);
    gen9_lock(gpu);
    gen9_store(&e->inject[what], times);
    if (what == GEN9_INJ_FAIL_RESET && !times) {
        gen9_gdrst_release(gpu, e->info->reset_bit);
    } else if (what == GEN9_INJ_TLB_BUSY && !times) {
        gen9_tlb_release(e);
    }
    gen9_kick(e);
    gen9_unlock(gpu);
}

uint32_t gen9_engine_injections(Gen9Gpu *gpu, int engine,
                                Gen9EngineInjection what)
{
    return gen9_load(&gpu->engine[engine].inject[what]);
}

void gen9_inject_event(Gen9Gpu *gpu, int engine, uint64_t event)
{
    Gen9Engine *e = &gpu->engine[engine];

    gen9_trace(inject_event, e->info->name, event);
    gen9_store(&e->injected_event, event);
    gen9_engine_inject(gpu, engine, GEN9_INJ_CSB_STORM, 1);
}

void gen9_inject_hang(Gen9Gpu *gpu, int engine, uint64_t nth_command)
{
    Gen9Engine *e = &gpu->engine[engine];
    uint64_t done = gen9_load(&e->counters[GEN9_CNT_COMMANDS]);

    gen9_trace(inject_hang, e->info->name, nth_command);
    gen9_store(&e->hang_at, nth_command ? done + nth_command : 0);
}

uint64_t gen9_hang_left(Gen9Gpu *gpu, int engine)
{
    Gen9Engine *e = &gpu->engine[engine];
    uint64_t at = gen9_load(&e->hang_at);
    uint64_t done = gen9_load(&e->counters[GEN9_CNT_COMMANDS]);

    return !at ? 0 : at > done ? at - done : 1;
}

const char *gen9_gpu_injection_name(Gen9GpuInjection what)
{
    return gpu_injection_names[what];
}

const char *gen9_engine_injection_name(Gen9EngineInjection what)
{
    return engine_injection_names[what];
}
