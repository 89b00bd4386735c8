/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of a vGPU, for a migration: stopping it, saving and restoring it.
 */
#ifndef _GSLOT_VGPU_STATE_H
#define _GSLOT_VGPU_STATE_H

#include <linux/types.h>

#include "core/cmd/window.h"
#include "core/stream/stream.h"

struct gslot_ggtt_copy;
struct gslot_vgpu;

/* How far a vGPU is saved */
struct gslot_vgpu_save {
	struct gslot_stream_writer w;	/* the stream */
	struct gslot_window window;	/* its graphics memory, as the header says */
	struct gslot_ggtt_copy *early;	/* the PTEs that early records say; NULL: there are none */
};

/* How far a stream is restored */
struct gslot_vgpu_restore {
	u32 reg;	/* the first register that may follow */
	u32 early_page;	/* the first graphics page that may follow in an early record of PTEs */
	u32 page;	/* and in a later one */
};

/* vgpu_stop.c */
int gslot_vgpu_stop(struct gslot_vgpu *vgpu);
int gslot_vgpu_resume(struct gslot_vgpu *vgpu);
void gslot_vgpu_resume_reset(struct gslot_vgpu *vgpu);
void gslot_vgpu_freeze(struct gslot_vgpu *vgpu);
void gslot_vgpu_unfreeze(struct gslot_vgpu *vgpu);

/* vgpu_trim.c */
void gslot_vgpu_trim(struct gslot_vgpu *vgpu, bool trim);
void gslot_vgpu_precopy_asked(struct gslot_vgpu *vgpu);

/* vgpu_save.c */
void gslot_vgpu_describe(struct gslot_vgpu *vgpu, struct gslot_mig_header *header);
int gslot_vgpu_save_begin(struct gslot_vgpu *vgpu, struct gslot_vgpu_save *save);
int gslot_vgpu_save_early(struct gslot_vgpu *vgpu, struct gslot_vgpu_save *save);
int gslot_vgpu_save_rest(struct gslot_vgpu *vgpu, struct gslot_vgpu_save *save);
void gslot_vgpu_save_end(struct gslot_vgpu_save *save);
bool gslot_vgpu_save_fits(const struct gslot_vgpu *vgpu, const struct gslot_vgpu_save *save);
u64 gslot_vgpu_save_size(struct gslot_vgpu *vgpu, const struct gslot_vgpu_save *save);

/* vgpu_restore.c */
int gslot_vgpu_restore_begin(struct gslot_vgpu *vgpu, struct gslot_vgpu_restore *restore);
int gslot_vgpu_restore(struct gslot_vgpu *vgpu, struct gslot_vgpu_restore *restore,
		       const struct gslot_mig_record *record, const void *payload);

/* vgpu_log.c */
typedef void (*gslot_vgpu_log_fn)(void *data, u64 gfn, u32 count);
int gslot_vgpu_log_start(struct gslot_vgpu *vgpu);
int gslot_vgpu_log_stop(struct gslot_vgpu *vgpu);
int gslot_vgpu_log_read(struct gslot_vgpu *vgpu, u64 first, u64 last, gslot_vgpu_log_fn fn,
			void *data);

/* vgpu_progress.c */
void gslot_vgpu_show_migration(struct gslot_vgpu *vgpu, const char *state);
void gslot_vgpu_migrates(struct gslot_vgpu *vgpu);
void gslot_vgpu_migrated(struct gslot_vgpu *vgpu, s64 bytes);

#endif
