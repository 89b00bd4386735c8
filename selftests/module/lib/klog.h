/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's log: does it complain? */
#ifndef _LIBVGPU_KLOG_H
#define _LIBVGPU_KLOG_H

#include "types.h"

/* From here on. */
void klog_mark(void);
/* No BUG, WARNING, Oops, hung task.. since the mark; says what there is. */
bool klog_clean(void);
/* Calls @fn for each line since the mark, or since the last of these calls. */
void klog_read(void (*fn)(const char *text, void *data), void *data);
/* How many of these lines hold a string. */
unsigned int klog_count(const char *needle);

#endif
