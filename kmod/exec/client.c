// SPDX-License-Identifier: GPL-2.0
/* The scheduler's callbacks: called with its lock held, some in a hard interrupt. */
#include <linux/compiler.h>
#include <linux/kernel.h>

#include "exec_priv.h"

static void exec_client_retired(void *data, enum gslot_engine_id engine,
				struct gslot_request *base, enum gslot_request_result result)
{
	struct exec_request *rq = container_of(base, struct exec_request, base);
	struct gslot_exec *exec = data;

	rq->result = result;
	llist_add(&rq->retired, &exec->worker.retired);
	exec_wake(exec);
}

static void exec_client_user_interrupt(void *data, enum gslot_engine_id engine)
{
	struct gslot_exec *exec = data;

	exec->cfg.ops->user_interrupt(exec->cfg.data, engine);
}

static void exec_client_released(void *data, enum gslot_engine_id engine)
{
	struct gslot_exec *exec = data;

	WRITE_ONCE(exec->worker.retry, true);
	/* Also while it is throttled: an engine may wait for the context to be written back. */
	exec_wake(exec);
}

static u32 exec_client_user_irq_mask(void *data)
{
	struct gslot_exec *exec = data;

	return exec->cfg.ops->user_irq_mask(exec->cfg.data);
}

static struct gslot_ggtt *exec_client_ggtt(void *data)
{
	struct gslot_exec *exec = data;

	return exec->cfg.ggtt;
}

static u64 exec_client_cpu_ns(void *data)
{
	struct gslot_exec *exec = data;

	return gslot_worker_cpu_ns(exec->worker.thread->task);
}

const struct gslot_client_ops exec_client_ops = {
	.retired = exec_client_retired,
	.user_interrupt = exec_client_user_interrupt,
	.released = exec_client_released,
	.user_irq_mask = exec_client_user_irq_mask,
	.ggtt = exec_client_ggtt,
	.cpu_ns = exec_client_cpu_ns,
};
