// SPDX-License-Identifier: GPL-2.0
/*
 * Streams that no vGPU has written: cut, corrupted, of another vGPU, hostile with a good checksum.
 * Each is refused, or does no more than the guest could have done by itself, and the vGPU works
 * after a reset.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <uapi/gslot_migration.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "fence.h"
#include "file.h"
#include "ggtt.h"
#include "gpu.h"
#include "mig_stream.h"
#include "migration.h"
#include "rng.h"
#include "size.h"
#include "tap.h"
#include "tracing.h"
#include "vgpu.h"

static struct rng rng;

/*
 * Load a stream. Return: whether it is refused, at the write or at the end of RESUMING; it stays
 * refused, and the vGPU works after a reset.
 */
static bool is_refused(struct vgpu *vgpu, const struct mig_stream *s, size_t piece)
{
	bool written, resumed;

	if (!vgpu_reset(vgpu))
		return false;
	written = !mig_load(&vgpu->dev, s, piece);
	resumed = !mig_set(&vgpu->dev, MIG_STOP, NULL);
	if (resumed != (mig_get(&vgpu->dev) == MIG_STOP) ||
	    (!resumed && mig_get(&vgpu->dev) != MIG_ERROR) || (!written && resumed))
		tap_ok(false, "in state %d", mig_get(&vgpu->dev));
	return !resumed;
}

static void check_refused(struct vgpu *vgpu, const struct mig_stream *s, const char *what)
{
	tap_ok(is_refused(vgpu, s, MB(1)), "%s: refused", what);
}

static void check_cut(struct vgpu *vgpu, const struct mig_stream *good)
{
	struct mig_stream s = mig_stream_copy(good);
	u32 accepted = 0;

	/* Every byte of the header and of the last records, and a step of 31 in between. */
	for (s.len = 0; s.len < good->len;
	     s.len += s.len < sizeof(struct gslot_mig_header) || s.len + 200 > good->len ? 1 : 31)
		accepted += !is_refused(vgpu, &s, MB(1));
	tap_eq(accepted, 0, "cut streams are refused");
	s.len = good->len;
	tap_ok(!is_refused(vgpu, &s, 1), "the whole one, byte by byte, is not");
	s.data[s.len++] = 0;
	check_refused(vgpu, &s, "a byte too many");
	mig_free(&s);
}

static void check_flipped(struct vgpu *vgpu, const struct mig_stream *good)
{
	struct mig_stream s = mig_stream_copy(good);
	u32 i, accepted = 0;

	for (i = 0; i < 300; i++) {
		u32 bit = rng_u64(&rng) % (s.len * 8);

		s.data[bit / 8] ^= 1 << bit % 8;
		accepted += !is_refused(vgpu, &s, MB(1));
		s.data[bit / 8] ^= 1 << bit % 8;
	}
	tap_eq(accepted, 0, "streams with a bit changed are refused");
	mig_free(&s);
}

#define TRACE_SIZE	0x10000

/*
 * @change: to the header. It is refused by the write that completes the header, and @line is what
 * the module says: in the trace, as the log has a line in five seconds only.
 */
static void check_header(struct vgpu *vgpu, const struct mig_stream *good,
			 void (*change)(struct gslot_mig_header *header), const char *line)
{
	static char trace[TRACE_SIZE];
	struct mig_stream s = mig_stream_copy(good);
	char *found;
	int fd;
	ssize_t n;

	change(mig_stream_header(&s));
	mig_stream_fix(&s);
	vgpu_reset(vgpu);
	tracing_forget();
	if (mig_set(&vgpu->dev, MIG_RESUMING, &fd))
		tap_die("no RESUMING");
	n = write(fd, s.data, sizeof(struct gslot_mig_header));
	tap_ok(n < 0 && errno == EINVAL, "another header: %s: the first write is refused", line);
	n = write(fd, s.data + sizeof(struct gslot_mig_header), 1);
	tap_ok(n < 0 && errno == EINVAL, "another header: %s: and all others", line);
	close(fd);
	tracing_read(trace, sizeof(trace));
	found = strstr(trace, "refused_stream: ");
	tap_ok(found && strstr(found, line) && !strstr(found + 1, "refused_stream: "),
	       "another header: %s: one error says so", line);
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), EINVAL, "another header: %s: an error", line);
	mig_free(&s);
}

