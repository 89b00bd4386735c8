/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: the core's own types.
 *
 * Ownership. An engine that runs belongs to the thread in its
 * gen9_engine_run(), which alone accesses the ring position, batches, TLBs and
 * the loaded context. What other threads access is protected by the GPU lock
 * (pending execlist, hold, interrupts, registers with side effects), or is a
 * single word that is read and written atomically (plain registers, TLB
 * generations, the attention flag). The lock is held for short times only,
 * never while commands execute.
 *
 * To take an engine away from its thread (reset) or to be sure that it has
 * no translation in use (TLB invalidation), a register handler raises the
 * engine's attention flag and waits; the engine looks at the flag between
 * commands and between the pages of a long access.
 */
#ifndef GEN9_INT_H
#define GEN9_INT_H

#include "gen9_gpu.h"
#include "gen9_blt.h"
#include "gen9_trace.h"
#include "gen/regs.h"
#include "gen/gtt.h"
#include "gen/lrc.h"
#include "gen/cmds.h"

#define GEN9_NR_REGS        (GEN_MMIO_SIZE / 4)
#define GEN9_GGTT_TLB_SIZE  256
#define GEN9_PPGTT_TLB_SIZE 1024
#define GEN9_NO_PAGE        UINT64_MAX

typedef struct Gen9Engine Gen9Engine;

/* One step of a page walk: where the entry lies, and what it was. */
typedef struct Gen9WalkStep {
    uint64_t pa;
    uint64_t value;
    const uint64_t *host;       /* the entry itself, when mapped */
} Gen9WalkStep;

typedef struct Gen9TlbEntry {
    uint64_t page;              /* graphics address >> 12 */
    uint32_t generation;
    bool writable;
    bool local;
    uint8_t steps;
    uint64_t pa;                /* of the 4 KB page */
    const uint8_t *host;        /* the page, for reading; may be NULL */
    Gen9WalkStep walk[GEN_PPGTT_LEVELS];
} Gen9TlbEntry;

/* A position in a batch buffer. */
typedef struct Gen9Batch {
    bool on;
    bool ggtt;                  /* in GGTT: privileged */
    uint64_t addr;
} Gen9Batch;

/* State that threads of a context have left in EUs and shared local memory. */
typedef struct Gen9Residue {
    bool left;
    uint32_t lrca;
    uint64_t pml4;
} Gen9Residue;

/* Sources of commands; the engine executes from the highest one that is on. */
enum {
    GEN9_LEVEL_RING = -1,
    GEN9_LEVEL_BB,
    GEN9_LEVEL_SBB,             /* second level batch */
    GEN9_LEVEL_WA,              /* indirect context and per context batches */
    GEN9_NR_LEVELS,
};

/* What an engine that loads a context late waits for. */
typedef enum Gen9Late {
    GEN9_NOT_LATE,
    GEN9_LATE_CLOCK,            /* the clock, to read the image */
    GEN9_LATE_LOAD,             /* the next list, to read the image */
    GEN9_LATE_LIST,             /* its end or the clock, for the list */
} Gen9Late;

typedef struct Gen9EngineInfo {
    const char *name;
    uint32_t base;
    Gen9EngineClass cls;
    uint8_t irq_group;          /* of GEN_GT_IIR() */
    uint8_t irq_shift;
    uint32_t reset_bit;         /* in GEN_GDRST */
    uint32_t fault_id;          /* GEN_FAULT_ENGINE_* */
    uint32_t tlb_reg;           /* GEN_TLB_INV_* */
} Gen9EngineInfo;

struct Gen9Engine {
    Gen9Gpu *gpu;
    const Gen9EngineInfo *info;
    int id;
    uint32_t base;

    /* Under the GPU lock. */
    uint32_t elsp[4];
    unsigned elsp_count;
    uint64_t pending[2];
    unsigned hold;              /* > 0: must not run */
    bool finishing;             /* held, but its command is not given up */
    bool running;               /* inside gen9_engine_run() */
    bool sync_wanted;           /* a thread waits until it accesses nothing */
    bool reset_wanted;          /* by a command: at the end of its slice */
    unsigned csb_ptr;
    uint64_t active_since;
    uint64_t busy_ns;

    /* Atomic words. */
    bool attention;             /* look at hold, sync_wanted, interrupted */
    bool interrupted;
    bool has_pending;           /* written under the lock */
    bool active;                /* a context was reported as active; same */
    bool halted;                /* hang, fault or error: until reset */
    bool waiting;               /* for a semaphore */
    uint32_t ppgtt_generation;
    uint64_t hang_at;           /* command count, 0: never */
    uint32_t inject[GEN9_NR_ENGINE_INJECTIONS]; /* times left */
    uint64_t injected_event;
    uint64_t counters[GEN9_NR_ENGINE_COUNTERS];

