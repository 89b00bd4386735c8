/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest memory that is unmapped, as VFIO does it: one thread of each container notifies its vGPUs
 * one after another, takes the lock under which pages are pinned, and finds none of the range
 * pinned, the first time. All the while the vGPUs pin whatever they may, and pages may arrive
 * slowly.
 */
#ifndef UNIT_UNMAPS_H
#define UNIT_UNMAPS_H

#include "core/mem/unmap_ranges.h"

#define PAGES		8
#define VGPUS		6
#define CONTAINERS	3
#define AFTER		200
#define SLOW_PIN	20
#define LONGEST		1500
/* By how much an event may be late. */
#define SLACK		16
/* VFIO's thread gets its processor within that, so that two pins that are not slow may follow. */
#define LATE		(AFTER - 2 * SLOW_PIN - SLACK)

/* Two containers of one process, and one of another. */
static const u32 container_of_vgpu[VGPUS] = { 0, 0, 0, 1, 2, 2 };
static const char processes[2];
static const char *const process_of[CONTAINERS] = { &processes[0], &processes[0], &processes[1] };

struct range {
	u32 first;
	u32 last;
};

struct vgpu {
	struct gslot_unmap_ranges ranges;
	u64 pinned;		/* bit map of pages */
	bool pinning;
	struct range pin;	/* what it pins */
};

/* Its thread unmaps: it waits until @wake, and then goes on with @step. */
enum unmap_step { BEGIN, NOTIFY, DROP, LOCK };

struct container {
	enum unmap_step step;
	u64 wake;
	struct range range;
	u32 vgpu;		/* that is notified */
	int holder;		/* the vGPU that pins with VFIO's lock, or -1 */
	u64 release;		/* when it has done so */
	u32 passed;		/* how many pins the thread has let pass */
};

static struct gslot_unmaps all;
static struct vgpu vgpus[VGPUS];
static struct container containers[CONTAINERS];
static u64 now;
/* How many unmappings were checked, pages were pinned, and pins refused. */
static u64 checked, pinned, refused;

static u64 mask(struct range r)
{
	return (BIT(r.last - r.first + 1) - 1) << r.first;
}

static struct range any_range(void)
{
	u32 first = rnd_below(PAGES);

	return (struct range) { first, first + rnd_below(PAGES - first) };
}

/* Mostly at once. */
static u64 any_time(u32 most)
{
	switch (rnd_below(8)) {
	case 0:
		return rnd_below(most);
	case 1:
		return rnd_below(SLOW_PIN + 2) % most;
	case 2:
		return most - 1;
	default:
		return 0;
	}
}

static bool next_vgpu(u32 c, u32 *v)
{
	while (*v < VGPUS && container_of_vgpu[*v] != c)
		++*v;
	return *v < VGPUS;
}

static void wait_for(struct container *c, enum unmap_step step, u64 time)
{
	c->step = step;
	c->wake = now + time;
}

/* The lock is free: pins that wait for it may take it first, but not for ever. */
static void take_lock(u32 c)
{
	bool vfio = containers[c].step == LOCK && now >= containers[c].wake;
	u32 first = rnd_below(VGPUS);

	if (containers[c].holder >= 0 || (vfio && (containers[c].passed >= 2 || !rnd_below(4))))
		return;
	for (u32 i = 0; i < VGPUS; i++) {
		u32 v = (first + i) % VGPUS;

		if (container_of_vgpu[v] != c || !vgpus[v].pinning)
			continue;
		containers[c].holder = v;
		containers[c].release = now + any_time(LONGEST);
		if (vfio)
			containers[c].passed++;
		return;
	}
}

static void release_lock(struct container *c)
{
	struct vgpu *v;

	if (c->holder < 0 || now < c->release)
		return;
	v = &vgpus[c->holder];
	v->pinned |= mask(v->pin);
	v->pinning = false;
	gslot_unmaps_pin_end(&all, &v->ranges, now);
	pinned++;
	c->holder = -1;
}

static void try_to_pin(struct vgpu *v)
{
	struct range r = any_range();
	u64 left;

	if (v->pinning)
		return;
	left = gslot_unmaps_time_left(&all, &v->ranges, now, r.first, r.last);
	assert_true(left <= AFTER || left == U64_MAX);
	if (left) {
		refused++;
		return;
	}
	v->pin = r;
	v->pinning = true;
	gslot_unmaps_pin_begin(&v->ranges, now);
}

