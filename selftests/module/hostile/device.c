// SPDX-License-Identifier: GPL-2.0
/* The device: registers, regions, interrupts, resets, closing and opening. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <gen/pvinfo.h>

#include "clock.h"
#include "counters.h"
#include "file.h"
#include "gpu.h"
#include "guard.h"
#include "hostile.h"
#include "knob.h"
#include "pressure.h"
#include "size.h"
#include "tap.h"

pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

void op_read_register(struct actor *a)
{
	u32 width = 1 << below(a, 4), at = below(a, GEN_GTTMMADR_SIZE);

	/* Registers more often than entries; sometimes at odd offsets. */
	if (below(a, 4))
		at %= GEN_MMIO_SIZE;
	if (below(a, 16))
		at &= ~(width - 1);
	mmio_read_width(actor_vgpu(a), at, width);
}

void op_write_register(struct actor *a)
{
	u32 width = 1 << below(a, 4), at = below(a, GEN_MMIO_SIZE);

	if (one_in(a, 8))
		at = GEN_GSM_OFFSET + below(a, GEN_GSM_SIZE);
	if (below(a, 16))
		at &= ~(width - 1);
	mmio_write_width(actor_vgpu(a), at, width, rng_u64(&a->rng));
}

void op_engine_register(struct actor *a)
{
	u32 reg = any_register(a, below(a, VGPU_NR_ENGINES));

	if (below(a, 2))
		mmio_write(actor_vgpu(a), reg, any_dword(a));
	else
		mmio_read(actor_vgpu(a), reg);
}

void op_notify(struct actor *a)
{
	u64 root = below(a, 4) ? GPA(PAGE_TABLE(below(a, NR_SPACES), 0)) : any_gpa(a);
	struct vgpu *vgpu = actor_vgpu(a);
	u32 n = 1 + below(a, 3), what;

	if (one_in(a, 8))
		root = rng_u64(&a->rng);
	/* Including all four of a 32-bit address space. */
	while (n < 4 && one_in(a, 2)) {
		mmio_write(vgpu, PVINFO_BASE + PVINFO_O_PDP(n), any_dword(a));
		mmio_write(vgpu, PVINFO_BASE + PVINFO_O_PDP(n++) + 4, any_dword(a));
	}
	what = one_in(a, 8) ? any_dword(a) : below(a, 9);

	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_PDP(0), lower_32_bits(root));
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_PDP(0) + 4, upper_32_bits(root));
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_G2V_NOTIFY, what);
}

/* Read or write it, including far outside of the vGPU's own memory. */
static void touch_aperture(struct actor *a, u64 at)
{
	struct vgpu *vgpu = actor_vgpu(a);
	u32 value;

	at &= (GEN_APERTURE_SIZE - 1) & ~3ULL;
	if (below(a, 2))
		guard_write32(vgpu->aperture + at, any_dword(a));
	else
		guard_read32(vgpu->aperture + at, &value);
}

/*
 * Of any geometry: a valid one within the vGPU's memory; one of any pitch and size, possibly beyond
 * its end; or random bits. Then access the covered range: that needs a physical fence.
 */
void op_fence(struct actor *a)
{
	u32 n = below(a, GEN_NR_FENCES), first, last, hi, lo, row, i;
	struct vgpu *vgpu = actor_vgpu(a);

	first = one_in(a, 4) ? below(a, vgpu->low_size / PAGE_SIZE) : below(a, PAGES_MAPPED);
	last = first + below(a, 1u << below(a, 14));
	lo = first << 12 | below(a, 2) * FENCE_TILE_Y | FENCE_VALID;
	hi = (1u << below(a, 12)) - 1;
	if (below(a, 2)) {
		/* Whole rows of tiles. */
		hi |= 3;
		row = (hi + 1) / (lo & FENCE_TILE_Y ? 1 : 4);
		last = first + (last - first + row) / row * row - 1;
	}
	hi |= last << 12;
	if (one_in(a, 8)) {
		lo = any_dword(a);
		hi = any_dword(a);
	}
	if (below(a, 2)) {
		mmio_write_width(vgpu, GEN_FENCE_LO(n), 8, (u64)hi << 32 | lo);
	} else {
		mmio_write(vgpu, GEN_FENCE_LO(n), lo);
		mmio_write(vgpu, GEN_FENCE_HI(n), hi);
	}
	for (i = below(a, 4); i; i--)
		touch_aperture(a, GGTT_LOW(first + below(a, last - first + 1)) +
			       below(a, PAGE_SIZE));
}

