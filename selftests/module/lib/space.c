// SPDX-License-Identifier: GPL-2.0
#include "clock.h"
#include "counters.h"
#include "space.h"
#include "vgpu.h"

void space_init(struct space *s, struct vgpu *vgpu, u32 pages)
{
	context_init(&s->ctx, vgpu, RCS, NULL);
	s->pages = pages;
	s->gpa = ram_alloc(&vgpu->ram, pages);
	ppgtt_map(s->ctx.ppgtt, SPACE_ADDR, s->gpa, pages);
}

static u64 last_page(const struct space *s)
{
	return (u64)(s->pages - 1) * PAGE_SIZE;
}

static struct ram *ram_of(const struct space *s)
{
	return &s->ctx.vgpu->ram;
}

static u32 prepare(struct space *s, u32 value)
{
	struct cs batch;

	cs_init(&batch, ram_ptr(ram_of(s), s->gpa), PAGE_SIZE);
	cs_store(&batch, PPGTT, SPACE_ADDR + last_page(s), value);
	cs_end(&batch);
	request_begin(&s->ctx);
	request_batch(&s->ctx, SPACE_ADDR);
	return request_end(&s->ctx);
}

u32 space_submit(struct space *s, u32 value)
{
	u32 seqno = prepare(s, value);

	context_submit(&s->ctx);
	return seqno;
}

bool space_has(const struct space *s, u32 value)
{
	return ram_read32(ram_of(s), s->gpa + last_page(s)) == value;
}

bool space_runs(struct space *s, u32 value)
{
	return request_run(&s->ctx, prepare(s, value)) && space_has(s, value);
}

bool space_is_used(const struct space *s)
{
	return counters_used(s->ctx.vgpu) >= s->pages;
}
