/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: power management, clocks, fuses and the few registers of a
 * display; and those of them that differ on Gen8. Everything is powered and
 * runs all the time; registers only answer as the driver's handshakes expect.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

/* Commands of the power controller's mailbox that have an answer. */
#define PCODE_CMD_MASK          0xff
#define PCODE_GET_MEM_LATENCY   0x06
#define PCODE_CDCLK_CONTROL     0x07
#define PCODE_DYNAMIC_DUTY      0x1a
#define PCODE_SAGV_CONTROL      0x21

#define RP_STATES               0x00070717  /* RP0 1150, RPn 350 MHz */
#define CTC_CRYSTAL_12MHZ       (2u << 1)

#define SKL_FUSE_STATUS         0x42000
#define   FUSE_ALL_DISTRIBUTED  ((1u << 31) | (1u << 27) | (1u << 26) | \
                                 (1u << 25))
#define DBUF_CTL                0x45008
#define LCPLL1_CTL              0x46010
#define PWR_WELL_BIOS           0x45400
#define PWR_WELL_DRIVER         0x45404
#define PWR_WELL_KVMR           0x45408
#define PWR_WELL_DEBUG          0x4540c
#define   PWR_WELL_REQUESTS     0xaaaaaaaau     /* states are one bit lower */
#define DP_AUX_CTL_A            0x64010
#define   DP_AUX_SEND_BUSY      (1u << 31)
#define   DP_AUX_DONE           (1u << 30)
#define   DP_AUX_TIMEOUT        (1u << 28)
#define   DP_AUX_RECEIVE_ERROR  (1u << 25)
#define GPIO_A                  0xc5010     /* to F: lines of monitors */
#define   GPIO_CLOCK_IN         (1u << 4)
#define   GPIO_DATA_IN          (1u << 12)
#define GMBUS2                  0xc5108
#define   GMBUS_NAK             (1u << 10)
#define   GMBUS_HW_READY        (1u << 11)

static void gen8_reset(Gen9Gpu *gpu)
{
    gen9_reg_set(gpu, BDW_FUSE_STRAP, FUSE_STRAP_DISPLAY_DISABLE);
    gen9_reg_set(gpu, BDW_SFUSE_STRAP, SFUSE_STRAP_DISPLAY_DISABLE);
    gen9_reg_set(gpu, GEN_FUSE2, 1u << 25);
    gen9_reg_set(gpu, GEN_RP_STATE_CAP, RP_STATES);
    gen9_reg_set(gpu, GEN_RC6_CTX_INFO, 0x1000);
}

void gen9_pm_reset(Gen9Gpu *gpu)
{
    if (gen9_is_gen8(gpu)) {
        gen8_reset(gpu);
        return;
    }
    if (!gpu->config.display) {
        gen9_reg_set(gpu, SKL_DFSM, SKL_DFSM_PIPE_A_DISABLE |
                     SKL_DFSM_PIPE_B_DISABLE | SKL_DFSM_PIPE_C_DISABLE);
    }
    /* One slice of three subslices, all of their 24 execution units. */
    gen9_reg_set(gpu, GEN_FUSE2, (1u << 25) | (8u << 20));
    gen9_reg_set(gpu, GEN_RP_STATE_CAP, RP_STATES);
    gen9_reg_set(gpu, GEN_GUC_STATUS, GUC_STATUS_MIA_IN_RESET);
    /* Not 0, which would mean that the power context was lost. */
    gen9_reg_set(gpu, GEN_RC6_CTX_INFO, 0x1000);
    gen9_reg_set(gpu, GEN_CTC_MODE, CTC_CRYSTAL_12MHZ);
}

static void forcewake_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                            uint32_t value, Gen9Engine *from)
{
    uint32_t ack = offset == GEN_FORCEWAKE_RENDER ? GEN_FORCEWAKE_RENDER_ACK :
                   offset == GEN_FORCEWAKE_MEDIA ? GEN_FORCEWAKE_MEDIA_ACK :
                   GEN_FORCEWAKE_GT_ACK;

    gen9_reg_set(gpu, offset, value);
    gen9_reg_set(gpu, ack, value & 0xffff);
}

