// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: execution
 *
 * From a guest's submission to its completion: inbox.c, worker.c, submit.c, request.c, retire.c.
 * exec.h is what the vGPU uses of it.
 */
#include <linux/err.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "gen/regs.h"
#include "base/account.h"

static int exec_alloc_scratch(struct exec_scratch *scratch)
{
	scratch->state = kmalloc(GEN_PAGE_SIZE, GSLOT_GFP_GUEST);
	scratch->image = kvmalloc(GEN9_RCS_CTX_PAGES * GEN_PAGE_SIZE, GSLOT_GFP_GUEST);
	scratch->batch = kvmalloc(EXEC_BATCH_BYTES, GSLOT_GFP_GUEST);
	return scratch->state && scratch->image && scratch->batch ? 0 : -ENOMEM;
}

static void exec_free_scratch(struct exec_scratch *scratch)
{
	kvfree(scratch->user_copy);
	kvfree(scratch->commands);
	kvfree(scratch->batch);
	kvfree(scratch->image);
	kfree(scratch->state);
}

static void exec_read_sseu(struct gslot_exec *exec)
{
	u32 eu_disable[GEN_NR_SLICES], i;

	for (i = 0; i < GEN_NR_SLICES; i++)
		eu_disable[i] = gslot_hw_fuse(exec->cfg.hw, GEN_EU_DISABLE(i));
	gslot_sseu_init(&exec->sseu, exec->gen, gslot_hw_fuse(exec->cfg.hw, GEN_FUSE2), eu_disable);
}

/**
 * gslot_exec_create() - create the execution of a vGPU
 * @config: the layers around it
 *
 * Return: the object, or ERR_PTR: -ENOMEM, or -EINTR if the process is being killed.
 * Context: the vGPU's lock is held; may sleep.
 */
struct gslot_exec *gslot_exec_create(const struct gslot_exec_config *config)
{
	struct gslot_exec *exec = kzalloc(sizeof(*exec), GSLOT_GFP_GUEST);
	int ret;

	lockdep_assert_held(&config->lock->mutex);
	if (!exec)
		return ERR_PTR(-ENOMEM);
	exec->cfg = *config;
	exec->gen = gslot_hw_gen(config->hw);
	exec_read_sseu(exec);
	mutex_init(&exec->reset_lock);
	mutex_init(&exec->quiesce_lock);
	INIT_LIST_HEAD(&exec->contexts.list);
	INIT_LIST_HEAD(&exec->requests);
	hash_init(exec->contexts.by_lrca);
	ret = exec_alloc_scratch(&exec->scratch);
	if (ret)
		goto err_scratch;
	ret = ppgtt_init(&exec->ppgtt, &exec->cfg);
	if (ret)
		goto err_scratch;
	ret = exec_worker_create(exec);
	if (ret)
		goto err_ppgtt;
	exec->client = config->client;
	gslot_client_attach(exec->client, &exec_client_ops, exec);
	exec->ppgtt.client = exec->client;
	return exec;

err_ppgtt:
	ppgtt_fini(&exec->ppgtt);
err_scratch:
	exec_free_scratch(&exec->scratch);
	kfree(exec);
	return ERR_PTR(ret);
}

/**
 * gslot_exec_memcg() - get the memory cgroup that is charged for the vGPU
 * @exec: the vGPU's
 *
 * Return: the memory cgroup, valid as long as @exec; or NULL.
 * Context: any.
 */
struct mem_cgroup *gslot_exec_memcg(const struct gslot_exec *exec)
{
	return exec->worker.memcg;
}

/**
 * gslot_exec_destroy() - undo gslot_exec_create()
 * @exec: the object; no vCPU submits or resets any more
 *
 * Context: may sleep, without the vGPU's lock.
 */
void gslot_exec_destroy(struct gslot_exec *exec)
{
	gslot_exec_quiesce(exec);
	gslot_exec_drop_all(exec);
	gslot_client_detach(exec->client);
	exec->ppgtt.client = NULL;
	exec_worker_destroy(exec);
	mutex_lock(&exec->cfg.lock->mutex);
	ppgtt_fini(&exec->ppgtt);
	/* The lock lives on: it must not stay contended, as quiescing has left it. */
	gslot_vgpu_lock_contended_put(exec->cfg.lock);
	mutex_unlock(&exec->cfg.lock->mutex);
	exec_free_scratch(&exec->scratch);
	mutex_destroy(&exec->quiesce_lock);
	mutex_destroy(&exec->reset_lock);
	kfree(exec);
}
