// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "mig_stream.h"
#include "rng.h"
#include "tap.h"

static u32 crc32c(u32 crc, const void *from, size_t len)
{
	const u8 *p = from;
	size_t i, k;

	for (i = 0; i < len; i++) {
		crc ^= p[i];
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return crc;
}

struct gslot_mig_header *mig_stream_header(struct mig_stream *s)
{
	return (void *)s->data;
}

/* The record at @at, which moves behind it; NULL: none that fits. */
static struct gslot_mig_record *next(struct mig_stream *s, size_t *at)
{
	struct gslot_mig_record *record = (void *)(s->data + *at);

	if (s->len < *at + sizeof(*record) || s->len - *at - sizeof(*record) < record->length)
		return NULL;
	*at += sizeof(*record) + record->length;
	return record;
}

struct gslot_mig_record *mig_stream_find(struct mig_stream *s, u32 type, u32 nth)
{
	size_t at = sizeof(struct gslot_mig_header);
	struct gslot_mig_record *record;

	while ((record = next(s, &at)))
		if (record->type == type && !nth--)
			return record;
	return NULL;
}

void *mig_stream_payload(struct mig_stream *s, u32 type, u32 nth)
{
	struct gslot_mig_record *record = mig_stream_find(s, type, nth);

	if (!record)
		tap_die("the stream has no record of type %u", type);
	return record + 1;
}

void mig_stream_fix(struct mig_stream *s)
{
	size_t at = sizeof(struct gslot_mig_header);
	struct gslot_mig_record *record;

	if (s->len < at)
		return;
	mig_stream_header(s)->crc = 0;
	mig_stream_header(s)->crc = ~crc32c(~0u, s->data, at);
	while ((record = next(s, &at))) {
		record->crc = 0;
		record->crc = ~crc32c(~0u, record, sizeof(*record) + record->length);
	}
}

struct mig_stream mig_stream_copy(const struct mig_stream *s)
{
	struct mig_stream copy = { .data = malloc(s->len + 64), .len = s->len };

	if (!copy.data)
		tap_die("no memory");
	if (s->len)
		memcpy(copy.data, s->data, s->len);
	return copy;
}

void mig_stream_make_wild(struct gslot_mig_engine *engine, struct rng *rng)
{
	u32 id = engine->engine, i;

	*engine = (struct gslot_mig_engine) {
		.engine = id,
		.flags = rng_u64(rng) % 2 ? GSLOT_MIG_ENGINE_HUNG : 0,
		.head = rng_u64(rng),
		.tail = rng_u64(rng),
		.start = rng_u64(rng),
		.csb_ptr = rng_u64(rng) % 6,
		.nr_active = rng_u64(rng) % (GSLOT_MIG_NR_ACTIVE + 1),
		.nr_submits = rng_u64(rng) % (GSLOT_MIG_NR_SUBMITS + 1),
		.nr_elsp = rng_u64(rng) % (GSLOT_MIG_NR_ELSP + 1),
	};
	for (i = 0; i < engine->nr_active; i++)
		engine->active[i] = rng_u64(rng);
	for (i = 0; i < engine->nr_submits; i++) {
		engine->submit[i][0] = i % 2 ? rng_u64(rng) :
				       0x10000019 + (rng_u64(rng) % 64 << 12);
		engine->submit[i][1] = rng_u64(rng) % 2 ? rng_u64(rng) : 0;
	}
	for (i = 0; i < engine->nr_elsp; i++)
		engine->elsp[i] = rng_u64(rng);
	if (id == 1 || rng_u64(rng) % 2 || engine->flags)
		return;
	engine->flags = GSLOT_MIG_ENGINE_BATCH;
	engine->batch.lrca = 0x10000000 + (rng_u64(rng) % 64 << 12);
	engine->batch.head = rng_u64(rng) % 64 * 8;
	engine->batch.addr = (rng_u64(rng) & 0xfffffffffffcULL) | 1;
	if (rng_u64(rng) % 2)
		engine->batch.second_addr = (rng_u64(rng) & 0xfffffffffffcULL) | 1;
}
