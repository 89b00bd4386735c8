// SPDX-License-Identifier: GPL-2.0
/* The stream of a vGPU's state: written and read back, cut, corrupted, out of order. */
#include "test.h"
#include "core/stream/stream.h"
#include "core/stream/stream_crc.h"
#include "stream_v1.h"

#define ROOM	0x40000

struct stream {
	u8 data[ROOM];
	u32 len;
};

static int put(void *data, const void *from, u32 len)
{
	struct stream *s = data;

	if (len > ROOM - s->len)
		return -ENOSPC;
	memcpy(s->data + s->len, from, len);
	s->len += len;
	return 0;
}

static struct stream stream;
static u8 buf[GSLOT_MIG_RECORD_MAX] __attribute__((aligned(8)));

/* Where the header, or a record, begins. */
static u32 begins[64], nr_begins;

static void mark(void)
{
	begins[nr_begins++] = stream.len;
}

static struct gslot_stream_writer writer;

static void add(enum gslot_mig_type type, const void *payload, u32 len)
{
	mark();
	assert_int_equal(gslot_stream_put(&writer, type, payload, len), 0);
}

static void begin(void)
{
	struct gslot_mig_header header = {
		.gen = 9,
		.type = "L64-H384",
		.nr_fuses = 2,
		.fuse = { { 0xd00, 1 }, { 0xd04, 2 } },
	};

	stream.len = 0;
	nr_begins = 0;
	writer = (struct gslot_stream_writer) { .put = put, .data = &stream };
	mark();
	assert_int_equal(gslot_stream_put_header(&writer, &header), 0);
}

static const u8 config[GSLOT_MIG_CONFIG_SIZE] = { 1, 2, 3 };
static const struct gslot_mig_pvinfo pvinfo = { .frames = 7 };
static const struct gslot_mig_irq irq = { .master = 1 };
static const u64 fences[32] = { 5 };
static const struct gslot_mig_debt debts[GSLOT_MIG_NR_ENGINES] = { { .debt_ns = 9 } };
static struct gslot_mig_engine engines[GSLOT_MIG_NR_ENGINES] = {
	{ .engine = 0 }, { .engine = 1 }, { .engine = 2 }, { .engine = 3 },
};

/* A stream with @early, @regs and @runs records of these types. */
static void make_early(u32 early, u32 regs, u32 runs)
{
	struct gslot_mig_reg reg = { .offset = 0x2000 };
	struct gslot_mig_run run = { .entry = 1, .count = 1 };
	const struct gslot_mig_counters counters = { .resets = 3 };
	u32 i;

	begin();
	for (i = 0; i < early; i++)
		add(GSLOT_MIG_GGTT_EARLY, &run, sizeof(run));
	add(GSLOT_MIG_CONFIG, config, sizeof(config));
	add(GSLOT_MIG_PVINFO, &pvinfo, sizeof(pvinfo));
	for (i = 0; i < regs; i++)
		add(GSLOT_MIG_REGS, &reg, sizeof(reg));
	add(GSLOT_MIG_IRQ, &irq, sizeof(irq));
	add(GSLOT_MIG_FENCES, fences, sizeof(fences));
	for (i = 0; i < runs; i++)
		add(GSLOT_MIG_GGTT, &run, sizeof(run));
	for (i = 0; i < GSLOT_MIG_NR_ENGINES; i++)
		add(GSLOT_MIG_ENGINE, &engines[i], sizeof(engines[i]));
	add(GSLOT_MIG_DEBTS, debts, sizeof(debts));
	add(GSLOT_MIG_COUNTERS, &counters, sizeof(counters));
	mark();
	assert_int_equal(gslot_stream_put_end(&writer), 0);
	mark();
}

static void make(u32 regs, u32 runs)
{
	make_early(0, regs, runs);
}

/* What a reader makes of a stream */
struct result {
	int error;	/* -errno, or 0 */
	u32 headers;	/* headers found */
	u32 records;	/* records found */
	bool ended;	/* the end was found */
};

static struct result feed(const u8 *data, u32 len, u32 piece)
{
	struct gslot_stream_reader r;
	struct result result = { };
	u32 done, n;

