// SPDX-License-Identifier: GPL-2.0
/*
 * Commands: their lengths, and the engines that have them. The command table is compared with a
 * list of commands as drivers emit them; and the scanner is compared with the model's interpreter,
 * which both use the table.
 */
#include "core/cmd/scan_priv.h"		/* first: the model takes what is defined */
#include "test.h"
#include "model_host.h"
#include "gen9_int.h"

#define R	(1u << GEN9_CLASS_RENDER)
#define B	(1u << GEN9_CLASS_COPY)
#define V	(1u << GEN9_CLASS_VIDEO)
#define E	(1u << GEN9_CLASS_ENHANCE)
#define ALL	(R | B | V | E)

struct sample {
	uint32_t dw0;
	unsigned len;
	unsigned classes;	/* of engines that have it; others stop */
};

/* Commands as stock kernels and user space emit them. */
static const struct sample samples[] = {
	/* MI, one dword */
	{ 0x00000000, 1, ALL },		/* NOOP */
	{ 0x00400123, 1, ALL },		/* NOOP with an identification */
	{ 0x00800001, 1, R },		/* SET_PREDICATE */
	{ 0x01000000, 1, ALL },		/* USER_INTERRUPT */
	{ 0x02800000, 1, ALL },		/* ARB_CHECK */
	{ 0x03800000, 1, ALL },		/* REPORT_HEAD */
	{ 0x04000000, 1, ALL },		/* ARB_ON_OFF, off */
	{ 0x04000001, 1, ALL },		/* ARB_ON_OFF, on */
	{ 0x05000000, 1, ALL },		/* BATCH_BUFFER_END */
	{ 0x05800001, 1, ALL },		/* SUSPEND_FLUSH */
	{ 0x06000082, 1, R },		/* PREDICATE */
	{ 0x07000001, 1, ALL },		/* SET_APPID */
	{ 0x07800000, 1, R },		/* RS_CONTEXT */
	/* MI, more */
	{ 0x0c000000 | 1, 3, R },	/* SET_CONTEXT */
	{ 0x0d000000 | 3, 5, ALL },	/* MATH, four instructions */
	{ 0x0d000000 | 0xff, 257, ALL },
	{ 0x0d800000, 2, ALL },		/* SEMAPHORE_SIGNAL */
	{ 0x0e000000 | 2 | 1 << 15 | 4 << 12, 4, ALL },	/* SEMAPHORE_WAIT */
	{ 0x0e800000, 2, B | V | E },	/* FORCE_WAKEUP */
	{ 0x10000000 | 2 | 1 << 22, 4, ALL },	/* STORE_DWORD_IMM */
	{ 0x10000000 | 3 | 1 << 21, 5, ALL },	/* STORE_QWORD_IMM */
	{ 0x10000000 | 0x3ff, 1025, ALL },
	{ 0x10800000 | 1, 3, ALL },	/* STORE_DWORD_INDEX */
	{ 0x11000000 | 1, 3, ALL },	/* LRI(1) */
	{ 0x11000000 | 0x1000 | 27, 29, ALL },	/* LRI(14), posted: context */
	{ 0x11000000 | 251, 253, ALL },	/* LRI(126) */
	{ 0x11800000 | 1 << 22 | 2, 4, ALL },	/* UPDATE_GTT */
	{ 0x12000000 | 2, 4, ALL },	/* STORE_REGISTER_MEM */
	{ 0x12000000 | 1 << 22 | 2, 4, ALL },
	{ 0x13000000 | 2, 4, B | V | E },	/* FLUSH_DW, three dwords of it */
	{ 0x13000000 | 3 | 1 << 21 | 1 << 14, 5, B | V | E },
	{ 0x13000000 | 2 | 1 << 7 | 1 << 18, 4, B | V | E }, /* invalidate BSD */
	{ 0x13800000 | 0x41, 67, R },	/* CLFLUSH */
	{ 0x14000000 | 2, 4, R },	/* REPORT_PERF_COUNT */
	{ 0x14800000 | 2, 4, ALL },	/* LOAD_REGISTER_MEM */
	{ 0x15000000 | 1, 3, ALL },	/* LOAD_REGISTER_REG */
	{ 0x15800000 | 2, 4, R },	/* RS_STORE_DATA_IMM */
	{ 0x16000000 | 2, 4, R },	/* LOAD_URB_MEM */
	{ 0x16800000 | 2, 4, R },	/* STORE_URB_MEM */
	{ 0x17000000 | 3, 5, ALL },	/* COPY_MEM_MEM */
	{ 0x17800000 | 1, 3, ALL },	/* ATOMIC */
	{ 0x17800000 | 9 | 1 << 18, 11, ALL },	/* ATOMIC, inline data */
	{ 0x18800000 | 1 | 1 << 8, 3, ALL },	/* BATCH_BUFFER_START, PPGTT */
	{ 0x18800000 | 1 << 22 | 1, 3, ALL },
	{ 0x1b000000 | 1 << 21 | 2, 4, ALL },	/* COND_BATCH_BUFFER_END */
	{ 0x0a000000 | 2, 4, R | B },	/* DISPLAY_FLIP */
	{ 0x09000000, 2, R | B },	/* LOAD_SCAN_LINES_INCL */
	{ 0x09800000, 2, R | B },	/* LOAD_SCAN_LINES_EXCL */
	/* MI that does not exist */
	{ 0x08000000, 0, 0 },		/* 10h */
	{ 0x08800000, 0, 0 },		/* 11h: overlay */
	{ 0x0b800000, 0, 0 },		/* 17h */
	{ 0x0c800000, 0, 0 },		/* 19h */
	{ 0x0f800000, 0, 0 },		/* 1fh */
	{ 0x12800000, 0, 0 },		/* 25h */
	{ 0x18000001, 0, 0 },		/* 30h: MI_BATCH_BUFFER */
	{ 0x19000000, 0, 0 },		/* 32h */
	{ 0x1b800000, 0, 0 },		/* 37h */
	{ 0x1f800000, 0, 0 },		/* 3fh */

	/* Blitter */
	{ 0x50400000 | 8, 0, 0 },	/* opcode 41h */
	{ 0x40400000 | 8, 10, B },	/* XY_SETUP_BLT */
	{ 0x40c00000 | 1, 3, B },	/* XY_SETUP_CLIP_BLT */
	{ 0x44400000 | 8, 10, B },	/* XY_SETUP_MONO_PATTERN_SL_BLT */
	{ 0x49000000, 2, B },		/* XY_PIXEL_BLT */
	{ 0x49400000 | 1, 3, B },	/* XY_SCANLINES_BLT */
	{ 0x49800000 | 3, 5, B },	/* XY_TEXT_BLT */
	{ 0x4c400000 | 31, 33, B },	/* XY_TEXT_IMMEDIATE_BLT */
	{ 0x50000000 | 4, 6, B },	/* COLOR_BLT */
	{ 0x50800000 | 8, 10, B },	/* XY_FAST_COPY_BLT */
	{ 0x50c00000 | 6, 8, B },	/* SRC_COPY_BLT */
	{ 0x54000000 | 3 << 20 | 5, 7, B },	/* XY_COLOR_BLT */
	{ 0x54400000 | 6, 8, B },	/* XY_PAT_BLT */
	{ 0x54800000 | 8, 10, B },	/* XY_MONO_PAT_BLT */
	{ 0x54c00000 | 3 << 20 | 1 << 15 | 1 << 11 | 8, 10, B }, /* SRC_COPY */
	{ 0x55000000 | 8, 10, B },	/* XY_MONO_SRC_COPY_BLT */
	{ 0x55400000 | 10, 12, B },	/* XY_FULL_BLT */
	{ 0x55800000 | 10, 12, B },
	{ 0x55c00000 | 12, 14, B },
	{ 0x56000000 | 12, 14, B },
	{ 0x56400000 | 6, 8, B },	/* XY_MONO_PAT_FIXED_BLT */
	{ 0x56800000 | 6, 0, 0 },	/* 5ah */
	{ 0x5c000000 | 6, 0, 0 },	/* 70h */
	{ 0x5c400000 | 6 | 32, 40, B },	/* XY_MONO_SRC_COPY_IMMEDIATE_BLT */
	{ 0x5c800000 | 68, 70, B },	/* XY_PAT_BLT_IMMEDIATE */
	{ 0x5cc00000 | 10, 12, B },	/* XY_SRC_COPY_CHROMA_BLT */
	{ 0x5d000000 | 24, 26, B },
	{ 0x5d400000 | 24, 26, B },
	{ 0x5d800000 | 8, 10, B },	/* XY_PAT_CHROMA_BLT */
	{ 0x5dc00000 | 22, 24, B },
	{ 0x5e000000 | 6, 0, 0 },	/* 78h */
	{ 0x5fc00000 | 6, 0, 0 },

	/* Common and 3D */
	{ 0x60030000, 2, R },		/* STATE_PREFETCH */
	{ 0x61010000 | 17, 19, R },	/* STATE_BASE_ADDRESS */
	{ 0x61020000 | 1, 3, R },	/* STATE_SIP */
	{ 0x61040000 | 1, 3, R },	/* GPGPU_CSR_BASE_ADDRESS */
	{ 0x61030000, 0, 0 },
	{ 0x69040300, 1, R },		/* PIPELINE_SELECT, 3D */
	{ 0x69040303, 1, R },
	{ 0x69040013, 1, R },
	{ 0x680b0000, 1, R },		/* 3DSTATE_VF_STATISTICS */
	{ 0x680b0001, 1, R },
	{ 0x78040001, 3, R },		/* CLEAR_PARAMS */
	{ 0x78050006, 8, R },		/* DEPTH_BUFFER */
	{ 0x78060003, 5, R },
	{ 0x78070003, 5, R },
	{ 0x78080003, 5, R },		/* VERTEX_BUFFERS, one */
	{ 0x78080083, 133, R },		/* VERTEX_BUFFERS, 33 */
	{ 0x78090001, 3, R },
	{ 0x780a0003, 5, R },
	{ 0x780c0000, 2, R },		/* VF */
	{ 0x780d0000, 2, R },		/* MULTISAMPLE */
	{ 0x780e0000, 2, R },
	{ 0x780f0000, 2, R },
	{ 0x78100007, 9, R },		/* VS */
	{ 0x78110008, 10, R },		/* GS */
	{ 0x78120002, 4, R },
	{ 0x78130002, 4, R },
	{ 0x78140000, 2, R },
	{ 0x78150009, 11, R },		/* CONSTANT_VS */
	{ 0x78180000, 2, R },
	{ 0x781b0007, 9, R },
	{ 0x781c0002, 4, R },
	{ 0x781d0009, 11, R },		/* DS */
	{ 0x781e0003, 5, R },
	{ 0x781f0004, 6, R },		/* SBE */
	{ 0x7820000a, 12, R },		/* PS */
	{ 0x78210000, 2, R },
	{ 0x78220000, 0, 0 },
	{ 0x78230000, 2, R },
	{ 0x782f0000, 2, R },		/* SAMPLER_STATE_POINTERS_PS */
	{ 0x78300000, 2, R },
	{ 0x78390000 | 0x7ff, 0x801, R },	/* DX9_CONSTANTF_VS */
	{ 0x78430000 | 0x1ff, 0x201, R },	/* BINDING_TABLE_EDIT_VS */
	{ 0x78490001, 3, R },		/* VF_INSTANCING */
	{ 0x784a0000, 2, R },
	{ 0x784b0000, 2, R },
	{ 0x784c0000, 2, R },
	{ 0x784d0000, 2, R },
	{ 0x784e0002, 4, R },		/* WM_DEPTH_STENCIL */
	{ 0x784f0000, 2, R },
	{ 0x78500003, 5, R },
	{ 0x78510009, 11, R },
	{ 0x78520003, 5, R },
	{ 0x78550003, 5, R },		/* VF_COMPONENT_PACKING */
	{ 0x78560000, 0, 0 },
	{ 0x78ff0000, 0, 0 },
	{ 0x79000002, 4, R },		/* DRAWING_RECTANGLE */
	{ 0x79060000, 2, R },
	{ 0x7907001f, 33, R },		/* POLY_STIPPLE_PATTERN */
	{ 0x79080001, 3, R },
	{ 0x790a0001, 3, R },
	{ 0x79120000, 2, R },		/* PUSH_CONSTANT_ALLOC_VS */
	{ 0x79160000, 2, R },
	{ 0x79170000 | 0x101, 0x103, R },	/* SO_DECL_LIST, 128 entries */
	{ 0x79180006, 8, R },		/* SO_BUFFER */
	{ 0x79190002, 4, R },
	{ 0x791c0007, 9, R },		/* SAMPLE_PATTERN */
	{ 0x791e0000, 0, 0 },
	{ 0x7a000004, 6, R },		/* PIPE_CONTROL */
	{ 0x7a010004, 0, 0 },
	{ 0x7b000005, 7, R },		/* 3DPRIMITIVE */
	{ 0x7c000000, 0, 0 },
	/* length fields that are wider than most */
	{ 0x79170100, 0x102, R },	/* SO_DECL_LIST */
	{ 0x791701ff, 0x201, R },
	{ 0x79170200, 2, R },
	{ 0x78440100, 0x102, R },	/* BINDING_TABLE_EDIT_GS, HS, DS, PS */
	{ 0x784501ff, 0x201, R },
	{ 0x784601ff, 0x201, R },
	{ 0x784701ff, 0x201, R },
	{ 0x783907ff, 0x801, R },	/* DX9_CONSTANTF_VS, PS */
	{ 0x783a0400, 0x402, R },
	{ 0x783a0800, 2, R },
	{ 0x780b0001, 1, R },		/* one dword, whatever follows */
	/* Media and GPGPU */
	{ 0x70000007, 9, R | V },	/* MEDIA_VFE_STATE; MFX_PIPE_MODE_SELECT */
	{ 0x70010002, 4, R | V },	/* CURBE_LOAD; MFX_SURFACE_STATE */
	{ 0x70020002, 4, R | V },
	{ 0x70040000, 2, R | V },
	{ 0x70050004, 6, R | V },	/* MEDIA_POOL_STATE */
	{ 0x7105000d, 15, R | V },	/* GPGPU_WALKER; MFX_AVC_WEIGHTOFFSET */
	/* Video */
	{ 0x68000000, 1, V },		/* MFX_WAIT */
	{ 0x68000100, 1, V },
	{ 0x70060004, 6, V },
	{ 0x70070010, 18, V },		/* MFX_QM_STATE */
	{ 0x70480000 | 0xfff, 0x1001, V },	/* MFX_PAK_INSERT_OBJECT */
	{ 0x71000012, 20, R | V },	/* MEDIA_OBJECT; MFX_AVC_IMG_STATE */
	{ 0x71280004, 6, V },		/* MFD_AVC_BSD_OBJECT */
	{ 0x71490008, 10, V },		/* MFC_AVC_PAK_OBJECT */
	{ 0x72280000 | 3, 5, V },	/* MFD_VC1_BSD_OBJECT */
	{ 0x73280003, 5, V },		/* MFD_MPEG2_BSD_OBJECT */
	{ 0x73800002, 4, V },		/* HCP_PIPE_MODE_SELECT */
	{ 0x7390001d, 31, V },		/* HCP_PIC_STATE */
	{ 0x73a00001, 3, V },		/* HCP_BSD_OBJECT */
	{ 0x74280014, 22, V },		/* MFD_VP8_BSD_OBJECT */
	{ 0x75800001, 3, V },		/* HUC_PIPE_MODE_SELECT */
	{ 0x75a10000, 2, V },		/* HUC_START */
	{ 0x77800000, 2, V },		/* VD_PIPELINE_FLUSH */
	{ 0x70800001, 3, V },		/* VDENC_PIPE_MODE_SELECT */
	{ 0x73880080, 130, V },		/* HEVC_VP9_RDOQ_STATE */
	{ 0x73820fff, 0x1001, V },	/* HCP_PIPE_BUF_ADDR_STATE */
	{ 0x76000fff, 0x1001, V },	/* cipher */
	{ 0x76001000, 0x1002, V },
	{ 0x7601ffff, 0x10001, V },
	{ 0x76080fff, 0x1001, V },
	{ 0x7609ffff, 0x10001, V },
	{ 0x76020001, 0, 0 },
	{ 0x77000001, 3, V },		/* MFX_JPEG_PIC_STATE */
	/* Enhancement */
	{ 0x74000007, 9, V | E },	/* VEBOX_SURFACE_STATE; MFX_VP8_PIC_STATE */
	{ 0x7402000a, 12, V | E },	/* VEBOX_STATE */
	{ 0x74030013, 21, V | E },	/* VEB_DI_IECP */
	{ 0x75010000, 2, E },		/* SFC_STATE */

	/* Clients that do not exist */
	{ 0x20000000, 0, 0 },
	{ 0x80000000, 0, 0 },
	{ 0xa0000000, 0, 0 },
	{ 0xc0000000, 0, 0 },
	{ 0xdeadbeef, 0, 0 },
	{ 0xffffffff, 0, 0 },
};

