// SPDX-License-Identifier: GPL-2.0
/*
 * The GPU's PMU: counts of the events in sysfs, of all vGPUs and of one; invalid events; and events
 * of a vGPU or GPU that is removed.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "file.h"
#include "knob.h"
#include "module.h"
#include "perf.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"

#define DRIVER	"/sys/bus/pci/drivers/gslot/"

static const char *const counts[] = {
	"busy", "held", "requests", "preemptions", "hangs", "resets", "switches", "longest-yield",
	"longest-lag",
};

/* A vGPU that always has work, and always yields. */
struct spinning {
	struct vgpu *vgpu;
	struct context ctx;
	struct spinner spin;
	u32 seqno;
};

static void spinning_init(struct spinning *s, struct vgpu *vgpu)
{
	s->vgpu = vgpu;
	context_init(&s->ctx, vgpu, RCS, NULL);
	spinner_init(&s->spin, &s->ctx, true);
	s->seqno = spinner_request(&s->spin, &s->ctx);
	context_submit(&s->ctx);
	if (!request_wait_started(&s->ctx, s->seqno, SOON_MS))
		tap_die("a spinner does not start");
}

static bool spinning_end(struct spinning *s)
{
	spinner_end(&s->spin);
	return request_wait(&s->ctx, s->seqno, SOON_MS) &&
	       engine_wait_idle(s->ctx.engine, SOON_MS);
}

static u32 id_of(const struct vgpu *vgpu)
{
	return knob_get(vgpu->uuid, "id");
}

static int open_event(const char *event, u32 vgpu)
{
	int fd = perf_open(event, vgpu);

	if (fd < 0)
		tap_die("no event %s of vGPU %u: %d", event, vgpu, fd);
	return fd;
}

/* Are they approximately equal? */
static bool alike(u64 a, u64 b)
{
	return a * 10 >= b * 8 && b * 10 >= a * 8;
}

static void check_description(void)
{
	char path[MDEV_PATH_MAX], name[64], text[64];
	u32 i, k, bad = 0;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		for (k = 0; k < ARRAY_SIZE(counts); k++) {
			bool is_max = !strncmp(counts[k], "longest", 7), has_unit = k < 2 || is_max;
			int fd;

			snprintf(name, sizeof(name), "%s-%s", engine_infos[i].name, counts[k]);
			fd = open_event(name, 0);
			/* A maximum is of all vGPUs since the GPU was bound. */
			bad += !is_max && perf_count(fd) != 0;
			close(fd);
			snprintf(name, sizeof(name), "events/%s-%s.unit", engine_infos[i].name,
				 counts[k]);
			bad += perf_path(path, name) != has_unit;
			bad += has_unit && (file_read(path, text, sizeof(text)) < 0 ||
					    strcmp(text, "ns"));
		}
	}
	tap_eq(bad, 0, "all events can be opened; times have a unit");
}

/* Invalid events. */
static void check_bad(void)
{
	static const struct perf_event_attr bad[] = {
		{ .config = 0x04 }, { .config = 0x0f }, { .config = 0x90 }, { .config = 0xf0 },
		{ .config = 0x100 }, { .config = 1ULL << 63 }, { .config1 = 1ULL << 32 },
		{ .config1 = ~0ULL }, { .config2 = 1 },
	};
	struct perf_event_attr attr;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		attr = bad[i];
		tap_eq(-perf_open_attr(&attr, -1, 0), EINVAL, "config=0x%llx config1=0x%llx",
		       (unsigned long long)attr.config, (unsigned long long)attr.config1);
	}
	attr = (struct perf_event_attr) { };
	tap_eq(-perf_open_attr(&attr, 0, -1), EINVAL, "an event of a task is refused");
	attr = (struct perf_event_attr) { };
	tap_eq(-perf_open_attr(&attr, 0, 0), EINVAL, "an event of a task on one CPU is refused");
	attr = (struct perf_event_attr) { .exclude_user = 1 };
	tap_eq(-perf_open_attr(&attr, -1, 0), EINVAL, "excluding user space is refused");
	attr = (struct perf_event_attr) { .sample_period = 1000 };
	tap_ok(perf_open_attr(&attr, -1, 0) < 0, "sampling is refused");
	tap_eq(-perf_open("rcs0-busy", 1), ENODEV, "a vGPU that does not exist is refused");
	tap_eq(-perf_open("rcs0-busy", 0xffffffff), ENODEV,
	       "any other number of a vGPU is refused");
}

/**
 * struct span - a time, or what went on in it: the machine may stand still between two readings
 * @least: from when all had begun to when the first ended
 * @most: from when the first began to when all had ended
 */
struct span {
	u64 least;
	u64 most;
};

static bool about(u64 value, struct span span)
{
	return value * 10 >= span.least * 8 && span.most * 10 >= value * 8;
}

static u64 now_ns(void)
{
	return now_us() * 1000;
}

static u64 busy_ns(const struct vgpu *vgpu)
{
	return knob_get(vgpu->uuid, "rcs0_busy_ns");
}

