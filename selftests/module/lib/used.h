/* SPDX-License-Identifier: GPL-2.0 */
/* What a vGPU uses of an engine, as the GPU's PMU counts it. */
#ifndef _LIBVGPU_USED_H
#define _LIBVGPU_USED_H

#include "types.h"

/*
 * How much of an engine a vGPU has used since the first call that asked the same: @what is the end
 * of an event's name, like "held". A maximum, "longest-...", is since the vGPU was created. -errno
 * if there is no such event. The vGPU keeps its UUID and its number meanwhile.
 */
long used_get(const char *uuid, u32 engine, const char *what);

#endif
