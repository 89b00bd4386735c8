// SPDX-License-Identifier: GPL-2.0
/* Page faults in mappings of graphics memory, and accesses to the aperture without a mapping. */
#include "vgpu_priv.h"

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
