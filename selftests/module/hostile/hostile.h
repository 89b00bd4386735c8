/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The hostile guest: its layout, the state that its threads share, and the operations of each file
 * of this folder.
 *
 * An operation is drawn from a table by weight. It takes its decisions from its thread's random
 * numbers alone, never from the vGPU's answers, so a seed determines the operations of a thread.
 */
#ifndef _HOSTILE_H
#define _HOSTILE_H

#include <pthread.h>

#include <gen/gtt.h>

#include "cs.h"
#include "rng.h"
#include "vgpu.h"

/* Guest memory, pages. Its first PAGES_MAPPED are linear in GGTT and PPGTT. */
#define NR_CTX			24	/* engine: number % VGPU_NR_ENGINES */
#define IMAGE_PAGES		24
#define RING_MAX_PAGES		8
#define NR_BATCHES		64
#define NR_WA			16
#define NR_DATA			512
#define NR_SPACES		4
#define TABLES_PER_SPACE	16
#define PAGE_HWSP(engine)	(16 + (engine))
#define PAGE_IMAGE(ctx)		(32 + (ctx) * IMAGE_PAGES)
#define PAGE_RING(ctx)		(640 + (ctx) * RING_MAX_PAGES)
#define PAGE_BATCH(n)		(896 + (n))
#define PAGE_WA(n)		(960 + (n))
#define PAGE_DATA(n)		(1024 + (n))
#define PAGE_TABLE(space, n)	(1536 + (space) * TABLES_PER_SPACE + (n))
#define PAGES_MAPPED		2048

/* Memory that is mapped and unmapped. While it is not mapped, it must not be written to. */
#define NR_WINDOWS		4
#define WINDOW_SIZE		MB(4)
#define WINDOW_IOVA(n)		(0x100000000ULL + (n) * WINDOW_SIZE)

#define GGTT_HIGH(page)		(GEN_LOW_GM_SIZE + (u64)(page) * PAGE_SIZE)
#define GGTT_LOW(page)		((u64)(page) * PAGE_SIZE)
#define GPA(page)		((u64)(page) * PAGE_SIZE)	/* and its PPGTT address */

#define RING_DEFAULT_PAGES	4

/**
 * struct window - memory that is mapped and unmapped
 * @lock: held while it is mapped or unmapped
 * @ptr: its address in the process, which is permanent
 * @mapped: it is mapped for the device
 */
struct window {
	pthread_mutex_t lock;
	u64 *ptr;
	bool mapped;
};

/**
 * struct guest - state shared by the threads of one guest
 * @vgpu: its vGPU; replaced when the device is opened again
 * @uuid: the mdev
 * @victim: the mdev of a process that is killed now and then
 * @killed: number of these processes
 * @device: held for writing while the device is closed and opened
 * @broken: the device could not be opened again
 * @bad: a check has failed, and is reported
 * @stop: the test has failed, or is to end
 * @window: memory that is mapped and unmapped
 * @tail: dwords in a context's ring, as far as the guest keeps track
 * @uses: submissions to each engine since its last reset
 */
struct guest {
	struct vgpu *vgpu;
	char uuid[MDEV_UUID_SIZE];
	pthread_rwlock_t device;
	const char *victim;
	u32 killed;
	bool broken;
	bool bad;
	bool stop;
	struct window window[NR_WINDOWS];
	u32 tail[NR_CTX];
	u32 uses[VGPU_NR_ENGINES];
};

/*
 * Held while devices are closed and opened, and while a process is started: until that has executed
 * its program it holds all devices open. It also protects the library's list of vGPUs.
 */
extern pthread_mutex_t opening;

/* A thread of a guest. */
struct actor {
	struct guest *guest;
	struct rng rng;
};

static inline struct vgpu *actor_vgpu(struct actor *a)
{
	return a->guest->vgpu;
}

static inline u32 below(struct actor *a, u32 limit)
{
	return rng_below(&a->rng, limit);
}

static inline bool one_in(struct actor *a, u32 n)
{
	return !below(a, n);
}

static inline void *page_ptr(struct actor *a, u32 page)
{
	return ram_ptr(&actor_vgpu(a)->ram, GPA(page));
}

/**
 * struct op - a kind of operation
 * @name: in the statistics
 * @weight: how often it is drawn, relative to the others
 * @exclusive: no other thread may hold the device meanwhile
 * @run: does it
 */
