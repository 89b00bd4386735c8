// SPDX-License-Identifier: GPL-2.0
/* mdev types: names, descriptions, numbers of instances, and the life cycle of an mdev. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "clock.h"
#include "counters.h"
#include "file.h"
#include "klog.h"
#include "mdev.h"
#include "tap.h"
#include "vgpu.h"

#define MAX_INSTANCES	64
#define FEW		5
#define VGPU_HOST_PAGES	(MB(24) / PAGE_SIZE)

struct profile {
	const char *type;
	unsigned int low;
	unsigned int high;
};

static const struct profile profiles[] = {
	{ "gslot-L64-H384", 64, 384 },
	{ "gslot-L64-H704", 64, 704 },
	{ "gslot-L64-H1024", 64, 1024 },
	{ "gslot-L128-H384", 128, 384 },
};

/* "key: value" or "key: valueMB" on a line of its own. */
static bool line_number(const char *text, const char *key, unsigned long *value)
{
	size_t len = strlen(key);
	const char *p = text;

	while (p) {
		if (!strncmp(p, key, len) && p[len] == ':') {
			char *end;

			*value = strtoul(p + len + 1, &end, 10);
			return end != p + len + 1;
		}
		p = strchr(p, '\n');
		if (p)
			p++;
	}
	return false;
}

static void check_profile(const struct profile *p)
{
	char path[MDEV_PATH_MAX], text[4096];
	unsigned long value;

	mdev_type_path(path, p->type, "device_api");
	tap_ok(file_read(path, text, sizeof(text)) > 0 && !strcmp(text, "vfio-pci"),
	       "%s: device_api", p->type);

	mdev_type_path(path, p->type, "name");
	tap_ok(file_read(path, text, sizeof(text)) > 0, "%s: has a name", p->type);

	mdev_type_path(path, p->type, "description");
	if (!tap_ok(file_read(path, text, sizeof(text)) > 0, "%s: has a description", p->type))
		return;
	tap_ok(line_number(text, "low_gm_size", &value) && value == p->low,
	       "%s: low_gm_size", p->type);
	tap_ok(line_number(text, "high_gm_size", &value) && value == p->high,
	       "%s: high_gm_size", p->type);
	tap_ok(line_number(text, "fence", &value) && value > 0, "%s: fence", p->type);
	tap_ok(line_number(text, "maximum", &value) && (long)value == mdev_max(),
	       "%s: maximum", p->type);
	tap_ok(line_number(text, "host_memory", &value) && value >= 20 && value < 1024,
	       "%s: host_memory", p->type);
	tap_eq(mdev_available(p->type), mdev_max(), "%s: instances are available", p->type);
}

static long max_at_first;

static void set_max(long max)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld\n", max);
	if (mdev_set_max(text) || mdev_max() != max)
		tap_die("%ld vGPUs are not allowed", max);
}

/* The number of vGPUs that fit into graphics memory. */
static long most_vgpus(void)
{
	return counters_gpu_number("vgpus", "most");
}

/* Each has its part of the reservation, which is half of high graphics memory at first. */
static void check_most(void)
{
	u64 pages = counters_gpu_number("ggtt", "host_pages");

	tap_eq(pages, (counters_gpu_number("ggtt", "size_mb") - 256) / 2 * MB(1) / PAGE_SIZE,
	       "the host has half of high graphics memory");
	tap_eq(most_vgpus(),
	       (pages - counters_gpu_number("ggtt", "host_pages_used")) / VGPU_HOST_PAGES,
	       "as many vGPUs fit as the host's half has parts");
}

