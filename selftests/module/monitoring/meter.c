// SPDX-License-Identifier: GPL-2.0
/*
 * The usage of a vGPU from its creation to its removal, over all users: in sysfs, and by engine
 * with perf.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "knob.h"
#include "tap.h"
#include "used.h"
#include "vgpu.h"

#define REQUESTS	25
#define IDS		12

static const char *const files[] = {
	"rcs0_busy_ns", "bcs0_busy_ns", "vcs0_busy_ns", "vecs0_busy_ns", "requests", "preemptions",
	"hangs", "resets",
};

static const char *const events[] = {
	"busy", "held", "requests", "preemptions", "hangs", "resets", "switches", "longest-yield",
	"longest-lag",
};

/* How many files do not read 0? */
static u32 used_files(const char *uuid)
{
	u32 i, n = 0;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		n += knob_get(uuid, files[i]) != 0;
	return n;
}

/* How many events, of all engines, are not 0? They count from the first call on. */
static u32 used_events(const char *uuid)
{
	u32 i, k, n = 0;

	for (i = 0; i < VGPU_NR_ENGINES; i++)
		for (k = 0; k < ARRAY_SIZE(events); k++)
			n += used_get(uuid, i, events[k]) != 0;
	return n;
}

static u32 run(struct vgpu *vgpu, u32 engine, u32 count)
{
	struct context ctx;
	u32 i, done = 0;

	context_init(&ctx, vgpu, engine, NULL);
	for (i = 0; i < count; i++) {
		request_begin(&ctx);
		done += request_run(&ctx, request_end(&ctx));
	}
	return done;
}

/* Numbers: unique, the smallest there is, from 1 on. */
static void check_ids(void)
{
	char uuid[IDS][MDEV_UUID_SIZE];
	u32 i, bad = 0;

	for (i = 0; i < IDS; i++) {
		mdev_new_uuid(uuid[i]);
		bad += mdev_create(MDEV_TYPE_SMALL, uuid[i]) != 0;
		bad += knob_get(uuid[i], "id") != i + 1;
	}
	mdev_remove(uuid[7]);
	mdev_remove(uuid[3]);
	for (i = 3; i <= 7; i += 4) {
		mdev_new_uuid(uuid[i]);
		bad += mdev_create(MDEV_TYPE_SMALL, uuid[i]) != 0;
		bad += knob_get(uuid[i], "id") != i + 1;
	}
	tap_eq(bad, 0, "a vGPU's number is the smallest that is free");
	tap_eq(-knob_write(uuid[0], "id", "7"), EACCES, "a vGPU's number is read-only");
	for (i = 0; i < IDS; i++)
		mdev_remove(uuid[i]);
}

static void check_life(void)
{
	char uuid[MDEV_UUID_SIZE];
	struct vgpu *vgpu;
	u32 i, bad = 0;
	long busy, held;

	mdev_new_uuid(uuid);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	tap_eq(used_files(uuid) + used_events(uuid), 0, "a new vGPU has no usage");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	tap_eq(used_files(uuid) + used_events(uuid), 0, "an opened vGPU has no usage");
	tap_eq(run(vgpu, BCS, REQUESTS), REQUESTS, "the vGPU works on one engine");
	tap_eq(used_get(uuid, BCS, "requests"), REQUESTS, "its requests are counted");
	tap_eq(knob_get(uuid, "requests"), REQUESTS, "they are counted over all engines");
	tap_eq(used_get(uuid, BCS, "switches"), 1, "one switch to it is counted");
	tap_eq(counters_number(vgpu, "exec", "bcs0_queue_us: count"), REQUESTS,
	       "the queue time of each is counted");
	busy = knob_get(uuid, "bcs0_busy_ns");
	held = used_get(uuid, BCS, "held");
	tap_diag("busy for %ld ns, held for %ld", busy, held);
	tap_eq(used_get(uuid, BCS, "busy"), busy, "perf counts the same time");
	/* What such requests take of the model in counted time may be nothing. */
	tap_ok(held > 0 && held >= busy, "the engine was held, and for as long as it was used");
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		bad += i != BCS && (used_get(uuid, i, "requests") || used_get(uuid, i, "busy"));
	tap_eq(bad, 0, "no usage of another engine");
	vgpu_close(vgpu);
	tap_ok(knob_get(uuid, "requests") == REQUESTS && knob_get(uuid, "bcs0_busy_ns") >= busy,
	       "the usage remains after a close");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	tap_eq(run(vgpu, BCS, REQUESTS), REQUESTS, "the vGPU works again after an open");
	tap_eq(knob_get(uuid, "requests"), 2 * REQUESTS, "its usage grows further");
	tap_eq(used_get(uuid, BCS, "requests"), 2 * REQUESTS, "perf counts the same");
	vgpu_free(vgpu);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	tap_eq(used_files(uuid), 0, "a new vGPU of the same name has no usage");
	mdev_remove(uuid);
}

