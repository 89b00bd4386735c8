// SPDX-License-Identifier: GPL-2.0
/*
 * A guest writes the image of a context: its engine context is merged into the golden one, and its
 * ring context is parsed. Byte 0: engine in 1:0, 2: Gen8, 3: the image, and the list that is taken
 * from it, are exactly as large as the golden list. The context that is loaded names only registers
 * that contexts save, and has no commands with other effects. Each register that commands may write
 * gets the value that executing the golden list and then the guest's list would give it. Lists end
 * at the end of the image, or not: nothing behind it is read or written.
 */
#include "test.h"
#include "goldens.h"
#include "core/ctx/lrc.h"
#include "core/regs/regtable.h"
#include "core/cmd/scan_priv.h"
#include "gen/cmds.h"
#include "gen/lrc.h"
#include "gen/regs.h"

#define DWORDS	GOLDEN_DWORDS

/* In golden_fill()'s context: loaded, but never with the guest's value. */
static bool is_hosts(const u32 *pair)
{
	return (pair[0] == GEN_L3CNTLREG || pair[0] == GEN_RCS0_BASE + RING_BB_OFFSET) &&
	       pair[1] == golden_value(pair[0]);
}

static void check_list(enum gslot_engine_id engine, u32 gen, const u32 *dw, u32 len)
{
	u32 i;

	must(len & 1);
	for (i = 1; i < len; i += 2)
		must(dw[i] == gslot_engines[engine].base + RING_NOPID || is_hosts(dw + i) ||
		     gslot_reg_cmd(engine, dw[i], gen) == GSLOT_CMD_ALLOW);
}

/* Commands of the blitter that draw nothing. */
static bool is_setup(u32 opcode)
{
	return opcode == OP_XY_SETUP_BLT || opcode == OP_XY_SETUP_CLIP_BLT ||
	       opcode == OP_XY_SETUP_MONO_PATTERN_SL_BLT;
}

static void check(enum gslot_engine_id engine, u32 gen, const u32 *image, u32 dwords)
{
	u32 pos, len;

	for (pos = LRC_RING_CONTEXT_DWORDS; pos < dwords; pos += len) {
		u32 dw0 = image[pos];

		len = gslot_cmd_len(engine, dw0);
		must(len && len <= dwords - pos);
		if (CMD_CLIENT(dw0) == CMD_CLIENT_RENDER) {
			must(engine == GSLOT_RCS0 && dw0 >> 16 != CMD_PIPE_CONTROL);
			continue;
		}
		if (CMD_CLIENT(dw0) == CMD_CLIENT_BLT) {
			must(engine == GSLOT_BCS0 && is_setup(BLT_OPCODE(dw0)));
			continue;
		}
		must(CMD_CLIENT(dw0) == CMD_CLIENT_MI);
		switch (MI_OPCODE(dw0)) {
		case OP_MI_LOAD_REGISTER_IMM:
			check_list(engine, gen, image + pos, len);
			break;
		case OP_MI_SET_PREDICATE:
			must(!(dw0 & 0xf));
			break;
		case OP_MI_BATCH_BUFFER_END:
			while (++pos < dwords)
				must(!image[pos]);
			return;
		default:
			must(len == 1);
		}
	}
}

/* Values of all registers, by dword, after an engine has executed lists. */
static u32 values[(MI_REG_OFFSET + 4) / 4];

static void execute_pair(enum gslot_engine_id engine, u32 gen, const u32 *pair)
{
	u32 reg = pair[0] & MI_REG_OFFSET, *value = &values[reg / 4];

	if (gslot_reg_cmd(engine, reg, gen) != GSLOT_CMD_ALLOW)
		return;
	if (gslot_reg_find(reg, gen)->class == GSLOT_REG_MASKED)
		*value = (*value & ~(pair[1] >> 16)) | (pair[1] & (pair[1] >> 16));
	else
		*value = pair[1];
}

static void execute(enum gslot_engine_id engine, u32 gen, const u32 *image, u32 dwords)
{
	u32 pos, len, i;

	for (pos = LRC_RING_CONTEXT_DWORDS; pos < dwords; pos += len) {
		len = gslot_cmd_len(engine, image[pos]);
		must(len);
		if (GSLOT_IS_MI(image[pos], OP_MI_BATCH_BUFFER_END))
			return;
		for (i = 1; GSLOT_IS_MI(image[pos], OP_MI_LOAD_REGISTER_IMM) && i < len; i += 2)
			execute_pair(engine, gen, image + pos + i);
	}
}

