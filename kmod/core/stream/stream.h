/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stream of a vGPU's state (uapi/gslot_migration.h): a writer, and a reader that is given the
 * stream in pieces of any size.
 *
 * The reader checks the form of a stream: the checksums, what records there are, their order, sizes
 * and versions, and that what is not in use is 0. What else the payloads say is not checked here.
 */
#ifndef _GSLOT_CORE_STREAM_H
#define _GSLOT_CORE_STREAM_H

#include "core/types.h"
#include "uapi/gslot_migration.h"

/* The longest payload; shorter in selftests/fuzz */
#ifndef GSLOT_STREAM_RECORD_MAX
#define GSLOT_STREAM_RECORD_MAX	GSLOT_MIG_RECORD_MAX
#endif

/* A stream that is being written */
struct gslot_stream_writer {
	/* Receives the bytes, in order; returns 0 or -errno */
	int (*put)(void *data, const void *from, u32 len);
	void *data;	/* argument of @put */
	u32 records;	/* number of records so far */
};

int gslot_stream_put_header(struct gslot_stream_writer *w, struct gslot_mig_header *header);
int gslot_stream_put(struct gslot_stream_writer *w, enum gslot_mig_type type, const void *payload,
		     u32 len);
int gslot_stream_put_end(struct gslot_stream_writer *w);
u64 gslot_stream_size(u64 regs, u64 runs);

enum gslot_stream_state {
	GSLOT_STREAM_HEADER,	/* in the header */
	GSLOT_STREAM_RECORD,	/* in the frame of a record */
	GSLOT_STREAM_PAYLOAD,	/* in its payload */
	GSLOT_STREAM_ENDED,
	GSLOT_STREAM_FAILED,
};

/* What gslot_stream_read() has found. */
enum gslot_stream_found {
	GSLOT_STREAM_NOTHING,	/* all of the piece is used */
	GSLOT_STREAM_A_HEADER,
	GSLOT_STREAM_A_RECORD,
};

/* A stream that is being read */
struct gslot_stream_reader {
	u8 *buf;	/* what is complete: a header, or a record's payload; 8-byte aligned */
	enum gslot_stream_state state;	/* where the stream is */
	int error;	/* with GSLOT_STREAM_FAILED: -errno */
	u32 have;	/* bytes of the present part that have arrived */
	struct gslot_mig_record record;	/* the frame of the record, as far as it has arrived */
	u32 records;	/* number of complete records */
	u32 last;	/* type of the last record */
	u32 seen;	/* bit mask of the types of this version that have occurred */
	u32 engines;	/* number of GSLOT_MIG_ENGINE */
};

void gslot_stream_init(struct gslot_stream_reader *r, void *buf);
int gslot_stream_read(struct gslot_stream_reader *r, const void *from, u32 len, u32 *used);

/* The runs of entries of GSLOT_MIG_GGTT. */
bool gslot_runs_add(struct gslot_mig_run *runs, u32 *count, u32 room, u32 entry, u64 pte);
bool gslot_run_valid(const struct gslot_mig_run *run, u32 from, u32 limit);
u32 gslot_run_count(const struct gslot_mig_run *run);
u64 gslot_run_pte(const struct gslot_mig_run *run, u32 i);

#endif
