// SPDX-License-Identifier: GPL-2.0
/* Registers: PVINFO, access widths, masked and write-1-to-clear ones, handlers. */
#include <gen/gtt.h>
#include <gen/pvinfo.h>

#include "clock.h"
#include "rng.h"
#include "tap.h"
#include "vgpu.h"

#define SIZE_LOW	MB(64)
#define SIZE_HIGH	MB(384)

static u32 pvinfo(struct vgpu *vgpu, u32 offset)
{
	return mmio_read(vgpu, PVINFO_BASE + offset);
}

static void check_pvinfo(struct vgpu *vgpu)
{
	u32 caps = PVINFO_CAP_FULL_PPGTT | PVINFO_CAP_HWSP_EMULATION;

	tap_eq(mmio_read_width(vgpu, PVINFO_BASE, 8), PVINFO_MAGIC, "magic, 8 bytes");
	tap_eq(mmio_read(vgpu, PVINFO_BASE), lower_32_bits(PVINFO_MAGIC), "magic, low");
	tap_eq(mmio_read(vgpu, PVINFO_BASE + 4), upper_32_bits(PVINFO_MAGIC), "magic, high");
	tap_eq(mmio_read_width(vgpu, PVINFO_BASE + PVINFO_O_VERSION, 2), PVINFO_VERSION_MAJOR,
	       "version, 2 bytes");
	tap_eq(mmio_read_width(vgpu, PVINFO_BASE + PVINFO_O_VERSION + 2, 2),
	       PVINFO_VERSION_MINOR, "minor version");
	tap_eq(pvinfo(vgpu, PVINFO_O_CAPS) & caps, caps, "capabilities");
	tap_eq(pvinfo(vgpu, PVINFO_O_LOW_BASE), 0, "low graphics memory is at 0");
	tap_eq(pvinfo(vgpu, PVINFO_O_LOW_SIZE), SIZE_LOW, "its size");
	tap_eq(pvinfo(vgpu, PVINFO_O_HIGH_BASE), GEN_LOW_GM_SIZE,
	       "high graphics memory is at 256 MB");
	tap_eq(pvinfo(vgpu, PVINFO_O_HIGH_SIZE), SIZE_HIGH, "its size");
	tap_ok(pvinfo(vgpu, PVINFO_O_FENCES) > 0 &&
	       pvinfo(vgpu, PVINFO_O_FENCES) <= GEN_NR_FENCES, "fences: %u",
	       pvinfo(vgpu, PVINFO_O_FENCES));

	mmio_write(vgpu, PVINFO_BASE, 0);
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_LOW_SIZE, ~0u);
	tap_eq(mmio_read_width(vgpu, PVINFO_BASE, 8), PVINFO_MAGIC,
	       "the guest cannot change the magic");
	tap_eq(pvinfo(vgpu, PVINFO_O_LOW_SIZE), SIZE_LOW, "the guest cannot change the sizes");
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_DISPLAY_READY, 1);
	tap_eq(pvinfo(vgpu, PVINFO_O_DISPLAY_READY), 1, "the guest can set the ready flag");
}

static void check_fuses(struct vgpu *vgpu)
{
	u32 off = SKL_DFSM_PIPE_A_DISABLE | SKL_DFSM_PIPE_B_DISABLE | SKL_DFSM_PIPE_C_DISABLE;

	if (vgpu->gen == 9)
		tap_eq(mmio_read(vgpu, SKL_DFSM) & off, off, "the display is fused off");
	else
		tap_ok(mmio_read(vgpu, BDW_FUSE_STRAP) & FUSE_STRAP_DISPLAY_DISABLE,
		       "the display is fused off");
	tap_ok(mmio_read(vgpu, GEN_FUSE2), "FUSE2 has slices");
	tap_eq(mmio_read(vgpu, GEN_EDRAM_CAP), 0, "no eDRAM");
	tap_eq(mmio_read(vgpu, GEN_FPGA_DBG), 0, "no unclaimed access is reported");
	tap_eq(mmio_read(vgpu, GEN_GUC_STATUS) & GUC_STATUS_MIA_IN_RESET,
	       vgpu->gen == 9 ? GUC_STATUS_MIA_IN_RESET : 0, "GuC is in reset, if it exists");
}

