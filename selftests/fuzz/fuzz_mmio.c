// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses of a CPU: the input is a program of accesses to registers, GGTT entries and the
 * aperture, between slices of engines that spin.
 */
#include "test.h"
#include "model_host.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct ctx c[GEN9_NR_ENGINES];

	host_restart();
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		ctx_new(&c[e], e, e + 1);
		batch(&c[e], MI_CMD(OP_MI_ARB_CHECK));
		batch(&c[e], MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
		batch_addr(&c[e], BATCH_VA);
		emit_batch(&c[e]);
		submit(&c[e]);
	}
	for (int steps = 0; in.left && steps < 500; steps++) {
		unsigned op = take(&in, 1), width = 1u << (op >> 4 & 3);
		uint32_t at = take(&in, 3);
		int e = at & 3;

		switch (op & 15) {
		case 0:
			gen9_mmio_read(host.gpu, at, width);
			break;
		case 1:
			gen9_mmio_write(host.gpu, at, width, take(&in, width));
			break;
		case 2:
			gen9_mmio_write(host.gpu, engine_base[e] +
					(at >> 2 & 0x7ff), width,
					take(&in, width));
			break;
		case 3:
			gen9_gsm_write(host.gpu, at & 0x7fffff, width,
				       take(&in, width));
			break;
		case 4:
			gen9_gsm_read(host.gpu, at, width);
			break;
		case 5:
			gen9_aperture_write(host.gpu, at << 5, width,
					    take(&in, width));
			break;
		case 6:
			gen9_aperture_read(host.gpu, at << 5, width);
			break;
		case 7:
			wr(GEN_FENCE_LO(0) + (at >> 2 & 0xfc), take(&in, 4));
			break;
		case 8:
			elsp(e, ctx_desc(&c[e]) ^ (uint64_t)(at >> 2) << 8,
			     take(&in, 8));
			break;
		case 9:
			elsp(e, ctx_desc(&c[e]), 0);
			break;
		case 10:
			wr(GEN_GDRST, at);
			break;
		case 11:
			engine_setup(e);
			break;
		case 12:
			gen9_engine_interrupt(host.gpu, e);
			break;
		case 13:
			gen9_inject_hang(host.gpu, e, at >> 2 & 15);
			break;
		case 14:
			gen9_engine_inject(host.gpu, e, at % GEN9_NR_ENGINE_INJECTIONS,
					   at >> 4 & 3);
			break;
		default:
			fuzz_run(e);
			break;
		}
	}
	return 0;
}
