// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the aperture pool
 *
 * Places in the physical aperture for ranges that need it: those of fences, and linear ones with a
 * page that cannot be mapped directly. docs/graphics-memory.md, "The aperture and fences", has the
 * rules and their cost.
 *
 * Entries of a place name the scratch page until a fault needs them. Whole rows of tiles are
 * loaded, a unit: under a fence a row shows the pages of that row and no others.
 *
 * No vGPU sees a page of another one, nor one that is not pinned any more:
 *
 * - a range is removed in this order: its guest's mappings, so that no CPU reaches it, and its
 *   fence; then its entries are cleared and flushed; then its place is free. To remove mappings
 *   interrupts the processors that used them, so what they had written has left them;
 * - a unit is mapped after its entries and its fence are written and flushed. map_lock is held for
 *   all of that, and without it no range of the vGPU is removed;
 * - a change of the private GGTT is written to the loaded units that have the entry, and flushed,
 *   before the old page is unpinned.
 */
#include <linux/seq_file.h>

#include "ggtt_priv.h"
#include "core/gtt/fence.h"
#include "hw/hw.h"
#include "base/trace.h"

#define MAX_UNITS	64	/* bits of @loaded */
/* Entries that one write to the GGTT has at most. */
#define MAX_ENTRIES	64

static struct gslot_aperture_range *pool_range(struct gslot_pool_range *range)
{
	return container_of(range, struct gslot_aperture_range, pool);
}

/*
 * Initialise a range of low graphics memory that is not in the pool. @count: pages; 0 for a fence
 * without effect. @fence: the fence that covers it, with the guest's addresses; 0: linear. The
 * caller holds the pool's lock and map_lock, if the private GGTT is in use.
 */
void gslot_aperture_range_init(struct gslot_aperture_range *range, struct gslot_ggtt *ggtt,
			       u32 first, u32 count, u64 fence)
{
	u32 unit = max_t(u32, GSLOT_LINEAR_PAGES, DIV_ROUND_UP(count, MAX_UNITS));

	*range = (struct gslot_aperture_range) {
		.ggtt = ggtt, .first = first, .count = count, .fence = fence,
		.unit = fence ? roundup(unit, gslot_fence_row_pages(fence)) : unit,
	};
}

static u64 pool_addr(const struct gslot_aperture_range *range)
{
	return (u64)range->first << GEN_PAGE_SHIFT;
}

static u64 pool_place(const struct gslot_aperture_range *range)
{
	return (u64)range->pool.first << GEN_PAGE_SHIFT;
}

/* Write physical entries of a range that is in the pool, without a flush. */
static void pool_write_entries(const struct gslot_aperture_range *range, u32 offset, u32 count)
{
	const struct gslot_ggtt *ggtt = range->ggtt;
	u64 ptes[MAX_ENTRIES];
	u32 i, n;

	for (; count; offset += n, count -= n) {
		n = min_t(u32, count, MAX_ENTRIES);
		for (i = 0; i < n; i++)
			ptes[i] = gslot_ggtt_pte(ggtt, range->first + offset + i);
		gslot_hw_ggtt_write(ggtt->cfg.hw, range->pool.first + offset, ptes, n);
	}
}

static u32 pool_unit_pages(const struct gslot_aperture_range *range, u32 unit)
{
	return min(range->unit, range->count - unit * range->unit);
}

static void pool_load_unit(struct gslot_aperture_range *range, u32 unit)
{
	pool_write_entries(range, unit * range->unit, pool_unit_pages(range, unit));
	gslot_hw_ggtt_flush(range->ggtt->cfg.hw);
	range->loaded |= BIT_ULL(unit);
	range->ggtt->stats.aperture_loads++;
}

/*
 * Remove a range from the pool, if it is there. No CPU reaches anything through its place when this
 * returns.
 */
void gslot_aperture_remove(struct gslot_aperture_range *range)
{
	struct gslot_ggtt *ggtt = range->ggtt;
	struct gslot_hw *hw = ggtt->cfg.hw;
	u32 unit;

	lockdep_assert_held(&ggtt->cfg.aperture->lock);
	lockdep_assert_held(&ggtt->map_lock);
	if (!range->pool.client)
		return;
	gslot_ggtt_unmap_aperture(ggtt, range->first, range->count);
	if (range->pool.fence >= 0)
		gslot_hw_fence_write(hw, range->pool.fence, 0);
	for (unit = 0; range->loaded; unit++) {
		if (range->loaded & BIT_ULL(unit))
			gslot_hw_ggtt_clear(hw, range->pool.first + unit * range->unit,
					    pool_unit_pages(range, unit));
		range->loaded &= ~BIT_ULL(unit);
	}
	gslot_hw_ggtt_flush(hw);
	gslot_pool_remove(&ggtt->cfg.aperture->pool, &range->pool);
}

