// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the execlists that the guest sees
 *
 * The guest submits by four writes to ELSP; the fourth hands both contexts to
 * kmod/exec. It learns what became of them from the context status buffer: in
 * its hardware status page, where it looks, and in registers, where hardware
 * has it too. It polls for entries that it has marked, so an entry is written
 * before the pointer that announces it.
 */

#include "vgpu_priv.h"
#include "core/regs/regtable.h"
#include "base/trace.h"
#include "gen/lrc.h"

static u32 base_of(enum gslot_engine_id engine)
{
	return gslot_engines[engine].base;
}

/* Elements arrive last one first, each upper half first. */
enum { ELSP_UPPER1, ELSP_LOWER1, ELSP_UPPER0, ELSP_LOWER0, ELSP_WRITES };

static u64 element(const u32 *elsp, u32 upper)
{
	u64 desc = (u64)elsp[upper] << 32 | elsp[upper + 1];

	return desc & CTX_DESC_VALID ? desc : 0;
}

static void submit(struct gslot_vgpu *vgpu, enum gslot_engine_id engine, u64 desc0, u64 desc1)
{
	trace_gslot_guest_submit(gslot_vgpu_name(vgpu), engine, desc0, desc1);
	gslot_exec_submit(vgpu->exec, engine, desc0, desc1);
}

/**
 * gslot_elsp_write() - one write to the execlist submission port
 * @vgpu: the vGPU
 * @engine: the engine
 * @value: what is written
 *
 * Context: process, without regs.lock.
 */
void gslot_elsp_write(struct gslot_vgpu *vgpu, enum gslot_engine_id engine, u32 value)
{
	struct gslot_vregs *regs = &vgpu->regs;
	u64 desc0, desc1;
	bool enabled;

	spin_lock(&regs->lock);
	regs->elsp[engine][regs->elsp_count[engine]++] = value;
	if (regs->elsp_count[engine] < ELSP_WRITES)
		goto out_unlock;
	regs->elsp_count[engine] = 0;
	enabled = gslot_vreg_get(vgpu, base_of(engine) + RING_MODE) & RING_MODE_RUN_LIST;
	desc0 = element(regs->elsp[engine], ELSP_UPPER0);
	desc1 = element(regs->elsp[engine], ELSP_UPPER1);
	if (!enabled)
		gslot_guest_err(&vgpu->guest_errors, GSLOT_CAUSE_SUBMISSION,
			       "%s: execlists are off", gslot_engines[engine].name);
	else if (!desc0)
		gslot_guest_err(&vgpu->guest_errors, GSLOT_CAUSE_SUBMISSION,
			       "%s: of nothing", gslot_engines[engine].name);
	else
		submit(vgpu, engine, desc0, desc1);
	atomic64_inc(&vgpu->stats.submits);
out_unlock:
	spin_unlock(&regs->lock);
}

/* The registers' view. Return: the new write pointer. */
static u32 store_registers(struct gslot_vgpu *vgpu, enum gslot_engine_id engine, u32 status,
			   u32 ctx_id, u32 *hws_pga)
{
	u32 base = base_of(engine), ptr;

	spin_lock(&vgpu->regs.lock);
	ptr = (vgpu->regs.csb_ptr[engine] + 1) % CSB_ENTRIES;
	vgpu->regs.csb_ptr[engine] = ptr;
	gslot_vreg_set(vgpu, base + RING_CSB(ptr), status);
	gslot_vreg_set(vgpu, base + RING_CSB_UDW(ptr), ctx_id);
	*hws_pga = gslot_vreg_get(vgpu, base + RING_HWS_PGA);
	spin_unlock(&vgpu->regs.lock);
	return ptr;
}

/* The status page's view. */
static void store_hwsp(struct gslot_guest_page *page, u32 ptr, u32 status, u32 ctx_id)
{
	void *hwsp = gslot_guest_page_map_write(page);
	u64 *entries = hwsp + HWSP_CSB;

	WRITE_ONCE(entries[ptr], (u64)ctx_id << 32 | status);
	/* The guest reads the pointer first. */
	smp_wmb();
	WRITE_ONCE(*(u32 *)(hwsp + HWSP_CSB_WRITE_PTR), ptr);
	gslot_guest_page_unmap(hwsp);
}

