// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: places
 *
 * A placement policy (core/place/placement.h) chooses the place of each vGPU, and a rule says what
 * is loaded there (core/place/loading.h): see "Places" in docs/graphics-memory.md.
 *
 * A vGPU is quiesced while it moves: what it has prepared gets other addresses. Its guest sees a
 * GPU that is slow for a moment.
 */
#include <linux/device.h>
#include <linux/err.h>
#include <linux/math.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "places_priv.h"
#include "base/lock.h"
#include "base/trace.h"
#include "core/place/placement.h"
#include "exec/exec.h"
#include "gm/ggtt_owner.h"
#include "gm/ggtt_units.h"
#include "sched/sched.h"
#include "vgpu/placing.h"

#define PLACE_SLOT_SIZE	((u32)GSLOT_SLOT_UNITS * GSLOT_UNIT_PAGES << GEN_PAGE_SHIFT)
#define PLACE_LOW_SIZE	((u64)GSLOT_LOADING_LOW * GSLOT_UNIT_PAGES << GEN_PAGE_SHIFT)
/* Places last for this many turns of all vGPUs: 20 s of 16 ms each (DymGPU, section 4). */
#define PLACE_TURNS	1250
/* How often changes are looked for; and how often places are reconsidered without (DymGPU). */
#define PLACE_LOOK	HZ
#define PLACE_PERIOD	(20 * HZ)
/* How long moving waits for vGPUs, all together. */
#define PLACE_PATIENCE	HZ
/* How long a write to copy_policy or placement waits for another one. */
#define PLACE_CHANGE_PATIENCE	HZ

static const struct gslot_place_ops *const place_policies[] = {
	&gslot_place_score, &gslot_place_size, &gslot_place_utilization, &gslot_place_optimal,
};

/* It is changed with all three locks held: each is enough to read it. */
static const struct gslot_loading_rule *place_rule(const struct gslot_gpu_places *places)
{
	lockdep_assert(lockdep_is_held(&places->lock) ||
		       lockdep_is_held(&places->vgpus->lock) ||
		       lockdep_is_held(&places->vgpus->runs.lock));
	return places->loading.rule;
}

static u32 place_slots(const struct gslot_gpu_places *places)
{
	return gslot_loading_slots(places->vgpus->runs.entries / GSLOT_UNIT_PAGES);
}

static u32 place_slots_of(const struct gslot_vgpu_placing *v)
{
	return DIV_ROUND_UP_ULL(v->window.high_size, PLACE_SLOT_SIZE);
}

/* The policy knows vGPUs that are open, and those that were closed since it placed them. */
static bool place_is_known(const struct gslot_vgpu_placing *v)
{
	return v->exec || *v->place != GSLOT_PLACE_NONE;
}

/*
 * The policy needs to know in how many rounds each vGPU runs, but the monitor measures for how long
 * it uses the GPU. vGPUs that use it for a short time may run in each round all the same. So uses
 * are scaled: the vGPU with the largest one counts as running in each round.
 */
static void place_scale_use(struct gslot_placement *p)
{
	u32 i, most = 1;

	for (i = 0; i < p->count; i++)
		most = max(most, p->vgpus[i].use);
	for (i = 0; i < p->count; i++)
		p->vgpus[i].use = (u64)p->vgpus[i].use * GSLOT_PLACE_ALWAYS / most;
}

/* Fill in what the policy knows: @p->vgpus has room for all vGPUs. */
static int place_collect(struct gslot_gpu_places *places, struct gslot_placement *p)
{
	struct gslot_vgpu *vgpu = NULL;

	p->slots = place_slots(places);
	while ((vgpu = gslot_vgpus_next(places->vgpus, vgpu))) {
		const struct gslot_vgpu_placing v = gslot_vgpu_placing(vgpu);
		u32 size = place_slots_of(&v);

		if (!place_is_known(&v))
			continue;
		/* All low graphics memory has the same place. */
		if (v.exec && v.window.low_size > PLACE_LOW_SIZE)
			return -ENOSPC;
		/* A closed vGPU may have been made larger; it is about to lose its place. */
		if (!v.exec)
			size = min(size, p->slots);
		p->vgpus[p->count++] = (struct gslot_place_vgpu) {
			.size = size, .use = v.use, .idle = v.idle,
			.place = *v.place,
		};
	}
	place_scale_use(p);
	p->rounds = max(PLACE_TURNS / max(p->count, 1u), 1u);
	return 0;
}

