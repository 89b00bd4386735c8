// SPDX-License-Identifier: GPL-2.0
/*
 * The module and its PCI driver, which shares a GPU among KVM guests: it sets up the layers of the
 * GPU, bottom up, and tears them down in reverse.
 */

/*
 * DOC: locks
 *
 * All locks of the module, outermost first. A holder takes no lock above; below, it takes those
 * that its entry says it is outside of, and those that they are outside of in turn. No lock is
 * taken within a leaf. A spinlock that hard interrupts take is held with interrupts off.
 *
 * gslot_pmus.lock, mutex
 *	The list of PMUs. Outside of perf's locks for registration, and of gslot_pmu.lock.
 * gslot_pmu.lock, mutex
 *	The scheduler of a PMU, if any; taken when an event is opened. Outside of
 *	gslot_sched.lock.
 * gslot_vgpu_unmap.lock, mutex
 *	One unmapping of guest memory at a time. Taken under VFIO's locks, which a task that
 *	pins pages may wait for: so it is outside of gslot_blocks.lock only, see vgpu/unmap.c.
 * gslot_mig.lock, mutex
 *	VFIO's state of migration of a vGPU, and its data file. Held while that changes, which
 *	takes a lock without a timeout only if no holder of the lock waits for guest memory then
 *	(bounds: below); and while the device is reset, which may take forever: so all but
 *	resetting and closing takes it with a timeout, 5 s. Outside of mig_file.lock,
 *	gslot_vgpu.life, and what these are outside of.
 * gslot_vgpu_log.lock, mutex
 *	Whether a vGPU's dirty log is started. Held while user memory is written, which may never
 *	arrive: so it is taken by ioctls of the log alone, which can be killed. Outside of
 *	gslot_vgpu_lock.mutex, by a timeout of 5 s, and of what that is outside of.
 * mig_file.lock, mutex
 *	A data file: what was read of it, or the vGPU that it restores. User memory is accessed
 *	without it. Outside of gslot_vgpu_lock.mutex, by a timeout of 1 s for each record; a
 *	change of the state ends a write after the present record.
 * gslot_gpu_places.change_lock, mutex
 *	One write to the attributes copy_policy and placement at a time. Taken with a timeout of
 *	1 s, after which a second write fails with -EBUSY. Outside of gslot_gpu_places.lock.
 * gslot_gpu_places.lock, mutex
 *	Places of vGPUs in graphics memory, and the copy policy. With the default policy,
 *	`cached`, only a write to copy_policy or placement takes it, and the removal of the GPU.
 *	With places, opening a vGPU and a work item take it as well. A fatal signal ends the wait
 *	of a write and of an open. Outside of gslot_vgpus.lock, and of gslot_vgpu.life by trylock.
 *	Bounds: below.
 * gslot_vgpu.life, mutex
 *	Opening, closing, reset, resizing, DMA unmap of a vGPU: all that quiesces it.
 *	Outside of gslot_vgpus.lock, both locks of gslot_exec, and gslot_vgpu_lock.mutex.
 * gslot_vgpus.lock, mutex
 *	The list of vGPUs, how many there may be, which are open, and what they reserve. With the
 *	default copy policy it is held only for a moment; but for 1 s before system sleep, at
 *	shutdown for a preemption and a reset of each vGPU, and while the copy policy changes:
 *	then each try waits 0.1 s for each vGPU, and 0.2 s for all of them.
 *	Outside of both locks of gslot_exec, gslot_vgpu_lock.mutex, gslot_runs.lock, and
 *	gslot_hw.host_lock; with places, of gslot_vgpu.life by trylock. Bounds: below.
 * gslot_exec.quiesce_lock, mutex
 *	How often a vGPU was quiesced. Held while that begins, for a preemption and a reset; and
 *	for gslot_vgpu_lock.mutex. So it is held for long only while the vGPU is not quiesced,
 *	and resuming does not wait. Outside of gslot_vgpu_lock.mutex and gslot_sched.reset_lock.
 * gslot_exec.reset_lock, mutex
 *	One reset of a vGPU's engines at a time: taken by vCPUs, too. Outside of
 *	gslot_vgpu_lock.mutex and gslot_sched.reset_lock.
 * gslot_vgpu_lock.mutex, mutex
 *	A vGPU's private GGTT, contexts, requests that are prepared or retired, shadow
 *	tables. Its worker holds it while it works, so a register access takes it only if it
 *	must. Outside of all below, but for the mmap lock's own.
 * gslot_runs.lock, mutex
 *	The physical GGTT entries that vGPUs share, and their owners. The loader's thread takes
 *	it alone. Outside of gslot_hw.host_lock.
 * gslot_guestmem.lock, mutex
 *	Pinned pages of a guest, which of them are idle, and the bits of the dirty log. A work
 *	item that unpins idle pages takes it alone. Outside of gslot_blocks.lock; and of the
 *	mmap lock of the guest's process, which pinning takes, and so of the locks within that.
 * mmap_lock of the kernel
 *	Held in page faults and in mmap(). Outside of gslot_vfio_track.lock,
 *	gslot_aperture_pool.lock and gslot_ggtt.map_lock.
 * gslot_vfio_track.lock, mutex
 *	Which pages of a guest's memory KVM tracks, and which faces are mapped. Taken within
 *	gslot_guestmem.lock or gslot_vgpu_lock.mutex, by page faults, and by KVM: for a tracked
 *	write, and while it removes a memory slot. So no page fault and no change of memory slots
 *	is waited for under it. Outside of KVM's locks for tracking, of gslot_vgpu_faces.lock, of
 *	gslot_vgpu_irq.lock, and of the kernel's locks for removing mappings.
 * gslot_aperture_pool.lock, mutex
 *	The layout of the physical aperture, and the values that vGPUs wrote to fences. Page
 *	faults take it, and a holder may remove mappings of any vGPU: outside of
 *	gslot_ggtt.map_lock of all of them, one at a time.
 * gslot_ggtt.map_lock, mutex
 *	Which pages of a private GGTT are mapped, dirty or hot, and the entries of its ranges in
 *	the physical aperture. Page faults take it, and never gslot_vgpu_lock.mutex; no page is
 *	pinned under it. Outside of gslot_hw.fence_lock, and of the kernel's locks for removing
 *	mappings.
 * gslot_sched.policy_lock, mutex
 *	One change of the scheduler's policy at a time. Taken by an administrator's write;
 *	outside of gslot_sched.reset_lock.
 * gslot_sched.reset_lock, mutex
 *	One reset by the scheduler at a time. Outside of gslot_hw.reset_mutex and
 *	gslot_sched.lock.
 * gslot_hw.reset_mutex, mutex
 *	One reset, suspend or resume of the hardware at a time. Outside of hw_engine.csb_lock,
 *	gslot_hw.irq_lock, gslot_hw.fault_lock and gslot_hw.fence_lock. Its holder waits for
 *	events under way: so it is taken without any lock that these take.
 * gslot_vgpu_monitor.lock, mutex
 *	The vGPUs that are open, the samples of their use, and when one is idle. Taken by
 *	opening and closing, by debugfs, and once a second. A holder waits for no vGPU, as it
 *	needs neither gslot_vgpus.lock nor any lock of a vGPU. Outside of gslot_sched.lock.
 * gslot_vgpu_oversub.lock, mutex
 *	The controller of caps, and the caps in force. Taken by opening, closing and setting
 *	knobs, and up to ten times a second. A holder waits for no vGPU, likewise. Outside of
 *	gslot_sched.lock.
 * gslot_hw.tlb_lock, mutex
 *	The TLB invalidation registers. A leaf.
 * gslot_vgpu_faces.lock, spinlock
 *	Which faces show something, and what those of engines show. Held while registers are
 *	read for that: outside of gslot_vregs.lock.
 * gslot_vregs.lock, spinlock
 *	A vGPU's registers, and the state behind ELSP and the CSB pointer. Outside of
 *	exec_inbox.lock.
 * exec_inbox.lock, spinlock
 *	The worker's input from vCPUs: submissions, and page tables to be released; and whether
 *	it is throttled, which exec_kick() reads before it wakes the worker, with any locks
 *	held. A leaf.
 * gslot_sched.lock, spinlock, taken in hard interrupts
 *	V-Channels, and the contexts on the hardware. Held in the scheduler's upcalls: outside
 *	of gslot_vgpu_irq.lock and places_loader.lock; and of gslot_hw.irq_lock. Threads are
 *	woken under it. So perf, which reads meters within locks of the kernel's own scheduler,
 *	only tries to take it, see sched/meter.c.
 * places_loader.lock, spinlock, taken in hard interrupts
 *	Which vGPU is to be loaded before it runs. A leaf, but it wakes the loader's thread.
 * gslot_vgpu_irq.lock, spinlock, taken in hard interrupts
 *	IIR, IMR and IER of a vGPU, what their face shows, and events that are held back. A
 *	leaf.
 * gslot_vfio_device.irq_lock, spinlock, taken in hard interrupts
 *	The eventfds that interrupts signal. How long signalling takes is up to the user, which
 *	may have any number of waiters: so no other lock is held. Outside of eventfd's own.
 * hw_engine.csb_lock, spinlock, taken in hard interrupts
 *	An engine's CSB read pointer, and which CPU delivers its events. Not held while they are
 *	delivered, as no lock of this layer is. A leaf.
 * gslot_blocks.lock, spinlock
 *	Which ranges of guest memory are being unmapped, and for which vGPUs, of all GPUs.
 *	Taken within gslot_guestmem.lock and gslot_vgpu_unmap.lock. A leaf.
 * gslot_vgpus_room.lock, spinlock
 *	Which vGPUs wait for room to pin memory. Outside of gslot_pinned.lock.
 * gslot_pinned.lock, spinlock
 *	How much room to pin memory is reserved, and for which vGPU. Taken within
 *	gslot_guestmem.lock and gslot_vgpus_room.lock. A leaf.
 * gslot_vgpu_shrink.lock, spinlock
 *	What a vGPU is to unpin next. A leaf.
 * gslot_vgpu_trim.lock, spinlock
 *	Whether a vGPU's submissions are held in pre-copy. Taken within mig_file.lock. Outside of
 *	exec_inbox.lock.
 * gslot_meter.worker_lock, spinlock
 *	The worker that a meter counts CPU time of. A leaf.
 * gslot_hw.irq_lock, spinlock, taken in hard interrupts
 *	The master interrupt enable, pending bits, engines' masks. A leaf.
 * gslot_hw.fault_lock, spinlock, taken in hard interrupts
 *	The one fault register of all engines. A leaf.
 * gslot_hw.fence_lock, spinlock
 *	The fence registers, which a guest may write while a reset restores them. A leaf.
 * gslot_hw.host_lock, spinlock
 *	The maps of the host's part of the GGTT, and of the entries reserved for vGPUs. A leaf.
 *
 * A process that serves guest memory may never do so. Meanwhile the vGPU's worker, or one of its
 * vCPUs, waits in VFIO with gslot_guestmem.lock and gslot_vgpu_lock.mutex held, and a task that
 * closes or resets the vGPU waits with gslot_vgpu.life and gslot_exec.quiesce_lock held. So a
 * holder of gslot_gpu_places.lock or gslot_vgpus.lock takes the locks of a vGPU only with a timeout
 * (base/lock.h), unless no task can pin the vGPU's memory: while it is being opened, and once all
 * vGPUs are stopped. The timeouts are:
 *	to give vGPUs other places: 1 s for all of them together, with both locks
 *	to stop all of them for another copy policy: 20 s, with gslot_gpu_places.lock; each try
 *	0.1 s for each vGPU, while all run, then 0.1 s for their workers and gslot_vgpu.life,
 *	and 0.1 s for their other locks, with gslot_vgpus.lock, too
 *	to quiesce them before system sleep, when user space is frozen: 1 s
 * And without either of these locks:
 *	to change a knob or the size of a vGPU: 5 s
 *	to stop a vGPU for a migration: 5 s each for gslot_mig.lock and gslot_vgpu.life, and
 *	twice 5 s for its other locks; with copies of batches 5 s for these, and twice 5 s for
 *	the other locks once more: 35 s in all
 *	to save a vGPU: 5 s
 *	to begin to restore a vGPU: 5 s
 *	to let a vGPU go on after a migration: 5 s without a page, and a minute in all
 *	to trim a vGPU in pre-copy: 1 s; a change of state does not wait for it
 *	to give memory of a vGPU back to the host: 1 s; other vGPUs give theirs meanwhile
 *	to show all vGPUs in debugfs: half a second for all of them
 *	to park all workers before system sleep: 5 s, then the machine stays awake
 * A preemption and a reset of each vGPU may come on top of that.
 *
 * RCU keeps the scheduler while one of its meters is read, and protects nothing else: the array
 * of gslot_guestmem must be walked under RCU, but gslot_guestmem.lock keeps the pages.
 *
 * gslot_exec_reset(), gslot_exec_quiesce(), gslot_exec_drop_all(), gslot_sched_cancel() and
 * gslot_sched_pause() wait for a vGPU's contexts to leave the hardware, which may take as
 * long as a preemption and a reset. They are called without gslot_vgpu_lock.mutex.
 */
