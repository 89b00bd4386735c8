// SPDX-License-Identifier: GPL-2.0
/* Bad input: requests of a broken or hostile VMM to VFIO. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "ggtt.h"
#include "guard.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

static struct rng rng = { 8 };

static int call(struct vgpu *vgpu, unsigned long request, void *arg)
{
	return ioctl(vgpu->dev.fd, request, arg) < 0 ? errno : 0;
}

static void bad_info(struct vgpu *vgpu)
{
	struct vfio_device_info device = { .argsz = sizeof(device) };
	struct vfio_region_info region = { .argsz = sizeof(region) };
	struct vfio_irq_info irq = { .argsz = sizeof(irq) };
	u32 i, bad = 0;

	device.argsz = 4;
	tap_eq(call(vgpu, VFIO_DEVICE_GET_INFO, &device), EINVAL, "GET_INFO: short argsz");
	tap_eq(call(vgpu, VFIO_DEVICE_GET_INFO, NULL), EFAULT, "GET_INFO: no buffer");
	region.argsz = 8;
	tap_eq(call(vgpu, VFIO_DEVICE_GET_REGION_INFO, &region), EINVAL,
	       "GET_REGION_INFO: short argsz");
	tap_eq(call(vgpu, VFIO_DEVICE_GET_REGION_INFO, NULL), EFAULT,
	       "GET_REGION_INFO: no buffer");
	for (i = 0; i < 32; i++) {
		region.argsz = sizeof(region);
		region.index = 1u << i;
		if (region.index >= 64)
			bad += call(vgpu, VFIO_DEVICE_GET_REGION_INFO, &region) != EINVAL;
	}
	region.argsz = sizeof(region);
	region.index = ~0u;
	bad += call(vgpu, VFIO_DEVICE_GET_REGION_INFO, &region) != EINVAL;
	tap_eq(bad, 0, "GET_REGION_INFO: index out of range");
	irq.argsz = 8;
	tap_eq(call(vgpu, VFIO_DEVICE_GET_IRQ_INFO, &irq), EINVAL, "GET_IRQ_INFO: short argsz");
	for (i = 0, bad = 0; i < 32; i++) {
		irq.argsz = sizeof(irq);
		irq.index = 1u << i;
		if (irq.index >= 64)
			bad += call(vgpu, VFIO_DEVICE_GET_IRQ_INFO, &irq) != EINVAL;
	}
	irq.argsz = sizeof(irq);
	irq.index = ~0u;
	bad += call(vgpu, VFIO_DEVICE_GET_IRQ_INFO, &irq) != EINVAL;
	tap_eq(bad, 0, "GET_IRQ_INFO: index out of range");

	/* argsz truncates the capabilities; the reply has the needed size. */
	memset(&region, 0, sizeof(region));
	region.argsz = sizeof(region);
	region.index = VFIO_PCI_BAR0_REGION_INDEX;
	tap_ok(!call(vgpu, VFIO_DEVICE_GET_REGION_INFO, &region) &&
	       region.argsz > sizeof(region) && !region.cap_offset,
	       "GET_REGION_INFO: no space for capabilities");
}

static int set_irqs(struct vgpu *vgpu, u32 argsz, u32 flags, u32 index, u32 start, u32 count,
		    int fd)
{
	char buf[sizeof(struct vfio_irq_set) + 64] = { 0 };
	struct vfio_irq_set *set = (struct vfio_irq_set *)buf;

	set->argsz = argsz;
	set->flags = flags;
	set->index = index;
	set->start = start;
	set->count = count;
	memcpy(set->data, &fd, sizeof(fd));
	return call(vgpu, VFIO_DEVICE_SET_IRQS, set);
}

/* The requests that the interface allows; is each one accepted or refused accordingly? */
static bool any_irqs(struct vgpu *vgpu, int eventfd)
{
	u32 size = sizeof(struct vfio_irq_set), argsz = size + rng_below(&rng, 16);
	u32 flags = rng_below(&rng, 64), index = rng_below(&rng, 6), start = rng_below(&rng, 3);
	u32 count = rng_below(&rng, 3), data = flags & VFIO_IRQ_SET_DATA_TYPE_MASK, need;
	int fd = rng_below(&rng, 3) ? eventfd : -1;
	bool good;

	need = data == VFIO_IRQ_SET_DATA_EVENTFD ? 4 : data == VFIO_IRQ_SET_DATA_BOOL ? 1 : 0;
	good = (index == VFIO_PCI_MSI_IRQ_INDEX || index == VFIO_PCI_REQ_IRQ_INDEX) &&
	       (flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) == VFIO_IRQ_SET_ACTION_TRIGGER &&
	       (data == VFIO_IRQ_SET_DATA_NONE || data == VFIO_IRQ_SET_DATA_BOOL ||
		data == VFIO_IRQ_SET_DATA_EVENTFD) &&
	       !start && count <= 1 && argsz >= size + need * count &&
	       !(data == VFIO_IRQ_SET_DATA_EVENTFD && !count);
	return good == !set_irqs(vgpu, argsz, flags, index, start, count, fd);
}

