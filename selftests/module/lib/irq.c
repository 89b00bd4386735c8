// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "clock.h"
#include "vgpu.h"

void irq_start(struct vgpu *vgpu)
{
	u32 masks[GEN_NR_GT_IRQ_GROUPS] = { 0 };
	u32 i;

	mmio_write(vgpu, GEN_MASTER_IRQ, 0);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		masks[engine_infos[i].irq_group] |=
			(GT_IRQ_USER | GT_IRQ_CONTEXT_SWITCH | GT_IRQ_CS_ERROR) <<
			engine_infos[i].irq_shift;
	for (i = 0; i < GEN_NR_GT_IRQ_GROUPS; i++) {
		mmio_write(vgpu, GEN_GT_IMR(i), ~0u);
		mmio_write(vgpu, GEN_GT_IER(i), 0);
		mmio_write(vgpu, GEN_GT_IIR(i), ~0u);
		mmio_write(vgpu, GEN_GT_IIR(i), ~0u);
		mmio_write(vgpu, GEN_GT_IER(i), masks[i]);
		mmio_write(vgpu, GEN_GT_IMR(i), ~masks[i]);
	}
	mmio_write(vgpu, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
}

static void count_group(struct vgpu *vgpu, u32 group)
{
	u32 iir = mmio_read(vgpu, GEN_GT_IIR(group));
	u32 i;

	if (!iir)
		return;
	mmio_write(vgpu, GEN_GT_IIR(group), iir);
	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		struct engine *engine = &vgpu->engines[i];
		u32 bits = iir >> engine_infos[i].irq_shift;

		if (engine_infos[i].irq_group != group)
			continue;
		engine->user_irqs += !!(bits & GT_IRQ_USER);
		engine->csb_irqs += !!(bits & GT_IRQ_CONTEXT_SWITCH);
		engine->error_irqs += !!(bits & GT_IRQ_CS_ERROR);
	}
}

bool irq_service(struct vgpu *vgpu, int ms)
{
	struct pollfd pfd = { .fd = vgpu->msi, .events = POLLIN };
	u64 count;
	u32 i;

	if (poll(&pfd, 1, ms) != 1 || read(vgpu->msi, &count, sizeof(count)) != sizeof(count))
		return false;
	vgpu->msi_count += count;
	mmio_write(vgpu, GEN_MASTER_IRQ, 0);
	for (i = 0; i < GEN_NR_GT_IRQ_GROUPS; i++)
		count_group(vgpu, i);
	mmio_write(vgpu, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	return true;
}

bool irq_wait(struct vgpu *vgpu, const u32 *counter, u32 value, int ms)
{
	u64 end = now_us() + (u64)ms * 1000;

	while ((int)(*counter - value) < 0) {
		u64 now = now_us();

		if (now >= end || !irq_service(vgpu, (end - now) / 1000 + 1))
			return (int)(*counter - value) >= 0;
	}
	return true;
}
