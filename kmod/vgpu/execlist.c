// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: the execlists that the guest sees
 *
 * The guest submits by four writes to ELSP; the fourth hands both contexts to kmod/exec. Events are
 * reported in the context status buffer (CSB): in the guest's hardware status page, which it reads,
 * and in registers, as hardware does. The guest polls for entries that it has marked, so an entry
 * is written before the pointer that announces it.
 */
#include "vgpu_priv.h"
#include "core/regs/regtable.h"
#include "base/trace.h"
#include "gm/guest_access.h"
#include "gen/lrc.h"

/* The second element arrives first, and of each element the upper half. */
enum { ELSP_UPPER1, ELSP_LOWER1, ELSP_UPPER0, ELSP_LOWER0, ELSP_WRITES };

static u64 execlist_element(const u32 *elsp, u32 upper)
{
	u64 desc = (u64)elsp[upper] << 32 | elsp[upper + 1];

	return desc & CTX_DESC_VALID ? desc : 0;
}

/* Handle a write to the execlist submission port. */
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
	enabled = gslot_vreg_get(vgpu, gslot_engines[engine].base + RING_MODE) & RING_MODE_RUN_LIST;
	desc0 = execlist_element(regs->elsp[engine], ELSP_UPPER0);
	desc1 = execlist_element(regs->elsp[engine], ELSP_UPPER1);
	if (enabled && desc0) {
		trace_gslot_guest_submit(gslot_vgpu_name(vgpu), engine, desc0, desc1);
		gslot_exec_submit(vgpu->exec, engine, desc0, desc1);
	} else {
		gslot_guest_err(&vgpu->guest_errors, GSLOT_GUEST_ERR_SUBMISSION, "%s: %s",
				gslot_engines[engine].name,
				enabled ? "no context" : "execlists are off");
	}
	atomic64_inc(&vgpu->stats.submits);
out_unlock:
	spin_unlock(&regs->lock);
}

/* Add an event to the CSB in registers. Return: the new write pointer. */
static u32 execlist_store_registers(struct gslot_vgpu *vgpu, enum gslot_engine_id engine,
				    u32 status, u32 ctx_id, u32 *hws_pga)
{
	u32 base = gslot_engines[engine].base, ptr;

	spin_lock(&vgpu->regs.lock);
	ptr = (vgpu->regs.csb_ptr[engine] + 1) % CSB_ENTRIES;
	vgpu->regs.csb_ptr[engine] = ptr;
	gslot_vreg_set(vgpu, base + RING_CSB(ptr), status);
	gslot_vreg_set(vgpu, base + RING_CSB_UDW(ptr), ctx_id);
	*hws_pga = gslot_vreg_get(vgpu, base + RING_HWS_PGA);
	spin_unlock(&vgpu->regs.lock);
	return ptr;
}

/* Add an event to the CSB in the status page. */
static void execlist_store_hwsp(struct gslot_guest_page *page, u32 ptr, u32 status, u32 ctx_id)
{
	void *hwsp = gslot_guest_page_map_write(page);
	u64 *entries = hwsp + HWSP_CSB;

	WRITE_ONCE(entries[ptr], (u64)ctx_id << 32 | status);
	/* The guest reads the pointer before the entry. */
	smp_wmb();
	WRITE_ONCE(*(u32 *)(hwsp + HWSP_CSB_WRITE_PTR), ptr);
	gslot_guest_page_unmap_write(page, hwsp);
}

static void execlist_csb(void *data, enum gslot_engine_id engine, u32 status, u32 ctx_id)
{
	struct gslot_vgpu *vgpu = data;
	struct gslot_guest_page *page;
	u32 ptr, hws_pga;

	lockdep_assert_held(&vgpu->lock.mutex);
	trace_gslot_guest_csb(gslot_vgpu_name(vgpu), engine, status, ctx_id);
	ptr = execlist_store_registers(vgpu, engine, status, ctx_id, &hws_pga);
	page = gslot_ggtt_page(vgpu->ggtt, hws_pga & PAGE_MASK);
	if (page)
		execlist_store_hwsp(page, ptr, status, ctx_id);
	else
		gslot_guest_err(&vgpu->guest_errors, GSLOT_GUEST_ERR_STATUS_PAGE, "%s: at %#x",
				gslot_engines[engine].name, hws_pga);
	if (status & ~(CSB_PROMOTE | CSB_LITE_RESTORE)) {
		spin_lock_irq(&vgpu->irq.lock);
		vgpu->irq.urgent |= BIT(engine);
		spin_unlock_irq(&vgpu->irq.lock);
	}
}

static void execlist_csb_irq(void *data, enum gslot_engine_id engine)
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

static void execlist_user_interrupt(void *data, enum gslot_engine_id engine)
{
	gslot_irq_raise(data, engine, GT_IRQ_USER);
}

static u32 execlist_user_irq_mask(void *data)
{
	return gslot_irq_listens(data);
}

static void execlist_cs_error(void *data, enum gslot_engine_id engine, u32 bad_cmd)
{
	struct gslot_vgpu *vgpu = data;
	u32 base = gslot_engines[engine].base;

	lockdep_assert_held(&vgpu->lock.mutex);
	spin_lock(&vgpu->regs.lock);
	gslot_vreg_set(vgpu, base + RING_IPEHR, bad_cmd);
	gslot_vreg_set(vgpu, base + RING_EIR, RING_ERROR_INSTRUCTION);
	spin_unlock(&vgpu->regs.lock);
	gslot_face_engine(vgpu, engine);
	gslot_irq_raise(vgpu, engine, GT_IRQ_CS_ERROR);
}

static void execlist_changed(void *data, enum gslot_engine_id engine)
{
	gslot_face_engine(data, engine);
}

static enum gslot_exec_room execlist_request_room(void *data, u32 pages)
{
	return gslot_room_request(data, pages);
}

static void execlist_room_done(void *data)
{
	gslot_room_done(data);
}

const struct gslot_exec_ops gslot_vgpu_exec_ops = {
	.csb = execlist_csb,
	.csb_irq = execlist_csb_irq,
	.user_interrupt = execlist_user_interrupt,
	.user_irq_mask = execlist_user_irq_mask,
	.cs_error = execlist_cs_error,
	.changed = execlist_changed,
	.request_room = execlist_request_room,
	.room_done = execlist_room_done,
};

/* A reset of the engine changes few of its registers; the guest's set-up survives. */
static void execlist_reset_registers(struct gslot_vgpu *vgpu, enum gslot_engine_id engine)
{
	const struct gslot_reg *row, *rows;
	u32 count;

	spin_lock(&vgpu->regs.lock);
	rows = gslot_reg_rows(true, &count);
	for (row = rows; row < rows + count; row++)
		if (row->engine_reset)
			gslot_vreg_set(vgpu, gslot_engines[engine].base + row->first, row->reset);
	vgpu->regs.elsp_count[engine] = 0;
	vgpu->regs.csb_ptr[engine] = CSB_RESET_PTR;
	spin_unlock(&vgpu->regs.lock);
}

/*
 * Reset engines for the guest: GDRST_* in @gdrst. When this returns, the hardware has no work of
 * them, and no event of them is pending. May sleep, without the vGPU's lock.
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
	/* Another driver may begin, and its kernel use the memory of tables of the last one. */
	if (gdrst & GDRST_FULL)
		gslot_guestmem_untrack_all(&vgpu->mem);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (engines & BIT(i))
			execlist_reset_registers(vgpu, i);
	gslot_faces_reset(vgpu, engines);
}
