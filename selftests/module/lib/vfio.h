/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One VFIO device: container, group, regions, interrupts. GSLOT_IOMMUFD in the environment replaces
 * container and group by iommufd.
 */
#ifndef _LIBVGPU_VFIO_H
#define _LIBVGPU_VFIO_H

#include <linux/vfio.h>
#include <sys/types.h>

#include "types.h"

/**
 * struct vfio - an open VFIO device in a container of its own
 * @container: /dev/vfio/vfio with a type 1 IOMMU; or /dev/iommu
 * @group: the device's group, or -1
 * @kvm: KVM's VFIO device that knows the group, or without one the device; or -1
 * @ioas: the address space in /dev/iommu
 * @fd: the device
 */
struct vfio {
	int container;
	int group;
	int kvm;
	u32 ioas;
	int fd;
};

int vfio_open(struct vfio *v, const char *uuid);	/* 0 or -errno */
/* Devices opened from now on belong to a guest; @device: KVM's VFIO device; -1: to none. */
void vfio_use_kvm(int device);
/*
 * Tell the KVM of vfio_use_kvm() of the group, or without one of the device: before that is bound.
 * 0, or -1 and errno.
 */
int vfio_join_kvm(struct vfio *v);
/* As vfio_open(), in the container of another device. */
int vfio_open_beside(struct vfio *v, const char *uuid, const struct vfio *other);
void vfio_close_device(struct vfio *v);			/* keeps the container */
void vfio_close(struct vfio *v);

int vfio_dma_map(struct vfio *v, u64 iova, void *ptr, u64 len);
int vfio_dma_unmap(struct vfio *v, u64 iova, u64 len);
int vfio_device_reset(struct vfio *v);			/* VFIO_DEVICE_RESET */

/* GET_REGION_INFO with all capabilities; to be freed. NULL and errno. */
struct vfio_region_info *vfio_region_info(struct vfio *v, u32 index);
/* Offset of a region in the device's file. */
u64 vfio_region_offset(struct vfio *v, u32 index);

/* Return: bytes, or -errno. */
ssize_t vfio_read(struct vfio *v, u32 index, u64 offset, void *buf, size_t len);
ssize_t vfio_write(struct vfio *v, u32 index, u64 offset, const void *buf, size_t len);

u32 vfio_config_read(struct vfio *v, u32 offset, u32 width);	/* all ones on error */
void vfio_config_write(struct vfio *v, u32 offset, u32 width, u32 value);

/* Set the eventfd of the MSI; -1: none. 0 or -errno. */
int vfio_set_msi(struct vfio *v, int eventfd);

#endif
