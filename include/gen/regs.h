/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers of Gen8/Gen9 graphics, as offsets into BAR0 (GTTMMADR).
 *
 * One set of names for the kernel module, the device model and the tests, so
 * the three cannot disagree. Preprocessor constants only: this file must
 * compile anywhere. Source: Intel Graphics PRM, Skylake, volume 2c (command
 * reference: registers), unless a comment says otherwise.
 */
#ifndef _GEN_REGS_H
#define _GEN_REGS_H

/* BAR0 layout: registers, a reserved part, then the GGTT's entries. */
#define GEN_MMIO_SIZE			0x200000	/* 2 MB of registers */
#define GEN_GTTMMADR_SIZE		0x1000000	/* 16 MB in all */
#define GEN_GSM_OFFSET			0x800000	/* GGTT entries: 8 MB */
#define GEN_GSM_SIZE			0x800000
#define GEN_APERTURE_SIZE		0x10000000	/* BAR2: 256 MB */

/*
 * A masked register takes 16 bits of data in its low half; the high half
 * selects which of them are written.
 */
#define GEN_MASKED_ENABLE(bits)		(((bits) << 16) | (bits))
#define GEN_MASKED_DISABLE(bits)	((bits) << 16)
#define GEN_MASKED_FIELD(mask, value)	(((mask) << 16) | (value))

/* Engines: the base of each command streamer's register block (2 KB). */
#define GEN_RCS0_BASE			0x002000
#define GEN_VCS0_BASE			0x012000
#define GEN_VECS0_BASE			0x01a000
#define GEN_VCS1_BASE			0x01c000
#define GEN_BCS0_BASE			0x022000
#define GEN_RING_BLOCK_SIZE		0x800

