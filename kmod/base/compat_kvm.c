// SPDX-License-Identifier: GPL-2.0
/* Tracking a KVM guest's writes to pages. KVM counts how often each page of a slot is tracked. */
#include <linux/kthread.h>
#include <linux/kvm_host.h>
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/srcu.h>
#include <linux/version.h>
#include <linux/workqueue.h>

#include "compat_kvm.h"

static struct gslot_kvm_track *ckvm_track_of(struct kvm_page_track_notifier_node *node)
{
	return container_of(node, struct gslot_kvm_track, node);
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 6, 0)
/*
 * Before 6.2 VFIO has no reference to the guest, and before 6.6 a registration has none. A
 * registration ends under locks of VFIO that the end of a guest takes: so a work item puts the
 * reference. From 6.6 on KVM gets and puts one itself; VFIO puts its own later.
 */
struct gslot_kvm_put {
	struct work_struct work;
	struct kvm *kvm;
};

static struct workqueue_struct *ckvm_put_wq;

static void ckvm_put_work(struct work_struct *work)
{
	struct gslot_kvm_put *put = container_of(work, struct gslot_kvm_put, work);

	kvm_put_kvm(put->kvm);
	kfree(put);
}

static int ckvm_init(void)
{
	ckvm_put_wq = alloc_workqueue("gslot-kvm", 0, 0);
	return ckvm_put_wq ? 0 : -ENOMEM;
}

static void ckvm_exit(void)
{
	destroy_workqueue(ckvm_put_wq);
}

static void ckvm_track_write(struct kvm_vcpu *vcpu, gpa_t gpa, const u8 *data, int len,
			     struct kvm_page_track_notifier_node *node)
{
	struct gslot_kvm_track *track = ckvm_track_of(node);

	track->ops->write(track, gpa, data, len);
}

static void ckvm_track_flush(struct kvm *kvm, struct kvm_memory_slot *slot,
			     struct kvm_page_track_notifier_node *node)
{
	struct gslot_kvm_track *track = ckvm_track_of(node);

	track->ops->remove(track, slot->base_gfn, slot->npages);
}

static int ckvm_track_register(struct gslot_kvm_track *track)
{
	struct gslot_kvm_put *put = kzalloc(sizeof(*put), GFP_KERNEL_ACCOUNT);

	if (!put)
		return -ENOMEM;
	/* The guest may be about to end. */
	if (!kvm_get_kvm_safe(track->kvm)) {
		kfree(put);
		return -ESRCH;
	}
	INIT_WORK(&put->work, ckvm_put_work);
	put->kvm = track->kvm;
	track->put = put;
	track->node.track_write = ckvm_track_write;
	track->node.track_flush_slot = ckvm_track_flush;
	kvm_page_track_register_notifier(track->kvm, &track->node);
	return 0;
}

static void ckvm_track_unregister(struct gslot_kvm_track *track)
{
	kvm_page_track_unregister_notifier(track->kvm, &track->node);
	queue_work(ckvm_put_wq, &track->put->work);
}

static int ckvm_track_change(struct kvm *kvm, gfn_t gfn, bool add)
{
	struct kvm_memory_slot *slot;
	int idx = srcu_read_lock(&kvm->srcu);

	slot = __gfn_to_memslot(kvm_memslots(kvm), gfn);
	if (slot) {
		write_lock(&kvm->mmu_lock);
		if (add)
			kvm_slot_page_track_add_page(kvm, slot, gfn, KVM_PAGE_TRACK_WRITE);
		else
			kvm_slot_page_track_remove_page(kvm, slot, gfn, KVM_PAGE_TRACK_WRITE);
		write_unlock(&kvm->mmu_lock);
	}
	srcu_read_unlock(&kvm->srcu, idx);
	return slot ? 0 : -EINVAL;
}

static int ckvm_add(struct kvm *kvm, gfn_t gfn)
{
	return ckvm_track_change(kvm, gfn, true);
}

