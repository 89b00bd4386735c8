// SPDX-License-Identifier: GPL-2.0
#include <linux/jiffies.h>
#include <linux/minmax.h>

#include "pinned.h"

/* For how long it is true that no vGPU has memory that will be idle for long. */
#define PINNED_SCARCE	HZ

/**
 * gslot_pinned_init() - initialise the pinned pages of a GPU: there are none
 * @all: to be initialised
 * @max: how many there may be
 *
 * Context: any; not in use yet.
 */
void gslot_pinned_init(struct gslot_pinned *all, u64 max)
{
	*all = (struct gslot_pinned) {
		.max = max, .quota = U64_MAX, .share = U64_MAX, .scarce_until = jiffies,
	};
	spin_lock_init(&all->lock);
}

/* How much room is reserved for other memory. */
static u64 pinned_kept(const struct gslot_pinned *all, const struct gslot_guestmem *mem)
{
	return READ_ONCE(all->owner) == mem ? 0 : READ_ONCE(all->reserved);
}

/* The owner uses some of the room that is reserved for it. */
static void pinned_use(struct gslot_pinned *all, const struct gslot_guestmem *mem, u32 count)
{
	if (likely(READ_ONCE(all->owner) != mem))
		return;
	spin_lock(&all->lock);
	if (all->owner == mem)
		WRITE_ONCE(all->reserved, all->reserved - min_t(u64, all->reserved, count));
	spin_unlock(&all->lock);
}

/**
 * gslot_pinned_charge() - count pages that are about to be pinned, within the limit
 * @all: the pinned pages of the GPU
 * @mem: the vGPU's memory
 * @count: how many
 * @made: so many pages it has just unpinned to make room: they are not reserved for another vGPU
 *
 * Return: false, with nothing done, if there is no room.
 * Context: any but hard interrupts.
 */
bool gslot_pinned_charge(struct gslot_pinned *all, const struct gslot_guestmem *mem, u32 count,
			 u32 made)
{
	u64 kept = pinned_kept(all, mem);
	long old = atomic_long_read(&all->count);

	kept -= min_t(u64, kept, made);
	do {
		if (old + count + kept > READ_ONCE(all->max))
			return false;
	} while (!atomic_long_try_cmpxchg(&all->count, &old, old + count));
	pinned_use(all, mem, count);
	return true;
}

/**
 * gslot_pinned_charge_always() - count pages that are about to be pinned, whatever the limit is
 * @all: the pinned pages of the GPU
 * @mem: the vGPU's memory
 * @count: how many
 *
 * Context: any but hard interrupts.
 */
void gslot_pinned_charge_always(struct gslot_pinned *all, const struct gslot_guestmem *mem,
				u32 count)
{
	atomic_long_add(count, &all->count);
	pinned_use(all, mem, count);
}

/**
 * gslot_pinned_reserve() - reserve room for a vGPU
 * @all: the pinned pages of the GPU
 * @owner: the vGPU's memory; NULL: nothing is reserved
 * @pages: how many pages it needs; no more than may be pinned are reserved
 *
 * Context: any but hard interrupts.
 */
void gslot_pinned_reserve(struct gslot_pinned *all, const struct gslot_guestmem *owner, u64 pages)
{
	spin_lock(&all->lock);
	WRITE_ONCE(all->owner, owner);
	WRITE_ONCE(all->reserved, owner ? min(pages, READ_ONCE(all->max)) : 0);
	spin_unlock(&all->lock);
}

/**
 * gslot_pinned_note_scarce() - note that no vGPU has memory that will be idle for long
 * @all: the pinned pages of the GPU
 *
 * Context: any.
 */
void gslot_pinned_note_scarce(struct gslot_pinned *all)
{
	WRITE_ONCE(all->scarce_until, jiffies + PINNED_SCARCE);
}

/**
 * gslot_pinned_is_scarce() - was gslot_pinned_note_scarce() called lately?
 * @all: the pinned pages of the GPU
 *
 * Return: whether it was.
 * Context: any.
 */
bool gslot_pinned_is_scarce(const struct gslot_pinned *all)
{
	return time_before(jiffies, READ_ONCE(all->scarce_until));
}

/**
 * gslot_pinned_room() - get how many more pages of a vGPU may be pinned
 * @all: the pinned pages of the GPU
 * @mem: the vGPU's memory
 *
 * Return: the number, if no page of another vGPU is pinned meanwhile.
 * Context: any.
 */
u64 gslot_pinned_room(const struct gslot_pinned *all, const struct gslot_guestmem *mem)
{
	u64 max = READ_ONCE(all->max);
	u64 used = atomic_long_read(&all->count) + pinned_kept(all, mem);

	return max - min(max, used);
}

/* By how many pages the limit is exceeded, with what is reserved and @more. */
static u64 pinned_beyond(const struct gslot_pinned *all, u64 more)
{
	u64 needed = atomic_long_read(&all->count) + READ_ONCE(all->reserved) + more;

	return needed - min(needed, READ_ONCE(all->max));
}

/**
 * gslot_pinned_excess() - get how many pages are to be unpinned for the limit
 * @all: the pinned pages of the GPU
 *
 * Return: the number that exceeds the limit, with what is reserved.
 * Context: any.
 */
u64 gslot_pinned_excess(const struct gslot_pinned *all)
{
	return pinned_beyond(all, 0);
}

/**
 * gslot_pinned_shortfall() - get how many pages are to be unpinned
 * @all: the pinned pages of the GPU
 *
 * Return: the number that exceeds the limit, with what is reserved and what is to be kept free.
 * Context: any.
 */
u64 gslot_pinned_shortfall(const struct gslot_pinned *all)
{
	return pinned_beyond(all, READ_ONCE(all->spare));
}
