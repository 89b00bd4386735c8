/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the parts of execution; not for its users. Where they say that the lock
 * is held, it is the vGPU's, &gslot_exec_config.lock.
 */
#ifndef _GSLOT_EXEC_PRIV_H
#define _GSLOT_EXEC_PRIV_H

#include <linux/hashtable.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>

#include "exec.h"
#include "ppgtt_priv.h"
#include "core/ctx/lrc.h"
#include "core/cmd/scan.h"
#include "core/regs/sseu.h"
#include "core/sched/throttle.h"
#include "core/cmd/user_copy.h"
#include "core/ctx/vexec.h"
#include "hw/hw.h"
#include "gen/lrc.h"

#define EXEC_BATCH_BYTES	0x40000	/* copy of a privileged batch */
#define EXEC_HASH_BITS		8	/* of the table of contexts */
#define EXEC_MAX_QUEUED		64	/* requests of one engine */
#define EXEC_INBOX_SIZE		4	/* submissions not looked at yet */
#define EXEC_MAX_DESTROYED	64	/* notifications not looked at yet */

/* The indirect-context batch and the per-context batch, a page each. */
#define EXEC_WA_BATCHES		2
/* How long a submission is tried again that the host has no room for, with nothing queued. */
#define EXEC_PATIENCE_MS	2000
#define EXEC_RETRY_MAX_MS	64

/**
 * struct exec_reloc - an address in prepared commands
 * @at: where it is, in memory that the hardware executes
 * @addr: the guest's graphics address
 * @len: bytes accessed there, less than a page
 * @held: it is resident for its sake
 */
struct exec_reloc {
	u32 *at;
	u32 addr;
	u16 len;
	bool held;
};

/* A page of them. */
struct exec_reloc_chunk {
	struct exec_reloc_chunk *next;
	u32 count;
	struct exec_reloc reloc[(GEN_PAGE_SIZE - 2 * sizeof(void *)) / sizeof(struct exec_reloc)];
};

/* More than most requests have. */
#define EXEC_FIRST_RELOCS	6

/**
 * struct exec_relocs - the addresses in some prepared commands
 * @count: how many
 * @hold: what is added is held at once
 * @first: the first ones
 * @chunks: the others, last ones first
 */
struct exec_relocs {
	u32 count;
	bool hold;
	struct exec_reloc first[EXEC_FIRST_RELOCS];
	struct exec_reloc_chunk *chunks;
};

/**
 * struct exec_context - the host's context for one of the guest
 * @hw: what the scheduler gets; @hw.lrca and @engine are its identity
 * @link: among all contexts, most recently used first
 * @hash: the same by engine and address
 * @exec: whose
 * @engine: its engine
 * @pages: size of the image
 * @gfn: the guest's pages behind the image when it was imported
 * @pphwsp: page 0 of them, which the GPU uses in place of @image's
 * @image: the image that the hardware loads and saves
 * @ring: the ring, as large as the guest's
 * @wa: the indirect-context batch and the per-context batch; on rcs
 * @wa_seen: the guest's bytes of these, as last copied; a page each
 * @wa_bytes: how many of them were scanned and passed; 0: the copy is empty
 * @wa_used: how many of the indirect-context batch's are more than padding
 * @wa_relocs: the graphics memory that they name; held while in flight
 * @lrc: the guest's ring context when it was loaded
 * @oldest: ring offset of the first command that may not have been executed
 * @position: ring offset up to which commands are copied and queued
 * @in_flight: requests not retired
 * @last: number of the request queued last
 * @root: page tables, held while in flight
 * @seen: the guest's register state page, as last read or written
 * @given: the engine context, as the guest was given it last, from the register
 *	state page on; as the hardware saved it, so the guest's may show less
 * @given_end: up to there it has been, bytes; 0: it may have anything
 * @loaded: @image holds this context's state
 * @dirty: @image is newer than the guest's engine pages
 * @exported: the guest has seen engine pages of a completed run
 */
