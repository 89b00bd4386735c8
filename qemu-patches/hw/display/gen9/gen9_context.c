/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: loading and saving contexts.
 *
 * The register state of a context is a list of commands in memory, most of
 * them MI_LOAD_REGISTER_IMM with absolute offsets, ended by
 * MI_BATCH_BUFFER_END. The hardware loads a context by executing the list with
 * full privilege, whatever registers it names, and so does the model. A driver
 * must check the images that others wrote before it runs them.
 *
 * The first 0x50 dwords, the ring context, are always loaded; the rest, the
 * engine context, only without restore inhibit. The lists up to the GPRs have
 * the layout of Gen9's hardware. The render state behind them has all registers
 * that this model and user batches have, in an order of the model's own. The
 * blitter's setup is in the image as the command that sets it, since the place
 * where the hardware has it is not documented. Both are behind the position at
 * which drivers have the indirect context batch executed, so that they have
 * the last word.
 *
 * What a context leaves in the engine stays there until something writes it:
 * the next context finds it if it is loaded with restore inhibit, or if its
 * image lacks a register. No manual says whether the hardware executes an
 * indirect context batch for a context with its restore inhibited; the model
 * does not.
 */
#include "gen9_compat.h"
#include "gen9_int.h"
#include "gen/ctxregs.h"

#define IMAGE_DWORDS        1024
/* In dwords; drivers have the indirect context batch executed there. */
#define RENDER_STATE        (GEN9_INDIRECT_CTX_OFFSET / 4)
#define GEN8_RENDER_STATE   (GEN8_INDIRECT_CTX_OFFSET / 4)
/* Dwords with registers in the image of Gen8's rcs; i915's offsets. */
#define GEN8_MI_MODE        0x58
#define GEN8_BB_OFFSET      0xc4
#define GEN8_GPR0           0xd8
#define LRI(n)              (MI_CMD(OP_MI_LOAD_REGISTER_IMM) | \
                             MI_LRI_FORCE_POSTED | (2 * (n) - 1))
#define BB_END              MI_CMD(OP_MI_BATCH_BUFFER_END)
#define MAX_PAIRS           6   /* in a row, of the ring context */

static const struct gen_ctx_regs no_state[] = { { 0 } };

static const struct gen_ctx_regs *engine_state(Gen9Engine *e)
{
    return e->id == GEN9_RCS0 ? gen_ctx_rcs : no_state;
}

/* Gen9 counts with 12 MHz; a tick of Gen8 is 80 ns. */
static uint64_t ticks(Gen9Gpu *gpu, uint64_t ns)
{
    return gen9_is_gen8(gpu) ? ns / 80 : ns * 12 / 1000;
}

uint64_t gen9_timestamp(Gen9Gpu *gpu)
{
    return ticks(gpu, gen9_now(gpu));
}

uint32_t gen9_context_timestamp(Gen9Engine *e)
{
    return gen9_load(&e->ctx_timestamp) +
           ticks(e->gpu, gen9_now(e->gpu) - gen9_load(&e->loaded_at));
}

static void clear_state(Gen9Engine *e)
{
    static const uint16_t regs[] = {
        RING_INSTPM, RING_BB_OFFSET, RING_PREDICATE_RESULT_1,
    };

    for (unsigned i = 0; i < ARRAY_SIZE(regs); i++) {
        gen9_ereg_set(e, regs[i], 0);
    }
    for (uint32_t i = 0; i < 2 * RING_NR_GPR; i++) {
        gen9_ereg_set(e, RING_GPR(0) + 4 * i, 0);
    }
    if (e->id == GEN9_BCS0) {
        gen9_reg_set(e->gpu, e->base + BCS_SWCTRL, 0);
    }
    for (const struct gen_ctx_regs *r = engine_state(e); r->count; r++) {
        for (uint32_t i = 0; i < r->count; i++) {
            gen9_reg_set(e->gpu, r->first + 4 * i, 0);
        }
    }
    memset(&e->blt.setup, 0, sizeof(e->blt.setup));
}

