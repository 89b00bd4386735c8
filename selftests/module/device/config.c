// SPDX-License-Identifier: GPL-2.0
/* VFIO device and region information, and configuration space. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <linux/pci_regs.h>

#include "rng.h"
#include "tap.h"
#include "vgpu.h"

static u32 cfg(struct vgpu *vgpu, u32 offset, u32 width)
{
	return vfio_config_read(&vgpu->dev, offset, width);
}

static void set_cfg(struct vgpu *vgpu, u32 offset, u32 width, u32 value)
{
	vfio_config_write(&vgpu->dev, offset, width, value);
}

static bool has_sparse_mmap(const struct vfio_region_info *info, u64 offset, u64 size)
{
	u32 pos = info->cap_offset;

	if (!(info->flags & VFIO_REGION_INFO_FLAG_CAPS))
		return false;
	while (pos) {
		const struct vfio_info_cap_header *cap = (const void *)((const u8 *)info + pos);
		const struct vfio_region_info_cap_sparse_mmap *sparse = (const void *)cap;

		if (cap->id == VFIO_REGION_INFO_CAP_SPARSE_MMAP)
			return sparse->nr_areas == 1 && sparse->areas[0].offset == offset &&
			       sparse->areas[0].size == size;
		pos = cap->next;
	}
	return false;
}

static void check_region(struct vgpu *vgpu, u32 index, const char *name, u64 size, u32 flags)
{
	struct vfio_region_info *info = vfio_region_info(&vgpu->dev, index);

	if (!tap_ok(info, "%s: region info", name))
		return;
	tap_eq(info->size, size, "%s: size", name);
	tap_eq(info->flags & flags, flags, "%s: flags", name);
	if (index == VFIO_PCI_BAR0_REGION_INDEX)
		tap_ok(has_sparse_mmap(info, GEN_GSM_OFFSET, GEN_GSM_SIZE),
		       "%s: only the GGTT's entries can be mapped", name);
	free(info);
}

static void check_device(struct vgpu *vgpu)
{
	struct vfio_device_info info = { .argsz = sizeof(info) };
	struct vfio_irq_info irq = { .argsz = sizeof(irq), .index = VFIO_PCI_MSI_IRQ_INDEX };
	struct vfio_region_info *region;
	u32 rw = VFIO_REGION_INFO_FLAG_READ | VFIO_REGION_INFO_FLAG_WRITE;
	u32 i;

	tap_eq(ioctl(vgpu->dev.fd, VFIO_DEVICE_GET_INFO, &info), 0, "device info");
	tap_eq(info.flags & (VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET),
	       VFIO_DEVICE_FLAGS_PCI | VFIO_DEVICE_FLAGS_RESET, "it is a PCI device with a reset");
	tap_ok(info.num_regions >= VFIO_PCI_NUM_REGIONS, "the number of regions");
	tap_ok(info.num_irqs > VFIO_PCI_MSI_IRQ_INDEX, "the number of interrupts");

	check_region(vgpu, VFIO_PCI_BAR0_REGION_INDEX, "BAR0", GEN_GTTMMADR_SIZE,
		     rw | VFIO_REGION_INFO_FLAG_MMAP);
	check_region(vgpu, VFIO_PCI_BAR2_REGION_INDEX, "BAR2", GEN_APERTURE_SIZE,
		     rw | VFIO_REGION_INFO_FLAG_MMAP);
	region = vfio_region_info(&vgpu->dev, VFIO_PCI_CONFIG_REGION_INDEX);
	tap_ok(region && (region->size == 256 || region->size == 4096) &&
	       (region->flags & rw) == rw, "configuration space");
	free(region);

	tap_eq(ioctl(vgpu->dev.fd, VFIO_DEVICE_GET_IRQ_INFO, &irq), 0, "MSI info");
	tap_eq(irq.count, 1, "one MSI");
	tap_ok(irq.flags & VFIO_IRQ_INFO_EVENTFD, "the MSI is signalled by eventfd");
	for (i = 0; i < VFIO_PCI_NUM_REGIONS; i++) {
		region = vfio_region_info(&vgpu->dev, i);
		if (!region)
			tap_ok(errno == EINVAL, "region %u: refused", i);
		free(region);
	}
}

static void check_ids(struct vgpu *vgpu)
{
	tap_eq(cfg(vgpu, PCI_VENDOR_ID, 2), 0x8086, "vendor");
	tap_ok(cfg(vgpu, PCI_DEVICE_ID, 2) != 0 && cfg(vgpu, PCI_DEVICE_ID, 2) != 0xffff,
	       "device %#x", cfg(vgpu, PCI_DEVICE_ID, 2));
	tap_eq(cfg(vgpu, PCI_CLASS_DEVICE, 2), 0x0300, "class: VGA");
	tap_eq(cfg(vgpu, PCI_HEADER_TYPE, 1) & 0x7f, 0, "header type");
	tap_eq(cfg(vgpu, GEN_PCI_GMCH_CTL, 2) & GMCH_GGMS_8MB, GMCH_GGMS_8MB,
	       "GMCH: 8 MB of GGTT entries");
	tap_eq(cfg(vgpu, GEN_PCI_GMCH_CTL, 2) & GMCH_GMS, 0, "GMCH: no stolen memory");
	tap_eq(cfg(vgpu, GEN_PCI_BSM, 4), 0, "BDSM: no stolen memory");
	tap_eq(cfg(vgpu, GEN_PCI_ASLS, 4), 0, "no OpRegion");
}

static void check_bar64(struct vgpu *vgpu, u32 offset, const char *name, u64 size, u32 flags)
{
	u32 lo, hi, old_lo = cfg(vgpu, offset, 4), old_hi = cfg(vgpu, offset + 4, 4);
	u64 mask;

	tap_eq(old_lo & 0xf, flags, "%s: 64 bits, memory", name);
	set_cfg(vgpu, offset, 4, ~0u);
	set_cfg(vgpu, offset + 4, 4, ~0u);
	lo = cfg(vgpu, offset, 4);
	hi = cfg(vgpu, offset + 4, 4);
	mask = ((u64)hi << 32 | lo) & ~0xfULL;
	tap_eq(~mask + 1, size, "%s: size", name);
	tap_eq(lo & 0xf, flags, "%s: the flags are read-only", name);

	set_cfg(vgpu, offset, 4, 0x80000000);
	set_cfg(vgpu, offset + 4, 4, 0x12);
	tap_eq(cfg(vgpu, offset, 4) & ~0xfu, 0x80000000, "%s: an address is kept", name);
	tap_eq(cfg(vgpu, offset + 4, 4), 0x12, "%s: the upper half of an address is kept", name);
	set_cfg(vgpu, offset, 4, old_lo);
	set_cfg(vgpu, offset + 4, 4, old_hi);
}

static void check_caps(struct vgpu *vgpu)
{
	u32 pos = cfg(vgpu, PCI_CAPABILITY_LIST, 1), seen = 0;
	bool msi = false;

	tap_ok(cfg(vgpu, PCI_STATUS, 2) & PCI_STATUS_CAP_LIST, "has capabilities");
	while (pos && seen++ < 48) {
		if (pos < 0x40 || pos & 3)
			break;
		msi |= cfg(vgpu, pos, 1) == PCI_CAP_ID_MSI;
		pos = cfg(vgpu, pos + 1, 1);
	}
	tap_ok(!pos, "the list of capabilities ends");
	tap_ok(msi, "the list of capabilities has MSI");
}

static void check_command(struct vgpu *vgpu)
{
	u32 bits = PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER;

	set_cfg(vgpu, PCI_COMMAND, 2, 0);
	tap_eq(cfg(vgpu, PCI_COMMAND, 2) & bits, 0, "command: cleared");
	set_cfg(vgpu, PCI_COMMAND, 2, bits);
	tap_eq(cfg(vgpu, PCI_COMMAND, 2) & bits, bits, "command: memory, bus master");
	set_cfg(vgpu, PCI_COMMAND, 1, 0);
	tap_eq(cfg(vgpu, PCI_COMMAND, 2) & bits, 0, "command: written by bytes");
	set_cfg(vgpu, PCI_COMMAND, 2, bits);
}

/* A byte of configuration space is the same at each access width. */
static void check_widths(struct vgpu *vgpu, u32 size)
{
	u8 *bytes = malloc(size), *all = malloc(size);
	u32 offset, width, bad = 0;

	for (offset = 0; offset < size; offset++)
		bytes[offset] = cfg(vgpu, offset, 1);
	for (width = 2; width <= 8; width *= 2) {
		for (offset = 0; offset + width <= size; offset++) {
			u8 buf[8];
			ssize_t ret;

			ret = vfio_read(&vgpu->dev, VFIO_PCI_CONFIG_REGION_INDEX, offset, buf,
					width);
			/* An unaligned access may be refused or shortened. */
			if (ret != width ? !(offset % width) && width < 8 :
			    memcmp(buf, bytes + offset, width))
				bad++;
		}
	}
	tap_eq(bad, 0, "every offset reads the same at widths 1, 2, 4, 8");

	bad = 0;
	for (offset = 0; offset < size;) {
		ssize_t ret = vfio_read(&vgpu->dev, VFIO_PCI_CONFIG_REGION_INDEX, offset,
					all + offset, size - offset);

		if (ret <= 0) {
			bad++;
			break;
		}
		offset += ret;
	}
	tap_ok(!bad && !memcmp(all, bytes, size),
	       "one read of all configuration space has the same bytes");
	tap_ok(vfio_read(&vgpu->dev, VFIO_PCI_CONFIG_REGION_INDEX, size, all, 4) <= 0,
	       "a read beyond the end is refused");
	tap_ok(vfio_write(&vgpu->dev, VFIO_PCI_CONFIG_REGION_INDEX, size, all, 4) <= 0,
	       "a write beyond the end is refused");
	tap_ok(vfio_read(&vgpu->dev, VFIO_PCI_CONFIG_REGION_INDEX, size - 2, all, 4) <= 2,
	       "a read across the end is shortened or refused");
	free(bytes);
	free(all);
}

