/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A FUSE file system that is one file, all zeroes, served by the program itself: each page comes
 * when the program wants it to. A mapping of it is memory that need not come.
 */
#ifndef _LIBVGPU_FUSE_FILE_H
#define _LIBVGPU_FUSE_FILE_H

#include "types.h"

/**
 * struct fuse_file - such a file
 * @path: where it is
 * @size: bytes
 * @fuse: the server's side of it
 * @before_read: called before pages are handed over; may sleep
 * @data: for @before_read
 */
struct fuse_file {
	char path[64];
	u64 size;
	int fuse;
	void (*before_read)(void *data);
	void *data;
};

/* @path, @size, @before_read, @data are set. False: the kernel has no FUSE. */
bool fuse_file_mount(struct fuse_file *file);
/* Serves it until it is not mounted any more. */
void fuse_file_serve(const struct fuse_file *file);
void fuse_file_unmount(const struct fuse_file *file);
/* Opens it for its user: the kernel learns its size. -1 on failure. */
int fuse_file_open(const struct fuse_file *file);

#endif
