/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel tells udev. */
#ifndef _LIBVGPU_UEVENT_H
#define _LIBVGPU_UEVENT_H

#include "types.h"

/* Begins to listen: a socket; dies without. */
int uevent_open(void);
/*
 * Waits for an event of a device whose path ends in @device that has @word, "KEY=value"; those
 * before it are dropped.
 */
bool uevent_wait(int fd, const char *device, const char *word, int ms);

#endif