static void change_device(struct gslot_mig_header *h) { h->device ^= 1; }
static void change_revision(struct gslot_mig_header *h) { h->revision++; }
static void change_gen(struct gslot_mig_header *h) { h->gen ^= 1; }
static void change_fences(struct gslot_mig_header *h) { h->nr_fences--; }
static void change_pvinfo(struct gslot_mig_header *h) { h->pvinfo_version++; }
static void change_caps(struct gslot_mig_header *h) { h->pvinfo_caps ^= 1; }
static void change_low(struct gslot_mig_header *h) { h->low_size += MB(2); }
static void change_high(struct gslot_mig_header *h) { h->high_size -= MB(2); }
static void change_ggtt(struct gslot_mig_header *h) { h->ggtt_size /= 2; }
static void change_fuse(struct gslot_mig_header *h) { h->fuse[2].value ^= 0x10; }

/* One that has a value, of those that the guest reads. */
static void remove_fuse(struct gslot_mig_header *h)
{
	u32 i;

	for (i = 0; !h->fuse[i].value; i++)
		;
	for (h->nr_fuses--; i < h->nr_fuses; i++)
		h->fuse[i] = h->fuse[i + 1];
	memset(&h->fuse[i], 0, sizeof(h->fuse[i]));
}

static void add_fuse(struct gslot_mig_header *h)
{
	h->fuse[h->nr_fuses].offset = h->fuse[h->nr_fuses - 1].offset + 4;
	h->fuse[h->nr_fuses++].value = 1;
}

/* This vGPU does not have it, so its guest reads 0: the same. */
static void add_zero_fuse(struct gslot_mig_header *h)
{
	add_fuse(h);
	h->fuse[h->nr_fuses - 1].value = 0;
}

static void set_reserved(struct gslot_mig_header *h) { h->reserved[1] = 1; }

static void check_headers(struct vgpu *vgpu, const struct mig_stream *good)
{
	struct mig_stream s = mig_stream_copy(good);

	add_zero_fuse(mig_stream_header(&s));
	mig_stream_fix(&s);
	tap_ok(!is_refused(vgpu, &s, MB(1)), "a fuse that reads 0 everywhere");
	mig_free(&s);
	if (!tracing_start("gslot_guest_error")) {
		tap_skip("this kernel has no tracepoints", "other headers");
		return;
	}
	check_header(vgpu, good, change_device, "the PCI device is");
	check_header(vgpu, good, change_revision, "the revision is");
	check_header(vgpu, good, change_gen, "the generation is");
	check_header(vgpu, good, change_fences, "the number of fences is");
	check_header(vgpu, good, change_pvinfo, "the version of PVINFO is");
	check_header(vgpu, good, change_caps, "the capabilities in PVINFO is");
	check_header(vgpu, good, change_low, "low graphics memory is");
	check_header(vgpu, good, change_high, "high graphics memory is");
	check_header(vgpu, good, change_ggtt, "the size of the GGTT is");
	check_header(vgpu, good, change_fuse, "the fuse at ");
	check_header(vgpu, good, remove_fuse, "the fuse at ");
	check_header(vgpu, good, add_fuse, "the fuse at ");
	check_header(vgpu, good, set_reserved, "header (-22)");
	tracing_stop();
}

/* Fuses are those that the guest reads, which are not all those of the GPU. */
static void check_fuses(struct vgpu *vgpu, struct mig_stream *good)
{
	const struct gslot_mig_header *header = mig_stream_header(good);
	u32 i, bad = 0, found = 0;

	for (i = 0; i < header->nr_fuses; i++) {
		bad += header->fuse[i].value != mmio_read(vgpu, header->fuse[i].offset);
		found += header->fuse[i].offset == GEN_RP_STATE_CAP;
	}
	tap_ok(header->nr_fuses && found && !bad, "the header has the fuses that the guest reads");
}

/* Payloads that a guest could not have caused, with a good checksum. */
#define HOSTILE_PART(what, type, of, nth, change) do {			\
	struct mig_stream s = mig_stream_copy(good);				\
	type *p = mig_stream_payload(&s, of, nth);					\
									\
	change;								\
	mig_stream_fix(&s);							\
	check_refused(vgpu, &s, what);					\
	mig_free(&s);							\
} while (0)

