// SPDX-License-Identifier: GPL-2.0
#include "file.h"
#include "pressure.h"
#include "tap.h"

void pressure_once(void)
{
	/* 4: no line in the kernel's log from now on; 2: the shrinkers */
	if (file_write("/proc/sys/vm/drop_caches", "4") ||
	    file_write("/proc/sys/vm/drop_caches", "2"))
		tap_die("no drop_caches");
}