static void test_samples(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(samples); i++) {
		const struct sample *s = &samples[i];

		for (int c = 0; c < GEN9_NR_CLASSES; c++) {
			unsigned want = s->classes & 1u << c ? s->len : 0;
			unsigned got = gen9_cmd_len(c, s->dw0);

			if (got != want)
				fail_msg("%08x on class %d: %u, not %u",
					 s->dw0, c, got, want);
			assert_int_equal(gslot_cmd_len(c, s->dw0), want);
		}
	}
}

/* MEDIA_OBJECT has 16 bits of length on rcs, 12 on vcs at the same opcode. */
static void test_same_opcode_other_engine(void **state)
{
	(void)state;
	assert_int_equal(gen9_cmd_len(GEN9_CLASS_RENDER, 0x7100ffff), 0x10001);
	assert_int_equal(gen9_cmd_len(GEN9_CLASS_VIDEO, 0x7100ffff), 0x1001);
	/* GPGPU_WALKER, indirect and predicated: flags in bits 10 and 8. */
	assert_int_equal(gen9_cmd_len(GEN9_CLASS_RENDER, 0x7105050d), 15);
	assert_int_equal(gen9_cmd_len(GEN9_CLASS_VIDEO, 0x7105050d), 0x50f);
}

#define PAYLOAD		16
#define UNKNOWN		0xdeadbeef	/* no such client */