/* The counts of an engine that is always busy, compared with the clock and sysfs. */
static void check_busy(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u64 all, one, held, other, last = 0;
	struct span time, sysfs;
	struct spinning s;
	u32 i, back = 0;
	int fd[4];

	spinning_init(&s, vgpu);
	time.most = now_ns();
	sysfs.most = busy_ns(vgpu);
	fd[0] = open_event("rcs0-busy", 0);
	fd[1] = open_event("rcs0-busy", id_of(vgpu));
	fd[2] = open_event("rcs0-held", id_of(vgpu));
	fd[3] = open_event("bcs0-busy", 0);
	sysfs.least = busy_ns(vgpu);
	time.least = now_ns();
	for (i = 0; i < 100; i++) {
		u64 now = perf_count(fd[0]);

		back += now < last;
		last = now;
		sleep_us(10000);
	}
	time.least = now_ns() - time.least;
	sysfs.least = busy_ns(vgpu) - sysfs.least;
	all = perf_count(fd[0]);
	one = perf_count(fd[1]);
	held = perf_count(fd[2]);
	other = perf_count(fd[3]);
	sysfs.most = busy_ns(vgpu) - sysfs.most;
	time.most = now_ns() - time.most;
	tap_diag("in %llu to %llu ns: all %llu, the vGPU %llu, held %llu, by sysfs %llu to %llu",
		 (unsigned long long)time.least, (unsigned long long)time.most,
		 (unsigned long long)all, (unsigned long long)one, (unsigned long long)held,
		 (unsigned long long)sysfs.least, (unsigned long long)sysfs.most);
	tap_ok(about(all, time), "rcs0-busy grows with time");
	tap_ok(about(one, time) && about(held, time), "the vGPU's rcs0-busy grows with time");
	tap_ok(about(one, sysfs), "rcs0-busy agrees with sysfs");
	tap_eq(other, 0, "no other engine is busy");
	tap_eq(back, 0, "no count decreases");
	tap_ok(spinning_end(&s), "the request completes");
	last = perf_count(fd[0]);
	sleep_us(200000);
	tap_eq(perf_count(fd[0]), last, "an idle engine counts nothing");
	for (i = 0; i < ARRAY_SIZE(fd); i++)
		close(fd[i]);
	vgpu_free(vgpu);
}

/* Two vGPUs share an engine: the sum of their events is the GPU's. */
static void check_two(void)
{
	static const char *const events[] = { "rcs0-busy", "rcs0-switches", "rcs0-preemptions" };
	struct vgpu *vgpu[2] = { vgpu_new(MDEV_TYPE_SMALL), vgpu_new(MDEV_TYPE_SMALL) };
	int fd[ARRAY_SIZE(events)][3];
	struct spinning s[2];
	u64 n[3];
	u32 i, k;

	/* While nothing is counted, so that all start with the same value. */
	for (i = 0; i < ARRAY_SIZE(events); i++)
		for (k = 0; k < 3; k++)
			fd[i][k] = open_event(events[i], k ? id_of(vgpu[k - 1]) : 0);
	spinning_init(&s[0], vgpu[0]);
	spinning_init(&s[1], vgpu[1]);
	sleep_us(1000000);
	for (k = 0; k < 2; k++)
		tap_ok(spinning_end(&s[k]), "spinner %u ends", k);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		for (k = 0; k < 3; k++)
			n[k] = perf_count(fd[i][k]);
		tap_diag("%s: all %llu, %llu and %llu", events[i], (unsigned long long)n[0],
			 (unsigned long long)n[1], (unsigned long long)n[2]);
		tap_ok(n[1] && n[2], "%s: each vGPU has a part", events[i]);
		tap_ok(i ? n[0] == n[1] + n[2] : alike(n[0], n[1] + n[2]),
		       "%s: the sum is the GPU's", events[i]);
		for (k = 0; k < 3; k++)
			close(fd[i][k]);
	}
	vgpu_free(vgpu[0]);
	vgpu_free(vgpu[1]);
}

/* A maximum: an event has it since the vGPU was created, whenever the event was opened. */
static void check_maximum(void)
{
	struct vgpu *vgpu[2] = { vgpu_new(MDEV_TYPE_SMALL), vgpu_new(MDEV_TYPE_SMALL) };
	struct spinning s[2];
	u64 first, second;
	int fd[2];

	spinning_init(&s[0], vgpu[0]);
	spinning_init(&s[1], vgpu[1]);
	sleep_us(200000);
	fd[0] = open_event("rcs0-longest-yield", id_of(vgpu[0]));
	first = perf_count(fd[0]);
	spinning_end(&s[0]);
	spinning_end(&s[1]);
	fd[1] = open_event("rcs0-longest-yield", id_of(vgpu[0]));
	second = perf_count(fd[1]);
	tap_ok(first && second >= first, "the longest yield took %llu ns",
	       (unsigned long long)second);
	tap_eq(perf_count(fd[0]), second, "each event has it, whenever it was opened");
	close(fd[0]);
	close(fd[1]);
	vgpu_free(vgpu[0]);
	vgpu_free(vgpu[1]);
}

