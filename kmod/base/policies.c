// SPDX-License-Identifier: GPL-2.0
#include "policies.h"
#include "core/sched/policy.h"
#include "core/oversub/oversub.h"

const struct gslot_policy_ops *const gslot_policies[] = {
	&gslot_fair,
#ifndef GSLOT_WITHOUT_BASELINES
	&gslot_rr,
	&gslot_credit,
	&gslot_cap,
#endif
	NULL,
};

const struct gslot_oversub_ops *const gslot_controllers[] = {
#ifndef GSLOT_WITHOUT_BASELINES
	&gslot_oversub_gover,
#endif
	&gslot_oversub_lend,
	NULL,
};
