// SPDX-License-Identifier: GPL-2.0
/*
 * A stream from elsewhere, in pieces. The first bytes say how the rest becomes a stream: as it is,
 * or with checksums and indexes put right, so that the checks behind them are reached, a header
 * before it, and more zeros behind it than the longest payload has. A reader that has all of it at
 * once, written from uapi/gslot_migration.h alone, says what must be found. With SMALL the longest
 * payload is hardly longer than the longest one of a fixed size. Entries that become runs come back
 * from these, one by one.
 */
#ifdef SMALL
#define GSLOT_STREAM_RECORD_MAX	LONGEST
#define LONGEST	416u
#else
#define LONGEST	0x8000u
#endif

#include "test.h"
#include "core/stream/stream.h"
#ifdef SMALL
#include "core/stream/stream.c"
#include "core/stream/stream_read.c"
#endif

/* What is done to the input, by its first byte; the upper three bits are a number, too. */
enum how {
	HOW_REPAIR = 1,		/* signature and checksums are put right */
	HOW_HEADER = 2,		/* and the rest of the header, but for numbers */
	HOW_LENGTHS = 4,	/* payloads are short, or about as long as the longest */
	HOW_INDEXES = 8,	/* records are numbered */
	HOW_END = 16,		/* the last one says how many there are */
	HOW_ENGINES = 32,	/* records are engines */
	HOW_LARGE_RUNS = 64,	/* runs have numbers of any size */
	HOW_PREPEND = 128,	/* a header stands before the input */
};

/* In the header */
#define NR_FUSES	23
#define NAME		56
#define NAME_SIZE	32
#define FUSES		88

#define MOST	(3 * 0x8000)
#define PADDING	(LONGEST + 512)

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
		if (length > LONGEST) {
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
	u32 at = HEADER_SIZE, index = 0, i;

	if (!(how & HOW_REPAIR) || len < HEADER_SIZE)
		return;
	memcpy(p, "gslotmig\1\0\0", 12);
	if (how & HOW_HEADER) {
		u8 *name_end = p + NAME + NAME_SIZE - 1;

		p[NR_FUSES] %= 18;
		*name_end = 0;
		if (name_end[-1] & 128)
			memset(p + NAME, '~', NAME_SIZE - 1 + (name_end[-1] & 1));
		else
			name_end[-1] = 0;
		memset(p + FUSES, 0, HEADER_SIZE - FUSES);
		for (i = 0; i < p[NR_FUSES] && i < 16; i++)
			p[FUSES + 8 * i] = i + 1;
	}
	set(p + HEADER_CRC, crc32c(p, HEADER_SIZE, HEADER_CRC));
	while (len - at >= 16) {
		u32 length = le(p + at + 4, 4);

		if (how & HOW_LENGTHS)
			length = length >> 31 ? LONGEST - 1 + length % 4 : length % 1024;
		set(p + at + 4, length);
		/* Engines, of which only flags and counts are the input's. */
		if (how & HOW_ENGINES && len - at >= 16 + 128) {
			length = 128;
			memcpy(p + at, "\x70\0\1\1\x80\0\0", 8);
			p[at + 16] = index;
			memset(p + at + 16 + 6, 0, 128 - 6);
		}
		if (how & HOW_INDEXES)
			set(p + at + RECORD_INDEX, index);
		if (length > len - at - 16)
			break;
		if (how & HOW_END && le(p + at, 2) == 0xffff && length >= 4)
			set(p + at + 16, index);
		set(p + at + RECORD_CRC, crc32c(p + at, 16 + length, RECORD_CRC));
		index++;
		at += 16 + length;
	}
}

static u8 data_of[MOST];
static u8 buf[LONGEST] __attribute__((aligned(8)));

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
static void check_runs(const u8 *p, u32 len, bool small)
{
	struct gslot_mig_run run;
	u32 limit = small ? 32 : 0x100000, from = 0, i, count;

	for (; len >= sizeof(run); p += sizeof(run), len -= sizeof(run)) {
		bool valid, up;

		memcpy(&run, p, sizeof(run));
		if (small) {
			run.entry %= 64;
			run.count &= 1u << 31 | 63;
		}
		valid = gslot_run_valid(&run, from, limit);
		count = run.count & 0x7fffffff;
		up = run.count >> 31;
		must(valid == (run.entry >= from && count && (u64)run.entry + count <= limit &&
			       (!up || (run.pte >> 12) + count - 1 < 1ull << 52)));
		if (!valid)
			continue;
		for (i = 0; i < 3 && i < count; i++)
			must(gslot_run_pte(&run, i) - run.pte == (up ? i * 4096ull : 0));
		must(gslot_run_pte(&run, count - 1) - run.pte == (up ? (count - 1) * 4096ull : 0));
		from = run.entry + count;
	}
}

/* Entries of a guest's, two bytes each, become runs in little room: none is lost or added. */
static void check_added(const u8 *p, u32 len, u32 room)
{
	struct gslot_mig_run runs[8] = { };
	u32 count = 0, entry = 0, i, k, mine = 0, start = 0;
	static u64 ptes[1024];

	memset(ptes, 0, sizeof(ptes));
	for (; len >= 2 && entry < 1020; p += 2, len -= 2) {
		u32 gap = p[0] & 3, pages = p[1] & 3;
		/* Near U64_MAX: a run must not go on beyond that. */
		u64 pte = p[1] & 4 ? U64_MAX - pages * 4096 : pages * 4096 + 4095, last, by;
		bool goes_on = false;

		if (p[1] & 8 && !(p[1] & 4))
			pte += entry * 4096ull;
		if (mine && !gap) {
			last = ptes[entry - 1];
			by = pte < last ? 1 : pte - last;
			goes_on = (by == 0 || by == 4096) &&
				  (entry - start == 1 || by == ptes[start + 1] - ptes[start]);
		}
		entry += gap;
		must(gslot_runs_add(runs, &count, room, entry, pte) == (goes_on || mine < room));
		if (!goes_on && mine == room)
			break;
		if (!goes_on) {
			start = entry;
			mine++;
		}
		ptes[entry++] = pte;
		must(count == mine);
	}
	for (i = 0, entry = 0; i < count; i++) {
		must(gslot_run_valid(&runs[i], entry, 1024));
		for (; entry < runs[i].entry; entry++)
			must(!ptes[entry]);
		for (k = 0; k < gslot_run_count(&runs[i]); k++)
			must(ptes[entry++] == gslot_run_pte(&runs[i], k));
	}
	for (; entry < 1024; entry++)
		must(!ptes[entry]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	u32 how = take(&in, 1), sizes = take(&in, 2), piece = sizes % 0x8000 + 1, len, begin;
	static struct oracle oracle;

	begin = how & HOW_PREPEND ? HEADER_SIZE : 0;
	memset(data_of, 0, begin);
	if (begin && how & HOW_HEADER) {
		data_of[NR_FUSES] = take(&in, 1);
		data_of[NAME + NAME_SIZE - 2] = take(&in, 1);
	}
	len = in.left < MOST / 2 ? in.left : MOST / 2;
	memcpy(data_of + begin, in.data, len);
	memset(data_of + begin + len, 0, PADDING);
	len += begin + (sizes >> 15) * PADDING;
	check_runs(data_of + begin, len - begin, how & HOW_LARGE_RUNS);
	check_added(data_of + begin, len - begin, how >> 5);
	repair(data_of, len, how);
	expect(&oracle, data_of, len);
	follow(&oracle, data_of, len, piece);
	return 0;
}
