// SPDX-License-Identifier: GPL-2.0
/*
 * The file of STOP_COPY. The whole stream is made when the state is entered; a vGPU's own state is
 * small, as its guest's memory is not part of it.
 */
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/uaccess.h>

#include "migrate_priv.h"
#include "base/account.h"

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

/* Free what mig_save() has saved. */
void mig_save_free(struct mig_saving *s)
{
	u32 i;

	for (i = 0; s->chunk && i < MIG_MAX_CHUNKS; i++)
		kvfree(s->chunk[i]);
	kvfree(s->chunk);
	*s = (struct mig_saving) { };
}

/* Save the vGPU into a file. Return: 0; or -errno, and mig_save_free() is to be called as well. */
int mig_save(struct mig_file *file)
{
	struct gslot_stream_writer w = { .put = save_put, .data = &file->saving };
	struct gslot_mig *mig = file->mig;

	lockdep_assert_held(&mig->lock);
	file->saving.chunk = kvcalloc(MIG_MAX_CHUNKS, sizeof(*file->saving.chunk),
				      GSLOT_GFP_GUEST);
	if (!file->saving.chunk)
		return -ENOMEM;
	return gslot_vgpu_save(mig->vgpu, &w);
}

/* Take bytes of one chunk off the stream. Return: how many, at most @len, or -errno. */
static ssize_t save_take(struct mig_file *file, void *to, size_t len, u64 *from)
{
	struct mig_saving *s = &file->saving;
	ssize_t n = -ENODEV;

	mutex_lock(&file->lock);
	if (file->mig) {
		u32 at = s->pos % MIG_CHUNK_SIZE;

		*from = s->pos;
		n = min3((u64)len, s->size - s->pos, (u64)MIG_CHUNK_SIZE - at);
		if (n)
			memcpy(to, s->chunk[s->pos / MIG_CHUNK_SIZE] + at, n);
		s->pos += n;
	}
	mutex_unlock(&file->lock);
	return n;
}

/* Give back what was taken last, if nothing has been taken since. */
static void save_untake(struct mig_file *file, u64 from, size_t len)
{
	mutex_lock(&file->lock);
	if (file->saving.pos == from + len)
		file->saving.pos = from;
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

const struct file_operations mig_save_fops = {
	.owner = THIS_MODULE,
	.read = save_read,
	.release = mig_file_release,
};
