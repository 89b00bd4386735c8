// SPDX-License-Identifier: GPL-2.0
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "tap.h"

static unsigned int planned, done, failed;
static char reason[160];

void tap_plan(unsigned int tests)
{
	planned = tests;
	printf("TAP version 13\n1..%u\n", tests);
	fflush(stdout);
}

void tap_result(enum tap_result result, const char *name, const char *why)
{
	done++;
	if (result == TAP_FAIL)
		failed++;

	printf("%sok %u - %s", result == TAP_FAIL ? "not " : "", done, name);
	if (result == TAP_SKIP)
		printf(" # SKIP %s", why);
	putchar('\n');
	fflush(stdout);
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

void tap_bail(const char *fmt, ...)
{
	va_list args;

	fputs("Bail out! ", stdout);
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	putchar('\n');
	fflush(stdout);
	exit(255);
}

void tap_skip_reason(const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(reason, sizeof(reason), fmt, args);
	va_end(args);
}

const char *tap_take_reason(void)
{
	return reason;
}

int tap_exit_code(void)
{
	return failed || done != planned;
}
