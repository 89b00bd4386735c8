// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>

#include "clock.h"
#include "tap.h"
#include "uevent.h"

#define KERNEL_GROUP	1
#define MESSAGE_MAX	8192

int uevent_open(void)
{
	const struct sockaddr_nl addr = { .nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP };
	int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
			NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&addr, sizeof(addr)))
		tap_die("no uevents: %s", strerror(errno));
	return fd;
}

/* "action@path" and words, each followed by a null byte. */
static bool is_it(const char *text, size_t len, const char *device, const char *word)
{
	size_t head = strlen(text), tail = strlen(device);
	const char *at;

	if (head < tail || strcmp(text + head - tail, device))
		return false;
	for (at = text; at < text + len; at += strlen(at) + 1)
		if (!strcmp(at, word))
			return true;
	return false;
}

static bool take(int fd, const char *device, const char *word)
{
	char text[MESSAGE_MAX];
	ssize_t len;

	while ((len = recv(fd, text, sizeof(text) - 1, 0)) > 0) {
		text[len] = '\0';
		if (is_it(text, len, device, word))
			return true;
	}
	return false;
}

bool uevent_wait(int fd, const char *device, const char *word, int ms)
{
	return wait_for(take(fd, device, word), ms);
}
