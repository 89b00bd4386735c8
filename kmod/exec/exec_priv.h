/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Execution of a vGPU, for the files of this folder. "Lock held" means the vGPU's lock,
 * &gslot_exec_config.lock.
 */
#ifndef _GSLOT_EXEC_PRIV_H
#define _GSLOT_EXEC_PRIV_H

#include <linux/list.h>
#include <linux/mutex.h>

#include "context_priv.h"
#include "engine_priv.h"
#include "exec.h"
#include "ppgtt_priv.h"
#include "request_priv.h"
#include "worker_priv.h"
#include "core/regs/sseu.h"

#define EXEC_BATCH_BYTES	0x40000	/* copy of a privileged batch */

/**
 * struct exec_scratch - buffers that are used within one function call
 * @state: a register state page of the guest
 * @image: an engine context on its way from or to the guest
 * @batch: a privileged batch, or a workaround batch, before it is scanned
 * @user_copy: a copy of a user batch; NULL before the first one
 * @commands: new commands of a ring while they are scanned
 * @commands_size: size of @commands, bytes
 * @batch_depth: depth of the privileged batch that is being scanned
 *
 * The vGPU's lock protects them.
 */
struct exec_scratch {
	u32 *state;
	u32 *image;
	u8 *batch;
	struct gslot_user_copy *user_copy;
	void *commands;
	u32 commands_size;
	u32 batch_depth;
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

/**
 * struct gslot_exec - execution of one vGPU
 * @cfg: the layers around it
 * @gen: 8 or 9
 * @sseu: which slices and EUs there are
 * @client: the vGPU's client of the scheduler
 * @worker: the worker, which has its own rules of locking
 * @reset_lock: serializes resets; taken outside of the vGPU's lock
 * @quiesce_lock: protects @quiesced; taken outside of the vGPU's lock
 * @quiesced: number of gslot_exec_quiesce() calls that are not undone
 * @engine: the virtual engines
 * @contexts: the contexts, with their memory
 * @requests: struct exec_request that are not retired
 * @batch_pages: pages of copies of batches
 * @ppgtt: shadow page tables
 * @scratch: buffers
 * @stats: counters
 *
 * The vGPU's lock protects @engine and what follows. @cfg, @gen, @sseu and @client never change.
 */
struct gslot_exec {
	struct gslot_exec_config cfg;
	u32 gen;
	struct gslot_sseu sseu;
	struct gslot_client *client;
	struct exec_worker worker;
	struct mutex reset_lock;	/* see gpu.c */
	struct mutex quiesce_lock;	/* see gpu.c */
	u32 quiesced;
	struct exec_engine engine[GSLOT_NR_ENGINES];
	struct exec_contexts contexts;
	struct list_head requests;
	u32 batch_pages;
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

/* client.c */
extern const struct gslot_client_ops exec_client_ops;

#endif
