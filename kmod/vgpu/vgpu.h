/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The device that a guest sees, as its VFIO device uses it. Callbacks to the VFIO device are in
 * struct gslot_vgpu_ops.
 */
#ifndef _GSLOT_VGPU_H
#define _GSLOT_VGPU_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "gm/gm_user.h"
#include "sched/sched.h"
#include "gen/regs.h"

struct device;
struct gslot_guest_errors;
struct gslot_vgpu;
struct gslot_vgpus;

#define GSLOT_VGPU_CONFIG_SIZE	256

/* The highest limit of pinned memory, MB, which is no limit: 16 TB */
#define GSLOT_PINNED_UNLIMITED_MB	16777216
/* The highest value of GSLOT_KNOB_QOS_FPS. */
#define GSLOT_VGPU_QOS_FPS_MAX	1000

/* A type of vGPU */
struct gslot_profile {
	const char *name;	/* as in sysfs, after "gslot-" */
	const char *title;	/* a description in one line */
	u32 low_mb;		/* low graphics memory, MB */
	u32 high_mb;		/* high graphics memory, MB */
	/* How many page tables may have a shadow at a time: 12 KB of kernel memory each */
	u32 tables;
};

/**
 * enum gslot_gm - a part of graphics memory
 * @GSLOT_GM_LOW: the part that a CPU sees through the aperture
 * @GSLOT_GM_HIGH: the rest
 */
enum gslot_gm {
	GSLOT_GM_LOW,
	GSLOT_GM_HIGH,
};

/**
 * enum gslot_knob - settings of a vGPU's share of the GPU and of the host's processors
 * @GSLOT_KNOB_WEIGHT: weight of its share, relative to those of the other vGPUs
 * @GSLOT_KNOB_CAP: the most of each engine's time that it may have, per mille
 * @GSLOT_KNOB_RESERVE: the least of each engine's time that it has when it has work, per mille
 * @GSLOT_KNOB_QUANTUM_MS: its quantum, ms; 0: the GPU's
 * @GSLOT_KNOB_PREEMPT_US: preempt timeout, us
 * @GSLOT_KNOB_STOP: 1: it gets no engine
 * @GSLOT_KNOB_QOS_FPS: the frames per second that it should have at least; 0: no target
 * @GSLOT_KNOB_CPU_MAX: the most of a processor's time that its worker may have, per mille
 * @GSLOT_KNOB_PINNED_MIN_MB: how much pinned memory it keeps if the host, or a vGPU, needs some, MB
 * @GSLOT_KNOB_PINNED_LOW_MB: with more it gives before others, MB; 0: with more than its share
 * @GSLOT_KNOB_PINNED_MAX_MB: the most of its guest's memory that is pinned, MB
 * @GSLOT_NR_KNOBS: number of knobs
 */
enum gslot_knob {
	GSLOT_KNOB_WEIGHT,
	GSLOT_KNOB_CAP,
	GSLOT_KNOB_RESERVE,
	GSLOT_KNOB_QUANTUM_MS,
	GSLOT_KNOB_PREEMPT_US,
	GSLOT_KNOB_STOP,
	GSLOT_KNOB_QOS_FPS,
	GSLOT_KNOB_CPU_MAX,
	GSLOT_KNOB_PINNED_MIN_MB,
	GSLOT_KNOB_PINNED_LOW_MB,
	GSLOT_KNOB_PINNED_MAX_MB,
	GSLOT_NR_KNOBS,
};

/**
 * struct gslot_vgpu_ops - callbacks from the vGPU to its VFIO device
 * @user: callbacks for guest memory and mappings, from gslot_vgpu_open() to the end of
 *	gslot_vgpu_close()
 * @interrupt: send the guest an MSI; any context, interrupts off
 * @interrupt_sync: wait until it was sent; may sleep
 */
struct gslot_vgpu_ops {
	struct gslot_gm_user_ops user;
	void (*interrupt)(void *data);
	void (*interrupt_sync)(void *data);
};