static void ckvm_remove(struct kvm *kvm, gfn_t gfn)
{
	ckvm_track_change(kvm, gfn, false);
}
#else
static int ckvm_init(void)
{
	return 0;
}

static void ckvm_exit(void) { }

static void ckvm_track_write(gpa_t gpa, const u8 *data, int len,
			     struct kvm_page_track_notifier_node *node)
{
	struct gslot_kvm_track *track = ckvm_track_of(node);

	track->ops->write(track, gpa, data, len);
}

static void ckvm_track_remove_region(gfn_t gfn, unsigned long count,
				     struct kvm_page_track_notifier_node *node)
{
	struct gslot_kvm_track *track = ckvm_track_of(node);

	track->ops->remove(track, gfn, count);
}

/*
 * At the first registration with a guest KVM goes through its memory slots, under slots_arch_lock,
 * without which they are not replaced. But lockdep is told that this needs slots_lock or srcu.
 */
static int ckvm_track_register(struct gslot_kvm_track *track)
{
	struct kvm *kvm = track->kvm;
	int idx, ret;

	track->node.track_write = ckvm_track_write;
	track->node.track_remove_region = ckvm_track_remove_region;
	idx = srcu_read_lock(&kvm->srcu);
	ret = kvm_page_track_register_notifier(kvm, &track->node);
	srcu_read_unlock(&kvm->srcu, idx);
	return ret;
}

static void ckvm_track_unregister(struct gslot_kvm_track *track)
{
	kvm_page_track_unregister_notifier(track->kvm, &track->node);
}

static int ckvm_add(struct kvm *kvm, gfn_t gfn)
{
	return kvm_write_track_add_gfn(kvm, gfn);
}

static void ckvm_remove(struct kvm *kvm, gfn_t gfn)
{
	kvm_write_track_remove_gfn(kvm, gfn);
}
#endif

/**
 * gslot_kvm_init() - the module is loaded
 *
 * Return: 0 or -ENOMEM.
 * Context: may sleep.
 */
int gslot_kvm_init(void)
{
	return ckvm_init();
}

/**
 * gslot_kvm_exit() - the module is unloaded, and all registrations have ended
 *
 * Context: may sleep.
 */
void gslot_kvm_exit(void)
{
	ckvm_exit();
}

/**
 * gslot_kvm_track_add() - track a page
 * @track: the registration
 * @gfn: the page; it is tracked until gslot_kvm_track_remove()
 *
 * Return: 0; -EINVAL if the guest has no such page.
 * Context: any but interrupts, without KVM's locks; KVM's memory slots may be about to change.
 */
int gslot_kvm_track_add(struct gslot_kvm_track *track, gfn_t gfn)
{
	return ckvm_add(track->kvm, gfn);
}

/**
 * gslot_kvm_track_remove() - undo gslot_kvm_track_add()
 * @track: the registration
 * @gfn: the page
 *
 * Context: as gslot_kvm_track_add().
 */
void gslot_kvm_track_remove(struct gslot_kvm_track *track, gfn_t gfn)
{
	ckvm_remove(track->kvm, gfn);
}

/**
 * gslot_kvm_track_begin() - register with a guest's KVM
 * @track: the registration
 * @kvm: the guest's; the caller has a reference, or a lock that keeps it
 * @ops: called from now on, until gslot_kvm_track_end() returns
 *
 * Return: 0; -ESRCH if the caller's process is not the guest's, or the guest ends; -ENOMEM;
 * -EOPNOTSUPP without KVM's write tracking.
 * Context: may sleep, without the locks that @ops take.
 */
int gslot_kvm_track_begin(struct gslot_kvm_track *track, struct kvm *kvm,
			  const struct gslot_kvm_track_ops *ops)
{
	int ret;

	track->kvm = kvm;
	track->ops = ops;
	ret = kvm->mm == current->mm ? ckvm_track_register(track) : -ESRCH;
	if (ret)
		track->kvm = NULL;
	return ret;
}

