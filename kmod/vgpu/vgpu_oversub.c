// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: oversubscription
 *
 * What a vGPU may have of an engine is sold by an administrator: the knob "cap". If more is sold
 * than there is, a controller (core/sell/oversub.h) moves caps between vGPUs that are open, looks at
 * what they do with them, and says whether one more fits or there are too many. What is sold
 * stays; what the scheduler is told is the cap in force.
 *
 * A cap is of each engine, and a controller knows one: that on which the vGPU had most to do since
 * the last look. So who work on different engines are taken to be in each other's way.
 *
 * As the monitor, it looks at vGPUs without their own locks, which are held while guests are waited
 * for. While the machine sleeps nothing is looked at.
 */
#include <linux/kobject.h>
#include <linux/ktime.h>
#include <linux/pci.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "vgpu_priv.h"
#include "base/baselines.h"
#include "core/sched/policy.h"

#define NONE	"none"

static const char *word_of(enum gslot_oversub_verdict verdict)
{
	switch (verdict) {
	case GSLOT_OVERSUB_ROOM:
		return "room";
	case GSLOT_OVERSUB_OVERLOAD:
		return "overload";
	case GSLOT_OVERSUB_STEADY:
	case GSLOT_OVERSUB_MOVED:
		break;
	}
	return "steady";
}

/* A reserve is kept, whatever the controller says. */
static u32 cap_in_force(const struct gslot_vgpu *vgpu)
{
	const struct gslot_vgpu_oversub *o = &vgpu->gpu->oversub;
	u32 cap = o->core.ops ? vgpu->controlled.client.cap :
				gslot_vgpu_knob(vgpu, GSLOT_KNOB_CAP);

	lockdep_assert_held(&o->lock);
	return max(cap, gslot_vgpu_knob(vgpu, GSLOT_KNOB_RESERVE));
}

static void tell(struct gslot_vgpu *vgpu)
{
	vgpu->controlled.cap = cap_in_force(vgpu);
	gslot_knobs_tell(vgpu, vgpu->controlled.cap);
}

static void tell_changed(struct gslot_vgpu_oversub *o)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &o->vgpus, controlled.link)
		if (vgpu->controlled.cap != cap_in_force(vgpu))
			tell(vgpu);
}

/* What it has done since it was counted last. Its execution goes away only after it has left. */
static void count(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_controlled *c = &vgpu->controlled;
	struct gslot_client_work now[GSLOT_NR_ENGINES], most = { };
	u64 frames = atomic64_read(&vgpu->frames);
	u32 i;

	gslot_client_work(gslot_exec_client(vgpu->exec), now);
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

/* It is as one that has just come. */
static void begin(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_oversub *o = &vgpu->gpu->oversub;
	int ret;

	BUILD_BUG_ON(GSLOT_OVERSUB_CLIENTS < GSLOT_POLICY_CLIENTS);
	BUILD_BUG_ON(GSLOT_OVERSUB_WHOLE != GSLOT_POLICY_ALWAYS);
	count(vgpu);
	ret = gslot_oversub_join(&o->core, &vgpu->controlled.client,
				 gslot_vgpu_knob(vgpu, GSLOT_KNOB_CAP),
				 gslot_vgpu_knob(vgpu, GSLOT_KNOB_QOS_FPS));
	/* There are as many at most as the scheduler has clients, and knobs are in their range. */
	WARN_ON(ret);
}

/* At a beat, so that a second of looks is one. */
static u64 next_look(const struct gslot_vgpu_oversub *o, u64 now)
{
	u64 next = o->look_at + o->core.ops->period_ns;

	return next > now ? next : now + o->core.ops->period_ns;
}

static void look_later(struct gslot_vgpu_oversub *o, u64 now)
{
	lockdep_assert_held(&o->lock);
	mod_delayed_work(system_freezable_wq, &o->work, nsecs_to_jiffies(o->look_at - now) + 1);
}

/* Without the lock: whoever hears of it may ask at once. */
static void announce(struct gslot_vgpus *gpu)
{
	struct kobject *kobj = &gpu->pdev->dev.kobj;
	char text[32], *env[] = { text, NULL };

	snprintf(text, sizeof(text), "GSLOT_OVERSUB=%s", gslot_vgpus_oversub_advice(gpu));
	sysfs_notify(kobj, "gslot", "oversub_advice");
	/* If there is no memory for it, the attribute says the same. */
	kobject_uevent_env(kobj, KOBJ_CHANGE, env);
}

/* Return: whether there is anything new to be said. */
static bool look_at_all(struct gslot_vgpu_oversub *o, u64 now)
{
	enum gslot_oversub_verdict verdict;
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &o->vgpus, controlled.link)
		count(vgpu);
	verdict = gslot_oversub_look(&o->core, now);
	tell_changed(o);
	o->look_at = next_look(o, now);
	return gslot_oversub_advise(&o->advice, verdict, now);
}

