// SPDX-License-Identifier: GPL-2.0
#include "stream_crc.h"

/* Of each half byte, by the polynomial 0x82f63b78 (Castagnoli, reflected). */
static const u32 crc_table[16] = {
	0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1,
	0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
	0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9,
	0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

/**
 * gslot_crc_add() - add bytes to a checksum
 * @crc: GSLOT_CRC_BEGIN, or what this returned for the bytes before
 * @from: the bytes
 * @len: how many
 *
 * Return: the state, for the next call or for gslot_crc_end().
 */
u32 gslot_crc_add(u32 crc, const void *from, u32 len)
{
	const u8 *byte = from, *end = byte + len;

	for (; byte < end; byte++) {
		crc ^= *byte;
		crc = crc >> 4 ^ crc_table[crc & 15];
		crc = crc >> 4 ^ crc_table[crc & 15];
	}
	return crc;
}
