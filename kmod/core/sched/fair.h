/* SPDX-License-Identifier: GPL-2.0 */
/* The state of the policy fair that debugfs shows. */
#ifndef _GSLOT_CORE_FAIR_H
#define _GSLOT_CORE_FAIR_H

#include "policy.h"

s64 gslot_fair_lag_ns(const struct gslot_policy *p, const struct gslot_policy_client *c);

#endif
