/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A guest, in a process of its own, whose memory does not come: a page of it is in a file that a
 * FUSE daemon serves, which is asked for the page, and does not answer.
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
 * @file: that file
 * @daemon: the thread that is the daemon
 * @asked: it has been asked for the page, and has not answered
 * @answers: it is to
 * @shared: what the two processes tell each other
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
 * Its worker waits for the page when this returns. To be called before this process opens a vGPU.
 * False: the kernel has no FUSE.
 */
bool stuck_begin(struct stuck *s);
/* It closes its vGPU, which takes as long as the page. */
void stuck_close(struct stuck *s);
/* The daemon answers from now on. True: the guest's work has run, and its vGPU still works. */
bool stuck_end(struct stuck *s);

#endif
