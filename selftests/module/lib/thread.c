// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "tap.h"
#include "thread.h"

pid_t thread_find(const char *prefix)
{
	DIR *dir = opendir("/proc");
	char path[300], name[64];
	struct dirent *entry;
	pid_t pid, found = 0;

	while (dir && !found && (entry = readdir(dir))) {
		pid = atoi(entry->d_name);
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		if (pid && file_read(path, name, sizeof(name)) >= 0 &&
		    !strncmp(name, prefix, strlen(prefix)))
			found = pid;
	}
	if (dir)
		closedir(dir);
	return found;
}

u64 thread_sleeps(pid_t thread)
{
	static const char key[] = "\nvoluntary_ctxt_switches:";
	char path[64], status[8192];
	const char *at;

	snprintf(path, sizeof(path), "/proc/%d/status", thread);
	if (file_read(path, status, sizeof(status)) < 0)
		tap_die("%s: cannot be read", path);
	at = strstr(status, key);
	if (!at)
		tap_die("%s: no count of sleeps", path);
	return strtoull(at + strlen(key), NULL, 10);
}
