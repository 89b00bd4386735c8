// SPDX-License-Identifier: GPL-2.0
/*
 * Reboot and kexec: the next kernel must not find a GPU that writes to memory. Reboots the machine
 * while all engines are busy, so it runs only on request; on the second boot it checks the model's
 * counters.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"

static void reboot_busy(struct vgpu *vgpu)
{
	struct spinner spin;
	struct context ctx;
	u32 i, seqno;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		context_init(&ctx, vgpu, i, NULL);
		spinner_init(&spin, &ctx, i & 1);
		seqno = spinner_request(&spin, &ctx);
		context_submit(&ctx);
		if (!request_wait_started(&ctx, seqno, SOON_MS))
			tap_die("%s: the request does not start", engine_infos[i].name);
	}
	sync();
	reboot(RB_AUTOBOOT);
	tap_die("no reboot: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	struct vgpu *vgpu;
	u64 found = 1;
	bool first;

	vgpu_test_init(100);
	if (argc != 2)
		tap_die("usage: reboot FILE, which must not exist and must survive the reboot");
	if (!model_get("active-resets", &found))
		tap_skip_all("no model to tell");
	first = access(argv[1], F_OK);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (first) {
		close(open(argv[1], O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
		reboot_busy(vgpu);
	}
	tap_eq(found, 0, "the GPU was idle when the machine was reset");
	tap_ok(vgpu_works(vgpu), "a vGPU works after a reboot");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