#define HOSTILE_AT(what, ...)		HOSTILE_PART(what, __VA_ARGS__)
#define HOSTILE(what, of, ...)		HOSTILE_AT(what, of, 0, __VA_ARGS__)

/* What a record of a type has, and its type. */
#define OF_REGS		struct gslot_mig_reg, GSLOT_MIG_REGS
#define OF_RUNS		struct gslot_mig_run, GSLOT_MIG_GGTT
#define OF_ENGINE	struct gslot_mig_engine, GSLOT_MIG_ENGINE
#define OF_IRQ		struct gslot_mig_irq, GSLOT_MIG_IRQ

/* The first register of a stream at or behind @offset; else the last one. */
static struct gslot_mig_reg *reg_near(struct mig_stream *s, u32 offset)
{
	struct gslot_mig_record *record;
	struct gslot_mig_reg *reg = NULL;
	u32 i, k;

	for (i = 0; (record = mig_stream_find(s, GSLOT_MIG_REGS, i)); i++)
		for (k = 0; k < record->length / sizeof(*reg); k++) {
			reg = (struct gslot_mig_reg *)(record + 1) + k;
			if (reg->offset >= offset)
				return reg;
		}
	return reg;
}

/* Another register in place of one of the stream; they are still in order. */
static bool takes_reg(struct vgpu *vgpu, const struct mig_stream *good, u32 offset, u32 value)
{
	struct mig_stream s = mig_stream_copy(good);
	bool taken;

	*reg_near(&s, offset) = (struct gslot_mig_reg) { .offset = offset, .value = value };
	mig_stream_fix(&s);
	taken = !is_refused(vgpu, &s, MB(1));
	mig_free(&s);
	return taken && mmio_read(vgpu, offset) == value;
}

static void check_regs(struct vgpu *vgpu, const struct mig_stream *good)
{
	tap_ok(takes_reg(vgpu, good, GEN_PCODE_MAILBOX, 0x500),
	       "a register that a guest can write");
	tap_ok(!takes_reg(vgpu, good, GEN_PCODE_MAILBOX, PCODE_READY | 0x500),
	       "a mailbox that is never ready: refused");
	tap_ok(!takes_reg(vgpu, good, GEN_MCHBAR_FIRST + 16, 1),
	       "a register that no guest can write: refused");
	tap_ok(takes_reg(vgpu, good, GEN_FORCEWAKE_GT_ACK, 1),
	       "a register that the module writes for the guest");
	/* A wedged GPU stays behind: else the guest would wait for its reset for ever. */
	tap_ok(!takes_reg(vgpu, good, GEN_GDRST, GDRST_FULL), "a reset that never ends: refused");
}

/* Those that are not named are 0, even if they are not 0 after a reset. */
static void check_unnamed(struct vgpu *vgpu)
{
	u32 emr = engine_infos[VECS].base + RING_EMR;
	struct mig_stream s;

	vfio_device_reset(&vgpu->dev);
	tap_eq(mmio_read(vgpu, emr), ~0u, "a register that is not 0 after a reset");
	if (mig_save(&vgpu->dev, &s))
		tap_die("no stream");
	tap_ok(!is_refused(vgpu, &s, MB(1)) && mmio_read(vgpu, emr) == ~0u &&
	       reg_near(&s, emr)->offset == emr, "a stream names it");
	/* Another one in its place. */
	reg_near(&s, emr)->offset = engine_infos[VECS].base + RING_HWSTAM;
	mig_stream_fix(&s);
	tap_ok(!is_refused(vgpu, &s, MB(1)), "a stream that does not name it");
	tap_eq(mmio_read(vgpu, emr), 0, "then it is 0");
	mig_free(&s);
}

static void in_second(struct gslot_mig_engine *engine, u64 addr)
{
	engine->flags = GSLOT_MIG_ENGINE_BATCH;
	engine->batch = (struct gslot_mig_batch) {
		.lrca = 0x10000000, .addr = 0x1001, .second_addr = addr,
	};
}

/* In order, so that nothing but its offset is a reason. */
static void check_refused_reg(struct vgpu *vgpu, const struct mig_stream *good, u32 offset,
			      const char *what)
{
	struct mig_stream s = mig_stream_copy(good);

	reg_near(&s, offset)->offset = offset;
	mig_stream_fix(&s);
	check_refused(vgpu, &s, what);
	mig_free(&s);
}

