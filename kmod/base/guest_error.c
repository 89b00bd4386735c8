// SPDX-License-Identifier: GPL-2.0
/* What is said of a vGPU in the log, and how often. */
#include <linux/device.h>
#include <linux/seq_file.h>

#include "guest_error.h"
#include "base/trace.h"

/* As debugfs and the log have them: docs/debugfs.md. */
static const char *const names[] = {
	[GSLOT_CAUSE_REGISTER] = "unknown_register",
	[GSLOT_CAUSE_NOTIFICATION] = "unknown_notification",
	[GSLOT_CAUSE_SUBMISSION] = "bad_submission",
	[GSLOT_CAUSE_STATUS_PAGE] = "no_status_page",
	[GSLOT_CAUSE_GGTT_ENTRY] = "bad_ggtt_entry",
	[GSLOT_CAUSE_CONTEXT] = "refused_context",
	[GSLOT_CAUSE_IMAGE] = "bad_image",
	[GSLOT_CAUSE_ENGINE] = "engine_error",
	[GSLOT_CAUSE_UNMAP] = "slow_unmap",
	[GSLOT_CAUSE_USER] = "busy_user",
};

static_assert(ARRAY_SIZE(names) == GSLOT_NR_CAUSES);

/**
 * gslot_guest_errors_init() - there is nothing to be said yet
 * @guest_errors: of a vGPU: from its creation to its end, however often it is opened
 * @dev: its device, in whose name log lines are written
 *
 * Context: any.
 */
void gslot_guest_errors_init(struct gslot_guest_errors *guest_errors, struct device *dev)
{
	u32 i;

	guest_errors->dev = dev;
	for (i = 0; i < GSLOT_NR_CAUSES; i++) {
		atomic64_set(&guest_errors->of[i].count, 0);
		atomic64_set(&guest_errors->of[i].logged, 0);
		ratelimit_state_init(&guest_errors->of[i].limit, DEFAULT_RATELIMIT_INTERVAL, 1);
		/* A line says how many there were; none is needed about those that are missing. */
		ratelimit_set_flags(&guest_errors->of[i].limit, RATELIMIT_MSG_ON_RELEASE);
	}
}

/**
 * gslot_guest_err() - something is wrong with a vGPU
 * @guest_errors: the vGPU's
 * @cause: what it is
 * @fmt: what it is this time, without a newline
 *
 * One line in five seconds is logged for each cause. It begins with the names of the
 * vGPU and of the cause, and the number of times there have been.
 *
 * Context: any.
 */
void gslot_guest_err(struct gslot_guest_errors *guest_errors, enum gslot_cause cause,
		    const char *fmt, ...)
{
	s64 count = atomic64_inc_return(&guest_errors->of[cause].count);
	struct va_format what = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	what.va = &args;
	trace_gslot_guest_error(dev_name(guest_errors->dev), names[cause], &what);
	if (__ratelimit(&guest_errors->of[cause].limit)) {
		atomic64_inc(&guest_errors->of[cause].logged);
		dev_warn(guest_errors->dev, "%s #%lld: %pV\n", names[cause], count, &what);
	}
	va_end(args);
}

/**
 * gslot_guest_errors_count() - how often was there a cause to complain?
 * @guest_errors: the vGPU's
 * @cause: which one
 *
 * Return: how often, since it was created.
 * Context: any.
 */
u64 gslot_guest_errors_count(const struct gslot_guest_errors *guest_errors, enum gslot_cause cause)
{
	return atomic64_read(&guest_errors->of[cause].count);
}

/**
 * gslot_guest_errors_show() - what there was to be said, for debugfs
 * @guest_errors: the vGPU's
 * @m: where to
 *
 * Context: any.
 */
void gslot_guest_errors_show(const struct gslot_guest_errors *guest_errors, struct seq_file *m)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_CAUSES; i++)
		seq_printf(m, "%s: count=%lld logged=%lld\n", names[i],
			   atomic64_read(&guest_errors->of[i].count),
			   atomic64_read(&guest_errors->of[i].logged));
}