/* After a reset the engine has no context's state: it reads 0. */
void gen9_context_reset(Gen9Engine *e)
{
    clear_state(e);
    memset(e->bb, 0, sizeof(e->bb));
    e->arbitrate = true;
    gen9_set_waiting(e, false);
    e->gpgpu = false;
    e->predicate = 0;
    e->lrca = 0;
    e->ctx_id = 0;
}

/* ---- loading ---- */

typedef struct Loader {
    Gen9Engine *e;
    uint32_t image[IMAGE_DWORDS];
    unsigned page;              /* of the context image, from 1 */
    unsigned pos;               /* dword in it */
    bool failed;
    bool resumed;               /* the indirect context batch is done */
} Loader;

static unsigned image_pages(Gen9Engine *e)
{
    return e->id != GEN9_RCS0 ? GEN_XCS_CTX_PAGES :
           gen9_is_gen8(e->gpu) ? GEN8_RCS_CTX_PAGES : GEN9_RCS_CTX_PAGES;
}

static bool load_page(Loader *l, unsigned page)
{
    Gen9Engine *e = l->e;

    l->page = page;
    l->pos = 0;
    l->failed = page >= image_pages(e) ||
                !gen9_mem(e, true, e->lrca + page * GEN_PAGE_SIZE, l->image,
                          GEN_PAGE_SIZE, false);
    return !l->failed;
}

static bool next_dword(Loader *l, uint32_t *dw)
{
    if (l->failed ||
        (l->pos == IMAGE_DWORDS && !load_page(l, l->page + 1))) {
        return false;
    }
    *dw = l->image[l->pos++];
    return true;
}

static bool in_ring_context(const Loader *l)
{
    return l->page == LRC_STATE_PAGE && l->pos <= LRC_RING_CONTEXT_DWORDS;
}

static void load_list(Loader *l, unsigned pairs)
{
    while (pairs--) {
        uint32_t reg, value;

        if (!next_dword(l, &reg) || !next_dword(l, &value)) {
            return;
        }
        gen9_cs_reg_write(l->e, reg, value, true);
    }
}

/* The blitter's setup: an image has no other commands of the blitter. */
static bool load_setup(Loader *l, uint32_t dw0)
{
    uint32_t cmd[GEN9_BLT_SETUP_MAX] = { dw0 };
    unsigned n = gen9_blt_setup_length(dw0);

    if (l->e->id != GEN9_BCS0 || !n) {
        return false;
    }
    for (unsigned i = 1; i < n; i++) {
        if (!next_dword(l, &cmd[i])) {
            return false;
        }
    }
    return gen9_blt_exec(&l->e->blt, cmd, n);
}

static bool restore_inhibited(Gen9Engine *e)
{
    return gen9_ereg(e, RING_CONTEXT_CONTROL) & CTX_CTRL_RESTORE_INHIBIT;
}

/* Whether the load has reached the offset of the indirect context batch. */
static bool indirect_due(const Loader *l)
{
    Gen9Engine *e = l->e;
    unsigned pos = (l->page - LRC_STATE_PAGE) * IMAGE_DWORDS + l->pos;
    unsigned at = (gen9_ereg(e, RING_INDIRECT_CTX_OFFSET) & 0xffc0) / 4;

    return !l->resumed && pos >= MAX(at, LRC_RING_CONTEXT_DWORDS) &&
           (gen9_ereg(e, RING_INDIRECT_CTX) & INDIRECT_CTX_SIZE);
}

/*
 * Executes the image from the loader's position to its end, or to the offset of
 * the indirect context batch; e->load_from then is the position to resume at.
 * Only commands that a save can write exist.
 */
