// SPDX-License-Identifier: GPL-2.0
/*
 * A guest wakes its vGPU's worker by many registers, as often as it likes. A worker that has used
 * up its CPU time sleeps all the same, whether a submission of the guest waits or not; and what the
 * guest wanted meanwhile is done afterwards.
 */
#include <pthread.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "knob.h"
#include "mdev.h"
#include "tap.h"
#include "thread.h"
#include "vgpu.h"

/*
 * By docs/scheduling.md the worker sleeps until 1.25 ms are due, for 125 ms: in that time it is
 * found whether it has processed the last submission, it goes to sleep, and the guest wakes it.
 */
#define PROCESSED_MS	20
#define ASLEEP_US	10000u
#define KICKS_US	50000u
#define KICKS_MIN	100u
#define THREADS_MAX	3u
/* The worker stops and goes on several times in this time. */
#define LONG_US		500000u
/* What the kernel has not counted yet of a thread that runs: a tick at HZ=100. */
#define TICK_NS		10000000ull
/* What the worker begins while anything is due: to release 64 page tables, on a slow kernel. */
#define STEP_NS		(TICK_NS * (slowness() - 1))
/* How often the worker is to stop, and the submissions until then at most. */
#define STOPS		10u
#define SUBMISSIONS_MAX	20000u
#define CLOSES		20u

/**
 * struct guest - a guest whose worker uses up its CPU time
 * @vgpu: its vGPU
 * @worker: the worker's thread
 * @light: a context of BCS
 * @waiting: its last request
 * @kicked: a context of VCS, by which the guest wakes the worker
 * @seqno: of a request of that
 * @doomed: a context of VECS, with an address space that is destroyed
 * @before: a counter, before
 * @throttled: how often the worker had used up its CPU time when it did last
 */
struct guest {
	struct vgpu *vgpu;
	pid_t worker;
	struct context light;
	u32 waiting;
	struct context kicked;
	u32 seqno;
	struct context doomed;
	u64 before;
	u64 throttled;
};

static u64 counter(const struct guest *g, const char *name)
{
	return counters_number(g->vgpu, "exec", name);
}

static bool completes(struct context *ctx, u32 seqno)
{
	return request_wait(ctx, seqno, SOON_MS) && engine_wait_idle(ctx->engine, SOON_MS) &&
	       !ctx->engine->bad;
}

static void guest_open(struct guest *g, const char *uuid)
{
	*g = (struct guest) { .vgpu = vgpu_open(uuid) };
	vgpu_start(g->vgpu);
	g->worker = thread_find("gslot/");
	context_init(&g->light, g->vgpu, BCS, NULL);
	context_init(&g->kicked, g->vgpu, VCS, NULL);
	context_init(&g->doomed, g->vgpu, VECS, NULL);
}

/*
 * Submit until the worker has used up its CPU time, before it has processed the last submission, or
 * after that. @waits: a submission is to wait then, or none. Return: whether it is throttled so.
 */
static bool exhaust(struct guest *g, bool waits)
{
	struct context *ctx = &g->light;
	bool processed;
	u32 i;

	for (i = 0; i < SUBMISSIONS_MAX; i++) {
		u64 before = counter(g, "throttled");

		g->waiting = request_submit(ctx);
		if (!wait_for(request_done(ctx, g->waiting) || counter(g, "throttled") > before,
			      SOON_MS))
			return false;
		g->throttled = counter(g, "throttled");
		if (g->throttled > before)
			break;
		if (!completes(ctx, g->waiting))
			return false;
	}
	processed = request_wait(ctx, g->waiting, PROCESSED_MS);
	if (processed && !completes(ctx, g->waiting))
		return false;
	if (processed && waits)
		g->waiting = request_submit(ctx);
	if (!processed && !waits && !engine_reset(ctx->engine))
		return false;
	sleep_us(ASLEEP_US);
	return i < SUBMISSIONS_MAX && counter(g, "throttled") == g->throttled;
}

/* A request of which it is told again and again: the inbox is full soon. */
static void submit_prepare(struct guest *g)
{
	request_begin(&g->kicked);
	g->seqno = request_end(&g->kicked);
	context_commit(&g->kicked);
}

static void submit_kick(struct guest *g, u32 thread)
{
	(void)thread;
	engine_elsp(g->kicked.engine, context_desc(&g->kicked), 0);
}

