// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: vGPUs' shares of the GPU
 *
 * Knobs are settings of one vGPU. This file also passes the GPU's scheduling policy and quantum on
 * to the scheduler, as attributes of a GPU reach the layers below through vgpu.
 *
 * A vGPU keeps its knobs until it is removed, however often it is opened and reset; the scheduler
 * learns of a change while it is open. The scheduler's policy defines what most of them mean
 * (docs/scheduling.md, "Knobs"); a controller may change the cap in force (vgpu_oversub.c).
 * core/mem/reclaim.h says what the limits of pinned memory mean.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>

#include "vgpu_priv.h"
#include "core/sched/policy.h"
#include "core/sched/throttle.h"
#include "base/lock.h"
#include "sched/sched.h"

/* A guest's driver gives up after ten seconds, and unmap.c waits for two at a time. */
#define PREEMPT_MIN_US	1000
#define PREEMPT_MAX_US	1000000

/* The reset or closing of a vGPU may never end: a write does not wait for that. */
#define KNOB_PATIENCE	(5 * HZ)

/* Valid range and default. */
static const struct {
	u32 min;
	u32 max;
	u32 def;
} knobs_ranges[GSLOT_NR_KNOBS] = {
	[GSLOT_KNOB_WEIGHT] = { 1, GSLOT_POLICY_WEIGHT_MAX, GSLOT_POLICY_WEIGHT },
	[GSLOT_KNOB_CAP] = { 1, GSLOT_WHOLE, GSLOT_WHOLE },
	[GSLOT_KNOB_RESERVE] = { 0, GSLOT_WHOLE, 0 },
	[GSLOT_KNOB_QUANTUM_MS] = { 0, GSLOT_SCHED_QUANTUM_MAX_MS, 0 },
	[GSLOT_KNOB_PREEMPT_US] = { PREEMPT_MIN_US, PREEMPT_MAX_US, GSLOT_SCHED_PREEMPT_US },
	[GSLOT_KNOB_STOP] = { 0, 1, 0 },
	[GSLOT_KNOB_QOS_FPS] = { 0, GSLOT_VGPU_QOS_FPS_MAX, 0 },
	[GSLOT_KNOB_CPU_MAX] = { GSLOT_THROTTLE_LEAST, GSLOT_THROTTLE_ALL, GSLOT_THROTTLE_ALL },
	[GSLOT_KNOB_PINNED_MIN_MB] = { 0, GSLOT_PINNED_UNLIMITED_MB, 0 },
	[GSLOT_KNOB_PINNED_LOW_MB] = { 0, GSLOT_PINNED_UNLIMITED_MB, 0 },
	[GSLOT_KNOB_PINNED_MAX_MB] = { 1, GSLOT_PINNED_UNLIMITED_MB, GSLOT_PINNED_UNLIMITED_MB },
};

void gslot_knobs_init(struct gslot_vgpu *vgpu)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_KNOBS; i++)
		vgpu->knobs[i] = knobs_ranges[i].def;
}

/* Pass the knobs of policies to the scheduler. The vGPU is open, and @cap is the cap in force. */
void gslot_knobs_set_policy(struct gslot_vgpu *vgpu, u32 cap)
{
	/* A reserve that is being set may be visible here, and not yet in @cap. */
	u32 reserve = min(gslot_vgpu_knob(vgpu, GSLOT_KNOB_RESERVE), cap);
	const struct gslot_policy_knobs knobs = {
		.weight = gslot_vgpu_knob(vgpu, GSLOT_KNOB_WEIGHT),
		.cap = cap,
		.reserve = reserve,
		.quantum_ns = (u64)gslot_vgpu_knob(vgpu, GSLOT_KNOB_QUANTUM_MS) * NSEC_PER_MSEC,
	};

	lockdep_assert_held(&vgpu->vgpus->oversub.lock);
	/* They were validated when they were set. */
	WARN_ON(gslot_client_set_knobs(vgpu->client, &knobs));
}

/* Pass the other knobs on. When this returns, a vGPU with GSLOT_KNOB_STOP is off the GPU. */
void gslot_knobs_apply(struct gslot_vgpu *vgpu)
{
	struct gslot_client *client = vgpu->client;

	lockdep_assert_held(&vgpu->life);
	gslot_client_set_preempt_us(client, vgpu->knobs[GSLOT_KNOB_PREEMPT_US]);
	gslot_exec_set_cpu_max(vgpu->exec, vgpu->knobs[GSLOT_KNOB_CPU_MAX]);
	gslot_guestmem_set_max(&vgpu->mem,
			       gslot_room_pages(vgpu->knobs[GSLOT_KNOB_PINNED_MAX_MB]));
	gslot_guestmem_set_low(&vgpu->mem,
			       gslot_room_pages(max(vgpu->knobs[GSLOT_KNOB_PINNED_MIN_MB],
						    vgpu->knobs[GSLOT_KNOB_PINNED_LOW_MB])));
	gslot_client_set_stopped(client, vgpu->knobs[GSLOT_KNOB_STOP]);
}

/* Within its range, and the reserve within the cap? */
static bool knobs_is_valid(const struct gslot_vgpu *vgpu, enum gslot_knob knob, u32 value)
{
	if (value < knobs_ranges[knob].min || value > knobs_ranges[knob].max)
		return false;
	if (knob == GSLOT_KNOB_CAP)
		return value >= vgpu->knobs[GSLOT_KNOB_RESERVE];
	return knob != GSLOT_KNOB_RESERVE || value <= vgpu->knobs[GSLOT_KNOB_CAP];
}

