/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: the 2D blitter.
 */
#ifndef GEN9_BLT_H
#define GEN9_BLT_H

#include "gen9_compat.h"

/*
 * What XY_SETUP_* leave for the commands that draw with it, named after the
 * blitter's internal registers. They belong to the context: save and restore
 * them with it, as they are.
 */
typedef struct Gen9BltSetup {
    uint32_t br00;              /* write enables */
    uint32_t br01;              /* depth, raster operation, pitch, clipping */
    uint32_t br24;              /* clip rectangle: top, left; inside */
    uint32_t br25;              /* bottom, right; outside */
    uint64_t br09;              /* destination */
    uint32_t br05;              /* background colour */
    uint32_t br06;              /* foreground colour */
    uint64_t br07;              /* address of a colour pattern */
    uint32_t br20;              /* monochrome pattern */
    uint32_t br21;
    uint32_t mono;              /* the pattern is the monochrome one */
} Gen9BltSetup;

typedef struct Gen9Blt {
    void *opaque;
    /*
     * Copies len bytes from graphics address addr, below 1 << 48, or to it
     * (write). The range may cross pages, but is below 64 KB long. False for
     * a fault, and to abandon the blit for any other reason.
     */
    bool (*mem)(void *opaque, uint64_t addr, void *buf, size_t len, bool write);
    uint32_t swctrl;            /* BCS_SWCTRL, 15:0 */
    uint64_t bytes;             /* counts what was read and written */
    bool fault;                 /* mem() failed, and the blit ended there */
    Gen9BltSetup setup;
} Gen9Blt;

/* The longest XY_SETUP_*, dwords; the length of one, 0: it is none. */
#define GEN9_BLT_SETUP_MAX  10
unsigned gen9_blt_setup_length(uint32_t dw0);

/* The command that sets up what is set up; returns its length. */
unsigned gen9_blt_save_setup(const Gen9Blt *b, uint32_t *out);

/*
 * Executes one blitter command of n dwords. Returns false if there is no such
 * command or n is not a length that it can have; then nothing was touched. A
 * fault does not make it false: see b->fault, which the caller clears.
 */
bool gen9_blt_exec(Gen9Blt *b, const uint32_t *cmd, unsigned n);

#endif