static void check_hostile(struct vgpu *vgpu, const struct mig_stream *good)
{
	u64 low_end = vgpu->low_size / PAGE_SIZE;
	u64 high_end = (GEN_LOW_GM_SIZE + vgpu->high_size) / PAGE_SIZE;

	check_refused_reg(vgpu, good, 0x1ffffc, "a register that is none");
	check_refused_reg(vgpu, good, 0x200000, "a register behind all");
	check_refused_reg(vgpu, good, 0xfffffffc, "a register far away");
	HOSTILE("half a register", OF_REGS, p->offset += 2);
	check_refused_reg(vgpu, good, GEN_FUSE2, "a fuse");
	check_refused_reg(vgpu, good, GEN_MASTER_IRQ, "a register with a handler");
	HOSTILE("registers out of order", OF_REGS, p[1].offset = p[0].offset);
	HOSTILE("entries behind low graphics memory", OF_RUNS,
		(p->entry = low_end - 1, p->count = 2));
	HOSTILE("entries behind high graphics memory", OF_RUNS,
		(p->entry = high_end - 1, p->count = 2));
	HOSTILE("entries between both", OF_RUNS, p->entry = low_end);
	HOSTILE("no entries", OF_RUNS, p->count = 0);
	HOSTILE("more entries than there are", OF_RUNS, p->count = 0x7fffffff);
	HOSTILE("entries that overflow", OF_RUNS,
		(p->count = GSLOT_MIG_RUN_ASCENDING | 2, p->pte = ~0ULL - 4094));
	HOSTILE("entries out of order", OF_RUNS, p[1].entry = p[0].entry);
	HOSTILE("an engine in place of another", OF_ENGINE, p->engine = 1);
	HOSTILE("an engine that is none", OF_ENGINE, p->engine = 4);
	HOSTILE("too many active elements", OF_ENGINE, p->nr_active = 3);
	HOSTILE("too many submissions", OF_ENGINE, p->nr_submits = GSLOT_MIG_NR_SUBMITS + 1);
	HOSTILE("a submission that is not counted", OF_ENGINE, p->submit[2][1] = 1);
	HOSTILE("an unknown flag", OF_ENGINE, p->flags = 4);
	HOSTILE("too much of a submission", OF_ENGINE, p->nr_elsp = 4);
	HOSTILE("a CSB pointer too large", OF_ENGINE, p->csb_ptr = 6);
	HOSTILE("a batch of no context", OF_ENGINE,
		(p->flags = GSLOT_MIG_ENGINE_BATCH, p->batch.addr = 0x1001));
	HOSTILE("a batch that is not valid", OF_ENGINE,
		(p->flags = GSLOT_MIG_ENGINE_BATCH, p->batch.lrca = 0x10000000,
		 p->batch.addr = 0x1000));
	HOSTILE("a batch behind 48 bits", OF_ENGINE,
		(p->flags = GSLOT_MIG_ENGINE_BATCH, p->batch.lrca = 0x10000000,
		 p->batch.addr = 1ULL << 48 | 1));
	HOSTILE("a batch that is not said to be there", OF_ENGINE,
		(p->batch.lrca = 0x10000000, p->batch.addr = 0x1001));
	HOSTILE_AT("a batch of the blitter", OF_ENGINE, 1,
		   (p->flags = GSLOT_MIG_ENGINE_BATCH, p->batch.lrca = 0x10000000,
		    p->batch.addr = 0x1001));
	HOSTILE("a second-level batch that is not valid", OF_ENGINE,
		in_second(p, 0x2000));
	HOSTILE("a second-level batch behind 48 bits", OF_ENGINE,
		in_second(p, 1ULL << 48 | 1));
	HOSTILE("a second-level batch with privilege", OF_ENGINE,
		in_second(p, 0x2003));
	HOSTILE("a second-level batch alone", OF_ENGINE,
		(in_second(p, 0x2001), p->batch.addr = 0));
	HOSTILE("an interrupt enable that is no bit", OF_IRQ, p->master = 2);
}

