// SPDX-License-Identifier: GPL-2.0
/*
 * The physical GGTT. Every entry names a page at all times. Free ones name the scratch page, so a
 * stray access of the GPU or of the display does no harm; a command streamer that ran into it would
 * find the end of a batch. No guest's address leads there: entries that a guest owns and does not
 * use name the guest's sink page (kmod/gm).
 *
 * Entries are in memory that the GPU keeps for itself. It is lost in deeper sleep states, hence the
 * copy.
 */
#include <linux/bitmap.h>
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "hw_priv.h"
#include "gen/cmds.h"

static bool hw_ggtt_range_ok(struct gslot_hw *hw, u32 first, u32 count)
{
	return !WARN_ON_ONCE(first > hw->ggtt_entries || count > hw->ggtt_entries - first);
}

static void hw_ggtt_fill(struct gslot_hw *hw, u32 first, u32 count, u64 pte)
{
	u32 i;

	memset64(hw->ggtt + first, pte, count);
	for (i = first; i < first + count; i++)
		writeq_relaxed(pte, hw->gsm + i * sizeof(pte));
}

/**
 * gslot_hw_ggtt_write() - write GGTT entries, which the GPU sees after gslot_hw_ggtt_flush()
 * @hw: the GPU
 * @first: the first one
 * @ptes: their values
 * @count: how many
 *
 * Context: any; one caller at a time for each entry.
 */
void gslot_hw_ggtt_write(struct gslot_hw *hw, u32 first, const u64 *ptes, u32 count)
{
	if (!hw_ggtt_range_ok(hw, first, count))
		return;
	memcpy(hw->ggtt + first, ptes, count * sizeof(*ptes));
	__iowrite64_copy(hw->gsm + first * sizeof(*ptes), ptes, count);
}

/**
 * gslot_hw_ggtt_clear() - let GGTT entries name the scratch page
 * @hw: the GPU
 * @first: the first one
 * @count: how many
 *
 * Context: as gslot_hw_ggtt_write().
 */
void gslot_hw_ggtt_clear(struct gslot_hw *hw, u32 first, u32 count)
{
	if (hw_ggtt_range_ok(hw, first, count))
		hw_ggtt_fill(hw, first, count, hw->scratch_dma | GEN_PTE_PRESENT);
}

/**
 * gslot_hw_ggtt_flush() - make written entries visible: no GGTT lookup finds an old one then
 * @hw: the GPU
 *
 * Context: any.
 */
