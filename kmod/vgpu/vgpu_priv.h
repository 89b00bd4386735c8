/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internals of a vGPU; for kmod/vgpu only. gpu.c has the order of its locks.
 */
#ifndef _GSLOT_VGPU_PRIV_H
#define _GSLOT_VGPU_PRIV_H

#include <linux/completion.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "vgpus.h"
#include "vgpu.h"
#include "base/guest_error.h"
#include "core/mem/precopy.h"
#include "core/mem/reclaim.h"
#include "core/regs/engines.h"
#include "core/place/monitor.h"
#include "core/oversub/oversub.h"
#include "core/regs/virq.h"
#include "core/sched/throttle.h"
#include "exec/exec.h"
#include "gm/ggtt_owner.h"
#include "gm/guestmem.h"
#include "hw/hw.h"
#include "gen/pvinfo.h"
#include "gen/regs.h"
#include "uapi/gslot_migration.h"

#define GSLOT_VGPU_REG_PAGES	(GEN_MMIO_SIZE >> PAGE_SHIFT)

/* Register storage */
struct gslot_vregs {
	spinlock_t lock;		/* protects all of this; see gpu.c */
	/* 4 KB of registers each, allocated at the first write */
	u32 *pages[GSLOT_VGPU_REG_PAGES];
	u32 elsp[GSLOT_NR_ENGINES][4];	/* an incomplete execlist submission, by engine */
	/* How many of its four writes have arrived, by engine */
	u8 elsp_count[GSLOT_NR_ENGINES];
	u8 csb_ptr[GSLOT_NR_ENGINES];	/* write pointer of the context status buffer, by engine */
};

/* Pages of registers that a guest maps: face.c */
struct gslot_vgpu_faces {
	spinlock_t lock;		/* protects all but the face of interrupts; see gpu.c */
	u32 *page[GSLOT_NR_FACES];	/* while open */
	bool shown[GSLOT_NR_FACES];	/* it shows changes; read without a lock */
};

/* Interrupts to the guest */
struct gslot_vgpu_irq {
	spinlock_t lock;		/* protects all of this; see gpu.c */
	struct gslot_virq state;	/* the registers */
	struct hrtimer timer;		/* delivers @promoted */
	u32 promoted;			/* engines with a promote event that is held back */
	u32 urgent;			/* engines with another event since the last interrupt */
	u64 sent;			/* MSIs sent, for debugfs */
	bool held;			/* no MSI is sent */
	bool msi_pending;		/* one was due while @held */
};

/*
 * What a vGPU that was restored gets when it runs. A change of state sets @due
 * (gslot_mig.lock). @debts is set while a stream is read (mig_file.lock), and that ends before
 * RESUMING is left.
 */
struct gslot_vgpu_restored {
	bool due;	/* it was restored, and has not run since: its PTEs have no effect yet */
	struct gslot_client_debt debts[GSLOT_NR_ENGINES];	/* what it owes then */
};

/* Unmapping of guest memory */
struct gslot_vgpu_unmap {
	struct mutex lock;		/* serialises callers; see gpu.c */
	struct work_struct work;	/* stops the use of the range */
	struct completion done;		/* completed when no @work is under way */
	u64 gfn;			/* first page of the range */
	u64 count;			/* number of pages */
};

/* Counters for debugfs */
struct gslot_vgpu_stats {
	atomic64_t reads;	/* register reads */
	atomic64_t writes;	/* register writes */
	u32 unknown_last;	/* the last accessed register that the table does not have */
	atomic64_t flushes;	/* writes of the GGTT flush register */
	atomic64_t submits;	/* execlist submissions */
	atomic64_t resets;	/* engine resets that the guest requested */
	atomic64_t unmaps;	/* VFIO's notifications that memory is unmapped */
};

/* The state that a controller of caps keeps of a vGPU */
struct gslot_vgpu_controlled {
	struct list_head link;			/* in gslot_vgpus.oversub.vgpus, while open */
	struct gslot_oversub_client client;	/* the controller's state, if there is one */
	/* Its work when the controller looked last */
	struct gslot_client_work work[GSLOT_NR_ENGINES];
	u64 frames;				/* its frames when the controller looked last */
	u32 cap;				/* the cap in force, which the scheduler knows */
};

/* Frames per second of a vGPU */
struct gslot_vgpu_fps {
	u64 frames;	/* number of frames at the last sample */
	u64 at;		/* time of the last sample, ns */
	u32 fps;	/* frames per second before the last sample; read without the lock */
};

/* Its dirty log */
struct gslot_vgpu_log {
	struct mutex lock;	/* held while the log starts, stops, or is reported */
	bool on;		/* it is started; false when the vGPU is opened */
};

