// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: life of a vGPU
 *
 * A vGPU is created with its part of the host's graphics memory. Only while it is open, it has a
 * guest, a private GGTT and contexts. Every opening finds it in its state at power-on, but for what
 * it owes the scheduler.
 *
 * Before the guest's memory changes, the vGPU is quiesced: until it is resumed, the hardware has no
 * work of it, and no work is prepared.
 */
#include <linux/pci.h>
#include <linux/slab.h>

#include "placing.h"
#include "vgpu_priv.h"
#include "base/copy_policy.h"

/**
 * gslot_vgpu_create() - create a vGPU that is neither admitted nor open
 * @vgpus: its GPU
 * @dev: the device that log lines name; its name is the vGPU's
 * @profile: its type
 * @ops: callbacks to its VFIO device
 * @data: argument of @ops
 *
 * Return: the vGPU, or ERR_PTR(-ENOMEM).
 * Context: may sleep.
 */
struct gslot_vgpu *gslot_vgpu_create(struct gslot_vgpus *vgpus, struct device *dev,
				     const struct gslot_profile *profile,
				     const struct gslot_vgpu_ops *ops, void *data)
{
	struct gslot_vgpu *vgpu = kzalloc(sizeof(*vgpu), GFP_KERNEL);

	if (!vgpu)
		return ERR_PTR(-ENOMEM);
	vgpu->vgpus = vgpus;
	vgpu->dev = dev;
	vgpu->name = dev_name(dev);
	vgpu->profile = profile;
	gslot_resize_init(vgpu);
	gslot_knobs_init(vgpu);
	vgpu->ops = ops;
	vgpu->user = (struct gslot_gm_user) { .ops = &ops->user, .data = data };
	vgpu->place = GSLOT_PLACE_NONE;
	INIT_LIST_HEAD(&vgpu->link);
	INIT_LIST_HEAD(&vgpu->controlled.link);
	mutex_init(&vgpu->life);
	mutex_init(&vgpu->lock.mutex);
	mutex_init(&vgpu->log.lock);
	gslot_guest_errors_init(&vgpu->guest_errors, dev);
	gslot_unmap_init(vgpu);
	gslot_trim_init(vgpu);
	gslot_give_init(vgpu);
	spin_lock_init(&vgpu->regs.lock);
	spin_lock_init(&vgpu->faces.lock);
	gslot_irq_init(vgpu);
	gslot_config_reset(vgpu);
	return vgpu;
}

/**
 * gslot_vgpu_destroy() - undo gslot_vgpu_create()
 * @vgpu: neither admitted nor open
 *
 * Context: may sleep.
 */
void gslot_vgpu_destroy(struct gslot_vgpu *vgpu)
{
	WARN_ON(vgpu->room.member.waits);
	gslot_unmap_fini(vgpu);
	mutex_destroy(&vgpu->log.lock);
	mutex_destroy(&vgpu->lock.mutex);
	mutex_destroy(&vgpu->life);
	kfree(vgpu);
}

/**
 * gslot_vgpu_guest_errors() - get the counters of errors of a vGPU's guest
 * @vgpu: the vGPU
 *
 * Return: an argument for gslot_guest_err(); valid until the vGPU is destroyed.
 * Context: any.
 */
struct gslot_guest_errors *gslot_vgpu_guest_errors(struct gslot_vgpu *vgpu)
{
	return &vgpu->guest_errors;
}

static struct gslot_ggtt *vgpu_create_ggtt(struct gslot_vgpu *vgpu)
{
	const struct gslot_ggtt_config config = {
		.hw = vgpu->vgpus->hw,
		.mem = &vgpu->mem,
		.lock = &vgpu->lock,
		.runs = &vgpu->vgpus->runs,
		.aperture = &vgpu->vgpus->aperture,
		.window = vgpu->window,
		.user = &vgpu->user,
		.guest_errors = &vgpu->guest_errors,
	};

	return gslot_ggtt_create(&config);
}

static struct gslot_exec *vgpu_create_exec(struct gslot_vgpu *vgpu)
{
	const struct gslot_exec_config config = {
		.hw = vgpu->vgpus->hw,
		.sched = vgpu->vgpus->sched,
		.client = vgpu->client,
		.ggtt = vgpu->ggtt,
		.quota = &vgpu->quota,
		.mem = &vgpu->mem,
		.dropped = &vgpu->shrink.dropped,
		.lock = &vgpu->lock,
		.guest_errors = &vgpu->guest_errors,
		.meter = vgpu->meter,
		.throttle = &vgpu->throttle,
		/* At once: without a limit it would be forgiven what it owes. */
		.cpu_max = gslot_vgpu_knob(vgpu, GSLOT_KNOB_CPU_MAX),
		.name = gslot_vgpu_name(vgpu),
		.max_tables = vgpu->profile->tables,
		.ops = &gslot_vgpu_exec_ops,
		.data = vgpu,
	};