static bool load_image(Loader *l)
{
    Gen9Engine *e = l->e;
    uint32_t dw;

    e->load_from = 0;
    while (!l->failed) {
        if (indirect_due(l)) {
            e->load_from = l->page * IMAGE_DWORDS + l->pos;
            return true;
        }
        if (!next_dword(l, &dw)) {
            break;
        }
        if (!in_ring_context(l) && restore_inhibited(e)) {
            return true;
        }
        if (dw >> 23 == OP_MI_LOAD_REGISTER_IMM) {
            load_list(l, ((dw & 0xff) + 1) / 2);
        } else if (dw >> 16 == CMD_PIPELINE_SELECT) {
            gen9_pipeline_select(e, dw);
        } else if (dw != 0 && !load_setup(l, dw)) {
            return true;        /* BB_END, or nothing that can be loaded */
        }
    }
    /* Running off the end of the image is no error; a fault is. */
    return l->page >= image_pages(e) || !l->failed;
}

static void load_batch(Gen9Engine *e, int level, uint32_t addr,
                       uint32_t udw, uint32_t state)
{
    uint32_t low = gen9_ereg(e, addr);

    e->bb[level].on = low & RING_BB_VALID;
    e->bb[level].addr = gen9_addr(low & ~3u, gen9_ereg(e, udw) & 0xffff);
    e->bb[level].ggtt = !(gen9_ereg(e, state) & RING_BB_PPGTT);
}

static void load_position(Gen9Engine *e)
{
    gen9_store(&e->size, (gen9_ereg(e, RING_CTL) & RING_CTL_NR_PAGES) +
                         GEN_PAGE_SIZE);
    gen9_store(&e->start, gen9_ereg(e, RING_START) & ~(GEN_PAGE_SIZE - 1u));
    gen9_store(&e->head, (gen9_reg(e->gpu, e->base + RING_HEAD) &
                          RING_HEAD_ADDR) % e->size);
    gen9_store(&e->tail, (gen9_reg(e->gpu, e->base + RING_TAIL) &
                          RING_HEAD_ADDR & ~7u) % e->size);
    load_batch(e, GEN9_LEVEL_BB, RING_BBADDR, RING_BBADDR_UDW, RING_BBSTATE);
    load_batch(e, GEN9_LEVEL_SBB, RING_SBBADDR, RING_SBBADDR_UDW,
               RING_SBBSTATE);
    e->bb[GEN9_LEVEL_SBB].on &= e->bb[GEN9_LEVEL_BB].on;
    e->bb[GEN9_LEVEL_WA].on = false;
    gen9_store(&e->ctx_timestamp, gen9_ereg(e, RING_CTX_TIMESTAMP));
    gen9_store(&e->loaded_at, gen9_now(e->gpu));
}

static void load_page_directory(Gen9Engine *e, uint64_t desc)
{
    bool four = (desc & CTX_DESC_ADDRESSING) >> CTX_DESC_ADDRESSING_SHIFT ==
                CTX_ADDRESSING_LEGACY_64B;
    bool changed = four != e->four_level;

    for (int i = 0; i < 4; i++) {
        uint64_t pdp = gen9_addr(gen9_ereg(e, RING_PDP_LDW(i)),
                                 gen9_ereg(e, RING_PDP_UDW(i)));

        changed |= pdp != e->pdp[i];
        e->pdp[i] = pdp;
    }
    e->four_level = four;
    if (changed || (desc & CTX_DESC_FORCE_PD_RESTORE)) {
        gen9_tlb_flush_ppgtt(e);
    }
}

/*
 * A batch that was preempted is resumed once: after a reset a driver may rewind
 * the head, and the batch must not be resumed again.
 */
static void consume_batch_address(Gen9Engine *e)
{
    uint64_t at = e->lrca + LRC_STATE_PAGE * GEN_PAGE_SIZE + LRC_BB_ADDR * 4;

    if (e->bb[GEN9_LEVEL_BB].on) {
        gen9_write32(e, true, at,
                     (uint32_t)e->bb[GEN9_LEVEL_BB].addr);
    }
}