static void look(struct work_struct *work)
{
	struct gslot_vgpu_oversub *o = container_of(to_delayed_work(work),
						    struct gslot_vgpu_oversub, work);
	bool news = false;
	u64 now;

	mutex_lock(&o->lock);
	now = ktime_get_ns();
	/* Too early: by a part of a jiffy, or the controller has changed while it waited. */
	if (o->core.ops && now >= o->look_at)
		news = look_at_all(o, now);
	if (o->core.ops)
		look_later(o, now);
	mutex_unlock(&o->lock);
	if (news)
		announce(container_of(o, struct gslot_vgpus, oversub));
}

/**
 * gslot_vgpus_oversub_init() - no controller
 * @gpu: the GPU; no vGPU of it is open
 *
 * Context: may sleep.
 */
void gslot_vgpus_oversub_init(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu_oversub *o = &gpu->oversub;

	mutex_init(&o->lock);
	INIT_LIST_HEAD(&o->vgpus);
	INIT_DELAYED_WORK(&o->work, look);
}

/* @ops: NULL: none. Return: whether there is anything new to be said. */
static bool change(struct gslot_vgpu_oversub *o, const struct gslot_oversub_ops *ops)
{
	u64 now = ktime_get_ns();
	struct gslot_vgpu *vgpu;

	lockdep_assert_held(&o->lock);
	gslot_oversub_init(&o->core, ops, now);
	list_for_each_entry(vgpu, &o->vgpus, controlled.link) {
		if (ops)
			begin(vgpu);
		tell(vgpu);
	}
	o->look_at = now;
	if (ops) {
		o->look_at = next_look(o, now);
		look_later(o, now);
	} else {
		cancel_delayed_work(&o->work);
	}
	return gslot_oversub_unsay(&o->advice, now);
}

/**
 * gslot_vgpus_oversub_fini() - undo gslot_vgpus_oversub_init()
 * @gpu: the GPU; no vGPU of it is open any more, and nobody chooses controllers
 *
 * Context: may sleep.
 */
void gslot_vgpus_oversub_fini(struct gslot_vgpus *gpu)
{
	struct gslot_vgpu_oversub *o = &gpu->oversub;

	mutex_lock(&o->lock);
	change(o, NULL);
	mutex_unlock(&o->lock);
	cancel_delayed_work_sync(&o->work);
	mutex_destroy(&o->lock);
}

static const struct gslot_oversub_ops *find(const char *name)
{
	u32 i;

	for (i = 0; gslot_controllers[i]; i++)
		if (sysfs_streq(name, gslot_controllers[i]->name))
			return gslot_controllers[i];
	return NULL;
}

/**
 * gslot_vgpus_set_oversub() - an administrator says who moves caps
 * @gpu: the GPU
 * @name: of the controller, or "none"; a newline may follow
 *
 * All caps are what was sold then, and a controller begins with that.
 *
 * Return: 0, or -EINVAL if there is none of that name.
 * Context: may sleep.
 */
int gslot_vgpus_set_oversub(struct gslot_vgpus *gpu, const char *name)
{
	const struct gslot_oversub_ops *ops = find(name);
	struct gslot_vgpu_oversub *o = &gpu->oversub;
	bool news = false;

	if (!ops && !sysfs_streq(name, NONE))
		return -EINVAL;
	mutex_lock(&o->lock);
	if (ops != o->core.ops)
		news = change(o, ops);
	mutex_unlock(&o->lock);
	if (news)
		announce(gpu);
	return 0;
}

/**
 * gslot_vgpus_show_oversub() - what controllers there are
 * @gpu: the GPU
 * @buf: of sysfs
 *
 * Return: how much was written there.
 * Context: may sleep.
 */
