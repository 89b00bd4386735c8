// SPDX-License-Identifier: GPL-2.0
/* How far the migration of a vGPU is: for sysfs and debugfs. */
#include "vgpu_priv.h"
#include "vgpu_state.h"

/**
 * gslot_vgpu_show_migration() - show a state of migration
 * @vgpu: the vGPU
 * @state: its name, which stays where it is
 *
 * Context: any.
 */
void gslot_vgpu_show_migration(struct gslot_vgpu *vgpu, const char *state)
{
	WRITE_ONCE(vgpu->migration, state);
}

/**
 * gslot_vgpu_migrates() - a stream begins
 * @vgpu: the vGPU that is saved, or restored
 *
 * Context: any.
 */
void gslot_vgpu_migrates(struct gslot_vgpu *vgpu)
{
	atomic64_set(&vgpu->migrated, 0);
}

/**
 * gslot_vgpu_migrated() - some of a stream was read, or restored
 * @vgpu: the vGPU
 * @bytes: how much; negative: a read did not take place
 *
 * Context: any.
 */
void gslot_vgpu_migrated(struct gslot_vgpu *vgpu, s64 bytes)
{
	atomic64_add(bytes, &vgpu->migrated);
}

/**
 * gslot_vgpu_migration() - get a vGPU's state of migration
 * @vgpu: the vGPU
 *
 * Return: its name, without "VFIO_DEVICE_STATE_".
 * Context: any.
 */
const char *gslot_vgpu_migration(const struct gslot_vgpu *vgpu)
{
	return READ_ONCE(vgpu->migration) ?: "RUNNING";
}

/**
 * gslot_vgpu_migration_bytes() - how much of a vGPU's last stream was read, or restored?
 * @vgpu: the vGPU
 *
 * Return: bytes.
 * Context: any.
 */
u64 gslot_vgpu_migration_bytes(const struct gslot_vgpu *vgpu)
{
	return atomic64_read(&vgpu->migrated);
}