static void pool_demote(struct gslot_aperture_range *range, const struct gslot_ggtt *to)
{
	struct gslot_ggtt *ggtt = range->ggtt;

	trace_gslot_aperture_demote(gslot_ggtt_name(ggtt), pool_addr(range), range->count,
				    gslot_ggtt_name(to));
	mutex_lock(&ggtt->map_lock);
	gslot_aperture_remove(range);
	ggtt->stats.aperture_demotions++;
	mutex_unlock(&ggtt->map_lock);
}

/* Demote ranges until there is room for another. Return: where. */
static u32 pool_make_room(struct gslot_aperture_pool *ap, const struct gslot_aperture_range *range)
{
	struct gslot_pool_client *client = &range->ggtt->client;
	struct gslot_pool_range *victim = NULL;
	u32 first;

	lockdep_assert_held(&ap->lock);
	if (range->fence)
		victim = gslot_pool_fence_victim(&ap->pool, client);
	if (victim)
		pool_demote(pool_range(victim), range->ggtt);
	first = gslot_pool_choose(&ap->pool, client, range->count);
	while ((victim = gslot_pool_victim(&ap->pool, first, range->count)))
		pool_demote(pool_range(victim), range->ggtt);
	return first;
}

static void pool_insert(struct gslot_aperture_range *range, u32 first)
{
	struct gslot_ggtt *ggtt = range->ggtt;
	struct gslot_aperture_pool *ap = ggtt->cfg.aperture;

	lockdep_assert_held(&ap->lock);
	lockdep_assert_held(&ggtt->map_lock);
	gslot_pool_insert(&ap->pool, &ggtt->client, &range->pool, first, range->count,
			  range->fence);
	if (range->fence)
		gslot_hw_fence_write(ap->hw, range->pool.fence,
				     gslot_fence_at(range->fence, pool_place(range)));
	trace_gslot_aperture_place(gslot_ggtt_name(ggtt), pool_addr(range), range->count,
				   pool_place(range), range->pool.fence);
}

/*
 * Give the range of a page a place in the pool. It stays the range of the page while map_lock is
 * dropped to make room: fences are written with the pool's lock held. Return: the range, or NULL.
 */
static struct gslot_aperture_range *pool_get_place(struct gslot_ggtt *ggtt, u32 page)
{
	struct gslot_aperture_pool *ap = ggtt->cfg.aperture;
	struct gslot_aperture_range *range = gslot_aperture_range_of(ggtt, page);
	u32 first;

	if (!range)
		return NULL;
	if (range->pool.client) {
		gslot_pool_use(&ap->pool, &range->pool);
		return range;
	}
	mutex_unlock(&ggtt->map_lock);
	first = pool_make_room(ap, range);
	mutex_lock(&ggtt->map_lock);
	pool_insert(range, first);
	return range;
}

/*
 * Find out how a page of low graphics memory is mapped, and take map_lock: nothing of this changes
 * until the caller drops it. May demote ranges of any vGPU.
 *
 * Return: true if the page needs the physical aperture: its unit is loaded there, and @pfn is its
 * frame. False if it is mapped directly, to the page that the private GGTT names, or to the sink.
 */
bool gslot_aperture_lock(struct gslot_ggtt *ggtt, u32 page, unsigned long *pfn)
{
	struct gslot_aperture_pool *ap = ggtt->cfg.aperture;
	struct gslot_aperture_range *range;
	u32 offset;

	mutex_lock(&ggtt->map_lock);
	if (!gslot_aperture_range_of(ggtt, page))
		return false;
	mutex_unlock(&ggtt->map_lock);

	mutex_lock(&ap->lock);
	mutex_lock(&ggtt->map_lock);
	range = pool_get_place(ggtt, page);
	mutex_unlock(&ap->lock);
	if (!range)
		return false;
	offset = page - range->first;
	if (!(range->loaded & BIT_ULL(offset / range->unit)))
		pool_load_unit(range, offset / range->unit);
	*pfn = PHYS_PFN(gslot_hw_aperture(ap->hw)) + range->pool.first + offset;
	return true;
}

static bool pool_update_entry(const struct gslot_aperture_range *range, u32 entry)
{
	u32 offset = entry - range->first;

	if (!range->pool.client || offset >= range->count ||
	    !(range->loaded & BIT_ULL(offset / range->unit)))
		return false;
	pool_write_entries(range, offset, 1);
	return true;
}

/*
 * Update changed entries of the private GGTT, in ascending order, in the physical aperture. No
 * access through the aperture reaches the old pages when this returns.
 */