static struct ctx c;
static uint32_t cmds[1100];	/* UNKNOWN but for what is scanned */

/*
 * How far the interpreter of an engine goes in one step, in dwords; 0 if it
 * stops with an instruction error, -1 if the command took it elsewhere or the
 * step has no end (a jump, a wait, a fault). The batch has no privilege.
 */
static int model_step(int engine, const uint32_t *dw, unsigned n)
{
	Gen9Engine *e = &host.gpu->engine[engine];
	uint64_t errors = counter(engine, GEN9_CNT_ERRORS);
	unsigned done;

	memcpy(host.ram + c.batch, dw, n * 4);
	e->bb[GEN9_LEVEL_BB].on = true;
	e->bb[GEN9_LEVEL_BB].ggtt = false;
	e->bb[GEN9_LEVEL_BB].addr = BATCH_VA;
	e->bb[GEN9_LEVEL_SBB].on = false;
	e->predicate = 0;
	e->loops = 0;
	gen9_store(&e->halted, false);
	host.now += 10000000;
	gen9_engine_run(host.gpu, engine, 1);
	if (counter(engine, GEN9_CNT_ERRORS) != errors)
		return 0;
	if (e->halted || !e->bb[GEN9_LEVEL_BB].on || e->bb[GEN9_LEVEL_SBB].on ||
	    dw[0] >> 23 == OP_MI_BATCH_BUFFER_START)
		return -1;
	done = (e->bb[GEN9_LEVEL_BB].addr - BATCH_VA) / 4;
	return done ? (int)done : -1;
}