/* Releasing memory in pre-copy: vgpu_trim.c */
struct gslot_vgpu_trim {
	bool on;	/* the vGPU is in PRE_COPY; changed with gslot_mig.lock and @lock held */
	struct delayed_work work;	/* releases what is not used, or all while @held */
	spinlock_t lock;		/* protects what follows; see gpu.c */
	struct gslot_precopy precopy;	/* when submissions are held */
	bool held;			/* they are */
};

/* What it gives when memory is needed: give.c */
struct gslot_vgpu_shrink {
	struct work_struct work;	/* unpins pages for the present step */
	struct gslot_reclaim_client client;	/* what it has, for the policy; gslot_vgpus.lock */
	struct gslot_reclaim_order order;	/* what @work gives when it begins next; @lock */
	spinlock_t lock;		/* see gpu.c */
	u32 least;		/* the fewest pages it had since the first step; gslot_vgpus.lock */
	atomic64_t reclaimed;	/* how many were unpinned, since it was created */
	struct gslot_exec_dropped dropped;	/* of page tables; exec counts it */
};

/* Waiting for room among the pinned pages of the GPU: room.c */
struct gslot_vgpu_room {
	struct gslot_token_member member;	/* gslot_vgpus_room.lock */
	atomic64_t waits;	/* how often it has asked for room, since it was created */
};

/* A vGPU */
struct gslot_vgpu {
	struct gslot_vgpus *vgpus;		/* the vGPUs of its GPU */
	struct device *dev;			/* the mediated device */
	const char *name;			/* of @dev: its UUID */
	const struct gslot_profile *profile;	/* its type */
	const struct gslot_vgpu_ops *ops;	/* callbacks to its VFIO device */
	struct gslot_gm_user user;		/* the part of @ops that graphics memory uses */
	struct list_head link;			/* in gslot_vgpus.list */
	struct gslot_window window;	/* its graphics memory; changed with @life and @lock held */
	/* The graphics memory that it gets at its next reset or opening at the latest; @life */
	struct gslot_window wanted;
	struct gslot_ggtt_quota quota;	/* reserved entries of the host's part of the GGTT */
	/* From its admission to its removal: counts its use of the GPU; takes part in scheduling */
	struct gslot_meter *meter;
	struct gslot_client *client;
	struct gslot_throttle throttle;	/* of its CPU time; changed with @lock held */
	u32 place;	/* its first slot for the placement policy; for kmod/places alone */
	/* Its share of the GPU; changed with @life held, the reserve with gslot_vgpus.lock, too */
	u32 knobs[GSLOT_NR_KNOBS];
	/*
	 * It is being closed, which may never end if its worker waits for memory. Set with
	 * gslot_vgpus.lock held, and cleared when it is closed, without it
	 */
	bool leaving;
	struct mutex life;		/* opening, closing, and all that quiesces it; see gpu.c */
	struct gslot_vgpu_lock lock;	/* protects its private GGTT, and all of execution */
	struct gslot_guestmem mem;	/* the guest's memory; valid while open */
	struct gslot_guestmem_block block;	/* where no page may be pinned */
	/*
	 * NULL unless open; changed with @life and @lock held. @exec is set with gslot_vgpus.lock
	 * held, too, and cleared without it: @leaving is set before
	 */
	struct gslot_ggtt *ggtt;
	struct gslot_exec *exec;
	u8 config[GSLOT_VGPU_CONFIG_SIZE];
	u8 pvinfo[PVINFO_SIZE];
	struct gslot_vregs regs;
	struct gslot_vgpu_faces faces;		/* the guest's mappings of @regs and @irq */
	struct gslot_vgpu_irq irq;
	struct gslot_vgpu_restored restored;
	const char *migration;			/* its state of migration; NULL: RUNNING */
	atomic64_t migrated;	/* bytes of its last stream that a user has read or written */
	struct gslot_vgpu_unmap unmap;		/* unmapping of guest memory */
	/* For a migration: it accesses no guest memory; without a lock, see vgpu_stop.c */
	bool frozen;
	/* the guest flushed its private GGTT meanwhile; without a lock, see vgpu_stop.c */
	bool flush_due;
	struct gslot_vgpu_log log;	/* the dirty log */
	struct gslot_vgpu_trim trim;		/* releases memory in pre-copy */
	struct gslot_vgpu_shrink shrink;	/* gives memory back */
	struct gslot_vgpu_room room;		/* waits for room to pin memory: room.c */
	struct list_head monitored;		/* in gslot_vgpus.monitor.vgpus, while open */
	struct gslot_monitor_client monitor;	/* while open; gslot_vgpus.monitor.lock */
	struct gslot_vgpu_fps fps;		/* while open; gslot_vgpus.monitor.lock */
	atomic64_t frames;	/* that its guest has reported, since it was created */
	u64 frames_before;	/* frames before it was opened, which its guest does not see */
	struct gslot_vgpu_controlled controlled;	/* its cap; gslot_vgpus.oversub.lock */
	struct gslot_vgpu_stats stats;
	struct gslot_guest_errors guest_errors;
	struct dentry *debugfs;			/* its directory */
};

