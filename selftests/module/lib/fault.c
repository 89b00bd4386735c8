// SPDX-License-Identifier: GPL-2.0
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "fault.h"
#include "file.h"
#include "tap.h"
#include "thread.h"
#include "vgpu.h"

#define DEBUGFS	"/sys/kernel/debug/"

static const char *const kinds[] = { "failslab", "fail_page_alloc", "fail_usercopy" };

static int nth_fd = -1;
static char make_it_fail[64];

/* Return: 0, or -ENOENT if this kind of fault lacks the file. */
static int set(const char *kind, const char *option, const char *value)
{
	char path[100];

	snprintf(path, sizeof(path), DEBUGFS "%s/%s", kind, option);
	return file_write(path, value);
}

static void set_all(const char *option, const char *value)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		set(kinds[i], option, value);
}

static void set_address(const char *option, u64 addr)
{
	char text[32];

	snprintf(text, sizeof(text), "%#llx", (unsigned long long)addr);
	set_all(option, text);
}

/* Call @fn for each function of the kernel, in order of addresses except for modules. */
static void each_function(void (*fn)(u64 addr, const char *name, const char *module))
{
	FILE *f = fopen("/proc/kallsyms", "r");
	char line[512], name[256], module[64];
	unsigned long long addr;
	char type;

	while (f && fgets(line, sizeof(line), f)) {
		module[0] = '\0';
		if (sscanf(line, "%llx %c %255s %63s", &addr, &type, name, module) >= 3 &&
		    (type == 't' || type == 'T'))
			fn(addr, name, module);
	}
	if (f)
		fclose(f);
}

/* An allocation is the module's if one of its functions is on the stack. */
static u64 start, end;

static void note_module(u64 addr, const char *name __maybe_unused, const char *module)
{
	if (strcmp(module, "[gslot]"))
		return;
	start = !start || addr < start ? addr : start;
	end = addr + PAGE_SIZE > end ? addr + PAGE_SIZE : end;
}

static const char *wanted;
static u64 wanted_start, wanted_end;

static void note_start(u64 addr, const char *name, const char *module __maybe_unused)
{
	if (!strcmp(name, wanted))
		wanted_start = addr;
}

/* Functions of modules are not sorted. */
static void note_end(u64 addr, const char *name __maybe_unused, const char *module __maybe_unused)
{
	if (addr > wanted_start && (!wanted_end || addr < wanted_end))
		wanted_end = addr;
}

void fault_spare(const char *function)
{
	wanted = function;
	wanted_start = 0;
	wanted_end = 0;
	if (function)
		each_function(note_start);
	if (wanted_start)
		each_function(note_end);
	set_address("reject-start", wanted_start);
	set_address("reject-end", wanted_end);
}

/*
 * The kernel's debugging aids allocate as well on such a stack, and some are disabled when that
 * fails: restrict faults to these caches.
 */
static void choose_caches(void)
{
	static const char *const ours[] = {
		"kmalloc-", "radix_tree_node", "iommu_iova", "inode_cache",
	};
	DIR *dir = opendir("/sys/kernel/slab");
	struct dirent *entry;
	char path[300];
	u32 i;

	while (dir && (entry = readdir(dir))) {
		for (i = 0; i < ARRAY_SIZE(ours); i++) {
			if (strncmp(entry->d_name, ours[i], strlen(ours[i])))
				continue;
			snprintf(path, sizeof(path), "/sys/kernel/slab/%s/failslab", entry->d_name);
			file_write(path, "1");
		}
	}
	if (dir)
		closedir(dir);
	set("failslab", "cache-filter", "Y");
}

bool fault_init(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (set(kinds[i], "verbose", "0"))
			return false;
	each_function(note_module);
	if (access("/proc/thread-self/fail-nth", F_OK) || !start)
		return false;
	set_address("require-start", start);
	set_address("require-end", end);
	set_all("stacktrace-depth", "32");
	/* By default, allocations that may sleep and single pages do not fail. */
	set_all("ignore-gfp-wait", "N");
	set_all("ignore-gfp-highmem", "N");
	set_all("min-order", "0");
	set_all("probability", "0");
	set_all("interval", "1");
	set_all("times", "-1");
	set_all("task-filter", "Y");
	choose_caches();
	return true;
}

void fault_fini(void)
{
	set_all("probability", "0");
	set_address("require-start", 0);
	set_address("require-end", ~0ULL);
	set_address("reject-start", 0);
	set_address("reject-end", 0);
}

static void target(const char *task)
{
	char path[64];

	if (nth_fd >= 0)
		close(nth_fd);
	snprintf(path, sizeof(path), "%s/fail-nth", task);
	nth_fd = open(path, O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		tap_die("%s: %s", path, strerror(errno));
	snprintf(make_it_fail, sizeof(make_it_fail), "%s/make-it-fail", task);
}

void fault_target_self(void)
{
	target("/proc/thread-self");
}

void fault_target_worker(const struct vgpu *vgpu)
{
	char name[16], path[32];
	pid_t pid;

	snprintf(name, sizeof(name), "gslot/%.9s", vgpu->uuid);
	pid = thread_find(name);
	if (!pid)
		tap_die("no worker of vGPU %s", vgpu->uuid);
	snprintf(path, sizeof(path), "/proc/%d", pid);
	target(path);
}

void fault_arm(u32 nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(nth_fd, text, len, 0) != len)
		tap_die("fail-nth: %s", strerror(errno));
}

u32 fault_disarm(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		tap_die("fail-nth: %s", strerror(errno));
	fault_arm(0);
	return strtoul(text, NULL, 10);
}

void fault_rate(u32 percent)
{
	char text[16];
	int ret = file_write(make_it_fail, percent ? "1" : "0");

	if (ret)
		tap_die("%s: %s", make_it_fail, strerror(-ret));
	snprintf(text, sizeof(text), "%u", percent);
	set_all("probability", text);
}