void gslot_aperture_update(struct gslot_ggtt *ggtt, const u32 *entries, u32 count)
{
	bool written = false;
	u32 i, k;

	lockdep_assert_held(&ggtt->map_lock);
	if (!ggtt->client.ranges)
		return;
	for (i = 0; i < count && entries[i] < ggtt->nr_low; i++) {
		for (k = 0; k < GEN_NR_FENCES; k++)
			written |= pool_update_entry(&ggtt->fenced[k], entries[i]);
		k = entries[i] / GSLOT_LINEAR_PAGES;
		written |= pool_update_entry(&ggtt->linear[k], entries[i]);
	}
	if (written)
		gslot_hw_ggtt_flush(ggtt->cfg.hw);
}

/* Initialise the linear ranges of a space that is not in use yet. */
void gslot_aperture_linear_init(struct gslot_ggtt *ggtt, struct gslot_ggtt_space *space)
{
	u32 i;

	for (i = 0; i < space->nr_low / GSLOT_LINEAR_PAGES; i++)
		gslot_aperture_range_init(&space->linear[i], ggtt, i * GSLOT_LINEAR_PAGES,
					  GSLOT_LINEAR_PAGES, 0);
}

/* Remove all linear ranges from the pool. */
void gslot_aperture_linear_remove(struct gslot_ggtt *ggtt)
{
	u32 i;

	lockdep_assert_held(&ggtt->cfg.aperture->lock);
	lockdep_assert_held(&ggtt->map_lock);
	for (i = 0; i < ggtt->nr_low / GSLOT_LINEAR_PAGES; i++)
		gslot_aperture_remove(&ggtt->linear[i]);
}

/* Add a private GGTT to the pool's clients. */
void gslot_aperture_join(struct gslot_ggtt *ggtt)
{
	struct gslot_aperture_pool *ap = ggtt->cfg.aperture;
	u32 i;

	for (i = 0; i < GEN_NR_FENCES; i++)
		gslot_aperture_range_init(&ggtt->fenced[i], ggtt, 0, 0, 0);
	gslot_aperture_linear_init(ggtt, &ggtt->space);
	mutex_lock(&ap->lock);
	gslot_pool_join(&ap->pool, &ggtt->client);
	mutex_unlock(&ap->lock);
}

/* Undo gslot_aperture_join(); nothing of the private GGTT is in the pool. */
void gslot_aperture_leave(struct gslot_ggtt *ggtt)
{
	struct gslot_aperture_pool *ap = ggtt->cfg.aperture;

	mutex_lock(&ap->lock);
	WARN_ON(ggtt->client.ranges);
	gslot_pool_leave(&ap->pool);
	mutex_unlock(&ap->lock);
}

/**
 * gslot_aperture_pool_init() - initialise the pool, empty
 * @ap: to be initialised
 * @hw: the GPU
 *
 * Context: may sleep.
 */
void gslot_aperture_pool_init(struct gslot_aperture_pool *ap, struct gslot_hw *hw)
{
	ap->hw = hw;
	mutex_init(&ap->lock);
	gslot_pool_init(&ap->pool, GGTT_LOW_PAGES);
}

/**
 * gslot_aperture_pool_fini() - undo gslot_aperture_pool_init()
 * @ap: the pool; no vGPU is open
 *
 * Context: may sleep.
 */
void gslot_aperture_pool_fini(struct gslot_aperture_pool *ap)
{
	WARN_ON(ap->pool.clients);
	mutex_destroy(&ap->lock);
}

static void pool_show_range(struct seq_file *m, const struct gslot_aperture_range *range)
{
	seq_printf(m, "0x%08llx: vgpu=%s address=0x%08llx pages=%u units=%u loaded=0x%llx",
		   pool_place(range), gslot_ggtt_name(range->ggtt), pool_addr(range), range->count,
		   DIV_ROUND_UP(range->count, range->unit), READ_ONCE(range->loaded));
	if (range->fence)
		seq_printf(m, " fence=%d tiles=%c", range->pool.fence,
			   range->fence & FENCE_TILE_Y ? 'y' : 'x');
	seq_putc(m, '\n');
}

/**
 * gslot_aperture_pool_show() - print the pool and its ranges, for debugfs
 * @ap: the pool
 * @m: where to print
 *
 * Context: may sleep.
 */
void gslot_aperture_pool_show(struct gslot_aperture_pool *ap, struct seq_file *m)
{
	struct gslot_pool_range *range;
	u32 used = 0;

	mutex_lock(&ap->lock);
	for (range = ap->pool.ends.next; range != &ap->pool.ends; range = range->next)
		used += range->count;
	seq_printf(m, "pages: %u\npages_used: %u\n", ap->pool.pages, used);
	seq_printf(m, "fences: %u\nfences_used: %u\n", GEN_NR_FENCES, hweight32(ap->pool.fences));
	seq_printf(m, "vgpus: %u\n", ap->pool.clients);
	for (range = ap->pool.ends.next; range != &ap->pool.ends; range = range->next)
		pool_show_range(m, pool_range(range));
	mutex_unlock(&ap->lock);
}
