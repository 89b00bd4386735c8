// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the shrinker
 *
 * The kernel asks the GPU's shrinker for pages when the host is short of memory. The shrinker runs
 * wherever memory is allocated, perhaps with locks of VFIO or of a vGPU held: so it only adds up
 * what is wanted, and queues a work item. That takes the steps of core/mem/steps.h, until vGPUs
 * have given as much. In each step a work item of each vGPU (give.c) unpins pages that have been
 * idle for as long as the step says, and drops page tables of address spaces that will be idle
 * for as long, which makes their pages idle; then it unpins all idle pages. A context that runs
 * again gets its page tables and pages anew, at its submission. A submission may be interrupted, by
 * the shrinker, too, and go on later: the page tables that it has built until then stay.
 *
 * If vGPUs have pinned more than they may, or one holds the pin token (room.c), or pages are to be
 * kept free, the same steps are taken for that.
 *
 * A vGPU that waits for its memory holds its lock and gives nothing; the others do. A busy vGPU
 * takes the next step when it is done with the last. If the steps do not find enough, there is a
 * pause: to look again at once would find little, and slow the vGPUs' workers down.
 *
 * The steps have a work queue of their own: where the kernel cannot create threads, one thread does
 * the work of a queue, and the next step does not wait for a vGPU's locks. Both are freezable: no
 * page is unmapped for a device that sleeps.
 */
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/pci.h>
#include <linux/shrinker.h>
#include <linux/sysfs.h>
#include <linux/workqueue.h>

#include "vgpu_priv.h"
#include "base/compat_mm.h"
#include "base/policies.h"
#include "base/trace.h"
#include "gen/gtt.h"

/* Between two looks at what vGPUs have given. */
#define SHRINK_INTERVAL	msecs_to_jiffies(GSLOT_STEP_LOOK_MS)
/* After all steps have not given enough: meanwhile more becomes idle for long enough. */
#define SHRINK_REST	(HZ / 5)

static u64 shrink_now_ms(void)
{
	return jiffies64_to_msecs(get_jiffies_64());
}

static long shrink_pinned(const struct gslot_vgpus *vgpus)
{
	return atomic_long_read(&vgpus->room.pinned.count);
}

/* Change what is wanted: never below 0, or above what is pinned. Return: the new value. */
long gslot_shrink_want(struct gslot_vgpus *vgpus, long more)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	long old = atomic_long_read(&s->wanted), wanted;

	do {
		wanted = clamp(old + more, 0L, shrink_pinned(vgpus));
	} while (!atomic_long_try_cmpxchg(&s->wanted, &old, wanted));
	return wanted;
}

/* How many pages are to be unpinned: for the host, and for limits. */
u64 gslot_shrink_wanted(const struct gslot_vgpus *vgpus)
{
	return atomic_long_read(&vgpus->shrink.wanted) + READ_ONCE(vgpus->shrink.over) +
	       gslot_pinned_shortfall(&vgpus->room.pinned);
}

/* What a look has found */
struct shrink_plan {
	struct gslot_reclaim_need need;
	const struct gslot_reclaim_ops *policy;
	const struct gslot_vgpu *holder;	/* of the token; NULL: there is none */
	bool urgent;			/* it waits for pages; else some are to be kept free */
};

/* What a vGPU has, for the policy; @next: the client before it */
static struct gslot_reclaim_client *shrink_client(struct gslot_vgpu *vgpu,
						  const struct gslot_vgpu *holder,
						  struct gslot_reclaim_client *next)
{
	vgpu->shrink.client = (struct gslot_reclaim_client) {
		.next = next,
		.pinned = READ_ONCE(vgpu->mem.count),
		.asks = vgpu == holder ? READ_ONCE(vgpu->vgpus->room.pinned.reserved) : 0,
		.min = gslot_room_pages(gslot_vgpu_knob(vgpu, GSLOT_KNOB_PINNED_MIN_MB)),
		.low = gslot_room_pages(gslot_vgpu_knob(vgpu, GSLOT_KNOB_PINNED_LOW_MB)),
		.holder = vgpu == holder,
		.waits = READ_ONCE(vgpu->room.member.waits),
	};
	return &vgpu->shrink.client;
}

