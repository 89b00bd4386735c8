// SPDX-License-Identifier: GPL-2.0
#include "monitor.h"
#include "core/limits.h"

/* What was used in @passed ns, shortened with them. */
static struct gslot_monitor_interval monitor_make_interval(u64 passed, u64 used)
{
	used = min(used, passed);
	if (passed > GSLOT_MONITOR_LONGEST_NS) {
		used = used / (passed / 1000) * (GSLOT_MONITOR_LONGEST_NS / 1000);
		passed = GSLOT_MONITOR_LONGEST_NS;
	}
	return (struct gslot_monitor_interval) { passed, used };
}

static void monitor_move_window(struct gslot_monitor_client *c, struct gslot_monitor_interval new)
{
	struct gslot_monitor_interval *oldest = &c->window[c->next];

	c->sum.passed_ns += new.passed_ns - oldest->passed_ns;
	c->sum.used_ns += new.used_ns - oldest->used_ns;
	*oldest = new;
	c->next = (c->next + 1) % GSLOT_MONITOR_SAMPLES;
	c->use = c->sum.used_ns * GSLOT_WHOLE / c->sum.passed_ns;
}

/**
 * gslot_monitor_sample() - account for a period that is over
 * @c: the client
 * @r: its counters. One that is smaller than before is ignored
 * @idle_after_ns: for how long it must have had nothing to do to be idle
 *
 * Work counts from the reading that shows it: so a client is idle no earlier than it should be,
 * and a period later at most.
 */
void gslot_monitor_sample(struct gslot_monitor_client *c, const struct gslot_monitor_reading *r,
			  u64 idle_after_ns)
{
	bool worked = r->pending || r->requests > c->last.requests || r->busy_ns > c->last.busy_ns;
	u64 used = r->busy_ns > c->last.busy_ns ? r->busy_ns - c->last.busy_ns : 0;
	struct gslot_monitor_interval interval = { };

	/* Two samples at one time: the use counts in the next interval. */
	if (r->now > c->last.now) {
		interval = monitor_make_interval(r->now - c->last.now, used);
		monitor_move_window(c, interval);
		c->last.busy_ns = r->busy_ns;
	}
	c->last.now = r->now;
	c->last.requests = r->requests;
	c->quiet_ns = worked ? 0 : c->quiet_ns + interval.passed_ns;
	c->idle = !worked && c->quiet_ns >= idle_after_ns;
}

/**
 * gslot_monitor_last() - how much a client used in the last period
 * @c: the client
 *
 * Return: per mille; 0 before the first one is over.
 */
u32 gslot_monitor_last(const struct gslot_monitor_client *c)
{
	u32 last = (c->next + GSLOT_MONITOR_SAMPLES - 1) % GSLOT_MONITOR_SAMPLES;
	const struct gslot_monitor_interval *it = &c->window[last];

	return it->passed_ns ? it->used_ns * GSLOT_WHOLE / it->passed_ns : 0;
}
