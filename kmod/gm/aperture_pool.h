/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The physical aperture and its fences, which the vGPUs of a GPU share: the GGTT entries, fence
 * registers and mappings for core/gtt/fence_pool.
 */
#ifndef _GSLOT_GM_APERTURE_POOL_H
#define _GSLOT_GM_APERTURE_POOL_H

#include <linux/mutex.h>

#include "core/gtt/fence_pool.h"

struct gslot_hw;
struct seq_file;

/* The aperture of one GPU. */
struct gslot_aperture_pool {
	struct gslot_hw *hw;
	/*
	 * protects @pool, and which ranges of a vGPU are in it; that changes with the vGPU's
	 * map_lock held as well, so either is enough to read it
	 */
	struct mutex lock;
	struct gslot_fence_pool pool;	/* the places of ranges */
};

void gslot_aperture_pool_init(struct gslot_aperture_pool *ap, struct gslot_hw *hw);
void gslot_aperture_pool_fini(struct gslot_aperture_pool *ap);
void gslot_aperture_pool_show(struct gslot_aperture_pool *ap, struct seq_file *m);

#endif
