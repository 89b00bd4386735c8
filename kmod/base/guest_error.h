/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The one way to say in the log that something is wrong with a vGPU, mostly that its guest
 * misbehaves. A guest can do so as often as it likes: so each vGPU has a limit for each cause. What
 * is not logged is counted, and traced.
 */
#ifndef _GSLOT_BASE_GUEST_ERROR_H
#define _GSLOT_BASE_GUEST_ERROR_H

#include <linux/atomic.h>
#include <linux/compiler_attributes.h>
#include <linux/ratelimit.h>
#include <linux/types.h>

struct device;
struct seq_file;

/**
 * enum gslot_cause - what is complained of
 * @GSLOT_CAUSE_REGISTER: an access to a register that no table knows
 * @GSLOT_CAUSE_NOTIFICATION: a notification by PVINFO that there is not
 * @GSLOT_CAUSE_SUBMISSION: a submission of nothing, or while execlists are off
 * @GSLOT_CAUSE_STATUS_PAGE: no memory where events are to be written
 * @GSLOT_CAUSE_GGTT_ENTRY: a GGTT entry whose page is not to be had
 * @GSLOT_CAUSE_CONTEXT: a submission that is refused
 * @GSLOT_CAUSE_IMAGE: a saved context that the guest does not get, as it makes no sense
 * @GSLOT_CAUSE_ENGINE: a command streamer stopped with an error
 * @GSLOT_CAUSE_UNMAP: unmapping of guest memory takes long
 * @GSLOT_CAUSE_USER: whoever has it open does not let go of it
 * @GSLOT_NR_CAUSES: how many there are
 */
enum gslot_cause {
	GSLOT_CAUSE_REGISTER,
	GSLOT_CAUSE_NOTIFICATION,
	GSLOT_CAUSE_SUBMISSION,
	GSLOT_CAUSE_STATUS_PAGE,
	GSLOT_CAUSE_GGTT_ENTRY,
	GSLOT_CAUSE_CONTEXT,
	GSLOT_CAUSE_IMAGE,
	GSLOT_CAUSE_ENGINE,
	GSLOT_CAUSE_UNMAP,
	GSLOT_CAUSE_USER,
	GSLOT_NR_CAUSES,
};

/**
 * struct gslot_guest_errors - what there was to be said of a vGPU
 * @dev: its device, whose name is the vGPU's
 * @of: by cause: how often, how many lines of these were logged, and the limit of them
 */
struct gslot_guest_errors {
	struct device *dev;
	struct {
		atomic64_t count;
		atomic64_t logged;
		struct ratelimit_state limit;
	} of[GSLOT_NR_CAUSES];
};

void gslot_guest_errors_init(struct gslot_guest_errors *guest_errors, struct device *dev);
__printf(3, 4)
void gslot_guest_err(struct gslot_guest_errors *guest_errors, enum gslot_cause cause,
		    const char *fmt, ...);
u64 gslot_guest_errors_count(const struct gslot_guest_errors *guest_errors, enum gslot_cause cause);
void gslot_guest_errors_show(const struct gslot_guest_errors *guest_errors, struct seq_file *m);

#endif
