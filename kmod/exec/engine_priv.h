/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The virtual engines of a vGPU, and the submissions that they process.
 */
#ifndef _GSLOT_EXEC_ENGINE_PRIV_H
#define _GSLOT_EXEC_ENGINE_PRIV_H

#include "core/ctx/vexec.h"
#include "worker_priv.h"

/**
 * struct exec_attempt - a submission under way
 * @submission: its descriptors
 * @valid: there is one
 * @list: its elements that are queued, for the guest's ports
 * @next: the element to process next
 * @begun: it was interrupted while its page tables were synced, and resumes there
 * @tries: how often it failed because the host had no room for it
 * @not_before: when to try again, jiffies; 0: now
 * @starved: requests of the vGPU itself use the room: try again when one of them is retired
 * @until: when it is refused, jiffies; 0: not known yet
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
 * struct exec_engine - a virtual engine
 * @ports: the execlist ports that the guest sees
 * @attempt: the submission under way
 * @stopped: the guest is resetting it: it takes no submission and sends no event
 * @waiting: @attempt has no room in its ring until a request is retired
 * @queued: number of requests in the V-Channel
 * @head: RING_HEAD as the guest reads it
 * @tail: RING_TAIL
 * @start: RING_START
 *
 * The vGPU's lock protects it. The guest's reads take no lock.
 */
struct exec_engine {
	struct gslot_vexec ports;
	struct exec_attempt attempt;
	bool stopped;
	bool waiting;
	u32 queued;
	u32 head;
	u32 tail;
	u32 start;
};

/* retire.c */
void exec_notify(struct gslot_exec *exec, enum gslot_engine_id id,
		 const struct gslot_vexec_events *events);
bool exec_process_retired(struct gslot_exec *exec);

/* submit.c */
bool exec_attempt_due(struct gslot_exec *exec, enum gslot_engine_id id);
bool exec_attempt(struct gslot_exec *exec, enum gslot_engine_id id);
unsigned long exec_attempts_wait(const struct gslot_exec *exec);
void exec_attempts_hurry(struct gslot_exec *exec);
void exec_attempts_extend(struct gslot_exec *exec, unsigned long by);

#endif
