// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: mapping regions
 *
 * The table of regions says what can be mapped. No page is mapped in advance: the vGPU handles the
 * page faults. It removes mappings through the address space of an inode, which each vGPU has for
 * that. (In older kernels VFIO opens one inode for all devices.)
 *
 * A mapping has pages with a struct page, and pages without one, of the physical aperture:
 * VM_MIXEDMAP. With VM_PFNMAP, VFIO type 1 would map a page without a struct page in an IOMMU, for
 * another device of the same container, and would not be notified when the page becomes another
 * vGPU's (vaddr_get_pfns()). VM_IO keeps others from taking references to the pages, and makes KVM
 * use the page tables of the process.
 *
 * To remove a page from all mappings takes time for each of them, and locks are held meanwhile that
 * other vGPUs wait for (gslot_aperture_pool.lock). So there are no more than MAX_MAPPINGS, in all
 * processes: a mapping cannot be split, and a child process does not get it.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>

#include "vfio_priv.h"
#include "base/compat_mm.h"
#include "base/compat_vfio.h"
#include "base/guest_error.h"

#define GSLOT_FS_MAGIC	0x67736c74	/* "gslt" */
/* A VMM has seven: of the PTEs, of the aperture, and of faces. */
#define MAX_MAPPINGS	64
#define INDEX_SHIFT	(GSLOT_VFIO_SHIFT - PAGE_SHIFT)

static struct vfsmount *mmap_mount;

static int mmap_init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, GSLOT_FS_MAGIC) ? 0 : -ENOMEM;
}

/* No owner: the module's own mount must not keep the module from being unloaded. */
static struct file_system_type mmap_fs = {
	.name = "gslot",
	.init_fs_context = mmap_init_fs_context,
	.kill_sb = kill_anon_super,
};

int __init gslot_inode_init(void)
{
	mmap_mount = kern_mount(&mmap_fs);
	return PTR_ERR_OR_ZERO(mmap_mount);
}

void gslot_inode_exit(void)
{
	kern_unmount(mmap_mount);
}

/* Return: the inode for a vGPU's mappings, for iput(): VFIO's own, if there is one; or ERR_PTR. */
struct inode *gslot_inode_get(struct vfio_device *vdev)
{
	struct inode *inode = gslot_vfio_inode(vdev);

	if (inode) {
		ihold(inode);
		return inode;
	}
	return alloc_anon_inode(mmap_mount->mnt_sb);
}

/* Find the part of a region that has all of a range, and may be mapped. */
static bool mmap_find(const struct gslot_vfio_device *gdev, u32 index, u64 start, u64 size,
		      struct gslot_region_part *part)
{
	u32 nr;

	for (nr = 0; gslot_region_part(gdev, index, nr, part); nr++)
		if (start >= part->offset && size <= part->size &&
		    start - part->offset <= part->size - size)
			return true;
	return false;
}

static vm_fault_t mmap_fault(struct vm_fault *vmf)
{
	struct gslot_vfio_device *gdev = vmf->vma->vm_private_data;
	u64 offset = (u64)(vmf->pgoff & (GSLOT_VFIO_MASK >> PAGE_SHIFT)) << PAGE_SHIFT;
	struct gslot_region_part part;

	/* The mapping is of one part. */
	if (!mmap_find(gdev, vmf->pgoff >> INDEX_SHIFT, offset, PAGE_SIZE, &part))
		return VM_FAULT_SIGBUS;
	if (part.area == GSLOT_MAP_FACES)
		return gslot_track_fault(gdev, vmf, part.face);
	return gslot_vgpu_fault(gdev->vgpu, part.area, vmf, (offset - part.offset) >> PAGE_SHIFT);
}

/* A mapping is moved: the old one is closed afterwards. */
static void mmap_open(struct vm_area_struct *vma)
{
	struct gslot_vfio_device *gdev = vma->vm_private_data;

	atomic_inc(&gdev->mappings);
}

static void mmap_close(struct vm_area_struct *vma)
{
	struct gslot_vfio_device *gdev = vma->vm_private_data;

	atomic_dec(&gdev->mappings);
}

