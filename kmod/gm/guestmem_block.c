// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: memory that is being unmapped
 *
 * VFIO tells its devices one after another that memory is unmapped, and then checks whether any of
 * its pages is still pinned. If one is, VFIO begins again; after ten rounds it hits a BUG_ON(). So
 * a guest that keeps on submitting must not get pages of the range pinned between its notification
 * and VFIO's check. No pages are pinned there from the beginning of a notification until
 * BLOCK_JIFFIES after its end: the thread that unmaps may have to wait for its processor in between,
 * for a period of its CPU bandwidth limit, say.
 *
 * The other devices of a VFIO container are notified meanwhile, which may take seconds, up to what
 * their guest has mapped. So a range is blocked for all vGPUs of a process, as long as any of them
 * is notified: a guest may have several.
 *
 * A caller that needs such a page waits for BLOCK_JIFFIES at most, and for no notification: that
 * may wait for the caller.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>

#include "guestmem_priv.h"

#define BLOCK_JIFFIES	msecs_to_jiffies(200)
#define POLL_JIFFIES	((long)msecs_to_jiffies(10))

/* Of all GPUs: a guest may have vGPUs of several. */
struct gslot_blocks {
	spinlock_t lock;		/* protects the rest, and each struct gslot_blocked */
	struct list_head users;		/* struct gslot_blocked of open vGPUs */
	u32 notified;			/* how many notifications are under way */
	unsigned long until;		/* when the last range of another one ends, jiffies */
};

static struct gslot_blocks blocks = {
	.lock = __SPIN_LOCK_UNLOCKED(blocks.lock),
	.users = LIST_HEAD_INIT(blocks.users),
};

/**
 * gslot_blocked_init() - initialise the blocked ranges of a vGPU: there are none
 * @b: to be initialised
 *
 * Context: any; not in use yet.
 */
void gslot_blocked_init(struct gslot_blocked *b)
{
	*b = (struct gslot_blocked) { };
	INIT_LIST_HEAD(&b->link);
}

/* From now on, what is blocked for the calling process is for @b, and the other way round. */
void guestmem_block_join(struct gslot_blocked *b)
{
	spin_lock(&blocks.lock);
	b->process = current->mm;
	list_add_tail(&b->link, &blocks.users);
	spin_unlock(&blocks.lock);
}

void guestmem_block_leave(struct gslot_blocked *b)
{
	spin_lock(&blocks.lock);
	list_del_init(&b->link);
	spin_unlock(&blocks.lock);
}

/* Remove the ranges whose time is over. */
static void block_expire(struct gslot_blocked *b)
{
	u32 i = 0;

	lockdep_assert_held(&blocks.lock);
	while (i < b->count) {
		if (b->range[i].notified || time_before(jiffies, b->range[i].until))
			i++;
		else
			b->range[i] = b->range[--b->count];
	}
}

/* A range for @first to @last: one that has them, a new one, or one that is extended. */
static struct gslot_blocked_range *block_find(struct gslot_blocked *b, u64 first, u64 last)
{
	struct gslot_blocked_range *range;

	for (range = b->range; range < b->range + b->count; range++)
		if (range->first <= first && range->last >= last)
			return range;
	if (b->count == GSLOT_MAX_BLOCKED)
		return b->range;
	range = &b->range[b->count++];
	*range = (struct gslot_blocked_range) { .first = first, .last = last };
	return range;
}

/**
 * gslot_blocked_begin() - block pinning in a range: a notification that it is unmapped begins
 * @b: the vGPU's; no other notification is under way
 * @gfn: the first page
 * @count: how many, not 0
 *
 * If there is no room for another range, one is extended to it, with all that lies between them:
 * waiting there is a delay and does no harm.
 *
 * Context: any; @b need not be open.
 */
void gslot_blocked_begin(struct gslot_blocked *b, u64 gfn, u64 count)
{
	u64 last = gfn + min(count - 1, ~gfn);
	struct gslot_blocked_range *range;

	spin_lock(&blocks.lock);
	block_expire(b);
	range = block_find(b, gfn, last);
	range->first = min(range->first, gfn);
	range->last = max(range->last, last);
	range->notified = true;
	WRITE_ONCE(blocks.notified, blocks.notified + 1);
	spin_unlock(&blocks.lock);
}

/**
 * gslot_blocked_end() - the notification ends: allow pinning there in a while
 * @b: the vGPU's
 *
 * Context: any.
 */
void gslot_blocked_end(struct gslot_blocked *b)
{
	u32 i;

	spin_lock(&blocks.lock);
	WRITE_ONCE(blocks.until, jiffies + BLOCK_JIFFIES);
	WRITE_ONCE(blocks.notified, blocks.notified - 1);
	for (i = 0; i < b->count; i++) {
		if (!b->range[i].notified)
			continue;
		b->range[i].notified = false;
		b->range[i].until = blocks.until;
	}
	spin_unlock(&blocks.lock);
}

/*
 * How long pages of a range may not be pinned for one vGPU's sake, jiffies: 0, up to BLOCK_JIFFIES,
 * or LONG_MAX during a notification.
 */
static long block_time_left(struct gslot_blocked *b, u64 first, u64 last)
{
	long left = 0;
	u32 i;

	block_expire(b);
	for (i = 0; i < b->count; i++) {
		const struct gslot_blocked_range *range = &b->range[i];

		if (first > range->last || last < range->first)
			continue;
		if (range->notified)
			return LONG_MAX;
		left = max(left, (long)(range->until - jiffies));
	}
	return left;
}

/* The same for the sake of any vGPU of the process. */
static long block_time_left_any(const struct gslot_blocked *b, u64 first, u64 last)
{
	struct gslot_blocked *other;
	long left = 0;

	/* Mostly. One that begins now notifies this vGPU as well. */
	if (!READ_ONCE(blocks.notified) && time_after(jiffies, READ_ONCE(blocks.until)))
		return 0;
	spin_lock(&blocks.lock);
	list_for_each_entry(other, &blocks.users, link)
		if (other->process == b->process)
			left = max(left, block_time_left(other, first, last));
	spin_unlock(&blocks.lock);
	return left;
}

/*
 * Take gslot_guestmem.lock when pages of a range may be pinned; or without that after
 * BLOCK_JIFFIES, or when a caller waits for the vGPU's lock: perhaps a notification does. Return:
 * whether they may be pinned.
 */
bool guestmem_block_wait_lock(struct gslot_guestmem *mem, u64 first, u64 last)
{
	unsigned long until = jiffies + BLOCK_JIFFIES;
	long left;

	mutex_lock(&mem->lock);
	while ((left = block_time_left_any(mem->blocked, first, last)) > 0) {
		if (!time_before(jiffies, until) || gslot_vgpu_lock_contended(mem->vgpu_lock))
			return false;
		mutex_unlock(&mem->lock);
		schedule_timeout_uninterruptible(min(left, POLL_JIFFIES));
		mutex_lock(&mem->lock);
	}
	return true;
}
