/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LIBVGPU_PRESSURE_H
#define _LIBVGPU_PRESSURE_H

/* The host needs memory: have each of the kernel's shrinkers asked for all that it can give. */
void pressure_once(void);

#endif