    /* The running thread's own. */
    uint64_t desc[2];
    unsigned element;           /* which of desc[] runs */
    Gen9Late late;
    uint64_t late_until;        /* GEN9_LATE_LIST: looks at the list then */
    bool late_next;             /* the next load from idle is late */
    uint32_t lrca;
    uint32_t ctx_id;
    bool four_level;
    uint64_t pdp[4];
    uint32_t head, tail, start, size;
    Gen9Batch bb[GEN9_NR_LEVELS];
    uint64_t wa_end;            /* of the indirect context batch, or 0 */
    unsigned load_from;         /* rest of the image: page and dword, or 0 */
    bool head_last;             /* the next save writes HEAD last, not first */
    bool tlb_waits;             /* an invalidation by the CPU is not done yet */
    bool arbitrate;             /* MI_ARB_ON_OFF */
    bool gpgpu;                 /* PIPELINE_SELECT */
    Gen9Residue residue;
    uint8_t predicate;          /* MI_SET_PREDICATE */
    bool aborted;               /* an access was given up for a reset */
    uint32_t ctx_timestamp;     /* at loaded_at */
    uint64_t loaded_at;
    uint64_t busy_until;        /* the engine pauses until then; 0: no pause */
    uint64_t cost_system, cost_local;   /* bytes of the current command */
    unsigned loops;             /* backward jumps of the batch */
    bool effect;                /* something was written in this slice */
    uint64_t semaphore_pause;
    uint32_t map_generation;
    Gen9Blt blt;
    uint32_t *cmd;              /* GEN9_CMD_MAX_DWORDS */
    Gen9TlbEntry ggtt_tlb[GEN9_GGTT_TLB_SIZE];
    Gen9TlbEntry ppgtt_tlb[GEN9_PPGTT_TLB_SIZE];
};

struct Gen9Gpu {
    Gen9Config config;
    const Gen9HostOps *ops;
    void *opaque;

    uint32_t *regs;             /* atomic words; some also need the lock */
    uint8_t *rule;              /* rule number of a register */
    uint8_t *user;              /* 1 << engine: its user batches may write */
    uint64_t *gsm;
    bool own_gsm;

    bool irq_level;
    uint32_t inject[GEN9_NR_GPU_INJECTIONS];    /* times left, atomic */
    uint32_t ggtt_generation;
    uint32_t map_generation;
    uint32_t waiters;           /* engines that wait for a semaphore */
    uint64_t counters[GEN9_NR_GPU_COUNTERS];

    Gen9TlbEntry aperture_tlb[GEN9_GGTT_TLB_SIZE];      /* under the lock */
    Gen9Engine engine[GEN9_NR_ENGINES];
};

extern const Gen9EngineInfo gen9_engine_info[GEN9_NR_ENGINES];

static inline bool gen9_is_gen8(const Gen9Gpu *gpu)
{
    return gpu->config.gen == 8;
}

/* Registers as words; no side effects. */
static inline uint32_t gen9_reg(Gen9Gpu *gpu, uint32_t offset)
{
    return gen9_load(&gpu->regs[offset / 4]);
}

static inline void gen9_reg_set(Gen9Gpu *gpu, uint32_t offset, uint32_t value)
{
    gen9_store(&gpu->regs[offset / 4], value);
}

static inline uint32_t gen9_ereg(Gen9Engine *e, uint32_t reg)
{
    return gen9_reg(e->gpu, e->base + reg);
}

static inline void gen9_ereg_set(Gen9Engine *e, uint32_t reg, uint32_t value)
{
    gen9_reg_set(e->gpu, e->base + reg, value);
}

static inline uint64_t gen9_ereg64(Gen9Engine *e, uint32_t reg)
{
    return gen9_ereg(e, reg) | (uint64_t)gen9_ereg(e, reg + 4) << 32;
}

static inline void gen9_ereg64_set(Gen9Engine *e, uint32_t reg, uint64_t value)
{
    gen9_ereg_set(e, reg, value);
    gen9_ereg_set(e, reg + 4, value >> 32);
}

static inline uint64_t gen9_ggtt_entries(const Gen9Gpu *gpu)
{
    unsigned mb = gpu->config.ggtt_mb ? gpu->config.ggtt_mb : 8;

    return GEN_GGTT_ENTRIES / 8 * mb;
}

static inline uint64_t gen9_addr(uint32_t low, uint32_t high)
{
    return low | (uint64_t)high << 32;
}

static inline void gen9_count(Gen9Engine *e, Gen9EngineCounter counter,
                              uint64_t n)
{
    gen9_add(&e->counters[counter], n);
}