	gslot_stream_init(&r, buf);
	for (done = 0; done < len; done += n) {
		u32 used = 0;
		int found;

		n = min(piece, len - done);
		while ((found = gslot_stream_read(&r, data + done, n, &used)) > 0) {
			result.headers += found == GSLOT_STREAM_A_HEADER;
			result.records += found == GSLOT_STREAM_A_RECORD;
		}
		if (found) {
			/* It stays. */
			used = 0;
			assert_int_equal(gslot_stream_read(&r, data, 1, &used), found);
			assert_int_equal(used, 0);
			result.error = found;
			break;
		}
		assert_int_equal(used, n);
	}
	result.ended = r.state == GSLOT_STREAM_ENDED;
	return result;
}

static struct result read_all(void)
{
	return feed(stream.data, stream.len, stream.len);
}

static struct gslot_mig_record *record(u32 n)
{
	return (void *)(stream.data + begins[n + 1]);
}

/* Make the checksum of a record right again, by other means than the writer's. */
static void fix(u32 n)
{
	struct gslot_mig_record *rec = record(n);
	u32 i, k, crc = ~0u;

	rec->crc = 0;
	for (i = 0; i < sizeof(*rec) + rec->length; i++) {
		crc ^= ((u8 *)rec)[i];
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	rec->crc = ~crc;
}

static void fix_header(void)
{
	struct gslot_mig_header *header = (void *)stream.data;

	header->crc = 0;
	header->crc = gslot_crc_end(gslot_crc_add(GSLOT_CRC_BEGIN, header, sizeof(*header)));
}

static void expect(int error)
{
	struct result result = read_all();

	assert_int_equal(result.error, error);
	assert_false(error && result.ended);
}

static void test_crc(void **state)
{
	static const u8 zeros[32];

	(void)state;
	/* The check value of the catalogue of CRCs, and of RFC 3720, B.4. */
	assert_int_equal(gslot_crc_end(gslot_crc_add(GSLOT_CRC_BEGIN, "123456789", 9)), 0xe3069283);
	assert_int_equal(gslot_crc_end(gslot_crc_add(GSLOT_CRC_BEGIN, zeros, sizeof(zeros))),
			 0x8a9136aa);
	assert_int_equal(gslot_crc_end(GSLOT_CRC_BEGIN), 0);
}

static void test_whole(void **state)
{
	u32 piece, i;

	(void)state;
	for (i = 0; i < 6; i++) {
		make_early(i / 2, i % 3, 2 - i % 3);
		for (piece = 1; piece < 300; piece++) {
			struct result result = feed(stream.data, stream.len, piece);

			assert_int_equal(result.error, 0);
			assert_true(result.ended);
			assert_int_equal(result.headers, 1);
			assert_int_equal(result.records, nr_begins - 2);
		}
	}
}

/* Cut at every byte: never an error, and never an end. */
static void test_cut(void **state)
{
	u32 len;

	(void)state;
	make_early(1, 1, 1);
	for (len = 0; len < stream.len; len++) {
		struct result result = feed(stream.data, len, len);

		assert_int_equal(result.error, 0);
		assert_false(result.ended);
	}
	/* A byte too many. */
	stream.data[stream.len] = 0;
	assert_int_equal(feed(stream.data, stream.len + 1, ROOM).error, -EINVAL);
}

/* Each bit of it is covered by a check. */
static void test_flipped(void **state)
{
	u32 bit;

	(void)state;
	make_early(1, 1, 1);
	for (bit = 0; bit < stream.len * 8; bit++) {
		struct result result;

		stream.data[bit / 8] ^= 1u << bit % 8;
		result = read_all();
		/* A length that is larger may leave it incomplete. */
		assert_false(result.ended);
		stream.data[bit / 8] ^= 1u << bit % 8;
	}
	expect(0);
}

/* After an insertion or a removal: the records from the @nth on follow each other as ever. */
static void renumber(u32 n)
{
	u32 at = begins[n + 1];

	for (; at < stream.len; n++) {
		struct gslot_mig_record *rec = (void *)(stream.data + at);

		begins[n + 1] = at;
		rec->index = n;
		if (rec->type == GSLOT_MIG_END)
			((struct gslot_mig_end *)(rec + 1))->records = n;
		fix(n);
		at += sizeof(*rec) + rec->length;
	}
}

static bool is_any_number(u32 type)
{
	return type == GSLOT_MIG_REGS || type == GSLOT_MIG_GGTT ||
	       type == GSLOT_MIG_GGTT_EARLY;
}

/* Each record once more. */
static void test_twice(void **state)
{
	u32 i, n, type, len;

	(void)state;
	make_early(1, 1, 1);
	n = nr_begins - 2;	/* records */
	for (i = 0; i < n; i++) {
		make_early(1, 1, 1);
		type = record(i)->type;
		len = begins[i + 2] - begins[i + 1];
		memmove(stream.data + begins[i + 2] + len, stream.data + begins[i + 2],
			stream.len - begins[i + 2]);
		memcpy(stream.data + begins[i + 2], record(i), len);
		stream.len += len;
		/* Its number tells. */
		expect(-EINVAL);
		begins[i + 2] = begins[i + 1] + len;
		renumber(i + 1);
		expect(is_any_number(type) ? 0 : -EINVAL);
	}
}

/* Each two neighbours exchanged. */
static void test_exchanged(void **state)
{
	u8 first[1024];
	u32 i, n, a, b;

	(void)state;
	make_early(1, 1, 1);
	n = nr_begins - 2;
	for (i = 0; i < n - 1; i++) {
		make_early(1, 1, 1);
		a = begins[i + 2] - begins[i + 1];
		b = begins[i + 3] - begins[i + 2];
		assert_true(a <= sizeof(first));
		memcpy(first, record(i), a);
		memmove(record(i), record(i + 1), b);
		memcpy((u8 *)record(i) + b, first, a);
		renumber(i);
		expect(-EINVAL);
	}
}

/* Each record left out. */
static void test_missing(void **state)
{
	u32 i, n;

	(void)state;
	make_early(1, 1, 1);
	n = nr_begins - 3;	/* records without the end */
	for (i = 0; i < n; i++) {
		u32 type;

		make_early(1, 1, 1);
		type = record(i)->type;
		memmove(record(i), record(i + 1), stream.len - begins[i + 2]);
		stream.len -= begins[i + 2] - begins[i + 1];
		renumber(i);
		expect(is_any_number(type) || type == GSLOT_MIG_COUNTERS ? 0 : -EINVAL);
	}
}

/* The first record of a type. */
static u32 number_of(u32 type)
{
	u32 i;

	for (i = 0; record(i)->type != type; i++)
		assert_true(i < nr_begins);
	return i;
}

/* What is not in use is 0. */
static void test_unused(void **state)
{
	(void)state;
#define PAYLOAD(type, of, change, error) do {				\
	type *p;							\
	u32 n;								\
									\
	make(1, 1);							\
	n = number_of(of);						\
	p = (void *)(record(n) + 1);					\
	change;								\
	fix(n);								\
	expect(error);							\
} while (0)
#define ENGINE(change, error) \
	PAYLOAD(struct gslot_mig_engine, GSLOT_MIG_ENGINE, change, error)
	PAYLOAD(struct gslot_mig_pvinfo, GSLOT_MIG_PVINFO, p->reserved = 1, -EINVAL);
	PAYLOAD(struct gslot_mig_end, GSLOT_MIG_END, p->reserved = 1, -EINVAL);
	ENGINE(p->flags = GSLOT_MIG_ENGINE_HUNG | GSLOT_MIG_ENGINE_BATCH, 0);
	ENGINE(p->flags = 4, -EINVAL);
	ENGINE(p->flags = 0x80, -EINVAL);
	ENGINE(p->reserved[0] = 1, -EINVAL);
	ENGINE(p->reserved[1] = 1, -EINVAL);
	ENGINE((p->nr_elsp = 3, p->elsp[2] = 1), 0);
	ENGINE((p->nr_elsp = 2, p->elsp[2] = 1), -EINVAL);
	ENGINE(p->elsp[0] = 1, -EINVAL);
	ENGINE(p->nr_elsp = 4, -EINVAL);
	ENGINE(p->nr_elsp = 255, -EINVAL);
	ENGINE((p->nr_active = 2, p->active[1] = 1), 0);
	ENGINE((p->nr_active = 1, p->active[1] = 1ULL << 63), -EINVAL);
	ENGINE(p->active[0] = 1, -EINVAL);
	ENGINE(p->nr_active = 3, -EINVAL);
	ENGINE((p->nr_submits = 3, p->submit[2][1] = 1), 0);
	ENGINE((p->nr_submits = 2, p->submit[2][1] = 1), -EINVAL);
	ENGINE((p->nr_submits = 2, p->submit[2][0] = 1), -EINVAL);
	ENGINE(p->nr_submits = 4, -EINVAL);
	ENGINE((p->flags = GSLOT_MIG_ENGINE_BATCH, p->batch.second_addr = 1), 0);
	ENGINE(p->batch.lrca = 1, -EINVAL);
	ENGINE(p->batch.second_addr = 1ULL << 63, -EINVAL);
	ENGINE((p->flags = GSLOT_MIG_ENGINE_BATCH, p->batch.flags = 1), -EINVAL);
	ENGINE((p->flags = GSLOT_MIG_ENGINE_BATCH, p->batch.reserved = 1), -EINVAL);
	ENGINE(p->engine = 1, -EINVAL);
	ENGINE(p->engine = 4, -EINVAL);
#undef ENGINE
#undef PAYLOAD
}

