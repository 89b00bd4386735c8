// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: tracking the guest's writes to faces and page tables
 *
 * A guest maps faces of registers (vgpu/face.c), and KVM tracks its writes to them: it emulates
 * each, and calls write() in the virtual CPU's thread. That takes no exit to the VMM. So a guest
 * may map a face only while its page of the guest's memory is tracked. The page is found when the
 * mapping faults: a virtual CPU then waits, and KVM's memory slots say where the VMM shows the
 * mapping to its guest. When a slot goes, so does the mapping, and the next access faults again.
 *
 * If the VMM itself touches the mapping while the guest does not see it, there is nothing to track.
 * The VMM gets the page for a second, and what it writes there has no effect. If it shows the page
 * to its guest within that time, or moves the mapping while the guest sees it, the guest's stores
 * are lost until then, or until a memory slot goes: a VMM that does not touch registers by itself,
 * and leaves its mappings where they are, never meets this.
 *
 * Of page tables, gm/guestmem_track.c says which are tracked. They form trees: a write to a page
 * ends the tracking of all pages below it.
 *
 * A timestamp in a face is up to a tick old. i915 has user space read that of the render engine,
 * and compare it with what the GPU has stored: the face of this engine is not offered by default.
 *
 * Without KVM, or write tracking, there are no faces: all accesses trap.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>

#include "vfio_priv.h"
#include "base/account.h"
#include "base/compat_mm.h"

/* Timestamps go on in faces so often, jiffies: 4 ms. */
#define TRACK_TICK	(HZ > 250 ? HZ / 250 : 1)
/* The face of an engine to which the guest has not written for so many ticks is removed: 1 s. */
#define TRACK_FACE_IDLE	(HZ / TRACK_TICK)

/* Each includes those before it. */
enum { TRACK_NONE, TRACK_IRQ, TRACK_ENGINES, TRACK_TABLES, TRACK_RENDER };

static uint track_mode = TRACK_TABLES;
module_param_named(track, track_mode, uint, 0644);
MODULE_PARM_DESC(track, "writes that KVM tracks, of vGPUs opened from then on: 0 none, 1 to registers of interrupts, 2 of engines without render, 3 (default) to page tables, 4 to registers of the render engine");

static struct gslot_vfio_track *track_of(struct gslot_kvm_track *kvm)
{
	return container_of(kvm, struct gslot_vfio_track, kvm);
}

static struct gslot_vfio_device *track_device(struct gslot_vfio_track *track)
{
	return container_of(track, struct gslot_vfio_device, track);
}

/* Remove a face from all mappings. The next access faults. */
static void track_unmap(struct gslot_vfio_track *track, u32 face)
{
	struct gslot_vfio_device *gdev = track_device(track);

	gslot_map_area_unmap(gdev, GSLOT_MAP_FACES, gslot_face_offset(face), PAGE_SIZE);
	gslot_vgpu_hide_face(gdev->vgpu, face);
}

/* A face is no longer where it was tracked. Unmapped first: while it is mapped, it is tracked. */
static void track_lose(struct gslot_vfio_track *track, u32 face)
{
	gfn_t gfn = track->gfn[face];

	lockdep_assert_held(&track->lock);
	if (gfn == GSLOT_GM_NO_GFN)
		return;
	track_unmap(track, face);
	WRITE_ONCE(track->gfn[face], GSLOT_GM_NO_GFN);
	gslot_kvm_track_remove(&track->kvm, gfn);
}

/* Track a page, and all pages below it, no more. */
static void track_forget(struct gslot_vfio_track *track, struct gslot_track_page *page)
{
	LIST_HEAD(pages);

	lockdep_assert_held(&track->lock);
	list_move(&page->link, &pages);
	while (!list_empty(&pages)) {
		page = list_first_entry(&pages, struct gslot_track_page, link);
		list_del(&page->link);
		list_splice(&page->below, &pages);
		/* First: a track_write() that finds the page no more does not wait for the rest. */
		gslot_vgpu_written(track_device(track)->vgpu, page->gfn);
		xa_erase(&track->pages, page->gfn);
		gslot_kvm_track_remove(&track->kvm, page->gfn);
		kfree(page);
		cond_resched();
	}
}

static void track_write_face(struct gslot_vfio_track *track, gpa_t gpa, const u8 *data, int len)
{
	u32 face, offset = offset_in_page(gpa);

	for (face = 0; face < GSLOT_NR_FACES; face++) {
		if (READ_ONCE(track->gfn[face]) != gpa >> PAGE_SHIFT)
			continue;
		WRITE_ONCE(track->written[face], true);
		gslot_vgpu_face_write(track_device(track)->vgpu, face, offset, data,
				      min_t(u32, len, PAGE_SIZE - offset));
		return;
	}
}