static int place_choose(const struct gslot_place_ops *placement, struct gslot_placement *p)
{
	return p->count ? gslot_place(placement, p) : 0;
}

/*
 * Move a vGPU, which is quiesced, with its lock held: what it has prepared gets other addresses.
 * Return: 0; or as gslot_exec_rehold() if @to is GSLOT_PLACE_NONE.
 */
static int place_move_locked(struct gslot_gpu_places *places, const struct gslot_vgpu_placing *v,
			     u32 to)
{
	gslot_exec_unhold(v->exec);
	placed_unplace(places, v->ggtt);
	if (to != GSLOT_PLACE_NONE)
		placed_place(places, v->ggtt, to);
	return gslot_exec_rehold(v->exec);
}

/* Return: false if the vGPU's locks are not free in time: it may wait for a page for ever. */
static bool place_move(struct gslot_gpu_places *places, const struct gslot_vgpu_placing *v,
		       u32 from, u32 to, unsigned long until)
{
	bool moved = false;

	if (!gslot_vgpu_lock_life_until(v->vgpu, until))
		return false;
	if (gslot_exec_quiesce_until(v->exec, until))
		goto out_unlock;
	if (gslot_exec_lock_until(v->exec, until)) {
		trace_gslot_place_move(dev_name(v->dev), from, to);
		WARN_ON(place_move_locked(places, v, to));
		gslot_exec_unlock(v->exec);
		moved = true;
	}
	gslot_exec_resume(v->exec);
out_unlock:
	gslot_vgpu_unlock_life(v->vgpu);
	return moved;
}

/*
 * To the policy, an idle vGPU has no place: others may get its slots. But it is not moved. When it
 * submits, it runs at once where it was, perhaps in slots that others have got. Then place_work()
 * looks for a better place.
 */
static void place_move_or_stay(struct gslot_gpu_places *places,
			       const struct gslot_vgpu_placing *v, u32 to, unsigned long until)
{
	u32 from = placed_place_of(places, v->ggtt);

	if (to != GSLOT_PLACE_NONE && to != from && !place_move(places, v, from, to, until))
		to = from;	/* the policy may choose another one by the next time */
	placed_set_idle(places, v->ggtt, to == GSLOT_PLACE_NONE);
	*v->place = to;
}

static void place_apply(struct gslot_gpu_places *places, const struct gslot_placement *p)
{
	unsigned long until = jiffies + PLACE_PATIENCE;
	struct gslot_vgpu *vgpu = NULL;
	u32 i = 0;

	while ((vgpu = gslot_vgpus_next(places->vgpus, vgpu))) {
		const struct gslot_vgpu_placing v = gslot_vgpu_placing(vgpu);

		if (!place_is_known(&v))
			continue;
		if (v.exec)
			place_move_or_stay(places, &v, p->vgpus[i].next, until);
		else
			*v.place = GSLOT_PLACE_NONE;
		i++;
	}
}

/* Allocate an array for all vGPUs. */
static struct gslot_place_vgpu *place_alloc(const struct gslot_vgpus *vgpus)
{
	lockdep_assert_held(&vgpus->lock);
	return kvcalloc(max(vgpus->count, 1u), sizeof(struct gslot_place_vgpu), GFP_KERNEL);
}

/*
 * Reconsider places; @due: even if nothing has changed. Return: 0; -ENOSPC if a vGPU is larger than
 * all slots, or -ENOMEM: then no vGPU moves.
 */
