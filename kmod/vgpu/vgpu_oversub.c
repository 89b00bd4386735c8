// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: oversubscription
 *
 * A controller (core/oversub/oversub.h) moves the caps that vGPUs were sold between those that are
 * open, and advises how many fit: docs/scheduling.md, "Oversubscription". The sold cap stays; the
 * scheduler is told the cap in force.
 *
 * Like the monitor, it samples vGPUs without their own locks, which may be held while a guest's
 * memory is waited for. While the machine sleeps nothing is sampled.
 */
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "vgpu_priv.h"
#include "base/policies.h"
#include "core/sched/policy.h"

#define NONE	"none"

/* GSLOT_OVERSUB_MOVED is not reported as advice. */
static const char * const oversub_words[] = {
	[GSLOT_OVERSUB_STEADY] = "steady",
	[GSLOT_OVERSUB_MOVED] = "steady",
	[GSLOT_OVERSUB_ROOM] = "room",
	[GSLOT_OVERSUB_OVERLOAD] = "overload",
};

/* A cap below the reserve has no effect. */
static u32 oversub_cap(struct gslot_vgpu *vgpu)
{
	const struct gslot_vgpu_oversub *o = &vgpu->vgpus->oversub;
	u32 cap = o->core.ops ? vgpu->controlled.client.cap : gslot_vgpu_knob(vgpu, GSLOT_KNOB_CAP);

	lockdep_assert_held(&o->lock);
	return max(cap, gslot_vgpu_knob(vgpu, GSLOT_KNOB_RESERVE));
}

static void oversub_apply_cap(struct gslot_vgpu *vgpu)
{
	vgpu->controlled.cap = oversub_cap(vgpu);
	gslot_knobs_set_policy(vgpu, vgpu->controlled.cap);
}

static void oversub_apply_changed_caps(struct gslot_vgpu_oversub *o)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &o->vgpus, controlled.link)
		if (vgpu->controlled.cap != oversub_cap(vgpu))
			oversub_apply_cap(vgpu);
}

/*
 * Count what the vGPU has done since the last sample. Its execution is valid: the vGPU leaves the
 * controller before that is destroyed.
 */
static void oversub_count(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_controlled *c = &vgpu->controlled;
	struct gslot_client_work now[GSLOT_NR_ENGINES], most = { };
	u64 frames = atomic64_read(&vgpu->frames);
	u32 i;

	gslot_client_work(vgpu->client, now);
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		const struct gslot_client_work did = {
			.had_ns = now[i].had_ns - c->work[i].had_ns,
			.waited_ns = now[i].waited_ns - c->work[i].waited_ns,
		};

		if (did.had_ns + did.waited_ns > most.had_ns + most.waited_ns)
			most = did;
		c->work[i] = now[i];
	}
	c->client.counters.busy_ns += most.had_ns;
	c->client.counters.waited_ns += most.waited_ns;
	c->client.counters.frames += frames - c->frames;
	c->frames = frames;
}

/* The controller sees a vGPU that has just joined. */
static void oversub_begin(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_oversub *o = &vgpu->vgpus->oversub;
	int ret;

	oversub_count(vgpu);
	ret = gslot_oversub_join(&o->core, &vgpu->controlled.client,
				 gslot_vgpu_knob(vgpu, GSLOT_KNOB_CAP),
				 gslot_vgpu_knob(vgpu, GSLOT_KNOB_QOS_FPS));
	/* There is room for all of the scheduler's clients, and knobs are in their ranges. */
	WARN_ON(ret);
}

/* Samples keep the rhythm of the period, even if one of them is late. */
static u64 oversub_next_look(const struct gslot_vgpu_oversub *o, u64 now)
{
	u64 next = o->look_at + o->core.ops->period_ns;

	return next > now ? next : now + o->core.ops->period_ns;
}

static void oversub_look_later(struct gslot_vgpu_oversub *o, u64 now)
{
	lockdep_assert_held(&o->lock);
	mod_delayed_work(system_freezable_wq, &o->work, nsecs_to_jiffies(o->look_at - now) + 1);
}

