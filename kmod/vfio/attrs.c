// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: attributes of a vGPU
 *
 * What an administrator may change of a vGPU, and what it has used so far: files of its mediated
 * device, in "gslot". They are there between probe() and remove() of the driver, so the vGPU is,
 * too. What says how much its guest does is for root to read: by that, other users of the host
 * could tell what the guest does.
 */
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/string.h>
#include <linux/sysfs.h>

#include "vfio_priv.h"
#include "sched/sched.h"

/**
 * struct gm_attr - how much graphics memory
 * @attr: the attribute
 * @gm: low or high
 */
struct gm_attr {
	struct device_attribute attr;
	enum gslot_gm gm;
};

/**
 * struct knob_attr - its share of the GPU
 * @attr: the attribute
 * @knob: which knob
 */
struct knob_attr {
	struct device_attribute attr;
	enum gslot_knob knob;
};

/**
 * struct meter_attr - what it has used of an engine
 * @attr: the attribute
 * @name: its name
 * @engine: which engine
 * @what: what of
 */
struct meter_attr {
	struct device_attribute attr;
	char name[32];
	enum gslot_engine_id engine;
	enum gslot_meter_count what;
};

static enum gslot_knob knob_of(struct device_attribute *attr)
{
	return container_of(attr, struct knob_attr, attr)->knob;
}

static enum gslot_gm gm_of(struct device_attribute *attr)
{
	return container_of(attr, struct gm_attr, attr)->gm;
}

static struct gslot_vgpu *vgpu_of(struct device *dev)
{
	struct gslot_vfio_device *gdev = dev_get_drvdata(dev);

	return gdev->vgpu;
}

static ssize_t show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gslot_vgpu_mb(vgpu_of(dev), gm_of(attr)));
}

static ssize_t show_now(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gslot_vgpu_mb_now(vgpu_of(dev), gm_of(attr)));
}

static ssize_t store(struct device *dev, struct device_attribute *attr, const char *buf,
		     size_t count)
{
	u32 mb;
	int ret;

	/* One that no number holds is too large, as others are. */
	if (kstrtou32(buf, 10, &mb))
		return -EINVAL;
	ret = gslot_vgpu_resize(vgpu_of(dev), gm_of(attr), mb);
	return ret ? ret : count;
}

static ssize_t show_knob(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gslot_vgpu_knob(vgpu_of(dev), knob_of(attr)));
}

static ssize_t store_knob(struct device *dev, struct device_attribute *attr, const char *buf,
			  size_t count)
{
	u32 value;
	int ret;

	if (kstrtou32(buf, 10, &value))
		return -EINVAL;
	ret = gslot_vgpu_set_knob(vgpu_of(dev), knob_of(attr), value);
	return ret ? ret : count;
}

static ssize_t id_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gslot_meter_id(gslot_vgpu_meter(vgpu_of(dev))));
}
static DEVICE_ATTR_RO(id);

static ssize_t fps_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gslot_vgpu_fps(vgpu_of(dev)));
}
static DEVICE_ATTR_ADMIN_RO(fps);

static ssize_t cap_now_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gslot_vgpu_cap_now(vgpu_of(dev)));
}
static DEVICE_ATTR_ADMIN_RO(cap_now);

static ssize_t cpu_ns_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%llu\n", gslot_meter_cpu_ns(gslot_vgpu_meter(vgpu_of(dev))));
}
static DEVICE_ATTR_ADMIN_RO(cpu_ns);

static ssize_t show_meter(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct meter_attr *m = container_of(attr, struct meter_attr, attr);

	return sysfs_emit(buf, "%llu\n",
			  gslot_meter_read(gslot_vgpu_meter(vgpu_of(dev)), m->engine, m->what));
}

static struct knob_attr weight = {
	__ATTR(weight, 0644, show_knob, store_knob), GSLOT_KNOB_WEIGHT
};

static struct knob_attr cap = {
	__ATTR(cap, 0644, show_knob, store_knob), GSLOT_KNOB_CAP
};

