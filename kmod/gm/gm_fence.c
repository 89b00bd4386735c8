// SPDX-License-Identifier: GPL-2.0
/*
 * A vGPU's fences. To write one only stores it: it gets a physical fence, and a place in the
 * physical aperture, while its range is in use (aperture_pool.c). One that could reach anything but
 * the vGPU's low graphics memory (core/gtt/fence) is stored and has no effect. See
 * docs/graphics-memory.md.
 */
#include <linux/seq_file.h>

#include "ggtt_priv.h"
#include "core/gtt/fence.h"

/* The pages that the fence covered, and those that it covers now, are unmapped: faults map them. */
static void fence_set(struct gslot_ggtt *ggtt, u32 index, u64 value)
{
	struct gslot_aperture_range *range = &ggtt->fenced[index];
	u64 fence = gslot_fence_confine(value, ggtt->cfg.window.low_size);
	u32 first = 0, count = 0;

	lockdep_assert_held(&ggtt->cfg.aperture->lock);
	lockdep_assert_held(&ggtt->map_lock);
	gslot_aperture_remove(range);
	gslot_ggtt_unmap_aperture(ggtt, range->first, range->count);
	if (fence) {
		first = gslot_fence_start(fence) >> GEN_PAGE_SHIFT;
		count = (gslot_fence_last(fence) >> GEN_PAGE_SHIFT) + 1 - first;
	}
	gslot_ggtt_unmap_aperture(ggtt, first, count);
	gslot_aperture_range_init(range, ggtt, first, count, fence);
	WRITE_ONCE(ggtt->fences[index], value);
}

/* Clear all fences, and leave the physical aperture. */
void gslot_ggtt_fences_clear(struct gslot_ggtt *ggtt)
{
	u32 i;

	mutex_lock(&ggtt->cfg.aperture->lock);
	mutex_lock(&ggtt->map_lock);
	for (i = 0; i < GEN_NR_FENCES; i++)
		fence_set(ggtt, i, 0);
	gslot_aperture_linear_remove(ggtt);
	mutex_unlock(&ggtt->map_lock);
	mutex_unlock(&ggtt->cfg.aperture->lock);
}

/*
 * Whether all fences fit into @nr_low entries of low graphics memory; those without effect always
 * do. The caller holds the pool's lock or map_lock.
 */
bool gslot_ggtt_fences_fit(const struct gslot_ggtt *ggtt, u32 nr_low)
{
	u32 i;

	for (i = 0; i < GEN_NR_FENCES; i++)
		if (ggtt->fenced[i].count &&
		    ggtt->fenced[i].first + ggtt->fenced[i].count > nr_low)
			return false;
	return true;
}

/* Set fences again that had no effect in less low graphics memory. */
void gslot_ggtt_fences_reapply(struct gslot_ggtt *ggtt)
{
	u32 i;

	lockdep_assert_held(&ggtt->cfg.aperture->lock);
	lockdep_assert_held(&ggtt->map_lock);
	for (i = 0; i < GEN_NR_FENCES; i++)
		if (ggtt->fences[i] && !ggtt->fenced[i].count)
			fence_set(ggtt, i, ggtt->fences[i]);
}

/**
 * gslot_ggtt_fence_write() - the guest writes one of its fences
 * @ggtt: the private GGTT
 * @index: its number; fences that the vGPU does not have ignore writes
 * @value: the 64-bit register
 *
 * Context: may sleep.
 */
void gslot_ggtt_fence_write(struct gslot_ggtt *ggtt, u32 index, u64 value)
{
	if (index >= GEN_NR_FENCES)
		return;
	mutex_lock(&ggtt->cfg.aperture->lock);
	mutex_lock(&ggtt->map_lock);
	if (ggtt->fences[index] != value)
		fence_set(ggtt, index, value);
	mutex_unlock(&ggtt->map_lock);
	mutex_unlock(&ggtt->cfg.aperture->lock);
}

/**
 * gslot_ggtt_fence_read() - the guest reads a fence
 * @ggtt: the private GGTT
 * @index: its number
 *
 * Return: the 64-bit register as it was written; 0 for one that the vGPU does not have.
 * Context: any.
 */
u64 gslot_ggtt_fence_read(struct gslot_ggtt *ggtt, u32 index)
{
	return index < GEN_NR_FENCES ? READ_ONCE(ggtt->fences[index]) : 0;
}

void gslot_ggtt_show_fences(struct gslot_ggtt *ggtt, struct seq_file *m)
{
	const struct gslot_ggtt_stats *s = &ggtt->stats;
	u32 i;

	mutex_lock(&ggtt->map_lock);
	seq_printf(m, "aperture_ranges: %u\naperture_pages: %u\nfences_resident: %u\n",
		   ggtt->client.ranges, ggtt->client.pages, ggtt->client.fences);
	seq_printf(m, "aperture_loads: %llu\naperture_demotions: %llu\n", s->aperture_loads,
		   s->aperture_demotions);
	for (i = 0; i < GEN_NR_FENCES; i++)
		if (ggtt->fences[i])
			seq_printf(m, "fence_%u: value=0x%llx effective=%u resident=%u\n", i,
				   ggtt->fences[i], ggtt->fenced[i].count > 0,
				   !!ggtt->fenced[i].pool.client);
	mutex_unlock(&ggtt->map_lock);
}
