/* SPDX-License-Identifier: GPL-2.0 */
/* Tracepoints of the module, in an instance of tracefs of the test's own. */
#ifndef _LIBVGPU_TRACING_H
#define _LIBVGPU_TRACING_H

#include "types.h"

#define TRACEFS		"/sys/kernel/tracing"

/* Begin to trace an event, or all of them ("*"). False: this kernel has no tracepoints. */
bool tracing_start(const char *event);
/*
 * Begin to trace calls of functions: the @count patterns as in set_ftrace_filter. False: this
 * kernel cannot.
 */
bool tracing_start_functions(const char *const *patterns, u32 count);
void tracing_stop(void);
/* Clear the trace. */
void tracing_forget(void);
/* The trace since then, in order. */
void tracing_read(char *buf, size_t size);

#endif
