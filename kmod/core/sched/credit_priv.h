/* SPDX-License-Identifier: GPL-2.0 */
/* The policy `credit`: its constants, and what its test computes, too (credit.c). */
#ifndef _GSLOT_CORE_CREDIT_H
#define _GSLOT_CORE_CREDIT_H

#include "core/types.h"

/* CREDIT: at some hundred blocks a second and client, it is given out several times a second. */
#define GSLOT_CREDIT_TOTAL		1000u
#define GSLOT_CREDIT_INTERVAL_NS	1000000000ull
/* Slice of the client with the most CPU time of its worker, and the shortest of all. */
#define GSLOT_CREDIT_SLICE_NS		16000000ull
#define GSLOT_CREDIT_MIN_SLICE_NS	1000000ull
/* In a turn. */
#define GSLOT_CREDIT_BLOCKS		4u
/* More queued blocks count as this many: it keeps equation 2 within 64 bits. */
#define GSLOT_CREDIT_MAX_QUEUED		4000u

/* e^x is computed with this many fractional bits, for x from 0 to 1 in millionths. */
#define GSLOT_CREDIT_EXP_BITS		20
#define GSLOT_CREDIT_EXP_ONE		1000000u

u32 gslot_credit_exp(u32 x);

#endif
