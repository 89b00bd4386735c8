// SPDX-License-Identifier: GPL-2.0
/*
 * System sleep and shutdown. Every vGPU is taken off the hardware before that
 * loses power; what a guest had submitted stays queued, and runs after resume.
 * User space is frozen while the system sleeps, so vGPUs are neither opened nor
 * closed. At shutdown it may still run: no resume follows, and a vGPU that is
 * opened then finds a GPU that has stopped.
 */
#include "vgpu_priv.h"

/**
 * gslot_vgpus_suspend() - take all vGPUs off the hardware
 * @gpu: the GPU
 *
 * Context: may sleep.
 */
void gslot_vgpus_suspend(struct gslot_vgpu_parent *gpu)
{
	struct gslot_vgpu *vgpu;

	mutex_lock(&gpu->lock);
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		mutex_lock(&vgpu->life);
		if (vgpu->exec)
			gslot_exec_quiesce(vgpu->exec);
		mutex_unlock(&vgpu->life);
	}
	mutex_unlock(&gpu->lock);
}

/**
 * gslot_vgpus_resume() - undo gslot_vgpus_suspend()
 * @gpu: the GPU
 *
 * Context: may sleep.
 */
void gslot_vgpus_resume(struct gslot_vgpu_parent *gpu)
{
	struct gslot_vgpu *vgpu;

	mutex_lock(&gpu->lock);
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		mutex_lock(&vgpu->life);
		if (vgpu->exec)
			gslot_exec_resume(vgpu->exec);
		mutex_unlock(&vgpu->life);
	}
	mutex_unlock(&gpu->lock);
}