/* Release the lock, then announce new advice: a listener may read the attribute at once. */
static void oversub_unlock_and_announce(struct gslot_vgpu_oversub *o, bool changed)
{
	struct gslot_vgpus *vgpus = container_of(o, struct gslot_vgpus, oversub);
	struct kobject *kobj = &vgpus->pdev->dev.kobj;
	char text[32], *env[] = { text, NULL };

	mutex_unlock(&o->lock);
	if (!changed)
		return;
	snprintf(text, sizeof(text), "GSLOT_OVERSUB=%s", gslot_vgpus_oversub_advice(vgpus));
	sysfs_notify(kobj, "gslot", "oversub_advice");
	/* If there is no memory for it, the attribute says the same. */
	kobject_uevent_env(kobj, KOBJ_CHANGE, env);
}

/* Return: whether the advice has changed. */
static bool oversub_look_at_all(struct gslot_vgpu_oversub *o, u64 now)
{
	enum gslot_oversub_verdict verdict;
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &o->vgpus, controlled.link)
		oversub_count(vgpu);
	verdict = gslot_oversub_look(&o->core, now);
	oversub_apply_changed_caps(o);
	o->look_at = oversub_next_look(o, now);
	return gslot_oversub_advise(&o->advice, verdict, now);
}

static void oversub_work(struct work_struct *work)
{
	struct gslot_vgpu_oversub *o = container_of(to_delayed_work(work),
						    struct gslot_vgpu_oversub, work);
	bool changed = false;
	u64 now;

	mutex_lock(&o->lock);
	now = ktime_get_ns();
	/* Too early: by a part of a jiffy, or the controller has changed while it waited. */
	if (o->core.ops && now >= o->look_at)
		changed = oversub_look_at_all(o, now);
	if (o->core.ops)
		oversub_look_later(o, now);
	oversub_unlock_and_announce(o, changed);
}

void gslot_vgpus_oversub_init(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpu_oversub *o = &vgpus->oversub;

	mutex_init(&o->lock);
	INIT_LIST_HEAD(&o->vgpus);
	INIT_DELAYED_WORK(&o->work, oversub_work);
}

/* @ops: NULL: none. Return: whether the advice has changed. */
static bool oversub_change(struct gslot_vgpu_oversub *o, const struct gslot_oversub_ops *ops)
{
	u64 now = ktime_get_ns();
	struct gslot_vgpu *vgpu;

	lockdep_assert_held(&o->lock);
	gslot_oversub_init(&o->core, ops, now);
	list_for_each_entry(vgpu, &o->vgpus, controlled.link) {
		if (ops)
			oversub_begin(vgpu);
		oversub_apply_cap(vgpu);
	}
	o->look_at = now;
	if (ops) {
		o->look_at = oversub_next_look(o, now);
		oversub_look_later(o, now);
	} else {
		cancel_delayed_work(&o->work);
	}
	return gslot_oversub_reset_advice(&o->advice, now);
}

/* No vGPU is open any more, and no controller is being chosen. */
void gslot_vgpus_oversub_fini(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpu_oversub *o = &vgpus->oversub;

	mutex_lock(&o->lock);
	oversub_change(o, NULL);
	mutex_unlock(&o->lock);
	cancel_delayed_work_sync(&o->work);
	mutex_destroy(&o->lock);
}

static const struct gslot_oversub_ops *oversub_find(const char *name)
{
	u32 i;

	for (i = 0; gslot_controllers[i]; i++)
		if (sysfs_streq(name, gslot_controllers[i]->name))
			return gslot_controllers[i];
	return NULL;
}

/**
 * gslot_vgpus_set_oversub() - choose the controller, and reset all caps to what was sold
 * @vgpus: the GPU
 * @name: of the controller, or "none"; a newline may follow
 *
 * Return: 0, or -EINVAL if there is none of that name.
 * Context: may sleep.
 */
int gslot_vgpus_set_oversub(struct gslot_vgpus *vgpus, const char *name)
{
	const struct gslot_oversub_ops *ops = oversub_find(name);
	struct gslot_vgpu_oversub *o = &vgpus->oversub;
	bool changed = false;

	if (!ops && !sysfs_streq(name, NONE))
		return -EINVAL;
	mutex_lock(&o->lock);
	if (ops != o->core.ops)
		changed = oversub_change(o, ops);
	oversub_unlock_and_announce(o, changed);
	return 0;
}

/**
 * gslot_vgpus_show_oversub() - list the controllers
 * @vgpus: the GPU
 * @buf: of sysfs
 *
 * Return: how much was written there.
 * Context: may sleep.
 */
