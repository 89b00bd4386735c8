// SPDX-License-Identifier: GPL-2.0
/* Follows a request through all tracepoints; also a reset, an error, and refusals. */
#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gen/gtt.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "fence.h"
#include "ggtt.h"
#include "gpu.h"
#include "guard.h"
#include "migration.h"
#include "pressure.h"
#include "ram.h"
#include "space.h"
#include "tap.h"
#include "tracing.h"
#include "vgpu.h"

#define TRACE_SIZE	0x100000
#define BATCH_ADDR	0x5000
#define NO_COMMAND	0xe0000000
#define NO_REGISTER	0x1fff00
/* More than a megabyte of them */
#define ROOM_PAGES	1000u
/* With fewer pinned, a vGPU does not rest in PRE_COPY. */
#define HOLD_PAGES	1100u

static char *trace;		/* the trace since follow() */
static const char *at;		/* the position of the last event */
static char seen[8192];		/* names of the events found */

static void follow(void)
{
	tracing_read(trace, TRACE_SIZE);
	at = trace;
}

/* The next line of @event with both strings; NULL if there is none. */
static const char *find(const char *from, const char *event, const char *text, const char *more)
{
	char prefix[64], line[512];
	const char *p = from;

	snprintf(prefix, sizeof(prefix), ": %s: ", event);
	while ((p = strstr(p, prefix))) {
		p += strlen(prefix);
		snprintf(line, sizeof(line), "%.*s", (int)strcspn(p, "\n"), p);
		if (strstr(line, text) && strstr(line, more))
			return p;
	}
	return NULL;
}

/* The next event, after the previous one. Return: its line, or an empty one. */
static const char *station(const char *event, const char *text, const char *more)
{
	const char *p = find(at, event, text, more);

	if (!tap_ok(p, "%s: %s %s", event, text, more)) {
		tap_diag("%s", find(trace, event, text, more) ? "out of order:" : "missing from:");
		tap_diag("%.4000s", trace);
		return "";
	}
	at = p;
	strcat(strcat(seen, event), " ");
	return p;
}

static unsigned long long value(const char *line, const char *key)
{
	const char *p = strstr(line, key);

	return p ? strtoull(p + strlen(key), NULL, 0) : 0;
}

static const char *text(const char *fmt, ...) __printf(1, 2);
static const char *text(const char *fmt, ...)
{
	static char buf[4][128];
	static u32 n;
	va_list args;

	va_start(args, fmt);
	vsnprintf(buf[++n % 4], sizeof(buf[0]), fmt, args);
	va_end(args);
	return buf[n % 4];
}

