// SPDX-License-Identifier: GPL-2.0
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "module.h"
#include "tap.h"
#include "vgpu.h"

/* The command that loads the module, or an empty string. */
static void find_loader(char *command, size_t size)
{
	char exe[PATH_MAX], *dir;
	ssize_t len;

	if (getenv("GSLOT_LOAD")) {
		snprintf(command, size, "%s", getenv("GSLOT_LOAD"));
		return;
	}
	command[0] = '\0';
	len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (len < 0)
		return;
	exe[len] = '\0';
	dir = dirname(exe);
	snprintf(command, size, "%s/../../../tools/load-module", dir);
	if (access(command, X_OK))
		command[0] = '\0';
}

bool module_can_load(void)
{
	char command[PATH_MAX + 64];

	find_loader(command, sizeof(command));
	return command[0];
}

bool module_load_test(const char *when)
{
	char command[PATH_MAX + 64];
	struct vgpu *vgpu;

	find_loader(command, sizeof(command));
	if (!tap_ok(!system(command), "%s: the module loads again", when))
		return false;
	if (!tap_ok(mdev_available(MDEV_TYPE_SMALL) > 0, "%s: the types exist", when))
		return false;
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(vgpu_works(vgpu), "%s: a vGPU works", when);
	vgpu_free(vgpu);
	return true;
}

bool module_reload_test(const char *when)
{
	if (!module_can_load()) {
		tap_skip("no command to load it again", "%s: unload the module", when);
		return true;
	}
	return tap_ok(!system("rmmod gslot"), "%s: the module unloads", when) &&
	       module_load_test(when);
}
