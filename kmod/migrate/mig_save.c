// SPDX-License-Identifier: GPL-2.0
/*
 * The file of PRE_COPY and STOP_COPY. Its data is produced when a state is entered: in
 * PRE_COPY the header and the early records, in STOP_COPY the rest, or all. A vGPU's own state is
 * small, as its guest's memory is not part of it.
 */
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "migrate_priv.h"
#include "base/account.h"
#include "base/compat_vfio.h"

static int save_put(void *data, const void *from, u32 len)
{
	struct mig_saving *s = data;

	while (len) {
		u32 at = s->size % MIG_CHUNK_SIZE, n = min(len, MIG_CHUNK_SIZE - at);
		u64 i = s->size / MIG_CHUNK_SIZE;

		if (i >= MIG_MAX_CHUNKS)
			return -EFBIG;
		if (!s->chunk[i])
			s->chunk[i] = kvmalloc(MIG_CHUNK_SIZE, GSLOT_GFP_GUEST);
		if (!s->chunk[i])
			return -ENOMEM;
		memcpy(s->chunk[i] + at, from, n);
		s->size += n;
		from += n;
		len -= n;
	}
	return 0;
}

/* Prepare a stream that has nothing. */
void mig_save_init(struct mig_saving *s)
{
	s->save.w.put = save_put;
	s->save.w.data = s;
	init_waitqueue_head(&s->poll);
}

/* Free what was saved. */
void mig_save_free(struct mig_saving *s)
{
	u32 i;

	for (i = 0; s->chunk && i < MIG_MAX_CHUNKS; i++)
		kvfree(s->chunk[i]);
	kvfree(s->chunk);
	s->chunk = NULL;
	gslot_vgpu_save_end(&s->save);
}

/*
 * Let a user read what was written. @more: more will follow; @error: why the stream cannot be
 * completed, or 0.
 */
static void save_publish(struct mig_file *file, bool more, int error)
{
	struct mig_saving *s = &file->saving;

	mutex_lock(&file->lock);
	s->ready = s->size;
	s->more = more;
	s->error = error;
	mutex_unlock(&file->lock);
	wake_up_all(&s->poll);
}

/*
 * Begin a stream. @early: the vGPU may run, and what it has now is saved. Return: 0; or -errno, and
 * mig_save_free() is to be called as well.
 */
int mig_save_begin(struct mig_file *file, bool early)
{
	struct mig_saving *s = &file->saving;
	struct gslot_mig *mig = file->mig;
	int ret;

	lockdep_assert_held(&mig->lock);
	s->chunk = kvcalloc(MIG_MAX_CHUNKS, sizeof(*s->chunk), GSLOT_GFP_GUEST);
	if (!s->chunk)
		return -ENOMEM;
	ret = gslot_vgpu_save_begin(mig->vgpu, &s->save);
	if (ret || !early)
		return ret;
	ret = gslot_vgpu_save_early(mig->vgpu, &s->save);
	if (!ret)
		save_publish(file, true, 0);
	return ret;
}

/* Nothing of the rest was published: it may be saved again. */
static void save_undo_rest(struct mig_saving *s, u32 records)
{
	s->size = s->ready;
	s->save.w.records = records;
}

/*
 * Save the rest of a vGPU, which is frozen. If its size is not that in the header any more, which
 * may have been read, the stream is of no use, but the change of state is right: then a user that
 * reads gets the error. Return: 0; or -errno, and this may be called again.
 */
int mig_save_rest(struct mig_file *file)
{
	struct mig_saving *s = &file->saving;
	struct gslot_mig *mig = file->mig;
	u32 records = s->save.w.records;
	int ret, error = 0;

	lockdep_assert_held(&mig->lock);
	ret = gslot_vgpu_save_rest(mig->vgpu, &s->save);
	if (ret)
		save_undo_rest(s, records);
	if (ret && s->more && !gslot_vgpu_save_fits(mig->vgpu, &s->save)) {
		error = -ESTALE;
		ret = 0;
	}
	if (ret)
		return ret;
	gslot_vgpu_save_end(&s->save);
	save_publish(file, false, error);
	return 0;
}

/* Estimate how much mig_save_rest() would save, of a vGPU that has a data file or not. */
u64 mig_save_size(struct gslot_mig *mig)
{
	lockdep_assert_held(&mig->lock);
	return gslot_vgpu_save_size(mig->vgpu, mig->file ? &mig->file->saving.save : NULL);
}