/* An undisturbed request; the guest handles its interrupt only at the end. */
static void run_quietly(struct context *ctx)
{
	struct vgpu *vgpu = ctx->vgpu;
	u32 seqno;

	while (irq_service(vgpu, 10))
		;
	mmio_write(vgpu, GEN_MASTER_IRQ, 0);
	tracing_forget();
	request_begin(ctx);
	seqno = request_end(ctx);
	tap_ok(request_run(ctx, seqno), "%s: a request runs", ctx->engine->info->name);
	mmio_write(vgpu, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
	tap_ok(irq_service(vgpu, SOON_MS), "%s: the guest is interrupted",
	       ctx->engine->info->name);
	follow();
}

static void check_request(struct vgpu *vgpu, u32 engine, bool first)
{
	const char *name = engine_infos[engine].name, *line;
	const char *where = text("%s %s ", vgpu->uuid, name);
	unsigned long long seqno, id;
	struct context ctx;
	char lrca[160];
	u32 tail;

	context_init(&ctx, vgpu, engine, NULL);
	snprintf(lrca, sizeof(lrca), "%slrca=0x%llx ", where, (unsigned long long)ctx.image_ggtt);
	run_quietly(&ctx);
	tail = cs_offset(&ctx.ring);

	station("gslot_guest_submit", lrca, text("desc=0x%llx,0x0",
						 (unsigned long long)context_desc(&ctx)));
	station("gslot_ggtt_sync", vgpu->uuid, " ok");
	station("gslot_ppgtt_sync", lrca, " ok");
	/* The others may find theirs near by. */
	if (first)
		station("gslot_resident_load", vgpu->uuid, "place=0x");
	station("gslot_request_name", vgpu->uuid,
		text("addr=0x%llx ", (unsigned long long)context_slot(&ctx, FENCE_STARTED)));
	station("gslot_request_prepare", lrca, text("from=0x0 to=0x%x bad_cmd=0x0 ok", tail));
	line = station("gslot_request_queue", lrca, text("tail=0x%x", tail));
	seqno = value(line, "seqno=");
	tap_eq(seqno, 1, "%s: the request has a number", name);
	station("gslot_switch", text("%s ", name), text("-> %s ", vgpu->uuid));
	line = station("gslot_request_submit", lrca, text("seqno=%llu ", seqno));
	id = value(line, "ctx=");
	station("gslot_csb", text("%s status=", name), text("complete) ctx=%llu", id));
	station("gslot_request_retire", lrca, text("ctx=%llu seqno=%llu done", id, seqno));
	station("gslot_context_export", lrca, text("at=0x%x registers", tail));
	station("gslot_guest_csb", text("%s %s status=", vgpu->uuid, name),
		text("complete) id=0x%x", (u32)(context_desc(&ctx) >> 32)));
	station("gslot_guest_irq", vgpu->uuid, name);
}

/* With places: the vGPU gets one, and is loaded before it runs. */
static void check_places(void)
{
	struct vgpu *vgpu;

	if (gpu_attr_set("copy_policy", "demand"))
		return;
	tracing_forget();
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(vgpu_works(vgpu), "a vGPU with a place works");
	follow();
	station("gslot_place_move", vgpu->uuid, "from=-1 to=");
	station("gslot_switch", "rcs0|bcs0|vcs0|vecs0 ", text("-> %s ", vgpu->uuid));
	station("gslot_place_load", vgpu->uuid, "why=switch");
	vgpu_free(vgpu);
	gpu_attr_set("copy_policy", "cached");
}

/* Refusals are traced with their reasons. */
static void check_refused(struct vgpu *vgpu)
{
	struct context ctx;

	context_init(&ctx, vgpu, BCS, NULL);
	tracing_forget();
	mmio_read(vgpu, NO_REGISTER);
	ggtt_set(vgpu, ggtt_alloc(vgpu, 1), (RAM_BASE + RAM_SIZE) | GEN_PTE_PRESENT);
	ggtt_flush(vgpu);
	request_begin(&ctx);
	cs_dw(&ctx.ring, NO_COMMAND);
	request_end(&ctx);
	context_submit(&ctx);
	tap_ok(wait_for(engine_read(ctx.engine, RING_EIR), SOON_MS), "an unknown command");
	follow();
	station("gslot_guest_error", vgpu->uuid,
		text("unknown_register: read of %#x", NO_REGISTER));
	station("gslot_guest_error", vgpu->uuid, "bad_ggtt_entry: entry");
	station("gslot_ggtt_sync", vgpu->uuid, "bad=1 ok");
	station("gslot_guest_submit", vgpu->uuid, "bcs0");
	station("gslot_request_prepare", vgpu->uuid, text("bad_cmd=%#x EPERM", NO_COMMAND));
	station("gslot_guest_error", vgpu->uuid, "refused_context: bcs0");
	engine_write(ctx.engine, RING_EIR, ~0u);
	engine_reset(ctx.engine);
}

static void check_reset(struct vgpu *vgpu)
{
	const char *where = text("%s vcs0 ", vgpu->uuid);
	struct spinner spin;
	struct context ctx;
	u32 seqno;

	context_init(&ctx, vgpu, VCS, NULL);
	spinner_init(&spin, &ctx, false);
	tracing_forget();
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "an engine hangs");
	tap_ok(gdrst(vgpu, GDRST_VCS0), "the guest resets it");
	follow();
	station("gslot_request_submit", where, "");
	station("gslot_guest_reset", vgpu->uuid, "vcs0");
	station("gslot_engine_state", where, "-> resetting");
	station("gslot_engine_reset", where, "cancelled");
	station("gslot_request_retire", where, "cancelled");
}

