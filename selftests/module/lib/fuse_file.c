// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuse_file.h"
#include "ram.h"
#include "tap.h"

#define REQUEST_BYTES	0x21000u	/* the least buffer that the kernel accepts */
#define READ_PAGES	32u		/* the kernel's largest request */

static void reply(const struct fuse_file *file, u64 unique, int error, const void *data, u32 len)
{
	struct {
		struct fuse_out_header header;
		u8 data[PAGE_SIZE * READ_PAGES];
	} out = { .header = { sizeof(out.header) + len, error, unique } };

	if (data)
		memcpy(out.data, data, len);
	/* ENOENT: the requesting process has been killed meanwhile. */
	if (write(file->fuse, &out, out.header.len) < 0 && errno != ENOENT)
		tap_diag("a FUSE server's answer: %s", strerror(errno));
}

static void reply_init(const struct fuse_file *file, u64 unique)
{
	const struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION, .minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = PAGE_SIZE, .max_write = PAGE_SIZE,
	};

	reply(file, unique, 0, &out, sizeof(out));
}

static void reply_attr(const struct fuse_file *file, u64 unique)
{
	const struct fuse_attr_out out = {
		.attr_valid = 1000,
		.attr = { .ino = 1, .size = file->size, .blocks = file->size / 512,
			  .mode = S_IFREG | 0600, .nlink = 1, .blksize = PAGE_SIZE },
	};

	reply(file, unique, 0, &out, sizeof(out));
}

static void reply_read(const struct fuse_file *file, u64 unique, const struct fuse_read_in *in)
{
	u64 len = in->offset < file->size ? file->size - in->offset : 0;

	file->before_read(file->data);
	if (len > in->size)
		len = in->size;
	reply(file, unique, 0, NULL, len < PAGE_SIZE * READ_PAGES ? len : PAGE_SIZE * READ_PAGES);
}

static void serve(const struct fuse_file *file, const struct fuse_in_header *in)
{
	const struct fuse_open_out opened = { .fh = 1 };

	switch (in->opcode) {
	case FUSE_INIT:
		reply_init(file, in->unique);
		break;
	case FUSE_GETATTR:
		reply_attr(file, in->unique);
		break;
	case FUSE_OPEN:
		reply(file, in->unique, 0, &opened, sizeof(opened));
		break;
	case FUSE_READ:
		reply_read(file, in->unique, (const void *)(in + 1));
		break;
	case FUSE_RELEASE:
		reply(file, in->unique, 0, NULL, 0);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	default:
		reply(file, in->unique, -EOPNOTSUPP, NULL, 0);
	}
}

void fuse_file_serve(const struct fuse_file *file)
{
	void *in = malloc(REQUEST_BYTES);

	while (in && (read(file->fuse, in, REQUEST_BYTES) > 0 || errno == EINTR ||
		      errno == ENOENT))
		serve(file, in);
	free(in);
}

bool fuse_file_mount(struct fuse_file *file)
{
	char options[96];
	int fd;

	fd = open(file->path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	close(fd);
	if (access("/dev/fuse", F_OK) && system("modprobe -q fuse"))
		tap_diag("no module fuse");
	file->fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	snprintf(options, sizeof(options), "fd=%d,rootmode=100600,user_id=0,group_id=0",
		 file->fuse);
	if (file->fuse >= 0 &&
	    !mount("gslot-test", file->path, "fuse", MS_NOSUID | MS_NODEV, options))
		return true;
	tap_diag("FUSE: %s", strerror(errno));
	unlink(file->path);
	return false;
}

pid_t fuse_file_fork(struct fuse_file *file)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		tap_die("no process");
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fuse_file_serve(file);
		_exit(0);
	}
	close(file->fuse);
	return pid;
}

void fuse_file_unmount(const struct fuse_file *file)
{
	umount2(file->path, MNT_DETACH);
	unlink(file->path);
}

int fuse_file_open(const struct fuse_file *file)
{
	int fd = open(file->path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || !fstat(fd, &st))
		return fd;
	close(fd);
	return -1;
}
