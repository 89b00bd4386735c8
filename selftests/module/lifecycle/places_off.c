// SPDX-License-Identifier: GPL-2.0
/*
 * With the copy policy "cached", the default, no function of copy policies with places is called:
 * when vGPUs are created, opened, run, are resized, reset and closed. With another policy they are.
 */
#include <string.h>

#include "context.h"
#include "gpu.h"
#include "mdev.h"
#include "size.h"
#include "tap.h"
#include "tracing.h"
#include "vgpu.h"

#define TRACE_SIZE	0x10000
/* What a line of the trace has for each call */
#define CALL		" <-"
#define ROUNDS		20

/* The functions of kmod/places */
static const char *const places[] = {
	"gslot_places_*:mod:gslot", "loader_*:mod:gslot", "place_*:mod:gslot",
	"placed_*:mod:gslot", "quiesce_*:mod:gslot",
};

static char trace[TRACE_SIZE];

/* Two vGPUs run in turn. Return: whether they did. */
static bool run_both(struct vgpu *a, struct vgpu *b)
{
	struct context ctx[2];
	bool ran = true;
	u32 i;

	context_init(&ctx[0], a, RCS, NULL);
	context_init(&ctx[1], b, RCS, NULL);
	for (i = 0; i < ROUNDS; i++) {
		request_begin(&ctx[i % 2]);
		ran &= request_run(&ctx[i % 2], request_end(&ctx[i % 2]));
	}
	return ran;
}

static bool resize(struct vgpu *vgpu)
{
	long mb = size_now(vgpu->uuid, HIGH_MB);

	if (size_set(vgpu->uuid, HIGH_MB, mb + 64) || size_now(vgpu->uuid, HIGH_MB) != mb + 64)
		return false;
	size_learn(vgpu);
	return true;
}

/* @resizes: one of two vGPUs is resized as well, which "cached" does at once */
static void live(const char *policy, bool resizes)
{
	struct vgpu *a, *b;

	tracing_forget();
	a = vgpu_new(MDEV_TYPE_SMALL);
	b = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(run_both(a, b), "%s: two vGPUs run", policy);
	tap_ok(vgpu_reset(a) && run_both(a, b), "%s: one is reset, and both run", policy);
	if (resizes)
		tap_ok(resize(a) && vgpu_works(a), "%s: one is resized, and runs", policy);
	vgpu_free(b);
	vgpu_free(a);
	tracing_read(trace, sizeof(trace));
}

int main(void)
{
	vgpu_test_init(60);
	if (!gpu_attr_offers("copy_policy", "demand"))
		tap_skip_all("the module has no policies with places");
	if (!tracing_start_functions(places, sizeof(places) / sizeof(*places)))
		tap_skip_all("this kernel cannot trace functions");
	live("cached", true);
	if (!tap_ok(!strstr(trace, CALL), "cached: no function of places/ is called"))
		tap_diag("%s", trace);
	tap_eq(-gpu_attr_set("copy_policy", "demand"), 0, "another policy");
	live("demand", false);
	tap_ok(strstr(trace, CALL), "demand: functions of places/ are called");
	gpu_attr_set("copy_policy", "cached");
	tracing_stop();
	return vgpu_test_done();
}
