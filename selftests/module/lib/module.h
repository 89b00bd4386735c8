/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The module itself. What loads it again is the command in GSLOT_LOAD, or the
 * project's tools/load-module; without either, it stays.
 */
#ifndef _LIBVGPU_MODULE_H
#define _LIBVGPU_MODULE_H

#include "types.h"

/* There is a command to load it again. */
bool module_can_load(void);
/* Loads it; a vGPU of it must work. The results are tests. */
bool module_load_test(const char *when);
/* Unloads it and loads it again. */
bool module_reload_test(const char *when);

#endif
