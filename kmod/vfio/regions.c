// SPDX-License-Identifier: GPL-2.0
/*
 * The regions of a vGPU, and reading and writing them.
 */
#include <linux/minmax.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "vfio_priv.h"

u64 gslot_region_size(u32 index)
{
	switch (index) {
	case VFIO_PCI_BAR0_REGION_INDEX:
		return GEN_GTTMMADR_SIZE;
	case VFIO_PCI_BAR2_REGION_INDEX:
		return GEN_APERTURE_SIZE;
	case VFIO_PCI_CONFIG_REGION_INDEX:
		return GSLOT_VGPU_CONFIG_SIZE;
	default:
		return 0;
	}
}

/* Of BAR0, only the GGTT entries can be mapped. */
static int add_sparse_mmap(struct vfio_info_cap *caps)
{
	struct {
		struct vfio_region_info_cap_sparse_mmap cap;
		struct vfio_region_sparse_mmap_area area;
	} sparse = {
		.cap.header.id = VFIO_REGION_INFO_CAP_SPARSE_MMAP,
		.cap.header.version = 1,
		.cap.nr_areas = 1,
		.area.offset = GEN_GSM_OFFSET,
		.area.size = GEN_GSM_SIZE,
	};

	return vfio_info_add_capability(caps, &sparse.cap.header, sizeof(sparse));
}

/**
 * gslot_region_info() - what a region is like
 * @vdev: the device
 * @info: its index in; all else out
 * @caps: its capabilities
 *
 * Return: 0 or -errno; a region that PCI has but a vGPU has not is empty.
 */
int gslot_region_info(struct vfio_device *vdev, struct vfio_region_info *info,
		      struct vfio_info_cap *caps)
{
	if (info->index >= VFIO_PCI_NUM_REGIONS)
		return -EINVAL;
	info->offset = GSLOT_VFIO_OFFSET(info->index);
	info->size = gslot_region_size(info->index);
	info->flags = 0;
	if (info->size)
		info->flags = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	if (info->index == VFIO_PCI_BAR0_REGION_INDEX ||
	    info->index == VFIO_PCI_BAR2_REGION_INDEX)
		info->flags |= VFIO_REGION_INFO_FLAG_MMAP;
	return info->index == VFIO_PCI_BAR0_REGION_INDEX ? add_sparse_mmap(caps) : 0;
}

/* The widest aligned access at an offset. */
static u32 access_width(u64 offset, size_t count)
{
	u32 width = 8;

	while (width > count || (offset & (width - 1)))
		width /= 2;
	return width;
}

/* One access. Devices have no errors to report: there is always an answer. */
static void access(struct gslot_vgpu *vgpu, u32 index, u64 offset, void *buf, u32 len, bool write)
{
	switch (index) {
	case VFIO_PCI_CONFIG_REGION_INDEX:
		if (write)
			gslot_config_write(vgpu, offset, buf, len);
		else
			gslot_config_read(vgpu, offset, buf, len);
		break;
	case VFIO_PCI_BAR0_REGION_INDEX:
		if (write)
			gslot_mmio_write(vgpu, offset, buf, len);
		else
			gslot_mmio_read(vgpu, offset, buf, len);
		break;
	case VFIO_PCI_BAR2_REGION_INDEX:
		if (write)
			gslot_aperture_write(vgpu, offset, buf, len);
		else
			gslot_aperture_read(vgpu, offset, buf, len);
		break;
	}
}

/* How many bytes of a request lie within a region; -EINVAL for none at all. */
static ssize_t clamp_request(size_t count, loff_t pos, u32 *index, u64 *offset)
{
	u64 size;

	if (pos < 0)
		return -EINVAL;
	*index = pos >> GSLOT_VFIO_SHIFT;
	*offset = pos & GSLOT_VFIO_MASK;
	size = gslot_region_size(*index);
	if (*offset >= size)
		return -EINVAL;
	return min_t(u64, count, size - *offset);
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
 */
ssize_t gslot_region_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *pos)
{
	u32 index, len;
	u64 offset, data;
	ssize_t total = clamp_request(count, *pos, &index, &offset), done;

	for (done = 0; done < total; done += len, offset += len) {
		if (killed()) {
			total = done ?: -EINTR;
			break;
		}
		len = access_width(offset, total - done);
		access(gslot_vfio_device_of(vdev)->vgpu, index, offset, &data, len, false);
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
 */
ssize_t gslot_region_write(struct vfio_device *vdev, const char __user *buf, size_t count,
			   loff_t *pos)
{
	u32 index, len;
	u64 offset, data;
	ssize_t total = clamp_request(count, *pos, &index, &offset), done;

	for (done = 0; done < total; done += len, offset += len) {
		if (killed()) {
			total = done ?: -EINTR;
			break;
		}
		len = access_width(offset, total - done);
		if (copy_from_user(&data, buf + done, len))
			return -EFAULT;
		access(gslot_vfio_device_of(vdev)->vgpu, index, offset, &data, len, true);
	}
	if (total > 0)
		*pos += total;
	return total;
}
