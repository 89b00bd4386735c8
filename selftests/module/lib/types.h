/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's short names in user space. */
#ifndef _LIBVGPU_TYPES_H
#define _LIBVGPU_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define BIT(n)			(1u << (n))
#define lower_32_bits(n)	((u32)(n))
#define upper_32_bits(n)	((u32)((u64)(n) >> 32))

#define KB(n)			((u64)(n) << 10)
#define MB(n)			((u64)(n) << 20)

/* Memory that a device accesses concurrently. */
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, __ATOMIC_RELAXED)
#define memory_fence()		__atomic_thread_fence(__ATOMIC_SEQ_CST)

#define __attr(x)		__attribute__((x))
#define __printf(fmt, args)	__attr(format(printf, fmt, args))
#define __noreturn		__attr(noreturn)
#define __maybe_unused		__attr(unused)

#endif
