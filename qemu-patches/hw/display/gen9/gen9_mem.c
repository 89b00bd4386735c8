/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: the engines' memory accesses.
 *
 * Each engine has a TLB for the GGTT and one for its PPGTT. An entry keeps
 * what the tables said when it was made, and only the hardware's rules
 * invalidate it: the flush register for the GGTT; an invalidation register, an
 * invalidating flush command or another page directory for the PPGTT; a reset
 * of the GPU for both. An entry remembers the table entries that it came from,
 * and an access by an entry is counted if those have changed.
 * Between the change and the invalidation that is legal, and the driver must
 * keep the memory; later it is an access to memory that the driver may have
 * freed. The model cannot tell these apart: tests read the counters when no
 * change is in progress, and an IOMMU knows what was freed. An access that is
 * refused, as that of a device that is no bus master any more, uses nothing.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

void gen9_tlb_flush_all(Gen9Engine *e)
{
    for (int i = 0; i < GEN9_GGTT_TLB_SIZE; i++) {
        e->ggtt_tlb[i].page = GEN9_NO_PAGE;
    }
    for (int i = 0; i < GEN9_PPGTT_TLB_SIZE; i++) {
        e->ppgtt_tlb[i].page = GEN9_NO_PAGE;
    }
}

void gen9_tlb_flush_ppgtt(Gen9Engine *e)
{
    gen9_trace(ppgtt_flush, e->info->name);
    gen9_add(&e->ppgtt_generation, 1);
    gen9_count(e, GEN9_CNT_TLB_FLUSHES, 1);
}

static const void *host_page(Gen9Gpu *gpu, uint64_t pa, bool local)
{
    if (local) {
        return gpu->config.local && pa < gpu->config.local_size ?
               gpu->config.local + pa : NULL;
    }
    return gpu->ops->map ? gpu->ops->map(gpu->opaque, pa) : NULL;
}

static void entry_set(Gen9Engine *e, Gen9TlbEntry *t, uint64_t pte,
                      uint64_t pa)
{
    t->pa = pa;
    t->local = pte & GEN_PTE_LOCAL;
    t->host = host_page(e->gpu, pa, t->local);
}

static bool ggtt_walk(Gen9Engine *e, Gen9TlbEntry *t, uint64_t addr)
{
    uint64_t page = addr >> GEN_PAGE_SHIFT;
    uint64_t pte;

    if (page >= gen9_ggtt_entries(e->gpu)) {
        gen9_fault(e, true, addr, FAULT_INVALID_PTE);
        return false;
    }
    pte = gen9_gsm_pte(e->gpu, page);
    if (!(pte & GEN_PTE_PRESENT)) {
        gen9_fault(e, true, addr, FAULT_INVALID_PTE);
        return false;
    }
    t->writable = true;
    t->steps = 1;
    t->walk[0].value = pte;
    entry_set(e, t, pte, pte & GEN_PTE_ADDR);
    return true;
}

/* Reads entry @index of the table at @table. Tables lie in system memory. */
static bool walk_step(Gen9Engine *e, Gen9TlbEntry *t, uint64_t table,
                      unsigned index)
{
    Gen9WalkStep *s = &t->walk[t->steps];
    const uint8_t *host;

    s->pa = (table & GEN_PTE_ADDR) + index * 8;
    s->value = 0;
    s->host = NULL;
    host = host_page(e->gpu, s->pa & ~(uint64_t)(GEN_PAGE_SIZE - 1), false);
    if (host) {
        s->host = (const uint64_t *)(host + index * 8);
        s->value = gen9_load(s->host);
    } else if (!e->gpu->ops->read(e->gpu->opaque, s->pa, &s->value, 8)) {
        return false;
    }
    t->steps++;
    return s->value & GEN_PTE_PRESENT;
}

/*
 * Tables of 64 KB entries exist only when all four fields allow them, and not
 * on Gen8.
 */
static bool pages_64k(Gen9Gpu *gpu, uint64_t pde)
{
    return (pde & GEN_PDE_64K) && !gen9_is_gen8(gpu) &&
           (gen9_reg(gpu, GEN_GAMW_ECO) & 0xf) == 0xf;
}

/* Makes the entry from the last step, a leaf at @level; true. */
static bool ppgtt_leaf(Gen9Engine *e, Gen9TlbEntry *t, uint64_t addr,
                       int level, bool large)
{
    uint64_t pte = t->walk[t->steps - 1].value;
    uint64_t pa;

    if (level == 1) {
        pa = (pte & GEN_PDE_ADDR_2M) | (addr & 0x1ff000);
    } else if (large) {
        pa = (pte & GEN_PTE_ADDR_64K) | (addr & 0xf000);
    } else {
        pa = pte & GEN_PTE_ADDR;
    }
    t->writable = true;
    for (unsigned i = 0; i < t->steps; i++) {
        t->writable &= !!(t->walk[i].value & GEN_PTE_RW);
    }
    entry_set(e, t, pte, pa);
    return true;
}

