// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "slow_file.h"
#include "tap.h"

static void wait_to_answer(void *data)
{
	struct slow_file_shared *shared = data;

	WRITE_ONCE(shared->asked, shared->asked + 1);
	sleep_us(READ_ONCE(shared->page_us));
}

bool slow_file_begin(struct slow_file *s, const char *name, u64 size)
{
	s->shared = mmap(NULL, sizeof(*s->shared), PROT_READ | PROT_WRITE,
			 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s->shared == MAP_FAILED)
		tap_die("no memory");
	s->file = (struct fuse_file) {
		.size = size, .before_read = wait_to_answer, .data = s->shared,
	};
	snprintf(s->file.path, sizeof(s->file.path), "/tmp/%s.%d", name, getpid());
	if (!fuse_file_mount(&s->file))
		return false;
	s->pid = fuse_file_fork(&s->file);
	return true;
}

void slow_file_end(struct slow_file *s)
{
	fuse_file_unmount(&s->file);
	kill(s->pid, SIGKILL);
	waitpid(s->pid, NULL, 0);
}

void *slow_file_map(const struct slow_file *s, u64 offset, u64 size)
{
	int fd = fuse_file_open(&s->file);
	void *p;

	if (fd < 0)
		tap_die("no file");
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, offset);
	close(fd);
	/* A page at a time: no readahead. */
	if (p == MAP_FAILED || madvise(p, size, MADV_RANDOM))
		tap_die("no slow memory");
	return p;
}
