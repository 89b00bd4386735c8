// SPDX-License-Identifier: GPL-2.0
/*
 * The PCI configuration space of a vGPU: a conventional PCI function with the GPU's ids, two memory
 * BARs and an MSI capability. A VMM emulates BARs and MSI for its guest itself, but it sizes the
 * BARs here and may pass on every access.
 */
#include <linux/pci.h>

#include "vgpu_priv.h"

#define CAP_MSI			GEN_PCI_MSI_CAP
#define MSI_LENGTH		10	/* 32-bit address, one vector, no masks */

/* The bits that can be written; all others are read-only. */
static const struct {
	u8 offset;
	u32 mask;
} config_masks[] = {
	{ PCI_COMMAND, PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_DISABLE },
	{ PCI_CACHE_LINE_SIZE, 0xffff },	/* and latency timer */
	{ PCI_BASE_ADDRESS_0, ~(GEN_GTTMMADR_SIZE - 1) },
	{ PCI_BASE_ADDRESS_1, U32_MAX },
	{ PCI_BASE_ADDRESS_2, ~(GEN_APERTURE_SIZE - 1) },
	{ PCI_BASE_ADDRESS_3, U32_MAX },
	{ PCI_INTERRUPT_LINE, 0xff },
	{ CAP_MSI + PCI_MSI_FLAGS, PCI_MSI_FLAGS_ENABLE },
	{ CAP_MSI + PCI_MSI_ADDRESS_LO, ~3u },
	{ CAP_MSI + PCI_MSI_DATA_32, 0xffff },
};

static u8 config_writable(u32 offset)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(config_masks); i++)
		if (offset - config_masks[i].offset < sizeof(u32) &&
		    config_masks[i].mask >> (offset - config_masks[i].offset) * 8 & 0xff)
			return config_masks[i].mask >> (offset - config_masks[i].offset) * 8;
	return 0;
}

static void config_put16(struct gslot_vgpu *vgpu, u32 offset, u16 value)
{
	vgpu->config[offset] = value;
	vgpu->config[offset + 1] = value >> 8;
}

/* The state at power-on: no stolen memory, no OpRegion, 8 MB of GGTT entries. */
void gslot_config_reset(struct gslot_vgpu *vgpu)
{
	const struct pci_dev *pdev = vgpu->vgpus->pdev;
	u8 *config = vgpu->config;

	memset(config, 0, sizeof(vgpu->config));
	config_put16(vgpu, PCI_VENDOR_ID, pdev->vendor);
	config_put16(vgpu, PCI_DEVICE_ID, pdev->device);
	config_put16(vgpu, PCI_STATUS, PCI_STATUS_CAP_LIST);
	config[PCI_REVISION_ID] = pdev->revision;
	config[PCI_CLASS_PROG] = pdev->class;
	config[PCI_CLASS_DEVICE] = pdev->class >> 8;
	config[PCI_CLASS_DEVICE + 1] = pdev->class >> 16;
	config[PCI_BASE_ADDRESS_0] = PCI_BASE_ADDRESS_MEM_TYPE_64;
	config[PCI_BASE_ADDRESS_2] = PCI_BASE_ADDRESS_MEM_TYPE_64 | PCI_BASE_ADDRESS_MEM_PREFETCH;
	config_put16(vgpu, PCI_SUBSYSTEM_VENDOR_ID, pdev->subsystem_vendor);
	config_put16(vgpu, PCI_SUBSYSTEM_ID, pdev->subsystem_device);
	config[PCI_CAPABILITY_LIST] = CAP_MSI;
	config_put16(vgpu, GEN_PCI_GMCH_CTL, GMCH_GGMS_8MB);
	config[CAP_MSI] = PCI_CAP_ID_MSI;
	BUILD_BUG_ON(CAP_MSI + MSI_LENGTH > GSLOT_VGPU_CONFIG_SIZE);
}

/**
 * gslot_config_access() - read or write the configuration space
 * @vgpu: the vGPU
 * @offset: where; the access is within the space
 * @buf: receives the data, or has it; read-only bits keep their value
 * @len: how many bytes
 * @write: write, not read
 *
 * Context: any.
 */
void gslot_config_access(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len, bool write)
{
	const u8 *bytes = buf;
	u32 i;

	if (!write) {
		memcpy(buf, vgpu->config + offset, len);
		return;
	}
	for (i = 0; i < len; i++) {
		u8 mask = config_writable(offset + i), *byte = &vgpu->config[offset + i];

		WRITE_ONCE(*byte, (READ_ONCE(*byte) & ~mask) | (bytes[i] & mask));
	}
}
