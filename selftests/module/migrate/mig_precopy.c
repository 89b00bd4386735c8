// SPDX-License-Identifier: GPL-2.0
/*
 * A vGPU that is saved while it runs: what the stream has early, what changes meanwhile, and all
 * ways in which that ends.
 */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "ggtt.h"
#include "knob.h"
#include "mdev.h"
#include "mig_stream.h"
#include "migration.h"
#include "rng.h"
#include "size.h"
#include "tap.h"
#include "vgpu.h"

#define LIMIT		((u32)(GEN_GGTT_SIZE / PAGE_SIZE))
#define HIGH_PAGE	((u32)(GEN_LOW_GM_SIZE / PAGE_SIZE))
#define VALUE		0x5eed0001u

/* A guest's global page table, by graphics page */
static u64 table[LIMIT], before[LIMIT];
static struct rng rng;

static bool has_page(const struct vgpu *vgpu, u32 page)
{
	return page < vgpu->low_size / PAGE_SIZE ||
	       (page >= HIGH_PAGE && page - HIGH_PAGE < vgpu->high_size / PAGE_SIZE);
}

static void look(const struct vgpu *vgpu, u64 *to)
{
	u32 page;

	for (page = 0; page < LIMIT; page++)
		to[page] = has_page(vgpu, page) ? READ_ONCE(vgpu->gsm[page]) : 0;
}

static void set_page(struct vgpu *vgpu, u32 page, u64 pte)
{
	WRITE_ONCE(vgpu->gsm[page], pte);
}

static u32 low_end(const struct vgpu *vgpu)
{
	return vgpu->low_size / PAGE_SIZE;
}

static u32 high_end(const struct vgpu *vgpu)
{
	return HIGH_PAGE + vgpu->high_size / PAGE_SIZE;
}

/* Runs of each kind, at the borders of both parts. None of these pages is ever present. */
static void fill(struct vgpu *vgpu)
{
	u32 high = HIGH_PAGE + 10000, i;

	for (i = 0; i < 3000; i++) {
		set_page(vgpu, low_end(vgpu) - 1 - i, 0x1000);
		set_page(vgpu, high + i, (i + 1) * PAGE_SIZE);
		set_page(vgpu, high + 4000 + 2 * i, (i + 7) * PAGE_SIZE * 3);
	}
	set_page(vgpu, high_end(vgpu) - 1, 0x7000);
}

/* A value that differs, no value, and a value where there was none; some in a row. */
static void change(struct vgpu *vgpu)
{
	u32 high = HIGH_PAGE + 10000, i;

	for (i = 0; i < 40; i++) {
		set_page(vgpu, low_end(vgpu) - 1 - i, 0x2000 + i * PAGE_SIZE);
		set_page(vgpu, low_end(vgpu) - 100 - i, 0);
		set_page(vgpu, high + 5 * i, 0);
		set_page(vgpu, high + 20000 + i, 0x3000);
	}
	set_page(vgpu, high_end(vgpu) - 1, 0x9000);
	set_page(vgpu, high_end(vgpu) - 2, 0x7000);
}

/* Enter the table's entries of all records of a type. Return: how many. */
static u32 apply(struct mig_stream *s, u32 type, u64 *to)
{
	struct gslot_mig_record *record;
	u32 nth, i, k, count = 0;

	for (nth = 0; (record = mig_stream_find(s, type, nth)); nth++) {
		const struct gslot_mig_run *run = (void *)(record + 1);

		for (i = 0; i < record->length / sizeof(*run); i++) {
			u32 n = run[i].count & ~GSLOT_MIG_RUN_ASCENDING;
			u64 step = run[i].count & GSLOT_MIG_RUN_ASCENDING ? PAGE_SIZE : 0;

			for (k = 0; k < n; k++)
				to[run[i].entry + k] = run[i].pte + k * step;
			count += n;
		}
	}
	return count;
}

static u32 count_changes(const u64 *a, const u64 *b)
{
	u32 page, count = 0;

	for (page = 0; page < LIMIT; page++)
		count += a[page] != b[page];
	return count;
}

static short poll_now(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) < 0 ? -1 : p.revents;
}

/* Begin to save. Return: the data file. */
static int begin(struct vgpu *vgpu, enum mig_state state)
{
	int fd, ret = mig_set(&vgpu->dev, state, &fd);

	if (ret || fd < 0 || mig_get(&vgpu->dev) != (int)state)
		tap_die("no %s: %d", mig_state_names[state], ret);
	return fd;
}

