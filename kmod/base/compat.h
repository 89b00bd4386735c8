/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The changes of the kernel's interfaces between 6.1 and 7.2, and nothing else. No other file but
 * compat_kvm.c tests LINUX_VERSION_CODE: they are written for the newest kernel, and this one
 * provides what older ones lack.
 */
#ifndef _GSLOT_BASE_COMPAT_H
#define _GSLOT_BASE_COMPAT_H

#include <linux/eventfd.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/shrinker.h>
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

/* 6.13: the name of a namespace of symbols is a string. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define GSLOT_IMPORT_NS(ns)	MODULE_IMPORT_NS(ns)
#else
#define GSLOT_IMPORT_NS(ns)	MODULE_IMPORT_NS(#ns)
#endif

/* 6.3: vma->vm_flags is changed through functions. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}
#endif

/* 6.7: shrinkers are allocated, and have a pointer to private data. */
typedef unsigned long (*gslot_shrink_fn)(struct shrinker *shrinker, struct shrink_control *sc);
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 7, 0)
struct gslot_old_shrinker {
	struct shrinker shrinker;
	void *data;
};

static inline void *gslot_shrinker_data(struct shrinker *shrinker)
{
	return container_of(shrinker, struct gslot_old_shrinker, shrinker)->data;
}

static inline struct shrinker *gslot_shrinker_create(const char *name, gslot_shrink_fn count,
						     gslot_shrink_fn scan, void *data)
{
	struct gslot_old_shrinker *s = kzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return NULL;
	s->data = data;
	s->shrinker.count_objects = count;
	s->shrinker.scan_objects = scan;
	s->shrinker.seeks = DEFAULT_SEEKS;
	if (!register_shrinker(&s->shrinker, "gslot:%s", name))
		return &s->shrinker;
	kfree(s);
	return NULL;
}

static inline void gslot_shrinker_destroy(struct shrinker *shrinker)
{
	unregister_shrinker(shrinker);
	kfree(container_of(shrinker, struct gslot_old_shrinker, shrinker));
}
#else
static inline void *gslot_shrinker_data(struct shrinker *shrinker)
{
	return shrinker->private_data;
}

static inline struct shrinker *gslot_shrinker_create(const char *name, gslot_shrink_fn count,
						     gslot_shrink_fn scan, void *data)
{
	struct shrinker *shrinker = shrinker_alloc(0, "gslot:%s", name);

	if (!shrinker)
		return NULL;
	shrinker->private_data = data;
	shrinker->count_objects = count;
	shrinker->scan_objects = scan;
	shrinker_register(shrinker);
	return shrinker;
}

static inline void gslot_shrinker_destroy(struct shrinker *shrinker)
{
	shrinker_free(shrinker);
}
#endif

/* 6.8: eventfd_signal() lost its count. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 8, 0)
#define gslot_eventfd_signal(ctx)	((void)eventfd_signal(ctx, 1))
#else
#define gslot_eventfd_signal(ctx)	eventfd_signal(ctx)
#endif

/* 6.10: __assign_str() in a tracepoint knows its source. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 10, 0)
#define gslot_assign_str(dst, src)	__assign_str(dst, src)
#else
#define gslot_assign_str(dst, ...)	__assign_str(dst)
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

/* 6.13: an hrtimer gets its function when it is set up. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* 6.14: kthread_create_worker() does not start it any more. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 14, 0)
#define kthread_run_worker(flags, ...)	kthread_create_worker(flags, __VA_ARGS__)
#endif

/* 6.17: there is no pfn_t any more. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 17, 0)
#include <linux/pfn_t.h>
static inline vm_fault_t gslot_insert_mixed(struct vm_fault *vmf, unsigned long pfn)
{
	return vmf_insert_mixed(vmf->vma, vmf->address, __pfn_to_pfn_t(pfn, PFN_DEV));
}
#else
static inline vm_fault_t gslot_insert_mixed(struct vm_fault *vmf, unsigned long pfn)
{
	return vmf_insert_mixed(vmf->vma, vmf->address, pfn);
}
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
