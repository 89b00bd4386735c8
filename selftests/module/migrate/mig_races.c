// SPDX-License-Identifier: GPL-2.0
/*
 * States of migration change at random, while the guest submits and resets its engines, the device
 * is reset, and memory is unmapped: each call ends in bounded time, and the vGPU works after that.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "ggtt.h"
#include "migration.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"

#define SECONDS		10
/* A preempt timeout, a reset, and timeouts of locks, on a slow machine. */
#define BOUND_US	(8000000 * slowness())

static struct vgpu *vgpu;
static u64 until, longest;
/* Counted by all threads. */
static u32 changes[MIG_NR_STATES], refusals, resets, odd;

static void count(u32 *counter, bool happened)
{
	__atomic_add_fetch(counter, happened, __ATOMIC_RELAXED);
}

static void note(u64 t0)
{
	u64 took = now_us() - t0, seen = READ_ONCE(longest);

	while (took > seen && !__atomic_compare_exchange_n(&longest, &seen, took, false,
							   __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void reset(void)
{
	u64 t0 = now_us();

	vfio_device_reset(&vgpu->dev);
	note(t0);
	count(&resets, true);
}

static void change(struct rng *rng, const struct mig_stream *good)
{
	static const enum mig_state states[] = {
		MIG_STOP, MIG_RUNNING, MIG_STOP_COPY, MIG_RESUMING, MIG_RUNNING_P2P, MIG_RUNNING,
		MIG_PRE_COPY, MIG_PRE_COPY_P2P, MIG_STOP_COPY,
	};
	enum mig_state state = states[rng_below(rng, ARRAY_SIZE(states))];
	u64 t0 = now_us();
	u8 buf[512];
	int fd, ret;

	ret = mig_set(&vgpu->dev, state, &fd);
	note(t0);
	count(&odd, ret && ret != -EBUSY && ret != -EINVAL);
	count(&refusals, ret);
	count(&changes[state], !ret);
	if (fd >= 0 && state != MIG_RESUMING)
		count(&odd, read(fd, buf, sizeof(buf)) < 0 && errno != ENODEV);
	/* The other thread may leave the state, and the guest may have the vGPU's lock. */
	if (fd >= 0 && state == MIG_RESUMING)
		count(&odd, write(fd, good->data, rng_below(rng, 2) ? good->len :
				  rng_below(rng, good->len)) < 0 &&
		      errno != ENODEV && errno != EINVAL && errno != EBUSY);
	if (fd >= 0)
		close(fd);
	if (mig_get(&vgpu->dev) == MIG_ERROR)
		reset();
}

/* A thread that changes states */
struct changer {
	struct rng rng;
	const struct mig_stream *good;	/* a stream that fits */
};

static void *change_all(void *arg)
{
	struct changer *c = arg;

	while (now_us() < until)
		change(&c->rng, c->good);
	return NULL;
}

/* What a guest and its user do meanwhile. */
static void *disturb(void *arg __maybe_unused)
{
	struct rng rng = { .state = 3 };
	u64 t0;

	while (now_us() < until) {
		u32 engine = rng_below(&rng, VGPU_NR_ENGINES);
		u64 desc = GEN_LOW_GM_SIZE + rng_below(&rng, 64) * PAGE_SIZE + 0x19;

		switch (rng_below(&rng, 8)) {
		case 0:
			reset();
			break;
		case 1:
			mmio_write(vgpu, GEN_GDRST, engine_infos[engine].gdrst);
			break;
		case 2:
			t0 = now_us();
			vfio_dma_unmap(&vgpu->dev, vgpu->ram.base, vgpu->ram.size);
			note(t0);
			vfio_dma_map(&vgpu->dev, vgpu->ram.base, vgpu->ram.ptr, vgpu->ram.size);
			break;
		case 3:
			ggtt_set(vgpu, GEN_LOW_GM_SIZE + rng_below(&rng, 64) * PAGE_SIZE,
				 (rng_below(&rng, 4096) * PAGE_SIZE) | GEN_PTE_PRESENT);
			ggtt_flush(vgpu);
			break;
		case 4:
			mmio_write(vgpu, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
			break;
		default:
			engine_elsp(&vgpu->engines[engine], desc, rng_below(&rng, 2) ? desc : 0);
		}
		sleep_us(rng_below(&rng, 3000));
	}
	return NULL;
}

/* A guest with work that can be saved. */
static void make(struct mig_stream *good)
{
	struct context ctx;

	context_init(&ctx, vgpu, RCS, NULL);
	request_begin(&ctx);
	if (!request_run(&ctx, request_end(&ctx)) || mig_save(&vgpu->dev, good))
		tap_die("no stream");
	if (mig_set(&vgpu->dev, MIG_RUNNING, NULL))
		tap_die("it does not run again");
}

int main(void)
{
	struct mig_stream good;
	struct changer changers[] = { { { 1 }, &good }, { { 2 }, &good } };
	pthread_t threads[3];
	struct spinner spin;
	struct context ctx;
	u32 i;

	vgpu_test_init(200);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	make(&good);
	/* Its guest does not yield, until it is reset. */
	context_init(&ctx, vgpu, VCS, NULL);
	spinner_init(&spin, &ctx, false);
	spinner_request(&spin, &ctx);
	context_submit(&ctx);
	until = now_us() + SECONDS * 1000000;
	pthread_create(&threads[0], NULL, change_all, &changers[0]);
	pthread_create(&threads[1], NULL, change_all, &changers[1]);
	pthread_create(&threads[2], NULL, disturb, NULL);
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		pthread_join(threads[i], NULL);
	for (i = 0; i < MIG_NR_STATES; i++)
		tap_diag("%s: %u times", mig_state_names[i], changes[i]);
	tap_diag("%u refusals, %u resets, the longest call took %llu us", refusals, resets,
		 (unsigned long long)longest);
	tap_ok(changes[MIG_RUNNING] && changes[MIG_STOP_COPY] && changes[MIG_RESUMING],
	       "the states change");
	tap_eq(!changes[MIG_PRE_COPY], !mig_has_pre_copy(&vgpu->dev), "so do those of pre-copy");
	tap_eq(odd, 0, "a call fails only if it comes at the wrong time");
	tap_ok(longest < BOUND_US, "each call ends in bounded time");
	tap_ok(vgpu_works(vgpu), "the vGPU works after a reset");
	mig_free(&good);
	vgpu_free(vgpu);
	return vgpu_test_done();
}
