// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: resizing a vGPU
 *
 * docs/graphics-memory.md, "Resizing", says when a new size is in force. The vGPU is not quiesced
 * for it (gm/ggtt_resize.c), unless it has a place in graphics memory, which it keeps.
 */
#include <linux/device.h>
#include <linux/log2.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>

#include "placing.h"
#include "vgpu_priv.h"
#include "base/copy_policy.h"

/* A page of entries is never split. */
#define STEP_MB		((GEN_PTES_PER_PAGE << GEN_PAGE_SHIFT) / SZ_1M)
#define LOW_MIN_MB	STEP_MB
#define LOW_MAX_MB	(GEN_LOW_GM_SIZE / SZ_1M)
/* A stock driver needs as much to load: contexts, rings and status pages of all engines. */
#define HIGH_MIN_MB	16

/* How long an administrator waits for a vGPU if its user's memory does not arrive. */
#define RESIZE_PATIENCE	(5 * HZ)

static const char * const resize_names[] = {
	[GSLOT_GM_LOW] = "low",
	[GSLOT_GM_HIGH] = "high",
};

static u64 *resize_size(struct gslot_window *window, enum gslot_gm gm)
{
	return gm == GSLOT_GM_LOW ? &window->low_size : &window->high_size;
}

static bool resize_valid(struct gslot_vgpu *vgpu, enum gslot_gm gm, u32 mb)
{
	u32 max = gslot_hw_ggtt_size(vgpu->vgpus->hw) / SZ_1M - LOW_MAX_MB;

	if (mb % STEP_MB)
		return false;
	if (gm == GSLOT_GM_LOW)
		return mb >= LOW_MIN_MB && mb <= LOW_MAX_MB;
	return mb >= HIGH_MIN_MB && mb <= max;
}

static void resize_set_window(struct gslot_vgpu *vgpu, const struct gslot_window *window)
{
	lockdep_assert_held(&vgpu->life);
	WRITE_ONCE(vgpu->window.low_size, window->low_size);
	WRITE_ONCE(vgpu->window.high_size, window->high_size);
}

/* With places: does the size fit where the vGPU is? */
static bool resize_fits(const struct gslot_vgpu *vgpu, const struct gslot_window *window)
{
	const struct gslot_copy_policy *policy = vgpu->vgpus->copy_policy;

	lockdep_assert_held(&vgpu->life);
	if (likely(!policy))
		return true;
	return window->low_size <= policy->low_max &&
	       DIV_ROUND_UP_ULL(window->high_size, policy->slot_size) <=
	       DIV_ROUND_UP_ULL(vgpu->window.high_size, policy->slot_size);
}

/* Return: as gslot_ggtt_resize(). */
static int resize_open(struct gslot_vgpu *vgpu, const struct gslot_window *window)
{
	struct gslot_copy_policy *policy = vgpu->vgpus->copy_policy;
	struct mem_cgroup *old;
	int ret;

	lockdep_assert_held(&vgpu->lock.mutex);
	if (!resize_fits(vgpu, window))
		return -EBUSY;
	old = set_active_memcg(gslot_exec_memcg(vgpu->exec));
	ret = unlikely(policy) ? policy->ops->resize(policy, vgpu->exec, vgpu->ggtt, window) :
				 gslot_ggtt_resize(vgpu->ggtt, window);
	set_active_memcg(old);
	if (ret)
		return ret;
	resize_set_window(vgpu, window);
	gslot_pvinfo_resize(vgpu);
	return 0;
}

/* Return: as gslot_ggtt_resize(); -EBUSY, too, if the vGPU's lock is not free until then. */
static int resize_locked(struct gslot_vgpu *vgpu, const struct gslot_window *window,
			 unsigned long until)
{
	int ret = -EBUSY;

	if (gslot_exec_lock_until(vgpu->exec, until)) {
		ret = resize_open(vgpu, window);
		gslot_exec_unlock(vgpu->exec);
	}
	return ret;
}

/* Return: as resize_locked(). */
static int resize(struct gslot_vgpu *vgpu, const struct gslot_window *window, unsigned long until)
{
	int ret;

	if (!vgpu->exec) {
		resize_set_window(vgpu, window);
		return 0;
	}
	/* An earlier change to another size may still wait for a reset: it is cancelled. */
	if (!memcmp(&vgpu->window, window, sizeof(*window)))
		return 0;
	if (likely(!vgpu->vgpus->copy_policy))
		return resize_locked(vgpu, window, until);
	if (gslot_exec_quiesce_until(vgpu->exec, until))
		return -EBUSY;
	ret = resize_locked(vgpu, window, until);
	gslot_exec_resume(vgpu->exec);
	return ret;
}

