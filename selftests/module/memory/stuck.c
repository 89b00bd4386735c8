// SPDX-License-Identifier: GPL-2.0
/*
 * Guest memory that does not arrive, as its server does not answer. The vGPU's own worker waits for
 * it, and so does the close of its vGPU; other vGPUs and an administrator do not.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "gpu.h"
#include "knob.h"
#include "size.h"
#include "stuck.h"
#include "tap.h"
#include "vgpu.h"

/* The module's own bounds: see the table of locks in kmod/gpu.c. */
#define BOUND_MS	(10000 * slowness())
/* Less than the 5 s for which an administrator waits for a vGPU. */
#define APART_MS	(4000 * slowness())
/* Needs all vGPUs to be paused, which is tried for 20 s. */
#define RULE_MS		(40000 * slowness())
/* What does not wait for a change of the copy policy may take a fifth of these 20 s. */
#define BESIDE_MS	(4000 * slowness())

static struct stuck stuck;
static struct vgpu *other;

/**
 * struct deed - an operation that must end in time
 * @what: its name
 * @fn: the operation; false on failure
 * @ok: it has ended, successfully
 * @done: it has ended
 * @thread: the thread that runs it
 * @tid: the same, as the kernel numbers it; 0: it does not run yet
 */
struct deed {
	const char *what;
	bool (*fn)(void);
	bool ok;
	bool done;
	pthread_t thread;
	pid_t tid;
};

static bool read_vgpus(void)
{
	char path[MDEV_PATH_MAX], text[4096];

	return counters_gpu_path(path, "vgpus") && file_read(path, text, sizeof(text)) > 0 &&
	       strstr(text, stuck.uuid) && strstr(text, other->uuid);
}

static bool read_slots(void)
{
	char path[MDEV_PATH_MAX], text[8192];

	return counters_gpu_path(path, "slots") && file_read(path, text, sizeof(text)) > 0;
}

static bool run_other(void)
{
	return vgpu_works(other);
}

static bool reserve_other(void)
{
	return !knob_set(other->uuid, RESERVE, 100) && !knob_set(other->uuid, RESERVE, 0);
}

static bool resize_other(void)
{
	long mb = size_wanted(other->uuid, HIGH_MB);

	return !size_set(other->uuid, HIGH_MB, mb + 16) && !size_set(other->uuid, HIGH_MB, mb);
}

/* These may be refused for now. */
static bool reserve_stuck(void)
{
	int ret = knob_set(stuck.uuid, RESERVE, 0);

	return !ret || ret == -EBUSY;
}

static bool resize_stuck(void)
{
	int ret = size_set(stuck.uuid, HIGH_MB, size_wanted(stuck.uuid, HIGH_MB));

	return !ret || ret == -EBUSY;
}

static bool use_new(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	bool works = vgpu_works(vgpu);

	return !vgpu_free(vgpu) && works;
}

static bool change_rule(void)
{
	int ret = gpu_attr_set("copy_policy", "slot");

	return ret == -EBUSY && gpu_attr_is("copy_policy", "cached");
}

static bool read_rule(void)
{
	return gpu_attr_is("copy_policy", "cached");
}

static bool read_placement(void)
{
	return gpu_attr_is("placement", "optimal");
}

static bool change_too(void)
{
	return gpu_attr_set("copy_policy", "demand") == -EBUSY;
}

static bool place_too(void)
{
	return gpu_attr_set("placement", "size") == -EBUSY;
}

/* Does a thread sleep in a function of the module? */
static bool sleeps_in(pid_t tid, const char *function)
{
	char path[64], text[4096];

	snprintf(path, sizeof(path), "/proc/%d/stack", tid);
	return tid && file_read(path, text, sizeof(text)) > 0 && strstr(text, function);
}

/* Does a thread change the copy policy, and wait for the stuck vGPU? */
static bool changes(pid_t tid)
{
	return sleeps_in(tid, "quiesce_all");
}

/* A process that waits for the change, and is killed meanwhile. */
static bool kill_writer(void)
{
	int status;
	pid_t pid = fork();
	bool began;

	if (pid < 0)
		return false;
	if (!pid)
		_exit(!!gpu_attr_set("copy_policy", "slot"));
	began = wait_for(changes(pid), SOON_MS);
	kill(pid, SIGKILL);
	/* The placement is written to see that it can be. */
	return waitpid(pid, &status, 0) == pid && began && WIFSIGNALED(status) && read_rule() &&
	       !gpu_attr_set("placement", "optimal");
}

