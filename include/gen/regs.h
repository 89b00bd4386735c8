/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Registers of Gen8/Gen9 graphics, as offsets into BAR0 (GTTMMADR).
 *
 * The kernel module, the device model and the tests use the same names. This file has preprocessor
 * constants only, as it must compile anywhere. Source: Intel Graphics PRM, Skylake, volume 2c
 * (command reference: registers), unless a comment says otherwise.
 */
#ifndef _GEN_REGS_H
#define _GEN_REGS_H

/* BAR0: registers, a reserved part, then the GGTT's entries. */
#define GEN_MMIO_SIZE			0x200000	/* 2 MB of registers */
#define GEN_GTTMMADR_SIZE		0x1000000	/* 16 MB in all */
#define GEN_GSM_OFFSET			0x800000	/* GGTT entries: 8 MB */
#define GEN_GSM_SIZE			0x800000
#define GEN_APERTURE_SIZE		0x10000000	/* BAR2: 256 MB */

/* A masked register has 16 bits of data; the high half of a write selects which are written. */
#define GEN_MASKED_ENABLE(bits)		(((bits) << 16) | (bits))
#define GEN_MASKED_DISABLE(bits)	((bits) << 16)
#define GEN_MASKED_FIELD(mask, value)	(((mask) << 16) | (value))

/* Bases of the engines' register blocks (2 KB). */
#define GEN_RCS0_BASE			0x002000
#define GEN_VCS0_BASE			0x012000
#define GEN_VECS0_BASE			0x01a000
#define GEN_BCS0_BASE			0x022000
#define GEN_RING_BLOCK_SIZE		0x800

/*
 * Registers of an engine, relative to its base. The name of a 64-bit register is that of its low
 * half, unless both halves have one.
 */
