// SPDX-License-Identifier: GPL-2.0
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

/* Results come from one thread, remarks from any: each is printed as one line. */
static unsigned int done, failed;

static void vresult(bool pass, const char *skip, const char *fmt, va_list args)
{
	done++;
	if (!pass)
		failed++;

	flockfile(stdout);
	printf("%sok %u - ", pass ? "" : "not ", done);
	vprintf(fmt, args);
	if (skip)
		printf(" # SKIP %s", skip);
	putchar('\n');
	fflush(stdout);
	funlockfile(stdout);
}

bool tap_ok(bool pass, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vresult(pass, NULL, fmt, args);
	va_end(args);
	return pass;
}

bool tap_eq(uint64_t got, uint64_t want, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vresult(got == want, NULL, fmt, args);
	va_end(args);
	if (got != want)
		tap_diag("got %#" PRIx64 ", want %#" PRIx64, got, want);
	return got == want;
}

void tap_skip(const char *why, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vresult(true, why, fmt, args);
	va_end(args);
}

void tap_diag(const char *fmt, ...)
{
	va_list args;

	flockfile(stdout);
	fputs("# ", stdout);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	funlockfile(stdout);
}

void tap_skip_all(const char *fmt, ...)
{
	va_list args;

	fputs("1..0 # SKIP ", stdout);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	exit(0);
}

void tap_die(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vresult(false, NULL, fmt, args);
	va_end(args);
	exit(tap_done());
}

int tap_done(void)
{
	printf("1..%u\n", done);
	fflush(stdout);
	return failed || !done;
}
