// SPDX-License-Identifier: GPL-2.0
/*
 * What a vGPU has used of the GPU and of the host's processors, from its creation to its removal:
 * sched/meter.c counts it. And what it has of the host's memory.
 */
#include <linux/mm.h>
#include <linux/sysfs.h>

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

static u64 use_bytes(u64 pages)
{
	return pages << PAGE_SHIFT;
}

/**
 * gslot_vgpu_show_memory() - show what a vGPU has of the host's memory
 * @vgpu: the vGPU, admitted
 * @buf: of sysfs
 *
 * A name and a number a line, as memory.stat of a cgroup.
 *
 * Return: how much was written there.
 * Context: any.
 */
ssize_t gslot_vgpu_show_memory(const struct gslot_vgpu *vgpu, char *buf)
{
	bool open = READ_ONCE(vgpu->exec);

	return sysfs_emit(buf, "pinned %llu\nidle %llu\nreclaimed %llu\nroom_waits %llu\n"
			  "away %llu\nbrought_back %llu\n",
			  open ? use_bytes(READ_ONCE(vgpu->mem.count)) : 0,
			  open ? use_bytes(READ_ONCE(vgpu->mem.nr_idle)) : 0,
			  use_bytes(atomic64_read(&vgpu->shrink.reclaimed)),
			  (u64)atomic64_read(&vgpu->room.waits),
			  use_bytes(READ_ONCE(vgpu->shrink.dropped.away)),
			  use_bytes(READ_ONCE(vgpu->shrink.dropped.brought_back)));
}
