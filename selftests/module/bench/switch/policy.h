/* SPDX-License-Identifier: GPL-2.0 */
/* What the GPU can be told about how vGPUs share its graphics memory. */
#ifndef _BENCH_SWITCH_POLICY_H
#define _BENCH_SWITCH_POLICY_H

#include "types.h"

/* The attributes, in sysfs. */
#define COPY_POLICY	"copy_policy"
#define PLACEMENT	"placement"

/* Can @attr be @value? */
bool policy_offers(const char *attr, const char *value);
/* Sets it; dies if that is refused. */
void policy_set(const char *attr, const char *value);
/* As it was at first. */
void policy_restore(void);

#endif
