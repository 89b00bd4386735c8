// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: mapping regions
 *
 * What can be mapped is in the table of regions. Nothing is mapped in advance: the
 * vGPU answers the page faults, and has mappings taken away through the device's own
 * address space.
 *
 * A mapping is of pages that have a struct page and of pages that have none, the physical
 * aperture's: VM_MIXEDMAP. With VM_PFNMAP type 1 would put what a page without a struct page
 * shows into an IOMMU's tables, for another device of the same container, and would not be told
 * when it is another vGPU's (vaddr_get_pfns()). VM_IO keeps all others from referring to the
 * pages, and has KVM take what is in the process's page tables.
 */
#include <linux/fs.h>
#include <linux/mm.h>

#include "vfio_priv.h"
#include "base/compat.h"

#define INDEX_SHIFT	(GSLOT_VFIO_SHIFT - PAGE_SHIFT)

static vm_fault_t fault(struct vm_fault *vmf)
{
	struct gslot_vfio_device *gdev = vmf->vma->vm_private_data;
	const struct gslot_region *region = gslot_region_find(vmf->pgoff >> INDEX_SHIFT);
	unsigned long page = vmf->pgoff & (GSLOT_VFIO_MASK >> PAGE_SHIFT);

	return gslot_vgpu_fault(gdev->vgpu, region->view, vmf,
				page - (region->map_offset >> PAGE_SHIFT));
}

static const struct vm_operations_struct vm_ops = {
	.fault = fault,
};

static bool can_map(const struct gslot_region *region, u64 start, u64 size)
{
	return region && region->flags & VFIO_REGION_INFO_FLAG_MMAP &&
	       start >= region->map_offset && size <= region->map_size &&
	       start - region->map_offset <= region->map_size - size;
}

/*
 * Have the file's mappings registered with the vGPU's inode, by which they are
 * found when they are to be taken away: without that there is none. Where VFIO
 * has an inode for the device (since 6.10) they are already. Before, mmap()
 * counts a writable mapping on the file's address space, and gives the count back
 * to the one that it finds at its end: the count moves with the file. That of
 * another process which is in mmap() at that moment does not (gslot_inode_get()).
 */
static int use_own_mapping(struct gslot_vfio_device *gdev, struct file *file)
{
	struct address_space *mapping = gdev->inode->i_mapping, *old;
	int ret = 0;

	mutex_lock(&gdev->mapping_lock);
	old = file->f_mapping;
	if (old != mapping)
		ret = mapping_map_writable(mapping);
	if (old != mapping && !ret) {
		file->f_mapping = mapping;
		mapping_unmap_writable(old);
	}
	mutex_unlock(&gdev->mapping_lock);
	return ret;
}

/**
 * gslot_region_mmap() - the mmap operation of VFIO
 * @vdev: the device
 * @vma: what is to be mapped; its offset says which region
 *
 * Return: 0; -EINVAL; or -EPERM if the mapping could not be taken away again.
 * Context: mmap(): may sleep.
 */
int gslot_region_mmap(struct vfio_device *vdev, struct vm_area_struct *vma)
{
	struct gslot_vfio_device *gdev = gslot_vfio_device_of(vdev);
	u64 start = (u64)(vma->vm_pgoff & (GSLOT_VFIO_MASK >> PAGE_SHIFT)) << PAGE_SHIFT;

	if (!(vma->vm_flags & VM_SHARED) ||
	    !can_map(gslot_region_find(vma->vm_pgoff >> INDEX_SHIFT), start,
		     vma->vm_end - vma->vm_start))
		return -EINVAL;
	vma->vm_ops = &vm_ops;
	vma->vm_private_data = gdev;
	vm_flags_set(vma, VM_IO | VM_MIXEDMAP | VM_DONTEXPAND | VM_DONTDUMP);
	return use_own_mapping(gdev, vma->vm_file);
}

/**
 * gslot_view_unmap() - take mappings of a view away
 * @gdev: the device
 * @view: the view
 * @offset: where in it, bytes
 * @size: how many
 *
 * Context: may sleep.
 */
void gslot_view_unmap(struct gslot_vfio_device *gdev, enum gslot_view view, u64 offset, u64 size)
{
	u32 index = gslot_region_of_view(view);

	unmap_mapping_range(gdev->inode->i_mapping, GSLOT_VFIO_OFFSET(index) +
			    gslot_region_find(index)->map_offset + offset, size, 1);
}
