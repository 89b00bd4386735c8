// SPDX-License-Identifier: GPL-2.0
#include "clock.h"
#include "engine.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

const struct engine_info engine_infos[VGPU_NR_ENGINES] = {
	[RCS] = { "rcs0", GEN_RCS0_BASE, 0, 0, GDRST_RCS },
	[BCS] = { "bcs0", GEN_BCS0_BASE, 0, 16, GDRST_BCS },
	[VCS] = { "vcs0", GEN_VCS0_BASE, 1, 0, GDRST_VCS0 },
	[VECS] = { "vecs0", GEN_VECS0_BASE, 3, 0, GDRST_VECS },
};

#define CSB_EMPTY	0xffffffffu

bool engine_has_gprs(const struct engine *engine)
{
	return engine->vgpu->gen >= 9 || engine->info->base == GEN_RCS0_BASE;
}

u32 engine_read(struct engine *engine, u32 reg)
{
	return mmio_read(engine->vgpu, engine->info->base + reg);
}

void engine_write(struct engine *engine, u32 reg, u32 value)
{
	mmio_write(engine->vgpu, engine->info->base + reg, value);
}

static void reset_csb(struct engine *engine)
{
	struct ram *ram = &engine->vgpu->ram;
	u32 i;

	engine_write(engine, RING_CSB_PTR,
		     GEN_MASKED_FIELD(0xffffu, CSB_RESET_PTR << 8 | CSB_RESET_PTR));
	engine_read(engine, RING_CSB_PTR);

	engine->csb_read = CSB_RESET_PTR;
	engine->pending = 0;
	engine->active = 0;
	ram_write32(ram, engine->hwsp + HWSP_CSB_WRITE_PTR, CSB_RESET_PTR);
	for (i = 0; i < CSB_ENTRIES * 2; i++)
		ram_write32(ram, engine->hwsp + HWSP_CSB + i * 4, CSB_EMPTY);
	memory_fence();
}

static void enable_execlists(struct engine *engine)
{
	u32 bits = GT_IRQ_CONTEXT_SWITCH | GT_IRQ_USER | GT_IRQ_CS_ERROR;

	engine_write(engine, RING_HWSTAM, ~0u);
	engine_write(engine, RING_MODE, GEN_MASKED_ENABLE(RING_MODE_RUN_LIST));
	engine_write(engine, RING_MI_MODE, GEN_MASKED_DISABLE(MI_MODE_STOP_RING));
	engine_write(engine, RING_HWS_PGA, engine->hwsp_ggtt);
	engine_read(engine, RING_HWS_PGA);

	engine_write(engine, RING_EMR, ~0u);
	engine_write(engine, RING_EIR, ~0u);
	engine_write(engine, RING_EMR, ~RING_ERROR_INSTRUCTION);
	engine_write(engine, RING_IMR, ~(bits << engine->info->irq_shift));
	reset_csb(engine);
}

void engine_start(struct engine *engine)
{
	struct vgpu *vgpu = engine->vgpu;

	engine->hwsp = ram_alloc(&vgpu->ram, 1);
	engine->hwsp_ggtt = ggtt_bind(vgpu, engine->hwsp, 1);
	engine->bad = false;
	engine->events = 0;
	engine->promotions = 0;
	engine->completions = 0;
	enable_execlists(engine);
}

void engine_elsp(struct engine *engine, u64 desc0, u64 desc1)
{
	memory_fence();
	engine_write(engine, RING_ELSP, upper_32_bits(desc1));
	engine_write(engine, RING_ELSP, lower_32_bits(desc1));
	engine_write(engine, RING_ELSP, upper_32_bits(desc0));
	engine_write(engine, RING_ELSP, lower_32_bits(desc0));
}

void engine_submit(struct engine *engine, u64 desc0, u64 desc1)
{
	if (engine->pending) {
		tap_diag("%s: submission before the last one was promoted", engine->info->name);
		engine->bad = true;
	}
	engine->pending = desc1 ? 2 : 1;
	engine_elsp(engine, desc0, desc1);
}

