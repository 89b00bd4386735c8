// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: mapping regions
 *
 * Two regions can be mapped: the GGTT entries, which are the upper half of
 * BAR0, and the aperture, BAR2. Nothing is mapped in advance: kmod/gm answers
 * the page faults, and takes mappings away through the vGPU's address space.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pci.h>

#include "vfio_priv.h"
#include "../compat.h"

static unsigned long region_page(const struct vm_fault *vmf)
{
	return vmf->pgoff & (GSLOT_VFIO_MASK >> PAGE_SHIFT);
}

static vm_fault_t table_fault(struct vm_fault *vmf)
{
	struct gslot_vfio_device *gdev = vmf->vma->vm_private_data;

	return gslot_vgpu_fault(gdev->vgpu, GSLOT_VIEW_TABLE, vmf,
				region_page(vmf) - (GSLOT_VGPU_TABLE_OFFSET >> PAGE_SHIFT));
}

static vm_fault_t aperture_fault(struct vm_fault *vmf)
{
	struct gslot_vfio_device *gdev = vmf->vma->vm_private_data;

	return gslot_vgpu_fault(gdev->vgpu, GSLOT_VIEW_APERTURE, vmf, region_page(vmf));
}

static const struct vm_operations_struct table_vm_ops = {
	.fault = table_fault,
};

static const struct vm_operations_struct aperture_vm_ops = {
	.fault = aperture_fault,
};

/*
 * Have the file's mappings registered with the vGPU's own address space. While
 * mmap() is at work, it holds a count of writable mappings on the file's
 * address space, and gives it back to the one that it finds then.
 */
static void use_own_mapping(struct gslot_vfio_device *gdev, struct file *file)
{
	struct address_space *mapping = gdev->inode->i_mapping, *old;

	mutex_lock(&gdev->mapping_lock);
	old = file->f_mapping;
	if (old != mapping && !WARN_ON(mapping_map_writable(mapping))) {
		file->f_mapping = mapping;
		mapping_unmap_writable(old);
	}
	mutex_unlock(&gdev->mapping_lock);
}

/**
 * gslot_region_mmap() - the mmap operation of VFIO
 * @vdev: the device
 * @vma: what is to be mapped; its offset says which region
 *
 * Return: 0 or -EINVAL.
 */
int gslot_region_mmap(struct vfio_device *vdev, struct vm_area_struct *vma)
{
	struct gslot_vfio_device *gdev = gslot_vfio_device_of(vdev);
	u32 index = vma->vm_pgoff >> (GSLOT_VFIO_SHIFT - PAGE_SHIFT);
	u64 start = (u64)(vma->vm_pgoff & (GSLOT_VFIO_MASK >> PAGE_SHIFT)) << PAGE_SHIFT;
	u64 size = vma->vm_end - vma->vm_start;

	if (!(vma->vm_flags & VM_SHARED) || size > gslot_region_size(index) ||
	    start > gslot_region_size(index) - size)
		return -EINVAL;
	if (index == VFIO_PCI_BAR0_REGION_INDEX && start >= GEN_GSM_OFFSET)
		vma->vm_ops = &table_vm_ops;
	else if (index == VFIO_PCI_BAR2_REGION_INDEX)
		vma->vm_ops = &aperture_vm_ops;
	else
		return -EINVAL;
	vma->vm_private_data = gdev;
	vm_flags_set(vma, VM_IO | VM_PFNMAP | VM_DONTEXPAND | VM_DONTDUMP);
	use_own_mapping(gdev, vma->vm_file);
	return 0;
}

/**
 * gslot_region_unmap() - take mappings of a region away
 * @gdev: the device
 * @index: the region
 * @offset: where in it, bytes
 * @size: how many
 *
 * Context: may sleep.
 */
void gslot_region_unmap(struct gslot_vfio_device *gdev, u32 index, u64 offset, u64 size)
{
	unmap_mapping_range(gdev->inode->i_mapping, GSLOT_VFIO_OFFSET(index) + offset, size, 1);
}
