// SPDX-License-Identifier: GPL-2.0
/*
 * Residency: the input says what up to four guests hold and release, and when they come, go and are
 * resized, in one to eight runs, so that each share is met and exceeded by one. The result of each
 * hold, the run of each unit and the order of reuse are those of an oracle that has plain arrays
 * and times only (residencies.h).
 */
#include "lives.h"
#include "residencies.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u32 nr_clients, nr_units;
	bool greedy;

	choices = (struct input) { data, size };
	fresh(rnd_range(1, 8));
	nr_clients = rnd_range(1, 4);
	nr_units = rnd_range(1, 8);
	greedy = rnd_below(2);
	while (choices.left) {
		any_step(nr_clients, nr_units, greedy);
		expect_same();
	}
	for (u32 c = 0; c < nr_clients; c++)
		if (of[c].there)
			leave(c);
	expect_free();
	return 0;
}
