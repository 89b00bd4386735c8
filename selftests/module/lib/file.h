/* SPDX-License-Identifier: GPL-2.0 */
/* Small text files, as sysfs and debugfs have them. */
#ifndef _LIBVGPU_FILE_H
#define _LIBVGPU_FILE_H

#include "types.h"

/* Writes a string at once; 0 or -errno of the write. */
int file_write(const char *path, const char *text);

/* Reads all (up to @size - 1 bytes), drops a last newline; length or -errno. */
int file_read(const char *path, char *buf, size_t size);

/* A decimal number; -errno if there is none. */
long file_read_number(const char *path);

/**
 * file_scan_number() - a number that follows a word in a file
 * @path: the file
 * @key: the word; the number follows it, after any of ": \t="
 * @value: result
 */
bool file_scan_number(const char *path, const char *key, u64 *value);

#endif
