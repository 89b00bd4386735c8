// SPDX-License-Identifier: GPL-2.0
/*
 * Controllers of oversubscription: they lend unused caps to vGPUs with work, and give a vGPU that
 * wakes what it was sold. They advise when a vGPU fits, and when there are too many. False reports
 * of frames harm no other vGPU. Controllers are changed under load.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gen/pvinfo.h>

#include "clock.h"
#include "counters.h"
#include "file.h"
#include "gpu.h"
#include "knob.h"
#include "rng.h"
#include "spinning.h"
#include "tap.h"
#include "uevent.h"
#include "vgpu.h"

#define FRAMES		(PVINFO_BASE + PVINFO_O_FRAMES)
#define SECOND		1000000ULL
/* A controller needs some seconds to act. */
#define LATER_MS	(15000 * slowness())
#define LOOK_US		20000
/* Ten times a second is often enough for a frame rate. */
#define REPORT_US	100000

#define comes_true(cond, ms)	wait_for((sleep_us(LOOK_US), (cond)), ms)

static u32 unset;	/* writes that were refused */

static void set_gpu(const char *attr, const char *value)
{
	unset += gpu_attr_set(attr, value) != 0;
}

static void set(const struct spinning *s, const char *knob, u32 value)
{
	unset += knob_set(s->vgpu->uuid, knob, value) != 0;
}

static long cap_now(const struct spinning *s)
{
	return knob_get(s->vgpu->uuid, CAP_NOW);
}

static void restore(void)
{
	gpu_attr_set("oversub", "none");
	gpu_attr_set("policy", "fair");
	tap_eq(unset, 0, "every write is accepted");
	unset = 0;
}

static void at_exit(void)
{
	gpu_attr_set("oversub", "none");
	gpu_attr_set("policy", "fair");
}

static bool advice_is(const char *word)
{
	char path[MDEV_PATH_MAX], text[64];

	gpu_attr_path(path, "oversub_advice");
	return file_read(path, text, sizeof(text)) > 0 && !strcmp(text, word);
}

static bool within(u32 value, u32 min, u32 max)
{
	return value >= min && value <= max;
}

/**
 * struct reporter - a client in a guest that reports completed frames
 * @thread: its thread
 * @vgpu: the vGPU
 * @frames: frames in each report
 * @us: time between reports
 * @over: asks the thread to end
 */
struct reporter {
	pthread_t thread;
	struct vgpu *vgpu;
	u32 frames;
	u32 us;
	bool over;
};

static void *report(void *arg)
{
	struct reporter *r = arg;
	u64 next = now_us();

	while (!READ_ONCE(r->over)) {
		mmio_write(r->vgpu, FRAMES, r->frames);
		next += r->us;
		if (next > now_us())
			sleep_us(next - now_us());
	}
	return NULL;
}

static void report_begin(struct reporter *r, struct vgpu *vgpu, u32 frames, u32 us)
{
	*r = (struct reporter) { .vgpu = vgpu, .frames = frames, .us = us };
	if (pthread_create(&r->thread, NULL, report, r))
		tap_die("no thread");
}

static void report_end(struct reporter *r)
{
	WRITE_ONCE(r->over, true);
	pthread_join(r->thread, NULL);
}

static void check_bad_values(void)
{
	static const char *const names[] = { "\n", "no", "nonee", "gover lend", "[lend]", "0" };
	static const char *const fps[] = { "\n", "-1", "1001", "4294967296", "60 fps", "0x10" };
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u32 i;

	tap_ok(gpu_attr_is("oversub", "none"), "the default is no controller");
	tap_ok(advice_is("steady"), "the default advice is steady");
	for (i = 0; i < ARRAY_SIZE(names); i++)
		tap_eq(-gpu_attr_set("oversub", names[i]), EINVAL,
		       "bad controller %u is refused", i);
	tap_ok(gpu_attr_is("oversub", "none"), "the controller is unchanged");
	tap_eq(-gpu_attr_set("oversub_advice", "room"), EACCES, "oversub_advice is read-only");
	tap_eq(knob_get(vgpu->uuid, QOS_FPS), 0, "the default is no target");
	for (i = 0; i < ARRAY_SIZE(fps); i++)
		tap_eq(-knob_write(vgpu->uuid, QOS_FPS, fps[i]), EINVAL,
		       "bad target %u is refused", i);
	tap_eq(knob_get(vgpu->uuid, QOS_FPS), 0, "the target is unchanged");
	tap_eq(-knob_write(vgpu->uuid, CAP_NOW, "1"), EACCES, "cap_now is read-only");
	tap_eq(-knob_write(vgpu->uuid, FPS, "1"), EACCES, "fps is read-only");
	tap_eq(knob_set(vgpu->uuid, QOS_FPS, 1000), 0, "a target is accepted");
	tap_eq(knob_set(vgpu->uuid, CAP, 700), 0, "a cap is accepted");
	tap_eq(knob_get(vgpu->uuid, CAP_NOW), 700, "the cap is in force");
	vgpu_free(vgpu);
}

