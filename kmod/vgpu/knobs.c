// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: a vGPU's share of the GPU
 *
 * An administrator says what it is to be, at any time. It is kept as long as the vGPU, whoever
 * opens and resets it; the scheduler knows of it while the vGPU is open. What it means is up to
 * the scheduler's policy (docs/scheduling.md), and of the cap, up to who moves caps (oversub.c).
 */
#include "vgpu_priv.h"
#include "core/sched/policy.h"
#include "core/sched/throttle.h"
#include "base/lock.h"
#include "sched/sched.h"

/* A guest's driver waits for ten seconds; and whoever takes a vGPU off waits for two. */
#define PREEMPT_MIN_US	1000
#define PREEMPT_MAX_US	1000000

/* A vGPU that is being reset or closed may take for ever, and what it reserves is about all. */
#define KNOB_PATIENCE	(5 * HZ)

/* From where to where, and what it is at first. */
static const struct {
	u32 min;
	u32 max;
	u32 first;
} ranges[GSLOT_NR_KNOBS] = {
	[GSLOT_KNOB_WEIGHT] = { 1, GSLOT_POLICY_WEIGHT_MAX, GSLOT_POLICY_WEIGHT },
	[GSLOT_KNOB_CAP] = { 1, GSLOT_POLICY_ALWAYS, GSLOT_POLICY_ALWAYS },
	[GSLOT_KNOB_RESERVE] = { 0, GSLOT_POLICY_ALWAYS, 0 },
	[GSLOT_KNOB_QUANTUM_MS] = { 0, GSLOT_SCHED_QUANTUM_MAX_MS, 0 },
	[GSLOT_KNOB_PREEMPT_US] = { PREEMPT_MIN_US, PREEMPT_MAX_US, GSLOT_SCHED_PREEMPT_US },
	[GSLOT_KNOB_STOP] = { 0, 1, 0 },
	[GSLOT_KNOB_QOS_FPS] = { 0, GSLOT_VGPU_QOS_FPS_MAX, 0 },
	[GSLOT_KNOB_CPU_MAX] = { GSLOT_THROTTLE_LEAST, GSLOT_THROTTLE_ALL, GSLOT_THROTTLE_ALL },
};

/**
 * gslot_knobs_init() - a vGPU begins as all others
 * @vgpu: the vGPU, which nobody else knows yet
 *
 * Context: any.
 */
void gslot_knobs_init(struct gslot_vgpu *vgpu)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_KNOBS; i++)
		vgpu->knobs[i] = ranges[i].first;
}

/**
 * gslot_knobs_tell() - tell the scheduler what its policies want to know
 * @vgpu: the vGPU, open
 * @cap: in force, whatever was sold; no less than what it reserves
 *
 * Context: may sleep; gslot_vgpu_oversub.lock is held.
 */
void gslot_knobs_tell(struct gslot_vgpu *vgpu, u32 cap)
{
	/* One that is being set may be known here, and not yet in @cap. */
	u32 reserve = min(gslot_vgpu_knob(vgpu, GSLOT_KNOB_RESERVE), cap);
	const struct gslot_policy_knobs knobs = {
		.weight = gslot_vgpu_knob(vgpu, GSLOT_KNOB_WEIGHT),
		.cap = cap,
		.reserve = reserve,
		.quantum_ns = (u64)gslot_vgpu_knob(vgpu, GSLOT_KNOB_QUANTUM_MS) * NSEC_PER_MSEC,
	};

	lockdep_assert_held(&vgpu->gpu->oversub.lock);
	/* They were found good when they were set. */
	WARN_ON(gslot_client_set_knobs(gslot_exec_client(vgpu->exec), &knobs));
}

/**
 * gslot_knobs_apply() - tell the scheduler and execution the rest
 * @vgpu: the vGPU, open
 *
 * One that is to stop is off the GPU when this returns.
 *
 * Context: may sleep; gslot_vgpu.life is held.
 */
void gslot_knobs_apply(struct gslot_vgpu *vgpu)
{
	struct gslot_client *client = gslot_exec_client(vgpu->exec);

	lockdep_assert_held(&vgpu->life);
	gslot_client_set_preempt_us(client, vgpu->knobs[GSLOT_KNOB_PREEMPT_US]);
	gslot_exec_set_cpu_max(vgpu->exec, vgpu->knobs[GSLOT_KNOB_CPU_MAX]);
	gslot_client_set_stopped(client, vgpu->knobs[GSLOT_KNOB_STOP]);
}

/* It reserves no more than it may have. */
static bool is_valid(const struct gslot_vgpu *vgpu, enum gslot_knob knob, u32 value)
{
	if (value < ranges[knob].min || value > ranges[knob].max)
		return false;
	if (knob == GSLOT_KNOB_CAP)
		return value >= vgpu->knobs[GSLOT_KNOB_RESERVE];
	return knob != GSLOT_KNOB_RESERVE || value <= vgpu->knobs[GSLOT_KNOB_CAP];
}

/* What all others reserve; open or not, as who is not may be at any moment. */
static u32 reserved_by_others(const struct gslot_vgpu *vgpu)
{
	const struct gslot_vgpu *other;
	u32 sum = 0;

	lockdep_assert_held(&vgpu->gpu->lock);
	list_for_each_entry(other, &vgpu->gpu->vgpus, link)
		if (other != vgpu)
			sum += other->knobs[GSLOT_KNOB_RESERVE];
	return sum;
}

/* Nobody is promised what others were. */
static int store_reserve(struct gslot_vgpu *vgpu, u32 value)
{
	int ret = -ENOSPC;

	mutex_lock(&vgpu->gpu->lock);
	if (value <= GSLOT_POLICY_ALWAYS - reserved_by_others(vgpu)) {
		WRITE_ONCE(vgpu->knobs[GSLOT_KNOB_RESERVE], value);
		ret = 0;
	}
	mutex_unlock(&vgpu->gpu->lock);
	return ret;
}

/**
 * gslot_vgpu_set_knob() - an administrator says what a vGPU's share of the GPU is to be
 * @vgpu: the vGPU, admitted
 * @knob: in what respect
 * @value: what
 *
 * Return: 0, and it is so; -EINVAL if it is out of its range, or the vGPU would reserve more than
 * its cap; -ENOSPC if all together would reserve more than there is; or -EBUSY if it is being reset
 * or closed, and that takes more than five seconds.
 * Context: may sleep, without the GPU's lock and the vGPU's.
 */
int gslot_vgpu_set_knob(struct gslot_vgpu *vgpu, enum gslot_knob knob, u32 value)
{
	int ret = 0;

	if (!gslot_lock_until(&vgpu->life, jiffies + KNOB_PATIENCE))
		return -EBUSY;
	if (!is_valid(vgpu, knob, value))
		ret = -EINVAL;
	else if (knob == GSLOT_KNOB_RESERVE)
		ret = store_reserve(vgpu, value);
	else
		WRITE_ONCE(vgpu->knobs[knob], value);
	if (!ret && vgpu->exec) {
		gslot_vgpu_oversub_knob(vgpu, knob);
		gslot_knobs_apply(vgpu);
	}
	mutex_unlock(&vgpu->life);
	return ret;
}

/**
 * gslot_vgpu_knob() - what is a vGPU's share of the GPU to be?
 * @vgpu: the vGPU
 * @knob: in what respect
 *
 * Return: that.
 * Context: any.
 */
u32 gslot_vgpu_knob(const struct gslot_vgpu *vgpu, enum gslot_knob knob)
{
	return READ_ONCE(vgpu->knobs[knob]);
}
