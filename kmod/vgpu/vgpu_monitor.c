// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the monitor
 *
 * It samples each open vGPU once a second: docs/graphics-memory.md, "The monitor". It takes none of
 * the vGPU's locks, as their holders may wait for the guest: so no guest can delay the samples of
 * other vGPUs. A vGPU is sampled from the end of its opening to the beginning of its closing. No
 * work is queued while no vGPU is open, and none runs while the machine sleeps.
 */
#include <linux/ktime.h>

#include "vgpu_priv.h"

#define IDLE_MS		20000
#define IDLE_MS_MAX	3600000

/* gslot_vgpu_monitor_leave() comes before the end of @vgpu->exec and @vgpu->ggtt. */
static struct gslot_monitor_reading monitor_read(const struct gslot_vgpu *vgpu)
{
	const struct gslot_client_use use = gslot_client_use(vgpu->client);

	return (struct gslot_monitor_reading) {
		.now = ktime_get_ns(),
		.busy_ns = use.busy_ns,
		.requests = use.requests,
		.pending = use.pending,
	};
}

/*
 * The scheduler's policies use the load. The hardware has no counter of the bandwidth that a vGPU
 * uses: it is assumed to be proportional to the time that the vGPU uses the GPU.
 */
static void monitor_tell_load(const struct gslot_vgpu *vgpu)
{
	gslot_client_set_load(vgpu->client, gslot_monitor_last(&vgpu->monitor),
			      gslot_ggtt_share(vgpu->ggtt));
}

/* A part of a second, before the first sample, is too short for a rate. */
static void monitor_count_frames(struct gslot_vgpu *vgpu, u64 now)
{
	struct gslot_vgpu_fps *fps = &vgpu->fps;
	u64 frames = atomic64_read(&vgpu->frames), passed = now - fps->at;

	if (passed < GSLOT_MONITOR_PERIOD_NS / 2)
		return;
	/* Clamped: the product must not overflow. */
	WRITE_ONCE(fps->fps,
		   div64_u64(min_t(u64, frames - fps->frames, U32_MAX) * NSEC_PER_SEC + passed / 2,
			     passed));
	fps->frames = frames;
	fps->at = now;
}

static void monitor_rearm(struct gslot_vgpu_monitor *monitor)
{
	lockdep_assert_held(&monitor->lock);
	queue_delayed_work(system_freezable_wq, &monitor->work,
			   nsecs_to_jiffies(GSLOT_MONITOR_PERIOD_NS));
}

static void monitor_work(struct work_struct *work)
{
	struct gslot_vgpu_monitor *monitor = container_of(to_delayed_work(work),
							  struct gslot_vgpu_monitor, work);
	struct gslot_vgpus *vgpus = container_of(monitor, struct gslot_vgpus, monitor);
	struct gslot_vgpu *vgpu;

	mutex_lock(&monitor->lock);
	list_for_each_entry(vgpu, &monitor->vgpus, monitored) {
		const struct gslot_monitor_reading reading = monitor_read(vgpu);

		gslot_monitor_sample(&vgpu->monitor, &reading,
				     (u64)gslot_vgpus_idle_ms(vgpus) * NSEC_PER_MSEC);
		monitor_tell_load(vgpu);
		monitor_count_frames(vgpu, reading.now);
	}
	if (!list_empty(&monitor->vgpus))
		monitor_rearm(monitor);
	mutex_unlock(&monitor->lock);
}

void gslot_vgpus_monitor_init(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpu_monitor *monitor = &vgpus->monitor;

	mutex_init(&monitor->lock);
	INIT_LIST_HEAD(&monitor->vgpus);
	INIT_DELAYED_WORK(&monitor->work, monitor_work);
	monitor->idle_ms = IDLE_MS;
}

void gslot_vgpus_monitor_fini(struct gslot_vgpus *vgpus)
{
	/* The work was cancelled when the last vGPU was closed, and may still have been running. */
	cancel_delayed_work_sync(&vgpus->monitor.work);
	mutex_destroy(&vgpus->monitor.lock);
}

/* Begin to sample a vGPU that has been opened. */
void gslot_vgpu_monitor_join(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_monitor *monitor = &vgpu->vgpus->monitor;
	const struct gslot_monitor_reading reading = monitor_read(vgpu);

	lockdep_assert_held(&vgpu->life);
	mutex_lock(&monitor->lock);
	gslot_monitor_begin(&vgpu->monitor, &reading);
	vgpu->fps = (struct gslot_vgpu_fps) {
		.frames = atomic64_read(&vgpu->frames), .at = reading.now,
	};
	list_add_tail(&vgpu->monitored, &monitor->vgpus);
	monitor_rearm(monitor);
	mutex_unlock(&monitor->lock);
}

/* The vGPU is about to be closed, and is not sampled any more when this returns. */
void gslot_vgpu_monitor_leave(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_monitor *monitor = &vgpu->vgpus->monitor;

	lockdep_assert_held(&vgpu->life);
	mutex_lock(&monitor->lock);
	list_del(&vgpu->monitored);
	vgpu->monitor = (struct gslot_monitor_client) { };
	vgpu->fps = (struct gslot_vgpu_fps) { };
	/* A work that runs already waits for the lock, and finds the list empty. */
	if (list_empty(&monitor->vgpus))
		cancel_delayed_work(&monitor->work);
	mutex_unlock(&monitor->lock);
}

/* Return: the samples of a vGPU, as of the last one; zeros if it is not open. */
struct gslot_monitor_client gslot_vgpu_monitor_get(struct gslot_vgpu *vgpu)
{
	struct gslot_monitor_client seen;

	mutex_lock(&vgpu->vgpus->monitor.lock);
	seen = vgpu->monitor;
	mutex_unlock(&vgpu->vgpus->monitor.lock);
	return seen;
}

/**
 * gslot_vgpu_fps() - get the frames per second of a vGPU
 * @vgpu: the vGPU
 *
 * Return: the rate, as of the last sample; 0 if the vGPU is not open.
 * Context: any.
 */
u32 gslot_vgpu_fps(struct gslot_vgpu *vgpu)
{
	return READ_ONCE(vgpu->fps.fps);
}

/**
 * gslot_vgpus_set_idle_ms() - set how long a vGPU must have had no work to be idle
 * @vgpus: the GPU
 * @ms: the time; used from the next sample on
 *
 * Return: 0, or -EINVAL if @ms is not from 1 ms to an hour.
 * Context: any.
 */
int gslot_vgpus_set_idle_ms(struct gslot_vgpus *vgpus, u32 ms)
{
	if (!ms || ms > IDLE_MS_MAX)
		return -EINVAL;
	WRITE_ONCE(vgpus->monitor.idle_ms, ms);
	return 0;
}

/**
 * gslot_vgpus_idle_ms() - get what gslot_vgpus_set_idle_ms() has set
 * @vgpus: the GPU
 *
 * Return: milliseconds.
 * Context: any.
 */
u32 gslot_vgpus_idle_ms(struct gslot_vgpus *vgpus)
{
	return READ_ONCE(vgpus->monitor.idle_ms);
}