static void check_masked(struct vgpu *vgpu)
{
	u32 i;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		struct engine *e = &vgpu->engines[i];
		u32 before = engine_read(e, RING_INSTPM);

		engine_write(e, RING_INSTPM, GEN_MASKED_ENABLE(BIT(5)));
		tap_eq(engine_read(e, RING_INSTPM), before | BIT(5), "%s: INSTPM: a bit is set",
		       e->info->name);
		engine_write(e, RING_INSTPM, 0x0000ffff);
		tap_eq(engine_read(e, RING_INSTPM), before | BIT(5),
		       "%s: no bit is written without its mask", e->info->name);
		engine_write(e, RING_INSTPM, GEN_MASKED_DISABLE(BIT(5)));
		tap_eq(engine_read(e, RING_INSTPM), before & ~BIT(5), "%s: the bit is cleared",
		       e->info->name);
		tap_ok(engine_read(e, RING_MODE) & RING_MODE_RUN_LIST, "%s: run list is on",
		       e->info->name);
	}
}

static void check_engine_regs(struct vgpu *vgpu)
{
	u32 i;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		struct engine *e = &vgpu->engines[i];
		u32 t0, imr = engine_read(e, RING_IMR);

		tap_eq(engine_read(e, RING_HWS_PGA), e->hwsp_ggtt,
		       "%s: HWS_PGA is the guest's own address", e->info->name);
		engine_write(e, RING_EIR, ~0u);
		tap_eq(engine_read(e, RING_EIR), 0, "%s: EIR", e->info->name);
		tap_eq(engine_read(e, RING_ESR), 0, "%s: ESR", e->info->name);
		engine_write(e, RING_IMR, 0x12345678);
		tap_eq(engine_read(e, RING_IMR), 0x12345678, "%s: IMR", e->info->name);
		engine_write(e, RING_IMR, imr);
		tap_eq(engine_read(e, RING_CSB_PTR) & 7, CSB_RESET_PTR, "%s: CSB pointer",
		       e->info->name);
		engine_write(e, RING_MI_MODE, GEN_MASKED_ENABLE(MI_MODE_STOP_RING));
		tap_ok(wait_for(engine_read(e, RING_MI_MODE) & MI_MODE_IDLE, 100),
		       "%s: a stopped ring idles", e->info->name);
		engine_write(e, RING_MI_MODE, GEN_MASKED_DISABLE(MI_MODE_STOP_RING));
		t0 = engine_read(e, RING_TIMESTAMP);
		tap_ok(wait_for(engine_read(e, RING_TIMESTAMP) != t0, SOON_MS),
		       "%s: the timestamp advances", e->info->name);
	}
}

struct wa {
	u32 reg;
	u32 bits;
};

static const struct wa gen8_wa[] = {
	{ 0x4090, BIT(6) },			/* GAM_ECOCHK */
	{ 0x9400, BIT(16) },			/* UCGCTL1 */
	{ 0x9430, BIT(14) },			/* UCGCTL6 */
	{ 0x42090, BIT(14) },			/* CHICKEN_PAR2_1 */
};

static const struct wa gen9_wa[] = {
	{ 0x4090, BIT(8) | BIT(25) },		/* GAM_ECOCHK */
	{ 0x4ddc, BIT(27) | BIT(31) },		/* MMCD_MISC_CTRL */
	{ 0x940c, BIT(14) },			/* UCGCTL4 */
	{ 0x4ab0, BIT(18) },			/* GAMT_ECO_REG_RW_IA */
};

static void check_mocs(struct vgpu *vgpu)
{
	u32 i, ok = 0;

	for (i = 0; i < GEN9_NR_MOCS; i++) {
		mmio_write(vgpu, GEN_MOCS_RCS(i), i * 3 + 1);
		mmio_write(vgpu, GEN_MOCS_BCS(i), i * 5 + 1);
	}
	for (i = 0; i < GEN9_NR_MOCS; i++)
		ok += mmio_read(vgpu, GEN_MOCS_RCS(i)) == i * 3 + 1 &&
		      mmio_read(vgpu, GEN_MOCS_BCS(i)) == i * 5 + 1;
	tap_eq(ok, vgpu->gen == 9 ? GEN9_NR_MOCS : 0, "MOCS tables read back, if they exist");
}

