// SPDX-License-Identifier: GPL-2.0
/*
 * The PCI driver: one GPU is put together from the layers, bottom up, and
 * taken apart in the opposite order.
 */

/*
 * DOC: locks
 *
 * All locks of the module, outermost first. Who holds one takes none above it; below it, those
 * that it says it is outside of, and what they are outside of in turn. A leaf has nothing
 * inside. A spinlock that hard interrupts take is held with interrupts off.
 *
 * gslot_pmus.lock, mutex
 *	Which PMUs there are. Outside of perf's locks for that, and of gslot_pmu.lock.
 * gslot_pmu.lock, mutex
 *	Which scheduler a PMU is about, if any; taken by who opens an event. Outside of
 *	gslot_sched.lock.
 * gslot_vgpu_unmap.lock, mutex
 *	One unmapping of guest memory at a time. Taken under VFIO's locks, which whoever
 *	pins pages may wait for: so it is outside of none of the others, see vgpu/unmap.c.
 * gslot_gpu_places.lock, mutex
 *	Places of vGPUs in graphics memory, and the copy policy. With the default policy,
 *	`cached`, it is taken only to change or show that. With places, opening a vGPU takes it.
 *	Outside of gslot_vgpus.lock, and of gslot_vgpu.life by trylock. Bounds: below.
 * gslot_vgpu.life, mutex
 *	Opening, closing, reset, resizing, DMA unmap of a vGPU: all that quiesces it.
 *	Outside of the next four.
 * gslot_vgpus.lock, mutex
 *	The list of vGPUs, how many there may be, which are open, and what they reserve. With the
 *	default copy policy it is held only for a moment: no caller waits for a vGPU under it.
 *	Outside of the next three, of gslot_runs.lock, and of gslot_hw.host_lock; with places,
 *	of gslot_vgpu.life by trylock. Bounds: below.
 * gslot_exec.quiesce_lock, mutex
 *	How often a vGPU was quiesced. Outside of gslot_vgpu_lock.mutex and gslot_sched.reset_lock.
 * gslot_exec.reset_lock, mutex
 *	One reset of a vGPU's engines at a time: taken by vCPUs, too. Outside of the same.
 * gslot_vgpu_lock.mutex, mutex
 *	A vGPU's private GGTT, contexts, requests that are prepared or retired, shadow
 *	tables. Its worker has it while it works, so a register access takes it only where
 *	it cannot do without. Outside of all below, but for the mmap lock's own.
 * gslot_runs.lock, mutex
 *	The physical GGTT entries that vGPUs share, and which vGPU has them. The loader's thread
 *	takes it alone. Outside of gslot_hw.host_lock.
 * gslot_guestmem.lock, mutex
 *	Pinned pages of a guest, and which of them nobody refers to. A work item that unpins these
 *	takes it alone. Outside of the mmap lock of the guest's process, which pinning takes,
 *	and so of what is taken under that.
 * the mmap lock, of the kernel's
 *	Held in page faults and in mmap(). Outside of the next three.
 * gslot_vfio_device.mapping_lock, mutex
 *	Which address space a file has. A leaf.
 * gslot_aperture_pool.lock, mutex
 *	What is where in the physical aperture, and what vGPUs wrote to fences. Page faults
 *	take it, and who has it takes mappings of any vGPU away: outside of
 *	gslot_ggtt.map_lock of all of them, one at a time.
 * gslot_ggtt.map_lock, mutex
 *	What of a private GGTT is mapped, dirty or hot, and the entries of its ranges in the
 *	physical aperture. Page faults take it, and never gslot_vgpu_lock.mutex; no page is pinned
 *	under it. Outside of gslot_hw.fence_lock, and of the locks of the kernel's by which
 *	mappings are taken away.
 * gslot_sched.policy_lock, mutex
 *	One change of the scheduler's policy at a time. Taken by an administrator's write;
 *	outside of the next one.
 * gslot_sched.reset_lock, mutex
 *	One reset by the scheduler at a time. Outside of gslot_hw.reset_mutex and
 *	gslot_sched.lock.
 * gslot_hw.reset_mutex, mutex
 *	One reset, suspend or resume of the hardware at a time. Outside of hw_engine.csb_lock,
 *	gslot_hw.irq_lock, gslot_hw.fault_lock and gslot_hw.fence_lock. It waits for events
 *	under way: so no lock that these take is held by who takes it.
 * gslot_vgpu_monitor.lock, mutex
 *	Which vGPUs are open, what is known of how much each does, and when one is idle. Taken
 *	by opening and closing, by debugfs, and once a second: who has it waits for no vGPU, as
 *	neither gslot_vgpus.lock nor any lock of a vGPU is needed. Outside of
 *	gslot_sched.lock.
 * gslot_vgpu_oversub.lock, mutex
 *	Who moves caps between vGPUs that are open, and what they are now. Taken by opening,
 *	closing and setting knobs, and up to ten times a second: who has it waits for no vGPU,
 *	likewise. Outside of gslot_sched.lock.
 * gslot_hw.tlb_lock, mutex
 *	The TLB invalidation registers. A leaf.
 * gslot_vregs.lock, spinlock
 *	A vGPU's registers, and what ELSP and the CSB pointer latch. Outside of
 *	gslot_exec.inbox_lock.
 * gslot_exec.inbox_lock, spinlock
 *	What vCPUs left for the worker: submissions, and page tables to be let go of. A leaf.
 * gslot_sched.lock, spinlock, taken in hard interrupts
 *	V-Channels, and what is on the hardware. Held in the scheduler's upcalls: outside of
 *	gslot_vgpu_irq.lock and places_loader.lock; and of gslot_hw.irq_lock. Who has it wakes threads; so perf,
 *	which reads meters within locks of the kernel's own scheduler, only tries to take it,
 *	see sched/meter.c.
 * places_loader.lock, spinlock, taken in hard interrupts
 *	Which vGPU is to be loaded before it runs. A leaf, but it wakes the loader's thread.
 * gslot_vgpu_irq.lock, spinlock, taken in hard interrupts
 *	IIR, IMR and IER of a vGPU, and what waits to be sent. A leaf.
 * gslot_vfio_device.irq_lock, spinlock, taken in hard interrupts
 *	The eventfds that interrupts signal. How long that takes is up to the user, who may have
 *	as many waiters as he likes: so none of the others is held. Outside of eventfd's own.
 * hw_engine.csb_lock, spinlock, taken in hard interrupts
 *	An engine's CSB read pointer, and who delivers events. Not held while they are
 *	delivered, as none of this layer is. A leaf.
 * gslot_meter.worker_lock, spinlock
 *	Whose CPU time is a vGPU's. A leaf.
 * gslot_hw.irq_lock, spinlock, taken in hard interrupts
 *	The master interrupt enable, pending bits, engines' masks. A leaf.
 * gslot_hw.fault_lock, spinlock, taken in hard interrupts
 *	The one fault register of all engines. A leaf.
 * gslot_hw.fence_lock, spinlock
 *	The fence registers, which a guest writes while a reset writes them anew. A leaf.
 * gslot_hw.host_lock, spinlock
 *	The maps of the host's part of the GGTT, and of what of it is kept for vGPUs. A leaf.
 *
 * Guest memory need not come: a process may serve it, or not. Meanwhile the vGPU's worker, or one
 * of its vCPUs, waits in VFIO with gslot_guestmem.lock and gslot_vgpu_lock.mutex, and whoever closes or
 * resets the vGPU, with gslot_vgpu.life and gslot_exec.quiesce_lock. So a caller that has
 * gslot_gpu_places.lock or gslot_vgpus.lock takes those of a vGPU only before a deadline
 * (base/lock.h):
 *	to give vGPUs other places: 1 s for all of them together, with both locks
 *	to stop all of them for another copy policy: 20 s, with gslot_gpu_places.lock; each try
 *	0.1 s for each vGPU, with gslot_vgpus.lock, too
 *	to quiesce them before system sleep, when user space is frozen: 1 s
 * And without either of these locks:
 *	to change a knob or the size of a vGPU: 5 s
 *	to show all vGPUs in debugfs: half a second for all of them
 *	to park all workers before system sleep: 5 s, then the machine stays awake
 * Each may have to wait for a preemption and a reset of each vGPU on top of that.
 *
 * RCU keeps the scheduler while a meter of it is read, and protects nothing else: gslot_guestmem
 * walks its array under it because the array wants it; the pages are kept by gslot_guestmem.lock.
 *
 * gslot_exec_reset(), gslot_exec_quiesce(), gslot_exec_drop_all(), gslot_sched_cancel() and
 * gslot_sched_pause() wait for a vGPU's contexts to leave the hardware, which may take as
 * long as a preemption and a reset. They are called without gslot_vgpu_lock.mutex.
 */
