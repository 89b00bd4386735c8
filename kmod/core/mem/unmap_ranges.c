// SPDX-License-Identifier: GPL-2.0
#include "unmap_ranges.h"

/**
 * gslot_unmaps_add() - add a vGPU, without a range that is being unmapped
 * @all: the vGPUs
 * @vgpu: to be initialised
 */
void gslot_unmaps_add(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu)
{
	*vgpu = (struct gslot_unmap_ranges) { .next = all->vgpus };
	all->vgpus = vgpu;
}

/**
 * gslot_unmaps_remove() - undo gslot_unmaps_add()
 * @all: the vGPUs
 * @vgpu: one of them; it neither pins pages nor is notified
 */
void gslot_unmaps_remove(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu)
{
	struct gslot_unmap_ranges **link = &all->vgpus;

	while (*link != vgpu)
		link = &(*link)->next;
	*link = vgpu->next;
	all->count -= vgpu->count;
}

/* When the oldest pin under way for a process began; U64_MAX: there is none. */
static u64 unmaps_oldest_pin(const struct gslot_unmaps *all, const void *process)
{
	const struct gslot_unmap_ranges *vgpu;
	u64 oldest = U64_MAX;

	for (vgpu = all->vgpus; vgpu; vgpu = vgpu->next)
		if (vgpu->process == process && vgpu->pinning)
			oldest = min(oldest, vgpu->pin_since);
	return oldest;
}

/* Is a vGPU of the process notified of this range now? */
static bool unmaps_notified(const struct gslot_unmaps *all, const void *process,
			    const struct gslot_unmap_range *range)
{
	const struct gslot_unmap_ranges *vgpu;

	for (vgpu = all->vgpus; vgpu; vgpu = vgpu->next)
		if (vgpu->process == process && vgpu->notified && vgpu->first == range->first &&
		    vgpu->last == range->last)
			return true;
	return false;
}

/* Remove the ranges of a vGPU that are not blocked any more. */
static void unmaps_expire(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu, u64 now)
{
	u64 oldest = vgpu->count ? unmaps_oldest_pin(all, vgpu->process) : U64_MAX;
	u32 i = 0;

	while (i < vgpu->count) {
		const struct gslot_unmap_range *range = &vgpu->range[i];

		if (now < range->until || oldest < range->until ||
		    unmaps_notified(all, vgpu->process, range)) {
			i++;
			continue;
		}
		vgpu->range[i] = vgpu->range[--vgpu->count];
		all->count--;
	}
}

/*
 * Add the range from @first to @last, unless there is one. Without room it replaces the one that
 * ends first. A thread that unmaps needs its range until VFIO has checked it, before its next one:
 * so none is lost while at most GSLOT_MAX_UNMAP_RANGES threads unmap at once. vGPUs that are
 * notified of the same range have an equal one, as unmaps_notified() and gslot_unmaps_end() expect.
 */
static void unmaps_add_range(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu, u64 first,
			     u64 last)
{
	struct gslot_unmap_range *range, *ends_first = vgpu->range;

	for (range = vgpu->range; range < vgpu->range + vgpu->count; range++) {
		if (range->first == first && range->last == last)
			return;
		if (range->until < ends_first->until)
			ends_first = range;
	}
	range = ends_first;
	if (vgpu->count < GSLOT_MAX_UNMAP_RANGES) {
		range = &vgpu->range[vgpu->count++];
		all->count++;
	}
	*range = (struct gslot_unmap_range) { .first = first, .last = last };
}

/**
 * gslot_unmaps_begin() - block pinning in a range: a notification that it is unmapped begins
 * @all: the vGPUs
 * @vgpu: one of them; no other notification of it is under way
 * @now: the time
 * @first: the range's first page
 * @last: its last page
 */
void gslot_unmaps_begin(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu, u64 now,
			u64 first, u64 last)
{
	unmaps_expire(all, vgpu, now);
	unmaps_add_range(all, vgpu, first, last);
	vgpu->notified = true;
	vgpu->first = first;
	vgpu->last = last;
}

/* Block a vGPU's range from @first to @last, if it has that, until @until. */
static void unmaps_block(struct gslot_unmap_ranges *vgpu, u64 first, u64 last, u64 until)
{
	struct gslot_unmap_range *range;

	for (range = vgpu->range; range < vgpu->range + vgpu->count; range++)
		if (range->first == first && range->last == last) {
			range->until = until;
			range->first_until = until;
		}
}

/**
 * gslot_unmaps_end() - the notification ends: allow pinning there in a while, for all vGPUs of the
 *			process that have the range
 * @all: the vGPUs
 * @vgpu: the one that was notified
 * @now: the time
 */
void gslot_unmaps_end(const struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu, u64 now)
{
	struct gslot_unmap_ranges *other;

	vgpu->notified = false;
	for (other = all->vgpus; other; other = other->next)
		if (other->process == vgpu->process)
			unmaps_block(other, vgpu->first, vgpu->last, now + all->after);
}

/**
 * gslot_unmaps_pin_begin() - VFIO begins to pin pages
 * @vgpu: the vGPU for which it does; it does not for it already
 * @now: the time
 */
void gslot_unmaps_pin_begin(struct gslot_unmap_ranges *vgpu, u64 now)
{
	vgpu->pin_since = now;
	vgpu->pinning = true;
}

/*
 * A pin took long: ranges of a vGPU that were not over when it began are over later. A vGPU has one
 * such pin at most for each range, so pins do not postpone its end for ever.
 */
static void unmaps_extend(const struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu,
			  u64 since, u64 now)
{
	struct gslot_unmap_range *range;

	for (range = vgpu->range; range < vgpu->range + vgpu->count; range++)
		if (since < range->first_until)
			range->until = now + all->after;
}

/**
 * gslot_unmaps_pin_end() - VFIO has pinned the pages, or could not
 * @all: the vGPUs
 * @vgpu: the one for which it did; it may pin more at once
 * @now: the time
 */
void gslot_unmaps_pin_end(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu, u64 now)
{
	struct gslot_unmap_ranges *other;

	vgpu->pinning = false;
	if (!all->count || now <= vgpu->pin_since + all->slow_pin)
		return;
	for (other = all->vgpus; other; other = other->next)
		if (other->process == vgpu->process)
			unmaps_extend(all, other, vgpu->pin_since, now);
}

/**
 * gslot_unmaps_time_left() - how long pages of a range may not be pinned
 * @all: the vGPUs
 * @vgpu: the one for which they are to be pinned
 * @now: the time
 * @first: the range's first page
 * @last: its last page
 *
 * Return: 0 if they may be pinned, up to @after of @all, or U64_MAX if that is not known.
 */
u64 gslot_unmaps_time_left(struct gslot_unmaps *all, struct gslot_unmap_ranges *vgpu, u64 now,
			   u64 first, u64 last)
{
	const struct gslot_unmap_range *range;
	u64 left = 0;

	unmaps_expire(all, vgpu, now);
	for (range = vgpu->range; range < vgpu->range + vgpu->count; range++) {
		if (first > range->last || last < range->first)
			continue;
		if (now >= range->until || unmaps_notified(all, vgpu->process, range))
			return U64_MAX;
		left = max(left, range->until - now);
	}
	return left;
}
