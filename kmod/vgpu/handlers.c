// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: register handlers
 *
 * The functions of the handlers that rows of core/regs/regtable name. Without a function the class
 * of the row defines the access. Write functions may sleep.
 */
#include <linux/delay.h>
#include <linux/sched/signal.h>

#include "vgpu_priv.h"
#include "core/regs/regtable.h"
#include "gen/lrc.h"

/* An access that a handler serves. */
struct access {
	struct gslot_vgpu *vgpu;
	u32 offset;
	enum gslot_engine_id engine;
	u32 rel;		/* offset in the engine's block */
};

struct handler {
	u32 (*read)(const struct access *a);
	void (*write)(const struct access *a, u32 value);
};

static u32 handle_get(const struct access *a, u32 offset)
{
	u32 value;

	spin_lock(&a->vgpu->regs.lock);
	value = gslot_vreg_get(a->vgpu, offset);
	spin_unlock(&a->vgpu->regs.lock);
	return value;
}

static void handle_set(const struct access *a, u32 offset, u32 value)
{
	if (gslot_vregs_reserve(a->vgpu, offset))
		return;
	spin_lock(&a->vgpu->regs.lock);
	gslot_vreg_set(a->vgpu, offset, value);
	spin_unlock(&a->vgpu->regs.lock);
}

static u32 handle_write_masked(const struct access *a, u32 value)
{
	u32 now;

	spin_lock(&a->vgpu->regs.lock);
	now = gslot_vreg_write_masked(a->vgpu, a->offset, value);
	spin_unlock(&a->vgpu->regs.lock);
	return now;
}

/* HEAD, TAIL and the position of the engine. */
static u32 handle_ring_state_read(const struct access *a)
{
	return gslot_exec_read_reg(a->vgpu->exec, a->engine, a->rel);
}

static void handle_elsp_write(const struct access *a, u32 value)
{
	gslot_elsp_write(a->vgpu, a->engine, value);
}

/* A stopped ring is idle at once: the guest is about to reset what runs. */
static u32 handle_mi_mode_read(const struct access *a)
{
	u32 mode = handle_get(a, a->offset) & ~MI_MODE_IDLE;
	u32 head = gslot_exec_read_reg(a->vgpu->exec, a->engine, RING_HEAD) & RING_HEAD_ADDR;
	u32 tail = gslot_exec_read_reg(a->vgpu->exec, a->engine, RING_TAIL);

	if ((mode & MI_MODE_STOP_RING) || head == tail)
		mode |= MI_MODE_IDLE;
	return mode;
}

static u32 handle_ring_imr_read(const struct access *a)
{
	return READ_ONCE(a->vgpu->irq.state.ring_imr[a->engine]);
}

static void handle_ring_imr_write(const struct access *a, u32 value)
{
	gslot_irq_write_ring_imr(a->vgpu, a->engine, value);
}

/* The engine is always ready for its reset, unless the GPU is wedged. */
static void handle_reset_ctl_write(const struct access *a, u32 value)
{
	u32 now = handle_write_masked(a, value);

	now &= ~RESET_CTL_READY;
	if (now & RESET_CTL_REQUEST && !gslot_hw_wedged(a->vgpu->vgpus->hw))
		now |= RESET_CTL_READY;
	handle_set(a, a->offset, now);
}

static u32 handle_timestamp_read(const struct access *a)
{
	u64 now = gslot_hw_timestamp(a->vgpu->vgpus->hw);

	return a->rel == RING_TIMESTAMP ? lower_32_bits(now) : upper_32_bits(now);
}

static u32 handle_csb_ptr_read(const struct access *a)
{
	u32 value;

	spin_lock(&a->vgpu->regs.lock);
	value = gslot_vreg_get(a->vgpu, a->offset) & ~CSB_PTR_WRITE;
	value |= a->vgpu->regs.csb_ptr[a->engine];
	spin_unlock(&a->vgpu->regs.lock);
	return value;
}

static void handle_csb_ptr_write(const struct access *a, u32 value)
{
	u32 now;

	spin_lock(&a->vgpu->regs.lock);
	now = gslot_vreg_write_masked(a->vgpu, a->offset, value) & CSB_PTR_WRITE;
	if ((value >> 16 & CSB_PTR_WRITE) && now < CSB_ENTRIES)
		a->vgpu->regs.csb_ptr[a->engine] = now;
	spin_unlock(&a->vgpu->regs.lock);
}

/* The frequency at which the host runs the GPU, always, in units of 50 MHz. */
static u32 handle_frequency(const struct access *a)
{
	return gslot_hw_fuse(a->vgpu->vgpus->hw, GEN_RP_STATE_CAP) & 0xff;
}