/* An early record, as the first version that has these writes it. */
static const u8 early_v1[] = {
	0x08, 0x00, 0x01, 0x01, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x4c, 0xa6,
	0xe8, 0x83, 0x00, 0x00, 0x01, 0x00, 0x03, 0x00, 0x00, 0x80, 0x01, 0x50, 0x34, 0x12,
	0x00, 0x00, 0x00, 0x00,
};

static void test_early_v1(void **state)
{
	const struct gslot_mig_run run = {
		.entry = 0x10000, .count = GSLOT_MIG_RUN_ASCENDING | 3, .pte = 0x12345001,
	};
	struct gslot_stream_reader r;
	u32 used = 0;

	(void)state;
	begin();
	add(GSLOT_MIG_GGTT_EARLY, &run, sizeof(run));
	assert_int_equal(stream.len - begins[1], sizeof(early_v1));
	assert_memory_equal(record(0), early_v1, sizeof(early_v1));
	gslot_stream_init(&r, buf);
	assert_int_equal(gslot_stream_read(&r, stream.data, begins[1], &used),
			 GSLOT_STREAM_A_HEADER);
	used = 0;
	assert_int_equal(gslot_stream_read(&r, early_v1, sizeof(early_v1), &used),
			 GSLOT_STREAM_A_RECORD);
	assert_int_equal(r.record.type, GSLOT_MIG_GGTT_EARLY);
	assert_memory_equal(r.buf, &run, sizeof(run));
}

