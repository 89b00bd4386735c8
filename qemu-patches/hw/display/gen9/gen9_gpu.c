/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: life of a GPU, its locks and counters.
 */
#include "gen9_compat.h"
#include <stdarg.h>
#include <stdio.h>
#include "gen9_int.h"

/* Skylake GT2 has one video engine; bases and bits are the PRM's. */
const Gen9EngineInfo gen9_engine_info[GEN9_NR_ENGINES] = {
    [GEN9_RCS0] = {
        "rcs0", GEN_RCS0_BASE, GEN9_CLASS_RENDER, 0, 0, GDRST_RCS,
        GEN_FAULT_ENGINE_RCS, GEN_TLB_INV_RCS,
    },
    [GEN9_BCS0] = {
        "bcs0", GEN_BCS0_BASE, GEN9_CLASS_COPY, 0, 16, GDRST_BCS,
        GEN_FAULT_ENGINE_BCS, GEN_TLB_INV_BCS,
    },
    [GEN9_VCS0] = {
        "vcs0", GEN_VCS0_BASE, GEN9_CLASS_VIDEO, 1, 0, GDRST_VCS0,
        GEN_FAULT_ENGINE_VCS0, GEN_TLB_INV_VCS0,
    },
    [GEN9_VECS0] = {
        "vecs0", GEN_VECS0_BASE, GEN9_CLASS_ENHANCE, 3, 0, GDRST_VECS,
        GEN_FAULT_ENGINE_VECS, GEN_TLB_INV_VECS,
    },
};

static const char *const gpu_counter_names[GEN9_NR_GPU_COUNTERS] = {
    [GEN9_CNT_MMIO_READS] = "mmio-reads",
    [GEN9_CNT_MMIO_WRITES] = "mmio-writes",
    [GEN9_CNT_GGTT_WRITES] = "ggtt-writes",
    [GEN9_CNT_GGTT_FLUSHES] = "ggtt-flushes",
    [GEN9_CNT_APERTURE_READS] = "aperture-reads",
    [GEN9_CNT_APERTURE_WRITES] = "aperture-writes",
    [GEN9_CNT_APERTURE_STALE] = "aperture-stale",
    [GEN9_CNT_APERTURE_FAULTS] = "aperture-faults",
    [GEN9_CNT_DMA_FAULTS] = "dma-faults",
    [GEN9_CNT_DMA_REFUSED] = "dma-refused",
    [GEN9_CNT_INTERRUPTS] = "interrupts",
    [GEN9_CNT_INTERRUPTS_DROPPED] = "interrupts-dropped",
    [GEN9_CNT_ACTIVE_RESETS] = "active-resets",
};

static const char *const engine_counter_names[GEN9_NR_ENGINE_COUNTERS] = {
    [GEN9_CNT_SUBMITS] = "submits",
    [GEN9_CNT_CONTEXTS] = "contexts",
    [GEN9_CNT_LITE_RESTORES] = "lite-restores",
    [GEN9_CNT_PREEMPTIONS] = "preemptions",
    [GEN9_CNT_COMMANDS] = "commands",
    [GEN9_CNT_BATCHES] = "batches",
    [GEN9_CNT_STALE] = "stale",
    [GEN9_CNT_TLB_FLUSHES] = "tlb-flushes",
    [GEN9_CNT_FAULTS] = "faults",
    [GEN9_CNT_ERRORS] = "errors",
    [GEN9_CNT_BLOCKED] = "blocked",
    [GEN9_CNT_RESETS] = "resets",
    [GEN9_CNT_BLT_BYTES] = "blt-bytes",
    [GEN9_CNT_DISPATCHES] = "dispatches",
    [GEN9_CNT_RESIDUES] = "residues",
    [GEN9_CNT_BUSY_NS] = "busy-ns",
};

void gen9_lock(Gen9Gpu *gpu)
{
    if (gpu->ops->lock) {
        gpu->ops->lock(gpu->opaque);
    }
}

void gen9_unlock(Gen9Gpu *gpu)
{
    if (gpu->ops->unlock) {
        gpu->ops->unlock(gpu->opaque);
    }
}

void gen9_wait(Gen9Gpu *gpu)
{
    if (gpu->ops->wait) {
        gpu->ops->wait(gpu->opaque);
    }
}

void gen9_wake(Gen9Gpu *gpu)
{
    if (gpu->ops->wake) {
        gpu->ops->wake(gpu->opaque);
    }
}

uint64_t gen9_now(Gen9Gpu *gpu)
{
    return gpu->ops->now(gpu->opaque);
}

void gen9_kick(Gen9Engine *e)
{
    if (e->gpu->ops->kick) {
        e->gpu->ops->kick(e->gpu->opaque, e->id);
    }
}

void gen9_log(Gen9Gpu *gpu, const char *fmt, ...)
{
    char line[160];
    va_list ap;

    if (!gpu->ops->log) {
        return;
    }
    va_start(ap, fmt);
    vsnprintf(line, sizeof(line), fmt, ap);
    va_end(ap);
    gpu->ops->log(gpu->opaque, line);
}

