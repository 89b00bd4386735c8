// SPDX-License-Identifier: GPL-2.0
/*
 * A stream from elsewhere, in pieces. The first bytes say how the rest becomes a stream: as it is,
 * or with checksums and indexes put right, so that the checks behind them are reached. A reader
 * that has all of it at once, written from uapi/gslot_migration.h alone, says what must be found.
 */
#include "test.h"
#include "core/stream/stream.h"

#define MOST	(3 * GSLOT_MIG_RECORD_MAX)

/* What is in a stream */
struct oracle {
	struct {
		u32 type;
		u32 length;
	} found[4096];	/* headers and records */
	u32 count;	/* their number */
	int error;	/* -errno, behind these */
	bool ended;	/* it is complete */
};

static u32 crc32c(const u8 *p, u32 len, u32 skip)
{
	u32 crc = ~0u, i, k;

	/* The four bytes at @skip count as 0. */
	for (i = 0; i < len; i++) {
		crc ^= i >= skip && i < skip + 4u ? 0 : p[i];
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78 : 0);
	}
	return ~crc;
}

static u32 le(const u8 *p, u32 n)
{
	return n ? p[0] | le(p + 1, n - 1) << 8 : 0;
}

static void set(u8 *p, u32 value)
{
	u32 i;

	for (i = 0; i < 4; i++)
		p[i] = value >> (8 * i);
}

#define HEADER_CRC	offsetof(struct gslot_mig_header, crc)
#define RECORD_CRC	offsetof(struct gslot_mig_record, crc)
#define RECORD_INDEX	offsetof(struct gslot_mig_record, index)

#define HEADER_SIZE	232

static bool is_known(u32 type)
{
	return (type && type <= 0x90 && type % 0x10 == 0) || type == 8 || type == 0xffff;
}

static bool may_repeat(u32 type)
{
	return type == 8 || type == 0x30 || type == 0x60 || type == 0x70 || !is_known(type);
}

/* Sizes of payloads, by type. */
static bool size_fits(u32 type, u32 len)
{
	switch (type) {
	case 0x08: return len && len % 16 == 0;
	case 0x10: return len == 256;
	case 0x20: return len == 64;
	case 0x30: return len && len % 8 == 0;
	case 0x40: return len == 32 * 4 * 3 + 24;
	case 0x50: return len == 32 * 8;
	case 0x60: return len && len % 16 == 0;
	case 0x70: return len == 128;
	case 0x80: return len == 64;
	case 0x90: return len == 24;
	case 0xffff: return len == 8;
	}
	return false;
}

static bool zeros(const u8 *p, u32 from, u32 end)
{
	while (from < end)
		if (p[from++])
			return false;
	return true;
}

/* What is not in use is 0. */
static bool payload_fits(u32 type, const u8 *p)
{
	switch (type) {
	case 0x20:
		return zeros(p, 60, 64);
	case 0x70:
		return p[1] < 4 && p[2] <= 2 && p[3] <= 3 && p[4] <= 3 && zeros(p, 6, 8) &&
		       zeros(p, 20 + 4 * p[4], 32) && zeros(p, 32 + 8 * p[2], 48) &&
		       zeros(p, 48 + 16 * p[3], 96) && zeros(p, p[1] & 2 ? 120 : 96, 128);
	case 0xffff:
		return zeros(p, 4, 8);
	}
	return true;
}

/* Printable characters, then zeroes, at least one. */
static bool name_fits(const u8 *p)
{
	bool ended = false;
	u32 i;

	for (i = 0; i < 32; i++) {
		ended |= !p[i];
		if (ended ? p[i] : p[i] < 33 || p[i] > 126)
			return false;
	}
	return ended;
}

/* Pairs of offset and value, by ascending offset, and zeroes. */
static bool fuses_fit(const u8 *p, u32 count)
{
	u32 i;

	for (i = 1; i < count && count <= 16; i++)
		if (le(p + 8 * i, 4) <= le(p + 8 * (i - 1), 4))
			return false;
	return count <= 16 && zeros(p, 8 * count, 128);
}

static int expect_header(const u8 *p)
{
	static const u8 magic[] = { 'g', 's', 'l', 'o', 't', 'm', 'i', 'g' };

	if (memcmp(p, magic, 8))
		return -EINVAL;
	if (le(p + 8, 4) != 1)
		return -EOPNOTSUPP;
	if (le(p + 12, 4) != crc32c(p, HEADER_SIZE, HEADER_CRC))
		return -EBADMSG;
	return !name_fits(p + 56) || !fuses_fit(p + 88, p[23]) || !zeros(p, 216, HEADER_SIZE) ?
	       -EINVAL : 0;
}

