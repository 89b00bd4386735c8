/* SPDX-License-Identifier: GPL-2.0 */
/* Execution of a vGPU, for the files of this folder: its engines, requests and buffers. */
#ifndef _GSLOT_EXEC_PRIV_H
#define _GSLOT_EXEC_PRIV_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>

#include "context_priv.h"
#include "exec.h"
#include "ppgtt_priv.h"
#include "worker_priv.h"
#include "core/cmd/scan.h"
#include "core/cmd/user_copy.h"
#include "core/ctx/vexec.h"
#include "core/regs/sseu.h"

#define EXEC_BATCH_BYTES	0x40000	/* copy of a privileged batch */

/* A submission under way. */
struct exec_attempt {
	struct exec_submission submission;
	bool valid;			/* there is one */
	struct gslot_vexec_element list[2];	/* its elements that are queued, for the ports */
	u32 next;			/* the element to process next */
	u64 pml4;			/* of the context that was tried last; 0 if none was */
	bool begun;			/* interrupted in the sync of its page tables: resumes */
	u32 tries;			/* how often the host had no room for it */
	unsigned long not_before;	/* when to try again, jiffies; 0: now */
	bool starved;			/* its own requests use the room: until one retires */
	unsigned long until;		/* when it is refused, jiffies; 0: not known yet */
	bool wants_room;		/* it has called @request_room, and needs room still */
	u32 asked;			/* how often it has, while the vGPU held the token */
	u32 most;			/* the most pages that the vGPU had pinned at such a call */
	unsigned long waits_since;	/* it waits for room since then, jiffies; or 0 */
};

/* A virtual engine. The vGPU's lock protects it. The guest's reads take no lock. */
struct exec_engine {
	struct gslot_vexec ports;	/* the execlist ports that the guest sees */
	struct exec_attempt attempt;
	bool resetting;	/* by its guest: it takes no submission and sends no event */
	bool waiting;	/* @attempt has no room in its ring until a request is retired */
	u32 queued;	/* number of requests in the V-Channel */
	u32 head;	/* RING_HEAD, RING_TAIL and RING_START as the guest reads them */
	u32 tail;
	u32 start;
	/*
	 * After a migration, until a request of its context is queued: where that context stopped
	 * in a batch. Its @lrca is 0 if none did.
	 */
	struct gslot_exec_position batch;
};

/* A request, and what lives as long. */
struct exec_request {
	struct gslot_request base;	/* what the scheduler gets */
	struct exec_context *context;
	struct list_head link;		/* in the list of all requests that are not retired */
	struct llist_node retired;	/* in the worker's list of retired requests */
	struct list_head batches;	/* struct exec_batch: copies of what its commands call */
	struct exec_relocs relocs;	/* the graphics memory that its commands name */
	struct gslot_copy_budget budget;	/* how much of user batches may still be copied */
	enum gslot_request_result result;	/* set before @retired is added to the list */
};

/* Memory for copies of batches. */
struct exec_batch {
	struct list_head link;	/* in the request's list */
	struct gslot_bo *bo;
	u32 used;		/* bytes that are allocated, from the start */
};

/* A scan of a context's commands. */
struct exec_scan {
	struct gslot_scan scan;	/* the caller sets its kind and level, exec_scan() the rest */
	struct exec_context *ctx;
	struct exec_request *rq;	/* keeps the copies of batches; NULL: a call is refused */
	struct exec_relocs *relocs;	/* records the graphics memory that the commands name */
	u32 *to;		/* where the hardware will execute them */
	u32 bad_user_cmd;	/* the command of a user batch that was refused, if one was */
};

/* Buffers that are used within one function call. The vGPU's lock protects them. */
struct exec_scratch {
	u32 *state;		/* a register state page of the guest */
	u32 *image;		/* an engine context on its way from or to the guest */
	u8 *batch;		/* a privileged or workaround batch before it is scanned */
	struct gslot_user_copy *user_copy;	/* NULL before the first one */
	void *commands;		/* new commands of a ring while they are scanned */
	u32 commands_size;	/* bytes */
	u32 batch_depth;	/* of the privileged batch that is being scanned */
};

