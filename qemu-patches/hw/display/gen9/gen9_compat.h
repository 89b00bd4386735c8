/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: what the host-neutral core needs of its surroundings.
 *
 * The core is C11 and libc only. Inside QEMU every file must start with
 * qemu/osdep.h; unit tests and fuzzers build the same files without it.
 */
#ifndef GEN9_COMPAT_H
#define GEN9_COMPAT_H

#ifdef GEN9_NATIVE
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef MIN
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#endif
#ifndef MAX
#define MAX(a, b) ((a) > (b) ? (a) : (b))
#endif
#ifndef ARRAY_SIZE
#define ARRAY_SIZE(x) (sizeof(x) / sizeof((x)[0]))
#endif
#ifndef DIV_ROUND_UP
#define DIV_ROUND_UP(n, d) (((n) + (d) - 1) / (d))
#endif
#ifndef ROUND_UP
#define ROUND_UP(n, d) ((((n) + (d) - 1) / (d)) * (d))
#endif
#ifndef likely
#define likely(x)   __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#endif
#else
#include "qemu/osdep.h"
#endif

/* Words that several threads read and write without the GPU lock. */
#define gen9_load(p)        __atomic_load_n((p), __ATOMIC_RELAXED)
#define gen9_store(p, v)    __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define gen9_load_acq(p)    __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define gen9_store_rel(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define gen9_add(p, v)      __atomic_fetch_add((p), (v), __ATOMIC_RELAXED)

#endif
