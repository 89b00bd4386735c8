// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: attributes of a vGPU
 *
 * Files of the mediated device, in "gslot": what an administrator sets, and what the vGPU has used.
 * They exist between probe() and remove() of the driver, and so does the vGPU. Only root can read
 * how much a guest does: other users of the host could tell from it what the guest does.
 */
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/sysfs.h>

#include "vfio_priv.h"

#define ALL_ENGINES	(BIT(GSLOT_NR_ENGINES) - 1)

/* An attribute of a vGPU */
struct vgpu_attr {
	struct device_attribute attr;	/* the attribute */
	u32 what;	/* which one of its kind: enum gslot_gm, gslot_knob or gslot_meter_count */
	u32 (*get)(struct gslot_vgpu *vgpu, u32 what);			/* gets its value */
	int (*set)(struct gslot_vgpu *vgpu, u32 what, u32 value);	/* sets it; 0 or -errno */
	u32 engines;			/* for a counter: the sum is of these engines */
};

static const struct vgpu_attr *attrs_of(struct device_attribute *attr)
{
	return container_of(attr, struct vgpu_attr, attr);
}

static struct gslot_vgpu *attrs_vgpu(struct device *dev)
{
	struct gslot_vfio_device *gdev = dev_get_drvdata(dev);

	return gdev->vgpu;
}

static ssize_t attrs_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct vgpu_attr *a = attrs_of(attr);

	return sysfs_emit(buf, "%u\n", a->get(attrs_vgpu(dev), a->what));
}

static ssize_t attrs_store(struct device *dev, struct device_attribute *attr, const char *buf,
			   size_t count)
{
	const struct vgpu_attr *a = attrs_of(attr);
	u32 value;
	int ret;

	/* Overflow is out of range too: -EINVAL. */
	if (kstrtou32(buf, 10, &value))
		return -EINVAL;
	ret = a->set(attrs_vgpu(dev), a->what, value);
	return ret ? ret : count;
}

static ssize_t attrs_show_used(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct vgpu_attr *a = attrs_of(attr);

	return sysfs_emit(buf, "%llu\n", gslot_vgpu_used(attrs_vgpu(dev), a->engines, a->what));
}

/* A read-only attribute. @_mode: RO, all users may read it, or ADMIN_RO, root only */
#define SHOWN(_name, _mode, _format, _get)							\
static ssize_t _name##_show(struct device *dev, struct device_attribute *attr, char *buf)	\
{												\
	return sysfs_emit(buf, _format "\n", _get(attrs_vgpu(dev)));				\
}												\
static DEVICE_ATTR_##_mode(_name)

SHOWN(id, RO, "%u", gslot_vgpu_id);
SHOWN(fps, ADMIN_RO, "%u", gslot_vgpu_fps);
SHOWN(cap_now, ADMIN_RO, "%u", gslot_vgpu_cap_now);
SHOWN(cpu_ns, ADMIN_RO, "%llu", gslot_vgpu_cpu_ns);
SHOWN(migration, ADMIN_RO, "%s", gslot_vgpu_migration);
SHOWN(migration_bytes, ADMIN_RO, "%llu", gslot_vgpu_migration_bytes);

static ssize_t memory_stat_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return gslot_vgpu_show_memory(attrs_vgpu(dev), buf);
}
static DEVICE_ATTR_ADMIN_RO(memory_stat);

#define NUMBER(_name, _get, _set, _what) \
	{ __ATTR(_name, 0644, attrs_show, attrs_store), _what, _get, _set }
#define MB(_name, _gm)		NUMBER(_name, gslot_vgpu_mb, gslot_vgpu_resize, _gm)
#define MB_NOW(_name, _gm)	{ __ATTR(_name, 0444, attrs_show, NULL), _gm, gslot_vgpu_mb_now }
#define KNOB(_name, _knob)	NUMBER(_name, gslot_vgpu_knob, gslot_vgpu_set_knob, _knob)
#define USED(_name, _what, _engines) \
	{ __ATTR(_name, 0400, attrs_show_used, NULL), _what, .engines = _engines }

