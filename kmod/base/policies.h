/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: policies to choose from
 *
 * The scheduling policies and the oversubscription controllers that an administrator may choose.
 * Those of the papers are here to be measured against. `make BASELINES=n` builds the module
 * without them. Each table ends with NULL.
 */
#ifndef _GSLOT_BASE_POLICIES_H
#define _GSLOT_BASE_POLICIES_H

struct gslot_oversub_ops;
struct gslot_policy_ops;

extern const struct gslot_policy_ops *const gslot_policies[];
extern const struct gslot_oversub_ops *const gslot_controllers[];

#endif
