// SPDX-License-Identifier: GPL-2.0
/*
 * The PVINFO page: how a guest knows that it has a vGPU, what is its own, and
 * how it tells of its page tables.
 */
#include "vgpu_priv.h"

/* No PVINFO_CAP_HUGE_GTT: shadow tables have pages of 4 KB alone. */
#define CAPS	(PVINFO_CAP_FULL_PPGTT | PVINFO_CAP_HWSP_EMULATION)

static void put32(struct gslot_vgpu *vgpu, u32 offset, u32 value)
{
	memcpy(vgpu->pvinfo + offset, &value, sizeof(value));
}

static u64 get64(struct gslot_vgpu *vgpu, u32 offset)
{
	u64 value;

	memcpy(&value, vgpu->pvinfo + offset, sizeof(value));
	return value;
}

/**
 * gslot_pvinfo_resize() - say how much graphics memory the vGPU has now
 * @vgpu: the vGPU
 *
 * Context: any.
 */
void gslot_pvinfo_resize(struct gslot_vgpu *vgpu)
{
	put32(vgpu, PVINFO_O_LOW_SIZE, vgpu->window.low_size);
	put32(vgpu, PVINFO_O_HIGH_SIZE, vgpu->window.high_size);
}

/**
 * gslot_pvinfo_reset() - the page as the guest finds it
 * @vgpu: the vGPU
 *
 * The addresses are those that every vGPU sees, wherever it is.
 *
 * Context: any.
 */
void gslot_pvinfo_reset(struct gslot_vgpu *vgpu)
{
	memset(vgpu->pvinfo, 0, sizeof(vgpu->pvinfo));
	put32(vgpu, PVINFO_O_MAGIC, lower_32_bits(PVINFO_MAGIC));
	put32(vgpu, PVINFO_O_MAGIC + 4, upper_32_bits(PVINFO_MAGIC));
	put32(vgpu, PVINFO_O_VERSION, PVINFO_VERSION_MAJOR | PVINFO_VERSION_MINOR << 16);
	put32(vgpu, PVINFO_O_VGT_ID, 1);
	put32(vgpu, PVINFO_O_CAPS, CAPS);
	put32(vgpu, PVINFO_O_LOW_BASE, 0);
	put32(vgpu, PVINFO_O_HIGH_BASE, GEN_LOW_GM_SIZE);
	gslot_pvinfo_resize(vgpu);
	put32(vgpu, PVINFO_O_FENCES, vgpu->profile->fences);
	put32(vgpu, PVINFO_O_CURSOR_X_HOT, U32_MAX);
	put32(vgpu, PVINFO_O_CURSOR_Y_HOT, U32_MAX);
}

/**
 * gslot_pvinfo_read() - the guest reads the page
 * @vgpu: the vGPU
 * @offset: offset in the page, a multiple of 4
 *
 * Return: what it reads.
 * Context: any.
 */
u32 gslot_pvinfo_read(struct gslot_vgpu *vgpu, u32 offset)
{
	u32 value;

	if (offset == PVINFO_O_FRAMES)
		return lower_32_bits(atomic64_read(&vgpu->frames) - vgpu->frames_before);
	memcpy(&value, vgpu->pvinfo + offset, sizeof(value));
	return value;
}

/*
 * A guest says what it likes. A write counts for no more frames than a target may ask for in a
 * second: so the sum does not overflow while the host lives. What a number that is too large or
 * too small is good for, docs/scheduling.md says.
 */
static void count_frames(struct gslot_vgpu *vgpu, u32 frames)
{
	BUILD_BUG_ON(PVINFO_FRAMES_MAX != GSLOT_VGPU_QOS_FPS_MAX);
	atomic64_add(min(frames, PVINFO_FRAMES_MAX), &vgpu->frames);
}

static bool is_writable(u32 offset)
{
	return offset == PVINFO_O_DISPLAY_READY || offset == PVINFO_O_G2V_NOTIFY ||
	       (offset >= PVINFO_O_CURSOR_X_HOT && offset <= PVINFO_O_CONTEXT_DESC_HI);
}

/* The message is consumed when the write returns. */
static void notify(struct gslot_vgpu *vgpu, u32 message)
{
	switch (message) {
	case G2V_PPGTT_L4_DESTROY:
		gslot_exec_ppgtt_destroy(vgpu->exec, get64(vgpu, PVINFO_O_PDP(0)));
		break;
	case G2V_PPGTT_L3_CREATE:
	case G2V_PPGTT_L3_DESTROY:
	case G2V_PPGTT_L4_CREATE:
	case G2V_CONTEXT_CREATE:
	case G2V_CONTEXT_DESTROY:
		/* Page tables and contexts are found when they are submitted. */
		break;
	default:
		gslot_guest_err(&vgpu->guest_errors, GSLOT_CAUSE_NOTIFICATION, "%u", message);
		break;
	}
}

/**
 * gslot_pvinfo_write() - the guest writes the page
 * @vgpu: the vGPU
 * @offset: offset in the page, a multiple of 4
 * @value: what it writes
 *
 * Context: may sleep.
 */
void gslot_pvinfo_write(struct gslot_vgpu *vgpu, u32 offset, u32 value)
{
	if (offset == PVINFO_O_FRAMES)
		count_frames(vgpu, value);
	if (!is_writable(offset))
		return;
	put32(vgpu, offset, value);
	if (offset == PVINFO_O_G2V_NOTIFY)
		notify(vgpu, value);
}
