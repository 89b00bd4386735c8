// SPDX-License-Identifier: GPL-2.0
/* What an administrator reads of a vGPU at any moment: no number is more than a vGPU can have. */
#include <stdio.h>
#include <string.h>

#include "file.h"
#include "hostile.h"
#include "tap.h"

/* Page tables of MDEV_TYPE_HUGE, each of which maps up to 2 MB */
#define TABLES		16384ull
#define TABLE_BYTES	MB(2)
/* Dropped address spaces that are noted: PPGTT_DROPPED_ROOTS of kmod/exec */
#define NOTED		64u
/* More than its memory, the windows and slow memory: a page counts once. */
#define GUEST_BYTES	MB(128)
/* Of what only grows. A number that has fallen below 0 is far above it. */
#define MUCH		(1ull << 60)

static const struct stats_number {
	const char *name;
	u64 most;
} stats_numbers[] = {
	{ "pinned ", GUEST_BYTES },
	{ "idle ", GUEST_BYTES },
	{ "reclaimed ", MUCH },
	{ "room_waits ", MUCH },
	/* Each root may have had all tables, one root after the other. */
	{ "away ", (TABLES + NOTED) * TABLES * TABLE_BYTES },
	{ "brought_back ", MUCH },
};

static bool is_plausible(const char *text, const struct stats_number *n)
{
	const char *at = strstr(text, n->name);
	unsigned long long value;

	return at && sscanf(at + strlen(n->name), "%llu", &value) == 1 && value <= n->most;
}

/* Of its own vGPU, or of one that a process opens and closes meanwhile. */
void op_stats(struct actor *a)
{
	bool other = one_in(a, 4) && a->guest->victim[0];
	char path[MDEV_PATH_MAX], text[1024] = "";
	bool ok;
	u32 i;

	mdev_device_path(path, other ? a->guest->victim : a->guest->uuid, "gslot/memory_stat");
	ok = file_read(path, text, sizeof(text)) > 0;
	for (i = 0; i < ARRAY_SIZE(stats_numbers); i++)
		ok = ok && is_plausible(text, &stats_numbers[i]);
	if (ok)
		return;
	tap_diag("%s:\n%s", path, text);
	WRITE_ONCE(a->guest->bad, true);
}