/* Early records come before all others, and a reader that does not know them refuses the stream. */
static void test_early(void **state)
{
	static const u8 many[GSLOT_MIG_RECORD_MAX];
	struct gslot_mig_record *rec;
	u32 i;

	(void)state;
	make_early(3, 0, 0);
	expect(0);
	for (i = 0; i < 3; i++) {
		assert_int_equal(record(i)->type, GSLOT_MIG_GGTT_EARLY);
		assert_int_equal(record(i)->flags, GSLOT_MIG_MANDATORY);
	}
	/* The type of records between early ones, and of a later version. */
	record(1)->type = GSLOT_MIG_GGTT;
	fix(1);
	expect(-EINVAL);
	make_early(3, 0, 0);
	record(2)->version++;
	fix(2);
	expect(-EOPNOTSUPP);
	make_early(1, 0, 0);
	rec = record(0);
	rec->flags = 0;
	fix(0);
	expect(-EINVAL);
	/* As the last record: the place of one that has a name there. */
	make_early(0, 0, 1);
	i = number_of(GSLOT_MIG_GGTT);
	record(i)->type = GSLOT_MIG_GGTT_EARLY;
	fix(i);
	expect(-EINVAL);
	begin();
	assert_int_equal(gslot_stream_put(&writer, GSLOT_MIG_GGTT_EARLY, many, 8), -EINVAL);
	assert_int_equal(gslot_stream_put(&writer, GSLOT_MIG_GGTT_EARLY, many, 0), 0);
	assert_int_equal(writer.records, 0);
	add(GSLOT_MIG_GGTT_EARLY, many, sizeof(many));
	expect(0);
}

