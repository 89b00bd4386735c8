// SPDX-License-Identifier: GPL-2.0
/*
 * What a vGPU has used of the GPU and of the host's processors, from its creation to its removal:
 * sched/meter.c counts it.
 */
#include "vgpu_priv.h"
#include "sched/sched.h"

/**
 * gslot_vgpu_id() - get the number of a vGPU among those of its GPU
 * @vgpu: the vGPU, admitted
 *
 * Return: the number, from 1 on; another vGPU may get it later.
 * Context: any.
 */
u32 gslot_vgpu_id(const struct gslot_vgpu *vgpu)
{
	return gslot_meter_id(vgpu->meter);
}

/**
 * gslot_vgpu_used() - get how much of the engines a vGPU has used since it was created
 * @vgpu: the vGPU, admitted
 * @engines: bit mask of the engines; their counts are added
 * @what: what is counted
 *
 * Return: the sum; never less than before.
 * Context: any.
 */
u64 gslot_vgpu_used(const struct gslot_vgpu *vgpu, u32 engines, enum gslot_meter_count what)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (engines & BIT(i))
			sum += gslot_meter_read(vgpu->meter, i, what);
	return sum;
}

/**
 * gslot_vgpu_cpu_ns() - get how much CPU time a vGPU has used since it was created
 * @vgpu: the vGPU, admitted
 *
 * Return: nanoseconds, of its worker and of interrupts; never less than before.
 * Context: may sleep.
 */
u64 gslot_vgpu_cpu_ns(const struct gslot_vgpu *vgpu)
{
	return gslot_meter_cpu_ns(vgpu->meter);
}

/**
 * gslot_vgpu_charge_cpu() - add CPU time that an interrupt has spent for a vGPU
 * @vgpu: the vGPU, admitted
 * @ns: nanoseconds
 *
 * Context: any.
 */
void gslot_vgpu_charge_cpu(const struct gslot_vgpu *vgpu, u64 ns)
{
	gslot_meter_charge_cpu(vgpu->meter, ns);
}
