/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Errors of a vGPU: mostly its guest's, some of its user's. gslot_guest_err() is the only way by
 * which they reach the log. A guest can cause errors as often as it likes, so the log has a rate
 * limit for each vGPU and cause. What is not logged is counted and traced.
 */
#ifndef _GSLOT_BASE_GUEST_ERROR_H
#define _GSLOT_BASE_GUEST_ERROR_H

#include <linux/atomic.h>
#include <linux/compiler_attributes.h>
#include <linux/ratelimit.h>
#include <linux/types.h>

struct device;
struct seq_file;

/* Causes of errors */
enum gslot_guest_err_cause {
	GSLOT_GUEST_ERR_REGISTER,	/* one that core/regs/regtable does not have */
	GSLOT_GUEST_ERR_NOTIFICATION,	/* unknown PVINFO notification */
	GSLOT_GUEST_ERR_SUBMISSION,	/* without a context, or while execlists are off */
	GSLOT_GUEST_ERR_STATUS_PAGE,	/* no memory at the address of the status page */
	GSLOT_GUEST_ERR_GGTT_ENTRY,	/* without guest memory, or its page cannot be pinned */
	GSLOT_GUEST_ERR_CONTEXT,	/* submission refused */
	GSLOT_GUEST_ERR_IMAGE,		/* saved by the engine, invalid, not copied to the guest */
	GSLOT_GUEST_ERR_ENGINE,		/* a command streamer stopped with an error */
	GSLOT_GUEST_ERR_UNMAP,		/* unmapping guest memory takes long */
	GSLOT_GUEST_ERR_USER,		/* the user that has the vGPU open does not close it */
	GSLOT_GUEST_ERR_MAPPING,	/* the user maps the device too often */
	GSLOT_GUEST_ERR_MIGRATION,	/* a stream that does not fit the vGPU, or is invalid */
	GSLOT_GUEST_ERR_NR_CAUSES,
};

/* The errors of a vGPU */
struct gslot_guest_errors {
	struct device *dev;			/* the vGPU's; its name is the vGPU's */
	struct {
		atomic64_t count;
		atomic64_t logged;		/* log lines */
		struct ratelimit_state limit;	/* of the log */
	} of[GSLOT_GUEST_ERR_NR_CAUSES];
};

void gslot_guest_errors_init(struct gslot_guest_errors *errors, struct device *dev);
__printf(3, 4)
void gslot_guest_err(struct gslot_guest_errors *errors, enum gslot_guest_err_cause cause,
		     const char *fmt, ...);
void gslot_guest_errors_show(const struct gslot_guest_errors *errors, struct seq_file *m);

/* Return: the number of errors of a cause since the vGPU was created. */
static inline u64 gslot_guest_errors_count(const struct gslot_guest_errors *errors,
					   enum gslot_guest_err_cause cause)
{
	return atomic64_read(&errors->of[cause].count);
}

#endif
