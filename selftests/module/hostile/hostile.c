// SPDX-License-Identifier: GPL-2.0
/*
 * A hostile guest: everything that a guest can do, drawn at random from a seed, beside another
 * guest that must not be affected.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "clock.h"
#include "counters.h"
#include "gpu.h"
#include "hostile.h"
#include "knob.h"
#include "model.h"
#include "module.h"
#include "standstill.h"
#include "tap.h"
#include "watch.h"

#define MAX_THREADS	16

static struct op ops[] = {
	{ "memory", 900, false, op_write_memory },
	{ "image", 900, false, op_write_image },
	{ "ring", 500, false, op_write_ring },
	{ "batch", 900, false, op_write_batch },
	{ "wa", 600, false, op_write_wa },
	{ "table", 900, false, op_write_table },
	{ "ggtt", 900, false, op_write_ggtt },
	{ "ggtt-flush", 50, false, op_flush_ggtt },
	{ "read", 1000, false, op_read_register },
	{ "write", 1000, false, op_write_register },
	{ "engine-reg", 500, false, op_engine_register },
	{ "notify", 100, false, op_notify },
	{ "fence", 200, false, op_fence },
	{ "aperture", 300, false, op_aperture },
	{ "range", 30, false, op_range },
	{ "config", 200, false, op_config },
	{ "irqs", 100, false, op_irqs },
	{ "submit", 900, false, op_submit },
	{ "sweep", 100, false, op_sweep },
	{ "submit-wild", 60, false, op_submit_wild },
	{ "elsp", 60, false, op_elsp },
	{ "engine-reset", 40, false, op_engine_reset },
	{ "reset-race", 20, false, op_reset_race },
	{ "blt-rewrite", 100, false, op_blt_rewrite },
	{ "fill", 60, false, op_fill },
	{ "edge", 30, false, op_edge },
	{ "fork", 4, false, op_fork },
	{ "irq-race", 50, false, op_irq_race },
	{ "mapping", 50, false, op_mapping },
	{ "restore", 10, false, op_restore },
	{ "window-map", 10, false, op_window_map },
	{ "window-unmap", 10, false, op_window_unmap },
	{ "device-reset", 3, false, op_device_reset },
	{ "memory-unmap", 1, false, op_memory_unmap },
	{ "reopen", 1, true, op_reopen },
	{ "states", 10, false, op_states },
	{ "move", 2, true, op_move },
	{ "dirty-log", 20, false, op_dirty_log },
	{ "policy", 2, false, op_policy },
	{ "resize", 4, false, op_resize },
	{ "share", 6, false, op_share },
	{ "spin", 2, false, op_spin },
	{ "settle", 2, true, op_settle },
	{ "kill", 1, false, op_kill },
	{ "slow", 4, false, op_slow },
	{ "processor", 60, false, op_processor },
	{ "pressure", 10, false, op_pressure },
	{ "pin_limit", 10, false, op_pin_limit },
	{ "stats", 300, false, op_stats },
};

/* Kinds to leave out, to find out which of them causes a failure. */
static bool excluded[ARRAY_SIZE(ops)];

/* The attacker's vGPUs. */
#define MAX_GUESTS	2
/* And that of the processes that are killed. */
#define NR_HOSTILE	(MAX_GUESTS + 1)
/* Before system sleep all vGPUs are parked while one waits for memory: this long at most. */
#define PARK_MS		5000u
/* So many operations at a time are reported. */
#define PROGRESS	10000u

static struct guest guests[MAX_GUESTS];
static u32 nr_guests;

/* The threads of a process that is killed. */
static char victim[MDEV_UUID_SIZE];

/**
 * struct thread - a thread and its statistics
 * @actor: its state for operations
 * @id: of the thread
 * @todo: number of operations to do
 * @done: number of those done
 * @counts: number of each kind
 * @us: time of each kind
 */
struct thread {
	struct actor actor;
	pthread_t id;
	u32 todo;
	u32 done;
	u32 counts[ARRAY_SIZE(ops)];
	u64 us[ARRAY_SIZE(ops)];
};

static struct thread threads[MAX_THREADS];

