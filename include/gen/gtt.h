/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page table formats of Gen8/Gen9 (PRM Skylake volume 5, "Memory Views").
 *
 * GGTT: one level, 8-byte entries, 4 KB pages, 4 GB. PPGTT: four levels of 512 entries (PML4, PDP,
 * PD, PT) for 48 bits. A PD entry may map 2 MB, or say that its table has 64 KB entries (Gen9).
 */
#ifndef _GEN_GTT_H
#define _GEN_GTT_H

#define GEN_PAGE_SHIFT			12
#define GEN_PAGE_SIZE			0x1000
#define GEN_PTES_PER_PAGE		512

#define GEN_PTE_PRESENT			0x1ULL
#define GEN_PTE_RW			0x2ULL		/* PPGTT only */
#define GEN_PTE_LOCAL			0x800ULL	/* local memory */
#define GEN_PTE_ADDR			0x7ffffff000ULL	/* bits 38:12 */
/* Cacheability: index into the PAT. */
#define GEN_PTE_PWT			0x8ULL
#define GEN_PTE_PCD			0x10ULL
#define GEN_PTE_PAT			0x80ULL
#define GEN_PTE_CACHE_BITS		(GEN_PTE_PWT | GEN_PTE_PCD | GEN_PTE_PAT)

#define GEN_PDE_2M			0x80ULL		/* maps 2 MB */
#define GEN_PDE_64K			0x800ULL	/* table of 64 KB entries */
#define GEN_PDE_ADDR_2M			0x7fffe00000ULL
#define GEN_PTE_ADDR_64K		0x7fffff0000ULL
#define GEN_PDPE_1G			0x80ULL		/* not on Gen8/Gen9 */

#define GEN_PPGTT_ADDR_BITS		48
#define GEN_PPGTT_LEVELS		4
/* Shift of an address's index into a table of a level: 0 = PT .. 3 = PML4. */
#define GEN_LEVEL_SHIFT(level)		(12 + 9 * (level))

#define GEN_GGTT_SIZE			0x100000000ULL	/* 4 GB */
#define GEN_GGTT_ENTRIES		0x100000	/* 1 Mi PTEs */
#define GEN_LOW_GM_SIZE			0x10000000ULL	/* 256 MB: aperture */

#endif
