// SPDX-License-Identifier: GPL-2.0
/*
 * Graphics memory as the user of a vGPU has it: views that he maps, and the aperture
 * without a mapping.
 */
#include "vgpu_priv.h"

/**
 * gslot_aperture_read() - read from BAR2
 * @vgpu: the vGPU, open
 * @offset: where; aligned to @len
 * @buf: what is read
 * @len: 1, 2, 4 or 8
 *
 * Context: may sleep.
 */
void gslot_aperture_read(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len)
{
	gslot_ggtt_aperture_access(vgpu->ggtt, offset, buf, len, false);
}

/**
 * gslot_aperture_write() - write to BAR2
 * @vgpu: the vGPU, open
 * @offset: where; aligned to @len
 * @buf: what is written
 * @len: 1, 2, 4 or 8
 *
 * Context: may sleep.
 */
void gslot_aperture_write(struct gslot_vgpu *vgpu, u32 offset, const void *buf, u32 len)
{
	gslot_ggtt_aperture_access(vgpu->ggtt, offset, (void *)buf, len, true);
}

/**
 * gslot_vgpu_fault() - the user touches a page of a view
 * @vgpu: the vGPU, open
 * @view: the view
 * @vmf: the fault
 * @page: which page of the view
 *
 * Return: VM_FAULT_NOPAGE, or an error of vmf_insert_mixed().
 * Context: page fault: may sleep, and does not take the vGPU's lock.
 */
vm_fault_t gslot_vgpu_fault(struct gslot_vgpu *vgpu, enum gslot_view view, struct vm_fault *vmf,
			    unsigned long page)
{
	if (view == GSLOT_VIEW_TABLE)
		return gslot_ggtt_table_fault(vgpu->ggtt, vmf, page);
	return gslot_ggtt_aperture_fault(vgpu->ggtt, vmf, page);
}