static bool submit_done(struct guest *g)
{
	return request_wait(&g->kicked, g->seqno, SOON_MS);
}

/* An address space of another kind than the module supports. */
static void refused_kick(struct guest *g, u32 thread)
{
	(void)thread;
	engine_elsp(g->kicked.engine, context_desc(&g->kicked) & ~(u64)CTX_DESC_ADDRESSING, 0);
}

static void refused_prepare(struct guest *g)
{
	g->before = counter(g, "refused");
}

static bool refused_done(struct guest *g)
{
	return wait_for(counter(g, "refused") > g->before, SOON_MS);
}

static void destroy_prepare(struct guest *g)
{
	g->before = counter(g, "tables");
}

static void destroy_kick(struct guest *g, u32 thread)
{
	(void)thread;
	ppgtt_notify(g->vgpu, g->doomed.ppgtt, false);
}

static bool destroy_done(struct guest *g)
{
	return wait_for(counter(g, "tables") < g->before, SOON_MS);
}

static void reset_kick(struct guest *g, u32 thread)
{
	(void)thread;
	gdrst(g->vgpu, g->kicked.engine->info->gdrst);
}

/* All need the vGPU's lock: a worker that is awake yields it, and is woken again for that. */
static void flush_kick(struct guest *g, u32 thread)
{
	if (!thread)
		submit_kick(g, thread);
	else
		mmio_write(g->vgpu, GEN_GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
}

/**
 * struct method - how a guest wakes the worker
 * @name: what it does
 * @threads: on how many virtual processors
 * @prepare: called before; may be NULL
 * @kick: do it once
 * @done: what it wanted is done, or is soon; may be NULL
 */
static const struct method {
	const char *name;
	u32 threads;
	void (*prepare)(struct guest *guest);
	void (*kick)(struct guest *guest, u32 thread);
	bool (*done)(struct guest *guest);
} methods[] = {
	{ "submissions", 1, submit_prepare, submit_kick, submit_done },
	{ "submissions that are refused", 1, refused_prepare, refused_kick, refused_done },
	{ "notifications of destroyed page tables", 1, destroy_prepare, destroy_kick,
	  destroy_done },
	{ "resets", 1, NULL, reset_kick, NULL },
	{ "resets by several processors", 3, NULL, reset_kick, NULL },
	{ "submissions, and flushes by other processors", 3, submit_prepare, flush_kick,
	  submit_done },
};

/**
 * struct kicker - a virtual processor
 * @guest: its guest
 * @method: what it does, again and again
 * @nr: which one, from 0 on
 * @until: until that time, us
 * @count: how often it did
 * @thread: its thread
 */
struct kicker {
	struct guest *guest;
	const struct method *method;
	u32 nr;
	u64 until;
	u32 count;
	pthread_t thread;
};

static void *kicker_run(void *data)
{
	struct kicker *k = data;

	while (now_us() < k->until) {
		k->method->kick(k->guest, k->nr);
		k->count++;
	}
	return NULL;
}

/* Return: how often they did it, for @us. */
static u32 kick(struct guest *g, const struct method *m, u64 us)
{
	struct kicker k[THREADS_MAX];
	u64 until = now_us() + us;
	u32 i, count = 0;

	for (i = 0; i < m->threads; i++) {
		k[i] = (struct kicker) { .guest = g, .method = m, .nr = i, .until = until };
		if (pthread_create(&k[i].thread, NULL, kicker_run, &k[i]))
			tap_die("pthread_create");
	}
	for (i = 0; i < m->threads; i++) {
		pthread_join(k[i].thread, NULL);
		count += k[i].count;
	}
	return count;
}

static void check_kicks(struct guest *g, const struct method *m)
{
	u64 sleeps = thread_sleeps(g->worker), cpu = knob_get(g->vgpu->uuid, CPU_NS);
	u32 count = kick(g, m, KICKS_US);

	sleeps = thread_sleeps(g->worker) - sleeps;
	cpu = knob_get(g->vgpu->uuid, CPU_NS) - cpu;
	tap_diag("%u in %u ms; woken %llu times, for %llu us", count, KICKS_US / 1000,
		 (unsigned long long)sleeps, (unsigned long long)cpu / 1000);
	tap_ok(count >= KICKS_MIN, "%s, many times", m->name);
	tap_eq(sleeps, 0, "do not wake the worker");
	tap_ok(cpu <= TICK_NS, "which uses no time");
	tap_eq(counter(g, "throttled"), g->throttled, "which stays throttled");
}

static void check_method(struct guest *g, const struct method *m, bool waits)
{
	if (!completes(&g->doomed, request_submit(&g->doomed)))
		tap_die("the guest does not work");
	knob_must_set(g->vgpu->uuid, CPU_MAX, CPU_LEAST);
	if (m->prepare)
		m->prepare(g);
	tap_ok(exhaust(g, waits), "a worker uses up its CPU time");
	check_kicks(g, m);
	if (waits)
		tap_ok(!request_done(&g->light, g->waiting), "a submission waits meanwhile");
	knob_must_set(g->vgpu->uuid, CPU_MAX, CPU_ALL);
	if (waits)
		tap_ok(completes(&g->light, g->waiting), "it completes when the worker goes on");
	if (m->done)
		tap_ok(m->done(g), "what the guest wanted is done then");
	gdrst(g->vgpu, g->kicked.engine->info->gdrst);
}

/*
 * While they go on, the worker stops and goes on: it uses what it may, and not more for being woken
 * each time that it yields the lock.
 */
static void check_long(struct guest *g, const struct method *m)
{
	u64 begun, cpu, may;
	u32 count;

	knob_must_set(g->vgpu->uuid, CPU_MAX, CPU_LEAST);
	if (m->prepare)
		m->prepare(g);
	tap_ok(exhaust(g, false), "a worker uses up its CPU time");
	begun = now_us();
	cpu = knob_get(g->vgpu->uuid, CPU_NS);
	count = kick(g, m, LONG_US);
	cpu = knob_get(g->vgpu->uuid, CPU_NS) - cpu;
	may = (now_us() - begun) * CPU_LEAST + TICK_NS + STEP_NS;
	tap_diag("%u: %llu of %llu us", count, (unsigned long long)cpu / 1000,
		 (unsigned long long)may / 1000);
	tap_ok(cpu <= may, "it keeps to its limit, in spite of %s", m->name);
	knob_must_set(g->vgpu->uuid, CPU_MAX, CPU_ALL);
	gdrst(g->vgpu, g->kicked.engine->info->gdrst);
}

/* A worker that stops and goes on misses no submission. */
static void check_none_lost(struct guest *g)
{
	u64 last = counter(g, "throttled") + STOPS;
	bool ok = true;
	u32 i;

	knob_must_set(g->vgpu->uuid, CPU_MAX, CPU_LEAST);
	for (i = 0; i < SUBMISSIONS_MAX && ok && counter(g, "throttled") < last; i++)
		ok = completes(&g->light, request_submit(&g->light));
	tap_ok(ok, "each submission completes, as the worker stops and goes on");
	tap_ok(counter(g, "throttled") >= last, "which it does several times");
	knob_must_set(g->vgpu->uuid, CPU_MAX, CPU_ALL);
}

/* It is closed while its worker is throttled, and a request runs that is retired then. */
static void check_close(const char *uuid)
{
	struct spinner spin;
	struct guest g;
	u32 i, bad = 0;

	for (i = 0; i < CLOSES && !bad; i++) {
		guest_open(&g, uuid);
		knob_must_set(g.vgpu->uuid, CPU_MAX, CPU_LEAST);
		spinner_init(&spin, &g.kicked, true);
		g.seqno = spinner_request(&spin, &g.kicked);
		context_submit(&g.kicked);
		bad += !request_wait_started(&g.kicked, g.seqno, SOON_MS) || !exhaust(&g, true);
		vgpu_close(g.vgpu);
	}
	tap_eq(bad, 0, "a throttled vGPU is closed, many times");
}

int main(void)
{
	char uuid[MDEV_UUID_SIZE];
	struct guest g;
	u32 i;

	vgpu_test_init(120);
	mdev_new_uuid(uuid);
	mdev_create(MDEV_TYPE_SMALL, uuid);
	guest_open(&g, uuid);
	for (i = 0; i < ARRAY_SIZE(methods); i++) {
		check_method(&g, &methods[i], false);
		check_method(&g, &methods[i], true);
	}
	for (i = 0; i < ARRAY_SIZE(methods); i++)
		check_long(&g, &methods[i]);
	check_none_lost(&g);
	tap_ok(vgpu_works(g.vgpu), "the vGPU works");
	vgpu_close(g.vgpu);
	check_close(uuid);
	mdev_remove(uuid);
	return vgpu_test_done();
}
