/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The policy `rr`: clients have what is shared in turn, each for a quantum at
 * most, and no longer than it has work. Who does not yield owes, and
 * sits out (debt.h).
 */
#ifndef _GSLOT_CORE_RR_H
#define _GSLOT_CORE_RR_H

#include "core/types.h"

/**
 * struct gslot_rr - of what is shared
 * @next: index at which the search for the next one begins: behind who had it last
 */
struct gslot_rr {
	u32 next;
};

extern const struct gslot_policy_ops gslot_rr;

#endif
