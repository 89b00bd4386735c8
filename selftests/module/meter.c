// SPDX-License-Identifier: GPL-2.0
/*
 * What a vGPU has used, in sysfs: from its creation to its removal, whoever opens it; each thing
 * by the engine that it was used of.
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
#include "vgpu.h"

#define REQUESTS	25
#define IDS		12

static const char *const names[] = {
	"busy_ns", "held_ns", "longest_yield_ns", "requests", "preemptions", "hangs", "resets",
	"switches", "longest_lag_ns",
};

static long used(const char *uuid, u32 engine, const char *what)
{
	char name[64];

	snprintf(name, sizeof(name), "%s_%s", engine_infos[engine].name, what);
	return knob_get(uuid, name);
}

/* Of everything, and of all engines: how much is not 0? */
static u32 used_at_all(const char *uuid)
{
	u32 i, k, n = 0;

	for (i = 0; i < VGPU_NR_ENGINES; i++)
		for (k = 0; k < ARRAY_SIZE(names); k++)
			n += used(uuid, i, names[k]) != 0;
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
	tap_eq(-knob_write(uuid[0], "id", "7"), EACCES, "and cannot be written");
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
	tap_eq(used_at_all(uuid), 0, "a new vGPU has used nothing");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	tap_eq(used_at_all(uuid), 0, "nor has one that was opened");
	tap_eq(run(vgpu, BCS, REQUESTS), REQUESTS, "it works on one engine");
	tap_eq(used(uuid, BCS, "requests"), REQUESTS, "as many requests are counted");
	tap_eq(used(uuid, BCS, "switches"), 1, "one switch to it");
	tap_eq(counters_number(vgpu, "exec", "bcs0_queue_us: count"), REQUESTS,
	       "and how long each was queued");
	busy = used(uuid, BCS, "busy_ns");
	held = used(uuid, BCS, "held_ns");
	tap_diag("busy for %ld ns, held for %ld", busy, held);
	/* What such requests take of the model in counted time may be nothing. */
	tap_ok(held > 0 && held >= busy, "the engine was held, and for as long as it was used");
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		bad += i != BCS && (used(uuid, i, "requests") || used(uuid, i, "busy_ns"));
	tap_eq(bad, 0, "no other engine");
	vgpu_close(vgpu);
	tap_ok(used(uuid, BCS, "requests") == REQUESTS && used(uuid, BCS, "busy_ns") >= busy,
	       "it is so when it is closed");
	vgpu = vgpu_open(uuid);
	vgpu_start(vgpu);
	tap_eq(run(vgpu, BCS, REQUESTS), REQUESTS, "it works again");
	tap_eq(used(uuid, BCS, "requests"), 2 * REQUESTS, "and goes on counting");
	vgpu_free(vgpu);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	tap_eq(used_at_all(uuid), 0, "a new one of the same name begins anew");
	mdev_remove(uuid);
}

/* What runs is counted while it runs. */
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
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "a request that does not end");
	/* The machine may stand still between two readings. */
	most = now_us();
	busy = used(vgpu->uuid, RCS, "busy_ns");
	held = used(vgpu->uuid, RCS, "held_ns");
	least = now_us();
	sleep_us(700000);
	least = now_us() - least;
	busy = (used(vgpu->uuid, RCS, "busy_ns") - busy) / 1000;
	held = (used(vgpu->uuid, RCS, "held_ns") - held) / 1000;
	most = now_us() - most;
	tap_diag("busy for %ld us, held for %ld, of %ld to %ld", busy, held, least, most);
	tap_ok(busy * 10 >= least * 8 && busy * 10 <= most * 12, "the engine is busy all the time");
	tap_ok(held * 10 >= least * 8 && held * 10 <= most * 12, "and held");
	spinner_end(&spin);
	tap_ok(request_wait(&ctx, seqno, SOON_MS), "until it ends");
	vgpu_free(vgpu);
}

/* One that does not let go: it is told so, and pays. */
static void check_hang(void)
{
	struct vgpu *good = vgpu_new(MDEV_TYPE_SMALL), *bad = vgpu_new(MDEV_TYPE_SMALL);
	struct context ctx;
	struct spinner spin;
	u32 seqno;
	long ns;

	knob_set(bad->uuid, PREEMPT_TIMEOUT_US, 50000);
	context_init(&ctx, bad, RCS, NULL);
	spinner_init(&spin, &ctx, false);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "one never yields");
	tap_eq(run(good, RCS, 1), 1, "another has work");
	ns = used(bad->uuid, RCS, "longest_yield_ns");
	tap_diag("it had the engine for %ld us more", ns / 1000);
	tap_ok(ns >= 50000000 && ns <= 5000000000, "the time until it was off is known");
	tap_eq(used(bad->uuid, RCS, "hangs"), 1, "it hung");
	tap_eq(used(bad->uuid, RCS, "resets"), 1, "its engine was reset");
	tap_eq(counters_number(bad, "exec", "rcs0_yield_us: count"), 1, "as it did not yield");
	tap_ok(!used(good->uuid, RCS, "hangs") && !used(good->uuid, RCS, "resets"),
	       "nothing of it is the other one's");
	tap_eq(used(bad->uuid, BCS, "resets"), 0, "nor another engine's");
	spinner_end(&spin);
	vgpu_free(good);
	vgpu_free(bad);
}

static bool tells_what_is_done(const char *name)
{
	return strstr(name, "_ns") || strstr(name, "cs0_") || !strcmp(name, "fps") ||
	       !strcmp(name, "cap_now");
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
	tap_ok(there > VGPU_NR_ENGINES * ARRAY_SIZE(names), "counters are root's to read");
	tap_eq(status, 0, "and no other user's, who may read what is set");
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