#define RING_PGTBL_CTL			0x020
#define RING_PGTBL_ER			0x024
#define RING_EXCC			0x028		/* masked */
#define RING_TAIL			0x030
#define RING_HEAD			0x034
#define   RING_HEAD_ADDR		0x001ffffc
#define RING_START			0x038
#define RING_CTL			0x03c
#define   RING_CTL_NR_PAGES		0x001ff000	/* pages - 1 */
#define   RING_CTL_VALID		(1u << 0)
#define RING_PSMI_CTL			0x050		/* masked */
#define RING_PWRCTX_MAXCNT		0x054
#define RING_DMA_FADD			0x078
#define RING_DMA_FADD_UDW		0x060
#define RING_IPEIR			0x064
#define RING_IPEHR			0x068
#define RING_INSTDONE			0x06c
#define RING_INSTPS			0x070
#define RING_ACTHD			0x074
#define RING_ACTHD_UDW			0x05c
#define RING_HWS_PGA			0x080
#define RING_3D_CHICKEN			0x084		/* masked, rcs only */
#define RING_3D_CHICKEN3		0x090		/* masked, rcs only */
#define RING_NOPID			0x094
#define RING_HWSTAM			0x098
#define RING_MI_MODE			0x09c		/* masked */
#define   MI_MODE_STOP_RING		(1u << 8)
#define   MI_MODE_IDLE			(1u << 9)	/* status */
#define RING_FF_THREAD_MODE		0x0a0		/* rcs only */
#define RING_IMR			0x0a8
#define RING_EIR			0x0b0		/* write 1 to clear */
#define RING_EMR			0x0b4
#define RING_ESR			0x0b8
#define   RING_ERROR_INSTRUCTION	(1u << 0)
#define   RING_ERROR_PAGE_TABLE		(1u << 4)
#define RING_INSTPM			0x0c0		/* masked */
#define RING_PWR_CLK_STATE		0x0c8		/* rcs only */
#define   PWR_CLK_ENABLE		(1u << 31)
#define   PWR_CLK_SLICES_ENABLE		(1u << 18)
#define   PWR_CLK_SLICES_SHIFT		15
#define   PWR_CLK_SUBSLICES_ENABLE	(1u << 11)
#define   PWR_CLK_SUBSLICES_SHIFT	8
#define   PWR_CLK_EU_MAX_SHIFT		4
#define   PWR_CLK_EU_MIN_SHIFT		0
#define RING_RESET_CTL			0x0d0		/* masked */
#define   RESET_CTL_REQUEST		(1u << 0)
#define   RESET_CTL_READY		(1u << 1)
#define   RESET_CTL_CATASTROPHIC	(1u << 2)
#define RING_CSFE_CHICKEN1		0x0d4		/* masked */
#define RING_FF_SLICE_CHICKEN1		0x0e0		/* masked */
#define RING_CS_DEBUG_MODE1		0x0ec		/* masked */
#define RING_BBSTATE			0x110
#define   RING_BB_PPGTT			(1u << 5)
#define RING_SBBADDR			0x114
#define RING_SBBSTATE			0x118
#define RING_SBBADDR_UDW		0x11c
#define RING_BBADDR			0x140
#define   RING_BB_VALID			(1u << 0)
#define RING_BB_START_ADDR		0x150
#define RING_BB_ADDR_DIFF		0x154
#define RING_BB_OFFSET			0x158
#define RING_BBADDR_UDW			0x168
#define RING_BB_START_ADDR_UDW		0x170
#define RING_PR_CTR_CTL			0x178		/* control of the watchdog */
#define RING_PR_CTR_THRSH		0x17c		/* its threshold */
#define RING_CCID			0x180
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
#define RING_CTX_PREEMPT		0x248		/* rcs only */
#define RING_SEMA_WAIT_POLL		0x24c
#define RING_PDP_LDW(n)			(0x270 + (n) * 8)
#define RING_PDP_UDW(n)			(0x274 + (n) * 8)
#define RING_GPGPU_THREADS_DISPATCHED	0x290		/* rcs only */
#define RING_MODE			0x29c		/* masked */
#define   RING_MODE_RUN_LIST		(1u << 15)
/* Pipeline statistics, rcs only; those of the pixel pipeline also by slice. */
#define RING_PS_INVOCATION_COUNT_0	0x2c8
#define RING_PS_DEPTH_COUNT_0		0x2d8
#define RING_PS_INVOCATION_COUNT_1	0x2f0
#define RING_PS_DEPTH_COUNT_1		0x2f8
#define RING_HS_INVOCATION_COUNT	0x300
#define RING_CL_INVOCATION_COUNT	0x338
#define RING_CL_PRIMITIVES_COUNT	0x340
#define RING_PS_DEPTH_COUNT		0x350
#define RING_PS_INVOCATION_COUNT_2	0x448
#define RING_PS_DEPTH_COUNT_2		0x450
#define RING_TIMESTAMP			0x358
#define RING_TIMESTAMP_UDW		0x35c
#define RING_OACTXCONTROL		0x360		/* rcs only */
#define RING_OACTXID			0x364		/* rcs only */
#define RING_CSB(n)			(0x370 + (n) * 8)
#define RING_CSB_UDW(n)			(0x374 + (n) * 8)
#define RING_CSB_PTR			0x3a0		/* masked */
#define   CSB_PTR_WRITE			0x0007
#define   CSB_PTR_READ			0x0700
#define RING_CTX_TIMESTAMP		0x3a8
#define RING_PREDICATE_RESULT_2		0x3bc		/* rcs only */
#define RING_PREDICATE_SRC0		0x400
#define RING_PREDICATE_SRC1		0x408
#define RING_PREDICATE_DATA		0x410
#define RING_PREDICATE_RESULT		0x418
#define RING_PREDICATE_RESULT_1		0x41c
#define RING_3DPRIM_END_OFFSET		0x420		/* rcs only, as the next two */
#define RING_3DPRIM_START_VERTEX	0x430
#define RING_3DPRIM_BASE_VERTEX		0x440
#define RING_FORCE_TO_NONPRIV(n)	(0x4d0 + (n) * 4)
#define   RING_NONPRIV_SLOTS		12
#define   RING_NONPRIV_ADDR		0x03fffffc
#define RING_GPGPU_DISPATCHDIM(n)	(0x500 + (n) * 4)	/* rcs only */
#define RING_CS_CHICKEN1		0x580		/* masked, rcs only */
#define RING_GPR(n)			(0x600 + (n) * 8)
#define RING_GPR_UDW(n)			(0x604 + (n) * 8)
#define   RING_NR_GPR			16

/* Render engine only, absolute. */
#define RCS_CTX_PREEMPT_REG		(GEN_RCS0_BASE + RING_CTX_PREEMPT)
#define RCS_CS_DEBUG_MODE1		(GEN_RCS0_BASE + RING_CS_DEBUG_MODE1)
#define RCS_CS_CHICKEN1			(GEN_RCS0_BASE + RING_CS_CHICKEN1)
#define RCS_PWR_CLK_STATE		(GEN_RCS0_BASE + RING_PWR_CLK_STATE)

