// SPDX-License-Identifier: GPL-2.0
/*
 * What the module's reader says of streams. Standard input: of each stream its length (32 bits,
 * this machine's byte order), and its bytes. A line for each: "ok", "cut", or -errno. For
 * gslot_stream.t, which compares tools/gslot-stream with it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/stream/stream.h"

#define ROOM	(1 << 20)

static void read_all(struct gslot_stream_reader *r, const u8 *stream, u32 len)
{
	static u64 buf[GSLOT_MIG_RECORD_MAX / sizeof(u64)];
	u32 used = 0;

	gslot_stream_init(r, buf);
	while (gslot_stream_read(r, stream, len, &used) > 0)
		;
}

static void print_verdict(const struct gslot_stream_reader *r)
{
	if (r->state == GSLOT_STREAM_FAILED)
		printf("%d\n", r->error);
	else
		puts(r->state == GSLOT_STREAM_ENDED ? "ok" : "cut");
}

int main(void)
{
	static u8 stream[ROOM];
	struct gslot_stream_reader r;
	u32 len;

	while (fread(&len, sizeof(len), 1, stdin) == 1) {
		if (len > ROOM || fread(stream, 1, len, stdin) != len) {
			fprintf(stderr, "stream_verdict: a stream of %u bytes?\n", len);
			return EXIT_FAILURE;
		}
		read_all(&r, stream, len);
		print_verdict(&r);
	}
	return EXIT_SUCCESS;
}
