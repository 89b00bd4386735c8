/* SPDX-License-Identifier: GPL-2.0 */
/* The Test Anything Protocol, for prove(1); tap.sh is the same for scripts. */
#ifndef _SELFTESTS_TAP_H
#define _SELFTESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>

#define TAP_PRINTF(fmt, args)	__attribute__((__format__(__printf__, fmt, args)))
#define TAP_NORETURN		__attribute__((__noreturn__))

/**
 * tap_ok() - the result of one test
 * @pass: whether it passed
 * @fmt: its name
 *
 * Return: @pass.
 */
bool tap_ok(bool pass, const char *fmt, ...) TAP_PRINTF(2, 3);

/* Test that two values are equal; prints both if they are not. */
bool tap_eq(uint64_t got, uint64_t want, const char *fmt, ...) TAP_PRINTF(3, 4);

/* Skip a test. */
void tap_skip(const char *why, const char *fmt, ...) TAP_PRINTF(2, 3);

/* Print a remark, from any thread. */
void tap_diag(const char *fmt, ...) TAP_PRINTF(1, 2);

/* Skip the whole program, and exit. */
void tap_skip_all(const char *fmt, ...) TAP_PRINTF(1, 2) TAP_NORETURN;

/* Fail a test that makes others pointless, and exit. */
void tap_die(const char *fmt, ...) TAP_PRINTF(1, 2) TAP_NORETURN;

/* The plan; to be returned from main(). */
int tap_done(void);

#endif
