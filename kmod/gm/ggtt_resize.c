// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: resizing
 *
 * Resizing a vGPU's graphics memory: docs/graphics-memory.md, "Resizing". Low entries come first,
 * so high ones are renumbered if the number of low ones changes. No entry changes its address, and
 * what is resident stays at its place in the physical GGTT: so prepared commands stay valid.
 *
 * The guest's mappings are removed before the exchange; page faults bring them back. The guest may
 * have mapped the sink where it had no memory: that mapping has to go as well.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "ggtt_priv.h"
#include "base/account.h"

/* The parts that are kept: the beginning of low graphics memory, and that of high. */
#define NR_KEPT		2
#define UNITS_PER_TABLE	(GEN_PTES_PER_PAGE / GSLOT_UNIT_PAGES)

/* A resizing in progress. */
struct resizing {
	struct gslot_ggtt *ggtt;
	const struct gslot_window *to;		/* its new window */
	struct gslot_ggtt_space other;		/* the new space; after the exchange, the old one */
	/* the units that are kept, by their numbers before and after; whole tables */
	struct gslot_units_kept kept[NR_KEPT];
};

/**
 * gslot_ggtt_host_memory() - host memory that a private GGTT takes
 * @size: its graphics memory, bytes
 *
 * Return: bytes, without some pages that do not depend on @size.
 * Context: any.
 */
u64 gslot_ggtt_host_memory(u64 size)
{
	const struct gslot_ggtt *ggtt;
	u64 entries = size >> GEN_PAGE_SHIFT;

	return entries * (sizeof(u64) + sizeof(*ggtt->seen) + sizeof(*ggtt->shown)) +
	       entries / GSLOT_UNIT_PAGES * sizeof(*ggtt->units);
}

/*
 * Allocate a space, zeroed, without the pages of its tables. Return: 0 or -ENOMEM; either way the
 * caller ends with gslot_ggtt_space_free().
 */
int gslot_ggtt_space_alloc(struct gslot_ggtt_space *space, const struct gslot_window *window)
{
	u32 low = window->low_size >> GEN_PAGE_SHIFT;
	u32 entries = low + (window->high_size >> GEN_PAGE_SHIFT);
	u32 tables = entries / GEN_PTES_PER_PAGE;

	*space = (struct gslot_ggtt_space) {
		.nr_low = low,
		.nr_entries = entries,
		.nr_tables = tables,
		.tables = kvcalloc(tables, sizeof(*space->tables), GSLOT_GFP_GUEST),
		.seen = kvcalloc(entries, sizeof(*space->seen), GSLOT_GFP_GUEST),
		.shown = kvcalloc(entries, sizeof(*space->shown), GSLOT_GFP_GUEST),
		.units = kvcalloc(entries / GSLOT_UNIT_PAGES, sizeof(*space->units),
				  GSLOT_GFP_GUEST),
		.heat = kvcalloc(tables, sizeof(*space->heat), GSLOT_GFP_GUEST),
		.mapped = bitmap_zalloc(low, GSLOT_GFP_GUEST),
		.written = bitmap_zalloc(low, GSLOT_GFP_GUEST),
		.linear = kvcalloc(low / GSLOT_LINEAR_PAGES, sizeof(*space->linear),
				   GSLOT_GFP_GUEST),
	};
	if (!space->tables || !space->seen || !space->shown || !space->units || !space->heat ||
	    !space->mapped || !space->written || !space->linear)
		return -ENOMEM;
	return 0;
}

/* Allocate the pages of tables that have none. Return: 0 or -ENOMEM. */
int gslot_ggtt_space_fill(struct gslot_ggtt_space *space)
{
	u32 i;

	for (i = 0; i < space->nr_tables; i++) {
		if (space->tables[i])
			continue;
		space->tables[i] = alloc_page(GSLOT_GFP_GUEST | __GFP_ZERO);
		if (!space->tables[i])
			return -ENOMEM;
	}
	return 0;
}

/* The space is of gslot_ggtt_space_alloc(), or all zero. */
void gslot_ggtt_space_free(struct gslot_ggtt_space *space)
{
	u32 i;

	for (i = 0; space->tables && i < space->nr_tables; i++)
		if (space->tables[i])
			__free_page(space->tables[i]);
	kvfree(space->tables);
	kvfree(space->seen);
	kvfree(space->shown);
	kvfree(space->units);
	kvfree(space->heat);
	bitmap_free(space->mapped);
	bitmap_free(space->written);
	kvfree(space->linear);
}