#include <linux/aperture.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/slab.h>
#include <linux/suspend.h>
#include <linux/sysfs.h>

#include "debugfs.h"
#include "gpu.h"
#include "hw/hw.h"
#include "hw/ids.h"
#include "places/places.h"
#include "pmu.h"
#include "sched/sched.h"
#include "vfio/vfio.h"
#include "vgpu/vgpus.h"

/**
 * struct gslot_gpu - a GPU that gslot drives
 * @parent: its parts, as the vGPUs know them
 * @pmu: what perf can count of it
 * @sleep: hears that the machine is about to sleep
 * @vfio: mdev registration
 */
struct gslot_gpu {
	struct gslot_vgpus parent;
	struct gslot_pmu *pmu;
	struct notifier_block sleep;
	struct gslot_vfio_parent *vfio;
};

/* Bottom up; what is above the hardware hears of it from gslot_hw_start() on. */
static int parent_init(struct gslot_vgpus *parent, struct pci_dev *pdev)
{
	int ret;

	parent->pdev = pdev;
	mutex_init(&parent->lock);
	INIT_LIST_HEAD(&parent->vgpus);
	init_waitqueue_head(&parent->gate_wait);
	gslot_vgpus_monitor_init(parent);
	gslot_vgpus_oversub_init(parent);
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
	ret = gslot_runs_init(&parent->runs, parent->hw);
	if (ret)
		goto err_sched;
	ret = gslot_places_create(parent);
	if (ret)
		goto err_runs;
	gslot_aperture_pool_init(&parent->aperture, parent->hw);
	ret = gslot_hw_start(parent->hw, &gslot_sched_hw_events, parent->sched);
	if (ret)
		goto err_aperture;
	ret = gslot_sched_record(parent->sched);
	if (ret)
		goto err_stop;
	gslot_debugfs_gpu_add(parent);
	return 0;

err_stop:
	gslot_hw_stop(parent->hw);
err_aperture:
	gslot_aperture_pool_fini(&parent->aperture);
	gslot_places_destroy(parent);
err_runs:
	gslot_runs_fini(&parent->runs);
err_sched:
	gslot_sched_destroy(parent->sched);
err_hw:
	gslot_hw_destroy(parent->hw);
err_lock:
	gslot_vgpus_oversub_fini(parent);
	gslot_vgpus_monitor_fini(parent);
	mutex_destroy(&parent->lock);
	return ret;
}

