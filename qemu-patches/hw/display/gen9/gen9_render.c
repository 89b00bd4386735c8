/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: commands of the render client: 3D, media and GPGPU.
 *
 * Shaders do not run. PIPE_CONTROL is executed; everything else is parsed by
 * length, and those commands that would start work cost time.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

#define RENDER_CMD(dw)          ((dw) >> 16)
#define CMD_MEDIA_STATE_FLUSH   0x7004
#define CMD_MEDIA_OBJECT        0x7100
#define CMD_MEDIA_OBJECT_PRT    0x7102
#define CMD_MEDIA_OBJECT_WALKER 0x7103
#define CMD_GPGPU_WALKER        0x7105
#define CMD_MEDIA_OBJECT_GRPID  0x7106
#define CMD_3DPRIMITIVE         0x7b00

#define PC_LRI_POST_SYNC        (1u << 23)
#define CS_CHICKEN1_3D_OBJECT   (1u << 0)   /* preempt inside 3D */

static bool dispatches_threads(Gen9Engine *e, uint32_t dw0)
{
    switch (RENDER_CMD(dw0)) {
    case CMD_3DPRIMITIVE:
    case CMD_MEDIA_OBJECT:
    case CMD_MEDIA_OBJECT_PRT:
    case CMD_MEDIA_OBJECT_WALKER:
    case CMD_GPGPU_WALKER:
    case CMD_MEDIA_OBJECT_GRPID:
        return e->info->cls == GEN9_CLASS_RENDER;
    }
    return false;
}

static bool starts_work(Gen9Engine *e, uint32_t dw0)
{
    if (dispatches_threads(e, dw0)) {
        return true;
    }
    /* Video: sub-opcodes from 8 on are the objects (PRM volume 8). */
    return e->info->cls == GEN9_CLASS_VIDEO && RENDER_TYPE(dw0) == 2 &&
           ((dw0 >> 16) & 0x1f) >= 8;
}

/*
 * Threads find the registers of the EUs and the shared local memory as earlier
 * threads have left them, even those of another context: before Gen11 a context
 * switch clears nothing (CVE-2019-14615). No manual says that a reset does.
 */
static void dispatch_threads(Gen9Engine *e)
{
    const Gen9Residue own = { true, e->lrca, e->pdp[0] };

    gen9_count(e, GEN9_CNT_DISPATCHES, 1);
    if (e->residue.left &&
        (e->residue.lrca != own.lrca || e->residue.pml4 != own.pml4)) {
        gen9_count(e, GEN9_CNT_RESIDUES, 1);
    }
    e->residue = own;
}

/* A flush of L3 that the streamer waits for clears them. */
static void clear_residue(Gen9Engine *e, uint32_t flags)
{
    if ((flags & PC_FLUSH_L3) && (flags & PC_CS_STALL)) {
        e->residue.left = false;
    }
}

/*
 * PRM volume 6, "Preemptable Commands": objects of 3D if enabled, and the
 * walkers, flushes and pipe controls of the GPGPU pipeline.
 */
bool gen9_render_is_arbitration(Gen9Engine *e, uint32_t dw0)
{
    if (e->info->cls != GEN9_CLASS_RENDER) {
        return false;
    }
    switch (RENDER_CMD(dw0)) {
    case CMD_3DPRIMITIVE:
        return gen9_reg(e->gpu, RCS_CS_CHICKEN1) & CS_CHICKEN1_3D_OBJECT;
    case CMD_GPGPU_WALKER:
        return true;
    case CMD_MEDIA_STATE_FLUSH:
    case CMD_PIPE_CONTROL:
        return e->gpgpu;
    }
    return false;
}

/* With its post-sync operation an unprivileged batch gets no further. */
static bool post_sync_refused(Gen9Engine *e, bool ggtt)
{
    if (!ggtt || gen9_privileged(e)) {
        return false;
    }
    gen9_violation(e);
    return true;
}

static bool post_sync(Gen9Engine *e, const uint32_t *cmd)
{
    bool index = cmd[1] & PC_STORE_INDEX;
    bool ggtt = index || (cmd[1] & PC_GLOBAL_GTT);
    uint64_t addr = gen9_addr(cmd[2] & ~7u, cmd[3]);

    if (post_sync_refused(e, ggtt)) {
        return true;
    }
    if (index) {
        addr = e->lrca + (cmd[2] & 0xff8);
    }
    switch (PC_POST_SYNC_OP(cmd[1])) {
    case PC_POST_SYNC_STORE:
        if (!index && (cmd[2] & 4)) {
            return gen9_write32(e, ggtt, addr | 4, cmd[4]);
        }
        return gen9_write64(e, ggtt, addr, gen9_addr(cmd[4], cmd[5]));
    case PC_POST_SYNC_PS_DEPTH:
        return gen9_write64(e, ggtt, addr, 0);
    case PC_POST_SYNC_TIMESTAMP:
        return gen9_write64(e, ggtt, addr, gen9_timestamp(e->gpu));
    }
    return true;
}

static Gen9Exec pipe_control(Gen9Engine *e, const struct gen_cmd *row,
                             const uint32_t *cmd, unsigned n)
{
    if (n < row->min) {
        return GEN9_EXEC_UNKNOWN;
    }
    if (cmd[1] & PC_TLB_INVALIDATE) {
        gen9_tlb_flush_ppgtt(e);
    }
    clear_residue(e, cmd[1]);
    if (cmd[1] & PC_LRI_POST_SYNC) {
        gen9_cs_reg_write(e, cmd[2], cmd[4], gen9_privileged(e));
    } else if (PC_POST_SYNC_OP(cmd[1]) != PC_POST_SYNC_NONE &&
               !post_sync(e, cmd)) {
        return GEN9_EXEC_HALT;
    }
    if (cmd[1] & PC_NOTIFY) {
        gen9_lock(e->gpu);
        gen9_engine_irq(e, GT_IRQ_FLUSH_NOTIFY);
        gen9_unlock(e->gpu);
    }
    return GEN9_EXEC_NEXT;
}

/* On Gen9 the mask must be set; Gen8 has none. */
void gen9_pipeline_select(Gen9Engine *e, uint32_t dw0)
{
    if (gen9_is_gen8(e->gpu) || (dw0 & PIPELINE_SELECT_MASK)) {
        e->gpgpu = (dw0 & 3) == PIPELINE_SELECT_GPGPU;
    }
}

Gen9Exec gen9_render_exec(Gen9Engine *e, const struct gen_cmd *row,
                          const uint32_t *cmd, unsigned n)
{
    uint32_t op = RENDER_CMD(cmd[0]);

    if (e->info->cls == GEN9_CLASS_RENDER) {
        if (op == CMD_PIPE_CONTROL) {
            return pipe_control(e, row, cmd, n);
        }
        if (op == CMD_PIPELINE_SELECT) {
            gen9_pipeline_select(e, cmd[0]);
        }
    }
    if (dispatches_threads(e, cmd[0])) {
        dispatch_threads(e);
    }
    if (starts_work(e, cmd[0])) {
        gen9_cost(e, e->gpu->config.timing.primitive_ns);
    }
    return GEN9_EXEC_NEXT;
}
