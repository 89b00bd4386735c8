// SPDX-License-Identifier: GPL-2.0
/*
 * Buffer objects: host memory that the GPU can access. Single pages, contiguous for the CPU (vmap)
 * and for the GPU (GGTT). All supported parts snoop the CPU's caches, so the mapping is cached.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "hw_priv.h"
#include "base/account.h"

/* Write a GGTT entry, without a flush. */
static void bo_write_pte(struct gslot_bo *bo, u32 index, dma_addr_t dma)
{
	u64 pte = dma | GEN_PTE_PRESENT;

	gslot_hw_ggtt_write(bo->hw, bo->first + index, &pte, 1);
}

/* Unmap and free the first @count pages. */
static void bo_put_pages(struct gslot_bo *bo, u32 count)
{
	struct device *dev = &bo->hw->pdev->dev;

	while (count--) {
		dma_unmap_page(dev, bo->dma[count], PAGE_SIZE, DMA_BIDIRECTIONAL);
		__free_page(bo->pages[count]);
	}
}

static int bo_get_pages(struct gslot_bo *bo)
{
	struct device *dev = &bo->hw->pdev->dev;
	u32 i;

	for (i = 0; i < bo->count; i++) {
		bo->pages[i] = alloc_page(GSLOT_GFP_GUEST | __GFP_ZERO);
		if (!bo->pages[i])
			goto err_put;
		bo->dma[i] = dma_map_page(dev, bo->pages[i], 0, PAGE_SIZE, DMA_BIDIRECTIONAL);
		if (dma_mapping_error(dev, bo->dma[i])) {
			__free_page(bo->pages[i]);
			goto err_put;
		}
	}
	return 0;

err_put:
	bo_put_pages(bo, i);
	return -ENOMEM;
}

/**
 * gslot_bo_create() - allocate memory for the CPU and the GPU
 * @hw: the GPU
 * @quota: as for hw_ggtt_alloc()
 * @count: pages
 *
 * Return: zeroed memory, mapped for both; or ERR_PTR: -ENOMEM; -ENOSPC if @quota, or the rest of
 * the host's part of the GGTT, is full.
 * Context: may sleep; the memory is charged to the caller's memory cgroup.
 */
struct gslot_bo *gslot_bo_create(struct gslot_hw *hw, struct gslot_ggtt_quota *quota, u32 count)
{
	struct gslot_bo *bo;
	int ret = -ENOMEM;
	u32 i;

	bo = kzalloc(sizeof(*bo), GSLOT_GFP_GUEST);
	if (!bo)
		return ERR_PTR(-ENOMEM);
	bo->hw = hw;
	bo->quota = quota;
	bo->count = count;
	bo->pages = kvcalloc(count, sizeof(*bo->pages), GSLOT_GFP_GUEST);
	bo->dma = kvcalloc(count, sizeof(*bo->dma), GSLOT_GFP_GUEST);
	if (!bo->pages || !bo->dma)
		goto err_free;

	ret = bo_get_pages(bo);
	if (ret)
		goto err_free;
	bo->vaddr = vmap(bo->pages, count, VM_MAP, PAGE_KERNEL);
	if (!bo->vaddr) {
		ret = -ENOMEM;
		goto err_put;
	}
	ret = hw_ggtt_alloc(hw, quota, count, &bo->first);
	if (ret)
		goto err_vunmap;
	for (i = 0; i < count; i++)
		bo_write_pte(bo, i, bo->dma[i]);
	gslot_hw_ggtt_flush(hw);
	return bo;

err_vunmap:
	vunmap(bo->vaddr);
err_put:
	bo_put_pages(bo, count);
err_free:
	kvfree(bo->dma);
	kvfree(bo->pages);
	kfree(bo);
	return ERR_PTR(ret);
}

/**
 * gslot_bo_destroy() - undo gslot_bo_create()
 * @bo: the memory, or NULL; the GPU does not use it any more
 *
 * Context: may sleep.
 */
void gslot_bo_destroy(struct gslot_bo *bo)
{
	if (!bo)
		return;
	gslot_hw_ggtt_clear(bo->hw, bo->first, bo->count);
	gslot_hw_ggtt_flush(bo->hw);
	hw_ggtt_free(bo->hw, bo->quota, bo->first, bo->count);
	vunmap(bo->vaddr);
	bo_put_pages(bo, bo->count);
	kvfree(bo->dma);
	kvfree(bo->pages);
	kfree(bo);
}

/**
 * gslot_bo_alias() - let a GGTT entry name another page, and flush it
 * @bo: the memory; its kernel mapping does not change
 * @index: which of its pages
 * @dma: bus address of the other page; 0: its own
 *
 * Context: any.
 */
void gslot_bo_alias(struct gslot_bo *bo, u32 index, dma_addr_t dma)
{
	bo_write_pte(bo, index, dma ?: bo->dma[index]);
	gslot_hw_ggtt_flush(bo->hw);
}
