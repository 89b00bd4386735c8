// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: quiescing all vGPUs
 *
 * The copy policy is changed while no vGPU runs or prepares anything: see "All vGPUs quiesced" in
 * docs/architecture.md. A worker may wait long for a page: when two threads of a process unmap
 * memory at once, they hold VFIO's lock alternately, for seconds each (vgpu/unmap.c).
 *
 * A page that a worker waits for may never come, and then the close of its vGPU does not end. So
 * there is a bound on each wait here, and the lock of the GPU, which opening and closing need, is
 * released between two tries. Pages are pinned by the worker, which is parked; by a vCPU that
 * flushes the GGTT, which the gate keeps out (vgpu/gate.c); and by the sync of a migrated vGPU,
 * which begins with the gate open only, and is waited for.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>

#include "places_priv.h"
#include "exec/exec.h"
#include "sched/sched.h"
#include "vgpu/placing.h"

#define QUIESCE_PATIENCE	(20 * HZ)
/*
 * How long a try waits: for each vGPU while all run; then for all of them to be parked; then for
 * their locks. Preemptions and resets come on top.
 */
#define QUIESCE_TRY	(HZ / 10)
#define QUIESCE_PAUSE	(HZ / 5)

/* One vGPU after another, while the others run. Return: false if one of them takes longer. */
static bool quiesce_await_each(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpu *vgpu = NULL;

	while ((vgpu = gslot_vgpus_next(vgpus, vgpu))) {
		struct gslot_exec *exec = gslot_vgpu_placing(vgpu).exec;
		bool done;

		if (exec)
			gslot_exec_park(exec);
		done = gslot_vgpu_await_parked(vgpu, jiffies + QUIESCE_TRY);
		if (exec)
			gslot_exec_unpark(exec);
		if (!done)
			return false;
	}
	return true;
}

/* Walk over the open vGPUs. Return: execution of the one behind @vgpu, or NULL. */
static struct gslot_exec *quiesce_next(struct gslot_vgpus *vgpus, struct gslot_vgpu **vgpu)
{
	struct gslot_exec *exec = NULL;

	while (!exec && (*vgpu = gslot_vgpus_next(vgpus, *vgpu)))
		exec = gslot_vgpu_placing(*vgpu).exec;
	return exec;
}

/* Resume those before @end; NULL: all. */
static void quiesce_resume(struct gslot_vgpus *vgpus, const struct gslot_vgpu *end)
{
	struct gslot_vgpu *vgpu = NULL;
	struct gslot_exec *exec;

	while ((exec = quiesce_next(vgpus, &vgpu)) && vgpu != end)
		gslot_exec_resume(exec);
}

/* Return: 0; or -EBUSY, and none is quiesced. */
static int quiesce_each(struct gslot_vgpus *vgpus)
{
	unsigned long until = jiffies + QUIESCE_TRY;
	struct gslot_vgpu *vgpu = NULL;
	struct gslot_exec *exec;

	while ((exec = quiesce_next(vgpus, &vgpu))) {
		if (gslot_exec_quiesce_until(exec, until)) {
			quiesce_resume(vgpus, vgpu);
			return -EBUSY;
		}
	}
	return 0;
}

/* Return: whether all are stopped; if not, all run on. */
static bool quiesce_try(struct gslot_vgpus *vgpus)
{
	unsigned long until = jiffies + QUIESCE_TRY;
	struct gslot_vgpu *vgpu = NULL;
	struct gslot_exec *exec;
	bool done = true;

	gslot_vgpus_close_gate(vgpus);
	while ((exec = quiesce_next(vgpus, &vgpu)))
		gslot_exec_park(exec);
	while ((vgpu = gslot_vgpus_next(vgpus, vgpu)))
		done = done && gslot_vgpu_await_parked(vgpu, until);
	if (done) {
		gslot_sched_halt(vgpus->sched);
		done = !quiesce_each(vgpus);
		if (!done)
			gslot_sched_resume(vgpus->sched);
	}
	while ((exec = quiesce_next(vgpus, &vgpu)))
		gslot_exec_unpark(exec);
	if (!done)
		gslot_vgpus_open_gate(vgpus);
	return done;
}

/*
 * Stop all vGPUs: none runs or prepares anything. What they have submitted stays queued. Neither
 * the memory of a vGPU nor its size changes. The caller holds the lock of places.
 * Return: 0, and the lock of the GPU is held until quiesce_end(); -EBUSY if one of them is busy
 * with its user's memory for twenty seconds; or -EINTR if the process is being killed.
 */
int quiesce_all(struct gslot_vgpus *vgpus)
{
	unsigned long until = jiffies + QUIESCE_PATIENCE;

	lockdep_assert_held(&vgpus->places->lock);
	for (;;) {
		mutex_lock(&vgpus->lock);
		if (quiesce_await_each(vgpus) && quiesce_try(vgpus))
			return 0;
		mutex_unlock(&vgpus->lock);
		if (time_after(jiffies, until))
			return -EBUSY;
		schedule_timeout_killable(QUIESCE_PAUSE);
		if (fatal_signal_pending(current))
			return -EINTR;
	}
}

void quiesce_end(struct gslot_vgpus *vgpus)
{
	lockdep_assert_held(&vgpus->lock);
	quiesce_resume(vgpus, NULL);
	gslot_sched_resume(vgpus->sched);
	gslot_vgpus_open_gate(vgpus);
	mutex_unlock(&vgpus->lock);
}
