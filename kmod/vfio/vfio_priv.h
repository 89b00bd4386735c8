/* SPDX-License-Identifier: GPL-2.0 */
/*
 * VFIO devices from inside; for kmod/vfio only.
 */
#ifndef _GSLOT_VFIO_PRIV_H
#define _GSLOT_VFIO_PRIV_H

#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/vfio.h>

#include "../vgpu/vgpu.h"

/* A region's index is in the upper bits of a file offset. */
#define GSLOT_VFIO_SHIFT		40
#define GSLOT_VFIO_OFFSET(index)	((loff_t)(index) << GSLOT_VFIO_SHIFT)
#define GSLOT_VFIO_MASK			(GSLOT_VFIO_OFFSET(1) - 1)

struct eventfd_ctx;
struct inode;

/**
 * struct gslot_vfio_device - a vGPU as VFIO has it
 * @vdev: what VFIO sees; must be the first member
 * @vgpu: the vGPU
 * @inode: owner of the address space of its mappings
 * @mapping_lock: changes of a file's address space
 * @irq_lock: protects @eventfd; taken in hard interrupts
 * @eventfd: what an interrupt signals, by VFIO's index, or NULL
 */
struct gslot_vfio_device {
	struct vfio_device vdev;
	struct gslot_vgpu *vgpu;
	struct inode *inode;
	struct mutex mapping_lock;	/* see above */
	spinlock_t irq_lock;		/* see above */
	struct eventfd_ctx *eventfd[VFIO_PCI_NUM_IRQS];
};

static inline struct gslot_vfio_device *gslot_vfio_device_of(struct vfio_device *vdev)
{
	return container_of(vdev, struct gslot_vfio_device, vdev);
}

/* device.c */
extern const struct vfio_device_ops gslot_vfio_ops;

/* mdev.c: the vGPU that a mediated device is to be; ERR_PTR */
struct gslot_vgpu *gslot_mdev_create_vgpu(struct gslot_vfio_device *gdev);

/* user.c */
extern const struct gslot_vgpu_ops gslot_vfio_vgpu_ops;

/* regions.c */
u64 gslot_region_size(u32 index);		/* 0: no such region */
int gslot_region_info(struct vfio_device *vdev, struct vfio_region_info *info,
		      struct vfio_info_cap *caps);
ssize_t gslot_region_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *pos);
ssize_t gslot_region_write(struct vfio_device *vdev, const char __user *buf, size_t count,
			   loff_t *pos);

/* mmap.c */
int gslot_region_mmap(struct vfio_device *vdev, struct vm_area_struct *vma);
void gslot_region_unmap(struct gslot_vfio_device *gdev, u32 index, u64 offset, u64 size);

/* irqs.c */
long gslot_irq_info_ioctl(unsigned long arg);
long gslot_set_irqs_ioctl(struct gslot_vfio_device *gdev, unsigned long arg);
void gslot_irq_signal(struct gslot_vfio_device *gdev, u32 index);	/* any context */
void gslot_irqs_release(struct gslot_vfio_device *gdev);

/* inode.c */
int gslot_inode_init(void);
void gslot_inode_exit(void);
struct inode *gslot_inode_alloc(void);	/* ERR_PTR; iput() */

#endif
