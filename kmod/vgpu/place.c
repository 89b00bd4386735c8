// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: places
 *
 * How vGPUs share graphics memory is an administrator's choice, at any time: residency is a cache
 * (core/gtt/residency), and nobody has a place; or each has one, by a policy (core/place/placement), and
 * what is loaded there is a rule's choice (core/place/loading).
 *
 * A vGPU that is moved stands still meanwhile: what it has prepared is given other addresses, and
 * its guest sees a GPU that is slow for a moment.
 */
#include <linux/math.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "vgpu_priv.h"
#include "core/place/placement.h"
#include "base/lock.h"
#include "sched/sched.h"
#include "base/trace.h"

#define SLOT_SIZE	((u64)GSLOT_SLOT_UNITS * GSLOT_UNIT_PAGES << GEN_PAGE_SHIFT)
#define LOW_SIZE	((u64)GSLOT_LOADING_LOW * GSLOT_UNIT_PAGES << GEN_PAGE_SHIFT)
/* Turns of all in which places last: 20 s of 16 ms each (DymGPU, section 4). */
#define TURNS		1250
/* For how long vGPUs that have a place are waited for, all together, if they are to have others. */
#define MOVE_PATIENCE	HZ

static const struct gslot_place_ops *const policies[] = {
	&gslot_place_score, &gslot_place_size, &gslot_place_utilization, &gslot_place_optimal,
};

static void update_work(struct work_struct *work)
{
	struct gslot_vgpus *gpu = container_of(work, struct gslot_vgpus, place_work);

	mutex_lock(&gpu->place_lock);
	/* If there is no memory for that, all stay where they are. */
	gslot_places_update(gpu, xchg(&gpu->place_due, false));
	mutex_unlock(&gpu->place_lock);
}

/**
 * gslot_places_look() - have places looked at again, in a moment
 * @gpu: the GPU
 * @due: as for gslot_places_update()
 *
 * Context: any.
 */
void gslot_places_look(struct gslot_vgpus *gpu, bool due)
{
	if (due)
		WRITE_ONCE(gpu->place_due, true);
	queue_work(system_freezable_wq, &gpu->place_work);
}

/**
 * gslot_places_init() - nobody has a place
 * @gpu: the GPU, without vGPUs
 *
 * Context: may sleep.
 */
void gslot_places_init(struct gslot_vgpus *gpu)
{
	mutex_init(&gpu->place_lock);
	init_rwsem(&gpu->still);
	INIT_WORK(&gpu->place_work, update_work);
	gpu->placement = &gslot_place_optimal;
}

/**
 * gslot_places_fini() - undo gslot_places_init()
 * @gpu: the GPU, without vGPUs
 *
 * Context: may sleep.
 */
void gslot_places_fini(struct gslot_vgpus *gpu)
{
	cancel_work_sync(&gpu->place_work);
	mutex_destroy(&gpu->place_lock);
}

static const struct gslot_loading_rule *rule_of(const struct gslot_vgpus *gpu)
{
	lockdep_assert_held(&gpu->place_lock);
	return gpu->runs.loading.rule;
}

static u32 slots_for(const struct gslot_window *window)
{
	return DIV_ROUND_UP_ULL(window->high_size, SLOT_SIZE);
}

static u32 slots_of(const struct gslot_vgpu *vgpu)
{
	return slots_for(&vgpu->window);
}

/* All low graphics memory has the same place. */
static bool low_fits(const struct gslot_window *window)
{
	return window->low_size <= LOW_SIZE;
}

/* How much it uses the GPU, in millionths. */
static u32 use_of(const struct gslot_monitor_client *seen)
{
	return div64_u64(seen->sum.used_ns * USEC_PER_SEC, max(seen->sum.passed_ns, 1ULL));
}

static struct gslot_place_vgpu describe(struct gslot_vgpu *vgpu)
{
	struct gslot_monitor_client seen = gslot_vgpu_monitor_seen(vgpu);

	return (struct gslot_place_vgpu) {
		.size = slots_of(vgpu),
		.use = use_of(&seen),
		.idle = !gslot_vgpu_is_in(vgpu) || seen.idle,
		.place = vgpu->place,
	};
}