static void parent_fini(struct gslot_vgpus *parent)
{
	gslot_debugfs_gpu_remove(parent);
	gslot_vgpus_oversub_fini(parent);
	gslot_vgpus_monitor_fini(parent);
	gslot_hw_stop(parent->hw);
	gslot_aperture_pool_fini(&parent->aperture);
	gslot_places_destroy(parent);
	gslot_runs_fini(&parent->runs);
	gslot_sched_destroy(parent->sched);
	gslot_hw_destroy(parent->hw);
	mutex_destroy(&parent->lock);
}

/* Before user space is frozen, of which a vGPU's memory may need something, and after that. */
static int on_sleep(struct notifier_block *nb, unsigned long event, void *unused)
{
	struct gslot_gpu *gpu = container_of(nb, struct gslot_gpu, sleep);

	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		return notifier_from_errno(gslot_vgpus_park(&gpu->parent));
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		gslot_vgpus_unpark(&gpu->parent);
		break;
	}
	return NOTIFY_DONE;
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
	gpu->pmu = gslot_pmu_attach(pdev, gpu->parent.sched);
	if (IS_ERR(gpu->pmu)) {
		ret = PTR_ERR(gpu->pmu);
		goto err_parent;
	}
	pci_set_drvdata(pdev, gpu);
	gpu->sleep.notifier_call = on_sleep;
	ret = register_pm_notifier(&gpu->sleep);
	if (ret)
		goto err_pmu;
	gpu->vfio = gslot_vfio_register(&gpu->parent);
	if (IS_ERR(gpu->vfio)) {
		ret = PTR_ERR(gpu->vfio);
		goto err_notifier;
	}
	return 0;

