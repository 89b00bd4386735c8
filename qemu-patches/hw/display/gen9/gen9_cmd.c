/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: the command table (include/gen/cmdtable.h), which other
 * programs use to build and check commands, too.
 */
#include "gen9_compat.h"
#include "gen9_cmd.h"
#include "gen/cmdrows.h"

const struct gen_cmd *gen9_cmd_find(Gen9EngineClass cls, uint32_t dw0)
{
    return gen_cmd_find(cls, dw0);
}

unsigned gen9_cmd_len(Gen9EngineClass cls, uint32_t dw0)
{
    const struct gen_cmd *cmd = gen9_cmd_find(cls, dw0);

    return cmd ? gen_cmd_length(cmd, dw0) : 0;
}