static void usage(FILE *to)
{
	fputs("NAME\n"
	      "    hostile - do everything that a guest can do, at random\n\n"
	      "SYNOPSIS\n"
	      "    hostile [-s SEED] [-n OPERATIONS] [-t THREADS] [-x KIND]... [-w KIND=N]... [-S]\n"
	      "    hostile -c UUID [-s SEED]\n\n"
	      "DESCRIPTION\n"
	      "    Drives two vGPUs as hostile guests would, in the test host, while a third\n"
	      "    runs: its memory, results and progress are checked all the time. A\n"
	      "    fourth belongs to processes that do the same and are killed. At the end, the\n"
	      "    kernel's log must be clean, no page pinned, and the module must unload.\n\n"
	      "OPTIONS\n"
	      "    -s SEED         seed of the random numbers (1)\n"
	      "    -n OPERATIONS   number of operations (100000)\n"
	      "    -t THREADS      number of threads that share them (4)\n"
	      "    -x KIND         leave out a kind of operation, by its name in the statistics\n"
	      "    -w KIND=N       set the weight of a kind of operation, relative to the sum of\n"
	      "                    all weights: to draw a rare one more often\n"
	      "    -S              put the machine to sleep, and wake it up, again and again. Must\n"
	      "                    run from memory, as tools/checks/hostile does; kills no process\n"
	      "    -c UUID         act as one of the processes that are killed, with that vGPU\n\n"
	      "    A thread's operations are the same for the same seed, count and number of\n"
	      "    threads. With one thread a run replays exactly, except for the times at which\n"
	      "    the GPU and the other guest act; with more, also except for their order.\n\n"
	      "EXIT STATUS\n"
	      "    0 if the module survived.\n", to);
}

static u32 find(const char *name, size_t length)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		if (strlen(ops[i].name) == length && !strncmp(ops[i].name, name, length))
			break;
	return i;
}

static bool exclude(const char *name)
{
	u32 i = find(name, strlen(name));

	if (i == ARRAY_SIZE(ops))
		return false;
	excluded[i] = true;
	return true;
}

static bool weigh(const char *what)
{
	const char *number = strchrnul(what, '=');
	u32 i = find(what, number - what);
	char *end;

	if (i == ARRAY_SIZE(ops) || !*number || !number[1])
		return false;
	ops[i].weight = strtoul(number + 1, &end, 0);
	return !*end && ops[i].weight && ops[i].weight < 1000000;
}

static const struct op *draw(struct actor *a)
{
	u32 i, r, total = 0;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		total += ops[i].weight;
	do {
		r = below(a, total);
		for (i = 0; r >= ops[i].weight; i++)
			r -= ops[i].weight;
	} while (excluded[i]);
	return &ops[i];
}

static void *act(void *arg)
{
	struct thread *t = arg;
	struct guest *g = t->actor.guest;

	for (; t->done < t->todo && !READ_ONCE(g->stop); WRITE_ONCE(t->done, t->done + 1)) {
		const struct op *op = draw(&t->actor);
		u64 t0;

		if (op->exclusive)
			pthread_rwlock_wrlock(&g->device);
		else
			pthread_rwlock_rdlock(&g->device);
		t0 = now_us();
		if (!g->broken)
			op->run(&t->actor);
		t->us[op - ops] += now_us() - t0;
		pthread_rwlock_unlock(&g->device);
		t->counts[op - ops]++;
	}
	return NULL;
}

static u32 operations(u32 nr_threads)
{
	u32 i, sum = 0;

	for (i = 0; i < nr_threads; i++)
		sum += READ_ONCE(threads[i].done);
	return sum;
}

static void guest_init(struct guest *g, struct vgpu *vgpu)
{
	pthread_rwlockattr_t attr;

	if (!vgpu)
		tap_die("a vGPU is not opened: %s", strerror(errno));
	if (!vgpu->aperture)
		tap_die("a vGPU has no aperture");
	pthread_rwlockattr_init(&attr);
	pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
	pthread_rwlock_init(&g->device, &attr);
	g->vgpu = vgpu;
	g->victim = victim;
	snprintf(g->uuid, sizeof(g->uuid), "%s", vgpu->uuid);
	windows_init(g);
}