/* All vGPUs together may use half of the host's memory. */
static void check_default(long max)
{
	char path[MDEV_PATH_MAX], text[4096];
	unsigned long cost;
	u64 total;
	long fit;

	mdev_type_path(path, MDEV_TYPE_SMALL, "description");
	if (file_read(path, text, sizeof(text)) < 0 || !line_number(text, "host_memory", &cost) ||
	    !file_scan_number("/proc/meminfo", "MemTotal", &total))
		tap_die("no host_memory in %s", path);
	fit = total / 1024 / 2 / cost;
	fit = fit < 1 ? 1 : fit > most_vgpus() ? most_vgpus() : fit;
	/* The memory of a vGPU is rounded up to whole megabytes here. */
	tap_ok(max >= fit && max <= fit + 1, "%ld vGPUs are allowed with %llu MB of memory", max,
	       (unsigned long long)total / 1024);
}

/* The log explains a refusal, with a limited rate. */
static void check_said(void)
{
	char uuid[MDEV_UUID_SIZE];
	u32 i, lines, refused = 0;

	tap_ok(klog_clean(), "the kernel's log has no error so far");
	set_max(0);
	for (i = 0; i < 50; i++) {
		mdev_new_uuid(uuid);
		refused += mdev_create(MDEV_TYPE_SMALL, uuid) == -ENOSPC;
	}
	lines = klog_count("there are 0, 0 are allowed; gslot/max_vgpus of the GPU in sysfs");
	tap_eq(refused, 50, "creating a vGPU is refused");
	tap_ok(lines > 0 && lines <= 20, "the log explains it, %u times", lines);
}

/* The available instances can be created, and no more. */
static void check_limit(const char *type)
{
	static char uuids[MAX_INSTANCES][MDEV_UUID_SIZE];
	char extra[MDEV_UUID_SIZE];
	bool counted = true;
	int made = 0, ret = 0;

	set_max(FEW);
	while (made < MAX_INSTANCES) {
		mdev_new_uuid(uuids[made]);
		ret = mdev_create(type, uuids[made]);
		if (ret)
			break;
		made++;
		counted &= mdev_available(type) == FEW - made;
	}
	tap_eq(made, FEW, "%s: the available instances can be created", type);
	tap_eq(-ret, ENOSPC, "%s: no further instance can be created", type);
	tap_ok(counted, "%s: available_instances counts down", type);
	mdev_new_uuid(extra);
	tap_eq(-mdev_create(type, extra), ENOSPC, "%s: a second attempt is refused", type);
	tap_ok(!mdev_exists(extra), "%s: a refused instance does not exist", type);
	/* A removed instance can be replaced. */
	if (made) {
		mdev_remove(uuids[made / 2]);
		tap_eq(mdev_available(type), 1, "%s: removing one makes one available", type);
		tap_eq(-mdev_create(type, uuids[made / 2]), 0, "%s: it can be created again", type);
	}
	while (made--)
		mdev_remove(uuids[made]);
	tap_eq(mdev_available(type), FEW, "%s: all are available again", type);
}

/* The limit affects new vGPUs, but no existing ones. */
static void check_live(void)
{
	char extra[MDEV_UUID_SIZE];
	struct vgpu *vgpus[3];
	u32 i;

	mdev_new_uuid(extra);
	/* While there are vGPUs, the reservation stays. */
	set_max(3);
	vgpus[0] = vgpu_new(MDEV_TYPE_SMALL);
	set_max(2);
	vgpus[1] = vgpu_new(MDEV_TYPE_SMALL);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, extra), ENOSPC,
	       "two vGPUs, limit of two: create is refused");
	set_max(3);
	tap_eq(mdev_available(MDEV_TYPE_SMALL), 1, "two vGPUs, limit of three: one is available");
	vgpus[2] = vgpu_new(MDEV_TYPE_SMALL);
	set_max(1);
	tap_eq(mdev_available(MDEV_TYPE_SMALL), 0, "three vGPUs, limit of one: none is available");
	for (i = 0; i < ARRAY_SIZE(vgpus); i++)
		tap_ok(vgpu_works(vgpus[i]), "number %u still works", i);
	vgpu_free(vgpus[0]);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, extra), ENOSPC,
	       "two vGPUs, limit of one: create is refused");
	vgpu_free(vgpus[1]);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, extra), ENOSPC,
	       "one vGPU, limit of one: create is refused");
	vgpu_free(vgpus[2]);
	tap_eq(mdev_available(MDEV_TYPE_SMALL), 1, "no vGPU, limit of one: one is available");
	set_max(0);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, extra), ENOSPC, "limit of 0: create is refused");
	tap_eq(mdev_available(MDEV_TYPE_LOW128), 0, "limit of 0: no other type is available");
	set_max(most_vgpus());
	tap_eq(mdev_available(MDEV_TYPE_LOW128), most_vgpus(), "the maximum is available again");
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, extra), 0, "a vGPU can be created again");
	mdev_remove(extra);
}