/* A policy knows those that are open, and the one that is not any more, and had a place. */
static bool is_told_of(const struct gslot_vgpu *vgpu)
{
	return gslot_vgpu_is_in(vgpu) || vgpu->place != GSLOT_PLACE_NONE;
}

static bool is_in(const struct gslot_vgpu *vgpu, u32 slot)
{
	return vgpu->place != GSLOT_PLACE_NONE && slot - vgpu->place < slots_of(vgpu);
}

/*
 * A policy wants to know in how many rounds each runs. Those that use the GPU for short times only
 * may do so in each round: so what counts is how much each uses it beside who uses it most.
 */
static void scale_use(struct gslot_places *p)
{
	u32 i, most = 1;

	for (i = 0; i < p->count; i++)
		most = max(most, p->vgpus[i].use);
	for (i = 0; i < p->count; i++)
		p->vgpus[i].use = (u64)p->vgpus[i].use * GSLOT_PLACE_ALWAYS / most;
}

/* What the policy is told. */
static int collect(struct gslot_vgpus *gpu, struct gslot_places *p)
{
	struct gslot_vgpu *vgpu;

	p->slots = gslot_runs_slots(&gpu->runs);
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		if (!is_told_of(vgpu))
			continue;
		if (!low_fits(&vgpu->window))
			return -ENOSPC;
		p->vgpus[p->count++] = describe(vgpu);
	}
	scale_use(p);
	p->rounds = max(TURNS / max(p->count, 1u), 1u);
	return 0;
}

static int choose(struct gslot_vgpus *gpu, struct gslot_places *p)
{
	return p->count ? gslot_place(gpu->placement, p) : 0;
}

/* What it has prepared is given other addresses. It stands still, and its lock is held. */
static int place_locked(struct gslot_vgpu *vgpu, u32 to)
{
	lockdep_assert_held(&vgpu->lock.mutex);
	gslot_exec_unhold(vgpu->exec);
	gslot_ggtt_unplace(vgpu->ggtt);
	if (to != GSLOT_PLACE_NONE)
		gslot_ggtt_place(vgpu->ggtt, to);
	return gslot_exec_rehold(vgpu->exec);
}

static int place(struct gslot_vgpu *vgpu, u32 to)
{
	int ret;

	mutex_lock(&vgpu->lock.mutex);
	ret = place_locked(vgpu, to);
	mutex_unlock(&vgpu->lock.mutex);
	return ret;
}

/* One that is being opened: none of its guest's pages is waited for yet. */
static void move_in(struct gslot_vgpu *vgpu, u32 to)
{
	mutex_lock(&vgpu->life);
	trace_gslot_place_move(gslot_vgpu_name(vgpu), GSLOT_PLACE_NONE, to);
	gslot_exec_quiesce(vgpu->exec);
	place(vgpu, to);
	gslot_exec_resume(vgpu->exec);
	mutex_unlock(&vgpu->life);
}

/* Its worker, or a vCPU of it, may be waiting for a page that does not come. Return: false then. */
static bool move(struct gslot_vgpu *vgpu, u32 from, u32 to, unsigned long until)
{
	bool moved = false;

	if (!mutex_trylock(&vgpu->life))
		return false;
	if (gslot_exec_quiesce_until(vgpu->exec, until))
		goto out_unlock;
	if (gslot_lock_until(&vgpu->lock.mutex, until)) {
		trace_gslot_place_move(gslot_vgpu_name(vgpu), from, to);
		place_locked(vgpu, to);
		mutex_unlock(&vgpu->lock.mutex);
		moved = true;
	}
	gslot_exec_resume(vgpu->exec);
out_unlock:
	mutex_unlock(&vgpu->life);
	return moved;
}

/*
 * One that is idle has no place for the policy, which gives it away; but it stays where it is,
 * and comes back there, perhaps among others, as soon as it submits. Then it is looked for a
 * better one.
 */
static void settle(struct gslot_vgpu *vgpu, u32 to, unsigned long until)
{
	u32 from = gslot_ggtt_place_of(vgpu->ggtt);

	if (to == GSLOT_PLACE_NONE || to == from)
		;
	else if (from == GSLOT_PLACE_NONE)
		move_in(vgpu, to);
	else if (!move(vgpu, from, to, until))
		to = from;	/* the policy may have another idea by the next time */
	gslot_ggtt_set_idle(vgpu->ggtt, to == GSLOT_PLACE_NONE);
	vgpu->place = to;
}

