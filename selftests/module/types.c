// SPDX-License-Identifier: GPL-2.0
/* mdev types: names, descriptions, instances, and the life of an mdev. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gen/regs.h>

#include "counters.h"
#include "file.h"
#include "mdev.h"
#include "tap.h"
#include "vgpu.h"

#define MAX_INSTANCES	64

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
	tap_ok(mdev_available(p->type) > 0, "%s: instances are available", p->type);
}

/* The instances of a type really can be made, and not one more. */
static void check_limit(const char *type)
{
	static char uuids[MAX_INSTANCES][MDEV_UUID_SIZE];
	char extra[MDEV_UUID_SIZE];
	long promised = mdev_available(type);
	bool counted = true;
	int made = 0, ret = 0;

	while (made < MAX_INSTANCES) {
		mdev_new_uuid(uuids[made]);
		ret = mdev_create(type, uuids[made]);
		if (ret)
			break;
		made++;
		counted &= mdev_available(type) == promised - made;
	}
	tap_eq(made, promised, "%s: as many as promised can be made", type);
	tap_eq(-ret, ENOSPC, "%s: and no more", type);
	tap_ok(counted, "%s: available_instances counts down", type);
	mdev_new_uuid(extra);
	tap_eq(-mdev_create(type, extra), ENOSPC, "%s: still not", type);
	tap_ok(!mdev_exists(extra), "%s: what was refused does not exist", type);
	/* One gap can be filled again. */
	if (made) {
		mdev_remove(uuids[made / 2]);
		tap_eq(mdev_available(type), 1, "%s: one is free again", type);
		tap_eq(-mdev_create(type, uuids[made / 2]), 0, "%s: and can be taken", type);
	}
	while (made--)
		mdev_remove(uuids[made]);
	tap_eq(mdev_available(type), promised, "%s: all come back", type);
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
	tap_eq(mdev_count(), before, "nothing was made of invalid UUIDs");

	mdev_new_uuid(uuid);
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), 0, "a UUID");
	tap_eq(-mdev_create(MDEV_TYPE_SMALL, uuid), EEXIST, "the same UUID again");
	tap_ok(mdev_exists(uuid), "the device exists");
	tap_eq(-mdev_remove(uuid), 0, "remove it");
	tap_ok(!mdev_exists(uuid), "the device is gone");
	tap_ok(mdev_remove(uuid) != 0, "remove it again");
}

/* Low graphics memory is what is scarce: all 256 MB of it are the guests'. */
static void check_low_slots(void)
{
	tap_eq(mdev_available(MDEV_TYPE_SMALL), GEN_APERTURE_SIZE / MB(64),
	       "the whole aperture is given to guests");
	tap_eq(mdev_available(MDEV_TYPE_LOW128), GEN_APERTURE_SIZE / MB(128),
	       "also to larger ones");
}

/* Types share the slots: a large one leaves less room for the others. */
static void check_shared(void)
{
	long before = mdev_available("gslot-L64-H1024");
	char uuid[MDEV_UUID_SIZE];
	long low128 = mdev_available(MDEV_TYPE_LOW128);

	mdev_new_uuid(uuid);
	if (!tap_eq(-mdev_create(MDEV_TYPE_LOW128, uuid), 0, "a vGPU with 128 MB"))
		return;
	tap_ok(mdev_available("gslot-L64-H1024") < before, "it counts for other types, too");
	mdev_remove(uuid);
	tap_eq(mdev_available("gslot-L64-H1024"), before, "and is given back");
	tap_eq(mdev_available(MDEV_TYPE_LOW128), low128, "to all");
}

static void *make_and_break(void *arg __maybe_unused)
{
	unsigned long failed = 0;
	char uuid[MDEV_UUID_SIZE];
	int i, ret;

	for (i = 0; i < 20; i++) {
		mdev_new_uuid(uuid);
		ret = mdev_create(MDEV_TYPE_SMALL, uuid);
		if (ret == -ENOSPC)
			continue;
		if (ret) {
			tap_diag("%s: create: %s", uuid, strerror(-ret));
			failed++;
			continue;
		}
		ret = mdev_remove(uuid);
		if (ret) {
			tap_diag("%s: remove: %s", uuid, strerror(-ret));
			failed++;
		}
	}
	return (void *)failed;
}

static void check_races(void)
{
	long before = mdev_available(MDEV_TYPE_SMALL);
	pthread_t threads[6];
	bool ok = true;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_create(&threads[i], NULL, make_and_break, NULL);
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		void *failed;

		pthread_join(threads[i], &failed);
		ok &= !failed;
	}
	tap_ok(ok, "many at once are made and removed");
	tap_eq(mdev_available(MDEV_TYPE_SMALL), before, "and all come back");
}

/* How much of the host's part of the GGTT is in use, or kept for somebody. */
static unsigned int host_pages(void)
{
	char path[MDEV_PATH_MAX], text[4096], *line;
	unsigned int pages = 0;

	if (!counters_gpu_path(path, "ggtt") || file_read(path, text, sizeof(text)) < 0)
		tap_die("no ggtt in debugfs");
	line = strstr(text, "host_pages_used: ");
	if (!line || sscanf(line, "host_pages_used: %u", &pages) != 1)
		tap_die("no host's part in %s", path);
	return pages;
}

/* A vGPU stands in the table of slots, with its type. */
static bool in_slots(const struct vgpu *vgpu)
{
	char path[MDEV_PATH_MAX], text[4096], line[128];

	if (!counters_gpu_path(path, "slots") || file_read(path, text, sizeof(text)) < 0)
		return false;
	snprintf(line, sizeof(line), "\n%s: type=%s ", vgpu->uuid, MDEV_TYPE_SMALL);
	return strstr(text, line);
}

static void check_quota(void)
{
	unsigned int before, kept;
	struct vgpu *vgpu;

	before = host_pages();
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	kept = host_pages() - before;
	tap_ok(kept >= MB(20) / PAGE_SIZE, "%u pages of the host's part are kept for a vGPU", kept);
	tap_ok(in_slots(vgpu), "debugfs says what slots it has");
	tap_ok(vgpu_works(vgpu), "it works");
	tap_eq(host_pages(), before + kept, "and takes no others");
	vgpu_free(vgpu);
	tap_eq(host_pages(), before, "they are given back with it");
}

int main(void)
{
	unsigned int i;

	vgpu_test_init(120);
	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		check_profile(&profiles[i]);
	for (i = 0; i < ARRAY_SIZE(profiles); i++)
		check_limit(profiles[i].type);
	check_low_slots();
	check_uuids();
	check_shared();
	check_races();
	check_quota();
	return vgpu_test_done();
}
