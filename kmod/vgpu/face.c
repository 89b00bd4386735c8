// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: faces
 *
 * A face is a page of memory that shows a page of registers to the guest, which maps it. Reads cost
 * nothing. The guest's writes are tracked by KVM: what it has stored in the face is written to the
 * registers, as a trapped write would be, and the face shows what they have then. The module never
 * reads a face: the registers' own state stays what counts, and a guest that finds a way to store
 * into a face untracked misleads itself alone.
 *
 * Until the module has handled a store, other virtual CPUs read what was stored, not what the
 * register has: a driver writes a register under the lock under which it reads it, or does not
 * care.
 *
 * Faces show the interrupt registers, and the registers of each engine. A change of interrupt
 * registers is shown at once, under their lock, by vgpu_irq.c. The registers of an engine are shown
 * by gslot_face_engine() when a submission or a completion has been handled, before the guest gets
 * its interrupt. So what a face shows last is the last state.
 *
 * A timestamp changes all the time. A face has that of its last change, or of the last tick, and is
 * removed if the guest has not written to it for a while (vfio/track.c): the next read faults, and
 * finds the present one.
 */
#include <linux/gfp.h>
#include <linux/mm.h>

#include "vgpu_priv.h"
#include "core/regs/regtable.h"
#include "gen/lrc.h"

/* Registers that exec keeps for an engine (gslot_exec_read_reg()) */
static const u32 face_ring_state[] = {
	RING_HEAD, RING_TAIL, RING_START, RING_ACTHD, RING_EXECLIST_STATUS_HI,
};

/**
 * gslot_face_offset() - where the registers of a face are
 * @face: less than GSLOT_NR_FACES
 *
 * Return: offset in BAR0, of a page.
 * Context: any.
 */
u32 gslot_face_offset(u32 face)
{
	u32 offset = face == GSLOT_FACE_IRQ ? GEN_MASTER_IRQ : gslot_engines[face].base;

	return offset & PAGE_MASK;
}

static int face_find(u32 offset)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_FACES; i++)
		if (gslot_face_offset(i) == (offset & PAGE_MASK))
			return i;
	return -1;
}

/* Registers are not accessed yet. Return: 0 or -ENOMEM. */
int gslot_faces_open(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_faces *f = &vgpu->faces;
	u32 i;

	for (i = 0; i < GSLOT_NR_FACES; i++) {
		f->page[i] = (u32 *)get_zeroed_page(GFP_KERNEL_ACCOUNT);
		if (!f->page[i]) {
			gslot_faces_close(vgpu);
			return -ENOMEM;
		}
	}
	return 0;
}

/* No face is mapped, and registers do not change any more. */
void gslot_faces_close(struct gslot_vgpu *vgpu)
{
	struct gslot_vgpu_faces *f = &vgpu->faces;
	u32 i;

	for (i = 0; i < GSLOT_NR_FACES; i++) {
		WRITE_ONCE(f->shown[i], false);
		free_page((unsigned long)f->page[i]);
		f->page[i] = NULL;
	}
}

static bool face_is_irq(u32 offset)
{
	return offset == GEN_MASTER_IRQ ||
	       (offset >= GEN_GT_ISR(0) && offset < GEN_GT_ISR(GEN_NR_IRQ_GROUPS));
}

/* Show a register, which is none of those that vgpu_irq.c shows. */
static void face_show(struct gslot_vgpu *vgpu, u32 face, u32 offset)
{
	struct gslot_vgpu_faces *f = &vgpu->faces;

	lockdep_assert_held(&f->lock);
	WRITE_ONCE(f->page[face][offset_in_page(offset) / sizeof(u32)],
		   gslot_mmio_peek(vgpu, offset));
}

/* The halves are of one moment. */
static void face_set_time(struct gslot_vgpu *vgpu, u32 face, u64 time)
{
	u32 *page = vgpu->faces.page[face];

	BUILD_BUG_ON(RING_TIMESTAMP % sizeof(u64) || RING_TIMESTAMP_UDW != RING_TIMESTAMP + 4);
	lockdep_assert_held(&vgpu->faces.lock);
	WRITE_ONCE(*(u64 *)&page[RING_TIMESTAMP / sizeof(u32)], time);
}