static struct vgpu *open_again(struct vgpu *vgpu)
{
	char uuid[MDEV_UUID_SIZE];

	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	vgpu_close(vgpu);
	vgpu = vgpu_open(uuid);
	if (!vgpu)
		tap_die("%s cannot be opened again", uuid);
	vgpu_start(vgpu);
	return vgpu;
}

/* A client reports completed frames. */
static void check_frames(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct reporter r;

	tap_eq(mmio_read(vgpu, FRAMES), 0, "a new vGPU has no frames");
	mmio_write(vgpu, FRAMES, 7);
	tap_eq(mmio_read(vgpu, FRAMES), 7, "seven frames are counted");
	mmio_write(vgpu, FRAMES, ~0u);
	tap_eq(mmio_read(vgpu, FRAMES), 7 + PVINFO_FRAMES_MAX, "a report counts up to a limit");
	mmio_write_width(vgpu, FRAMES, 2, 5);
	mmio_write_width(vgpu, FRAMES + 4, 4, 5);
	tap_eq(mmio_read(vgpu, FRAMES), 7 + PVINFO_FRAMES_MAX,
	       "writes of other sizes or offsets do not count");
	tap_ok(vgpu_reset(vgpu), "it is reset");
	tap_eq(mmio_read(vgpu, FRAMES), 7 + PVINFO_FRAMES_MAX, "a reset keeps the count");
	vgpu = open_again(vgpu);
	tap_eq(mmio_read(vgpu, FRAMES), 0, "an open clears the count");
	report_begin(&r, vgpu, 10, REPORT_US);
	tap_ok(comes_true(within(knob_get(vgpu->uuid, FPS), 70, 130), LATER_MS),
	       "fps shows 100 frames a second");
	report_end(&r);
	tap_ok(comes_true(!knob_get(vgpu->uuid, FPS), LATER_MS),
	       "fps shows none after the client has ended");
	vgpu_free(vgpu);
}

/*
 * The first one's part of what both have, per mille, plus one. A client that writes as fast as it
 * can takes the host's processors, so less of the engine is used by all.
 */
static u32 part(const u32 *share)
{
	return share[0] * 1000 / (share[0] + share[1] + 1) + 1;
}

/* A vGPU alone may use all; one that wakes has what it was sold at once. */
static void check_lend(void)
{
	struct spinning s[2];
	u32 none[2], lent[2], both[2], looks = 0;

	set_gpu("policy", "cap");
	spinning_init(&s[0]);
	spinning_init(&s[1]);
	set(&s[0], CAP, 250);
	set(&s[1], CAP, 750);
	spinning_go(&s[0]);
	sleep_us(SECOND);
	spinning_steady_shares(s, 1, none, 2 * SECOND);
	set_gpu("oversub", "lend");
	tap_ok(gpu_attr_is("oversub", "lend"), "lend");
	tap_ok(comes_true(cap_now(&s[0]) >= 950, SOON_MS), "lend: a vGPU alone may have all");
	tap_eq(knob_get(s[0].vgpu->uuid, CAP), 250, "lend: what it was sold is unchanged");
	sleep_us(SECOND);
	spinning_steady_shares(s, 1, lent, 2 * SECOND);
	tap_ok(lent[0] >= 2 * none[0], "lend: it uses more than twice of what it was sold");
	spinning_go(&s[1]);
	tap_ok(comes_true((looks++, cap_now(&s[0]) <= 300), SOON_MS),
	       "lend: the loan ends when another vGPU wakes");
	/* Counted in looks: time in which the machine stands still does not count. */
	tap_ok(looks * LOOK_US < SECOND * slowness(), "lend: it ends within a second");
	tap_ok(cap_now(&s[1]) >= 750, "lend: the other may have what it was sold");
	/* The policy `cap` counts by the second: wait until the current one is over. */
	sleep_us(SECOND);
	spinning_steady_shares(s, 2, both, 3 * SECOND);
	/* A quarter was sold; what the other leaves of its cap is lent. */
	tap_ok(part(both) >= 180, "lend: the first uses its share again");
	tap_ok(both[1] >= 2 * both[0], "lend: the other uses its share");
	set_gpu("oversub", "none");
	tap_ok(cap_now(&s[0]) == 250 && cap_now(&s[1]) == 750, "none: caps are what was sold");
	tap_ok(spinning_stop(&s[0]) && spinning_stop(&s[1]), "the requests of both vGPUs complete");
	spinning_free(&s[0]);
	spinning_free(&s[1]);
	restore();
}

