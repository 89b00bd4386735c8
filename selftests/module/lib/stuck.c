// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "stuck.h"
#include "tap.h"
#include "vgpu.h"

#define IOVA		0x500000000ULL
#define ADDR		0x480000000000ULL

enum phase { BEGUN, SUBMITTED, CLOSE, CLOSING };

/**
 * struct stuck_shared - memory of both processes
 * @phase: the guest's progress
 */
struct stuck_shared {
	enum phase phase;
};

/* Wait for permission to answer. */
static void wait_to_answer(void *data)
{
	struct stuck *s = data;

	WRITE_ONCE(s->asked, true);
	while (!READ_ONCE(s->answers))
		sleep_us(1000);
}

static void *run_daemon(void *arg)
{
	struct stuck *s = arg;

	fuse_file_serve(&s->file);
	return NULL;
}

static bool mount_file(struct stuck *s)
{
	s->file = (struct fuse_file) {
		.size = PAGE_SIZE, .before_read = wait_to_answer, .data = s,
	};
	snprintf(s->file.path, sizeof(s->file.path), "/tmp/stuck.%d", getpid());
	return fuse_file_mount(&s->file);
}

static void *map_file(const struct stuck *s)
{
	int fd = fuse_file_open(&s->file);
	void *p;

	if (fd < 0)
		return NULL;
	p = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* No mapping can be removed while a page is pending, and a mapping keeps the device open. */
static void drop_mappings(struct vgpu *vgpu)
{
	munmap(vgpu->gsm, GEN_GSM_SIZE);
	vgpu->gsm = NULL;
	if (vgpu->aperture)
		munmap(vgpu->aperture, GEN_APERTURE_SIZE);
	vgpu->aperture = NULL;
}

static void await(const struct stuck *s, enum phase phase)
{
	while (READ_ONCE(s->shared->phase) < phase)
		sleep_us(1000);
}

static int be_guest(struct stuck *s)
{
	struct vgpu *vgpu = vgpu_open(s->uuid);
	struct context ctx;
	void *p;
	u32 seqno;

	if (!vgpu)
		return 2;
	vgpu_start(vgpu);
	p = map_file(s);
	if (!p || vfio_dma_map(&vgpu->dev, IOVA, p, PAGE_SIZE))
		return 3;
	context_init(&ctx, vgpu, RCS, NULL);
	ppgtt_map(ctx.ppgtt, ADDR, IOVA, 1);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	drop_mappings(vgpu);
	context_submit(&ctx);
	WRITE_ONCE(s->shared->phase, SUBMITTED);
	await(s, CLOSE);
	if (READ_ONCE(s->shared->phase) == CLOSING) {
		vfio_close_device(&vgpu->dev);
		return 0;
	}
	return request_wait(&ctx, seqno, SOON_MS) ? 0 : 4;
}

bool stuck_begin(struct stuck *s)
{
	int status = -1;

	*s = (struct stuck) { };
	s->shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->shared == MAP_FAILED || !mount_file(s))
		return false;
	mdev_new_uuid(s->uuid);
	if (mdev_create(MDEV_TYPE_SMALL, s->uuid))
		tap_die("no vGPU");
	fflush(NULL);
	s->pid = fork();
	if (!s->pid) {
		close(s->file.fuse);
		_exit(be_guest(s));
	}
	if (pthread_create(&s->daemon, NULL, run_daemon, s))
		tap_die("no thread");
	if (!wait_for(READ_ONCE(s->asked) || waitpid(s->pid, &status, WNOHANG) > 0, 4 * SOON_MS) ||
	    !s->asked)
		tap_die("the guest's page was not requested: status %#x, phase %d", status,
			s->shared->phase);
	return true;
}

void stuck_close(struct stuck *s)
{
	WRITE_ONCE(s->shared->phase, CLOSING);
	sleep_us(300000);
}

bool stuck_end(struct stuck *s)
{
	int status = -1;

	WRITE_ONCE(s->answers, true);
	if (READ_ONCE(s->shared->phase) < CLOSE)
		WRITE_ONCE(s->shared->phase, CLOSE);
	waitpid(s->pid, &status, 0);
	if (status)
		tap_diag("the status of the guest's process: %#x", status);
	fuse_file_unmount(&s->file);
	pthread_join(s->daemon, NULL);
	close(s->file.fuse);
	munmap(s->shared, sizeof(*s->shared));
	return !mdev_remove(s->uuid) && !status;
}