static void face_show_time(struct gslot_vgpu *vgpu, u32 face)
{
	face_set_time(vgpu, face, gslot_hw_timestamp(vgpu->vgpus->hw));
}

/* Most of a page are no registers: they read 0, and are not looked up one by one. */
static void face_show_all(struct gslot_vgpu *vgpu, u32 face)
{
	u32 gen = gslot_hw_gen(vgpu->vgpus->hw), *page = vgpu->faces.page[face];
	u32 offset = gslot_face_offset(face), end = offset + PAGE_SIZE, until;

	for (; offset < end; offset = until) {
		until = offset + sizeof(u32);
		if (face_is_irq(offset))
			continue;
		if (gslot_reg_find(offset, gen)) {
			face_show(vgpu, face, offset);
			continue;
		}
		until = min(gslot_reg_same_until(offset), end);
		memset(&page[offset_in_page(offset) / sizeof(u32)], 0, until - offset);
	}
	/* Its halves were shown one after the other. */
	if (face != GSLOT_FACE_IRQ)
		face_show_time(vgpu, face);
}

/**
 * gslot_vgpu_face() - get a face for a mapping
 * @vgpu: the vGPU, open
 * @face: less than GSLOT_NR_FACES
 *
 * From now on it shows what the registers have, until gslot_vgpu_hide_face().
 *
 * Return: its page.
 * Context: may sleep, without the vGPU's locks.
 */
struct page *gslot_vgpu_face(struct gslot_vgpu *vgpu, u32 face)
{
	struct gslot_vgpu_faces *f = &vgpu->faces;

	spin_lock(&f->lock);
	if (!f->shown[face]) {
		WRITE_ONCE(f->shown[face], true);
		face_show_all(vgpu, face);
	}
	spin_unlock(&f->lock);
	if (face == GSLOT_FACE_IRQ)
		gslot_irq_show_all(vgpu);
	return virt_to_page(f->page[face]);
}

/**
 * gslot_vgpu_hide_face() - a face is not mapped any more
 * @vgpu: the vGPU, open
 * @face: less than GSLOT_NR_FACES
 *
 * Context: any but interrupts, without the vGPU's locks.
 */
void gslot_vgpu_hide_face(struct gslot_vgpu *vgpu, u32 face)
{
	spin_lock(&vgpu->faces.lock);
	WRITE_ONCE(vgpu->faces.shown[face], false);
	spin_unlock(&vgpu->faces.lock);
}

/**
 * gslot_vgpu_show_time() - show the time in faces of engines
 * @vgpu: the vGPU, open
 * @engines: bit mask of enum gslot_engine_id
 *
 * Context: any but interrupts, without the vGPU's locks.
 */
void gslot_vgpu_show_time(struct gslot_vgpu *vgpu, u32 engines)
{
	u64 time;
	u32 i;

	spin_lock(&vgpu->faces.lock);
	time = gslot_hw_timestamp(vgpu->vgpus->hw);
	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		if (engines & BIT(i) && vgpu->faces.shown[i])
			face_set_time(vgpu, i, time);
	spin_unlock(&vgpu->faces.lock);
}

/* A register may have changed by a write of the guest, of any kind. */
void gslot_face_register(struct gslot_vgpu *vgpu, u32 offset)
{
	int face = face_find(offset);

	offset &= ~3u;
	if (face < 0 || !READ_ONCE(vgpu->faces.shown[face]) || face_is_irq(offset))
		return;
	spin_lock(&vgpu->faces.lock);
	if (vgpu->faces.shown[face])
		face_show(vgpu, face, offset);
	spin_unlock(&vgpu->faces.lock);
}

static void face_set(struct gslot_vgpu *vgpu, u32 face, u32 reg, u32 value)
{
	WRITE_ONCE(vgpu->faces.page[face][reg / sizeof(u32)], value);
}

