// SPDX-License-Identifier: GPL-2.0
/* Migration: states that change at any moment, streams of any kind, and moves to another vGPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"
#include "mig_stream.h"
#include "size.h"
#include "tap.h"

#define STREAM_MAX	MB(2)

/* The stream that this thread has read last. */
static __thread struct mig_stream last;

/* Read on, behind what was read. */
static void read_more(struct actor *a, int fd)
{
	size_t piece = 1 + below(a, one_in(a, 4) ? 64 : MB(1));
	u32 pieces = one_in(a, 2) ? below(a, 100) : STREAM_MAX;
	ssize_t n = 1;

	if (!last.data)
		last.data = malloc(STREAM_MAX + 64);
	if (!last.data)
		return;
	for (; n > 0 && pieces && last.len + piece <= STREAM_MAX; pieces--) {
		n = read(fd, last.data + last.len, piece);
		last.len += n > 0 ? n : 0;
	}
}

/* So much that submissions may be held in pre-copy: a request has all pages pinned. */
static void use_much(struct actor *a)
{
	u32 engine = below(a, VGPU_NR_ENGINES), batch = below(a, NR_BATCHES), i;

	setup_registers(a);
	setup_ggtt(a);
	for (i = 0; i < NR_SPACES; i++)
		setup_tables(a, i);
	write_batch(a, batch, false);
	submit_batch(a, engine, batch);
	usleep(below(a, 20000));
}

/* As a VMM that has read all that there is, and sends memory in rounds, short ones. */
static void ask_often(struct actor *a, int fd)
{
	char rest[PAGE_SIZE];
	u64 initial, dirty;
	u32 n = below(a, 6);

	while (read(fd, rest, sizeof(rest)) > 0)
		;
	if (one_in(a, 2))
		use_much(a);
	while (n--) {
		mig_pre_copy_info(fd, &initial, &dirty);
		usleep(below(a, 10000));
	}
}

/* @state: the one that the data file is of */
static void read_stream(struct actor *a, int fd, enum mig_state state)
{
	struct vfio *dev = &actor_vgpu(a)->dev;

	last.len = 0;
	read_more(a, fd);
	if (state != MIG_STOP_COPY && one_in(a, 2))
		ask_often(a, fd);
	if (state == MIG_STOP_COPY || one_in(a, 4))
		return;
	/* The rest of one that was begun while the vGPU ran. */
	if (one_in(a, 2))
		mig_set(dev, one_in(a, 2) ? MIG_PRE_COPY : MIG_PRE_COPY_P2P, NULL);
	mig_set(dev, MIG_STOP_COPY, NULL);
	read_more(a, fd);
}

static void flip_bits(struct actor *a, struct mig_stream *s)
{
	u32 n = 1 + below(a, 4), bit;

	while (n--) {
		bit = below(a, ~0u);
		if (s->len)
			s->data[bit / 8 % s->len] ^= 1 << bit % 8;
	}
}

static void make_wild(struct actor *a, struct mig_stream *s)
{
	struct gslot_mig_record *record;
	struct rng rng = { .state = rng_u64(&a->rng) };
	u32 i;

	for (i = 0; i < GSLOT_MIG_NR_ENGINES; i++) {
		record = mig_stream_find(s, GSLOT_MIG_ENGINE, i);
		if (record && record->length == sizeof(struct gslot_mig_engine))
			mig_stream_make_wild((void *)(record + 1), &rng);
	}
}

/* What a user may do to a stream before it is restored. */
static void damage(struct actor *a, struct mig_stream *s)
{
	u32 how = below(a, 5), cut = below(a, STREAM_MAX);

	switch (how) {
	case 0:
		flip_bits(a, s);
		break;
	case 1:
		flip_bits(a, s);
		mig_stream_fix(s);
		break;
	case 2:
		make_wild(a, s);
		mig_stream_fix(s);
		break;
	case 3:
		s->len = s->len ? cut % s->len : 0;
		break;
	}
}