/* The form of the stream, with good checksums. */
static void check_form(struct vgpu *vgpu, const struct mig_stream *good)
{
	struct mig_stream s = mig_stream_copy(good);
	struct gslot_mig_record *record;

	record = mig_stream_find(&s, GSLOT_MIG_PVINFO, 0);
	record->length = 0xffffffff;
	check_refused(vgpu, &s, "a length of 4 GB");
	mig_free(&s);

	s = mig_stream_copy(good);
	record = mig_stream_find(&s, GSLOT_MIG_FENCES, 0);
	record->index--;
	mig_stream_fix(&s);
	check_refused(vgpu, &s, "a record's number twice");
	mig_free(&s);

	s = mig_stream_copy(good);
	mig_stream_find(&s, GSLOT_MIG_COUNTERS, 0)->type = 0x91;
	mig_stream_fix(&s);
	tap_ok(!is_refused(vgpu, &s, MB(1)), "an optional record that is unknown: skipped");
	mig_stream_find(&s, 0x91, 0)->flags = GSLOT_MIG_MANDATORY;
	mig_stream_fix(&s);
	check_refused(vgpu, &s, "a mandatory record that is unknown");
	mig_free(&s);

	s = mig_stream_copy(good);
	mig_stream_header(&s)->version = 2;
	mig_stream_fix(&s);
	check_refused(vgpu, &s, "a later version");
	mig_free(&s);
}

/* Valid values that make no sense to the guest: it runs, and its own recovery helps. */
static void check_wild(struct vgpu *vgpu, const struct mig_stream *good)
{
	struct mig_stream s;
	u32 i, k, bad = 0;

	for (i = 0; i < 100; i++) {
		s = mig_stream_copy(good);
		for (k = 0; k < GSLOT_MIG_NR_ENGINES; k++)
			mig_stream_make_wild(mig_stream_payload(&s, GSLOT_MIG_ENGINE, k), &rng);
		for (k = 0; k < 32; k++)
			((u64 *)mig_stream_payload(&s, GSLOT_MIG_FENCES, 0))[k] = rng_u64(&rng);
		for (k = 0; k < GSLOT_MIG_CONFIG_SIZE; k++)
			((u8 *)mig_stream_payload(&s, GSLOT_MIG_CONFIG, 0))[k] = rng_u64(&rng);
		mig_stream_fix(&s);
		bad += is_refused(vgpu, &s, MB(1));
		bad += !!mig_set(&vgpu->dev, MIG_RUNNING, NULL);
		bad += vfio_config_read(&vgpu->dev, 0, 2) != 0x8086;
		sleep_us(2000);
		mig_free(&s);
	}
	tap_eq(bad, 0, "wild values are those of a guest that has lost its way");
	tap_ok(vgpu_works(vgpu), "wild values: the vGPU works after a reset");
}

/* How much is read or written at a time. */
#define PIECE	37

struct racer {
	int fd;
	const struct mig_stream *stream;
	u8 *got;
	size_t len;
};

static void *read_some(void *arg)
{
	struct racer *r = arg;
	ssize_t n;

	while ((n = read(r->fd, r->got + r->len, PIECE)) > 0)
		r->len += n;
	return NULL;
}

static void *write_some(void *arg)
{
	struct racer *r = arg;
	size_t done;

	for (done = 0; done < r->stream->len; done += PIECE)
		if (write(r->fd, r->stream->data + done,
			  r->stream->len - done < PIECE ? r->stream->len - done : PIECE) < 0)
			break;
	return NULL;
}

static int compare_pieces(const void *a, const void *b)
{
	return memcmp(a, b, PIECE);
}

