// SPDX-License-Identifier: GPL-2.0
/* The use of the GPU by each vGPU, and which vGPUs are idle. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "tap.h"
#include "vgpu.h"

#define DEFAULT_MS	"20000"
/* Of three looks a second, each of which may come late, one sees it awake at least. */
#define SHORT_MS	"3000"
/* The window, and as much again for a machine that is busy with something else. */
#define LONG_MS		(40000 * slowness())
/* What changes once a second need not be read all the time. */
#define LOOK_US		20000
#define SHARE_OF_ONE	500	/* per mille, the use of a vGPU that has the GPU for itself */
#define COME_AND_GO_US	4000000

static char knob[MDEV_PATH_MAX];

static u64 use(const struct vgpu *vgpu)
{
	return counters_vgpus_number(vgpu, "use");
}

static bool idle(const struct vgpu *vgpu)
{
	return counters_vgpus_number(vgpu, "idle");
}

#define comes_true(cond)	wait_for((sleep_us(LOOK_US), (cond)), LONG_MS)

static void set_knob(const char *text)
{
	tap_eq(-file_write(knob, text), 0, "%s ms", text);
}

static void restore(void)
{
	file_write(knob, DEFAULT_MS);
}

static void check_knob(void)
{
	static const char *const good[] = { "1", "3600000", "1500\n" };
	static const char *const bad[] = { "0", "3600001", "-1", "\n", "x", "1500ms", "1 2",
					   "0x10", "4294967297", "18446744073709551617" };
	u32 i;

	tap_eq(file_read_number(knob), strtol(DEFAULT_MS, NULL, 10),
	       "the default idle time is 20 s");
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		tap_eq(-file_write(knob, good[i]), 0, "another idle time is accepted, %u", i);
		tap_eq(file_read_number(knob), strtol(good[i], NULL, 10),
		       "the idle time reads back");
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		tap_eq(-file_write(knob, bad[i]), EINVAL, "an invalid idle time is refused, %u", i);
	tap_eq(file_read_number(knob), 1500, "the idle time is unchanged");
	set_knob(DEFAULT_MS);
}

/**
 * struct job - a request that does not end by itself
 * @ctx: its context
 * @spin: what it executes
 * @seqno: its number
 */
struct job {
	struct context ctx;
	struct spinner spin;
	u32 seqno;
};

static void job_begin(struct job *job, struct vgpu *vgpu)
{
	context_init(&job->ctx, vgpu, RCS, NULL);
	spinner_init(&job->spin, &job->ctx, true);
	job->seqno = spinner_request(&job->spin, &job->ctx);
	context_submit(&job->ctx);
	tap_ok(request_wait_started(&job->ctx, job->seqno, SOON_MS), "a request runs");
}

static void job_end(struct job *job)
{
	spinner_end(&job->spin);
	tap_ok(request_wait(&job->ctx, job->seqno, SOON_MS) &&
	       engine_wait_idle(job->ctx.engine, SOON_MS), "the request completes when told to");
}

static bool owns_gpu(const struct vgpu *vgpu)
{
	char path[MDEV_PATH_MAX], text[4096], line[64];

	snprintf(line, sizeof(line), "_runq: owner=%s ", vgpu->uuid);
	return counters_gpu_path(path, "sched") && file_read(path, text, sizeof(text)) > 0 &&
	       strstr(text, line);
}

/* One vGPU works all the time, one has no work. */
static void check_contrast(struct vgpu *busy, struct vgpu *quiet)
{
	u32 slept = 0;

	tap_ok(comes_true((slept += idle(busy), idle(quiet))),
	       "a vGPU without submissions is idle after a while");
	tap_ok(comes_true((slept += idle(busy), use(busy) >= SHARE_OF_ONE)),
	       "the working vGPU has the whole use");
	tap_diag("use: %llu and %llu of 1000", (unsigned long long)use(busy),
		 (unsigned long long)use(quiet));
	tap_eq(slept, 0, "the working vGPU is never idle");
	tap_eq(use(quiet), 0, "the other vGPU has no use");
	tap_ok(idle(quiet), "the other vGPU is idle until it submits");
}

