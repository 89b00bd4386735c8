// SPDX-License-Identifier: GPL-2.0
/* Attributes of a GPU, in "gslot": docs/ABI/testing/sysfs-bus-pci-drivers-gslot. */
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/sysfs.h>

#include "gpu_priv.h"
#include "places/places.h"
#include "vgpu/vgpus.h"

/* An attribute that is a number. @set returns 0 or -errno. */
#define NUMBER(name, get, set)									\
static ssize_t sysfs_show_##name(struct device *dev, struct device_attribute *attr, char *buf)	\
{												\
	return sysfs_emit(buf, "%u\n", get(gslot_gpu_vgpus(dev)));				\
}												\
												\
static ssize_t sysfs_store_##name(struct device *dev, struct device_attribute *attr,		\
				  const char *buf, size_t count)				\
{												\
	u32 value;										\
												\
	/* Overflow is out of range too: -EINVAL. */						\
	if (kstrtou32(buf, 10, &value))								\
		return -EINVAL;									\
	return set(gslot_gpu_vgpus(dev), value) ?: count;					\
}												\
												\
static struct device_attribute name = __ATTR(name, 0644, sysfs_show_##name, sysfs_store_##name)

/* One of several names. @show lists them, the one in use in brackets; @set returns 0 or -errno. */
#define CHOICE(name, show, set)									\
static ssize_t sysfs_show_##name(struct device *dev, struct device_attribute *attr, char *buf)	\
{												\
	return show(gslot_gpu_vgpus(dev), buf);							\
}												\
												\
static ssize_t sysfs_store_##name(struct device *dev, struct device_attribute *attr,		\
				  const char *buf, size_t count)				\
{												\
	return set(gslot_gpu_vgpus(dev), buf) ?: count;						\
}												\
												\
static struct device_attribute name = __ATTR(name, 0644, sysfs_show_##name, sysfs_store_##name)

static u32 sysfs_max_vgpus(struct gslot_vgpus *vgpus)
{
	return gslot_vgpus_count(vgpus).max;
}

NUMBER(exec_quantum_ms, gslot_vgpus_quantum_ms, gslot_vgpus_set_quantum_ms);
NUMBER(idle_ms, gslot_vgpus_idle_ms, gslot_vgpus_set_idle_ms);
NUMBER(max_vgpus, sysfs_max_vgpus, gslot_vgpus_set_max);
CHOICE(copy_policy, gslot_places_show_rules, gslot_places_set_rule);
CHOICE(oversub, gslot_vgpus_show_oversub, gslot_vgpus_set_oversub);
CHOICE(placement, gslot_places_show_policies, gslot_places_set_policy);
CHOICE(policy, gslot_vgpus_show_policies, gslot_vgpus_set_policy);

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