ssize_t gslot_vgpus_show_oversub(struct gslot_vgpus *gpu, char *buf)
{
	const struct gslot_oversub_ops *ops;
	ssize_t n;
	u32 i;

	mutex_lock(&gpu->oversub.lock);
	ops = gpu->oversub.core.ops;
	mutex_unlock(&gpu->oversub.lock);
	n = sysfs_emit(buf, ops ? "%s" : "[%s]", NONE);
	for (i = 0; gslot_controllers[i]; i++)
		n += sysfs_emit_at(buf, n, gslot_controllers[i] == ops ? " [%s]" : " %s",
				   gslot_controllers[i]->name);
	return n + sysfs_emit_at(buf, n, "\n");
}

/**
 * gslot_vgpus_oversub_advice() - does one more vGPU fit, or are there too many?
 * @gpu: the GPU
 *
 * Return: a word; valid as long as the module.
 * Context: may sleep.
 */
const char *gslot_vgpus_oversub_advice(struct gslot_vgpus *gpu)
{
	enum gslot_oversub_verdict verdict;

	mutex_lock(&gpu->oversub.lock);
	verdict = gpu->oversub.advice.word;
	mutex_unlock(&gpu->oversub.lock);
	return word_of(verdict);
}

/**
 * gslot_vgpu_oversub_join() - a vGPU is open: its cap is told to the scheduler, from now on
 * @vgpu: the vGPU
 *
 * Context: may sleep; gslot_vgpu.life is held.
 */
void gslot_vgpu_oversub_join(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_oversub *o = &vgpu->gpu->oversub;
	bool news;

	lockdep_assert_held(&vgpu->life);
	mutex_lock(&o->lock);
	vgpu->controlled = (struct gslot_vgpu_controlled) { };
	list_add_tail(&vgpu->controlled.link, &o->vgpus);
	if (o->core.ops)
		begin(vgpu);
	tell(vgpu);
	news = gslot_oversub_unsay(&o->advice, ktime_get_ns());
	mutex_unlock(&o->lock);
	if (news)
		announce(vgpu->gpu);
}

/**
 * gslot_vgpu_oversub_leave() - undo gslot_vgpu_oversub_join()
 * @vgpu: the vGPU, about to be closed; nobody looks at it when this returns
 *
 * What others have lent it they have again.
 *
 * Context: may sleep; gslot_vgpu.life is held.
 */
void gslot_vgpu_oversub_leave(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_oversub *o = &vgpu->gpu->oversub;
	bool news;

	lockdep_assert_held(&vgpu->life);
	mutex_lock(&o->lock);
	list_del_init(&vgpu->controlled.link);
	if (o->core.ops)
		gslot_oversub_leave(&o->core, &vgpu->controlled.client);
	tell_changed(o);
	news = gslot_oversub_unsay(&o->advice, ktime_get_ns());
	mutex_unlock(&o->lock);
	if (news)
		announce(vgpu->gpu);
}

/* It has been sold another cap: nobody has lent it anything, nor it to others. */
static void resell(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_oversub *o = &vgpu->gpu->oversub;

	gslot_oversub_leave(&o->core, &vgpu->controlled.client);
	begin(vgpu);
	tell_changed(o);
}

/**
 * gslot_vgpu_oversub_knob() - an administrator has said what a vGPU's share is to be
 * @vgpu: the vGPU, open
 * @knob: in what respect
 *
 * The scheduler knows of it when this returns.
 *
 * Context: may sleep; gslot_vgpu.life is held.
 */
void gslot_vgpu_oversub_knob(struct gslot_vgpu *vgpu, enum gslot_knob knob)
{
	struct gslot_vgpu_oversub *o = &vgpu->gpu->oversub;

	lockdep_assert_held(&vgpu->life);
	mutex_lock(&o->lock);
	if (o->core.ops && knob == GSLOT_KNOB_CAP)
		resell(vgpu);
	else if (knob == GSLOT_KNOB_QOS_FPS)
		vgpu->controlled.client.qos_fps = gslot_vgpu_knob(vgpu, knob);
	tell(vgpu);
	mutex_unlock(&o->lock);
}

/**
 * gslot_vgpu_cap_now() - how much of an engine may a vGPU have now?
 * @vgpu: the vGPU
 *
 * Return: per mille; what it was sold, if it is not open.
 * Context: may sleep.
 */
u32 gslot_vgpu_cap_now(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_oversub *o = &vgpu->gpu->oversub;
	u32 cap;

	mutex_lock(&o->lock);
	cap = list_empty(&vgpu->controlled.link) ? gslot_vgpu_knob(vgpu, GSLOT_KNOB_CAP) :
						   vgpu->controlled.cap;
	mutex_unlock(&o->lock);
	return cap;
}
