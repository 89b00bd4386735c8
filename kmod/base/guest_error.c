// SPDX-License-Identifier: GPL-2.0
/* Errors of vGPUs: counters, log lines with a rate limit, and the tracepoint. */
#include <linux/device.h>
#include <linux/seq_file.h>

#include "guest_error.h"
#include "base/trace.h"

/* As in the log, in debugfs and in docs/debugfs.md. */
static const char *const guest_err_names[] = {
	[GSLOT_GUEST_ERR_REGISTER] = "unknown_register",
	[GSLOT_GUEST_ERR_NOTIFICATION] = "unknown_notification",
	[GSLOT_GUEST_ERR_SUBMISSION] = "bad_submission",
	[GSLOT_GUEST_ERR_STATUS_PAGE] = "no_status_page",
	[GSLOT_GUEST_ERR_GGTT_ENTRY] = "bad_ggtt_entry",
	[GSLOT_GUEST_ERR_CONTEXT] = "refused_context",
	[GSLOT_GUEST_ERR_IMAGE] = "bad_image",
	[GSLOT_GUEST_ERR_ENGINE] = "engine_error",
	[GSLOT_GUEST_ERR_UNMAP] = "slow_unmap",
	[GSLOT_GUEST_ERR_USER] = "busy_user",
	[GSLOT_GUEST_ERR_MAPPING] = "many_mappings",
	[GSLOT_GUEST_ERR_MIGRATION] = "refused_stream",
};

static_assert(ARRAY_SIZE(guest_err_names) == GSLOT_GUEST_ERR_NR_CAUSES);

/**
 * gslot_guest_errors_init() - initialise the errors of a vGPU
 * @errors: the errors, from the vGPU's creation to its removal, however often it is opened
 * @dev: the vGPU's device; log lines begin with its name
 *
 * Context: any.
 */
void gslot_guest_errors_init(struct gslot_guest_errors *errors, struct device *dev)
{
	u32 i;

	errors->dev = dev;
	for (i = 0; i < GSLOT_GUEST_ERR_NR_CAUSES; i++) {
		atomic64_set(&errors->of[i].count, 0);
		atomic64_set(&errors->of[i].logged, 0);
		ratelimit_state_init(&errors->of[i].limit, DEFAULT_RATELIMIT_INTERVAL, 1);
		/* No "callbacks suppressed": each line has the number of errors so far. */
		ratelimit_set_flags(&errors->of[i].limit, RATELIMIT_MSG_ON_RELEASE);
	}
}

/**
 * gslot_guest_err() - count, trace and log an error of a vGPU
 * @errors: the vGPU's
 * @cause: the cause
 * @fmt: what happened, without a newline
 *
 * The log has at most one line in five seconds for each cause. It begins with the names of the
 * vGPU and of the cause, and the number of errors of that cause so far.
 *
 * Context: any.
 */
void gslot_guest_err(struct gslot_guest_errors *errors, enum gslot_guest_err_cause cause,
		     const char *fmt, ...)
{
	s64 count = atomic64_inc_return(&errors->of[cause].count);
	struct va_format what = { .fmt = fmt };
	va_list args;

	va_start(args, fmt);
	what.va = &args;
	trace_gslot_guest_error(dev_name(errors->dev), guest_err_names[cause], &what);
	if (__ratelimit(&errors->of[cause].limit)) {
		atomic64_inc(&errors->of[cause].logged);
		dev_warn(errors->dev, "%s #%lld: %pV\n", guest_err_names[cause], count, &what);
	}
	va_end(args);
}

/**
 * gslot_guest_errors_show() - print errors and log lines by cause, for debugfs
 * @errors: the vGPU's
 * @m: where to print
 *
 * Context: any.
 */
void gslot_guest_errors_show(const struct gslot_guest_errors *errors, struct seq_file *m)
{
	u32 i;

	for (i = 0; i < GSLOT_GUEST_ERR_NR_CAUSES; i++)
		seq_printf(m, "%s: count=%lld logged=%lld\n", guest_err_names[i],
			   atomic64_read(&errors->of[i].count),
			   atomic64_read(&errors->of[i].logged));
}
