// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: states of migration
 *
 *	PRE_COPY <-> PRE_COPY_P2P ------------> STOP_COPY
 *	   ^            ^   |                       ^
 *	   v            |   v                       v
 *	RUNNING <-> RUNNING_P2P <---------------> STOP <-> RESUMING
 *
 * VFIO says by which arcs a state is reached from another one (vfio_mig_get_next_state()). The GPU
 * works for the vGPU in RUNNING and PRE_COPY only; interrupts are held from STOP on. PRE_COPY,
 * PRE_COPY_P2P and STOP_COPY share a data file. ERROR, after a stream that could not be restored,
 * ends with a reset of the device.
 *
 * A change of state ends in bounded time: docs/migration.md. So a reset, which takes
 * gslot_mig.lock, waits for that at most. A reset may hold it forever, if the user's memory does
 * not arrive, so other callers take it with a timeout.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "migrate_priv.h"
#include "base/compat_vfio.h"
#include "base/lock.h"
#include "base/trace.h"
#include "vgpu/vgpu.h"

/* How long a reset may keep the others waiting. */
#define MIG_LOCK_TIMEOUT	(5 * HZ)

static const char *state_name(enum vfio_device_mig_state state)
{
	static const char *const names[] = {
		[VFIO_DEVICE_STATE_ERROR] = "ERROR",
		[VFIO_DEVICE_STATE_STOP] = "STOP",
		[VFIO_DEVICE_STATE_RUNNING] = "RUNNING",
		[VFIO_DEVICE_STATE_STOP_COPY] = "STOP_COPY",
		[VFIO_DEVICE_STATE_RESUMING] = "RESUMING",
		[VFIO_DEVICE_STATE_RUNNING_P2P] = "RUNNING_P2P",
		[VFIO_DEVICE_STATE_PRE_COPY] = "PRE_COPY",
		[VFIO_DEVICE_STATE_PRE_COPY_P2P] = "PRE_COPY_P2P",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

static void state_set(struct gslot_mig *mig, enum vfio_device_mig_state state)
{
	mig->state = state;
	gslot_vgpu_trim(mig->vgpu, state == VFIO_DEVICE_STATE_PRE_COPY);
	gslot_vgpu_show_migration(mig->vgpu, state_name(state));
}

/**
 * gslot_mig_create() - create the migration of a vGPU
 * @vdev: its VFIO device
 * @vgpu: the vGPU
 *
 * Return: the argument of the other functions, or ERR_PTR(-ENOMEM).
 * Context: may sleep.
 */
struct gslot_mig *gslot_mig_create(struct vfio_device *vdev, struct gslot_vgpu *vgpu)
{
	struct gslot_mig *mig = kzalloc(sizeof(*mig), GFP_KERNEL);

	if (!mig)
		return ERR_PTR(-ENOMEM);
	mig->vdev = vdev;
	mig->vgpu = vgpu;
	mutex_init(&mig->lock);
	state_set(mig, VFIO_DEVICE_STATE_RUNNING);
	return mig;
}

/**
 * gslot_mig_destroy() - undo gslot_mig_create()
 * @mig: the migration; its vGPU is closed
 *
 * Context: may sleep.
 */
void gslot_mig_destroy(struct gslot_mig *mig)
{
	mutex_destroy(&mig->lock);
	kfree(mig);
}

static void state_drop_file(struct gslot_mig *mig)
{
	lockdep_assert_held(&mig->lock);
	if (mig->file)
		mig_file_drop(mig->file);
	mig->file = NULL;
}

static bool state_is_stopped(const struct gslot_mig *mig)
{
	return mig->state != VFIO_DEVICE_STATE_RUNNING && mig->state != VFIO_DEVICE_STATE_PRE_COPY;
}

static bool state_is_frozen(const struct gslot_mig *mig)
{
	return state_is_stopped(mig) && mig->state != VFIO_DEVICE_STATE_RUNNING_P2P &&
	       mig->state != VFIO_DEVICE_STATE_PRE_COPY_P2P;
}

/**
 * gslot_mig_close() - the vGPU is about to be closed
 * @mig: the migration; its data file, if it has one, works no more when this returns
 *
 * Context: may sleep, without the vGPU's locks.
 */
void gslot_mig_close(struct gslot_mig *mig)
{
	mutex_lock(&mig->lock);
	state_drop_file(mig);
	if (state_is_frozen(mig))
		gslot_vgpu_unfreeze(mig->vgpu);
	state_set(mig, VFIO_DEVICE_STATE_RUNNING);
	mutex_unlock(&mig->lock);
}

/**
 * gslot_mig_reset() - reset the device, for VFIO, in any state of migration
 * @mig: the migration; its vGPU is open, and runs when this returns
 *
 * Context: may sleep, without the vGPU's locks.
 */
void gslot_mig_reset(struct gslot_mig *mig)
{
	mutex_lock(&mig->lock);
	state_drop_file(mig);
	gslot_vgpu_reset(mig->vgpu);
	if (state_is_frozen(mig))
		gslot_vgpu_unfreeze(mig->vgpu);
	if (state_is_stopped(mig))
		gslot_vgpu_resume_reset(mig->vgpu);
	state_set(mig, VFIO_DEVICE_STATE_RUNNING);
	mutex_unlock(&mig->lock);
}

/* Return: the file for the user, with a reference for it, or ERR_PTR. */
static struct file *state_create_file(struct gslot_mig *mig, enum mig_file_kind kind)
{
	struct mig_file *file = mig_file_create(mig, kind);

	if (IS_ERR(file))
		return ERR_CAST(file);
	mig->file = file;
	get_file(file->filp);
	return file->filp;
}

static int state_end_resuming(struct gslot_mig *mig)
{
	int ret = mig_resume_end(mig->file);

	state_drop_file(mig);
	return ret;
}

/* Return: 0; or -errno, and the vGPU is stopped as before. */
static int state_end_pre_copy(struct gslot_mig *mig)
{
	int ret;

	gslot_vgpu_freeze(mig->vgpu);
	ret = mig_save_rest(mig->file);
	if (ret)
		gslot_vgpu_unfreeze(mig->vgpu);
	return ret;
}

#define ARC(from, to)	((from) << 8 | (to))

/* Take one arc. Return: a file for the user; NULL: none; or ERR_PTR. */
static struct file *state_step(struct gslot_mig *mig, enum vfio_device_mig_state next)
{
	switch (ARC(mig->state, next)) {
	case ARC(VFIO_DEVICE_STATE_RUNNING, VFIO_DEVICE_STATE_RUNNING_P2P):
	case ARC(VFIO_DEVICE_STATE_PRE_COPY, VFIO_DEVICE_STATE_PRE_COPY_P2P):
		return ERR_PTR(gslot_vgpu_stop(mig->vgpu));
	case ARC(VFIO_DEVICE_STATE_RUNNING_P2P, VFIO_DEVICE_STATE_RUNNING):
	case ARC(VFIO_DEVICE_STATE_PRE_COPY_P2P, VFIO_DEVICE_STATE_PRE_COPY):
		return ERR_PTR(gslot_vgpu_resume(mig->vgpu));
	case ARC(VFIO_DEVICE_STATE_RUNNING_P2P, VFIO_DEVICE_STATE_STOP):
		gslot_vgpu_freeze(mig->vgpu);
		return NULL;
	case ARC(VFIO_DEVICE_STATE_STOP, VFIO_DEVICE_STATE_RUNNING_P2P):
		gslot_vgpu_unfreeze(mig->vgpu);
		return NULL;
	case ARC(VFIO_DEVICE_STATE_STOP, VFIO_DEVICE_STATE_STOP_COPY):
		return state_create_file(mig, MIG_FILE_STOP_COPY);
	case ARC(VFIO_DEVICE_STATE_STOP, VFIO_DEVICE_STATE_RESUMING):
		return state_create_file(mig, MIG_FILE_RESUMING);
	case ARC(VFIO_DEVICE_STATE_RUNNING, VFIO_DEVICE_STATE_PRE_COPY):
	case ARC(VFIO_DEVICE_STATE_RUNNING_P2P, VFIO_DEVICE_STATE_PRE_COPY_P2P):
		return state_create_file(mig, MIG_FILE_PRE_COPY);
	case ARC(VFIO_DEVICE_STATE_PRE_COPY_P2P, VFIO_DEVICE_STATE_STOP_COPY):
		return ERR_PTR(state_end_pre_copy(mig));
	case ARC(VFIO_DEVICE_STATE_PRE_COPY, VFIO_DEVICE_STATE_RUNNING):
	case ARC(VFIO_DEVICE_STATE_PRE_COPY_P2P, VFIO_DEVICE_STATE_RUNNING_P2P):
	case ARC(VFIO_DEVICE_STATE_STOP_COPY, VFIO_DEVICE_STATE_STOP):
		state_drop_file(mig);
		return NULL;
	case ARC(VFIO_DEVICE_STATE_RESUMING, VFIO_DEVICE_STATE_STOP):
		return ERR_PTR(state_end_resuming(mig));
	}
	/* VFIO names no other arcs. */
	WARN_ON_ONCE(1);
	return ERR_PTR(-EINVAL);
}

/* Take one arc, and note it. Return: as state_step(). */
static struct file *state_take(struct gslot_mig *mig, enum vfio_device_mig_state next)
{
	struct file *file = state_step(mig, next);
	int ret = PTR_ERR_OR_ZERO(file);

	trace_gslot_mig_state(dev_name(mig->vdev->dev), mig->state, next, ret);
	if (!ret) {
		state_set(mig, next);
		return file;
	}
	dev_dbg(mig->vdev->dev, "migration: %s to %s: %d\n", state_name(mig->state),
		state_name(next), ret);
	/* A vGPU that was restored in part stays stopped until it is reset. */
	if (mig->state == VFIO_DEVICE_STATE_RESUMING)
		state_set(mig, VFIO_DEVICE_STATE_ERROR);
	return file;
}

/* Go to a state, arc by arc. Return: as gslot_mig_set_state(). */
static struct file *state_go(struct gslot_mig *mig, enum vfio_device_mig_state state)
{
	enum vfio_device_mig_state next;
	struct file *file = NULL;
	int ret;

	lockdep_assert_held(&mig->lock);
	/* vfio_mig_get_next_state() warns if the current state is ERROR. */
	if (mig->state == VFIO_DEVICE_STATE_ERROR)
		return ERR_PTR(-EINVAL);
	while (mig->state != state) {
		ret = vfio_mig_get_next_state(mig->vdev, mig->state, state, &next);
		if (ret)
			return ERR_PTR(ret);
		file = state_take(mig, next);
		if (IS_ERR(file))
			return file;
		/* Only the last one has a new file. */
		if (WARN_ON_ONCE(file && mig->state != state)) {
			fput(file);
			return ERR_PTR(-EINVAL);
		}
	}
	return file;
}

/**
 * gslot_mig_set_state() - go to another state, for VFIO
 * @mig: the migration
 * @state: the state
 *
 * Ends in bounded time, whatever guest and user do.
 *
 * Return: the data file, for the user; NULL: the state has none, or that of the state before; or
 * ERR_PTR: -EBUSY if guest memory does not arrive, or a reset or a change of all vGPUs takes long;
 * -ENOMEM; -EINVAL for a change that is impossible; or of a stream that could not be restored the
 * -errno that its writer got.
 * &gslot_mig.state says how far it got.
 * Context: may sleep, without the vGPU's locks.
 */
struct file *gslot_mig_set_state(struct gslot_mig *mig, enum vfio_device_mig_state state)
{
	struct file *file;

	if (!gslot_lock_until(&mig->lock, jiffies + MIG_LOCK_TIMEOUT))
		return ERR_PTR(-EBUSY);
	file = state_go(mig, state);
	mutex_unlock(&mig->lock);
	return file;
}

/**
 * gslot_mig_get_state() - get the migration state, for VFIO
 * @mig: the migration
 * @state: out
 *
 * Return: 0, or -EBUSY if the vGPU is being reset for too long.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_mig_get_state(struct gslot_mig *mig, enum vfio_device_mig_state *state)
{
	if (!gslot_lock_until(&mig->lock, jiffies + MIG_LOCK_TIMEOUT))
		return -EBUSY;
	*state = mig->state;
	mutex_unlock(&mig->lock);
	return 0;
}

/**
 * gslot_mig_data_size() - estimate how much is saved in STOP_COPY, for VFIO
 * @mig: the migration
 * @size: out: bytes, as of now
 *
 * Return: 0, or -EBUSY if the vGPU is being reset for too long.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_mig_data_size(struct gslot_mig *mig, unsigned long *size)
{
	if (!gslot_lock_until(&mig->lock, jiffies + MIG_LOCK_TIMEOUT))
		return -EBUSY;
	*size = mig_save_size(mig);
	mutex_unlock(&mig->lock);
	return 0;
}
