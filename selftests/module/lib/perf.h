/* SPDX-License-Identifier: GPL-2.0 */
/* The GPU's PMU, as perf(1) uses it. */
#ifndef _LIBVGPU_PERF_H
#define _LIBVGPU_PERF_H

#include <linux/perf_event.h>

#include "types.h"

/* Path of a file in the PMU's folder of sysfs; false if there is none. */
bool perf_path(char *path, const char *file);

/* Start counting an event by its name, of all vGPUs or of the one with that number; -errno. */
int perf_open(const char *event, u32 vgpu);
/* The same with other fields of @attr as they are; sets the PMU's type. */
int perf_open_attr(struct perf_event_attr *attr, int pid, int cpu);
/* Read the count; dies on failure. */
u64 perf_count(int fd);

#endif