static int place_update(struct gslot_gpu_places *places, const struct gslot_place_ops *placement,
			bool due)
{
	struct gslot_vgpus *vgpus = places->vgpus;
	struct gslot_placement p = { .due = due };
	int ret;

	lockdep_assert_held(&places->lock);
	if (!place_rule(places))
		return 0;
	mutex_lock(&vgpus->lock);
	p.vgpus = place_alloc(vgpus);
	ret = p.vgpus ? place_collect(places, &p) : -ENOMEM;
	if (!ret)
		ret = place_choose(placement, &p);
	if (!ret)
		place_apply(places, &p);
	mutex_unlock(&vgpus->lock);
	kvfree(p.vgpus);
	return ret;
}

/* Has a vGPU become idle, or busy again, or has it been closed? */
static bool place_changed(struct gslot_gpu_places *places)
{
	struct gslot_vgpu *vgpu = NULL;
	bool changed = false;

	mutex_lock(&places->vgpus->lock);
	while ((vgpu = gslot_vgpus_next(places->vgpus, vgpu))) {
		const struct gslot_vgpu_placing v = gslot_vgpu_placing(vgpu);

		changed |= v.idle != (*v.place == GSLOT_PLACE_NONE);
	}
	mutex_unlock(&places->vgpus->lock);
	return changed;
}

static void place_work(struct work_struct *work)
{
	struct gslot_gpu_places *places = container_of(to_delayed_work(work),
						       struct gslot_gpu_places, work);
	bool due;

	mutex_lock(&places->lock);
	due = time_after_eq(jiffies, places->due_at);
	if (due)
		places->due_at = jiffies + PLACE_PERIOD;
	/* If there is no memory for that, all stay where they are. */
	if (place_rule(places) && (due || place_changed(places)))
		place_update(places, places->placement, due);
	if (place_rule(places))
		place_look_again(places, PLACE_LOOK);
	mutex_unlock(&places->lock);
}

/* Have places reconsidered, @delay jiffies from now. May be called in any context. */
void place_look_again(struct gslot_gpu_places *places, unsigned long delay)
{
	mod_delayed_work(system_freezable_wq, &places->work, delay);
}

/* An open failed with -ENOSPC. */
static void place_warn_large(struct gslot_gpu_places *places, const struct gslot_vgpu_placing *v)
{
	if (v->window.low_size > PLACE_LOW_SIZE)
		dev_warn_ratelimited(v->dev,
				     "low graphics memory has %llu MB with the copy policy %s, and this vGPU needs %llu MB\n",
				     PLACE_LOW_SIZE / SZ_1M, places->policy.name,
				     v->window.low_size / SZ_1M);
	else
		dev_warn_ratelimited(v->dev,
				     "graphics memory has %u slots of 64 MB with the copy policy %s, and this vGPU needs %u\n",
				     place_slots(places), places->policy.name, place_slots_of(v));
}

static int place_opened(struct gslot_copy_policy *policy, struct gslot_vgpu *vgpu)
{
	struct gslot_gpu_places *places = places_of(policy);
	struct gslot_vgpu_placing v;
	int ret;

	if (mutex_lock_killable(&places->lock))
		return -EINTR;
	ret = place_update(places, places->placement, false);
	mutex_lock(&places->vgpus->lock);
	v = gslot_vgpu_placing(vgpu);
	if (!ret && place_rule(places) && placed_place_of(places, v.ggtt) == GSLOT_PLACE_NONE)
		ret = -EBUSY;
	mutex_unlock(&places->vgpus->lock);
	if (ret == -ENOSPC)
		place_warn_large(places, &v);
	mutex_unlock(&places->lock);
	return ret;
}

/*
 * The vGPU keeps its place meanwhile: if another vGPU is opened or moved at the same time, this one
 * has a place. With a place gslot_exec_rehold() always succeeds.
 */
static int place_resize(struct gslot_copy_policy *policy, struct gslot_exec *exec,
			struct gslot_ggtt *ggtt, const struct gslot_window *window)
{
	struct gslot_gpu_places *places = places_of(policy);
	int ret;