void op_aperture(struct actor *a)
{
	if (one_in(a, 8))
		touch_aperture(a, below(a, GEN_APERTURE_SIZE));
	else
		touch_aperture(a, GGTT_LOW(any_page(a)) + below(a, PAGE_SIZE));
}

/* Read or write any length anywhere in the device's file. */
void op_range(struct actor *a)
{
	static __thread u8 buf[4096];
	u32 len = below(a, one_in(a, 8) ? sizeof(buf) : 64);
	u32 region = below(a, 10);
	u64 at = region == VFIO_PCI_CONFIG_REGION_INDEX ? below(a, 300) :
		 rng_u64(&a->rng) & (GEN_APERTURE_SIZE - 1);
	int fd = actor_vgpu(a)->dev.fd;

	at += vfio_region_offset(&actor_vgpu(a)->dev, region);
	if (below(a, 2)) {
		if (pread(fd, buf, len, at) < 0)
			return;
	} else if (pwrite(fd, buf, len, at) < 0) {
		return;
	}
}

void op_config(struct actor *a)
{
	u32 width = 1 << below(a, 3), at = below(a, 256) & ~(width - 1);
	struct vgpu *vgpu = actor_vgpu(a);

	if (below(a, 2))
		vfio_config_write(&vgpu->dev, at, width, any_dword(a));
	else
		vfio_config_read(&vgpu->dev, at, width);
}

void op_irqs(struct actor *a)
{
	char buf[sizeof(struct vfio_irq_set) + sizeof(int)] = { 0 };
	struct vfio_irq_set *set = (struct vfio_irq_set *)buf;
	struct vgpu *vgpu = actor_vgpu(a);

	if (below(a, 2)) {
		vfio_set_msi(&vgpu->dev, below(a, 4) ? vgpu->msi : -1);
		return;
	}
	set->argsz = sizeof(buf);
	set->flags = below(a, 64);
	set->index = below(a, 6);
	set->start = below(a, 2);
	set->count = below(a, 3);
	*(int *)set->data = vgpu->msi;
	/* Most are refused; none may cause damage. */
	if (ioctl(vgpu->dev.fd, VFIO_DEVICE_SET_IRQS, set))
		return;
}

void reset_engine(struct actor *a, u32 engine, bool ask)
{
	u32 base = engine_infos[engine].base;
	struct vgpu *vgpu = actor_vgpu(a);

	if (ask)
		mmio_write(vgpu, base + RING_RESET_CTL, GEN_MASKED_ENABLE(RESET_CTL_REQUEST));
	mmio_write(vgpu, GEN_GDRST, engine_infos[engine].gdrst);
	if (ask)
		mmio_write(vgpu, base + RING_RESET_CTL, GEN_MASKED_DISABLE(RESET_CTL_REQUEST));
	mmio_write(vgpu, base + RING_MODE, GEN_MASKED_ENABLE(RING_MODE_RUN_LIST));
	mmio_write(vgpu, base + RING_HWS_PGA, GGTT_HIGH(PAGE_HWSP(engine)));
}

void op_engine_reset(struct actor *a)
{
	if (below(a, 4))
		reset_engine(a, below(a, VGPU_NR_ENGINES), below(a, 2));
	else
		mmio_write(actor_vgpu(a), GEN_GDRST, below(a, 2) ? GDRST_FULL : any_dword(a));
}

void op_device_reset(struct actor *a)
{
	vfio_device_reset(&actor_vgpu(a)->dev);
	setup_registers(a);
	setup_ggtt(a);
}

/* Set up everything as a driver does. */
void op_restore(struct actor *a)
{
	setup_all(a);
}