static void bad_irqs(struct vgpu *vgpu)
{
	u32 msi = VFIO_PCI_MSI_IRQ_INDEX, size = sizeof(struct vfio_irq_set);
	u32 by_fd = VFIO_IRQ_SET_DATA_EVENTFD | VFIO_IRQ_SET_ACTION_TRIGGER;
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), pipes[2];
	u32 i, bad = 0;

	if (pipe(pipes))
		tap_die("no pipe");
	tap_ok(set_irqs(vgpu, 4, by_fd, msi, 0, 1, fd) != 0, "SET_IRQS: short argsz");
	tap_ok(set_irqs(vgpu, size, by_fd, msi, 0, 1, fd) != 0, "SET_IRQS: no space for the data");
	tap_ok(set_irqs(vgpu, size + 4, by_fd, ~0u, 0, 1, fd) != 0, "SET_IRQS: bad index");
	tap_ok(set_irqs(vgpu, size + 4, by_fd, 64, 0, 1, fd) != 0, "SET_IRQS: bad index");
	tap_ok(set_irqs(vgpu, size + 4, by_fd, msi, 1, 1, fd) != 0, "SET_IRQS: bad start");
	tap_ok(set_irqs(vgpu, size + 8, by_fd, msi, 0, 2, fd) != 0, "SET_IRQS: bad count");
	tap_ok(set_irqs(vgpu, ~0u, by_fd, msi, ~0u, 2, fd) != 0, "SET_IRQS: overflow");
	tap_ok(set_irqs(vgpu, ~0u, by_fd, msi, 0, ~0u, fd) != 0, "SET_IRQS: overflow of count");
	tap_ok(set_irqs(vgpu, size + 4, ~0u, msi, 0, 1, fd) != 0, "SET_IRQS: all flags");
	tap_ok(set_irqs(vgpu, size + 4, 0, msi, 0, 1, fd) != 0, "SET_IRQS: no flags");
	tap_ok(set_irqs(vgpu, size + 4, by_fd, msi, 0, 1, 9999) != 0, "SET_IRQS: no such file");
	tap_ok(set_irqs(vgpu, size + 4, by_fd, msi, 0, 1, pipes[0]) != 0,
	       "SET_IRQS: not an eventfd");
	tap_ok(set_irqs(vgpu, size + 4, by_fd, msi, 0, 1, vgpu->dev.fd) != 0,
	       "SET_IRQS: the device itself");
	for (i = 0; i < 20000; i++)
		bad += !any_irqs(vgpu, fd);
	tap_eq(bad, 0, "SET_IRQS: 20000 random requests are accepted or refused as specified");

	/* Trigger by SET_IRQS, with and without an eventfd. */
	vfio_set_msi(&vgpu->dev, fd);
	tap_eq(set_irqs(vgpu, size, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER, msi, 0, 1,
			0), 0, "SET_IRQS: trigger");
	{
		u64 count;

		tap_ok(read(fd, &count, sizeof(count)) == sizeof(count),
		       "SET_IRQS: the triggered interrupt arrives");
	}
	tap_eq(-vfio_set_msi(&vgpu->dev, -1), 0, "SET_IRQS: remove the eventfd");
	set_irqs(vgpu, size, VFIO_IRQ_SET_DATA_NONE | VFIO_IRQ_SET_ACTION_TRIGGER, msi, 0, 1, 0);
	close(fd);
	close(pipes[0]);
	close(pipes[1]);
}

/*
 * Read and write at an offset of the device's file, @left bytes before the end of its region.
 * Return: the number of accesses with a wrong result.
 */
static u32 bad_accesses(int fd, u64 at, u64 left, void *nowhere)
{
	static const size_t reads[] = { 0, 3, 7, 65536 };
	static char buf[65536];
	ssize_t none = left ? 0 : -1;
	u32 i, bad = 0;

	for (i = 0; i < ARRAY_SIZE(reads); i++) {
		ssize_t want = left < reads[i] ? (ssize_t)left : (ssize_t)reads[i];

		bad += pread(fd, buf, reads[i], at) != (left ? want : none);
	}
	memset(buf, 0, sizeof(buf));
	bad += pwrite(fd, buf, 3, at) != (left ? (ssize_t)(left < 3 ? left : 3) : none);
	bad += pread(fd, nowhere, 8, at) != -1;
	bad += pwrite(fd, nowhere, 8, at) != -1;
	return bad;
}