static void apply(struct gslot_vgpus *gpu, const struct gslot_places *p)
{
	unsigned long until = jiffies + MOVE_PATIENCE;
	struct gslot_vgpu *vgpu;
	u32 i = 0;

	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		u32 to;

		if (!is_told_of(vgpu))
			continue;
		to = p->vgpus[i++].next;
		if (gslot_vgpu_is_in(vgpu))
			settle(vgpu, to, until);
	}
}

/* With room for all vGPUs. */
static struct gslot_place_vgpu *alloc_places(const struct gslot_vgpus *gpu)
{
	return kvcalloc(max(gpu->count, 1u), sizeof(struct gslot_place_vgpu), GFP_KERNEL);
}

/**
 * gslot_places_update() - look at places again
 * @gpu: the GPU
 * @due: it is time to, whether or not anything has changed
 *
 * Return: 0; -ENOSPC if one is larger than all slots; or -ENOMEM: then nobody is moved.
 * Context: the lock of places is held; may sleep, as long as vGPUs take to stand still: a second,
 * and a preemption and a reset for each that is moved.
 */
int gslot_places_update(struct gslot_vgpus *gpu, bool due)
{
	struct gslot_places p = { .due = due };
	int ret;

	lockdep_assert_held(&gpu->place_lock);
	if (!rule_of(gpu))
		return 0;
	mutex_lock(&gpu->lock);
	p.vgpus = alloc_places(gpu);
	ret = p.vgpus ? collect(gpu, &p) ?: choose(gpu, &p) : -ENOMEM;
	if (!ret)
		apply(gpu, &p);
	mutex_unlock(&gpu->lock);
	kvfree(p.vgpus);
	return ret;
}

/**
 * gslot_place_fits() - may an open vGPU have another size where it is?
 * @vgpu: the vGPU
 * @window: the size
 *
 * Return: true if its place has room for that, or nobody has one.
 * Context: the lock of places is held.
 */
bool gslot_place_fits(const struct gslot_vgpu *vgpu, const struct gslot_window *window)
{
	return !rule_of(vgpu->gpu) ||
	       (low_fits(window) && slots_for(window) <= slots_of(vgpu));
}

/**
 * gslot_place_opened() - a vGPU has been opened: it needs a place, if others have one
 * @vgpu: the vGPU
 *
 * Return: as gslot_places_update().
 * Context: the lock of places is held; may sleep.
 */
int gslot_place_opened(struct gslot_vgpu *vgpu)
{
	int ret = gslot_places_update(vgpu->gpu, false);

	if (ret == -ENOSPC)
		dev_warn_ratelimited(vgpu->dev,
				     "graphics memory has %u slots of 64 MB with the copy policy %s, and this vGPU needs %u\n",
				     gslot_runs_slots(&vgpu->gpu->runs),
				     gslot_runs_policy(&vgpu->gpu->runs), slots_of(vgpu));
	return ret;
}

/**
 * gslot_place_closed() - a vGPU has been closed: its place is free
 * @vgpu: the vGPU
 *
 * Context: the lock of places is held; may sleep.
 */
void gslot_place_closed(struct gslot_vgpu *vgpu)
{
	/* If there is no memory for that, the others stay where they are. */
	gslot_places_update(vgpu->gpu, false);
	vgpu->place = GSLOT_PLACE_NONE;
}

/* Nothing of any is resident any more. */
static void unplace_all(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		vgpu->place = GSLOT_PLACE_NONE;
		if (!gslot_vgpu_is_in(vgpu))
			continue;
		mutex_lock(&vgpu->lock.mutex);
		gslot_exec_unhold(vgpu->exec);
		gslot_ggtt_unplace(vgpu->ggtt);
		mutex_unlock(&vgpu->lock.mutex);
	}
}

static enum gslot_sched_loading loading(const struct gslot_loading_rule *rule)
{
	if (!rule)
		return GSLOT_SCHED_LOAD_NOTHING;
	return rule->ahead ? GSLOT_SCHED_LOAD_AHEAD : GSLOT_SCHED_LOAD;
}

