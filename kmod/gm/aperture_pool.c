// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the aperture pool
 *
 * What CPUs of guests can only see through the physical aperture has a place there while they
 * do: the range of a fence, or a piece of low graphics memory some page of which cannot be
 * mapped as it is. It gets there as a page of it is touched, and leaves as somebody else needs
 * the room (core/gtt/fence_pool), or as its fence is written.
 *
 * The entries of a place name the scratch page, but for those that were loaded; and those are
 * loaded that a fault needs. A fence shows in a row of tiles what is in that row and nothing
 * else, so whole rows are loaded: a unit. So what a guest can make the host write in one go is
 * bounded by the size of a row of tiles, which is at most 8 MB, or a 64th part of a range; and
 * to clear what a range has loaded costs no more than its owner has spent on it before.
 *
 * Nobody sees a page of somebody else, nor a page that is not pinned any more:
 *
 *   - a range leaves in this order: no CPU of its owner's guest reaches it any more, nor does
 *     anything through its fence; then its entries are cleared and flushed; and only then is
 *     its place given away. To take a mapping away interrupts the processors that used it, and
 *     so what they had written has left them;
 *   - a unit is mapped after its entries and its fence were written and flushed, with map_lock
 *     held from before that, without which no range of the vGPU leaves;
 *   - a change of the private GGTT is written to the loaded units that show the entry, and
 *     flushed, before the old page is released.
 */
#include <linux/seq_file.h>

#include "ggtt_priv.h"
#include "base/guest_error.h"
#include "core/gtt/fence.h"
#include "hw/hw.h"
#include "base/trace.h"

#define MAX_UNITS	64	/* the bits of @loaded */
/* Entries that are put together before they are written. */
#define MAX_ENTRIES	64

static struct gslot_aperture_range *to_range(struct gslot_pool_range *range)
{
	return container_of(range, struct gslot_aperture_range, pool);
}

/**
 * gslot_aperture_range_init() - which part of low graphics memory a range is
 * @range: the range; not in the pool
 * @ggtt: whose
 * @first: its first entry
 * @count: how many; 0 if there is nothing to be shown
 * @fence: the fence that shows it, in the guest's addresses; or 0
 *
 * Context: the pool's lock and map_lock held, if it is in use.
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

static const char *name_of(const struct gslot_ggtt *ggtt)
{
	return dev_name(ggtt->cfg.guest_errors->dev);
}

static u64 addr_of(const struct gslot_aperture_range *range)
{
	return (u64)range->first << GEN_PAGE_SHIFT;
}

static u64 place_of(const struct gslot_aperture_range *range)
{
	return (u64)range->pool.first << GEN_PAGE_SHIFT;
}

/* Write entries of a range that is in the pool; not flushed. */
static void write_entries(const struct gslot_aperture_range *range, u32 offset, u32 count)
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

static u32 unit_pages(const struct gslot_aperture_range *range, u32 unit)
{
	return min(range->unit, range->count - unit * range->unit);
}

static void load(struct gslot_aperture_range *range, u32 unit)
{
	write_entries(range, unit * range->unit, unit_pages(range, unit));
	gslot_hw_ggtt_flush(range->ggtt->cfg.hw);
	range->loaded |= BIT_ULL(unit);
	range->ggtt->stats.aperture_loads++;
}

/**
 * gslot_aperture_remove() - a range is not in the pool any more
 * @range: the range; if it is not in the pool, nothing is done
 *
 * No CPU sees anything through its place when this returns.
 *
 * Context: the pool's lock and map_lock held; may sleep.
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
					    unit_pages(range, unit));
		range->loaded &= ~BIT_ULL(unit);
	}
	gslot_hw_ggtt_flush(hw);
	gslot_pool_remove(&ggtt->cfg.aperture->pool, &range->pool);
}

static void demote(struct gslot_aperture_range *range, const struct gslot_ggtt *to)
{
	struct gslot_ggtt *ggtt = range->ggtt;

	trace_gslot_aperture_demote(name_of(ggtt), addr_of(range), range->count, name_of(to));
	mutex_lock(&ggtt->map_lock);
	gslot_aperture_remove(range);
	ggtt->stats.aperture_demotions++;
	mutex_unlock(&ggtt->map_lock);
}

/* Return: where there is room for a range now. */
static u32 make_room(struct gslot_aperture_pool *ap, const struct gslot_aperture_range *range)
{
	struct gslot_pool_client *client = &range->ggtt->client;
	struct gslot_pool_range *victim = NULL;
	u32 first;

	lockdep_assert_held(&ap->lock);
	if (range->fence)
		victim = gslot_pool_fence_victim(&ap->pool, client);
	if (victim)
		demote(to_range(victim), range->ggtt);
	first = gslot_pool_choose(&ap->pool, client, range->count);
	while ((victim = gslot_pool_victim(&ap->pool, first, range->count)))
		demote(to_range(victim), range->ggtt);
	return first;
}

static void insert(struct gslot_aperture_pool *ap, struct gslot_aperture_range *range, u32 first)
{
	struct gslot_ggtt *ggtt = range->ggtt;

	lockdep_assert_held(&ap->lock);
	lockdep_assert_held(&ggtt->map_lock);
	gslot_pool_insert(&ap->pool, &ggtt->client, &range->pool, first, range->count,
			  range->fence);
	if (range->fence)
		gslot_hw_fence_write(ap->hw, range->pool.fence,
				     gslot_fence_at(range->fence, place_of(range)));
	trace_gslot_aperture_place(name_of(ggtt), addr_of(range), range->count, place_of(range),
				   range->pool.fence);
}

/*
 * Have in the pool what shows a page. Which range that is cannot change while there is
 * made room for it, without map_lock: fences are written with the pool's lock held.
 */
