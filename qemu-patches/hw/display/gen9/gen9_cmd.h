/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: the command table.
 */
#ifndef GEN9_CMD_H
#define GEN9_CMD_H

#include "gen9_compat.h"
#include "gen/cmdtable.h"

/* Kinds of command streamers, as the table has them. */
typedef enum gen_class Gen9EngineClass;
#define GEN9_CLASS_RENDER       GEN_CLASS_RENDER
#define GEN9_CLASS_COPY         GEN_CLASS_COPY
#define GEN9_CLASS_VIDEO        GEN_CLASS_VIDEO
#define GEN9_CLASS_ENHANCE      GEN_CLASS_ENHANCE
#define GEN9_NR_CLASSES         GEN_NR_CLASSES

/* The longest command that gen9_cmd_len() can report, in dwords. */
#define GEN9_CMD_MAX_DWORDS     (0xffff + 2)

/*
 * The row of the command that begins with dw0; NULL for one that a command
 * streamer of this class does not have, where it stops with an error.
 */
const struct gen_cmd *gen9_cmd_find(Gen9EngineClass cls, uint32_t dw0);

/* Its length in dwords; 0 if there is none. */
unsigned gen9_cmd_len(Gen9EngineClass cls, uint32_t dw0);

#endif