struct exec_context {
	struct gslot_hw_context hw;
	struct list_head link;
	struct hlist_node hash;
	struct gslot_exec *exec;
	enum gslot_engine_id engine;
	u32 pages;
	u64 gfn[GEN9_RCS_CTX_PAGES];
	struct gslot_guest_page *pphwsp;
	struct gslot_bo *image;
	struct gslot_bo *ring;
	struct gslot_bo *wa;
	u8 *wa_seen;
	u32 wa_bytes[EXEC_WA_BATCHES];
	u32 wa_used;
	struct exec_relocs wa_relocs[EXEC_WA_BATCHES];
	struct gslot_lrc lrc;
	u32 oldest;
	u32 position;
	u32 in_flight;
	u64 last;
	struct ppgtt_table *root;
	u32 *seen;
	u8 *written;
	u32 written_end;
	bool loaded;
	bool dirty;
	bool exported;
};

/**
 * struct exec_request - a request and what lives as long
 * @base: what the scheduler gets
 * @context: its context
 * @link: among all that are not retired
 * @retired: in the worker's list of retired ones
 * @batches: copies of batches that its ring calls
 * @relocs: the graphics memory that its commands name
 * @budget: what copies of user batches may still cost it
 * @result: how it ended
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

/* Memory for copies of batches; @used: its first bytes are. */
struct exec_batch {
	struct list_head link;
	struct gslot_bo *bo;
	u32 used;
};

/* What the guest wrote to ELSP. */
struct exec_submission {
	u64 desc[2];
};

/**
 * struct exec_attempt - a submission that is being taken
 * @submission: the descriptors
 * @valid: there is one
 * @list: what is queued of it, for the guest's ports
 * @next: element to go on with
 * @begun: its page tables are being compared: what is done of that stays done
 * @tries: how often the host could not
 * @not_before: when to try again, jiffies; 0 for now
 * @starved: the vGPU's own requests have what it needs: when one of them retires
 * @until: when it is given up, jiffies; 0 if not known yet
 */
struct exec_attempt {
	struct exec_submission submission;
	bool valid;
	struct gslot_vexec_element list[2];
	u32 next;
	bool begun;
	u32 tries;
	unsigned long not_before;
	bool starved;
	unsigned long until;
};

/**
 * struct exec_engine - one virtual engine
 * @ports: what the guest is told
 * @inbox: submissions that the worker has not seen
 * @nr_inbox: how many
 * @attempt: the one that it is at; the vGPU's lock
 * @stopped: being reset: no submission is looked at, no event is told
 * @waiting: @attempt has no room in a ring before a request is retired
 * @queued: requests in the V-Channel
 * @head: RING_HEAD as the guest reads it
 * @tail: RING_TAIL
 * @start: RING_START
 */
struct exec_engine {
	struct gslot_vexec ports;
	struct exec_submission inbox[EXEC_INBOX_SIZE];
	u32 nr_inbox;
	struct exec_attempt attempt;
	bool stopped;
	bool waiting;
	u32 queued;
	u32 head;
	u32 tail;
	u32 start;
};

struct gslot_exec {
	struct gslot_exec_config cfg;
	u32 gen;
	struct gslot_sseu sseu;
	struct gslot_client *client;
	struct kthread_worker *worker;
	struct mem_cgroup *memcg;	/* who pays for what the worker allocates */
	struct kthread_work work;
	struct kthread_delayed_work retry;
	struct kthread_delayed_work refill;
	u32 cpu_max;			/* of a processor's time, per mille */
	struct llist_head retired;
	bool released;			/* the hardware let go of something */

	spinlock_t inbox_lock;		/* protects inbox and destroyed */
	u64 destroyed[EXEC_MAX_DESTROYED];
	u32 nr_destroyed;

	struct mutex reset_lock;	/* one reset at a time; outside the vGPU's lock */
	struct mutex quiesce_lock;	/* protects quiesced; outside the vGPU's lock */
	u32 quiesced;

	/* All below: the vGPU's lock. */
	bool interrupted;		/* the worker left something undone */
	u32 turn;			/* engine whose submission is next */
	struct gslot_throttle throttle;	/* of the worker, by cpu_max */
	unsigned long throttled_since;	/* jiffies; 0: it is not */
	u64 throttled;			/* how often it was */
	struct exec_engine engine[GSLOT_NR_ENGINES];
	struct list_head contexts;
	struct list_head requests;
	DECLARE_HASHTABLE(by_lrca, EXEC_HASH_BITS);
	u32 pages;			/* of contexts and rings */
	u32 batch_pages;
	struct ppgtt ppgtt;
	u32 *state;			/* a register state page of the guest */
	u32 *image;			/* an engine context on its way to the guest */
	u8 *batch;			/* a privileged batch while it is measured */
	struct gslot_user_copy *user_copy;	/* one in the making; NULL before the first */
	void *commands;			/* new commands of a ring while they are scanned */
	u32 commands_size;
	u32 batch_depth;
	u64 submissions;
	u64 imports;
	u64 exports;
	u64 refused;
	u64 retried;			/* submissions that the host could not take at once */
	u64 denied;			/* register accesses neutralised */
	u64 user_copies;		/* of user batches */
	u64 evicted;
};

