/* SPDX-License-Identifier: GPL-2.0 */
/* A vGPU's amount of graphics memory: its attributes in sysfs, and PVINFO. */
#ifndef _LIBVGPU_SIZE_H
#define _LIBVGPU_SIZE_H

#include "types.h"

struct vgpu;

#define LOW_MB		"low_mb"
#define HIGH_MB		"high_mb"

/* Write an attribute of a mediated device; 0 or -errno. */
int size_write(const char *uuid, const char *attr, const char *text);
int size_set(const char *uuid, const char *attr, u32 mb);
/* The requested amount, and the current one; -errno. */
long size_wanted(const char *uuid, const char *attr);
long size_now(const char *uuid, const char *attr);

/* The amount that the guest reads in PVINFO, MB. */
u32 size_seen(struct vgpu *vgpu, const char *attr);
/* Reload the guest's driver: it uses the present amount of PVINFO. */
void size_learn(struct vgpu *vgpu);

#endif
