// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: memory that is being unmapped
 *
 * VFIO tells its devices one after another that memory is unmapped, and then checks whether any of
 * its pages is still pinned. If one is, VFIO begins again; after ten rounds it hits a BUG_ON(). So
 * a guest that keeps on submitting must not get pages of the range pinned between its notification
 * and VFIO's check. No pages are pinned there from the beginning of a notification until
 * BLOCK_JIFFIES after its end: the thread that unmaps may have to wait for its processor in
 * between, for a period of its CPU bandwidth limit, say.
 *
 * The other devices of a VFIO container are notified after that, which may take seconds, up to what
 * their guest has mapped. A guest may have several vGPUs: so a range is blocked for one that was
 * notified as well while another one of the process is notified of the same range, and
 * BLOCK_JIFFIES after that. A process may have several containers: so one that was not notified of
 * the range may pin pages there.
 *
 * VFIO's lock is held while pages are pinned, and VFIO needs it for its check. Pages may arrive
 * slowly: so a range is blocked as well while a pin is under way that began before its end, and
 * BLOCK_JIFFIES longer if that took long. The kernel's mutex makes VFIO wait for two such pins at
 * most.
 *
 * A caller that needs such a page waits for BLOCK_JIFFIES at most, and not while the vGPU's lock is
 * contended: a notification may wait for that lock. Then it gets -ENOMEM, and tries again later.
 */
#include <linux/jiffies.h>
#include <linux/sched.h>

#include "guestmem_priv.h"

#define BLOCK_JIFFIES	msecs_to_jiffies(200)
/* A pin that takes longer than that may keep VFIO from its check. */
#define SLOW_PIN_JIFFIES	msecs_to_jiffies(20)
/* How often a range's end is postponed for such pins. */
#define MAX_EXTENDED	4
#define POLL_JIFFIES	((long)msecs_to_jiffies(10))

/* Of all GPUs: a guest may have vGPUs of several. */
struct gslot_blocks {
	spinlock_t lock;		/* protects the rest, and each struct gslot_unmap_ranges */
	struct list_head users;		/* struct gslot_unmap_ranges of all vGPUs */
	u32 ranges;			/* how many there are */
};

static struct gslot_blocks block_state = {
	.lock = __SPIN_LOCK_UNLOCKED(block_state.lock),
	.users = LIST_HEAD_INIT(block_state.users),
};

/**
 * gslot_unmap_ranges_init() - initialise the blocked ranges of a vGPU: there are none
 * @b: to be initialised
 *
 * Context: process.
 */
void gslot_unmap_ranges_init(struct gslot_unmap_ranges *b)
{
	*b = (struct gslot_unmap_ranges) { };
	spin_lock(&block_state.lock);
	list_add_tail(&b->link, &block_state.users);
	spin_unlock(&block_state.lock);
}

/**
 * gslot_unmap_ranges_fini() - undo gslot_unmap_ranges_init()
 * @b: the vGPU's; it is not open, and no notification is under way
 *
 * Context: process.
 */
void gslot_unmap_ranges_fini(struct gslot_unmap_ranges *b)
{
	spin_lock(&block_state.lock);
	list_del(&b->link);
	block_state.ranges -= b->count;
	spin_unlock(&block_state.lock);
	if (b->mm)
		mmdrop(b->mm);
}

/* The calling process opens the vGPU: see block_is_shared(). */
void guestmem_block_open(struct gslot_unmap_ranges *b)
{
	struct mm_struct *old;

	mmgrab(current->mm);
	spin_lock(&block_state.lock);
	old = b->mm;
	b->mm = current->mm;
	spin_unlock(&block_state.lock);
	if (old)
		mmdrop(old);
}

void guestmem_block_pin_begin(struct gslot_unmap_ranges *b)
{
	spin_lock(&block_state.lock);
	b->pin_since = jiffies;
	b->pinning = true;
	spin_unlock(&block_state.lock);
}

/* A pin that began at @since took long: ranges that were not over then are over later. */
static void block_extend(struct gslot_unmap_ranges *b, unsigned long since)
{
	struct gslot_unmap_range *range;

	lockdep_assert_held(&block_state.lock);
	for (range = b->range; range < b->range + b->count; range++) {
		if (range->under_way || !time_before(since, range->until) ||
		    range->extended == MAX_EXTENDED)
			continue;
		range->extended++;
		range->until = jiffies + BLOCK_JIFFIES;
	}
}

/* The pin is over, and its caller may begin another one. */
void guestmem_block_pin_end(struct gslot_unmap_ranges *b)
{
	struct gslot_unmap_ranges *other;

	spin_lock(&block_state.lock);
	if (block_state.ranges && time_after(jiffies, b->pin_since + SLOW_PIN_JIFFIES))
		list_for_each_entry(other, &block_state.users, link)
			if (other->mm == b->mm)
				block_extend(other, b->pin_since);
	b->pinning = false;
	spin_unlock(&block_state.lock);
}

