// SPDX-License-Identifier: GPL-2.0
/*
 * The fence pool: the input says which ranges the guests put in, use and remove, and when guests
 * come and go. The pool has up to 64 pages, and there may be more ranges than fences, so that pages
 * and fences are used up exactly, and one more is needed. The victims are those that a search of
 * all positions, page by page, finds (pools.h). No page is in two ranges, and no fence is used
 * twice.
 */
#define MAX_CLIENTS	18
#define MAX_RANGES	34

#include "lives.h"
#include "pools.h"

/* Each of these gets a page and a fence. */
static void fill(u32 client)
{
	for (u32 i = rnd_below(MAX_RANGES); i; i--)
		if (!w.ranges[client][i].client)
			place(client, &w.ranges[client][i], 1, true);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u32 pages, clients, largest;

	choices = (struct input) { data, size };
	pages = rnd_range(1, 64);
	clients = rnd_range(1, MAX_CLIENTS);
	largest = rnd_range(1, pages);
	fresh(pages, clients);
	if (rnd_below(2))
		fill(rnd_below(clients));
	while (choices.left) {
		random_step(clients, largest);
		check_world();
	}
	return 0;
}
