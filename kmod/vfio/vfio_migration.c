// SPDX-License-Identifier: GPL-2.0
/* VFIO's operations of migration, and of the dirty log. */
#include <linux/err.h>
#include <linux/iova_bitmap.h>

#include "vfio_priv.h"
#include "base/compat_vfio.h"
#include "migrate/migrate.h"
#include "vgpu/vgpu_state.h"

/* iova_bitmap_set() */
GSLOT_IMPORT_NS(IOMMUFD);

static struct file *vmig_set_state(struct vfio_device *vdev, enum vfio_device_mig_state state)
{
	return gslot_mig_set_state(gslot_vfio_device_of(vdev)->mig, state);
}

static int vmig_get_state(struct vfio_device *vdev, enum vfio_device_mig_state *state)
{
	return gslot_mig_get_state(gslot_vfio_device_of(vdev)->mig, state);
}

/* VFIO asks for it, or vdev_feature(). */
int gslot_vfio_mig_size(struct vfio_device *vdev, unsigned long *size)
{
	return gslot_mig_data_size(gslot_vfio_device_of(vdev)->mig, size);
}

static const struct vfio_migration_ops vmig_ops = {
	.migration_set_state = vmig_set_state,
	.migration_get_state = vmig_get_state,
	GSLOT_VFIO_MIG_DATA_SIZE_OP(gslot_vfio_mig_size)
};

/* All of memory is logged, whatever @ranges, which VFIO has checked: a report names its own. */
static int vmig_log_start(struct vfio_device *vdev, struct rb_root_cached *ranges, u32 nnodes,
			  u64 *page_size)
{
	int ret = gslot_vgpu_log_start(gslot_vfio_device_of(vdev)->vgpu);

	if (!ret)
		*page_size = PAGE_SIZE;
	return ret;
}

static int vmig_log_stop(struct vfio_device *vdev)
{
	return gslot_vgpu_log_stop(gslot_vfio_device_of(vdev)->vgpu);
}

static void vmig_log_set(void *data, u64 gfn, u32 count)
{
	iova_bitmap_set(data, gfn << PAGE_SHIFT, (size_t)count << PAGE_SHIFT);
}

static int vmig_log_read(struct vfio_device *vdev, unsigned long iova, unsigned long length,
			 struct iova_bitmap *dirty)
{
	/*
	 * VFIO checks no more than that they do not overflow, and older kernels do not check what
	 * they are told to set: no bit beyond the range, so whole pages.
	 */
	if (!length || !PAGE_ALIGNED(iova | length))
		return -EINVAL;
	return gslot_vgpu_log_read(gslot_vfio_device_of(vdev)->vgpu, iova >> PAGE_SHIFT,
				   (iova + length - 1) >> PAGE_SHIFT, vmig_log_set, dirty);
}

static const struct vfio_log_ops vmig_log_ops = {
	.log_start = vmig_log_start,
	.log_stop = vmig_log_stop,
	.log_read_and_clear = vmig_log_read,
};

/* Let a device migrate. It has its vGPU, and is not registered yet. Return: 0 or -ENOMEM. */
int gslot_vfio_mig_init(struct gslot_vfio_device *gdev)
{
	gdev->mig = gslot_mig_create(&gdev->vdev, gdev->vgpu);
	if (IS_ERR(gdev->mig))
		return PTR_ERR(gdev->mig);
	gdev->vdev.migration_flags = VFIO_MIGRATION_STOP_COPY | VFIO_MIGRATION_P2P |
				     VFIO_MIGRATION_PRE_COPY;
	gdev->vdev.mig_ops = &vmig_ops;
	if (GSLOT_HAS_DIRTY_LOG)
		gdev->vdev.log_ops = &vmig_log_ops;
	return 0;
}
