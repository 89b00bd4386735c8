/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The physical aperture and its fences, which the vGPUs of a GPU share: core/gtt/fence_pool, with
 * entries, fence registers and mappings behind it.
 */
#ifndef _GSLOT_GM_APERTURE_POOL_H
#define _GSLOT_GM_APERTURE_POOL_H

#include <linux/mutex.h>

#include "core/gtt/fence_pool.h"

struct gslot_hw;
struct seq_file;

/**
 * struct gslot_aperture_pool - the aperture of one GPU
 * @hw: the GPU
 * @lock: protects @pool, and which ranges of a vGPU are in it, for which that vGPU's map_lock
 *	is taken as well: either is enough to look
 * @pool: what is where
 */
struct gslot_aperture_pool {
	struct gslot_hw *hw;
	struct mutex lock;	/* see gpu.c */
	struct gslot_fence_pool pool;
};

void gslot_aperture_pool_init(struct gslot_aperture_pool *ap, struct gslot_hw *hw);
void gslot_aperture_pool_fini(struct gslot_aperture_pool *ap);
void gslot_aperture_pool_show(struct gslot_aperture_pool *ap, struct seq_file *m);

#endif
