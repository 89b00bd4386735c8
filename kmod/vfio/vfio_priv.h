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

/* A tracked page of the guest's. A write to it also ends the tracking of all pages below it. */
struct gslot_track_page {
	u64 gfn;
	struct list_head link;		/* in @below of another one, or in gslot_vfio_track.roots */
	struct list_head below;
};

/* Tracking of the guest's writes to faces, and to its page tables: track.c */
struct gslot_vfio_track {
	struct gslot_kvm_track kvm;	/* unregistered: there are no faces */
	uint mode;			/* what is tracked; while open */
	struct mutex lock;		/* protects the rest; see gpu.c */
	gfn_t gfn[GSLOT_NR_FACES];	/* pages that are tracked; read without the lock */
	bool mapped[GSLOT_NR_FACES];	/* @tick has not removed it */
	bool written[GSLOT_NR_FACES];	/* since @tick has looked; without the lock */
	u32 idle[GSLOT_NR_FACES];	/* for how many ticks it has not been written to */
	struct xarray pages;		/* gslot_track_page by gfn; looked at without the lock */
	struct list_head roots;		/* those of @pages that are below no other one */
	struct delayed_work tick;	/* shows the time, and removes faces that are not used */
};

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
	struct gslot_vfio_track track;	/* of the guest's writes to faces */
};

static inline struct gslot_vfio_device *gslot_vfio_device_of(struct vfio_device *vdev)
{
	return container_of(vdev, struct gslot_vfio_device, vdev);
}

/* A part of a region that can be mapped */
struct gslot_region_part {
	u64 offset;			/* where it begins */
	u64 size;			/* bytes */
	enum gslot_map_area area;	/* the map area there */
	u32 face;			/* of GSLOT_MAP_FACES */
};

/* A region */
struct gslot_region {
	u64 size;			/* bytes; 0 for a region of PCI that a vGPU lacks */
	/* An aligned read or write of 1, 2, 4 or 8 bytes */
	void (*access)(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len, bool write);
	struct gslot_region_part part;	/* of size 0: none; BAR 0 has faces in addition */
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

bool gslot_region_part(const struct gslot_vfio_device *gdev, u32 index, u32 nr,
		       struct gslot_region_part *part);

/* track.c */
void gslot_track_init(struct gslot_vfio_device *gdev);
void gslot_track_open(struct gslot_vfio_device *gdev);
void gslot_track_close(struct gslot_vfio_device *gdev);
bool gslot_track_page(struct gslot_vfio_device *gdev, u64 gfn, struct page *page, u64 parent);
void gslot_untrack_page(struct gslot_vfio_device *gdev, u64 gfn);
void gslot_untrack_pages(struct gslot_vfio_device *gdev);
bool gslot_track_has(const struct gslot_vfio_device *gdev, u32 face);
vm_fault_t gslot_track_fault(struct gslot_vfio_device *gdev, struct vm_fault *vmf, u32 face);

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
