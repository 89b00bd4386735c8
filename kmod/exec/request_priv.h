/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Requests, and what is prepared for them. The vGPU's lock protects all of it.
 */
#ifndef _GSLOT_EXEC_REQUEST_PRIV_H
#define _GSLOT_EXEC_REQUEST_PRIV_H

#include <linux/list.h>
#include <linux/llist.h>

#include "context_priv.h"
#include "core/cmd/scan.h"
#include "core/cmd/user_copy.h"

/**
 * struct exec_request - a request and what lives as long
 * @base: what the scheduler gets
 * @context: its context
 * @link: in the list of all requests that are not retired
 * @retired: in the worker's list of retired requests
 * @batches: struct exec_batch: copies of the batches that its commands call
 * @relocs: the graphics memory that its commands name
 * @budget: how much may still be copied of user batches
 * @result: how it ended; set before @retired is added to the list
 */
struct exec_request {
	struct gslot_request base;
	struct exec_context *context;
	struct list_head link;
	struct llist_node retired;
	struct list_head batches;
	struct exec_relocs relocs;
	struct gslot_copy_budget budget;
	enum gslot_request_result result;
};

/**
 * struct exec_batch - memory for copies of batches
 * @link: in the request's list
 * @bo: the memory
 * @used: bytes that are allocated, from the start
 */
struct exec_batch {
	struct list_head link;
	struct gslot_bo *bo;
	u32 used;
};

/**
 * struct exec_scan - a scan of a context's commands
 * @scan: what the scanner gets; the caller sets its kind and level, exec_scan() the rest
 * @ctx: the context
 * @rq: the request, which keeps the copies of batches that they call; NULL: such commands are
 *	refused
 * @relocs: records the graphics memory that they name
 * @to: where the hardware will execute them
 * @bad_user_cmd: the command of a user batch that was refused, if one was
 */
struct exec_scan {
	struct gslot_scan scan;
	struct exec_context *ctx;
	struct exec_request *rq;
	struct exec_relocs *relocs;
	u32 *to;
	u32 bad_user_cmd;
};

/* request.c */
struct exec_request *exec_request_prepare(struct exec_context *ctx, u32 *bad_cmd);
void exec_request_queue(struct exec_request *rq);
void exec_request_free(struct exec_request *rq);

/* budget.c */
void *exec_batch_alloc(struct gslot_exec *exec, struct exec_request *rq, u32 bytes, u64 *ggtt);
void exec_batches_free(struct gslot_exec *exec, struct exec_request *rq);

/* exec_scan.c */
int exec_scan(struct exec_scan *es, u32 *cmds, u32 dwords);

#endif