/* Render and fixed function units; those of slices are masked. */
#define GEN_SO_NUM_PRIMS_WRITTEN(n)	(0x5200 + (n) * 8)	/* stream output */
#define GEN_SO_PRIM_STORAGE_NEEDED(n)	(0x5240 + (n) * 8)
#define GEN_SO_WRITE_OFFSET(n)		(0x5280 + (n) * 4)
#define   GEN_NR_SO_STREAMS		4
#define GEN_WM_CHICKEN(n)		(0x557c + (n) * 4)	/* 1 to 4 */
#define GEN_CACHE_MODE_0		0x7000
#define GEN_COMMON_SLICE_CHICKEN1	0x7010
#define GEN_COMMON_SLICE_CHICKEN2	0x7014
#define GEN_HIZ_CHICKEN			0x7018
#define GEN_SLICE_STATE_FIRST		0x7020
#define GEN_L3CNTLREG			0x7034
#define GEN_SLICE_STATE_LAST		0x703c
#define GEN_SC_INSTDONE			0x7100
#define GEN_SC_INSTDONE_EXTRA		0x7104
#define GEN_HDC_CHICKEN0		0x7300
#define GEN_HDC_CHICKEN1		0x7304
#define GEN_SLICE_ECO_CHICKEN0		0x7308
#define GEN_SLICE_ECO_CHICKEN1		0x731c
#define GEN_VF_SCRATCH			0x8390
#define GEN_VF_GUARDBAND		0x83a4
#define GEN_HALF_SLICE_CHICKEN1		0xe100
#define GEN_HALF_SLICE_CHICKEN2		0xe180
#define GEN_HALF_SLICE_CHICKEN5		0xe188
#define GEN_HALF_SLICE_CHICKEN7		0xe194
#define GEN_TD_CTL			0xe400
#define GEN_TD_CTL2			0xe404
#define GEN_ROW_CHICKEN			0xe4f0
#define GEN_ROW_CHICKEN2		0xe4f4
#define GEN_SUBSLICE_LAST		0xe4fc

/* Selects the slice and subslice of a register that exists in each of them. */
#define GEN_MCR_SELECTOR		0x0fdc
#define   MCR_SLICE(n)			((n) << 26)
#define   MCR_SUBSLICE(n)		((n) << 24)

/* Fault report, one register for all engines. */
#define GEN_RING_FAULT			0x4094
#define   RING_FAULT_VALID		(1u << 0)
#define   RING_FAULT_TYPE(t)		((t) << 1)	/* FAULT_* below */
#define   RING_FAULT_GGTT		(1u << 11)	/* else PPGTT */
#define   RING_FAULT_ENGINE(e)		((e) << 12)	/* GEN_FAULT_ENGINE_* */
#define   FAULT_INVALID_PD		1
#define   FAULT_INVALID_PTE		3
#define GEN_FAULT_ENGINE_RCS		0
#define GEN_FAULT_ENGINE_VCS0		1
#define GEN_FAULT_ENGINE_BCS		2
#define GEN_FAULT_ENGINE_VECS		3
#define GEN_FAULT_TLB_DATA0		0x4b10		/* address 43:12 in 31:0 */
#define GEN_FAULT_TLB_DATA1		0x4b14		/* 3:0 = address 47:44 */
#define   FAULT_TLB_GGTT		(1u << 4)

/* TLB invalidation, one register per engine: bit 0 reads 0 when it is complete. */
#define GEN_TLB_INV_RCS			0x4260
#define GEN_TLB_INV_VCS0		0x4264
#define GEN_TLB_INV_BCS			0x426c
#define GEN_TLB_INV_VECS		0x4270

/* Memory arbiters. */
#define GEN_ARBITER_FIRST		0x4020
#define GEN_GTT_CACHE_EN		0x4024
#define GEN_ARBITER_LAST		0x4034
#define GEN_GAMW_ECO			0x4080		/* 64K pages: field 3:0 */
#define GEN_GAM_ECOCHK			0x4090
#define GEN_GFX_ERROR			0x40a0
#define GEN_GFX_DONE			0x40b0
#define GEN_PAT_LO			0x40e0
#define GEN_PAT_HI			0x40e4
#define GEN_GAMT_ECO			0x4ab0
#define GEN_GAMT_CHKN			0x4ab8
#define GEN_L3_LRA_0			0x4dd0
#define GEN_L3_LRA_1			0x4dd4
#define GEN_MMCD_MISC			0x4ddc
#define GEN_TRTT_FIRST			0x4de0		/* tiled resources */
#define GEN_TRTT_LAST			0x4dfc
#define GEN_IDICR			0x9008
#define GEN_FBC_LLC_READ		0x9044
#define GEN_L3_FIRST			0xb000
#define GEN_GARBCNTL			0xb004
#define GEN_SCRATCH_LNCF1		0xb008
#define GEN_L3SQCREG1			0xb100
#define GEN_L3SQCREG4			0xb118
#define GEN_SCRATCH1			0xb11c
#define GEN_L3_LAST			0xb1fc
#define GEN_GAC_ECO_BITS		0x14090
#define GEN_TILECTL			0x101000
#define GEN_DSM_BASE			0x1080c0	/* stolen memory */
#define GEN_STOLEN_RESERVED		0x1082c0

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
#define   GEN_NR_IRQ_GROUPS		32		/* with the display's and others */
#define GEN_DE_PIPE_ISR(p)		(0x44400 + (p) * 0x10)
#define GEN_DE_PORT_ISR			0x44440
#define GEN_DE_MISC_ISR			0x44460
#define GEN_PCU_ISR			0x444e0
#define GEN_PCU_IMR			0x444e4
#define GEN_PCU_IIR			0x444e8
#define GEN_PCU_IER			0x444ec
#define GEN_SDE_ISR			0xc4000		/* south display */
#define GEN_SDE_IMR			0xc4004
#define GEN_SDE_IIR			0xc4008
#define GEN_SDE_IER			0xc400c
#define BDW_SERR_INT			0xc4040
#define GEN_DERRMR			0x44050
#define GEN_PSR_IMR			0x64834
#define GEN_PSR_IIR			0x64838
/* Bits of an engine in its half of a group, and in RING_IMR. */
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

