// SPDX-License-Identifier: GPL-2.0
/*
 * Callbacks from the vGPU to its VFIO device: pin guest memory, remove mappings of regions, and
 * send the interrupt.
 */
#include <linux/iommu.h>

#include "vfio_priv.h"
#include "base/compat.h"

static int user_pin(void *data, u64 gfn, u32 count, struct page **pages)
{
	struct gslot_vfio_device *gdev = data;

	return vfio_pin_pages(&gdev->vdev, gfn << PAGE_SHIFT, count, IOMMU_READ | IOMMU_WRITE,
			      pages);
}

static void user_unpin(void *data, u64 gfn, u32 count)
{
	struct gslot_vfio_device *gdev = data;

	vfio_unpin_pages(&gdev->vdev, gfn << PAGE_SHIFT, count);
}

/* iommufd unpins only ranges that were pinned in one call; VFIO's type 1 has no such rule. */
static u32 user_pin_limit(void *data)
{
	struct gslot_vfio_device *gdev = data;

	return gslot_vfio_uses_iommufd(&gdev->vdev) ? 1 : U32_MAX;
}

static bool user_can_map(void *data, struct page *page)
{
	struct gslot_vfio_device *gdev = data;

	return gslot_kvm_can_map(&gdev->vdev, page);
}

/* In a moment, from an irq_work: see irqs.c. */
static void user_interrupt(void *data)
{
	struct gslot_vfio_device *gdev = data;

	irq_work_queue(&gdev->msi);
}

const struct gslot_vgpu_ops gslot_vfio_vgpu_ops = {
	.user = {
		.pin = user_pin,
		.unpin = user_unpin,
		.pin_limit = user_pin_limit,
		.can_map = user_can_map,
		.unmap = gslot_map_area_unmap,
	},
	.interrupt = user_interrupt,
};