#include <linux/aperture.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/pm.h>
#include <linux/slab.h>
#include <linux/suspend.h>

#include "gpu_priv.h"
#include "gm/guestmem.h"
#include "hw/hw.h"
#include "places/places.h"
#include "sched/sched.h"
#include "vfio/vfio.h"
#include "vgpu/vgpus.h"

/**
 * struct gslot_gpu - a GPU that gslot drives
 * @vgpus: its vGPUs, and what they share
 * @pmu: its PMU
 * @sleep: notifier of system sleep
 * @vfio: its registration with mdev
 */
struct gslot_gpu {
	struct gslot_vgpus vgpus;
	struct gslot_pmu *pmu;
	struct notifier_block sleep;
	struct gslot_vfio_parent *vfio;
};

/* Events of the hardware arrive from gslot_hw_start() on. */
static int gpu_init(struct gslot_vgpus *vgpus, struct pci_dev *pdev)
{
	int ret;

	gslot_vgpus_init(vgpus, pdev);
	vgpus->hw = gslot_hw_create(pdev);
	if (IS_ERR(vgpus->hw)) {
		ret = PTR_ERR(vgpus->hw);
		goto err_vgpus;
	}
	vgpus->sched = gslot_sched_create(vgpus->hw);
	if (IS_ERR(vgpus->sched)) {
		ret = PTR_ERR(vgpus->sched);
		goto err_hw;
	}
	ret = gslot_runs_init(&vgpus->runs, vgpus->hw);
	if (ret)
		goto err_sched;
	ret = gslot_places_create(vgpus);
	if (ret)
		goto err_runs;
	gslot_aperture_pool_init(&vgpus->aperture, vgpus->hw);
	ret = gslot_hw_start(vgpus->hw, &gslot_sched_hw_events, vgpus->sched);
	if (ret)
		goto err_aperture;
	ret = gslot_sched_record(vgpus->sched);
	if (ret)
		goto err_stop;
	ret = gslot_vgpus_init_shrink(vgpus);
	if (ret)
		goto err_stop;
	gslot_debugfs_gpu_add(vgpus);
	return 0;

err_stop:
	gslot_hw_stop(vgpus->hw);
err_aperture:
	gslot_aperture_pool_fini(&vgpus->aperture);
	gslot_places_destroy(vgpus);
err_runs:
	gslot_runs_fini(&vgpus->runs);
err_sched:
	gslot_sched_destroy(vgpus->sched);
err_hw:
	gslot_hw_destroy(vgpus->hw);
err_vgpus:
	gslot_vgpus_fini(vgpus);
	return ret;
}

