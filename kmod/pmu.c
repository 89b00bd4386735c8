// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: a PMU a GPU, for perf(1)
 *
 * It counts what the scheduler's meters count (sched/meter.c): of an engine, by all vGPUs or by
 * one. docs/monitoring.md says how to use it.
 *
 * An event has a reference to its meter, which stands still when its vGPU is gone, and never
 * counts another one that gets the same number.
 *
 * A PMU stays when its GPU is unbound, and is that GPU's again when it is bound anew. Before 6.15
 * perf has no way to part events from their PMU: they would be left with one that is freed. It
 * has a reference to the module for each event, though; so when the module is unloaded there are
 * none.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "pmu.h"
#include "core/regs/engines.h"
#include "sched/sched.h"

/* The one that every machine has, and that stays: a GPU is no part of any. */
#define PMU_CPU		0

/* An event's config: what is counted, and of which engine. */
#define CONFIG_ENGINE	0x0f
#define CONFIG_COUNT	0xf0
#define CONFIG_SHIFT	4

/**
 * struct gslot_pmu - a PMU
 * @base: what perf knows
 * @link: in &gslot_pmus.list
 * @name: "gslot_" and the GPU's PCI address
 * @lock: protects @sched
 * @sched: the scheduler of the GPU; NULL: it is not bound
 */
struct gslot_pmu {
	struct pmu base;
	struct list_head link;
	char name[32];
	struct mutex lock;	/* see gpu.c */
	struct gslot_sched *sched;
};

/**
 * struct gslot_pmus - all PMUs that there ever were
 * @lock: protects @list
 * @list: they
 */
struct gslot_pmus {
	struct mutex lock;	/* see gpu.c */
	struct list_head list;
};

static struct gslot_pmus pmus = {
	.lock = __MUTEX_INITIALIZER(pmus.lock),
	.list = LIST_HEAD_INIT(pmus.list),
};

/* Their place here is part of an event's config, which users have from sysfs, or know by heart. */
static const struct {
	const char *name;
	enum gslot_meter_count what;
	const char *unit;
} counts[] = {
	{ "busy", GSLOT_METER_BUSY_NS, "ns" },
	{ "held", GSLOT_METER_HELD_NS, "ns" },
	{ "requests", GSLOT_METER_REQUESTS },
	{ "preemptions", GSLOT_METER_PREEMPTIONS },
	{ "hangs", GSLOT_METER_HANGS },
	{ "resets", GSLOT_METER_RESETS },
	{ "switches", GSLOT_METER_SWITCHES },
};

#define NR_EVENTS	(GSLOT_NR_ENGINES * ARRAY_SIZE(counts))

/**
 * struct event_attr - a file that describes an event
 * @attr: the attribute
 * @name: its name
 * @text: what it says
 */
struct event_attr {
	struct device_attribute attr;
	char name[24];
	char text[12];
};

/* The same for all PMUs: an event, and its unit if it has one. */
static struct event_attr event_attrs[2 * NR_EVENTS];
static struct attribute *events_attrs[2 * NR_EVENTS + 1];

static const struct attribute_group events_group = {
	.name = "events",
	.attrs = events_attrs,
};

static ssize_t show_event(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", container_of(attr, struct event_attr, attr)->text);
}

static struct event_attr *add_event_attr(u32 i)
{
	struct event_attr *e = &event_attrs[i];

	e->attr = (struct device_attribute) {
		.attr = { .name = e->name, .mode = 0444 },
		.show = show_event,
	};
	events_attrs[i] = &e->attr.attr;
	return e;
}

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(vgpu, "config1:0-31");

static struct attribute *format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_vgpu.attr,
	NULL,
};

static const struct attribute_group format_group = {
	.name = "format",
	.attrs = format_attrs,
};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", PMU_CPU);
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *cpumask_attrs[] = {
	&dev_attr_cpumask.attr,
	NULL,
};

static const struct attribute_group cpumask_group = {
	.attrs = cpumask_attrs,
};

static const struct attribute_group *attr_groups[] = {
	&cpumask_group,
	&events_group,
	&format_group,
	NULL,
};

static u32 engine_of(u64 config)
{
	return config & CONFIG_ENGINE;
}

static u32 count_of(u64 config)
{
	return (config & CONFIG_COUNT) >> CONFIG_SHIFT;
}

static bool is_valid(const struct perf_event_attr *attr)
{
	return !(attr->config & ~(u64)(CONFIG_ENGINE | CONFIG_COUNT)) &&
	       engine_of(attr->config) < GSLOT_NR_ENGINES &&
	       count_of(attr->config) < ARRAY_SIZE(counts) &&
	       attr->config1 <= U32_MAX && !attr->config2;
}

static struct gslot_meter *find_meter(struct gslot_pmu *pmu, u32 vgpu)
{
	struct gslot_meter *meter = NULL;

	mutex_lock(&pmu->lock);
	if (pmu->sched)
		meter = gslot_meter_find(pmu->sched, vgpu);
	mutex_unlock(&pmu->lock);
	return meter;
}

static void event_destroy(struct perf_event *event)
{
	gslot_meter_put(event->pmu_private);
}

