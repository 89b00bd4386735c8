// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: a PMU for each GPU, for perf(1)
 *
 * It has the counts of the scheduler's meters (sched/meter.c): docs/monitoring.md. An event holds a
 * reference to its meter, which stands still when its vGPU is removed.
 *
 * A PMU outlives the unbinding of its GPU, and serves the GPU again when it is bound anew. Before
 * 6.15 perf cannot detach events from a PMU that is unregistered: they would keep a pointer to
 * freed memory. Each event holds a reference to the module, so there are none when it is unloaded.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "gpu_priv.h"
#include "core/regs/engines.h"
#include "sched/sched.h"

/* All events count on this CPU, which every machine has: a GPU belongs to no CPU. */
#define PMU_CPU		0

/* An event's config: the engine, and what is counted. */
#define CONFIG_ENGINE	0x0f
#define CONFIG_COUNT	0xf0
#define CONFIG_SHIFT	4

/**
 * struct gslot_pmu - the PMU of a GPU
 * @base: perf's part
 * @link: in &gslot_pmus.list
 * @name: "gslot_" and the GPU's PCI address
 * @lock: protects @sched
 * @sched: the scheduler of the GPU; NULL while the GPU is not bound
 */
struct gslot_pmu {
	struct pmu base;
	struct list_head link;
	char name[32];
	struct mutex lock;	/* see gpu.c */
	struct gslot_sched *sched;
};

/**
 * struct gslot_pmus - the PMUs of all GPUs that have been bound since the module was loaded
 * @lock: protects @list
 * @list: the PMUs
 */
struct gslot_pmus {
	struct mutex lock;	/* see gpu.c */
	struct list_head list;
};

static struct gslot_pmus pmus = {
	.lock = __MUTEX_INITIALIZER(pmus.lock),
	.list = LIST_HEAD_INIT(pmus.list),
};

/*
 * ABI: an event's config contains the index. A maximum counts from the creation of its vGPU, since
 * the difference of two maxima means nothing.
 */
static const struct {
	const char *name;
	enum gslot_meter_count what;
	const char *unit;
	bool is_max;
} pmu_counts[] = {
	{ "busy", GSLOT_METER_BUSY_NS, "ns" },
	{ "held", GSLOT_METER_HELD_NS, "ns" },
	{ "requests", GSLOT_METER_REQUESTS },
	{ "preemptions", GSLOT_METER_PREEMPTIONS },
	{ "hangs", GSLOT_METER_HANGS },
	{ "resets", GSLOT_METER_RESETS },
	{ "switches", GSLOT_METER_SWITCHES },
	{ "longest-yield", GSLOT_METER_YIELD_NS, "ns", true },
	{ "longest-lag", GSLOT_METER_LAG_NS, "ns", true },
};

#define NR_EVENTS	(GSLOT_NR_ENGINES * ARRAY_SIZE(pmu_counts))

/* A file that describes an event: its name, and its contents */
struct event_attr {
	struct perf_pmu_events_attr base;
	char name[32];
	char text[12];
};

/* Shared by all PMUs: for each event a file, and one for its unit if it has one. */
static struct event_attr event_attrs[2 * NR_EVENTS];
static struct attribute *events_attrs[2 * NR_EVENTS + 1];

static const struct attribute_group events_group = {
	.name = "events",
	.attrs = events_attrs,
};