/* Two threads that read one file get each piece once. */
static void check_readers(struct vgpu *vgpu)
{
	struct racer racers[2];
	pthread_t threads[2];
	struct mig_stream whole, both;
	u32 i;
	int fd;

	vgpu_reset(vgpu);
	if (mig_save(&vgpu->dev, &whole) || mig_set(&vgpu->dev, MIG_STOP, NULL) ||
	    mig_set(&vgpu->dev, MIG_STOP_COPY, &fd))
		tap_die("no STOP_COPY");
	for (i = 0; i < 2; i++) {
		racers[i] = (struct racer) { .fd = fd, .got = calloc(1, MB(1)) };
		pthread_create(&threads[i], NULL, read_some, &racers[i]);
	}
	for (i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	close(fd);
	both = (struct mig_stream) {
		.data = calloc(1, whole.len + PIECE),
		.len = racers[0].len + racers[1].len,
	};
	if (tap_eq(both.len, whole.len, "two threads that read get all bytes")) {
		/* The last piece, which may be shorter, comes last. */
		u32 last = racers[0].len % PIECE ? 0 : 1;

		memcpy(both.data, racers[!last].got, racers[!last].len);
		memcpy(both.data + racers[!last].len, racers[last].got, racers[last].len);
		qsort(both.data, both.len / PIECE, PIECE, compare_pieces);
		qsort(whole.data, whole.len / PIECE, PIECE, compare_pieces);
		tap_ok(!memcmp(both.data, whole.data, whole.len), "and each byte once");
	}
	mig_free(&both);
	mig_free(&whole);
	free(racers[0].got);
	free(racers[1].got);
}

/* Two threads write one file: whatever becomes of the stream, the vGPU works after a reset. */
static void check_writers(struct vgpu *vgpu, const struct mig_stream *good)
{
	struct racer racers[2];
	pthread_t threads[2];
	u32 i, round;
	int fd;

	for (round = 0; round < 20; round++) {
		vgpu_reset(vgpu);
		if (mig_set(&vgpu->dev, MIG_RESUMING, &fd))
			tap_die("no RESUMING");
		for (i = 0; i < 2; i++) {
			racers[i] = (struct racer) { .fd = fd, .stream = good };
			pthread_create(&threads[i], NULL, write_some, &racers[i]);
		}
		/* The states change meanwhile. */
		if (round % 2)
			mig_set(&vgpu->dev, round % 4 == 1 ? MIG_STOP : MIG_RUNNING, NULL);
		if (round % 5 == 4)
			vfio_device_reset(&vgpu->dev);
		for (i = 0; i < 2; i++)
			pthread_join(threads[i], NULL);
		close(fd);
	}
	tap_ok(vgpu_works(vgpu), "two threads that write: the vGPU works after a reset");
}

/* A page that cannot be written or read, in the middle of the buffer. */
static void check_faults(struct vgpu *vgpu, const struct mig_stream *good)
{
	u8 *p = mmap(NULL, 2 * PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		     0);
	size_t len = good->len < PAGE_SIZE ? good->len : PAGE_SIZE;
	ssize_t n;
	int fd;

	mprotect(p + PAGE_SIZE, PAGE_SIZE, PROT_NONE);
	vgpu_reset(vgpu);
	if (mig_set(&vgpu->dev, MIG_STOP_COPY, &fd))
		tap_die("no STOP_COPY");
	n = read(fd, p + PAGE_SIZE - 8, 64);
	tap_ok(n < 0 && errno == EFAULT, "a read into memory that is none");
	n = read(fd, p, 8);
	tap_ok(n == 8 && !memcmp(p, "gslotmig", 8), "it has taken nothing off the stream");
	close(fd);
	vgpu_reset(vgpu);
	if (mig_set(&vgpu->dev, MIG_RESUMING, &fd))
		tap_die("no RESUMING");
	n = write(fd, p + PAGE_SIZE - 8, 64);
	tap_ok(n < 0 && errno == EFAULT, "a write from memory that is none");
	tap_ok(write(fd, good->data, len) == (ssize_t)len, "it has put nothing into the stream");
	close(fd);
	munmap(p, 2 * PAGE_SIZE);
}

/* What a vGPU owes, or -1. */
static long long debt_of(const struct vgpu *vgpu)
{
	char path[MDEV_PATH_MAX], text[8192];
	const char *at;

	if (!counters_gpu_path(path, "sched") || file_read(path, text, sizeof(text)) <= 0)
		return -1;
	at = strstr(text, vgpu->uuid);
	at = at ? strstr(at, "debt_ns=") : NULL;
	return at ? atoll(at + strlen("debt_ns=")) : -1;
}

/* Debts are those of a vGPU that runs: until then a stream may be given up. */
static void check_debts(struct vgpu *vgpu, const struct mig_stream *good)
{
	struct mig_stream s = mig_stream_copy(good), again;
	struct gslot_mig_debt *debts = mig_stream_payload(&s, GSLOT_MIG_DEBTS, 0);
	u32 i;

	for (i = 0; i < GSLOT_MIG_NR_ENGINES; i++)
		debts[i].debt_ns = 10000000000ULL;
	mig_stream_fix(&s);
	vgpu_reset(vgpu);
	if (mig_load(&vgpu->dev, &s, MB(1)))
		tap_die("the stream is refused");
	tap_eq(debt_of(vgpu), 0, "a stream with debts: the vGPU owes nothing yet");
	if (mig_save(&vgpu->dev, &again))
		tap_die("no stream");
	debts = mig_stream_payload(&again, GSLOT_MIG_DEBTS, 0);
	tap_ok(debts[3].debt_ns == 10000000000ULL, "a stream with debts: they travel on");
	mig_free(&again);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "a stream with debts: the vGPU runs");
	tap_ok(debt_of(vgpu) > 1000000000, "a stream with debts: it owes now");
	mig_free(&s);
}

