/* SPDX-License-Identifier: GPL-2.0 */
/*
 * VFIO devices from inside; for kmod/vfio only.
 */
#ifndef _GSLOT_VFIO_PRIV_H
#define _GSLOT_VFIO_PRIV_H

#include <linux/mdev.h>
#include <linux/vfio.h>

#include "../vgpu/vgpu.h"

/* A region's index is in the upper bits of a file offset. */
#define GSLOT_VFIO_SHIFT		40
#define GSLOT_VFIO_OFFSET(index)	((loff_t)(index) << GSLOT_VFIO_SHIFT)
#define GSLOT_VFIO_MASK			(GSLOT_VFIO_OFFSET(1) - 1)

/* device.c */
extern const struct vfio_device_ops gslot_vfio_ops;

/* regions.c */
u64 gslot_region_size(u32 index);		/* 0: no such region */
int gslot_region_info(struct vfio_device *vdev, struct vfio_region_info *info,
		      struct vfio_info_cap *caps);
ssize_t gslot_region_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *pos);
ssize_t gslot_region_write(struct vfio_device *vdev, const char __user *buf, size_t count,
			   loff_t *pos);

/* mmap.c */
int gslot_region_mmap(struct vfio_device *vdev, struct vm_area_struct *vma);

/* irqs.c */
u32 gslot_irq_count(u32 index);
long gslot_irq_info_ioctl(struct gslot_vgpu *vgpu, unsigned long arg);
long gslot_set_irqs_ioctl(struct gslot_vgpu *vgpu, unsigned long arg);
void gslot_irqs_request(struct gslot_vgpu *vgpu, unsigned int count);
void gslot_irqs_release(struct gslot_vgpu *vgpu);

/* inode.c */
int gslot_inode_init(void);
void gslot_inode_exit(void);
struct inode *gslot_inode_alloc(void);	/* ERR_PTR; iput() */

#endif
