/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The types and macros that kmod/core uses, for the kernel and for user space (unit tests,
 * fuzzers). kmod/core uses nothing else of the kernel.
 */
#ifndef _GSLOT_CORE_TYPES_H
#define _GSLOT_CORE_TYPES_H

#ifdef __KERNEL__
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int32_t s32;
typedef int64_t s64;

#define U32_MAX UINT32_MAX
#define U64_MAX UINT64_MAX
#define BIT(n) (1UL << (n))
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#define hweight64(n) ((unsigned int)__builtin_popcountll(n))
#define fls64(n) ((n) ? 64 - __builtin_clzll(n) : 0)
#define lower_32_bits(n) ((u32)(n))
#define upper_32_bits(n) ((u32)((u64)(n) >> 32))
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define clamp(n, low, high) ((n) >= (high) ? (high) : (n) <= (low) ? (low) : (n))
#endif

#endif