/* vgpu.c: life. */
struct gslot_vgpu *gslot_vgpu_create(struct gslot_vgpus *vgpus, struct device *dev,
				     const struct gslot_profile *profile,
				     const struct gslot_vgpu_ops *ops, void *data);
void gslot_vgpu_destroy(struct gslot_vgpu *vgpu);
struct gslot_guest_errors *gslot_vgpu_guest_errors(struct gslot_vgpu *vgpu);
int gslot_vgpu_open(struct gslot_vgpu *vgpu);
void gslot_vgpu_close(struct gslot_vgpu *vgpu);
void gslot_vgpu_reset(struct gslot_vgpu *vgpu);

/* limit.c: admission */
int gslot_vgpu_admit(struct gslot_vgpu *vgpu);
void gslot_vgpu_dismiss(struct gslot_vgpu *vgpu);
u64 gslot_vgpu_host_memory(const struct gslot_profile *profile);

/* vgpu_use.c: what a vGPU has used since it was admitted */
u32 gslot_vgpu_id(const struct gslot_vgpu *vgpu);
u64 gslot_vgpu_used(const struct gslot_vgpu *vgpu, u32 engines, enum gslot_meter_count what);
u64 gslot_vgpu_cpu_ns(const struct gslot_vgpu *vgpu);
ssize_t gslot_vgpu_show_memory(const struct gslot_vgpu *vgpu, char *buf);
void gslot_vgpu_charge_cpu(const struct gslot_vgpu *vgpu, u64 ns);

/* resize.c: graphics memory, MB */
int gslot_vgpu_resize(struct gslot_vgpu *vgpu, u32 gm, u32 mb);
u32 gslot_vgpu_mb(struct gslot_vgpu *vgpu, u32 gm);
u32 gslot_vgpu_mb_now(struct gslot_vgpu *vgpu, u32 gm);

/* knobs.c: share of the GPU */
int gslot_vgpu_set_knob(struct gslot_vgpu *vgpu, u32 knob, u32 value);
u32 gslot_vgpu_knob(struct gslot_vgpu *vgpu, u32 knob);

/* vgpu_oversub.c: the cap in force */
u32 gslot_vgpu_cap_now(struct gslot_vgpu *vgpu);

/* vgpu_monitor.c: frames */
u32 gslot_vgpu_fps(struct gslot_vgpu *vgpu);

/* vgpu_progress.c: migration, for an administrator */
const char *gslot_vgpu_migration(const struct gslot_vgpu *vgpu);
u64 gslot_vgpu_migration_bytes(const struct gslot_vgpu *vgpu);

/* unmap.c */
void gslot_vgpu_dma_unmap(struct gslot_vgpu *vgpu, u64 iova, u64 length, bool once);
void gslot_vgpu_written(struct gslot_vgpu *vgpu, u64 gfn);

/* config.c: the PCI configuration space */
void gslot_config_access(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len, bool write);

/* Pages of registers that a guest may map: of each engine, by its id, and of the interrupts */
#define GSLOT_FACE_IRQ	GSLOT_NR_ENGINES
#define GSLOT_NR_FACES	(GSLOT_NR_ENGINES + 1)

/* face.c */
u32 gslot_face_offset(u32 face);
struct page *gslot_vgpu_face(struct gslot_vgpu *vgpu, u32 face);
void gslot_vgpu_hide_face(struct gslot_vgpu *vgpu, u32 face);
void gslot_vgpu_show_time(struct gslot_vgpu *vgpu, u32 engines);
void gslot_vgpu_face_write(struct gslot_vgpu *vgpu, u32 face, u32 offset, const u8 *data, u32 len);

/* vgpu_mmio.c: BAR0, BAR2, and page faults in mappings */
u32 gslot_mmio_width(u64 offset, size_t count);
void gslot_mmio_access(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len, bool write);
void gslot_aperture_access(struct gslot_vgpu *vgpu, u32 offset, void *buf, u32 len, bool write);
vm_fault_t gslot_vgpu_fault(struct gslot_vgpu *vgpu, enum gslot_map_area area, struct vm_fault *vmf,
			    unsigned long page);

#endif