struct golden_image {
	struct gslot_golden golden;
	struct gslot_golden_reg places[GOLDEN_REGS];
	u32 state[DWORDS];
	u32 regs[DWORDS];
	u32 nr_regs;
};

static const struct golden_image *golden_of(enum gslot_engine_id engine, u32 gen, bool exact)
{
	static struct golden_image images[GSLOT_NR_ENGINES][2][2];
	struct golden_image *image = &images[engine][gen == 9][exact];
	struct gslot_golden *golden = &image->golden;
	u32 missing;

	if (golden->state)
		return image;
	golden_fill(image->state, engine, gen);
	*golden = (struct gslot_golden) {
		.state = image->state, .dwords = DWORDS, .regs = image->places, .room = GOLDEN_REGS,
	};
	while (exact && golden->state[golden->dwords - 1] != MI_CMD(OP_MI_BATCH_BUFFER_END))
		golden->dwords--;
	must(!gslot_golden_init(golden, engine, gen, &missing));
	image->nr_regs = golden_put(image->regs, engine, gen, true);
	image->nr_regs += golden_put(image->regs + image->nr_regs, engine, gen, false);
	return image;
}

/* What a list is, as far as it consists of writes of registers and no-ops. */
enum plain {
	PLAIN,		/* it ends in the image */
	TOO_LONG,	/* its last command does not */
	NOT_PLAIN,	/* it has other commands */
};

static enum plain plain_list(const u32 *image, u32 dwords)
{
	u32 pos = LRC_RING_CONTEXT_DWORDS, dw0, len;

	for (; pos < dwords && image[pos] != 0x05000000; pos += len) {
		dw0 = image[pos];
		len = dw0 ? (dw0 & 0xff) + 2 : 1;
		if (dw0 && (dw0 >> 23 != 0x22 || !(len & 1)))
			return NOT_PLAIN;
		if (len > dwords - pos)
			return TOO_LONG;
	}
	return PLAIN;
}

/* A copy of its own size: the sanitizer sees what is read or written behind it. */
static u32 *copy_of(const u32 *image, u32 dwords)
{
	u32 *copy = malloc(dwords * sizeof(*copy));

	memcpy(copy, image, dwords * sizeof(*copy));
	return copy;
}

static void check_merged(enum gslot_engine_id engine, u32 gen, bool exact, const u8 *data,
			 size_t size)
{
	const struct golden_image *image = golden_of(engine, gen, exact);
	const struct gslot_golden *golden = &image->golden;
	static u32 guest[DWORDS], merged[DWORDS], want[DWORDS];
	const u32 *regs = image->regs;
	u32 n = image->nr_regs, i, *from, *to;
	enum plain plain;
	int ret;

	memset(guest, 0, sizeof(guest));
	memset(merged, 0xee, sizeof(merged));
	memcpy(guest + LRC_RING_CONTEXT_DWORDS, data,
	       min(size, (golden->dwords - LRC_RING_CONTEXT_DWORDS) * sizeof(u32)));
	from = copy_of(guest, golden->dwords);
	to = copy_of(merged, golden->dwords);
	ret = gslot_golden_merge(golden, engine, gen, to, from);
	memcpy(merged, to, golden->dwords * sizeof(u32));
	free(to);
	free(from);
	plain = plain_list(guest, golden->dwords);
	must(plain == NOT_PLAIN || (ret >= 0) == (plain == PLAIN));
	check(engine, gen, merged, golden->dwords);

	execute(engine, gen, golden->state, golden->dwords);
	if (ret >= 0)
		execute(engine, gen, guest, golden->dwords);
	for (i = 0; i < n; i += 2) {
		want[i] = values[regs[i] / 4];
		values[regs[i] / 4] = 0xdeadbeef;
	}
	execute(engine, gen, merged, golden->dwords);
	for (i = 0; i < n; i += 2)
		must((values[regs[i] / 4] ^ want[i]) == 0 ||
		     (gslot_reg_find(regs[i], gen)->class == GSLOT_REG_MASKED &&
		      !((values[regs[i] / 4] ^ want[i]) & 0xffff)));
	if (ret < 0)
		for (i = LRC_RING_CONTEXT_DWORDS; i < golden->dwords; i++)
			must(merged[i] == golden->state[i]);
}

