// SPDX-License-Identifier: GPL-2.0
/*
 * Loading: the input says what the guests name, when they come, go, move and are resized, and which
 * of them gets the GPU, also while a pass is under way. The stretches and counts are those of an
 * oracle that has plain arrays, and the papers' words for the rules (loads.h); and what may be
 * executed finds its own client's graphics memory. With SMALL, slots, stretches and the number of
 * slots are so small that short inputs reach and exceed them.
 */
#ifdef SMALL
#define GSLOT_PLACEMENT_MAX	3
#define GSLOT_SLOT_UNITS	4
#define GSLOT_LOADING_MAX	3
#define SLOT			4
#define STRETCH			3
#define MAX_SLOTS		3
#define EVERY			1
#else
#define SLOT			1024
#define STRETCH			64
#define MAX_SLOTS		64
#define EVERY			16
#endif
#define MAX_CLIENTS		4
#define MAX_UNITS		(5 * SLOT)

#include "lives.h"
#include "loading_lives.h"
#ifdef SMALL
#include "core/place/loading.c"
#endif

/* Three slots or fewer, and what is not a whole one; or one more than there can be. */
static void begin_life(void)
{
	u32 count = LOW + rnd_below(4 * SLOT), rule = rnd_below(gslot_loading_nr_rules);

	if (!rnd_below(8))
		count = LOW + (MAX_SLOTS + 1) * SLOT;
	fresh(gslot_loading_rules[rule].name, count);
	w.slots = min((count - LOW) / SLOT, (u32)MAX_SLOTS);
	must(l.slots == w.slots);
	w.clients = rnd_range(1, MAX_CLIENTS);
	w.low = rnd_below(LOW + 1);
	w.high = rnd_below(min(w.slots, 3u) * SLOT + 1);
	w.stretch = rnd_range(1, 2 * STRETCH);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	choices = (struct input) { data, size };
	must(!gslot_loading_slots(LOW - 1));
	begin_life();
	for (u32 i = 0; choices.left; i++) {
		any_step();
		if (i % EVERY)
			expect_secure();
		else
			expect_same();
	}
	expect_free();
	return 0;
}