static void pcode_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                        uint32_t value, Gen9Engine *from)
{
    uint32_t data = gen9_reg(gpu, GEN_PCODE_DATA);

    switch (value & PCODE_CMD_MASK) {
    case PCODE_GET_MEM_LATENCY:
        data = data ? 0x1f1b1410 : 0x0c080402;  /* us, levels 7-4 or 3-0 */
        break;
    case PCODE_DYNAMIC_DUTY:
        data = 7 << 8;
        break;
    case PCODE_CDCLK_CONTROL:
    case PCODE_SAGV_CONTROL:
        data = 1;               /* ready, or done */
        break;
    }
    gen9_reg_set(gpu, GEN_PCODE_DATA, data);
    gen9_reg_set(gpu, offset, value & ~(PCODE_READY | PCODE_ERROR_MASK));
}

/* The frequency asked for is the one it runs at. */
static uint32_t rpstat_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    return gen9_reg(gpu, GEN_RPNSWREQ) & 0xff800000;
}

static uint32_t gen8_rpstat_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    return ((gen9_reg(gpu, GEN_RPNSWREQ) >> 24) & 0x7f) << 7;
}

static uint32_t rc6_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    return gen9_timestamp(gpu) / 16;
}

static uint32_t power_well_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    uint32_t requests = gen9_reg(gpu, PWR_WELL_BIOS) |
                        gen9_reg(gpu, PWR_WELL_DRIVER) |
                        gen9_reg(gpu, PWR_WELL_KVMR) |
                        gen9_reg(gpu, PWR_WELL_DEBUG);

    if (!gpu->config.display) {
        return gen9_reg(gpu, offset);
    }
    return (gen9_reg(gpu, offset) & PWR_WELL_REQUESTS) |
           (requests & PWR_WELL_REQUESTS) >> 1;
}

/* Bit 30 says that what bit 31 enables is on. */
static uint32_t enable_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    uint32_t value = gen9_reg(gpu, offset);

    if (!gpu->config.display) {
        return value;
    }
    return (value & ~(1u << 30)) | (value & (1u << 31)) >> 1;
}

static uint32_t fuse_status_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    return gpu->config.display ? FUSE_ALL_DISTRIBUTED : gen9_reg(gpu, offset);
}

/* Nothing is connected: every transaction times out at once. */
static void aux_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                      uint32_t value, Gen9Engine *from)
{
    uint32_t result = value & ~(DP_AUX_SEND_BUSY | DP_AUX_TIMEOUT |
                                DP_AUX_RECEIVE_ERROR);

    if (value & DP_AUX_SEND_BUSY) {
        result |= DP_AUX_DONE | DP_AUX_TIMEOUT;
    }
    gen9_reg_set(gpu, offset, result);
}

/* No line is pulled low, so a driver that probes finds no monitor. */
static uint32_t gpio_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    uint32_t lines = GPIO_CLOCK_IN | GPIO_DATA_IN;

    return gen9_reg(gpu, offset) | (gpu->config.display ? lines : 0);
}

/* No monitor acknowledges its address. */
static uint32_t gmbus_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    return gpu->config.display ? GMBUS_HW_READY | GMBUS_NAK : 0;
}

