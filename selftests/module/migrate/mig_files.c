// SPDX-License-Identifier: GPL-2.0
/*
 * The streams that selftests/stream keeps, which earlier versions wrote: this version accepts each
 * of this part, and the vGPU has the state that it names. The guest's memory is empty: contexts of
 * the stream do not run, as after a guest has lost its way.
 *
 *	mig_files --write FILE
 *	mig_files --write-early FILE
 *
 * save a guest at work, for a version that writes another format: in STOP_COPY, and with PRE_COPY.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/pci_regs.h>

#include <gen/pvinfo.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "fence.h"
#include "ggtt.h"
#include "hog.h"
#include "mig_stream.h"
#include "tap.h"
#include "vgpu.h"

/* Names the folder; selftests/module/run sets it. */
#define FOLDER		"GSLOT_STREAMS"
#define MOST_BYTES	MB(1)

static struct mig_stream load_file(const char *path)
{
	struct mig_stream s = { .data = malloc(MOST_BYTES) };
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = -1;

	if (s.data && fd >= 0)
		n = read(fd, s.data, MOST_BYTES);
	if (n < (ssize_t)sizeof(struct gslot_mig_header))
		tap_die("%s cannot be read", path);
	close(fd);
	s.len = n;
	return s;
}

static bool is_of_this_part(const struct gslot_mig_header *file,
			    const struct gslot_mig_header *here)
{
	return file->vendor == here->vendor && file->device == here->device &&
	       file->revision == here->revision;
}

static bool is_saved_again(const struct gslot_mig_record *record, struct gslot_mig_record *saved)
{
	const struct gslot_mig_irq *from = (const void *)(record + 1);
	struct gslot_mig_irq *to = (void *)(saved + 1);
	u32 i;

	if (!saved || saved->length != record->length)
		return false;
	/* An interrupt that the guest has not acknowledged is sent once more. */
	for (i = 0; record->type == GSLOT_MIG_IRQ && i < ARRAY_SIZE(from->iir); i++)
		if (from->master && from->iir[i] & from->ier[i])
			to->msi_pending = from->msi_pending;
	return !memcmp(saved + 1, record + 1, record->length);
}

/*
 * What is saved of the vGPU before it runs is what the file has. A later version may have more. The
 * GGTT of a stream with early records is one record now.
 */
static void check_saved(struct vgpu *vgpu, struct mig_stream *file, const char *name)
{
	size_t at = sizeof(struct gslot_mig_header);
	const struct gslot_mig_record *record;
	u32 last = 0, nth = 0, bad = 0;
	bool early = mig_stream_find(file, GSLOT_MIG_GGTT_EARLY, 0);
	struct mig_stream saved;

	if (mig_save(&vgpu->dev, &saved))
		tap_die("no stream");
	for (; at < file->len; at += sizeof(*record) + record->length) {
		struct gslot_mig_record *other;

		record = (const void *)(file->data + at);
		if (record->type == GSLOT_MIG_END)
			break;
		if (record->type == GSLOT_MIG_GGTT_EARLY ||
		    (early && record->type == GSLOT_MIG_GGTT))
			continue;
		nth = record->type == last ? nth + 1 : 0;
		last = record->type;
		other = mig_stream_find(&saved, record->type, nth);
		if (is_saved_again(record, other))
			continue;
		tap_diag("record %u, of type %#x, is not the same", record->index, record->type);
		bad++;
	}
	tap_ok(at < file->len && !bad, "%s: what it restores is saved again", name);
	mig_free(&saved);
}

static void check_fences(struct vgpu *vgpu, struct mig_stream *file, const char *name)
{
	const u64 *fences = mig_stream_payload(file, GSLOT_MIG_FENCES, 0);
	u32 i, used = 0, bad = 0;

	for (i = 0; i < GSLOT_MIG_NR_FENCES; i++) {
		used += !!fences[i];
		bad += mmio_read(vgpu, GEN_FENCE_LO(i)) != lower_32_bits(fences[i]) ||
		       mmio_read(vgpu, GEN_FENCE_HI(i)) != upper_32_bits(fences[i]);
	}
	tap_ok(used && !bad, "%s: the guest reads its fences", name);
}