static bool ppgtt_walk(Gen9Engine *e, Gen9TlbEntry *t, uint64_t addr)
{
    int level = e->four_level ? GEN_PPGTT_LEVELS - 1 : 1;
    uint64_t table = e->pdp[0];
    bool large = false;

    if (!e->four_level) {
        /* 32 bits: the four page directory pointers are registers. */
        table = e->pdp[(addr >> GEN_LEVEL_SHIFT(2)) & 3];
    }
    for (t->steps = 0;; level--) {
        unsigned index = (addr >> GEN_LEVEL_SHIFT(level)) & 0x1ff;

        if (level == 0 && pages_64k(e->gpu, table)) {
            large = true;
            index &= ~0xfu;
        }
        if (!walk_step(e, t, table, index)) {
            gen9_fault(e, false, addr,
                       level ? FAULT_INVALID_PD : FAULT_INVALID_PTE);
            return false;
        }
        table = t->walk[t->steps - 1].value;
        if (level == 0 || (level == 1 && (table & GEN_PDE_2M))) {
            return ppgtt_leaf(e, t, addr, level, large);
        }
    }
}

static bool entry_stale(Gen9Engine *e, const Gen9TlbEntry *t, bool ggtt)
{
    if (ggtt) {
        return gen9_gsm_pte(e->gpu, t->page) != t->walk[0].value;
    }
    for (unsigned i = 0; i < t->steps; i++) {
        uint64_t now = 0;

        if (t->walk[i].host) {
            now = gen9_load(t->walk[i].host);
        } else {
            e->gpu->ops->read(e->gpu->opaque, t->walk[i].pa, &now, 8);
        }
        if (now != t->walk[i].value) {
            return true;
        }
    }
    return false;
}

static void stale_hit(Gen9Engine *e, uint64_t addr, bool ggtt)
{
    gen9_count(e, GEN9_CNT_STALE, 1);
    gen9_log(e->gpu, "%s: stale TLB entry of the %s for 0x%" PRIx64
             ", context 0x%x", e->info->name, ggtt ? "GGTT" : "PPGTT", addr,
             e->lrca);
}

/* @stale: the entry is not what the tables say now. */
static Gen9TlbEntry *translate(Gen9Engine *e, bool ggtt, uint64_t addr,
                               bool *stale)
{
    uint64_t page = addr >> GEN_PAGE_SHIFT;
    uint32_t generation;
    Gen9TlbEntry *t;

    if (ggtt) {
        t = &e->ggtt_tlb[page % GEN9_GGTT_TLB_SIZE];
        generation = gen9_load(&e->gpu->ggtt_generation);
    } else {
        t = &e->ppgtt_tlb[page % GEN9_PPGTT_TLB_SIZE];
        generation = gen9_load(&e->ppgtt_generation);
    }
    if (likely(t->page == page && t->generation == generation)) {
        *stale = entry_stale(e, t, ggtt);
        return t;
    }
    *stale = false;
    t->page = GEN9_NO_PAGE;
    if (!(ggtt ? ggtt_walk(e, t, addr) : ppgtt_walk(e, t, addr))) {
        return NULL;
    }
    t->page = page;
    t->generation = generation;
    return t;
}

/*
 * An access inside one page. What is no memory reads as ones.
 * Returns whether memory was accessed.
 */
static bool page_access(Gen9Engine *e, const Gen9TlbEntry *t, uint64_t offset,
                        void *buf, size_t len, bool write)
{
    bool done = true;

    if (t->local) {
        e->cost_local += len;
    } else {
        e->cost_system += len;
    }
    if (write) {
        if (!t->writable) {
            return false;       /* the hardware drops it silently */
        }
        e->effect = true;
        if (t->local) {
            return gen9_local_access(e->gpu, t->pa + offset, buf, len, true);
        }
        return e->gpu->ops->write(e->gpu->opaque, t->pa + offset, buf, len);
    }
    if (t->host) {
        memcpy(buf, t->host + offset, len);
    } else if (t->local) {
        done = false;
    } else {
        done = e->gpu->ops->read(e->gpu->opaque, t->pa + offset, buf, len);
    }
    if (!done) {
        memset(buf, 0xff, len);
    }
    return done;
}

bool gen9_mem(Gen9Engine *e, bool ggtt, uint64_t addr, void *buf, size_t len,
              bool write)
{
    uint8_t *p = buf;

    while (len) {
        uint64_t offset = addr & (GEN_PAGE_SIZE - 1);
        size_t n = MIN(len, GEN_PAGE_SIZE - offset);
        Gen9TlbEntry *t;
        bool stale;

        if (unlikely(gen9_load_acq(&e->attention)) && gen9_attend(e) &&
            e->aborted) {
            return false;
        }
        t = translate(e, ggtt, addr & ((1ULL << GEN_PPGTT_ADDR_BITS) - 1),
                      &stale);
        if (!t) {
            return false;
        }
        if (page_access(e, t, offset, p, n, write) && unlikely(stale)) {
            stale_hit(e, addr, ggtt);
        }
        addr += n;
        p += n;
        len -= n;
    }
    return true;
}

const void *gen9_mem_peek(Gen9Engine *e, bool ggtt, uint64_t addr,
                          size_t *len)
{
    uint64_t offset = addr & (GEN_PAGE_SIZE - 1);
    Gen9TlbEntry *t;
    bool stale;

    t = translate(e, ggtt, addr & ((1ULL << GEN_PPGTT_ADDR_BITS) - 1), &stale);
    *len = GEN_PAGE_SIZE - offset;
    if (!t || !t->host) {
        return NULL;
    }
    if (unlikely(stale)) {
        stale_hit(e, addr, ggtt);
    }
    return t->host + offset;
}

/*
 * Blits address per-process memory wherever their command lies: the driver
 * puts copies between its objects straight into the ring.
 */
bool gen9_mem_blt(void *opaque, uint64_t addr, void *buf, size_t len,
                  bool write)
{
    return gen9_mem(opaque, false, addr, buf, len, write);
}