/* Both parts of a stream; the table changes in between if @changes. Ends in STOP_COPY. */
static void save(struct vgpu *vgpu, struct mig_stream *s, bool changes)
{
	int fd = begin(vgpu, MIG_PRE_COPY), early;

	memset(s, 0, sizeof(*s));
	early = mig_read(fd, s);
	if (changes)
		change(vgpu);
	if (early != -ENOMSG || mig_set(&vgpu->dev, MIG_STOP_COPY, NULL) || mig_read(fd, s))
		tap_die("no stream");
	close(fd);
}

static void check_info(int fd)
{
	struct vfio_precopy_info info = { .argsz = sizeof(info) - 1 };
	u64 initial, dirty, again;
	char bytes[100];

	tap_ok(ioctl(fd, VFIO_MIG_GET_PRECOPY_INFO, &info) < 0 && errno == EINVAL,
	       "a struct that is too small");
	tap_ok(ioctl(fd, VFIO_MIG_GET_PRECOPY_INFO, NULL) < 0 && errno == EFAULT, "no struct");
	tap_ok(ioctl(fd, VFIO_MIG_GET_PRECOPY_INFO + 1, &info) < 0 && errno == ENOTTY,
	       "another ioctl");
	tap_eq(-mig_pre_copy_info(fd, &initial, &dirty), 0, "VFIO_MIG_GET_PRECOPY_INFO");
	tap_ok(initial > sizeof(struct gslot_mig_header) && !dirty, "%llu bytes, %llu dirty",
	       (unsigned long long)initial, (unsigned long long)dirty);
	tap_eq(read(fd, bytes, sizeof(bytes)), sizeof(bytes), "a part is read");
	tap_ok(!memcmp(bytes, "gslotmig", 8), "it is of the header");
	mig_pre_copy_info(fd, &again, &dirty);
	tap_eq(initial - again, sizeof(bytes), "there is less to read");
	tap_eq(poll_now(fd), POLLIN, "the data file is ready");
}

/* All that can be read was. */
static void check_empty(int fd, const char *when)
{
	u64 initial = 1, dirty = 1;
	char byte;

	tap_ok(read(fd, &byte, 1) < 0 && errno == ENOMSG, "%s: no data for now", when);
	tap_ok(!mig_pre_copy_info(fd, &initial, &dirty) && !initial && !dirty,
	       "%s: none is announced", when);
	tap_eq(poll_now(fd), 0, "%s: the data file is not ready", when);
}

static void check_ended(int fd)
{
	u64 initial, dirty;
	char byte;

	tap_ok(!read(fd, &byte, 1) && !read(fd, &byte, 1), "STOP_COPY: the end");
	tap_eq(-mig_pre_copy_info(fd, &initial, &dirty), EINVAL, "STOP_COPY: no information");
	tap_eq(poll_now(fd), POLLIN, "STOP_COPY: the data file is ready");
}

/* Take the guest to another vGPU by a stream. */
static void load(struct vgpu *vgpu, const struct mig_stream *s, const char *what)
{
	char old[MDEV_UUID_SIZE], uuid[MDEV_UUID_SIZE];
	struct vfio to;

	memcpy(old, vgpu->uuid, sizeof(old));
	mdev_new_uuid(uuid);
	if (mdev_create(MDEV_TYPE_SMALL, uuid) || mig_open(&to, uuid, vgpu))
		tap_die("no second vGPU");
	if (!tap_eq(-(mig_load(&to, s, 777) ?: mig_set(&to, MIG_STOP, NULL)), 0,
		    "%s: the stream is accepted", what))
		tap_die("it stays here");
	vfio_config_write(&to, 4, 2, vfio_config_read(&vgpu->dev, 4, 2));
	vfio_set_msi(&to, vgpu->msi);
	vgpu_rebind(vgpu, uuid, &to);
	look(vgpu, table);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "%s: it runs", what);
	tap_eq(-mdev_remove(old), 0, "%s: the source is removed", what);
}

/* Its registers are kept, so it was never lost. */
static void context_start(struct context *ctx, struct vgpu *vgpu)
{
	context_init(ctx, vgpu, RCS, NULL);
	request_begin(ctx);
	cs_lri(&ctx->ring, ctx->engine->info->base + CONTEXT_GPR, VALUE);
	if (!request_run(ctx, request_end(ctx)))
		tap_die("no request runs");
	context_keep_state(ctx);
}