/* Return: whether vGPUs have something to do in it. */
static bool shrink_begin_step(struct gslot_vgpus *vgpus, struct shrink_plan *plan)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	struct gslot_reclaim_need *need = &plan->need;
	struct gslot_reclaim_client *client;
	struct gslot_vgpu *vgpu;
	bool takes = false, given = false;

	s->given_before = atomic_long_read(&s->given);
	need->clients = NULL;
	need->count = 0;
	mutex_lock(&vgpus->lock);
	list_for_each_entry(vgpu, &vgpus->list, link) {
		if (!gslot_vgpu_is_active(vgpu))
			continue;
		need->clients = shrink_client(vgpu, plan->holder, need->clients);
		need->count++;
		if (!s->steps.next)
			vgpu->shrink.least = READ_ONCE(vgpu->mem.count);
	}
	plan->policy->plan(need, s->steps.next);
	for (client = need->clients; client; client = client->next) {
		takes |= client->order.takes;
		s->postpones |= client->order.postpones;
		vgpu = container_of(client, struct gslot_vgpu, shrink.client);
		given |= gslot_give(vgpu, &client->order);
	}
	mutex_unlock(&vgpus->lock);
	if (takes)
		gslot_room_take(vgpus, s->token_number);
	gslot_steps_taken(&s->steps, shrink_now_ms());
	if (need->may_postpone && s->steps.next == plan->policy->steps(need))
		WRITE_ONCE(s->postpones_for, s->token_number);
	s->count = need->count;
	return given;
}

/* Take the next step, and if vGPUs have nothing to do in it, those after it. */
static void shrink_begin_steps(struct gslot_vgpus *vgpus, struct shrink_plan *plan)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	bool begun;

	do {
		begun = shrink_begin_step(vgpus, plan);
	} while (!begun && s->steps.next < plan->policy->steps(&plan->need));
}

/* By how many pages a vGPU has got below the fewest that it has had since the first step. */
static u32 shrink_fall(struct gslot_vgpu *vgpu, u32 has)
{
	u32 least = vgpu->shrink.least;

	vgpu->shrink.least = min(least, has);
	return least - min(least, has);
}

/*
 * Is there room for a vGPU that waits for it: all that it asked for, or much? Only what the holder
 * of the token asked for is known.
 */
static bool shrink_has_room(const struct gslot_vgpu *vgpu, bool holder)
{
	const struct gslot_pinned *all = &vgpu->vgpus->room.pinned;
	u64 asked = holder ? READ_ONCE(all->reserved) : GSLOT_SHRINK_ROOM;

	return READ_ONCE(vgpu->room.member.waits) &&
	       gslot_pinned_room(all, &vgpu->mem) >= min_t(u64, asked, GSLOT_SHRINK_ROOM);
}

/*
 * When the token has changed hands, or its holder may not have others postponed any more, these
 * process submissions again. A new holder, and a vGPU that has room, try again.
 */
static void shrink_follow_token(struct gslot_vgpus *vgpus, const struct gslot_room_token *token)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	bool changed = s->token_number != token->number;
	bool resume = s->postpones && (changed || !token->may_postpone);
	struct gslot_vgpu *vgpu;

	if (changed)
		gslot_steps_restart(&s->steps, shrink_now_ms());
	s->token_number = token->number;
	if (!resume && !token->holder)
		return;
	mutex_lock(&vgpus->lock);
	list_for_each_entry(vgpu, &vgpus->list, link) {
		if (!gslot_vgpu_is_active(vgpu))
			continue;
		if (resume)
			gslot_exec_unpostpone(vgpu->exec, GSLOT_POSTPONE_FOR_TOKEN);
		if ((changed && vgpu == token->holder) ||
		    shrink_has_room(vgpu, vgpu == token->holder))
			gslot_exec_retry(vgpu->exec);
	}
	mutex_unlock(&vgpus->lock);
	s->postpones &= !resume;
}

/* The steps were taken a moment ago, and have not given enough. */
static bool shrink_rests(const struct gslot_vgpus_shrink *s, bool limit)
{
	return time_before(jiffies, READ_ONCE(s->rest_until[limit]));
}

static struct shrink_plan shrink_make_plan(struct gslot_vgpus *vgpus,
					   const struct gslot_room_token *token)
{
	const struct gslot_pinned *all = &vgpus->room.pinned;
	bool urgent = token->holder && gslot_pinned_excess(all);

	return (struct shrink_plan) {
		.need = {
			.count = vgpus->shrink.count,
			.wanted = gslot_shrink_wanted(vgpus),
			.total = shrink_pinned(vgpus),
			.max = READ_ONCE(all->max),
			.chunk = GEN_PTES_PER_PAGE,
			.limit = gslot_pinned_shortfall(all) || READ_ONCE(vgpus->shrink.over),
			.may_take = token->may_take && urgent,
			.may_postpone = token->may_postpone && urgent,
		},
		.policy = READ_ONCE(vgpus->shrink.policy),
		.holder = token->holder,
		.urgent = urgent,
	};
}

