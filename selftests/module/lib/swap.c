// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <sys/swap.h>

#include "swap.h"
#include "tap.h"

const char *swap_begin(void)
{
	const char *disk = getenv("SWAP_DISK");
	char command[128];

	if (!disk)
		tap_skip_all("no SWAP_DISK");
	snprintf(command, sizeof(command), "mkswap -q %s >/dev/null", disk);
	if (system(command) || swapon(disk, 0))
		tap_skip_all("%s is no disk to swap to", disk);
	return disk;
}