/* The paper's algorithm: a part of the lightest vGPU's unused cap goes to an overloaded one. */
static void check_gover(void)
{
	struct spinning s[2];
	u32 sold, moved;
	long caps[2];

	set_gpu("policy", "cap");
	spinning_init(&s[0]);
	spinning_init(&s[1]);
	set(&s[0], CAP, 200);
	set(&s[1], CAP, 800);
	spinning_go(&s[0]);
	sleep_us(SECOND);
	spinning_steady_shares(s, 1, &sold, 2 * SECOND);
	set_gpu("oversub", "gover");
	tap_ok(comes_true(cap_now(&s[0]) > 400, LATER_MS), "gover: an overloaded vGPU gets more");
	caps[0] = cap_now(&s[0]);
	caps[1] = cap_now(&s[1]);
	tap_diag("caps: %ld and %ld", caps[0], caps[1]);
	tap_ok(caps[1] < 800, "gover: the other gets less");
	sleep_us(SECOND);
	spinning_steady_shares(s, 1, &moved, 2 * SECOND);
	tap_ok(moved * 2 >= sold * 3, "gover: it uses half as much again");
	set(&s[0], CAP, 200);
	tap_ok(cap_now(&s[0]) == 200 && cap_now(&s[1]) == 800,
	       "gover: a write of cap gives both what they were sold");
	tap_ok(comes_true(cap_now(&s[0]) > 200, LATER_MS), "gover: it gets more again");
	tap_ok(spinning_stop(&s[0]), "its request completes");
	tap_ok(comes_true(cap_now(&s[0]) == 200 && cap_now(&s[1]) == 800, LATER_MS),
	       "gover: an idle vGPU gives it back");
	spinning_go(&s[0]);
	tap_ok(comes_true(cap_now(&s[1]) < 800, LATER_MS), "gover: it gets more a third time");
	spinning_stop(&s[0]);
	spinning_free(&s[0]);
	tap_eq(cap_now(&s[1]), 800, "gover: a closed vGPU gives it back");
	spinning_free(&s[1]);
	restore();
}

/* A controller leaves a vGPU its reserve. */
static void check_reserve(void)
{
	struct spinning s[2];

	set_gpu("policy", "cap");
	spinning_init(&s[0]);
	spinning_init(&s[1]);
	set(&s[0], CAP, 300);
	set(&s[1], CAP, 700);
	set(&s[1], RESERVE, 690);
	set_gpu("oversub", "gover");
	spinning_go(&s[0]);
	tap_ok(comes_true(cap_now(&s[0]) > 310, LATER_MS), "gover: caps move");
	tap_eq(cap_now(&s[1]), 690, "gover: a reserve stays");
	set(&s[1], RESERVE, 0);
	tap_ok(cap_now(&s[1]) < 690, "gover: without a reserve the cap falls");
	tap_ok(spinning_stop(&s[0]), "the request completes");
	spinning_free(&s[0]);
	spinning_free(&s[1]);
	restore();
}

/* A vGPU below its target borrows more than one above. */
static void check_target(void)
{
	struct spinning s[2];
	struct reporter r[2];
	u32 i, same[2], share[2];

	set_gpu("policy", "cap");
	set_gpu("oversub", "lend");
	for (i = 0; i < 2; i++) {
		spinning_init(&s[i]);
		set(&s[i], CAP, 100);
		spinning_go(&s[i]);
	}
	sleep_us(SECOND);
	spinning_steady_shares(s, 2, same, 2 * SECOND);
	tap_ok(within(same[0] * 100 / (same[1] + 1), 70, 140),
	       "lend: without targets both have the same");
	report_begin(&r[0], s[0].vgpu, 1, REPORT_US);
	report_begin(&r[1], s[1].vgpu, 50, REPORT_US);
	set(&s[0], QOS_FPS, 50);
	set(&s[1], QOS_FPS, 50);
	tap_ok(comes_true(cap_now(&s[0]) > 2 * cap_now(&s[1]), LATER_MS),
	       "lend: a vGPU below its target may have more");
	spinning_steady_shares(s, 2, share, 3 * SECOND);
	tap_ok(share[0] >= 2 * share[1], "lend: it uses more");
	tap_ok(cap_now(&s[1]) >= 100, "lend: the other keeps what it was sold");
	set(&s[0], QOS_FPS, 0);
	set(&s[1], QOS_FPS, 0);
	sleep_us(SECOND);
	spinning_steady_shares(s, 2, same, 2 * SECOND);
	tap_ok(within(same[0] * 100 / (same[1] + 1), 70, 140),
	       "lend: both have the same again without targets");
	for (i = 0; i < 2; i++) {
		report_end(&r[i]);
		tap_ok(spinning_stop(&s[i]), "its request completes");
		spinning_free(&s[i]);
	}
	restore();
}

