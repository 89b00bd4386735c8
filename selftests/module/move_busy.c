// SPDX-License-Identifier: GPL-2.0
/*
 * Another place in the physical GGTT while requests are under way: commands that were
 * translated for the old one are not executed any more. One context of each engine waits
 * in the middle of its request, another is queued behind it.
 */
#include <stdio.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "ggtt.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"

#define ROUNDS		10
#define NR_LOW		3	/* low slots from 1; 0 is the host's */
#define NR_HIGH		50	/* at least */
#define CALLED_DWORDS	400	/* that the batch stores */
#define CALLED_PAGES	2

/* Where in a job's page of results. */
#define GO		0	/* what the first request waits for */
#define DONE		64
#define SECOND		128
#define LOADED		192	/* by the batch of the context's load */
#define CALLED		256

/**
 * struct job - what is under way on an engine
 * @first: the context that waits
 * @second: the one behind it
 * @gpa: its page of results
 * @addr: the graphics address of that
 * @batch: bus address of a batch in the GGTT, which the first one calls
 * @batch_ggtt: its graphics address
 * @seqno: of both requests
 */
struct job {
	struct context first;
	struct context second;
	u64 gpa;
	u64 addr;
	u64 batch;
	u64 batch_ggtt;
	u32 seqno[2];
};

static bool move(struct vgpu *vgpu)
{
	static struct rng rng = { 7 };
	char path[MDEV_PATH_MAX], text[32];
	u32 i;

	counters_vgpu_path(path, vgpu, "move");
	for (i = 0; i < 20; i++) {
		snprintf(text, sizeof(text), "%u %u", 1 + rng_below(&rng, NR_LOW),
			 rng_below(&rng, NR_HIGH));
		if (!file_write(path, text))
			return true;
	}
	return false;
}

/* Whenever the context is loaded, it says so. */
static void write_load_batch(struct job *job)
{
	u64 gpa = ram_alloc(&job->first.vgpu->ram, 1);
	struct cs cs;

	cs_init(&cs, ram_ptr(&job->first.vgpu->ram, gpa), PAGE_SIZE);
	cs_store(&cs, GGTT, job->addr + LOADED, 1);
	job->first.state[LRC_INDIRECT_CTX] = ggtt_bind(job->first.vgpu, gpa, 1) | 1;
}

static void job_init(struct job *job, struct vgpu *vgpu, enum vgpu_engine engine)
{
	job->gpa = ram_alloc(&vgpu->ram, 1);
	job->addr = engine & 1 ? ggtt_bind(vgpu, job->gpa, 1) : ggtt_bind_low(vgpu, job->gpa, 1);
	job->batch = ram_alloc(&vgpu->ram, CALLED_PAGES);
	job->batch_ggtt = ggtt_bind(vgpu, job->batch, CALLED_PAGES);
	context_init(&job->first, vgpu, engine, NULL);
	context_init(&job->second, vgpu, engine, NULL);
	if (engine == RCS)
		write_load_batch(job);
}

static void write_called(struct job *job, u32 value)
{
	struct cs cs;
	u32 i;

	cs_init(&cs, ram_ptr(&job->first.vgpu->ram, job->batch), CALLED_PAGES * PAGE_SIZE);
	for (i = 0; i < CALLED_DWORDS; i++)
		cs_store(&cs, GGTT, job->addr + CALLED + i * sizeof(u32), value + i);
	cs_end(&cs);
}

static bool job_start(struct job *job, u32 value)
{
	struct context *first = &job->first, *second = &job->second;

	write_called(job, value);
	request_begin(first);
	cs_semaphore_wait(&first->ring, GGTT, job->addr + GO, SEMAPHORE_EQ, value);
	cs_batch(&first->ring, GGTT, job->batch_ggtt);
	cs_store(&first->ring, GGTT, job->addr + DONE, value);
	job->seqno[0] = request_end(first);
	request_begin(second);
	cs_store(&second->ring, GGTT, job->addr + SECOND, value);
	job->seqno[1] = request_end(second);
	context_submit2(first, second);
	return request_wait_started(first, job->seqno[0], SOON_MS);
}

static u32 result(const struct job *job, u32 offset)
{
	return ram_read32(&job->first.vgpu->ram, job->gpa + offset);
}

static bool job_waits(struct job *job, u32 value)
{
	return !request_done(&job->first, job->seqno[0]) &&
	       !request_started(&job->second, job->seqno[1]) && result(job, DONE) != value;
}

static bool job_end(struct job *job, u32 value)
{
	bool ok;
	u32 i;

	ram_write32(&job->first.vgpu->ram, job->gpa + LOADED, 0);
	ram_write32(&job->first.vgpu->ram, job->gpa + GO, value);
	memory_fence();
	ok = request_wait(&job->first, job->seqno[0], SOON_MS) &&
	     request_wait(&job->second, job->seqno[1], SOON_MS) &&
	     engine_wait_idle(job->first.engine, SOON_MS);
	ok &= result(job, DONE) == value && result(job, SECOND) == value;
	for (i = 0; i < CALLED_DWORDS; i++)
		ok &= result(job, CALLED + i * sizeof(u32)) == value + i;
	return ok && !job->first.engine->bad;
}

/* The first context is loaded by a request of its own once more. */
static bool loads(struct job *job)
{
	request_begin(&job->first);
	return request_run(&job->first, request_end(&job->first)) && result(job, LOADED) == 1;
}

int main(void)
{
	u32 i, e, moved = 0, bad = 0, unasked = 0, unloaded = 0, idle = 0;
	struct job job[VGPU_NR_ENGINES];
	char path[MDEV_PATH_MAX];
	struct vgpu *vgpu;

	vgpu_test_init(200);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (!counters_vgpu_path(path, vgpu, "move")) {
		vgpu_free(vgpu);
		tap_skip_all("the module has no debugfs file to move a vGPU");
	}
	for (e = 0; e < VGPU_NR_ENGINES; e++)
		job_init(&job[e], vgpu, e);
	for (i = 1; i <= ROUNDS && !bad; i++) {
		for (e = 0; e < VGPU_NR_ENGINES; e++)
			bad += !job_start(&job[e], i << 16);
		idle += !counters_number(vgpu, "exec", "pending");
		moved += move(vgpu);
		for (e = 0; e < VGPU_NR_ENGINES; e++)
			unasked += !job_waits(&job[e], i << 16);
		for (e = 0; e < VGPU_NR_ENGINES; e++)
			bad += !job_end(&job[e], i << 16);
		unloaded += !loads(&job[RCS]);
	}
	tap_eq(moved, ROUNDS, "moved %u times", ROUNDS);
	tap_eq(idle, 0, "with requests under way");
	tap_eq(unasked, 0, "what waits goes on waiting");
	tap_eq(bad, 0, "and then every command finds its memory");
	tap_eq(unloaded, 0, "so do batches that belong to the load of a context");
	tap_ok(counters_number(vgpu, "exec", "relocated") >= 2 * VGPU_NR_ENGINES * ROUNDS,
	       "all requests were translated anew");
	tap_eq(counters_number(vgpu, "exec", "relocations"), 0, "nothing is kept of them");
	tap_ok(ram_canary_intact(&vgpu->ram), "no stray write");
	tap_ok(vgpu_works(vgpu), "it works after a reset");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
