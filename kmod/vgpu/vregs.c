// SPDX-License-Identifier: GPL-2.0
/*
 * Register storage: 2 MB of registers, of which a guest writes a few dozen pages. A register that
 * was never written has the reset value of its row.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "vgpu_priv.h"
#include "core/regs/regtable.h"
#include "gen/lrc.h"

/* Return: a register's value at power-on; of a fuse, what the guest reads if it has no handler. */
u32 gslot_vreg_reset_value(struct gslot_vgpu *vgpu, u32 offset)
{
	struct gslot_hw *hw = vgpu->vgpus->hw;
	const struct gslot_reg *reg = gslot_reg_find(offset, gslot_hw_gen(hw));

	if (!reg)
		return 0;
	return reg->reset | (reg->class == GSLOT_REG_FUSE ? gslot_hw_fuse(hw, offset) : 0);
}

static void vregs_fill_page(struct gslot_vgpu *vgpu, u32 *page, u32 offset)
{
	u32 gen = gslot_hw_gen(vgpu->vgpus->hw), end = offset + PAGE_SIZE, value, until;
	const struct gslot_reg *reg;

	while (offset < end) {
		reg = gslot_reg_find(offset, gen);
		until = offset + sizeof(u32);
		if (!reg || reg->class != GSLOT_REG_FUSE)
			until = min(gslot_reg_same_until(offset), end);
		value = gslot_vreg_reset_value(vgpu, offset);
		memset32(page, value, (until - offset) / sizeof(u32));
		page += (until - offset) / sizeof(u32);
		offset = until;
	}
}

/* Registers are not accessed meanwhile. */
void gslot_vregs_fini(struct gslot_vgpu *vgpu)
{
	u32 i;

	for (i = 0; i < GSLOT_VGPU_REG_PAGES; i++) {
		free_page((unsigned long)vgpu->regs.pages[i]);
		vgpu->regs.pages[i] = NULL;
	}
}

/* Set all registers to their state at power-on. */
void gslot_vregs_reset(struct gslot_vgpu *vgpu)
{
	struct gslot_vregs *regs = &vgpu->regs;
	u32 i;

	for (i = 0; i < GSLOT_VGPU_REG_PAGES; i++) {
		spin_lock(&regs->lock);
		if (regs->pages[i])
			vregs_fill_page(vgpu, regs->pages[i], i << PAGE_SHIFT);
		spin_unlock(&regs->lock);
	}
	spin_lock(&regs->lock);
	memset(regs->elsp_count, 0, sizeof(regs->elsp_count));
	memset(regs->csb_ptr, CSB_RESET_PTR, sizeof(regs->csb_ptr));
	spin_unlock(&regs->lock);
}

/* Allocate storage for a register. May sleep. Return: 0 or -ENOMEM. */
int gslot_vregs_reserve(struct gslot_vgpu *vgpu, u32 offset)
{
	u32 **slot = &vgpu->regs.pages[offset >> PAGE_SHIFT];
	u32 *page;

	if (READ_ONCE(*slot))
		return 0;
	page = (u32 *)__get_free_page(GFP_KERNEL_ACCOUNT);
	if (!page)
		return -ENOMEM;
	vregs_fill_page(vgpu, page, offset & PAGE_MASK);
	spin_lock(&vgpu->regs.lock);
	if (!*slot)
		swap(*slot, page);
	spin_unlock(&vgpu->regs.lock);
	free_page((unsigned long)page);
	return 0;
}

/* The same for all registers of a vGPU's state that are not 0 after a reset. */
int gslot_vregs_reserve_presets(struct gslot_vgpu *vgpu)
{
	u32 i, offset;
	int ret = 0;

	for (i = 0; !ret && (offset = gslot_reg_preset(i)); i++)
		ret = gslot_vregs_reserve(vgpu, offset);
	return ret;
}

/* Return: the stored value; the reset value if the register was never written. */
u32 gslot_vreg_get(struct gslot_vgpu *vgpu, u32 offset)
{
	const u32 *page = vgpu->regs.pages[offset >> PAGE_SHIFT];

	lockdep_assert_held(&vgpu->regs.lock);
	if (!page)
		return gslot_vreg_reset_value(vgpu, offset);
	return page[offset_in_page(offset) / sizeof(u32)];
}

/* The value is lost if there is no storage: gslot_vregs_reserve(). */
void gslot_vreg_set(struct gslot_vgpu *vgpu, u32 offset, u32 value)
{
	u32 *page = vgpu->regs.pages[offset >> PAGE_SHIFT];

	lockdep_assert_held(&vgpu->regs.lock);
	if (page)
		page[offset_in_page(offset) / sizeof(u32)] = value;
}

/* The high half of @value selects bits of the low one. Return: the new value of the register. */
u32 gslot_vreg_write_masked(struct gslot_vgpu *vgpu, u32 offset, u32 value)
{
	u32 mask = value >> 16, now = gslot_vreg_get(vgpu, offset);

	lockdep_assert_held(&vgpu->regs.lock);
	now = (now & ~mask & 0xffff) | (value & mask);
	gslot_vreg_set(vgpu, offset, now);
	return now;
}
