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

/**
 * gslot_ring_has_room() - whether new commands may be copied into a ring
 * @size: size of the ring, bytes
 * @head: offset of the first command that the hardware may still execute
 * @position: offset behind the last such command, where the new ones begin
 * @tail: offset behind the new commands
 *
 * All offsets are below @size. If @head equals @position, nothing is left to execute. The new
 * commands must not bring the tail back to the head, either: the ring would count as empty.
 *
 * Return: whether [@position, @tail) leaves [@head, @position) alone.
 */
static inline bool gslot_ring_has_room(u32 size, u32 head, u32 position, u32 tail)
{
	return gslot_ring_distance(size, head, position) +
	       gslot_ring_distance(size, position, tail) < size;
}

#endif
