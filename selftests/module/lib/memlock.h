/* SPDX-License-Identifier: GPL-2.0 */
/* A limit on the memory that this process may pin (RLIMIT_MEMLOCK). */
#ifndef _LIBVGPU_MEMLOCK_H
#define _LIBVGPU_MEMLOCK_H

#include <sys/resource.h>

/* From now on VFIO counts what it pins for this process: drops CAP_IPC_LOCK. */
void memlock_count(void);
/* RLIM_INFINITY: no limit. */
void memlock_limit(rlim_t bytes);

#endif
