// SPDX-License-Identifier: GPL-2.0
/*
 * An inode for each vGPU, and nothing else: its address space knows who has
 * mapped what of the vGPU, so that mappings can be taken away. (The inode that
 * VFIO opens is shared by all devices in older kernels.)
 */
#include <linux/fs.h>
#include <linux/mount.h>
#include <linux/pseudo_fs.h>

#include "vfio_priv.h"
#include "base/compat.h"

#define GSLOT_FS_MAGIC	0x67736c74	/* "gslt" */

static struct vfsmount *mount;

static int init_fs_context(struct fs_context *fc)
{
	return init_pseudo(fc, GSLOT_FS_MAGIC) ? 0 : -ENOMEM;
}

/*
 * No owner: the module mounts it for itself, which must not keep the module
 * from being unloaded.
 */
static struct file_system_type gslot_fs = {
	.name = "gslot",
	.init_fs_context = init_fs_context,
	.kill_sb = kill_anon_super,
};

/**
 * gslot_inode_init() - make inodes possible, when the module is loaded
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
 * gslot_inode_exit() - undo gslot_inode_init(); all inodes are put
 *
 * Context: may sleep.
 */
void gslot_inode_exit(void)
{
	kern_unmount(mount);
}

/*
 * Two processes that map the same file for the first time, at once, leave one writable mapping
 * less in the inode's count than there is (use_own_mapping()). A count below 0 forbids writable
 * mappings. It begins so high that it gets there by no number of such races.
 */
#define WRITABLE_BIAS	(INT_MAX / 2)

/**
 * gslot_inode_get() - the inode to which a vGPU's mappings belong
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
