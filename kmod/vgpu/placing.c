// SPDX-License-Identifier: GPL-2.0
#include <linux/math64.h>

#include "placing.h"
#include "vgpu_priv.h"

/**
 * gslot_vgpus_next() - walk over the vGPUs of a GPU
 * @vgpus: the GPU
 * @vgpu: a vGPU, or NULL
 *
 * Return: the vGPU behind @vgpu, or the first one; NULL if there is none.
 * Context: gslot_vgpus.lock is held.
 */
struct gslot_vgpu *gslot_vgpus_next(struct gslot_vgpus *vgpus, struct gslot_vgpu *vgpu)
{
	struct list_head *next = vgpu ? vgpu->link.next : vgpus->list.next;

	lockdep_assert_held(&vgpus->lock);
	return next == &vgpus->list ? NULL : list_entry(next, struct gslot_vgpu, link);
}

/**
 * gslot_vgpu_placing() - get the parts of a vGPU that have to do with its place
 * @vgpu: the vGPU
 *
 * Return: the parts; @exec and @ggtt stay as long as gslot_vgpus.lock is held, or the vGPU's lock.
 * Context: may sleep; one of these two locks is held.
 */
struct gslot_vgpu_placing gslot_vgpu_placing(struct gslot_vgpu *vgpu)
{
	const struct gslot_monitor_client seen = gslot_vgpu_monitor_get(vgpu);
	bool in = gslot_vgpu_is_active(vgpu);

	lockdep_assert(lockdep_is_held(&vgpu->vgpus->lock) ||
		       lockdep_is_held(&vgpu->lock.mutex));
	return (struct gslot_vgpu_placing) {
		.vgpu = vgpu,
		.dev = vgpu->dev,
		.exec = in ? vgpu->exec : NULL,
		.ggtt = in ? vgpu->ggtt : NULL,
		.window = {
			.low_size = READ_ONCE(vgpu->window.low_size),
			.high_size = READ_ONCE(vgpu->window.high_size),
		},
		.use = div64_u64(seen.sum.used_ns * USEC_PER_SEC, max(seen.sum.passed_ns, 1ULL)),
		.idle = !in || seen.idle,
		.place = &vgpu->place,
	};
}

/**
 * gslot_vgpus_set_copy_policy() - change the copy policy that vGPUs use
 * @vgpus: the GPU; all of its vGPUs are quiesced, and the gate is closed
 * @policy: the copy policy; NULL: `cached`
 *
 * Context: gslot_vgpus.lock is held.
 */
void gslot_vgpus_set_copy_policy(struct gslot_vgpus *vgpus, struct gslot_copy_policy *policy)
{
	lockdep_assert_held(&vgpus->lock);
	WRITE_ONCE(vgpus->copy_policy, policy);
}
