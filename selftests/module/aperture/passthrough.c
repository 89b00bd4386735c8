// SPDX-License-Identifier: GPL-2.0
/*
 * The aperture of a vGPU as a DMA target: neither another device that is passed through to the same
 * process reaches it, nor the vGPU's own GPU. A fenced range that has lost its place in the
 * physical aperture would show another vGPU's memory.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "fence.h"
#include "file.h"
#include "ggtt.h"
#include "guard.h"
#include "iommufd.h"
#include "tap.h"
#include "vgpu.h"

#define PCI_DEVICES	"/sys/bus/pci/devices"
/* The test host's IOMMU does not remap interrupts. This device makes none. */
#define UNSAFE_IRQS	"/sys/module/vfio_iommu_type1/parameters/allow_unsafe_interrupts"
#define IOVA_APERTURE	0x200000000ULL
#define IOVA_MEMORY	0x300000000ULL
#define PATTERN		0xa9e27000u

static bool has(const char *device, const char *what)
{
	char path[MDEV_PATH_MAX];

	snprintf(path, sizeof(path), PCI_DEVICES "/%.32s/%s", device, what);
	return !access(path, F_OK);
}

/* Find a device without a driver, behind an IOMMU, that is no bridge. */
static bool is_free(const char *device)
{
	char path[MDEV_PATH_MAX], class[16];

	snprintf(path, sizeof(path), PCI_DEVICES "/%.32s/class", device);
	return has(device, "iommu_group") && !has(device, "driver") &&
	       file_read(path, class, sizeof(class)) > 0 && strncmp(class, "0x06", 4);
}

static bool find_free(char *device, size_t size)
{
	const struct dirent *entry;
	DIR *dir = opendir(PCI_DEVICES);
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		snprintf(device, size, "%.32s", entry->d_name);
		found = entry->d_name[0] != '.' && is_free(device);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void set(const char *device, const char *attr, const char *value)
{
	char path[MDEV_PATH_MAX];

	snprintf(path, sizeof(path), PCI_DEVICES "/%.32s/%s", device, attr);
	file_write(path, value);
}

/* Give a device to vfio-pci, and its group to the container of a vGPU. Return: the group, or -1. */
static int pass_through(const char *device, struct vgpu *vgpu)
{
	char path[MDEV_PATH_MAX], target[MDEV_PATH_MAX];
	const char *number;
	ssize_t len;
	int fd;

	set(device, "driver_override", "vfio-pci");
	file_write("/sys/bus/pci/drivers_probe", device);
	snprintf(path, sizeof(path), PCI_DEVICES "/%.32s/iommu_group", device);
	len = readlink(path, target, sizeof(target) - 1);
	target[len < 0 ? 0 : len] = '\0';
	number = strrchr(target, '/');
	snprintf(path, sizeof(path), "/dev/vfio/%.16s", number ? number + 1 : "none");
	wait_for(!access(path, F_OK), SOON_MS);
	file_write(UNSAFE_IRQS, "Y");
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd >= 0 && ioctl(fd, VFIO_GROUP_SET_CONTAINER, &vgpu->dev.container)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static void give_back(const char *device, int group)
{
	close(group);
	file_write(UNSAFE_IRQS, "N");
	set(device, "driver/unbind", device);
	set(device, "driver_override", "\n");
}

/* Have a fenced page in the process's page tables. Return: its address. */
static u8 *fenced_page(struct vgpu *vgpu, u64 gpa)
{
	u64 addr = ggtt_bind_low(vgpu, gpa, 1);
	u32 value = 0;

	ram_write32(&vgpu->ram, gpa, PATTERN);
	fence_set(vgpu, 0, &tilings[0], addr, 1, 512);
	tap_ok(guard_read32(vgpu->aperture + addr, &value) && value == PATTERN,
	       "a fenced page can be accessed");
	return vgpu->aperture + addr;
}

/* A page of the aperture that shows the guest's own page. */
static u8 *plain_page(struct vgpu *vgpu)
{
	u64 addr = ggtt_bind_low(vgpu, ram_alloc(&vgpu->ram, 1), 1);
	u32 value;

	guard_read32(vgpu->aperture + addr, &value);
	return vgpu->aperture + addr;
}

static void check_other_device(struct vgpu *vgpu, u8 *fenced)
{
	char device[64];
	int group;

	if (iommufd_wanted() || system("modprobe -q vfio-pci") ||
	    !find_free(device, sizeof(device))) {
		tap_skip("no device to pass through behind an IOMMU",
			 "another device does not reach the aperture");
		return;
	}
	group = pass_through(device, vgpu);
	if (!tap_ok(group >= 0, "another device is in the same container"))
		return;
	tap_eq(vfio_dma_map(&vgpu->dev, IOVA_MEMORY, vgpu->ram.ptr, PAGE_SIZE), 0,
	       "the other device reaches memory");
	tap_ok(vfio_dma_map(&vgpu->dev, IOVA_APERTURE, fenced, PAGE_SIZE) < 0,
	       "the other device does not reach a fenced page");
	tap_ok(vfio_dma_map(&vgpu->dev, IOVA_APERTURE, plain_page(vgpu), PAGE_SIZE) < 0,
	       "the other device reaches no other page of the aperture");
	vfio_dma_unmap(&vgpu->dev, IOVA_APERTURE, PAGE_SIZE);
	vfio_dma_unmap(&vgpu->dev, IOVA_MEMORY, PAGE_SIZE);
	give_back(device, group);
}

/* The GPU stores to @page of the aperture by an entry that names its bus address. */
static void store_to(struct vgpu *vgpu, u8 *page)
{
	u64 addr = ggtt_alloc(vgpu, 1);
	struct context ctx;

	/*
	 * Without a device that needs DMA, type 1 does not check the range. iommufd may refuse at
	 * once.
	 */
	if (vfio_dma_map(&vgpu->dev, IOVA_APERTURE, page, PAGE_SIZE))
		return;
	context_init(&ctx, vgpu, RCS, NULL);
	ggtt_map(vgpu, addr, IOVA_APERTURE, 1);
	ggtt_flush(vgpu);
	request_begin(&ctx);
	cs_store(&ctx.ring, GGTT, addr, ~PATTERN);
	request_run(&ctx, request_end(&ctx));
	ggtt_unmap(vgpu, addr, 1);
	ggtt_flush(vgpu);
	vfio_dma_unmap(&vgpu->dev, IOVA_APERTURE, PAGE_SIZE);
}

static void check_own_gpu(struct vgpu *vgpu, u8 *fenced, u64 gpa)
{
	u8 *plain = plain_page(vgpu);
	u32 value = 0;

	store_to(vgpu, fenced);
	tap_eq(ram_read32(&vgpu->ram, gpa), PATTERN,
	       "an entry with the address of a fenced page leads nowhere");
	store_to(vgpu, plain);
	tap_ok(guard_read32(plain, &value) && !value,
	       "an entry with the address of another page of the aperture leads nowhere");
}

int main(void)
{
	struct vgpu *vgpu;
	u8 *fenced;
	u64 gpa;

	vgpu_test_init(60);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	gpa = ram_alloc(&vgpu->ram, 1);
	if (tap_ok(vgpu->aperture, "the aperture can be mapped")) {
		fenced = fenced_page(vgpu, gpa);
		check_own_gpu(vgpu, fenced, gpa);
		check_other_device(vgpu, fenced);
	}
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
