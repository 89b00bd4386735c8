// SPDX-License-Identifier: GPL-2.0
/*
 * Restoring a vGPU from records of a stream. Their form was checked (core/stream). What they say is
 * not trusted: a stream can do no more than its guest.
 */
#include <linux/jiffies.h>

#include "vgpu_priv.h"
#include "vgpu_state.h"
#include "core/regs/regtable.h"
#include "core/stream/stream.h"
#include "gen/lrc.h"

/* How long a vCPU may keep the vGPU's locks: for a record, and before the first one. */
#define RESTORE_PATIENCE	HZ
#define RESTORE_BEGIN_PATIENCE	(5 * HZ)

/* A stream names those that are not 0. */
static void restore_clear_presets(struct gslot_vgpu *vgpu)
{
	u32 i, offset;

	spin_lock(&vgpu->regs.lock);
	for (i = 0; (offset = gslot_reg_preset(i)); i++)
		gslot_vreg_set(vgpu, offset, 0);
	spin_unlock(&vgpu->regs.lock);
}

/**
 * gslot_vgpu_restore_begin() - prepare a vGPU for being restored
 * @vgpu: the vGPU, frozen; it is in its state at power-on then, and still stopped
 * @restore: out: nothing is restored
 *
 * Return: 0; or -EBUSY if the vGPU is in use for too long, or -ENOMEM, and nothing is changed.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_vgpu_restore_begin(struct gslot_vgpu *vgpu, struct gslot_vgpu_restore *restore)
{
	int ret = gslot_vregs_reserve_presets(vgpu);

	if (ret)
		return ret;
	*restore = (struct gslot_vgpu_restore) { };
	if (!gslot_vgpu_reset_until(vgpu, jiffies + RESTORE_BEGIN_PATIENCE))
		return -EBUSY;
	restore_clear_presets(vgpu);
	vgpu->restored.due = true;
	return 0;
}

/* Can the value be one that the guest or the module has written? */
static bool restore_valid_reg(const struct gslot_reg *reg, u32 value)
{
	if (!gslot_reg_is_state(reg))
		return false;
	if (reg->class == GSLOT_REG_MASKED && value >> 16)
		return false;
	return gslot_handler_valid(reg, value);
}

static int restore_reg(struct gslot_vgpu *vgpu, const struct gslot_mig_reg *from)
{
	const struct gslot_reg *reg = gslot_reg_find(from->offset, gslot_hw_gen(vgpu->vgpus->hw));

	if (!reg || !restore_valid_reg(reg, from->value))
		return -EINVAL;
	if (gslot_vregs_reserve(vgpu, from->offset))
		return -ENOMEM;
	spin_lock(&vgpu->regs.lock);
	gslot_vreg_set(vgpu, from->offset, from->value);
	spin_unlock(&vgpu->regs.lock);
	return 0;
}

static int restore_regs(struct gslot_vgpu *vgpu, struct gslot_vgpu_restore *restore,
			const struct gslot_mig_reg *regs, u32 count)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < count; i++) {
		if (regs[i].offset % sizeof(u32) || regs[i].offset < restore->reg ||
		    regs[i].offset >= GEN_MMIO_SIZE)
			return -EINVAL;
		restore->reg = regs[i].offset + sizeof(u32);
		ret = restore_reg(vgpu, &regs[i]);
	}
	return ret;
}

static int restore_irq(struct gslot_vgpu *vgpu, const struct gslot_mig_irq *irq)
{
	if (irq->master > 1 || irq->msi_pending > 1)
		return -EINVAL;
	gslot_irq_restore(vgpu, irq);
	return 0;
}

static int restore_pvinfo(struct gslot_vgpu *vgpu, const struct gslot_mig_pvinfo *pvinfo)
{
	gslot_pvinfo_restore(vgpu, pvinfo);
	return 0;
}

static int restore_fences(struct gslot_vgpu *vgpu, const u64 *fences)
{
	u32 i;

	for (i = 0; i < GSLOT_MIG_NR_FENCES; i++)
		gslot_ggtt_fence_write(vgpu->ggtt, i, fences[i]);
	return 0;
}

/* As execution wants it, which checks more. Return: 0 or -EINVAL. */
static int restore_saved(const struct gslot_mig_engine *engine, struct gslot_exec_saved *to)
{
	bool batch = engine->flags & GSLOT_MIG_ENGINE_BATCH;

	BUILD_BUG_ON(sizeof(to->active) != sizeof(engine->active));
	BUILD_BUG_ON(sizeof(to->submit) != sizeof(engine->submit));
	if (batch && !engine->batch.lrca)
		return -EINVAL;
	*to = (struct gslot_exec_saved) {
		.hung = engine->flags & GSLOT_MIG_ENGINE_HUNG,
		.head = engine->head,
		.tail = engine->tail,
		.start = engine->start,
		.nr_active = engine->nr_active,
		.nr_submits = engine->nr_submits,
	};
	memcpy(to->active, engine->active, sizeof(to->active));
	memcpy(to->submit, engine->submit, sizeof(to->submit));
	if (batch)
		to->batch = (struct gslot_exec_position) {
			.lrca = engine->batch.lrca,
			.head = engine->batch.head,
			.addr = engine->batch.addr,
			.second_addr = engine->batch.second_addr,
		};
	return 0;
}