/* Sizes of payloads: exactly, and by one; and the longest, and by one. */
static void test_lengths(void **state)
{
	static u8 many[GSLOT_MIG_RECORD_MAX + sizeof(struct gslot_mig_run)];
	struct gslot_mig_record *rec;

	(void)state;
	begin();
	assert_int_equal(gslot_stream_put(&writer, GSLOT_MIG_CONFIG, many, 255), -EINVAL);
	assert_int_equal(gslot_stream_put(&writer, GSLOT_MIG_CONFIG, many, 257), -EINVAL);
	assert_int_equal(gslot_stream_put(&writer, GSLOT_MIG_REGS, many, 7), -EINVAL);
	assert_int_equal(gslot_stream_put(&writer, GSLOT_MIG_REGS, many, 0), 0);
	assert_int_equal(gslot_stream_put(&writer, GSLOT_MIG_GGTT, many, sizeof(many)), -EINVAL);
	assert_int_equal(gslot_stream_put(&writer, GSLOT_MIG_FENCES, many, 31 * 8), -EINVAL);
	assert_int_equal(gslot_stream_put(&writer, GSLOT_MIG_DEBTS, many, 5 * 16), -EINVAL);
	assert_int_equal(gslot_stream_put(&writer, 10, many, 8), -EINVAL);
	assert_int_equal(writer.records, 0);
	add(GSLOT_MIG_GGTT, many, GSLOT_MIG_RECORD_MAX);
	expect(0);

	rec = record(0);
	rec->length = GSLOT_MIG_RECORD_MAX + 1;
	expect(-EMSGSIZE);
	rec->length = U32_MAX;
	expect(-EMSGSIZE);
	rec->length = 0;
	expect(-EINVAL);
	rec->length = sizeof(struct gslot_mig_run) + 1;
	expect(-EINVAL);
	rec->length = sizeof(struct gslot_mig_run);
	fix(0);
	assert_int_equal(feed(stream.data, begins[1] + sizeof(*rec) + rec->length, 9).error, 0);
	rec->length = GSLOT_MIG_RECORD_MAX;
	rec->crc ^= 1;
	expect(-EBADMSG);
}

static void test_header(void **state)
{
	struct gslot_mig_header *header = (void *)stream.data;

	(void)state;
#define BAD(change, error) do {						\
	make(0, 0);							\
	change;								\
	fix_header();							\
	expect(error);							\
} while (0)
	BAD(header->low_size = 5, 0);
	BAD(header->magic = GSLOT_MIG_MAGIC + 1, -EINVAL);
	BAD(header->version = GSLOT_MIG_VERSION + 1, -EOPNOTSUPP);
	BAD(header->version = GSLOT_MIG_VERSION - 1, -EOPNOTSUPP);
	BAD(header->reserved[0] = 1, -EINVAL);
	BAD(header->reserved[3] = 1u << 31, -EINVAL);
	BAD(header->nr_fuses = 1, -EINVAL);
	BAD(header->nr_fuses = 3, -EINVAL);
	BAD((header->nr_fuses = 3, header->fuse[2].offset = 0xd08), 0);
	BAD((header->nr_fuses = 3, header->fuse[2].offset = 0xd04), -EINVAL);
	BAD(header->fuse[2].value = 1, -EINVAL);
	BAD(header->fuse[GSLOT_MIG_NR_FUSES - 1].offset = 1, -EINVAL);
	BAD(header->fuse[0].offset = 0xd08, -EINVAL);
	BAD((memset(header->fuse, 0, sizeof(header->fuse)), header->nr_fuses = 0), 0);
	BAD(header->nr_fuses = GSLOT_MIG_NR_FUSES + 1, -EINVAL);
	BAD(header->nr_fuses = 255, -EINVAL);
	BAD(header->type[GSLOT_MIG_TYPE_SIZE - 1] = 'x', -EINVAL);
	BAD(header->type[GSLOT_MIG_TYPE_SIZE - 2] = 'x', -EINVAL);
	BAD(memset(header->type, 'x', GSLOT_MIG_TYPE_SIZE), -EINVAL);
	BAD(memset(header->type, 'x', GSLOT_MIG_TYPE_SIZE - 1), 0);
	BAD(memset(header->type, 0, GSLOT_MIG_TYPE_SIZE), 0);
	BAD(header->type[1] = '\n', -EINVAL);
	BAD(header->type[1] = '\x1b', -EINVAL);
	BAD(header->type[1] = '\x9b', -EINVAL);
	BAD(header->type[1] = ' ', -EINVAL);
#undef BAD
	make(0, 0);
	header->crc++;
	expect(-EBADMSG);
}