/* KVM calls this for each write that it emulates, wherever it goes. */
static void track_write(struct gslot_kvm_track *kvm, gpa_t gpa, const u8 *data, int len)
{
	struct gslot_vfio_track *track = track_of(kvm);

	if (xa_load(&track->pages, gpa >> PAGE_SHIFT))
		gslot_untrack_page(track_device(track), gpa >> PAGE_SHIFT);
	else
		track_write_face(track, gpa, data, len);
}

static void track_remove(struct gslot_kvm_track *kvm, gfn_t gfn, unsigned long count)
{
	struct gslot_vfio_track *track = track_of(kvm);
	struct gslot_track_page *page;
	unsigned long at = gfn;
	u32 face;

	mutex_lock(&track->lock);
	while ((page = xa_find(&track->pages, &at, gfn + count - 1, XA_PRESENT)))
		track_forget(track, page);
	for (face = 0; face < GSLOT_NR_FACES; face++) {
		if (track->gfn[face] == GSLOT_GM_NO_GFN)
			/* It may have been mapped while its slot was about to go: here, perhaps. */
			track_unmap(track, face);
		else if (track->gfn[face] - gfn < count)
			track_lose(track, face);
	}
	mutex_unlock(&track->lock);
}

static const struct gslot_kvm_track_ops track_ops = {
	.write = track_write,
	.remove = track_remove,
};

/*
 * Whether a face stays mapped. Faces of engines show the time; if the guest does not write to one
 * for a while, its next read is to fault, and find the time exactly. A face that has no page goes
 * then, too. Not before: KVM looks for the page again when its fault has been handled, and if it is
 * gone, the virtual CPU ends with an error.
 */
static bool track_stays(struct gslot_vfio_track *track, u32 face)
{
	if (READ_ONCE(track->written[face]))
		track->idle[face] = 0;
	WRITE_ONCE(track->written[face], false);
	if (track->idle[face] == TRACK_FACE_IDLE)
		return face == GSLOT_FACE_IRQ && track->gfn[face] != GSLOT_GM_NO_GFN;
	track->idle[face]++;
	return true;
}

static void track_tick(struct work_struct *work)
{
	struct gslot_vfio_track *track = container_of(to_delayed_work(work),
						      struct gslot_vfio_track, tick);
	u32 face, engines = 0;
	bool again = false;

	mutex_lock(&track->lock);
	for (face = 0; face < GSLOT_NR_FACES; face++) {
		if (!track->mapped[face])
			continue;
		track->mapped[face] = track_stays(track, face);
		if (!track->mapped[face])
			track_unmap(track, face);
		else if (face != GSLOT_FACE_IRQ)
			engines |= BIT(face);
		else
			again = track->gfn[face] == GSLOT_GM_NO_GFN;
	}
	if (engines)
		gslot_vgpu_show_time(track_device(track)->vgpu, engines);
	if (engines || again)
		queue_delayed_work(system_freezable_wq, &track->tick, TRACK_TICK);
	mutex_unlock(&track->lock);
}

/* Track the page at which the guest sees a mapping, if it does. */
static void track_find(struct gslot_vfio_track *track, u32 face, const struct vm_fault *vmf)
{
	gfn_t gfn;

	lockdep_assert_held(&track->lock);
	if (!gslot_kvm_find(&track->kvm, vmf->vma, vmf->address, &gfn) || track->gfn[face] == gfn)
		return;
	track_lose(track, face);
	if (!gslot_kvm_track_add(&track->kvm, gfn))
		WRITE_ONCE(track->gfn[face], gfn);
}

/* Return: VM_FAULT_NOPAGE, or an error of vmf_insert_mixed(). */
vm_fault_t gslot_track_fault(struct gslot_vfio_device *gdev, struct vm_fault *vmf, u32 face)
{
	struct gslot_vfio_track *track = &gdev->track;
	vm_fault_t ret;

	mutex_lock(&track->lock);
	track_find(track, face, vmf);
	ret = gslot_insert_mixed(vmf, page_to_pfn(gslot_vgpu_face(gdev->vgpu, face)));
	track->mapped[face] = true;
	track->idle[face] = 0;
	mutex_unlock(&track->lock);
	queue_delayed_work(system_freezable_wq, &track->tick, TRACK_TICK);
	return ret;
}

static bool track_page(struct gslot_vfio_track *track, u64 gfn, struct page *page,
		       struct list_head *list)
{
	struct gslot_track_page *new;