static inline const char *gslot_vgpu_name(const struct gslot_vgpu *vgpu)
{
	return vgpu->name;
}

/*
 * Is the vGPU open, and not being closed? While gslot_vgpus.lock is held the answer does not
 * change, and the vGPU's execution and its private GGTT stay.
 */
static inline bool gslot_vgpu_is_active(const struct gslot_vgpu *vgpu)
{
	/* Pairs with the end of gslot_vgpu_close(). */
	return !smp_load_acquire(&vgpu->leaving) && READ_ONCE(vgpu->exec);
}

/* gate.c */
void gslot_vgpu_lock_life(struct gslot_vgpu *vgpu);
void gslot_vgpu_lock_exec(struct gslot_vgpu *vgpu);
bool gslot_vgpu_lock_exec_until(struct gslot_vgpu *vgpu, unsigned long until);
bool gslot_vgpu_is_parked(struct gslot_vgpu *vgpu);

/* vgpu_stop.c */
bool gslot_vgpu_postpone_flush(struct gslot_vgpu *vgpu);

/* vgpu_trim.c */
void gslot_trim_init(struct gslot_vgpu *vgpu);
void gslot_trim_end(struct gslot_vgpu *vgpu);

/* give.c */
bool gslot_give(struct gslot_vgpu *vgpu, const struct gslot_reclaim_order *order);
void gslot_give_init(struct gslot_vgpu *vgpu);
void gslot_give_end(struct gslot_vgpu *vgpu);

/* shrink.c */
/* With room for this many pages a vGPU that waits for room goes on. */
#define GSLOT_SHRINK_ROOM	2048

long gslot_shrink_want(struct gslot_vgpus *vgpus, long more);
u64 gslot_shrink_wanted(const struct gslot_vgpus *vgpus);
void gslot_shrink_look(struct gslot_vgpus *vgpus);

/* The pin token after a look at it */
struct gslot_room_token {
	const struct gslot_vgpu *holder;	/* NULL: there is none; to be compared only */
	u32 number;			/* changes when the token changes hands */
	bool may_take;			/* what others use may be taken */
	bool may_postpone;		/* and their submissions postponed */
	u64 spare;			/* how many pages are to be kept free */
};

/* room.c */
u64 gslot_room_pages(u32 mb);
enum gslot_exec_room gslot_room_request(struct gslot_vgpu *vgpu, u32 pages);
void gslot_room_done(struct gslot_vgpu *vgpu);
struct gslot_room_token gslot_room_token(struct gslot_vgpus *vgpus);
void gslot_room_take(struct gslot_vgpus *vgpus, u32 number);

/* unmap.c */
void gslot_unmap_init(struct gslot_vgpu *vgpu);
void gslot_unmap_fini(struct gslot_vgpu *vgpu);

/* knobs.c */
void gslot_knobs_init(struct gslot_vgpu *vgpu);
void gslot_knobs_apply(struct gslot_vgpu *vgpu);
void gslot_knobs_set_policy(struct gslot_vgpu *vgpu, u32 cap);

/* resize.c */
void gslot_resize_init(struct gslot_vgpu *vgpu);
void gslot_resize_reset(struct gslot_vgpu *vgpu);
void gslot_resize_close(struct gslot_vgpu *vgpu);

/* config.c */
void gslot_config_reset(struct gslot_vgpu *vgpu);

/* vgpu.c */
bool gslot_vgpu_reset_until(struct gslot_vgpu *vgpu, unsigned long until);

/* handlers.c */
struct gslot_reg;
bool gslot_handler_read(struct gslot_vgpu *vgpu, const struct gslot_reg *reg, u32 offset,
			u32 *value);
bool gslot_handler_write(struct gslot_vgpu *vgpu, const struct gslot_reg *reg, u32 offset,
			 u32 value, u32 mask);
bool gslot_handler_valid(const struct gslot_reg *reg, u32 value);

/* vregs.c */
u32 gslot_vreg_reset_value(struct gslot_vgpu *vgpu, u32 offset);
void gslot_vregs_fini(struct gslot_vgpu *vgpu);
void gslot_vregs_reset(struct gslot_vgpu *vgpu);
int gslot_vregs_reserve(struct gslot_vgpu *vgpu, u32 offset);
int gslot_vregs_reserve_presets(struct gslot_vgpu *vgpu);
u32 gslot_vreg_get(struct gslot_vgpu *vgpu, u32 offset);
void gslot_vreg_set(struct gslot_vgpu *vgpu, u32 offset, u32 value);
u32 gslot_vreg_write_masked(struct gslot_vgpu *vgpu, u32 offset, u32 value);