/* Records of a later version, in between and at the end. */
static void test_unknown(void **state)
{
	static const struct {
		u16 type;
		u8 version;
		u8 flags;
		int error;
	} cases[] = {
		{ 0x91, 1, 0, 0 },
		{ 0x91, 1, GSLOT_MIG_MANDATORY, -EOPNOTSUPP },
		{ 0x91, 1, 2, -EINVAL },
		{ 0x85, 1, 0, 0 },
		{ 0xfffe, 9, 0, 0 },
		{ GSLOT_MIG_COUNTERS, 2, 0, 0 },
		{ GSLOT_MIG_COUNTERS, 2, GSLOT_MIG_MANDATORY, -EOPNOTSUPP },
		{ GSLOT_MIG_COUNTERS, 1, GSLOT_MIG_MANDATORY, -EINVAL },
		{ GSLOT_MIG_DEBTS, 1, 0, -EINVAL },
		{ 0, 1, 0, -EINVAL },
	};
	u32 i, n, len;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		for (len = 0; len < 40; len += 24) {
			struct gslot_mig_record *rec;

			make(1, 1);
			n = nr_begins - 4;	/* the counters */
			rec = record(n);
			assert_int_equal(rec->type, GSLOT_MIG_COUNTERS);
			memmove((u8 *)(rec + 1) + len, stream.data + begins[n + 2],
				stream.len - begins[n + 2]);
			stream.len -= 24 - len;
			rec->type = cases[i].type;
			rec->version = cases[i].version;
			rec->flags = cases[i].flags;
			rec->length = len;
			fix(n);
			expect(cases[i].error);
		}
	/* There may be several of an optional one. */
	make(0, 2);
	n = number_of(GSLOT_MIG_GGTT);
	for (i = n; i < n + 2; i++) {
		record(i)->type = 0x61;
		record(i)->flags = 0;
		fix(i);
	}
	expect(0);
	/* An end of a later version. */
	make(0, 0);
	n = nr_begins - 3;
	record(n)->version = 2;
	record(n)->flags = 0;
	fix(n);
	expect(-EOPNOTSUPP);
}

/* The size is exact if no record could be longer. */
static void test_size(void **state)
{
	const u32 regs = GSLOT_MIG_RECORD_MAX / sizeof(struct gslot_mig_reg);
	static u8 many[GSLOT_MIG_RECORD_MAX];
	u32 record_size = sizeof(struct gslot_mig_record);

	(void)state;
	make(0, 0);
	assert_int_equal(gslot_stream_size(0, 0), stream.len);
	make(1, 1);
	assert_int_equal(gslot_stream_size(1, 1), stream.len);
	begin();
	add(GSLOT_MIG_REGS, many, sizeof(many));
	assert_int_equal(gslot_stream_size(regs, 0) - gslot_stream_size(0, 0),
			 record_size + sizeof(many));
	assert_int_equal(gslot_stream_size(regs + 1, 0) - gslot_stream_size(regs, 0),
			 record_size + sizeof(struct gslot_mig_reg));
	/* Each entry of a GGTT is a run of its own. */
	assert_in_range(gslot_stream_size(0, 1 << 20), 16 << 20, (16 << 20) + 0x10000);
}

/* The next record of the stream of version 1. Return: its payload. */
static const void *next_v1(struct gslot_stream_reader *r, u32 *used, u32 type, u32 len)
{
	assert_int_equal(gslot_stream_read(r, stream_v1, sizeof(stream_v1), used),
			 GSLOT_STREAM_A_RECORD);
	assert_int_equal(r->record.type, type);
	assert_int_equal(r->record.length, len);
	add(type, r->buf, len);
	return r->buf;
}

static void check_v1_header(const struct gslot_mig_header *h)
{
	assert_int_equal(h->vendor, 0x8086);
	assert_int_equal(h->device, 0x1912);
	assert_int_equal(h->revision, 6);
	assert_int_equal(h->gen, 9);
	assert_int_equal(h->nr_fences, 32);
	assert_int_equal(h->nr_fuses, 2);
	assert_int_equal(h->pvinfo_version, 1);
	assert_int_equal(h->pvinfo_caps, 5);
	assert_int_equal(h->ggtt_size, 1ULL << 32);
	assert_int_equal(h->low_size, 64 << 20);
	assert_int_equal(h->high_size, 384 << 20);
	assert_string_equal(h->type, "L64-H384");
	assert_int_equal(h->fuse[1].offset, 0x913c);
	assert_int_equal(h->fuse[1].value, 0xf);
}

