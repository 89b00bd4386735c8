/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's threads. */
#ifndef _LIBVGPU_THREAD_H
#define _LIBVGPU_THREAD_H

#include <sys/types.h>

#include "types.h"

/* A thread whose name begins with @prefix; 0: none. Not all kernels show more than 15 bytes. */
pid_t thread_find(const char *prefix);
/* How often it has gone to sleep; dies if there is no such thread. */
u64 thread_sleeps(pid_t thread);

#endif