static void check_early(struct mig_stream *s, u64 early_len)
{
	size_t at = sizeof(struct gslot_mig_header);
	u32 others = 0;

	while (at < early_len) {
		const struct gslot_mig_record *record = (void *)(s->data + at);

		others += record->type != GSLOT_MIG_GGTT_EARLY;
		at += sizeof(*record) + record->length;
	}
	tap_ok(at == early_len && !others, "the header and whole early records are read");
	memset(table, 0, sizeof(table));
	apply(s, GSLOT_MIG_GGTT_EARLY, table);
	tap_eq(count_changes(table, before), 0, "these have the table as of then");
}

static void check_rest(struct vgpu *vgpu, struct mig_stream *s)
{
	u32 changes;

	memcpy(before, table, sizeof(table));
	look(vgpu, table);
	changes = count_changes(table, before);
	tap_ok(changes > 100, "%u entries have changed", changes);
	tap_eq(apply(s, GSLOT_MIG_GGTT, before), changes, "the rest names no other entry");
	tap_eq(count_changes(table, before), 0, "and all of these");
}

/* The vGPU stands still in PRE_COPY_P2P, and goes on. */
static void check_p2p(struct vgpu *vgpu, struct context *ctx, int file)
{
	u32 seqno;
	int fd;

	tap_ok(!mig_set(&vgpu->dev, MIG_PRE_COPY_P2P, &fd) && fd < 0, "PRE_COPY_P2P: no new file");
	check_empty(file, "PRE_COPY_P2P");
	request_begin(ctx);
	seqno = request_end(ctx);
	context_submit(ctx);
	sleep_us(20000);
	tap_ok(!request_started(ctx, seqno), "PRE_COPY_P2P: nothing is executed");
	tap_ok(!mig_set(&vgpu->dev, MIG_PRE_COPY, &fd) && fd < 0, "PRE_COPY again: no new file");
	tap_ok(request_wait(ctx, seqno, SOON_MS) && engine_wait_idle(ctx->engine, SOON_MS),
	       "PRE_COPY again: it goes on");
}

static void check_stream(struct vgpu *vgpu)
{
	struct mig_stream s = { 0 };
	struct context ctx;
	long whole, rest;
	int fd, none;
	u64 early;

	context_start(&ctx, vgpu);
	fill(vgpu);
	whole = mig_data_size(&vgpu->dev);
	look(vgpu, before);
	fd = begin(vgpu, MIG_PRE_COPY);
	check_info(fd);
	s.len = 100;
	s.data = malloc(s.len);
	tap_eq(-mig_read(fd, &s), ENOMSG, "the early part is read");
	early = s.len;
	check_empty(fd, "PRE_COPY");
	/* What was read of the header is missing. */
	check_early(&s, early);
	tap_ok(context_gpr_is(&ctx, VALUE), "the vGPU runs in PRE_COPY");
	rest = mig_data_size(&vgpu->dev);
	tap_ok(rest < whole - 0x8000, "there is less to save then: %ld, not %ld bytes", rest,
	       whole);
	change(vgpu);
	check_p2p(vgpu, &ctx, fd);
	tap_ok(!mig_set(&vgpu->dev, MIG_STOP_COPY, &none) && none < 0, "STOP_COPY: no new file");
	tap_eq(-mig_read(fd, &s), 0, "the rest is read");
	check_ended(fd);
	close(fd);
	check_rest(vgpu, &s);
	mig_free(&s);
	vgpu_reset(vgpu);
}

/* It arrives, though the table changed in between; also twice. */
static void check_moves(struct vgpu *vgpu)
{
	struct mig_stream s;
	struct context ctx;
	u32 i;

	context_start(&ctx, vgpu);
	fill(vgpu);
	for (i = 0; i < 2; i++) {
		save(vgpu, &s, true);
		look(vgpu, before);
		load(vgpu, &s, "both parts");
		tap_eq(count_changes(table, before), 0, "both parts: the table has arrived");
		tap_ok(context_gpr_is(&ctx, VALUE), "both parts: the guest goes on");
		mig_free(&s);
		fill(vgpu);
	}
	save(vgpu, &s, false);
	tap_ok(!mig_stream_find(&s, GSLOT_MIG_GGTT, 0), "no change: no entry is sent twice");
	look(vgpu, before);
	load(vgpu, &s, "no change");
	tap_eq(count_changes(table, before), 0, "no change: the table has arrived");
	mig_free(&s);
	/* As an older version has written it. */
	if (mig_save(&vgpu->dev, &s))
		tap_die("no stream");
	tap_ok(!mig_stream_find(&s, GSLOT_MIG_GGTT_EARLY, 0), "STOP_COPY alone: nothing is early");
	load(vgpu, &s, "STOP_COPY alone");
	tap_eq(count_changes(table, before), 0, "STOP_COPY alone: the table has arrived");
	mig_free(&s);
	vgpu_reset(vgpu);
}

