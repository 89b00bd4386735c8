/* SPDX-License-Identifier: GPL-2.0 */
/* The GPUs that the module supports. */
#ifndef _GSLOT_HW_IDS_H
#define _GSLOT_HW_IDS_H

#include <linux/pci.h>

enum gslot_platform {
	GSLOT_BROADWELL,
	GSLOT_SKYLAKE,
	GSLOT_KABYLAKE,
	GSLOT_COFFEELAKE,	/* and Whiskey, Amber and Comet Lake */
};

/**
 * struct gslot_part - a kind of GPU
 * @platform: selects the workarounds
 * @name: for messages
 * @gen: 8 or 9
 */
struct gslot_part {
	enum gslot_platform platform;
	const char *name;
	u32 gen;
};

extern const struct pci_device_id gslot_pci_ids[];

const struct gslot_part *gslot_part_of(struct pci_dev *pdev);

#endif
