// SPDX-License-Identifier: GPL-2.0
/* The operations of a vGPU's VFIO device, and the callbacks of the vGPU to it. */
#include <linux/fs.h>
#include <linux/iommu.h>
#include <linux/uaccess.h>

#include "vfio_priv.h"
#include "base/compat_vfio.h"
#include "base/guest_error.h"
#include "migrate/migrate.h"

static int vdev_init(struct vfio_device *vdev)
{
	struct gslot_vfio_device *gdev = gslot_vfio_device_of(vdev);
	int ret;

	gslot_vfio_irq_init(gdev);
	gslot_track_init(gdev);
	gdev->inode = gslot_inode_get(vdev);
	if (IS_ERR(gdev->inode))
		return PTR_ERR(gdev->inode);
	gdev->vgpu = gslot_mdev_create_vgpu(gdev);
	if (IS_ERR(gdev->vgpu)) {
		ret = PTR_ERR(gdev->vgpu);
		goto err_inode;
	}
	ret = gslot_vfio_mig_init(gdev);
	if (ret)
		goto err_vgpu;
	return 0;

err_vgpu:
	gslot_vgpu_destroy(gdev->vgpu);
err_inode:
	iput(gdev->inode);
	return ret;
}

static void vdev_release(struct vfio_device *vdev)
{
	struct gslot_vfio_device *gdev = gslot_vfio_device_of(vdev);

	gslot_mig_destroy(gdev->mig);
	gslot_vgpu_destroy(gdev->vgpu);
	iput(gdev->inode);
	gslot_vfio_free_device(vdev);
}

static int vdev_open(struct vfio_device *vdev)
{
	struct gslot_vfio_device *gdev = gslot_vfio_device_of(vdev);
	int ret = gslot_vgpu_open(gdev->vgpu);

	if (!ret)
		gslot_track_open(gdev);
	return ret;
}

static void vdev_close(struct vfio_device *vdev)
{
	struct gslot_vfio_device *gdev = gslot_vfio_device_of(vdev);

	gslot_track_close(gdev);
	gslot_mig_close(gdev->mig);
	gslot_vgpu_close(gdev->vgpu);
	gslot_vfio_irq_release(gdev);
}

static long vdev_get_info(unsigned long arg)
{
	unsigned long minsz = offsetofend(struct vfio_device_info, num_irqs);
	struct vfio_device_info info;

	if (copy_from_user(&info, (void __user *)arg, minsz))
		return -EFAULT;
	if (info.argsz < minsz)
		return -EINVAL;
	info.flags = VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET;
	info.num_regions = VFIO_PCI_NUM_REGIONS;
	info.num_irqs = VFIO_PCI_NUM_IRQS;
	return copy_to_user((void __user *)arg, &info, minsz) ? -EFAULT : 0;
}

static long vdev_ioctl(struct vfio_device *vdev, unsigned int cmd, unsigned long arg)
{
	struct gslot_vfio_device *gdev = gslot_vfio_device_of(vdev);

	switch (cmd) {
	case VFIO_DEVICE_GET_INFO:
		return vdev_get_info(arg);
	case VFIO_DEVICE_GET_REGION_INFO:
		return gslot_vfio_region_info(vdev, arg, gslot_region_info);
	case VFIO_DEVICE_GET_IRQ_INFO:
		return gslot_vfio_irq_info_ioctl(arg);
	case VFIO_DEVICE_SET_IRQS:
		return gslot_vfio_irq_set_ioctl(gdev, arg);
	case VFIO_DEVICE_RESET:
		gslot_mig_reset(gdev->mig);
		return 0;
	default:
		return -ENOTTY;
	}
}

/* Ask the user to release the device; @count: number of earlier requests. */
static void vdev_request(struct vfio_device *vdev, unsigned int count)
{
	struct gslot_vfio_device *gdev = gslot_vfio_device_of(vdev);

	if (!(count % 10))
		gslot_guest_err(gslot_vgpu_guest_errors(gdev->vgpu), GSLOT_GUEST_ERR_USER,
				"to be removed, and still open");
	gslot_vfio_irq_signal(gdev, VFIO_PCI_REQ_IRQ_INDEX);
}