static bool is_dropped(int fd)
{
	u64 initial, dirty;
	char byte;

	return read(fd, &byte, 1) < 0 && errno == ENODEV && poll_now(fd) & POLLERR &&
	       mig_pre_copy_info(fd, &initial, &dirty) == -EINVAL;
}

/* A migration is given up: the guest has not noticed it. */
static void check_cancel(struct vgpu *vgpu)
{
	struct spinner spin;
	struct context ctx;
	u32 i, bad = 0;
	int fd;

	context_start(&ctx, vgpu);
	fill(vgpu);
	look(vgpu, before);
	spinner_init(&spin, &ctx, true);
	spinner_request(&spin, &ctx);
	context_submit(&ctx);
	for (i = 0; i < 50; i++) {
		fd = begin(vgpu, MIG_PRE_COPY);
		if (i % 3 == 1)
			bad += !!mig_set(&vgpu->dev, MIG_PRE_COPY_P2P, NULL);
		if (i % 3 == 2)
			bad += !!mig_set(&vgpu->dev, MIG_STOP_COPY, NULL);
		bad += !!mig_set(&vgpu->dev, i % 2 ? MIG_RUNNING : MIG_RUNNING_P2P, NULL);
		bad += !is_dropped(fd);
		bad += !!mig_set(&vgpu->dev, MIG_RUNNING, NULL);
		close(fd);
	}
	tap_eq(bad, 0, "cancelled: the data file works no more");
	look(vgpu, table);
	tap_eq(count_changes(table, before), 0, "cancelled: the table is as before");
	spinner_end(&spin);
	tap_ok(engine_wait_idle(ctx.engine, SOON_MS) && context_gpr_is(&ctx, VALUE) &&
	       !ctx.engine->bad, "cancelled: the guest goes on");
	vgpu_reset(vgpu);
}

/* What ends a migration, in each of its states */
static const char *const ends[] = { "the rest", "a cancel", "a reset" };

static int end(struct vgpu *vgpu, u32 how)
{
	if (how == 2)
		return vfio_device_reset(&vgpu->dev);
	return mig_set(&vgpu->dev, how ? MIG_RUNNING : MIG_STOP_COPY, NULL);
}

static void *wait_ready(void *arg)
{
	struct pollfd p = { .fd = *(int *)arg, .events = POLLIN };
	u64 t0 = now_us();
	int n = poll(&p, 1, SOON_MS);

	/* It looks once more when the time is over. */
	return (void *)(long)(n == 1 && now_us() - t0 < SOON_MS * 1000 ? p.revents : 0);
}

/* Stopping and resuming are balanced: the vGPU stops, and goes on. */
static bool stops(struct vgpu *vgpu)
{
	struct context ctx;
	bool started;
	u32 seqno;

	vgpu_reset(vgpu);
	context_init(&ctx, vgpu, RCS, NULL);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	if (mig_set(&vgpu->dev, MIG_RUNNING_P2P, NULL))
		return false;
	context_submit(&ctx);
	sleep_us(20000);
	started = request_started(&ctx, seqno);
	return !mig_set(&vgpu->dev, MIG_RUNNING, NULL) && !started &&
	       request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS);
}

/* A thread that waits for more data is woken. */
static void check_waiter(struct vgpu *vgpu, enum mig_state state, u32 how)
{
	struct mig_stream s = { 0 };
	pthread_t thread;
	void *events;
	int fd;

	fd = begin(vgpu, state);
	tap_eq(-mig_read(fd, &s), ENOMSG, "%s: the early part", mig_state_names[state]);
	pthread_create(&thread, NULL, wait_ready, &fd);
	sleep_us(20000);
	tap_eq(-end(vgpu, how), 0, "%s: %s", mig_state_names[state], ends[how]);
	pthread_join(thread, &events);
	tap_eq((long)events, how ? POLLIN | POLLERR : POLLIN, "%s: %s wakes a waiting poll()",
	       mig_state_names[state], ends[how]);
	tap_ok(how ? is_dropped(fd) : !mig_read(fd, &s), "%s: %s: the data file",
	       mig_state_names[state], ends[how]);
	close(fd);
	mig_free(&s);
	tap_ok(vgpu_works(vgpu) && mig_get(&vgpu->dev) == MIG_RUNNING, "%s: %s: it works",
	       mig_state_names[state], ends[how]);
	tap_ok(stops(vgpu), "%s: %s: it stops, and goes on", mig_state_names[state], ends[how]);
}

