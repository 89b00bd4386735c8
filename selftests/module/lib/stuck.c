// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "stuck.h"
#include "tap.h"
#include "vgpu.h"

#define IOVA		0x500000000ULL
#define ADDR		0x480000000000ULL
#define REQUEST_BYTES	0x21000u	/* what the kernel wants a daemon to have room for */

enum phase { BEGUN, SUBMITTED, CLOSE, CLOSING };

/**
 * struct stuck_shared - memory of both processes
 * @phase: how far the guest is, and is to go
 */
struct stuck_shared {
	enum phase phase;
};

static void reply(struct stuck *s, u64 unique, int error, const void *data, u32 len)
{
	struct {
		struct fuse_out_header header;
		u8 data[PAGE_SIZE * 16];
	} out = { .header = { sizeof(out.header) + len, error, unique } };

	if (data)
		memcpy(out.data, data, len);
	if (write(s->fuse, &out, out.header.len) < 0)
		tap_diag("the daemon's answer: %s", strerror(errno));
}

static void reply_init(struct stuck *s, u64 unique)
{
	const struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = PAGE_SIZE, .max_write = PAGE_SIZE,
	};

	reply(s, unique, 0, &out, sizeof(out));
}

static void reply_attr(struct stuck *s, u64 unique)
{
	const struct fuse_attr_out out = {
		.attr_valid = 1000,
		.attr = { .ino = 1, .size = PAGE_SIZE, .blocks = 8, .mode = S_IFREG | 0600,
			  .nlink = 1, .blksize = PAGE_SIZE },
	};

	reply(s, unique, 0, &out, sizeof(out));
}

static void reply_read(struct stuck *s, u64 unique, u32 len)
{
	WRITE_ONCE(s->asked, true);
	while (!READ_ONCE(s->answers))
		sleep_us(1000);
	reply(s, unique, 0, NULL, len < PAGE_SIZE ? len : PAGE_SIZE);
}

static void serve(struct stuck *s, const struct fuse_in_header *in)
{
	const struct fuse_read_in *read = (const void *)(in + 1);
	const struct fuse_open_out opened = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		reply_init(s, in->unique);
		break;
	case FUSE_GETATTR:
		reply_attr(s, in->unique);
		break;
	case FUSE_OPEN:
		reply(s, in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		reply_read(s, in->unique, read->size);
		break;
	case FUSE_RELEASE:
		reply(s, in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(s, in->unique, -EOPNOTSUPP, NULL, 0);
	}
}

/* Until the file system is not mounted any more. */
static void *run_daemon(void *arg)
{
	struct stuck *s = arg;
	void *in = malloc(REQUEST_BYTES);

	while (in && (read(s->fuse, in, REQUEST_BYTES) > 0 || errno == EINTR || errno == ENOENT))
		serve(s, in);
	free(in);
	return NULL;
}

/* A file system that is one file. */
static bool mount_file(struct stuck *s)
{
	char options[96];
	int fd;

	snprintf(s->path, sizeof(s->path), "/tmp/stuck.%d", getpid());
	fd = open(s->path, O_CREAT | O_RDWR, 0600);
	if (fd < 0)
		return false;
	close(fd);
	if (access("/dev/fuse", F_OK) && system("modprobe -q fuse"))
		tap_diag("no module fuse");
	s->fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=100600,user_id=0,group_id=0", s->fuse);
	if (s->fuse >= 0 && !mount("stuck", s->path, "fuse", MS_NOSUID | MS_NODEV, options))
		return true;
	tap_diag("FUSE: %s", strerror(errno));
	unlink(s->path);
	return false;
}

static void *map_file(const struct stuck *s)
{
	int fd = open(s->path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p;

	/* The kernel has not asked for its size before. */
	if (fd < 0 || fstat(fd, &st))
		return NULL;
	p = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return p == MAP_FAILED ? NULL : p;
}

/* While a page is waited for, no mapping can be taken away, and one keeps the device open. */
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
		close(s->fuse);
		_exit(be_guest(s));
	}
	if (pthread_create(&s->daemon, NULL, run_daemon, s))
		tap_die("no thread");
	if (!wait_for(READ_ONCE(s->asked) || waitpid(s->pid, &status, WNOHANG) > 0, 4 * SOON_MS) ||
	    !s->asked)
		tap_die("the guest's page is not asked for: status %#x, phase %d", status,
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
		tap_diag("the guest's process: %#x", status);
	umount2(s->path, MNT_DETACH);
	pthread_join(s->daemon, NULL);
	close(s->fuse);
	unlink(s->path);
	munmap(s->shared, sizeof(*s->shared));
	return !mdev_remove(s->uuid) && !status;
}
