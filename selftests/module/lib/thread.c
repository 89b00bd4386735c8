// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
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
