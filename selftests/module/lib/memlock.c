// SPDX-License-Identifier: GPL-2.0
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "memlock.h"
#include "tap.h"

void memlock_count(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (syscall(SYS_capget, &header, data))
		tap_die("no capabilities");
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	data[0].permitted &= ~(1u << CAP_IPC_LOCK);
	if (syscall(SYS_capset, &header, data))
		tap_die("the capability is not dropped");
}

void memlock_limit(rlim_t bytes)
{
	const struct rlimit limit = { .rlim_cur = bytes, .rlim_max = RLIM_INFINITY };

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		tap_die("no limit");
}
