// SPDX-License-Identifier: GPL-2.0
/*
 * Accesses of a CPU: the input is a program of accesses to registers, GGTT entries and the
 * aperture, between slices of engines that spin.
 */
#include "test.h"
#include "model_host.h"

/* An engine with a context that spins. */
static void spin(struct ctx *c, int e)
{
	ctx_new(c, e, e + 1);
	batch(c, MI_CMD(OP_MI_ARB_CHECK));
	batch(c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	batch_addr(c, BATCH_VA);
	emit_batch(c);
	submit(c);
}

/* An access at any address, or at any register of an engine or fence. */
static void access_any(struct input *in, unsigned op, uint32_t at, unsigned width)
{
	switch (op) {
	case 0:
		gen9_mmio_read(host.gpu, at, width);
		break;
	case 1:
		gen9_mmio_write(host.gpu, at, width, take(in, width));
		break;
	case 2:
		gen9_mmio_write(host.gpu, engine_base[at & 3] + (at >> 2 & 0x7ff), width,
				take(in, width));
		break;
	case 3:
		gen9_gsm_write(host.gpu, at & 0x7fffff, width, take(in, width));
		break;
	case 4:
		gen9_gsm_read(host.gpu, at, width);
		break;
	case 5:
		gen9_aperture_write(host.gpu, at << 5, width, take(in, width));
		break;
	case 6:
		gen9_aperture_read(host.gpu, at << 5, width);
		break;
	case 7:
		wr(GEN_FENCE_LO(0) + (at >> 2 & 0xfc), take(in, 4));
		break;
	}
}

/* A submission, a reset, or an error of an engine; or its next slice. */
static void drive_engine(struct input *in, struct ctx *c, unsigned op, uint32_t at)
{
	int e = at & 3;

	switch (op) {
	case 8:
		elsp(e, ctx_desc(c) ^ (uint64_t)(at >> 2) << 8, take(in, 8));
		break;
	case 9:
		elsp(e, ctx_desc(c), 0);
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
		gen9_engine_inject(host.gpu, e, at % GEN9_NR_ENGINE_INJECTIONS, at >> 4 & 3);
		break;
	default:
		fuzz_run(e);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct ctx c[GEN9_NR_ENGINES];

	host_restart();
	for (int e = 0; e < GEN9_NR_ENGINES; e++)
		spin(&c[e], e);
	for (int steps = 0; in.left && steps < 500; steps++) {
		unsigned byte = take(&in, 1), op = byte & 15;
		uint32_t at = take(&in, 3);

		if (op < 8)
			access_any(&in, op, at, 1u << (byte >> 4 & 3));
		else
			drive_engine(&in, &c[at & 3], op, at);
	}
	return 0;
}
