// SPDX-License-Identifier: GPL-2.0
/*
 * What a vGPU asks of VFIO: the guest's memory, which VFIO pins; mappings of its regions to be
 * taken away; and its interrupt.
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

/* VFIO's type 1 does not mind; iommufd wants every range back as it was pinned. */
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

static void user_unmap(void *data, enum gslot_view view, u64 offset, u64 size)
{
	gslot_view_unmap(data, view, offset, size);
}

static void interrupt(void *data)
{
	gslot_irqs_msi(data);
}

const struct gslot_vgpu_ops gslot_vfio_vgpu_ops = {
	.user = {
		.pin = user_pin,
		.unpin = user_unpin,
		.pin_limit = user_pin_limit,
		.can_map = user_can_map,
		.unmap = user_unmap,
	},
	.interrupt = interrupt,
};
