/* SPDX-License-Identifier: GPL-2.0 */
/* Streams of vGPUs' states: find and change what is in them. */
#ifndef _LIBVGPU_MIG_STREAM_H
#define _LIBVGPU_MIG_STREAM_H

#include <uapi/gslot_migration.h>

#include "migration.h"

struct rng;

struct gslot_mig_header *mig_stream_header(struct mig_stream *s);
/* The @nth record of a type, or NULL. */
struct gslot_mig_record *mig_stream_find(struct mig_stream *s, u32 type, u32 nth);
/* Its payload. The test dies if there is none. */
void *mig_stream_payload(struct mig_stream *s, u32 type, u32 nth);
/* Put all checksums right, up to a record that does not fit into the stream. */
void mig_stream_fix(struct mig_stream *s);
/* A copy, with room for 64 bytes behind it. */
struct mig_stream mig_stream_copy(const struct mig_stream *s);

/* Of an engine in a stream, all that a reader accepts. */
void mig_stream_make_wild(struct gslot_mig_engine *engine, struct rng *rng);

#endif
