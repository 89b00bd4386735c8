/* SPDX-License-Identifier: GPL-2.0 */
/* The Test Anything Protocol, as prove(1) reads it. */
#ifndef _LIBVGPU_TAP_H
#define _LIBVGPU_TAP_H

#include "types.h"

/**
 * tap_ok() - the result of one test
 * @pass: did it pass
 * @fmt: its name
 *
 * Return: @pass.
 */
bool tap_ok(bool pass, const char *fmt, ...) __printf(2, 3);

/* Two values that must be equal; says both if they are not. */
bool tap_eq(u64 got, u64 want, const char *fmt, ...) __printf(3, 4);

/* A test that cannot be done here. */
void tap_skip(const char *why, const char *fmt, ...) __printf(2, 3);

/* A remark. */
void tap_diag(const char *fmt, ...) __printf(1, 2);

/* The whole program cannot be done here: says so and exits. */
void tap_skip_all(const char *fmt, ...) __printf(1, 2) __noreturn;

/* Going on makes no sense: a failed test, and exit. */
void tap_die(const char *fmt, ...) __printf(1, 2) __noreturn;

/* The plan; to be returned from main(). */
int tap_done(void);

#endif