static int event_init(struct perf_event *event)
{
	struct gslot_pmu *pmu = container_of(event->pmu, struct gslot_pmu, base);
	struct gslot_meter *meter;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	/* An engine is of no CPU, and no task; and it does not interrupt when it has counted. */
	if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK || event->cpu < 0)
		return -EINVAL;
	if (!is_valid(&event->attr))
		return -EINVAL;
	meter = find_meter(pmu, event->attr.config1);
	if (!meter)
		return -ENODEV;
	event->cpu = PMU_CPU;
	event->pmu_private = meter;
	event->destroy = event_destroy;
	return 0;
}

static u64 count(const struct perf_event *event)
{
	const u64 config = event->attr.config;

	return gslot_meter_read(event->pmu_private, engine_of(config),
				counts[count_of(config)].what);
}

/* perf calls these with interrupts off, on one CPU. */
static void event_read(struct perf_event *event)
{
	const u64 now = count(event);

	local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static void event_start(struct perf_event *event, int flags)
{
	local64_set(&event->hw.prev_count, count(event));
	event->hw.state = 0;
}

static void event_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	event_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int event_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		event_start(event, flags);
	return 0;
}

static void event_del(struct perf_event *event, int flags)
{
	event_stop(event, PERF_EF_UPDATE);
}

/**
 * gslot_pmus_init() - describe events, when the module is loaded
 *
 * Context: any; no GPU is driven yet.
 */
void gslot_pmus_init(void)
{
	struct event_attr *e;
	u32 i, k, n = 0;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		for (k = 0; k < ARRAY_SIZE(counts); k++) {
			e = add_event_attr(n++);
			snprintf(e->name, sizeof(e->name), "%s-%s", gslot_engines[i].name,
				 counts[k].name);
			snprintf(e->text, sizeof(e->text), "event=0x%02x", k << CONFIG_SHIFT | i);
			if (!counts[k].unit)
				continue;
			e = add_event_attr(n++);
			snprintf(e->name, sizeof(e->name), "%s-%s.unit", gslot_engines[i].name,
				 counts[k].name);
			strscpy(e->text, counts[k].unit, sizeof(e->text));
		}
	}
}

static struct gslot_pmu *find_pmu(const char *name)
{
	struct gslot_pmu *pmu;

	lockdep_assert_held(&pmus.lock);
	list_for_each_entry(pmu, &pmus.list, link)
		if (!strcmp(pmu->name, name))
			return pmu;
	return NULL;
}

static struct gslot_pmu *create_pmu(const char *name)
{
	struct gslot_pmu *pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);
	int ret;

	lockdep_assert_held(&pmus.lock);
	if (!pmu)
		return ERR_PTR(-ENOMEM);
	strscpy(pmu->name, name, sizeof(pmu->name));
	mutex_init(&pmu->lock);
	pmu->base = (struct pmu) {
		.module = THIS_MODULE,
		.task_ctx_nr = perf_invalid_context,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE | PERF_PMU_CAP_NO_INTERRUPT,
		.attr_groups = attr_groups,
		.event_init = event_init,
		.add = event_add,
		.del = event_del,
		.start = event_start,
		.stop = event_stop,
		.read = event_read,
	};
	ret = perf_pmu_register(&pmu->base, pmu->name, -1);
	if (ret) {
		mutex_destroy(&pmu->lock);
		kfree(pmu);
		return ERR_PTR(ret);
	}
	list_add(&pmu->link, &pmus.list);
	return pmu;
}

static void set_sched(struct gslot_pmu *pmu, struct gslot_sched *sched)
{
	mutex_lock(&pmu->lock);
	pmu->sched = sched;
	mutex_unlock(&pmu->lock);
}

/**
 * gslot_pmu_attach() - perf can count what a GPU does
 * @pdev: the GPU
 * @sched: its scheduler
 *
 * Return: its PMU, or ERR_PTR.
 * Context: may sleep.
 */
struct gslot_pmu *gslot_pmu_attach(struct pci_dev *pdev, struct gslot_sched *sched)
{
	char name[sizeof_field(struct gslot_pmu, name)];
	struct gslot_pmu *pmu;

	snprintf(name, sizeof(name), "gslot_%s", pci_name(pdev));
	/* In an event's name of perf's a colon would end it. */
	strreplace(name, ':', '_');
	mutex_lock(&pmus.lock);
	pmu = find_pmu(name) ?: create_pmu(name);
	if (!IS_ERR(pmu))
		set_sched(pmu, sched);
	mutex_unlock(&pmus.lock);
	return pmu;
}

/**
 * gslot_pmu_detach() - undo gslot_pmu_attach()
 * @pmu: the PMU; its events stand still when the scheduler is gone, and there are no new ones
 *
 * Context: may sleep.
 */
void gslot_pmu_detach(struct gslot_pmu *pmu)
{
	set_sched(pmu, NULL);
}

/**
 * gslot_pmus_exit() - the module is unloaded: there are no PMUs any more
 *
 * Context: may sleep; no GPU is driven any more.
 */
void gslot_pmus_exit(void)
{
	struct gslot_pmu *pmu, *next;

	mutex_lock(&pmus.lock);
	list_for_each_entry_safe(pmu, next, &pmus.list, link) {
		perf_pmu_unregister(&pmu->base);
		list_del(&pmu->link);
		mutex_destroy(&pmu->lock);
		kfree(pmu);
	}
	mutex_unlock(&pmus.lock);
}