/* All stand still. Return: 0; or what they have prepared holds more than there is for it now. */
static int change_rule(struct gslot_vgpus *gpu, const struct gslot_loading_rule *rule,
		       const struct gslot_places *p)
{
	struct gslot_vgpu *vgpu;
	u32 i = 0;
	int ret;

	unplace_all(gpu);
	gslot_runs_set_rule(&gpu->runs, rule);
	gslot_sched_set_loading(gpu->sched, loading(rule));
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		if (!gslot_vgpu_is_in(vgpu))
			continue;
		if (rule)
			vgpu->place = p->vgpus[i++].next;
		ret = place(vgpu, vgpu->place);
		if (ret)
			return ret;
		gslot_ggtt_set_idle(vgpu->ggtt, false);
	}
	/* Some may be idle. */
	gslot_places_look(gpu, false);
	return 0;
}

/* Those that are closed, or nearly, are not planned for. */
static void forget_gone(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &gpu->vgpus, link)
		if (!gslot_vgpu_is_in(vgpu))
			vgpu->place = GSLOT_PLACE_NONE;
}

/* Where each will be. */
static int plan(struct gslot_vgpus *gpu, struct gslot_places *p)
{
	u32 i;
	int ret;

	forget_gone(gpu);
	ret = collect(gpu, p);

	/* As if they came all at once; who is idle may be awake by then. */
	for (i = 0; i < p->count; i++) {
		p->vgpus[i].place = GSLOT_PLACE_NONE;
		p->vgpus[i].idle = false;
	}
	return ret ?: choose(gpu, p);
}

static int set_rule(struct gslot_vgpus *gpu, const struct gslot_loading_rule *rule)
{
	const struct gslot_loading_rule *old = rule_of(gpu);
	struct gslot_places p = { .vgpus = alloc_places(gpu) };
	int ret = p.vgpus ? plan(gpu, &p) : -ENOMEM;

	if (ret)
		goto out;
	ret = gslot_vgpus_stop(gpu);
	if (ret)
		goto out;
	ret = change_rule(gpu, rule, &p);
	/* Who has a place can hold whatever he likes. */
	if (ret)
		WARN_ON(change_rule(gpu, old, &p));
	gslot_vgpus_go_on(gpu);
out:
	kvfree(p.vgpus);
	return ret;
}

static int find_rule(const char *name, const struct gslot_loading_rule **rule)
{
	u32 i;

	*rule = NULL;
	if (sysfs_streq(name, "cached"))
		return 0;
	for (i = 0; i < gslot_loading_nr_rules; i++) {
		*rule = &gslot_loading_rules[i];
		if (sysfs_streq(name, (*rule)->name))
			return 0;
	}
	return -EINVAL;
}

/**
 * gslot_places_set_rule() - an administrator says how graphics memory is shared
 * @gpu: the GPU
 * @name: of a rule of core/place/loading, or "cached"
 *
 * All vGPUs stand still for a moment.
 *
 * Return: 0; -EINVAL if there is none of that name; -ENOSPC if an open vGPU is larger than all
 * slots; -EDQUOT if what vGPUs have prepared holds more than there is room for; -EBUSY if it does,
 * or if memory of one of them is being taken away, or waited for, without an end; or -ENOMEM. Then
 * all is as it was.
 * Context: may sleep, without the GPU's locks.
 */
int gslot_places_set_rule(struct gslot_vgpus *gpu, const char *name)
{
	const struct gslot_loading_rule *rule;
	int ret = find_rule(name, &rule);

	if (ret)
		return ret;
	mutex_lock(&gpu->place_lock);
	mutex_lock(&gpu->lock);
	if (rule != rule_of(gpu))
		ret = set_rule(gpu, rule);
	mutex_unlock(&gpu->lock);
	mutex_unlock(&gpu->place_lock);
	return ret;
}

/**
 * gslot_places_set_policy() - an administrator says how places are chosen
 * @gpu: the GPU
 * @name: of the policy
 *
 * Return: 0, -EINVAL if there is none of that name, or as gslot_places_update().
 * Context: may sleep, without the GPU's locks.
 */