ssize_t gslot_vgpus_show_oversub(struct gslot_vgpus *vgpus, char *buf)
{
	const struct gslot_oversub_ops *ops;
	ssize_t n;
	u32 i;

	mutex_lock(&vgpus->oversub.lock);
	ops = vgpus->oversub.core.ops;
	mutex_unlock(&vgpus->oversub.lock);
	n = sysfs_emit(buf, ops ? "%s" : "[%s]", NONE);
	for (i = 0; gslot_controllers[i]; i++)
		n += sysfs_emit_at(buf, n, gslot_controllers[i] == ops ? " [%s]" : " %s",
				   gslot_controllers[i]->name);
	return n + sysfs_emit_at(buf, n, "\n");
}

/**
 * gslot_vgpus_oversub_advice() - get the advice whether one more vGPU fits
 * @vgpus: the GPU
 *
 * Return: a word; valid as long as the module.
 * Context: may sleep.
 */
const char *gslot_vgpus_oversub_advice(struct gslot_vgpus *vgpus)
{
	enum gslot_oversub_verdict verdict;

	mutex_lock(&vgpus->oversub.lock);
	verdict = vgpus->oversub.advice.word;
	mutex_unlock(&vgpus->oversub.lock);
	return oversub_words[verdict];
}

/* Begin to tell the scheduler the cap of a vGPU that has been opened. */
void gslot_vgpu_oversub_join(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_oversub *o = &vgpu->vgpus->oversub;
	bool changed;

	lockdep_assert_held(&vgpu->life);
	mutex_lock(&o->lock);
	vgpu->controlled = (struct gslot_vgpu_controlled) { };
	list_add_tail(&vgpu->controlled.link, &o->vgpus);
	if (o->core.ops)
		oversub_begin(vgpu);
	oversub_apply_cap(vgpu);
	changed = gslot_oversub_reset_advice(&o->advice, ktime_get_ns());
	oversub_unlock_and_announce(o, changed);
}

/*
 * The vGPU is about to be closed, and is not sampled any more when this returns. What others have
 * lent to it they get back.
 */
void gslot_vgpu_oversub_leave(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_oversub *o = &vgpu->vgpus->oversub;
	bool changed;

	lockdep_assert_held(&vgpu->life);
	mutex_lock(&o->lock);
	list_del_init(&vgpu->controlled.link);
	if (o->core.ops)
		gslot_oversub_leave(&o->core, &vgpu->controlled.client);
	oversub_apply_changed_caps(o);
	changed = gslot_oversub_reset_advice(&o->advice, ktime_get_ns());
	oversub_unlock_and_announce(o, changed);
}

/* Another cap was sold: what the vGPU has lent or borrowed is given back. */
static void oversub_cap_changed(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_oversub *o = &vgpu->vgpus->oversub;

	gslot_oversub_leave(&o->core, &vgpu->controlled.client);
	oversub_begin(vgpu);
	oversub_apply_changed_caps(o);
}

/* A knob of an open vGPU has changed. The scheduler knows of it when this returns. */
void gslot_vgpu_oversub_knob(struct gslot_vgpu *vgpu, enum gslot_knob knob)
{
	struct gslot_vgpu_oversub *o = &vgpu->vgpus->oversub;

	lockdep_assert_held(&vgpu->life);
	mutex_lock(&o->lock);
	if (o->core.ops && knob == GSLOT_KNOB_CAP)
		oversub_cap_changed(vgpu);
	else if (knob == GSLOT_KNOB_QOS_FPS)
		vgpu->controlled.client.qos_fps = gslot_vgpu_knob(vgpu, knob);
	oversub_apply_cap(vgpu);
	mutex_unlock(&o->lock);
}

/**
 * gslot_vgpu_cap_now() - get the cap in force
 * @vgpu: the vGPU
 *
 * Return: per mille; what it was sold, if it is not open.
 * Context: may sleep.
 */
u32 gslot_vgpu_cap_now(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_oversub *o = &vgpu->vgpus->oversub;
	u32 cap;

	mutex_lock(&o->lock);
	cap = list_empty(&vgpu->controlled.link) ? gslot_vgpu_knob(vgpu, GSLOT_KNOB_CAP) :
						   vgpu->controlled.cap;
	mutex_unlock(&o->lock);
	return cap;
}