/* One short request is enough. */
static void check_wake(struct vgpu *vgpu)
{
	struct context ctx;
	u64 began;

	context_init(&ctx, vgpu, BCS, NULL);
	request_begin(&ctx);
	tap_ok(request_run(&ctx, request_end(&ctx)), "an idle vGPU submits a request");
	began = now_us();
	tap_ok(comes_true(!idle(vgpu)) && now_us() - began < SOON_MS * 1000ULL,
	       "soon it is not idle any more");
	tap_diag("after %llu ms", (unsigned long long)(now_us() - began) / 1000);
	tap_ok(comes_true(idle(vgpu)), "then it is idle again");
}

/* Without other work, the GPU stays with its last owner, which is no use of it. */
static void check_owner(struct vgpu *vgpu)
{
	u64 before = use(vgpu);

	tap_ok(comes_true(idle(vgpu)), "a vGPU that has stopped working is idle");
	tap_ok(owns_gpu(vgpu), "it still owns the GPU");
	tap_ok(comes_true(use(vgpu) * 2 < before), "its use falls");
	tap_diag("from %llu to %llu of 1000", (unsigned long long)before,
		 (unsigned long long)use(vgpu));
}

static struct vgpu *open_again(struct vgpu *vgpu)
{
	char uuid[MDEV_UUID_SIZE];

	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	vgpu_close(vgpu);
	vgpu = vgpu_open(uuid);
	if (!vgpu)
		tap_die("%s cannot be opened again", uuid);
	return vgpu;
}

static bool in_range(u64 value, u64 low, u64 high)
{
	return value >= low && value <= high;
}

/* As of one look: or what one has lost by the next one may be what the other has won. */
static u64 use_of_both(const struct vgpu *a, const struct vgpu *b)
{
	u64 first, second;

	do {
		first = use(a);
		second = use(b);
	} while (use(a) != first);
	return first + second;
}

static void check_share(struct vgpu *a, struct vgpu *b)
{
	struct job jobs[2];

	tap_ok(!use(a) && !idle(a) && !use(b) && !idle(b),
	       "after another open, their use starts from 0");
	vgpu_start(a);
	vgpu_start(b);
	job_begin(&jobs[0], a);
	job_begin(&jobs[1], b);
	tap_ok(comes_true(in_range(use(a), 150, 850) && in_range(use(b), 150, 850)),
	       "two working vGPUs have a part each");
	tap_diag("use: %llu and %llu of 1000", (unsigned long long)use(a),
		 (unsigned long long)use(b));
	tap_ok(use_of_both(a, b) <= 1100, "the sum of their use does not exceed the whole");
	tap_ok(!idle(a) && !idle(b), "neither is idle");
	job_end(&jobs[0]);
	job_end(&jobs[1]);
}

/* vGPUs are opened and closed while they are monitored. */
static struct vgpu *check_come_and_go(struct vgpu *vgpu, const char *when)
{
	u64 end = now_us() + COME_AND_GO_US;
	u32 times = 0;

	while (now_us() < end) {
		vgpu = open_again(vgpu);
		times++;
	}
	tap_diag("%u times", times);
	vgpu_start(vgpu);
	tap_ok(vgpu_works(vgpu), "a vGPU that was opened and closed all the time works, %s", when);
	return vgpu;
}

int main(void)
{
	struct vgpu *a, *b;
	struct job job;

	vgpu_test_init(200);
	if (!counters_gpu_path(knob, "vgpus"))
		tap_skip_all("no debugfs");
	snprintf(knob, sizeof(knob), "/sys/bus/pci/devices/%s/gslot/idle_ms", mdev_parent());
	atexit(restore);
	check_knob();
	a = vgpu_new(MDEV_TYPE_SMALL);
	b = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(!use(a) && !idle(a) && !use(b) && !idle(b), "new vGPUs are not idle");
	set_knob(SHORT_MS);
	job_begin(&job, a);
	check_contrast(a, b);
	check_wake(b);
	job_end(&job);
	check_owner(a);
	set_knob(DEFAULT_MS);
	tap_ok(comes_true(!idle(a)), "it is not idle by another measure");
	a = open_again(a);
	b = open_again(b);
	check_share(a, b);
	b = check_come_and_go(b, "beside another");
	vgpu_free(a);
	b = check_come_and_go(b, "alone");
	vgpu_free(b);
	return vgpu_test_done();
}
