// SPDX-License-Identifier: GPL-2.0
/* Attributes of a GPU, in "gslot": docs/ABI/testing/sysfs-bus-pci-drivers-gslot. */
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/sysfs.h>

#include "gpu_priv.h"
#include "places/places.h"
#include "sched/sched.h"
#include "vgpu/vgpus.h"

/* A number. @set sets it to @value: 0 or -errno. Overflow is out of range too: -EINVAL. */
#define NUMBER(name, get, set)									\
static ssize_t sysfs_show_##name(struct device *dev, struct device_attribute *attr, char *buf)	\
{												\
	struct gslot_vgpus *vgpus = gslot_gpu_vgpus(dev);					\
												\
	return sysfs_emit(buf, "%u\n", get);							\
}												\
												\
static ssize_t sysfs_store_##name(struct device *dev, struct device_attribute *attr,		\
				  const char *buf, size_t count)				\
{												\
	struct gslot_vgpus *vgpus = gslot_gpu_vgpus(dev);					\
	u32 value;										\
												\
	if (kstrtou32(buf, 10, &value))								\
		return -EINVAL;									\
	return (set) ?: count;									\
}												\
												\
static struct device_attribute name = __ATTR(name, 0644, sysfs_show_##name, sysfs_store_##name)

/* One of several names. @show lists them, the one in use in brackets; @set returns 0 or -errno. */
#define CHOICE(name, show, set)									\
static ssize_t sysfs_show_##name(struct device *dev, struct device_attribute *attr, char *buf)	\
{												\
	struct gslot_vgpus *vgpus = gslot_gpu_vgpus(dev);					\
												\
	return show;										\
}												\
												\
static ssize_t sysfs_store_##name(struct device *dev, struct device_attribute *attr,		\
				  const char *buf, size_t count)				\
{												\
	struct gslot_vgpus *vgpus = gslot_gpu_vgpus(dev);					\
												\
	return (set) ?: count;									\
}												\
												\
static struct device_attribute name = __ATTR(name, 0644, sysfs_show_##name, sysfs_store_##name)

NUMBER(exec_quantum_ms, gslot_sched_quantum_ms(vgpus->sched),
       gslot_sched_set_quantum_ms(vgpus->sched, value));
NUMBER(idle_ms, gslot_vgpus_idle_ms(vgpus), gslot_vgpus_set_idle_ms(vgpus, value));
NUMBER(max_vgpus, gslot_vgpus_count(vgpus).max, gslot_vgpus_set_max(vgpus, value));
CHOICE(copy_policy, gslot_places_show_rules(vgpus, buf), gslot_places_set_rule(vgpus, buf));
CHOICE(oversub, gslot_vgpus_show_oversub(vgpus, buf), gslot_vgpus_set_oversub(vgpus, buf));
CHOICE(placement, gslot_places_show_policies(vgpus, buf), gslot_places_set_policy(vgpus, buf));
CHOICE(policy, gslot_sched_show_policies(vgpus->sched, buf),
       gslot_sched_set_policy(vgpus->sched, buf));

static ssize_t oversub_advice_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", gslot_vgpus_oversub_advice(gslot_gpu_vgpus(dev)));
}
static DEVICE_ATTR_ADMIN_RO(oversub_advice);

static struct attribute *attrs[] = {
	&copy_policy.attr,
	&exec_quantum_ms.attr,
	&idle_ms.attr,
	&max_vgpus.attr,
	&oversub.attr,
	&dev_attr_oversub_advice.attr,
	&placement.attr,
	&policy.attr,
	NULL,
};

static const struct attribute_group group = {
	.name = "gslot",
	.attrs = attrs,
};

const struct attribute_group *gslot_gpu_groups[] = { &group, NULL };
