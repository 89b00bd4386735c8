// SPDX-License-Identifier: GPL-2.0
/*
 * A vGPU as a VFIO device.
 */
#include <linux/fs.h>
#include <linux/uaccess.h>

#include "vfio_priv.h"
#include "../compat.h"

static int device_init(struct vfio_device *vdev)
{
	struct gslot_vgpu *vgpu = gslot_vgpu_of(vdev);
	struct inode *inode = gslot_inode_alloc();

	if (IS_ERR(inode))
		return PTR_ERR(inode);
	vgpu->inode = inode;
	return 0;
}

static void device_release(struct vfio_device *vdev)
{
	struct gslot_vgpu *vgpu = gslot_vgpu_of(vdev);

	gslot_vgpu_fini(vgpu);
	iput(vgpu->inode);
	gslot_vfio_free_device(vdev);
}

static int device_open(struct vfio_device *vdev)
{
	return gslot_vgpu_open(gslot_vgpu_of(vdev),
			       GSLOT_VFIO_OFFSET(VFIO_PCI_BAR0_REGION_INDEX) + GEN_GSM_OFFSET,
			       GSLOT_VFIO_OFFSET(VFIO_PCI_BAR2_REGION_INDEX));
}

static void device_close(struct vfio_device *vdev)
{
	struct gslot_vgpu *vgpu = gslot_vgpu_of(vdev);

	gslot_irqs_release(vgpu);
	gslot_vgpu_close(vgpu);
}

static long get_info(unsigned long arg)
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

static long device_ioctl(struct vfio_device *vdev, unsigned int cmd, unsigned long arg)
{
	struct gslot_vgpu *vgpu = gslot_vgpu_of(vdev);

	switch (cmd) {
	case VFIO_DEVICE_GET_INFO:
		return get_info(arg);
	case VFIO_DEVICE_GET_REGION_INFO:
		return gslot_vfio_region_info(vdev, arg, gslot_region_info);
	case VFIO_DEVICE_GET_IRQ_INFO:
		return gslot_irq_info_ioctl(vgpu, arg);
	case VFIO_DEVICE_SET_IRQS:
		return gslot_set_irqs_ioctl(vgpu, arg);
	case VFIO_DEVICE_RESET:
		gslot_vgpu_reset(vgpu);
		return 0;
	default:
		return -ENOTTY;
	}
}

static void device_request(struct vfio_device *vdev, unsigned int count)
{
	gslot_irqs_request(gslot_vgpu_of(vdev), count);
}

static void device_dma_unmap(struct vfio_device *vdev, u64 iova, u64 length)
{
	gslot_vgpu_dma_unmap(gslot_vgpu_of(vdev), iova, length);
}

const struct vfio_device_ops gslot_vfio_ops = {
	.name = "gslot",
	.init = device_init,
	.release = device_release,
	.open_device = device_open,
	.close_device = device_close,
	.read = gslot_region_read,
	.write = gslot_region_write,
	.ioctl = device_ioctl,
	.mmap = gslot_region_mmap,
	.request = device_request,
	.dma_unmap = device_dma_unmap,
	GSLOT_VFIO_REGION_INFO_OP(gslot_region_info)
	GSLOT_VFIO_IOMMUFD_OPS
};
