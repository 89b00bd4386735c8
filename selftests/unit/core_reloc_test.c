// SPDX-License-Identifier: GPL-2.0
/*
 * Relocations: commands that were prepared for graphics memory at one place and are translated for
 * another place are identical to commands prepared for that place. With random commands of all
 * rows of the command table.
 */
#include "test.h"
#include "place.h"
#include "gen/cmds.h"
#include "core/cmd/cmdtable.h"
#include "core/cmd/scan.h"

#define MB		0x100000ULL
#define LOW_SIZE	(64 * MB)
#define HIGH_SIZE	(384 * MB)
#define MAX_DWORDS	512
#define MAX_LEN		72	/* of a command that may have more */
#define MAX_HEADERS	1024
#define COPY		0xf8001000u

/* Commands and their relocations after a scan. */
struct prepared {
	const struct place *place;
	u32 cmds[MAX_DWORDS];
	struct gslot_reloc reloc[MAX_DWORDS];
	u32 count;
	u32 limit;	/* of @count: no memory for more */
	u32 denied;
	u32 bad;
	int err;
};

static struct prepared here, there;

static const struct gslot_window window = { .low_size = LOW_SIZE, .high_size = HIGH_SIZE };

static int note_reloc(struct gslot_scan *scan, const struct gslot_reloc *reloc, u64 *phys)
{
	struct prepared *p = scan->data;

	if (p->count == p->limit)
		return -ENOMEM;
	p->reloc[p->count++] = *reloc;
	*phys = place_of(p->place, reloc->addr);
	return 0;
}

static int copy_batch(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys)
{
	(void)scan;
	(void)addr;
	(void)level;
	*phys = COPY;
	return 0;
}

static void prepare(struct prepared *p, const struct gslot_scan *like,
		    const struct place *place, const u32 *cmds, u32 n)
{
	struct gslot_scan scan = *like;

	p->place = place;

	memcpy(p->cmds, cmds, n * sizeof(*cmds));
	p->count = 0;
	scan.window = &window;
	scan.batch = copy_batch;
	scan.user_batch = copy_batch;
	scan.reloc = note_reloc;
	scan.data = p;
	p->err = gslot_scan(&scan, p->cmds, n);
	p->denied = scan.denied;
	p->bad = scan.bad;
}

static void relocate(struct prepared *p, const struct place *place)
{
	for (u32 i = 0; i < p->count; i++)
		gslot_reloc_apply(p->cmds + p->reloc[i].dword, place_of(place, p->reloc[i].addr));
}

static struct place somewhere(void)
{
	return (struct place) {
		.low = (u64)rnd_below(0xc000) << GEN_PAGE_SHIFT,
		.high = GEN_LOW_GM_SIZE + ((u64)rnd_below(0xd8000) << GEN_PAGE_SHIFT),
	};
}

/* An address, mostly in the guest's own graphics memory. */
static u32 some_address(void)
{
	switch (rnd_below(16)) {
	case 0:
		return rnd();
	case 1:
		return LOW_SIZE - rnd_below(512);
	case 2:
		return GEN_LOW_GM_SIZE + HIGH_SIZE - rnd_below(512);
	case 3:		/* in two pages */
		return (rnd_below(LOW_SIZE) | 0xfff) - rnd_below(64);
	default:
		return rnd() & 1 ? rnd_below(LOW_SIZE) : GEN_LOW_GM_SIZE + rnd_below(HIGH_SIZE);
	}
}

/* Commands that an engine may have in a kind of buffer: their first dwords, without flags. */
static u32 find_headers(int engine, enum gslot_scan_kind kind, u32 *headers)
{
	u32 n = 0;

	for (u32 op = 0; op < 0x10000; op++) {
		u32 dw0 = op << 16;
		const struct gen_cmd *row;

		/* MI commands have an opcode of 6 bits, those of the blitter one of 7. */
		if (CMD_CLIENT(dw0) == CMD_CLIENT_MI ? op & 0x7f :
		    CMD_CLIENT(dw0) == CMD_CLIENT_BLT && op & 0x3f)
			continue;
		row = gslot_cmd_find(engine, dw0);
		if (row && row->where & BIT(kind)) {
			assert_true(n < MAX_HEADERS);
			headers[n++] = dw0;
		}
	}
	return n;
}

static u32 flags_of(u32 dw0)
{
	switch (CMD_CLIENT(dw0)) {
	case CMD_CLIENT_MI:
		return 0x7fffff;
	case CMD_CLIENT_BLT:
		return 0x3fffff;
	default:
		return 0xffff;
	}
}