void gen9_context_load(Gen9Engine *e, uint64_t desc)
{
    Loader l = { .e = e };

    e->lrca = desc & CTX_DESC_LRCA;
    e->ctx_id = desc >> CTX_DESC_ID_SHIFT;
    gen9_set_waiting(e, false);
    e->semaphore_pause = 0;
    gen9_count(e, GEN9_CNT_CONTEXTS, 1);
    gen9_cost(e, e->gpu->config.timing.context_ns);
    if (!load_page(&l, LRC_STATE_PAGE) || !load_image(&l)) {
        return;                 /* the fault has stopped the engine */
    }
    load_position(e);
    load_page_directory(e, desc);
    consume_batch_address(e);
    gen9_trace(context_load, e->info->name, e->lrca, e->ctx_id, e->head,
               e->tail);
    if (!restore_inhibited(e) &&
        (gen9_ereg(e, RING_INDIRECT_CTX) & INDIRECT_CTX_SIZE)) {
        uint32_t indirect = gen9_ereg(e, RING_INDIRECT_CTX);

        gen9_wa_batch_start(e, indirect & INDIRECT_CTX_ADDR,
                            (indirect & INDIRECT_CTX_SIZE) * 64);
    } else {
        gen9_context_load_rest(e);
    }
}

/* After the indirect context batch, or without one. */
void gen9_context_load_rest(Gen9Engine *e)
{
    Loader l = { .e = e, .resumed = true };
    uint32_t per_ctx;

    if (e->load_from) {
        if (!load_page(&l, e->load_from / IMAGE_DWORDS)) {
            return;
        }
        l.pos = e->load_from % IMAGE_DWORDS;
        if (!load_image(&l)) {
            return;
        }
    }
    per_ctx = gen9_ereg(e, RING_BB_PER_CTX_PTR);
    if (per_ctx & BB_PER_CTX_VALID) {
        gen9_wa_batch_start(e, per_ctx & ~(GEN_PAGE_SIZE - 1u), 0);
    }
}

void gen9_context_reload_tail(Gen9Engine *e)
{
    uint64_t at = e->lrca + LRC_STATE_PAGE * GEN_PAGE_SIZE + LRC_RING_TAIL * 4;
    uint32_t tail;

    if (gen9_read32(e, true, at, &tail)) {
        gen9_store(&e->tail, (tail & RING_HEAD_ADDR & ~7u) % e->size);
        gen9_trace(context_tail, e->info->name, e->lrca, e->tail);
    }
}

/* ---- saving ---- */

static void save_batch(Gen9Engine *e, int level, uint32_t addr, uint32_t udw,
                       uint32_t state)
{
    Gen9Batch *b = &e->bb[level];

    gen9_ereg_set(e, addr, (uint32_t)b->addr | (b->on ? RING_BB_VALID : 0));
    gen9_ereg_set(e, udw, b->addr >> 32);
    gen9_ereg_set(e, state, b->ggtt ? 0 : RING_BB_PPGTT);
}

static void save_position(Gen9Engine *e)
{
    gen9_ereg_set(e, RING_HEAD, e->head);
    gen9_ereg_set(e, RING_TAIL, e->tail);
    save_batch(e, GEN9_LEVEL_BB, RING_BBADDR, RING_BBADDR_UDW, RING_BBSTATE);
    save_batch(e, GEN9_LEVEL_SBB, RING_SBBADDR, RING_SBBADDR_UDW,
               RING_SBBSTATE);
    gen9_ereg_set(e, RING_CTX_TIMESTAMP, gen9_context_timestamp(e));
}

/* @n pairs of an engine register and its value, from @dword of the page on. */
static void save_pairs(Gen9Engine *e, uint64_t state_page, unsigned dword,
                       const uint16_t *regs, unsigned n)
{
    uint32_t buf[2 * MAX_PAIRS];

    for (unsigned i = 0; i < n; i++) {
        buf[2 * i] = e->base + regs[i];
        buf[2 * i + 1] = gen9_ereg(e, regs[i]);
    }
    gen9_mem(e, true, state_page + dword * 4, buf, n * 8, true);
}

static void save_head(Gen9Engine *e, uint64_t state_page)
{
    static const uint16_t regs[] = { RING_HEAD };

    save_pairs(e, state_page, LRC_RING_HEAD - 1, regs, 1);
}

