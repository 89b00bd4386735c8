/* SPDX-License-Identifier: GPL-2.0 */
/* What changed in VFIO, and in what its drivers use; see compat.h. */
#ifndef _GSLOT_BASE_COMPAT_VFIO_H
#define _GSLOT_BASE_COMPAT_VFIO_H

#include <linux/eventfd.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/version.h>
#include <linux/vfio.h>

/* 6.2: the core frees a VFIO device, and mediated devices work with iommufd. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define gslot_vfio_free_device(vdev)	vfio_free_device(vdev)
#define GSLOT_VFIO_IOMMUFD_OPS
static inline bool gslot_vfio_uses_iommufd(struct vfio_device *vdev)
{
	return false;
}
#else
#define gslot_vfio_free_device(...)	do { } while (0)
#define GSLOT_VFIO_IOMMUFD_OPS						\
	.bind_iommufd = vfio_iommufd_emulated_bind,			\
	.unbind_iommufd = vfio_iommufd_emulated_unbind,			\
	.attach_ioas = vfio_iommufd_emulated_attach_ioas,		\
	.detach_ioas = vfio_iommufd_emulated_detach_ioas,
static inline bool gslot_vfio_uses_iommufd(struct vfio_device *vdev)
{
	return vdev->iommufd_access;
}
#endif

/*
 * 6.2: VFIO knows the feature that says how much data a migration has to carry. Before, it leaves
 * features that it does not know to the device.
 */
typedef int (*gslot_mig_data_size_fn)(struct vfio_device *vdev, unsigned long *size);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define GSLOT_VFIO_MIG_DATA_SIZE_OP(...)
#define GSLOT_VFIO_FEATURE_OP(fn)	.device_feature = (fn),
#define VFIO_DEVICE_FEATURE_MIG_DATA_SIZE	9
struct vfio_device_feature_mig_data_size {
	__aligned_u64 stop_copy_length;
};

static inline int gslot_vfio_mig_data_size(struct vfio_device *vdev, u32 flags, void __user *arg,
					   size_t argsz, gslot_mig_data_size_fn fn)
{
	struct vfio_device_feature_mig_data_size data = { };
	unsigned long size;
	int ret;

	if ((flags & VFIO_DEVICE_FEATURE_MASK) != VFIO_DEVICE_FEATURE_MIG_DATA_SIZE)
		return -ENOTTY;
	ret = vfio_check_feature(flags, argsz, VFIO_DEVICE_FEATURE_GET, sizeof(data));
	if (ret != 1)
		return ret;
	ret = fn(vdev, &size);
	if (ret)
		return ret;
	data.stop_copy_length = size;
	return copy_to_user(arg, &data, sizeof(data)) ? -EFAULT : 0;
}
#else
#define GSLOT_VFIO_MIG_DATA_SIZE_OP(fn)	.migration_get_data_size = (fn),
#define GSLOT_VFIO_FEATURE_OP(...)
static inline int gslot_vfio_mig_data_size(struct vfio_device *vdev, u32 flags, void __user *arg,
					   size_t argsz, gslot_mig_data_size_fn fn)
{
	return -ENOTTY;
}
#endif

/* 6.2: a device may be saved while it runs. Before, no device says so, or enters these states. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define VFIO_MIGRATION_PRE_COPY		0
#define VFIO_DEVICE_STATE_PRE_COPY	6
#define VFIO_DEVICE_STATE_PRE_COPY_P2P	7
#define VFIO_MIG_GET_PRECOPY_INFO	_IO(VFIO_TYPE, VFIO_BASE + 21)
struct vfio_precopy_info {
	__u32 argsz;
	__u32 flags;
	__aligned_u64 initial_bytes;
	__aligned_u64 dirty_bytes;
};
#endif

/*
 * A device's dirty log fills an iova_bitmap. From 6.7 on a kernel has these only with iommufd; if
 * not, VFIO would let a VMM start a log, and fail to report it.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
#define GSLOT_HAS_DIRTY_LOG	1
#else
#define GSLOT_HAS_DIRTY_LOG	IS_ENABLED(CONFIG_IOMMUFD_DRIVER)
#endif

/* 6.8: eventfd_signal() lost its count. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define gslot_eventfd_signal(ctx)	((void)eventfd_signal(ctx, 1))
#else
#define gslot_eventfd_signal(ctx)	eventfd_signal(ctx)
#endif

/*
 * 6.10: a VFIO device has an inode. Its address space has the mappings of all
 * of its files from the start. Before, it has none: NULL.
 */
static inline struct inode *gslot_vfio_inode(const struct vfio_device *vdev)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
	return NULL;
#else
	return vdev->inode;
#endif
}

/*
 * 6.13: KVM no longer counts references on what it finds in a PFN mapping.
 * Before, it can map no page there that has no count of its own: one within a
 * huge page.
 */
static inline bool gslot_kvm_can_map(const struct vfio_device *vdev, struct page *page)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
	return !vdev->kvm || !PageTail(page);
#else
	return true;
#endif
}

/* 6.13: the name of a namespace of symbols is a string. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define GSLOT_IMPORT_NS(ns)	MODULE_IMPORT_NS(ns)
#else
#define GSLOT_IMPORT_NS(ns)	MODULE_IMPORT_NS(#ns)
#endif

/*
 * 6.19: VFIO_DEVICE_GET_REGION_INFO is an operation of its own. Before, the
 * driver's ioctl operation sees it, and copies in and out by itself.
 */
typedef int (*gslot_region_info_fn)(struct vfio_device *vdev, struct vfio_region_info *info,
				    struct vfio_info_cap *caps);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 19, 0)
#define GSLOT_VFIO_REGION_INFO_OP(...)
static inline long gslot_vfio_region_info(struct vfio_device *vdev, unsigned long arg,
					  gslot_region_info_fn fn)
{
	unsigned long minsz = offsetofend(struct vfio_region_info, offset);
	void __user *uarg = (void __user *)arg;
	struct vfio_region_info info = { };
	struct vfio_info_cap caps = { };
	long ret;

	if (copy_from_user(&info, uarg, minsz))
		return -EFAULT;
	if (info.argsz < minsz)
		return -EINVAL;
	ret = fn(vdev, &info, &caps);
	if (ret)
		goto out_free;
	if (caps.size) {
		info.flags |= VFIO_REGION_INFO_FLAG_CAPS;
		if (info.argsz < sizeof(info) + caps.size) {
			info.argsz = sizeof(info) + caps.size;
			info.cap_offset = 0;
		} else {
			vfio_info_cap_shift(&caps, sizeof(info));
			if (copy_to_user(uarg + sizeof(info), caps.buf, caps.size)) {
				ret = -EFAULT;
				goto out_free;
			}
			info.cap_offset = sizeof(info);
		}
	}
	if (copy_to_user(uarg, &info, minsz))
		ret = -EFAULT;
out_free:
	kfree(caps.buf);
	return ret;
}
#else
#define GSLOT_VFIO_REGION_INFO_OP(fn)	.get_region_info_caps = (fn),
static inline long gslot_vfio_region_info(struct vfio_device *vdev, unsigned long arg,
					  gslot_region_info_fn fn)
{
	return -ENOTTY;
}
#endif

#endif
