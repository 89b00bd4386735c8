// SPDX-License-Identifier: GPL-2.0
/*
 * A GPU: its life, and its constants.
 */
#include <linux/dma-mapping.h>
#include <linux/slab.h>

#include "hw_priv.h"

/**
 * gslot_hw_dev() - the device of a GPU, for DMA mapping and messages
 * @hw: the GPU
 *
 * Return: the device.
 * Context: any.
 */
struct device *gslot_hw_dev(struct gslot_hw *hw)
{
	return &hw->pdev->dev;
}

/**
 * gslot_hw_gen() - the generation of a GPU
 * @hw: the GPU
 *
 * Return: 8 or 9.
 * Context: any.
 */
u32 gslot_hw_gen(struct gslot_hw *hw)
{
	return hw->part->gen;
}

/**
 * gslot_hw_name() - the kind of a GPU
 * @hw: the GPU
 *
 * Return: its name, for messages.
 * Context: any.
 */
const char *gslot_hw_name(struct gslot_hw *hw)
{
	return hw->part->name;
}

/**
 * gslot_hw_ggtt_size() - the size of graphics memory
 * @hw: the GPU
 *
 * Return: bytes.
 * Context: any.
 */
u64 gslot_hw_ggtt_size(struct gslot_hw *hw)
{
	return (u64)hw->ggtt_entries << GEN_PAGE_SHIFT;
}

/**
 * gslot_hw_aperture() - the aperture, through which CPUs see the first 256 MB of the GGTT
 * @hw: the GPU
 *
 * Return: bus address of BAR 2.
 * Context: any.
 */
resource_size_t gslot_hw_aperture(struct gslot_hw *hw)
{
	return pci_resource_start(hw->pdev, 2);
}

/**
 * gslot_hw_fuse() - a register that never changes
 * @hw: the GPU
 * @offset: which one
 *
 * Return: its value at start; 0 if it is no fuse of core/regs/regtable.
 * Context: any.
 */
u32 gslot_hw_fuse(struct gslot_hw *hw, u32 offset)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(hw->fuses); i++)
		if (hw->fuses[i].offset == offset)
			return hw->fuses[i].value;
	return 0;
}

/**
 * gslot_hw_read() - read a register
 * @hw: the GPU
 * @offset: which one
 *
 * Return: its value; all ones while the GPU is suspended.
 * Context: any.
 */
u32 gslot_hw_read(struct gslot_hw *hw, u32 offset)
{
	return READ_ONCE(hw->awake) ? hw_read(hw, offset) : ~0u;
}

/**
 * gslot_hw_timestamp() - read the GPU's clock
 * @hw: the GPU
 *
 * Return: ticks of RING_TIMESTAMP.
 * Context: any.
 */
u64 gslot_hw_timestamp(struct gslot_hw *hw)
{
	struct hw_engine *rcs = &hw->engines[GSLOT_RCS0];
	u32 high, low, again;

	again = hw_ring_read(rcs, RING_TIMESTAMP_UDW);
	do {
		high = again;
		low = hw_ring_read(rcs, RING_TIMESTAMP);
		again = hw_ring_read(rcs, RING_TIMESTAMP_UDW);
	} while (high != again && READ_ONCE(hw->awake));
	return (u64)high << 32 | low;
}

static int hw_pci_init(struct pci_dev *pdev)
{
	int ret;

	ret = pci_enable_device(pdev);
	if (ret)
		return dev_err_probe(&pdev->dev, ret, "cannot enable the PCI device\n");
	ret = pci_request_regions(pdev, "gslot");
	if (ret) {
		dev_err_probe(&pdev->dev, ret, "its BARs are in use\n");
		goto err_disable;
	}
	/* Page table entries hold bits 38:12. */
	ret = dma_set_mask_and_coherent(&pdev->dev, DMA_BIT_MASK(39));
	if (ret) {
		dev_err_probe(&pdev->dev, ret, "the host has no 39-bit DMA\n");
		goto err_release;
	}
	dma_set_max_seg_size(&pdev->dev, UINT_MAX);
	return 0;

err_release:
	pci_release_regions(pdev);
err_disable:
	pci_disable_device(pdev);
	return ret;
}

static void hw_pci_fini(struct pci_dev *pdev)
{
	pci_clear_master(pdev);
	pci_release_regions(pdev);
	pci_disable_device(pdev);
}

/* Stops all that firmware or another driver left running. */
static int hw_power_up(struct gslot_hw *hw)
{
	int ret;

	ret = hw_forcewake_get(hw);
	if (ret)
		return ret;
	hw_irq_reset(hw);
	ret = hw_reset_gpu(hw);
	if (ret) {
		hw_forcewake_put(hw);
		return ret;
	}
	/* Not before the reset: what ran before would access memory. */
	pci_set_master(hw->pdev);
	return 0;
}

/* Stops execution and interrupts, and lets the power wells sleep. */
static void hw_power_down(struct gslot_hw *hw)
{
	WRITE_ONCE(hw->awake, false);
	hw_irq_reset(hw);
	if (hw_reset_gpu(hw))
		hw_wedge(hw, "reset failed at stop");
	hw_power_fini(hw);
	hw_forcewake_put(hw);
}

static void hw_read_fuses(struct gslot_hw *hw)
{
	u32 i, offset;

	for (i = 0; i < ARRAY_SIZE(hw->fuses); i++) {
		offset = gslot_reg_fuse(i, hw->part->gen);
		if (!offset)
			return;
		hw->fuses[i].offset = offset;
		hw->fuses[i].value = hw_read(hw, offset);
	}
}