static void check_ends(struct vgpu *vgpu)
{
	u32 how;

	for (how = 0; how < ARRAY_SIZE(ends); how++) {
		check_waiter(vgpu, MIG_PRE_COPY, how);
		check_waiter(vgpu, MIG_PRE_COPY_P2P, how);
	}
}

/* Closed, and a thread waits for more. */
static void check_close(enum mig_state state)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct mig_stream s = { 0 };
	char uuid[MDEV_UUID_SIZE];
	pthread_t thread;
	void *events;
	int fd;

	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	fill(vgpu);
	fd = begin(vgpu, state);
	mig_read(fd, &s);
	mig_free(&s);
	pthread_create(&thread, NULL, wait_ready, &fd);
	sleep_us(20000);
	vgpu_close(vgpu);
	pthread_join(thread, &events);
	tap_ok((long)events == (POLLIN | POLLERR) && is_dropped(fd), "closed in %s: a waiter",
	       mig_state_names[state]);
	tap_eq(-mdev_remove(uuid), 0, "closed in %s: it can be removed", mig_state_names[state]);
	close(fd);
}

/* A thread that reads a data file to its end */
struct racer {
	int fd;
	u64 bytes[256];	/* how often it has got each value */
};

static void *read_some(void *arg)
{
	struct pollfd p = { .fd = ((struct racer *)arg)->fd, .events = POLLIN };
	struct racer *r = arg;
	u8 piece[37];
	ssize_t n, i;

	while ((n = read(r->fd, piece, sizeof(piece)))) {
		if (n < 0 && errno != ENOMSG)
			break;
		if (n < 0)
			poll(&p, 1, SOON_MS);
		for (i = 0; i < n; i++)
			r->bytes[piece[i]]++;
	}
	return NULL;
}

static void check_readers(struct vgpu *vgpu)
{
	struct racer racers[2] = { 0 };
	pthread_t threads[2];
	struct mig_stream s;
	u32 bad = 0, i;
	size_t k;
	int fd;

	fill(vgpu);
	save(vgpu, &s, false);
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	fd = begin(vgpu, MIG_PRE_COPY);
	for (i = 0; i < 2; i++) {
		racers[i].fd = fd;
		pthread_create(&threads[i], NULL, read_some, &racers[i]);
	}
	sleep_us(10000);
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP_COPY, NULL), 0, "two threads read: STOP_COPY");
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	close(fd);
	for (k = 0; k < s.len; k++)
		racers[0].bytes[s.data[k]]--;
	for (i = 0; i < 256; i++)
		bad += !!(racers[0].bytes[i] + racers[1].bytes[i]);
	tap_eq(bad, 0, "two threads read: they get each byte once");
	mig_free(&s);
	vgpu_reset(vgpu);
}

static bool resize(struct vgpu *vgpu, u32 mb)
{
	return !size_set(vgpu->uuid, HIGH_MB, mb) && size_now(vgpu->uuid, HIGH_MB) == mb;
}

/* An administrator resizes a vGPU whose header may have been read. */
static void check_resized(struct vgpu *vgpu, const char *what, u32 mb)
{
	u32 was = vgpu->high_size / MB(1);
	struct mig_stream s = { 0 };
	char byte;
	int fd;

	/* Nothing is at the end. */
	fill(vgpu);
	set_page(vgpu, high_end(vgpu) - 1, 0);
	fd = begin(vgpu, MIG_PRE_COPY);
	tap_eq(read(fd, &byte, 1), 1, "%s: data", what);
	tap_ok(resize(vgpu, mb), "%s: it is resized", what);
	tap_ok(read(fd, &byte, 1) < 0 && errno == ESTALE, "%s: the data file says so", what);
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP_COPY, NULL), 0, "%s: STOP_COPY all the same", what);
	tap_ok(read(fd, &byte, 1) < 0 && errno == ESTALE, "%s: the data file still says so", what);
	tap_ok(poll_now(fd) & POLLERR, "%s: poll() says so", what);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "%s: it runs again", what);
	close(fd);

	fd = begin(vgpu, MIG_PRE_COPY);
	tap_eq(-mig_read(fd, &s), ENOMSG, "%s: another attempt", what);
	close(fd);
	mig_free(&s);
	/* And back, twice, while it is saved: the stream is as good as before. */
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	resize(vgpu, was);
	fd = begin(vgpu, MIG_PRE_COPY);
	tap_eq(-mig_read(fd, &s), ENOMSG, "%s: the early part", what);
	tap_ok(resize(vgpu, mb) && resize(vgpu, was), "%s: to and fro", what);
	change(vgpu);
	tap_ok(!mig_set(&vgpu->dev, MIG_STOP_COPY, NULL) && !mig_read(fd, &s),
	       "%s: to and fro: the rest", what);
	close(fd);
	look(vgpu, before);
	load(vgpu, &s, what);
	tap_eq(count_changes(table, before), 0, "%s: to and fro: the table has arrived", what);
	mig_free(&s);
	vgpu_reset(vgpu);
}

