// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the monitor
 *
 * Once a second each vGPU that is open is asked what it has done (core/place/monitor): how much of
 * the GPU it uses, whether it is idle, and how many frames it has completed. It is asked without
 * its own locks, which are held while guests are waited for: so one that keeps its vGPU busy delays
 * no look at the others.
 *
 * A vGPU is looked at from the end of its opening to the beginning of its closing. While none
 * is open nothing runs; while the machine sleeps nothing does either.
 */
#include <linux/ktime.h>

#include "vgpu_priv.h"

#define IDLE_MS		20000
#define IDLE_MS_MAX	3600000

/* Its execution and its private GGTT go away only after it has left. */
static struct gslot_monitor_reading read_vgpu(const struct gslot_vgpu *vgpu)
{
	const struct gslot_client_use use = gslot_exec_use(vgpu->exec);

	return (struct gslot_monitor_reading) {
		.now = ktime_get_ns(),
		.busy_ns = use.busy_ns,
		.requests = use.requests,
		.pending = use.pending,
	};
}

/*
 * What the scheduler's policies want to know. Of the bandwidth that a vGPU uses there is no
 * counter: it is taken to grow with the time that the vGPU uses the GPU.
 */
static void tell_load(const struct gslot_vgpu *vgpu)
{
	gslot_client_set_load(gslot_exec_client(vgpu->exec), gslot_monitor_last(&vgpu->monitor),
			      gslot_ggtt_share(vgpu->ggtt));
}

/* Of a part of a second, before the first look, too little is known. */
static void count_frames(struct gslot_vgpu *vgpu, u64 now)
{
	struct gslot_vgpu_fps *fps = &vgpu->fps;
	u64 frames = atomic64_read(&vgpu->frames), passed = now - fps->at;

	if (passed < GSLOT_MONITOR_PERIOD_NS / 2)
		return;
	/* More than that nobody looks at. */
	fps->fps = div64_u64(min_t(u64, frames - fps->frames, U32_MAX) * NSEC_PER_SEC + passed / 2,
			     passed);
	fps->frames = frames;
	fps->at = now;
}

static void look_again(struct gslot_vgpu_monitor *monitor)
{
	lockdep_assert_held(&monitor->lock);
	queue_delayed_work(system_freezable_wq, &monitor->work,
			   nsecs_to_jiffies(GSLOT_MONITOR_PERIOD_NS));
}

static void look(struct work_struct *work)
{
	struct gslot_vgpu_monitor *monitor = container_of(to_delayed_work(work),
							  struct gslot_vgpu_monitor, work);
	struct gslot_vgpu *vgpu;

	mutex_lock(&monitor->lock);
	list_for_each_entry(vgpu, &monitor->vgpus, monitored) {
		const struct gslot_monitor_reading reading = read_vgpu(vgpu);

		gslot_monitor_sample(&vgpu->monitor, &reading,
				     (u64)monitor->idle_ms * NSEC_PER_MSEC);
		tell_load(vgpu);
		count_frames(vgpu, reading.now);
	}
	if (!list_empty(&monitor->vgpus))
		look_again(monitor);
	mutex_unlock(&monitor->lock);
}

/**
 * gslot_vgpus_monitor_init() - be ready to look at a GPU's vGPUs
 * @gpu: the GPU; no vGPU of it is open
 *
 * Context: may sleep.
 */
void gslot_vgpus_monitor_init(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu_monitor *monitor = &gpu->monitor;

	mutex_init(&monitor->lock);
	INIT_LIST_HEAD(&monitor->vgpus);
	INIT_DELAYED_WORK(&monitor->work, look);
	monitor->idle_ms = IDLE_MS;
}

/**
 * gslot_vgpus_monitor_fini() - undo gslot_vgpus_monitor_init()
 * @gpu: the GPU; no vGPU of it is open any more
 *
 * Context: may sleep.
 */
void gslot_vgpus_monitor_fini(struct gslot_vgpus *gpu)
{
	/* It was told when the last one was closed, and may have been at it. */
	cancel_delayed_work_sync(&gpu->monitor.work);
	mutex_destroy(&gpu->monitor.lock);
}