static bool enlarge_stuck(void)
{
	int ret = size_set(stuck.uuid, HIGH_MB, size_wanted(stuck.uuid, HIGH_MB) + 16);

	return !ret || ret == -EBUSY;
}

static struct deed deeds[] = {
	{ .what = "debugfs shows all vGPUs", .fn = read_vgpus },
	{ .what = "debugfs shows the slots", .fn = read_slots },
	{ .what = "another vGPU works", .fn = run_other },
	{ .what = "another vGPU's reserve is set", .fn = reserve_other },
	{ .what = "another vGPU is resized", .fn = resize_other },
	{ .what = "the waiting vGPU is resized, or refuses it for now", .fn = resize_stuck },
	{ .what = "the waiting vGPU's reserve is set, or refused for now", .fn = reserve_stuck },
	{ .what = "a vGPU is created, opened, closed and removed", .fn = use_new },
};

/* While the copy policy is being changed. */
static struct deed beside[] = {
	{ .what = "the copy policy is shown", .fn = read_rule },
	{ .what = "the placement policy is shown", .fn = read_placement },
	{ .what = "debugfs shows the slots", .fn = read_slots },
	{ .what = "another change of the copy policy fails", .fn = change_too },
	{ .what = "a change of the placement policy fails", .fn = place_too },
};

static struct deed killed = {
	.what = "a process that changes the copy policy can be killed", .fn = kill_writer,
};

static struct deed rule = { .what = "the copy policy is not changed", .fn = change_rule };

static void *do_deed(void *arg)
{
	struct deed *deed = arg;

	WRITE_ONCE(deed->tid, gettid());
	deed->ok = deed->fn();
	WRITE_ONCE(deed->done, true);
	return NULL;
}

/* In a thread, so that an operation that does not end is not waited for. */
static void start_deed(struct deed *deed)
{
	deed->done = false;
	deed->tid = 0;
	if (pthread_create(&deed->thread, NULL, do_deed, deed))
		tap_die("no thread");
}

static void await(struct deed *deed, const char *when, u32 ms)
{
	u64 began = now_us();

	tap_ok(wait_for(READ_ONCE(deed->done), ms) && deed->ok, "%s: %s", when, deed->what);
	tap_diag("%llu ms", (unsigned long long)(now_us() - began) / 1000);
}

static void begin(struct deed *deed, const char *when, u32 ms)
{
	start_deed(deed);
	await(deed, when, ms);
}

/* A change takes 20 s. Nothing else that an administrator does waits for its end. */
static void check_rule(const char *when)
{
	u32 i;

	begin(&killed, when, BESIDE_MS);
	start_deed(&rule);
	tap_ok(wait_for(changes(READ_ONCE(rule.tid)), SOON_MS),
	       "%s: a change of the copy policy begins", when);
	for (i = 0; i < ARRAY_SIZE(beside); i++)
		begin(&beside[i], when, BESIDE_MS);
	tap_ok(!READ_ONCE(rule.done), "%s: it has not ended yet", when);
	await(&rule, when, RULE_MS);
}

/* When the memory has arrived: a deed that waits for it would not end before. */
static void join(struct deed *deed, u32 count)
{
	for (; count; deed++, count--)
		pthread_join(deed->thread, NULL);
}

/*
 * While a write to a knob of the stuck vGPU waits, it holds no lock that other vGPUs need: they are
 * opened, closed and resized at once.
 */
static void check_apart(const char *when)
{
	struct deed waits[] = {
		{ .what = "it is enlarged, or not now", .fn = enlarge_stuck },
		{ .what = "and so with what it reserves", .fn = reserve_stuck },
	};
	u32 i, ms, bad = 0;
	u64 start;
	bool ok;

	for (i = 0; i < ARRAY_SIZE(waits); i++)
		if (pthread_create(&waits[i].thread, NULL, do_deed, &waits[i]))
			tap_die("no thread");
	sleep_us(300000);
	start = now_us();
	ok = use_new() && resize_other();
	ms = (now_us() - start) / 1000;
	for (i = 0; i < ARRAY_SIZE(waits); i++) {
		pthread_join(waits[i].thread, NULL);
		bad += !waits[i].ok;
	}
	tap_ok(ok && ms < APART_MS,
	       "%s: others are opened, closed and resized while it is waited for", when);
	tap_diag("%u ms", ms);
	tap_eq(bad, 0, "%s: it is enlarged, or not now", when);
}

