// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: BAR0
 *
 * The first 2 MB are registers, then nothing, then 8 MB of GGTT entries. What
 * an access to a register does is said by its row in core/regs/regtable; handlers.c
 * has those with a life of their own. Registers are 32 bits wide: 8 bytes are
 * two of them, low half first; less than 4 read a part, and write a part where
 * the register is plain storage.
 */
#include "vgpu_priv.h"
#include "core/regs/regtable.h"

static const struct gslot_reg *find(struct gslot_vgpu *vgpu, u32 offset)
{
	return gslot_reg_find(offset, gslot_hw_gen(vgpu->gpu->hw));
}

static void note_unknown(struct gslot_vgpu *vgpu, u32 offset, const char *what)
{
	WRITE_ONCE(vgpu->stats.unknown_last, offset);
	gslot_guest_err(&vgpu->guest_errors, GSLOT_CAUSE_REGISTER, "%s of %#x", what, offset);
}

static u32 read_reg(struct gslot_vgpu *vgpu, u32 offset)
{
	const struct gslot_reg *reg = find(vgpu, offset);
	u32 value;

	if (!reg) {
		note_unknown(vgpu, offset, "read");
		return 0;
	}
	if (gslot_handler_read(vgpu, reg, offset, &value))
		return value;
	spin_lock(&vgpu->regs.lock);
	value = gslot_vreg_get(vgpu, offset);
	spin_unlock(&vgpu->regs.lock);
	return value;
}

/* @mask: which bits of the register the access covers */
static void store(struct gslot_vgpu *vgpu, const struct gslot_reg *reg, u32 offset, u32 value,
		  u32 mask)
{
	spin_lock(&vgpu->regs.lock);
	switch (reg->class) {
	case GSLOT_REG_PLAIN:
		value = (gslot_vreg_get(vgpu, offset) & ~mask) | (value & mask);
		gslot_vreg_set(vgpu, offset, value);
		break;
	case GSLOT_REG_W1C:
		gslot_vreg_set(vgpu, offset, gslot_vreg_get(vgpu, offset) & ~(value & mask));
		break;
	case GSLOT_REG_MASKED:
		if (mask == U32_MAX)
			gslot_vreg_write_masked(vgpu, offset, value);
		break;
	}
	spin_unlock(&vgpu->regs.lock);
}

static void write_reg(struct gslot_vgpu *vgpu, u32 offset, u32 value, u32 mask)
{
	const struct gslot_reg *reg = find(vgpu, offset);

	if (!reg) {
		note_unknown(vgpu, offset, "write");
		return;
	}
	if (gslot_handler_write(vgpu, reg, offset, value, mask))
		return;
	if (gslot_reg_is_stored(reg) && !gslot_vregs_reserve(vgpu, offset))
		store(vgpu, reg, offset, value, mask);
}

/**
 * gslot_mmio_read() - the guest reads from BAR0
 * @vgpu: the vGPU, open
 * @offset: where; aligned to @len
 * @buf: what it reads
 * @len: 1, 2, 4 or 8
 *
 * Context: process, without the vGPU's locks.
 */
void gslot_mmio_read(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len)
{
	u32 value[2];

	atomic64_inc(&vgpu->stats.reads);
	memset(buf, 0, len);
	if (offset >= GEN_GSM_OFFSET) {
		gslot_ggtt_table_access(vgpu->ggtt, offset - GEN_GSM_OFFSET, buf, len, false);
	} else if (offset < GEN_MMIO_SIZE) {
		value[0] = read_reg(vgpu, offset & ~3);
		value[1] = len == 8 ? read_reg(vgpu, offset + 4) : 0;
		memcpy(buf, (u8 *)value + (offset & 3), len);
	}
}

/**
 * gslot_mmio_write() - the guest writes to BAR0
 * @vgpu: the vGPU, open
 * @offset: where; aligned to @len
 * @buf: what it writes
 * @len: 1, 2, 4 or 8
 *
 * Context: may sleep, without the vGPU's locks.
 */
void gslot_mmio_write(struct gslot_vgpu *vgpu, u32 offset, const void *buf, u32 len)
{
	u32 value[2] = { }, mask[2] = { };

	atomic64_inc(&vgpu->stats.writes);
	if (offset >= GEN_GSM_OFFSET) {
		gslot_ggtt_table_access(vgpu->ggtt, offset - GEN_GSM_OFFSET, (void *)buf, len,
					true);
	} else if (offset < GEN_MMIO_SIZE) {
		memcpy((u8 *)value + (offset & 3), buf, len);
		memset((u8 *)mask + (offset & 3), 0xff, len);
		write_reg(vgpu, offset & ~3, value[0], mask[0]);
		if (len == 8)
			write_reg(vgpu, offset + 4, value[1], mask[1]);
	}
}