/*
 * The rest of the ring context that hardware owns. Software owns the other
 * values, among them the tail, which it moves while the context runs: they are
 * never written.
 */
static void save_ring_context(Gen9Engine *e, uint64_t state_page)
{
    static const uint16_t batches[MAX_PAIRS] = {
        RING_BBADDR_UDW, RING_BBADDR, RING_BBSTATE,
        RING_SBBADDR_UDW, RING_SBBADDR, RING_SBBSTATE,
    };
    static const uint16_t timestamp[] = { RING_CTX_TIMESTAMP };

    save_pairs(e, state_page, LRC_BB_ADDR_UDW - 1, batches, MAX_PAIRS);
    save_pairs(e, state_page, LRC_CTX_TIMESTAMP - 1, timestamp, 1);
}

static unsigned put_reg(Gen9Engine *e, uint32_t *out, uint32_t reg)
{
    uint32_t value = gen9_reg(e->gpu, reg);

    if (gen9_reg_is_masked(e->gpu, reg)) {
        value |= 0xffff0000;
    }
    if (reg == e->base + RING_MI_MODE) {
        /* Stopping is between the driver and the engine. */
        value &= ~GEN_MASKED_ENABLE(MI_MODE_STOP_RING | MI_MODE_IDLE);
    }
    out[0] = reg;
    out[1] = value;
    return 2;
}

/* @n registers of the engine; returns the list's length. */
static unsigned put_list(Gen9Engine *e, uint32_t *out, const uint16_t *regs,
                         unsigned n)
{
    uint32_t *p = out;

    *p++ = LRI(n);
    for (unsigned i = 0; i < n; i++) {
        p += put_reg(e, p, e->base + regs[i]);
    }
    return p - out;
}

/*
 * The blitter's tiling bits are where rcs has its power state. On Gen8 each
 * engine but rcs has a list of two there. The hardware writes the list's header
 * and the rest of the ring context, as i915's first image ends before them.
 */
static void save_engine_list(Gen9Engine *e, uint64_t state_page)
{
    static const uint16_t gen8_regs[] = { BCS_SWCTRL, RING_EXCC };
    uint32_t list[LRC_RING_CONTEXT_DWORDS - LRC_LRI2] = { 0 };
    unsigned first = 0, end = ARRAY_SIZE(list);

    if (e->id == GEN9_RCS0 && gen9_is_gen8(e->gpu)) {
        first = LRC_PWR_CLK_STATE + 1 - LRC_LRI2;
    } else if (gen9_is_gen8(e->gpu)) {
        put_list(e, list, gen8_regs, ARRAY_SIZE(gen8_regs));
    } else if (e->id == GEN9_BCS0) {
        first = 1;
        end = 1 + put_reg(e, list + first, e->base + BCS_SWCTRL);
    } else {
        return;
    }
    gen9_mem(e, true, state_page + (LRC_LRI2 + first) * 4, list + first,
             (end - first) * 4, true);
}

static unsigned put_gprs(Gen9Engine *e, uint32_t *out)
{
    unsigned n = 0;

    for (unsigned i = 0; i < 2 * RING_NR_GPR; i++) {
        n += put_reg(e, out + n, e->base + RING_GPR(0) + 4 * i);
    }
    return n + put_reg(e, out + n, e->base + RING_IPEHR);
}

/* Registers that each engine has. */
static unsigned save_common(Gen9Engine *e, uint32_t *out)
{
    unsigned n = 0;

    out[n++] = 0;
    out[n++] = LRI(ARRAY_SIZE(gen_ctx_common) + 2 * RING_NR_GPR + 1);
    for (unsigned i = 0; i < ARRAY_SIZE(gen_ctx_common); i++) {
        n += put_reg(e, out + n, e->base + gen_ctx_common[i]);
    }
    return n + put_gprs(e, out + n);
}

