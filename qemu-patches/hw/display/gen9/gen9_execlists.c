/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: execution lists (PRM Skylake volume 6, "Execlists").
 *
 * Two contexts per list, one list running and one pending. Every submission
 * yields exactly one promote event in the context status buffer (idle to
 * active, or preempted), before the events of its contexts.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

/* EXECLIST_STATUS: a context of execlist 0 is active. */
#define STATUS_ACTIVE ((1u << 14) | (1u << 4))

/* How late an engine reads an image, and looks at the list that came then. */
#define LATE_NS 20000

static void csb_pointer_to_memory(Gen9Engine *e, uint64_t hwsp, uint32_t n)
{
    __atomic_thread_fence(__ATOMIC_RELEASE);
    gen9_write32(e, true, hwsp + HWSP_CSB_WRITE_PTR, n);
}

/*
 * On some parts the pointer has been seen to arrive in memory before its entry:
 * here it does so every other time.
 */
static void csb_to_memory(Gen9Engine *e, uint64_t hwsp, uint32_t n,
                          uint64_t entry)
{
    if (n & 1) {
        csb_pointer_to_memory(e, hwsp, n);
        __atomic_thread_fence(__ATOMIC_RELEASE);
    }
    if (gen9_write64(e, true, hwsp + HWSP_CSB + n * 8, entry) && !(n & 1)) {
        csb_pointer_to_memory(e, hwsp, n);
    }
}

/* The entry and the pointer, then the interrupt. Without the lock. */
static void csb_write(Gen9Engine *e, uint32_t status, uint32_t ctx_id)
{
    uint64_t hwsp = gen9_ereg(e, RING_HWS_PGA) & ~(GEN_PAGE_SIZE - 1u);
    uint64_t entry = status | (uint64_t)ctx_id << 32;
    uint32_t n;

    gen9_lock(e->gpu);
    n = (e->csb_ptr + 1) % CSB_ENTRIES;
    e->csb_ptr = n;
    gen9_trace(csb, e->info->name, n, status, ctx_id);
    gen9_ereg_set(e, RING_CSB(n), status);
    gen9_ereg_set(e, RING_CSB_UDW(n), ctx_id);
    gen9_ereg_set(e, RING_CSB_PTR,
                  (gen9_ereg(e, RING_CSB_PTR) & ~CSB_PTR_WRITE) | n);
    gen9_unlock(e->gpu);

    csb_to_memory(e, hwsp, n, entry);
    gen9_lock(e->gpu);
    gen9_engine_irq(e, GT_IRQ_CONTEXT_SWITCH);
    gen9_unlock(e->gpu);
}

static void csb_push(Gen9Engine *e, uint32_t status, uint32_t ctx_id)
{
    csb_write(e, status, ctx_id);
    if (gen9_injected(e, GEN9_INJ_CSB_TWICE)) {
        csb_write(e, status, ctx_id);
    }
}

/* Whether there was an event to inject. */
bool gen9_execlists_storm(Gen9Engine *e)
{
    uint64_t event = gen9_load(&e->injected_event);

    if (!(gen9_ereg(e, RING_MODE) & RING_MODE_RUN_LIST) ||
        !gen9_injected(e, GEN9_INJ_CSB_STORM)) {
        return false;
    }
    csb_write(e, event, event >> 32);
    return true;
}

/*
 * Four writes submit: upper and lower half of the second element, then of
 * the first. With the lock.
 */
void gen9_elsp_write(Gen9Engine *e, uint32_t value)
{
    e->elsp[e->elsp_count++] = value;
    if (e->elsp_count < 4) {
        return;
    }
    e->elsp_count = 0;
    if (!(e->elsp[3] & CTX_DESC_VALID)) {
        gen9_log(e->gpu, "%s: submitted list without a first element",
                 e->info->name);
        return;
    }
    e->pending[1] = gen9_addr(e->elsp[1], e->elsp[0]);
    e->pending[0] = gen9_addr(e->elsp[3], e->elsp[2]);
    gen9_trace(elsp, e->info->name, e->pending[0], e->pending[1]);
    gen9_count(e, GEN9_CNT_SUBMITS, 1);
    gen9_store_rel(&e->has_pending, true);
    gen9_kick(e);
}