/* Forcewake: masked registers for requests, and their acknowledgements. */
#define GEN_FORCEWAKE_RENDER		0xa278
#define GEN_FORCEWAKE_RENDER_ACK	0x0d84
#define GEN_FORCEWAKE_GT		0xa188
#define GEN_FORCEWAKE_GT_ACK		0x130044
#define GEN_FORCEWAKE_MEDIA		0xa270
#define GEN_FORCEWAKE_MEDIA_ACK		0x0d88
#define   FORCEWAKE_KERNEL		(1u << 0)
/* Broadwell's only forcewake. */
#define GEN8_FORCEWAKE_MT		0xa188
#define GEN8_FORCEWAKE_MT_ACK		0x130044
#define GEN6_FORCEWAKE_ACK		0x130090	/* not used by Gen8 and later */

/* Power, clocks, fuses. */
#define GEN_PCODE_MAILBOX		0x138124
#define   PCODE_READY			(1u << 31)
#define   PCODE_ERROR_MASK		0xff
#define GEN_PCODE_DATA			0x138128
#define GEN_PCODE_DATA1			0x13812c
#define GEN_RPS_FIRST			0xa000		/* frequencies and standby */
#define GEN_RPNSWREQ			0xa008
#define GEN_RP_VIDEO_FREQ		0xa00c
#define GEN_RPSTAT1			0xa01c
#define GEN_RP_CONTROL			0xa024
#define   RP_CONTROL_SOFTWARE		0xd92	/* on, by software's request, averaged */
#define GEN_RC_CONTROL			0xa090
#define GEN_RC_STATE			0xa094
#define GEN_RP_INTERRUPT_MASK		0xa168
#define GEN9_POWER_GATING		0xa210
#define GEN_RPS_LAST			0xa3fc
#define GEN_RC6_CTX_INFO		0x8504
#define GEN_RC6_COUNTERS_FIRST		0x138104
#define GEN_RC6_RESIDENCY		0x138108
#define GEN_RC6_COUNTERS_LAST		0x13811c
#define GEN_MCHBAR_FIRST		0x140000	/* the memory controller's, mirrored */
#define GEN_RP_STATE_CAP		0x145998
#define GEN_MC_BIOS_DATA		0x145e04	/* memory frequency */
#define GEN_MCHBAR_LAST			0x147ffc
#define GEN_CTC_MODE			0xa26c
#define GEN_RPM_CONFIG0			0x0d00
#define GEN_FUSE_FIRST			0x9118
#define GEN_MEDIA_FUSE			0x911c
#define GEN_FUSE2			0x9120
#define   FUSE2_SLICES(v)		((v) >> 25 & 7)
#define   FUSE2_NO_SUBSLICES(v, gen)	((gen) >= 9 ? (v) >> 20 & 0xf : (v) >> 21 & 7)
#define GEN_EU_DISABLE(n)		(0x9134 + (n) * 4)
#define   GEN_NR_SLICES			3
#define GEN_CLOCK_GATING_FIRST		0x9400
#define GEN_UCGCTL4			0x940c
#define GEN_MISCCPCTL			0x9424
#define GEN_UCGCTL6			0x9430
#define GEN_CLOCK_GATING_LAST		0x95fc
#define GEN_GUC_STATUS			0xc000
#define   GUC_STATUS_MIA_IN_RESET	(1u << 0)
#define GEN_GUC_LAST			0xc3fc
#define GEN_EDRAM_CTL_FIRST		0x120000
#define GEN_EDRAM_CTL_LAST		0x120008
#define GEN_EDRAM_CAP			0x120010
#define GEN_FPGA_DBG			0x42300

