/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System sleep (suspend to RAM). The file system of the test host's programs does not survive it,
 * so the calling program must run from memory (tools/checks/module).
 */
#ifndef _LIBVGPU_SLEEP_H
#define _LIBVGPU_SLEEP_H

#include <stdbool.h>

bool sleep_possible(void);
/* Sleep for some seconds; 0, or -errno if the machine did not. */
int sleep_once(void);
/* Hibernate; 0, or -errno. */
int hibernate(void);

#endif
