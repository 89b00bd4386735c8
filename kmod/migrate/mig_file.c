// SPDX-License-Identifier: GPL-2.0
/*
 * The data files. A user may keep one for longer than the state that it belongs to, and than the
 * vGPU is open: it is disabled then, and its data has been freed.
 */
#include <linux/anon_inodes.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "migrate_priv.h"
#include "base/account.h"

/* Free the data. */
static void file_empty(struct mig_file *file)
{
	mig_save_free(&file->saving);
	kvfree(file->resuming.buf);
	file->resuming.buf = NULL;
}

static void file_free(struct mig_file *file)
{
	mutex_destroy(&file->lock);
	kfree(file);
}

int mig_file_release(struct inode *inode, struct file *filp)
{
	file_free(filp->private_data);
	return 0;
}

static int file_open(struct mig_file *file, enum mig_file_kind kind)
{
	bool saving = kind != MIG_FILE_RESUMING;
	const struct file_operations *fops = saving ? &mig_save_fops : &mig_resume_fops;
	struct file *filp = anon_inode_getfile("gslot_mig", fops, file,
					       saving ? O_RDONLY : O_WRONLY);

	if (IS_ERR(filp))
		return PTR_ERR(filp);
	file->filp = filp;
	stream_open(filp->f_inode, filp);
	return 0;
}

/* Return: 0 or -errno. */
static int file_begin(struct mig_file *file, enum mig_file_kind kind)
{
	switch (kind) {
	case MIG_FILE_PRE_COPY:
		return mig_save_begin(file, true);
	case MIG_FILE_STOP_COPY:
		return mig_save_begin(file, false) ?: mig_save_rest(file);
	case MIG_FILE_RESUMING:
		return mig_resume_init(file);
	}
	return -EINVAL;
}

/*
 * Create a data file, to be dropped by mig_file_drop(): its vGPU is saved, or prepared for being
 * restored. That comes last, as it resets the vGPU. Return: the file, or ERR_PTR.
 */
struct mig_file *mig_file_create(struct gslot_mig *mig, enum mig_file_kind kind)
{
	struct mig_file *file = kzalloc(sizeof(*file), GSLOT_GFP_GUEST);
	int ret;

	lockdep_assert_held(&mig->lock);
	if (!file)
		return ERR_PTR(-ENOMEM);
	mutex_init(&file->lock);
	mig_save_init(&file->saving);
	file->mig = mig;
	gslot_vgpu_migrates(mig->vgpu);
	ret = file_open(file, kind);
	if (ret) {
		file_free(file);
		return ERR_PTR(ret);
	}
	ret = file_begin(file, kind);
	if (ret) {
		mig_file_drop(file);
		return ERR_PTR(ret);
	}
	return file;
}

/* Lock a data file for the end of its state: a write that restores many records ends before. */
void mig_file_lock_ending(struct mig_file *file)
{
	WRITE_ONCE(file->ending, true);
	mutex_lock(&file->lock);
}

/* Disable a data file, and release it. Its user's reference may keep it, but not its data. */
void mig_file_drop(struct mig_file *file)
{
	mig_file_lock_ending(file);
	file->mig = NULL;
	file_empty(file);
	mutex_unlock(&file->lock);
	wake_up_all(&file->saving.poll);
	fput(file->filp);
}