static void check_bad_limits(void)
{
	static const char *const bad[] = {
		"-1", "-2147483648", "\n", " ", "x", "many", "1 2", "1x", "1.5", "0x10", "1e1",
		"4294967295", "4294967296", "18446744073709551617", "99999999999999999999999999",
	};
	char path[MDEV_PATH_MAX], text[32];
	struct stat st;
	u32 i;

	set_max(7);
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		tap_eq(-mdev_set_max(bad[i]), EINVAL, "an invalid number is refused, %u", i);
	snprintf(text, sizeof(text), "%ld", most_vgpus() + 1);
	tap_eq(-mdev_set_max(text), EINVAL, "more than the maximum is refused");
	tap_eq(mdev_max(), 7, "it is unchanged");
	mdev_max_path(path);
	tap_ok(!stat(path, &st) && (st.st_mode & 0777) == 0644 && !st.st_uid,
	       "only root may write it");
}

static void check_uuids(void)
{
	static const char *const bad[] = {
		"", "x", "1234", "gggggggg-0000-0000-0000-000000000000",
		"00000000-0000-0000-0000-00000000000",
		"00000000_0000_0000_0000_000000000000",
	};
	char uuid[MDEV_UUID_SIZE];
	unsigned int i, before = mdev_count();

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		/* An empty write does not reach the kernel. */
		if (bad[i][0])
			tap_eq(-mdev_create(MDEV_TYPE_SMALL, bad[i]), EINVAL,
			       "invalid UUID \"%s\"", bad[i]);
	}
	tap_eq(mdev_count(), before, "invalid UUIDs create no vGPU");

	mdev_new_uuid(uuid);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), 0, "create a vGPU");
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), EEXIST,
	       "a second vGPU with the same UUID is refused");
	tap_ok(mdev_exists(uuid), "the device exists");
	tap_eq(-mdev_remove(uuid), 0, "remove the vGPU");
	tap_ok(!mdev_exists(uuid), "the device does not exist any more");
	tap_ok(mdev_remove(uuid) != 0, "removing it again is refused");
}

/* One limit for all: each vGPU counts for every type. */
static void check_shared(void)
{
	char uuid[MDEV_UUID_SIZE];
	unsigned int i, bad = 0;

	set_max(FEW);
	mdev_new_uuid(uuid);
	if (!tap_eq(-mdev_create(MDEV_TYPE_LOW128, uuid), 0, "a vGPU with 128 MB"))
		return;
	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		bad += mdev_available(profiles[i].type) != FEW - 1;
	tap_eq(bad, 0, "it counts for all types");
	mdev_remove(uuid);
	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		bad += mdev_available(profiles[i].type) != FEW;
	tap_eq(bad, 0, "its removal counts for all types");
}

/* The present number of vGPUs, and the maximum so far. */
static int there, most;

