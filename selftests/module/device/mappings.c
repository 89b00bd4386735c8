// SPDX-License-Identifier: GPL-2.0
/*
 * Two processes that share a device's file map it for the first time at the same time. The counts
 * of mappings must stay correct: a later mapping can still be revoked. And there cannot be many, as
 * other vGPUs wait while pages are removed from all of them.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "ggtt.h"
#include "guard.h"
#include "tap.h"
#include "vgpu.h"

#define ROUNDS		brief(600)
#define MAX_MAPPINGS	64u	/* the module's limit */
#define TRIES		(2 * MAX_MAPPINGS)

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

static u32 map_many(struct vgpu *vgpu, void **at)
{
	u32 n = 0;

	while (n < TRIES && (at[n] = map(&vgpu->dev)) != MAP_FAILED)
		n++;
	return n;
}

static void check_number(struct vgpu *vgpu)
{
	u32 n, again, i;
	void *at[TRIES];

	n = map_many(vgpu, at);
	tap_ok(n < TRIES && errno == ENOMEM, "too many mappings: ENOMEM");
	tap_eq(n, MAX_MAPPINGS - 2, "a device has %u mappings at most, with those of its driver",
	       MAX_MAPPINGS);
	for (i = 0; i < n; i++)
		munmap(at[i], PAGE_SIZE);
	again = map_many(vgpu, at);
	tap_eq(again, n, "and as many after they are gone");
	for (i = 0; i < again; i++)
		munmap(at[i], PAGE_SIZE);
}

/* Other ways to more of them. */
static void check_split(struct vgpu *vgpu)
{
	u8 *middle = vgpu->aperture + MB(8);
	int status;
	pid_t pid;

	tap_ok(munmap(middle, PAGE_SIZE) && errno == EINVAL,
	       "a mapping cannot be split by munmap()");
	tap_ok(mprotect(middle, PAGE_SIZE, PROT_READ) && errno == EINVAL, "nor by mprotect()");
	pid = fork();
	if (!pid)
		_exit(msync(middle, PAGE_SIZE, MS_ASYNC) != -1 || errno != ENOMEM);
	tap_ok(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
	       !WEXITSTATUS(status), "a child process does not get it");
}

static void check_moved(struct vgpu *vgpu)
{
	void *at = map(&vgpu->dev), *to;
	u32 i;

	for (i = 0; i < TRIES && at != MAP_FAILED; i++) {
		to = mmap(NULL, PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		at = mremap(at, PAGE_SIZE, PAGE_SIZE, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	}
	tap_eq(i, TRIES, "a mapping that is moved counts once");
	if (at != MAP_FAILED)
		munmap(at, PAGE_SIZE);
	at = map(&vgpu->dev);
	tap_ok(at != MAP_FAILED, "and there is room for others");
	munmap(at, PAGE_SIZE);
}

static void check_outlives(const char *uuid)
{
	struct vfio dev, again;
	void *at;

	if (vfio_open(&dev, uuid))
		tap_die("the device cannot be opened");
	at = map(&dev);
	vfio_close(&dev);
	tap_ok(at != MAP_FAILED && vfio_open(&again, uuid), "a mapping keeps its device open");
	munmap(at, PAGE_SIZE);
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
	check_outlives(uuid);
	vgpu = vgpu_open(uuid);
	if (tap_ok(vgpu, "the device can be opened again")) {
		check_changed(vgpu);
		check_number(vgpu);
		check_split(vgpu);
		check_moved(vgpu);
		tap_ok(vgpu_works(vgpu), "the vGPU works");
		vgpu_free(vgpu);
	}
	return vgpu_test_done();
}
