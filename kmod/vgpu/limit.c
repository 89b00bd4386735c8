// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: how many vGPUs
 *
 * gslot/max_vgpus of the GPU says how many vGPUs there may be, and the host reserves GGTT entries
 * for as many: docs/ABI/testing/sysfs-bus-pci-drivers-gslot. A new reservation moves the border of
 * the entries that vGPUs share. So it changes only while there are no vGPUs.
 */
#include <linux/err.h>
#include <linux/mm.h>
#include <linux/sizes.h>

#include "vgpu_priv.h"
#include "core/sched/policy.h"
#include "sched/sched.h"

/*
 * Return: how many bytes of the host's memory a vGPU may use while it is open, without the guest's
 * memory. @size: its graphics memory, bytes. @tables: how many page tables may have a shadow
 */
u64 gslot_host_memory(u64 size, u32 tables)
{
	return gslot_exec_host_memory(tables) + gslot_ggtt_host_memory(size);
}

/**
 * gslot_vgpu_host_memory() - get how much memory of the host a vGPU of a type may use
 * @profile: the type
 *
 * Return: bytes, while it is open and not resized; the guest's memory is not counted.
 * Context: any.
 */
u64 gslot_vgpu_host_memory(const struct gslot_profile *profile)
{
	return gslot_host_memory((u64)(profile->low_mb + profile->high_mb) * SZ_1M,
				 profile->tables);
}

/**
 * gslot_vgpus_init_limit() - allow as many vGPUs as the host can afford
 * @vgpus: the GPU, without vGPUs
 * @smallest: the type that costs least
 *
 * Context: may sleep.
 */
void gslot_vgpus_init_limit(struct gslot_vgpus *vgpus, const struct gslot_profile *smallest)
{
	u32 pages = gslot_hw_ggtt_most_host(vgpus->hw) - gslot_hw_ggtt_used(vgpus->hw);
	u64 memory = (u64)totalram_pages() << PAGE_SHIFT;
	u64 afford = div64_u64(memory / 2, gslot_vgpu_host_memory(smallest));

	mutex_lock(&vgpus->lock);
	vgpus->most = min_t(u32, pages / GSLOT_EXEC_GGTT_PAGES, GSLOT_MAX_VGPUS);
	vgpus->reserved = vgpus->most;
	vgpus->max = clamp_t(u64, afford, 1, vgpus->most);
	mutex_unlock(&vgpus->lock);
}

/* Reserve GGTT entries for @count vGPUs, beside those that the host uses itself. */
static int limit_reserve(struct gslot_vgpus *vgpus, u32 count)
{
	u32 pages = gslot_hw_ggtt_most_host(vgpus->hw);
	int ret;

	lockdep_assert_held(&vgpus->lock);
	if (count < vgpus->most)
		pages = round_up(gslot_hw_ggtt_used(vgpus->hw) + count * GSLOT_EXEC_GGTT_PAGES,
				 GSLOT_UNIT_PAGES);
	ret = gslot_runs_set_host(&vgpus->runs, pages);
	if (!ret)
		vgpus->reserved = count;
	return ret;
}

/**
 * gslot_vgpus_set_max() - set how many vGPUs there may be
 * @vgpus: the GPU; without vGPUs, GGTT entries are reserved for exactly @max
 * @max: the number; if there are more vGPUs, they stay
 *
 * Return: 0; -EINVAL if graphics memory has no room for so many; or -EBUSY if @max exceeds the
 * reservation, and there are vGPUs.
 * Context: may sleep, without gslot_vgpus.lock.
 */
int gslot_vgpus_set_max(struct gslot_vgpus *vgpus, u32 max)
{
	int ret = 0;

	mutex_lock(&vgpus->lock);
	if (max > vgpus->most)
		ret = -EINVAL;
	else if (!vgpus->count)
		ret = limit_reserve(vgpus, max);
	else if (max > vgpus->reserved)
		ret = -EBUSY;
	if (!ret)
		vgpus->max = max;
	mutex_unlock(&vgpus->lock);
	return ret;
}

/**
 * gslot_vgpus_count() - get how many vGPUs there are, and may be
 * @vgpus: the GPU
 *
 * Return: the numbers, as of one moment.
 * Context: may sleep, without gslot_vgpus.lock.
 */
struct gslot_vgpu_count gslot_vgpus_count(struct gslot_vgpus *vgpus)
{
	struct gslot_vgpu_count count;

	mutex_lock(&vgpus->lock);
	count = (struct gslot_vgpu_count) {
		.now = vgpus->count, .max = vgpus->max,
		.most = vgpus->count ? vgpus->reserved : vgpus->most,
	};
	mutex_unlock(&vgpus->lock);
	return count;
}

/* Create the vGPU's meter and its client of the scheduler. */
static int limit_create_client(struct gslot_vgpu *vgpu)
{
	struct gslot_sched *sched = vgpu->vgpus->sched;
	int ret;

	vgpu->meter = gslot_meter_create(sched);
	if (IS_ERR(vgpu->meter))
		return PTR_ERR(vgpu->meter);
	vgpu->client = gslot_client_create(sched, gslot_vgpu_name(vgpu), vgpu->meter);
	if (!IS_ERR(vgpu->client))
		return 0;
	ret = PTR_ERR(vgpu->client);
	gslot_meter_end(vgpu->meter);
	return ret;
}

static void limit_destroy_client(struct gslot_vgpu *vgpu)
{
	gslot_client_destroy(vgpu->client);
	gslot_meter_end(vgpu->meter);
}

/**
 * gslot_vgpu_admit() - add a vGPU to those of its GPU, with its part of graphics memory
 * @vgpu: the vGPU
 *
 * Return: 0; -ENOSPC if there are as many vGPUs as there may be; or -ENOMEM.
 * Context: may sleep, without gslot_vgpus.lock.
 */
int gslot_vgpu_admit(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpus *vgpus = vgpu->vgpus;
	int ret;

	ret = limit_create_client(vgpu);
	if (ret)
		return ret;
	ret = -ENOSPC;
	mutex_lock(&vgpus->lock);
	if (vgpus->count < vgpus->max)
		ret = gslot_hw_ggtt_reserve(vgpus->hw, &vgpu->quota, GSLOT_EXEC_GGTT_PAGES);
	if (!ret) {
		list_add_tail(&vgpu->link, &vgpus->list);
		vgpus->count++;
	}
	mutex_unlock(&vgpus->lock);
	if (ret)
		limit_destroy_client(vgpu);
	else
		gslot_vgpu_debugfs_add(vgpu);
	return ret;
}

/**
 * gslot_vgpu_dismiss() - undo gslot_vgpu_admit()
 * @vgpu: the vGPU, not open
 *
 * Context: may sleep, without gslot_vgpus.lock and without any lock that a debugfs file takes.
 */
void gslot_vgpu_dismiss(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpus *vgpus = vgpu->vgpus;

	gslot_vgpu_debugfs_remove(vgpu);
	mutex_lock(&vgpus->lock);
	list_del(&vgpu->link);
	vgpus->count--;
	gslot_hw_ggtt_unreserve(vgpus->hw, &vgpu->quota);
	mutex_unlock(&vgpus->lock);
	limit_destroy_client(vgpu);
}
