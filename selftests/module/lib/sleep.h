/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System sleep (suspend to RAM). The file system of the test host's programs does not outlive it:
 * who calls this runs from memory (tools/checks/module).
 */
#ifndef _LIBVGPU_SLEEP_H
#define _LIBVGPU_SLEEP_H

#include <stdbool.h>

bool sleep_possible(void);
/* Sleeps for some seconds; 0, or -errno: it did not. */
int sleep_once(void);

#endif