static void check_v1_regs(const struct gslot_mig_reg *regs)
{
	assert_int_equal(regs[0].offset, 0x2080);
	assert_int_equal(regs[2].offset, 0x40e0);
	assert_int_equal(regs[2].value, 5);
}

static void check_v1_irq(const struct gslot_mig_irq *v1)
{
	assert_int_equal(v1->imr[31], 32);
	assert_int_equal(v1->iir[31], 132);
	assert_int_equal(v1->ier[31], 232);
	assert_int_equal(v1->ring_imr[3], 304);
	assert_true(v1->master == 1 && v1->msi_pending == 1);
}

static void check_v1_runs(const struct gslot_mig_run *runs)
{
	assert_true(gslot_run_valid(&runs[0], 0, 1 << 20));
	assert_int_equal(gslot_run_count(&runs[0]), 3);
	assert_int_equal(gslot_run_pte(&runs[0], 2), 0x12347001);
	assert_int_equal(gslot_run_pte(&runs[1], 1), 0x777001);
}

static void check_v1_engine(const struct gslot_mig_engine *e, u32 id)
{
	assert_int_equal(e->engine, id);
	assert_int_equal(e->csb_ptr, id + 1);
	assert_int_equal(e->head, 0x78 + id);
	assert_int_equal(e->tail, 0x100 + id);
	assert_int_equal(e->start, 0x10020000 + id * 0x1000);
	assert_int_equal(e->flags, id == 0 ? GSLOT_MIG_ENGINE_BATCH :
			 id == 3 ? GSLOT_MIG_ENGINE_HUNG : 0);
	assert_int_equal(e->nr_elsp, id == 2 ? 2 : 0);
	assert_int_equal(e->elsp[1], id == 2 ? 0x20 : 0);
	assert_int_equal(e->nr_active, id ? 0 : 2);
	assert_int_equal(e->nr_submits, id ? 0 : 2);
	if (id)
		return;
	assert_int_equal(e->active[1], 0x3010008119);
	assert_int_equal(e->submit[0][0], 0x4010010119);
	assert_int_equal(e->submit[1][1], 0x6010018119);
	assert_int_equal(e->batch.lrca, 0x10004000);
	assert_int_equal(e->batch.head, 0x78);
	assert_int_equal(e->batch.addr, 0x200000001001);
	assert_int_equal(e->batch.second_addr, 0x200000002001);
}

/* Streams of the first release are read. While its versions are the latest, so are they written. */
static void test_v1(void **state)
{
	struct gslot_stream_reader r;
	struct gslot_mig_header header;
	u32 used = 0, i;

	(void)state;
	gslot_stream_init(&r, buf);
	assert_int_equal(gslot_stream_read(&r, stream_v1, sizeof(stream_v1), &used),
			 GSLOT_STREAM_A_HEADER);
	check_v1_header((const void *)r.buf);
	memcpy(&header, r.buf, sizeof(header));
	begin();
	stream.len = 0;
	assert_int_equal(gslot_stream_put_header(&writer, &header), 0);

	assert_memory_equal(next_v1(&r, &used, GSLOT_MIG_CONFIG, 256), "\x86\x80\x12\x19", 4);
	assert_int_equal(((const u32 *)next_v1(&r, &used, GSLOT_MIG_PVINFO, 64))[14], 77);
	check_v1_regs(next_v1(&r, &used, GSLOT_MIG_REGS, 24));
	check_v1_irq(next_v1(&r, &used, GSLOT_MIG_IRQ, 408));
	assert_int_equal(((const u64 *)next_v1(&r, &used, GSLOT_MIG_FENCES, 256))[31],
			 31ULL << 32 | 1);
	check_v1_runs(next_v1(&r, &used, GSLOT_MIG_GGTT, 32));
	for (i = 0; i < 4; i++)
		check_v1_engine(next_v1(&r, &used, GSLOT_MIG_ENGINE, 128), i);
	assert_int_equal(((const struct gslot_mig_debt *)
			  next_v1(&r, &used, GSLOT_MIG_DEBTS, 64))[3].resets_ns, 1007);
	assert_int_equal(((const struct gslot_mig_counters *)
			  next_v1(&r, &used, GSLOT_MIG_COUNTERS, 24))->resets, 13);
	next_v1(&r, &used, GSLOT_MIG_END, 8);
	assert_int_equal(r.state, GSLOT_STREAM_ENDED);
	assert_int_equal(used, sizeof(stream_v1));
	assert_int_equal(stream.len, sizeof(stream_v1));
	assert_memory_equal(stream.data, stream_v1, sizeof(stream_v1));
}