static enum gslot_steps_action shrink_steps_look(struct gslot_vgpus_shrink *s,
						 const struct shrink_plan *plan, u64 fell)
{
	const struct gslot_steps_look look = {
		.now = shrink_now_ms(),
		.count = plan->policy->steps(&plan->need),
		.busy = atomic_read(&s->busy),
		.urgent = plan->urgent,
		.fell = fell,
		.given = atomic_long_read(&s->given) - s->given_before,
	};

	return gslot_steps_look(&s->steps, &look);
}

/*
 * @fell: by how many pages vGPUs have fallen since the last look. Return: whether to look again
 * soon: not enough was given, but more may be.
 */
static bool shrink_goes_on(struct gslot_vgpus *vgpus, const struct gslot_room_token *token,
			   u64 fell)
{
	struct shrink_plan plan = shrink_make_plan(vgpus, token);
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	enum gslot_steps_action action;
	bool limit = plan.need.limit, begun = s->steps.next;

	if (!plan.need.wanted) {
		s->steps.next = 0;
		return false;
	}
	if (!plan.urgent && shrink_rests(s, limit))
		return false;
	action = shrink_steps_look(s, &plan, fell);
	/* The first step has found what will be idle for long. */
	if (action != GSLOT_STEPS_LAST && limit && begun)
		gslot_pinned_note_scarce(&vgpus->room.pinned);
	if (action == GSLOT_STEPS_TAKE)
		shrink_begin_steps(vgpus, &plan);
	if (action != GSLOT_STEPS_END)
		return true;
	/* The host has got what there is, too. It asks again if it needs more. */
	WRITE_ONCE(s->rest_until[false], jiffies + SHRINK_REST);
	WRITE_ONCE(s->rest_until[limit], jiffies + SHRINK_REST);
	atomic_long_set(&s->wanted, 0);
	return false;
}

/*
 * What each vGPU may have. With a policy that has quotas it is an equal share: one that has more
 * gives the rest, if it is idle; else at its next submission. With `cold` a vGPU that has nearly as
 * much gives its own memory, rather than to ask others for theirs. Return: by how many pages vGPUs,
 * but for the holder of the token, have fallen since the last look.
 */
static u64 shrink_set_shares(struct gslot_vgpus *vgpus, const struct gslot_room_token *token)
{
	const struct gslot_reclaim_ops *policy = READ_ONCE(vgpus->shrink.policy);
	struct gslot_pinned *all = &vgpus->room.pinned;
	u64 max = READ_ONCE(all->max), quota, over = 0, fell = 0;
	struct gslot_vgpu *vgpu;
	u32 count = 0, most = 0;

	mutex_lock(&vgpus->lock);
	list_for_each_entry(vgpu, &vgpus->list, link)
		count += gslot_vgpu_is_active(vgpu);
	quota = policy->quotas ? gslot_reclaim_share(max, count) : U64_MAX;
	list_for_each_entry(vgpu, &vgpus->list, link) {
		u32 has = READ_ONCE(vgpu->mem.count);

		if (!gslot_vgpu_is_active(vgpu))
			continue;
		most = max(most, has);
		over += has - min_t(u64, has, quota);
		if (vgpu != token->holder)
			fell += shrink_fall(vgpu, has);
	}
	mutex_unlock(&vgpus->lock);
	WRITE_ONCE(all->quota, quota);
	WRITE_ONCE(all->share, policy->spares ? gslot_reclaim_own_from(max, token->spare, count) :
						U64_MAX);
	WRITE_ONCE(all->most, most);
	WRITE_ONCE(vgpus->shrink.over, over);
	return fell;
}

/* When to look again: soon if more may be given, or a vGPU asks for room; later for a limit. */
static void shrink_look_again(struct gslot_vgpus *vgpus, bool soon)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;

	if (soon)
		queue_delayed_work(s->wq, &s->work, SHRINK_INTERVAL);
	else if (gslot_pinned_shortfall(&vgpus->room.pinned) || s->over)
		queue_delayed_work(s->wq, &s->work, SHRINK_REST);
	else
		s->steps.next = 0;
}

static void shrink_work(struct work_struct *work)
{
	struct gslot_vgpus *vgpus = container_of(to_delayed_work(work), struct gslot_vgpus,
						 shrink.work);
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	struct gslot_room_token token = gslot_room_token(vgpus);
	u64 fell = shrink_set_shares(vgpus, &token);
	bool more;

	WRITE_ONCE(s->token_held, !!token.holder);
	shrink_follow_token(vgpus, &token);
	more = shrink_goes_on(vgpus, &token, fell);
	/* Only now: it may have waited for the list of vGPUs. */
	WRITE_ONCE(s->looked, jiffies);
	shrink_look_again(vgpus, more || token.holder || token.spare);
}

/*
 * Have the work item look now: the token has changed hands, or a vGPU has asked for room, or the
 * limit has changed, or how many vGPUs are open.
 */
