/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy `credit`: VMCG's ("A virtual multi-channel GPU fair scheduling method", IEEE TPDS
 * 2019). Each client has a queue of request blocks of its own (V-Channel), and credits; a block
 * that is dispatched costs one. It is here as what others are measured against, so its weaknesses
 * are kept: a block costs the same however long it runs, who queues more gets more, and who does
 * not let go of what is shared owes nothing for it.
 *
 * Credits. What a client has left is the paper's credit1, what it is given credit2:
 *
 *   CREDIT_i = (e^(BW_i * MSIZE_i) + NUM_i) / (e^(BW * MSIZE) + sum of NUM_j) * CREDIT   (eq. 2)
 *
 * It is computed anew, and credit1 set to it, when nobody has any credit left; when an interval
 * has elapsed; and when somebody has run out, has work, and what is shared is idle.
 *
 * Rounds. In a round clients with work and credit have a turn each, ordered by the CPU time that
 * their workers spent in the round before: the first one for 16 ms, another for cpu_i / cpu_1 *
 * 16 ms. In a turn four blocks are dispatched at most. A round is over when nobody is left who has
 * work and credit and has not had a turn in it; then CPU counters are cleared.
 *
 * Where the paper is silent:
 *
 * - BW * MSIZE is that of the whole, which as a fraction of the whole is 1. So with three clients
 *   or more that do nothing there is more given out than CREDIT.
 * - CREDIT, and the interval.
 * - Weights (it measures 4:2:1 without saying how): CREDIT_i is multiplied by the weight, relative
 *   to the mean; all alike, it is equation 2.
 * - Credits are whole; nobody is given less than one, without which it would never run.
 * - Who comes is given at once what equation 2 says, and its turn comes with the least CPU time.
 * - A slice has a least length: who has just woken spent no CPU time before.
 * - With the last of its four blocks a client has no turn any more, and when it has nothing on the
 *   hardware another one's begins; it is only taken off at the end of its slice. If there is
 *   nobody else, it has another turn at once.
 */
#ifndef _GSLOT_CORE_CREDIT_H
#define _GSLOT_CORE_CREDIT_H

#include "core/types.h"

struct gslot_policy_client;

/* CREDIT: of some hundred blocks a second and client, so several times a second. */
#define GSLOT_CREDIT_TOTAL		1000u
#define GSLOT_CREDIT_INTERVAL_NS	1000000000ull
/* Of those who spent the most CPU time. */
#define GSLOT_CREDIT_SLICE_NS		16000000ull
#define GSLOT_CREDIT_MIN_SLICE_NS	1000000ull
/* At a time. */
#define GSLOT_CREDIT_BLOCKS		4u
/* More that are queued count as so many: it keeps equation 2 within 64 bits. */
#define GSLOT_CREDIT_MAX_QUEUED		4000u

/* e^x is computed with so many fractional bits, for x from 0 to 1 in millionths. */
#define GSLOT_CREDIT_EXP_BITS		20
#define GSLOT_CREDIT_EXP_ONE		1000000u

/**
 * struct gslot_credit_client - of a client
 * @credit1: what it has left
 * @credit2: what it was given last
 * @dispatched: so many blocks are paid for
 * @cpu_ns: CPU time that its worker had spent when the round began, ns
 * @spent_ns: of that, in the round before
 * @slice_ns: how long its turn in this round may take
 * @served: it has had a turn in this round
 */
struct gslot_credit_client {
	u32 credit1;
	u32 credit2;
	u64 dispatched;
	u64 cpu_ns;
	u64 spent_ns;
	u64 slice_ns;
	bool served;
};

/**
 * struct gslot_credit - of what is shared
 * @given_at: when credits were given out last
 * @turn_since: when the owner's turn began
 * @turn_dispatched: how many of its blocks had been dispatched then
 */
struct gslot_credit {
	u64 given_at;
	u64 turn_since;
	u64 turn_dispatched;
};

u32 gslot_credit_exp(u32 x);

extern const struct gslot_policy_ops gslot_credit;

#endif