static int restore_engine(struct gslot_vgpu *vgpu, const struct gslot_mig_engine *engine)
{
	struct gslot_exec_saved saved;
	struct gslot_vregs *regs = &vgpu->regs;
	u32 id = engine->engine;
	int ret;

	if (engine->csb_ptr >= CSB_ENTRIES)
		return -EINVAL;
	ret = restore_saved(engine, &saved) ?: gslot_exec_restore_engine(vgpu->exec, id, &saved);
	if (ret)
		return ret;
	spin_lock(&regs->lock);
	regs->elsp_count[id] = engine->nr_elsp;
	memcpy(regs->elsp[id], engine->elsp, engine->nr_elsp * sizeof(u32));
	regs->csb_ptr[id] = engine->csb_ptr;
	spin_unlock(&regs->lock);
	return 0;
}

static int restore_counters(struct gslot_vgpu *vgpu, const struct gslot_mig_counters *counters)
{
	atomic64_set(&vgpu->stats.flushes, counters->flushes);
	atomic64_set(&vgpu->stats.submits, counters->submits);
	atomic64_set(&vgpu->stats.resets, counters->resets);
	return 0;
}

static int restore_config(struct gslot_vgpu *vgpu, const void *config)
{
	u8 copy[GSLOT_VGPU_CONFIG_SIZE];

	memcpy(copy, config, sizeof(copy));
	gslot_config_access(vgpu, 0, copy, sizeof(copy), true);
	return 0;
}

static int restore_debts(struct gslot_vgpu *vgpu, const struct gslot_mig_debt *debts)
{
	u32 i;

	BUILD_BUG_ON(GSLOT_MIG_NR_ENGINES != GSLOT_NR_ENGINES);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		vgpu->restored.debts[i] = (struct gslot_client_debt) {
			.debt_ns = debts[i].debt_ns,
			.resets_ns = debts[i].resets_ns,
		};
	return 0;
}

/* The vGPU's lock is held. */
static int restore_record(struct gslot_vgpu *vgpu, struct gslot_vgpu_restore *restore,
			  const struct gslot_mig_record *record, const void *payload)
{
	u32 length = record->length;

	switch (record->type) {
	case GSLOT_MIG_GGTT_EARLY:
		return gslot_ggtt_restore(vgpu->ggtt, &restore->early_page, payload,
					  length / sizeof(struct gslot_mig_run));
	case GSLOT_MIG_CONFIG:
		return restore_config(vgpu, payload);
	case GSLOT_MIG_PVINFO:
		return restore_pvinfo(vgpu, payload);
	case GSLOT_MIG_REGS:
		return restore_regs(vgpu, restore, payload, length / sizeof(struct gslot_mig_reg));
	case GSLOT_MIG_IRQ:
		return restore_irq(vgpu, payload);
	case GSLOT_MIG_FENCES:
		return restore_fences(vgpu, payload);
	case GSLOT_MIG_GGTT:
		return gslot_ggtt_restore(vgpu->ggtt, &restore->page, payload,
					  length / sizeof(struct gslot_mig_run));
	case GSLOT_MIG_ENGINE:
		return restore_engine(vgpu, payload);
	case GSLOT_MIG_DEBTS:
		return restore_debts(vgpu, payload);
	case GSLOT_MIG_COUNTERS:
		return restore_counters(vgpu, payload);
	case GSLOT_MIG_END:
		gslot_faces_all(vgpu);
		return 0;
	}
	return -EINVAL;
}

/**
 * gslot_vgpu_restore() - restore a vGPU by one record of a stream
 * @vgpu: the vGPU, frozen; gslot_vgpu_restore_begin() came before the first record
 * @restore: how far its registers and PTEs are
 * @record: the record; its type, version and length are valid
 * @payload: its payload, 8-byte aligned
 *
 * Its work begins with gslot_vgpu_resume(). Until then no guest memory is accessed, which
 * may not have arrived yet. So the vGPU's lock is held for a moment only, and taken even while all
 * vGPUs are stopped (vgpu/gate.c).
 *
 * Return: 0; or -EINVAL, -ENOMEM, or -EBUSY if the vGPU is in use for too long: then it is restored
 * in part, and has to be reset.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_vgpu_restore(struct gslot_vgpu *vgpu, struct gslot_vgpu_restore *restore,
		       const struct gslot_mig_record *record, const void *payload)
{
	int ret;

	if (!gslot_exec_lock_until(vgpu->exec, jiffies + RESTORE_PATIENCE))
		return -EBUSY;
	ret = restore_record(vgpu, restore, record, payload);
	gslot_exec_unlock(vgpu->exec);
	return ret;
}

/* A vGPU is about to run on: if it was restored, it gets its debts. */
void gslot_restore_end(struct gslot_vgpu *vgpu)
{
	if (!vgpu->restored.due)
		return;
	gslot_client_import_debts(vgpu->client, vgpu->restored.debts);
	vgpu->restored.due = false;
}

/* Add the debts of a vGPU that was restored, and does not have them yet. */
void gslot_restored_debts(const struct gslot_vgpu *vgpu, struct gslot_client_debt *debts)
{
	const struct gslot_client_debt *restored = vgpu->restored.debts;
	u32 i;

	for (i = 0; vgpu->restored.due && i < GSLOT_NR_ENGINES; i++) {
		debts[i].debt_ns = max(debts[i].debt_ns, restored[i].debt_ns);
		debts[i].resets_ns = max(debts[i].resets_ns, restored[i].resets_ns);
	}
}