void gslot_hw_ggtt_flush(struct gslot_hw *hw)
{
	/* Entries may still be in a write-combining buffer of this CPU. */
	wmb();
	hw_write(hw, GEN_GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
	hw_read(hw, GEN_GFX_FLSH_CNTL);
}

/**
 * gslot_hw_ggtt_host_first() - the beginning of the host's part: the upper end of high memory
 * @hw: the GPU
 *
 * Return: a graphics address; guests have what is below it.
 * Context: any.
 */
u64 gslot_hw_ggtt_host_first(struct gslot_hw *hw)
{
	return (u64)READ_ONCE(hw->host.first) << GEN_PAGE_SHIFT;
}

/**
 * gslot_hw_ggtt_most_host() - the maximum size of the host's part
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
 * gslot_hw_ggtt_set_host() - resize the host's part
 * @hw: the GPU; no entry below the new beginning is in use
 * @count: number of entries, at most gslot_hw_ggtt_most_host()
 *
 * Entries are allocated from the upper end, so those in use stay where they are.
 * Context: process; does not sleep.
 */
void gslot_hw_ggtt_set_host(struct gslot_hw *hw, u32 count)
{
	spin_lock(&hw->host_lock);
	if (!WARN_ON(find_next_bit(hw->host.used, hw->host.count, count) < hw->host.count)) {
		hw->host.count = count;
		WRITE_ONCE(hw->host.first, hw->ggtt_entries - count);
	}
	spin_unlock(&hw->host_lock);
}

/**
 * gslot_hw_ggtt_reserve() - reserve entries of the host's part
 * @hw: the GPU
 * @quota: out: the reservation
 * @count: how many
 *
 * Return: 0; -ENOSPC if so many in a row are not free, or -ENOMEM.
 * Context: may sleep.
 */
int gslot_hw_ggtt_reserve(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 count)
{
	int ret;

	quota->used = bitmap_zalloc(count, GFP_KERNEL);
	if (!quota->used)
		return -ENOMEM;
	ret = hw_ggtt_alloc(hw, NULL, count, &quota->first);
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
 * @quota: the reservation; none of it is in use
 *
 * Context: process; does not sleep.
 */
void gslot_hw_ggtt_unreserve(struct gslot_hw *hw, struct gslot_ggtt_quota *quota)
{
	WARN_ON(!bitmap_empty(quota->used, quota->count));
	hw_ggtt_free(hw, NULL, quota->first, quota->count);
	bitmap_free(quota->used);
	*quota = (struct gslot_ggtt_quota) { };
}

/*
 * Allocate a run of entries of the host's part. @quota: the reservation to allocate from; NULL: the
 * entries that are not reserved. Return: 0 or -ENOSPC.
 */
int hw_ggtt_alloc(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 count, u32 *first)
{
	unsigned long at;
	int ret = -ENOSPC;

	if (!quota)
		quota = &hw->host;
	spin_lock(&hw->host_lock);
	at = bitmap_find_next_zero_area(quota->used, quota->count, 0, count, 0);
	if (at < quota->count) {
		bitmap_set(quota->used, at, count);
		*first = quota->first + quota->count - at - count;
		ret = 0;
	}
	spin_unlock(&hw->host_lock);
	return ret;
}

/* Undo hw_ggtt_alloc(), after the entries were cleared and flushed. */
void hw_ggtt_free(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 first, u32 count)
{
	if (!quota)
		quota = &hw->host;
	spin_lock(&hw->host_lock);
	/* Bit 0 is the last entry. */
	bitmap_clear(quota->used, quota->first + quota->count - first - count, count);
	spin_unlock(&hw->host_lock);
}

/**
 * gslot_hw_ggtt_used() - the use of the host's part
 * @hw: the GPU
 *
 * Return: entries in use or reserved.
 * Context: process; does not sleep.
 */
u32 gslot_hw_ggtt_used(struct gslot_hw *hw)
{
	u32 used;

	spin_lock(&hw->host_lock);
	used = bitmap_weight(hw->host.used, hw->host.count);
	spin_unlock(&hw->host_lock);
	return used;
}

/* Write all entries again, as the GPU has lost them. No entry is written meanwhile. */
void hw_ggtt_restore(struct gslot_hw *hw)
{
	__iowrite64_copy(hw->gsm, hw->ggtt, hw->ggtt_entries);
	gslot_hw_ggtt_flush(hw);
}

static int hw_ggtt_scratch_init(struct gslot_hw *hw)
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

/* The host's part: the upper half of high graphics memory, all of it free. */
static int hw_ggtt_host_init(struct gslot_hw *hw)
{
	hw->host.count = gslot_hw_ggtt_most_host(hw);
	hw->host.first = hw->ggtt_entries - hw->host.count;
	hw->host.used = kvcalloc(BITS_TO_LONGS(hw->host.count), sizeof(long),
				 GFP_KERNEL | __GFP_NOWARN);
	return hw->host.used ? 0 : -ENOMEM;
}

/* All entries are free. Return: 0 or -ENOMEM. */
int hw_ggtt_init(struct gslot_hw *hw)
{
	spin_lock_init(&hw->host_lock);
	if (hw_ggtt_host_init(hw))
		return -ENOMEM;
	/* The driver core logs the error; a call trace adds nothing. */
	hw->ggtt = __vmalloc(array_size(hw->ggtt_entries, sizeof(*hw->ggtt)),
			     GFP_KERNEL | __GFP_NOWARN);
	if (!hw->ggtt)
		goto err_map;
	if (hw_ggtt_scratch_init(hw))
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

/* The GPU is idle. All entries are 0 afterwards, as the scratch page is freed. */
void hw_ggtt_fini(struct gslot_hw *hw)
{
	hw_ggtt_fill(hw, 0, hw->ggtt_entries, 0);
	gslot_hw_ggtt_flush(hw);

	dma_unmap_page(&hw->pdev->dev, hw->scratch_dma, PAGE_SIZE, DMA_BIDIRECTIONAL);
	__free_page(hw->scratch);
	vfree(hw->ggtt);
	kvfree(hw->host.used);
}
