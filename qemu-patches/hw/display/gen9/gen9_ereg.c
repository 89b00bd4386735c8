/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: registers that every engine has, relative to its base.
 *
 * While a context is loaded, the registers that describe its position are
 * read from the engine itself. Such a read races with the engine's thread;
 * as on hardware, it shows some recent moment.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

static uint32_t position_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    uint32_t reg = offset - e->base;
    int level = gen9_level(e);

    if (!gen9_load(&e->active)) {
        return gen9_reg(gpu, offset);
    }
    switch (reg) {
    case RING_HEAD:
        return gen9_load(&e->head);
    case RING_TAIL:
        return gen9_load(&e->tail);
    case RING_ACTHD:
        return level < 0 ? gen9_load(&e->head) :
               (uint32_t)gen9_load(&e->bb[level].addr);
    case RING_ACTHD_UDW:
        return level < 0 ? 0 : gen9_load(&e->bb[level].addr) >> 32;
    case RING_BBADDR:
        return (uint32_t)gen9_load(&e->bb[GEN9_LEVEL_BB].addr) |
               e->bb[GEN9_LEVEL_BB].on;
    case RING_BBADDR_UDW:
        return gen9_load(&e->bb[GEN9_LEVEL_BB].addr) >> 32;
    case RING_SBBADDR:
        return (uint32_t)gen9_load(&e->bb[GEN9_LEVEL_SBB].addr) |
               e->bb[GEN9_LEVEL_SBB].on;
    case RING_SBBADDR_UDW:
        return gen9_load(&e->bb[GEN9_LEVEL_SBB].addr) >> 32;
    }
    return gen9_reg(gpu, offset);
}

static uint32_t mi_mode_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    uint32_t value = gen9_reg(gpu, offset) & 0xffff & ~MI_MODE_IDLE;

    if ((value & MI_MODE_STOP_RING) || !gen9_load(&e->active)) {
        value |= MI_MODE_IDLE;
    }
    return value;
}

static void kick_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                       uint32_t value, Gen9Engine *from)
{
    gen9_reg_set(gpu, offset, value);
    gen9_kick(e);
}

static uint32_t timestamp_read(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset)
{
    uint64_t now = gen9_timestamp(gpu);

    return offset - e->base == RING_TIMESTAMP ? now : now >> 32;
}

static uint32_t ctx_timestamp_read(Gen9Gpu *gpu, Gen9Engine *e,
                                   uint32_t offset)
{
    return gen9_load(&e->active) ? gen9_context_timestamp(e) :
           gen9_reg(gpu, offset);
}

static void elsp_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                       uint32_t value, Gen9Engine *from)
{
    gen9_elsp_write(e, value);
}

/* The engine is ready for a reset at once. */
static void reset_ctl_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                            uint32_t value, Gen9Engine *from)
{
    value &= ~RESET_CTL_READY;
    if ((value & RESET_CTL_REQUEST) &&
        !gen9_injected(e, GEN9_INJ_FAIL_READY)) {
        value |= RESET_CTL_READY;
    }
    gen9_reg_set(gpu, offset, value);
}

static void csb_ptr_write(Gen9Gpu *gpu, Gen9Engine *e, uint32_t offset,
                          uint32_t value, Gen9Engine *from)
{
    gen9_reg_set(gpu, offset, value & (CSB_PTR_READ | CSB_PTR_WRITE));
    e->csb_ptr = value & CSB_PTR_WRITE;
}

const Gen9RegRule gen9_engine_rules[] = {
    { RING_TAIL, 1, GEN9_PLAIN, position_read },
    { RING_HEAD, 1, GEN9_PLAIN, position_read },
    { RING_ACTHD, 1, GEN9_RO, position_read },
    { RING_ACTHD_UDW, 1, GEN9_RO, position_read },
    { RING_BBADDR, 1, GEN9_PLAIN, position_read },
    { RING_BBADDR_UDW, 1, GEN9_PLAIN, position_read },
    { RING_SBBADDR, 1, GEN9_PLAIN, position_read },
    { RING_SBBADDR_UDW, 1, GEN9_PLAIN, position_read },
    { RING_PSMI_CTL, 1, GEN9_MASKED },
    { RING_MI_MODE, 1, GEN9_MASKED, mi_mode_read, kick_write },
    { RING_INSTPM, 1, GEN9_MASKED },
    { RING_RESET_CTL, 1, GEN9_MASKED, NULL, reset_ctl_write },
    { RING_EIR, 1, GEN9_W1C },
    { RING_ESR, 1, GEN9_RO },
    { RING_CONTEXT_CONTROL, 1, GEN9_MASKED },
    { RING_MODE, 1, GEN9_MASKED, NULL, kick_write },
    { BCS_SWCTRL, 1, GEN9_MASKED },
    { RING_ELSP, 1, GEN9_PLAIN, NULL, elsp_write },
    { RING_EXECLIST_STATUS_LO, 2, GEN9_RO },
    { RING_CSB(0), CSB_ENTRIES * 2, GEN9_PLAIN },
    { RING_CSB_PTR, 1, GEN9_MASKED, NULL, csb_ptr_write },
    { RING_TIMESTAMP, 2, GEN9_RO, timestamp_read },
    { RING_CTX_TIMESTAMP, 1, GEN9_PLAIN, ctx_timestamp_read },
    { 0 }
};

/* General purpose registers are on rcs alone: elsewhere they read 0. */
const Gen9RegRule gen8_xcs_rules[] = {
    { RING_GPR(0), 2 * RING_NR_GPR, GEN9_RO },
    { 0 }
};
