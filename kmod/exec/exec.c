// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: execution
 *
 * From a guest's submission to its completion: latch.c, worker.c, submit.c,
 * request.c, retire.c. See exec.h for what the vGPU asks of it.
 */
#include <linux/err.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "gen/regs.h"
#include "base/account.h"

static int alloc_buffers(struct gslot_exec *exec)
{
	exec->state = kmalloc(GEN_PAGE_SIZE, GSLOT_GFP_GUEST);
	exec->image = kvmalloc(GEN9_RCS_CTX_PAGES * GEN_PAGE_SIZE, GSLOT_GFP_GUEST);
	exec->batch = kvmalloc(EXEC_BATCH_BYTES, GSLOT_GFP_GUEST);
	return exec->state && exec->image && exec->batch ? 0 : -ENOMEM;
}

static void free_buffers(struct gslot_exec *exec)
{
	kvfree(exec->user_copy);
	kvfree(exec->commands);
	kvfree(exec->batch);
	kvfree(exec->image);
	kfree(exec->state);
}

static void invalidate_tlbs(void *data)
{
	struct gslot_exec *exec = data;

	gslot_sched_invalidate_tlbs(exec->cfg.sched, exec->client);
}

static void read_sseu(struct gslot_exec *exec)
{
	u32 eu_disable[GEN_NR_SLICES], i;

	for (i = 0; i < GEN_NR_SLICES; i++)
		eu_disable[i] = gslot_hw_fuse(exec->cfg.hw, GEN_EU_DISABLE(i));
	gslot_sseu_init(&exec->sseu, exec->gen, gslot_hw_fuse(exec->cfg.hw, GEN_FUSE2), eu_disable);
}

/**
 * gslot_exec_create() - make a vGPU able to execute
 * @config: the layers around it
 *
 * Return: the object, or ERR_PTR: -ENOMEM, -EINTR if the process is to die, -ENOSPC
 * if the GPU has too many clients.
 * Context: the vGPU's lock is held; may sleep.
 */
struct gslot_exec *gslot_exec_create(const struct gslot_exec_config *config)
{
	struct gslot_exec *exec = kzalloc(sizeof(*exec), GSLOT_GFP_GUEST);
	int ret;

	lockdep_assert_held(config->lock);
	if (!exec)
		return ERR_PTR(-ENOMEM);
	exec->cfg = *config;
	exec->gen = gslot_hw_gen(config->hw);
	read_sseu(exec);
	spin_lock_init(&exec->inbox_lock);
	mutex_init(&exec->reset_lock);
	mutex_init(&exec->quiesce_lock);
	init_llist_head(&exec->retired);
	INIT_LIST_HEAD(&exec->contexts);
	INIT_LIST_HEAD(&exec->requests);
	hash_init(exec->by_lrca);
	exec->cpu_max = GSLOT_THROTTLE_ALL;
	ret = alloc_buffers(exec);
	if (ret)
		goto err_buffers;
	ret = ppgtt_init(&exec->ppgtt, config->hw, config->mem, config->lock,
			 config->max_tables, invalidate_tlbs, exec);
	if (ret)
		goto err_buffers;
	ret = exec_worker_create(exec);
	if (ret)
		goto err_ppgtt;
	exec->memcg = get_mem_cgroup_from_mm(current->mm);
	exec->client = gslot_client_create(config->sched, config->name, config->meter,
					   &exec_client_ops, exec);
	if (IS_ERR(exec->client)) {
		ret = PTR_ERR(exec->client);
		exec->client = NULL;
		goto err_worker;
	}
	return exec;

err_worker:
	mem_cgroup_put(exec->memcg);
	exec_worker_destroy(exec);
err_ppgtt:
	ppgtt_fini(&exec->ppgtt);
err_buffers:
	free_buffers(exec);
	kfree(exec);
	return ERR_PTR(ret);
}

/**
 * gslot_exec_memcg() - who pays for what the host allocates for the vGPU
 * @exec: the vGPU's
 *
 * Return: the memory cgroup, or NULL, as long as @exec.
 * Context: any.
 */
struct mem_cgroup *gslot_exec_memcg(const struct gslot_exec *exec)
{
	return exec->memcg;
}

/**
 * gslot_exec_destroy() - undo gslot_exec_create()
 * @exec: the object; nobody submits or resets any more
 *
 * Context: may sleep, without the vGPU's lock.
 */
void gslot_exec_destroy(struct gslot_exec *exec)
{
	gslot_exec_quiesce(exec);
	gslot_exec_drop_all(exec);
	gslot_client_destroy(exec->client);
	exec->client = NULL;
	exec_worker_destroy(exec);
	mutex_lock(&exec->cfg.lock->mutex);
	ppgtt_fini(&exec->ppgtt);
	/* The lock lives on: it must not stay contended, as quiescing has left it. */
	gslot_vgpu_lock_contended_put(exec->cfg.lock);
	mutex_unlock(&exec->cfg.lock->mutex);
	mem_cgroup_put(exec->memcg);
	free_buffers(exec);
	kfree(exec);
}