void gslot_shrink_look(struct gslot_vgpus *vgpus)
{
	mod_delayed_work(vgpus->shrink.wq, &vgpus->shrink.work, 0);
}

/* The same, but not within an interval after its last look. */
static void shrink_look(struct gslot_vgpus_shrink *s)
{
	bool early = time_before(jiffies, READ_ONCE(s->looked) + SHRINK_INTERVAL);

	queue_delayed_work(s->wq, &s->work, early ? SHRINK_INTERVAL : 0);
}

static unsigned long shrink_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct gslot_vgpus *vgpus = gslot_shrinker_data(shrinker);

	return shrink_rests(&vgpus->shrink, false) ? 0 : shrink_pinned(vgpus);
}

/* Return: 0, as nothing is given yet; SHRINK_STOP if no more can be wanted. */
static unsigned long shrink_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	struct gslot_vgpus *vgpus = gslot_shrinker_data(shrinker);
	struct gslot_vgpus_shrink *s = &vgpus->shrink;

	if (shrink_rests(s, false))
		return SHRINK_STOP;
	if (gslot_shrink_want(vgpus, min_t(unsigned long, sc->nr_to_scan, LONG_MAX / 2)))
		shrink_look(s);
	return atomic_long_read(&s->wanted) < shrink_pinned(vgpus) ? 0 : SHRINK_STOP;
}

/**
 * gslot_vgpus_set_reclaim() - choose by which policy vGPUs give memory
 * @vgpus: the GPU
 * @name: of the policy; a newline may follow
 *
 * Return: 0, or -EINVAL if there is none of that name.
 * Context: any but hard interrupts.
 */
int gslot_vgpus_set_reclaim(struct gslot_vgpus *vgpus, const char *name)
{
	u32 i;

	for (i = 0; gslot_reclaim_policies[i]; i++) {
		if (!sysfs_streq(name, gslot_reclaim_policies[i]->name))
			continue;
		WRITE_ONCE(vgpus->shrink.policy, gslot_reclaim_policies[i]);
		gslot_shrink_look(vgpus);
		return 0;
	}
	return -EINVAL;
}

/**
 * gslot_vgpus_show_reclaim() - list the policies by which vGPUs give memory
 * @vgpus: the GPU
 * @buf: of sysfs
 *
 * Return: how much was written there.
 * Context: any.
 */
ssize_t gslot_vgpus_show_reclaim(struct gslot_vgpus *vgpus, char *buf)
{
	const struct gslot_reclaim_ops *policy = READ_ONCE(vgpus->shrink.policy);
	ssize_t n = 0;
	u32 i;

	for (i = 0; gslot_reclaim_policies[i]; i++)
		n += sysfs_emit_at(buf, n, gslot_reclaim_policies[i] == policy ? "[%s] " : "%s ",
				   gslot_reclaim_policies[i]->name);
	return n - 1 + sysfs_emit_at(buf, n - 1, "\n");
}

/**
 * gslot_vgpus_init_shrink() - let vGPUs give memory back when the host needs it
 * @vgpus: the GPU
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep.
 */
int gslot_vgpus_init_shrink(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;
	const char *name = pci_name(vgpus->pdev);

	s->policy = gslot_reclaim_policies[0];
	s->count = 1;
	s->rest_until[false] = jiffies;
	s->rest_until[true] = jiffies;
	s->looked = jiffies - SHRINK_INTERVAL;
	INIT_DELAYED_WORK(&s->work, shrink_work);
	s->wq = alloc_ordered_workqueue("gslot/%s", WQ_MEM_RECLAIM | WQ_FREEZABLE, name);
	if (!s->wq)
		return -ENOMEM;
	s->give_wq = alloc_workqueue("gslot-give/%s", WQ_UNBOUND | WQ_MEM_RECLAIM | WQ_FREEZABLE, 0,
				     name);
	if (!s->give_wq)
		goto err_wq;
	s->shrinker = gslot_shrinker_create(name, shrink_count, shrink_scan, vgpus);
	if (s->shrinker)
		return 0;
	destroy_workqueue(s->give_wq);
err_wq:
	destroy_workqueue(s->wq);
	return -ENOMEM;
}

/**
 * gslot_vgpus_fini_shrink() - undo gslot_vgpus_init_shrink()
 * @vgpus: the GPU; no vGPU is open
 *
 * Context: may sleep.
 */
void gslot_vgpus_fini_shrink(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpus_shrink *s = &vgpus->shrink;

	gslot_shrinker_destroy(s->shrinker);
	cancel_delayed_work_sync(&s->work);
	destroy_workqueue(s->wq);
	destroy_workqueue(s->give_wq);
}