static void test_put_fails(void **state)
{
	(void)state;
	make(0, 0);
	stream.len = ROOM;
	assert_int_equal(gslot_stream_put_end(&writer), -ENOSPC);
	stream.len = ROOM - sizeof(struct gslot_mig_record);
	assert_int_equal(gslot_stream_put_end(&writer), -ENOSPC);
}

/* Runs of random entries give these entries back. */
static void test_runs(void **state)
{
	struct gslot_mig_run runs[64];
	u64 ptes[256], back[256];
	u32 round, i, k, count, from;

	(void)state;
	for (round = 0; round < rounds(20000); round++) {
		u32 kinds = rnd_range(1, 4);

		count = 0;
		memset(back, 0, sizeof(back));
		for (i = 0; i < ARRAY_SIZE(ptes); i++) {
			u64 last = i ? ptes[i - 1] : U64_MAX - 3 * 4096 + rnd_below(3);

			switch (rnd_below(16) ? kinds : rnd_below(5)) {
			case 0:
				ptes[i] = 0;
				break;
			case 1:
				ptes[i] = last;
				break;
			case 2:
				ptes[i] = last + 4096;
				break;
			case 3:
				ptes[i] = last - 4096;
				break;
			default:
				ptes[i] = rnd64();
			}
		}
		for (i = 0; i < ARRAY_SIZE(ptes); i++)
			if (ptes[i] && !gslot_runs_add(runs, &count, ARRAY_SIZE(runs), i, ptes[i]))
				break;
		assert_true(count <= ARRAY_SIZE(runs));
		for (; i < ARRAY_SIZE(ptes); i++)
			ptes[i] = 0;
		for (i = 0, from = 0; i < count; i++) {
			assert_true(gslot_run_valid(&runs[i], from, ARRAY_SIZE(ptes)));
			for (k = 0; k < gslot_run_count(&runs[i]); k++)
				back[runs[i].entry + k] = gslot_run_pte(&runs[i], k);
			from = runs[i].entry + gslot_run_count(&runs[i]);
		}
		assert_memory_equal(back, ptes, sizeof(ptes));
	}
}

static void test_run_valid(void **state)
{
	const u32 up = GSLOT_MIG_RUN_ASCENDING;
	struct gslot_mig_run run;

	(void)state;
#define VALID(e, c, p, from, limit) \
	(run = (struct gslot_mig_run) { (e), (c), (p) }, gslot_run_valid(&run, (from), (limit)))
	assert_true(VALID(5, 3, 1, 5, 8));
	assert_false(VALID(5, 3, 1, 6, 8));
	assert_false(VALID(5, 3, 1, 5, 7));
	assert_false(VALID(5, 0, 1, 5, 8));
	assert_false(VALID(5, up, 1, 5, 8));
	assert_false(VALID(8, 1, 1, 5, 8));
	assert_false(VALID(U32_MAX, 2, 1, 5, 8));
	assert_false(VALID(5, U32_MAX, 1, 5, 8));
	assert_false(VALID(5, ~up, 1, 5, 8));
	assert_true(VALID(0, up | 3, U64_MAX - 2 * 4096, 0, 8));
	assert_false(VALID(0, up | 3, U64_MAX - 2 * 4096 + 1, 0, 8));
	assert_true(VALID(0, 3, U64_MAX, 0, 8));
#undef VALID
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_crc),
		cmocka_unit_test(test_whole),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_flipped),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_exchanged),
		cmocka_unit_test(test_missing),
		cmocka_unit_test(test_unused),
		cmocka_unit_test(test_early),
		cmocka_unit_test(test_early_v1),
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_header),
		cmocka_unit_test(test_unknown),
		cmocka_unit_test(test_size),
		cmocka_unit_test(test_v1),
		cmocka_unit_test(test_put_fails),
		cmocka_unit_test(test_runs),
		cmocka_unit_test(test_run_valid),
	};

	return run_tap_tests("core_stream", tests);
}