/**
 * struct listener - a listener to the controller's advice
 * @events: uevents
 * @attr: gslot/oversub_advice
 */
struct listener {
	int events;
	int attr;
};

static void take_advice(struct listener *l)
{
	char text[64];

	if (pread(l->attr, text, sizeof(text), 0) < 0)
		tap_die("no advice: %s", strerror(errno));
}

static void listen_begin(struct listener *l)
{
	char path[MDEV_PATH_MAX];

	gpu_attr_path(path, "oversub_advice");
	l->events = uevent_open();
	l->attr = open(path, O_RDONLY | O_CLOEXEC);
	take_advice(l);
}

static bool heard(const struct listener *l, const char *word, int ms)
{
	char text[80];

	snprintf(text, sizeof(text), "GSLOT_OVERSUB=%s", word);
	return uevent_wait(l->events, mdev_parent(), text, ms);
}

/* By uevent, by poll(2) and by reading. */
static void expect_advice(struct listener *l, const char *word, int ms)
{
	struct pollfd pfd = { .fd = l->attr, .events = POLLPRI | POLLERR };
	char path[MDEV_PATH_MAX], now[64] = "";

	tap_ok(heard(l, word, ms), "%s: a uevent", word);
	tap_ok(poll(&pfd, 1, SOON_MS) == 1 && pfd.revents & POLLPRI, "%s: poll returns", word);
	take_advice(l);
	gpu_attr_path(path, "oversub_advice");
	file_read(path, now, sizeof(now));
	/* A second later the advice may have changed again, with another uevent. */
	tap_ok(!strcmp(now, word) || heard(l, now, SOON_MS), "%s: the attribute reads so", word);
}

static void listen_end(struct listener *l)
{
	close(l->events);
	close(l->attr);
}

/* Two vGPUs that miss their targets, then two without work. */
static void check_advice(const char *controller, const char *policy, u32 calm_ms)
{
	struct spinning s[2];
	struct reporter r[2];
	struct listener l;
	u32 i;

	set_gpu("policy", policy);
	for (i = 0; i < 2; i++) {
		spinning_init(&s[i]);
		set(&s[i], CAP, 600);
		set(&s[i], QOS_FPS, 100);
		spinning_go(&s[i]);
		report_begin(&r[i], s[i].vgpu, 1, REPORT_US);
	}
	listen_begin(&l);
	set_gpu("oversub", controller);
	expect_advice(&l, "overload", LATER_MS);
	for (i = 0; i < 2; i++) {
		set(&s[i], QOS_FPS, 0);
		report_end(&r[i]);
		tap_ok(spinning_stop(&s[i]), "%s, %s: its request completes", controller, policy);
	}
	set_gpu("oversub", "none");
	expect_advice(&l, "steady", SOON_MS);
	set_gpu("oversub", controller);
	expect_advice(&l, "room", calm_ms);
	spinning_free(&s[0]);
	/* A closed vGPU resets the advice. */
	expect_advice(&l, "steady", SOON_MS);
	spinning_free(&s[1]);
	listen_end(&l);
	restore();
}

/* Whether the first of two with equal caps has its half, or more. */
static bool has_half(const u32 *share)
{
	return part(share) >= 425;
}

