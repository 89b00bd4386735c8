// SPDX-License-Identifier: GPL-2.0
/*
 * A guest writes R_PWR_CLK_STATE. Four bytes: its value. 17 bytes: the generation of the GPU, and
 * its fuses: the expected counts are made by crossing out units one by one. In a shorter input the
 * GPU has few units of each kind, so that the counts meet and exceed them. Each count becomes the
 * closest one that exists.
 */
#include "test.h"
#include "core/regs/sseu.h"
#include "gen/regs.h"

/* PRM Skylake volume 2c, "FUSE2", "EU_DISABLE"; Broadwell: of three subslices, from bit 21 on. */
static struct gslot_sseu count_units(u32 gen, u32 fuse2, const u32 *eu_disable)
{
	u32 in_slice = gen == 9 ? 4 : 3, slices = 0, subslices = 0, most = 0;

	for (u32 i = 0; i < in_slice; i++)
		subslices += !(fuse2 >> ((gen == 9 ? 20 : 21) + i) & 1);
	for (u32 slice = 0; slice < 3; slice++) {
		slices += fuse2 >> (25 + slice) & 1;
		for (u32 i = 0; i < in_slice; i++) {
			u32 first = (slice * in_slice + i) * 8, eus = 0;

			if (!(fuse2 >> (25 + slice) & 1) ||
			    fuse2 >> ((gen == 9 ? 20 : 21) + i) & 1)
				continue;
			for (u32 bit = first; bit < first + 8; bit++)
				eus += !(eu_disable[bit / 32] >> bit % 32 & 1);
			most = max(most, eus);
		}
	}
	return (struct gslot_sseu) { slices, subslices, most };
}

static u32 field(u32 value, u32 low, u32 high)
{
	return value << (31 - high) >> (31 - high + low);
}

/* Of 1 to @exist, what is closest to @count. */
static u32 closest(u32 count, u32 exist)
{
	u32 best = 1;

	for (u32 i = 2; i <= exist; i++)
		if (abs((int)i - (int)count) < abs((int)best - (int)count))
			best = i;
	return best;
}

/* PRM Skylake volume 2c, "R_PWR_CLK_STATE": nothing is set in it but these fields. */
static u32 expected(const struct gslot_sseu *sseu, u32 value)
{
	u32 most = closest(field(value, 4, 7), sseu->eus);
	u32 result = 1u << 31 | most << 4 | closest(field(value, 0, 3), most);

	if (!field(value, 31, 31) || !sseu->slices || !sseu->subslices || !sseu->eus)
		return 0;
	if (field(value, 18, 18))
		result |= 1u << 18 | closest(field(value, 15, 17), sseu->slices) << 15;
	if (field(value, 11, 11))
		result |= 1u << 11 | closest(field(value, 8, 10), sseu->subslices) << 8;
	return result;
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	u32 value = take(&in, 4), gen = 8 + take(&in, 1) % 2, fuse2, eu_disable[3];
	struct gslot_sseu sseu, units;

	if (in.left >= 16) {
		fuse2 = take(&in, 4);
		for (u32 i = 0; i < 3; i++)
			eu_disable[i] = take(&in, 4);
		gslot_sseu_init(&sseu, gen, fuse2, eu_disable);
		units = count_units(gen, fuse2, eu_disable);
		must(sseu.slices == units.slices && sseu.subslices == units.subslices);
		must(sseu.eus == units.eus);
	} else {
		sseu.slices = 1 + take(&in, 1) % 4;
		sseu.subslices = 1 + take(&in, 1) % 4;
		sseu.eus = 1 + take(&in, 1) % 8;
	}
	must(gslot_sseu_limit(&sseu, value) == expected(&sseu, value));
	return 0;
}
