/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: lengths of commands.
 */
#ifndef GEN9_CMDLEN_H
#define GEN9_CMDLEN_H

#include "gen9_compat.h"

/* Kinds of command streamers: they differ in the commands they know. */
typedef enum Gen9EngineClass {
    GEN9_CLASS_RENDER,
    GEN9_CLASS_COPY,
    GEN9_CLASS_VIDEO,
    GEN9_CLASS_ENHANCE,
    GEN9_NR_CLASSES,
} Gen9EngineClass;

/* The longest command that gen9_cmd_len() can report, in dwords. */
#define GEN9_CMD_MAX_DWORDS     (0xffff + 2)

/*
 * Length in dwords of the command that begins with dw0; 0 for a command that
 * a command streamer of this class does not have, where it stops with an
 * error.
 */
unsigned gen9_cmd_len(Gen9EngineClass cls, uint32_t dw0);

#endif