/* A random command with mostly valid operands. Return: its length. */
static u32 some_command(int engine, u32 header, u32 *dw)
{
	const struct gen_cmd *row = gslot_cmd_find(engine, header);
	u32 len = rnd_range(row->min, row->max < MAX_LEN ? row->max : MAX_LEN);

	for (u32 i = 0; i < len; i++)
		dw[i] = rnd();
	dw[0] = header;
	if (rnd() & 1)
		dw[0] |= rnd() & flags_of(header) & ~row->zero;
	dw[0] &= ~(u32)row->mask;
	if (row->mask)
		dw[0] |= len - 2;
	for (u32 i = 0; i < ARRAY_SIZE(row->operands); i++) {
		const struct gen_operand *op = &row->operands[i];

		if (op->kind != GEN_ADDR || op->dword + 1u >= len)
			continue;
		dw[op->dword] = some_address();
		dw[op->dword + 1] = rnd_below(8) ? 0 : rnd();
		if (rnd_below(8))
			dw[op->ggtt_dword] |= op->ggtt;
		if (rnd_below(4))
			dw[op->mode_dword] |= op->when;
		if (rnd_below(4))
			dw[op->mode_dword] &= ~op->index;
	}
	return len;
}

/* Commands that pass one by one. Return: their length. */
static u32 some_commands(const struct gslot_scan *scan, const u32 *headers, u32 nr,
			 u32 *accepted, u32 *cmds)
{
	struct place place = somewhere();
	u32 n = 0, len, tries;

	for (tries = rnd_range(1, 24); tries; tries--) {
		u32 which = rnd_below(nr), one[MAX_DWORDS];

		len = some_command(scan->engine, headers[which], one);
		if (n + len > MAX_DWORDS)
			break;
		prepare(&here, scan, &place, one, len);
		if (here.err)
			continue;
		accepted[which]++;
		memcpy(cmds + n, one, len * sizeof(*cmds));
		n += len;
	}
	return n;
}

static void check_list(const struct prepared *p, const u32 *cmds, u32 n)
{
	assert_true(p->count * 5 <= n * 2);	/* what bounds the host's memory for them */
	for (u32 i = 0; i < p->count; i++) {
		const struct gslot_reloc *r = &p->reloc[i];

		assert_true(r->dword + 1 < n);
		assert_true(!i || r->dword > p->reloc[i - 1].dword + 1);
		assert_true(r->len && r->len < GEN_PAGE_SIZE);
		assert_true(r->addr <= cmds[r->dword] && cmds[r->dword] - r->addr < 64);
		assert_int_equal(cmds[r->dword + 1], 0);
	}
}

static void check_commands(const struct gslot_scan *scan, const u32 *cmds, u32 n)
{
	struct place a = somewhere(), b = somewhere();
	u32 size = n * sizeof(*cmds);

	prepare(&here, scan, &a, cmds, n);
	prepare(&there, scan, &b, cmds, n);
	assert_int_equal(here.err, 0);
	assert_int_equal(there.err, 0);
	assert_int_equal(here.denied, there.denied);
	assert_int_equal(here.count, there.count);
	assert_memory_equal(here.reloc, there.reloc, here.count * sizeof(here.reloc[0]));
	check_list(&here, cmds, n);

	relocate(&here, &b);
	assert_memory_equal(here.cmds, there.cmds, size);
	/* From place to place, and back. */
	relocate(&there, &a);
	relocate(&there, &a);
	prepare(&here, scan, &a, cmds, n);
	assert_memory_equal(here.cmds, there.cmds, size);
}

static void test_commands(void **state)
{
	static u32 headers[MAX_HEADERS], accepted[MAX_HEADERS];
	u32 cmds[MAX_DWORDS];
	u64 relocs = 0;

	(void)state;
	here.limit = MAX_DWORDS;
	there.limit = MAX_DWORDS;
	for (int engine = 0; engine < GSLOT_NR_ENGINES; engine++) {
		for (int kind = GSLOT_SCAN_RING; kind <= GSLOT_SCAN_INDIRECT; kind++) {
			struct gslot_scan scan = { .engine = engine, .kind = kind };
			u32 nr = find_headers(engine, kind, headers);

			memset(accepted, 0, sizeof(accepted));
			for (unsigned int i = 0; i < rounds(4000); i++) {
				u32 n;

				scan.gen = 8 + (i & 1);
				n = some_commands(&scan, headers, nr, accepted, cmds);
				check_commands(&scan, cmds, n);
				relocs += here.count;
			}
			for (u32 i = 0; i < nr; i++)
				if (!accepted[i])
					fail_msg("%s: no %08x passed", gslot_engines[engine].name,
						 headers[i]);
		}
	}
	assert_true(relocs > 20000);
}