/* Running work is counted while it runs. */
static void check_running(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct context ctx;
	struct spinner spin;
	long busy, held, least, most;
	u32 seqno;

	context_init(&ctx, vgpu, RCS, NULL);
	spinner_init(&spin, &ctx, true);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "an endless request runs");
	/* The machine may stand still between two readings. */
	most = now_us();
	busy = knob_get(vgpu->uuid, "rcs0_busy_ns");
	held = used_get(vgpu->uuid, RCS, "held");
	least = now_us();
	sleep_us(700000);
	least = now_us() - least;
	busy = (knob_get(vgpu->uuid, "rcs0_busy_ns") - busy) / 1000;
	held = (used_get(vgpu->uuid, RCS, "held") - held) / 1000;
	most = now_us() - most;
	tap_diag("busy for %ld us, held for %ld, of %ld to %ld", busy, held, least, most);
	tap_ok(busy * 10 >= least * 8 && busy * 10 <= most * 12, "the engine is busy all the time");
	tap_ok(held * 10 >= least * 8 && held * 10 <= most * 12, "the engine is held all the time");
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, seqno, SOON_MS), "the request completes when told to");
	vgpu_free(vgpu);
}

/* A vGPU that does not yield: its counters show it, and its time is charged. */
static void check_hang(void)
{
	struct vgpu *good = vgpu_new(MDEV_TYPE_SMALL), *bad = vgpu_new(MDEV_TYPE_SMALL);
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	long ns;

	used_get(bad->uuid, RCS, "hangs");
	used_get(bad->uuid, RCS, "resets");
	knob_set(bad->uuid, PREEMPT_TIMEOUT_US, 50000);
	context_init(&ctx, bad, RCS, NULL);
	spinner_init(&spin, &ctx, false);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "a vGPU never yields");
	tap_eq(run(good, RCS, 1), 1, "another vGPU has work");
	ns = used_get(bad->uuid, RCS, "longest-yield");
	tap_diag("it had the engine for %ld us more", ns / 1000);
	tap_ok(ns >= 50000000 && ns <= 5000000000, "the time until it was off is counted");
	tap_ok(used_get(bad->uuid, RCS, "hangs") == 1 && knob_get(bad->uuid, "hangs") == 1,
	       "its hang is counted");
	tap_ok(used_get(bad->uuid, RCS, "resets") == 1 && knob_get(bad->uuid, "resets") == 1,
	       "the reset of its engine is counted");
	tap_eq(counters_number(bad, "exec", "rcs0_yield_us: count"), 1,
	       "the time until it yields is counted once");
	tap_ok(!knob_get(good->uuid, "hangs") && !knob_get(good->uuid, "resets"),
	       "none of it is counted for the other vGPU");
	spinner_end(&spin);
	vgpu_free(good);
	vgpu_free(bad);
}

static bool tells_what_is_done(const char *name)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(files); i++)
		if (!strcmp(name, files[i]))
			return true;
	return strstr(name, "_ns") || !strcmp(name, "fps") || !strcmp(name, "cap_now");
}

/* As a user of the host without rights. Return: how many of those files can be read. */
static u32 readable(const char *dir, bool secret)
{
	const struct dirent *e;
	char path[PATH_MAX];
	u32 count = 0;
	DIR *d = opendir(dir);

	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (*e->d_name != '.' && tells_what_is_done(e->d_name) == secret)
			count += !access(path, R_OK);
	}
	closedir(d);
	return count;
}

static void check_private(void)
{
	char uuid[MDEV_UUID_SIZE], dir[MDEV_PATH_MAX];
	int status = -1;
	u32 there;
	pid_t pid;

	mdev_new_uuid(uuid);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	mdev_device_path(dir, uuid, "gslot");
	there = readable(dir, true);
	pid = fork();
	if (!pid) {
		if (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534))
			_exit(2);
		_exit(readable(dir, true) || !readable(dir, false));
	}
	waitpid(pid, &status, 0);
	tap_eq(there, ARRAY_SIZE(files) + 3, "root can read the counters");
	tap_eq(status, 0, "other users can read only the settings");
	mdev_remove(uuid);
}

int main(void)
{
	vgpu_test_init(60);
	check_private();
	check_ids();
	check_life();
	check_running();
	check_hang();
	return vgpu_test_done();
}
