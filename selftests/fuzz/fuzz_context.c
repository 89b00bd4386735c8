// SPDX-License-Identifier: GPL-2.0
/*
 * The context loader: the input overwrites parts of an image (pairs of a dword's index and its
 * value), which is then loaded, saved and preempted.
 * Byte 0: engine in 1:0, 2: restore all, 3: random descriptor follows.
 */
#include "test.h"
#include "model_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct ctx c, other;
	uint64_t desc;
	uint32_t flags;
	int e;

	host_restart();
	flags = take(&in, 1);
	e = flags & 3;
	ctx_new(&c, e, 1);
	ctx_new(&other, e, 2);
	if (flags & 4)
		ctx_set(&c, LRC_CONTEXT_CONTROL,
			GEN_MASKED_DISABLE(CTX_CTRL_RESTORE_INHIBIT));
	desc = ctx_desc(&c);
	if (flags & 8)
		desc ^= take(&in, 8);
	while (in.left) {
		unsigned at = take(&in, 2) & 0x7ff;
		uint32_t v = take(&in, 4);

		if (at < 1024 || e == GEN9_RCS0)
			ctx_set(&c, at, v);
	}
	emit_store(&c, DATA_VA, 1);
	emit(&c, MI_CMD(OP_MI_ARB_CHECK));
	emit_store(&other, DATA_VA, 1);
	ctx_tail(&other);
	elsp(e, desc, ctx_desc(&other));
	fuzz_run(e);
	elsp(e, ctx_desc(&other), desc);
	fuzz_run(e);
	elsp(e, desc | CTX_DESC_FORCE_RESTORE, desc);
	fuzz_run(e);
	return 0;
}