/*
 * The highest, the efficient and the lowest frequency are the same. Otherwise a driver would
 * request a higher one before each wait and a lower one after it, each with a VM exit.
 */
static u32 handle_rp_state_cap_read(const struct access *a)
{
	return handle_frequency(a) * 0x10101;
}

/* Requests change nothing. Gen9 has units of 50/3 MHz in bits 31:23. */
static u32 handle_rpstat_read(const struct access *a)
{
	u32 frequency = handle_frequency(a);

	return gslot_hw_gen(a->vgpu->vgpus->hw) >= 9 ? frequency * 3 << 23 : frequency << 7;
}

/*
 * A power well is on if any of the request registers requests it. Older drivers switch power wells
 * even where the display is fused off.
 */
static u32 handle_power_well_read(const struct access *a)
{
	u32 requests = 0, i;

	for (i = 0; i < GEN_NR_PWR_WELL_CTL; i++)
		requests |= handle_get(a, GEN_PWR_WELL_CTL(i));
	return handle_get(a, a->offset) | requests >> 1;
}

static void handle_power_well_write(const struct access *a, u32 value)
{
	handle_set(a, a->offset, value & PWR_WELL_REQUESTS);
}

/* Acknowledged at once. */
static void handle_forcewake_write(const struct access *a, u32 value)
{
	u32 ack;

	switch (a->offset) {
	case GEN_FORCEWAKE_RENDER:
		ack = GEN_FORCEWAKE_RENDER_ACK;
		break;
	case GEN_FORCEWAKE_MEDIA:
		ack = GEN_FORCEWAKE_MEDIA_ACK;
		break;
	default:
		ack = GEN_FORCEWAKE_GT_ACK;
		break;
	}
	handle_set(a, ack, handle_write_masked(a, value));
}

static void handle_gdrst_write(const struct access *a, u32 value)
{
	gslot_vgpu_engine_reset(a->vgpu, value);
	/* Its bits read 0 when the reset is done: never, if the GPU is wedged. */
	if (gslot_hw_wedged(a->vgpu->vgpus->hw))
		handle_set(a, a->offset, value);
}

static u32 handle_irq_read(const struct access *a)
{
	return gslot_irq_read(a->vgpu, a->offset);
}

static void handle_irq_write(const struct access *a, u32 value)
{
	gslot_irq_write(a->vgpu, a->offset, value);
}

static u32 handle_fence_read(const struct access *a)
{
	u32 index = (a->offset - GEN_FENCE_LO(0)) / 8;
	u64 value = gslot_ggtt_fence_read(a->vgpu->ggtt, index);

	return a->offset & 4 ? upper_32_bits(value) : lower_32_bits(value);
}

static void handle_fence_write(const struct access *a, u32 value)
{
	u32 index = (a->offset - GEN_FENCE_LO(0)) / 8;
	u64 now = gslot_ggtt_fence_read(a->vgpu->ggtt, index);

	if (a->offset & 4)
		now = (now & U32_MAX) | (u64)value << 32;
	else
		now = (now & ~(u64)U32_MAX) | value;
	gslot_ggtt_fence_write(a->vgpu->ggtt, index, now);
}

static void handle_flush_write(const struct access *a, u32 value)
{
	struct gslot_vgpu *vgpu = a->vgpu;
	u32 round = 0;
	int ret;

	/* Entries for which there is no memory now are retried before the GPU needs them. */
	atomic64_inc(&vgpu->stats.flushes);
	do {
		/* Syncing pins pages, which may take long. */
		gslot_vgpu_lock_exec(vgpu);
		ret = gslot_vgpu_postpone_flush(vgpu) ? 0 :
		      gslot_ggtt_sync_round(vgpu->ggtt, round++);
		gslot_exec_unlock(vgpu->exec);
		/* Pages arrive slowly: a caller that polls for the lock must find it free. */
		if (ret == -EINTR && READ_ONCE(vgpu->mem.slow))
			msleep(2 * GSLOT_LOCK_POLL_MS);
		cond_resched();
	} while (ret == -EINTR && !fatal_signal_pending(current));
}

/* Mailbox commands that have a result; all others just succeed. */
#define PCODE_READ_EFFICIENT_FREQ	0x1a

static void handle_pcode_write(const struct access *a, u32 value)
{
	if ((value & PCODE_READY) && (value & 0xff) == PCODE_READ_EFFICIENT_FREQ)
		handle_set(a, GEN_PCODE_DATA, handle_frequency(a) << 8);
	handle_set(a, a->offset, value & ~(PCODE_READY | PCODE_ERROR_MASK));
}

static u32 handle_pvinfo_read(const struct access *a)
{
	return gslot_pvinfo_read(a->vgpu, a->offset - PVINFO_BASE);
}