/* vgpu_mmio.c */
u32 gslot_mmio_peek(struct gslot_vgpu *vgpu, u32 offset);

/* face.c */
int gslot_faces_open(struct gslot_vgpu *vgpu);
void gslot_faces_close(struct gslot_vgpu *vgpu);
void gslot_face_register(struct gslot_vgpu *vgpu, u32 offset);
void gslot_face_engine(struct gslot_vgpu *vgpu, enum gslot_engine_id engine);
void gslot_faces_reset(struct gslot_vgpu *vgpu, u32 engines);
void gslot_faces_all(struct gslot_vgpu *vgpu);

/* execlist.c */
void gslot_elsp_write(struct gslot_vgpu *vgpu, enum gslot_engine_id engine, u32 value);
void gslot_vgpu_engine_reset(struct gslot_vgpu *vgpu, u32 gdrst);
extern const struct gslot_exec_ops gslot_vgpu_exec_ops;

/* vgpu_irq.c */
void gslot_irq_init(struct gslot_vgpu *vgpu);
void gslot_irq_reset(struct gslot_vgpu *vgpu);
void gslot_irq_fini(struct gslot_vgpu *vgpu);
void gslot_irq_raise(struct gslot_vgpu *vgpu, enum gslot_engine_id engine, u32 bits);
void gslot_irq_promote(struct gslot_vgpu *vgpu, enum gslot_engine_id engine);
u32 gslot_irq_read(struct gslot_vgpu *vgpu, u32 offset);
void gslot_irq_show(struct gslot_vgpu *vgpu, u32 first, u32 end);
void gslot_irq_show_all(struct gslot_vgpu *vgpu);
void gslot_irq_write(struct gslot_vgpu *vgpu, u32 offset, u32 value);
u32 gslot_irq_listens(struct gslot_vgpu *vgpu);
void gslot_irq_hold(struct gslot_vgpu *vgpu);
void gslot_irq_unhold(struct gslot_vgpu *vgpu);
void gslot_irq_save(struct gslot_vgpu *vgpu, struct gslot_mig_irq *to);
void gslot_irq_restore(struct gslot_vgpu *vgpu, const struct gslot_mig_irq *from);
void gslot_irq_write_ring_imr(struct gslot_vgpu *vgpu, enum gslot_engine_id engine, u32 value);

/* vgpu_monitor.c */
void gslot_vgpus_monitor_init(struct gslot_vgpus *vgpus);
void gslot_vgpus_monitor_fini(struct gslot_vgpus *vgpus);
void gslot_vgpu_monitor_join(struct gslot_vgpu *vgpu);
void gslot_vgpu_monitor_leave(struct gslot_vgpu *vgpu);
struct gslot_monitor_client gslot_vgpu_monitor_get(struct gslot_vgpu *vgpu);

/* vgpu_oversub.c */
void gslot_vgpus_oversub_init(struct gslot_vgpus *vgpus);
void gslot_vgpus_oversub_fini(struct gslot_vgpus *vgpus);
void gslot_vgpu_oversub_join(struct gslot_vgpu *vgpu);
void gslot_vgpu_oversub_leave(struct gslot_vgpu *vgpu);
void gslot_vgpu_oversub_knob(struct gslot_vgpu *vgpu, enum gslot_knob knob);

/* vgpu_restore.c */
void gslot_restore_end(struct gslot_vgpu *vgpu);
void gslot_restored_debts(const struct gslot_vgpu *vgpu, struct gslot_client_debt *debts);

/* vgpu_debugfs.c */
void gslot_vgpu_debugfs_add(struct gslot_vgpu *vgpu);
void gslot_vgpu_debugfs_remove(struct gslot_vgpu *vgpu);

/* limit.c */
u64 gslot_host_memory(u64 size, u32 tables);

/* pvinfo.c */
void gslot_pvinfo_save(struct gslot_vgpu *vgpu, struct gslot_mig_pvinfo *to);
void gslot_pvinfo_restore(struct gslot_vgpu *vgpu, const struct gslot_mig_pvinfo *from);
void gslot_pvinfo_reset(struct gslot_vgpu *vgpu);
void gslot_pvinfo_resize(struct gslot_vgpu *vgpu);
u32 gslot_pvinfo_read(struct gslot_vgpu *vgpu, u32 offset);
void gslot_pvinfo_write(struct gslot_vgpu *vgpu, u32 offset, u32 value);

#endif