/* A destination of another size refuses the first bytes, while the source still runs. */
static void check_misfit(struct vgpu *vgpu)
{
	struct vgpu *large = vgpu_new(MDEV_TYPE_LARGE);
	u8 header[sizeof(struct gslot_mig_header)];
	struct context ctx;
	int from, to;

	context_start(&ctx, vgpu);
	from = begin(vgpu, MIG_PRE_COPY);
	to = begin(large, MIG_RESUMING);
	if (read(from, header, sizeof(header)) != sizeof(header))
		tap_die("no header");
	tap_ok(write(to, header, sizeof(header)) < 0 && errno == EINVAL,
	       "a vGPU of another size: refused in PRE_COPY");
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "a vGPU of another size: given up");
	tap_ok(context_gpr_is(&ctx, VALUE), "a vGPU of another size: the guest goes on");
	close(from);
	close(to);
	vgpu_free(large);
	vgpu_reset(vgpu);
}

/* A stream and its records, in an order that may be changed */
struct parts {
	struct mig_stream s;
	struct gslot_mig_record *record[64];
	u32 count;
};

static void take_apart(struct parts *p, const struct mig_stream *s)
{
	size_t at = sizeof(struct gslot_mig_header);

	p->s = mig_stream_copy(s);
	for (p->count = 0; at < s->len; p->count++) {
		if (p->count == ARRAY_SIZE(p->record) - 1)
			tap_die("too many records");
		p->record[p->count] = (void *)(p->s.data + at);
		at += sizeof(*p->record[0]) + p->record[p->count]->length;
	}
}

/* All is right about it but the order of its records. */
static struct mig_stream put_together(const struct parts *p)
{
	struct mig_stream s = { .data = malloc(2 * p->s.len) };
	u32 i;

	if (!s.data)
		tap_die("no memory");
	s.len = sizeof(struct gslot_mig_header);
	memcpy(s.data, p->s.data, s.len);
	for (i = 0; i < p->count; i++) {
		struct gslot_mig_record *record = (void *)(s.data + s.len);
		size_t len = sizeof(*record) + p->record[i]->length;

		memcpy(record, p->record[i], len);
		record->index = i;
		if (record->type == GSLOT_MIG_END)
			((struct gslot_mig_end *)(record + 1))->records = i;
		s.len += len;
	}
	mig_stream_fix(&s);
	return s;
}

static bool is_refused(struct vgpu *vgpu, const struct mig_stream *s)
{
	bool resumed;

	vfio_device_reset(&vgpu->dev);
	mig_load(&vgpu->dev, s, MB(1));
	resumed = !mig_set(&vgpu->dev, MIG_STOP, NULL);
	if (resumed != (mig_get(&vgpu->dev) == MIG_STOP))
		tap_ok(false, "in state %d", mig_get(&vgpu->dev));
	return !resumed;
}

static void check_order(struct vgpu *vgpu, const struct mig_stream *good, u32 to, bool keep,
			const char *what)
{
	struct gslot_mig_record *first;
	struct mig_stream s;
	struct parts p;

	take_apart(&p, good);
	first = p.record[0];
	if (to > p.count)
		to = p.count;
	/* Records move up to make room for it, or to fill its place. */
	if (keep)
		memmove(&p.record[to + 1], &p.record[to], (p.count++ - to) * sizeof(first));
	else
		memmove(&p.record[0], &p.record[1], to * sizeof(first));
	p.record[to] = first;
	s = put_together(&p);
	tap_ok(is_refused(vgpu, &s), "%s: refused", what);
	mig_free(&s);
	mig_free(&p.s);
}

/* Early records with a good checksum that no guest can have caused. */
#define HOSTILE(what, change) do {					\
	struct mig_stream s = mig_stream_copy(good);			\
	struct gslot_mig_record *record =				\
		mig_stream_find(&s, GSLOT_MIG_GGTT_EARLY, 0);		\
	struct gslot_mig_run *p = (void *)(record + 1);			\
									\
	(void)p;							\
	change;								\
	mig_stream_fix(&s);						\
	tap_ok(is_refused(vgpu, &s), "early: %s: refused", what);	\
	mig_free(&s);							\
} while (0)

