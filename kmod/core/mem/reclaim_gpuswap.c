// SPDX-License-Identifier: GPL-2.0
/*
 * GPUswap's policy (VEE 2015), to be measured against. If a request does not fit, the vGPU that
 * uses most memory, counting the request, gives a random chunk of it; then that is repeated until
 * enough was given. All chunks that a vGPU gives go at once, and one vGPU is suspended at a time.
 *
 * GPUswap's GPUs have local memory, and reach what was moved to the host's: so a request may be
 * split, and a thread moves memory back when there is room. Here the GPU reaches what is pinned and
 * nothing else. A request needs all of its memory, which is pinned again when it is prepared.
 */
#include "reclaim.h"

/* How much memory a vGPU uses, with what it asks for, and without what it gives already. */
static u64 gpuswap_use(const struct gslot_reclaim_client *client)
{
	return client->pinned + client->asks - client->order.pages;
}

/* How much more it can give. */
static u64 gpuswap_rest(const struct gslot_reclaim_client *client)
{
	u64 kept = client->min + client->order.pages;

	return client->pinned - min(client->pinned, kept);
}

/*
 * Return: which vGPU gives the next chunk; NULL: none can. The holder of the pin token may not be
 * able to give what it needs itself: so it is asked in every other step only.
 */
static struct gslot_reclaim_client *gpuswap_victim(const struct gslot_reclaim_need *need, u32 step)
{
	struct gslot_reclaim_client *client, *victim = NULL;

	for (client = need->clients; client; client = client->next)
		if (gpuswap_rest(client) && !(client->holder && step % 2) &&
		    (!victim || gpuswap_use(client) > gpuswap_use(victim)))
			victim = client;
	return victim;
}

/*
 * Return: which of those that are to give does so in a step; NULL: there are none. One that cannot
 * must not keep the others from it: so in each step it is another one.
 */
static struct gslot_reclaim_client *gpuswap_nth(const struct gslot_reclaim_need *need, u32 step)
{
	struct gslot_reclaim_client *client;
	u32 count = 0;

	for (client = need->clients; client; client = client->next)
		count += client->order.pages != 0;
	step = count ? step / 2 % count : 0;
	for (client = need->clients; client; client = client->next)
		if (client->order.pages && !step--)
			return client;
	return NULL;
}

/* Two steps for each vGPU: by the next ones, it has given. */
static u32 gpuswap_steps(const struct gslot_reclaim_need *need)
{
	return 2 * max(need->count, 1U);
}

/* Without the right to take what it uses, a vGPU gives what it does not. */
static void gpuswap_order(const struct gslot_reclaim_need *need,
			  struct gslot_reclaim_client *client, bool victim)
{
	struct gslot_reclaim_order *order = &client->order;
	bool takes = victim && need->limit && !client->holder;

	order->random = true;
	order->keep = client->min;
	if (!victim)
		order->pages = 0;
	if (takes && !need->may_take)
		order->idle_ms = GSLOT_RECLAIM_YOUNG_MS;
	order->prepared = takes && need->may_take;
	order->takes = order->prepared;
	order->postpones = takes && need->may_postpone;
}

static void gpuswap_plan(const struct gslot_reclaim_need *need, u32 step)
{
	struct gslot_reclaim_client *client, *victim;
	u64 marked = 0, chunk;

	for (client = need->clients; client; client = client->next)
		client->order = (struct gslot_reclaim_order) {};
	while (marked < need->wanted) {
		victim = gpuswap_victim(need, step);
		if (!victim)
			break;
		chunk = min(need->chunk, gpuswap_rest(victim));
		victim->order.pages += chunk;
		marked += chunk;
	}
	victim = gpuswap_nth(need, step);
	for (client = need->clients; client; client = client->next)
		gpuswap_order(need, client, client == victim);
}

const struct gslot_reclaim_ops gslot_reclaim_gpuswap = {
	.name = "gpuswap",
	.steps = gpuswap_steps,
	.plan = gpuswap_plan,
};
