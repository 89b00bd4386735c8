// SPDX-License-Identifier: GPL-2.0
/*
 * What the scheduler tells execution, and asks of it: in a hard interrupt perhaps, and
 * with its lock held. So it is noted for the worker, or passed on as it is.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/llist.h>

#include "exec_priv.h"

static void note_retired(void *data, enum gslot_engine_id engine, struct gslot_request *base,
			 enum gslot_request_result result)
{
	struct exec_request *rq = container_of(base, struct exec_request, base);
	struct gslot_exec *exec = data;

	rq->result = result;
	llist_add(&rq->retired, &exec->retired);
	exec_kick(exec);
}

static void note_user_interrupt(void *data, enum gslot_engine_id engine)
{
	struct gslot_exec *exec = data;

	exec->cfg.ops->user_interrupt(exec->cfg.data, engine);
}

static void note_released(void *data, enum gslot_engine_id engine)
{
	struct gslot_exec *exec = data;

	WRITE_ONCE(exec->released, true);
	exec_kick(exec);
}

static u32 listens(void *data)
{
	struct gslot_exec *exec = data;

	return exec->cfg.ops->listens(exec->cfg.data);
}

static struct gslot_ggtt *client_ggtt(void *data)
{
	struct gslot_exec *exec = data;

	return exec->cfg.ggtt;
}

static u64 cpu_ns(void *data)
{
	struct gslot_exec *exec = data;

	return gslot_worker_cpu_ns(exec->worker->task);
}

const struct gslot_client_ops exec_client_ops = {
	.retired = note_retired,
	.user_interrupt = note_user_interrupt,
	.released = note_released,
	.listens = listens,
	.ggtt = client_ggtt,
	.cpu_ns = cpu_ns,
};

/**
 * gslot_exec_client() - who is a vGPU to the scheduler?
 * @exec: the vGPU's
 *
 * Return: its client, as long as @exec.
 * Context: any.
 */
struct gslot_client *gslot_exec_client(const struct gslot_exec *exec)
{
	return exec->client;
}

/**
 * gslot_exec_use() - what has a vGPU done so far?
 * @exec: the vGPU's
 *
 * Of what its guest submitted, that counts which was found good: a request.
 *
 * Return: that, since it was opened.
 * Context: may sleep.
 */
struct gslot_client_use gslot_exec_use(struct gslot_exec *exec)
{
	return gslot_client_use(exec->client);
}

/**
 * gslot_exec_listen() - the guest masked or unmasked user interrupts
 * @exec: the vGPU's
 *
 * Context: any, without the locks that &gslot_exec_ops.listens takes.
 */
void gslot_exec_listen(struct gslot_exec *exec)
{
	gslot_client_listen(exec->client);
}