/* An element of the list becomes the active one. With the lock. */
static void set_element(Gen9Engine *e, unsigned element)
{
    e->element = element;
    gen9_ereg_set(e, RING_EXECLIST_STATUS_LO, STATUS_ACTIVE);
    gen9_ereg_set(e, RING_EXECLIST_STATUS_HI, e->desc[element] >> 32);
}

/* With the lock. */
static void take_pending(Gen9Engine *e)
{
    e->desc[0] = e->pending[0];
    e->desc[1] = e->pending[1];
    set_element(e, 0);
    e->late = GEN9_NOT_LATE;
    gen9_store(&e->has_pending, false);
}

static void load_current(Gen9Engine *e)
{
    gen9_context_load(e, e->desc[e->element]);
}

/*
 * Every other time an idle engine reports a context as active before it reads
 * the image. What the driver writes into the image meanwhile is loaded. With
 * simulated time, a load takes what that says.
 */
static Gen9Late choose_late(Gen9Engine *e)
{
    const Gen9Config *config = &e->gpu->config;

    if (gen9_injected(e, GEN9_INJ_LOAD_LATE)) {
        return GEN9_LATE_LOAD;
    }
    if (config->load_at_once || config->timing.on) {
        return GEN9_NOT_LATE;
    }
    e->late_next = !e->late_next;
    if (e->late_next) {
        return GEN9_NOT_LATE;
    }
    e->busy_until = gen9_now(e->gpu) + LATE_NS;
    return GEN9_LATE_CLOCK;
}

static Gen9Step start(Gen9Engine *e)
{
    gen9_lock(e->gpu);
    if (!gen9_load(&e->has_pending)) {
        gen9_unlock(e->gpu);
        return GEN9_STEP_IDLE;
    }
    take_pending(e);
    e->active_since = gen9_now(e->gpu);
    gen9_store(&e->active, true);
    gen9_unlock(e->gpu);
    csb_push(e, CSB_IDLE_ACTIVE, 0);
    e->late = choose_late(e);
    if (e->late == GEN9_NOT_LATE) {
        load_current(e);
    }
    return GEN9_STEP_AGAIN;
}

/*
 * The context was reported as active, but its image is read only now, with what
 * the driver wrote into the image for a list that it has submitted meanwhile.
 * The engine looks at that list when this context is complete or cannot be;
 * unless the load was injected, also after LATE_NS.
 */
static Gen9Step load_late(Gen9Engine *e)
{
    bool listed = gen9_load_acq(&e->has_pending);

    if (e->late == GEN9_LATE_LOAD) {
        if (!listed) {
            return GEN9_STEP_IDLE;
        }
        e->late_until = UINT64_MAX;
    } else {
        e->busy_until = 0;
        e->late_until = gen9_now(e->gpu) + LATE_NS;
    }
    e->late = listed ? GEN9_LATE_LIST : GEN9_NOT_LATE;
    load_current(e);
    return GEN9_STEP_AGAIN;
}

static bool sees_pending(Gen9Engine *e)
{
    if (e->late == GEN9_LATE_LIST && gen9_now(e->gpu) < e->late_until) {
        return false;
    }
    return gen9_load_acq(&e->has_pending);
}

static bool same_context(Gen9Engine *e, uint64_t desc)
{
    return (desc & CTX_DESC_LRCA) == e->lrca &&
           desc >> CTX_DESC_ID_SHIFT == e->ctx_id &&
           !(desc & CTX_DESC_FORCE_RESTORE);
}

/* If the running context was submitted again, only its tail is new. */
static bool lite_restore(Gen9Engine *e)
{
    bool same;

    gen9_lock(e->gpu);
    same = same_context(e, e->pending[0]);
    if (same) {
        take_pending(e);
    }
    gen9_unlock(e->gpu);
    if (same) {
        gen9_context_reload_tail(e);
        gen9_count(e, GEN9_CNT_LITE_RESTORES, 1);
        csb_push(e, CSB_PREEMPTED | CSB_LITE_RESTORE, e->ctx_id);
    }
    return same;
}

/* @complete: the context was at its end. */
static void preempt(Gen9Engine *e, bool complete)
{
    uint32_t id = e->ctx_id;

    gen9_context_save(e);
    gen9_lock(e->gpu);
    take_pending(e);
    gen9_unlock(e->gpu);
    if (!complete) {
        gen9_count(e, GEN9_CNT_PREEMPTIONS, 1);
    }
    csb_push(e, CSB_PREEMPTED | (complete ? CSB_COMPLETE : 0), id);
    load_current(e);
}