/* The display: registers that a driver accesses even if it is fused off. */
#define SKL_DFSM			0x51000
#define   SKL_DFSM_PIPE_A_DISABLE	(1u << 30)
#define   SKL_DFSM_PIPE_C_DISABLE	(1u << 28)
#define   SKL_DFSM_PIPE_B_DISABLE	(1u << 21)
#define SKL_DSSM			0x51004
#define GEN_DSPCLK_GATE			0x42020
#define GEN_DISPLAY_CHICKEN_FIRST	0x42080
#define GEN_DISPLAY_CHICKEN_LAST	0x420bc
#define GEN_DPFC_CHICKEN		0x43224		/* frame buffer compression */
#define GEN_DISP_ARB_CTL		0x45000
#define GEN_DBUF_CTL			0x45008
#define GEN_DC_STATE_EN			0x45504
#define GEN_CLKGATE_DIS_FIRST		0x46400
#define GEN_CLKGATE_DIS_LAST		0x4653c
#define GEN_SOUTH_DSPCLK_GATE		0xc2020
#define GEN_RAWCLK_FREQ			0xc6204
#define BDW_TRANS_CHICKEN1		0xf0060
#define BDW_LCPLL_CTL			0x130040
/* Power wells: odd bits are requests; the even bit below says that the well is on. */
#define GEN_PWR_WELL_CTL(n)		(0x45400 + (n) * 4)
#define   GEN_NR_PWR_WELL_CTL		4		/* one per requester */
#define   PWR_WELL_REQUESTS		0xaaaaaaaau
#define SKL_FUSE_STATUS			0x42000
#define   SKL_FUSE_DOWNLOADED		(1u << 31)
#define   SKL_FUSE_PG_DISTRIBUTED	(7u << 25)	/* PG0..PG2 */
#define BDW_FUSE_STRAP			0x42014
#define   FUSE_STRAP_DISPLAY_DISABLE	(1u << 30)
#define BDW_SFUSE_STRAP			0xc2014
#define   SFUSE_STRAP_DISPLAY_DISABLE	(1u << 7)

/* A write makes earlier writes to GGTT entries visible: it flushes the GTT TLBs. */
#define GEN_GFX_FLSH_CNTL		0x101008
#define   GFX_FLSH_CNTL_EN		(1u << 0)

/* Fences: 32 registers of 64 bits. */
#define GEN_FENCE_LO(n)			(0x100000 + (n) * 8)
#define GEN_FENCE_HI(n)			(0x100004 + (n) * 8)
#define   GEN_NR_FENCES			32
#define   FENCE_VALID			(1u << 0)
#define   FENCE_TILE_Y			(1u << 1)
#define   FENCE_START			0xfffff000	/* in LO: first page */
#define   FENCE_END			0xfffff000	/* in HI: last page, incl. */
#define   FENCE_PITCH			0x00000fff	/* in HI: 128 B - 1 */

/* Performance counters */
#define GEN_OACONTROL			0x2b00
#define GEN_PERF_CNT_1			0x91b8		/* 64 bits */
#define GEN_PERF_CNT_2			0x91c0		/* 64 bits */

/* Memory object control state. */
#define GEN_MOCS_RCS(n)			(0xc800 + (n) * 4)
#define GEN_MOCS_VCS0(n)		(0xc900 + (n) * 4)
#define GEN_MOCS_VECS(n)		(0xcb00 + (n) * 4)
#define GEN_MOCS_BCS(n)			(0xcc00 + (n) * 4)
#define   GEN9_NR_MOCS			64
#define GEN_LNCFCMOCS(n)		(0xb020 + (n) * 4)
#define   GEN9_NR_LNCFCMOCS		32

/* PCI configuration space of the device. */
#define GEN_PCI_GMCH_CTL		0x50
#define   GMCH_GGMS_SHIFT		6		/* PTEs: 1 << it MB; 0: none */
#define   GMCH_GGMS			(3u << GMCH_GGMS_SHIFT)
#define   GMCH_GGMS_8MB			GMCH_GGMS	/* for 4 GB */
#define   GMCH_GMS			0xff00		/* stolen memory */
#define GEN_PCI_BSM			0x5c
#define GEN_PCI_MSI_CAP			0xac
#define GEN_PCI_PM_CAP			0xd0
#define GEN_PCI_ASLS			0xfc

#endif
