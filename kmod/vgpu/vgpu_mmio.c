// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: BAR0 and BAR2
 *
 * The first 2 MB of BAR0 are registers; the upper 8 MB are GGTT entries; the rest is empty. The row
 * of a register in core/regs/regtable defines an access, or names a handler (handlers.c). Registers
 * are 32 bits wide. An access of 8 bytes is one to two registers, the lower one first; one of fewer
 * than 4 bytes reads a part, and writes a part if the register is plain storage. BAR2 is the
 * aperture. A guest maps it and the GGTT entries: page faults come here, too.
 */
#include "vgpu_priv.h"
#include "core/regs/regtable.h"

static const struct gslot_reg *mmio_find(struct gslot_vgpu *vgpu, u32 offset)
{
	return gslot_reg_find(offset, gslot_hw_gen(vgpu->vgpus->hw));
}

static void mmio_note_unknown(struct gslot_vgpu *vgpu, u32 offset, const char *what)
{
	WRITE_ONCE(vgpu->stats.unknown_last, offset);
	gslot_guest_err(&vgpu->guest_errors, GSLOT_GUEST_ERR_REGISTER, "%s of %#x", what, offset);
}

static u32 mmio_read_row(struct gslot_vgpu *vgpu, const struct gslot_reg *reg, u32 offset)
{
	u32 value;

	if (gslot_handler_read(vgpu, reg, offset, &value))
		return value;
	spin_lock(&vgpu->regs.lock);
	value = gslot_vreg_get(vgpu, offset);
	spin_unlock(&vgpu->regs.lock);
	return value;
}

static u32 mmio_read_reg(struct gslot_vgpu *vgpu, u32 offset)
{
	const struct gslot_reg *reg = mmio_find(vgpu, offset);

	if (reg)
		return mmio_read_row(vgpu, reg, offset);
	mmio_note_unknown(vgpu, offset, "read");
	return 0;
}

/*
 * What the guest reads there; an unknown register is 0, and not noted. gslot_vgpu_faces.lock is
 * held, perhaps the vGPU's as well.
 */
u32 gslot_mmio_peek(struct gslot_vgpu *vgpu, u32 offset)
{
	const struct gslot_reg *reg = mmio_find(vgpu, offset);

	return reg ? mmio_read_row(vgpu, reg, offset) : 0;
}

/* @mask: the bits of the register that the access covers */
static void mmio_store(struct gslot_vgpu *vgpu, const struct gslot_reg *reg, u32 offset, u32 value,
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

static void mmio_write_reg(struct gslot_vgpu *vgpu, u32 offset, u32 value, u32 mask)
{
	const struct gslot_reg *reg = mmio_find(vgpu, offset);

	if (!reg) {
		mmio_note_unknown(vgpu, offset, "write");
		return;
	}
	if (gslot_handler_write(vgpu, reg, offset, value, mask))
		return;
	if (gslot_reg_is_stored(reg) && !gslot_vregs_reserve(vgpu, offset))
		mmio_store(vgpu, reg, offset, value, mask);
}

static void mmio_read(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len)
{
	u32 value[2];

	value[0] = mmio_read_reg(vgpu, offset & ~3);
	value[1] = len == 8 ? mmio_read_reg(vgpu, offset + 4) : 0;
	memcpy(buf, (u8 *)value + (offset & 3), len);
}

static void mmio_write(struct gslot_vgpu *vgpu, u32 offset, const void *buf, u32 len)
{
	u32 value[2] = { }, mask[2] = { };

	memcpy((u8 *)value + (offset & 3), buf, len);
	memset((u8 *)mask + (offset & 3), 0xff, len);
	mmio_write_reg(vgpu, offset & ~3, value[0], mask[0]);
	gslot_face_register(vgpu, offset);
	if (len < 8)
		return;
	mmio_write_reg(vgpu, offset + 4, value[1], mask[1]);
	gslot_face_register(vgpu, offset + 4);
}

/**
 * gslot_mmio_width() - split an access
 * @offset: where it begins
 * @count: how many bytes are left of it, not 0
 *
 * Return: the widest aligned access there: 1, 2, 4 or 8 bytes.
 * Context: any.
 */
u32 gslot_mmio_width(u64 offset, size_t count)
{
	u32 width = 8;

	while (width > count || (offset & (width - 1)))
		width /= 2;
	return width;
}

/**
 * gslot_mmio_access() - read or write BAR0
 * @vgpu: the vGPU, open
 * @offset: where; aligned to @len
 * @buf: receives the data, or has it
 * @len: 1, 2, 4 or 8 bytes
 * @write: write, not read
 *
 * Context: may sleep, without the vGPU's locks.
 */
void gslot_mmio_access(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len, bool write)
{
	atomic64_inc(write ? &vgpu->stats.writes : &vgpu->stats.reads);
	if (offset >= GEN_GSM_OFFSET)
		gslot_ggtt_table_access(vgpu->ggtt, offset - GEN_GSM_OFFSET, buf, len, write);
	else if (offset < GEN_MMIO_SIZE && write)
		mmio_write(vgpu, offset, buf, len);
	else if (offset < GEN_MMIO_SIZE)
		mmio_read(vgpu, offset, buf, len);
	else if (!write)
		memset(buf, 0, len);
}

/**
 * gslot_aperture_access() - read or write BAR2
 * @vgpu: the vGPU, open
 * @offset: where; aligned to @len
 * @buf: receives the data, or has it
 * @len: 1, 2, 4 or 8 bytes
 * @write: write, not read
 *
 * Context: may sleep.
 */
void gslot_aperture_access(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len, bool write)
{
	gslot_ggtt_aperture_access(vgpu->ggtt, offset, buf, len, write);
}

/**
 * gslot_vgpu_fault() - handle a page fault in a mapping of a map area
 * @vgpu: the vGPU, open
 * @area: the area
 * @vmf: the fault
 * @page: index of the page in the area
 *
 * Return: VM_FAULT_NOPAGE, or an error of vmf_insert_mixed().
 * Context: page fault: may sleep, and does not take the vGPU's lock.
 */
vm_fault_t gslot_vgpu_fault(struct gslot_vgpu *vgpu, enum gslot_map_area area, struct vm_fault *vmf,
			    unsigned long page)
{
	if (area == GSLOT_MAP_TABLE)
		return gslot_ggtt_table_fault(vgpu->ggtt, vmf, page);
	return gslot_ggtt_aperture_fault(vgpu->ggtt, vmf, page);
}
