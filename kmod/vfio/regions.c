// SPDX-License-Identifier: GPL-2.0
/*
 * The regions of a vGPU, and reading and writing them.
 */
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "vfio_priv.h"

#define READ_WRITE	(VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE)

/* A part of the region can be mapped, and no more. */
static int add_sparse_mmap(const struct gslot_region *region, struct vfio_info_cap *caps)
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

/* By index. To add a region is to add a row. */
static const struct gslot_region regions[GSLOT_NR_REGIONS] = {
	[VFIO_PCI_CONFIG_REGION_INDEX] = {
		.size = GSLOT_VGPU_CONFIG_SIZE,
		.flags = READ_WRITE,
		.read = gslot_config_read,
		.write = gslot_config_write,
	},
	/* Registers, which are always emulated, and the GGTT entries. */
	[VFIO_PCI_BAR0_REGION_INDEX] = {
		.size = GSLOT_VGPU_BAR0_SIZE,
		.flags = READ_WRITE | VFIO_REGION_INFO_FLAG_MMAP,
		.read = gslot_mmio_read,
		.write = gslot_mmio_write,
		.map_offset = GSLOT_VGPU_TABLE_OFFSET,
		.map_size = GSLOT_VGPU_TABLE_SIZE,
		.view = GSLOT_VIEW_TABLE,
		.add_caps = add_sparse_mmap,
	},
	[VFIO_PCI_BAR2_REGION_INDEX] = {
		.size = GSLOT_VGPU_APERTURE_SIZE,
		.flags = READ_WRITE | VFIO_REGION_INFO_FLAG_MMAP,
		.read = gslot_aperture_read,
		.write = gslot_aperture_write,
		.map_size = GSLOT_VGPU_APERTURE_SIZE,
		.view = GSLOT_VIEW_APERTURE,
	},
};

/**
 * gslot_region_find() - a region's row
 * @index: which region, of user space
 *
 * Return: its row, which may be empty; NULL if there is no such index.
 * Context: any.
 */
const struct gslot_region *gslot_region_find(u32 index)
{
	if (index >= ARRAY_SIZE(regions))
		return NULL;
	return &regions[array_index_nospec(index, ARRAY_SIZE(regions))];
}

/**
 * gslot_region_of_view() - where a view can be mapped
 * @view: the view
 *
 * Return: the region's index.
 * Context: any.
 */
u32 gslot_region_of_view(enum gslot_view view)
{
	u32 i = 0;

	while (!regions[i].map_size || regions[i].view != view)
		i++;
	return i;
}

/**
 * gslot_region_info() - what a region is like
 * @vdev: the device
 * @info: its index in; all else out
 * @caps: its capabilities
 *
 * Return: 0 or -errno; a region that PCI has but a vGPU has not is empty.
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
static u32 access_width(u64 offset, size_t count)
{
	u32 width = 8;

	while (width > count || (offset & (width - 1)))
		width /= 2;
	return width;
}

/* How many bytes of a request lie within a region; -EINVAL for none at all. */
static ssize_t clamp_request(size_t count, loff_t pos, const struct gslot_region **region,
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
 * A request may be the whole aperture, 8 bytes at a time: others run in between,
 * and it ends with the process that makes it.
 */
static bool killed(void)
{
	cond_resched();
	return fatal_signal_pending(current);
}

/**
 * gslot_region_read() - the read operation of VFIO
 * @vdev: the device
 * @buf: where to
 * @count: how much
 * @pos: region and offset
 *
 * No lock is held while user memory is touched: it may be a mapping of this
 * very device.
 *
 * Return: bytes read, or -errno; fewer than there are, or -EINTR, only if the
 * process is being killed.
 * Context: may sleep; touches user memory.
 */
ssize_t gslot_region_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *pos)
{
	struct gslot_vgpu *vgpu = gslot_vfio_device_of(vdev)->vgpu;
	const struct gslot_region *region;
	u64 offset, data;
	u32 len;
	ssize_t total = clamp_request(count, *pos, &region, &offset), done;

	for (done = 0; done < total; done += len, offset += len) {
		if (killed()) {
			total = done ?: -EINTR;
			break;
		}
		len = access_width(offset, total - done);
		region->read(vgpu, offset, &data, len);
		if (copy_to_user(buf + done, &data, len))
			return -EFAULT;
	}
	if (total > 0)
		*pos += total;
	return total;
}

/**
 * gslot_region_write() - the write operation of VFIO
 * @vdev: the device
 * @buf: where from
 * @count: how much
 * @pos: region and offset
 *
 * Return: bytes written, or -errno, as gslot_region_read().
 * Context: may sleep; touches user memory.
 */
ssize_t gslot_region_write(struct vfio_device *vdev, const char __user *buf, size_t count,
			   loff_t *pos)
{
	struct gslot_vgpu *vgpu = gslot_vfio_device_of(vdev)->vgpu;
	const struct gslot_region *region;
	u64 offset, data;
	u32 len;
	ssize_t total = clamp_request(count, *pos, &region, &offset), done;

	for (done = 0; done < total; done += len, offset += len) {
		if (killed()) {
			total = done ?: -EINTR;
			break;
		}
		len = access_width(offset, total - done);
		if (copy_from_user(&data, buf + done, len))
			return -EFAULT;
		region->write(vgpu, offset, &data, len);
	}
	if (total > 0)
		*pos += total;
	return total;
}
