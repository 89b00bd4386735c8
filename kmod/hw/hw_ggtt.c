// SPDX-License-Identifier: GPL-2.0
/*
 * The physical GGTT. Every entry names a page at all times: one that nobody
 * owns names the scratch page, so a stray access of the GPU or of the display
 * hurts nobody. No guest's address leads there: what a guest owns and does not
 * use names a page of its own (kmod/gm). A command streamer that ran into it
 * would find the end of a batch.
 *
 * Entries live in memory that the GPU keeps for itself; it is lost in deeper
 * sleep states, hence the copy.
 */
#include <linux/bitmap.h>
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "hw_priv.h"
#include "gen/cmds.h"

static bool range_ok(struct gslot_hw *hw, u32 first, u32 count)
{
	return !WARN_ON_ONCE(first > hw->ggtt_entries || count > hw->ggtt_entries - first);
}

static void fill(struct gslot_hw *hw, u32 first, u32 count, u64 pte)
{
	u32 i;

	memset64(hw->ggtt + first, pte, count);
	for (i = first; i < first + count; i++)
		writeq_relaxed(pte, hw->gsm + i * sizeof(pte));
}

/**
 * gslot_hw_ggtt_write() - write GGTT entries
 * @hw: the GPU
 * @first: the first one
 * @ptes: what to write
 * @count: how many
 *
 * Visible to the GPU with gslot_hw_ggtt_flush().
 * Context: any; nobody else writes the same entries.
 */
void gslot_hw_ggtt_write(struct gslot_hw *hw, u32 first, const u64 *ptes, u32 count)
{
	if (!range_ok(hw, first, count))
		return;
	memcpy(hw->ggtt + first, ptes, count * sizeof(*ptes));
	__iowrite64_copy(hw->gsm + first * sizeof(*ptes), ptes, count);
}

/**
 * gslot_hw_ggtt_fill() - let GGTT entries name one page
 * @hw: the GPU
 * @first: the first one
 * @count: how many
 * @dma: bus address of the page
 *
 * Context: as gslot_hw_ggtt_write().
 */
void gslot_hw_ggtt_fill(struct gslot_hw *hw, u32 first, u32 count, dma_addr_t dma)
{
	if (range_ok(hw, first, count))
		fill(hw, first, count, dma | GEN_PTE_PRESENT);
}

/**
 * gslot_hw_ggtt_clear() - let GGTT entries that nobody owns name the scratch page
 * @hw: the GPU
 * @first: the first one
 * @count: how many
 *
 * Context: as gslot_hw_ggtt_write().
 */
void gslot_hw_ggtt_clear(struct gslot_hw *hw, u32 first, u32 count)
{
	gslot_hw_ggtt_fill(hw, first, count, hw->scratch_dma);
}

/**
 * gslot_hw_ggtt_flush() - make written entries visible
 * @hw: the GPU
 *
 * When it returns, no GGTT lookup finds what was there before the writes.
 * Context: any.
 */
