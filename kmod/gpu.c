// SPDX-License-Identifier: GPL-2.0
/*
 * The PCI driver: one GPU is put together from the layers, bottom up, and
 * taken apart in the opposite order.
 */
#include <linux/aperture.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/slab.h>

#include "debugfs.h"
#include "gpu.h"
#include "hw/hw.h"
#include "hw/ids.h"
#include "sched/sched.h"
#include "vfio/vfio.h"
#include "vgpu/parent.h"

/**
 * struct gslot_gpu - a GPU that gslot drives
 * @parent: its parts, as the vGPUs know them
 * @vfio: mdev registration
 */
struct gslot_gpu {
	struct gslot_vgpu_parent parent;
	struct gslot_vfio_parent *vfio;
};

/* Bottom up; what is above the hardware hears of it from gslot_hw_start() on. */
static int parent_init(struct gslot_vgpu_parent *parent, struct pci_dev *pdev)
{
	int ret;

	parent->pdev = pdev;
	mutex_init(&parent->lock);
	INIT_LIST_HEAD(&parent->vgpus);
	parent->hw = gslot_hw_create(pdev);
	if (IS_ERR(parent->hw)) {
		ret = PTR_ERR(parent->hw);
		goto err_lock;
	}
	parent->sched = gslot_sched_create(parent->hw);
	if (IS_ERR(parent->sched)) {
		ret = PTR_ERR(parent->sched);
		goto err_hw;
	}
	gslot_slots_init(&parent->slots, gslot_hw_ggtt_size(parent->hw));
	ret = gslot_hw_start(parent->hw, &gslot_sched_hw_events, parent->sched);
	if (ret)
		goto err_sched;
	gslot_debugfs_gpu_add(parent);
	return 0;

err_sched:
	gslot_sched_destroy(parent->sched);
err_hw:
	gslot_hw_destroy(parent->hw);
err_lock:
	mutex_destroy(&parent->lock);
	return ret;
}

static void parent_fini(struct gslot_vgpu_parent *parent)
{
	gslot_debugfs_gpu_remove(parent);
	gslot_hw_stop(parent->hw);
	gslot_sched_destroy(parent->sched);
	gslot_hw_destroy(parent->hw);
	mutex_destroy(&parent->lock);
}

static int gpu_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct gslot_gpu *gpu;
	int ret;

	/* The firmware's frame buffer is in the aperture that guests get. */
	ret = aperture_remove_conflicting_pci_devices(pdev, "gslot");
	if (ret)
		return ret;

	gpu = kzalloc(sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return -ENOMEM;
	ret = parent_init(&gpu->parent, pdev);
	if (ret)
		goto err_free;
	pci_set_drvdata(pdev, gpu);
	gpu->vfio = gslot_vfio_register(&gpu->parent);
	if (IS_ERR(gpu->vfio)) {
		ret = PTR_ERR(gpu->vfio);
		goto err_parent;
	}
	return 0;

err_parent:
	parent_fini(&gpu->parent);
err_free:
	kfree(gpu);
	return ret;
}

static void gpu_remove(struct pci_dev *pdev)
{
	struct gslot_gpu *gpu = pci_get_drvdata(pdev);

	/* Waits until every vGPU is closed. */
	gslot_vfio_unregister(gpu->vfio);
	parent_fini(&gpu->parent);
	kfree(gpu);
}

/* Nothing of the vGPUs is on the hardware, and nothing more comes from it. */
static void parent_suspend(struct gslot_vgpu_parent *parent)
{
	gslot_vgpus_suspend(parent);
	gslot_hw_stop(parent->hw);
	gslot_hw_suspend(parent->hw);
}

/* Reboot or kexec: the next kernel must find no DMA under way. */
static void gpu_shutdown(struct pci_dev *pdev)
{
	struct gslot_gpu *gpu = pci_get_drvdata(pdev);

	parent_suspend(&gpu->parent);
	pci_clear_master(pdev);
}

static int gpu_suspend(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);

	parent_suspend(&gpu->parent);
	return 0;
}

static int gpu_resume(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);
	struct gslot_vgpu_parent *parent = &gpu->parent;
	int ret;

	ret = gslot_hw_resume(parent->hw);
	if (!ret)
		ret = gslot_hw_start(parent->hw, &gslot_sched_hw_events, parent->sched);
	/* Whether or not there is hardware to run on: closing must not hang. */
	gslot_vgpus_resume(parent);
	return ret;
}

static DEFINE_SIMPLE_DEV_PM_OPS(gpu_pm_ops, gpu_suspend, gpu_resume);

static struct pci_driver gpu_driver = {
	.name = "gslot",
	.id_table = gslot_pci_ids,
	.probe = gpu_probe,
	.remove = gpu_remove,
	.shutdown = gpu_shutdown,
	.driver.pm = pm_sleep_ptr(&gpu_pm_ops),
};

/**
 * gslot_gpu_init() - register the PCI driver, when the module is loaded
 *
 * Return: 0 or -errno.
 * Context: may sleep.
 */
int gslot_gpu_init(void)
{
	return pci_register_driver(&gpu_driver);
}

/**
 * gslot_gpu_exit() - undo gslot_gpu_init(); no GPU is driven any more
 *
 * Context: may sleep.
 */
void gslot_gpu_exit(void)
{
	pci_unregister_driver(&gpu_driver);
}
