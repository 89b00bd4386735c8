// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: a GPU beyond help
 *
 * Memory that the GPU may still use must not be given back. Normally a context
 * that left, or a reset, says that it does not. If a reset fails there is one
 * thing left that can be relied on, since it is not the GPU that must obey: it
 * may not be a bus master any more. Then whatever it does, it does to itself.
 *
 * It stays so until the driver is bound anew, which begins with a reset.
 */
#include <linux/pci.h>

#include "hw_priv.h"

/**
 * hw_wedge() - give the GPU up
 * @hw: the GPU
 * @why: what failed, for messages; a string that stays
 *
 * When this returns, the GPU does not access memory, and never will. Waits for
 * nobody: whoever wants to know asks gslot_hw_wedged().
 * Context: may sleep.
 */
void hw_wedge(struct gslot_hw *hw, const char *why)
{
	u16 command;

	pci_clear_master(hw->pdev);
	/* An answer, in order behind all that it had written before. */
	pci_read_config_word(hw->pdev, PCI_COMMAND, &command);
	if (!cmpxchg(&hw->wedged, NULL, why))
		dev_crit(&hw->pdev->dev,
			 "wedged: %s; no DMA and no work until the driver is bound again\n", why);
}

/**
 * gslot_hw_wedged() - is the GPU beyond help?
 * @hw: the GPU
 *
 * Return: why, or NULL if it is not. Once it is, it does not access memory.
 * Context: any.
 */
const char *gslot_hw_wedged(const struct gslot_hw *hw)
{
	return READ_ONCE(hw->wedged);
}