static void bad_ranges(struct vgpu *vgpu)
{
	static const u32 regions[] = {
		VFIO_PCI_BAR0_REGION_INDEX, VFIO_PCI_BAR1_REGION_INDEX,
		VFIO_PCI_BAR2_REGION_INDEX, VFIO_PCI_BAR3_REGION_INDEX,
		VFIO_PCI_BAR4_REGION_INDEX, VFIO_PCI_BAR5_REGION_INDEX,
		VFIO_PCI_ROM_REGION_INDEX, VFIO_PCI_CONFIG_REGION_INDEX,
		VFIO_PCI_VGA_REGION_INDEX,
	};
	static const u64 offsets[] = {
		0, 1, 0xff, 0x1000, 0x1ffffd, 0x200000, 0x7ffffd, 0xfffffd, 0x1000000,
		0xffffffd, 0x10000000, 0xffffffffULL, 0xffffffffffULL,
	};
	void *nowhere = mmap(NULL, PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct vfio_region_info *info;
	static char buf[8];
	u32 r, o, bad = 0;

	for (r = 0; r < ARRAY_SIZE(regions); r++) {
		info = vfio_region_info(&vgpu->dev, regions[r]);
		for (o = 0; o < ARRAY_SIZE(offsets); o++) {
			u64 at = info ? info->offset : (u64)regions[r] << 40;
			u64 size = info ? info->size : 0;

			bad += bad_accesses(vgpu->dev.fd, at + offsets[o],
					    offsets[o] < size ? size - offsets[o] : 0, nowhere);
		}
		free(info);
	}
	bad += pread(vgpu->dev.fd, buf, 8, 0x7fffffffffffff00LL) >= 0;
	bad += pread(vgpu->dev.fd, buf, 8, 0x7ffffffffffffffcLL) >= 0;
	bad += pwrite(vgpu->dev.fd, buf, 8, 0x7ffffffffffffffcLL) >= 0;
	tap_eq(bad, 0, "reads and writes end exactly at the end of the region");
}

/* Only the GGTT's entries and the aperture can be mapped, and only shared. */
static bool may_map(u32 index, u64 offset, u64 size, int flags)
{
	if (flags != MAP_SHARED)
		return false;
	if (index == VFIO_PCI_BAR0_REGION_INDEX)
		return offset >= GEN_GSM_OFFSET && offset + size <= GEN_GTTMMADR_SIZE;
	return index == VFIO_PCI_BAR2_REGION_INDEX && offset + size <= GEN_APERTURE_SIZE;
}

/* Map all that can be mapped, touch it, and map it again. */
static void bad_mappings(struct vgpu *vgpu)
{
	u64 bar0 = vfio_region_offset(&vgpu->dev, VFIO_PCI_BAR0_REGION_INDEX);
	u32 i, bad = 0;

	for (i = 0; i < 2000; i++) {
		u64 offset = (rng_u64(&rng) & 0x1ffff) * PAGE_SIZE;
		u64 size = (1 + rng_below(&rng, 64)) * PAGE_SIZE;
		u32 index = rng_below(&rng, VFIO_PCI_NUM_REGIONS), value;
		u64 at = vfio_region_offset(&vgpu->dev, index) + offset;
		int prot = rng_below(&rng, 4) ? PROT_READ | PROT_WRITE : PROT_READ;
		int flags = rng_below(&rng, 4) ? MAP_SHARED : MAP_PRIVATE;
		u8 *p = mmap(NULL, size, prot, flags, vgpu->dev.fd, at);

		bad += may_map(index, offset, size, flags) != (p != MAP_FAILED);
		if (p == MAP_FAILED)
			continue;
		guard_read32(p, &value);
		if (prot & PROT_WRITE)
			guard_write32(p + size - 4, rng_u64(&rng) | 0xff000000);
		if (i % 16 == 0)
			mprotect(p, size, PROT_READ);
		munmap(p, size);
	}
	tap_eq(bad, 0, "only mappable ranges can be mapped");
	tap_ok(mmap(NULL, ~0UL & ~4095UL, PROT_READ, MAP_SHARED, vgpu->dev.fd, bar0) ==
	       MAP_FAILED, "a mapping of the whole file is refused");
	tap_ok(mmap(NULL, PAGE_SIZE, PROT_READ | PROT_EXEC, MAP_SHARED, vgpu->dev.fd,
		    bar0) == MAP_FAILED, "an executable mapping of registers is refused");
}

static void bad_data_size(struct vgpu *vgpu)
{
	static const struct {
		u32 flags, bytes;
		int want;
	} asks[] = {
		{ VFIO_DEVICE_FEATURE_GET, 8, 0 },
		{ VFIO_DEVICE_FEATURE_GET, 7, EINVAL },
		{ VFIO_DEVICE_FEATURE_GET, 0, EINVAL },
		{ VFIO_DEVICE_FEATURE_SET, 8, EINVAL },
		{ 0, 8, EINVAL },
		{ VFIO_DEVICE_FEATURE_PROBE, 0, 0 },
		{ VFIO_DEVICE_FEATURE_PROBE | VFIO_DEVICE_FEATURE_GET, 0, 0 },
		{ VFIO_DEVICE_FEATURE_PROBE | VFIO_DEVICE_FEATURE_SET, 0, EINVAL },
	};
	u64 buf[2] = { };
	struct vfio_device_feature *feature = (void *)buf;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(asks); i++) {
		feature->argsz = sizeof(*feature) + asks[i].bytes;
		feature->flags = VFIO_DEVICE_FEATURE_MIG_DATA_SIZE | asks[i].flags;
		tap_eq(call(vgpu, VFIO_DEVICE_FEATURE, feature), asks[i].want,
		       "MIG_DATA_SIZE: flags 0x%x, %u bytes", asks[i].flags, asks[i].bytes);
	}
}