/* Return: what a vGPU owes on rcs, having brought a debt on vecs. */
static u64 debt_on_rcs(struct vgpu *vgpu, const struct mig_stream *good)
{
	struct mig_stream s = mig_stream_copy(good), again;
	struct gslot_mig_debt *debts;
	u64 debt;

	debts = mig_stream_payload(&s, GSLOT_MIG_DEBTS, 0);
	debts[3].debt_ns = 2000000000;
	mig_stream_fix(&s);
	vgpu_reset(vgpu);
	if (mig_load(&vgpu->dev, &s, MB(1)) || mig_set(&vgpu->dev, MIG_RUNNING, NULL) ||
	    mig_save(&vgpu->dev, &again))
		tap_die("no stream");
	debt = ((struct gslot_mig_debt *)mig_stream_payload(&again, GSLOT_MIG_DEBTS, 0))->debt_ns;
	mig_free(&again);
	mig_free(&s);
	return debt;
}

/* With places, turns are of all engines together. */
static void check_debts_of_all(const struct mig_stream *good)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);

	tap_eq(debt_on_rcs(vgpu, good), 0, "a debt is one of its engine");
	vgpu_free(vgpu);
	if (!gpu_attr_offers("copy_policy", "slot")) {
		tap_skip("no slots", "with places");
		return;
	}
	tap_eq(-gpu_attr_set("copy_policy", "slot"), 0, "vGPUs have places");
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(debt_on_rcs(vgpu, good) > 0, "with places it is one of all engines");
	vgpu_free(vgpu);
	tap_eq(-gpu_attr_set("copy_policy", "cached"), 0, "vGPUs have no places again");
}

#define KEPT	32

#define CGROUPS	"/sys/fs/cgroup"
#define GROUP	CGROUPS "/gslot-mig-streams"

/* The kernel's memory of a cgroup, in which this process is alone. */
static u64 group_memory(void)
{
	u64 bytes = 0;

	if (!file_scan_number(GROUP "/memory.stat", "kernel", &bytes))
		tap_die("no statistics of the cgroup");
	return bytes;
}

static bool group_enter(void)
{
	file_write(CGROUPS "/cgroup.subtree_control", "+memory");
	return (!mkdir(GROUP, 0755) || errno == EEXIST) &&
	       !file_write(GROUP "/cgroup.procs", "0") && !access(GROUP "/memory.stat", R_OK);
}

static void group_leave(void)
{
	file_write(CGROUPS "/cgroup.procs", "0");
	rmdir(GROUP);
}

/* A user keeps the data files: they have no data any more. */
static void check_kept(struct vgpu *vgpu)
{
	u64 addr, len = 0, end = GEN_LOW_GM_SIZE + vgpu->high_size, before, one, all;
	int fds[KEPT];
	char byte;
	u32 i;

	if (!group_enter()) {
		tap_skip("no memory cgroups", "data files that are kept");
		return;
	}
	vgpu_reset(vgpu);
	/* Each is a run of its own. */
	for (addr = GEN_LOW_GM_SIZE + MB(64); addr < end; addr += 2 * PAGE_SIZE)
		ggtt_set(vgpu, addr, PAGE_SIZE);
	len = (end - GEN_LOW_GM_SIZE - MB(64)) / (2 * PAGE_SIZE) * sizeof(struct gslot_mig_run);
	before = group_memory();
	for (i = 0; i < KEPT; i++) {
		if (mig_set(&vgpu->dev, MIG_STOP_COPY, &fds[i]))
			tap_die("no STOP_COPY");
		if (!i)
			one = group_memory() - before;
		if (mig_set(&vgpu->dev, MIG_STOP, NULL))
			tap_die("no STOP");
	}
	all = group_memory() - before;
	/* Statistics are updated in batches of some pages per CPU. */
	tap_ok(one > len / 2, "a stream is charged to the user: %llu of %llu kB",
	       (unsigned long long)one / 1024, (unsigned long long)len / 1024);
	tap_ok((long long)all < (long long)len,
	       "data files that are kept have no memory: %lld kB for %u", (long long)all / 1024,
	       KEPT);
	tap_ok(read(fds[0], &byte, 1) < 0 && errno == ENODEV, "nor can they be read");
	for (i = 0; i < KEPT; i++)
		close(fds[i]);
	group_leave();
	tap_ok(vgpu_works(vgpu), "data files that are kept: the vGPU works");
}