static void check_hostile(struct vgpu *vgpu, const struct mig_stream *good)
{
	u32 low = low_end(vgpu), high = high_end(vgpu);

	HOSTILE("entries behind low graphics memory", (p->entry = low - 1, p->count = 2));
	HOSTILE("entries behind high graphics memory", (p->entry = high - 1, p->count = 2));
	HOSTILE("entries between both", p->entry = low);
	HOSTILE("no entries", p->count = 0);
	HOSTILE("more entries than there are", p->count = 0x7fffffff);
	HOSTILE("entries that overflow",
		(p->count = GSLOT_MIG_RUN_ASCENDING | 2, p->pte = ~0ULL - 4094));
	HOSTILE("entries out of order", p[1].entry = p[0].entry);
	HOSTILE("runs that overlap", p[0].count++);
	HOSTILE("another version", record->version++);
	HOSTILE("not mandatory", record->flags = 0);
	HOSTILE("a length of 4 GB", record->length = 0xffffffff);
	HOSTILE("a wrong number", record->index++);
	check_order(vgpu, good, 1, true, "an early record twice");
	check_order(vgpu, good, 2, true, "an early record behind another one");
	check_order(vgpu, good, 6, true, "an early record among the rest");
	check_order(vgpu, good, 63, true, "an early record behind the end");
	/* In front of the end, behind all others. */
	check_order(vgpu, good, 14, false, "an early record as the last");
}

static void check_cut(struct vgpu *vgpu, const struct mig_stream *good)
{
	u32 first = ((struct gslot_mig_record *)(good->data + sizeof(struct gslot_mig_header)))
		->length + sizeof(struct gslot_mig_header) + sizeof(struct gslot_mig_record);
	struct mig_stream s = mig_stream_copy(good);
	u32 accepted = 0, i;

	/* Each byte of the early part, and some of the rest. */
	for (s.len = 0; s.len < good->len; s.len += s.len < first + 40 ? 1 : 97)
		accepted += !is_refused(vgpu, &s);
	tap_eq(accepted, 0, "cut streams are refused");
	s.len = good->len;
	for (i = 0; i < 200; i++) {
		u32 bit = rng_u64(&rng) % (first * 8);

		s.data[bit / 8] ^= 1 << bit % 8;
		accepted += !is_refused(vgpu, &s);
		s.data[bit / 8] ^= 1 << bit % 8;
	}
	tap_eq(accepted, 0, "streams with a bit of the early part changed are refused");
	tap_ok(!is_refused(vgpu, &s), "the stream itself is accepted");
	mig_free(&s);
}

/* A stream with two early records, and entries that are in both parts. */
static void check_streams(struct vgpu *vgpu)
{
	struct mig_stream good;
	u32 i;

	vgpu_reset(vgpu);
	set_page(vgpu, 5, 0x1000);
	set_page(vgpu, 6, 0x5000);
	for (i = 0; i < 8; i++)
		set_page(vgpu, HIGH_PAGE + 4 * i, 0x1000);
	save(vgpu, &good, true);
	tap_ok(mig_stream_find(&good, GSLOT_MIG_GGTT_EARLY, 1) &&
	       mig_stream_find(&good, GSLOT_MIG_GGTT, 1), "both parts have several records");
	check_hostile(vgpu, &good);
	check_cut(vgpu, &good);
	mig_free(&good);
	tap_ok(vgpu_works(vgpu), "hostile streams: the vGPU works after a reset");
}

static bool shows(struct vgpu *vgpu, const char *state, u64 bytes)
{
	char path[MDEV_PATH_MAX], text[32];
	u64 now = knob_get(vgpu->uuid, "migration_bytes");

	mdev_device_path(path, vgpu->uuid, "gslot/migration");
	if (file_read(path, text, sizeof(text)) < 0)
		return false;
	if (now == bytes && !strcmp(text, state))
		return true;
	tap_diag("%s, %llu bytes; not %s, %llu", text, (unsigned long long)now, state,
		 (unsigned long long)bytes);
	return false;
}

