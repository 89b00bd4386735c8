/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes of the GPU that say how vGPUs share its graphics memory. */
#ifndef _BENCH_SWITCH_POLICY_H
#define _BENCH_SWITCH_POLICY_H

#include "types.h"

/* The attributes, in sysfs. */
#define COPY_POLICY	"copy_policy"
#define PLACEMENT	"placement"

/* Whether @attr can be @value. */
bool policy_offers(const char *attr, const char *value);
/* Sets it; ends the program if that is refused. */
void policy_set(const char *attr, const char *value);
/* Restores its value at the begin. */
void policy_restore(void);

#endif
