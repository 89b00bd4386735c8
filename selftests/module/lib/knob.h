/* SPDX-License-Identifier: GPL-2.0 */
/* A vGPU's scheduling attributes in sysfs. */
#ifndef _LIBVGPU_KNOB_H
#define _LIBVGPU_KNOB_H

#include "types.h"

#define WEIGHT			"weight"
#define CAP			"cap"
#define RESERVE			"reserve"
#define EXEC_QUANTUM_MS		"exec_quantum_ms"
#define PREEMPT_TIMEOUT_US	"preempt_timeout_us"
#define STOP			"stop"
#define QOS_FPS			"qos_fps"
#define CPU_MAX			"cpu_max"
#define PINNED_MIN_MB		"pinned_min_mb"
#define PINNED_LOW_MB		"pinned_low_mb"
#define PINNED_MAX_MB		"pinned_max_mb"
#define CAP_NOW			"cap_now"
#define FPS			"fps"
#define CPU_NS			"cpu_ns"

/* The least and the largest cpu_max, per mille of a processor; the latter is no limit. */
#define CPU_LEAST		10u
#define CPU_ALL			1000u

/* Write an attribute of a mediated device; 0 or -errno. */
int knob_write(const char *uuid, const char *knob, const char *text);
int knob_set(const char *uuid, const char *knob, u32 value);
/* The same; the test ends if that fails. */
void knob_must_set(const char *uuid, const char *knob, u32 value);
/* Read it; -errno on failure. */
long knob_get(const char *uuid, const char *knob);

#endif
