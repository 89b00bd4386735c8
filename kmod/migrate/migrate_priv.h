/* SPDX-License-Identifier: GPL-2.0 */
/* Migration, for the files of this folder. */
#ifndef _GSLOT_MIGRATE_PRIV_H
#define _GSLOT_MIGRATE_PRIV_H

#include <linux/mutex.h>
#include <linux/wait.h>

#include "migrate.h"
#include "core/stream/stream.h"
#include "vgpu/vgpu_state.h"

#define MIG_CHUNK_SIZE	0x10000
/*
 * 33 MB: runs take 16 MB, and in pre-copy as much again, if each of the 1 Mi entries of a GGTT is a
 * run of its own; all else is less than 1 MB.
 */
#define MIG_MAX_CHUNKS	528

/* Migration of a vGPU */
struct gslot_mig {
	struct vfio_device *vdev;	/* its VFIO device; of that, VFIO's own part */
	struct gslot_vgpu *vgpu;
	/* Protects what follows, and all changes of the vGPU's state of migration; see gpu.c */
	struct mutex lock;
	enum vfio_device_mig_state state;	/* VFIO's state */
	struct mig_file *file;	/* the data file of @state, or NULL; its reference keeps it */
};

/* What a data file is for */
enum mig_file_kind {
	MIG_FILE_PRE_COPY,	/* the state of a vGPU that still runs, and later the rest */
	MIG_FILE_STOP_COPY,	/* the state of a vGPU that is frozen */
	MIG_FILE_RESUMING,	/* a stream from elsewhere */
};

/*
 * A stream that is read. Bytes that were published do not change, and are read with mig_file.lock;
 * the others are written without it. It is published with gslot_mig.lock held as well.
 */
struct mig_saving {
	/* Its bytes, MIG_CHUNK_SIZE each, in MIG_MAX_CHUNKS pieces; NULL: there is no stream */
	u8 **chunk;
	u64 size;	/* bytes that are written; gslot_mig.lock */
	struct gslot_vgpu_save save;	/* how far the vGPU is saved; gslot_mig.lock */
	u64 ready;	/* bytes that are published: a user may read them */
	u64 pos;	/* how many were read */
	bool more;	/* pre-copy: what follows is not saved yet */
	int error;	/* why the stream cannot be completed, -errno, or 0 */
	wait_queue_head_t poll;	/* those that wait for more of it */
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
	struct mig_saving saving;	/* of a file of PRE_COPY or STOP_COPY */
	struct mig_resuming resuming;	/* of a file of RESUMING */
};

/* mig_file.c */
struct mig_file *mig_file_create(struct gslot_mig *mig, enum mig_file_kind kind);
void mig_file_drop(struct mig_file *file);
void mig_file_lock_ending(struct mig_file *file);
int mig_file_release(struct inode *inode, struct file *filp);

/* mig_save.c */
void mig_save_init(struct mig_saving *s);
int mig_save_begin(struct mig_file *file, bool early);
int mig_save_rest(struct mig_file *file);
u64 mig_save_size(struct gslot_mig *mig);
void mig_save_free(struct mig_saving *s);
extern const struct file_operations mig_save_fops;

/* mig_resume.c */
int mig_resume_init(struct mig_file *file);
int mig_resume_end(struct mig_file *file);
extern const struct file_operations mig_resume_fops;

/* mig_compat.c */
int mig_check_compatible(struct gslot_mig *mig, const struct gslot_mig_header *src);

#endif
