/* SPDX-License-Identifier: GPL-2.0 */
/* The records that this version has; for kmod/core/stream only. */
#ifndef _GSLOT_CORE_STREAM_PRIV_H
#define _GSLOT_CORE_STREAM_PRIV_H

#include "stream.h"

#define STREAM_NR_TYPES	11

/* A type of record */
struct stream_type {
	u16 type;	/* enum gslot_mig_type */
	u8 version;	/* its version */
	u8 flags;	/* its flags */
	u8 records;	/* how many records of it a stream has; 0: any number */
	u16 unit;	/* size of an element of the payload, bytes */
	u16 least;	/* smallest number of elements */
	u16 most;	/* largest number */
};

/* stream.c */
extern const struct stream_type stream_types[STREAM_NR_TYPES];

const struct stream_type *stream_type(u32 type);
bool stream_length_fits(const struct stream_type *t, u32 length);
u32 stream_record_crc(struct gslot_mig_record record, const void *payload);
u32 stream_header_crc(struct gslot_mig_header header);

/* stream_check.c */
int stream_check_header(const struct gslot_mig_header *header);
bool stream_payload_valid(u32 type, const void *payload);

static inline bool stream_is_mandatory(const struct stream_type *t)
{
	return t->flags & GSLOT_MIG_MANDATORY;
}

/* The bit of a type of this version in gslot_stream_reader.seen. */
static inline u32 stream_type_bit(const struct stream_type *t)
{
	return BIT(t - stream_types);
}

#endif