/* The sum over all other vGPUs, open or not: one that is closed may be opened at any moment. */
static u32 knobs_reserved_by_others(const struct gslot_vgpu *vgpu)
{
	const struct gslot_vgpu *other;
	u32 sum = 0;

	lockdep_assert_held(&vgpu->vgpus->lock);
	list_for_each_entry(other, &vgpu->vgpus->list, link)
		if (other != vgpu)
			sum += other->knobs[GSLOT_KNOB_RESERVE];
	return sum;
}

/* The sum of all reserves must not exceed the whole. */
static int knobs_store_reserve(struct gslot_vgpu *vgpu, u32 value)
{
	int ret = -ENOSPC;

	/* A holder of this lock may wait for @life. The caller releases that, and tries again. */
	if (!mutex_trylock(&vgpu->vgpus->lock))
		return -EAGAIN;
	if (value <= GSLOT_WHOLE - knobs_reserved_by_others(vgpu)) {
		WRITE_ONCE(vgpu->knobs[GSLOT_KNOB_RESERVE], value);
		ret = 0;
	}
	mutex_unlock(&vgpu->vgpus->lock);
	return ret;
}

/* @life is held. Return: as gslot_vgpu_set_knob(); or -EAGAIN if that must be released. */
static int knobs_set(struct gslot_vgpu *vgpu, enum gslot_knob knob, u32 value)
{
	int ret = 0;

	lockdep_assert_held(&vgpu->life);
	if (!knobs_is_valid(vgpu, knob, value))
		ret = -EINVAL;
	else if (knob == GSLOT_KNOB_RESERVE)
		ret = knobs_store_reserve(vgpu, value);
	else
		WRITE_ONCE(vgpu->knobs[knob], value);
	if (!ret && vgpu->exec) {
		gslot_vgpu_oversub_knob(vgpu, knob);
		gslot_knobs_apply(vgpu);
	}
	return ret;
}

/**
 * gslot_vgpu_set_knob() - set a knob of a vGPU
 * @vgpu: the vGPU, admitted
 * @knob: enum gslot_knob
 * @value: its value; in force when this returns
 *
 * Return: 0; -EINVAL if the value is out of range, or the vGPU would reserve more than its cap;
 * -ENOSPC if all vGPUs together would reserve more than the whole; or -EBUSY if the vGPU is being
 * reset or closed, or the list of vGPUs is in use, and that takes more than five seconds.
 * Context: may sleep, without gslot_vgpus.lock and the vGPU's locks.
 */
int gslot_vgpu_set_knob(struct gslot_vgpu *vgpu, u32 knob, u32 value)
{
	unsigned long until = jiffies + KNOB_PATIENCE;
	int ret;

	do {
		if (!gslot_lock_until(&vgpu->life, until))
			return -EBUSY;
		ret = knobs_set(vgpu, knob, value);
		mutex_unlock(&vgpu->life);
		if (ret == -EAGAIN)
			msleep(GSLOT_LOCK_POLL_MS);
	} while (ret == -EAGAIN && !time_after(jiffies, until));
	return ret == -EAGAIN ? -EBUSY : ret;
}

/**
 * gslot_vgpu_knob() - get a knob of a vGPU
 * @vgpu: the vGPU
 * @knob: enum gslot_knob
 *
 * Return: its value.
 * Context: any.
 */
u32 gslot_vgpu_knob(struct gslot_vgpu *vgpu, u32 knob)
{
	return READ_ONCE(vgpu->knobs[knob]);
}

/**
 * gslot_vgpus_set_sched_policy() - choose the policy by which vGPUs get engines
 * @vgpus: the GPU
 * @name: its name
 *
 * Return: as gslot_sched_set_policy().
 * Context: may sleep.
 */
int gslot_vgpus_set_sched_policy(struct gslot_vgpus *vgpus, const char *name)
{
	return gslot_sched_set_policy(vgpus->sched, name);
}

/**
 * gslot_vgpus_show_sched_policies() - list the policies by which vGPUs get engines
 * @vgpus: the GPU
 * @buf: buffer of sysfs
 *
 * Return: how many bytes were written.
 * Context: may sleep.
 */
ssize_t gslot_vgpus_show_sched_policies(struct gslot_vgpus *vgpus, char *buf)
{
	return gslot_sched_show_policies(vgpus->sched, buf);
}

/**
 * gslot_vgpus_set_quantum_ms() - set the quantum of vGPUs without one of their own
 * @vgpus: the GPU
 * @ms: milliseconds
 *
 * Return: as gslot_sched_set_quantum_ms().
 * Context: may sleep.
 */
int gslot_vgpus_set_quantum_ms(struct gslot_vgpus *vgpus, u32 ms)
{
	return gslot_sched_set_quantum_ms(vgpus->sched, ms);
}

/**
 * gslot_vgpus_quantum_ms() - the quantum of vGPUs without one of their own
 * @vgpus: the GPU
 *
 * Return: milliseconds.
 * Context: any.
 */
u32 gslot_vgpus_quantum_ms(struct gslot_vgpus *vgpus)
{
	return gslot_sched_quantum_ms(vgpus->sched);
}