/* A context that runs; its ring never ends and its batch has the commands. */
static void model_start(int engine)
{
	teardown(NULL);
	setup(NULL);
	ctx_new(&c, engine, 7);
	/* the longest command must be readable to its end */
	c.batch = alloc_pages(GEN9_CMD_MAX_DWORDS / 1024 + 2);
	ppgtt_map(c.pml4, BATCH_VA, c.batch, 8);
	ppgtt_map(c.pml4, DATA_VA, c.data, DATA_PAGES);
	for (unsigned i = 0; i < GEN9_CMD_MAX_DWORDS / 1024 + 2; i++)
		ppgtt_map(c.pml4, BATCH_VA + i * 4096, c.batch + i * 4096, 1);
	emit(&c, 0);
	emit(&c, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	emit_addr(&c, BATCH_VA);
	emit(&c, 0);
	set_ram32(c.batch, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_PPGTT | 1);
	set_ram32(c.batch + 4, BATCH_VA);
	set_ram32(c.batch + 8, 0);
	ctx_tail(&c);
	elsp(engine, ctx_desc(&c), 0);
	for (int i = 0; i < 20 && !host.gpu->engine[engine].bb[GEN9_LEVEL_BB].on; i++) {
		gen9_engine_run(host.gpu, engine, 1);
		host.now += 10000000;
	}
	assert_true(host.gpu->engine[engine].bb[GEN9_LEVEL_BB].on);
}

static int no_batch(struct gslot_scan *scan, u64 addr, u32 level, u64 *phys)
{
	(void)scan;
	(void)level;
	*phys = addr;
	return 0;
}

static int no_reloc(struct gslot_scan *scan, const struct gslot_reloc *reloc, u64 *phys)
{
	(void)scan;
	*phys = reloc->addr;
	return 0;
}

/*
 * How far the scanner goes over a command; 0: it does not know it, -1: it
 * knows it and refuses. What stands behind the command stops the scan.
 */
static int scan_step(int engine, enum gslot_scan_kind kind, const uint32_t *dw, unsigned n)
{
	static const struct gslot_window window = {
		.low_size = 1ull << 28, .high_size = 3ull << 28,
	};
	struct gslot_scan scan = {
		.engine = engine, .gen = 9, .kind = kind, .window = &window,
		.batch = no_batch, .user_batch = no_batch, .reloc = no_reloc,
	};

	int err;

	memcpy(cmds, dw, n * 4);
	err = gslot_scan(&scan, cmds, ARRAY_SIZE(cmds));
	for (unsigned i = 0; i < (err ? MAX(n, scan.bad) : ARRAY_SIZE(cmds)); i++)
		cmds[i] = UNKNOWN;
	if (!err)
		return 1;		/* the end of a batch */
	if (scan.bad)
		return scan.bad;
	return gslot_cmd_find(engine, dw[0]) ? -1 : 0;
}

/* Whether the model may take the length for an error. */
static bool odd_length(int engine, uint32_t dw0, unsigned len)
{
	const struct gen_cmd *row = gen9_cmd_find(engine, dw0);

	/* Immediate patterns of the blitter must have their size. */
	return len < row->min || len > row->max || CMD_CLIENT(dw0) == CMD_CLIENT_BLT;
}

/* Opcodes that are all there are: every upper half, with these lower ones. */
static uint32_t lower_half(int k)
{
	static const uint16_t fixed[] = { 0, 1, 2, 3, 4, 9, 0xd };

	return k < (int)ARRAY_SIZE(fixed) ? fixed[k] : rnd() & 0xffff;
}

#define LOWER_HALVES	9	/* two at random */

/*
 * Each opcode on each engine: the model has all commands that the scanner has, and both find the
 * next command at the same place. The scan is that of a batch, which may have the most commands.
 * The model may execute what it refuses.
 */
static void test_all_opcodes(void **state)
{
	unsigned int accepted = 0, refused = 0, advanced = 0, unknown = 0;

	(void)state;
	for (int e = 0; e < GEN9_NR_ENGINES; e++) {
		model_start(e);
		for (size_t i = 0; i < ARRAY_SIZE(cmds); i++)
			cmds[i] = UNKNOWN;
		for (uint32_t hi = 0; hi < 0x10000; hi++) {
			for (int k = 0; k < LOWER_HALVES; k++) {
				uint32_t dw[PAYLOAD] = { hi << 16 | lower_half(k) };
				unsigned len = gen9_cmd_len(e, dw[0]);
				int scanned, ran;

				for (int i = 1; i < PAYLOAD; i++)
					dw[i] = rnd();
				assert_int_equal(gslot_cmd_len(e, dw[0]), len);
				ran = model_step(e, dw, PAYLOAD);
				if (!len)
					assert_int_equal(ran, 0);
				else if (!odd_length(e, dw[0], len))
					assert_int_not_equal(ran, 0);
				/* Only the command itself: the rest is unknown. */
				scanned = scan_step(e, GSLOT_SCAN_BATCH, dw,
						    len && len < PAYLOAD ? len : 1);
				if (!len)
					assert_int_equal(scanned, 0);
				if (scanned > 0 && ran > 0)
					assert_int_equal(scanned, ran);
				if (ran > 0 && dw[0])
					assert_int_equal(ran, len);
				accepted += scanned > 0;
				refused += scanned < 0;
				advanced += ran > 0;
				unknown += ran == 0;
			}
		}
	}
	print_message("# accepted %u, refused %u; the model advanced over %u, knew not %u\n",
		      accepted, refused, advanced, unknown);
	assert_true(accepted > 1000 && refused > 1000 && advanced > 10000 && unknown > 100000);
}

static void test_bad_class(void **state)
{
	(void)state;
	assert_int_equal(gen9_cmd_len(GEN9_NR_CLASSES, 0), 0);
	assert_int_equal(gen9_cmd_len((Gen9EngineClass)~0u, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_same_opcode_other_engine),
		gpu_test(test_all_opcodes),
		cmocka_unit_test(test_bad_class),
	};

	return run_tap_tests("both_cmd", tests);
}