static void gpu_fini(struct gslot_vgpus *vgpus)
{
	gslot_debugfs_gpu_remove(vgpus);
	gslot_vgpus_fini_shrink(vgpus);
	gslot_hw_stop(vgpus->hw);
	gslot_aperture_pool_fini(&vgpus->aperture);
	gslot_places_destroy(vgpus);
	gslot_runs_fini(&vgpus->runs);
	gslot_sched_destroy(vgpus->sched);
	gslot_hw_destroy(vgpus->hw);
	gslot_vgpus_fini(vgpus);
}

/* Before user space is frozen, which may serve a guest's memory, and after it is thawed. */
static int gpu_sleep_event(struct notifier_block *nb, unsigned long event, void *unused)
{
	struct gslot_gpu *gpu = container_of(nb, struct gslot_gpu, sleep);

	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		return notifier_from_errno(gslot_vgpus_park(&gpu->vgpus));
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		gslot_vgpus_unpark(&gpu->vgpus);
		break;
	}
	return NOTIFY_DONE;
}

static int gpu_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct gslot_gpu *gpu;
	int ret;

	/* The firmware's frame buffer is in the aperture, which guests use. */
	ret = aperture_remove_conflicting_pci_devices(pdev, "gslot");
	if (ret)
		return ret;

	gpu = kzalloc(sizeof(*gpu), GFP_KERNEL);
	if (!gpu)
		return -ENOMEM;
	ret = gpu_init(&gpu->vgpus, pdev);
	if (ret)
		goto err_free;
	gpu->pmu = gslot_pmu_attach(pdev, gpu->vgpus.sched);
	if (IS_ERR(gpu->pmu)) {
		ret = PTR_ERR(gpu->pmu);
		goto err_fini;
	}
	pci_set_drvdata(pdev, gpu);
	gpu->sleep.notifier_call = gpu_sleep_event;
	ret = register_pm_notifier(&gpu->sleep);
	if (ret)
		goto err_pmu;
	gpu->vfio = gslot_vfio_register(&gpu->vgpus);
	if (IS_ERR(gpu->vfio)) {
		ret = PTR_ERR(gpu->vfio);
		goto err_notifier;
	}
	return 0;

