/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loading and unloading the module. The command in GSLOT_LOAD loads it, or the project's
 * tools/load-module; without either, it is not unloaded.
 */
#ifndef _LIBVGPU_MODULE_H
#define _LIBVGPU_MODULE_H

#include "types.h"

/* Is there a command to load it again? */
bool module_can_load(void);
/* Load it, and check that a vGPU works. Each result is a test. */
bool module_load_test(const char *when);
/* Unload it and load it again. */
bool module_reload_test(const char *when);

#endif
