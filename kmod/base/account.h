/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allocations that a guest causes. They are charged to the memory cgroup of the process that opened
 * the vGPU: that of the caller; the vGPU's worker sets it by gslot_exec_memcg(). If the cgroup's
 * limit is reached, the allocation fails, and the OOM killer is not started.
 */
#ifndef _GSLOT_BASE_ACCOUNT_H
#define _GSLOT_BASE_ACCOUNT_H

#include <linux/gfp.h>

#define GSLOT_GFP_GUEST	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

#endif