/* Per-engine registers, relative to the engine's base. */
#define RING_TAIL			0x030
#define RING_HEAD			0x034
#define   RING_HEAD_ADDR		0x001ffffc
#define RING_START			0x038
#define RING_CTL			0x03c
#define   RING_CTL_NR_PAGES		0x001ff000	/* pages - 1 */
#define   RING_CTL_VALID		(1u << 0)
#define RING_SYNC_MODE			0x050
#define RING_PSMI_CTL			0x050
#define RING_DMA_FADD			0x078
#define RING_DMA_FADD_UDW		0x060
#define RING_IPEIR			0x064
#define RING_IPEHR			0x068
#define RING_INSTDONE			0x06c
#define RING_INSTPS			0x070
#define RING_ACTHD			0x074
#define RING_ACTHD_UDW			0x05c
#define RING_HWS_PGA			0x080
#define RING_NOPID			0x094
#define RING_HWSTAM			0x098
#define RING_MI_MODE			0x09c		/* masked */
#define   MI_MODE_STOP_RING		(1u << 8)
#define   MI_MODE_IDLE			(1u << 9)	/* status */
#define RING_IMR			0x0a8
#define RING_EIR			0x0b0		/* write 1 to clear */
#define RING_EMR			0x0b4
#define RING_ESR			0x0b8
#define   RING_ERROR_INSTRUCTION	(1u << 0)
#define   RING_ERROR_PAGE_TABLE		(1u << 4)
#define RING_INSTPM			0x0c0		/* masked */
#define RING_RESET_CTL			0x0d0		/* masked */
#define   RESET_CTL_REQUEST		(1u << 0)
#define   RESET_CTL_READY		(1u << 1)
#define   RESET_CTL_CATASTROPHIC	(1u << 2)
#define RING_BBSTATE			0x110
#define   RING_BB_PPGTT			(1u << 5)
#define RING_SBBADDR			0x114
#define RING_SBBSTATE			0x118
#define RING_SBBADDR_UDW		0x11c
#define RING_BBADDR			0x140
#define RING_BBADDR_UDW			0x168
#define   RING_BB_VALID			(1u << 0)
#define RING_BB_OFFSET			0x158
#define RING_BB_PER_CTX_PTR		0x1c0
#define   BB_PER_CTX_VALID		(1u << 0)
#define RING_INDIRECT_CTX		0x1c4
#define   INDIRECT_CTX_ADDR		0xffffffc0
#define   INDIRECT_CTX_SIZE		0x0000003f	/* cache lines */
#define RING_INDIRECT_CTX_OFFSET	0x1c8
#define BCS_SWCTRL			0x200		/* masked, bcs only */
#define   BCS_SRC_Y			(1u << 0)
#define   BCS_DST_Y			(1u << 1)
#define RING_ELSP			0x230
#define RING_EXECLIST_STATUS_LO		0x234
#define RING_EXECLIST_STATUS_HI		0x238
#define RING_CONTEXT_CONTROL		0x244		/* masked */
#define   CTX_CTRL_RESTORE_INHIBIT	(1u << 0)
#define   CTX_CTRL_RS_CTX_ENABLE	(1u << 1)
#define   CTX_CTRL_SAVE_INHIBIT		(1u << 2)
#define   CTX_CTRL_INHIBIT_SYN_SWITCH	(1u << 3)
#define RING_PDP_LDW(n)			(0x270 + (n) * 8)
#define RING_PDP_UDW(n)			(0x274 + (n) * 8)
#define RING_MODE			0x29c		/* masked */
#define   RING_MODE_RUN_LIST		(1u << 15)
#define   RING_MODE_PPGTT		(1u << 9)
#define RING_TIMESTAMP			0x358
#define RING_TIMESTAMP_UDW		0x35c
#define RING_CSB(n)			(0x370 + (n) * 8)
#define RING_CSB_UDW(n)			(0x374 + (n) * 8)
#define RING_CSB_PTR			0x3a0		/* masked */
#define   CSB_PTR_WRITE			0x0007
#define   CSB_PTR_READ			0x0700
#define RING_CTX_TIMESTAMP		0x3a8
#define RING_PREDICATE_SRC0		0x400
#define RING_PREDICATE_SRC1		0x408
#define RING_PREDICATE_DATA		0x410
#define RING_PREDICATE_RESULT		0x418
#define RING_FORCE_TO_NONPRIV(n)	(0x4d0 + (n) * 4)
#define   RING_NONPRIV_SLOTS		12
#define   RING_NONPRIV_ADDR		0x03fffffc
#define RING_GPR(n)			(0x600 + (n) * 8)
#define RING_GPR_UDW(n)			(0x604 + (n) * 8)
#define   RING_NR_GPR			16

/* Render engine only, absolute. */
#define RCS_CTX_PREEMPT_REG		0x2248
#define RCS_CS_DEBUG_MODE1		0x20ec
#define RCS_CS_CHICKEN1			0x2580
#define RCS_PWR_CLK_STATE		0x20c8

/* Fault reporting: one register for all engines. */
#define GEN_RING_FAULT			0x4094
#define   RING_FAULT_VALID		(1u << 0)
#define   RING_FAULT_TYPE(t)		((t) << 1)	/* FAULT_* below */
#define   RING_FAULT_SRCID(s)		((s) << 3)
#define   RING_FAULT_GGTT		(1u << 11)	/* else PPGTT */
#define   RING_FAULT_ENGINE(e)		((e) << 12)	/* GEN_FAULT_ENGINE_* */
#define   FAULT_PAGE			0
#define   FAULT_INVALID_PD		1
#define   FAULT_UNLOADED_PD		2
#define   FAULT_INVALID_PTE		3
#define GEN_FAULT_ENGINE_RCS		0
#define GEN_FAULT_ENGINE_VCS0		1
#define GEN_FAULT_ENGINE_BCS		2
#define GEN_FAULT_ENGINE_VECS		3
#define GEN_FAULT_ENGINE_VCS1		4
#define GEN_FAULT_TLB_DATA0		0x4b10		/* address 43:12 in 31:0 */
#define GEN_FAULT_TLB_DATA1		0x4b14		/* 3:0 = address 47:44 */
#define   FAULT_TLB_GGTT		(1u << 4)