static struct gslot_units_kept resize_make_kept(u32 from, u32 to, u32 entries)
{
	return (struct gslot_units_kept) {
		.from = from / GSLOT_UNIT_PAGES,
		.to = to / GSLOT_UNIT_PAGES,
		.count = entries / GSLOT_UNIT_PAGES,
	};
}

static void resize_find_kept(struct resizing *rs)
{
	const struct gslot_ggtt_space *old = &rs->ggtt->space;
	u32 low = rs->to->low_size >> GEN_PAGE_SHIFT;
	u32 high = rs->to->high_size >> GEN_PAGE_SHIFT;

	rs->kept[0] = resize_make_kept(0, 0, min(old->nr_low, low));
	rs->kept[1] = resize_make_kept(old->nr_low, low, min(old->nr_entries - old->nr_low, high));
}

static bool resize_keeps(const struct resizing *rs, u32 unit)
{
	u32 i;

	for (i = 0; i < NR_KEPT; i++)
		if (unit - rs->kept[i].from < rs->kept[i].count)
			return true;
	return false;
}

/* Pages of tables that are kept are not copied: until the exchange, both spaces have them. */
static void resize_share_tables(struct resizing *rs)
{
	u32 i;

	for (i = 0; i < NR_KEPT; i++)
		memcpy(&rs->other.tables[rs->kept[i].to / UNITS_PER_TABLE],
		       &rs->ggtt->tables[rs->kept[i].from / UNITS_PER_TABLE],
		       rs->kept[i].count / UNITS_PER_TABLE * sizeof(*rs->other.tables));
}

/* The space in use keeps them: remove them from the one that is freed. */
static void resize_unshare_tables(struct resizing *rs, bool exchanged)
{
	u32 i, first;

	for (i = 0; i < NR_KEPT; i++) {
		first = exchanged ? rs->kept[i].from : rs->kept[i].to;
		memset(&rs->other.tables[first / UNITS_PER_TABLE], 0,
		       rs->kept[i].count / UNITS_PER_TABLE * sizeof(*rs->other.tables));
	}
}

/* Copy the members that change only with the vGPU's lock held. */
static void resize_copy(struct resizing *rs)
{
	const struct gslot_ggtt_space *old = &rs->ggtt->space;
	struct gslot_ggtt_space *new = &rs->other;
	u32 i;

	lockdep_assert_held(&rs->ggtt->cfg.lock->mutex);
	for (i = 0; i < NR_KEPT; i++) {
		const struct gslot_units_kept *kept = &rs->kept[i];
		u32 from = kept->from * GSLOT_UNIT_PAGES, to = kept->to * GSLOT_UNIT_PAGES;
		u32 count = kept->count * GSLOT_UNIT_PAGES;

		memcpy(&new->seen[to], &old->seen[from], count * sizeof(*new->seen));
		memcpy(&new->shown[to], &old->shown[from], count * sizeof(*new->shown));
		memcpy(&new->heat[to / GEN_PTES_PER_PAGE], &old->heat[from / GEN_PTES_PER_PAGE],
		       count / GEN_PTES_PER_PAGE * sizeof(*new->heat));
	}
	gslot_aperture_linear_init(rs->ggtt, new);
}

/* Does an access that is held begin in a kept part, and end behind it in what is lost? */
static bool resize_end_held(const struct resizing *rs)
{
	const struct gslot_ggtt *ggtt = rs->ggtt;
	u32 i;

	for (i = 0; i < NR_KEPT; i++) {
		u32 behind = rs->kept[i].from + rs->kept[i].count;
		u32 last = i ? ggtt->nr_entries : ggtt->nr_low;

		if (rs->kept[i].count && behind < last / GSLOT_UNIT_PAGES &&
		    ggtt->units[behind - 1].across)
			return true;
	}
	return false;
}

/**
 * gslot_ggtt_shrink_is_held() - does a prepared command name memory that a new window lacks?
 * @ggtt: the private GGTT
 * @window: its new window
 *
 * Return: true if so: gslot_ggtt_resize() returns -EBUSY until it is released.
 * Context: the vGPU's lock is held.
 */
bool gslot_ggtt_shrink_is_held(struct gslot_ggtt *ggtt, const struct gslot_window *window)
{
	struct resizing rs = { .ggtt = ggtt, .to = window };
	u32 unit;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	resize_find_kept(&rs);
	for (unit = 0; unit < ggtt->nr_entries / GSLOT_UNIT_PAGES; unit++)
		if (!resize_keeps(&rs, unit) && ggtt->units[unit].holds)
			return true;
	return resize_end_held(&rs);
}

