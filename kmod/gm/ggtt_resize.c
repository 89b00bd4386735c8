// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: resizing
 *
 * A vGPU is given more graphics memory, or loses what its guest does not use, at any time:
 * its guest goes on, and so does its work on the GPU. What depends on the size is allocated
 * anew. Low entries come first, so high ones have other numbers when there are more or fewer
 * of those; but none has another address, and what is resident stays where it is in the physical
 * GGTT: so commands that are under way name it as before.
 *
 * The guest's mappings are taken away before anything is exchanged; its page faults bring them
 * back. Where it had nothing it may have mapped the sink, which has to go, too.
 */
#include <linux/mm.h>
#include <linux/string.h>

#include "ggtt_priv.h"

/* Of low and of high graphics memory: what there is before and after, from their beginnings. */
#define NR_KEPT		2
#define UNITS_PER_TABLE	(GEN_PTES_PER_PAGE / GSLOT_UNIT_PAGES)

/**
 * struct resizing - a resizing under way
 * @ggtt: the private GGTT
 * @to: how much it is to have
 * @other: the new one of what depends on that; when it is exchanged, the old one
 * @kept: which tables before are which tables after, in units
 */
struct resizing {
	struct gslot_ggtt *ggtt;
	const struct gslot_window *to;
	struct gslot_ggtt_space other;
	struct gslot_units_kept kept[NR_KEPT];
};

static struct gslot_units_kept kept_of(u32 from, u32 to, u32 entries)
{
	return (struct gslot_units_kept) {
		.from = from / GSLOT_UNIT_PAGES,
		.to = to / GSLOT_UNIT_PAGES,
		.count = entries / GSLOT_UNIT_PAGES,
	};
}

static void find_kept(struct resizing *rs)
{
	const struct gslot_ggtt_space *old = &rs->ggtt->space;
	u32 low = rs->to->low_size >> GEN_PAGE_SHIFT;
	u32 high = rs->to->high_size >> GEN_PAGE_SHIFT;

	rs->kept[0] = kept_of(0, 0, min(old->nr_low, low));
	rs->kept[1] = kept_of(old->nr_low, low, min(old->nr_entries - old->nr_low, high));
}

static bool is_kept(const struct resizing *rs, u32 unit)
{
	u32 i;

	for (i = 0; i < NR_KEPT; i++)
		if (unit - rs->kept[i].from < rs->kept[i].count)
			return true;
	return false;
}

/* Pages of entries are not copied: for a while both have them. */
static void lend_tables(struct resizing *rs)
{
	u32 i, k;

	for (i = 0; i < NR_KEPT; i++)
		for (k = 0; k < rs->kept[i].count / UNITS_PER_TABLE; k++)
			rs->other.tables[rs->kept[i].to / UNITS_PER_TABLE + k] =
				rs->ggtt->tables[rs->kept[i].from / UNITS_PER_TABLE + k];
}

/* What is in use has them. */
static void forget_tables(struct resizing *rs, bool exchanged)
{
	u32 i, k, first;

	for (i = 0; i < NR_KEPT; i++) {
		first = (exchanged ? rs->kept[i].from : rs->kept[i].to) / UNITS_PER_TABLE;
		for (k = 0; k < rs->kept[i].count / UNITS_PER_TABLE; k++)
			rs->other.tables[first + k] = NULL;
	}
}

/* What changes with the vGPU's lock held alone, or as well. */
static void copy_contents(struct resizing *rs)
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

/* An access that is held begins in what is kept, and ends in what goes away behind it. */
static bool end_is_held(const struct resizing *rs)
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
 * gslot_ggtt_must_wait() - do commands under way name what would go away?
 * @ggtt: the private GGTT
 * @window: how much graphics memory it is to have
 *
 * Return: true if so: gslot_ggtt_resize() says -EBUSY, unless they let go of it.
 * Context: the vGPU's lock is held.
 */
bool gslot_ggtt_must_wait(struct gslot_ggtt *ggtt, const struct gslot_window *window)
{
	struct resizing rs = { .ggtt = ggtt, .to = window };
	u32 unit;

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	find_kept(&rs);
	for (unit = 0; unit < ggtt->nr_entries / GSLOT_UNIT_PAGES; unit++)
		if (!is_kept(&rs, unit) && ggtt->units[unit].holds)
			return true;
	return end_is_held(&rs);
}

