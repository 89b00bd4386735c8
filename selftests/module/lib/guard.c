// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>

#include "guard.h"

/* Accesses of several threads may fault at the same time. */
static __thread sigjmp_buf escape;
static __thread bool guarded;

static void handler(int sig)
{
	/* Not a guarded access: it faults again, and ends the program. */
	if (!READ_ONCE(guarded)) {
		signal(sig, SIG_DFL);
		return;
	}
	WRITE_ONCE(guarded, false);
	siglongjmp(escape, 1);
}

static void install(void)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	/* No signal is blocked, so the jump need not restore the mask. */
	sa.sa_flags = SA_NODEFER;
	sigaction(SIGBUS, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
}

static void guard_init(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, install);
}

bool guard_read32(const void *p, u32 *value)
{
	guard_init();
	if (sigsetjmp(escape, 0))
		return false;
	WRITE_ONCE(guarded, true);
	*value = READ_ONCE(*(const u32 *)p);
	WRITE_ONCE(guarded, false);
	return true;
}

bool guard_write32(void *p, u32 value)
{
	guard_init();
	if (sigsetjmp(escape, 0))
		return false;
	WRITE_ONCE(guarded, true);
	WRITE_ONCE(*(u32 *)p, value);
	WRITE_ONCE(guarded, false);
	return true;
}
