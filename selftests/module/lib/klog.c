// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "klog.h"
#include "tap.h"

static const char *const complaints[] = {
	"BUG:", "WARNING:", "Oops", "kernel BUG", "general protection", "Call Trace",
	"INFO: task", "blocked for more than", "soft lockup", "hard LOCKUP", "rcu: INFO",
	"refcount_t", "list_add corruption", "list_del corruption", "page still",
	"Unable to handle", "UBSAN", "KASAN", "possible recursive locking",
	"possible circular locking", "sleeping function called", "handling fault", "fault addr",
};

static int fd = -1;

void klog_mark(void)
{
	if (fd < 0)
		fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
}

bool klog_read(void (*fn)(const char *text, void *data), void *data)
{
	char buf[8192];
	bool all = true;
	ssize_t len;

	if (fd < 0)
		return false;
	for (;;) {
		const char *text;

		len = read(fd, buf, sizeof(buf) - 1);
		if (len < 0 && errno == EPIPE) {
			all = false;
			continue;
		}
		if (len <= 0)
			return all;
		buf[len] = '\0';
		buf[strcspn(buf, "\n")] = '\0';
		text = strchr(buf, ';');
		if (text)
			fn(text + 1, data);
	}
}

/*
 * A task that waits for a frozen process cannot be frozen: the kernel shows its stack, stays awake,
 * and sleep_once() returns -EBUSY. This stack is no complaint; all else in between is.
 */
static bool is_stack_of_unfrozen_task(const char *text)
{
	static bool freezing_failed;

	if (!strncmp(text, "Freezing ", 9) && strstr(text, "failed after"))
		freezing_failed = true;
	else if (!strncmp(text, "Restarting tasks", 16))
		freezing_failed = false;
	return freezing_failed && strstr(text, "Call Trace");
}

static void count_complaint(const char *text, void *data)
{
	unsigned int i;

	if (is_stack_of_unfrozen_task(text))
		return;
	for (i = 0; i < ARRAY_SIZE(complaints); i++) {
		if (!strstr(text, complaints[i]))
			continue;
		tap_diag("kernel: %s", text);
		++*(unsigned int *)data;
		return;
	}
}

bool klog_clean(void)
{
	unsigned int count = 0;

	/* What was lost is not known to be clean. */
	if (!klog_read(count_complaint, &count)) {
		tap_diag("kernel: messages were lost");
		count++;
	}
	return !count;
}

struct needle {
	const char *text;
	unsigned int count;
};

static void count_needle(const char *text, void *data)
{
	struct needle *needle = data;

	if (strstr(text, needle->text))
		needle->count++;
}

unsigned int klog_count(const char *text)
{
	struct needle needle = { text, 0 };

	klog_read(count_needle, &needle);
	return needle.count;
}