/* Each address operand of the table gets a relocation, with its extent. */
static void test_operands(void **state)
{
	static u32 headers[MAX_HEADERS];
	struct place place = somewhere();
	u32 operands = 0;

	(void)state;
	here.limit = MAX_DWORDS;
	for (int engine = 0; engine < GSLOT_NR_ENGINES; engine++) {
		struct gslot_scan scan = { .engine = engine, .gen = 9, .kind = GSLOT_SCAN_BATCH };
		u32 nr = find_headers(engine, GSLOT_SCAN_BATCH, headers);

		for (u32 i = 0; i < nr; i++) {
			const struct gen_cmd *row = gslot_cmd_find(engine, headers[i]);

			for (u32 k = 0; k < GEN_NR_OPERANDS; k++) {
				const struct gen_operand *op = &row->operands[k];
				u32 dw[MAX_DWORDS] = { headers[i] };

				if (op->kind != GEN_ADDR)
					continue;
				operands++;
				dw[0] |= (op->need ? op->need : row->min) - 2;
				dw[op->dword] = 0x12340;
				dw[op->ggtt_dword] |= op->ggtt;
				dw[op->mode_dword] |= op->when & -op->when;
				prepare(&here, &scan, &place, dw, (dw[0] & row->mask) + 2);
				assert_int_equal(here.err, 0);
				assert_int_equal(here.count, 1);
				assert_int_equal(here.reloc[0].dword, op->dword);
				assert_int_equal(here.reloc[0].addr, 0x12340);
				assert_true(op->extent ? here.reloc[0].len == op->extent :
					    here.reloc[0].len == 4);
			}
		}
	}
	assert_true(operands > 30);
}

/* A relocation that cannot be stored ends the scan: all prepared commands can be relocated. */
static void test_no_memory(void **state)
{
	static const u32 cmds[] = {
		MI_CMD(OP_MI_STORE_DATA_IMM) | MI_USE_GGTT | 2, 0x1000, 0, 1,
		MI_CMD(OP_MI_COPY_MEM_MEM) | MI_USE_GGTT | MI_COPY_DST_GGTT | 3, 0x2000, 0, 0x3000,
		0,
	};
	struct gslot_scan scan = { .engine = GSLOT_BCS0, .gen = 9, .kind = GSLOT_SCAN_RING };
	struct place place = somewhere();

	(void)state;
	for (here.limit = 0; here.limit < 4; here.limit++) {
		prepare(&here, &scan, &place, cmds, ARRAY_SIZE(cmds));
		assert_int_equal(here.err, here.limit < 3 ? -ENOMEM : 0);
		assert_int_equal(here.count, min(here.limit, 3u));
		if (here.err)
			assert_int_equal(here.bad, here.limit ? 4 : 0);
	}
}

static void test_apply(void **state)
{
	u32 dw[2] = { 0xabc, 7 };

	(void)state;
	gslot_reloc_apply(dw, 128 * MB + 0x5ab8);
	assert_int_equal(dw[0], 128 * MB + 0x5abc);	/* 4 is a flag of the command */
	assert_int_equal(dw[1], 0);
	gslot_reloc_apply(dw, 3072 * MB + 0xab8);
	assert_int_equal(dw[0], 3072 * MB + 0xabc);
	gslot_reloc_apply(dw, 0x123456000ull);
	assert_int_equal(dw[0], 0x23456abc);
	assert_int_equal(dw[1], 1);
}

/* To the last byte, and not one more; nothing between low and high graphics memory. */
static void test_window(void **state)
{
	static const struct { u64 addr, len; bool has; } c[] = {
		{ 0, 0, true }, { 0, LOW_SIZE, true }, { 0, LOW_SIZE + 1, false },
		{ LOW_SIZE - 4, 4, true }, { LOW_SIZE - 4, 8, false }, { LOW_SIZE, 0, false },
		{ LOW_SIZE - 1, ~0ull, false }, { GEN_LOW_GM_SIZE - 4, 8, false },
		{ GEN_LOW_GM_SIZE, HIGH_SIZE, true }, { GEN_LOW_GM_SIZE, HIGH_SIZE + 1, false },
		{ GEN_LOW_GM_SIZE + HIGH_SIZE - 1, 1, true },
		{ GEN_LOW_GM_SIZE + HIGH_SIZE, 0, false }, { ~0ull, 1, false },
		{ GEN_LOW_GM_SIZE + 8, ~0ull, false },
	};

	(void)state;
	for (u32 i = 0; i < ARRAY_SIZE(c); i++)
		assert_int_equal(gslot_window_has(&window, c[i].addr, c[i].len), c[i].has);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_commands),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_apply),
		cmocka_unit_test(test_window),
	};

	return run_tap_tests("core_reloc", tests);
}