	lockdep_assert_held(&track->lock);
	new = kzalloc(sizeof(*new), GSLOT_GFP_GUEST);
	if (!new)
		return false;
	new->gfn = gfn;
	INIT_LIST_HEAD(&new->below);
	list_add(&new->link, list);
	if (!xa_insert(&track->pages, gfn, new, GSLOT_GFP_GUEST)) {
		if (gslot_kvm_track_page(&track->kvm, gfn, page))
			return true;
		xa_erase(&track->pages, gfn);
	}
	list_del(&new->link);
	kfree(new);
	return false;
}

/*
 * Track the guest's writes to a page, until the first one: then gslot_vgpu_written() is called for
 * it and all below it. Only if the guest's memory has @page there: with an IOMMU of the guest's,
 * what it calls the GPU's memory is somewhere else.
 *
 * @parent: a tracked page, or GSLOT_GM_NO_GFN
 * Return: whether it is tracked.
 */
bool gslot_track_page(struct gslot_vfio_device *gdev, u64 gfn, struct page *page, u64 parent)
{
	struct gslot_vfio_track *track = &gdev->track;
	struct gslot_track_page *above = NULL;
	bool ok = false;

	mutex_lock(&track->lock);
	if (track->mode >= TRACK_TABLES) {
		if (parent != GSLOT_GM_NO_GFN)
			above = xa_load(&track->pages, parent);
		if (above || parent == GSLOT_GM_NO_GFN)
			ok = track_page(track, gfn, page, above ? &above->below : &track->roots);
	}
	mutex_unlock(&track->lock);
	return ok;
}

/* As at the guest's first write. */
void gslot_untrack_page(struct gslot_vfio_device *gdev, u64 gfn)
{
	struct gslot_vfio_track *track = &gdev->track;
	struct gslot_track_page *page;

	mutex_lock(&track->lock);
	page = xa_load(&track->pages, gfn);
	if (page)
		track_forget(track, page);
	mutex_unlock(&track->lock);
}

static void track_forget_all(struct gslot_vfio_track *track)
{
	while (!list_empty(&track->roots))
		track_forget(track, list_first_entry(&track->roots, struct gslot_track_page, link));
}

/* As if the guest had written to all tracked pages. */
void gslot_untrack_pages(struct gslot_vfio_device *gdev)
{
	mutex_lock(&gdev->track.lock);
	track_forget_all(&gdev->track);
	mutex_unlock(&gdev->track.lock);
}

/* Return: whether a guest may map the face. */
bool gslot_track_has(const struct gslot_vfio_device *gdev, u32 face)
{
	u32 mode = READ_ONCE(gdev->track.mode);

	if (face == GSLOT_FACE_IRQ)
		return mode >= TRACK_IRQ;
	return mode >= (face == GSLOT_RCS0 ? TRACK_RENDER : TRACK_ENGINES);
}

void gslot_track_init(struct gslot_vfio_device *gdev)
{
	mutex_init(&gdev->track.lock);
	xa_init_flags(&gdev->track.pages, XA_FLAGS_ACCOUNT);
	INIT_LIST_HEAD(&gdev->track.roots);
	INIT_DELAYED_WORK(&gdev->track.tick, track_tick);
}

/* The device has been opened. Without KVM, or write tracking, nothing is tracked. */
void gslot_track_open(struct gslot_vfio_device *gdev)
{
	struct gslot_vfio_track *t = &gdev->track;
	u32 face, mode = min_t(u32, READ_ONCE(track_mode), TRACK_RENDER);

	for (face = 0; face < GSLOT_NR_FACES; face++) {
		t->gfn[face] = GSLOT_GM_NO_GFN;
		t->mapped[face] = false;
	}
	if (mode != TRACK_NONE && gdev->vdev.kvm &&
	    !gslot_kvm_track_begin(&t->kvm, gdev->vdev.kvm, &track_ops))
		WRITE_ONCE(t->mode, mode);
}

/* The device is about to be closed, and has no mapping. */
void gslot_track_close(struct gslot_vfio_device *gdev)
{
	struct gslot_vfio_track *t = &gdev->track;
	u32 face;

	if (t->mode == TRACK_NONE)
		return;
	mutex_lock(&t->lock);
	/* Nothing is tracked from now on, and no face shows what the vGPU still does. */
	WRITE_ONCE(t->mode, TRACK_NONE);
	for (face = 0; face < GSLOT_NR_FACES; face++) {
		track_lose(t, face);
		gslot_vgpu_hide_face(gdev->vgpu, face);
	}
	track_forget_all(t);
	mutex_unlock(&t->lock);
	gslot_kvm_track_end(&t->kvm);
	cancel_delayed_work_sync(&t->tick);
}
