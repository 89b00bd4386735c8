/* SPDX-License-Identifier: GPL-2.0 */
/* Uevents. */
#ifndef _LIBVGPU_UEVENT_H
#define _LIBVGPU_UEVENT_H

#include "types.h"

/* Start listening; returns a socket, dies on failure. */
int uevent_open(void);
/*
 * Wait for an event with @word, "KEY=value", of a device with a path that ends in @device; drop
 * earlier events.
 */
bool uevent_wait(int fd, const char *device, const char *word, int ms);

#endif
