// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: resizing a vGPU
 *
 * An administrator says how much graphics memory a vGPU is to have, at any time. It gets more at
 * once, and loses at once what its guest does not use. For what the guest uses its next reset is
 * waited for, or that it is closed. Nothing of the vGPU has to stand still, as long as it has no
 * place in graphics memory: see gm/ggtt_resize.c. If it has one, it keeps that.
 */
#include <linux/log2.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>

#include "vgpu_priv.h"
#include "base/lock.h"

/* A page of entries is never split. */
#define STEP_MB		((GEN_PTES_PER_PAGE << GEN_PAGE_SHIFT) / SZ_1M)
#define LOW_MIN_MB	STEP_MB
#define LOW_MAX_MB	(GEN_LOW_GM_SIZE / SZ_1M)
/* What a stock driver is loaded with: contexts, rings and status pages of all engines. */
#define HIGH_MIN_MB	16

/* How long an administrator waits for a vGPU that waits for memory of its own. */
#define RESIZE_PATIENCE	(5 * HZ)

static const char * const names[] = {
	[GSLOT_GM_LOW] = "low",
	[GSLOT_GM_HIGH] = "high",
};

static u64 *size_of(struct gslot_window *window, enum gslot_gm gm)
{
	return gm == GSLOT_GM_LOW ? &window->low_size : &window->high_size;
}

static bool is_valid(struct gslot_vgpu *vgpu, enum gslot_gm gm, u32 mb)
{
	u32 max = gslot_hw_ggtt_size(vgpu->gpu->hw) / SZ_1M - LOW_MAX_MB;

	if (mb % STEP_MB)
		return false;
	if (gm == GSLOT_GM_LOW)
		return mb >= LOW_MIN_MB && mb <= LOW_MAX_MB;
	return mb >= HIGH_MIN_MB && mb <= max;
}

static void set_window(struct gslot_vgpu *vgpu, const struct gslot_window *window)
{
	lockdep_assert_held(&vgpu->life);
	WRITE_ONCE(vgpu->window.low_size, window->low_size);
	WRITE_ONCE(vgpu->window.high_size, window->high_size);
}

/* Return: as gslot_ggtt_resize(). */
static int resize_open(struct gslot_vgpu *vgpu, const struct gslot_window *window)
{
	struct mem_cgroup *old = set_active_memcg(gslot_exec_memcg(vgpu->exec));
	int ret;

	lockdep_assert_held(&vgpu->lock.mutex);
	ret = gslot_ggtt_resize(vgpu->ggtt, window);
	set_active_memcg(old);
	if (ret)
		return ret;
	set_window(vgpu, window);
	gslot_pvinfo_resize(vgpu);
	return 0;
}

/* If vGPUs have places, what is prepared has to know of them once more. */
static int resize_placed(struct gslot_vgpu *vgpu, const struct gslot_window *window,
			 unsigned long until)
{
	int ret = -EBUSY;

	if (gslot_exec_quiesce_until(vgpu->exec, until))
		return -EBUSY;
	if (!gslot_lock_until(&vgpu->lock.mutex, until))
		goto out_resume;
	if (!gslot_ggtt_must_wait(vgpu->ggtt, window)) {
		gslot_exec_unhold(vgpu->exec);
		ret = resize_open(vgpu, window);
		/* Who has a place can always hold again. */
		WARN_ON(gslot_exec_rehold(vgpu->exec));
	}
	mutex_unlock(&vgpu->lock.mutex);
out_resume:
	gslot_exec_resume(vgpu->exec);
	return ret;
}

/* Return: as gslot_ggtt_resize(); -EBUSY, too, if it does not let go of its lock until then. */
static int resize(struct gslot_vgpu *vgpu, const struct gslot_window *window, unsigned long until)
{
	int ret;

	if (!vgpu->exec) {
		set_window(vgpu, window);
		return 0;
	}
	/* It may have been told before to have another size, and is to stay as it is. */
	if (!memcmp(&vgpu->window, window, sizeof(*window)))
		return 0;
	if (vgpu->gpu->runs.loading.rule)
		return resize_placed(vgpu, window, until);
	if (!gslot_exec_lock_until(vgpu->exec, until))
		return -EBUSY;
	ret = resize_open(vgpu, window);
	gslot_exec_unlock(vgpu->exec);
	return ret;
}

static void announce(struct gslot_vgpu *vgpu, enum gslot_gm gm)
{
	u64 now = *size_of(&vgpu->window, gm), wanted = *size_of(&vgpu->wanted, gm);

	dev_info(vgpu->dev, "%llu MB of %s graphics memory %s\n", wanted / SZ_1M, names[gm],
		 now == wanted ? "now" : "from its next reset on");
}