/* An entry is used if it has a page, or if its PTE, perhaps not synced yet, is present. */
static bool resize_table_used(const struct gslot_ggtt *ggtt, u32 table)
{
	const u64 *now = page_address(ggtt->tables[table]);
	u32 i;

	for (i = 0; i < GEN_PTES_PER_PAGE; i++)
		if (READ_ONCE(now[i]) & GEN_PTE_PRESENT ||
		    ggtt->shown[table * GEN_PTES_PER_PAGE + i])
			return true;
	return false;
}

/* Does the guest use what would be lost? It cannot begin to meanwhile: no PTE is mapped. */
static bool resize_loses_used(const struct resizing *rs)
{
	const struct gslot_ggtt *ggtt = rs->ggtt;
	u32 table;

	lockdep_assert_held(&ggtt->map_lock);
	if (!gslot_ggtt_fences_fit(ggtt, rs->other.nr_low))
		return true;
	for (table = 0; table < ggtt->nr_tables; table++)
		if (!resize_keeps(rs, table * UNITS_PER_TABLE) && resize_table_used(ggtt, table))
			return true;
	return false;
}

static void resize_move_bits(const struct resizing *rs, unsigned long *bits)
{
	DECLARE_BITMAP(moved, GGTT_MAX_TABLES) = { };
	u32 i, k;

	for (i = 0; i < NR_KEPT; i++)
		for (k = 0; k < rs->kept[i].count / UNITS_PER_TABLE; k++)
			if (test_bit(rs->kept[i].from / UNITS_PER_TABLE + k, bits))
				__set_bit(rs->kept[i].to / UNITS_PER_TABLE + k, moved);
	bitmap_copy(bits, moved, GGTT_MAX_TABLES);
}

/* Return: 0; or -EBUSY, with nothing changed, if the guest uses what would be lost. */
static int resize_exchange(struct resizing *rs)
{
	struct gslot_ggtt *ggtt = rs->ggtt;
	int ret = -EBUSY;

	mutex_lock(&ggtt->cfg.aperture->lock);
	mutex_lock(&ggtt->map_lock);
	/* Tables that were mapped are dirty or hot, and stay so. */
	gslot_ggtt_unmap_all(ggtt, GSLOT_MAP_TABLE);
	if (resize_loses_used(rs))
		goto out_unlock;
	gslot_ggtt_unmap_all(ggtt, GSLOT_MAP_APERTURE);
	gslot_ggtt_log_written(ggtt);
	gslot_aperture_linear_remove(ggtt);
	resize_move_bits(rs, ggtt->dirty);
	resize_move_bits(rs, ggtt->hot);
	resize_move_bits(rs, ggtt->unsynced);
	ggtt->next_entry = 0;
	swap(ggtt->space, rs->other);
	ggtt->cfg.window = *rs->to;
	gslot_ggtt_fences_reapply(ggtt);
	ret = 0;
out_unlock:
	mutex_unlock(&ggtt->map_lock);
	mutex_unlock(&ggtt->cfg.aperture->lock);
	return ret;
}

/* Return: as gslot_ggtt_resize(). */
static int resize_do(struct resizing *rs)
{
	int ret;

	ret = gslot_ggtt_space_alloc(&rs->other, rs->to);
	if (ret)
		goto out_free;
	resize_find_kept(rs);
	resize_share_tables(rs);
	ret = gslot_ggtt_space_fill(&rs->other);
	if (!ret) {
		resize_copy(rs);
		ret = resize_exchange(rs);
	}
	if (!ret)
		gslot_ggtt_keep_units(rs->ggtt, rs->kept, NR_KEPT);
	resize_unshare_tables(rs, !ret);
out_free:
	gslot_ggtt_space_free(&rs->other);
	return ret;
}

/**
 * gslot_ggtt_resize() - give a vGPU more graphics memory, or less
 * @ggtt: the private GGTT; if it has a place (base/copy_policy.h), nothing of it is resident
 * @window: the new window; in whole tables
 *
 * What it has before and after does not change, for the guest or for prepared commands.
 *
 * Return: 0; or, with nothing changed, -EBUSY if the guest uses what it would lose, or prepared
 * commands name it; or -ENOMEM.
 * Context: the vGPU's lock is held; may sleep.
 */
int gslot_ggtt_resize(struct gslot_ggtt *ggtt, const struct gslot_window *window)
{
	struct resizing rs = { .ggtt = ggtt, .to = window };

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	if (gslot_ggtt_shrink_is_held(ggtt, window))
		return -EBUSY;
	return resize_do(&rs);
}
