/* SPDX-License-Identifier: GPL-2.0 */
/* Accesses to mapped device memory that may end in SIGBUS or SIGSEGV. */
#ifndef _LIBVGPU_GUARD_H
#define _LIBVGPU_GUARD_H

#include "types.h"

/* Return: false if the access raised a signal. */
bool guard_read32(const void *p, u32 *value);
bool guard_write32(void *p, u32 value);

#endif