static void on_csb(void *data, enum gslot_engine_id engine, u32 status, u32 ctx_id)
{
	struct gslot_vgpu *vgpu = data;
	struct gslot_guest_page *page;
	u32 ptr, hws_pga;

	lockdep_assert_held(&vgpu->lock.mutex);
	trace_gslot_guest_csb(gslot_vgpu_name(vgpu), engine, status, ctx_id);
	ptr = store_registers(vgpu, engine, status, ctx_id, &hws_pga);
	page = gslot_ggtt_page(vgpu->ggtt, hws_pga & PAGE_MASK);
	if (page)
		store_hwsp(page, ptr, status, ctx_id);
	else
		gslot_guest_err(&vgpu->guest_errors, GSLOT_CAUSE_STATUS_PAGE, "%s: at %#x",
			       gslot_engines[engine].name, hws_pga);
	if (status & ~(CSB_PROMOTE | CSB_LITE_RESTORE)) {
		spin_lock_irq(&vgpu->irq.lock);
		vgpu->irq.urgent |= BIT(engine);
		spin_unlock_irq(&vgpu->irq.lock);
	}
}

static void on_csb_irq(void *data, enum gslot_engine_id engine)
{
	struct gslot_vgpu *vgpu = data;
	bool urgent;

	lockdep_assert_held(&vgpu->lock.mutex);
	spin_lock_irq(&vgpu->irq.lock);
	urgent = vgpu->irq.urgent & BIT(engine);
	vgpu->irq.urgent &= ~BIT(engine);
	spin_unlock_irq(&vgpu->irq.lock);

	if (urgent)
		gslot_irq_raise(vgpu, engine, GT_IRQ_CONTEXT_SWITCH);
	else
		gslot_irq_promote(vgpu, engine);
}

static void on_user_interrupt(void *data, enum gslot_engine_id engine)
{
	gslot_irq_raise(data, engine, GT_IRQ_USER);
}

static u32 listens(void *data)
{
	return gslot_irq_listens(data);
}

static void on_cs_error(void *data, enum gslot_engine_id engine, u32 bad_cmd)
{
	struct gslot_vgpu *vgpu = data;
	u32 base = base_of(engine);

	lockdep_assert_held(&vgpu->lock.mutex);
	spin_lock(&vgpu->regs.lock);
	gslot_vreg_set(vgpu, base + RING_IPEHR, bad_cmd);
	gslot_vreg_set(vgpu, base + RING_EIR, RING_ERROR_INSTRUCTION);
	spin_unlock(&vgpu->regs.lock);
	gslot_irq_raise(vgpu, engine, GT_IRQ_CS_ERROR);
}

const struct gslot_exec_ops gslot_vgpu_exec_ops = {
	.csb = on_csb,
	.csb_irq = on_csb_irq,
	.user_interrupt = on_user_interrupt,
	.listens = listens,
	.cs_error = on_cs_error,
};

/* What a reset changes in an engine's registers; its set-up survives. */
static void reset_registers(struct gslot_vgpu *vgpu, enum gslot_engine_id engine)
{
	const struct gslot_reg *row, *rows;
	u32 count;

	spin_lock(&vgpu->regs.lock);
	rows = gslot_reg_rows(true, &count);
	for (row = rows; row < rows + count; row++)
		if (row->engine_reset)
			gslot_vreg_set(vgpu, base_of(engine) + row->first, row->reset);
	vgpu->regs.elsp_count[engine] = 0;
	vgpu->regs.csb_ptr[engine] = CSB_RESET_PTR;
	spin_unlock(&vgpu->regs.lock);
}

/**
 * gslot_vgpu_engine_reset() - the guest resets engines
 * @vgpu: the vGPU
 * @gdrst: GDRST_*: which ones
 *
 * Nothing of them is left on the hardware, or to be reported, when this
 * returns.
 *
 * Context: may sleep, without the vGPU's lock.
 */
void gslot_vgpu_engine_reset(struct gslot_vgpu *vgpu, u32 gdrst)
{
	u32 engines = 0, i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (gdrst & (GDRST_FULL | gslot_engines[i].gdrst))
			engines |= BIT(i);
	if (!engines)
		return;
	atomic64_inc(&vgpu->stats.resets);
	gslot_exec_reset(vgpu->exec, engines);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (engines & BIT(i))
			reset_registers(vgpu, i);
}
