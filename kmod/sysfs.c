// SPDX-License-Identifier: GPL-2.0
/* Attributes of a GPU, in "gslot": docs/ABI/testing/sysfs-bus-pci-drivers-gslot. */
#include <linux/device.h>
#include <linux/kstrtox.h>
#include <linux/sysfs.h>

#include "gpu_priv.h"
#include "places/places.h"
#include "vgpu/vgpus.h"

/* An attribute that is a number */
struct number_attr {
	struct device_attribute attr;				/* the attribute */
	u32 (*get)(struct gslot_vgpus *vgpus);			/* gets its value */
	int (*set)(struct gslot_vgpus *vgpus, u32 value);	/* sets its value; 0 or -errno */
};

/* An attribute that is one of several names */
struct choice_attr {
	struct device_attribute attr;	/* the attribute */
	/* Lists the names, the one in use in brackets; how many bytes */
	ssize_t (*show)(struct gslot_vgpus *vgpus, char *buf);
	/* Chooses one; 0 or -errno */
	int (*set)(struct gslot_vgpus *vgpus, const char *name);
};

static ssize_t sysfs_show_number(struct device *dev, struct device_attribute *attr, char *buf)
{
	const struct number_attr *a = container_of(attr, struct number_attr, attr);

	return sysfs_emit(buf, "%u\n", a->get(gslot_gpu_vgpus(dev)));
}

static ssize_t sysfs_store_number(struct device *dev, struct device_attribute *attr,
				  const char *buf, size_t count)
{
	const struct number_attr *a = container_of(attr, struct number_attr, attr);
	u32 value;
	int ret;

	/* Overflow is out of range too: -EINVAL. */
	if (kstrtou32(buf, 10, &value))
		return -EINVAL;
	ret = a->set(gslot_gpu_vgpus(dev), value);
	return ret ? ret : count;
}

static ssize_t sysfs_show_choice(struct device *dev, struct device_attribute *attr, char *buf)
{
	return container_of(attr, struct choice_attr, attr)->show(gslot_gpu_vgpus(dev), buf);
}

static ssize_t sysfs_store_choice(struct device *dev, struct device_attribute *attr,
				  const char *buf, size_t count)
{
	int ret = container_of(attr, struct choice_attr, attr)->set(gslot_gpu_vgpus(dev), buf);

	return ret ? ret : count;
}

static u32 sysfs_max_vgpus(struct gslot_vgpus *vgpus)
{
	return gslot_vgpus_count(vgpus).max;
}

static ssize_t oversub_advice_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", gslot_vgpus_oversub_advice(gslot_gpu_vgpus(dev)));
}
static DEVICE_ATTR_ADMIN_RO(oversub_advice);

#define NUMBER(_name, _get, _set) \
	{ __ATTR(_name, 0644, sysfs_show_number, sysfs_store_number), _get, _set }
#define CHOICE(_name, _show, _set) \
	{ __ATTR(_name, 0644, sysfs_show_choice, sysfs_store_choice), _show, _set }

static struct number_attr exec_quantum_ms =
	NUMBER(exec_quantum_ms, gslot_vgpus_quantum_ms, gslot_vgpus_set_quantum_ms);
static struct number_attr idle_ms = NUMBER(idle_ms, gslot_vgpus_idle_ms, gslot_vgpus_set_idle_ms);
static struct number_attr max_vgpus = NUMBER(max_vgpus, sysfs_max_vgpus, gslot_vgpus_set_max);
static struct number_attr pinned_max_mb =
	NUMBER(pinned_max_mb, gslot_vgpus_pinned_max_mb, gslot_vgpus_set_pinned_max_mb);
static struct choice_attr copy_policy =
	CHOICE(copy_policy, gslot_places_show_copy_policies, gslot_places_set_copy_policy);
static struct choice_attr oversub =
	CHOICE(oversub, gslot_vgpus_show_oversub, gslot_vgpus_set_oversub);
static struct choice_attr placement =
	CHOICE(placement, gslot_places_show_placements, gslot_places_set_placement);
static struct choice_attr reclaim =
	CHOICE(reclaim, gslot_vgpus_show_reclaim, gslot_vgpus_set_reclaim);
static struct choice_attr policy =
	CHOICE(policy, gslot_vgpus_show_sched_policies, gslot_vgpus_set_sched_policy);

static struct attribute *sysfs_attrs[] = {
	&copy_policy.attr.attr,
	&exec_quantum_ms.attr.attr,
	&idle_ms.attr.attr,
	&max_vgpus.attr.attr,
	&pinned_max_mb.attr.attr,
	&oversub.attr.attr,
	&dev_attr_oversub_advice.attr,
	&placement.attr.attr,
	&policy.attr.attr,
	&reclaim.attr.attr,
	NULL,
};

static const struct attribute_group sysfs_group = {
	.name = "gslot",
	.attrs = sysfs_attrs,
};

const struct attribute_group *gslot_gpu_groups[] = { &sysfs_group, NULL };