/* An entry is used that a page is shown for, or that the guest has written since. */
static bool table_used(const struct gslot_ggtt *ggtt, u32 table)
{
	const u64 *now = page_address(ggtt->tables[table]);
	u32 i;

	for (i = 0; i < GEN_PTES_PER_PAGE; i++)
		if (READ_ONCE(now[i]) & GEN_PTE_PRESENT ||
		    ggtt->shown[table * GEN_PTES_PER_PAGE + i])
			return true;
	return false;
}

/* The guest uses what goes away. It cannot begin to while this is asked: nothing is mapped. */
static bool is_used(const struct resizing *rs)
{
	const struct gslot_ggtt *ggtt = rs->ggtt;
	u32 table;

	lockdep_assert_held(&ggtt->map_lock);
	if (!gslot_ggtt_fences_fit(ggtt, rs->other.nr_low))
		return true;
	for (table = 0; table < ggtt->nr_tables; table++)
		if (!is_kept(rs, table * UNITS_PER_TABLE) && table_used(ggtt, table))
			return true;
	return false;
}

static void move_bits(const struct resizing *rs, unsigned long *bits)
{
	DECLARE_BITMAP(moved, GGTT_MAX_TABLES) = { };
	u32 i, k;

	for (i = 0; i < NR_KEPT; i++)
		for (k = 0; k < rs->kept[i].count / UNITS_PER_TABLE; k++)
			if (test_bit(rs->kept[i].from / UNITS_PER_TABLE + k, bits))
				__set_bit(rs->kept[i].to / UNITS_PER_TABLE + k, moved);
	bitmap_copy(bits, moved, GGTT_MAX_TABLES);
}

/* Return: 0; or -EBUSY if the guest uses what would go away, and nothing was changed. */
static int exchange(struct resizing *rs)
{
	struct gslot_ggtt *ggtt = rs->ggtt;
	int ret = -EBUSY;

	mutex_lock(&ggtt->cfg.aperture->lock);
	mutex_lock(&ggtt->map_lock);
	/* What was mapped is marked already, and looked at as if it were mapped still. */
	gslot_ggtt_unmap_all(ggtt, GSLOT_VIEW_TABLE);
	if (is_used(rs))
		goto out_unlock;
	gslot_ggtt_unmap_all(ggtt, GSLOT_VIEW_APERTURE);
	gslot_aperture_linear_remove(ggtt);
	move_bits(rs, ggtt->dirty);
	move_bits(rs, ggtt->hot);
	swap(ggtt->space, rs->other);
	ggtt->cfg.window = *rs->to;
	gslot_ggtt_fences_retry(ggtt);
	ret = 0;
out_unlock:
	mutex_unlock(&ggtt->map_lock);
	mutex_unlock(&ggtt->cfg.aperture->lock);
	return ret;
}

/* Return: 0; or as gslot_ggtt_resize(), and nothing was changed. */
static int resize(struct resizing *rs)
{
	bool exchanged = false;
	int ret;

	ret = gslot_ggtt_space_alloc(&rs->other, rs->to);
	if (ret)
		goto out_free;
	find_kept(rs);
	lend_tables(rs);
	ret = gslot_ggtt_space_fill(&rs->other);
	if (!ret) {
		copy_contents(rs);
		ret = exchange(rs);
		exchanged = !ret;
	}
	if (exchanged)
		gslot_ggtt_keep_units(rs->ggtt, rs->kept, NR_KEPT);
	forget_tables(rs, exchanged);
out_free:
	gslot_ggtt_space_free(&rs->other);
	return ret;
}

/**
 * gslot_ggtt_resize() - give a vGPU more graphics memory, or less
 * @ggtt: the private GGTT; it has no place (base/copy_policy.h)
 * @window: how much; multiples of what a page of entries is for
 *
 * Nothing of what it has before and after changes, for the guest or for commands under way.
 *
 * Return: 0; -EBUSY if the guest uses what it would lose, or commands under way name it; or
 * -ENOMEM. If it is not 0, nothing has changed.
 * Context: the vGPU's lock is held; may sleep.
 */
int gslot_ggtt_resize(struct gslot_ggtt *ggtt, const struct gslot_window *window)
{
	struct resizing rs = { .ggtt = ggtt, .to = window };

	lockdep_assert_held(&ggtt->cfg.lock->mutex);
	if (gslot_ggtt_must_wait(ggtt, window))
		return -EBUSY;
	return resize(&rs);
}