err_notifier:
	unregister_pm_notifier(&gpu->sleep);
err_pmu:
	gslot_pmu_detach(gpu->pmu);
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
	unregister_pm_notifier(&gpu->sleep);
	gslot_pmu_detach(gpu->pmu);
	parent_fini(&gpu->parent);
	kfree(gpu);
}

/* Nothing of the vGPUs is on the hardware, and nothing more comes from it. */
static void stop_hw(struct gslot_vgpus *parent)
{
	gslot_hw_stop(parent->hw);
	gslot_hw_suspend(parent->hw);
}

/* Reboot or kexec: the next kernel must find no DMA under way. */
static void gpu_shutdown(struct pci_dev *pdev)
{
	struct gslot_gpu *gpu = pci_get_drvdata(pdev);

	gslot_vgpus_shutdown(&gpu->parent);
	stop_hw(&gpu->parent);
	pci_clear_master(pdev);
}

static int gpu_suspend(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);

	int ret = gslot_vgpus_suspend(&gpu->parent);

	if (!ret)
		stop_hw(&gpu->parent);
	return ret;
}

static int gpu_resume(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);
	struct gslot_vgpus *parent = &gpu->parent;
	int ret;

	ret = gslot_hw_resume(parent->hw);
	if (!ret)
		ret = gslot_hw_start(parent->hw, &gslot_sched_hw_events, parent->sched);
	/* Whether or not there is hardware to run on: closing must not hang. */
	gslot_vgpus_resume(parent);
	return ret;
}

static DEFINE_SIMPLE_DEV_PM_OPS(gpu_pm_ops, gpu_suspend, gpu_resume);

static struct gslot_vgpus *parent_of(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);

	return &gpu->parent;
}

static ssize_t max_vgpus_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gslot_vgpus_count(parent_of(dev)).max);
}

static ssize_t max_vgpus_store(struct device *dev, struct device_attribute *attr,
			       const char *buf, size_t count)
{
	u32 max;
	int ret;

	/* One that no number holds is too large, as others are. */
	if (kstrtou32(buf, 10, &max))
		return -EINVAL;
	ret = gslot_vgpus_set_max(parent_of(dev), max);
	return ret ? ret : count;
}
static DEVICE_ATTR_RW(max_vgpus);

static ssize_t room_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gslot_vgpus_count(parent_of(dev)).room);
}