/* Put the entries that records of @type name into @ptes. Return: how many runs there are. */
static u32 apply_runs(struct mig_stream *file, u32 type, u64 *ptes)
{
	const struct gslot_mig_record *record;
	u32 i, k, n, runs = 0;

	for (i = 0; (record = mig_stream_find(file, type, i)); i++) {
		const struct gslot_mig_run *run = (const void *)(record + 1);

		for (k = 0; k < record->length / sizeof(*run); k++, run++, runs++)
			for (n = 0; n < (run->count & ~GSLOT_MIG_RUN_ASCENDING); n++)
				ptes[run->entry + n] = run->count & GSLOT_MIG_RUN_ASCENDING ?
						       run->pte + (u64)n * PAGE_SIZE : run->pte;
	}
	return runs;
}

/* Is an entry the vGPU's? */
static bool in_window(const struct vgpu *vgpu, u64 entry)
{
	u64 addr = entry * PAGE_SIZE;

	return addr < vgpu->low_size ||
	       (addr >= GEN_LOW_GM_SIZE && addr < GEN_LOW_GM_SIZE + vgpu->high_size);
}

static void check_ggtt(struct vgpu *vgpu, struct mig_stream *file, const char *name)
{
	bool early = mig_stream_find(file, GSLOT_MIG_GGTT_EARLY, 0);
	u64 *ptes = calloc(GEN_GGTT_ENTRIES, sizeof(*ptes));
	u32 i, bad = 0, early_runs, runs;

	if (!ptes)
		tap_die("no memory");
	early_runs = apply_runs(file, GSLOT_MIG_GGTT_EARLY, ptes);
	runs = apply_runs(file, GSLOT_MIG_GGTT, ptes);
	for (i = 0; i < GEN_GGTT_ENTRIES; i++)
		bad += in_window(vgpu, i) && vgpu->gsm[i] != ptes[i];
	tap_ok(runs && (!early || early_runs) && !bad, "%s: the guest reads its GGTT", name);
	free(ptes);
}

static void check_rest(struct vgpu *vgpu, struct mig_stream *file, const char *name)
{
	const struct gslot_mig_pvinfo *pvinfo = mig_stream_payload(file, GSLOT_MIG_PVINFO, 0);
	const u8 *config = mig_stream_payload(file, GSLOT_MIG_CONFIG, 0);

	tap_eq(mmio_read(vgpu, PVINFO_BASE + PVINFO_O_FRAMES), pvinfo->frames,
	       "%s: the guest reads its frames", name);
	tap_eq(vfio_config_read(&vgpu->dev, PCI_BASE_ADDRESS_0, 4),
	       *(const u32 *)(config + PCI_BASE_ADDRESS_0), "%s: and where its BAR 0 is", name);
}

static void check_file(struct vgpu *vgpu, struct mig_stream *file, const char *name)
{
	vgpu_reset(vgpu);
	tap_eq(-mig_load(&vgpu->dev, file, MB(1)), 0, "%s: it is accepted", name);
	vfio_set_msi(&vgpu->dev, vgpu->msi);
	if (!tap_eq(-mig_set(&vgpu->dev, MIG_STOP, NULL), 0, "%s: the vGPU is restored", name))
		return;
	check_saved(vgpu, file, name);
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "%s: the vGPU runs", name);
	check_fences(vgpu, file, name);
	check_ggtt(vgpu, file, name);
	check_rest(vgpu, file, name);
	tap_ok(vgpu_works(vgpu), "%s: the vGPU works after a reset", name);
}

static struct gslot_mig_header header_of(struct vgpu *vgpu)
{
	struct gslot_mig_header header;
	struct mig_stream s;

	if (mig_save(&vgpu->dev, &s))
		tap_die("no stream");
	header = *mig_stream_header(&s);
	mig_free(&s);
	return header;
}