err_notifier:
	unregister_pm_notifier(&gpu->sleep);
err_pmu:
	gslot_pmu_detach(gpu->pmu);
err_fini:
	gpu_fini(&gpu->vgpus);
err_free:
	kfree(gpu);
	return ret;
}

static void gpu_remove(struct pci_dev *pdev)
{
	struct gslot_gpu *gpu = pci_get_drvdata(pdev);

	gslot_vfio_unregister(gpu->vfio);
	unregister_pm_notifier(&gpu->sleep);
	gslot_pmu_detach(gpu->pmu);
	gpu_fini(&gpu->vgpus);
	kfree(gpu);
}

/* No vGPU is on the hardware; no event arrives from it afterwards. */
static void gpu_stop_hw(struct gslot_vgpus *vgpus)
{
	gslot_hw_stop(vgpus->hw);
	gslot_hw_suspend(vgpus->hw);
}

/* Reboot or kexec: the next kernel must find no DMA under way. */
static void gpu_shutdown(struct pci_dev *pdev)
{
	struct gslot_gpu *gpu = pci_get_drvdata(pdev);

	gslot_vgpus_shutdown(&gpu->vgpus);
	gpu_stop_hw(&gpu->vgpus);
	pci_clear_master(pdev);
}

static int gpu_suspend(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);
	int ret = gslot_vgpus_suspend(&gpu->vgpus);

	if (!ret)
		gpu_stop_hw(&gpu->vgpus);
	return ret;
}