void op_reopen(struct actor *a)
{
	struct guest *g = a->guest;

	pthread_mutex_lock(&opening);
	vgpu_close(g->vgpu);
	windows_gone(g);
	g->vgpu = vgpu_open(g->uuid);
	pthread_mutex_unlock(&opening);
	if (!g->vgpu) {
		tap_diag("a device cannot be opened again: %s", strerror(errno));
		g->broken = true;
		return;
	}
	vfio_set_msi(&g->vgpu->dev, g->vgpu->msi);
	setup_all(a);
}

/*
 * Change the sharing of graphics memory, as an administrator. Without enough slots for a vGPU the
 * change is refused.
 */
void op_policy(struct actor *a)
{
	static const char *const copy[] = { "cached", "slot", "sparse", "demand", "predictive" };
	static const char *const place[] = { "score", "size", "utilization", "optimal" };

	gpu_attr_set("placement", place[below(a, ARRAY_SIZE(place))]);
	gpu_attr_set("copy_policy", copy[below(a, ARRAY_SIZE(copy))]);
}

/* The host needs memory, once or all the while; by any policy. */
void op_pressure(struct actor *a)
{
	static const char *const policy[] = { "cold", "quota", "gpuswap" };
	u32 n = one_in(a, 4) ? 1 + below(a, 16) : 1;

	gpu_attr_set("reclaim", policy[below(a, ARRAY_SIZE(policy))]);
	while (n--) {
		pressure_once();
		sleep_us(below(a, 4000));
	}
}

/* Give a guest more or less graphics memory: memory in use is taken at its next reset. */
void op_resize(struct actor *a)
{
	static const u32 low[] = { 16, 32, 64, 96 }, high[] = { 64, 256, 384, 448 };

	if (below(a, 2))
		size_set(a->guest->uuid, LOW_MB, low[below(a, ARRAY_SIZE(low))]);
	else
		size_set(a->guest->uuid, HIGH_MB, high[below(a, ARRAY_SIZE(high))]);
}

/* Limit how much of its memory is pinned: perhaps to less than it needs. */
void op_pin_limit(struct actor *a)
{
	static const char *const limit[] = { PINNED_MIN_MB, PINNED_LOW_MB, PINNED_MAX_MB };
	u32 mb = one_in(a, 8) ? any_dword(a) : one_in(a, 2) ? 1 + below(a, 64) : 16777216;

	knob_set(a->guest->uuid, limit[below(a, ARRAY_SIZE(limit))], mb);
}

/*
 * Change its shares of the GPU and of CPU time, the scheduling policy, and the controller of caps.
 */
void op_share(struct actor *a)
{
	static const char *const policy[] = { "fair", "rr", "credit", "cap" };
	static const char *const oversub[] = { "none", "gover", "lend" };
	const char *uuid = a->guest->uuid;

	switch (below(a, 10)) {
	case 0:
		gpu_attr_set("policy", policy[below(a, ARRAY_SIZE(policy))]);
		break;
	case 1:
		knob_set(uuid, WEIGHT, one_in(a, 8) ? any_dword(a) : 1 + below(a, 10000));
		break;
	case 2:
		knob_set(uuid, CAP, one_in(a, 8) ? any_dword(a) : 1 + below(a, 1000));
		break;
	case 3:
		knob_set(uuid, RESERVE, one_in(a, 8) ? any_dword(a) : below(a, 1001));
		break;
	case 4:
		knob_set(uuid, EXEC_QUANTUM_MS, one_in(a, 8) ? any_dword(a) : below(a, 50));
		break;
	case 5:
		knob_set(uuid, PREEMPT_TIMEOUT_US,
			 one_in(a, 8) ? any_dword(a) : 1000 + below(a, 999001));
		break;
	case 6:
		gpu_attr_set("oversub", oversub[below(a, ARRAY_SIZE(oversub))]);
		break;
	case 7:
		knob_set(uuid, QOS_FPS, one_in(a, 8) ? any_dword(a) : below(a, 1001));
		break;
	case 8:
		knob_set(uuid, CPU_MAX, one_in(a, 8) ? any_dword(a) : 10 + below(a, 991));
		break;
	default:
		knob_set(uuid, STOP, 1);
		knob_set(uuid, STOP, 0);
	}
}
