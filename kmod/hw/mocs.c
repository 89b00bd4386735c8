// SPDX-License-Identifier: GPL-2.0
/*
 * Memory types. The PAT defines the cache bits of page table entries; the MOCS tables (from Gen9
 * on), the index in a command or a surface state. User space relies on both, so they are as Linux
 * has always programmed them: MOCS 0 is uncached, 1 follows the page table, 2 is cached, 63 is for
 * the hardware's own use; the others are unused, and as 1.
 *
 * Guests' writes of these tables have no effect: they only change the vGPU's registers.
 */
#include "hw_priv.h"

/* PAT entries: memory type and target cache. */
#define PAT_UC			0x00
#define PAT_WC			0x01
#define PAT_WT			0x02
#define PAT_WB			0x03
#define PAT_LLC			0x04
#define PAT_LLC_ELLC		0x08
#define PAT_AGE(n)		((n) << 4)

/* Control: cacheability, target cache, age. */
#define LE_PAGE_TABLE		0x00
#define LE_UC			0x01
#define LE_WB			0x03
#define LE_TC_LLC		0x04
#define LE_TC_LLC_ELLC		0x08
#define LE_AGE_3		0x30
/* L3 cacheability. */
#define L3_UC			0x10
#define L3_WB			0x30

struct mocs {
	u32 control;
	u16 l3;
};

static struct mocs mocs_gen9(u32 index)
{
	switch (index) {
	case 0:
		return (struct mocs){ LE_UC | LE_TC_LLC_ELLC, L3_UC };
	case 2:
		return (struct mocs){ LE_WB | LE_TC_LLC_ELLC | LE_AGE_3, L3_WB };
	case 63:
		return (struct mocs){ LE_WB | LE_TC_LLC | LE_AGE_3, L3_UC };
	default:
		return (struct mocs){ LE_PAGE_TABLE | LE_AGE_3, L3_WB };
	}
}

void hw_pat_init(struct gslot_hw *hw)
{
	/* Gen9's display reads eLLC itself: no write-through for scanout. */
	u32 scanout = hw->part->gen >= 9 ? PAT_WB : PAT_WT | PAT_LLC_ELLC;
	u32 cached = PAT_WB | PAT_LLC_ELLC;

	hw_write(hw, GEN_PAT_LO, (PAT_WB | PAT_LLC) | (PAT_WC | PAT_LLC_ELLC) << 8 |
		 scanout << 16 | (u32)PAT_UC << 24);
	hw_write(hw, GEN_PAT_HI, (cached | PAT_AGE(0)) | (cached | PAT_AGE(1)) << 8 |
		 (cached | PAT_AGE(2)) << 16 | (cached | PAT_AGE(3)) << 24);
}

/* Program an engine's MOCS table; rcs has a second one, for L3. */
void hw_mocs_init(struct hw_engine *engine)
{
	struct gslot_hw *hw = engine->hw;
	u32 i;

	if (hw->part->gen < 9)
		return;
	for (i = 0; i < GEN9_NR_MOCS; i++)
		hw_write(hw, engine->info->mocs + i * 4, mocs_gen9(i).control);
	if (engine->id != GSLOT_RCS0)
		return;
	for (i = 0; i < GEN9_NR_LNCFCMOCS; i++)
		hw_write(hw, GEN_LNCFCMOCS(i),
			 mocs_gen9(2 * i).l3 | (u32)mocs_gen9(2 * i + 1).l3 << 16);
}
