// SPDX-License-Identifier: GPL-2.0
#include "policies.h"
#include "core/mem/reclaim.h"
#include "core/oversub/oversub.h"
#include "core/sched/policy_list.h"

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

const struct gslot_reclaim_ops *const gslot_reclaim_policies[] = {
	&gslot_reclaim_cold,
#ifndef GSLOT_WITHOUT_BASELINES
	&gslot_reclaim_quota,
	&gslot_reclaim_gpuswap,
#endif
	NULL,
};
