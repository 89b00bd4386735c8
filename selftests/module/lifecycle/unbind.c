// SPDX-License-Identifier: GPL-2.0
/*
 * Unbinding the GPU and unloading the module while vGPUs exist.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "file.h"
#include "gpu.h"
#include "module.h"
#include "tap.h"
#include "vgpu.h"

#define DRIVER	"/sys/bus/pci/drivers/gslot/"

static char pci[64];

static void *unbind(void *arg __maybe_unused)
{
	return (void *)(long)file_write(DRIVER "unbind", pci);
}

/* By the path that users and mdevctl take. */
static bool has_types(void)
{
	char path[128];

	snprintf(path, sizeof(path), "/sys/class/mdev_bus/%s/mdev_supported_types", pci);
	return !access(path, F_OK);
}

static void check_bind(const char *when)
{
	struct vgpu *vgpu;

	tap_eq(-file_write(DRIVER "bind", pci), 0, "%s: bind", when);
	if (!tap_ok(has_types(), "%s: the types exist again", when))
		return;
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(vgpu_works(vgpu), "%s: a vGPU works", when);
	vgpu_free(vgpu);
}

static void check_unused(void)
{
	tap_eq(-(long)unbind(NULL), 0, "unbind without any vGPU");
	tap_ok(!has_types(), "the types do not exist any more");
	check_bind("after it");
}

static void check_closed(void)
{
	char a[MDEV_UUID_SIZE], b[MDEV_UUID_SIZE];

	mdev_new_uuid(a);
	mdev_new_uuid(b);
	mdev_create(MDEV_TYPE_SMALL, a);
	mdev_create(MDEV_TYPE_SMALL, b);
	tap_eq(-(long)unbind(NULL), 0, "unbind with vGPUs that are not open");
	tap_ok(!mdev_exists(a) && !mdev_exists(b), "the vGPUs are removed");
	check_bind("after it");
}

static void spin(struct vgpu *vgpu, u32 engine, bool arbitrate)
{
	struct spinner spinner;
	struct context ctx;
	u32 seqno;

	context_init(&ctx, vgpu, engine, NULL);
	spinner_init(&spinner, &ctx, arbitrate);
	seqno = spinner_request(&spinner, &ctx);
	context_submit(&ctx);
	request_wait_started(&ctx, seqno, SOON_MS);
}

static void check_open(bool busy)
{
	const char *kind = busy ? "a busy vGPU" : "an open vGPU", *controller = "lend";
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	struct timespec soon;
	pthread_t thread;
	void *ret = NULL;
	u32 i;

	for (i = 0; busy && i < VGPU_NR_ENGINES; i++)
		spin(vgpu, i, i & 1);
	if (!busy && gpu_attr_offers("oversub", "gover"))
		controller = "gover";
	tap_eq(-gpu_attr_set("oversub", controller), 0, "a controller of caps runs");
	pthread_create(&thread, NULL, unbind, NULL);
	clock_gettime(CLOCK_REALTIME, &soon);
	soon.tv_sec++;
	tap_ok(pthread_timedjoin_np(thread, &ret, &soon) != 0, "unbind waits for %s", kind);
	tap_ok(vgpu_works(vgpu), "the vGPU still works");
	for (i = 0; busy && i < VGPU_NR_ENGINES; i++)
		spin(vgpu, i, i & 1);
	vgpu_close(vgpu);
	pthread_join(thread, &ret);
	tap_eq(-(long)ret, 0, "unbind is done when it is closed");
	tap_eq(mdev_count(), 0, "the vGPU does not exist any more");
	check_bind("after it");
	tap_ok(gpu_attr_is("oversub", "none"), "no controller of caps runs any more");
}

static void check_module(void)
{
	char uuid[MDEV_UUID_SIZE];
	struct vgpu *vgpu;
	u32 i;

	if (!module_can_load()) {
		tap_skip("no command to load it again", "unload the module");
		return;
	}
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	spin(vgpu, RCS, false);
	tap_ok(system("rmmod gslot 2>/dev/null"), "a module in use stays");
	tap_ok(vgpu_works(vgpu), "the vGPU still works");
	spin(vgpu, RCS, false);
	vgpu_free(vgpu);

	for (i = 0; i < 3; i++) {
		mdev_new_uuid(uuid);
		mdev_create(MDEV_TYPE_SMALL, uuid);
		if (!tap_ok(!system("rmmod gslot"), "unload with a vGPU that is not open"))
			return;
		tap_ok(!mdev_exists(uuid), "the vGPU is removed");
		if (!module_load_test("after it"))
			return;
	}
}

int main(void)
{
	vgpu_test_init(200);
	snprintf(pci, sizeof(pci), "%s", mdev_parent());
	check_unused();
	check_closed();
	check_open(false);
	check_open(true);
	check_module();
	return vgpu_test_done();
}