/* The guest may load what it is shown of an image. */
static void check_concealed(enum gslot_engine_id engine, u32 gen, const u32 *image, u32 dwords)
{
	u32 *from = copy_of(image, dwords), *shown = calloc(dwords, sizeof(u32));
	int end = gslot_lrc_filter(engine, gen, shown, from, dwords);
	enum plain plain = plain_list(image, dwords);

	must(end <= (int)dwords);
	must(plain == NOT_PLAIN || (end >= 0) == (plain == PLAIN));
	if (end > 0)
		must(gslot_lrc_filter(engine, gen, from, shown, dwords) >= 0);
	free(shown);
	free(from);
}

/* A ring context that the hardware can execute. */
static bool is_ring(const u32 *image)
{
	u32 ctl = image[LRC_RING_CTL], size = ((ctl >> 12 & 0x1ff) + 1) * 4096;

	return ctl & 1 && image[LRC_RING_START] % 4096 == 0 && image[LRC_RING_TAIL] % 8 == 0 &&
	       image[LRC_RING_TAIL] < size && (image[LRC_RING_HEAD] & 0x1ffffc) < size;
}

/* A register outside of the pairs that the hardware defines must not be there. */
static void check_built(enum gslot_engine_id engine, u32 gen, const struct gslot_lrc *lrc)
{
	static u32 image[DWORDS], guest[DWORDS];
	struct gslot_lrc again;
	u32 i;

	memset(image, 0xff, sizeof(image));
	gslot_lrc_build(engine, gen, image, lrc);
	must(image[LRC_RING_CONTEXT_DWORDS] == 0xffffffff);
	must(!gslot_lrc_parse(engine, image, &again));
	must(again.start == lrc->start && again.size == lrc->size && again.head == lrc->head);
	must(again.tail == lrc->tail && again.pml4 == lrc->pml4 && again.inhibit == lrc->inhibit);
	must(engine != GSLOT_RCS0 || again.indirect == lrc->indirect);
	/* The guest gets back its own values, except for what running changes. */
	memset(guest, 0, sizeof(guest));
	gslot_lrc_merge(guest, image);
	for (i = 0; i < LRC_RING_CONTEXT_DWORDS; i++)
		must(!guest[i] || i == LRC_RING_HEAD || i == LRC_CTX_TIMESTAMP ||
		     i == LRC_PWR_CLK_STATE);
}

static void check_parsed(enum gslot_engine_id engine, u32 gen, const u32 *image)
{
	struct gslot_lrc lrc;
	int err = gslot_lrc_parse(engine, image, &lrc);

	must(!err == is_ring(image));
	if (err)
		return;
	must(lrc.head < lrc.size && lrc.tail < lrc.size && !(lrc.start & 0xfff));
	check_built(engine, gen, &lrc);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u32 image[DWORDS];
	enum gslot_engine_id engine;
	u32 gen, dwords;

	if (size < 5)
		return 0;
	engine = data[0] & 3;
	gen = data[0] & 4 ? 8 : 9;
	check_merged(engine, gen, data[0] & 8, data + 1, size - 1);
	memset(image, 0, sizeof(image));
	memcpy(image + LRC_RING_CONTEXT_DWORDS, data + 1,
	       min(size - 1, sizeof(image) - LRC_RING_CONTEXT_DWORDS * sizeof(u32)));
	dwords = LRC_RING_CONTEXT_DWORDS + (size - 1) / sizeof(u32);
	check_concealed(engine, gen, image, data[0] & 8 ? min(dwords, DWORDS) : DWORDS);
	memset(image, 0, sizeof(image));
	memcpy(image, data + 1, min(size - 1, sizeof(image)));
	check_parsed(engine, gen, image);
	/* A ring of one page, with HEAD and TAIL near its end. */
	image[LRC_RING_CTL] = 1;
	image[LRC_RING_START] = 0;
	image[LRC_RING_HEAD] = 4096 - 128 + data[1];
	image[LRC_RING_TAIL] = 4096 - 128 + data[2];
	check_parsed(engine, gen, image);
	return 0;
}
