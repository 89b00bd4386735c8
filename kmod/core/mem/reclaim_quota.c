// SPDX-License-Identifier: GPL-2.0
/*
 * LoGV's policy (Gottschlag 2013), to be measured against: each vGPU has a quota, an equal share of
 * what all of them may pin, which changes with their number. One that has more gives the rest when
 * it is idle. Its submissions wait for that by its own limit, so it is not suspended here. The host
 * gets what will be idle for a while, of all.
 */
#include "reclaim.h"

static u32 quota_steps(const struct gslot_reclaim_need *need)
{
	return 1;
}

static void quota_plan(const struct gslot_reclaim_need *need, u32 step)
{
	u64 quota = gslot_reclaim_share(need->max, need->count);
	struct gslot_reclaim_client *client;

	for (client = need->clients; client; client = client->next) {
		u64 kept = need->limit ? quota : client->min;
		u64 pages = client->pinned - min(client->pinned, kept);

		client->order = (struct gslot_reclaim_order) {
			.pages = pages,
			.keep = kept,
			.idle_ms = need->limit ? 0 : GSLOT_RECLAIM_YOUNG_MS,
			.prepared = need->limit && !client->holder,
		};
	}
}

const struct gslot_reclaim_ops gslot_reclaim_quota = {
	.name = "quota",
	.quotas = true,
	.steps = quota_steps,
	.plan = quota_plan,
};
