// SPDX-License-Identifier: GPL-2.0
/* Concurrent operations of a guest and its VMM, and interrupted ones. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "counters.h"
#include "file.h"
#include "guard.h"
#include "hostile.h"
#include "model.h"
#include "tap.h"

/* Map a part of the aperture or of the GGTT's entries again, use it and unmap it. */
void op_mapping(struct actor *a)
{
	bool aperture = below(a, 2);
	u32 region = aperture ? VFIO_PCI_BAR2_REGION_INDEX : VFIO_PCI_BAR0_REGION_INDEX;
	u64 at = aperture ? (u64)below(a, GEN_APERTURE_SIZE / PAGE_SIZE) * PAGE_SIZE :
		 GEN_GSM_OFFSET + (u64)below(a, GEN_GSM_SIZE / PAGE_SIZE) * PAGE_SIZE;
	u32 pages = 1 + below(a, 64), n = 1 + below(a, 8), value;
	struct vgpu *vgpu = actor_vgpu(a);
	u8 *p;

	if (aperture && below(a, 2))
		at = GGTT_LOW(any_page(a));
	p = mmap(NULL, pages * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, vgpu->dev.fd,
		 vfio_region_offset(&vgpu->dev, region) + at);
	while (n--) {
		u32 offset = below(a, pages * PAGE_SIZE) & ~3u, set = any_dword(a);
		bool write = below(a, 2);

		if (p == MAP_FAILED)
			continue;
		if (write)
			guard_write32(p + offset, set);
		else
			guard_read32(p + offset, &value);
	}
	if (p != MAP_FAILED)
		munmap(p, pages * PAGE_SIZE);
}

/* Set and remove eventfds while interrupts are raised. */
void op_irq_race(struct actor *a)
{
	struct vgpu *vgpu = actor_vgpu(a);
	u32 n = 1 + below(a, 8);
	int fd;

	while (n--) {
		fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (fd < 0)
			return;
		vfio_set_msi(&vgpu->dev, fd);
		if (below(a, 2))
			vfio_set_msi(&vgpu->dev, -1);
		close(fd);
	}
	vfio_set_msi(&vgpu->dev, vgpu->msi);
}

/* Rewrite the blitter's batches all the time: they are copied at submission. */
void op_blt_rewrite(struct actor *a)
{
	u32 n = below(a, NR_BATCHES / VGPU_NR_ENGINES) * VGPU_NR_ENGINES + BCS;
	u32 *batch = page_ptr(a, PAGE_BATCH(n)), i, times = 16 + below(a, 64);

	write_batch(a, n, false);
	submit_batch(a, BCS, n);
	for (i = 0; i < times; i++)
		WRITE_ONCE(batch[below(a, 64)], any_dword(a));
	write_batch(a, n, false);
}

/* Reset one engine again and again, with work in between; others do the same. */
void op_reset_race(struct actor *a)
{
	u32 engine = below(a, VGPU_NR_ENGINES), n = 2 + below(a, 4);

	while (n--) {
		if (below(a, 2))
			submit_batch(a, engine, below(a, NR_BATCHES));
		reset_engine(a, engine, below(a, 2));
	}
}

static bool is_open(const char *uuid)
{
	struct vgpu victim = { 0 };
	char path[MDEV_PATH_MAX], text[1024];

	snprintf(victim.uuid, sizeof(victim.uuid), "%s", uuid);
	return counters_vgpu_path(path, &victim, "state") &&
	       file_read(path, text, sizeof(text)) > 0 && !strstr(text, "open: no");
}

static pid_t start_child(const char *uuid, u64 seed)
{
	char text[32];
	pid_t pid;

	snprintf(text, sizeof(text), "%llu", (unsigned long long)seed);
	pid = vfork();
	if (!pid) {
		execl("/proc/self/exe", "hostile", "-c", uuid, "-s", text, NULL);
		_exit(127);
	}
	return pid;
}

/* Kill a process with a vGPU of its own at any moment: it must leave no resource. */
void op_kill(struct actor *a)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	u64 seed = rng_u64(&a->rng), us = below(a, 300000);
	bool opened = true;
	int status;
	pid_t pid;

	if (pthread_mutex_trylock(&one))
		return;
	/* Killing it before it has opened the vGPU tests nothing. */
	pthread_mutex_lock(&opening);
	pid = start_child(a->guest->victim, seed);
	if (pid > 0)
		opened = wait_for(is_open(a->guest->victim), 2 * SOON_MS);
	pthread_mutex_unlock(&opening);
	if (!opened) {
		tap_diag("a process to be killed cannot open its vGPU");
		WRITE_ONCE(a->guest->bad, true);
	}
	if (pid > 0) {
		sleep_us(us);
		kill(pid, SIGKILL);
		waitpid(pid, &status, 0);
		a->guest->killed += WIFSIGNALED(status);
		/*
		 * A worker that pins a page of its memory at that moment holds its address space
		 * and, through it, the mapped file, and releases them soon after.
		 */
		if (!wait_for(!is_open(a->guest->victim), SOON_MS)) {
			tap_diag("the vGPU of a killed process is still open");
			WRITE_ONCE(a->guest->bad, true);
		}
	}
	pthread_mutex_unlock(&one);
}

static bool no_more_hits(u64 *hits)
{
	u64 before = *hits;

	return model_stale_hits(hits) && *hits == before;
}

/*
 * No thread changes anything for a moment. An engine may use a changed entry until the host has
 * invalidated it, which the host does first: so uses must end soon.
 */
void op_settle(struct actor *a)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	u64 hits;

	pthread_mutex_lock(&one);
	if (model_stale_hits(&hits) && !wait_for(no_more_hits(&hits), SOON_MS)) {
		tap_diag("TLB entries are used long after their PTEs were changed");
		WRITE_ONCE(a->guest->bad, true);
	}
	pthread_mutex_unlock(&one);
}