static ssize_t room_store(struct device *dev, struct device_attribute *attr, const char *buf,
			  size_t count)
{
	u32 room;
	int ret;

	if (kstrtou32(buf, 10, &room))
		return -EINVAL;
	ret = gslot_vgpus_set_room(parent_of(dev), room);
	return ret ? ret : count;
}
static DEVICE_ATTR_RW(room);

static ssize_t copy_policy_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return gslot_places_show_rules(parent_of(dev), buf);
}

static ssize_t copy_policy_store(struct device *dev, struct device_attribute *attr,
				 const char *buf, size_t count)
{
	int ret = gslot_places_set_rule(parent_of(dev), buf);

	return ret ? ret : count;
}
static DEVICE_ATTR_RW(copy_policy);

static ssize_t placement_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return gslot_places_show_policies(parent_of(dev), buf);
}

static ssize_t placement_store(struct device *dev, struct device_attribute *attr,
			       const char *buf, size_t count)
{
	int ret = gslot_places_set_policy(parent_of(dev), buf);

	return ret ? ret : count;
}
static DEVICE_ATTR_RW(placement);

static ssize_t policy_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return gslot_sched_show_policies(parent_of(dev)->sched, buf);
}

static ssize_t policy_store(struct device *dev, struct device_attribute *attr, const char *buf,
			    size_t count)
{
	int ret = gslot_sched_set_policy(parent_of(dev)->sched, buf);

	return ret ? ret : count;
}
static DEVICE_ATTR_RW(policy);

static ssize_t exec_quantum_ms_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gslot_sched_quantum_ms(parent_of(dev)->sched));
}

static ssize_t exec_quantum_ms_store(struct device *dev, struct device_attribute *attr,
				     const char *buf, size_t count)
{
	u32 ms;
	int ret;

	if (kstrtou32(buf, 10, &ms))
		return -EINVAL;
	ret = gslot_sched_set_quantum_ms(parent_of(dev)->sched, ms);
	return ret ? ret : count;
}
static DEVICE_ATTR_RW(exec_quantum_ms);

static ssize_t idle_ms_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%u\n", gslot_vgpus_idle_ms(parent_of(dev)));
}

static ssize_t idle_ms_store(struct device *dev, struct device_attribute *attr,
			     const char *buf, size_t count)
{
	u32 ms;
	int ret;

	if (kstrtou32(buf, 10, &ms))
		return -EINVAL;
	ret = gslot_vgpus_set_idle_ms(parent_of(dev), ms);
	return ret ? ret : count;
}
static DEVICE_ATTR_RW(idle_ms);

static ssize_t oversub_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return gslot_vgpus_show_oversub(parent_of(dev), buf);
}

static ssize_t oversub_store(struct device *dev, struct device_attribute *attr, const char *buf,
			     size_t count)
{
	int ret = gslot_vgpus_set_oversub(parent_of(dev), buf);

	return ret ? ret : count;
}
static DEVICE_ATTR_RW(oversub);

static ssize_t oversub_advice_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", gslot_vgpus_oversub_advice(parent_of(dev)));
}
static DEVICE_ATTR_ADMIN_RO(oversub_advice);

static struct attribute *gpu_attrs[] = {
	&dev_attr_copy_policy.attr,
	&dev_attr_exec_quantum_ms.attr,
	&dev_attr_idle_ms.attr,
	&dev_attr_max_vgpus.attr,
	&dev_attr_oversub.attr,
	&dev_attr_oversub_advice.attr,
	&dev_attr_placement.attr,
	&dev_attr_policy.attr,
	&dev_attr_room.attr,
	NULL,
};

static const struct attribute_group gpu_group = {
	.name = "gslot",
	.attrs = gpu_attrs,
};
__ATTRIBUTE_GROUPS(gpu);

static struct pci_driver gpu_driver = {
	.name = "gslot",
	.id_table = gslot_pci_ids,
	.probe = gpu_probe,
	.remove = gpu_remove,
	.shutdown = gpu_shutdown,
	.dev_groups = gpu_groups,
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