/*
 * HEAD equals TAIL, or @cut: reports the context as complete before that. Goes
 * on with the second element, or becomes idle.
 */
static void complete(Gen9Engine *e, bool cut)
{
    uint32_t id = e->ctx_id;
    bool next = e->element == 0 && (e->desc[1] & CTX_DESC_VALID);

    gen9_context_save(e);
    gen9_lock(e->gpu);
    if (sees_pending(e)) {
        /* A list was submitted meanwhile: take that. */
        gen9_unlock(e->gpu);
        return;
    }
    e->late = GEN9_NOT_LATE;
    if (cut) {
        gen9_injected(e, GEN9_INJ_CSB_SHORT);
    }
    if (next) {
        set_element(e, 1);
    } else {
        e->busy_ns += gen9_now(e->gpu) - e->active_since;
        gen9_ereg_set(e, RING_EXECLIST_STATUS_LO, 0);
        gen9_store(&e->active, false);
    }
    gen9_unlock(e->gpu);
    if (next) {
        csb_push(e, CSB_COMPLETE | CSB_ELEMENT_SWITCH, id);
        load_current(e);
    } else {
        csb_push(e, CSB_COMPLETE | CSB_ACTIVE_IDLE, id);
    }
}

/* An engine that will fail its reset does not stop on request, either. */
static bool stopped(Gen9Engine *e)
{
    return (gen9_ereg(e, RING_MI_MODE) & MI_MODE_STOP_RING) &&
           !gen9_load(&e->inject[GEN9_INJ_FAIL_RESET]);
}

/*
 * The context will not be complete, so a list that waits for that is looked at
 * now: it may have the same context.
 */
static Gen9Step stuck_at_end(Gen9Engine *e)
{
    bool late = e->late == GEN9_LATE_LIST;

    e->late = GEN9_NOT_LATE;
    return late ? GEN9_STEP_AGAIN : GEN9_STEP_IDLE;
}

/*
 * While arbitration is off there is no switch, not even at the end of the
 * commands: PRM Skylake volume 2a, "MI_ARB_ON_OFF".
 */
Gen9Step gen9_execlists_step(Gen9Engine *e)
{
    bool at_end, cut;

    if (gen9_load(&e->halted) || stopped(e) ||
        !(gen9_ereg(e, RING_MODE) & RING_MODE_RUN_LIST)) {
        return GEN9_STEP_IDLE;
    }
    if (!gen9_load(&e->active)) {
        return start(e);
    }
    if (e->late == GEN9_LATE_LOAD || e->late == GEN9_LATE_CLOCK) {
        return load_late(e);
    }
    at_end = gen9_level(e) == GEN9_LEVEL_RING && e->head == e->tail;
    if (sees_pending(e)) {
        if (lite_restore(e)) {
            return GEN9_STEP_AGAIN;
        }
        /*
         * In the middle of a load as well: registers not loaded yet are saved
         * as the last context left them.
         */
        if (e->arbitrate &&
            (at_end || e->waiting || gen9_next_is_arbitration(e))) {
            preempt(e, at_end);
            return GEN9_STEP_AGAIN;
        }
    }
    cut = !at_end && gen9_level(e) == GEN9_LEVEL_RING &&
          gen9_load(&e->inject[GEN9_INJ_CSB_SHORT]);
    if (at_end && !e->arbitrate) {
        return stuck_at_end(e);
    }
    if (at_end || cut) {
        complete(e, cut);
        return GEN9_STEP_AGAIN;
    }
    return GEN9_STEP_RUN;
}

/* With the lock, while no thread runs the engine. */
void gen9_execlists_reset(Gen9Engine *e)
{
    if (gen9_load(&e->active)) {
        e->busy_ns += gen9_now(e->gpu) - e->active_since;
    }
    gen9_store(&e->active, false);
    gen9_store(&e->has_pending, false);
    e->late = GEN9_NOT_LATE;
    e->late_next = false;
    e->elsp_count = 0;
    e->csb_ptr = CSB_RESET_PTR;
    gen9_ereg_set(e, RING_CSB_PTR, CSB_RESET_PTR << 8 | CSB_RESET_PTR);
}
