// SPDX-License-Identifier: GPL-2.0
/*
 * The command streamer: the input is a batch or the contents of a ring.
 * Byte 0: engine in 1:0, 2: in the ring, 3: preempt it, 4: privileged batch.
 */
#include "test.h"
#include "model_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct ctx c, other;
	uint32_t flags;
	unsigned n;
	int e;

	host_restart();
	flags = take(&in, 4);
	e = flags & 3;
	ctx_new(&c, e, 1);
	ctx_new(&other, e, 2);
	n = in.left / 4 < 2000 ? in.left / 4 : 2000;
	while (n--) {
		uint32_t dw = take(&in, 4);

		if (flags & 4)
			emit(&c, dw);
		else
			batch(&c, dw);
	}
	if (!(flags & 4)) {
		batch(&c, MI_CMD(OP_MI_BATCH_BUFFER_END));
		emit(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | 1 |
		     (flags & 16 ? 0 : MI_BB_PPGTT));
		emit_addr(&c, flags & 16 ? ggtt_map(c.batch, BATCH_PAGES) :
			  BATCH_VA);
	}
	submit(&c);
	fuzz_run(e);
	if (flags & 8) {
		emit_store(&other, DATA_VA, 1);
		submit2(&other, &c);
		fuzz_run(e);
	}
	return 0;
}