	return gslot_exec_create(&config);
}

static void vgpu_reset_registers(struct gslot_vgpu *vgpu)
{
	gslot_config_reset(vgpu);
	gslot_pvinfo_reset(vgpu);
	gslot_vregs_reset(vgpu);
	gslot_irq_reset(vgpu);
	WRITE_ONCE(vgpu->flush_due, false);
	vgpu->restored = (struct gslot_vgpu_restored) { };
}

/* From now on, operations on all vGPUs include this one. */
static void vgpu_publish_exec(struct gslot_vgpu *vgpu, struct gslot_exec *exec)
{
	struct gslot_vgpus *vgpus = vgpu->vgpus;

	mutex_lock(&vgpus->lock);
	mutex_lock(&vgpu->lock.mutex);
	WRITE_ONCE(vgpu->exec, exec);
	mutex_unlock(&vgpu->lock.mutex);
	/* No worker may begin while the machine is about to sleep. */
	if (vgpus->parked)
		gslot_exec_park(exec);
	mutex_unlock(&vgpus->lock);
}

static int vgpu_open(struct gslot_vgpu *vgpu)
{
	struct gslot_exec *exec;
	int ret;

	mutex_lock(&vgpu->life);
	mutex_lock(&vgpu->lock.mutex);
	gslot_guestmem_init(&vgpu->mem, &vgpu->user, gslot_hw_dev(vgpu->vgpus->hw),
			    &vgpu->vgpus->room.pinned, &vgpu->block, &vgpu->lock);
	/* It may have been closed while its worker was parked. */
	atomic_set(&vgpu->lock.contended, 0);
	vgpu->log.on = false;
	vgpu->frames_before = atomic64_read(&vgpu->frames);
	vgpu_reset_registers(vgpu);
	ret = gslot_faces_open(vgpu);
	if (ret)
		goto err_mem;
	vgpu->ggtt = vgpu_create_ggtt(vgpu);
	if (IS_ERR(vgpu->ggtt)) {
		ret = PTR_ERR(vgpu->ggtt);
		goto err_faces;
	}
	exec = vgpu_create_exec(vgpu);
	if (IS_ERR(exec)) {
		ret = PTR_ERR(exec);
		goto err_ggtt;
	}
	mutex_unlock(&vgpu->lock.mutex);
	vgpu_publish_exec(vgpu, exec);
	gslot_vgpu_oversub_join(vgpu);
	gslot_knobs_apply(vgpu);
	gslot_vgpu_monitor_join(vgpu);
	mutex_unlock(&vgpu->life);
	gslot_shrink_look(vgpu->vgpus);
	return 0;

err_ggtt:
	gslot_ggtt_destroy(vgpu->ggtt);
err_faces:
	gslot_faces_close(vgpu);
err_mem:
	vgpu->ggtt = NULL;
	gslot_guestmem_fini(&vgpu->mem);
	mutex_unlock(&vgpu->lock.mutex);
	mutex_unlock(&vgpu->life);
	return ret;
}

static void vgpu_close(struct gslot_vgpu *vgpu)
{
	struct gslot_exec *exec = vgpu->exec;

	mutex_lock(&vgpu->life);
	gslot_vgpu_monitor_leave(vgpu);
	gslot_vgpu_oversub_leave(vgpu);
	gslot_exec_lock(exec);
	WRITE_ONCE(vgpu->exec, NULL);
	gslot_exec_unlock(exec);
	gslot_exec_destroy(exec);
	gslot_irq_fini(vgpu);

	mutex_lock(&vgpu->lock.mutex);
	gslot_ggtt_destroy(vgpu->ggtt);
	vgpu->ggtt = NULL;
	gslot_resize_close(vgpu);
	gslot_guestmem_fini(&vgpu->mem);
	gslot_faces_close(vgpu);
	gslot_vregs_fini(vgpu);
	mutex_unlock(&vgpu->lock.mutex);
	mutex_unlock(&vgpu->life);
}

/**
 * gslot_vgpu_open() - open the vGPU
 * @vgpu: the vGPU, admitted
 *
 * Return: 0; -ENOMEM; -EINTR if the process is being killed; or with a copy policy with places
 * -ENOSPC if a vGPU fits into no place, -EBUSY if this one has got none, -ENOMEM.
 * Context: may sleep, without gslot_vgpus.lock and the vGPU's locks.
 */
