// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "file.h"
#include "sleep.h"
#include "tap.h"

#define ALARM	"/sys/class/rtc/rtc0/wakealarm"
#define STATE	"/sys/power/state"

bool sleep_possible(void)
{
	char states[128];

	return file_read(STATE, states, sizeof(states)) > 0 && strstr(states, "mem") &&
	       !file_write(ALARM, "0");
}

int sleep_once(void)
{
	int ret;

	/* An alarm of an earlier run would prevent a new one. */
	file_write(ALARM, "0");
	ret = file_write(ALARM, "+4");
	if (ret)
		tap_diag("no alarm: %d", ret);
	return ret ? ret : file_write(STATE, "mem");
}

int hibernate(void)
{
	return file_write(STATE, "disk");
}
