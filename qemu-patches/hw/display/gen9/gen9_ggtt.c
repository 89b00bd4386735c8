/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: global GTT entries, and the aperture that goes through
 * them and the fences.
 */
#include "gen9_compat.h"
#include "gen9_int.h"
#include "gen9_tile.h"

uint64_t gen9_gsm_pte(Gen9Gpu *gpu, uint64_t page)
{
    return gen9_load(&gpu->gsm[page]);
}

void gen9_gsm_update(Gen9Gpu *gpu, uint64_t page, uint64_t pte)
{
    gen9_trace(ggtt_write, page << GEN_PAGE_SHIFT, pte);
    gen9_store(&gpu->gsm[page], pte);
    gen9_add(&gpu->counters[GEN9_CNT_GGTT_WRITES], 1);
}

/*
 * What the flush register does: entries written before it are used from now
 * on. With @wait, also by accesses that were under way.
 */
void gen9_ggtt_flush(Gen9Gpu *gpu, bool wait)
{
    gen9_trace(ggtt_flush, wait);
    gen9_add(&gpu->ggtt_generation, 1);
    gen9_add(&gpu->counters[GEN9_CNT_GGTT_FLUSHES], 1);
    if (wait) {
        gen9_engine_sync(gpu, GEN9_ALL_ENGINES);
    }
}

uint64_t gen9_gsm_read(Gen9Gpu *gpu, uint64_t offset, unsigned size)
{
    uint64_t value = 0;

    for (unsigned i = 0; i < size && offset + i < GEN_GSM_SIZE; i++) {
        uint64_t pte = gen9_gsm_pte(gpu, (offset + i) / 8);

        if (size == 8 && !(offset & 7)) {
            return pte;
        }
        value |= ((pte >> (8 * ((offset + i) & 7))) & 0xff) << (8 * i);
    }
    return value;
}

void gen9_gsm_write(Gen9Gpu *gpu, uint64_t offset, unsigned size,
                    uint64_t value)
{
    uint64_t done = 0;

    if (size == 8 && !(offset & 7) && offset < GEN_GSM_SIZE) {
        gen9_gsm_update(gpu, offset / 8, value);
        return;
    }
    /* Parts of entries, and what crosses them; rare. */
    while (done < size && offset + done < GEN_GSM_SIZE) {
        uint64_t at = offset + done;
        unsigned n = MIN(size - done, 8 - (at & 7));
        uint64_t mask = (n < 8 ? (1ULL << (8 * n)) - 1 : ~0ULL);
        uint64_t pte = gen9_gsm_pte(gpu, at / 8);
        unsigned shift = 8 * (at & 7);

        pte = (pte & ~(mask << shift)) |
              (((value >> (8 * done)) & mask) << shift);
        gen9_gsm_update(gpu, at / 8, pte);
        done += n;
    }
}

/* Local memory at an offset that a PTE gave; false: there is none. */
bool gen9_local_access(Gen9Gpu *gpu, uint64_t pa, void *buf, size_t len,
                       bool write)
{
    if (!gpu->config.local || pa >= gpu->config.local_size ||
        len > gpu->config.local_size - pa) {
        return false;
    }
    if (write) {
        memcpy(gpu->config.local + pa, buf, len);
    } else {
        memcpy(buf, gpu->config.local + pa, len);
    }
    return true;
}

/* The aperture has a TLB of its own, invalidated by the flush register. */
static bool aperture_translate(Gen9Gpu *gpu, uint64_t addr, uint64_t *pte)
{
    uint64_t page = addr >> GEN_PAGE_SHIFT;
    uint64_t now = gen9_gsm_pte(gpu, page);
    Gen9TlbEntry *t = &gpu->aperture_tlb[page % GEN9_GGTT_TLB_SIZE];
    uint32_t generation = gen9_load(&gpu->ggtt_generation);

    if (t->page == page && t->generation == generation &&
        (t->pa & GEN_PTE_PRESENT)) {
        if (t->pa != now) {
            gen9_add(&gpu->counters[GEN9_CNT_APERTURE_STALE], 1);
        }
        *pte = t->pa;
        return true;
    }
    if (!(now & GEN_PTE_PRESENT)) {
        gen9_add(&gpu->counters[GEN9_CNT_APERTURE_FAULTS], 1);
        return false;
    }
    t->page = page;
    t->generation = generation;
    t->pa = now;
    *pte = now;
    return true;
}

static void fences(Gen9Gpu *gpu, uint32_t out[2 * GEN_NR_FENCES])
{
    for (int i = 0; i < 2 * GEN_NR_FENCES; i++) {
        out[i] = gen9_reg(gpu, GEN_FENCE_LO(0) + 4 * i);
    }
}

/* Pieces of 16 bytes that are aligned stay together under any fence. */
static void aperture_access(Gen9Gpu *gpu, uint64_t offset, void *buf,
                            unsigned size, bool write)
{
    uint32_t fence[2 * GEN_NR_FENCES];
    uint8_t *p = buf;

    if (offset >= GEN_APERTURE_SIZE || size > GEN_APERTURE_SIZE - offset) {
        return;
    }
    fences(gpu, fence);
    gen9_lock(gpu);
    while (size) {
        unsigned n = MIN(size, 16 - (offset & 15));
        uint64_t addr, pte, pa;

        gen9_fence_translate(fence, offset, &addr);
        addr &= GEN_GGTT_SIZE - 1;
        if (aperture_translate(gpu, addr, &pte)) {
            pa = (pte & GEN_PTE_ADDR) | (addr & (GEN_PAGE_SIZE - 1));
            if (pte & GEN_PTE_LOCAL) {
                gen9_local_access(gpu, pa, p, n, write);
            } else if (write) {
                gpu->ops->write(gpu->opaque, pa, p, n);
            } else {
                gpu->ops->read(gpu->opaque, pa, p, n);
            }
        }
        offset += n;
        p += n;
        size -= n;
    }
    gen9_unlock(gpu);
}

uint64_t gen9_aperture_read(Gen9Gpu *gpu, uint64_t offset, unsigned size)
{
    uint64_t value = 0;

    gen9_add(&gpu->counters[GEN9_CNT_APERTURE_READS], 1);
    aperture_access(gpu, offset, &value, size, false);
    return value;
}

void gen9_aperture_write(Gen9Gpu *gpu, uint64_t offset, unsigned size,
                         uint64_t value)
{
    gen9_add(&gpu->counters[GEN9_CNT_APERTURE_WRITES], 1);
    aperture_access(gpu, offset, &value, size, true);
}