const Gen9RegRule gen9_global_rules[] = {
    { GEN_FORCEWAKE_RENDER, 1, GEN9_MASKED, NULL, forcewake_write },
    { GEN_FORCEWAKE_GT, 1, GEN9_MASKED, NULL, forcewake_write },
    { GEN_FORCEWAKE_MEDIA, 1, GEN9_MASKED, NULL, forcewake_write },
    { GEN_PCODE_MAILBOX, 1, GEN9_PLAIN, NULL, pcode_write },
    { GEN_RPSTAT1, 1, GEN9_RO, rpstat_read },
    { GEN_RC6_RESIDENCY, 1, GEN9_RO, rc6_read },
    /* Fuses and capabilities. */
    { SKL_DFSM, 1, GEN9_RO },
    { GEN_FUSE2, 1, GEN9_RO },
    { GEN_EU_DISABLE(0), 3, GEN9_RO },
    { GEN_RP_STATE_CAP, 1, GEN9_RO },
    { GEN_CTC_MODE, 1, GEN9_RO },
    { GEN_FPGA_DBG, 1, GEN9_RO },
    { GEN_EDRAM_CAP, 1, GEN9_RO },
    /* Render state that is written with a mask (PRM volume 2c). */
    /* and FF_SLICE_CHICKEN */
    { GEN_RCS0_BASE + RING_CSFE_CHICKEN1, 2, GEN9_MASKED },
    /* and FF_SLICE_CS_CHICKEN2 */
    { GEN_RCS0_BASE + RING_FF_SLICE_CHICKEN1, 2, GEN9_MASKED },
    { RCS_CS_DEBUG_MODE1, 1, GEN9_MASKED },
    { RCS_CS_CHICKEN1, 1, GEN9_MASKED },
    { GEN_WM_CHICKEN(3), 1, GEN9_MASKED },
    { GEN_CACHE_MODE_0, 4, GEN9_MASKED },           /* _1, GT_MODE */
    { GEN_COMMON_SLICE_CHICKEN1, 3, GEN9_MASKED },  /* 2, HIZ */
    { GEN_HDC_CHICKEN0, 2, GEN9_MASKED },           /* 1 */
    { GEN_VF_GUARDBAND, 1, GEN9_MASKED },
    { GEN_HALF_SLICE_CHICKEN1, 1, GEN9_MASKED },
    { GEN_HALF_SLICE_CHICKEN2, 3, GEN9_MASKED },    /* 3, 5 */
    { GEN_HALF_SLICE_CHICKEN7, 1, GEN9_MASKED },
    { GEN_ROW_CHICKEN, 2, GEN9_MASKED },            /* 2 */
    /* Display handshakes. */
    { PWR_WELL_DRIVER, 1, GEN9_PLAIN, power_well_read },
    { LCPLL1_CTL, 1, GEN9_PLAIN, enable_read },
    { DBUF_CTL, 1, GEN9_PLAIN, enable_read },
    { SKL_FUSE_STATUS, 1, GEN9_RO, fuse_status_read },
    { DP_AUX_CTL_A, 1, GEN9_PLAIN, NULL, aux_write },
    { DP_AUX_CTL_A + 0x100, 1, GEN9_PLAIN, NULL, aux_write },
    { DP_AUX_CTL_A + 0x200, 1, GEN9_PLAIN, NULL, aux_write },
    { DP_AUX_CTL_A + 0x300, 1, GEN9_PLAIN, NULL, aux_write },
    { GPIO_A, 6, GEN9_PLAIN, gpio_read },
    { GMBUS2, 1, GEN9_PLAIN, gmbus_read },
    { 0 }
};

/*
 * Broadwell: one forcewake, that of the GT; no memory object control, no
 * choice of the timestamp's frequency, no microcontroller; the display's fuses
 * are straps.
 */
const Gen9RegRule gen8_global_rules[] = {
    { GEN_FORCEWAKE_RENDER, 1, GEN9_RO },
    { GEN_FORCEWAKE_MEDIA, 1, GEN9_RO },
    { GEN_RPSTAT1, 1, GEN9_RO, gen8_rpstat_read },
    { GEN_MOCS_RCS(0), (GEN_MOCS_BCS(GEN9_NR_MOCS) - GEN_MOCS_RCS(0)) / 4,
      GEN9_RO },
    { GEN_GUC_STATUS, 1, GEN9_RO },
    { BDW_FUSE_STRAP, 1, GEN9_RO },
    { BDW_SFUSE_STRAP, 1, GEN9_RO },
    { 0 }
};
