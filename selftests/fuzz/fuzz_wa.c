// SPDX-License-Identifier: GPL-2.0
/*
 * The length of a workaround batch without its padding: byte 0 is the engine and, in bit 2, whether
 * the batch ends by its size; then dwords. What is left out has no effect, and what is kept ends
 * with a whole command. Behind it comes one more command, and the rest of its cache line.
 */
#include "test.h"
#include "core/cmd/cmdtable.h"
#include "core/ctx/wa.h"

#define DWORDS	64
#define LINE	16	/* dwords */

static void check_end(const u32 *cmds, u32 used)
{
	static u32 dw[DWORDS + LINE + 1];
	u32 end = (used / LINE + 1) * LINE, i;

	memset(dw, 0xee, sizeof(dw));
	memcpy(dw, cmds, used * sizeof(u32));
	must(gslot_wa_end(dw, used) * LINE == end);
	must(!memcmp(dw, cmds, used * sizeof(u32)));
	must(dw[used] == (0x08 << 23 | 1));	/* MI_ARB_ON_OFF */
	for (i = used + 1; i < end; i++)
		must(!dw[i]);
	must(dw[end] == 0xeeeeeeee);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static u32 cmds[DWORDS];
	u32 dwords, used, pos, len, end = 0;
	enum gslot_engine_id engine;
	bool sized;

	if (size < 5)
		return 0;
	engine = data[0] & 3;
	sized = data[0] & 4;
	dwords = min((size - 1) / sizeof(u32), (size_t)DWORDS);
	memcpy(cmds, data + 1, dwords * sizeof(u32));
	used = gslot_wa_used(engine, cmds, dwords, sized);
	must(used <= dwords);
	check_end(cmds, used);
	for (pos = 0; pos < dwords; pos += len) {
		len = gslot_cmd_len(engine, cmds[pos]);
		if (!len || len > dwords - pos) {
			/* The scanner refuses it: nothing is left out. */
			must(used == dwords);
			return 0;
		}
		if (cmds[pos] && !(sized && cmds[pos] >> 23 == 0x0a))
			end = pos + len;
	}
	must(used == end);
	return 0;
}