/* @before: it is resized before the stream is written, else after that. */
static void check_resized(struct vgpu *vgpu, const struct mig_stream *good, bool before)
{
	const char *when = before ? "before a stream" : "after a stream";
	u32 mb = vgpu->high_size / MB(1);
	ssize_t n;
	int fd;

	vgpu_reset(vgpu);
	if (mig_set(&vgpu->dev, MIG_RESUMING, &fd))
		tap_die("no RESUMING");
	if (before)
		tap_ok(!size_set(vgpu->uuid, HIGH_MB, mb + 128) &&
		       size_now(vgpu->uuid, HIGH_MB) == mb + 128, "%s the vGPU grows", when);
	n = write(fd, good->data, good->len);
	tap_ok(before ? n < 0 && errno == EINVAL : n == (ssize_t)good->len, "%s it grows: %s", when,
	       before ? "the stream is refused" : "it was accepted");
	if (!before)
		tap_ok(!size_set(vgpu->uuid, HIGH_MB, mb + 128) &&
		       size_now(vgpu->uuid, HIGH_MB) == mb + 128, "%s the vGPU grows", when);
	close(fd);
	tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), EINVAL, "%s it grows: an error", when);
	tap_eq(mig_get(&vgpu->dev), MIG_ERROR, "%s it grows: the vGPU has to be reset", when);
	tap_ok(!size_set(vgpu->uuid, HIGH_MB, mb) && vgpu_reset(vgpu) &&
	       !is_refused(vgpu, good, MB(1)), "%s it grew: it gets its size back, and fits", when);
}

/* A stream of a guest with registers, entries and fences. */
static void make(struct vgpu *vgpu, struct mig_stream *stream)
{
	u64 gpa = ram_alloc(&vgpu->ram, 32), low = ggtt_bind_low(vgpu, gpa, 32);
	struct context ctx;

	fence_set(vgpu, 3, &tilings[0], low, 32, 4096);
	context_init(&ctx, vgpu, RCS, NULL);
	request_begin(&ctx);
	if (!request_run(&ctx, request_end(&ctx)) || mig_save(&vgpu->dev, stream))
		tap_die("no stream");
}

int main(void)
{
	struct mig_stream good;
	struct vgpu *vgpu, *large;

	vgpu_test_init(600);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	make(vgpu, &good);
	tap_ok(!is_refused(vgpu, &good, MB(1)), "the stream itself is accepted");
	tap_ok(!is_refused(vgpu, &good, MB(1)), "and once more");
	check_cut(vgpu, &good);
	check_flipped(vgpu, &good);
	check_headers(vgpu, &good);
	check_fuses(vgpu, &good);
	check_hostile(vgpu, &good);
	check_regs(vgpu, &good);
	check_unnamed(vgpu);
	check_form(vgpu, &good);
	check_wild(vgpu, &good);
	check_readers(vgpu);
	check_writers(vgpu, &good);
	check_faults(vgpu, &good);
	check_kept(vgpu);
	check_debts(vgpu, &good);
	check_resized(vgpu, &good, true);
	check_resized(vgpu, &good, false);
	vgpu_free(vgpu);
	check_debts_of_all(&good);
	large = vgpu_new(MDEV_TYPE_LARGE);
	check_refused(large, &good, "a vGPU of another type");
	vgpu_free(large);
	mig_free(&good);
	return vgpu_test_done();
}
