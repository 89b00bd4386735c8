/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rings: which part of a ring may be written while the hardware reads it.
 */
#ifndef _GSLOT_CORE_RING_H
#define _GSLOT_CORE_RING_H

#include "core/types.h"

/* Bytes from one offset of a ring to another, in the direction of execution. */
static inline u32 gslot_ring_distance(u32 size, u32 from, u32 to)
{
	return to >= from ? to - from : to + size - from;
}

/*
 * Whether new commands at [@position, @tail) leave those alone that the hardware may still execute,
 * [@head, @position); nothing is left to execute if these are equal. All are offsets, below @size
 * bytes. The new commands must not bring the tail back to the head, either: the ring would count as
 * empty.
 */
static inline bool gslot_ring_has_room(u32 size, u32 head, u32 position, u32 tail)
{
	return gslot_ring_distance(size, head, position) +
	       gslot_ring_distance(size, position, tail) < size;
}

#endif
