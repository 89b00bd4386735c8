// SPDX-License-Identifier: GPL-2.0
/*
 * Guest errors in the host's log: the rate is limited per vGPU and cause, so a guest cannot fill
 * the log, and a noisy cause does not suppress another.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gen/gtt.h>
#include <gen/pvinfo.h>

#include "clock.h"
#include "counters.h"
#include "ggtt.h"
#include "klog.h"
#include "ram.h"
#include "tap.h"
#include "vgpu.h"

#define NOISE		5000U
#define INTERVAL_US	5000000ULL
#define NO_REGISTER	0x1fff00
#define NO_MESSAGE	0x7777

/**
 * struct seen - the log's lines on a vGPU and a cause
 * @uuid: the vGPU
 * @cause: the cause
 * @lines: number of lines
 * @number: the count in the last of them
 */
struct seen {
	const char *uuid;
	const char *cause;
	u32 lines;
	u64 number;
};

enum { A_REGISTER, A_MESSAGE, A_SUBMISSION, A_ENTRY, B_REGISTER, NR_SEEN };

static void look(const char *text, void *data)
{
	struct seen *seen = data;
	char prefix[128];
	const char *p;
	u32 i;

	for (i = 0; i < NR_SEEN; i++) {
		snprintf(prefix, sizeof(prefix), "%s: %s #", seen[i].uuid, seen[i].cause);
		p = strstr(text, prefix);
		if (!p)
			continue;
		seen[i].lines++;
		seen[i].number = strtoull(p + strlen(prefix), NULL, 10);
	}
}

static u64 number(const struct vgpu *vgpu, const char *cause, const char *what)
{
	char key[64];

	snprintf(key, sizeof(key), "%s: %s", cause, what);
	return counters_number(vgpu, "guest_errors", key);
}

/* "CAUSE: count= logged=": the second of them. */
static u64 lines_logged(const struct vgpu *vgpu, const char *cause)
{
	char key[64];

	snprintf(key, sizeof(key), "%s: count=%llu logged", cause,
		 (unsigned long long)number(vgpu, cause, "count"));
	return counters_number(vgpu, "guest_errors", key);
}

static void noise(struct vgpu *vgpu)
{
	u32 i;

	for (i = 0; i < NOISE; i++)
		mmio_read(vgpu, NO_REGISTER);
}

static void others(struct vgpu *vgpu)
{
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_G2V_NOTIFY, NO_MESSAGE);
	engine_elsp(&vgpu->engines[RCS], 0, 0);
	ggtt_set(vgpu, ggtt_alloc(vgpu, 1), (RAM_BASE + RAM_SIZE) | GEN_PTE_PRESENT);
	ggtt_flush(vgpu);
}

static void check(const struct vgpu *vgpu, const struct seen *seen, const char *name, u64 count,
		  u64 limit)
{
	tap_eq(number(vgpu, seen->cause, "count"), count, "%s, %s: each error is counted", name,
	       seen->cause);
	tap_ok(seen->lines, "%s, %s: the error is logged", name, seen->cause);
	if (!tap_ok(seen->lines <= limit, "%s, %s: it is logged at most once in 5 s", name,
		    seen->cause))
		tap_diag("%u lines, and %llu would be right", seen->lines,
			 (unsigned long long)limit);
	tap_eq(lines_logged(vgpu, seen->cause), seen->lines, "%s, %s: debugfs has the count",
	       name, seen->cause);
}

int main(void)
{
	char a_uuid[MDEV_UUID_SIZE], b_uuid[MDEV_UUID_SIZE];
	struct seen seen[NR_SEEN] = {
		[A_REGISTER] = { a_uuid, "unknown_register" },
		[A_MESSAGE] = { a_uuid, "unknown_notification" },
		[A_SUBMISSION] = { a_uuid, "bad_submission" },
		[A_ENTRY] = { a_uuid, "bad_ggtt_entry" },
		[B_REGISTER] = { b_uuid, "unknown_register" },
	};
	u64 begin, limit, before;
	struct vgpu *a, *b;
	u32 i;

	vgpu_test_init(120);
	a = vgpu_new(MDEV_TYPE_SMALL);
	b = vgpu_new(MDEV_TYPE_SMALL);
	memcpy(a_uuid, a->uuid, sizeof(a_uuid));
	memcpy(b_uuid, b->uuid, sizeof(b_uuid));
	tap_eq(number(a, "unknown_register", "count"), 0, "no error is logged for a correct guest");
	klog_mark();
	begin = now_us();
	noise(a);
	others(a);
	mmio_read(b, NO_REGISTER);
	/* Opening the vGPU again does not reset the limit. */
	vgpu_close(a);
	a = vgpu_open(a_uuid);
	if (!a)
		tap_die("it cannot be opened again");
	vgpu_start(a);
	noise(a);
	limit = 1 + (now_us() - begin) / INTERVAL_US;
	klog_read(look, seen);

	check(a, &seen[A_REGISTER], "the noisy vGPU", 2 * NOISE, limit);
	for (i = A_MESSAGE; i <= A_ENTRY; i++)
		check(a, &seen[i], "the noisy vGPU", 1, limit);
	check(b, &seen[B_REGISTER], "another vGPU", 1, limit);
	tap_eq(counters_number(a, "state", "unknown_registers"), 2 * NOISE,
	       "the vGPU's state counts the same");

	/* Suppressed errors are counted: the next line has the count. */
	sleep_us(INTERVAL_US + 500000);
	before = seen[A_REGISTER].lines;
	mmio_read(a, NO_REGISTER);
	klog_read(look, seen);
	tap_eq(seen[A_REGISTER].lines, before + 1, "after a while another line is logged");
	tap_eq(seen[A_REGISTER].number, 2 * NOISE + 1, "that line has the count");
	vgpu_free(a);
	vgpu_free(b);
	return vgpu_test_done();
}