/**
 * struct exec_scan - commands of a context under the scanner
 * @scan: what the scanner gets
 * @ctx: the context
 * @rq: the request that calls them, or NULL
 * @relocs: get the graphics memory that they name
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

/* budget.c */
struct gslot_bo *exec_create_bo(struct gslot_exec *exec, u32 pages,
				const struct exec_context *keep);
void exec_destroy_bo(struct gslot_exec *exec, struct gslot_bo *bo);
void *exec_batch_alloc(struct gslot_exec *exec, struct exec_request *rq, u32 bytes, u64 *ggtt);
void exec_batches_free(struct gslot_exec *exec, struct exec_request *rq);

/* client.c */
extern const struct gslot_client_ops exec_client_ops;

/* context.c */
struct exec_context *exec_context_get(struct gslot_exec *exec, enum gslot_engine_id engine,
				      u32 lrca);
bool exec_context_evict(struct gslot_exec *exec, const struct exec_context *keep);
void exec_context_destroy(struct exec_context *ctx);
void exec_context_unload(struct exec_context *ctx);
void exec_context_set_pphwsp(struct exec_context *ctx, struct gslot_guest_page *page);

/* export.c */
void exec_context_complete(struct exec_context *ctx);
void exec_context_export(struct exec_context *ctx);
void exec_context_write_back(struct exec_context *ctx);

/* image.c */
struct gslot_guest_page *exec_image_page(struct exec_context *ctx, u32 index);
int exec_context_set_tail(struct exec_context *ctx, u32 tail);
int exec_context_load(struct exec_context *ctx);

/* inbox.c */
bool exec_inbox_take(struct gslot_exec *exec, enum gslot_engine_id id,
		       struct exec_submission *submission);
void exec_process_destroyed(struct gslot_exec *exec);

/* exec_reloc.c */
int exec_relocs_add(struct gslot_exec *exec, struct exec_relocs *list, u32 *at,
		    const struct gslot_reloc *reloc, u64 *phys);
int exec_relocs_hold(struct gslot_exec *exec, struct exec_relocs *list);
void exec_relocs_release(struct gslot_exec *exec, struct exec_relocs *list);
void exec_relocs_free(struct gslot_exec *exec, struct exec_relocs *list);

/* request.c */
int exec_context_set_ring(struct exec_context *ctx, u32 size);
struct exec_request *exec_request_prepare(struct exec_context *ctx, u32 *bad_cmd);
void exec_request_queue(struct exec_request *rq);
void exec_request_free(struct exec_request *rq);

/* retire.c */
void exec_notify(struct gslot_exec *exec, enum gslot_engine_id engine,
		 const struct gslot_vexec_events *events);
bool exec_process_retired(struct gslot_exec *exec);

/* exec_scan.c */
void exec_scan_init(struct exec_scan *es, struct exec_context *ctx, struct exec_request *rq,
		    enum gslot_scan_kind kind, u32 level, struct exec_relocs *relocs);
int exec_scan(struct exec_scan *es, u32 *cmds, u32 dwords, u32 *to);

/* submit.c */
bool exec_attempt_due(const struct gslot_exec *exec, enum gslot_engine_id engine);
void exec_attempt_start(struct gslot_exec *exec, enum gslot_engine_id engine,
			const struct exec_submission *submission);
bool exec_attempt(struct gslot_exec *exec, enum gslot_engine_id engine);
void exec_attempts_await(struct gslot_exec *exec);
void exec_attempts_hurry(struct gslot_exec *exec);
void exec_attempts_extend(struct gslot_exec *exec, unsigned long by);

/* exec_throttle.c */
bool exec_throttled(struct gslot_exec *exec);

/* exec_wa.c */
int exec_context_load_wa(struct exec_context *ctx, struct gslot_lrc *lrc);

/* worker.c */
void exec_kick(struct gslot_exec *exec);
int exec_worker_create(struct gslot_exec *exec);
void exec_worker_destroy(struct gslot_exec *exec);

#endif