static void engine_init(Gen9Gpu *gpu, int id)
{
    Gen9Engine *e = &gpu->engine[id];

    e->gpu = gpu;
    e->id = id;
    e->info = &gen9_engine_info[id];
    e->base = e->info->base;
    e->cmd = calloc(GEN9_CMD_MAX_DWORDS, sizeof(uint32_t));
    e->blt.opaque = e;
    e->blt.mem = gen9_mem_blt;
    e->injected_event = (CSB_COMPLETE | CSB_ACTIVE_IDLE) | 0xffffffffULL << 32;
    gen9_tlb_flush_all(e);
}

Gen9Gpu *gen9_gpu_new(const Gen9Config *config, const Gen9HostOps *ops,
                      void *opaque)
{
    Gen9Gpu *gpu = calloc(1, sizeof(*gpu));

    gpu->config = *config;
    if (!gpu->config.gen) {
        gpu->config.gen = 9;
    }
    if (!gpu->config.engines) {
        gpu->config.engines = GEN9_ALL_ENGINES;
    }
    gpu->ops = ops;
    gpu->opaque = opaque;
    gpu->regs = calloc(GEN9_NR_REGS, sizeof(*gpu->regs));
    gpu->rule = calloc(GEN9_NR_REGS, sizeof(*gpu->rule));
    gpu->user = calloc(GEN9_NR_REGS, sizeof(*gpu->user));
    gpu->gsm = config->gsm;
    if (!gpu->gsm) {
        gpu->own_gsm = true;
        gpu->gsm = calloc(1, GEN_GSM_SIZE);
    }
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        engine_init(gpu, i);
    }
    gen9_regs_init(gpu);
    gen9_gpu_reset(gpu);
    return gpu;
}

void gen9_gpu_free(Gen9Gpu *gpu)
{
    if (!gpu) {
        return;
    }
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        free(gpu->engine[i].cmd);
    }
    if (gpu->own_gsm) {
        free(gpu->gsm);
    }
    free(gpu->user);
    free(gpu->rule);
    free(gpu->regs);
    free(gpu);
}

void gen9_gpu_reset(Gen9Gpu *gpu)
{
    gen9_trace(gpu_reset);
    gen9_lock(gpu);
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        gen9_engine_hold(&gpu->engine[i]);
        if (gen9_load(&gpu->engine[i].active)) {
            gen9_add(&gpu->counters[GEN9_CNT_ACTIVE_RESETS], 1);
        }
    }
    gen9_regs_reset(gpu);
    memset(gpu->gsm, 0, GEN_GSM_SIZE);
    gen9_ggtt_flush(gpu, false);
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        gen9_engine_reset(&gpu->engine[i]);
        gpu->engine[i].residue.left = false;
        gen9_engine_unhold(&gpu->engine[i]);
    }
    gen9_add(&gpu->map_generation, 1);
    gen9_irq_update(gpu);
    gen9_unlock(gpu);
}

void gen9_gpu_memory_changed(Gen9Gpu *gpu)
{
    gen9_add(&gpu->map_generation, 1);
}

/* Engines look at what memory there is when they begin to run. */
void gen9_gpu_memory_settle(Gen9Gpu *gpu)
{
    gen9_lock(gpu);
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        gpu->engine[i].finishing = true;
        gen9_engine_hold(&gpu->engine[i]);
    }
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        gpu->engine[i].finishing = false;
        gen9_engine_unhold(&gpu->engine[i]);
    }
    gen9_unlock(gpu);
}

void gen9_gpu_dma_refused(Gen9Gpu *gpu)
{
    gen9_trace(dma_refused);
    gen9_add(&gpu->counters[GEN9_CNT_DMA_REFUSED], 1);
}

void gen9_gpu_dma_fault(Gen9Gpu *gpu, uint64_t pa, size_t len, bool write)
{
    gen9_trace(dma_fault, pa, len, write);
    gen9_add(&gpu->counters[GEN9_CNT_DMA_FAULTS], 1);
    gen9_log(gpu, "no memory for a %s of %zu bytes at 0x%" PRIx64,
             write ? "write" : "read", len, pa);
}

uint64_t gen9_gpu_counter(Gen9Gpu *gpu, Gen9GpuCounter counter)
{
    return gen9_load(&gpu->counters[counter]);
}

uint64_t gen9_engine_counter(Gen9Gpu *gpu, int engine,
                             Gen9EngineCounter counter)
{
    Gen9Engine *e = &gpu->engine[engine];
    uint64_t value;

    if (counter != GEN9_CNT_BUSY_NS) {
        return gen9_load(&e->counters[counter]);
    }
    gen9_lock(gpu);
    value = e->busy_ns;
    if (gen9_load(&e->active)) {
        value += gen9_now(gpu) - e->active_since;
    }
    gen9_unlock(gpu);
    return value;
}

const char *gen9_gpu_counter_name(Gen9GpuCounter counter)
{
    return gpu_counter_names[counter];
}

const char *gen9_engine_counter_name(Gen9EngineCounter counter)
{
    return engine_counter_names[counter];
}

const char *gen9_engine_name(int engine)
{
    return gen9_engine_info[engine].name;
}
