// SPDX-License-Identifier: GPL-2.0
#include "baselines.h"
#include "core/sched/policy.h"
#include "core/sell/oversub.h"

const struct gslot_policy_ops *const gslot_policies[] = { &gslot_fair, NULL };
const struct gslot_oversub_ops *const gslot_controllers[] = { &gslot_oversub_lend, NULL };
