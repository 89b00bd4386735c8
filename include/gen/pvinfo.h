/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The para-virtual information page of a vGPU: 4 KB at BAR0 + 0x78000, little endian. A stock i915
 * recognises a vGPU by the magic, and reads from this page which graphics addresses and how many
 * fences it may use.
 */
#ifndef _GEN_PVINFO_H
#define _GEN_PVINFO_H

#define PVINFO_BASE			0x78000
#define PVINFO_SIZE			0x1000
#define PVINFO_MAGIC			0x4776544776544776ULL	/* "vGTvGTvG" */
#define PVINFO_VERSION_MAJOR		1
#define PVINFO_VERSION_MINOR		0

/* Offsets into the page. Host to guest: */
#define PVINFO_O_MAGIC			0x000
#define PVINFO_O_VERSION		0x008	/* u16 major, u16 minor */
#define PVINFO_O_VGT_ID			0x00c
#define PVINFO_O_CAPS			0x010
#define   PVINFO_CAP_FULL_PPGTT		(1u << 2)
#define   PVINFO_CAP_HWSP_EMULATION	(1u << 3)
#define   PVINFO_CAP_HUGE_GTT		(1u << 4)
#define PVINFO_O_LOW_BASE		0x040
#define PVINFO_O_LOW_SIZE		0x044
#define PVINFO_O_HIGH_BASE		0x048
#define PVINFO_O_HIGH_SIZE		0x04c
#define PVINFO_O_FENCES			0x050
/* Guest to host: */
#define PVINFO_O_DISPLAY_READY		0x804
#define PVINFO_O_G2V_NOTIFY		0x818
#define   G2V_PPGTT_L3_CREATE		2
#define   G2V_PPGTT_L3_DESTROY		3
#define   G2V_PPGTT_L4_CREATE		4
#define   G2V_PPGTT_L4_DESTROY		5
#define   G2V_CONTEXT_CREATE		6
#define   G2V_CONTEXT_DESTROY		7
#define PVINFO_O_CURSOR_X_HOT		0x830
#define PVINFO_O_CURSOR_Y_HOT		0x834
#define PVINFO_O_PDP(n)			(0x838 + (n) * 8)
#define PVINFO_O_CONTEXT_DESC_LO	0x858
#define PVINFO_O_CONTEXT_DESC_HI	0x85c
/*
 * From here to the end of the page are extensions of gslot, which a stock i915 does not access. A
 * client in the guest writes how many frames it has completed since its last write. Each write
 * adds that number, at most PVINFO_FRAMES_MAX. A read returns the frames since the vGPU was
 * opened, modulo 2^32. Writes of less than 32 bits are ignored.
 */
#define PVINFO_O_FRAMES			0xe00
#define   PVINFO_FRAMES_MAX		1000u

#endif