	if (gslot_ggtt_shrink_is_held(ggtt, window))
		return -EBUSY;
	gslot_exec_unhold(exec);
	placed_begin_resize(places, ggtt);
	ret = gslot_ggtt_resize(ggtt, window);
	placed_end_resize(places, ggtt);
	WARN_ON(gslot_exec_rehold(exec));
	return ret;
}

static const struct gslot_copy_policy_ops place_ops = {
	.hold = placed_hold,
	.release = placed_release,
	.publish = placed_publish,
	.leave = placed_leave,
	.to_copy = placed_to_copy,
	.give = loader_give,
	.next = loader_next,
	.forget = loader_forget,
	.opened = place_opened,
	.resize = place_resize,
};

/**
 * gslot_places_create() - be ready for a copy policy with places
 * @vgpus: the GPU, without vGPUs; its runs and its scheduler are there
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep.
 */
int gslot_places_create(struct gslot_vgpus *vgpus)
{
	struct gslot_gpu_places *places = kvzalloc(sizeof(*places), GFP_KERNEL);

	if (!places)
		return -ENOMEM;
	loader_init(places);
	places->policy.ops = &place_ops;
	places->policy.low_max = PLACE_LOW_SIZE;
	places->policy.slot_size = PLACE_SLOT_SIZE;
	places->vgpus = vgpus;
	mutex_init(&places->lock);
	mutex_init(&places->change_lock);
	INIT_DELAYED_WORK(&places->work, place_work);
	places->placement = &gslot_place_optimal;
	vgpus->places = places;
	return 0;
}

/**
 * gslot_places_destroy() - undo gslot_places_create()
 * @vgpus: the GPU, without vGPUs
 *
 * Context: may sleep.
 */
void gslot_places_destroy(struct gslot_vgpus *vgpus)
{
	struct gslot_gpu_places *places = vgpus->places;

	/* The work queues itself again as long as there is a rule. */
	mutex_lock(&places->lock);
	mutex_lock(&vgpus->lock);
	mutex_lock(&vgpus->runs.lock);
	places->loading.rule = NULL;
	mutex_unlock(&vgpus->runs.lock);
	mutex_unlock(&vgpus->lock);
	mutex_unlock(&places->lock);
	cancel_delayed_work_sync(&places->work);
	mutex_lock(&places->lock);
	loader_stop(places);
	mutex_unlock(&places->lock);
	mutex_destroy(&places->change_lock);
	mutex_destroy(&places->lock);
	kvfree(places);
	vgpus->places = NULL;
}

/* No unit of any vGPU is resident any more. */
static void place_unplace_all(struct gslot_gpu_places *places)
{
	struct gslot_vgpu *vgpu = NULL;

	while ((vgpu = gslot_vgpus_next(places->vgpus, vgpu))) {
		const struct gslot_vgpu_placing v = gslot_vgpu_placing(vgpu);

		*v.place = GSLOT_PLACE_NONE;
		if (!v.exec)
			continue;
		gslot_exec_lock(v.exec);
		gslot_exec_unhold(v.exec);
		placed_unplace(places, v.ggtt);
		gslot_exec_unlock(v.exec);
	}
}

/* Change the policy of all layers. Nothing is resident or held. */
static void place_set_layers(struct gslot_gpu_places *places,
			     const struct gslot_loading_rule *rule)
{
	struct gslot_copy_policy *policy = rule ? &places->policy : NULL;
	struct gslot_vgpus *vgpus = places->vgpus;

	if (rule)
		places->policy.name = rule->name;
	gslot_runs_set_copy_policy(&vgpus->runs, policy);
	mutex_lock(&vgpus->runs.lock);
	gslot_loading_init(&places->loading, rule, &vgpus->runs.residency);
	mutex_unlock(&vgpus->runs.lock);
	gslot_sched_set_copy_policy(vgpus->sched, policy);
	gslot_vgpus_set_copy_policy(vgpus, policy);
}