/* i915 writes these at start and warns if they do not read back. */
static void check_workarounds(struct vgpu *vgpu)
{
	const struct wa *wa = vgpu->gen == 9 ? gen9_wa : gen8_wa;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(gen9_wa); i++) {
		u32 want = mmio_read(vgpu, wa[i].reg) | wa[i].bits;

		mmio_write(vgpu, wa[i].reg, want);
		tap_eq(mmio_read(vgpu, wa[i].reg) & wa[i].bits, wa[i].bits,
		       "the workaround in %#x reads back", wa[i].reg);
	}
	mmio_write(vgpu, GEN_PAT_LO, 0x01020304);
	tap_eq(mmio_read(vgpu, GEN_PAT_LO), 0x01020304, "the PAT reads back");
}

static void check_interrupt_regs(struct vgpu *vgpu)
{
	u32 g;

	for (g = 0; g < GEN_NR_GT_IRQ_GROUPS; g++) {
		u32 imr = mmio_read(vgpu, GEN_GT_IMR(g)), ier = mmio_read(vgpu, GEN_GT_IER(g));

		mmio_write(vgpu, GEN_GT_IIR(g), ~0u);
		tap_eq(mmio_read(vgpu, GEN_GT_IIR(g)), 0, "GT group %u: IIR is clear", g);
		mmio_write(vgpu, GEN_GT_IMR(g), 0xa5a5a5a5);
		tap_eq(mmio_read(vgpu, GEN_GT_IMR(g)), 0xa5a5a5a5, "GT group %u: IMR", g);
		mmio_write(vgpu, GEN_GT_IER(g), 0x5a5a5a5a);
		tap_eq(mmio_read(vgpu, GEN_GT_IER(g)), 0x5a5a5a5a, "GT group %u: IER", g);
		mmio_write(vgpu, GEN_GT_IMR(g), imr);
		mmio_write(vgpu, GEN_GT_IER(g), ier);
	}
	mmio_write(vgpu, GEN_MASTER_IRQ, 0);
	tap_eq(mmio_read(vgpu, GEN_MASTER_IRQ) & MASTER_IRQ_ENABLE, 0, "master: off");
	mmio_write(vgpu, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	tap_eq(mmio_read(vgpu, GEN_MASTER_IRQ), MASTER_IRQ_ENABLE, "master: on");
	mmio_write(vgpu, GEN_PCU_IIR, ~0u);
	tap_eq(mmio_read(vgpu, GEN_PCU_IIR), 0, "PCU: IIR is clear");
}

static void check_handlers(struct vgpu *vgpu)
{
	static const u32 resets[] = {
		GDRST_RCS, GDRST_VCS0, GDRST_BCS, GDRST_VECS, GDRST_VCS1,
		GDRST_RCS | GDRST_BCS, GDRST_FULL,
	};
	static const struct {
		u32 request;
		u32 ack;
	} wakes[] = {
		{ GEN_FORCEWAKE_RENDER, GEN_FORCEWAKE_RENDER_ACK },
		{ GEN_FORCEWAKE_GT, GEN_FORCEWAKE_GT_ACK },
		{ GEN_FORCEWAKE_MEDIA, GEN_FORCEWAKE_MEDIA_ACK },
	};
	static const u32 tlbs[] = {
		GEN_TLB_INV_RCS, GEN_TLB_INV_VCS0, GEN_TLB_INV_BCS, GEN_TLB_INV_VECS,
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(resets); i++)
		tap_ok(gdrst(vgpu, resets[i]), "GDRST %#x completes", resets[i]);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		tap_ok(engine_reset(&vgpu->engines[i]), "%s: reset", engine_infos[i].name);
		tap_eq(engine_read(&vgpu->engines[i], RING_RESET_CTL) &
		       (RESET_CTL_REQUEST | RESET_CTL_READY), 0,
		       "%s: the reset request is withdrawn",
		       engine_infos[i].name);
	}
	for (i = 0; i < ARRAY_SIZE(wakes); i++) {
		if (vgpu->gen == 8 && wakes[i].request != GEN8_FORCEWAKE_MT)
			continue;
		mmio_write(vgpu, wakes[i].request, GEN_MASKED_ENABLE(FORCEWAKE_KERNEL));
		tap_eq(mmio_read(vgpu, wakes[i].ack) & FORCEWAKE_KERNEL, FORCEWAKE_KERNEL,
		       "forcewake %#x is acknowledged", wakes[i].request);
		mmio_write(vgpu, wakes[i].request, GEN_MASKED_DISABLE(FORCEWAKE_KERNEL));
		tap_eq(mmio_read(vgpu, wakes[i].ack) & FORCEWAKE_KERNEL, 0,
		       "forcewake is released");
	}
	for (i = 0; i < ARRAY_SIZE(tlbs); i++) {
		mmio_write(vgpu, tlbs[i], 1);
		tap_eq(mmio_read(vgpu, tlbs[i]) & 1, 0, "TLB invalidation %#x is done", tlbs[i]);
	}
	tap_eq(mmio_read(vgpu, GEN_PCODE_MAILBOX) & PCODE_READY, 0, "pcode is ready");
	for (i = 0; i < 256; i++) {
		mmio_write(vgpu, GEN_PCODE_MAILBOX, PCODE_READY | i);
		if (mmio_read(vgpu, GEN_PCODE_MAILBOX) & PCODE_READY)
			break;
	}
	tap_eq(i, 256, "pcode answers every command");
	mmio_write(vgpu, GEN_PCODE_DATA, 0);
	mmio_write(vgpu, GEN_PCODE_MAILBOX, PCODE_READY | 0x1a);
	tap_eq(mmio_read(vgpu, GEN_PCODE_MAILBOX) & PCODE_ERROR_MASK, 0,
	       "pcode supports command 0x1a");
}