static void hw_engines_fini(struct gslot_hw *hw)
{
	struct hw_engine *engine;

	for (engine = hw->engines; engine < hw_engines_end(hw); engine++) {
		gslot_bo_destroy(engine->hwsp);
		engine->hwsp = NULL;
	}
}

static int hw_engines_init(struct gslot_hw *hw)
{
	struct hw_engine *engine;
	struct gslot_bo *hwsp;

	for (engine = hw->engines; engine < hw_engines_end(hw); engine++) {
		hwsp = gslot_bo_create(hw, NULL, 1);
		if (IS_ERR(hwsp)) {
			hw_engines_fini(hw);
			return PTR_ERR(hwsp);
		}
		engine->hwsp = hwsp;
	}
	return 0;
}

/* From unknown state, with registers mapped, to a GPU that executes. */
static int hw_bring_up(struct gslot_hw *hw)
{
	int ret;

	ret = hw_power_up(hw);
	if (ret)
		return ret;
	hw_read_fuses(hw);
	ret = hw_ggtt_init(hw);
	if (ret)
		goto err_forcewake;
	ret = hw_engines_init(hw);
	if (ret)
		goto err_ggtt;

	hw_start_gpu(hw);
	WRITE_ONCE(hw->awake, true);
	return 0;

err_ggtt:
	pci_clear_master(hw->pdev);
	hw_ggtt_fini(hw);
err_forcewake:
	hw_forcewake_put(hw);
	return ret;
}

static struct gslot_hw *hw_alloc(struct pci_dev *pdev, const struct hw_part *part)
{
	struct gslot_hw *hw = kzalloc(sizeof(*hw), GFP_KERNEL);
	struct hw_engine *engine;

	if (!hw)
		return NULL;
	hw->pdev = pdev;
	hw->part = part;
	mutex_init(&hw->reset_mutex);
	mutex_init(&hw->tlb_lock);
	spin_lock_init(&hw->irq_lock);
	spin_lock_init(&hw->fault_lock);
	spin_lock_init(&hw->fence_lock);
	for (engine = hw->engines; engine < hw_engines_end(hw); engine++) {
		engine->hw = hw;
		engine->id = engine - hw->engines;
		engine->info = &gslot_engines[engine->id];
		spin_lock_init(&engine->csb_lock);
	}
	return hw;
}

/**
 * gslot_hw_create() - map, reset and initialise a GPU, without interrupts
 * @pdev: its PCI device
 *
 * Return: the GPU, or ERR_PTR: -ENODEV if it is unknown, a BAR is too small, or it has no GGTT;
 * -ETIMEDOUT if it does not wake up or reset; -ENOMEM; -ENOSPC if the host's part of the GGTT is
 * full; or the error of pci_enable_device(), pci_request_regions() or dma_set_mask_and_coherent().
 * Context: may sleep.
 */
struct gslot_hw *gslot_hw_create(struct pci_dev *pdev)
{
	const struct hw_part *part = hw_part_of(pdev);
	struct gslot_hw *hw;
	int ret;

	if (!part) {
		dev_err(&pdev->dev, "unknown GPU %04x:%04x\n",
			pdev->vendor, pdev->device);
		return ERR_PTR(-ENODEV);
	}
	hw = hw_alloc(pdev, part);
	if (!hw)
		return ERR_PTR(-ENOMEM);
	ret = hw_pci_init(pdev);
	if (ret)
		goto err_free;
	ret = hw_mmio_map(hw);
	if (ret)
		goto err_pci;
	ret = hw_bring_up(hw);
	if (ret) {
		dev_err_probe(&pdev->dev, ret, "the GPU does not start\n");
		goto err_unmap;
	}
	return hw;

err_unmap:
	hw_mmio_unmap(hw);
err_pci:
	hw_pci_fini(pdev);
err_free:
	kfree(hw);
	return ERR_PTR(ret);
}

/**
 * gslot_hw_destroy() - undo gslot_hw_create(), and leave the GPU idle
 * @hw: the GPU, stopped; its memory objects are destroyed
 *
 * Context: may sleep.
 */
void gslot_hw_destroy(struct gslot_hw *hw)
{
	if (hw->awake)
		hw_power_down(hw);
	/* Before memory that it may access is freed. */
	pci_clear_master(hw->pdev);
	hw_engines_fini(hw);
	hw_ggtt_fini(hw);
	hw_mmio_unmap(hw);
	hw_pci_fini(hw->pdev);
	mutex_destroy(&hw->tlb_lock);
	mutex_destroy(&hw->reset_mutex);
	kfree(hw);
}

/**
 * gslot_hw_suspend() - prepare a GPU for loss of power
 * @hw: the GPU, stopped
 *
 * All submitted work is lost. Submissions are ignored until gslot_hw_resume().
 * Context: may sleep.
 */
void gslot_hw_suspend(struct gslot_hw *hw)
{
	mutex_lock(&hw->reset_mutex);
	if (hw->awake)
		hw_power_down(hw);
	mutex_unlock(&hw->reset_mutex);
}

/**
 * gslot_hw_resume() - undo gslot_hw_suspend(), and restore the GGTT and the fences
 * @hw: the GPU; its PCI configuration is restored
 *
 * Return: 0; -EIO if it was wedged before, or -ETIMEDOUT: it is wedged now.
 * Context: may sleep.
 */
int gslot_hw_resume(struct gslot_hw *hw)
{
	int ret;

	mutex_lock(&hw->reset_mutex);
	ret = hw->wedged ? -EIO : hw_power_up(hw);
	if (ret) {
		hw_wedge(hw, "resume failed");
		goto out;
	}
	hw_ggtt_restore(hw);
	hw_start_gpu(hw);
	WRITE_ONCE(hw->awake, true);
out:
	mutex_unlock(&hw->reset_mutex);
	return ret;
}
