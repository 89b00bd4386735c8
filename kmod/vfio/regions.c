// SPDX-License-Identifier: GPL-2.0
/* The regions of a vGPU: their table, and accesses by read() and write(). */
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "vfio_priv.h"

#define READ_WRITE	(VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE)

/* Only a part of the region can be mapped. */
static int region_add_sparse_mmap(const struct gslot_region *region, struct vfio_info_cap *caps)
{
	struct {
		struct vfio_region_info_cap_sparse_mmap cap;
		struct vfio_region_sparse_mmap_area area;
	} sparse = {
		.cap.header.id = VFIO_REGION_INFO_CAP_SPARSE_MMAP,
		.cap.header.version = 1,
		.cap.nr_areas = 1,
		.area.offset = region->map_offset,
		.area.size = region->map_size,
	};

	return vfio_info_add_capability(caps, &sparse.cap.header, sizeof(sparse));
}

/* By index. */
static const struct gslot_region regions[GSLOT_NR_REGIONS] = {
	[VFIO_PCI_CONFIG_REGION_INDEX] = {
		.size = GSLOT_VGPU_CONFIG_SIZE,
		.flags = READ_WRITE,
		.access = gslot_config_access,
	},
	/* Registers, which are always emulated, and GGTT entries. */
	[VFIO_PCI_BAR0_REGION_INDEX] = {
		.size = GSLOT_VGPU_BAR0_SIZE,
		.flags = READ_WRITE | VFIO_REGION_INFO_FLAG_MMAP,
		.access = gslot_mmio_access,
		.map_offset = GSLOT_VGPU_TABLE_OFFSET,
		.map_size = GSLOT_VGPU_TABLE_SIZE,
		.area = GSLOT_MAP_TABLE,
		.add_caps = region_add_sparse_mmap,
	},
	[VFIO_PCI_BAR2_REGION_INDEX] = {
		.size = GSLOT_VGPU_APERTURE_SIZE,
		.flags = READ_WRITE | VFIO_REGION_INFO_FLAG_MMAP,
		.access = gslot_aperture_access,
		.map_size = GSLOT_VGPU_APERTURE_SIZE,
		.area = GSLOT_MAP_APERTURE,
	},
};

/**
 * gslot_region_find() - find a region
 * @index: its index, untrusted
 *
 * Return: the row of the table, which may be empty; NULL if there is no such index.
 * Context: any.
 */
const struct gslot_region *gslot_region_find(u32 index)
{
	if (index >= ARRAY_SIZE(regions))
		return NULL;
	return &regions[array_index_nospec(index, ARRAY_SIZE(regions))];
}

/**
 * gslot_region_of_map_area() - find the region of a map area
 * @area: the area
 *
 * Return: index of the region.
 * Context: any.
 */
u32 gslot_region_of_map_area(enum gslot_map_area area)
{
	u32 i = 0;

	while (!regions[i].map_size || regions[i].area != area)
		i++;
	return i;
}

/**
 * gslot_region_info() - describe a region
 * @vdev: the device
 * @info: contains the index; receives the rest
 * @caps: receives the capabilities
 *
 * Return: 0 or -errno; a region of PCI that a vGPU lacks is empty.
 * Context: may sleep.
 */
int gslot_region_info(struct vfio_device *vdev, struct vfio_region_info *info,
		      struct vfio_info_cap *caps)
{
	const struct gslot_region *region = gslot_region_find(info->index);

	if (!region)
		return -EINVAL;
	info->offset = GSLOT_VFIO_OFFSET(info->index);
	info->size = region->size;
	info->flags = region->flags;
	return region->add_caps ? region->add_caps(region, caps) : 0;
}

/* The widest aligned access at an offset. */
static u32 region_access_width(u64 offset, size_t count)
{
	u32 width = 8;

	while (width > count || (offset & (width - 1)))
		width /= 2;
	return width;
}

/* How many bytes of a request lie within a region; -EINVAL if the request begins outside. */
static ssize_t region_clamp(size_t count, loff_t pos, const struct gslot_region **region,
			    u64 *offset)
{
	if (pos < 0)
		return -EINVAL;
	*region = gslot_region_find(pos >> GSLOT_VFIO_SHIFT);
	*offset = pos & GSLOT_VFIO_MASK;
	if (!*region || *offset >= (*region)->size)
		return -EINVAL;
	return min_t(u64, count, (*region)->size - *offset);
}

/*
 * A request may cover the whole aperture, 8 bytes at a time: yield the processor in between, and
 * end with the process.
 */
static bool region_is_killed(void)
{
	cond_resched();
	return fatal_signal_pending(current);
}

static ssize_t region_access(struct vfio_device *vdev, char __user *buf, size_t count,
			     loff_t *pos, bool write)
{
	struct gslot_vgpu *vgpu = gslot_vfio_device_of(vdev)->vgpu;
	const struct gslot_region *region;
	u64 offset, data;
	u32 len;
	ssize_t total = region_clamp(count, *pos, &region, &offset), done;

	for (done = 0; done < total; done += len, offset += len) {
		if (region_is_killed()) {
			total = done ?: -EINTR;
			break;
		}
		len = region_access_width(offset, total - done);
		if (write && copy_from_user(&data, buf + done, len))
			return -EFAULT;
		region->access(vgpu, offset, &data, len, write);
		if (!write && copy_to_user(buf + done, &data, len))
			return -EFAULT;
	}
	if (total > 0)
		*pos += total;
	return total;
}

/**
 * gslot_region_read() - the read operation of VFIO
 * @vdev: the device
 * @buf: receives the data; may be a mapping of this very device, so no lock is held
 * @count: how many bytes
 * @pos: region and offset
 *
 * Return: how many bytes were read, or -errno. The count is short at the end of the region, or, as
 * -EINTR, if the process is being killed.
 * Context: may sleep; touches user memory.
 */
ssize_t gslot_region_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *pos)
{
	return region_access(vdev, buf, count, pos, false);
}

/**
 * gslot_region_write() - the write operation of VFIO
 * @vdev: the device
 * @buf: the data, as in gslot_region_read()
 * @count: how many bytes
 * @pos: region and offset
 *
 * Return: how many bytes were written, or -errno, as gslot_region_read().
 * Context: may sleep; touches user memory.
 */
ssize_t gslot_region_write(struct vfio_device *vdev, const char __user *buf, size_t count,
			   loff_t *pos)
{
	return region_access(vdev, (char __user *)buf, count, pos, true);
}
