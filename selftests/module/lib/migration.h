/* SPDX-License-Identifier: GPL-2.0 */
/* Migration of vGPUs, as a VMM does it by VFIO's states. */
#ifndef _LIBVGPU_MIGRATION_H
#define _LIBVGPU_MIGRATION_H

#include <linux/vfio.h>
#include <stdbool.h>

#include "types.h"

struct vfio;
struct vgpu;

enum mig_state {
	MIG_ERROR,
	MIG_STOP,
	MIG_RUNNING,
	MIG_STOP_COPY,
	MIG_RESUMING,
	MIG_RUNNING_P2P,
	MIG_PRE_COPY,
	MIG_PRE_COPY_P2P,
	MIG_NR_STATES,
};

extern const char *const mig_state_names[MIG_NR_STATES];

/* Can it be saved while it runs? Not before Linux 6.2. */
bool mig_has_pre_copy(struct vfio *v);
/* VFIO_DEVICE_FEATURE_MIGRATION: VFIO_MIGRATION_*; or -errno. */
long mig_flags(struct vfio *v);
/* Go to a state. @fd: gets the data file, or -1; may be NULL. 0 or -errno. */
int mig_set(struct vfio *v, enum mig_state state, int *fd);
/* The state, or -errno. */
int mig_get(struct vfio *v);
/* VFIO_DEVICE_FEATURE_MIG_DATA_SIZE, or -errno. */
long mig_data_size(struct vfio *v);

/**
 * struct mig_stream - the state of a vGPU
 * @data: the bytes
 * @len: their number
 */
struct mig_stream {
	u8 *data;
	size_t len;
};

/* Read a data file to its end, behind what @stream has. 0 or -errno; -ENOMSG: its end for now. */
int mig_read(int fd, struct mig_stream *stream);
/* VFIO_MIG_GET_PRECOPY_INFO of a data file. 0 or -errno. */
int mig_pre_copy_info(int fd, u64 *initial, u64 *dirty);

/*
 * The dirty log of a device: VFIO_DEVICE_FEATURE_DMA_LOGGING_*. 0 or -errno; -ENOTTY: this kernel
 * or the module has none.
 */
struct mig_range {
	u64 start;
	u64 size;
};

int mig_log_probe(struct vfio *v);
int mig_log_start(struct vfio *v, const struct mig_range *ranges, u32 count);
int mig_log_stop(struct vfio *v);
/* @map: a bit for each page of @page_size bytes from @iova on; bits are only set */
int mig_log_report(struct vfio *v, u64 iova, u64 size, u64 page_size, u64 *map);

/* Go to STOP_COPY, and read the stream; 0 or -errno. It stays there. */
int mig_save(struct vfio *v, struct mig_stream *stream);
/* Go to RESUMING, and write the stream in pieces of @piece bytes; 0 or -errno. It stays there. */
int mig_load(struct vfio *v, const struct mig_stream *stream, size_t piece);
void mig_free(struct mig_stream *stream);

/* Open a vGPU for the guest of another one: it has the same memory. 0 or -errno. */
int mig_open(struct vfio *v, const char *uuid, const struct vgpu *guest);

/*
 * Move a guest to another vGPU, which is not open: save, load, close the source, and go on. The
 * source's mdev stays. 0 or -errno. Unless @vgpu's UUID has become @uuid, the guest is where it
 * was, and runs.
 */
int mig_move(struct vgpu *vgpu, const char *uuid);

#endif
