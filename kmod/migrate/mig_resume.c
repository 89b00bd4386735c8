// SPDX-License-Identifier: GPL-2.0
/*
 * The file of RESUMING. The vGPU is restored record by record, as the stream arrives, in pieces of
 * any size. After an error nothing more is accepted, and the vGPU has to be reset.
 */
#include <linux/fs.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "migrate_priv.h"
#include "base/account.h"
#include "base/guest_error.h"
#include "vgpu/vgpu.h"

/* How much is copied from the user at a time. */
#define RESUME_PIECE	0x10000

/* Prepare a file and its vGPU. Return: 0 or -errno. */
int mig_resume_init(struct mig_file *file)
{
	struct mig_resuming *r = &file->resuming;

	r->buf = kvmalloc(GSLOT_MIG_RECORD_MAX, GSLOT_GFP_GUEST);
	if (!r->buf)
		return -ENOMEM;
	gslot_stream_init(&r->reader, r->buf);
	return gslot_vgpu_restore_begin(file->mig->vgpu, &r->restore);
}

static int resume_header(struct mig_file *file)
{
	struct mig_resuming *r = &file->resuming;

	memcpy(&r->header, r->buf, sizeof(r->header));
	return mig_check_compatible(file->mig, &r->header);
}

/* Return: 0 or -errno. */
static int resume_found(struct mig_file *file, int found)
{
	struct mig_resuming *r = &file->resuming;

	if (found == GSLOT_STREAM_A_HEADER)
		return resume_header(file);
	if (found == GSLOT_STREAM_A_RECORD)
		return gslot_vgpu_restore(file->mig->vgpu, &r->restore, &r->reader.record, r->buf);
	return found;
}

static void resume_log(struct mig_file *file)
{
	const struct mig_resuming *r = &file->resuming;
	struct gslot_guest_errors *errors = gslot_vgpu_guest_errors(file->mig->vgpu);

	if (!r->header.magic)
		gslot_guest_err(errors, GSLOT_GUEST_ERR_MIGRATION, "header (%d)", r->error);
	else
		gslot_guest_err(errors, GSLOT_GUEST_ERR_MIGRATION, "record %u, of type %#x (%d)",
				r->reader.record.index, r->reader.record.type, r->error);
}

/* Return: 0, or -errno, which stays. */
static int resume_feed(struct mig_file *file, const void *piece, u32 len)
{
	struct mig_resuming *r = &file->resuming;
	u32 used = 0;
	int found;

	lockdep_assert_held(&file->lock);
	while (!r->error) {
		/* A piece may have many records, and a record may wait for a lock. */
		if (READ_ONCE(file->ending))
			return -ENODEV;
		if (fatal_signal_pending(current)) {
			r->error = -EINTR;
			break;
		}
		found = gslot_stream_read(&r->reader, piece, len, &used);
		if (!found)
			break;
		r->error = resume_found(file, found);
		/* Of a header that does not fit, mig_check_compatible() says more. */
		if (r->error && found != GSLOT_STREAM_A_HEADER)
			resume_log(file);
	}
	return r->error;
}

static int resume_piece(struct mig_file *file, const void *piece, u32 len)
{
	int ret = -ENODEV;

	mutex_lock(&file->lock);
	if (file->mig)
		ret = resume_feed(file, piece, len);
	if (!ret)
		gslot_vgpu_migrated(file->mig->vgpu, len);
	mutex_unlock(&file->lock);
	return ret;
}

static int resume_copy(void *piece, const char __user *buf, size_t len)
{
	if (fatal_signal_pending(current))
		return -EINTR;
	return copy_from_user(piece, buf, len) ? -EFAULT : 0;
}

static ssize_t resume_write(struct file *filp, const char __user *buf, size_t len, loff_t *pos)
{
	struct mig_file *file = filp->private_data;
	size_t done, n;
	void *piece;
	int ret = 0;

	if (pos)
		return -ESPIPE;
	piece = kvmalloc(RESUME_PIECE, GSLOT_GFP_GUEST);
	if (!piece)
		return -ENOMEM;
	for (done = 0; done < len; done += n) {
		n = min_t(size_t, len - done, RESUME_PIECE);
		ret = resume_copy(piece, buf + done, n);
		/* What was taken before is not lost: the next write fails. */
		if (ret) {
			ret = done ? 0 : ret;
			break;
		}
		ret = resume_piece(file, piece, n);
		if (ret)
			break;
		cond_resched();
	}
	kvfree(piece);
	return ret ?: done;
}

static int resume_check_end(struct mig_file *file)
{
	const struct mig_resuming *r = &file->resuming;

	if (r->error)
		return r->error;
	if (r->reader.state != GSLOT_STREAM_ENDED) {
		gslot_guest_err(gslot_vgpu_guest_errors(file->mig->vgpu),
				GSLOT_GUEST_ERR_MIGRATION, "it ends after %u records",
				r->reader.records);
		return -EINVAL;
	}
	/* An administrator may have resized the vGPU since. */
	return mig_check_compatible(file->mig, &r->header);
}

/* The user ends RESUMING. Return: 0; or -errno, and the vGPU has to be reset. */
int mig_resume_end(struct mig_file *file)
{
	int ret;

	mig_file_lock_ending(file);
	ret = resume_check_end(file);
	mutex_unlock(&file->lock);
	return ret;
}

const struct file_operations mig_resume_fops = {
	.owner = THIS_MODULE,
	.write = resume_write,
	.release = mig_file_release,
};