static struct knob_attr reserve = {
	__ATTR(reserve, 0644, show_knob, store_knob), GSLOT_KNOB_RESERVE
};

static struct knob_attr exec_quantum_ms = {
	__ATTR(exec_quantum_ms, 0644, show_knob, store_knob), GSLOT_KNOB_QUANTUM_MS
};

static struct knob_attr preempt_timeout_us = {
	__ATTR(preempt_timeout_us, 0644, show_knob, store_knob), GSLOT_KNOB_PREEMPT_US
};

static struct knob_attr stop = {
	__ATTR(stop, 0644, show_knob, store_knob), GSLOT_KNOB_STOP
};

static struct knob_attr qos_fps = {
	__ATTR(qos_fps, 0644, show_knob, store_knob), GSLOT_KNOB_QOS_FPS
};

static struct knob_attr cpu_max = {
	__ATTR(cpu_max, 0644, show_knob, store_knob), GSLOT_KNOB_CPU_MAX
};

static struct gm_attr low_mb = { __ATTR(low_mb, 0644, show, store), GSLOT_GM_LOW };
static struct gm_attr high_mb = { __ATTR(high_mb, 0644, show, store), GSLOT_GM_HIGH };
static struct gm_attr low_mb_now = { __ATTR(low_mb_now, 0444, show_now, NULL), GSLOT_GM_LOW };
static struct gm_attr high_mb_now = { __ATTR(high_mb_now, 0444, show_now, NULL), GSLOT_GM_HIGH };

static const char *const meter_names[GSLOT_METER_NR] = {
	[GSLOT_METER_BUSY_NS] = "busy_ns",
	[GSLOT_METER_HELD_NS] = "held_ns",
	[GSLOT_METER_YIELD_NS] = "longest_yield_ns",
	[GSLOT_METER_REQUESTS] = "requests",
	[GSLOT_METER_PREEMPTIONS] = "preemptions",
	[GSLOT_METER_HANGS] = "hangs",
	[GSLOT_METER_RESETS] = "resets",
	[GSLOT_METER_SWITCHES] = "switches",
	[GSLOT_METER_LAG_NS] = "longest_lag_ns",
};

static struct meter_attr meter_attrs[GSLOT_NR_ENGINES * GSLOT_METER_NR];

static struct attribute *const named_attrs[] = {
	&dev_attr_id.attr,
	&low_mb.attr.attr,
	&high_mb.attr.attr,
	&low_mb_now.attr.attr,
	&high_mb_now.attr.attr,
	&weight.attr.attr,
	&cap.attr.attr,
	&reserve.attr.attr,
	&exec_quantum_ms.attr.attr,
	&preempt_timeout_us.attr.attr,
	&stop.attr.attr,
	&qos_fps.attr.attr,
	&cpu_max.attr.attr,
	&dev_attr_cap_now.attr,
	&dev_attr_fps.attr,
	&dev_attr_cpu_ns.attr,
};

/* These, and those of meters. */
static struct attribute *attrs[ARRAY_SIZE(named_attrs) + ARRAY_SIZE(meter_attrs) + 1];

static const struct attribute_group group = {
	.name = "gslot",
	.attrs = attrs,
};

const struct attribute_group *gslot_vgpu_groups[] = { &group, NULL };

/**
 * gslot_attrs_init() - make the attributes of meters, when the module is loaded
 *
 * Context: any; there is no mediated device yet.
 */
void gslot_attrs_init(void)
{
	struct meter_attr *m = meter_attrs;
	u32 i, k, n = ARRAY_SIZE(named_attrs);

	memcpy(attrs, named_attrs, sizeof(named_attrs));
	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		for (k = 0; k < GSLOT_METER_NR; k++, m++) {
			snprintf(m->name, sizeof(m->name), "%s_%s", gslot_engines[i].name,
				 meter_names[k]);
			m->attr = (struct device_attribute) {
				.attr = { .name = m->name, .mode = 0400 },
				.show = show_meter,
			};
			m->engine = i;
			m->what = k;
			attrs[n++] = &m->attr.attr;
		}
	}
}