static void pmu_add_event_attr(u32 *n, u32 engine, u32 count, const char *suffix,
			       const char *text)
{
	struct event_attr *e = &event_attrs[*n];

	snprintf(e->name, sizeof(e->name), "%s-%s%s", gslot_engines[engine].name,
		 pmu_counts[count].name, suffix);
	strscpy(e->text, text, sizeof(e->text));
	e->base.event_str = e->text;
	e->base.attr.attr.name = e->name;
	e->base.attr.attr.mode = 0444;
	e->base.attr.show = perf_event_sysfs_show;
	events_attrs[(*n)++] = &e->base.attr.attr;
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

static u32 pmu_engine(u64 config)
{
	return config & CONFIG_ENGINE;
}

static u32 pmu_count_index(u64 config)
{
	return (config & CONFIG_COUNT) >> CONFIG_SHIFT;
}

static bool pmu_is_valid(const struct perf_event_attr *attr)
{
	return !(attr->config & ~(u64)(CONFIG_ENGINE | CONFIG_COUNT)) &&
	       pmu_engine(attr->config) < GSLOT_NR_ENGINES &&
	       pmu_count_index(attr->config) < ARRAY_SIZE(pmu_counts) &&
	       attr->config1 <= U32_MAX && !attr->config2;
}

static struct gslot_meter *pmu_find_meter(struct gslot_pmu *pmu, u32 vgpu)
{
	struct gslot_meter *meter = NULL;

	mutex_lock(&pmu->lock);
	if (pmu->sched)
		meter = gslot_meter_find(pmu->sched, vgpu);
	mutex_unlock(&pmu->lock);
	return meter;
}

static void pmu_event_destroy(struct perf_event *event)
{
	gslot_meter_put(event->pmu_private);
}

static int pmu_event_init(struct perf_event *event)
{
	struct gslot_pmu *pmu = container_of(event->pmu, struct gslot_pmu, base);
	struct gslot_meter *meter;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	/* An engine belongs to no task, and the PMU raises no interrupts for samples. */
	if (is_sampling_event(event) || event->attach_state & PERF_ATTACH_TASK || event->cpu < 0)
		return -EINVAL;
	if (!pmu_is_valid(&event->attr))
		return -EINVAL;
	meter = pmu_find_meter(pmu, event->attr.config1);
	if (!meter)
		return -ENODEV;
	event->cpu = PMU_CPU;
	event->pmu_private = meter;
	event->destroy = pmu_event_destroy;
	return 0;
}

static u64 pmu_event_value(const struct perf_event *event)
{
	const u64 config = event->attr.config;

	return gslot_meter_read(event->pmu_private, pmu_engine(config),
				pmu_counts[pmu_count_index(config)].what);
}

/* perf calls these with interrupts off, on one CPU. */
static void pmu_event_read(struct perf_event *event)
{
	const u64 now = pmu_event_value(event);

	local64_add(now - local64_xchg(&event->hw.prev_count, now), &event->count);
}

static void pmu_event_start(struct perf_event *event, int flags)
{
	if (!pmu_counts[pmu_count_index(event->attr.config)].is_max)
		local64_set(&event->hw.prev_count, pmu_event_value(event));
	event->hw.state = 0;
}

static void pmu_event_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	pmu_event_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int pmu_event_add(struct perf_event *event, int flags)
{
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		pmu_event_start(event, flags);
	return 0;
}

static void pmu_event_del(struct perf_event *event, int flags)
{
	pmu_event_stop(event, PERF_EF_UPDATE);
}

/* Describe the events. No GPU is bound yet. */
void __init gslot_pmus_init(void)
{
	char config[sizeof_field(struct event_attr, text)];
	u32 i, k, n = 0;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		for (k = 0; k < ARRAY_SIZE(pmu_counts); k++) {
			snprintf(config, sizeof(config), "event=0x%02x", k << CONFIG_SHIFT | i);
			pmu_add_event_attr(&n, i, k, "", config);
			if (pmu_counts[k].unit)
				pmu_add_event_attr(&n, i, k, ".unit", pmu_counts[k].unit);
		}
	}
}

static struct gslot_pmu *pmu_find(const char *name)
{
	struct gslot_pmu *pmu;

	lockdep_assert_held(&pmus.lock);
	list_for_each_entry(pmu, &pmus.list, link)
		if (!strcmp(pmu->name, name))
			return pmu;
	return NULL;
}

static struct gslot_pmu *pmu_create(const char *name)
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
		.event_init = pmu_event_init,
		.add = pmu_event_add,
		.del = pmu_event_del,
		.start = pmu_event_start,
		.stop = pmu_event_stop,
		.read = pmu_event_read,
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

static void pmu_set_sched(struct gslot_pmu *pmu, struct gslot_sched *sched)
{
	mutex_lock(&pmu->lock);
	pmu->sched = sched;
	mutex_unlock(&pmu->lock);
}

/* Let perf count the use of a GPU. Return: the GPU's PMU, or ERR_PTR. */
struct gslot_pmu *gslot_pmu_attach(struct pci_dev *pdev, struct gslot_sched *sched)
{
	char name[sizeof_field(struct gslot_pmu, name)];
	struct gslot_pmu *pmu;

	snprintf(name, sizeof(name), "gslot_%s", pci_name(pdev));
	/* perf's event syntax reserves the colon. */
	strreplace(name, ':', '_');
	mutex_lock(&pmus.lock);
	pmu = pmu_find(name) ?: pmu_create(name);
	if (!IS_ERR(pmu))
		pmu_set_sched(pmu, sched);
	mutex_unlock(&pmus.lock);
	return pmu;
}

/* The events stand still when the scheduler is destroyed, and none can be opened from now on. */
void gslot_pmu_detach(struct gslot_pmu *pmu)
{
	pmu_set_sched(pmu, NULL);
}

/* No GPU is bound any more. */
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
