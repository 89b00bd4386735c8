// SPDX-License-Identifier: GPL-2.0
#include "sseu.h"
#include "gen/regs.h"

#define EUS	8	/* in a subslice without fuses */

/* With a parameter of 64 bits, as hweight64() shifts its argument. */
static u8 sseu_weight(u64 bits)
{
	return hweight64(bits);
}

/* The fuses have a byte for each subslice, slice by slice, without a gap. */
static u8 sseu_enabled_eus(const u32 *eu_disable, u32 subslice)
{
	return EUS - sseu_weight(eu_disable[subslice / 4] >> subslice % 4 * 8 & 0xff);
}

/**
 * gslot_sseu_init() - read the fuses
 * @sseu: out: the units that they leave enabled
 * @gen: 8 or 9
 * @fuse2: GEN_FUSE2
 * @eu_disable: GEN_EU_DISABLE(0) to GEN_EU_DISABLE(GEN_NR_SLICES - 1)
 *
 * PRM Broadwell and Skylake volume 2c, "FUSE2" and "EU_DISABLE".
 */
void gslot_sseu_init(struct gslot_sseu *sseu, u32 gen, u32 fuse2, const u32 *eu_disable)
{
	u32 most = gen >= 9 ? 4 : 3, slices = FUSE2_SLICES(fuse2), slice, i;
	u32 there = ~FUSE2_NO_SUBSLICES(fuse2, gen) & ((1u << most) - 1);

	*sseu = (struct gslot_sseu) {
		.slices = sseu_weight(slices), .subslices = sseu_weight(there),
	};
	for (slice = 0; slice < GEN_NR_SLICES; slice++)
		for (i = 0; slices & (1u << slice) && i < most; i++)
			if (there & (1u << i))
				sseu->eus = max(sseu->eus,
						sseu_enabled_eus(eu_disable, slice * most + i));
}

/* A count in a field of R_PWR_CLK_STATE, clamped. */
static u32 sseu_count(u32 value, u32 shift, u32 bits, u32 most)
{
	return clamp(value >> shift & ((1u << bits) - 1), 1u, most) << shift;
}

/**
 * gslot_sseu_limit() - limit the units that a context powers to those that exist
 * @sseu: the units that exist
 * @value: R_PWR_CLK_STATE as the guest wrote it
 *
 * PRM Skylake volume 2c, "R_PWR_CLK_STATE". No manual says what the hardware does with a count of
 * 0, or with one that exceeds what the fuses leave.
 *
 * Return: @value with each count between 1 and what exists; or 0, which powers all units.
 */
u32 gslot_sseu_limit(const struct gslot_sseu *sseu, u32 value)
{
	u32 limited, eus;

	if (!(value & PWR_CLK_ENABLE) || !sseu->slices || !sseu->subslices || !sseu->eus)
		return 0;
	limited = value & (PWR_CLK_ENABLE | PWR_CLK_SLICES_ENABLE | PWR_CLK_SUBSLICES_ENABLE);
	if (value & PWR_CLK_SLICES_ENABLE)
		limited |= sseu_count(value, PWR_CLK_SLICES_SHIFT, 3, sseu->slices);
	if (value & PWR_CLK_SUBSLICES_ENABLE)
		limited |= sseu_count(value, PWR_CLK_SUBSLICES_SHIFT, 3, sseu->subslices);
	eus = sseu_count(value, PWR_CLK_EU_MAX_SHIFT, 4, sseu->eus);
	return limited | eus |
	       sseu_count(value, PWR_CLK_EU_MIN_SHIFT, 4, eus >> PWR_CLK_EU_MAX_SHIFT);
}
