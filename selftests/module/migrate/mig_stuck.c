// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of a guest that does not arrive. First a flush waits for it, while the state of migration
 * changes. Then the vGPU was restored, and is to run; all vGPUs are stopped meanwhile: that ends in
 * time, and neither waits for the memory.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "fuse_file.h"
#include "ggtt.h"
#include "gpu.h"
#include "hog.h"
#include "knob.h"
#include "migration.h"
#include "tap.h"
#include "vgpu.h"

#define IOVA		0x500000000ULL
/* The module's own bounds: see the table of locks in kmod/gpu.c. */
#define BOUND_MS	(10000 * slowness())
/* All vGPUs are to be stopped, which is tried for 20 s. */
#define POLICY_MS	(40000 * slowness())
/* Behind what is read ahead of the first one. */
#define FLUSHED_PAGE	8
#define PAGES		16

enum phase { BEGUN, FLUSHING, FLUSHED, RESTORED, GO };

/* Changes of state while a flush waits for memory. */
enum change { TO_PRE_COPY, TO_STOP_COPY, TO_STOP, TO_RESUMING, TO_RUNNING, TO_P2P, NR_CHANGES };

static const struct {
	enum mig_state state;
	int expected;
	const char *what;
} changes[NR_CHANGES] = {
	[TO_PRE_COPY] = { MIG_PRE_COPY_P2P, 0, "what it has is saved early" },
	[TO_STOP_COPY] = { MIG_STOP_COPY, -EBUSY, "the rest is not saved" },
	[TO_STOP] = { MIG_STOP, 0, "the vGPU is frozen" },
	[TO_RESUMING] = { MIG_RESUMING, -EBUSY, "it is not reset" },
	[TO_RUNNING] = { MIG_RUNNING, 0, "it runs" },
	[TO_P2P] = { MIG_RUNNING_P2P, -EBUSY, "it does not stop" },
};

/* Why the process of the guest fails: its exit status. */
enum failure {
	OK,
	NO_VGPU,
	NO_MEMORY,
	NO_THREAD,
	NOT_STOPPED,
	NOT_RESTORED,
	NOT_FROZEN,
	NOT_UNFROZEN,
	NOT_RUNNING,
	NR_FAILURES,
};

static const char *const failures[NR_FAILURES] = {
	[OK] = "none",
	[NO_VGPU] = "no vGPU",
	[NO_MEMORY] = "no memory of FUSE",
	[NO_THREAD] = "no thread",
	[NOT_STOPPED] = "it does not stop",
	[NOT_RESTORED] = "it is not restored",
	[NOT_FROZEN] = "it does not go to STOP",
	[NOT_UNFROZEN] = "it does not leave STOP",
	[NOT_RUNNING] = "it does not run",
};

/* Memory of the test and of the process of the guest */
struct shared {
	enum phase phase;	/* the guest's progress */
	u32 refusals;		/* how often it could not run yet */
	bool pre_copy;		/* this kernel has that */
	int ret[NR_CHANGES];	/* results of @changes, and how long they took */
	u32 ms[NR_CHANGES];
};

static struct shared *shared;
static struct fuse_file file;
/* Pages that were asked for, and how many of them arrive. */
static u32 asked, answers;

static void wait_to_answer(void *data __maybe_unused)
{
	WRITE_ONCE(asked, asked + 1);
	while (READ_ONCE(answers) < asked)
		sleep_us(1000);
}

static void *serve(void *unused __maybe_unused)
{
	fuse_file_serve(&file);
	return NULL;
}

