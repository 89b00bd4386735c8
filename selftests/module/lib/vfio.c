// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/kvm.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "iommufd.h"
#include "mdev.h"
#include "vfio.h"

/* udev may take a moment to create the group's node. */
static int open_group(const char *uuid)
{
	char path[MDEV_PATH_MAX], target[MDEV_PATH_MAX];
	const char *base;
	ssize_t len;
	int fd;

	mdev_device_path(path, uuid, "iommu_group");
	len = readlink(path, target, sizeof(target) - 1);
	if (len < 0)
		return -errno;
	target[len] = '\0';
	base = strrchr(target, '/');
	snprintf(path, sizeof(path), "/dev/vfio/%.32s", base ? base + 1 : target);
	if (!wait_for(!access(path, F_OK), SOON_MS))
		return -ENOENT;
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* KVM's VFIO device, or -1 */
static int kvm_device = -1;

void vfio_use_kvm(int device)
{
	kvm_device = device;
}

/* Before 6.6, KVM is told of groups alone; of devices since then, by the same numbers. */
static int tell_kvm(const struct vfio *v, u64 what)
{
	const int *file = v->group < 0 ? &v->fd : &v->group;
	struct kvm_device_attr attr = {
		.group = KVM_DEV_VFIO_GROUP,
		.attr = what,
		.addr = (unsigned long)file,
	};

	return ioctl(v->kvm, KVM_SET_DEVICE_ATTR, &attr);
}

int vfio_join_kvm(struct vfio *v)
{
	if (kvm_device < 0)
		return 0;
	v->kvm = kvm_device;
	if (!tell_kvm(v, KVM_DEV_VFIO_GROUP_ADD))
		return 0;
	v->kvm = -1;
	return -1;
}

/* KVM keeps the file open. Unless the guest has gone, and KVM's device with it. */
static void leave_kvm(struct vfio *v)
{
	if (v->kvm >= 0)
		tell_kvm(v, KVM_DEV_VFIO_GROUP_DEL);
	v->kvm = -1;
}

/* Open a device in @v->container. @first: it has no other. */
static int open_in_container(struct vfio *v, const char *uuid, bool first)
{
	int ret = open_group(uuid);

	if (ret < 0)
		goto err;
	v->group = ret;
	if (ioctl(v->group, VFIO_GROUP_SET_CONTAINER, &v->container) ||
	    (first && ioctl(v->container, VFIO_SET_IOMMU, VFIO_TYPE1v2_IOMMU)) ||
	    vfio_join_kvm(v)) {
		ret = -errno;
		goto err;
	}
	v->fd = ioctl(v->group, VFIO_GROUP_GET_DEVICE_FD, uuid);
	if (v->fd < 0) {
		ret = -errno;
		goto err;
	}
	fcntl(v->fd, F_SETFD, FD_CLOEXEC);
	return 0;
err:
	vfio_close(v);
	return ret;
}

int vfio_open(struct vfio *v, const char *uuid)
{
	v->group = -1;
	v->kvm = -1;
	v->fd = -1;
	if (iommufd_wanted())
		return iommufd_open(v, uuid);
	v->container = open("/dev/vfio/vfio", O_RDWR | O_CLOEXEC);
	return v->container < 0 ? -errno : open_in_container(v, uuid, true);
}

int vfio_open_beside(struct vfio *v, const char *uuid, const struct vfio *other)
{
	v->group = -1;
	v->kvm = -1;
	v->fd = -1;
	v->container = fcntl(other->container, F_DUPFD_CLOEXEC, 0);
	return v->container < 0 ? -errno : open_in_container(v, uuid, false);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void vfio_close_device(struct vfio *v)
{
	if (v->group < 0)
		leave_kvm(v);
	close_fd(&v->fd);
}

void vfio_close(struct vfio *v)
{
	vfio_close_device(v);
	leave_kvm(v);
	close_fd(&v->group);
	close_fd(&v->container);
}

int vfio_dma_map(struct vfio *v, u64 iova, void *ptr, u64 len)
{
	struct vfio_iommu_type1_dma_map map = {
		.argsz = sizeof(map),
		.flags = VFIO_DMA_MAP_FLAG_READ | VFIO_DMA_MAP_FLAG_WRITE,
		.vaddr = (unsigned long)ptr,
		.iova = iova,
		.size = len,
	};

	if (iommufd_wanted())
		return iommufd_dma_map(v, iova, ptr, len);
	return ioctl(v->container, VFIO_IOMMU_MAP_DMA, &map) ? -errno : 0;
}

int vfio_dma_unmap(struct vfio *v, u64 iova, u64 len)
{
	struct vfio_iommu_type1_dma_unmap unmap = {
		.argsz = sizeof(unmap),
		.iova = iova,
		.size = len,
	};

	if (iommufd_wanted())
		return iommufd_dma_unmap(v, iova, len);
	return ioctl(v->container, VFIO_IOMMU_UNMAP_DMA, &unmap) ? -errno : 0;
}

int vfio_device_reset(struct vfio *v)
{
	return ioctl(v->fd, VFIO_DEVICE_RESET) ? -errno : 0;
}

struct vfio_region_info *vfio_region_info(struct vfio *v, u32 index)
{
	struct vfio_region_info *info;
	u32 size = sizeof(*info);

	for (;;) {
		info = calloc(1, size);
		if (!info)
			return NULL;
		info->argsz = size;
		info->index = index;
		if (ioctl(v->fd, VFIO_DEVICE_GET_REGION_INFO, info)) {
			int err = errno;

			free(info);
			errno = err;
			return NULL;
		}
		if (info->argsz <= size)
			return info;
		size = info->argsz;
		free(info);
	}
}

u64 vfio_region_offset(struct vfio *v, u32 index)
{
	struct vfio_region_info info = { .argsz = sizeof(info), .index = index };

	return ioctl(v->fd, VFIO_DEVICE_GET_REGION_INFO, &info) ? 0 : info.offset;
}

/* They do not change while a device is open, and are the same for all vGPUs. */
static u64 region_offset(struct vfio *v, u32 index)
{
	static u64 offsets[VFIO_PCI_NUM_REGIONS];
	static bool known[VFIO_PCI_NUM_REGIONS];

	if (index >= VFIO_PCI_NUM_REGIONS)
		return vfio_region_offset(v, index);
	if (!known[index]) {
		offsets[index] = vfio_region_offset(v, index);
		known[index] = true;
	}
	return offsets[index];
}

ssize_t vfio_read(struct vfio *v, u32 index, u64 offset, void *buf, size_t len)
{
	ssize_t ret = pread(v->fd, buf, len, region_offset(v, index) + offset);

	return ret < 0 ? -errno : ret;
}

ssize_t vfio_write(struct vfio *v, u32 index, u64 offset, const void *buf, size_t len)
{
	ssize_t ret = pwrite(v->fd, buf, len, region_offset(v, index) + offset);

	return ret < 0 ? -errno : ret;
}

u32 vfio_config_read(struct vfio *v, u32 offset, u32 width)
{
	u32 value = 0;

	if (vfio_read(v, VFIO_PCI_CONFIG_REGION_INDEX, offset, &value, width) != width)
		return ~0u;
	return value;
}

void vfio_config_write(struct vfio *v, u32 offset, u32 width, u32 value)
{
	vfio_write(v, VFIO_PCI_CONFIG_REGION_INDEX, offset, &value, width);
}

int vfio_set_msi(struct vfio *v, int eventfd)
{
	char buf[sizeof(struct vfio_irq_set) + sizeof(int)] = { 0 };
	struct vfio_irq_set *set = (struct vfio_irq_set *)buf;

	set->argsz = sizeof(buf);
	set->index = VFIO_PCI_MSI_IRQ_INDEX;
	set->flags = VFIO_IRQ_SET_ACTION_TRIGGER;
	if (eventfd < 0) {
		set->argsz = sizeof(*set);
		set->flags |= VFIO_IRQ_SET_DATA_NONE;
	} else {
		set->flags |= VFIO_IRQ_SET_DATA_EVENTFD;
		set->count = 1;
		memcpy(set->data, &eventfd, sizeof(eventfd));
	}
	return ioctl(v->fd, VFIO_DEVICE_SET_IRQS, set) ? -errno : 0;
}