static struct vgpu_attr low_mb = MB(low_mb, GSLOT_GM_LOW);
static struct vgpu_attr high_mb = MB(high_mb, GSLOT_GM_HIGH);
static struct vgpu_attr low_mb_now = MB_NOW(low_mb_now, GSLOT_GM_LOW);
static struct vgpu_attr high_mb_now = MB_NOW(high_mb_now, GSLOT_GM_HIGH);

static struct vgpu_attr weight = KNOB(weight, GSLOT_KNOB_WEIGHT);
static struct vgpu_attr cap = KNOB(cap, GSLOT_KNOB_CAP);
static struct vgpu_attr reserve = KNOB(reserve, GSLOT_KNOB_RESERVE);
static struct vgpu_attr exec_quantum_ms = KNOB(exec_quantum_ms, GSLOT_KNOB_QUANTUM_MS);
static struct vgpu_attr preempt_timeout_us = KNOB(preempt_timeout_us, GSLOT_KNOB_PREEMPT_US);
static struct vgpu_attr stop = KNOB(stop, GSLOT_KNOB_STOP);
static struct vgpu_attr qos_fps = KNOB(qos_fps, GSLOT_KNOB_QOS_FPS);
static struct vgpu_attr cpu_max = KNOB(cpu_max, GSLOT_KNOB_CPU_MAX);
static struct vgpu_attr pinned_min_mb = KNOB(pinned_min_mb, GSLOT_KNOB_PINNED_MIN_MB);
static struct vgpu_attr pinned_low_mb = KNOB(pinned_low_mb, GSLOT_KNOB_PINNED_LOW_MB);
static struct vgpu_attr pinned_max_mb = KNOB(pinned_max_mb, GSLOT_KNOB_PINNED_MAX_MB);

/* The PMU has all counters of each engine. */
static struct vgpu_attr rcs0_busy_ns = USED(rcs0_busy_ns, GSLOT_METER_BUSY_NS, BIT(GSLOT_RCS0));
static struct vgpu_attr bcs0_busy_ns = USED(bcs0_busy_ns, GSLOT_METER_BUSY_NS, BIT(GSLOT_BCS0));
static struct vgpu_attr vcs0_busy_ns = USED(vcs0_busy_ns, GSLOT_METER_BUSY_NS, BIT(GSLOT_VCS0));
static struct vgpu_attr vecs0_busy_ns = USED(vecs0_busy_ns, GSLOT_METER_BUSY_NS, BIT(GSLOT_VECS0));
static struct vgpu_attr requests = USED(requests, GSLOT_METER_REQUESTS, ALL_ENGINES);
static struct vgpu_attr preemptions = USED(preemptions, GSLOT_METER_PREEMPTIONS, ALL_ENGINES);
static struct vgpu_attr hangs = USED(hangs, GSLOT_METER_HANGS, ALL_ENGINES);
static struct vgpu_attr resets = USED(resets, GSLOT_METER_RESETS, ALL_ENGINES);

static struct attribute *attrs_list[] = {
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
	&pinned_min_mb.attr.attr,
	&pinned_low_mb.attr.attr,
	&pinned_max_mb.attr.attr,
	&dev_attr_cap_now.attr,
	&dev_attr_fps.attr,
	&dev_attr_cpu_ns.attr,
	&dev_attr_memory_stat.attr,
	&dev_attr_migration.attr,
	&dev_attr_migration_bytes.attr,
	&rcs0_busy_ns.attr.attr,
	&bcs0_busy_ns.attr.attr,
	&vcs0_busy_ns.attr.attr,
	&vecs0_busy_ns.attr.attr,
	&requests.attr.attr,
	&preemptions.attr.attr,
	&hangs.attr.attr,
	&resets.attr.attr,
	NULL,
};

static const struct attribute_group attrs_group = {
	.name = "gslot",
	.attrs = attrs_list,
};

const struct attribute_group *gslot_vgpu_groups[] = { &attrs_group, NULL };
