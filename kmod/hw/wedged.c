// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: a wedged GPU
 *
 * Memory that the GPU may still use must not be freed. Normally a context switch or a reset ends
 * its use. If a reset fails, the GPU's bus mastering is turned off, which does not depend on the
 * GPU: then it cannot access memory any more, whatever it does.
 *
 * A wedged GPU stays so until the driver is bound again, which begins with a reset.
 */
#include <linux/pci.h>

#include "hw_priv.h"

/*
 * Give the GPU up: it does not access memory any more when this returns. @why is a constant string,
 * for messages. May sleep.
 */
void hw_wedge(struct gslot_hw *hw, const char *why)
{
	u16 command;

	pci_clear_master(hw->pdev);
	/* The answer arrives after all that the GPU has written. */
	pci_read_config_word(hw->pdev, PCI_COMMAND, &command);
	if (!cmpxchg(&hw->wedged, NULL, why))
		dev_crit(&hw->pdev->dev,
			 "wedged: %s; no DMA and no work until the driver is bound again\n", why);
}

/**
 * gslot_hw_wedged() - whether the GPU is wedged, and so does not access memory
 * @hw: the GPU
 *
 * Return: why it is wedged, or NULL.
 * Context: any.
 */
const char *gslot_hw_wedged(const struct gslot_hw *hw)
{
	return READ_ONCE(hw->wedged);
}
