/* SPDX-License-Identifier: GPL-2.0 */
/* Small text files, as in sysfs and debugfs. */
#ifndef _LIBVGPU_FILE_H
#define _LIBVGPU_FILE_H

#include "types.h"

/* Write a string in one call; 0 or -errno of the write. */
int file_write(const char *path, const char *text);

/* Read up to @size - 1 bytes, drop a trailing newline; length or -errno. */
int file_read(const char *path, char *buf, size_t size);

/* Read a decimal number; -errno if there is none. */
long file_read_number(const char *path);

/**
 * file_scan_number() - a number that follows a word in a file
 * @path: the file
 * @key: the word; the number follows it, after any of ": \t="
 * @value: result
 */
bool file_scan_number(const char *path, const char *key, u64 *value);

#endif