static void check(const char *when)
{
	bool places = gpu_attr_offers("copy_policy", "slot");
	u32 i;

	for (i = 0; i < ARRAY_SIZE(deeds); i++)
		begin(&deeds[i], when, BOUND_MS);
	check_apart(when);
	if (places)
		check_rule(when);
	else
		tap_skip("no slots", "%s: the copy policy is not changed", when);
	tap_ok(stuck_end(&stuck), "%s: the memory arrives, and all vGPUs work", when);
	join(deeds, ARRAY_SIZE(deeds));
	if (!places)
		return;
	join(&killed, 1);
	join(beside, ARRAY_SIZE(beside));
	join(&rule, 1);
}

static void check_waiting(void)
{
	if (!stuck_begin(&stuck))
		tap_skip_all("no FUSE");
	other = vgpu_new(MDEV_TYPE_SMALL);
	check("while memory does not arrive");
	tap_eq(-vgpu_free(other), 0, "the other vGPU is removed");
}

static void check_closing(void)
{
	if (!stuck_begin(&stuck))
		tap_die("no FUSE");
	other = vgpu_new(MDEV_TYPE_SMALL);
	stuck_close(&stuck);
	check("while the waiting vGPU is closed");
	tap_eq(-vgpu_free(other), 0, "the other vGPU is removed");
}

/* With places an open waits for a change of the copy policy. */
static bool kill_open(void)
{
	char uuid[MDEV_UUID_SIZE];
	bool waited;
	int status;
	pid_t pid;

	mdev_new_uuid(uuid);
	if (mdev_create(MDEV_TYPE_SMALL, uuid))
		return false;
	pid = fork();
	if (pid < 0)
		return false;
	if (!pid)
		_exit(!vgpu_open(uuid));
	waited = wait_for(sleeps_in(pid, "place_opened"), SOON_MS);
	kill(pid, SIGKILL);
	return waitpid(pid, &status, 0) == pid && waited && WIFSIGNALED(status) &&
	       !mdev_remove(uuid);
}

static bool change_slot_rule(void)
{
	return gpu_attr_set("copy_policy", "demand") == -EBUSY &&
	       gpu_attr_is("copy_policy", "slot");
}

static void check_kill_open(void)
{
	struct deed change = {
		.what = "the copy policy is not changed", .fn = change_slot_rule,
	};
	struct deed open = { .what = "a process that opens a vGPU can be killed", .fn = kill_open };

	start_deed(&change);
	tap_ok(wait_for(changes(READ_ONCE(change.tid)), SOON_MS), "with places: a change begins");
	begin(&open, "with places", BESIDE_MS);
	pthread_join(open.thread, NULL);
	await(&change, "with places", RULE_MS);
	pthread_join(change.thread, NULL);
}

/* With places, opening or closing a vGPU moves others. */
static void check_places(void)
{
	if (!gpu_attr_offers("copy_policy", "slot")) {
		tap_skip("no slots", "with places");
		return;
	}
	tap_eq(-gpu_attr_set("copy_policy", "slot"), 0, "with places");
	if (!stuck_begin(&stuck))
		tap_die("no FUSE");
	other = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(use_new(), "with places: a vGPU is created, opened, closed and removed");
	check_kill_open();
	stuck_close(&stuck);
	tap_ok(use_new(), "with places: the same while the waiting vGPU is closed");
	tap_ok(stuck_end(&stuck), "with places: the memory arrives, and all vGPUs work");
	tap_ok(vgpu_works(other), "with places: the other vGPU works");
	tap_eq(-vgpu_free(other), 0, "the other vGPU is removed");
	tap_eq(-gpu_attr_set("copy_policy", "cached"), 0, "without places again");
}

int main(void)
{
	vgpu_test_init(400);
	check_waiting();
	check_closing();
	check_places();
	return vgpu_test_done();
}
