/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest, in a process of its own, with a page of memory that does not arrive: it is in a file of
 * a FUSE daemon, which receives the request and does not answer.
 */
#ifndef _LIBVGPU_STUCK_H
#define _LIBVGPU_STUCK_H

#include <pthread.h>
#include <sys/types.h>

#include "fuse_file.h"
#include "mdev.h"
#include "types.h"

struct stuck_shared;

/**
 * struct stuck - such a guest
 * @uuid: its vGPU
 * @pid: its process
 * @file: the FUSE file
 * @daemon: the daemon's thread
 * @asked: the daemon has received the request, and has not answered
 * @answers: the daemon may answer
 * @shared: memory shared by the two processes
 */
struct stuck {
	char uuid[MDEV_UUID_SIZE];
	pid_t pid;
	struct fuse_file file;
	pthread_t daemon;
	bool asked;
	bool answers;
	struct stuck_shared *shared;
};

/*
 * When this returns, its worker waits for the page. Call it before this process opens a vGPU.
 * False: the kernel has no FUSE.
 */
bool stuck_begin(struct stuck *s);
/* Let it close its vGPU, which waits for the page. */
void stuck_close(struct stuck *s);
/* Let the daemon answer. True: the guest's work has run, and its vGPU still works. */
bool stuck_end(struct stuck *s);

#endif
