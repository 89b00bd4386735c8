/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that the host allocates because a guest does something. It is charged
 * to the memory cgroup of whoever opened the vGPU: to the caller's, which for the
 * vGPU's worker is the one that exec sets. Where that has no more, the allocation
 * fails, and nobody is killed for it.
 */
#ifndef _GSLOT_ACCOUNT_H
#define _GSLOT_ACCOUNT_H

#include <linux/gfp.h>

#define GSLOT_GFP_GUEST	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

#endif