/* False reports of frames take nothing from another vGPU. */
static void check_liar(void)
{
	struct spinning s[2];
	struct reporter r;
	u32 share[2];

	set_gpu("policy", "cap");
	set_gpu("oversub", "lend");
	spinning_init(&s[0]);
	spinning_init(&s[1]);
	set(&s[0], CAP, 400);
	set(&s[1], CAP, 400);
	spinning_go(&s[0]);
	spinning_go(&s[1]);
	report_begin(&r, s[1].vgpu, 6, REPORT_US);
	sleep_us(2 * SECOND);
	spinning_steady_shares(s, 2, share, 3 * SECOND);
	tap_ok(has_half(share), "true reports: the other has its half");
	report_end(&r);
	report_begin(&r, s[1].vgpu, ~0u, 0);
	sleep_us(2 * SECOND);
	tap_diag("%ld frames a second", knob_get(s[1].vgpu->uuid, FPS));
	spinning_steady_shares(s, 2, share, 3 * SECOND);
	tap_ok(has_half(share), "too many frames: the other has its half");
	set(&s[1], QOS_FPS, 60);
	sleep_us(2 * SECOND);
	spinning_steady_shares(s, 2, share, 3 * SECOND);
	tap_ok(has_half(share), "too many frames and a target: the other has its half");
	report_end(&r);
	/* Now it reports no frames. */
	sleep_us(2 * SECOND);
	spinning_steady_shares(s, 2, share, 3 * SECOND);
	tap_ok(has_half(share), "no frames and a target: the other has its half");
	tap_ok(spinning_stop(&s[0]) && spinning_stop(&s[1]), "the requests of both vGPUs complete");
	spinning_free(&s[0]);
	spinning_free(&s[1]);
	restore();
}

static const char *const controllers[] = { "none", "gover", "lend" };
static const char *const policies[] = { "fair", "rr", "credit", "cap" };

#define SPINNING	3

static void check_switching(void)
{
	u64 resets = counters_gpu_number("sched", "engine_resets");
	struct spinning s[SPINNING];
	struct rng rng = { 3 };
	u32 i, ended = 0;

	for (i = 0; i < SPINNING; i++)
		spinning_begin(&s[i]);
	for (i = 0; i < 80; i++) {
		set_gpu("oversub", controllers[rng_below(&rng, ARRAY_SIZE(controllers))]);
		if (!rng_below(&rng, 4))
			set_gpu("policy", policies[rng_below(&rng, ARRAY_SIZE(policies))]);
		set(&s[rng_below(&rng, SPINNING)], CAP, 1 + rng_below(&rng, 1000));
		set(&s[rng_below(&rng, SPINNING)], QOS_FPS, rng_below(&rng, 1001));
		sleep_us(rng_below(&rng, 120000));
	}
	for (i = 0; i < SPINNING; i++)
		ended += spinning_end(&s[i]);
	tap_eq(ended, SPINNING, "controllers change under load, and all complete");
	tap_eq(counters_gpu_number("sched", "engine_resets"), resets, "no engine is reset");
	restore();
}

#define COMINGS	12

static bool over;

static void *administrate(void *unused __maybe_unused)
{
	struct rng rng = { 5 };

	while (!READ_ONCE(over)) {
		gpu_attr_set("oversub", controllers[rng_below(&rng, ARRAY_SIZE(controllers))]);
		sleep_us(rng_below(&rng, 150000));
	}
	return NULL;
}

/* Beside a vGPU with work and changing controllers; then alone with one controller. */
static void check_coming_and_going(void)
{
	struct spinning s;
	pthread_t thread;
	u32 i, bad = 0;

	set_gpu("policy", "cap");
	spinning_init(&s);
	set(&s, CAP, 300);
	spinning_go(&s);
	if (pthread_create(&thread, NULL, administrate, NULL))
		tap_die("no thread");
	for (i = 0; i < 2 * COMINGS; i++) {
		struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);

		if (i == COMINGS) {
			WRITE_ONCE(over, true);
			pthread_join(thread, NULL);
			bad += !spinning_end(&s);
			set_gpu("oversub", "lend");
		}
		bad += knob_set(vgpu->uuid, CAP, 500) != 0;
		bad += !vgpu_works(vgpu);
		bad += knob_set(vgpu->uuid, QOS_FPS, 30) != 0;
		bad += vgpu_free(vgpu) != 0;
	}
	tap_eq(bad, 0, "vGPUs are opened, work and are removed while caps move");
	restore();
}

int main(void)
{
	vgpu_test_init(300);
	atexit(at_exit);
	check_bad_values();
	check_frames();
	if (!gpu_attr_offers("oversub", "gover")) {
		tap_skip("the module was built without cap and gover", "controllers of caps");
		return vgpu_test_done();
	}
	check_lend();
	check_gover();
	check_reserve();
	check_target();
	check_liar();
	check_advice("gover", "cap", LATER_MS);
	/* lend observes vGPUs for 20 s first. */
	check_advice("lend", "rr", 20000 + LATER_MS);
	check_switching();
	check_coming_and_going();
	return vgpu_test_done();
}