/* All vGPUs are stopped. Return: 0, or as gslot_exec_rehold(). */
static int place_change_rule(struct gslot_gpu_places *places, const struct gslot_loading_rule *rule,
			     const struct gslot_placement *p)
{
	struct gslot_vgpu *vgpu = NULL;
	u32 i = 0;
	int ret;

	place_unplace_all(places);
	place_set_layers(places, rule);
	while ((vgpu = gslot_vgpus_next(places->vgpus, vgpu))) {
		const struct gslot_vgpu_placing v = gslot_vgpu_placing(vgpu);

		if (!v.exec)
			continue;
		if (rule)
			*v.place = p->vgpus[i++].next;
		gslot_exec_lock(v.exec);
		ret = place_move_locked(places, &v, *v.place);
		gslot_exec_unlock(v.exec);
		if (ret)
			return ret;
		placed_set_idle(places, v.ggtt, false);
	}
	/* Some may be idle. */
	if (rule)
		place_look_again(places, 0);
	return 0;
}

/* Choose a place for each vGPU that is open. */
static int place_plan(struct gslot_gpu_places *places, struct gslot_placement *p)
{
	struct gslot_vgpu *vgpu = NULL;
	u32 i;
	int ret;

	while ((vgpu = gslot_vgpus_next(places->vgpus, vgpu))) {
		const struct gslot_vgpu_placing v = gslot_vgpu_placing(vgpu);

		if (!v.exec)
			*v.place = GSLOT_PLACE_NONE;
	}
	ret = place_collect(places, p);
	/* All are placed anew. None counts as idle: each needs a place, as it may be busy soon. */
	for (i = 0; i < p->count; i++) {
		p->vgpus[i].place = GSLOT_PLACE_NONE;
		p->vgpus[i].idle = false;
	}
	return ret ?: place_choose(places->placement, p);
}

static int place_set_rule(struct gslot_gpu_places *places, const struct gslot_loading_rule *rule)
{
	const struct gslot_loading_rule *old = place_rule(places);
	struct gslot_placement p = { };
	int ret = quiesce_all(places->vgpus);

	if (ret)
		return ret;
	p.vgpus = place_alloc(places->vgpus);
	ret = p.vgpus ? place_plan(places, &p) : -ENOMEM;
	if (!ret) {
		ret = place_change_rule(places, rule, &p);
		/* Only a change to `cached` fails: with a place gslot_exec_rehold() succeeds. */
		if (ret)
			WARN_ON(place_change_rule(places, old, &p));
	}
	quiesce_end(places->vgpus);
	kvfree(p.vgpus);
	return ret;
}

/* Return: the rule, NULL for `cached`, or ERR_PTR(-EINVAL). */
static const struct gslot_loading_rule *place_find_rule(const char *name)
{
	u32 i;

	if (sysfs_streq(name, "cached"))
		return NULL;
	for (i = 0; i < gslot_loading_nr_rules; i++)
		if (sysfs_streq(name, gslot_loading_rules[i].name))
			return &gslot_loading_rules[i];
	return ERR_PTR(-EINVAL);
}

static int place_set_rule_locked(struct gslot_gpu_places *places,
				 const struct gslot_loading_rule *rule)
{
	int ret = 0;

	lockdep_assert_held(&places->lock);
	if (rule && !place_rule(places))
		ret = loader_start(places);
	if (!ret && rule != place_rule(places))
		ret = place_set_rule(places, rule);
	if (!place_rule(places))
		loader_stop(places);
	return ret;
}

/*
 * Begin a write to copy_policy or placement. A change takes milliseconds, or 20 s: so a second
 * write waits for a second only.
 * Return: 0, and both locks are held until place_end_change(); -EBUSY; or -EINTR if the process is
 * being killed.
 */
static int place_begin_change(struct gslot_gpu_places *places)
{
	if (!gslot_lock_until(&places->change_lock, jiffies + PLACE_CHANGE_PATIENCE))
		return -EBUSY;
	if (!mutex_lock_killable(&places->lock))
		return 0;
	mutex_unlock(&places->change_lock);
	return -EINTR;
}