/* Show what an engine has stored in its registers. */
static void face_show_stored(struct gslot_vgpu *vgpu, enum gslot_engine_id engine)
{
	u32 base = gslot_engines[engine].base, reg;

	spin_lock(&vgpu->regs.lock);
	for (reg = RING_CSB(0); reg < RING_CSB(CSB_ENTRIES); reg += sizeof(u32))
		face_set(vgpu, engine, reg, gslot_vreg_get(vgpu, base + reg));
	face_set(vgpu, engine, RING_EIR, gslot_vreg_get(vgpu, base + RING_EIR));
	face_set(vgpu, engine, RING_IPEHR, gslot_vreg_get(vgpu, base + RING_IPEHR));
	spin_unlock(&vgpu->regs.lock);
}

static void face_show_changed(struct gslot_vgpu *vgpu, enum gslot_engine_id engine)
{
	u32 base = gslot_engines[engine].base, i;

	for (i = 0; i < ARRAY_SIZE(face_ring_state); i++)
		face_set(vgpu, engine, face_ring_state[i],
			 gslot_exec_read_reg(vgpu->exec, engine, face_ring_state[i]));
	face_show_stored(vgpu, engine);
	face_show(vgpu, engine, base + RING_MI_MODE);
	face_show(vgpu, engine, base + RING_CSB_PTR);
	face_show_time(vgpu, engine);
}

/*
 * Registers of an engine may have changed by what it does: several times for each request. So most
 * are not looked up.
 */
void gslot_face_engine(struct gslot_vgpu *vgpu, enum gslot_engine_id engine)
{
	if (!READ_ONCE(vgpu->faces.shown[engine]))
		return;
	spin_lock(&vgpu->faces.lock);
	if (vgpu->faces.shown[engine])
		face_show_changed(vgpu, engine);
	spin_unlock(&vgpu->faces.lock);
}

/* All registers of engines may have changed; @engines: bit mask of enum gslot_engine_id */
void gslot_faces_reset(struct gslot_vgpu *vgpu, u32 engines)
{
	u32 i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++) {
		if (!(engines & BIT(i)) || !READ_ONCE(vgpu->faces.shown[i]))
			continue;
		spin_lock(&vgpu->faces.lock);
		if (vgpu->faces.shown[i])
			face_show_all(vgpu, i);
		spin_unlock(&vgpu->faces.lock);
	}
}

/* All registers may have changed. */
void gslot_faces_all(struct gslot_vgpu *vgpu)
{
	gslot_faces_reset(vgpu, BIT(GSLOT_NR_ENGINES) - 1);
	spin_lock(&vgpu->faces.lock);
	if (vgpu->faces.shown[GSLOT_FACE_IRQ])
		face_show_all(vgpu, GSLOT_FACE_IRQ);
	spin_unlock(&vgpu->faces.lock);
	gslot_irq_show_all(vgpu);
}

/**
 * gslot_vgpu_face_write() - the guest has written to a face
 * @vgpu: the vGPU, open
 * @face: less than GSLOT_NR_FACES
 * @offset: where in the page
 * @data: what it has written
 * @len: bytes; not beyond the end of the page
 *
 * Context: may sleep, without the vGPU's locks.
 */
void gslot_vgpu_face_write(struct gslot_vgpu *vgpu, u32 face, u32 offset, const u8 *data, u32 len)
{
	u32 at = gslot_face_offset(face) + offset, first = at & ~3u, end = at + len, width;
	u64 value;

	for (; at < end; at += width, data += width) {
		width = gslot_mmio_width(at, end - at);
		memcpy(&value, data, width);
		gslot_mmio_access(vgpu, at, &value, width, true);
	}
	/* A write to a read-only interrupt register shows nothing: show what it has. */
	for (at = first; at < end; at += sizeof(u32))
		if (face_is_irq(at))
			gslot_irq_show(vgpu, at, at + sizeof(u32));
}
