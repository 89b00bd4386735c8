// SPDX-License-Identifier: GPL-2.0
/*
 * PCI ids of Gen8 and Gen9 GPUs, GT1 to GT3, as Intel publishes them. Not supported: the low power
 * parts (Cherryview, Broxton, Gemini Lake), which have no shared last level cache, and
 * GT4, which is untested.
 */
#include "hw_priv.h"

static const struct hw_part hw_parts[] = {
	[GSLOT_BROADWELL] = { GSLOT_BROADWELL, "Broadwell", 8 },
	[GSLOT_SKYLAKE] = { GSLOT_SKYLAKE, "Skylake", 9 },
	[GSLOT_KABYLAKE] = { GSLOT_KABYLAKE, "Kaby Lake", 9 },
	[GSLOT_COFFEELAKE] = { GSLOT_COFFEELAKE, "Coffee Lake", 9 },
};

/*
 * Only functions of the display class: server parts have others with the same ids. And only by
 * driver_override: most of these GPUs have a screen and belong to i915. For the same reason the
 * module has no alias that would load it for them.
 */
#define GPU(id, part) { \
	PCI_DEVICE(PCI_VENDOR_ID_INTEL, id), \
	.override_only = 1, \
	.class = PCI_BASE_CLASS_DISPLAY << 16, \
	.class_mask = 0xff << 16, \
	.driver_data = part, \
}

#define BDW(id)	GPU(id, GSLOT_BROADWELL)
#define SKL(id)	GPU(id, GSLOT_SKYLAKE)
#define KBL(id)	GPU(id, GSLOT_KABYLAKE)
#define CFL(id)	GPU(id, GSLOT_COFFEELAKE)

const struct pci_device_id gslot_pci_ids[] = {
	/* Broadwell GT1, GT2, GT3 */
	BDW(0x1602), BDW(0x1606), BDW(0x160a), BDW(0x160b), BDW(0x160d), BDW(0x160e),
	BDW(0x1612), BDW(0x1616), BDW(0x161a), BDW(0x161b), BDW(0x161d), BDW(0x161e),
	BDW(0x1622), BDW(0x1626), BDW(0x162a), BDW(0x162b), BDW(0x162d), BDW(0x162e),

	/* Skylake GT1 and GT1.5, GT2, GT3 */
	SKL(0x1902), SKL(0x1906), SKL(0x190a), SKL(0x190b), SKL(0x190e), SKL(0x1913),
	SKL(0x1915), SKL(0x1917),
	SKL(0x1912), SKL(0x1916), SKL(0x191a), SKL(0x191b), SKL(0x191d), SKL(0x191e),
	SKL(0x1921),
	SKL(0x1923), SKL(0x1926), SKL(0x1927), SKL(0x192a), SKL(0x192b), SKL(0x192d),

	/* Kaby Lake GT1 and GT1.5, GT2, GT3; Amber Lake of the same kind */
	KBL(0x5902), KBL(0x5906), KBL(0x5908), KBL(0x590a), KBL(0x590b), KBL(0x590e),
	KBL(0x5913), KBL(0x5915),
	KBL(0x5912), KBL(0x5916), KBL(0x5917), KBL(0x591a), KBL(0x591b), KBL(0x591d),
	KBL(0x591e), KBL(0x5921),
	KBL(0x5923), KBL(0x5926), KBL(0x5927),
	KBL(0x591c), KBL(0x87c0),

	/* Coffee Lake S, H, U; Amber Lake of the same kind; Whiskey Lake */
	CFL(0x3e90), CFL(0x3e93), CFL(0x3e99), CFL(0x3e91), CFL(0x3e92), CFL(0x3e96),
	CFL(0x3e98), CFL(0x3e9a),
	CFL(0x3e9c), CFL(0x3e94), CFL(0x3e9b),
	CFL(0x3ea9), CFL(0x3ea5), CFL(0x3ea6), CFL(0x3ea7), CFL(0x3ea8),
	CFL(0x87ca),
	CFL(0x3ea1), CFL(0x3ea4), CFL(0x3ea0), CFL(0x3ea3), CFL(0x3ea2),

	/* Comet Lake GT1, GT2 */
	CFL(0x9ba2), CFL(0x9ba4), CFL(0x9ba5), CFL(0x9ba8), CFL(0x9b21), CFL(0x9baa),
	CFL(0x9bac),
	CFL(0x9bc2), CFL(0x9bc4), CFL(0x9bc5), CFL(0x9bc6), CFL(0x9bc8), CFL(0x9be6),
	CFL(0x9bf6), CFL(0x9b41), CFL(0x9bca), CFL(0x9bcc),
	{ }
};

/*
 * Return: the kind of a GPU, or NULL if it is not in the table: an id that was added in sysfs, or
 * driver_override, does not tell what the hardware is.
 */
const struct hw_part *hw_part_of(struct pci_dev *pdev)
{
	const struct pci_device_id *id = pci_match_id(gslot_pci_ids, pdev);

	return id ? &hw_parts[id->driver_data] : NULL;
}