static void check_files(const char *folder)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct gslot_mig_header here = header_of(vgpu);
	char pattern[300], why[80];
	u32 checked = 0;
	glob_t found;
	size_t i;

	snprintf(pattern, sizeof(pattern), "%s/*.stream", folder);
	if (glob(pattern, 0, NULL, &found))
		tap_die("no %s", pattern);
	for (i = 0; i < found.gl_pathc; i++) {
		struct mig_stream file = load_file(found.gl_pathv[i]);

		if (is_of_this_part(mig_stream_header(&file), &here)) {
			check_file(vgpu, &file, strrchr(found.gl_pathv[i], '/') + 1);
			checked++;
		}
		mig_free(&file);
	}
	globfree(&found);
	snprintf(why, sizeof(why), "none of this part: %04x:%04x, revision %u", here.vendor,
		 here.device, here.revision);
	if (!checked)
		tap_skip(why, "streams that are kept");
	vgpu_free(vgpu);
}

/**
 * struct guest - a guest at work
 * @done: a context whose request has completed, with its interrupt pending
 * @first: a context in a second-level batch
 * @second: one behind it
 * @next: one in a list that waits
 * @half: one whose submission is incomplete
 * @hog: work that does not yield, so its engine is hung
 */
struct guest {
	struct context done;
	struct context first;
	struct context second;
	struct context next;
	struct context half;
	struct hog hog;
};

#define BATCH_ADDR	0x200000000000ULL

static void write_state(struct vgpu *vgpu)
{
	u64 last = GEN_LOW_GM_SIZE + vgpu->high_size - PAGE_SIZE;
	u64 gpa = ram_alloc(&vgpu->ram, 32), low = ggtt_bind_low(vgpu, gpa, 32);
	u32 i;

	fence_set(vgpu, 3, &tilings[0], low, 32, 4096);
	mmio_write(vgpu, GEN_PAT_LO, 0x12345678);
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_FRAMES, 17);
	vfio_config_write(&vgpu->dev, PCI_BASE_ADDRESS_0, 4, 0xf1000000);
	vfio_config_write(&vgpu->dev, PCI_BASE_ADDRESS_2, 4, 0xa0000000);
	/* One page for all, as a driver maps its scratch page. */
	for (i = 0; i < 16; i++)
		ggtt_set(vgpu, last - i * PAGE_SIZE, gpa | GEN_PTE_PRESENT);
	ggtt_flush(vgpu);
}

/* Its interrupt is latched: they are disabled. */
static void complete(struct context *ctx, struct vgpu *vgpu)
{
	context_init(ctx, vgpu, BCS, NULL);
	mmio_write(vgpu, GEN_MASTER_IRQ, 0);
	request_begin(ctx);
	if (!request_run(ctx, request_end(ctx)))
		tap_die("no request runs");
}

/* A batch that calls @spin as a second-level batch. */
static void call_batch(struct context *ctx, const struct spinner *spin)
{
	u64 gpa = ram_alloc(&ctx->vgpu->ram, 1);
	struct cs cs;

	ppgtt_map(ctx->ppgtt, BATCH_ADDR, gpa, 1);
	cs_init(&cs, ram_ptr(&ctx->vgpu->ram, gpa), PAGE_SIZE);
	cs_dw(&cs, MI_CMD(OP_MI_BATCH_BUFFER_START) | MI_BB_SECOND_LEVEL | MI_BB_PPGTT | 1);
	cs_dw(&cs, lower_32_bits(spin->addr));
	cs_dw(&cs, upper_32_bits(spin->addr));
	cs_end(&cs);
	cs_arb(&ctx->ring, true);
	cs_batch(&ctx->ring, PPGTT, BATCH_ADDR);
}