static void *map_file(void)
{
	int fd = fuse_file_open(&file);
	void *p;

	if (fd < 0)
		return NULL;
	p = mmap(NULL, PAGES * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* Restore the vGPU by its own stream, with an entry that names the page. */
static bool restore(struct vgpu *vgpu)
{
	struct mig_stream stream;

	ggtt_set(vgpu, ggtt_alloc_low(vgpu, 1), IOVA | GEN_PTE_PRESENT);
	if (mig_save(&vgpu->dev, &stream) || mig_load(&vgpu->dev, &stream, MB(1)))
		return false;
	mig_free(&stream);
	return !mig_set(&vgpu->dev, MIG_RUNNING_P2P, NULL);
}

static void set_phase(enum phase phase)
{
	WRITE_ONCE(shared->phase, phase);
}

static void await_phase(enum phase phase)
{
	while (READ_ONCE(shared->phase) != phase)
		sleep_us(1000);
}

static void *flush_page(void *arg)
{
	struct vgpu *vgpu = arg;

	ggtt_set(vgpu, ggtt_alloc_low(vgpu, 1),
		 (IOVA + FLUSHED_PAGE * PAGE_SIZE) | GEN_PTE_PRESENT);
	await_phase(FLUSHING);
	ggtt_flush(vgpu);
	return NULL;
}

/*
 * While a page is pending, no mapping of this process can be made or removed: so its thread begins
 * before. The parent sees that the page is pending, and answers after FLUSHED.
 */
static enum failure change_while_flushing(struct vgpu *vgpu)
{
	pthread_t thread;
	u32 i;

	shared->pre_copy = mig_has_pre_copy(&vgpu->dev);
	if (mig_set(&vgpu->dev, MIG_RUNNING_P2P, NULL))
		return NOT_STOPPED;
	if (pthread_create(&thread, NULL, flush_page, vgpu))
		return NO_THREAD;
	sleep_us(100000);
	set_phase(FLUSHING);
	sleep_us(500000);
	for (i = 0; i < NR_CHANGES; i++) {
		u64 t0 = now_us();

		shared->ret[i] = mig_set(&vgpu->dev, changes[i].state, NULL);
		shared->ms[i] = (now_us() - t0) / 1000;
	}
	set_phase(FLUSHED);
	pthread_join(thread, NULL);
	return mig_set(&vgpu->dev, MIG_RUNNING, NULL) ? NOT_RUNNING : OK;
}

static enum failure run_restored(struct vgpu *vgpu)
{
	int ret;

	if (!restore(vgpu))
		return NOT_RESTORED;
	/* In STOP nothing waits for memory. */
	if (mig_set(&vgpu->dev, MIG_STOP, NULL))
		return NOT_FROZEN;
	ggtt_flush(vgpu);
	if (mig_set(&vgpu->dev, MIG_RUNNING_P2P, NULL))
		return NOT_UNFROZEN;
	set_phase(RESTORED);
	await_phase(GO);
	while ((ret = mig_set(&vgpu->dev, MIG_RUNNING, NULL)) == -EBUSY)
		WRITE_ONCE(shared->refusals, shared->refusals + 1);
	return ret ? NOT_RUNNING : OK;
}

static enum failure be_guest(const char *uuid)
{
	struct vgpu *vgpu = vgpu_open(uuid);
	enum failure failure;
	void *p;

	if (!vgpu)
		return NO_VGPU;
	vgpu_start(vgpu);
	p = map_file();
	if (!p || vfio_dma_map(&vgpu->dev, IOVA, p, PAGES * PAGE_SIZE))
		return NO_MEMORY;
	failure = change_while_flushing(vgpu);
	return failure ? failure : run_restored(vgpu);
}

static pid_t start_guest(const char *uuid)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		close(file.fuse);
		_exit(be_guest(uuid));
	}
	return pid;
}

static bool policy_done;
static int policy_ret;

static void *set_policy(void *name)
{
	policy_ret = gpu_attr_set("copy_policy", name);
	WRITE_ONCE(policy_done, true);
	return NULL;
}

static pthread_t begin_policy(const char *name)
{
	pthread_t thread;

	policy_done = false;
	if (pthread_create(&thread, NULL, set_policy, (void *)name))
		tap_die("no thread");
	return thread;
}

/* Is an engine being taken from its owner? */
static bool engine_drains(void)
{
	char path[MDEV_PATH_MAX], line[256];
	bool drains = false;
	FILE *f;

	f = counters_gpu_path(path, "engines") ? fopen(path, "r") : NULL;
	if (!f)
		tap_die("no debugfs");
	while (fgets(line, sizeof(line), f))
		drains |= !!strstr(line, "state=draining");
	fclose(f);
	return drains;
}

/*
 * A vGPU that does not yield delays the change of the copy policy, while no vGPU may pin pages. The
 * restored one is to run just then.
 */
static void check_begins(void)
{
	struct vgpu *other = vgpu_new(MDEV_TYPE_SMALL);
	struct hog hog;
	pthread_t policy;

	if (knob_set(other->uuid, PREEMPT_TIMEOUT_US, 1000000))
		tap_die("no preempt timeout");
	hog_init(&hog, other, RCS);
	if (!wait_for(hog_started(&hog), SOON_MS))
		tap_die("the other vGPU does not run");
	policy = begin_policy("slot");
	if (!wait_for(engine_drains() || READ_ONCE(policy_done), BOUND_MS))
		tap_die("the change of the copy policy does not begin");
	set_phase(GO);
	tap_ok(wait_for(READ_ONCE(policy_done), BOUND_MS),
	       "a sync that is to begin: the change of the copy policy ends");
	tap_ok(READ_ONCE(policy_done) && !policy_ret,
	       "a sync that is to begin: the copy policy is changed");
	tap_ok(wait_for(READ_ONCE(asked) == 2, BOUND_MS),
	       "a sync that is to begin: then the vGPU waits for its memory");
	if (!READ_ONCE(policy_done))
		WRITE_ONCE(answers, 2);
	pthread_join(policy, NULL);
	tap_ok(vgpu_works(other), "a sync that is to begin: another vGPU works");
	tap_eq(-vgpu_free(other), 0, "a sync that is to begin: another vGPU is removed");
}