static void vdev_dma_unmap(struct vfio_device *vdev, u64 iova, u64 length)
{
	/*
	 * iommufd notifies a device that leaves an address space once, of (0, ULONG_MAX), and does
	 * not check. Other notifications have the length of an area, which is smaller.
	 */
	bool once = length == ULONG_MAX && gslot_vfio_uses_iommufd(vdev);

	gslot_vgpu_dma_unmap(gslot_vfio_device_of(vdev)->vgpu, iova, length, once);
}

/* A feature that VFIO does not know. */
static int __maybe_unused vdev_feature(struct vfio_device *vdev, u32 flags, void __user *arg,
				       size_t argsz)
{
	return gslot_vfio_mig_data_size(vdev, flags, arg, argsz, gslot_vfio_mig_size);
}

const struct vfio_device_ops gslot_vfio_ops = {
	.name = "gslot",
	.init = vdev_init,
	.release = vdev_release,
	.open_device = vdev_open,
	.close_device = vdev_close,
	.read = gslot_region_read,
	.write = gslot_region_write,
	.ioctl = vdev_ioctl,
	.mmap = gslot_region_mmap,
	.request = vdev_request,
	.dma_unmap = vdev_dma_unmap,
	GSLOT_VFIO_FEATURE_OP(vdev_feature)
	GSLOT_VFIO_REGION_INFO_OP(gslot_region_info)
	GSLOT_VFIO_IOMMUFD_OPS
};

static int vdev_pin(void *data, u64 gfn, u32 count, struct page **pages)
{
	struct gslot_vfio_device *gdev = data;

	return vfio_pin_pages(&gdev->vdev, gfn << PAGE_SHIFT, count, IOMMU_READ | IOMMU_WRITE,
			      pages);
}

static void vdev_unpin(void *data, u64 gfn, u32 count)
{
	struct gslot_vfio_device *gdev = data;

	vfio_unpin_pages(&gdev->vdev, gfn << PAGE_SHIFT, count);
}

/* iommufd unpins only ranges that were pinned in one call; VFIO's type 1 has no such rule. */
static u32 vdev_pin_limit(void *data)
{
	struct gslot_vfio_device *gdev = data;

	return gslot_vfio_uses_iommufd(&gdev->vdev) ? 1 : U32_MAX;
}

static bool vdev_can_map(void *data, struct page *page)
{
	struct gslot_vfio_device *gdev = data;

	return gslot_kvm_can_map(&gdev->vdev, page);
}

/* In a moment, from an irq_work: see irqs.c. */
static void vdev_interrupt(void *data)
{
	struct gslot_vfio_device *gdev = data;

	irq_work_queue(&gdev->msi);
}

static void vdev_interrupt_sync(void *data)
{
	struct gslot_vfio_device *gdev = data;

	irq_work_sync(&gdev->msi);
}

static bool vdev_track(void *data, u64 gfn, struct page *page, u64 parent)
{
	return gslot_track_page(data, gfn, page, parent);
}

static void vdev_untrack(void *data, u64 gfn)
{
	gslot_untrack_page(data, gfn);
}

static void vdev_untrack_all(void *data)
{
	gslot_untrack_pages(data);
}

const struct gslot_vgpu_ops gslot_vfio_vgpu_ops = {
	.user = {
		.pin = vdev_pin,
		.unpin = vdev_unpin,
		.pin_limit = vdev_pin_limit,
		.can_map = vdev_can_map,
		.track = vdev_track,
		.untrack = vdev_untrack,
		.untrack_all = vdev_untrack_all,
		.unmap = gslot_map_area_unmap,
	},
	.interrupt = vdev_interrupt,
	.interrupt_sync = vdev_interrupt_sync,
};
