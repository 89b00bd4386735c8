/* SPDX-License-Identifier: GPL-2.0 */
/* How much graphics memory a vGPU has, as an administrator sees it and changes it. */
#ifndef _LIBVGPU_SIZE_H
#define _LIBVGPU_SIZE_H

#include "types.h"

struct vgpu;

#define LOW_MB		"low_mb"
#define HIGH_MB		"high_mb"

/* Writes an attribute of a mediated device; 0 or -errno. */
int size_write(const char *uuid, const char *attr, const char *text);
int size_set(const char *uuid, const char *attr, u32 mb);
/* What it is to have, and what it has; -errno. */
long size_wanted(const char *uuid, const char *attr);
long size_now(const char *uuid, const char *attr);

/* What the guest reads in PVINFO, MB. */
u32 size_seen(struct vgpu *vgpu, const char *attr);
/* The guest's driver is loaded anew: it uses what PVINFO says now. */
void size_learn(struct vgpu *vgpu);

#endif
