/* SPDX-License-Identifier: GPL-2.0 */
/* Internals of VFIO devices; for kmod/vfio only. */
#ifndef _GSLOT_VFIO_PRIV_H
#define _GSLOT_VFIO_PRIV_H

#include <linux/atomic.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/vfio.h>

#include "base/compat_kvm.h"
#include "vgpu/vgpu.h"

/* The upper bits of a file offset are the index of a region. */
#define GSLOT_VFIO_SHIFT		40
#define GSLOT_VFIO_OFFSET(index)	((loff_t)(index) << GSLOT_VFIO_SHIFT)
#define GSLOT_VFIO_MASK			(GSLOT_VFIO_OFFSET(1) - 1)

struct attribute_group;
struct eventfd_ctx;
struct gslot_mig;
struct inode;

/* The VFIO device of a vGPU */
struct gslot_vfio_device {
	struct vfio_device vdev;	/* VFIO's part; must be the first member */
	struct gslot_vgpu *vgpu;	/* the vGPU */
	struct gslot_mig *mig;		/* its migration */
	struct inode *inode;		/* its address space has the mappings */
	atomic_t mappings;		/* how often its regions are mapped, by all processes */
	spinlock_t irq_lock;	/* protects @eventfd; taken in hard interrupts; see gpu.c */
	/* The eventfds of interrupts, by VFIO's index, or NULL */
	struct eventfd_ctx *eventfd[VFIO_PCI_NUM_IRQS];
	struct irq_work msi;		/* signals the eventfd of the MSI */
};

static inline struct gslot_vfio_device *gslot_vfio_device_of(struct vfio_device *vdev)
{
	return container_of(vdev, struct gslot_vfio_device, vdev);
}

/* A region */
struct gslot_region {
	u64 size;			/* bytes; 0 for a region of PCI that a vGPU lacks */
	/* An aligned read or write of 1, 2, 4 or 8 bytes */
	void (*access)(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len, bool write);
	u64 map_offset;			/* offset of the part that can be mapped */
	u64 map_size;			/* size of that part; 0: none */
	enum gslot_map_area area;	/* the map area there */
};

/* attrs.c */
extern const struct attribute_group *gslot_vgpu_groups[];

/* vfio_device.c */
extern const struct vfio_device_ops gslot_vfio_ops;
extern const struct gslot_vgpu_ops gslot_vfio_vgpu_ops;

/* mdev.c */
struct gslot_vgpu *gslot_mdev_create_vgpu(struct gslot_vfio_device *gdev);

/* vfio_migration.c */
int gslot_vfio_mig_init(struct gslot_vfio_device *gdev);
int gslot_vfio_mig_size(struct vfio_device *vdev, unsigned long *size);

/* regions.c */
const struct gslot_region *gslot_region_find(u32 index);
int gslot_region_info(struct vfio_device *vdev, struct vfio_region_info *info,
		      struct vfio_info_cap *caps);
ssize_t gslot_region_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *pos);
ssize_t gslot_region_write(struct vfio_device *vdev, const char __user *buf, size_t count,
			   loff_t *pos);

/* mmap.c */
int gslot_inode_init(void);
void gslot_inode_exit(void);
struct inode *gslot_inode_get(struct vfio_device *vdev);
int gslot_region_mmap(struct vfio_device *vdev, struct vm_area_struct *vma);
void gslot_map_area_unmap(void *data, enum gslot_map_area area, u64 offset, u64 size);

/* irqs.c */
long gslot_vfio_irq_info_ioctl(unsigned long arg);
long gslot_vfio_irq_set_ioctl(struct gslot_vfio_device *gdev, unsigned long arg);
void gslot_vfio_irq_init(struct gslot_vfio_device *gdev);
void gslot_vfio_irq_signal(struct gslot_vfio_device *gdev, u32 index);
void gslot_vfio_irq_release(struct gslot_vfio_device *gdev);

#endif