int gslot_places_set_policy(struct gslot_vgpus *gpu, const char *name)
{
	int ret = -EINVAL;
	u32 i;

	mutex_lock(&gpu->place_lock);
	for (i = 0; i < ARRAY_SIZE(policies); i++) {
		if (!sysfs_streq(name, policies[i]->name))
			continue;
		gpu->placement = policies[i];
		ret = gslot_places_update(gpu, true);
	}
	mutex_unlock(&gpu->place_lock);
	return ret;
}

/* The one that is chosen in brackets, as the block layer shows its schedulers. */
static ssize_t show_name(char *buf, ssize_t at, const char *name, bool chosen)
{
	return at + sysfs_emit_at(buf, at, chosen ? "%s[%s]" : "%s%s", at ? " " : "", name);
}

/**
 * gslot_places_show_rules() - what ways to share graphics memory there are
 * @gpu: the GPU
 * @buf: of sysfs
 *
 * Return: how much was written there.
 * Context: may sleep, without the GPU's locks.
 */
ssize_t gslot_places_show_rules(struct gslot_vgpus *gpu, char *buf)
{
	const struct gslot_loading_rule *rule;
	ssize_t n;
	u32 i;

	mutex_lock(&gpu->place_lock);
	rule = rule_of(gpu);
	n = show_name(buf, 0, "cached", !rule);
	for (i = 0; i < gslot_loading_nr_rules; i++)
		n = show_name(buf, n, gslot_loading_rules[i].name,
			      rule == &gslot_loading_rules[i]);
	mutex_unlock(&gpu->place_lock);
	return n + sysfs_emit_at(buf, n, "\n");
}

/**
 * gslot_places_show_policies() - what policies of placement there are
 * @gpu: the GPU
 * @buf: of sysfs
 *
 * Return: how much was written there.
 * Context: may sleep, without the GPU's locks.
 */
ssize_t gslot_places_show_policies(struct gslot_vgpus *gpu, char *buf)
{
	ssize_t n = 0;
	u32 i;

	mutex_lock(&gpu->place_lock);
	for (i = 0; i < ARRAY_SIZE(policies); i++)
		n = show_name(buf, n, policies[i]->name, gpu->placement == policies[i]);
	mutex_unlock(&gpu->place_lock);
	return n + sysfs_emit_at(buf, n, "\n");
}

static void show_slot(struct gslot_vgpus *gpu, struct seq_file *m, u32 slot)
{
	struct gslot_vgpu *vgpu;
	u32 n = 0;

	list_for_each_entry(vgpu, &gpu->vgpus, link)
		n += is_in(vgpu, slot);
	seq_printf(m, "slot_%u: vgpus=%u map=", slot, n);
	/* Who is where is seen at a glance: a letter for each vGPU, in its column. */
	n = 0;
	list_for_each_entry(vgpu, &gpu->vgpus, link) {
		seq_putc(m, is_in(vgpu, slot) ? 'A' + n % 26 : '.');
		n++;
	}
	seq_putc(m, '\n');
}

/**
 * gslot_places_show() - who has which slots, for debugfs
 * @gpu: the GPU
 * @m: where to
 *
 * Context: may sleep, without the GPU's locks.
 */
void gslot_places_show(struct gslot_vgpus *gpu, struct seq_file *m)
{
	struct gslot_vgpu *vgpu;
	u32 i, n = 0;

	mutex_lock(&gpu->place_lock);
	mutex_lock(&gpu->lock);
	seq_printf(m, "copy_policy: %s\nplacement: %s\nslot_mb: %llu\nslots: %u\n",
		   gslot_runs_policy(&gpu->runs), gpu->placement->name, SLOT_SIZE >> 20,
		   gslot_runs_slots(&gpu->runs));
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		seq_printf(m, "%c: vgpu=%s place=%d slots=%u\n", 'A' + n++ % 26,
			   gslot_vgpu_name(vgpu), (s32)vgpu->place, slots_of(vgpu));
	for (i = 0; rule_of(gpu) && i < gslot_runs_slots(&gpu->runs); i++)
		show_slot(gpu, m, i);
	mutex_unlock(&gpu->lock);
	mutex_unlock(&gpu->place_lock);
}
