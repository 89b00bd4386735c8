/* SPDX-License-Identifier: GPL-2.0 */
/* CRC32C, as the kernel's crc32c(~0, ..) ^ ~0; kmod/core uses nothing of the kernel. */
#ifndef _GSLOT_CORE_STREAM_CRC_H
#define _GSLOT_CORE_STREAM_CRC_H

#include "core/types.h"

#define GSLOT_CRC_BEGIN	U32_MAX

u32 gslot_crc_add(u32 crc, const void *from, u32 len);

/* The checksum of all that was added. */
static inline u32 gslot_crc_end(u32 crc)
{
	return ~crc;
}

#endif
