// SPDX-License-Identifier: GPL-2.0
#include "stream_priv.h"
#include "stream_crc.h"

#define MANDATORY	GSLOT_MIG_MANDATORY

/* A record of @n elements of @t, and some or all of what a record has room for. */
#define EXACTLY(n, t)	.unit = sizeof(t), .least = (n), .most = (n)
#define MANY(t)		.unit = sizeof(t), .least = 1, .most = GSLOT_STREAM_RECORD_MAX / sizeof(t)

#define TYPE(t, f, n, ...) \
	{ .type = GSLOT_MIG_##t, .version = 1, .flags = (f), .records = (n), __VA_ARGS__ }

const struct stream_type stream_types[STREAM_NR_TYPES] = {
	TYPE(GGTT_EARLY, MANDATORY, 0, MANY(struct gslot_mig_run)),
	TYPE(CONFIG, MANDATORY, 1, EXACTLY(GSLOT_MIG_CONFIG_SIZE, u8)),
	TYPE(PVINFO, MANDATORY, 1, EXACTLY(1, struct gslot_mig_pvinfo)),
	TYPE(REGS, MANDATORY, 0, MANY(struct gslot_mig_reg)),
	TYPE(IRQ, MANDATORY, 1, EXACTLY(1, struct gslot_mig_irq)),
	TYPE(FENCES, MANDATORY, 1, EXACTLY(GSLOT_MIG_NR_FENCES, u64)),
	TYPE(GGTT, MANDATORY, 0, MANY(struct gslot_mig_run)),
	TYPE(ENGINE, MANDATORY, GSLOT_MIG_NR_ENGINES, EXACTLY(1, struct gslot_mig_engine)),
	TYPE(DEBTS, MANDATORY, 1, EXACTLY(GSLOT_MIG_NR_ENGINES, struct gslot_mig_debt)),
	TYPE(COUNTERS, 0, 1, EXACTLY(1, struct gslot_mig_counters)),
	TYPE(END, MANDATORY, 1, EXACTLY(1, struct gslot_mig_end)),
};

/* Return: a type of record; NULL: unknown. */
const struct stream_type *stream_type(u32 type)
{
	u32 i;

	for (i = 0; i < STREAM_NR_TYPES; i++)
		if (stream_types[i].type == type)
			return &stream_types[i];
	return NULL;
}

/* Can a payload of a type have that length? */
bool stream_length_fits(const struct stream_type *t, u32 length)
{
	return !(length % t->unit) && length / t->unit >= t->least && length / t->unit <= t->most;
}

/* The checksum of a record with its payload, whatever its own field says. */
u32 stream_record_crc(struct gslot_mig_record record, const void *payload)
{
	record.crc = 0;
	return gslot_crc_end(gslot_crc_add(gslot_crc_add(GSLOT_CRC_BEGIN, &record, sizeof(record)),
					   payload, record.length));
}

/* The checksum of a header, likewise. */
u32 stream_header_crc(struct gslot_mig_header header)
{
	header.crc = 0;
	return gslot_crc_end(gslot_crc_add(GSLOT_CRC_BEGIN, &header, sizeof(header)));
}

/**
 * gslot_stream_put_header() - begin a stream
 * @w: the writer, without records
 * @header: the header; the fields up to @crc are filled in
 *
 * Return: 0, or -errno of &gslot_stream_writer.put.
 */
int gslot_stream_put_header(struct gslot_stream_writer *w, struct gslot_mig_header *header)
{
	header->magic = GSLOT_MIG_MAGIC;
	header->version = GSLOT_MIG_VERSION;
	header->crc = stream_header_crc(*header);
	return w->put(w->data, header, sizeof(*header));
}

/**
 * gslot_stream_put() - write a record
 * @w: the writer
 * @type: its type, of this version
 * @payload: the payload
 * @len: its size, bytes; 0: no record is written
 *
 * Return: 0; -EINVAL if @type does not allow that size; or -errno of &gslot_stream_writer.put.
 */
int gslot_stream_put(struct gslot_stream_writer *w, enum gslot_mig_type type, const void *payload,
		     u32 len)
{
	const struct stream_type *t = stream_type(type);
	struct gslot_mig_record record;
	int ret;

	if (!len)
		return 0;
	if (!t || !stream_length_fits(t, len))
		return -EINVAL;
	record = (struct gslot_mig_record) {
		.type = type,
		.version = t->version,
		.flags = t->flags,
		.length = len,
		.index = w->records++,
	};
	record.crc = stream_record_crc(record, payload);
	ret = w->put(w->data, &record, sizeof(record));
	return ret ? ret : w->put(w->data, payload, len);
}

/**
 * gslot_stream_put_end() - end a stream
 * @w: the writer
 *
 * Return: 0, or -errno of &gslot_stream_writer.put.
 */
int gslot_stream_put_end(struct gslot_stream_writer *w)
{
	const struct gslot_mig_end last = { .records = w->records };

	return gslot_stream_put(w, GSLOT_MIG_END, &last, sizeof(last));
}

/**
 * gslot_stream_size() - get the size of a stream
 * @regs: number of registers that it names
 * @runs: number of runs of GGTT entries
 *
 * Return: bytes, without GSLOT_MIG_GGTT_EARLY, if all records are as long as they can be.
 */
u64 gslot_stream_size(u64 regs, u64 runs)
{
	u64 size = sizeof(struct gslot_mig_header), elements, records;
	u32 i;

	for (i = 0; i < STREAM_NR_TYPES; i++) {
		const struct stream_type *t = &stream_types[i];

		elements = t->type == GSLOT_MIG_REGS ? regs : t->type == GSLOT_MIG_GGTT ? runs :
			   (u64)t->records * t->most;
		records = t->records ? t->records : (elements + t->most - 1) / t->most;
		size += records * sizeof(struct gslot_mig_record) + elements * t->unit;
	}
	return size;
}