static void expect(struct oracle *o, const u8 *p, u32 len)
{
	u32 at = HEADER_SIZE, index = 0, last = 0, engines = 0, seen = 0;

	memset(o, 0, sizeof(*o));
	if (len < HEADER_SIZE)
		return;
	o->error = expect_header(p);
	if (o->error)
		return;
	o->count = 1;
	while (len - at >= 16 && !o->error) {
		const u8 *r = p + at, *payload = r + 16;
		u32 type = le(r, 2), length = le(r + 4, 4);
		bool known, optional = type == 0x90;

		if (o->ended || le(r + 8, 4) != index || r[3] > 1) {
			o->error = -EINVAL;
			break;
		}
		if (length > 0x8000) {
			o->error = -EMSGSIZE;
			break;
		}
		if (type < last || (type == last && !may_repeat(type))) {
			o->error = -EINVAL;
			break;
		}
		known = is_known(type) && r[2] == 1;
		if (known && (!size_fits(type, length) || r[3] == optional))
			o->error = -EINVAL;
		else if (!known && (r[3] || type == 0xffff))
			o->error = -EOPNOTSUPP;
		if (o->error || len - at - 16 < length)
			break;
		if (le(r + 12, 4) != crc32c(r, 16 + length, RECORD_CRC)) {
			o->error = -EBADMSG;
			break;
		}
		if (known && !payload_fits(type, payload)) {
			o->error = -EINVAL;
			break;
		}
		if (known && type == 0x70 && (engines == 4 || payload[0] != engines)) {
			o->error = -EINVAL;
			break;
		}
		engines += known && type == 0x70;
		if (type == 0xffff) {
			if (le(payload, 4) != index || engines != 4 || (seen & 0x136) != 0x136) {
				o->error = -EINVAL;
				break;
			}
			o->ended = true;
		}
		if (known && type >= 0x10 && type <= 0x90)
			seen |= 1u << type / 0x10;
		if (known) {
			o->found[o->count].type = type;
			o->found[o->count++].length = length;
		}
		last = type;
		index++;
		at += 16 + length;
	}
	/* Any byte behind the end. */
	if (o->ended && !o->error && at < len)
		o->error = -EINVAL;
}

/* Put right what a mutation breaks, as far as the stream can be followed. */
static void repair(u8 *p, u32 len, u32 how)
{
	u32 at = HEADER_SIZE, index = 0;

	if (!(how & 1) || len < HEADER_SIZE)
		return;
	memcpy(p, "gslotmig\1\0\0", 12);
	if (how & 2) {
		p[23] %= 3;
		p[87] = 0;
		memset(p + 104, 0, HEADER_SIZE - 104);
	}
	set(p + HEADER_CRC, crc32c(p, HEADER_SIZE, HEADER_CRC));
	while (len - at >= 16) {
		u32 length = le(p + at + 4, 4) % 1024;

		if (how & 4)
			set(p + at + 4, length);
		length = le(p + at + 4, 4);
		if (how & 8)
			set(p + at + RECORD_INDEX, index);
		if (length > len - at - 16)
			break;
		if (how & 16 && le(p + at, 2) == 0xffff && length >= 4)
			set(p + at + 16, index);
		set(p + at + RECORD_CRC, crc32c(p + at, 16 + length, RECORD_CRC));
		index++;
		at += 16 + length;
	}
}

static u8 data_of[MOST];
static u8 buf[GSLOT_MIG_RECORD_MAX] __attribute__((aligned(8)));

static void follow(const struct oracle *o, const u8 *p, u32 len, u32 piece)
{
	struct gslot_stream_reader r;
	u32 count = 0, done, n;
	int found = 0;

	gslot_stream_init(&r, buf);
	for (done = 0; done < len && !found; done += n) {
		/* A copy of its own size: the sanitizer sees what is read behind it. */
		u32 used = 0;
		u8 *copy;

		n = len - done < piece ? len - done : piece;
		copy = malloc(n);
		memcpy(copy, p + done, n);
		while ((found = gslot_stream_read(&r, copy, n, &used)) > 0) {
			must(count < o->count);
			must((found == GSLOT_STREAM_A_HEADER) == !count);
			if (found == GSLOT_STREAM_A_RECORD) {
				must(r.record.type == o->found[count].type);
				must(r.record.length == o->found[count].length);
			}
			count++;
		}
		must(found || used == n);
		free(copy);
	}
	must(found == o->error);
	must(count == o->count);
	must((r.state == GSLOT_STREAM_ENDED) == (o->ended && !o->error));
}

/* Runs from elsewhere: those that are valid stay within their limits, entry by entry. */
static void check_runs(const u8 *p, u32 len)
{
	struct gslot_mig_run run;
	u32 from = 0, i, count;

	for (; len >= sizeof(run); p += sizeof(run), len -= sizeof(run)) {
		bool valid;

		memcpy(&run, p, sizeof(run));
		valid = gslot_run_valid(&run, from, 0x100000);
		count = run.count & 0x7fffffff;
		must(!valid || (run.entry >= from && count && count <= 0x100000 &&
				run.entry <= 0x100000 - count));
		must(valid || run.entry < from || !count || count > 0x100000 ||
		     run.entry > 0x100000 - count || run.count >> 31);
		if (!valid)
			continue;
		for (i = 0; i < 3 && i < count; i++)
			must(gslot_run_pte(&run, i) - run.pte ==
			     (run.count >> 31 ? i * 4096ull : 0));
		must(gslot_run_pte(&run, count - 1) >= run.pte);
		from = run.entry + count;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	u32 how = take(&in, 1), piece = take(&in, 2) + 1u, len;
	static struct oracle oracle;

	len = in.left < MOST ? in.left : MOST;
	memcpy(data_of, in.data, len);
	check_runs(data_of, len);
	repair(data_of, len, how);
	expect(&oracle, data_of, len);
	follow(&oracle, data_of, len, piece);
	return 0;
}