static int gpu_resume(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);
	struct gslot_vgpus *vgpus = &gpu->vgpus;
	int ret;

	ret = gslot_hw_resume(vgpus->hw);
	if (!ret)
		ret = gslot_hw_start(vgpus->hw, &gslot_sched_hw_events, vgpus->sched);
	/* Even if the hardware has not resumed: closing must not hang. */
	gslot_vgpus_resume(vgpus);
	return ret;
}

/* No test shows that a guest's contexts survive hibernation: refuse it while a vGPU is open. */
static int gpu_freeze(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);
	int ret = gslot_vgpus_check_hibernate(&gpu->vgpus);

	return ret ?: gpu_suspend(dev);
}

static const struct dev_pm_ops gpu_pm_ops = {
	.suspend = pm_sleep_ptr(gpu_suspend),
	.resume = pm_sleep_ptr(gpu_resume),
	.freeze = pm_sleep_ptr(gpu_freeze),
	.thaw = pm_sleep_ptr(gpu_resume),
	.poweroff = pm_sleep_ptr(gpu_suspend),
	.restore = pm_sleep_ptr(gpu_resume),
};

/* Return: the vGPUs of a GPU that is bound, and what they share. */
struct gslot_vgpus *gslot_gpu_vgpus(struct device *dev)
{
	struct gslot_gpu *gpu = dev_get_drvdata(dev);

	return &gpu->vgpus;
}

static struct pci_driver gpu_driver = {
	.name = "gslot",
	.id_table = gslot_pci_ids,
	.probe = gpu_probe,
	.remove = gpu_remove,
	.shutdown = gpu_shutdown,
	.dev_groups = gslot_gpu_groups,
	.driver.pm = pm_sleep_ptr(&gpu_pm_ops),
};

static int __init gpu_module_init(void)
{
	int ret;

	ret = gslot_guestmem_cache_init();
	if (ret)
		return ret;
	gslot_debugfs_init();
	gslot_pmus_init();
	ret = gslot_vfio_init();
	if (ret)
		goto err_pmus;
	ret = pci_register_driver(&gpu_driver);
	if (ret)
		goto err_vfio;
	return 0;

err_vfio:
	gslot_vfio_exit();
err_pmus:
	gslot_pmus_exit();
	gslot_debugfs_exit();
	gslot_guestmem_cache_exit();
	return ret;
}
module_init(gpu_module_init);

static void __exit gpu_module_exit(void)
{
	pci_unregister_driver(&gpu_driver);
	gslot_vfio_exit();
	gslot_pmus_exit();
	gslot_debugfs_exit();
	gslot_guestmem_cache_exit();
}
module_exit(gpu_module_exit);

MODULE_DESCRIPTION("Mediated sharing of Intel Gen8/Gen9 GPUs");
MODULE_AUTHOR("The gslot authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(GSLOT_VERSION);
