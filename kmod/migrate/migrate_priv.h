/* SPDX-License-Identifier: GPL-2.0 */
/* Migration, for the files of this folder. */
#ifndef _GSLOT_MIGRATE_PRIV_H
#define _GSLOT_MIGRATE_PRIV_H

#include <linux/mutex.h>

#include "migrate.h"
#include "core/stream/stream.h"
#include "vgpu/vgpu_state.h"

#define MIG_CHUNK_SIZE	0x10000
/* 32 MB. If each of the 1 Mi entries of a GGTT is a run of its own, 16 MB. */
#define MIG_MAX_CHUNKS	512

/* Migration of a vGPU */
struct gslot_mig {
	struct vfio_device *vdev;	/* its VFIO device; of that, VFIO's own part */
	struct gslot_vgpu *vgpu;
	/* Protects what follows, and all changes of the vGPU's state of migration; see gpu.c */
	struct mutex lock;
	enum vfio_device_mig_state state;	/* VFIO's state */
	struct mig_file *file;	/* the data file of @state, or NULL; its reference keeps it */
};

/* A stream that is read */
struct mig_saving {
	/* Its bytes, MIG_CHUNK_SIZE each, in MIG_MAX_CHUNKS pieces; NULL: there is no stream */
	u8 **chunk;
	u64 size;	/* bytes in all */
	u64 pos;	/* how many were read */
};

/* A stream that is written */
struct mig_resuming {
	struct gslot_stream_reader reader;
	void *buf;				/* the buffer of @reader */
	struct gslot_mig_header header;		/* all zeros until it has arrived */
	struct gslot_vgpu_restore restore;	/* how far the vGPU is restored */
	int error;				/* why it cannot be, -errno, or 0 */
};

/* A data file */
struct mig_file {
	struct file *filp;
	bool ending;	/* VFIO leaves its state: a holder of @lock ends after this record */
	/* Protects what follows. User memory is not accessed under it; see gpu.c */
	struct mutex lock;
	struct gslot_mig *mig;	/* NULL: the file has been disabled */
	struct mig_saving saving;	/* of a file of STOP_COPY */
	struct mig_resuming resuming;	/* of a file of RESUMING */
};

/* mig_file.c */
struct mig_file *mig_file_create(struct gslot_mig *mig, bool saving);
void mig_file_drop(struct mig_file *file);
void mig_file_lock_ending(struct mig_file *file);
int mig_file_release(struct inode *inode, struct file *filp);

/* mig_save.c */
int mig_save(struct mig_file *file);
void mig_save_free(struct mig_saving *s);
extern const struct file_operations mig_save_fops;

/* mig_resume.c */
int mig_resume_init(struct mig_file *file);
int mig_resume_end(struct mig_file *file);
extern const struct file_operations mig_resume_fops;

/* mig_compat.c */
int mig_check_compatible(struct gslot_mig *mig, const struct gslot_mig_header *src);

#endif
