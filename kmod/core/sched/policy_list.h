/* SPDX-License-Identifier: GPL-2.0 */
/* The scheduling policies; each is defined in the file of its name. */
#ifndef _GSLOT_CORE_POLICY_LIST_H
#define _GSLOT_CORE_POLICY_LIST_H

#include "policy.h"

extern const struct gslot_policy_ops gslot_fair;
extern const struct gslot_policy_ops gslot_rr;
extern const struct gslot_policy_ops gslot_credit;
extern const struct gslot_policy_ops gslot_cap;

#endif
