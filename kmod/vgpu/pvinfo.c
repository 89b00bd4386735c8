// SPDX-License-Identifier: GPL-2.0
/*
 * The PVINFO page: by it a guest knows that it has a vGPU, and which graphics memory is its own,
 * and notifies the host of its page tables.
 */
#include "vgpu_priv.h"

/* No PVINFO_CAP_HUGE_GTT: shadow tables have pages of 4 KB alone. */
#define CAPS	(PVINFO_CAP_FULL_PPGTT | PVINFO_CAP_HWSP_EMULATION)

static void pvinfo_put32(struct gslot_vgpu *vgpu, u32 offset, u32 value)
{
	memcpy(vgpu->pvinfo + offset, &value, sizeof(value));
}

static u64 pvinfo_get64(struct gslot_vgpu *vgpu, u32 offset)
{
	u64 value;

	memcpy(&value, vgpu->pvinfo + offset, sizeof(value));
	return value;
}

void gslot_pvinfo_resize(struct gslot_vgpu *vgpu)
{
	pvinfo_put32(vgpu, PVINFO_O_LOW_SIZE, vgpu->window.low_size);
	pvinfo_put32(vgpu, PVINFO_O_HIGH_SIZE, vgpu->window.high_size);
}

/* The state at power-on. Graphics addresses are the same in every vGPU, wherever its memory is. */
void gslot_pvinfo_reset(struct gslot_vgpu *vgpu)
{
	memset(vgpu->pvinfo, 0, sizeof(vgpu->pvinfo));
	pvinfo_put32(vgpu, PVINFO_O_MAGIC, lower_32_bits(PVINFO_MAGIC));
	pvinfo_put32(vgpu, PVINFO_O_MAGIC + 4, upper_32_bits(PVINFO_MAGIC));
	pvinfo_put32(vgpu, PVINFO_O_VERSION, PVINFO_VERSION_MAJOR | PVINFO_VERSION_MINOR << 16);
	pvinfo_put32(vgpu, PVINFO_O_VGT_ID, 1);
	pvinfo_put32(vgpu, PVINFO_O_CAPS, CAPS);
	pvinfo_put32(vgpu, PVINFO_O_LOW_BASE, 0);
	pvinfo_put32(vgpu, PVINFO_O_HIGH_BASE, GEN_LOW_GM_SIZE);
	gslot_pvinfo_resize(vgpu);
	pvinfo_put32(vgpu, PVINFO_O_FENCES, GEN_NR_FENCES);
	pvinfo_put32(vgpu, PVINFO_O_CURSOR_X_HOT, U32_MAX);
	pvinfo_put32(vgpu, PVINFO_O_CURSOR_Y_HOT, U32_MAX);
}

/* @offset: a multiple of 4 */
u32 gslot_pvinfo_read(struct gslot_vgpu *vgpu, u32 offset)
{
	u32 value;

	if (offset == PVINFO_O_FRAMES)
		return lower_32_bits(atomic64_read(&vgpu->frames) - vgpu->frames_before);
	memcpy(&value, vgpu->pvinfo + offset, sizeof(value));
	return value;
}

/* Save what the guest has written. */
void gslot_pvinfo_save(struct gslot_vgpu *vgpu, struct gslot_mig_pvinfo *to)
{
	u32 i;

	BUILD_BUG_ON(PVINFO_O_CURSOR_X_HOT + sizeof(to->guest) - 4 != PVINFO_O_CONTEXT_DESC_HI);
	memset(to, 0, sizeof(*to));
	to->display_ready = gslot_pvinfo_read(vgpu, PVINFO_O_DISPLAY_READY);
	to->g2v_notify = gslot_pvinfo_read(vgpu, PVINFO_O_G2V_NOTIFY);
	for (i = 0; i < ARRAY_SIZE(to->guest); i++)
		to->guest[i] = gslot_pvinfo_read(vgpu, PVINFO_O_CURSOR_X_HOT + i * 4);
	to->frames = gslot_pvinfo_read(vgpu, PVINFO_O_FRAMES);
}

/* Restore what the guest has written, any values. No notification is repeated. */
void gslot_pvinfo_restore(struct gslot_vgpu *vgpu, const struct gslot_mig_pvinfo *from)
{
	u32 i;

	pvinfo_put32(vgpu, PVINFO_O_DISPLAY_READY, from->display_ready);
	pvinfo_put32(vgpu, PVINFO_O_G2V_NOTIFY, from->g2v_notify);
	for (i = 0; i < ARRAY_SIZE(from->guest); i++)
		pvinfo_put32(vgpu, PVINFO_O_CURSOR_X_HOT + i * 4, from->guest[i]);
	vgpu->frames_before = atomic64_read(&vgpu->frames) - from->frames;
}

/*
 * The number is the guest's, and not trusted: a write counts for at most as many frames as a target
 * may ask for in a second, so that the sum cannot overflow while the host runs. docs/scheduling.md
 * says what a false number brings the guest.
 */
static void pvinfo_count_frames(struct gslot_vgpu *vgpu, u32 frames)
{
	BUILD_BUG_ON(PVINFO_FRAMES_MAX != GSLOT_VGPU_QOS_FPS_MAX);
	atomic64_add(min(frames, PVINFO_FRAMES_MAX), &vgpu->frames);
}

static bool pvinfo_is_writable(u32 offset)
{
	return offset == PVINFO_O_DISPLAY_READY || offset == PVINFO_O_G2V_NOTIFY ||
	       (offset >= PVINFO_O_CURSOR_X_HOT && offset <= PVINFO_O_CONTEXT_DESC_HI);
}

static void pvinfo_notify(struct gslot_vgpu *vgpu, u32 message)
{
	u64 pml4;

	switch (message) {
	case G2V_PPGTT_L4_DESTROY:
		pml4 = pvinfo_get64(vgpu, PVINFO_O_PDP(0));
		/* KVM must not emulate what the guest does with these pages from now on. */
		gslot_guestmem_untrack_gfn(&vgpu->mem, pml4 >> PAGE_SHIFT);
		gslot_exec_ppgtt_destroy(vgpu->exec, pml4);
		break;
	case G2V_PPGTT_L3_CREATE:
	case G2V_PPGTT_L3_DESTROY:
	case G2V_PPGTT_L4_CREATE:
	case G2V_CONTEXT_CREATE:
	case G2V_CONTEXT_DESTROY:
		/* Page tables and contexts are discovered when they are submitted. */
		break;
	default:
		gslot_guest_err(&vgpu->guest_errors, GSLOT_GUEST_ERR_NOTIFICATION, "%u", message);
		break;
	}
}

/* @offset: a multiple of 4. May sleep. */
void gslot_pvinfo_write(struct gslot_vgpu *vgpu, u32 offset, u32 value)
{
	if (offset == PVINFO_O_FRAMES)
		pvinfo_count_frames(vgpu, value);
	if (!pvinfo_is_writable(offset))
		return;
	pvinfo_put32(vgpu, offset, value);
	if (offset == PVINFO_O_G2V_NOTIFY)
		pvinfo_notify(vgpu, value);
}