/* Counters for debugfs. The vGPU's lock protects them. */
struct exec_stats {
	u64 submissions;	/* of the guest */
	u64 refused;		/* of these */
	u64 retried;		/* of these: the host had no room for them at once */
	u64 throttled;		/* how often the worker used up its CPU time */
	u64 denied;		/* register accesses that were neutralised */
	u64 user_copies;	/* of user batches */
	u64 imports;		/* of context images */
	u64 exports;		/* of engine contexts */
	u64 evicted;		/* contexts */
};

/* Execution of one vGPU. The first four members never change. */
struct gslot_exec {
	struct gslot_exec_config cfg;
	u32 gen;			/* 8 or 9 */
	struct gslot_sseu sseu;
	struct gslot_client *client;	/* the vGPU's client of the scheduler */
	struct exec_worker worker;	/* has its own rules of locking */
	struct mutex reset_lock;	/* see gpu.c */
	struct mutex quiesce_lock;	/* see gpu.c */
	u32 quiesced;			/* gslot_exec_quiesce() calls that are not undone */
	unsigned long quiesced_at;	/* since when, jiffies */

	/* The vGPU's lock protects the rest. */
	struct exec_engine engine[GSLOT_NR_ENGINES];
	struct exec_contexts contexts;
	struct list_head requests;	/* struct exec_request that are not retired */
	u32 batch_pages;		/* of copies of batches */
	struct ppgtt ppgtt;
	struct exec_scratch scratch;
	struct exec_stats stats;
};

/* Return: a page of the guest's image of a context, as gslot_ggtt_page(). */
static inline struct gslot_guest_page *exec_image_page(struct exec_context *ctx, u32 index)
{
	return gslot_ggtt_page(ctx->exec->cfg.ggtt, ctx->hw.lrca + index * GEN_PAGE_SIZE);
}

/* budget.c */
struct gslot_bo *exec_create_bo(struct gslot_exec *exec, u32 pages,
				const struct exec_context *keep);
void exec_destroy_bo(struct gslot_exec *exec, struct gslot_bo *bo);
void *exec_batch_alloc(struct gslot_exec *exec, struct exec_request *rq, u32 bytes, u64 *ggtt);
void exec_batches_free(struct gslot_exec *exec, struct exec_request *rq);

/* exec_save.c */
bool exec_context_in_batch(const struct exec_context *ctx);

/* exec_restore.c */
void exec_restore_batch(struct exec_context *ctx);

/* retire.c */
void exec_notify(struct gslot_exec *exec, enum gslot_engine_id id,
		 const struct gslot_vexec_events *events);
bool exec_process_retired(struct gslot_exec *exec);

/* submit.c */
bool exec_attempt_due(struct gslot_exec *exec, enum gslot_engine_id id);
bool exec_attempt(struct gslot_exec *exec, enum gslot_engine_id id);
unsigned long exec_attempts_wait(const struct gslot_exec *exec);
void exec_attempts_retry_now(struct gslot_exec *exec);
void exec_attempts_extend(struct gslot_exec *exec, unsigned long by);
void exec_attempt_end(struct gslot_exec *exec, enum gslot_engine_id id);
void exec_attempts_keep_roots(struct gslot_exec *exec, bool keep);

/* request.c */
struct exec_request *exec_request_prepare(struct exec_context *ctx, u32 *bad_cmd);
void exec_request_queue(struct exec_request *rq);
void exec_request_free(struct exec_request *rq);

/* exec_scan.c */
int exec_scan(struct exec_scan *es, u32 *cmds, u32 dwords);

/* client.c */
extern const struct gslot_client_ops exec_client_ops;

#endif
