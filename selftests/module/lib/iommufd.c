// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/iommufd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "iommufd.h"
#include "mdev.h"

bool iommufd_wanted(void)
{
	return getenv("GSLOT_IOMMUFD");
}

/* udev may take a moment to create the device's node. */
static int open_device(const char *uuid)
{
	char path[MDEV_PATH_MAX], name[64] = "";
	struct dirent *entry;
	DIR *dir;
	int fd;

	mdev_device_path(path, uuid, "vfio-dev");
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "vfio", 4))
			snprintf(name, sizeof(name), "%.60s", entry->d_name);
	if (dir)
		closedir(dir);
	snprintf(path, sizeof(path), "/dev/vfio/devices/%s", name);
	if (!name[0] || !wait_for(!access(path, F_OK), SOON_MS))
		return -ENOENT;
	fd = open(path, O_RDWR | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int iommufd_attach(struct vfio *v)
{
	struct vfio_device_attach_iommufd_pt attach = {
		.argsz = sizeof(attach), .pt_id = v->ioas,
	};

	return ioctl(v->fd, VFIO_DEVICE_ATTACH_IOMMUFD_PT, &attach) ? -errno : 0;
}

int iommufd_detach(struct vfio *v)
{
	struct vfio_device_detach_iommufd_pt detach = { .argsz = sizeof(detach) };

	return ioctl(v->fd, VFIO_DEVICE_DETACH_IOMMUFD_PT, &detach) ? -errno : 0;
}

static int bind_and_attach(struct vfio *v)
{
	struct vfio_device_bind_iommufd bind = { .argsz = sizeof(bind), .iommufd = v->container };
	struct iommu_ioas_alloc alloc = { .size = sizeof(alloc) };

	if (vfio_join_kvm(v) || ioctl(v->fd, VFIO_DEVICE_BIND_IOMMUFD, &bind) ||
	    ioctl(v->container, IOMMU_IOAS_ALLOC, &alloc))
		return -errno;
	v->ioas = alloc.out_ioas_id;
	return iommufd_attach(v);
}

int iommufd_open(struct vfio *v, const char *uuid)
{
	int ret;

	v->container = open("/dev/iommu", O_RDWR | O_CLOEXEC);
	if (v->container < 0)
		return -errno;
	v->fd = open_device(uuid);
	ret = v->fd < 0 ? v->fd : bind_and_attach(v);
	if (ret)
		vfio_close(v);
	return ret;
}

int iommufd_dma_map(struct vfio *v, u64 iova, void *ptr, u64 len)
{
	struct iommu_ioas_map map = {
		.size = sizeof(map),
		.flags = IOMMU_IOAS_MAP_FIXED_IOVA | IOMMU_IOAS_MAP_READABLE |
			 IOMMU_IOAS_MAP_WRITEABLE,
		.ioas_id = v->ioas,
		.user_va = (unsigned long)ptr,
		.length = len,
		.iova = iova,
	};

	return ioctl(v->container, IOMMU_IOAS_MAP, &map) ? -errno : 0;
}

int iommufd_dma_unmap(struct vfio *v, u64 iova, u64 len)
{
	struct iommu_ioas_unmap unmap = {
		.size = sizeof(unmap),
		.ioas_id = v->ioas,
		.iova = iova,
		.length = len,
	};

	return ioctl(v->container, IOMMU_IOAS_UNMAP, &unmap) ? -errno : 0;
}