/* After any writes, the identity is unchanged, the device answers, and a reset undoes them. */
static void check_writes(struct vgpu *vgpu, u32 size)
{
	static const u32 patterns[] = { ~0u, 0, 0x55555555, 0xaaaaaaaa };
	u32 id = cfg(vgpu, 0, 4), class = cfg(vgpu, 8, 4), header = cfg(vgpu, 0xe, 1);
	u32 msi = cfg(vgpu, GEN_PCI_MSI_CAP, 2), gmch = cfg(vgpu, GEN_PCI_GMCH_CTL, 2);
	struct rng rng = { 1 };
	u32 i, offset, width;

	for (i = 0; i < ARRAY_SIZE(patterns); i++)
		for (width = 1; width <= 4; width *= 2)
			for (offset = 0; offset < size; offset++)
				set_cfg(vgpu, offset, width, patterns[i]);
	for (i = 0; i < 20000; i++)
		set_cfg(vgpu, rng_below(&rng, size), 1 << rng_below(&rng, 3), rng_u64(&rng));

	tap_eq(cfg(vgpu, 0, 4), id, "the ids are unchanged by writes to all offsets");
	tap_eq(cfg(vgpu, 8, 4), class, "class");
	tap_eq(cfg(vgpu, 0xe, 1), header, "header type");
	tap_eq(cfg(vgpu, GEN_PCI_MSI_CAP, 2), msi, "MSI capability");
	tap_eq(cfg(vgpu, GEN_PCI_GMCH_CTL, 2), gmch, "GMCH");
	tap_ok(vgpu_works(vgpu), "the vGPU works after a reset");
	tap_eq(cfg(vgpu, PCI_COMMAND, 2) & 0x7, 6, "command");
}

int main(void)
{
	struct vfio_region_info *info;
	struct vgpu *vgpu;
	u32 size;

	vgpu_test_init(120);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	check_device(vgpu);
	info = vfio_region_info(&vgpu->dev, VFIO_PCI_CONFIG_REGION_INDEX);
	size = info ? info->size : 256;
	free(info);
	check_ids(vgpu);
	check_bar64(vgpu, PCI_BASE_ADDRESS_0, "BAR0", GEN_GTTMMADR_SIZE,
		    PCI_BASE_ADDRESS_MEM_TYPE_64);
	check_bar64(vgpu, PCI_BASE_ADDRESS_2, "BAR2", GEN_APERTURE_SIZE,
		    PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH);
	check_caps(vgpu);
	check_command(vgpu);
	check_widths(vgpu, size);
	check_writes(vgpu, size);
	vgpu_free(vgpu);
	return vgpu_test_done();
}
