// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>

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

static void take_shares(struct spinning *s, u32 count, u32 part, u64 us)
{
	u64 t0 = now_us();
	u32 i;

	for (i = 0; i < count; i++)
		s[i].busy = busy_ns(&s[i]);
	sleep_us(us);
	for (i = 0; i < count; i++)
		s[i].parts[part] = (busy_ns(&s[i]) - s[i].busy) / (now_us() - t0);
}

void spinning_shares(struct spinning *s, u32 count, u32 *share, u64 us)
{
	u32 i;

	take_shares(s, count, 0, us);
	for (i = 0; i < count; i++) {
		share[i] = s[i].parts[0];
		tap_diag("vGPU %u has %u per mille", i, share[i]);
	}
}

/* The first vGPU's share of the total in a part, per mille; of the time, if it is alone. */
static u32 part_of_first(const struct spinning *s, u32 count, u32 part)
{
	u32 i, sum = 0;

	for (i = 0; i < count; i++)
		sum += s[i].parts[part];
	return count > 1 ? s[0].parts[part] * 1000 / (sum + 1) : sum;
}

/* Is it the median part? Of two equal ones, the first counts as the smaller. */
static bool is_middle(const struct spinning *s, u32 count, u32 part)
{
	u32 i, mine = part_of_first(s, count, part), smaller = 0;

	for (i = 0; i < SPINNING_PARTS; i++) {
		u32 other = part_of_first(s, count, i);

		smaller += other < mine || (other == mine && i < part);
	}
	return smaller == SPINNING_PARTS / 2;
}

static void show_parts(const struct spinning *s, u32 index, u32 middle)
{
	char text[16 * SPINNING_PARTS] = "";
	u32 i, len = 0;

	for (i = 0; i < SPINNING_PARTS; i++)
		len += snprintf(text + len, sizeof(text) - len, " %u", s->parts[i]);
	tap_diag("vGPU %u mostly has %u per mille, of%s", index, s->parts[middle], text);
}

void spinning_steady_shares(struct spinning *s, u32 count, u32 *share, u64 us)
{
	u32 i, middle = 0;

	for (i = 0; i < SPINNING_PARTS; i++)
		take_shares(s, count, i, us / SPINNING_PARTS);
	while (!is_middle(s, count, middle))
		middle++;
	for (i = 0; i < count; i++) {
		share[i] = s[i].parts[middle];
		show_parts(&s[i], i, middle);
	}
}