static void resize_announce(struct gslot_vgpu *vgpu, enum gslot_gm gm)
{
	u64 now = *resize_size(&vgpu->window, gm), wanted = *resize_size(&vgpu->wanted, gm);

	dev_info(vgpu->dev, "%llu MB of %s graphics memory %s\n", wanted / SZ_1M, resize_names[gm],
		 now == wanted ? "now" : "from its next reset on");
}

/**
 * gslot_vgpu_resize() - change how much graphics memory a vGPU has
 * @vgpu: the vGPU, admitted
 * @gm: enum gslot_gm
 * @mb: how much
 *
 * Return: 0, and it has that now, or from its next reset on; -EINVAL if no vGPU can have that;
 * -EBUSY if its place in graphics memory has no room for that, or if it is being reset or closed
 * for more than five seconds; or -ENOMEM.
 * Context: may sleep, without gslot_vgpus.lock and the vGPU's locks.
 */
int gslot_vgpu_resize(struct gslot_vgpu *vgpu, u32 gm, u32 mb)
{
	unsigned long until = jiffies + RESIZE_PATIENCE;
	u64 size = (u64)mb * SZ_1M;
	struct gslot_window window;
	int ret = -EBUSY;

	if (!resize_valid(vgpu, gm, mb))
		return -EINVAL;
	if (!gslot_vgpu_lock_life_until(vgpu, until))
		return -EBUSY;
	window = vgpu->window;
	*resize_size(&window, gm) = size;
	if (vgpu->exec && !resize_fits(vgpu, &window))
		goto out_unlock;
	ret = resize(vgpu, &window, until);
	/* The guest uses what is to go, or the vGPU's lock is not free: at the next reset, then. */
	if (ret == -EBUSY)
		ret = 0;
	if (!ret) {
		WRITE_ONCE(*resize_size(&vgpu->wanted, gm), size);
		resize_announce(vgpu, gm);
	}
out_unlock:
	mutex_unlock(&vgpu->life);
	return ret;
}

/**
 * gslot_vgpu_mb() - get how much graphics memory a vGPU has, at the latest from its next reset on
 * @vgpu: the vGPU
 * @gm: enum gslot_gm
 *
 * Return: MB.
 * Context: any.
 */
u32 gslot_vgpu_mb(struct gslot_vgpu *vgpu, u32 gm)
{
	return READ_ONCE(*resize_size(&vgpu->wanted, gm)) / SZ_1M;
}

/**
 * gslot_vgpu_mb_now() - get how much graphics memory a vGPU has now
 * @vgpu: the vGPU
 * @gm: enum gslot_gm
 *
 * Return: MB.
 * Context: any.
 */
u32 gslot_vgpu_mb_now(struct gslot_vgpu *vgpu, u32 gm)
{
	return READ_ONCE(*resize_size(&vgpu->window, gm)) / SZ_1M;
}

/* Give a vGPU the graphics memory of its type. */
void gslot_resize_init(struct gslot_vgpu *vgpu)
{
	vgpu->window.low_size = (u64)vgpu->profile->low_mb * SZ_1M;
	vgpu->window.high_size = (u64)vgpu->profile->high_mb * SZ_1M;
	vgpu->wanted = vgpu->window;
}

/* Apply a size that waited for a reset. The vGPU's graphics memory is empty. */
void gslot_resize_reset(struct gslot_vgpu *vgpu)
{
	const struct gslot_window before = vgpu->window;
	int ret;

	lockdep_assert_held(&vgpu->life);
	lockdep_assert_held(&vgpu->lock.mutex);
	if (!memcmp(&before, &vgpu->wanted, sizeof(before)))
		return;
	/* It fails if the guest's processors run and have written something again. */
	ret = resize_open(vgpu, &vgpu->wanted);
	if (ret) {
		dev_warn_ratelimited(vgpu->dev,
				     "not resized by this reset (%d); it waits for another\n", ret);
		return;
	}
	if (before.low_size != vgpu->window.low_size)
		resize_announce(vgpu, GSLOT_GM_LOW);
	if (before.high_size != vgpu->window.high_size)
		resize_announce(vgpu, GSLOT_GM_HIGH);
}

/* Apply a size that waited. The vGPU is being closed, and has no private GGTT any more. */
void gslot_resize_close(struct gslot_vgpu *vgpu)
{
	lockdep_assert_held(&vgpu->lock.mutex);
	resize_set_window(vgpu, &vgpu->wanted);
}