/* What an administrator sees of it. */
static void check_progress(struct vgpu *vgpu)
{
	struct mig_stream s = { 0 };
	void *nowhere = mmap(NULL, PAGE_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t early;
	int fd;

	vgpu_reset(vgpu);
	fd = begin(vgpu, MIG_PRE_COPY);
	tap_ok(shows(vgpu, "PRE_COPY", 0), "sysfs: PRE_COPY begins");
	mig_read(fd, &s);
	early = s.len;
	tap_ok(shows(vgpu, "PRE_COPY", early), "sysfs: what was read of a stream");
	tap_ok(read(fd, nowhere, PAGE_SIZE) < 0 && shows(vgpu, "PRE_COPY", early),
	       "sysfs: not what could not be read");
	mig_set(&vgpu->dev, MIG_STOP_COPY, NULL);
	tap_ok(read(fd, nowhere, PAGE_SIZE) < 0 && errno == EFAULT &&
	       shows(vgpu, "STOP_COPY", early), "sysfs: not what no memory is for");
	mig_read(fd, &s);
	tap_ok(shows(vgpu, "STOP_COPY", s.len), "sysfs: a whole stream");
	close(fd);
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	tap_ok(shows(vgpu, "RUNNING", s.len), "sysfs: it was given up");
	fd = begin(vgpu, MIG_RESUMING);
	tap_ok(shows(vgpu, "RESUMING", 0), "sysfs: another stream begins");
	if (write(fd, s.data, early) != (ssize_t)early)
		tap_die("the stream is refused");
	tap_ok(shows(vgpu, "RESUMING", early), "sysfs: what was restored");
	close(fd);
	mig_set(&vgpu->dev, MIG_RUNNING, NULL);
	tap_ok(shows(vgpu, "ERROR", early), "sysfs: it was not restored whole");
	vgpu_reset(vgpu);
	tap_ok(shows(vgpu, "RUNNING", early), "sysfs: it was reset");
	mig_free(&s);
	munmap(nowhere, PAGE_SIZE);
}

/* Fill a table so that each entry is a run of its own. */
static void fill_runs(struct vgpu *vgpu, u32 salt)
{
	u32 page;

	for (page = 0; page < high_end(vgpu); page++)
		if (has_page(vgpu, page))
			set_page(vgpu, page, ((page % 2 + salt) * 2 + 1) * PAGE_SIZE);
}

/* As much as there can be in a stream, of the largest vGPU: all entries, and all change. */
static void check_largest(void)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	u32 most = counters_gpu_number("ggtt", "size_mb") - 256;
	struct mig_stream s = { 0 };
	size_t early;
	u64 t0;
	int fd;

	tap_ok(!size_set(vgpu->uuid, LOW_MB, 256) && resize(vgpu, most), "the largest vGPU");
	size_learn(vgpu);
	fill_runs(vgpu, 0);
	t0 = now_us();
	fd = begin(vgpu, MIG_PRE_COPY);
	tap_diag("the largest vGPU: PRE_COPY in %llu us", (unsigned long long)(now_us() - t0));
	tap_eq(-mig_read(fd, &s), ENOMSG, "the largest vGPU: the early part");
	early = s.len;
	fill_runs(vgpu, 2);
	t0 = now_us();
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP_COPY, NULL), 0, "the largest vGPU: STOP_COPY");
	tap_diag("the largest vGPU: STOP_COPY in %llu us", (unsigned long long)(now_us() - t0));
	tap_eq(-mig_read(fd, &s), 0, "the largest vGPU: the rest");
	tap_ok(early > (most + 256) * 256 * sizeof(struct gslot_mig_run) && s.len - early > early,
	       "the largest vGPU: %zu and %zu bytes", early, s.len - early);
	close(fd);
	look(vgpu, before);
	tap_ok(!is_refused(vgpu, &s), "the largest vGPU: the stream is accepted");
	look(vgpu, table);
	tap_eq(count_changes(table, before), 0, "the largest vGPU: the table has arrived");
	mig_free(&s);
	vgpu_free(vgpu);
}

int main(void)
{
	struct vgpu *vgpu;

	vgpu_test_init(600);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (!mig_has_pre_copy(&vgpu->dev)) {
		vgpu_free(vgpu);
		tap_skip_all("this kernel has no PRE_COPY");
	}
	check_stream(vgpu);
	check_moves(vgpu);
	check_cancel(vgpu);
	check_ends(vgpu);
	check_close(MIG_PRE_COPY);
	check_close(MIG_PRE_COPY_P2P);
	check_readers(vgpu);
	check_misfit(vgpu);
	check_resized(vgpu, "more", vgpu->high_size / MB(1) + 128);
	check_resized(vgpu, "less", vgpu->high_size / MB(1) - 128);
	check_streams(vgpu);
	check_progress(vgpu);
	vgpu_free(vgpu);
	check_largest();
	return vgpu_test_done();
}