/* The same where only the thread that runs the engine counts. */
static inline void gen9_count_own(Gen9Engine *e, Gen9EngineCounter counter,
                                  uint64_t n)
{
    gen9_store(&e->counters[counter], gen9_load(&e->counters[counter]) + n);
}

/* gen9_gpu.c */
void gen9_lock(Gen9Gpu *gpu);
void gen9_unlock(Gen9Gpu *gpu);
void gen9_wait(Gen9Gpu *gpu);
void gen9_wake(Gen9Gpu *gpu);
uint64_t gen9_now(Gen9Gpu *gpu);
void gen9_kick(Gen9Engine *e);
void gen9_log(Gen9Gpu *gpu, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* gen9_regs.c */
/* GEN9_MASKED: the high half of a write selects bits of the low half. */
typedef enum Gen9Access {
    GEN9_PLAIN,
    GEN9_RO,
    GEN9_MASKED,
    GEN9_W1C,
} Gen9Access;

typedef struct Gen9RegRule {
    uint32_t offset;            /* relative to the base in engine tables */
    uint32_t count;             /* dwords */
    Gen9Access access;
    /* Called with the lock. @e: the engine of an engine's register. */
    uint32_t (*read)(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset);
    /* @from: the engine that executes it, NULL for the CPU. */
    void (*write)(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset, uint32_t value,
                  Gen9Engine *from);
} Gen9RegRule;

void gen9_regs_init(Gen9Gpu *gpu);
void gen9_regs_reset(Gen9Gpu *gpu);
bool gen9_reg_is_masked(Gen9Gpu *gpu, uint32_t offset);
Gen9Engine *gen9_reg_engine(Gen9Gpu *gpu, uint32_t offset);
/* Accesses by commands; registers beyond the file read 0, drop writes. */
uint32_t gen9_cs_reg_read(Gen9Engine *e, uint32_t offset);
bool gen9_cs_reg_write(Gen9Engine *e, uint32_t offset, uint32_t value,
                       bool privileged);

/* gen9_pm.c, gen9_ereg.c: tables of rules, ended by count 0 */
extern const Gen9RegRule gen9_global_rules[];
extern const Gen9RegRule gen9_engine_rules[];
/* In the place of those, on Gen8; the second of engines other than rcs. */
extern const Gen9RegRule gen8_global_rules[];
extern const Gen9RegRule gen8_xcs_rules[];
void gen9_pm_reset(Gen9Gpu *gpu);

/* gen9_irq.c; all with the lock */
void gen9_irq_update(Gen9Gpu *gpu);
void gen9_engine_irq(Gen9Engine *e, uint32_t bits);
extern const Gen9RegRule gen9_irq_rules[];

/* gen9_mem.c */
bool gen9_mem(Gen9Engine *e, bool ggtt, uint64_t addr, void *buf, size_t len,
              bool write);
/* Bytes at addr, at most to the end of its page; NULL: fault or unmapped. */
const void *gen9_mem_peek(Gen9Engine *e, bool ggtt, uint64_t addr,
                          size_t *len);
bool gen9_mem_blt(void *opaque, uint64_t addr, void *buf, size_t len,
                  bool write);
void gen9_tlb_flush_all(Gen9Engine *e);
void gen9_tlb_flush_ppgtt(Gen9Engine *e);

static inline bool gen9_read32(Gen9Engine *e, bool ggtt, uint64_t addr,
                               uint32_t *value)
{
    *value = 0;
    return gen9_mem(e, ggtt, addr, value, 4, false);
}

static inline bool gen9_read64(Gen9Engine *e, bool ggtt, uint64_t addr,
                               uint64_t *value)
{
    *value = 0;
    return gen9_mem(e, ggtt, addr, value, 8, false);
}

static inline bool gen9_write32(Gen9Engine *e, bool ggtt, uint64_t addr,
                                uint32_t value)
{
    return gen9_mem(e, ggtt, addr, &value, 4, true);
}

static inline bool gen9_write64(Gen9Engine *e, bool ggtt, uint64_t addr,
                                uint64_t value)
{
    return gen9_mem(e, ggtt, addr, &value, 8, true);
}

/* gen9_ggtt.c */
uint64_t gen9_gsm_pte(Gen9Gpu *gpu, uint64_t page);
void gen9_gsm_update(Gen9Gpu *gpu, uint64_t page, uint64_t pte);
void gen9_ggtt_flush(Gen9Gpu *gpu, bool wait);
bool gen9_local_access(Gen9Gpu *gpu, uint64_t pa, void *buf, size_t len,
                       bool write);

/* gen9_execlists.c */
typedef enum Gen9Step {
    GEN9_STEP_IDLE,             /* nothing to run until a kick */
    GEN9_STEP_AGAIN,            /* something changed: ask again */
    GEN9_STEP_RUN,              /* execute the next command */
} Gen9Step;

Gen9Step gen9_execlists_step(Gen9Engine *e);
void gen9_execlists_reset(Gen9Engine *e);
void gen9_elsp_write(Gen9Engine *e, uint32_t value);
bool gen9_execlists_storm(Gen9Engine *e);       /* an injected event */

/* gen9_context.c */
void gen9_context_load(Gen9Engine *e, uint64_t desc);
void gen9_context_load_rest(Gen9Engine *e);
void gen9_context_save(Gen9Engine *e);
void gen9_context_reload_tail(Gen9Engine *e);
void gen9_context_reset(Gen9Engine *e);
uint32_t gen9_context_timestamp(Gen9Engine *e);
uint64_t gen9_timestamp(Gen9Gpu *gpu);

/* gen9_cs.c */
typedef enum Gen9Exec {
    GEN9_EXEC_NEXT,             /* go on behind the command */
    GEN9_EXEC_JUMP,             /* the position has been set */
    GEN9_EXEC_WAIT,             /* try this command again later */
    GEN9_EXEC_HALT,             /* fault, error or abort */
    GEN9_EXEC_UNKNOWN,          /* not a command: instruction error */
} Gen9Exec;

int gen9_level(const Gen9Engine *e);
bool gen9_privileged(const Gen9Engine *e);
void gen9_advance(Gen9Engine *e, unsigned dwords);
bool gen9_next_is_arbitration(Gen9Engine *e);
void gen9_wa_batch_start(Gen9Engine *e, uint32_t addr, uint32_t bytes);
void gen9_wa_batch_end(Gen9Engine *e);
/* For a semaphore; others kick a waiting engine when they write memory. */
void gen9_set_waiting(Gen9Engine *e, bool waiting);
/* Counts a refused access of an unprivileged batch. */
void gen9_violation(Gen9Engine *e);

/* gen9_mi.c, gen9_alu.c, gen9_render.c */
Gen9Exec gen9_mi_exec(Gen9Engine *e, const struct gen_cmd *row,
                      const uint32_t *cmd, unsigned n);
Gen9Exec gen9_render_exec(Gen9Engine *e, const struct gen_cmd *row,
                          const uint32_t *cmd, unsigned n);
bool gen9_render_is_arbitration(Gen9Engine *e, uint32_t dw0);
void gen9_pipeline_select(Gen9Engine *e, uint32_t dw0);
Gen9Exec gen9_mi_math(Gen9Engine *e, const uint32_t *cmd, unsigned n);
Gen9Exec gen9_mi_atomic(Gen9Engine *e, const uint32_t *cmd, unsigned n,
                        bool ggtt);
void gen9_mi_predicate(Gen9Engine *e, uint32_t dw0);
bool gen9_predicated_off(Gen9Engine *e);

/* gen9_reset.c */
void gen9_fault(Gen9Engine *e, bool ggtt, uint64_t addr, uint32_t type);
void gen9_error(Gen9Engine *e, uint32_t bits);
void gen9_engine_reset(Gen9Engine *e);          /* with the lock */
void gen9_engine_hold(Gen9Engine *e);           /* with the lock; waits */
void gen9_engine_unhold(Gen9Engine *e);
void gen9_engine_sync(Gen9Gpu *gpu, uint32_t engines);
bool gen9_attend(Gen9Engine *e);                /* true: leave the slice */
/* An injected failure ends; with the lock. */
void gen9_gdrst_release(Gen9Gpu *gpu, uint32_t bits);
void gen9_tlb_release(Gen9Engine *e);

#define GEN9_TLB_REGS   5   /* GEN_TLB_INV_RCS and those after it */
/* The CPU has read one of them; without the lock. */
void gen9_tlb_was_read(Gen9Gpu *gpu, uint32_t offset);
extern const Gen9RegRule gen9_reset_rules[];

/* gen9_inject.c: whether it goes wrong this time */
bool gen9_inject_take(uint32_t *left);

static inline bool gen9_injected(Gen9Engine *e, Gen9EngineInjection what)
{
    if (likely(!gen9_load(&e->inject[what])) ||
        !gen9_inject_take(&e->inject[what])) {
        return false;
    }
    gen9_trace(injected, e->info->name, gen9_engine_injection_name(what));
    return true;
}

/* gen9_time.c */
void gen9_cost(Gen9Engine *e, uint64_t ns);
void gen9_cost_command(Gen9Engine *e);
uint64_t gen9_ahead(Gen9Engine *e);

#endif