/* Without copy policies with places there is none to change. */
static void check_begins_alone(void)
{
	set_phase(GO);
	tap_ok(wait_for(READ_ONCE(asked) == 2, BOUND_MS),
	       "a sync that begins: the vGPU waits for its memory");
	WRITE_ONCE(answers, 2);
}

static void check_under_way(void)
{
	pthread_t policy = begin_policy("cached");

	tap_ok(wait_for(READ_ONCE(policy_done), POLICY_MS) && policy_ret == -EBUSY,
	       "a sync under way: the copy policy is not changed");
	tap_ok(READ_ONCE(shared->refusals), "a sync under way: the vGPU does not run");
	WRITE_ONCE(answers, 2);
	pthread_join(policy, NULL);
}

static bool has_exited(pid_t pid, int *status, bool *exited)
{
	*exited = waitpid(pid, status, WNOHANG) > 0;
	return *exited;
}

/* Wait for a phase of the guest's. */
static void expect_phase(pid_t pid, enum phase phase, u32 ms)
{
	int status = -1;
	bool exited = false;

	wait_for(READ_ONCE(shared->phase) >= phase || has_exited(pid, &status, &exited), ms);
	if (READ_ONCE(shared->phase) >= phase && !exited)
		return;
	if (exited && WIFEXITED(status) && WEXITSTATUS(status) < NR_FAILURES)
		tap_diag("the guest: %s", failures[WEXITSTATUS(status)]);
	tap_die("the guest does not reach phase %u: %#x", phase, status);
}

static void check_flush(pid_t pid)
{
	u32 i;

	expect_phase(pid, FLUSHING, 4 * SOON_MS);
	tap_ok(wait_for(READ_ONCE(asked) == 1, SOON_MS), "a flush waits for memory");
	expect_phase(pid, FLUSHED, NR_CHANGES * BOUND_MS);
	for (i = 0; i < NR_CHANGES; i++) {
		if (i == TO_PRE_COPY && !shared->pre_copy)
			tap_skip("this kernel has no PRE_COPY", "%s", changes[i].what);
		else
			tap_eq(-shared->ret[i], -changes[i].expected, "meanwhile %s",
			       changes[i].what);
		tap_ok(shared->ms[i] < BOUND_MS, "that ends in time, in %u ms", shared->ms[i]);
	}
	WRITE_ONCE(answers, 1);
	expect_phase(pid, RESTORED, 4 * SOON_MS);
}

int main(void)
{
	bool places = gpu_attr_offers("copy_policy", "slot");
	char uuid[MDEV_UUID_SIZE];
	pthread_t daemon;
	int status = -1;
	pid_t pid;

	vgpu_test_init(300);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	file = (struct fuse_file) { .size = PAGES * PAGE_SIZE, .before_read = wait_to_answer };
	snprintf(file.path, sizeof(file.path), "/tmp/mig_stuck.%d", getpid());
	if (shared == MAP_FAILED || !fuse_file_mount(&file))
		tap_skip_all("no FUSE");
	mdev_new_uuid(uuid);
	if (mdev_create(MDEV_TYPE_SMALL, uuid))
		tap_die("no vGPU");
	pid = start_guest(uuid);
	if (pthread_create(&daemon, NULL, serve, NULL))
		tap_die("no thread");
	check_flush(pid);
	tap_eq(READ_ONCE(asked), 1, "a flush of a frozen vGPU does not wait for memory");
	if (places) {
		check_begins();
		check_under_way();
	} else {
		check_begins_alone();
	}
	waitpid(pid, &status, 0);
	tap_eq(status, 0, "the memory arrives, and the vGPU runs");
	fuse_file_unmount(&file);
	pthread_join(daemon, NULL);
	close(file.fuse);
	tap_eq(-mdev_remove(uuid), 0, "it is removed");
	if (places)
		tap_eq(-gpu_attr_set("copy_policy", "cached"), 0,
		       "the copy policy is changed back");
	return vgpu_test_done();
}
