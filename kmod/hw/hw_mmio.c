// SPDX-License-Identifier: GPL-2.0
/*
 * BAR 0: registers, uncached; and GGTT entries, write-combined, as they are written in runs and
 * never read. They are mapped apart, so no address is mapped with two memory types.
 *
 * Power wells that are off drop register accesses. Forcewake keeps all of them on from create to
 * destroy or suspend: a shared GPU is seldom idle, and every access may then be a plain one.
 */
#include "hw_priv.h"

#define FORCEWAKE_TIMEOUT_US	50000

struct forcewake {
	u32 request;
	u32 ack;
};

static const struct forcewake gen8_forcewake[] = {
	{ GEN8_FORCEWAKE_MT, GEN8_FORCEWAKE_MT_ACK },
	{ }
};

static const struct forcewake gen9_forcewake[] = {
	{ GEN_FORCEWAKE_GT, GEN_FORCEWAKE_GT_ACK },
	{ GEN_FORCEWAKE_RENDER, GEN_FORCEWAKE_RENDER_ACK },
	{ GEN_FORCEWAKE_MEDIA, GEN_FORCEWAKE_MEDIA_ACK },
	{ }
};

static const struct forcewake *hw_forcewake_domains(struct gslot_hw *hw)
{
	return hw->part->gen >= 9 ? gen9_forcewake : gen8_forcewake;
}

static int hw_forcewake_one(struct gslot_hw *hw, const struct forcewake *domain)
{
	/* Clear requests that firmware or another driver left. */
	hw_write(hw, domain->request, GEN_MASKED_DISABLE(0xffff));
	if (hw_wait(hw, domain->ack, FORCEWAKE_KERNEL, 0, FORCEWAKE_TIMEOUT_US))
		return -ETIMEDOUT;

	hw_write(hw, domain->request, GEN_MASKED_ENABLE(FORCEWAKE_KERNEL));
	return hw_wait(hw, domain->ack, FORCEWAKE_KERNEL, FORCEWAKE_KERNEL, FORCEWAKE_TIMEOUT_US);
}

/*
 * Wake all power wells and keep them awake. Return: 0; -ETIMEDOUT: one did not wake up, and none is
 * kept awake.
 */
int hw_forcewake_get(struct gslot_hw *hw)
{
	const struct forcewake *domain;
	int ret;

	for (domain = hw_forcewake_domains(hw); domain->request; domain++) {
		ret = hw_forcewake_one(hw, domain);
		if (ret) {
			dev_err(&hw->pdev->dev, "power well 0x%x does not wake up\n",
				domain->request);
			hw_forcewake_put(hw);
			return ret;
		}
	}
	return 0;
}

/* Let power wells sleep: registers are not accessed after this. */
void hw_forcewake_put(struct gslot_hw *hw)
{
	const struct forcewake *domain;

	for (domain = hw_forcewake_domains(hw); domain->request; domain++)
		hw_write(hw, domain->request, GEN_MASKED_DISABLE(FORCEWAKE_KERNEL));
}

/* By firmware's setting: 2, 4 or 8 MB of entries, for 1, 2 or 4 GB. */
static int hw_mmio_count_entries(struct gslot_hw *hw)
{
	u16 gmch, size;

	pci_read_config_word(hw->pdev, GEN_PCI_GMCH_CTL, &gmch);
	size = (gmch & GMCH_GGMS) >> GMCH_GGMS_SHIFT;
	if (!size) {
		dev_err(&hw->pdev->dev, "no GGTT (GMCH control 0x%x)\n", gmch);
		return -ENODEV;
	}
	hw->ggtt_entries = (SZ_1M << size) / sizeof(u64);
	return 0;
}

/*
 * Map registers and GGTT entries. Return: 0; -ENODEV: a BAR is too small, or there is no GGTT;
 * -ENOMEM.
 */
int hw_mmio_map(struct gslot_hw *hw)
{
	struct pci_dev *pdev = hw->pdev;
	int ret;

	if (pci_resource_len(pdev, 0) < GEN_GTTMMADR_SIZE ||
	    pci_resource_len(pdev, 2) < GEN_APERTURE_SIZE) {
		dev_err(&pdev->dev, "BAR 0 or 2 is too small\n");
		return -ENODEV;
	}
	ret = hw_mmio_count_entries(hw);
	if (ret)
		return ret;

	hw->regs = ioremap(pci_resource_start(pdev, 0), GEN_MMIO_SIZE);
	if (!hw->regs)
		return -ENOMEM;
	hw->gsm = ioremap_wc(pci_resource_start(pdev, 0) + GEN_GSM_OFFSET, GEN_GSM_SIZE);
	if (!hw->gsm) {
		iounmap(hw->regs);
		return -ENOMEM;
	}
	return 0;
}

void hw_mmio_unmap(struct gslot_hw *hw)
{
	iounmap(hw->gsm);
	iounmap(hw->regs);
}
