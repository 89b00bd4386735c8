// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: types and creation of vGPUs
 *
 * A type defines how much graphics memory a vGPU has at first. All vGPUs of a GPU share its GGTT,
 * whatever their types, and count towards one limit.
 */
#include <linux/device.h>
#include <linux/mdev.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "vfio.h"
#include "vfio_priv.h"
#include "hw/hw.h"
#include "vgpu/vgpus.h"

/* The type that costs the host least comes first. */
static const struct gslot_profile gmdev_profiles[] = {
	{ "L64-H384", "gslot: 64 MB low, 384 MB high graphics memory", 64, 384, 8192 },
	{ "L64-H704", "gslot: 64 MB low, 704 MB high graphics memory", 64, 704, 12288 },
	{ "L64-H1024", "gslot: 64 MB low, 1024 MB high graphics memory", 64, 1024, 16384 },
	{ "L128-H384", "gslot: 128 MB low, 384 MB high graphics memory", 128, 384, 16384 },
};

/**
 * struct gslot_vfio_parent - a GPU as a parent of mediated devices
 * @mdev: mdev's part
 * @vgpus: the GPU
 * @types: its types, as in gmdev_profiles[]
 * @type_ptrs: pointers to @types, for mdev
 */
struct gslot_vfio_parent {
	struct mdev_parent mdev;
	struct gslot_vgpus *vgpus;
	struct mdev_type types[ARRAY_SIZE(gmdev_profiles)];
	struct mdev_type *type_ptrs[ARRAY_SIZE(gmdev_profiles)];
};

static struct gslot_vfio_parent *gmdev_parent(struct mdev_type *type)
{
	return container_of(type->parent, struct gslot_vfio_parent, mdev);
}

static struct gslot_vgpus *gmdev_vgpus(struct mdev_type *type)
{
	return gmdev_parent(type)->vgpus;
}

static const struct gslot_profile *gmdev_profile(struct mdev_type *type)
{
	return &gmdev_profiles[type - gmdev_parent(type)->types];
}

static unsigned int gmdev_get_available(struct mdev_type *type)
{
	const struct gslot_vgpu_count count = gslot_vgpus_count(gmdev_vgpus(type));

	return count.max > count.now ? count.max - count.now : 0;
}

/* How much memory of the host a vGPU may use, MB. */
static u32 gmdev_host_mb(const struct gslot_profile *p)
{
	return DIV_ROUND_UP_ULL(gslot_vgpu_host_memory(p), SZ_1M);
}

/* The first lines are those of other mediated GPUs, which tools parse. */
static ssize_t gmdev_show_description(struct mdev_type *type, char *buf)
{
	const struct gslot_profile *p = gmdev_profile(type);

	return sysfs_emit(buf,
			  "low_gm_size: %uMB\nhigh_gm_size: %uMB\nfence: %u\n"
			  "resolution: none\ncap: none\nmaximum: %u\nhost_memory: %uMB\n",
			  p->low_mb, p->high_mb, GEN_NR_FENCES,
			  gslot_vgpus_count(gmdev_vgpus(type)).max, gmdev_host_mb(p));
}

/* mdev returns -ENOSPC from "create"; the log has the reason. */
static void gmdev_warn_limit(struct mdev_device *mdev)
{
	const struct gslot_profile *p = gmdev_profile(mdev->type);
	const struct gslot_vgpu_count count = gslot_vgpus_count(gmdev_vgpus(mdev->type));

	dev_warn_ratelimited(mdev_dev(mdev),
			     "no more vGPUs: there are %u, %u are allowed; gslot/max_vgpus of the GPU in sysfs allows up to %u; %s costs the host up to %u MB of memory\n",
			     count.now, count.max, count.most, p->name, gmdev_host_mb(p));
}

/* Return: a vGPU of the mediated device's type, or ERR_PTR(-ENOMEM). */
struct gslot_vgpu *gslot_mdev_create_vgpu(struct gslot_vfio_device *gdev)
{
	struct mdev_type *type = to_mdev_device(gdev->vdev.dev)->type;

	return gslot_vgpu_create(gmdev_vgpus(type), gdev->vdev.dev, gmdev_profile(type),
				 &gslot_vfio_vgpu_ops, gdev);
}

