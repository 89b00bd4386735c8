/* SPDX-License-Identifier: GPL-2.0 */
/* The Test Anything Protocol, as prove(1) reads it. */
#ifndef _CLIENTS_TAP_H
#define _CLIENTS_TAP_H

#define TAP_PRINTF	__attribute__((__format__(printf, 1, 2)))

enum tap_result {
	TAP_PASS,
	TAP_FAIL,
	TAP_SKIP,
};

void tap_plan(unsigned int tests);
void tap_result(enum tap_result result, const char *name, const char *reason);
void tap_diag(const char *fmt, ...) TAP_PRINTF;
void tap_bail(const char *fmt, ...) TAP_PRINTF;
void tap_skip_reason(const char *fmt, ...) TAP_PRINTF;
const char *tap_take_reason(void);
int tap_exit_code(void);

/* In a subtest: says what was expected and where, and ends it. */
#define CHECK(cond, fmt, ...)						\
	do {								\
		if (!(cond)) {						\
			tap_diag("%s:%d: " fmt, __FILE__, __LINE__,	\
				 ##__VA_ARGS__);			\
			return TAP_FAIL;				\
		}							\
	} while (0)

/* A call of a helper which has said itself what went wrong. */
#define TRY(call)							\
	do {								\
		enum tap_result __r = (call);				\
									\
		if (__r != TAP_PASS)					\
			return __r;					\
	} while (0)

#define SKIP(fmt, ...)							\
	do {								\
		tap_skip_reason(fmt, ##__VA_ARGS__);			\
		return TAP_SKIP;					\
	} while (0)

#endif