/**
 * gslot_kvm_track_end() - undo gslot_kvm_track_begin(); nothing is tracked any more
 * @track: the registration
 *
 * When this returns, no operation is under way.
 *
 * Context: may sleep, without the locks that the operations take.
 */
void gslot_kvm_track_end(struct gslot_kvm_track *track)
{
	ckvm_track_unregister(track);
	track->kvm = NULL;
}

/* Can a guest write to the slot's memory, and is the slot to stay? */
static bool ckvm_slot_is_usable(const struct kvm_memory_slot *slot)
{
	return !(slot->flags & (KVM_MEMSLOT_INVALID | KVM_MEM_READONLY));
}

/**
 * gslot_kvm_find() - find where the guest has what a process has mapped
 * @track: the registration
 * @vma: the mapping
 * @address: in it
 * @gfn: gets the guest's page
 *
 * Return: whether the guest has it, in memory that it can write.
 * Context: any but interrupts.
 */
bool gslot_kvm_find(struct gslot_kvm_track *track, const struct vm_area_struct *vma,
		    unsigned long address, gfn_t *gfn)
{
	struct kvm_memory_slot *slot;
	struct kvm *kvm = track->kvm;
	bool found = false;
	int idx, bkt;

	if (!kvm || vma->vm_mm != kvm->mm)
		return false;
	idx = srcu_read_lock(&kvm->srcu);
	kvm_for_each_memslot(slot, bkt, kvm_memslots(kvm)) {
		if (!ckvm_slot_is_usable(slot) || address < slot->userspace_addr ||
		    (address - slot->userspace_addr) >> PAGE_SHIFT >= slot->npages)
			continue;
		*gfn = slot->base_gfn + ((address - slot->userspace_addr) >> PAGE_SHIFT);
		found = true;
		break;
	}
	srcu_read_unlock(&kvm->srcu, idx);
	return found;
}

/* Whether @page is behind @address of the guest's process. The caller is of it, or a kthread. */
static bool ckvm_has_page(struct kvm *kvm, unsigned long address, struct page *page)
{
	bool other = current->mm != kvm->mm, has = false;
	struct page *found;

	if ((other && !(current->flags & PF_KTHREAD)) || !mmget_not_zero(kvm->mm))
		return false;
	if (other)
		kthread_use_mm(kvm->mm);
	if (get_user_page_fast_only(address, 0, &found)) {
		has = found == page;
		put_page(found);
	}
	if (other)
		kthread_unuse_mm(kvm->mm);
	/* If it is the last reference: the caller holds locks. */
	mmput_async(kvm->mm);
	return has;
}

/**
 * gslot_kvm_track_page() - track a page, if it is what the caller thinks it is
 * @track: the registration
 * @gfn: the page; it is tracked until gslot_kvm_track_remove()
 * @page: what the guest's memory is to have there
 *
 * The removal of a slot that is found here waits for the end of this, by SRCU, and calls
 * &gslot_kvm_track_ops.remove after that.
 *
 * Return: whether it is tracked.
 * Context: the guest's process, or a kthread; may sleep.
 */
bool gslot_kvm_track_page(struct gslot_kvm_track *track, gfn_t gfn, struct page *page)
{
	struct kvm *kvm = track->kvm;
	struct kvm_memory_slot *slot;
	bool ok = false;
	int idx;

	idx = srcu_read_lock(&kvm->srcu);
	slot = __gfn_to_memslot(kvm_memslots(kvm), gfn);
	if (slot && ckvm_slot_is_usable(slot) &&
	    ckvm_has_page(kvm, __gfn_to_hva_memslot(slot, gfn), page))
		ok = !gslot_kvm_track_add(track, gfn);
	srcu_read_unlock(&kvm->srcu, idx);
	return ok;
}