static struct gslot_aperture_range *place(struct gslot_ggtt *ggtt, u32 page)
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
	first = make_room(ap, range);
	mutex_lock(&ggtt->map_lock);
	insert(ap, range, first);
	return range;
}

/**
 * gslot_aperture_lock() - lock what shows a page of the aperture
 * @ggtt: the private GGTT
 * @page: the page, of low graphics memory
 * @pfn: where the page is in the physical aperture, if it is shown there
 *
 * With map_lock held, it stays shown as it is. To be undone by unlocking that.
 *
 * Return: true if it is shown through the physical aperture; false if CPUs see the page
 * that the private GGTT names, or the sink, as it is.
 * Context: may sleep, and demote ranges of any vGPU. Without map_lock.
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
	range = place(ggtt, page);
	mutex_unlock(&ap->lock);
	if (!range)
		return false;
	offset = page - range->first;
	if (!(range->loaded & BIT_ULL(offset / range->unit)))
		load(range, offset / range->unit);
	*pfn = PHYS_PFN(gslot_hw_aperture(ap->hw)) + range->pool.first + offset;
	return true;
}

static bool update(const struct gslot_aperture_range *range, u32 entry)
{
	u32 offset = entry - range->first;

	if (!range->pool.client || offset >= range->count ||
	    !(range->loaded & BIT_ULL(offset / range->unit)))
		return false;
	write_entries(range, offset, 1);
	return true;
}

/**
 * gslot_aperture_update() - entries show something else: so does the physical aperture
 * @ggtt: the private GGTT
 * @entries: which, in ascending order
 * @count: how many
 *
 * No access through the aperture finds what they showed before when this returns.
 * Context: map_lock held.
 */
void gslot_aperture_update(struct gslot_ggtt *ggtt, const u32 *entries, u32 count)
{
	bool written = false;
	u32 i, k;

	lockdep_assert_held(&ggtt->map_lock);
	if (!ggtt->client.ranges)
		return;
	for (i = 0; i < count && entries[i] < ggtt->nr_low; i++) {
		for (k = 0; k < ggtt->nr_fences; k++)
			written |= update(&ggtt->fenced[k], entries[i]);
		written |= update(&ggtt->linear[entries[i] / GSLOT_LINEAR_PAGES], entries[i]);
	}
	if (written)
		gslot_hw_ggtt_flush(ggtt->cfg.hw);
}

/**
 * gslot_aperture_linear_init() - the ranges of all of low graphics memory, without fences
 * @ggtt: whose
 * @space: where they are; none is in the pool
 *
 * Context: any, as long as nobody else knows them.
 */
void gslot_aperture_linear_init(struct gslot_ggtt *ggtt, struct gslot_ggtt_space *space)
{
	u32 i;

	for (i = 0; i < space->nr_low / GSLOT_LINEAR_PAGES; i++)
		gslot_aperture_range_init(&space->linear[i], ggtt, i * GSLOT_LINEAR_PAGES,
					  GSLOT_LINEAR_PAGES, 0);
}

/**
 * gslot_aperture_linear_remove() - none of these is in the pool any more
 * @ggtt: whose
 *
 * Context: the pool's lock and map_lock held; may sleep.
 */
void gslot_aperture_linear_remove(struct gslot_ggtt *ggtt)
{
	u32 i;

	lockdep_assert_held(&ggtt->cfg.aperture->lock);
	lockdep_assert_held(&ggtt->map_lock);
	for (i = 0; i < ggtt->nr_low / GSLOT_LINEAR_PAGES; i++)
		gslot_aperture_remove(&ggtt->linear[i]);
}

/**
 * gslot_aperture_join() - a private GGTT may have ranges in the pool
 * @ggtt: the private GGTT
 *
 * Context: may sleep.
 */
void gslot_aperture_join(struct gslot_ggtt *ggtt)
{
	struct gslot_aperture_pool *ap = ggtt->cfg.aperture;
	u32 i;

	for (i = 0; i < ggtt->nr_fences; i++)
		gslot_aperture_range_init(&ggtt->fenced[i], ggtt, 0, 0, 0);
	gslot_aperture_linear_init(ggtt, &ggtt->space);
	mutex_lock(&ap->lock);
	gslot_pool_join(&ap->pool, &ggtt->client);
	mutex_unlock(&ap->lock);
}

/**
 * gslot_aperture_leave() - undo gslot_aperture_join()
 * @ggtt: the private GGTT; nothing of it is in the pool
 *
 * Context: may sleep.
 */
void gslot_aperture_leave(struct gslot_ggtt *ggtt)
{
	struct gslot_aperture_pool *ap = ggtt->cfg.aperture;

	mutex_lock(&ap->lock);
	WARN_ON(ggtt->client.ranges);
	gslot_pool_leave(&ap->pool, &ggtt->client);
	mutex_unlock(&ap->lock);
}

/**
 * gslot_aperture_pool_init() - an aperture that nobody uses
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

static void show_range(struct seq_file *m, const struct gslot_aperture_range *range)
{
	seq_printf(m, "0x%08llx: vgpu=%s address=0x%08llx pages=%u units=%u loaded=0x%llx",
		   place_of(range), name_of(range->ggtt), addr_of(range), range->count,
		   DIV_ROUND_UP(range->count, range->unit), READ_ONCE(range->loaded));
	if (range->fence)
		seq_printf(m, " fence=%d tiles=%c", range->pool.fence,
			   range->fence & FENCE_TILE_Y ? 'y' : 'x');
	seq_putc(m, '\n');
}

/**
 * gslot_aperture_pool_show() - for debugfs
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
		show_range(m, to_range(range));
	mutex_unlock(&ap->lock);
}
