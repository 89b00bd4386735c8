// SPDX-License-Identifier: GPL-2.0
/* Defines the tracepoints. trace.h names VFIO's states, also those that older kernels lack. */
#include "base/compat_vfio.h"

#define CREATE_TRACE_POINTS
#include "base/trace.h"