/* A request counts 50 MHz in 31:24 on Gen8, a third of that in 31:23 on Gen9. */
static void check_frequency(struct vgpu *vgpu)
{
	u32 caps = mmio_read(vgpu, GEN_RP_STATE_CAP), only = caps & 0xff, stat;
	bool gen8 = vgpu->gen == 8;

	tap_ok(only, "RP_STATE_CAP has a frequency");
	tap_eq(caps, only * 0x10101, "RP_STATE_CAP has no other frequency");
	mmio_write(vgpu, GEN_RPNSWREQ, gen8 ? 0x7u << 24 : 0x15u << 23);
	stat = mmio_read(vgpu, GEN_RPSTAT1);
	tap_eq(gen8 ? stat >> 7 & 0x7f : stat >> 23, gen8 ? only : only * 3,
	       "the current frequency does not depend on the request");
	mmio_write(vgpu, GEN_PCODE_MAILBOX, PCODE_READY | 0x1a);
	tap_eq(mmio_read(vgpu, GEN_PCODE_DATA) >> 8 & 0xff, only, "pcode reports it as efficient");
}

static void check_fences(struct vgpu *vgpu)
{
	u32 n = pvinfo(vgpu, PVINFO_O_FENCES), i, bad = 0;
	u64 value;

	for (i = 0; i < n; i++) {
		value = (u64)(i * PAGE_SIZE | 7) << 32 | i * PAGE_SIZE;
		mmio_write(vgpu, GEN_FENCE_LO(i), lower_32_bits(value));
		mmio_write(vgpu, GEN_FENCE_HI(i), upper_32_bits(value));
		bad += mmio_read_width(vgpu, GEN_FENCE_LO(i), 8) != value;
		mmio_write_width(vgpu, GEN_FENCE_LO(i), 8, 0);
		bad += mmio_read_width(vgpu, GEN_FENCE_LO(i), 8) != 0;
	}
	tap_eq(bad, 0, "the vGPU's fences can be written and read");
	for (i = n, bad = 0; i < GEN_NR_FENCES; i++) {
		mmio_write_width(vgpu, GEN_FENCE_LO(i), 8, 0x0000700000001001ULL);
		bad += mmio_read_width(vgpu, GEN_FENCE_LO(i), 8) != 0;
	}
	tap_eq(bad, 0, "fences beyond these do not exist");
}