static void bad_features(struct vgpu *vgpu)
{
	/* Those of migration, 1, 2, 6 to 9 and 12, have tests of their own, or are VFIO's. */
	static const u32 others[] = { 0, 3, 4, 5, 10, 11, 13, 14, 15 };
	char buf[256];
	u32 i, n = 0;

	for (i = 0; i < 5000; i++) {
		struct vfio_device_feature *feature = (struct vfio_device_feature *)buf;
		u32 k;

		for (k = 0; k < sizeof(buf) / 8; k++)
			((u64 *)buf)[k] = rng_u64(&rng);
		feature->argsz = rng_below(&rng, sizeof(buf));
		feature->flags = others[rng_below(&rng, ARRAY_SIZE(others))] |
				 rng_below(&rng, 8) << 16;
		n += !call(vgpu, VFIO_DEVICE_FEATURE, feature);
	}
	tap_eq(n, 0, "unsupported features are refused");
	for (i = 0, n = 0; i < 256; i++) {
		memset(buf, 0xff, sizeof(buf));
		if (_IO(VFIO_TYPE, i) != VFIO_DEVICE_FEATURE)
			n += !call(vgpu, _IO(VFIO_TYPE, i), buf);
	}
	/* GET_INFO and RESET succeed; the others refuse their argument. */
	tap_eq(n, 2, "ioctls of any number");
	tap_ok(call(vgpu, _IO(VFIO_TYPE, VFIO_BASE + 200), buf) != 0,
	       "an unknown ioctl is refused");
}

static void bad_dma(struct vgpu *vgpu)
{
	u32 i, seen = 0;

	tap_ok(vfio_dma_map(&vgpu->dev, RAM_BASE, vgpu->ram.ptr, PAGE_SIZE) != 0,
	       "mapping memory over mapped memory is refused");
	tap_ok(vfio_dma_unmap(&vgpu->dev, RAM_BASE, PAGE_SIZE) != 0,
	       "unmapping a part of a mapping is refused");
	/* Map and unmap the same memory a second time, while entries name it. */
	for (i = 0; i < 50; i++) {
		u64 iova = 0x200000000ULL + i * MB(64);
		u64 addr = ggtt_alloc(vgpu, 1);

		if (vfio_dma_map(&vgpu->dev, iova, vgpu->ram.ptr, vgpu->ram.size))
			continue;
		seen++;
		ggtt_map(vgpu, addr, iova + MB(1), 1);
		ggtt_flush(vgpu);
		/*
		 * Keep a few: CONFIG_DMA_API_DEBUG complains about more than eight mappings of a
		 * page.
		 */
		if (i % 10)
			vfio_dma_unmap(&vgpu->dev, iova, vgpu->ram.size);
		ggtt_flush(vgpu);
	}
	tap_eq(seen, 50, "memory can be mapped many times");
	for (i = 0; i < 50; i += 10)
		vfio_dma_unmap(&vgpu->dev, 0x200000000ULL + i * MB(64), vgpu->ram.size);
	ggtt_flush(vgpu);
}

int main(void)
{
	struct witness w;
	struct vgpu *vgpu;

	vgpu_test_init(200);
	witness_init(&w);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	bad_info(vgpu);
	bad_irqs(vgpu);
	survived(vgpu, &w, "interrupts");
	bad_ranges(vgpu);
	survived(vgpu, &w, "ranges");
	bad_mappings(vgpu);
	survived(vgpu, &w, "mappings");
	bad_data_size(vgpu);
	bad_features(vgpu);
	survived(vgpu, &w, "features and ioctls");
	bad_dma(vgpu);
	survived(vgpu, &w, "memory");
	vgpu_free(vgpu);
	witness_free(&w);
	return vgpu_test_done();
}