static void handle_pvinfo_write(const struct access *a, u32 value)
{
	gslot_pvinfo_write(a->vgpu, a->offset - PVINFO_BASE, value);
}

/*
 * No default: the compiler warns about a handler without functions here, and about a function
 * without a handler.
 */
static struct handler handle_find(enum gslot_reg_handler handler)
{
	switch (handler) {
	case GSLOT_HANDLER_NONE:
	case GSLOT_NR_HANDLERS:
		break;
	case GSLOT_HANDLER_RING_STATE:
		return (struct handler) { handle_ring_state_read, NULL };
	case GSLOT_HANDLER_MI_MODE:
		return (struct handler) { handle_mi_mode_read, NULL };
	case GSLOT_HANDLER_RING_IMR:
		return (struct handler) { handle_ring_imr_read, handle_ring_imr_write };
	case GSLOT_HANDLER_RESET_CTL:
		return (struct handler) { NULL, handle_reset_ctl_write };
	case GSLOT_HANDLER_ELSP:
		return (struct handler) { NULL, handle_elsp_write };
	case GSLOT_HANDLER_TIMESTAMP:
		return (struct handler) { handle_timestamp_read, NULL };
	case GSLOT_HANDLER_CSB_PTR:
		return (struct handler) { handle_csb_ptr_read, handle_csb_ptr_write };
	case GSLOT_HANDLER_IRQ:
		return (struct handler) { handle_irq_read, handle_irq_write };
	case GSLOT_HANDLER_FLUSH:
		return (struct handler) { NULL, handle_flush_write };
	case GSLOT_HANDLER_FENCE:
		return (struct handler) { handle_fence_read, handle_fence_write };
	case GSLOT_HANDLER_GDRST:
		return (struct handler) { NULL, handle_gdrst_write };
	case GSLOT_HANDLER_RP_STATE_CAP:
		return (struct handler) { handle_rp_state_cap_read, NULL };
	case GSLOT_HANDLER_RPSTAT:
		return (struct handler) { handle_rpstat_read, NULL };
	case GSLOT_HANDLER_POWER_WELL:
		return (struct handler) { handle_power_well_read, handle_power_well_write };
	case GSLOT_HANDLER_FORCEWAKE:
		return (struct handler) { NULL, handle_forcewake_write };
	case GSLOT_HANDLER_PCODE:
		return (struct handler) { NULL, handle_pcode_write };
	case GSLOT_HANDLER_PVINFO:
		return (struct handler) { handle_pvinfo_read, handle_pvinfo_write };
	}
	return (struct handler) { };
}

static struct access handle_resolve(struct gslot_vgpu *vgpu, u32 offset)
{
	struct access a = { .vgpu = vgpu, .offset = offset };
	int engine = gslot_engine_of_reg(offset);

	if (engine >= 0) {
		a.engine = engine;
		a.rel = offset - gslot_engines[engine].base;
	}
	return a;
}

/*
 * Return: false if the row has no handler that reads. The vGPU's locks are not held, except for
 * registers in a face: then gslot_vgpu_faces.lock is, and perhaps the vGPU's. So handlers that read
 * these do not sleep, and take gslot_vregs.lock at most.
 */
bool gslot_handler_read(struct gslot_vgpu *vgpu, const struct gslot_reg *reg, u32 offset,
			u32 *value)
{
	struct handler handler = handle_find(reg->handler);
	struct access a;

	if (!handler.read)
		return false;
	a = handle_resolve(vgpu, offset);
	*value = handler.read(&a);
	return true;
}

/*
 * @mask: the bits of the register that the access covers; partial accesses are dropped. Return:
 * false if the row has no handler that writes. May sleep, without the vGPU's locks.
 */
bool gslot_handler_write(struct gslot_vgpu *vgpu, const struct gslot_reg *reg, u32 offset,
			 u32 value, u32 mask)
{
	struct handler handler = handle_find(reg->handler);
	struct access a;

	if (!handler.write)
		return false;
	if (mask != U32_MAX)
		return true;
	/* The handler may store this register, or others of the engine's block. */
	if (reg->class != GSLOT_REG_LIVE && gslot_vregs_reserve(vgpu, offset))
		return true;
	a = handle_resolve(vgpu, offset);
	handler.write(&a, value);
	return true;
}

/* Can a stored register have the value? A handler may keep bits that no guest can set. */
bool gslot_handler_valid(const struct gslot_reg *reg, u32 value)
{
	switch (reg->handler) {
	case GSLOT_HANDLER_PCODE:
		return !(value & (PCODE_READY | PCODE_ERROR_MASK));
	case GSLOT_HANDLER_POWER_WELL:
		return !(value & ~PWR_WELL_REQUESTS);
	default:
		return true;
	}
}
