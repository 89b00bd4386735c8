// SPDX-License-Identifier: GPL-2.0
#include "stream_priv.h"

/**
 * gslot_stream_init() - begin to read a stream
 * @r: the reader
 * @buf: GSLOT_STREAM_RECORD_MAX bytes, 8-byte aligned
 */
void gslot_stream_init(struct gslot_stream_reader *r, void *buf)
{
	memset(r, 0, sizeof(*r));
	r->buf = buf;
}

static int read_fail(struct gslot_stream_reader *r, int error)
{
	r->state = GSLOT_STREAM_FAILED;
	r->error = error;
	return error;
}

/* Collect @size bytes of a part. Return: whether the part is complete; the next one begins then. */
static bool read_part(struct gslot_stream_reader *r, void *to, u32 size, const u8 *from, u32 len,
		      u32 *used)
{
	u32 n = min(size - r->have, len - *used);

	memcpy((u8 *)to + r->have, from + *used, n);
	r->have += n;
	*used += n;
	if (r->have < size)
		return false;
	r->have = 0;
	return true;
}

static bool read_version_known(const struct gslot_mig_record *record)
{
	const struct stream_type *t = stream_type(record->type);

	return t && record->version == t->version;
}

/* The version of the record is known. */
static int read_check_length(const struct gslot_mig_record *record)
{
	const struct stream_type *t = stream_type(record->type);

	return record->flags == t->flags && stream_length_fits(t, record->length) ? 0 : -EINVAL;
}

/* The frame of a record, before its checksum is known to be right. */
static int read_check_record(const struct gslot_stream_reader *r)
{
	const struct gslot_mig_record *record = &r->record;
	const struct stream_type *t = stream_type(record->type);

	if (record->index != r->records || record->flags & ~GSLOT_MIG_MANDATORY)
		return -EINVAL;
	if (record->length > GSLOT_STREAM_RECORD_MAX)
		return -EMSGSIZE;
	if (record->type < r->last || (record->type == r->last && t && t->records == 1))
		return -EINVAL;
	if (read_version_known(record))
		return read_check_length(record);
	/* An end that this reader does not know is none that it can skip. */
	return record->flags & GSLOT_MIG_MANDATORY || record->type == GSLOT_MIG_END ?
	       -EOPNOTSUPP : 0;
}

/* A stream has each mandatory record, unless there may be none of it. */
static bool read_is_complete(const struct gslot_stream_reader *r)
{
	const struct stream_type *t = stream_types;

	for (; t->type != GSLOT_MIG_END; t++)
		if (stream_is_mandatory(t) && t->records && !(r->seen & stream_type_bit(t)))
			return false;
	return r->engines == GSLOT_MIG_NR_ENGINES;
}

static int read_check_end(const struct gslot_stream_reader *r)
{
	const struct gslot_mig_end *end = (const void *)r->buf;

	return end->records == r->records && read_is_complete(r) ? 0 : -EINVAL;
}

/* Each engine has a record, in order. */
static int read_check_engine(struct gslot_stream_reader *r)
{
	const struct gslot_mig_engine *engine = (const void *)r->buf;

	if (engine->engine != r->engines || r->engines == GSLOT_MIG_NR_ENGINES)
		return -EINVAL;
	r->engines++;
	return 0;
}

/* What can be said of the payload of a known record without knowing a vGPU. */
static int read_check_payload(struct gslot_stream_reader *r)
{
	if (!stream_payload_valid(r->record.type, r->buf))
		return -EINVAL;
	switch (r->record.type) {
	case GSLOT_MIG_ENGINE:
		return read_check_engine(r);
	case GSLOT_MIG_END:
		return read_check_end(r);
	default:
		return 0;
	}
}

/* A record is complete. Return: what was found, or -errno. */
static int read_finish_record(struct gslot_stream_reader *r)
{
	const struct gslot_mig_record *record = &r->record;
	int ret;

	if (record->crc != stream_record_crc(*record, r->buf))
		return -EBADMSG;
	r->state = record->type == GSLOT_MIG_END ? GSLOT_STREAM_ENDED : GSLOT_STREAM_RECORD;
	r->last = record->type;
	if (!read_version_known(record)) {
		r->records++;
		return GSLOT_STREAM_NOTHING;
	}
	ret = read_check_payload(r);
	if (ret)
		return ret;
	r->records++;
	r->seen |= stream_type_bit(stream_type(record->type));
	return GSLOT_STREAM_A_RECORD;
}

/* Read on in the present part. Return: what was found, or -errno. */
static int read_step(struct gslot_stream_reader *r, const u8 *from, u32 len, u32 *used)
{
	int ret;

	switch (r->state) {
	case GSLOT_STREAM_HEADER:
		if (!read_part(r, r->buf, sizeof(struct gslot_mig_header), from, len, used))
			return GSLOT_STREAM_NOTHING;
		r->state = GSLOT_STREAM_RECORD;
		ret = stream_check_header((const void *)r->buf);
		return ret ? ret : GSLOT_STREAM_A_HEADER;
	case GSLOT_STREAM_RECORD:
		if (!read_part(r, &r->record, sizeof(r->record), from, len, used))
			return GSLOT_STREAM_NOTHING;
		r->state = GSLOT_STREAM_PAYLOAD;
		ret = read_check_record(r);
		if (ret || r->record.length)
			return ret;
		return read_finish_record(r);
	case GSLOT_STREAM_PAYLOAD:
		if (!read_part(r, r->buf, r->record.length, from, len, used))
			return GSLOT_STREAM_NOTHING;
		return read_finish_record(r);
	case GSLOT_STREAM_ENDED:
		return -EINVAL;
	case GSLOT_STREAM_FAILED:
		break;
	}
	return r->error;
}

/**
 * gslot_stream_read() - read a piece of a stream
 * @r: the reader
 * @from: the piece
 * @len: its size, bytes
 * @used: in: how many bytes of it were read before; out: and by this call, too
 *
 * To be called again with the same piece until it finds nothing. A header, or the payload of a
 * record, is in &gslot_stream_reader.buf until the next call.
 *
 * Return: enum gslot_stream_found; or -errno, now and from now on: -EINVAL for what no writer
 * writes, and for anything behind the end; -EOPNOTSUPP for what this version does not know;
 * -EMSGSIZE for a record that is too long; -EBADMSG for a checksum that is wrong.
 */
int gslot_stream_read(struct gslot_stream_reader *r, const void *from, u32 len, u32 *used)
{
	int ret = GSLOT_STREAM_NOTHING;

	if (r->state == GSLOT_STREAM_FAILED)
		return r->error;
	while (!ret && *used < len)
		ret = read_step(r, from, len, used);
	return ret < 0 ? read_fail(r, ret) : ret;
}
