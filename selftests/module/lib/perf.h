/* SPDX-License-Identifier: GPL-2.0 */
/* The GPU's PMU, as perf(1) finds and uses it. */
#ifndef _LIBVGPU_PERF_H
#define _LIBVGPU_PERF_H

#include <linux/perf_event.h>

#include "types.h"

/* Of the PMU's folder in sysfs; false if there is none. */
bool perf_path(char *path, const char *file);

/* An event by its name there, of all vGPUs or of the one of that number; it counts. -errno. */
int perf_open(const char *event, u32 vgpu);
/* The same: what else there may be in @attr stays. The PMU's type is set. */
int perf_open_attr(struct perf_event_attr *attr, int pid, int cpu);
/* How much it has counted; dies if it cannot be read. */
u64 perf_count(int fd);

#endif
