// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes that share a device's file map it for the first time at the same time. The counts
 * of mappings must stay correct: a later mapping can still be revoked.
 */
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ggtt.h"
#include "guard.h"
#include "tap.h"
#include "vgpu.h"

#define ROUNDS		600u

static void *map(struct vfio *dev)
{
	return mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd,
		    vfio_region_offset(dev, VFIO_PCI_BAR2_REGION_INDEX));
}

/* Both start when @go is set. false: one of them got no mapping. */
static bool map_both(struct vfio *dev, u32 *go)
{
	void *mapped;
	int status;
	pid_t pid;

	WRITE_ONCE(*go, 0);
	pid = fork();
	if (!pid) {
		while (!READ_ONCE(*go))
			;
		_exit(map(dev) == MAP_FAILED);
	}
	WRITE_ONCE(*go, 1);
	mapped = map(dev);
	waitpid(pid, &status, 0);
	if (mapped == MAP_FAILED)
		return false;
	munmap(mapped, PAGE_SIZE);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

static void check_changed(struct vgpu *vgpu)
{
	u64 a = ram_alloc(&vgpu->ram, 1), b = ram_alloc(&vgpu->ram, 1);
	u64 addr = ggtt_bind_low(vgpu, a, 1);
	u32 value = 0;

	ram_write32(&vgpu->ram, a, 0xa1);
	ram_write32(&vgpu->ram, b, 0xb1);
	tap_ok(guard_read32(vgpu->aperture + addr, &value) && value == 0xa1,
	       "the aperture shows a page");
	ggtt_map(vgpu, addr, b, 1);
	ggtt_flush(vgpu);
	tap_ok(guard_read32(vgpu->aperture + addr, &value) && value == 0xb1,
	       "the aperture does not show it after its entry has changed");
}

int main(void)
{
	struct vgpu *vgpu;
	char uuid[MDEV_UUID_SIZE];
	u32 *go, i, mapped = 0;

	vgpu_test_init(120);
	go = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	vgpu_close(vgpu);
	for (i = 0; i < ROUNDS; i++) {
		struct vfio dev;

		if (vfio_open(&dev, uuid))
			break;
		mapped += map_both(&dev, go);
		vfio_close(&dev);
	}
	tap_eq(mapped, ROUNDS, "two processes map a device at once, %u times", ROUNDS);
	vgpu = vgpu_open(uuid);
	if (tap_ok(vgpu, "the device can be opened again")) {
		check_changed(vgpu);
		tap_ok(vgpu_works(vgpu), "the vGPU works");
		vgpu_free(vgpu);
	}
	return vgpu_test_done();
}