static void begin_work(struct guest *guest, struct vgpu *vgpu)
{
	struct spinner spin;
	u32 seqno;

	context_init(&guest->first, vgpu, RCS, NULL);
	context_init(&guest->second, vgpu, RCS, NULL);
	spinner_init(&spin, &guest->first, true);
	request_begin(&guest->first);
	call_batch(&guest->first, &spin);
	seqno = request_end(&guest->first);
	request_begin(&guest->second);
	request_end(&guest->second);
	context_submit2(&guest->first, &guest->second);
	hog_init(&guest->hog, vgpu, VECS);
	if (!request_wait_started(&guest->first, seqno, SOON_MS) ||
	    !engine_wait_promoted(guest->first.engine, SOON_MS) ||
	    !wait_for(hog_started(&guest->hog), SOON_MS))
		tap_die("no request starts");
	/* The batch comes right after. */
	sleep_us(20000);
}

/* The vGPU is stopped: a list that waits, and a part of one. */
static void submit_more(struct guest *guest, struct vgpu *vgpu)
{
	u32 desc;

	context_init(&guest->next, vgpu, RCS, NULL);
	request_begin(&guest->next);
	request_end(&guest->next);
	context_submit(&guest->next);
	context_init(&guest->half, vgpu, VCS, NULL);
	desc = upper_32_bits(context_desc(&guest->half));
	engine_write(guest->half.engine, RING_ELSP, 0);
	engine_write(guest->half.engine, RING_ELSP, 0);
	engine_write(guest->half.engine, RING_ELSP, desc);
	mmio_write(vgpu, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
}

static void store_file(const char *path, const struct mig_stream *s)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	tap_ok(fd >= 0 && write(fd, s->data, s->len) == (ssize_t)s->len, "%s is written", path);
	close(fd);
}

/* Save the early part of a vGPU that runs, in PRE_COPY. Return: the data file. */
static int save_early(struct vgpu *vgpu, struct mig_stream *s)
{
	int fd;

	memset(s, 0, sizeof(*s));
	if (mig_set(&vgpu->dev, MIG_PRE_COPY, &fd) || mig_read(fd, s) != -ENOMSG)
		tap_die("no early part");
	return fd;
}

/* Entries that are not those of the early part any more: others, none, and new ones. */
static void change_ggtt(struct vgpu *vgpu)
{
	u64 last = GEN_LOW_GM_SIZE + vgpu->high_size - PAGE_SIZE;
	u64 gpa = ram_alloc(&vgpu->ram, 4);
	u32 i;

	for (i = 0; i < 4; i++)
		ggtt_set(vgpu, last - (2 + i) * PAGE_SIZE, (gpa + i * PAGE_SIZE) | GEN_PTE_PRESENT);
	ggtt_set(vgpu, last - 8 * PAGE_SIZE, 0);
	ggtt_bind_low(vgpu, gpa, 4);
	ggtt_flush(vgpu);
}

static void write_file(const char *path, bool early)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct mig_stream s;
	struct guest guest;
	int fd = -1;

	write_state(vgpu);
	if (early)
		fd = save_early(vgpu, &s);
	complete(&guest.done, vgpu);
	begin_work(&guest, vgpu);
	if (early)
		change_ggtt(vgpu);
	else if (mig_set(&vgpu->dev, MIG_STOP, NULL))
		tap_die("the vGPU does not stop");
	submit_more(&guest, vgpu);
	if (early ? mig_set(&vgpu->dev, MIG_STOP_COPY, NULL) || mig_read(fd, &s) :
		    mig_save(&vgpu->dev, &s))
		tap_die("no stream");
	store_file(path, &s);
	mig_free(&s);
	vgpu_free(vgpu);
}

int main(int argc, char **argv)
{
	const char *folder = getenv(FOLDER);

	vgpu_test_init(120);
	if (argc == 3 && !strcmp(argv[1], "--write"))
		write_file(argv[2], false);
	else if (argc == 3 && !strcmp(argv[1], "--write-early"))
		write_file(argv[2], true);
	else if (folder)
		check_files(folder);
	else
		tap_skip_all(FOLDER " does not name the folder of the streams");
	return vgpu_test_done();
}