static int gmdev_probe(struct mdev_device *mdev)
{
	struct gslot_vfio_device *gdev;
	int ret;

	if (gslot_hw_wedged(gmdev_vgpus(mdev->type)->hw))
		return -EIO;
	gdev = vfio_alloc_device(gslot_vfio_device, vdev, mdev_dev(mdev), &gslot_vfio_ops);
	if (IS_ERR(gdev))
		return PTR_ERR(gdev);
	ret = gslot_vgpu_admit(gdev->vgpu);
	if (ret) {
		if (ret == -ENOSPC)
			gmdev_warn_limit(mdev);
		goto err_put;
	}
	dev_set_drvdata(mdev_dev(mdev), gdev);
	ret = vfio_register_emulated_iommu_dev(&gdev->vdev);
	if (ret)
		goto err_dismiss;
	return 0;

err_dismiss:
	gslot_vgpu_dismiss(gdev->vgpu);
err_put:
	vfio_put_device(&gdev->vdev);
	return ret;
}

/* vfio_unregister_group_dev() waits until the user has closed the device. */
static void gmdev_remove(struct mdev_device *mdev)
{
	struct gslot_vfio_device *gdev = dev_get_drvdata(mdev_dev(mdev));

	vfio_unregister_group_dev(&gdev->vdev);
	gslot_vgpu_dismiss(gdev->vgpu);
	vfio_put_device(&gdev->vdev);
}

static struct mdev_driver mdev_driver = {
	.device_api = VFIO_DEVICE_API_PCI_STRING,
	.probe = gmdev_probe,
	.remove = gmdev_remove,
	.get_available = gmdev_get_available,
	.show_description = gmdev_show_description,
	.driver = {
		.name = "gslot_vgpu",
		.owner = THIS_MODULE,
		.mod_name = KBUILD_MODNAME,
		.dev_groups = gslot_vgpu_groups,
	},
};

/**
 * gslot_vfio_register() - offer vGPUs of a GPU
 * @vgpus: the GPU, in working order; vGPUs may be created before this returns
 *
 * Return: the argument for gslot_vfio_unregister(), or ERR_PTR: -ENOMEM, or the error of
 * mdev_register_parent().
 * Context: may sleep.
 */
struct gslot_vfio_parent *gslot_vfio_register(struct gslot_vgpus *vgpus)
{
	struct gslot_vfio_parent *parent = kzalloc(sizeof(*parent), GFP_KERNEL);
	struct gslot_hw *hw = vgpus->hw;
	int ret, i;

	if (!parent)
		return ERR_PTR(-ENOMEM);
	parent->vgpus = vgpus;
	gslot_vgpus_init_limit(vgpus, &gmdev_profiles[0]);
	for (i = 0; i < ARRAY_SIZE(gmdev_profiles); i++) {
		parent->types[i].sysfs_name = gmdev_profiles[i].name;
		parent->types[i].pretty_name = gmdev_profiles[i].title;
		parent->type_ptrs[i] = &parent->types[i];
	}
	ret = mdev_register_parent(&parent->mdev, &vgpus->pdev->dev, &mdev_driver,
				   parent->type_ptrs, ARRAY_SIZE(gmdev_profiles));
	if (ret) {
		kfree(parent);
		return ERR_PTR(ret);
	}
	dev_info(&vgpus->pdev->dev,
		 "%s (Gen%u), %llu MB of graphics memory: %u vGPUs are allowed\n",
		 gslot_hw_name(hw), gslot_hw_gen(hw), gslot_hw_ggtt_size(hw) / SZ_1M,
		 gslot_vgpus_count(vgpus).max);
	return parent;
}

/**
 * gslot_vfio_unregister() - remove all vGPUs of a GPU
 * @parent: the result of gslot_vfio_register()
 *
 * Context: may sleep: waits until all of them are closed.
 */
void gslot_vfio_unregister(struct gslot_vfio_parent *parent)
{
	mdev_unregister_parent(&parent->mdev);
	kfree(parent);
}

/**
 * gslot_vfio_init() - register the driver of mediated devices, when the module is loaded
 *
 * Return: 0, -ENOMEM, or the error of kern_mount() or mdev_register_driver().
 * Context: may sleep.
 */
int __init gslot_vfio_init(void)
{
	int ret = gslot_kvm_init();

	if (ret)
		return ret;
	ret = gslot_inode_init();
	if (ret)
		goto err_kvm;
	ret = mdev_register_driver(&mdev_driver);
	if (ret)
		goto err_inode;
	return 0;

err_inode:
	gslot_inode_exit();
err_kvm:
	gslot_kvm_exit();
	return ret;
}

/**
 * gslot_vfio_exit() - undo gslot_vfio_init(); no GPU offers vGPUs any more
 *
 * Context: may sleep.
 */
void gslot_vfio_exit(void)
{
	mdev_unregister_driver(&mdev_driver);
	gslot_inode_exit();
	gslot_kvm_exit();
}