int gslot_vgpu_open(struct gslot_vgpu *vgpu)
{
	struct gslot_copy_policy *policy;
	int ret = vgpu_open(vgpu);

	if (ret)
		return ret;
	/* A policy that is set from now on is told of this vGPU as of all others. */
	policy = READ_ONCE(vgpu->vgpus->copy_policy);
	if (unlikely(policy))
		ret = policy->ops->opened(policy, vgpu);
	if (ret)
		gslot_vgpu_close(vgpu);
	return ret;
}

/**
 * gslot_vgpu_close() - close the vGPU
 * @vgpu: the vGPU; none of its map areas is mapped any more
 *
 * When this returns, no page of the guest is pinned, and the hardware has no work of it. That may
 * never happen, if the worker waits for a page: so no lock that other vGPUs need is held meanwhile.
 *
 * Context: may sleep, without gslot_vgpus.lock and the vGPU's locks.
 */
void gslot_vgpu_close(struct gslot_vgpu *vgpu)
{
	gslot_trim_end(vgpu);
	/* From now on, what concerns all vGPUs does not concern this one. */
	mutex_lock(&vgpu->vgpus->lock);
	WRITE_ONCE(vgpu->leaving, true);
	mutex_unlock(&vgpu->vgpus->lock);
	gslot_give_end(vgpu);
	vgpu_close(vgpu);
	/* Pairs with gslot_vgpu_is_active() and gslot_vgpu_is_parked(): they see it closed. */
	smp_store_release(&vgpu->leaving, false);
	gslot_shrink_look(vgpu->vgpus);
}

static void vgpu_reset(struct gslot_vgpu *vgpu)
{
	lockdep_assert_held(&vgpu->life);
	gslot_exec_reset(vgpu->exec, BIT(GSLOT_NR_ENGINES) - 1);
	gslot_exec_quiesce(vgpu->exec);
	gslot_exec_drop_all(vgpu->exec);
	mutex_lock(&vgpu->lock.mutex);
	gslot_ggtt_reset(vgpu->ggtt);
	gslot_resize_reset(vgpu);
	/* A reset must not drop imported debts. */
	gslot_restore_end(vgpu);
	vgpu_reset_registers(vgpu);
	gslot_faces_all(vgpu);
	mutex_unlock(&vgpu->lock.mutex);
	gslot_exec_resume(vgpu->exec);
}

/**
 * gslot_vgpu_reset() - reset the device to its state at power-on, for VFIO; only mappings stay
 * @vgpu: the vGPU, open
 *
 * Context: may sleep, without the vGPU's locks.
 */
void gslot_vgpu_reset(struct gslot_vgpu *vgpu)
{
	gslot_vgpu_lock_life(vgpu);
	vgpu_reset(vgpu);
	gslot_guestmem_unpin_idle(&vgpu->mem);
	mutex_unlock(&vgpu->life);
}

/*
 * Reset a frozen vGPU; @until: the deadline for its locks, jiffies. Only a task that waits for
 * guest memory holds them for longer, and while the vGPU is frozen and @life is held, none begins
 * to wait but the shrinker's work, for VFIO's locks. Idle pages stay pinned for a while. Return:
 * whether it is reset.
 */
bool gslot_vgpu_reset_until(struct gslot_vgpu *vgpu, unsigned long until)
{
	bool done = false;

	if (!gslot_vgpu_lock_life_until(vgpu, until))
		return false;
	if (gslot_exec_sync_wait(vgpu->exec, until) != -EBUSY &&
	    gslot_exec_lock_until(vgpu->exec, until)) {
		gslot_exec_unlock(vgpu->exec);
		vgpu_reset(vgpu);
		done = true;
	}
	mutex_unlock(&vgpu->life);
	return done;
}

/**
 * gslot_vgpus_init() - initialise the vGPUs of a GPU: there are none
 * @vgpus: the vGPUs, all zeros
 * @pdev: the GPU
 *
 * Context: may sleep.
 */
void gslot_vgpus_init(struct gslot_vgpus *vgpus, struct pci_dev *pdev)
{
	vgpus->pdev = pdev;
	mutex_init(&vgpus->lock);
	INIT_LIST_HEAD(&vgpus->list);
	init_waitqueue_head(&vgpus->gate_wait);
	gslot_vgpus_init_room(vgpus);
	gslot_vgpus_monitor_init(vgpus);
	gslot_vgpus_oversub_init(vgpus);
}

/**
 * gslot_vgpus_fini() - undo gslot_vgpus_init()
 * @vgpus: the GPU; there are no vGPUs, and no controller of caps is being chosen
 *
 * Context: may sleep.
 */
void gslot_vgpus_fini(struct gslot_vgpus *vgpus)
{
	gslot_vgpus_oversub_fini(vgpus);
	gslot_vgpus_monitor_fini(vgpus);
	mutex_destroy(&vgpus->lock);
}