struct op {
	const char *name;
	u32 weight;
	bool exclusive;
	void (*run)(struct actor *a);
};

/* setup.c: set everything up as a well-behaved driver does. */
void setup_registers(struct actor *a);
void setup_ggtt(struct actor *a);
void setup_tables(struct actor *a, u32 space);
void setup_all(struct actor *a);
/* A context's image; its ring is empty, its address space one of the four. */
void setup_image(struct actor *a, u32 ctx);
u64 context_descriptor(u32 ctx);

/* values.c: numbers that a guest might try. */
u32 any_page(struct actor *a);
u64 any_gpa(struct actor *a);
u64 any_pte(struct actor *a);
u64 any_address(struct actor *a, bool ggtt);
u32 any_register(struct actor *a, u32 engine);
u32 any_dword(struct actor *a);
/* A page with contents that cannot hang an engine. */
u32 harmless_page(struct actor *a);

/* commands.c: @wild ones may hang their engine. */
void emit_commands(struct actor *a, struct cs *cs, u32 engine, u32 count, bool wild);
void write_batch(struct actor *a, u32 n, bool wild);
void write_spinner(struct actor *a, u32 n, bool arbitrate);

/* submit.c */
void op_submit(struct actor *a);
void op_submit_wild(struct actor *a);
void op_spin(struct actor *a);
void op_elsp(struct actor *a);

/* A batch of an engine, in a context that is as it should be. */
void submit_batch(struct actor *a, u32 engine, u32 batch);
void submit_address(struct actor *a, u32 engine, bool ggtt, u64 addr);
/* A request of any context, which has workaround batches. */
void submit_with_wa(struct actor *a);
/* A request that ends up to so many dwords before or behind the end of its ring. */
void submit_at_ring_end(struct actor *a, u32 ctx, u32 dwords);

/* limits.c */
void op_fill(struct actor *a);
void op_edge(struct actor *a);
void op_fork(struct actor *a);

/* memory.c: the windows are created first */
void windows_init(struct guest *g);
/* The device was closed. */
void windows_gone(struct guest *g);
void op_write_memory(struct actor *a);
void op_write_image(struct actor *a);
void op_write_ring(struct actor *a);
void op_write_batch(struct actor *a);
void op_write_wa(struct actor *a);
void op_write_table(struct actor *a);
void op_write_ggtt(struct actor *a);
void op_flush_ggtt(struct actor *a);
void op_window_map(struct actor *a);
void op_window_unmap(struct actor *a);
void op_memory_unmap(struct actor *a);

/* processor.c: KVM, if the machine has it, for all vGPUs that are opened from then on */
void processor_init(void);
void processor_fini(void);
void op_processor(struct actor *a);

/* slow.c: starts the FUSE daemon's process before any vGPU is open */
void slow_begin(u64 seed);
void slow_end(void);
void op_slow(struct actor *a);

/* sleeper.c: a thread that puts the machine to sleep now and then */
void sleeper_start(u64 seed);
/* The number of sleeps; -1: one failed. */
int sleeper_stop(void);

/* device.c */
void op_read_register(struct actor *a);
void op_write_register(struct actor *a);
void op_engine_register(struct actor *a);
void op_notify(struct actor *a);
void op_fence(struct actor *a);
void op_sweep(struct actor *a);
void op_aperture(struct actor *a);
void op_range(struct actor *a);
void op_config(struct actor *a);
void op_irqs(struct actor *a);
void op_engine_reset(struct actor *a);
void op_device_reset(struct actor *a);
void op_restore(struct actor *a);
void op_reopen(struct actor *a);
void op_policy(struct actor *a);
void op_pressure(struct actor *a);
void op_resize(struct actor *a);
void op_pin_limit(struct actor *a);
void op_share(struct actor *a);
void reset_engine(struct actor *a, u32 engine, bool ask);

/* stats.c */
void op_stats(struct actor *a);

/* moves.c */
void op_states(struct actor *a);
void op_move(struct actor *a);
void op_dirty_log(struct actor *a);

/* races.c */
void op_mapping(struct actor *a);
void op_irq_race(struct actor *a);
void op_blt_rewrite(struct actor *a);
void op_reset_race(struct actor *a);
void op_kill(struct actor *a);
void op_settle(struct actor *a);

#endif
