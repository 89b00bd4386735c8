// SPDX-License-Identifier: GPL-2.0
#include "clock.h"
#include "knob.h"
#include "spinning.h"
#include "tap.h"
#include "vgpu.h"

void spinning_init(struct spinning *s)
{
	s->vgpu = vgpu_new(MDEV_TYPE_SMALL);
	context_init(&s->ctx, s->vgpu, RCS, NULL);
	spinner_init(&s->spin, &s->ctx, true);
	s->seqno = 0;
}

void spinning_go(struct spinning *s)
{
	spinner_again(&s->spin);
	s->seqno = spinner_request(&s->spin, &s->ctx);
	context_submit(&s->ctx);
}

bool spinning_stop(struct spinning *s)
{
	spinner_end(&s->spin);
	return request_wait(&s->ctx, s->seqno, SOON_MS) &&
	       engine_wait_idle(s->ctx.engine, SOON_MS) && !s->ctx.engine->bad;
}

int spinning_free(struct spinning *s)
{
	return vgpu_free(s->vgpu);
}

void spinning_begin(struct spinning *s)
{
	spinning_init(s);
	spinning_go(s);
}

bool spinning_end(struct spinning *s)
{
	bool ok = spinning_stop(s);

	return !spinning_free(s) && ok;
}

static u64 busy_ns(const struct spinning *s)
{
	return knob_get(s->vgpu->uuid, "rcs0_busy_ns");
}

void spinning_shares(struct spinning *s, u32 count, u32 *share, u64 us)
{
	u64 t0 = now_us();
	u32 i;

	for (i = 0; i < count; i++)
		s[i].busy = busy_ns(&s[i]);
	sleep_us(us);
	for (i = 0; i < count; i++) {
		share[i] = (busy_ns(&s[i]) - s[i].busy) / (now_us() - t0);
		tap_diag("vGPU %u has %u per mille", i, share[i]);
	}
}
