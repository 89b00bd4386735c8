// SPDX-License-Identifier: GPL-2.0
/*
 * What a guest writes into the image of a context: the audit of its engine
 * context, and the parsing of its ring context. Byte 0: engine in 1:0, 2: Gen8.
 * What passes names no register that is not the context's, has no command that
 * does anything, and passes a second time as it is.
 */
#include "test.h"
#include "lrc.h"
#include "regtable.h"
#include "scan_priv.h"
#include "gen/cmds.h"
#include "gen/lrc.h"
#include "gen/regs.h"

#define DWORDS	1024

static void check_list(enum gslot_engine_id engine, u32 gen, const u32 *dw, u32 len)
{
	u32 i;

	must(len & 1);
	for (i = 1; i < len; i += 2)
		must(dw[i] == gslot_engines[engine].base + RING_NOPID ||
		     gslot_reg_cmd(engine, dw[i], gen) == GSLOT_CMD_ALLOW);
}

/* Of the blitter, what draws nothing. */
static bool is_setup(u32 opcode)
{
	return opcode == OP_XY_SETUP_BLT || opcode == OP_XY_SETUP_CLIP_BLT ||
	       opcode == OP_XY_SETUP_MONO_PATTERN_SL_BLT;
}

static void check(enum gslot_engine_id engine, u32 gen, const u32 *image)
{
	u32 pos, len;

	for (pos = LRC_RING_CONTEXT_DWORDS; pos < DWORDS; pos += len) {
		u32 dw0 = image[pos];

		len = gslot_cmd_len(engine, dw0);
		must(len && len <= DWORDS - pos);
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
			while (++pos < DWORDS)
				must(!image[pos]);
			return;
		default:
			must(len == 1);
		}
	}
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
	/* What the guest gets back is of its own making, but for what running changes. */
	memset(guest, 0, sizeof(guest));
	gslot_lrc_merge(guest, image);
	for (i = 0; i < LRC_RING_CONTEXT_DWORDS; i++)
		must(!guest[i] || i == LRC_RING_HEAD || i == LRC_CTX_TIMESTAMP ||
		     i == LRC_PWR_CLK_STATE);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static u32 image[DWORDS], again[DWORDS];
	enum gslot_engine_id engine;
	struct gslot_lrc lrc;
	u32 gen;

	if (size < 5)
		return 0;
	engine = data[0] & 3;
	gen = data[0] & 4 ? 8 : 9;
	memset(image, 0, sizeof(image));
	memcpy(image + LRC_RING_CONTEXT_DWORDS, data + 1,
	       min(size - 1, sizeof(image) - LRC_RING_CONTEXT_DWORDS * sizeof(u32)));
	if (gslot_lrc_audit(engine, gen, image, DWORDS) >= 0) {
		check(engine, gen, image);
		memcpy(again, image, sizeof(image));
		must(gslot_lrc_audit(engine, gen, again, DWORDS) == 0);
		must(!memcmp(again, image, sizeof(image)));
		must(gslot_lrc_conceal(engine, gen, again, image, DWORDS) >= 0);
	}
	memset(image, 0, sizeof(image));
	memcpy(image, data + 1, min(size - 1, sizeof(image)));
	if (!gslot_lrc_parse(engine, image, &lrc)) {
		must(lrc.head < lrc.size && lrc.tail < lrc.size && !(lrc.start & 0xfff));
		check_built(engine, gen, &lrc);
	}
	return 0;
}