/* The vGPU of an event is removed, and another one gets its number. */
static void check_gone(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct spinning s;
	int fd, all, own;
	u64 count;
	u32 id = id_of(vgpu);

	fd = open_event("rcs0-busy", id);
	all = open_event("rcs0-busy", 0);
	spinning_init(&s, vgpu);
	sleep_us(100000);
	spinning_end(&s);
	count = perf_count(fd);
	tap_ok(count, "a vGPU's time is counted");
	vgpu_free(vgpu);
	tap_eq(perf_count(fd), count, "the count remains after the vGPU's removal");
	tap_ok(alike(perf_count(all), count), "the count of all vGPUs remains as well");
	tap_eq(-perf_open("rcs0-busy", id), ENODEV, "a new event of a removed vGPU is refused");
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_eq(id_of(vgpu), id, "another vGPU has its number");
	own = open_event("rcs0-busy", id);
	spinning_init(&s, vgpu);
	sleep_us(100000);
	spinning_end(&s);
	tap_eq(perf_count(fd), count, "its work is not counted by the old event");
	tap_ok(perf_count(own), "its work is counted by a new event");
	close(fd);
	close(own);
	close(all);
	vgpu_free(vgpu);
}

static bool over;

/* Opens, reads and closes any events. */
static void *observe(void *arg)
{
	struct rng rng = { (u64)(uintptr_t)arg };
	int fd[8] = { };
	u64 count;
	u32 i;

	while (!READ_ONCE(over)) {
		struct perf_event_attr attr = {
			.config = rng_below(&rng, 4) | rng_below(&rng, 9) << 4,
			.config1 = rng_below(&rng, 4),
		};

		i = rng_below(&rng, ARRAY_SIZE(fd));
		if (fd[i] > 0)
			close(fd[i]);
		fd[i] = perf_open_attr(&attr, -1, rng_below(&rng, 2));
		i = rng_below(&rng, ARRAY_SIZE(fd));
		if (fd[i] > 0 && read(fd[i], &count, sizeof(count)) != sizeof(count))
			tap_die("an event cannot be read");
	}
	for (i = 0; i < ARRAY_SIZE(fd); i++)
		if (fd[i] > 0)
			close(fd[i]);
	return NULL;
}

#define COMINGS	brief(12)

static void check_coming_and_going(void)
{
	pthread_t thread[3];
	u32 i, bad = 0;

	WRITE_ONCE(over, false);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		if (pthread_create(&thread[i], NULL, observe, (void *)(uintptr_t)(i + 1)))
			tap_die("no thread");
	for (i = 0; i < COMINGS; i++) {
		struct vgpu *a = vgpu_new(MDEV_TYPE_SMALL), *b = vgpu_new(MDEV_TYPE_SMALL);

		bad += !vgpu_works(a) + !vgpu_works(b);
		bad += vgpu_free(a) != 0;
		bad += !vgpu_works(b);
		bad += vgpu_free(b) != 0;
	}
	WRITE_ONCE(over, true);
	for (i = 0; i < ARRAY_SIZE(thread); i++)
		pthread_join(thread[i], NULL);
	tap_eq(bad, 0,
	       "vGPUs are created, work and are removed while events are opened, read and closed");
}

/* The GPU is unbound and bound again. */
static void check_unbind(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct spinning s;
	int all, one, own;
	char pci[64];
	u64 count;

	snprintf(pci, sizeof(pci), "%s", mdev_parent());
	all = open_event("rcs0-busy", 0);
	one = open_event("rcs0-busy", id_of(vgpu));
	spinning_init(&s, vgpu);
	sleep_us(100000);
	spinning_end(&s);
	count = perf_count(all);
	vgpu_free(vgpu);
	tap_eq(-file_write(DRIVER "unbind", pci), 0, "unbind with events open");
	tap_eq(perf_count(all), count, "the events keep their counts");
	tap_eq(perf_count(one), count, "the vGPU's events keep their counts");
	tap_eq(-perf_open("rcs0-busy", 0), ENODEV, "new events are refused while it is unbound");
	tap_ok(system("rmmod gslot 2>/dev/null"), "the module cannot be unloaded");
	tap_eq(-file_write(DRIVER "bind", pci), 0, "the GPU is bound again");
	own = open_event("rcs0-busy", 0);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	spinning_init(&s, vgpu);
	sleep_us(100000);
	spinning_end(&s);
	tap_eq(perf_count(all), count, "the old events do not count any more");
	tap_ok(perf_count(own), "new events count");
	vgpu_free(vgpu);
	close(own);
	close(one);
	close(all);
}

int main(void)
{
	char path[MDEV_PATH_MAX];

	vgpu_test_init(120);
	if (!tap_ok(perf_path(path, "type"), "the GPU has a PMU"))
		tap_die("no %s", path);
	check_description();
	check_bad();
	check_busy();
	check_two();
	check_maximum();
	check_gone();
	check_coming_and_going();
	check_unbind();
	if (module_can_load())
		module_reload_test("with events closed");
	return vgpu_test_done();
}