/* Return: 0; or why nothing more can be read, -errno. -ENOMSG: for now. */
static int save_readable(const struct mig_file *file)
{
	const struct mig_saving *s = &file->saving;

	lockdep_assert_held(&file->lock);
	if (!file->mig)
		return -ENODEV;
	/* An administrator has resized the vGPU, and its header may have been read already. */
	if (s->more && !gslot_vgpu_save_fits(file->mig->vgpu, &s->save))
		return -ESTALE;
	if (s->error)
		return s->error;
	return s->more && s->pos == s->ready ? -ENOMSG : 0;
}

/* Take bytes of one chunk off the stream. Return: how many, at most @len, or -errno. */
static ssize_t save_take(struct mig_file *file, void *to, size_t len, u64 *from)
{
	struct mig_saving *s = &file->saving;
	ssize_t n;

	mutex_lock(&file->lock);
	n = save_readable(file);
	if (!n) {
		u32 at = s->pos % MIG_CHUNK_SIZE;

		*from = s->pos;
		n = min3((u64)len, s->ready - s->pos, (u64)MIG_CHUNK_SIZE - at);
		if (n)
			memcpy(to, s->chunk[s->pos / MIG_CHUNK_SIZE] + at, n);
		s->pos += n;
		gslot_vgpu_migrated(file->mig->vgpu, n);
	}
	mutex_unlock(&file->lock);
	return n;
}

/* Give back what was taken last, if nothing has been taken since. */
static void save_untake(struct mig_file *file, u64 from, size_t len)
{
	mutex_lock(&file->lock);
	if (file->mig && file->saving.pos == from + len) {
		file->saving.pos = from;
		gslot_vgpu_migrated(file->mig->vgpu, -(s64)len);
	}
	mutex_unlock(&file->lock);
}

/* User memory is accessed without the lock, and the chunks with it: hence the buffer. */
static ssize_t save_read(struct file *filp, char __user *buf, size_t len, loff_t *pos)
{
	struct mig_file *file = filp->private_data;
	u64 from = 0;
	ssize_t n;
	void *piece;

	if (pos)
		return -ESPIPE;
	len = min_t(size_t, len, MIG_CHUNK_SIZE);
	piece = kvmalloc(max_t(size_t, len, 1), GSLOT_GFP_GUEST);
	if (!piece)
		return -ENOMEM;
	n = save_take(file, piece, len, &from);
	if (n > 0 && copy_to_user(buf, piece, n)) {
		save_untake(file, from, n);
		n = -EFAULT;
	}
	kvfree(piece);
	return n;
}

/* A file that has nothing now is not ready: any other read returns at once, with data or not. */
static __poll_t save_poll(struct file *filp, struct poll_table_struct *table)
{
	struct mig_file *file = filp->private_data;
	int ret;

	poll_wait(filp, &file->saving.poll, table);
	mutex_lock(&file->lock);
	ret = save_readable(file);
	mutex_unlock(&file->lock);
	if (ret == -ENOMSG)
		return 0;
	return EPOLLIN | EPOLLRDNORM | (ret ? EPOLLERR : 0);
}

/* How much there is to read before STOP_COPY. Return: 0, or -EINVAL in other states. */
static int save_precopy_info(struct mig_file *file, struct vfio_precopy_info *info)
{
	const struct mig_saving *s = &file->saving;
	int ret = -EINVAL;

	mutex_lock(&file->lock);
	if (file->mig && s->more) {
		info->flags = 0;
		info->initial_bytes = s->ready - s->pos;
		/* What the guest changes is saved in STOP_COPY. */
		info->dirty_bytes = 0;
		if (!info->initial_bytes)
			gslot_vgpu_precopy_asked(file->mig->vgpu);
		ret = 0;
	}
	mutex_unlock(&file->lock);
	return ret;
}

static long save_ioctl(struct file *filp, unsigned int cmd, unsigned long arg)
{
	size_t size = offsetofend(struct vfio_precopy_info, dirty_bytes);
	void __user *uarg = (void __user *)arg;
	struct vfio_precopy_info info;
	int ret;

	if (cmd != VFIO_MIG_GET_PRECOPY_INFO)
		return -ENOTTY;
	if (copy_from_user(&info, uarg, size))
		return -EFAULT;
	if (info.argsz < size)
		return -EINVAL;
	/* An output of newer kernels: there never is new initial data. */
	info.flags = 0;
	ret = save_precopy_info(filp->private_data, &info);
	if (ret)
		return ret;
	return copy_to_user(uarg, &info, size) ? -EFAULT : 0;
}

const struct file_operations mig_save_fops = {
	.owner = THIS_MODULE,
	.read = save_read,
	.poll = save_poll,
	.unlocked_ioctl = save_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.release = mig_file_release,
};
