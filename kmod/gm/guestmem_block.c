// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: pages that may not be pinned
 *
 * They are in ranges that are being unmapped: core/mem/unmap_ranges.h says which, and for how
 * long. Here are the lock, the processes, and those that wait.
 *
 * A caller that needs such a page waits for BLOCK_JIFFIES at most, and not while the vGPU's lock is
 * contended: a notification may wait for that lock. Then it gets -ENOMEM, and tries again later.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>

#include "guestmem_priv.h"

#define BLOCK_JIFFIES	(HZ / 5)
#define SLOW_PIN_JIFFIES	(HZ / 50)
#define POLL_JIFFIES	msecs_to_jiffies(10)

/* Of all GPUs: a guest may have vGPUs of several. */
struct gslot_blocks {
	spinlock_t lock;	/* protects @unmaps, and each struct gslot_guestmem_block */
	struct gslot_unmaps unmaps;
};

static struct gslot_blocks block_state = {
	.lock = __SPIN_LOCK_UNLOCKED(block_state.lock),
	.unmaps = { .after = BLOCK_JIFFIES, .slow_pin = SLOW_PIN_JIFFIES },
};

/**
 * gslot_guestmem_block_init() - initialise where no page of a vGPU may be pinned: nowhere
 * @b: to be initialised
 *
 * Context: process.
 */
void gslot_guestmem_block_init(struct gslot_guestmem_block *b)
{
	*b = (struct gslot_guestmem_block) { };
	spin_lock(&block_state.lock);
	gslot_unmaps_add(&block_state.unmaps, &b->ranges);
	spin_unlock(&block_state.lock);
}

/**
 * gslot_guestmem_block_fini() - undo gslot_guestmem_block_init()
 * @b: the vGPU's; it is not open, and no notification is under way
 *
 * Context: process.
 */
void gslot_guestmem_block_fini(struct gslot_guestmem_block *b)
{
	spin_lock(&block_state.lock);
	gslot_unmaps_remove(&block_state.unmaps, &b->ranges);
	spin_unlock(&block_state.lock);
	if (b->mm)
		mmdrop(b->mm);
}

/* The calling process opens the vGPU. */
void guestmem_block_open(struct gslot_guestmem_block *b)
{
	struct mm_struct *old;

	mmgrab(current->mm);
	spin_lock(&block_state.lock);
	old = b->mm;
	b->mm = current->mm;
	b->ranges.process = b->mm;
	spin_unlock(&block_state.lock);
	if (old)
		mmdrop(old);
}

void guestmem_block_pin_begin(struct gslot_guestmem_block *b)
{
	spin_lock(&block_state.lock);
	gslot_unmaps_pin_begin(&b->ranges, get_jiffies_64());
	spin_unlock(&block_state.lock);
}

/* The pin is over, and its caller may begin another one. */
void guestmem_block_pin_end(struct gslot_guestmem_block *b)
{
	spin_lock(&block_state.lock);
	gslot_unmaps_pin_end(&block_state.unmaps, &b->ranges, get_jiffies_64());
	spin_unlock(&block_state.lock);
}

/**
 * gslot_guestmem_block_begin() - block pinning in a range: a notification that it is unmapped
 *				  begins
 * @b: the vGPU's; no other notification is under way
 * @gfn: the first page
 * @count: how many, not 0
 *
 * Context: process; @b need not be open.
 */
void gslot_guestmem_block_begin(struct gslot_guestmem_block *b, u64 gfn, u64 count)
{
	u64 last = gfn + min(count - 1, ~gfn);

	spin_lock(&block_state.lock);
	gslot_unmaps_begin(&block_state.unmaps, &b->ranges, get_jiffies_64(), gfn, last);
	WRITE_ONCE(b->any, true);
	spin_unlock(&block_state.lock);
}

/**
 * gslot_guestmem_block_end() - the notification ends: allow pinning there in a while
 * @b: the vGPU's
 *
 * Context: process.
 */
void gslot_guestmem_block_end(struct gslot_guestmem_block *b)
{
	spin_lock(&block_state.lock);
	gslot_unmaps_end(&block_state.unmaps, &b->ranges, get_jiffies_64());
	spin_unlock(&block_state.lock);
}

/* How long pages of a range may not be pinned, jiffies; U64_MAX if it is not known. */
static u64 block_time_left(struct gslot_guestmem_block *b, u64 first, u64 last)
{
	u64 left;

	/* The common case. */
	if (!READ_ONCE(b->any))
		return 0;
	spin_lock(&block_state.lock);
	left = gslot_unmaps_time_left(&block_state.unmaps, &b->ranges, get_jiffies_64(), first,
				      last);
	WRITE_ONCE(b->any, b->ranges.count);
	spin_unlock(&block_state.lock);
	return left;
}

/*
 * Take gslot_guestmem.lock, in any case. Wait until pages of the range may be pinned: for
 * BLOCK_JIFFIES at most, and not while the vGPU's lock is contended. Return: whether they may be.
 */
bool guestmem_block_wait_lock(struct gslot_guestmem *mem, u64 first, u64 last)
{
	unsigned long until = jiffies + BLOCK_JIFFIES;
	u64 left;

	mutex_lock(&mem->lock);
	while ((left = block_time_left(mem->block, first, last)) > 0) {
		if (!time_before(jiffies, until) || gslot_vgpu_lock_contended(mem->vgpu_lock))
			return false;
		mutex_unlock(&mem->lock);
		schedule_timeout_uninterruptible(min_t(u64, left, POLL_JIFFIES));
		mutex_lock(&mem->lock);
	}
	return true;
}
