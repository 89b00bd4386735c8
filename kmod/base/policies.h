/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: policies to choose from
 *
 * The scheduling policies, the oversubscription controllers and the policies of memory reclaim that
 * an administrator may choose. Those of the papers are here to be measured against.
 * `make BASELINES=n` builds the module without them. Each table ends with NULL; the first policy is
 * the default.
 */
#ifndef _GSLOT_BASE_POLICIES_H
#define _GSLOT_BASE_POLICIES_H

struct gslot_oversub_ops;
struct gslot_policy_ops;
struct gslot_reclaim_ops;

extern const struct gslot_policy_ops *const gslot_policies[];
extern const struct gslot_oversub_ops *const gslot_controllers[];
extern const struct gslot_reclaim_ops *const gslot_reclaim_policies[];

#endif
