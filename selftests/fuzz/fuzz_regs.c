// SPDX-License-Identifier: GPL-2.0
/*
 * A guest names registers, by MMIO and in commands: byte 0 is the engine and the generation, then
 * offsets of four bytes each. A lookup finds the same row as a linear search. Commands may write
 * registers that the engine's contexts save, and no others.
 */
#include "test.h"
#include "core/regs/regtable.h"
#include "gen/ctxregs.h"
#include "gen/regs.h"

#define BLOCK	0x800u

static const struct gslot_reg *find_in(bool ring, u32 offset, int engine, u32 gen)
{
	const struct gslot_reg *rows, *found = NULL;
	u32 count, i;

	rows = gslot_reg_rows(ring, &count);
	for (i = 0; i < count; i++) {
		if (offset < rows[i].first || offset > rows[i].last)
			continue;
		must(!found);
		found = &rows[i];
	}
	if (found && found->gens && !(found->gens >> gen & 1))
		return NULL;
	if (found && ring && !(found->engines >> engine & 1))
		return NULL;
	return found;
}

static int owner_of(u32 offset)
{
	static const u32 base[] = { GEN_RCS0_BASE, GEN_BCS0_BASE, GEN_VCS0_BASE, GEN_VECS0_BASE };
	int i;

	for (i = 0; i < 4; i++)
		if (offset >= base[i] && offset < base[i] + BLOCK)
			return i;
	return -1;
}

/* Whether images of the engine have the register: include/gen/ctxregs.h. */
static bool is_saved(enum gslot_engine_id engine, u32 offset, u32 gen)
{
	u32 base = gslot_engines[engine].base, i;
	const struct gen_ctx_regs *r;

	if (engine == GSLOT_BCS0 && offset == base + BCS_SWCTRL)
		return true;
	if (engine == GSLOT_RCS0)
		for (r = gen_ctx_rcs; r->count; r++)
			if (offset >= r->first && offset < r->first + 4 * r->count)
				return true;
	if (gen == 8 && engine != GSLOT_RCS0)
		return false;
	for (i = 0; i < sizeof(gen_ctx_common) / sizeof(*gen_ctx_common); i++)
		if (offset == base + gen_ctx_common[i])
			return true;
	return offset >= base + RING_GPR(0) && offset < base + RING_GPR(0) + 8 * RING_NR_GPR;
}

static void check(enum gslot_engine_id engine, u32 gen, u32 offset)
{
	int owner = owner_of(offset);
	const struct gslot_reg *row;
	enum gslot_reg_cmd rule;

	must(gslot_engine_of_reg(offset) == owner);
	row = owner < 0 ? find_in(false, offset, owner, gen) :
			  find_in(true, offset - gslot_engines[owner].base, owner, gen);
	must(gslot_reg_find(offset, gen) == row);
	rule = gslot_reg_cmd(engine, offset, gen);
	must(row || rule == GSLOT_CMD_DENY);
	must(owner < 0 || owner == (int)engine || rule == GSLOT_CMD_DENY);
	must(rule != GSLOT_CMD_ALLOW || is_saved(engine, offset, gen));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	u32 which = take(&in, 1), gen = which & 4 ? 8 : 9;

	must(gslot_reg_cmd(which & 3, gslot_reg_sink(which & 3, true), gen) != GSLOT_CMD_READ);
	must(gslot_reg_cmd(which & 3, gslot_reg_sink(which & 3, false), gen) == GSLOT_CMD_IGNORE);
	while (in.left >= 4)
		check(which & 3, gen, take(&in, 4) & (which & 8 ? 0xfffffffc : 0x1ffffc));
	return 0;
}
