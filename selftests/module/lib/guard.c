// SPDX-License-Identifier: GPL-2.0
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "guard.h"

static sigjmp_buf escape;

static void handler(int sig __maybe_unused)
{
	siglongjmp(escape, 1);
}

struct guard {
	struct sigaction bus;
	struct sigaction segv;
};

static void guard_begin(struct guard *g)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sigaction(SIGBUS, &sa, &g->bus);
	sigaction(SIGSEGV, &sa, &g->segv);
}

static void guard_end(struct guard *g)
{
	sigaction(SIGBUS, &g->bus, NULL);
	sigaction(SIGSEGV, &g->segv, NULL);
}

bool guard_read32(const void *p, u32 *value)
{
	struct guard g;

	guard_begin(&g);
	if (sigsetjmp(escape, 1)) {
		guard_end(&g);
		return false;
	}
	*value = READ_ONCE(*(const u32 *)p);
	guard_end(&g);
	return true;
}

bool guard_write32(void *p, u32 value)
{
	struct guard g;

	guard_begin(&g);
	if (sigsetjmp(escape, 1)) {
		guard_end(&g);
		return false;
	}
	WRITE_ONCE(*(u32 *)p, value);
	guard_end(&g);
	return true;
}
