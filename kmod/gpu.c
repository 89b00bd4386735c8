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
#include "hw/ids.h"

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
	gpu->pdev = pdev;
	mutex_init(&gpu->lock);
	INIT_LIST_HEAD(&gpu->vgpus);

	gpu->hw = gslot_hw_create(pdev);
	if (IS_ERR(gpu->hw)) {
		ret = PTR_ERR(gpu->hw);
		goto err_free;
	}
	gpu->sched = gslot_sched_create(gpu->hw);
	if (IS_ERR(gpu->sched)) {
		ret = PTR_ERR(gpu->sched);
		goto err_hw;
	}
	gslot_slots_init(&gpu->slots, gslot_hw_ggtt_size(gpu->hw));
	ret = gslot_hw_start(gpu->hw, &gslot_sched_hw_events, gpu->sched);
	if (ret)
		goto err_sched;

	pci_set_drvdata(pdev, gpu);
	gslot_debugfs_gpu_add(gpu);
	ret = gslot_vfio_register(gpu);
	if (ret)
		goto err_debugfs;
	return 0;

err_debugfs:
	gslot_debugfs_gpu_remove(gpu);
	gslot_hw_stop(gpu->hw);
err_sched:
	gslot_sched_destroy(gpu->sched);
err_hw:
	gslot_hw_destroy(gpu->hw);
err_free:
	mutex_destroy(&gpu->lock);
	kfree(gpu);
	return ret;
}

static void gpu_remove(struct pci_dev *pdev)
{
	struct gslot_gpu *gpu = pci_get_drvdata(pdev);

	/* Waits until every vGPU is closed. */
	gslot_vfio_unregister(gpu);
	gslot_debugfs_gpu_remove(gpu);
	gslot_hw_stop(gpu->hw);
	gslot_sched_destroy(gpu->sched);
	gslot_hw_destroy(gpu->hw);
	mutex_destroy(&gpu->lock);
	kfree(gpu);
}

/* Reboot or kexec: the next kernel must find no DMA under way. */
static void gpu_shutdown(struct pci_dev *pdev)
{
	struct gslot_gpu *gpu = pci_get_drvdata(pdev);

	gslot_vgpus_suspend(gpu);
	gslot_hw_stop(gpu->hw);
	gslot_hw_suspend(gpu->hw);
	pci_clear_master(pdev);
}

static int gpu_suspend(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);

	gslot_vgpus_suspend(gpu);
	gslot_hw_stop(gpu->hw);
	gslot_hw_suspend(gpu->hw);
	return 0;
}

static int gpu_resume(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);
	int ret;

	ret = gslot_hw_resume(gpu->hw);
	if (!ret)
		ret = gslot_hw_start(gpu->hw, &gslot_sched_hw_events, gpu->sched);
	/* Whether or not there is hardware to run on: closing must not hang. */
	gslot_vgpus_resume(gpu);
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

int gslot_gpu_init(void)
{
	return pci_register_driver(&gpu_driver);
}

void gslot_gpu_exit(void)
{
	pci_unregister_driver(&gpu_driver);
}