/* TLB invalidation, one register an engine; bit 0, reads 0 when done. */
#define GEN_TLB_INV_RCS			0x4260
#define GEN_TLB_INV_VCS0		0x4264
#define GEN_TLB_INV_VCS1		0x4268
#define GEN_TLB_INV_BCS			0x426c
#define GEN_TLB_INV_VECS		0x4270

#define GEN_GAMW_ECO			0x4080		/* 64K pages: field 3:0 */
#define GEN_PAT_LO			0x40e0
#define GEN_PAT_HI			0x40e4

/* Global interrupts (PRM volume 2c, "Display/GT interrupt registers"). */
#define GEN_MASTER_IRQ			0x44200
#define   MASTER_IRQ_ENABLE		(1u << 31)
#define   MASTER_IRQ_PCU		(1u << 30)
#define   MASTER_IRQ_VECS		(1u << 6)
#define   MASTER_IRQ_PM			(1u << 4)
#define   MASTER_IRQ_VCS1		(1u << 3)
#define   MASTER_IRQ_VCS0		(1u << 2)
#define   MASTER_IRQ_BCS		(1u << 1)
#define   MASTER_IRQ_RCS		(1u << 0)
#define GEN_GT_ISR(g)			(0x44300 + (g) * 0x10)
#define GEN_GT_IMR(g)			(0x44304 + (g) * 0x10)
#define GEN_GT_IIR(g)			(0x44308 + (g) * 0x10)
#define GEN_GT_IER(g)			(0x4430c + (g) * 0x10)
#define   GEN_NR_GT_IRQ_GROUPS		4
#define GEN_PCU_ISR			0x444e0
#define GEN_PCU_IMR			0x444e4
#define GEN_PCU_IIR			0x444e8
#define GEN_PCU_IER			0x444ec
/* One engine's bits inside its half of a group (and in RING_IMR). */
#define GT_IRQ_USER			(1u << 0)
#define GT_IRQ_CS_ERROR			(1u << 3)
#define GT_IRQ_FLUSH_NOTIFY		(1u << 4)
#define GT_IRQ_CONTEXT_SWITCH		(1u << 8)
#define GT_IRQ_WAIT_SEMAPHORE		(1u << 11)

/* Reset. */
#define GEN_GDRST			0x941c
#define   GDRST_FULL			(1u << 0)
#define   GDRST_RCS			(1u << 1)
#define   GDRST_VCS0			(1u << 2)
#define   GDRST_BCS			(1u << 3)
#define   GDRST_VECS			(1u << 4)
#define   GDRST_VCS1			(1u << 7)

/* Forcewake: masked requests and their acknowledgements. */
#define GEN_FORCEWAKE_RENDER		0xa278
#define GEN_FORCEWAKE_RENDER_ACK	0x0d84
#define GEN_FORCEWAKE_GT		0xa188
#define GEN_FORCEWAKE_GT_ACK		0x130044
#define GEN_FORCEWAKE_MEDIA		0xa270
#define GEN_FORCEWAKE_MEDIA_ACK		0x0d88
#define   FORCEWAKE_KERNEL		(1u << 0)
/* Broadwell has one multi-threaded forcewake. */
#define GEN8_FORCEWAKE_MT		0xa188
#define GEN8_FORCEWAKE_MT_ACK		0x130044

