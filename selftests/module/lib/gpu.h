/* SPDX-License-Identifier: GPL-2.0 */
/* A GPU's attributes in sysfs. */
#ifndef _LIBVGPU_GPU_H
#define _LIBVGPU_GPU_H

#include "types.h"

void gpu_attr_path(char *path, const char *attr);
int gpu_attr_set(const char *attr, const char *text);	/* 0 or -errno */
long gpu_attr_number(const char *attr);			/* or -errno */
/* Is @name the selected one, in brackets, of an attribute's choices? */
bool gpu_attr_is(const char *attr, const char *name);

/* May one choose @name? The module may have been built without the baselines. */
bool gpu_attr_offers(const char *attr, const char *name);
/* Choose it if one may. 0 or -errno; if one may not, 0, and all stays as it is. */
int gpu_attr_try(const char *attr, const char *name);

#endif
