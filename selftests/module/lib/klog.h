/* SPDX-License-Identifier: GPL-2.0 */
/* Errors in the kernel's log. */
#ifndef _LIBVGPU_KLOG_H
#define _LIBVGPU_KLOG_H

#include "types.h"

/* Check from here on. */
void klog_mark(void);
/* No BUG, WARNING, Oops, hung task... since the mark, and no line lost? Prints what there is. */
bool klog_clean(void);
/* Call @fn for each line since the mark, or since the last of these calls. Return: all of them. */
bool klog_read(void (*fn)(const char *text, void *data), void *data);
/* The number of these lines that contain a string. */
unsigned int klog_count(const char *needle);

#endif
