/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: trace events (trace-events). Built natively it has none.
 */
#ifndef GEN9_TRACE_H
#define GEN9_TRACE_H

#ifdef GEN9_NATIVE
#define gen9_trace(event, ...) ((void)0)
#else
#include "trace/trace-hw_display_gen9.h"
#define gen9_trace(event, ...) trace_gen9_##event(__VA_ARGS__)
#endif

#endif
