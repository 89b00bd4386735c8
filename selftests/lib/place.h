/* SPDX-License-Identifier: GPL-2.0 */
/* The place of a guest's graphics memory, in tests. */
#ifndef SELFTESTS_PLACE_H
#define SELFTESTS_PLACE_H

#include "core/types.h"
#include "gen/gtt.h"

/**
 * struct place - a place
 * @low: physical address of low graphics memory
 * @high: of high graphics memory
 */
struct place {
	u64 low;
	u64 high;
};

static inline u64 place_of(const struct place *p, u64 addr)
{
	return addr < GEN_LOW_GM_SIZE ? p->low + addr : p->high + (addr - GEN_LOW_GM_SIZE);
}

#endif
