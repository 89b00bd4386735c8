/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The part of the private GGTT's interface that kmod/vgpu alone uses: creation, resizing, the
 * guest's mappings of its PTEs and of the aperture, fences.
 */
#ifndef _GSLOT_GM_GGTT_OWNER_H
#define _GSLOT_GM_GGTT_OWNER_H

#include <linux/mm_types.h>

#include "base/lock.h"
#include "aperture_pool.h"
#include "ggtt.h"
#include "runs.h"
#include "gm_user.h"

struct gslot_guest_errors;
struct seq_file;

/* Parameters of gslot_ggtt_create(). */
struct gslot_ggtt_config {
	struct gslot_hw *hw;
	struct gslot_guestmem *mem;
	struct gslot_vgpu_lock *lock;		/* the vGPU's */
	struct gslot_runs *runs;		/* the physical GGTT entries that all vGPUs share */
	struct gslot_aperture_pool *aperture;	/* the physical aperture that all vGPUs share */
	/* the vGPU's graphics memory; changes with gslot_ggtt_resize() */
	struct gslot_window window;
	const struct gslot_gm_user *user;	/* maps the PTEs and the aperture */
	struct gslot_guest_errors *guest_errors; /* the vGPU's */
};

/* ggtt.c */
struct gslot_ggtt *gslot_ggtt_create(const struct gslot_ggtt_config *config);
void gslot_ggtt_destroy(struct gslot_ggtt *ggtt);
void gslot_ggtt_reset(struct gslot_ggtt *ggtt);
void gslot_ggtt_drop_range(struct gslot_ggtt *ggtt, u64 gfn, u64 count);
u32 gslot_ggtt_share(const struct gslot_ggtt *ggtt);
struct gslot_resident gslot_ggtt_resident(struct gslot_ggtt *ggtt);
void gslot_ggtt_show(struct gslot_ggtt *ggtt, struct seq_file *m);

/* ggtt_resize.c */
u64 gslot_ggtt_host_memory(u64 size);
bool gslot_ggtt_shrink_is_held(struct gslot_ggtt *ggtt, const struct gslot_window *window);
int gslot_ggtt_resize(struct gslot_ggtt *ggtt, const struct gslot_window *window);

/* ggtt_copy.c */
struct gslot_ggtt_copy;
struct gslot_mig_run;
struct gslot_ggtt_copy *gslot_ggtt_copy_create(struct gslot_ggtt *ggtt,
					       const struct gslot_window *window);
void gslot_ggtt_copy_destroy(struct gslot_ggtt_copy *copy);
u32 gslot_ggtt_copy_save(const struct gslot_ggtt_copy *copy, u32 *page,
			 struct gslot_mig_run *runs, u32 room);

/* ggtt_save.c */
u32 gslot_ggtt_save(struct gslot_ggtt *ggtt, const struct gslot_ggtt_copy *sent, u32 *entry,
		    struct gslot_mig_run *runs, u32 room);
u32 gslot_ggtt_count_runs(struct gslot_ggtt *ggtt, const struct gslot_ggtt_copy *sent);
int gslot_ggtt_restore(struct gslot_ggtt *ggtt, u32 *from, const struct gslot_mig_run *runs,
		       u32 count);

/* ggtt_log.c */
void gslot_ggtt_log_start(struct gslot_ggtt *ggtt);
void gslot_ggtt_log_stop(struct gslot_ggtt *ggtt);
void gslot_ggtt_log_collect(struct gslot_ggtt *ggtt);

/* gm_fence.c */
void gslot_ggtt_fence_write(struct gslot_ggtt *ggtt, u32 index, u64 value);
u64 gslot_ggtt_fence_read(struct gslot_ggtt *ggtt, u32 index);

/* ggtt_map.c, aperture.c: page faults in the guest's mappings, accesses without a mapping */
vm_fault_t gslot_ggtt_table_fault(struct gslot_ggtt *ggtt, struct vm_fault *vmf,
				  unsigned long page);
vm_fault_t gslot_ggtt_aperture_fault(struct gslot_ggtt *ggtt, struct vm_fault *vmf,
				     unsigned long page);
void gslot_ggtt_table_access(struct gslot_ggtt *ggtt, u64 offset, void *buf, size_t len,
			     bool write);
void gslot_ggtt_aperture_access(struct gslot_ggtt *ggtt, u64 offset, void *buf, size_t len,
				bool write);

#endif
