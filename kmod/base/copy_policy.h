/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: copy policies with places
 *
 * By the default copy policy, `cached`, the shared GGTT entries are a cache (core/gtt/residency.h),
 * and the pointers to &struct gslot_copy_policy in gm, sched and vgpu are NULL. With another one
 * each vGPU has a place in them, and its entries are loaded before it gets the engines: the layers
 * then call these functions, which kmod/places implements.
 */
#ifndef _GSLOT_BASE_COPY_POLICY_H
#define _GSLOT_BASE_COPY_POLICY_H

#include <linux/types.h>

struct gslot_copy_policy;
struct gslot_exec;
struct gslot_ggtt;
struct gslot_vgpu;
struct gslot_window;

/**
 * struct gslot_copy_policy_ops - what depends on places
 * @hold: prepared commands name an entry of a private GGTT; returns the run that shows its unit
 *	while the vGPU has the engines. The vGPU's lock is held
 * @release: undo @hold. The vGPU's lock is held
 * @publish: load what is held and may be executed at once. The vGPU's lock is held
 * @leave: the private GGTT goes; nothing of it is held or resident. May sleep
 * @to_copy: how much has to be copied before the vGPU runs, in units; a hint. The scheduler's lock
 *	is held
 * @give: the vGPU is given the engines. Returns true if something is to be loaded first:
 *	gslot_sched_loaded() follows. The scheduler's lock is held
 * @next: the vGPU is expected to be given the engines next. The scheduler's lock is held
 * @forget: the vGPU is paused, and is loaded anew before it runs again. May sleep
 * @opened: a vGPU is open; returns 0 and it has a place, -ENOSPC, -EBUSY, -ENOMEM, or -EINTR if the
 *	process is being killed. May sleep, without locks
 * @resize: what gslot_ggtt_resize() does, for a vGPU with a place. It is quiesced; its lock is held
 */
struct gslot_copy_policy_ops {
	u32 (*hold)(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt, u32 entry);
	void (*release)(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt, u32 entry);
	void (*publish)(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
	void (*leave)(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
	u32 (*to_copy)(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
	bool (*give)(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
	void (*next)(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
	void (*forget)(struct gslot_copy_policy *policy, struct gslot_ggtt *ggtt);
	int (*opened)(struct gslot_copy_policy *policy, struct gslot_vgpu *vgpu);
	int (*resize)(struct gslot_copy_policy *policy, struct gslot_exec *exec,
		      struct gslot_ggtt *ggtt, const struct gslot_window *window);
};

/* A copy policy with places, of one GPU */
struct gslot_copy_policy {
	const struct gslot_copy_policy_ops *ops;	/* its functions */
	const char *name;				/* in sysfs */
	u64 low_max;	/* bytes of low graphics memory that a vGPU can have */
	/* Bytes of a slot; a vGPU keeps the number of slots that its high graphics memory takes */
	u32 slot_size;
};

#endif
