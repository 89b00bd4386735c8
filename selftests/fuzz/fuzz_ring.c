// SPDX-License-Identifier: GPL-2.0
/*
 * A guest moves the tail of its ring. Rings are so small that each position is reached. One byte
 * each: size, head, position, tail. There is room exactly if, byte by byte, nothing is overwritten
 * that may still be executed, and a full ring does not look empty.
 */
#include "test.h"
#include "core/cmd/ring.h"

static bool has_room(u32 size, u32 head, u32 position, u32 tail)
{
	bool kept[256] = { false };
	u32 at;

	for (at = head; at != position; at = (at + 1) % size)
		kept[at] = true;
	for (at = position; at != tail; at = (at + 1) % size) {
		if (kept[at])
			return false;
		kept[at] = true;
	}
	/* The tail of a full ring is at its head, as is that of an empty one. */
	for (at = 0; at < size && kept[at]; at++)
		;
	return at < size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	u32 bytes, head, position, tail;

	if (size < 4)
		return 0;
	bytes = data[0] + 1;
	head = data[1] % bytes;
	position = data[2] % bytes;
	tail = data[3] % bytes;
	must(gslot_ring_has_room(bytes, head, position, tail) ==
	     has_room(bytes, head, position, tail));
	must(gslot_ring_distance(bytes, head, tail) < bytes);
	must((head + gslot_ring_distance(bytes, head, tail)) % bytes == tail);
	return 0;
}