static void note(int change)
{
	int now = __atomic_add_fetch(&there, change, __ATOMIC_SEQ_CST);
	int seen = __atomic_load_n(&most, __ATOMIC_SEQ_CST);

	while (now > seen && !__atomic_compare_exchange_n(&most, &seen, now, false,
							  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
}

static void *make_and_break(void *arg __maybe_unused)
{
	unsigned long failed = 0;
	char uuid[MDEV_UUID_SIZE];
	int i, ret;

	for (i = 0; i < 20; i++) {
		mdev_new_uuid(uuid);
		/* Other threads may have reached the limit, or the limit may be 0 now. */
		do {
			ret = mdev_create(MDEV_TYPE_SMALL, uuid);
		} while (ret == -ENOSPC);
		if (ret) {
			tap_diag("%s: create: %s", uuid, strerror(-ret));
			failed++;
			continue;
		}
		note(1);
		sleep_us(1000);
		note(-1);
		ret = mdev_remove(uuid);
		if (ret) {
			tap_diag("%s: remove: %s", uuid, strerror(-ret));
			failed++;
		}
	}
	return (void *)failed;
}

static bool racing;

/* An administrator that keeps changing the limit. */
static void *change_max(void *arg __maybe_unused)
{
	unsigned long failed = 0;
	char text[8];
	int ret;
	u32 i;

	for (i = 0; READ_ONCE(racing); i++) {
		snprintf(text, sizeof(text), "%u", i % 4);
		ret = mdev_set_max(text);
		failed += ret && ret != -EBUSY;
		sleep_us(2000);
	}
	return (void *)failed;
}

/* Many are created and removed concurrently, with a constant or a changing limit. */
static void check_races(bool change)
{
	pthread_t threads[6], changer;
	bool ok = true;
	unsigned int i;
	void *failed;

	set_max(3);
	most = 0;
	racing = true;
	if (change)
		pthread_create(&changer, NULL, change_max, NULL);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_create(&threads[i], NULL, make_and_break, NULL);
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		pthread_join(threads[i], &failed);
		ok &= !failed;
	}
	WRITE_ONCE(racing, false);
	if (change) {
		pthread_join(changer, &failed);
		tap_ok(!failed, "the limit can be changed meanwhile");
	}
	tap_ok(ok, "many vGPUs are created and removed concurrently");
	tap_ok(most > 0 && most <= 3, "never more than the limit: %d", most);
	set_max(3);
	tap_eq(mdev_available(MDEV_TYPE_SMALL), 3, "all instances are available again");
}

/* The used or reserved size of the host's part of the GGTT. */
static unsigned int host_pages(void)
{
	return counters_gpu_number("ggtt", "host_pages_used");
}

/* A vGPU stands in the table of vGPUs, with its type. */
static bool in_table(const struct vgpu *vgpu)
{
	char path[MDEV_PATH_MAX], text[4096], line[128];

	if (!counters_gpu_path(path, "vgpus") || file_read(path, text, sizeof(text)) < 0)
		return false;
	snprintf(line, sizeof(line), "\n%s: type=%s open=1 ", vgpu->uuid, MDEV_TYPE_SMALL);
	return strstr(text, "\ncount: 1\n") && strstr(text, line);
}

static void check_quota(void)
{
	unsigned int before, kept;
	struct vgpu *vgpu;

	before = host_pages();
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	kept = host_pages() - before;
	tap_eq(kept, VGPU_HOST_PAGES, "a vGPU has a part of the host's reserved");
	tap_ok(in_table(vgpu), "debugfs lists the vGPU");
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	tap_eq(host_pages(), before + kept, "its work takes no more of the host's part");
	vgpu_free(vgpu);
	tap_eq(host_pages(), before, "its part is released at its removal");
}

/* Restore the limit in any case: other tests need vGPUs. */
static void restore_max(void)
{
	mdev_restore_max(max_at_first);
}

int main(void)
{
	unsigned int i;

	vgpu_test_init(120);
	max_at_first = mdev_max();
	atexit(restore_max);
	check_most();
	check_default(max_at_first);
	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		check_profile(&profiles[i]);
	check_said();
	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		check_limit(profiles[i].type);
	check_live();
	check_bad_limits();
	check_uuids();
	check_shared();
	check_races(false);
	check_races(true);
	check_quota();
	restore_max();
	return vgpu_test_done();
}