static void place_end_change(struct gslot_gpu_places *places)
{
	mutex_unlock(&places->lock);
	mutex_unlock(&places->change_lock);
}

/**
 * gslot_places_set_copy_policy() - choose how graphics memory is shared
 * @vgpus: the GPU
 * @name: of a rule of core/place/loading.c, or "cached"
 *
 * All vGPUs are stopped for a moment.
 *
 * Return: 0; -EINVAL if there is none of that name; -ENOSPC if an open vGPU is larger than all
 * slots; -EDQUOT or -EBUSY if what vGPUs have prepared does not fit into the cache (as
 * gslot_ggtt_hold()); -EBUSY if a vGPU waits for its user's memory for twenty seconds, or if
 * another write to copy_policy or placement has not ended within a second; -ENOMEM; -EAGAIN if the
 * host has no room for a thread; or -EINTR if the process is being killed. After an error all is as
 * it was.
 * Context: may sleep, without the GPU's locks.
 */
int gslot_places_set_copy_policy(struct gslot_vgpus *vgpus, const char *name)
{
	const struct gslot_loading_rule *rule = place_find_rule(name);
	struct gslot_gpu_places *places = vgpus->places;
	int ret;

	if (IS_ERR(rule))
		return PTR_ERR(rule);
	ret = place_begin_change(places);
	if (ret)
		return ret;
	ret = place_set_rule_locked(places, rule);
	place_end_change(places);
	return ret;
}

static const struct gslot_place_ops *place_find_placement(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(place_policies); i++)
		if (sysfs_streq(name, place_policies[i]->name))
			return place_policies[i];
	return NULL;
}

/**
 * gslot_places_set_placement() - choose the placement policy
 * @vgpus: the GPU
 * @name: of the policy
 *
 * Return: 0; -EINVAL if there is none of that name; -ENOSPC if a vGPU is larger than all slots, or
 * -ENOMEM: then no vGPU moves; -EBUSY if another write to copy_policy or placement has not ended
 * within a second; or -EINTR if the process is being killed.
 * Context: may sleep, without the GPU's locks.
 */
int gslot_places_set_placement(struct gslot_vgpus *vgpus, const char *name)
{
	const struct gslot_place_ops *placement = place_find_placement(name);
	struct gslot_gpu_places *places = vgpus->places;
	int ret;

	if (!placement)
		return -EINVAL;
	ret = place_begin_change(places);
	if (ret)
		return ret;
	ret = place_update(places, placement, true);
	if (!ret)
		WRITE_ONCE(places->placement, placement);
	place_end_change(places);
	return ret;
}

/* The chosen one in brackets, as the block layer shows its schedulers. */
static ssize_t place_show_name(char *buf, ssize_t at, const char *name, bool chosen)
{
	return at + sysfs_emit_at(buf, at, chosen ? "%s[%s]" : "%s%s", at ? " " : "", name);
}

/**
 * gslot_places_show_copy_policies() - list the copy policies
 * @vgpus: the GPU
 * @buf: buffer of sysfs
 *
 * Return: how many bytes were written.
 * Context: may sleep. Does not wait for a change of the policy; while one fails, its policy may be
 * shown.
 */
ssize_t gslot_places_show_copy_policies(struct gslot_vgpus *vgpus, char *buf)
{
	struct gslot_gpu_places *places = vgpus->places;
	const struct gslot_loading_rule *rule;
	ssize_t n;
	u32 i;

	/* Not gslot_vgpus.lock: a try to quiesce all vGPUs holds it for 0.1 s for each. */
	mutex_lock(&vgpus->runs.lock);
	rule = place_rule(places);
	mutex_unlock(&vgpus->runs.lock);
	n = place_show_name(buf, 0, "cached", !rule);
	for (i = 0; i < gslot_loading_nr_rules; i++)
		n = place_show_name(buf, n, gslot_loading_rules[i].name,
				    rule == &gslot_loading_rules[i]);
	return n + sysfs_emit_at(buf, n, "\n");
}

