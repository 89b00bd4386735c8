// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"

int file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t ret;

	if (fd < 0)
		return -errno;
	ret = write(fd, text, strlen(text));
	ret = ret < 0 ? -errno : 0;
	close(fd);
	return ret;
}

int file_read(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t ret;

	if (fd < 0)
		return -errno;
	do {
		ret = read(fd, buf + len, size - 1 - len);
		if (ret < 0) {
			ret = -errno;
			close(fd);
			return ret;
		}
		len += ret;
	} while (ret && len < size - 1);
	close(fd);

	if (len && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
	return len;
}

long file_read_number(const char *path)
{
	char buf[64], *end;
	int ret = file_read(path, buf, sizeof(buf));
	long value;

	if (ret < 0)
		return ret;
	value = strtol(buf, &end, 10);
	return end == buf ? -EINVAL : value;
}

bool file_scan_number(const char *path, const char *key, u64 *value)
{
	static char buf[65536];
	char *p, *end;

	if (file_read(path, buf, sizeof(buf)) < 0)
		return false;
	for (p = strstr(buf, key); p; p = strstr(p + 1, key)) {
		if (p != buf && !strchr(" \t\n", p[-1]))
			continue;
		p += strlen(key);
		p += strspn(p, ": \t=");
		*value = strtoull(p, &end, 0);
		if (end != p)
			return true;
	}
	return false;
}