/* Power, clocks, fuses. */
#define GEN_PCODE_MAILBOX		0x138124
#define   PCODE_READY			(1u << 31)
#define   PCODE_ERROR_MASK		0xff
#define GEN_PCODE_DATA			0x138128
#define GEN_PCODE_DATA1			0x13812c
#define GEN_RPNSWREQ			0xa008
#define GEN_RPSTAT1			0xa01c
#define GEN_RC_CONTROL			0xa090
#define GEN_RC_STATE			0xa094
#define GEN_RC6_CTX_INFO		0x8504
#define GEN_RC6_RESIDENCY		0x138108
#define GEN_RP_STATE_CAP		0x145998	/* MCHBAR mirror */
#define GEN_CTC_MODE			0xa26c
#define GEN_RPM_CONFIG0			0x0d00
#define GEN_FUSE2			0x9120
#define GEN_EU_DISABLE(n)		(0x9134 + (n) * 4)
#define GEN_GUC_STATUS			0xc000
#define   GUC_STATUS_MIA_IN_RESET	(1u << 0)
#define GEN_EDRAM_CAP			0x120010
#define GEN_FPGA_DBG			0x42300
#define SKL_DFSM			0x51000
#define   SKL_DFSM_PIPE_A_DISABLE	(1u << 30)
#define   SKL_DFSM_PIPE_C_DISABLE	(1u << 28)
#define   SKL_DFSM_PIPE_B_DISABLE	(1u << 21)
/* Power wells: odd bits request, the even bit below says that it is on. */
#define GEN_PWR_WELL_CTL(n)		(0x45400 + (n) * 4)
#define   GEN_NR_PWR_WELL_CTL		4		/* one a requester */
#define   PWR_WELL_REQUESTS		0xaaaaaaaau
#define SKL_FUSE_STATUS			0x42000
#define   SKL_FUSE_DOWNLOADED		(1u << 31)
#define   SKL_FUSE_PG_DISTRIBUTED	(7u << 25)	/* PG0..PG2 */
#define BDW_FUSE_STRAP			0x42014
#define   FUSE_STRAP_DISPLAY_DISABLE	(1u << 30)
#define BDW_SFUSE_STRAP			0xc2014
#define   SFUSE_STRAP_DISPLAY_DISABLE	(1u << 7)

/* GGTT: a write here makes earlier PTE writes visible (flushes GTT TLBs). */
#define GEN_GFX_FLSH_CNTL		0x101008
#define   GFX_FLSH_CNTL_EN		(1u << 0)

/* Fences: 32 of 64 bits. */
#define GEN_FENCE_LO(n)			(0x100000 + (n) * 8)
#define GEN_FENCE_HI(n)			(0x100004 + (n) * 8)
#define   GEN_NR_FENCES			32
#define   FENCE_VALID			(1u << 0)
#define   FENCE_TILE_Y			(1u << 1)
#define   FENCE_START			0xfffff000	/* in LO: first page */
#define   FENCE_END			0xfffff000	/* in HI: last page, incl. */
#define   FENCE_PITCH			0x00000fff	/* in HI: 128 B - 1 */

/* Memory object control state. */
#define GEN_MOCS_RCS(n)			(0xc800 + (n) * 4)
#define GEN_MOCS_VCS0(n)		(0xc900 + (n) * 4)
#define GEN_MOCS_VCS1(n)		(0xca00 + (n) * 4)
#define GEN_MOCS_VECS(n)		(0xcb00 + (n) * 4)
#define GEN_MOCS_BCS(n)			(0xcc00 + (n) * 4)
#define   GEN9_NR_MOCS			64
#define GEN_LNCFCMOCS(n)		(0xb020 + (n) * 4)
#define   GEN9_NR_LNCFCMOCS		32

/* PCI configuration space of the device. */
#define GEN_PCI_GMCH_CTL		0x50
#define   GMCH_GGMS_8MB			(3u << 6)	/* 8 MB of PTEs: 4 GB */
#define   GMCH_GMS			0xff00		/* stolen memory */
#define GEN_PCI_BSM			0x5c
#define GEN_PCI_MSI_CAP			0xac
#define GEN_PCI_ASLS			0xfc

#endif