static unsigned pad(uint32_t *out, unsigned n, unsigned dword)
{
    while (n < dword - LRC_RING_CONTEXT_DWORDS) {
        out[n++] = 0;
    }
    return n;
}

/*
 * The same for Gen8's rcs. Three places in it are known; between them the
 * hardware has the render state's registers, and the model has NOOPs.
 */
static unsigned gen8_save_common(Gen9Engine *e, uint32_t *out)
{
    static const uint16_t regs[] = {
        RING_EXCC, RING_INSTPM, RING_PR_CTR_CTL, RING_MI_MODE,
        RING_PR_CTR_THRSH, RING_TIMESTAMP, RING_BB_START_ADDR_UDW,
        RING_BB_START_ADDR, RING_BB_ADDR_DIFF, RING_PREDICATE_RESULT_1,
    };
    static const uint16_t bb_offset[] = { RING_BB_OFFSET };
    unsigned n = pad(out, 0, GEN8_MI_MODE - 3 * 2 - 1);

    n += put_list(e, out + n, regs, ARRAY_SIZE(regs));
    n = pad(out, n, GEN8_BB_OFFSET - 1);
    n += put_list(e, out + n, bb_offset, 1);
    n = pad(out, n, GEN8_GPR0 - 1);
    out[n++] = LRI(2 * RING_NR_GPR + 1);
    return n + put_gprs(e, out + n);
}

/* The engine context, from dword 0x50 on; returns its length. */
static unsigned save_engine_context(Gen9Engine *e, uint32_t *out)
{
    bool gen8 = gen9_is_gen8(e->gpu);
    unsigned n = 0;

    if (!gen8) {
        n = save_common(e, out);
    } else if (e->id == GEN9_RCS0) {
        n = gen8_save_common(e, out);
    }
    if (e->id == GEN9_RCS0) {
        n = pad(out, n, gen8 ? GEN8_RENDER_STATE : RENDER_STATE);
    }
    for (const struct gen_ctx_regs *r = engine_state(e); r->count; r++) {
        out[n++] = LRI(r->count);
        for (uint32_t i = 0; i < r->count; i++) {
            n += put_reg(e, out + n, r->first + 4 * i);
        }
    }
    if (e->id == GEN9_BCS0) {
        n += gen9_blt_save_setup(&e->blt, out + n);
    }
    if (e->id == GEN9_RCS0) {
        out[n++] = CMD_PIPELINE_SELECT << 16 |
                   (gen8 ? 0 : PIPELINE_SELECT_MASK) |
                   (e->gpgpu ? PIPELINE_SELECT_GPGPU : 0);
    }
    out[n++] = BB_END;
    return n;
}

static void save_all_but_head(Gen9Engine *e, uint64_t state_page)
{
    uint32_t image[IMAGE_DWORDS];
    unsigned n;

    save_ring_context(e, state_page);
    save_engine_list(e, state_page);
    if (gen9_ereg(e, RING_CONTEXT_CONTROL) & CTX_CTRL_SAVE_INHIBIT) {
        return;
    }
    n = save_engine_context(e, image);
    gen9_mem(e, true, state_page + LRC_RING_CONTEXT_DWORDS * 4, image, n * 4,
             true);
}

/*
 * No manual says in which order the hardware writes an image. HEAD is the first
 * value and the last by turns, unless it is configured to be the last. The
 * context's event follows both.
 */
void gen9_context_save(Gen9Engine *e)
{
    uint64_t state_page = e->lrca + LRC_STATE_PAGE * GEN_PAGE_SIZE;
    bool head_last = e->head_last || e->gpu->config.head_last;

    gen9_trace(context_save, e->info->name, e->lrca, e->ctx_id, e->head);
    e->head_last = !e->head_last;
    save_position(e);
    if (!head_last) {
        save_head(e, state_page);
        __atomic_thread_fence(__ATOMIC_RELEASE);
    }
    save_all_but_head(e, state_page);
    if (head_last) {
        __atomic_thread_fence(__ATOMIC_RELEASE);
        save_head(e, state_page);
    }
}
