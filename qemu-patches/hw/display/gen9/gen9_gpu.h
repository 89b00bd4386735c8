/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: public interface of the host-neutral core.
 *
 * The core is a passive machine. The host (the QEMU device, or a test) feeds
 * it register, GGTT and aperture accesses, runs its engines in slices, and
 * gives it memory, time and an interrupt line through Gen9HostOps.
 *
 * Threads. Register, GGTT and aperture accesses may come from any thread, and
 * each engine may be run by a thread of its own (never one engine by two at
 * once). The core serialises itself with ops->lock. Without lock operations
 * everything must happen in one thread.
 */
#ifndef GEN9_GPU_H
#define GEN9_GPU_H

#include "gen9_compat.h"
#include "gen9_cmd.h"          /* Gen9EngineClass */

typedef struct Gen9Gpu Gen9Gpu;

typedef enum Gen9EngineId {
    GEN9_RCS0,
    GEN9_BCS0,
    GEN9_VCS0,
    GEN9_VECS0,
    GEN9_NR_ENGINES,
} Gen9EngineId;

#define GEN9_ALL_ENGINES ((1u << GEN9_NR_ENGINES) - 1)

/*
 * Operations of the host for the core. Each may be called from an engine's
 * thread, and none may wait for a thread that is inside the core.
 * lock, unlock, wait and wake may be NULL (single thread), as may map, log.
 */
typedef struct Gen9HostOps {
    /* System memory at a DMA address, inside one 4 KB page; false: no RAM. */
    bool (*read)(void *opaque, uint64_t pa, void *buf, size_t len);
    bool (*write)(void *opaque, uint64_t pa, const void *buf, size_t len);
    /*
     * The page that holds pa, for reading only; NULL: use read(). Must stay
     * valid until the gen9_engine_run() that asked for it returns; announce
     * changes of the memory map with gen9_gpu_memory_changed().
     */
    const void *(*map)(void *opaque, uint64_t pa);
    /* The interrupt line: a rising edge is one MSI. Called with the lock. */
    void (*irq)(void *opaque, bool level);
    /* Nanoseconds, monotonic, standing still while the machine is stopped. */
    uint64_t (*now)(void *opaque);
    /* The engine has something to do: run it soon. Called with the lock. */
    void (*kick)(void *opaque, int engine);
    /* The GPU lock, and a condition that wake() broadcasts. */
    void (*lock)(void *opaque);
    void (*unlock)(void *opaque);
    void (*wait)(void *opaque);
    void (*wake)(void *opaque);
    /* One line, without a newline; only for what software did wrong. */
    void (*log)(void *opaque, const char *line);
} Gen9HostOps;

/* What commands cost. All zero or on == false: everything is immediate. */
typedef struct Gen9Timing {
    bool on;
    uint64_t system_mbps;       /* bandwidth of system memory, MB/s; 0: free */
    uint64_t local_mbps;        /* bandwidth of local memory, MB/s; 0: free */
    uint32_t command_ns;        /* every command */
    uint32_t primitive_ns;      /* 3DPRIMITIVE, GPGPU_WALKER, MEDIA_OBJECT... */
    uint32_t context_ns;        /* loading a context */
} Gen9Timing;

typedef struct Gen9Config {
    unsigned gen;               /* 8 (Broadwell) or 9 (Skylake); 0: 9 */
    uint32_t engines;           /* mask of 1 << Gen9EngineId; 0: all */
    bool display;               /* pipes present, else fused off */
    bool strict_blitter;        /* bcs checks registers as the others do */
    bool head_last;             /* each save writes HEAD last; off: by turns */
    bool tlb_at_once;           /* a TLB register's write invalidates at once */
    bool load_at_once;          /* an idle engine loads at once; off: by turns */
    uint32_t ggtt_mb;           /* size of the GGTT's entries: 2, 4, 8; 0: 8 */
    uint64_t *gsm;              /* GGTT entries (8 MB); NULL: own memory */
    uint8_t *local;             /* local memory, or NULL */
    uint64_t local_size;
    Gen9Timing timing;
} Gen9Config;

typedef struct Gen9RunResult {
    bool idle;                  /* nothing to do until a kick */
    bool more;                  /* run again, after wait_ns */
    uint64_t wait_ns;
} Gen9RunResult;

Gen9Gpu *gen9_gpu_new(const Gen9Config *config, const Gen9HostOps *ops,
                      void *opaque);
void gen9_gpu_free(Gen9Gpu *gpu);

/* Cold reset: registers, engines, TLBs and GGTT entries as after power-on. */
void gen9_gpu_reset(Gen9Gpu *gpu);

/* BAR0, registers. Any offset and a size of 1, 2, 4 or 8. */
uint64_t gen9_mmio_read(Gen9Gpu *gpu, uint64_t offset, unsigned size);
void gen9_mmio_write(Gen9Gpu *gpu, uint64_t offset, unsigned size,
                     uint64_t value);
/* BAR0 + 8 MB, GGTT entries: offset from the start of the entries. */
uint64_t gen9_gsm_read(Gen9Gpu *gpu, uint64_t offset, unsigned size);
void gen9_gsm_write(Gen9Gpu *gpu, uint64_t offset, unsigned size,
                    uint64_t value);
/* BAR2, through fences and GGTT. */
uint64_t gen9_aperture_read(Gen9Gpu *gpu, uint64_t offset, unsigned size);
void gen9_aperture_write(Gen9Gpu *gpu, uint64_t offset, unsigned size,
                         uint64_t value);

/* Runs at most budget commands of an engine. */
Gen9RunResult gen9_engine_run(Gen9Gpu *gpu, int engine, unsigned budget);

/*
 * Asks a running gen9_engine_run() to return soon (for pausing); the next
 * call goes on where it stopped.
 */
