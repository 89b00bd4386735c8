// SPDX-License-Identifier: GPL-2.0
/*
 * User batches of an engine that does not confine them: it gets copies, checked
 * and in the GGTT, see core/cmd/user_copy.h.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "exec_priv.h"
#include "base/account.h"

static int read_user(void *data, u64 addr, u32 *to, u32 dwords)
{
	struct exec_context *ctx = data;

	return ppgtt_read(ctx->root, addr, to, dwords * sizeof(u32));
}

/* Half as large again as the largest copy: for those vGPUs that need it. */
static struct gslot_user_copy *get_copy(struct gslot_exec *exec)
{
	if (!exec->user_copy)
		exec->user_copy = kvzalloc(sizeof(*exec->user_copy), GSLOT_GFP_GUEST);
	return exec->user_copy;
}

/**
 * exec_copy_user_batch() - make the copy that the hardware will execute
 * @ctx: the context; its tables are compared with the guest's
 * @rq: the request, which keeps the copy
 * @addr: address of the batch in its PPGTT
 * @level: GSLOT_LEVEL_* on which it will be executed
 * @ggtt: where the copy is
 * @bad_cmd: the command that was refused, if one was
 *
 * Return: 0; -ENOMEM, -ENOSPC or -EDQUOT if there is no room now; or -errno if it
 * cannot be executed.
 * Context: lock held; may sleep.
 */
int exec_copy_user_batch(struct exec_context *ctx, struct exec_request *rq, u64 addr, u32 level,
			 u64 *ggtt, u32 *bad_cmd)
{
	struct gslot_exec *exec = ctx->exec;
	struct gslot_user_copy *copy = get_copy(exec);
	void *place;
	int ret;

	lockdep_assert_held(&exec->cfg.lock->mutex);
	if (!copy)
		return -ENOMEM;
	copy->engine = ctx->engine;
	copy->read = read_user;
	copy->data = ctx;
	copy->budget = &rq->budget;
	ret = gslot_user_copy(copy, addr, level);
	exec->denied += copy->denied;
	if (ret) {
		*bad_cmd = copy->bad_cmd;
		return ret;
	}
	place = exec_batch_alloc(exec, rq, copy->used * sizeof(u32), ggtt);
	if (IS_ERR(place))
		return PTR_ERR(place);
	gslot_user_copy_relocate(copy, *ggtt);
	memcpy(place, copy->out, copy->used * sizeof(u32));
	exec->user_copies++;
	return 0;
}