static void take_event(struct engine *engine, struct csb_event event)
{
	engine->log[engine->events++ % CSB_LOG_SIZE] = event;

	if (event.status & CSB_PROMOTE) {
		engine->promotions++;
		if (!engine->pending) {
			tap_diag("%s: promotion (%#x, id %#x) of no context", engine->info->name,
				 event.status, event.id);
			engine->bad = true;
		}
		engine->active = engine->pending;
		engine->pending = 0;
		return;
	}

	engine->completions++;
	if (!engine->active) {
		tap_diag("%s: completion (%#x, id %#x) of no context", engine->info->name,
			 event.status, event.id);
		engine->bad = true;
		return;
	}
	engine->active--;
}

u32 engine_process(struct engine *engine)
{
	struct ram *ram = &engine->vgpu->ram;
	u32 write, count = 0;

	write = ram_read32(ram, engine->hwsp + HWSP_CSB_WRITE_PTR) & 0xff;
	if (write >= CSB_ENTRIES) {
		tap_diag("%s: CSB write pointer %u", engine->info->name, write);
		engine->bad = true;
		return 0;
	}
	memory_fence();
	while (engine->csb_read != write) {
		struct csb_event event;
		u64 entry;

		engine->csb_read = (engine->csb_read + 1) % CSB_ENTRIES;
		entry = engine->hwsp + HWSP_CSB + engine->csb_read * 8;
		event.status = ram_read32(ram, entry);
		event.id = ram_read32(ram, entry + 4);
		if (event.status == CSB_EMPTY && event.id == CSB_EMPTY) {
			tap_diag("%s: CSB pointer moved before its entry was written",
				 engine->info->name);
			engine->bad = true;
		}
		ram_write32(ram, entry, CSB_EMPTY);
		ram_write32(ram, entry + 4, CSB_EMPTY);
		take_event(engine, event);
		count++;
	}
	return count;
}

bool engine_wait_promoted(struct engine *engine, int ms)
{
	return wait_for((engine_process(engine), !engine->pending), ms);
}

bool engine_wait_idle(struct engine *engine, int ms)
{
	return wait_for((engine_process(engine), !engine->pending && !engine->active), ms);
}

struct csb_event engine_event(const struct engine *engine, u32 back)
{
	struct csb_event none = { 0, 0 };

	if (back >= engine->events || back >= CSB_LOG_SIZE)
		return none;
	return engine->log[(engine->events - 1 - back) % CSB_LOG_SIZE];
}

void engine_forget_events(struct engine *engine)
{
	engine->events = 0;
	engine->promotions = 0;
	engine->completions = 0;
}

bool gdrst(struct vgpu *vgpu, u32 domains)
{
	u64 end;

	mmio_write(vgpu, GEN_GDRST, domains);
	/* A guest's driver waits 2 ms; a loaded test host needs more. */
	for (end = now_us() + 20000; now_us() < end;)
		if (!(mmio_read(vgpu, GEN_GDRST) & domains))
			return true;
	return !(mmio_read(vgpu, GEN_GDRST) & domains);
}

bool engine_reset(struct engine *engine)
{
	bool ready, done;

	engine_write(engine, RING_MI_MODE, GEN_MASKED_ENABLE(MI_MODE_STOP_RING));
	engine_read(engine, RING_MI_MODE);
	engine_write(engine, RING_RESET_CTL, GEN_MASKED_ENABLE(RESET_CTL_REQUEST));
	ready = wait_for(engine_read(engine, RING_RESET_CTL) & RESET_CTL_READY, 20);
	done = gdrst(engine->vgpu, engine->info->gdrst) &&
	       gdrst(engine->vgpu, engine->info->gdrst);
	engine_write(engine, RING_RESET_CTL, GEN_MASKED_DISABLE(RESET_CTL_REQUEST));
	enable_execlists(engine);
	return ready && done;
}