/* Every register can be read in each width; by a narrow read, a random part of it. */
static void sweep_read(struct vgpu *vgpu)
{
	struct rng rng = { 1 };
	u32 width, offset, bad;

	for (width = 1; width <= 8; width *= 2) {
		u32 step = width < 4 ? 4 : width;
		u64 t0 = now_us();

		bad = 0;
		for (offset = 0; offset < GEN_MMIO_SIZE; offset += step) {
			u32 at = offset + rng_below(&rng, step / width) * width;
			u64 value;

			bad += vfio_read(&vgpu->dev, VFIO_PCI_BAR0_REGION_INDEX, at, &value,
					 width) != width;
		}
		tap_eq(bad, 0, "reads of %u bytes of every register", width);
		tap_diag("%llu ms", (unsigned long long)(now_us() - t0) / 1000);
	}
	/* Unaligned, or across an end: refused or answered. */
	for (offset = 0; offset < GEN_MMIO_SIZE; offset += 0xfff) {
		u64 buf[4];

		vfio_read(&vgpu->dev, VFIO_PCI_BAR0_REGION_INDEX, offset, buf, 8);
		vfio_read(&vgpu->dev, VFIO_PCI_BAR0_REGION_INDEX, offset, buf, 3);
		vfio_read(&vgpu->dev, VFIO_PCI_BAR0_REGION_INDEX, offset, buf, 32);
	}
	mmio_read_width(vgpu, GEN_MMIO_SIZE - 2, 4);
	mmio_read_width(vgpu, GEN_GSM_OFFSET - 2, 8);
	tap_ok(mmio_read_width(vgpu, GEN_GTTMMADR_SIZE, 4) == ~0ULL,
	       "a read beyond BAR0 is refused");
}

static void sweep_write(struct vgpu *vgpu, struct vgpu *other)
{
	struct rng rng = { 2 };
	u32 width, offset, i, bad = 0;

	for (width = 1; width <= 8; width *= 2) {
		/* Narrow writes: a random one of each dword. */
		u32 step = width < 4 ? 4 : width;

		for (offset = 0; offset < GEN_MMIO_SIZE; offset += step) {
			u32 at = offset + rng_below(&rng, step / width) * width;

			bad += !mmio_write_width(vgpu, at, width, rng_u64(&rng));
		}
	}
	for (i = 0; i < 3; i++) {
		static const u64 patterns[] = { ~0ULL, 0, 0xffff0000ffff0000ULL };

		for (offset = 0; offset < GEN_MMIO_SIZE; offset += 8)
			bad += !mmio_write_width(vgpu, offset, 8, patterns[i]);
	}
	tap_eq(bad, 0, "writes of 1, 2, 4, 8 bytes at every offset");
	tap_eq(mmio_read_width(vgpu, PVINFO_BASE, 8), PVINFO_MAGIC, "PVINFO is unchanged");
	tap_ok(vgpu_works(vgpu), "the vGPU works after a reset");
	tap_ok(vgpu_works(other), "another vGPU works");
	tap_eq(mmio_read(vgpu, GEN_GT_IMR(3)) & GT_IRQ_USER, 0,
	       "the other vGPU's driver can start");
}

int main(void)
{
	struct vgpu *vgpu, *other;

	vgpu_test_init(400);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	other = vgpu_new(MDEV_TYPE_SMALL);
	check_pvinfo(vgpu);
	check_fuses(vgpu);
	check_masked(vgpu);
	check_engine_regs(vgpu);
	check_mocs(vgpu);
	check_workarounds(vgpu);
	check_interrupt_regs(vgpu);
	check_handlers(vgpu);
	check_frequency(vgpu);
	check_fences(vgpu);
	sweep_read(vgpu);
	sweep_write(vgpu, other);
	vgpu_free(vgpu);
	vgpu_free(other);
	return vgpu_test_done();
}