/* An error that the hardware finds, in a batch that is not scanned. */
static void check_error(struct vgpu *vgpu)
{
	const char *where = text("%s rcs0 ", vgpu->uuid);
	u64 gpa = ram_alloc(&vgpu->ram, 1);
	struct context ctx;
	struct cs cs;

	context_init(&ctx, vgpu, RCS, NULL);
	ppgtt_map(ctx.ppgtt, BATCH_ADDR, gpa, 1);
	cs_init(&cs, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
	cs_dw(&cs, NO_COMMAND);
	cs_end(&cs);
	tracing_forget();
	request_begin(&ctx);
	request_batch(&ctx, BATCH_ADDR);
	request_end(&ctx);
	context_submit(&ctx);
	tap_ok(wait_for(engine_read(ctx.engine, RING_EIR), SOON_MS), "the hardware stops");
	follow();
	station("gslot_fault", "rcs0 eir=", "");
	station("gslot_engine_state", where, "owned -> failed");
	station("gslot_engine_state", where, "failed -> resetting");
	station("gslot_engine_reset", where, "error");
	station("gslot_request_retire", where, "error");
	station("gslot_guest_error", vgpu->uuid, "engine_error: rcs0");
	engine_reset(ctx.engine);
}

/* All of low graphics memory under one fence after another: the last does not fit. */
static void check_fences(struct vgpu *vgpu)
{
	u32 pages = vgpu->low_size / PAGE_SIZE, n = GEN_APERTURE_SIZE / vgpu->low_size + 1, value;

	tracing_forget();
	/* The fence with the lowest number applies. */
	while (n--) {
		fence_set(vgpu, n, &tilings[0], 0, pages, KB(1));
		tap_ok(guard_read32(vgpu->aperture, &value), "fence %u is used", n);
	}
	follow();
	station("gslot_aperture_place", vgpu->uuid, "addr=0x0 ");
	station("gslot_aperture_demote", vgpu->uuid, text("for %s", vgpu->uuid));
	station("gslot_aperture_place", vgpu->uuid, "fence=");
	for (n = 0; n < fence_count(vgpu); n++)
		fence_write(vgpu, n, 0);
}

/* The arcs of a change of state, and one that is refused. */
static void check_migration(struct vgpu *vgpu)
{
	tracing_forget();
	tap_ok(!mig_set(&vgpu->dev, MIG_RESUMING, NULL) && mig_set(&vgpu->dev, MIG_RUNNING, NULL),
	       "an empty stream");
	follow();
	station("gslot_mig_state", vgpu->uuid, "RUNNING -> RUNNING_P2P ok");
	station("gslot_mig_state", vgpu->uuid, "RUNNING_P2P -> STOP ok");
	station("gslot_mig_state", vgpu->uuid, "STOP -> RESUMING ok");
	station("gslot_mig_state", vgpu->uuid, "RESUMING -> STOP EINVAL");
	tap_ok(vgpu_reset(vgpu), "a reset ends that");
	if (!mig_has_pre_copy(&vgpu->dev)) {
		tap_skip("this kernel has no PRE_COPY", "a change to PRE_COPY");
		return;
	}
	tracing_forget();
	tap_ok(!mig_set(&vgpu->dev, MIG_PRE_COPY_P2P, NULL) &&
	       !mig_set(&vgpu->dev, MIG_PRE_COPY, NULL), "PRE_COPY");
	follow();
	station("gslot_mig_state", vgpu->uuid, "RUNNING_P2P -> PRE_COPY_P2P ok");
	station("gslot_mig_state", vgpu->uuid, "PRE_COPY_P2P -> PRE_COPY ok");
	tap_ok(vgpu_reset(vgpu), "a reset ends that, too");
}

/* The VMM asks in PRE_COPY how much is left, of a vGPU that has much memory pinned. */
static void check_precopy(struct vgpu *vgpu)
{
	struct mig_stream stream = {};
	u64 initial, dirty;
	struct space s;
	u64 before, pinned;
	int fd;

	if (!mig_has_pre_copy(&vgpu->dev)) {
		tap_skip("this kernel has no PRE_COPY", "a round of PRE_COPY");
		return;
	}
	space_init(&s, vgpu, HOLD_PAGES);
	tap_ok(space_runs(&s, 1) && !mig_set(&vgpu->dev, MIG_PRE_COPY, &fd) &&
	       mig_read(fd, &stream) == -ENOMSG, "PRE_COPY");
	mig_free(&stream);
	before = counters_pins(vgpu);
	tracing_forget();
	mig_pre_copy_info(fd, &initial, &dirty);
	sleep_us(10000);
	tap_ok(!mig_pre_copy_info(fd, &initial, &dirty) && !initial && !dirty,
	       "the VMM asks how much is left");
	tap_ok(wait_for((follow(), strstr(trace, "gslot_precopy_hold: ")), SOON_MS),
	       "submissions are held");
	pinned = value(station("gslot_precopy_hold", vgpu->uuid, "held pinned="), "pinned=");
	tap_ok(pinned > HOLD_PAGES && pinned <= before, "with so many pages pinned");
	tap_ok(!mig_set(&vgpu->dev, MIG_RUNNING, NULL), "PRE_COPY ends");
	follow();
	station("gslot_precopy_hold", vgpu->uuid, "resumed pinned=");
	close(fd);
	tap_ok(vgpu_reset(vgpu), "a reset");
}

/* A report of the dirty log has what a context in flight may have written. */
static void check_dirty_log(struct vgpu *vgpu)
{
	struct mig_range ram = { vgpu->ram.base, MB(32) };
	u64 map[MB(32) / PAGE_SIZE / 64] = { };
	u32 pages = 0, i;

	if (mig_log_probe(&vgpu->dev)) {
		tap_skip("this kernel has none for devices", "the dirty log");
		return;
	}
	tracing_forget();
	tap_ok(!mig_log_start(&vgpu->dev, &ram, 1) && vgpu_works(vgpu) &&
	       !mig_log_report(&vgpu->dev, ram.start, ram.size, PAGE_SIZE, map) &&
	       !mig_log_stop(&vgpu->dev), "the dirty log");
	follow();
	for (i = 0; i < ARRAY_SIZE(map); i++)
		pages += __builtin_popcountll(map[i]);
	tap_ok(pages, "it has %u pages", pages);
	station("gslot_dirty_log", vgpu->uuid,
		text("gfn 0x%llx-0x%llx: pages=%u ok", (unsigned long long)ram.start / PAGE_SIZE,
		     (unsigned long long)(ram.start + ram.size) / PAGE_SIZE - 1, pages));
}

/* The host needs memory: the vGPU gives what it has not used in the last second. */
static void check_shrink(struct vgpu *vgpu)
{
	tap_ok(vgpu_works(vgpu), "the vGPU has used memory");
	sleep_us(1500000);
	tracing_forget();
	pressure_once();
	tap_ok(wait_for((follow(), strstr(trace, "gslot_shrink: ")), SOON_MS),
	       "the host needs memory");
	tap_ok(value(station("gslot_shrink", vgpu->uuid, "ms pages="), "pages="),
	       "pages were unpinned");
}

/* A submission needs more memory than may be pinned, and then it may. */
static void check_room(struct vgpu *vgpu)
{
	long was = gpu_attr_number("pinned_max_mb");
	struct space s;
	u32 seqno;

	space_init(&s, vgpu, ROOM_PAGES);
	tracing_forget();
	tap_ok(!gpu_attr_set("pinned_max_mb", "1"), "the limit of pinned memory is lowered");
	seqno = space_submit(&s, 1);
	tap_ok(wait_for((follow(), strstr(trace, "gslot_room: ")), SOON_MS),
	       "a submission waits for room");
	tap_ok(value(station("gslot_room", vgpu->uuid, "token="), "pages="), "for some pages");
	tap_ok(!gpu_attr_set("pinned_max_mb", text("%ld", was)) &&
	       request_wait(&s.ctx, seqno, SOON_MS) && engine_wait_idle(s.ctx.engine, SOON_MS),
	       "without that limit it runs");
}

/* Find tracepoints that no test covers. */
static void check_all_seen(struct vgpu *vgpu)
{
	DIR *dir = opendir(TRACEFS "/events/gslot");
	u32 missing = 0, count = 0;
	struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "gslot_", 6))
			continue;
		count++;
		if (strstr(seen, text("%s ", entry->d_name)))
			continue;
		if (strstr(entry->d_name, "place") && !gpu_attr_offers("copy_policy", "demand"))
			continue;
		if (strstr(entry->d_name, "dirty_log") && mig_log_probe(&vgpu->dev))
			continue;
		if (strstr(entry->d_name, "precopy") && !mig_has_pre_copy(&vgpu->dev))
			continue;
		missing++;
		tap_diag("%s: not traced", entry->d_name);
	}
	if (dir)
		closedir(dir);
	tap_ok(count && !missing, "each tracepoint is covered");
}

int main(void)
{
	struct context ctx;
	struct vgpu *vgpu;
	u32 i;

	vgpu_test_init(120);
	if (!tracing_start("*"))
		tap_skip_all("this kernel has no tracepoints");
	trace = malloc(TRACE_SIZE);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		check_request(vgpu, i, !i);
	check_places();
	check_refused(vgpu);
	check_reset(vgpu);
	check_error(vgpu);
	check_fences(vgpu);
	check_migration(vgpu);
	check_precopy(vgpu);
	check_dirty_log(vgpu);
	check_shrink(vgpu);
	check_room(vgpu);
	check_all_seen(vgpu);

	tracing_stop();
	context_init(&ctx, vgpu, RCS, NULL);
	run_quietly(&ctx);
	tap_ok(!strstr(trace, "gslot_"), "nothing is traced when tracepoints are disabled");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
