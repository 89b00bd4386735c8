/* SPDX-License-Identifier: GPL-2.0 */
/*
 * DOC: memory reclaim
 *
 * The GPU has no memory of its own: what a vGPU uses is pinned memory of its guest, which the host
 * can neither swap nor merge. Most of it is named by page tables of address spaces that do not run
 * now. If the host needs memory, vGPUs unpin it, in steps. A step says for how long an address
 * space must have been unused, and of which vGPUs. The next step follows if those before it have
 * not given enough.
 *
 * A program that has not used its GPU for a second hardly notices that its memory is pinned again,
 * so such memory goes first, of all vGPUs. More is taken only if the host needs much: the kernel
 * asks for more the longer it finds nothing else. Then vGPUs give first that have pinned more than
 * each would have if what is left were shared equally. What was used in the last 100 ms stays: to
 * pin it again at once would cost more than it helps.
 */
#ifndef _GSLOT_CORE_RECLAIM_H
#define _GSLOT_CORE_RECLAIM_H

#include "core/types.h"

/* A vGPU gives nothing in this step. */
#define GSLOT_RECLAIM_NOTHING	U32_MAX

u32 gslot_reclaim_steps(u64 wanted, u64 total);
u64 gslot_reclaim_share(u64 wanted, u64 total, u32 vgpus);
u32 gslot_reclaim_age_ms(u32 step, u64 pinned, u64 share);

#endif