void gen9_engine_interrupt(Gen9Gpu *gpu, int engine);

/* Counts an access for which the host has no memory. */
void gen9_gpu_dma_fault(Gen9Gpu *gpu, uint64_t pa, size_t len, bool write);

/* Counts an access of a device that may not access memory. */
void gen9_gpu_dma_refused(Gen9Gpu *gpu);

/* Pointers from ops->map() are no longer valid. Never blocks. */
void gen9_gpu_memory_changed(Gen9Gpu *gpu);

/* Returns when no engine uses an older one any more. */
void gen9_gpu_memory_settle(Gen9Gpu *gpu);

/*
 * Error injection (gen9_inject.c). Each error happens the given number of
 * times, or until it is set to 0. The number that is left can be read.
 */
#define GEN9_INJ_FOREVER UINT32_MAX

typedef enum Gen9GpuInjection {
    GEN9_INJ_DROP_IRQ,          /* the line rises, and no message is sent */
    GEN9_INJ_FAIL_FULL_RESET,   /* nothing is reset, GDRST's bit stays */
    GEN9_NR_GPU_INJECTIONS,
} Gen9GpuInjection;

typedef enum Gen9EngineInjection {
    GEN9_INJ_FAIL_READY,        /* RESET_CTL does not get ready */
    GEN9_INJ_FAIL_RESET,        /* it is not reset, its bit in GDRST stays */
    GEN9_INJ_TLB_BUSY,          /* PPGTT invalidations do not end */
    GEN9_INJ_CSB_SHORT,         /* complete with commands left in the ring */
    GEN9_INJ_CSB_TWICE,         /* an event is reported twice */
    GEN9_INJ_CSB_STORM,         /* events without a cause */
    GEN9_INJ_LOAD_LATE,         /* loads when the next list is there */
    GEN9_NR_ENGINE_INJECTIONS,
} Gen9EngineInjection;

void gen9_gpu_inject(Gen9Gpu *gpu, Gen9GpuInjection what, uint32_t times);
uint32_t gen9_gpu_injections(Gen9Gpu *gpu, Gen9GpuInjection what);
void gen9_engine_inject(Gen9Gpu *gpu, int engine, Gen9EngineInjection what,
                        uint32_t times);
uint32_t gen9_engine_injections(Gen9Gpu *gpu, int engine,
                                Gen9EngineInjection what);
/*
 * One event, status and context id as in memory, as soon as the engine's
 * execlists are on; a storm repeats the last one. Before the first it is a
 * completion of context 0xffffffff.
 */
void gen9_inject_event(Gen9Gpu *gpu, int engine, uint64_t event);
/* The engine hangs for good at its nth command from now. */
void gen9_inject_hang(Gen9Gpu *gpu, int engine, uint64_t nth_command);
/* Commands that are left until then; 0 when it has hung. */
uint64_t gen9_hang_left(Gen9Gpu *gpu, int engine);

/* Counters: independent of any driver, never reset. */
typedef enum Gen9GpuCounter {
    GEN9_CNT_MMIO_READS,
    GEN9_CNT_MMIO_WRITES,
    GEN9_CNT_GGTT_WRITES,       /* PTEs */
    GEN9_CNT_GGTT_FLUSHES,
    GEN9_CNT_APERTURE_READS,
    GEN9_CNT_APERTURE_WRITES,
    GEN9_CNT_APERTURE_STALE,    /* stale TLB hits of the aperture */
    GEN9_CNT_APERTURE_FAULTS,
    GEN9_CNT_DMA_FAULTS,        /* accesses that no memory answered */
    GEN9_CNT_DMA_REFUSED,       /* accesses without bus mastering */
    GEN9_CNT_INTERRUPTS,
    GEN9_CNT_INTERRUPTS_DROPPED,
    GEN9_CNT_ACTIVE_RESETS,     /* of the machine, a context being on */
    GEN9_NR_GPU_COUNTERS,
} Gen9GpuCounter;

typedef enum Gen9EngineCounter {
    GEN9_CNT_SUBMITS,           /* ELSP writes */
    GEN9_CNT_CONTEXTS,          /* contexts loaded */
    GEN9_CNT_LITE_RESTORES,
    GEN9_CNT_PREEMPTIONS,
    GEN9_CNT_COMMANDS,
    GEN9_CNT_BATCHES,
    GEN9_CNT_STALE,             /* TLB hits after the PTE has changed */
    GEN9_CNT_TLB_FLUSHES,
    GEN9_CNT_FAULTS,
    GEN9_CNT_ERRORS,            /* unknown commands */
    GEN9_CNT_BLOCKED,           /* privileged accesses of user batches */
    GEN9_CNT_RESETS,
    GEN9_CNT_BLT_BYTES,
    GEN9_CNT_DISPATCHES,        /* commands that dispatch threads */
    GEN9_CNT_RESIDUES,          /* of them, on another context's residue */
    GEN9_CNT_BUSY_NS,
    GEN9_NR_ENGINE_COUNTERS,
} Gen9EngineCounter;

uint64_t gen9_gpu_counter(Gen9Gpu *gpu, Gen9GpuCounter counter);
uint64_t gen9_engine_counter(Gen9Gpu *gpu, int engine,
                             Gen9EngineCounter counter);
/* Names as in "ggtt-writes", "busy-ns"; engines "rcs0", "bcs0"... */
const char *gen9_gpu_counter_name(Gen9GpuCounter counter);
const char *gen9_engine_counter_name(Gen9EngineCounter counter);
const char *gen9_engine_name(int engine);
/* As in "drop-interrupts", "fail-reset". */
const char *gen9_gpu_injection_name(Gen9GpuInjection what);
const char *gen9_engine_injection_name(Gen9EngineInjection what);

#endif