/* Is a pin for a process under way that began before @until? */
static bool block_is_pinning(const struct mm_struct *mm, unsigned long until)
{
	const struct gslot_unmap_ranges *b;

	lockdep_assert_held(&block_state.lock);
	list_for_each_entry(b, &block_state.users, link)
		if (b->mm == mm && b->pinning && time_before(b->pin_since, until))
			return true;
	return false;
}

/* Is the notification under way, or the time after its end not over? */
static bool block_is_active(const struct gslot_unmap_range *range)
{
	return range->under_way || time_before(jiffies, range->until);
}

/* Is another vGPU of the process notified of the same range, or was it just now? */
static bool block_is_shared(const struct gslot_unmap_ranges *b,
			    const struct gslot_unmap_range *range)
{
	const struct gslot_unmap_ranges *other;
	u32 i;

	lockdep_assert_held(&block_state.lock);
	list_for_each_entry(other, &block_state.users, link)
		for (i = 0; other != b && other->mm == b->mm && i < other->count; i++)
			if (other->range[i].first == range->first &&
			    other->range[i].last == range->last &&
			    block_is_active(&other->range[i]))
				return true;
	return false;
}

/* Remove the ranges that are not blocked any more. */
static void block_expire(struct gslot_unmap_ranges *b)
{
	u32 i = 0;

	lockdep_assert_held(&block_state.lock);
	while (i < b->count) {
		const struct gslot_unmap_range *range = &b->range[i];

		if (block_is_active(range) || block_is_pinning(b->mm, range->until) ||
		    block_is_shared(b, range)) {
			i++;
			continue;
		}
		b->range[i] = b->range[b->count - 1];
		WRITE_ONCE(b->count, b->count - 1);
		block_state.ranges--;
	}
}

/*
 * The range from @first to @last. If there is none, a new one; without room it replaces the oldest.
 * That one is not needed: VFIO checks an unmapping before the thread begins the next one, and
 * GSLOT_MAX_UNMAP_RANGES have followed. vGPUs that are notified of the same range have an equal
 * one, as block_is_shared() expects.
 */
static struct gslot_unmap_range *block_range_for(struct gslot_unmap_ranges *b, u64 first, u64 last)
{
	struct gslot_unmap_range *range, *oldest = NULL;

	lockdep_assert_held(&block_state.lock);
	for (range = b->range; range < b->range + b->count; range++) {
		if (range->first == first && range->last == last)
			return range;
		if (!oldest || time_before(range->until, oldest->until))
			oldest = range;
	}
	range = oldest;
	if (b->count < GSLOT_MAX_UNMAP_RANGES) {
		range = &b->range[b->count];
		WRITE_ONCE(b->count, b->count + 1);
		block_state.ranges++;
	}
	*range = (struct gslot_unmap_range) { .first = first, .last = last };
	return range;
}

/**
 * gslot_unmap_range_begin() - block pinning in a range: a notification that it is unmapped begins
 * @b: the vGPU's; no other notification is under way
 * @gfn: the first page
 * @count: how many, not 0
 *
 * Context: process; @b need not be open.
 */
void gslot_unmap_range_begin(struct gslot_unmap_ranges *b, u64 gfn, u64 count)
{
	u64 last = gfn + min(count - 1, ~gfn);
	struct gslot_unmap_range *range;

	spin_lock(&block_state.lock);
	block_expire(b);
	range = block_range_for(b, gfn, last);
	range->under_way = true;
	range->extended = 0;
	spin_unlock(&block_state.lock);
}

/**
 * gslot_unmap_range_end() - the notification ends: allow pinning there in a while
 * @b: the vGPU's
 *
 * Context: process.
 */
void gslot_unmap_range_end(struct gslot_unmap_ranges *b)
{
	u32 i;

	spin_lock(&block_state.lock);
	for (i = 0; i < b->count; i++) {
		if (!b->range[i].under_way)
			continue;
		b->range[i].under_way = false;
		b->range[i].until = jiffies + BLOCK_JIFFIES;
	}
	spin_unlock(&block_state.lock);
}

/*
 * How long pages of a range may not be pinned, jiffies: 0, up to BLOCK_JIFFIES, or LONG_MAX if it
 * is not known.
 */
static long block_time_left(struct gslot_unmap_ranges *b, u64 first, u64 last)
{
	long left = 0;
	u32 i;

	/* The common case. */
	if (!READ_ONCE(b->count))
		return 0;
	spin_lock(&block_state.lock);
	block_expire(b);
	for (i = 0; i < b->count; i++) {
		const struct gslot_unmap_range *range = &b->range[i];

		if (first > range->last || last < range->first)
			continue;
		if (range->under_way || !time_before(jiffies, range->until))
			left = LONG_MAX;
		left = max(left, (long)(range->until - jiffies));
	}
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
	long left;

	mutex_lock(&mem->lock);
	while ((left = block_time_left(mem->unmaps, first, last)) > 0) {
		if (!time_before(jiffies, until) || gslot_vgpu_lock_contended(mem->vgpu_lock))
			return false;
		mutex_unlock(&mem->lock);
		schedule_timeout_uninterruptible(min(left, POLL_JIFFIES));
		mutex_lock(&mem->lock);
	}
	return true;
}
