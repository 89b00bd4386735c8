/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guest memory that arrives slowly, page by page: a FUSE file served by a process of its own, as
 * the guest's mmap lock is held while a page is waited for.
 */
#ifndef _LIBVGPU_SLOW_FILE_H
#define _LIBVGPU_SLOW_FILE_H

#include <sys/types.h>

#include "fuse_file.h"
#include "types.h"

/**
 * struct slow_file - such a file
 * @file: the file
 * @pid: the process that serves it
 * @shared: memory of both processes
 */
struct slow_file {
	struct fuse_file file;
	pid_t pid;
	struct slow_file_shared {
		u32 page_us;	/* how long a page takes */
		u32 asked;	/* pages asked for until now */
	} *shared;
};

/* @name: a word for its path. False: the kernel has no FUSE. */
bool slow_file_begin(struct slow_file *s, const char *name, u64 size);
void slow_file_end(struct slow_file *s);
/* Map a part. What was read once is in memory, so each test needs a part of its own. */
void *slow_file_map(const struct slow_file *s, u64 offset, u64 size);

#endif