static void start(u64 seed, u32 count, u32 nr_threads)
{
	u32 i;

	for (i = 0; i < nr_threads; i++) {
		threads[i].actor.guest = &guests[i % nr_guests];
		threads[i].actor.rng.state = seed * MAX_THREADS + i;
		threads[i].todo = count / nr_threads + (i < count % nr_threads);
	}
	for (i = 0; i < nr_guests; i++)
		setup_all(&threads[i].actor);
	for (i = 0; i < nr_threads; i++)
		if (pthread_create(&threads[i].id, NULL, act, &threads[i]))
			tap_die("no thread");
}

static void account(u32 nr_threads)
{
	u32 i, k, sum;
	u64 us;

	tap_diag("operation       times       ms");
	for (k = 0; k < ARRAY_SIZE(ops); k++) {
		for (i = 0, sum = 0, us = 0; i < nr_threads; i++) {
			sum += threads[i].counts[k];
			us += threads[i].us[k];
		}
		tap_diag("%-13s %7u %8llu", ops[k].name, sum, (unsigned long long)us / 1000);
	}
}

static bool all_good(void)
{
	u32 i;

	for (i = 0; i < nr_guests; i++)
		if (READ_ONCE(guests[i].broken) || READ_ONCE(guests[i].bad))
			return false;
	return true;
}

static void check_guest(struct guest *g)
{
	u64 pins;

	if (!tap_ok(!g->broken, "a hostile guest's device can be opened at the end"))
		return;
	/* Its CPU time debt may exceed the duration of the test, and its limit may be too low. */
	knob_set(g->uuid, CPU_MAX, 1000);
	knob_set(g->uuid, PINNED_MAX_MB, 16777216);
	tap_ok(vgpu_works(g->vgpu), "its vGPU works after a reset");
	vfio_device_reset(&g->vgpu->dev);
	pins = counters_pins(g->vgpu);
	tap_eq(pins, 0, "it has no page pinned after another reset");
	tap_eq(-vgpu_free(g->vgpu), 0, "its vGPU can be removed");
}

/* Without an IOMMU as well: accesses outside of the machine's memory. */
static void check_dma(void)
{
	u64 faults;

	if (model_get("dma-faults", &faults))
		tap_eq(faults, 0, "what the GPU accessed was memory");
	else
		tap_skip("no model", "what the GPU accessed was memory");
}

static void check_end(struct watch *w)
{
	u32 i;

	tap_ok(watch_ok(w), "the other guest's state is unchanged");
	tap_ok(all_good(), "all checks within operations have passed");
	/* The engines are idle: no table is changed under them any more. */
	for (i = 0; i < nr_guests; i++)
		if (!guests[i].broken)
			vfio_device_reset(&guests[i].vgpu->dev);
	vgpu_test_stale_until_now();
	for (i = 0; i < nr_guests; i++)
		check_guest(&guests[i]);
	tap_eq(-mdev_remove(victim), 0, "the vGPU of the killed processes can be removed");
	check_dma();
	watch_free(w);
	processor_fini();
}

static void stop(u32 nr_threads)
{
	u32 i;

	for (i = 0; i < nr_guests; i++)
		WRITE_ONCE(guests[i].stop, true);
	for (i = 0; i < nr_threads; i++)
		pthread_join(threads[i].id, NULL);
}

/* A long run that is interrupted has shown something, too. Return: what was said last. */
static u32 say_progress(u32 said, u32 done, u64 since)
{
	if (done < said + PROGRESS)
		return said;
	said = done - done % PROGRESS;
	tap_diag("%u operations in %llu s", said, (unsigned long long)(now_us() - since) / 1000000);
	return said;
}