void gslot_hw_ggtt_flush(struct gslot_hw *hw)
{
	/* Entries may still sit in a write-combining buffer of this CPU. */
	wmb();
	hw_write(hw, GEN_GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
	hw_read(hw, GEN_GFX_FLSH_CNTL);
}

/**
 * gslot_hw_ggtt_host_first() - where the host's part begins
 * @hw: the GPU
 *
 * It is the upper end of high graphics memory, half of it at first. What is below it is the
 * guests', all of low graphics memory included, of which the host needs nothing.
 *
 * Return: a graphics address.
 * Context: any.
 */
u64 gslot_hw_ggtt_host_first(struct gslot_hw *hw)
{
	unsigned long flags;
	u64 first;

	spin_lock_irqsave(&hw->host_lock, flags);
	first = hw->host.first;
	spin_unlock_irqrestore(&hw->host_lock, flags);
	return first << GEN_PAGE_SHIFT;
}

/**
 * gslot_hw_ggtt_most_host() - how large may the host's part be?
 * @hw: the GPU
 *
 * Return: entries: half of high graphics memory.
 * Context: any.
 */
u32 gslot_hw_ggtt_most_host(struct gslot_hw *hw)
{
	return (hw->ggtt_entries - (GEN_LOW_GM_SIZE >> GEN_PAGE_SHIFT)) / 2;
}

/**
 * gslot_hw_ggtt_set_host() - move the border of the host's part
 * @hw: the GPU; nothing below the new border is in use
 * @count: how many entries it has, up to gslot_hw_ggtt_most_host()
 *
 * Entries are taken from the upper end, so those that are in use stay where they are.
 * Context: any.
 */
void gslot_hw_ggtt_set_host(struct gslot_hw *hw, u32 count)
{
	unsigned long flags;

	spin_lock_irqsave(&hw->host_lock, flags);
	if (!WARN_ON(find_next_bit(hw->host.used, hw->host.count, count) < hw->host.count)) {
		hw->host.count = count;
		hw->host.first = hw->ggtt_entries - count;
	}
	spin_unlock_irqrestore(&hw->host_lock, flags);
}

/**
 * gslot_hw_ggtt_reserve() - keep entries of the host's part for somebody
 * @hw: the GPU
 * @quota: gets them
 * @count: how many
 *
 * Return: 0; -ENOSPC if there are not so many in a row, or -ENOMEM.
 * Context: may sleep.
 */
int gslot_hw_ggtt_reserve(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 count)
{
	int ret;

	quota->used = bitmap_zalloc(count, GFP_KERNEL);
	if (!quota->used)
		return -ENOMEM;
	ret = gslot_hw_ggtt_alloc(hw, NULL, count, &quota->first);
	if (ret) {
		bitmap_free(quota->used);
		return ret;
	}
	quota->count = count;
	return 0;
}

/**
 * gslot_hw_ggtt_unreserve() - undo gslot_hw_ggtt_reserve()
 * @hw: the GPU
 * @quota: none of it is in use
 *
 * Context: any.
 */
void gslot_hw_ggtt_unreserve(struct gslot_hw *hw, struct gslot_ggtt_quota *quota)
{
	WARN_ON(!bitmap_empty(quota->used, quota->count));
	gslot_hw_ggtt_free(hw, NULL, quota->first, quota->count);
	bitmap_free(quota->used);
	*quota = (struct gslot_ggtt_quota) { };
}

/* Where in its map a run of entries begins: the map goes from the last entry to the first. */
static u32 index_of(const struct gslot_ggtt_quota *quota, u32 first, u32 count)
{
	return quota->first + quota->count - first - count;
}

/**
 * gslot_hw_ggtt_alloc() - take a run of entries of the host's part
 * @hw: the GPU
 * @quota: of those that are kept for somebody, or NULL for those that are not
 * @count: how many
 * @first: where they start
 *
 * Return: 0 or -ENOSPC.
 * Context: any.
 */
int gslot_hw_ggtt_alloc(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 count,
			u32 *first)
{
	unsigned long at, flags;
	int ret = -ENOSPC;

	if (!quota)
		quota = &hw->host;
	spin_lock_irqsave(&hw->host_lock, flags);
	at = bitmap_find_next_zero_area(quota->used, quota->count, 0, count, 0);
	if (at < quota->count) {
		bitmap_set(quota->used, at, count);
		*first = quota->first + quota->count - at - count;
		ret = 0;
	}
	spin_unlock_irqrestore(&hw->host_lock, flags);
	return ret;
}

/**
 * gslot_hw_ggtt_free() - give entries of the host's part back
 * @hw: the GPU
 * @quota: whose they are, as with gslot_hw_ggtt_alloc()
 * @first: the first one
 * @count: how many
 *
 * They were cleared, and the clearing was flushed.
 * Context: any.
 */
void gslot_hw_ggtt_free(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 first, u32 count)
{
	unsigned long flags;

	if (!quota)
		quota = &hw->host;
	spin_lock_irqsave(&hw->host_lock, flags);
	bitmap_clear(quota->used, index_of(quota, first, count), count);
	spin_unlock_irqrestore(&hw->host_lock, flags);
}

/**
 * gslot_hw_ggtt_used() - how much of the host's part is in use
 * @hw: the GPU
 *
 * Return: entries, with all that is kept for somebody.
 * Context: any.
 */
u32 gslot_hw_ggtt_used(struct gslot_hw *hw)
{
	unsigned long flags;
	u32 used;

	spin_lock_irqsave(&hw->host_lock, flags);
	used = bitmap_weight(hw->host.used, hw->host.count);
	spin_unlock_irqrestore(&hw->host_lock, flags);
	return used;
}

/**
 * hw_ggtt_restore() - write every entry again: the GPU has lost them
 * @hw: the GPU
 *
 * Context: any; nobody writes entries meanwhile.
 */
void hw_ggtt_restore(struct gslot_hw *hw)
{
	__iowrite64_copy(hw->gsm, hw->ggtt, hw->ggtt_entries);
	gslot_hw_ggtt_flush(hw);
}

static int scratch_init(struct gslot_hw *hw)
{
	struct device *dev = &hw->pdev->dev;

	hw->scratch = alloc_page(GFP_KERNEL);
	if (!hw->scratch)
		return -ENOMEM;
	memset32(page_address(hw->scratch), MI_CMD(OP_MI_BATCH_BUFFER_END),
		 PAGE_SIZE / sizeof(u32));
	hw->scratch_dma = dma_map_page(dev, hw->scratch, 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
	if (dma_mapping_error(dev, hw->scratch_dma)) {
		__free_page(hw->scratch);
		return -ENOMEM;
	}
	return 0;
}

/* The upper half of high graphics memory, all of it free. */
static int host_init(struct gslot_hw *hw)
{
	hw->host.count = gslot_hw_ggtt_most_host(hw);
	hw->host.first = hw->ggtt_entries - hw->host.count;
	hw->host.used = kvcalloc(BITS_TO_LONGS(hw->host.count), sizeof(long),
				 GFP_KERNEL | __GFP_NOWARN);
	return hw->host.used ? 0 : -ENOMEM;
}

/**
 * hw_ggtt_init() - take possession of the GGTT
 * @hw: the GPU; registers and entries are mapped
 *
 * Every entry names the scratch page after it, and the host's part is free.
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep.
 */
int hw_ggtt_init(struct gslot_hw *hw)
{
	spin_lock_init(&hw->host_lock);
	if (host_init(hw))
		return -ENOMEM;
	/* The driver core says what the error is; no call trace for that. */
	hw->ggtt = __vmalloc(array_size(hw->ggtt_entries, sizeof(*hw->ggtt)),
			     GFP_KERNEL | __GFP_NOWARN);
	if (!hw->ggtt)
		goto err_map;
	if (scratch_init(hw))
		goto err_ggtt;

	gslot_hw_ggtt_clear(hw, 0, hw->ggtt_entries);
	gslot_hw_ggtt_flush(hw);
	return 0;

err_ggtt:
	vfree(hw->ggtt);
err_map:
	kvfree(hw->host.used);
	return -ENOMEM;
}

/**
 * hw_ggtt_fini() - undo hw_ggtt_init()
 * @hw: the GPU; nothing runs any more
 *
 * The scratch page goes: no entry is left that names it, or anything.
 * Context: may sleep.
 */
void hw_ggtt_fini(struct gslot_hw *hw)
{
	fill(hw, 0, hw->ggtt_entries, 0);
	gslot_hw_ggtt_flush(hw);

	dma_unmap_page(&hw->pdev->dev, hw->scratch_dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	__free_page(hw->scratch);
	vfree(hw->ggtt);
	kvfree(hw->host.used);
}
