// SPDX-License-Identifier: GPL-2.0
/* The regions of a vGPU: their table, and accesses by read() and write(). */
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "vfio_priv.h"

/* By index. */
static const struct gslot_region region_table[VFIO_PCI_NUM_REGIONS] = {
	[VFIO_PCI_CONFIG_REGION_INDEX] = {
		.size = GSLOT_VGPU_CONFIG_SIZE,
		.access = gslot_config_access,
	},
	/* Registers, which are emulated, and GGTT entries. */
	[VFIO_PCI_BAR0_REGION_INDEX] = {
		.size = GEN_GTTMMADR_SIZE,
		.access = gslot_mmio_access,
		.part = { .offset = GEN_GSM_OFFSET, .size = GEN_GSM_SIZE, .area = GSLOT_MAP_TABLE },
	},
	[VFIO_PCI_BAR2_REGION_INDEX] = {
		.size = GEN_APERTURE_SIZE,
		.access = gslot_aperture_access,
		.part = { .size = GEN_APERTURE_SIZE, .area = GSLOT_MAP_APERTURE },
	},
};

/*
 * @index: untrusted. Return: the row of the table, which may be empty; NULL if there is no such
 * index.
 */
const struct gslot_region *gslot_region_find(u32 index)
{
	if (index >= ARRAY_SIZE(region_table))
		return NULL;
	return &region_table[array_index_nospec(index, ARRAY_SIZE(region_table))];
}

/*
 * @nr: which part of the region, from 0 on: that of the region's table, then faces; @part gets it.
 * Return: false if it has no more that the user may map.
 */
bool gslot_region_part(const struct gslot_vfio_device *gdev, u32 index, u32 nr,
		       struct gslot_region_part *part)
{
	const struct gslot_region *region = gslot_region_find(index);
	u32 face;

	if (!region)
		return false;
	if (!nr) {
		*part = region->part;
		return part->size;
	}
	for (face = 0; index == VFIO_PCI_BAR0_REGION_INDEX && face < GSLOT_NR_FACES; face++) {
		if (!gslot_track_has(gdev, face) || --nr)
			continue;
		*part = (struct gslot_region_part) {
			.offset = gslot_face_offset(face), .size = PAGE_SIZE,
			.area = GSLOT_MAP_FACES, .face = face,
		};
		return true;
	}
	return false;
}

/* Only parts of the region can be mapped. */
static int region_add_sparse_mmap(const struct gslot_vfio_device *gdev, u32 index,
				  struct vfio_info_cap *caps)
{
	struct {
		struct vfio_region_info_cap_sparse_mmap cap;
		struct vfio_region_sparse_mmap_area area[1 + GSLOT_NR_FACES];
	} sparse = {
		.cap.header.id = VFIO_REGION_INFO_CAP_SPARSE_MMAP,
		.cap.header.version = 1,
	};
	struct gslot_region_part part;
	u32 n = 0;

	for (; gslot_region_part(gdev, index, n, &part); n++) {
		sparse.area[n].offset = part.offset;
		sparse.area[n].size = part.size;
	}
	sparse.cap.nr_areas = n;
	return vfio_info_add_capability(caps, &sparse.cap.header,
					offsetof(typeof(sparse), area[n]));
}

/* Describe a region to user space. A region of PCI that a vGPU lacks is empty. */
int gslot_region_info(struct vfio_device *vdev, struct vfio_region_info *info,
		      struct vfio_info_cap *caps)
{
	const struct gslot_region *region = gslot_region_find(info->index);

	if (!region)
		return -EINVAL;
	info->offset = GSLOT_VFIO_OFFSET(info->index);
	info->size = region->size;
	info->flags = 0;
	if (region->size)
		info->flags |= VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	if (region->part.size)
		info->flags |= VFIO_REGION_INFO_FLAG_MMAP;
	if (region->part.size && region->part.size < region->size)
		return region_add_sparse_mmap(gslot_vfio_device_of(vdev), info->index, caps);
	return 0;
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
		len = gslot_mmio_width(offset, total - done);
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

/*
 * @buf may be a mapping of this very device, so no lock is held. Return: bytes transferred, fewer
 * at the end of the region or if the process is being killed; -EINTR if it is killed before the
 * first; or another -errno.
 */
ssize_t gslot_region_read(struct vfio_device *vdev, char __user *buf, size_t count, loff_t *pos)
{
	return region_access(vdev, buf, count, pos, false);
}

/* As gslot_region_read(). */
ssize_t gslot_region_write(struct vfio_device *vdev, const char __user *buf, size_t count,
			   loff_t *pos)
{
	return region_access(vdev, (char __user *)buf, count, pos, true);
}