/**
 * gslot_vgpu_resize() - an administrator says how much graphics memory a vGPU is to have
 * @vgpu: the vGPU, admitted
 * @gm: low or high
 * @mb: how much
 *
 * Return: 0, and it has that, or has it from its next reset on; -EINVAL if it cannot; -EBUSY
 * if it has a place in graphics memory that has no room for that, or is being reset or closed, and
 * that takes more than five seconds; or -ENOMEM.
 * Context: may sleep, without the GPU's locks and the vGPU's.
 */
int gslot_vgpu_resize(struct gslot_vgpu *vgpu, enum gslot_gm gm, u32 mb)
{
	unsigned long until = jiffies + RESIZE_PATIENCE;
	u64 size = (u64)mb * SZ_1M;
	struct gslot_window window;
	int ret = -EBUSY;

	if (!is_valid(vgpu, gm, mb))
		return -EINVAL;
	mutex_lock(&vgpu->gpu->place_lock);
	if (!gslot_lock_until(&vgpu->life, until))
		goto out_places;
	window = vgpu->window;
	*size_of(&window, gm) = size;
	if (vgpu->exec && !gslot_place_fits(vgpu, &window))
		goto out_unlock;
	ret = resize(vgpu, &window, until);
	/* Its guest uses what is to go, or its lock for too long. */
	if (ret == -EBUSY)
		ret = 0;
	if (!ret) {
		WRITE_ONCE(*size_of(&vgpu->wanted, gm), size);
		announce(vgpu, gm);
	}
out_unlock:
	mutex_unlock(&vgpu->life);
out_places:
	mutex_unlock(&vgpu->gpu->place_lock);
	return ret;
}

/**
 * gslot_vgpu_mb() - how much graphics memory a vGPU is to have
 * @vgpu: the vGPU
 * @gm: low or high
 *
 * Return: MB.
 * Context: any.
 */
u32 gslot_vgpu_mb(struct gslot_vgpu *vgpu, enum gslot_gm gm)
{
	return READ_ONCE(*size_of(&vgpu->wanted, gm)) / SZ_1M;
}

/**
 * gslot_vgpu_mb_now() - how much graphics memory a vGPU has
 * @vgpu: the vGPU
 * @gm: low or high
 *
 * Return: MB.
 * Context: any.
 */
u32 gslot_vgpu_mb_now(struct gslot_vgpu *vgpu, enum gslot_gm gm)
{
	return READ_ONCE(*size_of(&vgpu->window, gm)) / SZ_1M;
}

/**
 * gslot_resize_init() - a vGPU begins with what its type has
 * @vgpu: the vGPU, which nobody else knows yet
 *
 * Context: any.
 */
void gslot_resize_init(struct gslot_vgpu *vgpu)
{
	vgpu->window.low_size = (u64)vgpu->profile->low_mb * SZ_1M;
	vgpu->window.high_size = (u64)vgpu->profile->high_mb * SZ_1M;
	vgpu->wanted = vgpu->window;
}

/**
 * gslot_resize_reset() - a vGPU uses nothing: what waited for that comes into force
 * @vgpu: the vGPU, open; its graphics memory is empty
 *
 * Context: @life and @lock of the vGPU held; may sleep.
 */
void gslot_resize_reset(struct gslot_vgpu *vgpu)
{
	const struct gslot_window before = vgpu->window;
	int ret;

	lockdep_assert_held(&vgpu->life);
	lockdep_assert_held(&vgpu->lock.mutex);
	if (!memcmp(&before, &vgpu->wanted, sizeof(before)))
		return;
	/* Or its guest's processors run, and have written something again. */
	ret = resize_open(vgpu, &vgpu->wanted);
	if (ret) {
		dev_warn_ratelimited(vgpu->dev,
				     "not resized by this reset (%d); it waits for another\n", ret);
		return;
	}
	if (before.low_size != vgpu->window.low_size)
		announce(vgpu, GSLOT_GM_LOW);
	if (before.high_size != vgpu->window.high_size)
		announce(vgpu, GSLOT_GM_HIGH);
}

/**
 * gslot_resize_close() - a vGPU has no user any more: what waited comes into force
 * @vgpu: the vGPU; it has no private GGTT
 *
 * Context: @life and @lock of the vGPU held.
 */
void gslot_resize_close(struct gslot_vgpu *vgpu)
{
	lockdep_assert_held(&vgpu->lock.mutex);
	set_window(vgpu, &vgpu->wanted);
}