/**
 * gslot_vgpu_monitor_join() - a vGPU is open: look at it from now on
 * @vgpu: the vGPU
 *
 * Context: may sleep; gslot_vgpu.life is held.
 */
void gslot_vgpu_monitor_join(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_monitor *monitor = &vgpu->gpu->monitor;
	const struct gslot_monitor_reading reading = read_vgpu(vgpu);

	lockdep_assert_held(&vgpu->life);
	mutex_lock(&monitor->lock);
	gslot_monitor_begin(&vgpu->monitor, &reading);
	vgpu->fps = (struct gslot_vgpu_fps) {
		.frames = atomic64_read(&vgpu->frames), .at = reading.now,
	};
	list_add_tail(&vgpu->monitored, &monitor->vgpus);
	look_again(monitor);
	mutex_unlock(&monitor->lock);
}

/**
 * gslot_vgpu_monitor_leave() - undo gslot_vgpu_monitor_join()
 * @vgpu: the vGPU, about to be closed; nobody looks at it when this returns
 *
 * Context: may sleep; gslot_vgpu.life is held.
 */
void gslot_vgpu_monitor_leave(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_monitor *monitor = &vgpu->gpu->monitor;

	lockdep_assert_held(&vgpu->life);
	mutex_lock(&monitor->lock);
	list_del(&vgpu->monitored);
	vgpu->monitor = (struct gslot_monitor_client) { };
	vgpu->fps = (struct gslot_vgpu_fps) { };
	/* One that has begun waits for the lock, and finds nobody. */
	if (list_empty(&monitor->vgpus))
		cancel_delayed_work(&monitor->work);
	mutex_unlock(&monitor->lock);
}

/**
 * gslot_vgpu_monitor_seen() - what is known of how much a vGPU does
 * @vgpu: the vGPU
 *
 * Return: that, as of the last look; nothing if it is not open.
 * Context: may sleep.
 */
struct gslot_monitor_client gslot_vgpu_monitor_seen(struct gslot_vgpu *vgpu)
{
	struct gslot_monitor_client seen;

	mutex_lock(&vgpu->gpu->monitor.lock);
	seen = vgpu->monitor;
	mutex_unlock(&vgpu->gpu->monitor.lock);
	return seen;
}

/**
 * gslot_vgpu_fps() - how many frames has a vGPU completed in the last second?
 * @vgpu: the vGPU
 *
 * Return: so many, as of the last look; 0 if it is not open.
 * Context: may sleep.
 */
u32 gslot_vgpu_fps(struct gslot_vgpu *vgpu)
{
	u32 fps;

	mutex_lock(&vgpu->gpu->monitor.lock);
	fps = vgpu->fps.fps;
	mutex_unlock(&vgpu->gpu->monitor.lock);
	return fps;
}

/**
 * gslot_vgpus_set_idle_ms() - an administrator says when a vGPU is idle
 * @gpu: the GPU
 * @ms: for how long it must have had nothing to do; from the next look on
 *
 * Return: 0, or -EINVAL if that is not from 1 ms to an hour.
 * Context: may sleep.
 */
int gslot_vgpus_set_idle_ms(struct gslot_vgpus *gpu, u32 ms)
{
	if (!ms || ms > IDLE_MS_MAX)
		return -EINVAL;
	mutex_lock(&gpu->monitor.lock);
	gpu->monitor.idle_ms = ms;
	mutex_unlock(&gpu->monitor.lock);
	return 0;
}

/**
 * gslot_vgpus_idle_ms() - for how long has a vGPU nothing to do before it is idle?
 * @gpu: the GPU
 *
 * Return: milliseconds.
 * Context: may sleep.
 */
u32 gslot_vgpus_idle_ms(struct gslot_vgpus *gpu)
{
	u32 ms;

	mutex_lock(&gpu->monitor.lock);
	ms = gpu->monitor.idle_ms;
	mutex_unlock(&gpu->monitor.lock);
	return ms;
}
