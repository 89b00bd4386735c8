/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Logical ring contexts and execlist submission of Gen8/Gen9 (PRM Skylake
 * volume 3, "Logical Ring Context Format", and volume 6, "Execlists").
 *
 * A context image consists of page 0, the per-process hardware status page; page 1, the register
 * state; and the pages behind it with the engine state. The register state is a list of
 * MI_LOAD_REGISTER_IMM commands with absolute register offsets. LRC_* is the index of the dword
 * with a register's value.
 */
#ifndef _GEN_LRC_H
#define _GEN_LRC_H

/* Context descriptor. */
#define CTX_DESC_VALID			(1ULL << 0)
#define CTX_DESC_FORCE_PD_RESTORE	(1ULL << 1)
#define CTX_DESC_FORCE_RESTORE		(1ULL << 2)
#define CTX_DESC_ADDRESSING_SHIFT	3
#define CTX_DESC_ADDRESSING		(3ULL << 3)
#define   CTX_ADDRESSING_LEGACY_32B	1
#define   CTX_ADDRESSING_LEGACY_64B	3
#define CTX_DESC_L3LLC_COHERENT		(1ULL << 5)
#define CTX_DESC_PRIVILEGE		(1ULL << 8)
#define CTX_DESC_LRCA			0xfffff000ULL
#define CTX_DESC_ID_SHIFT		32

/* Context status buffer. */
#define CSB_ENTRIES			6
#define CSB_RESET_PTR			5		/* the next entry is 0 */
#define CSB_IDLE_ACTIVE			(1u << 0)
#define CSB_PREEMPTED			(1u << 1)
#define CSB_ELEMENT_SWITCH		(1u << 2)
#define CSB_ACTIVE_IDLE			(1u << 3)
#define CSB_COMPLETE			(1u << 4)
#define CSB_LITE_RESTORE		(1u << 15)
#define CSB_PROMOTE			(CSB_IDLE_ACTIVE | CSB_PREEMPTED)
/* In the hardware status page (RING_HWS_PGA), bytes. */
#define HWSP_CSB			0x40
#define HWSP_CSB_WRITE_PTR		0x7c

/* Sizes of a context image, pages. */
#define GEN8_RCS_CTX_PAGES		20
#define GEN9_RCS_CTX_PAGES		22
#define GEN_XCS_CTX_PAGES		2

/* Pages of the image. */
#define LRC_PPHWSP_PAGE			0
#define LRC_STATE_PAGE			1

/* Dwords of the state page. Odd ones have values; the one before has the register's offset. */
#define LRC_LRI0			0x01		/* header of the first list */
#define LRC_CONTEXT_CONTROL		0x03
#define LRC_RING_HEAD			0x05
#define LRC_RING_TAIL			0x07
#define LRC_RING_START			0x09
#define LRC_RING_CTL			0x0b
#define LRC_BB_ADDR_UDW			0x0d
#define LRC_BB_ADDR			0x0f
#define LRC_BB_STATE			0x11
#define LRC_SBB_ADDR_UDW		0x13
#define LRC_SBB_ADDR			0x15
#define LRC_SBB_STATE			0x17
#define LRC_BB_PER_CTX_PTR		0x19		/* rcs only, as the next two */
#define LRC_INDIRECT_CTX		0x1b
#define LRC_INDIRECT_CTX_OFFSET		0x1d
/* Position in the image at which its load executes the indirect-context batch, by default. */
#define GEN8_INDIRECT_CTX_OFFSET	(0x17 << 6)
#define GEN9_INDIRECT_CTX_OFFSET	(0x26 << 6)
#define LRC_LRI1			0x21
#define LRC_CTX_TIMESTAMP		0x23
#define LRC_PDP_UDW(n)			(0x25 + (3 - (n)) * 4)
#define LRC_PDP_LDW(n)			(0x27 + (3 - (n)) * 4)
#define LRC_LRI2			0x41
#define LRC_PWR_CLK_STATE		0x43		/* rcs only */
/* The ring context has 0x50 dwords on each engine; the engine context follows. */
#define LRC_RING_CONTEXT_DWORDS		0x50

#endif
