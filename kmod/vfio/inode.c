// SPDX-License-Identifier: GPL-2.0
/*
 * An inode for each vGPU: its address space has all mappings of the vGPU's regions, so that they
 * can be removed. (In older kernels VFIO opens one inode for all devices.)
 */
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>

#include "vfio_priv.h"
#include "base/compat.h"

#define GSLOT_FS_MAGIC	0x67736c74	/* "gslt" */

static struct vfsmount *mount;

static int inode_init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, GSLOT_FS_MAGIC) ? 0 : -ENOMEM;
}

/* No owner: the module's own mount must not keep the module from being unloaded. */
static struct file_system_type gslot_fs = {
	.name = "gslot",
	.init_fs_context = inode_init_fs_context,
	.kill_sb = kill_anon_super,
};

/**
 * gslot_inode_init() - mount the file system of inodes, when the module is loaded
 *
 * Return: 0 or -errno.
 * Context: may sleep.
 */
int gslot_inode_init(void)
{
	mount = kern_mount(&gslot_fs);
	return PTR_ERR_OR_ZERO(mount);
}

/**
 * gslot_inode_exit() - undo gslot_inode_init(); no inode is left
 *
 * Context: may sleep.
 */
void gslot_inode_exit(void)
{
	kern_unmount(mount);
}

/*
 * If two processes map the same file for the first time at once, the inode may count one writable
 * mapping too few (mmap_set_mapping()). A count below 0 forbids writable mappings. The bias is so
 * high that no number of such races brings the count there.
 */
#define WRITABLE_BIAS	(INT_MAX / 2)

/**
 * gslot_inode_get() - get the inode for the mappings of a vGPU
 * @vdev: the VFIO device
 *
 * Return: the inode, for iput(): VFIO's own if it has one; or ERR_PTR.
 * Context: may sleep.
 */
struct inode *gslot_inode_get(struct vfio_device *vdev)
{
	struct inode *inode = gslot_vfio_inode(vdev);

	if (inode) {
		ihold(inode);
		return inode;
	}
	inode = alloc_anon_inode(mount->mnt_sb);
	if (!IS_ERR(inode))
		atomic_set(&inode->i_mapping->i_mmap_writable, WRITABLE_BIAS);
	return inode;
}
