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

static struct gslot_vgpu *attrs_vgpu(struct device *dev)
{
	struct gslot_vfio_device *gdev = dev_get_drvdata(dev);

	return gdev->vgpu;
}

/* @get: a number, from @vgpu */
#define ATTR_SHOW(name, get)									\
static ssize_t attrs_show_##name(struct device *dev, struct device_attribute *attr, char *buf)	\
{												\
	struct gslot_vgpu *vgpu = attrs_vgpu(dev);						\
												\
	return sysfs_emit(buf, "%llu\n", (u64)(get));						\
}

/* @set: sets @value of @vgpu; 0 or -errno. Overflow is out of range too: -EINVAL. */
#define ATTR_STORE(name, set)									\
static ssize_t attrs_store_##name(struct device *dev, struct device_attribute *attr,		\
				  const char *buf, size_t count)				\
{												\
	struct gslot_vgpu *vgpu = attrs_vgpu(dev);						\
	u32 value;										\
												\
	if (kstrtou32(buf, 10, &value))								\
		return -EINVAL;									\
	return (set) ?: count;									\
}

#define ATTR_RO(name, mode, get)								\
	ATTR_SHOW(name, get)									\
	static struct device_attribute name = __ATTR(name, mode, attrs_show_##name, NULL)

#define ATTR_RW(name, get, set)									\
	ATTR_SHOW(name, get)									\
	ATTR_STORE(name, set)									\
	static struct device_attribute name =							\
		__ATTR(name, 0644, attrs_show_##name, attrs_store_##name)

#define ATTR_MB(name, gm)									\
	ATTR_RW(name, gslot_vgpu_mb(vgpu, gm), gslot_vgpu_resize(vgpu, gm, value))

#define ATTR_KNOB(name, knob)									\
	ATTR_RW(name, gslot_vgpu_knob(vgpu, knob), gslot_vgpu_set_knob(vgpu, knob, value))

#define ATTR_USED(name, engines, what)								\
	ATTR_RO(name, 0400, gslot_vgpu_used(vgpu, engines, what))

ATTR_RO(id, 0444, gslot_vgpu_id(vgpu));

ATTR_MB(low_mb, GSLOT_GM_LOW);
ATTR_MB(high_mb, GSLOT_GM_HIGH);
ATTR_RO(low_mb_now, 0444, gslot_vgpu_mb_now(vgpu, GSLOT_GM_LOW));
ATTR_RO(high_mb_now, 0444, gslot_vgpu_mb_now(vgpu, GSLOT_GM_HIGH));

ATTR_KNOB(weight, GSLOT_KNOB_WEIGHT);
ATTR_KNOB(cap, GSLOT_KNOB_CAP);
ATTR_KNOB(reserve, GSLOT_KNOB_RESERVE);
ATTR_KNOB(exec_quantum_ms, GSLOT_KNOB_QUANTUM_MS);
ATTR_KNOB(preempt_timeout_us, GSLOT_KNOB_PREEMPT_US);
ATTR_KNOB(stop, GSLOT_KNOB_STOP);
ATTR_KNOB(qos_fps, GSLOT_KNOB_QOS_FPS);
ATTR_KNOB(cpu_max, GSLOT_KNOB_CPU_MAX);

ATTR_RO(cap_now, 0400, gslot_vgpu_cap_now(vgpu));
ATTR_RO(fps, 0400, gslot_vgpu_fps(vgpu));
ATTR_RO(cpu_ns, 0400, gslot_vgpu_cpu_ns(vgpu));

/* The PMU has all counters of each engine. */
ATTR_USED(rcs0_busy_ns, BIT(GSLOT_RCS0), GSLOT_METER_BUSY_NS);
ATTR_USED(bcs0_busy_ns, BIT(GSLOT_BCS0), GSLOT_METER_BUSY_NS);
ATTR_USED(vcs0_busy_ns, BIT(GSLOT_VCS0), GSLOT_METER_BUSY_NS);
ATTR_USED(vecs0_busy_ns, BIT(GSLOT_VECS0), GSLOT_METER_BUSY_NS);
ATTR_USED(requests, ALL_ENGINES, GSLOT_METER_REQUESTS);
ATTR_USED(preemptions, ALL_ENGINES, GSLOT_METER_PREEMPTIONS);
ATTR_USED(hangs, ALL_ENGINES, GSLOT_METER_HANGS);
ATTR_USED(resets, ALL_ENGINES, GSLOT_METER_RESETS);

static struct attribute *attrs[] = {
	&id.attr,
	&low_mb.attr,
	&high_mb.attr,
	&low_mb_now.attr,
	&high_mb_now.attr,
	&weight.attr,
	&cap.attr,
	&reserve.attr,
	&exec_quantum_ms.attr,
	&preempt_timeout_us.attr,
	&stop.attr,
	&qos_fps.attr,
	&cpu_max.attr,
	&cap_now.attr,
	&fps.attr,
	&cpu_ns.attr,
	&rcs0_busy_ns.attr,
	&bcs0_busy_ns.attr,
	&vcs0_busy_ns.attr,
	&vecs0_busy_ns.attr,
	&requests.attr,
	&preemptions.attr,
	&hangs.attr,
	&resets.attr,
	NULL,
};

static const struct attribute_group group = {
	.name = "gslot",
	.attrs = attrs,
};

const struct attribute_group *gslot_vgpu_groups[] = { &group, NULL };