static int mmap_may_split(struct vm_area_struct *vma, unsigned long addr)
{
	return -EINVAL;
}

static const struct vm_operations_struct mmap_vm_ops = {
	.open = mmap_open,
	.close = mmap_close,
	.may_split = mmap_may_split,
	.fault = mmap_fault,
};

static int mmap_file_release(struct inode *inode, struct file *file)
{
	fput(file->private_data);
	return 0;
}

static const struct file_operations mmap_file_fops = {
	.owner = THIS_MODULE,
	.release = mmap_file_release,
};

/*
 * Make the mapping belong to the vGPU's inode, by which it is found when it must be removed. Since
 * 6.10 VFIO's file has that inode. Before, the mapping gets a file of its own, which keeps VFIO's
 * open. f_mapping of VFIO's file must not change: kernels count writable mappings there before or
 * after the driver's mmap().
 */
static int mmap_set_file(struct gslot_vfio_device *gdev, struct vm_area_struct *vma)
{
	struct inode *inode = gdev->inode;
	struct file *file;

	if (vma->vm_file->f_mapping == inode->i_mapping)
		return 0;
	ihold(inode);
	file = alloc_file_pseudo(inode, mmap_mount, "gslot", O_RDWR, &mmap_file_fops);
	if (IS_ERR(file)) {
		iput(inode);
		return PTR_ERR(file);
	}
	__module_get(THIS_MODULE);
	file->private_data = get_file(vma->vm_file);
	vma_set_file(vma, file);
	fput(file);
	return 0;
}

/* Count a new mapping. Return: 0; -ENOMEM if there are too many. */
static int mmap_count(struct gslot_vfio_device *gdev)
{
	if (atomic_inc_return(&gdev->mappings) <= MAX_MAPPINGS)
		return 0;
	atomic_dec(&gdev->mappings);
	gslot_guest_err(gslot_vgpu_guest_errors(gdev->vgpu), GSLOT_GUEST_ERR_MAPPING,
			"its user has mapped it %u times", MAX_MAPPINGS);
	return -ENOMEM;
}

/* Return: 0, -EINVAL, -ENOMEM or -ENFILE. */
int gslot_region_mmap(struct vfio_device *vdev, struct vm_area_struct *vma)
{
	struct gslot_vfio_device *gdev = gslot_vfio_device_of(vdev);
	u64 start = (u64)(vma->vm_pgoff & (GSLOT_VFIO_MASK >> PAGE_SHIFT)) << PAGE_SHIFT;
	struct gslot_region_part part;
	int ret;

	if (!(vma->vm_flags & VM_SHARED) ||
	    !mmap_find(gdev, vma->vm_pgoff >> INDEX_SHIFT, start, vma->vm_end - vma->vm_start,
		       &part))
		return -EINVAL;
	ret = mmap_count(gdev);
	if (ret)
		return ret;
	ret = mmap_set_file(gdev, vma);
	if (ret) {
		atomic_dec(&gdev->mappings);
		return ret;
	}
	vma->vm_ops = &mmap_vm_ops;
	vma->vm_private_data = gdev;
	vm_flags_set(vma, VM_IO | VM_MIXEDMAP | VM_DONTCOPY | VM_DONTEXPAND | VM_DONTDUMP);
	return 0;
}

/* Remove all mappings of a part of a map area, in bytes. @data: the device */
void gslot_map_area_unmap(void *data, enum gslot_map_area area, u64 offset, u64 size)
{
	struct gslot_vfio_device *gdev = data;
	u32 index = area == GSLOT_MAP_APERTURE ? VFIO_PCI_BAR2_REGION_INDEX :
						 VFIO_PCI_BAR0_REGION_INDEX;
	u64 first = area == GSLOT_MAP_FACES ? 0 : gslot_region_find(index)->part.offset;

	unmap_mapping_range(gdev->inode->i_mapping, GSLOT_VFIO_OFFSET(index) + first + offset,
			    size, 1);
}