/**
 * gslot_places_show_placements() - list the placement policies
 * @vgpus: the GPU
 * @buf: buffer of sysfs
 *
 * Return: how many bytes were written.
 * Context: any.
 */
ssize_t gslot_places_show_placements(struct gslot_vgpus *vgpus, char *buf)
{
	const struct gslot_place_ops *placement = READ_ONCE(vgpus->places->placement);
	ssize_t n = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(place_policies); i++)
		n = place_show_name(buf, n, place_policies[i]->name,
				    placement == place_policies[i]);
	return n + sysfs_emit_at(buf, n, "\n");
}

static bool place_has_slot(const struct gslot_vgpu_placing *v, u32 slot)
{
	return *v->place != GSLOT_PLACE_NONE && slot - *v->place < place_slots_of(v);
}

/* A letter for each vGPU that has the slot, in its column. */
static void place_show_slot(struct gslot_gpu_places *places, struct seq_file *m, u32 slot)
{
	struct gslot_vgpu_placing v;
	struct gslot_vgpu *vgpu = NULL;
	u32 n = 0;

	while ((vgpu = gslot_vgpus_next(places->vgpus, vgpu))) {
		v = gslot_vgpu_placing(vgpu);
		n += place_has_slot(&v, slot);
	}
	seq_printf(m, "slot_%u: vgpus=%u map=", slot, n);
	n = 0;
	while ((vgpu = gslot_vgpus_next(places->vgpus, vgpu))) {
		v = gslot_vgpu_placing(vgpu);
		seq_putc(m, place_has_slot(&v, slot) ? 'A' + n % 26 : '.');
		n++;
	}
	seq_putc(m, '\n');
}

/**
 * gslot_places_show() - show which vGPU has which slots, in debugfs
 * @vgpus: the GPU
 * @m: where to print
 *
 * Context: may sleep, without the GPU's locks. Waits for at most one try to quiesce all vGPUs, not
 * for a whole change of the copy policy.
 */
void gslot_places_show(struct gslot_vgpus *vgpus, struct seq_file *m)
{
	struct gslot_gpu_places *places = vgpus->places;
	u32 i, n = 0, slots = place_slots(places);
	struct gslot_vgpu *vgpu = NULL;

	mutex_lock(&vgpus->lock);
	seq_printf(m, "copy_policy: %s\nplacement: %s\nslot_mb: %u\nslots: %u\n",
		   gslot_runs_policy(&vgpus->runs), READ_ONCE(places->placement)->name,
		   PLACE_SLOT_SIZE / SZ_1M, slots);
	while ((vgpu = gslot_vgpus_next(vgpus, vgpu))) {
		const struct gslot_vgpu_placing v = gslot_vgpu_placing(vgpu);

		seq_printf(m, "%c: vgpu=%s place=%d slots=%u\n", 'A' + n++ % 26, dev_name(v.dev),
			   (s32)*v.place, place_slots_of(&v));
	}
	for (i = 0; place_rule(places) && i < slots; i++)
		place_show_slot(places, m, i);
	mutex_unlock(&vgpus->lock);
}

/**
 * gslot_places_show_copies() - show in debugfs how much was loaded
 * @vgpus: the GPU
 * @m: where to print
 *
 * Context: may sleep.
 */
void gslot_places_show_copies(struct gslot_vgpus *vgpus, struct seq_file *m)
{
	struct places_stats s;

	mutex_lock(&vgpus->runs.lock);
	s = vgpus->places->stats;
	mutex_unlock(&vgpus->runs.lock);
	seq_printf(m, "entries_low: %llu\nentries_high: %llu\nentries_ahead: %llu\n", s.low,
		   s.high, s.ahead);
	seq_printf(m, "loads: %llu\nload_ns: %llu\n", s.loads, s.load_ns);
}
