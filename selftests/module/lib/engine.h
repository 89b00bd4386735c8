/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Engines, and the execlist protocol as a guest's driver checks it: one promotion for each
 * submission, then the completions of its elements.
 */
#ifndef _LIBVGPU_ENGINE_H
#define _LIBVGPU_ENGINE_H

#include <gen/lrc.h>
#include <gen/regs.h>

#include "types.h"

struct vgpu;

enum vgpu_engine {
	RCS,
	BCS,
	VCS,
	VECS,
	VGPU_NR_ENGINES,
};

/**
 * struct engine_info - constants of an engine
 * @name: name
 * @base: its register block
 * @irq_group: its group of interrupt registers
 * @irq_shift: its bits in that group
 * @gdrst: its reset bit
 */
struct engine_info {
	const char *name;
	u32 base;
	u32 irq_group;
	u32 irq_shift;
	u32 gdrst;
};

extern const struct engine_info engine_infos[VGPU_NR_ENGINES];

/**
 * struct csb_event - an entry of the context status buffer
 * @status: CSB_*
 * @id: context id
 */
struct csb_event {
	u32 status;
	u32 id;
};

#define CSB_LOG_SIZE	64

/**
 * struct engine - a guest's view of an engine
 * @vgpu: its vGPU
 * @info: constants
 * @hwsp: bus address of the status page
 * @hwsp_ggtt: graphics address of the status page
 * @csb_read: index of the last entry read
 * @pending: elements submitted and not yet promoted
 * @active: elements promoted and not yet completed
 * @bad: the protocol was broken
 * @promotions: their number
 * @completions: their number
 * @log: the last events; entry n at n % CSB_LOG_SIZE
 * @events: number of events
 * @user_irqs: MI_USER_INTERRUPTs seen by irq_service()
 * @csb_irqs: CONTEXT_SWITCH interrupts
 * @error_irqs: CS_ERROR interrupts
 */
struct engine {
	struct vgpu *vgpu;
	const struct engine_info *info;
	u64 hwsp;
	u64 hwsp_ggtt;
	u32 csb_read;
	u32 pending;
	u32 active;
	bool bad;
	u32 promotions;
	u32 completions;
	struct csb_event log[CSB_LOG_SIZE];
	u32 events;
	u32 user_irqs;
	u32 csb_irqs;
	u32 error_irqs;
};

/* Does it have general purpose registers? On Gen8 only rcs does. */
bool engine_has_gprs(const struct engine *engine);

/* Initialise an engine. */
void engine_start(struct engine *engine);
u32 engine_read(struct engine *engine, u32 reg);
void engine_write(struct engine *engine, u32 reg, u32 value);

/* Write ELSP, and account for what is submitted. */
void engine_submit(struct engine *engine, u64 desc0, u64 desc1);
/* The same for invalid descriptors, without accounting. */
void engine_elsp(struct engine *engine, u64 desc0, u64 desc1);

/* Process the CSB. Return: the number of events. */
u32 engine_process(struct engine *engine);
bool engine_wait_promoted(struct engine *engine, int ms);
bool engine_wait_idle(struct engine *engine, int ms);
/* The event @back events ago; 0 is the last. */
struct csb_event engine_event(const struct engine *engine, u32 back);
void engine_forget_events(struct engine *engine);

/* Reset an engine as a guest's driver does; false if the reset is not acknowledged. */
bool engine_reset(struct engine *engine);
/* Reset a set of engines by GDRST alone; false if a bit stays set. */
bool gdrst(struct vgpu *vgpu, u32 domains);

#endif