/* VFIO's check. */
static void check_unmapped(u32 c)
{
	for (u32 i = 0; i < VGPUS; i++)
		if (container_of_vgpu[i] == c)
			assert_int_equal(vgpus[i].pinned & mask(containers[c].range), 0);
	checked++;
}

static void unmap_step(u32 c)
{
	struct container *self = &containers[c];
	struct vgpu *v = &vgpus[self->vgpu];

	if (now < self->wake)
		return;
	switch (self->step) {
	case BEGIN:
		self->range = any_range();
		self->vgpu = 0;
		next_vgpu(c, &self->vgpu);
		self->step = NOTIFY;
		return;
	case NOTIFY:
		gslot_unmaps_begin(&all, &v->ranges, now, self->range.first, self->range.last);
		wait_for(self, DROP, any_time(LONGEST));
		return;
	case DROP:
		/* The vGPU's lock is held while its pages are pinned. */
		if (v->pinning)
			return;
		v->pinned &= ~mask(self->range);
		gslot_unmaps_end(&all, &v->ranges, now);
		self->vgpu++;
		if (next_vgpu(c, &self->vgpu)) {
			wait_for(self, NOTIFY, any_time(AFTER - SLACK));
			return;
		}
		/* A pin that is under way is one of those that pass. */
		self->passed = 0;
		wait_for(self, LOCK, any_time(LATE));
		return;
	case LOCK:
		if (!self->passed)
			self->passed = self->holder >= 0;
		if (self->holder >= 0)
			return;
		check_unmapped(c);
		wait_for(self, BEGIN, any_time(2 * AFTER));
		return;
	}
}

static void start_life(void)
{
	all = (struct gslot_unmaps) { .after = AFTER, .slow_pin = SLOW_PIN };
	now = rnd_below(2) ? rnd() : 0;
	checked = 0;
	pinned = 0;
	refused = 0;
	for (u32 i = 0; i < VGPUS; i++) {
		vgpus[i] = (struct vgpu) { };
		gslot_unmaps_add(&all, &vgpus[i].ranges);
		vgpus[i].ranges.process = process_of[container_of_vgpu[i]];
	}
	for (u32 i = 0; i < CONTAINERS; i++)
		containers[i] = (struct container) { .holder = -1, .wake = now + rnd_below(AFTER) };
}

/* What happens at a time, in any order. */
static void any_event(u32 busy)
{
	u32 c = rnd_below(CONTAINERS);

	switch (rnd_below(4)) {
	case 0:
		unmap_step(c);
		break;
	case 1:
		release_lock(&containers[c]);
		break;
	case 2:
		take_lock(c);
		break;
	default:
		if (rnd_below(256) < busy)
			try_to_pin(&vgpus[rnd_below(VGPUS)]);
	}
}

static void check_counts(void)
{
	u32 count = 0;

	for (u32 i = 0; i < VGPUS; i++) {
		assert_true(vgpus[i].ranges.count <= GSLOT_MAX_UNMAP_RANGES);
		count += vgpus[i].ranges.count;
	}
	assert_int_equal(all.count, count);
}

/* A busy vGPU pins again as soon as it may. */
static void live(u32 ticks, u32 busy)
{
	start_life();
	for (u64 end = now + ticks; now < end; now++) {
		for (u32 i = 0; i < 40; i++)
			any_event(busy);
		check_counts();
	}
}

/* No thread begins to unmap any more. Return: whether none is unmapping. */
static bool no_more_unmappings(void)
{
	bool none = true;

	for (u32 c = 0; c < CONTAINERS; c++) {
		if (containers[c].step == BEGIN)
			containers[c].wake = U64_MAX;
		else
			none = false;
	}
	return none;
}

/* Soon after that all pages may be pinned, also while pages arrive slowly. */
static void end_life(void)
{
	u64 end = U64_MAX;

	for (; now < end; now++) {
		for (u32 i = 0; i < 40; i++)
			any_event(256);
		if (no_more_unmappings() && end == U64_MAX)
			end = now + 4 * (VGPUS * LONGEST + AFTER);
	}
	for (u32 i = 0; i < VGPUS; i++) {
		assert_int_equal(gslot_unmaps_time_left(&all, &vgpus[i].ranges, now, 0, PAGES - 1),
				 0);
		assert_int_equal(vgpus[i].ranges.count, 0);
	}
	check_counts();
	while (all.vgpus)
		gslot_unmaps_remove(&all, all.vgpus);
}

static void test_lives(void **state)
{
	(void)state;
	for (u32 i = 0; i < rounds(60); i++) {
		live(10000, 1 + rnd_below(256));
		end_life();
		assert_true(checked && pinned && refused);
	}
}

#endif
