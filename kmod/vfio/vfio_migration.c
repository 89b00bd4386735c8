// SPDX-License-Identifier: GPL-2.0
/* VFIO's operations of migration. */
#include "vfio_priv.h"
#include "base/compat.h"
#include "migrate/migrate.h"

static struct file *vmig_set_state(struct vfio_device *vdev, enum vfio_device_mig_state state)
{
	return gslot_mig_set_state(gslot_vfio_device_of(vdev)->mig, state);
}

static int vmig_get_state(struct vfio_device *vdev, enum vfio_device_mig_state *state)
{
	return gslot_mig_get_state(gslot_vfio_device_of(vdev)->mig, state);
}

static int __maybe_unused vmig_data_size(struct vfio_device *vdev, unsigned long *size)
{
	return gslot_mig_data_size(gslot_vfio_device_of(vdev)->mig, size);
}

static const struct vfio_migration_ops vmig_ops = {
	.migration_set_state = vmig_set_state,
	.migration_get_state = vmig_get_state,
	GSLOT_VFIO_MIG_DATA_SIZE_OP(vmig_data_size)
};

/* Let a device migrate. It has its vGPU, and is not registered yet. Return: 0 or -ENOMEM. */
int gslot_vfio_mig_init(struct gslot_vfio_device *gdev)
{
	gdev->mig = gslot_mig_create(&gdev->vdev, gdev->vgpu);
	if (!gdev->mig)
		return -ENOMEM;
	gdev->vdev.migration_flags = VFIO_MIGRATION_STOP_COPY | VFIO_MIGRATION_P2P |
				     VFIO_MIGRATION_PRE_COPY;
	gdev->vdev.mig_ops = &vmig_ops;
	return 0;
}