static void run(u64 seed, u32 count, u32 nr_threads, bool sleeps)
{
	static struct watch watch;
	u64 t0;
	bool good = true;
	int slept;
	u32 i, done, most_ms, progress = 0;

	watch_init(&watch);
	processor_init();
	nr_guests = nr_threads < MAX_GUESTS ? nr_threads : MAX_GUESTS;
	for (i = 0; i < nr_guests; i++)
		guest_init(&guests[i], vgpu_new(MDEV_TYPE_HUGE));
	mdev_new_uuid(victim);
	if (mdev_create(MDEV_TYPE_HUGE, victim))
		tap_die("no vGPU for the processes to kill");
	tap_diag("again: hostile -s %llu -n %u -t %u", (unsigned long long)seed, count, nr_threads);
	t0 = now_us();
	start(seed, count, nr_threads);
	if (sleeps)
		sleeper_start(seed);
	while (good && operations(nr_threads) < count && all_good()) {
		good = watch_ok(&watch);
		progress = say_progress(progress, operations(nr_threads), t0);
	}
	if (sleeps) {
		slept = sleeper_stop();
		tap_ok(slept > 0, "the machine slept, %d times", slept);
	}
	stop(nr_threads);
	done = operations(nr_threads);
	account(nr_threads);
	tap_diag("%u rounds of the other guest in %llu ms, its longest wait %llu ms", watch.rounds,
		 (unsigned long long)(now_us() - t0) / 1000,
		 (unsigned long long)watch.witness.worst_us / 1000);
	tap_diag("%u processes killed", guests[0].killed + guests[1].killed);
	tap_ok(good, "another guest is not affected");
	tap_eq(done, count, "%u operations", count);
	most_ms = OTHERS_WAIT_MS(NR_HOSTILE) + (sleeps ? PARK_MS : 0);
	tap_ok(watch.witness.worst_us < most_ms * 1000ULL,
	       "the other guest waits less than %u ms for a request", most_ms);
	check_end(&watch);
}

/*
 * Open the vGPU of the process that was killed before. Opening waits while the module closes it,
 * and then fails with EBUSY until the kernel has released its group's file, which it defers.
 */
static struct vgpu *open_victim(const char *uuid)
{
	struct vgpu *vgpu = vgpu_open(uuid);

	if (!vgpu && errno == EBUSY)
		wait_for((vgpu = vgpu_open(uuid)) || errno != EBUSY, SOON_MS);
	return vgpu;
}

/* Runs until it is killed. The connection to the model is its parent's. */
static int run_child(const char *uuid, u64 seed)
{
	struct thread *t = &threads[0];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	guest_init(&guests[0], open_victim(uuid));
	exclude("settle");
	exclude("kill");
	/* Its new vGPU would stay behind. */
	exclude("move");
	t->actor.guest = &guests[0];
	t->actor.rng.state = seed;
	t->todo = ~0u;
	vgpu_start(guests[0].vgpu);
	setup_all(&t->actor);
	act(t);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct option help[] = { { "help", no_argument, NULL, 'h' }, { 0 } };
	u32 count = 100000, nr_threads = 4;
	const char *child = NULL;
	bool sleeps = false;
	u64 seed = 1;
	int c;

	while ((c = getopt_long(argc, argv, "s:n:t:x:w:Sc:h", help, NULL)) != -1) {
		switch (c) {
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case 'n':
			count = strtoul(optarg, NULL, 0);
			break;
		case 't':
			nr_threads = strtoul(optarg, NULL, 0);
			break;
		case 'c':
			child = optarg;
			break;
		case 'S':
			sleeps = exclude("kill");
			break;
		case 'x':
			if (exclude(optarg))
				break;
			fprintf(stderr, "hostile: no operation '%s'\n", optarg);
			return 2;
		case 'w':
			if (weigh(optarg))
				break;
			fprintf(stderr, "hostile: no operation and weight '%s'\n", optarg);
			return 2;
		default:
			usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	if (child)
		return run_child(child, seed);
	if (!count || !nr_threads || nr_threads > MAX_THREADS) {
		usage(stderr);
		return 2;
	}
	vgpu_test_init(120 + count / 250);
	standstill_watch();
	slow_begin(seed);
	run(seed, count, nr_threads, sleeps);
	slow_end();
	/* After sleep, nothing can be loaded: reset what a reload would reset. */
	if (sleeps) {
		gpu_attr_set("copy_policy", "cached");
		gpu_attr_set("reclaim", "cold");
	} else {
		module_reload_test("after the hostile guest");
	}
	return vgpu_test_done();
}