static void write_stream(struct actor *a, int fd)
{
	size_t piece = 1 + below(a, one_in(a, 4) ? 64 : MB(1)), done = 0;
	struct mig_stream s = mig_stream_copy(&last);
	ssize_t n = 1;

	damage(a, &s);
	for (; n > 0 && done < s.len; done += n)
		n = write(fd, s.data + done, s.len - done < piece ? s.len - done : piece);
	mig_free(&s);
}

/* Only a reset ends ERROR; or memory has not arrived. */
static void run_again(struct actor *a)
{
	struct vfio *dev = &actor_vgpu(a)->dev;

	if (!mig_set(dev, MIG_RUNNING, NULL))
		return;
	vfio_device_reset(dev);
	setup_registers(a);
	setup_ggtt(a);
}

/* Has random numbers of its own: how many it draws depends on what the vGPU answers. */
void op_states(struct actor *caller)
{
	struct actor own = { .guest = caller->guest, .rng = { .state = rng_u64(&caller->rng) } };
	struct actor *a = &own;
	u32 n = 1 + below(a, 5);

	while (n--) {
		enum mig_state state = below(a, MIG_NR_STATES);
		int fd;

		/* These data files more often than the other states. */
		if (one_in(a, 2))
			state = one_in(a, 2) ? MIG_STOP_COPY : MIG_RESUMING;
		mig_set(&actor_vgpu(a)->dev, state, &fd);
		if (fd >= 0 && state == MIG_RESUMING)
			write_stream(a, fd);
		else if (fd >= 0)
			read_stream(a, fd, state);
		/* Or in another state. */
		if (one_in(a, 4))
			mig_set(&actor_vgpu(a)->dev, MIG_RUNNING, NULL);
		if (fd >= 0)
			close(fd);
	}
	run_again(a);
}

#define GUARD	0x6775617264776f72ULL	/* behind a bit map */

/* A kernel that cannot report the log refuses all of it. */
void op_dirty_log(struct actor *a)
{
	struct mig_range range = { (u64)below(a, 1024) * MB(1), MB(1) + below(a, 2) };
	struct vfio *dev = &actor_vgpu(a)->dev;
	u64 map[GEN_PAGE_SIZE / 8 + 1] = { [GEN_PAGE_SIZE / 8] = GUARD };
	u64 page = PAGE_SIZE << below(a, 20);
	/* Most reports are of whole pages; others are refused. */
	u64 odd = one_in(a, 8) ? below(a, PAGE_SIZE) : 0;
	int ret;

	switch (below(a, 4)) {
	case 0:
		mig_log_start(dev, &range, below(a, 3) ? 1 : 0);
		break;
	case 1:
		mig_log_stop(dev);
		break;
	default:
		/* From any address on, as much as the map has bits for. */
		ret = mig_log_report(dev, (one_in(a, 2) ? range.start : (u64)below(a, ~0u) << 20) +
				     odd, page * GEN_PAGE_SIZE * 8 - below(a, 2) * PAGE_SIZE -
				     below(a, 2) * odd, page, map);
		if ((odd && !ret) || map[GEN_PAGE_SIZE / 8] != GUARD)
			tap_die("the dirty log: a report of 0x%llx bytes more: %d, guard 0x%llx",
				(unsigned long long)odd, ret,
				(unsigned long long)map[GEN_PAGE_SIZE / 8]);
	}
}

/* To a new vGPU; most have the same size. */
void op_move(struct actor *a)
{
	bool same_size = below(a, 8);
	struct guest *g = a->guest;
	char to[MDEV_UUID_SIZE];

	pthread_mutex_lock(&opening);
	mdev_new_uuid(to);
	if (!mdev_create(MDEV_TYPE_HUGE, to)) {
		if (same_size) {
			size_set(to, LOW_MB, size_now(g->uuid, LOW_MB));
			size_set(to, HIGH_MB, size_now(g->uuid, HIGH_MB));
		}
		mig_move(g->vgpu, to);
		if (strcmp(g->vgpu->uuid, to)) {
			mdev_remove(to);
		} else {
			/* Its memory is mapped, the windows are not. */
			windows_gone(g);
			mdev_remove(g->uuid);
			snprintf(g->uuid, sizeof(g->uuid), "%s", to);
		}
	}
	pthread_mutex_unlock(&opening);
	run_again(a);
}
