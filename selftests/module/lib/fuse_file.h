/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A FUSE file system of one file of zeroes, served by the program itself, which decides when each
 * page arrives. A mapping of it is memory that may never arrive.
 */
#ifndef _LIBVGPU_FUSE_FILE_H
#define _LIBVGPU_FUSE_FILE_H

#include <sys/types.h>

#include "types.h"

/**
 * struct fuse_file - such a file
 * @path: its path
 * @size: bytes
 * @fuse: the server's file descriptor
 * @before_read: called before a read is answered; may sleep
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
/* Serve it until it is unmounted. */
void fuse_file_serve(const struct fuse_file *file);
/* Have a process of its own serve it. Return: its pid; dies on failure. */
pid_t fuse_file_fork(struct fuse_file *file);
void fuse_file_unmount(const struct fuse_file *file);
/* Open it as a user, which tells the kernel its size. -1 on failure. */
int fuse_file_open(const struct fuse_file *file);

#endif
