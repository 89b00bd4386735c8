// SPDX-License-Identifier: GPL-2.0
/*
 * A device leaves its address space of iommufd while its guest's memory arrives slowly, page by
 * page: nothing stays pinned, and the device works when it has an address space again.
 */
#include <sys/mman.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "iommufd.h"
#include "slow_file.h"
#include "tap.h"
#include "vgpu.h"

#define PAGES		128u	/* that one table names */
#define STRIDE		2u	/* pages that are not in a row are pinned in a call each */
#define SLOW_BYTES	((u64)PAGES * STRIDE * PAGE_SIZE)
#define SLOW_IOVA	0x500000000ULL
#define ADDR		0x480000000000ULL
#define PAGE_US		100000u
#define ROUNDS		3u

static void check(const struct slow_file *server, u32 part)
{
	struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
	void *slow = slow_file_map(server, part * SLOW_BYTES, SLOW_BYTES);
	u32 before = server->shared->asked, i;
	struct context ctx;
	u64 refused;

	if (vfio_dma_map(&vgpu->dev, SLOW_IOVA, slow, SLOW_BYTES))
		tap_die("no slow memory");
	context_init(&ctx, vgpu, RCS, NULL);
	for (i = 0; i < PAGES; i++)
		ppgtt_map(ctx.ppgtt, ADDR + i * PAGE_SIZE,
			  SLOW_IOVA + (u64)i * STRIDE * PAGE_SIZE, 1);
	refused = counters_number(vgpu, "exec", "refused");
	WRITE_ONCE(server->shared->page_us, PAGE_US);
	request_begin(&ctx);
	request_end(&ctx);
	context_submit(&ctx);
	tap_ok(wait_for(READ_ONCE(server->shared->asked) >= before + 4, SOON_MS),
	       "slow pages are being pinned");
	tap_eq(-iommufd_detach(&vgpu->dev), 0, "the device leaves its address space");
	tap_ok(READ_ONCE(server->shared->asked) - before < PAGES,
	       "before all of them were asked for");
	tap_eq(counters_pins(vgpu), 0, "no page is pinned");
	WRITE_ONCE(server->shared->page_us, 0);
	tap_ok(wait_for(counters_number(vgpu, "exec", "refused") > refused, SOON_MS),
	       "what needs them is refused");
	tap_eq(counters_pins(vgpu), 0, "and still none is pinned");
	tap_eq(-iommufd_attach(&vgpu->dev), 0, "it gets an address space");
	tap_ok(vgpu_reset(vgpu) && vgpu_works(vgpu), "it works after a reset");
	vgpu_free(vgpu);
	munmap(slow, SLOW_BYTES);
}

int main(void)
{
	struct slow_file server;
	u32 i;

	vgpu_test_init(120);
	if (!iommufd_wanted())
		tap_skip_all("not with iommufd");
	if (!slow_file_begin(&server, "detach", ROUNDS * SLOW_BYTES))
		tap_skip_all("no FUSE");
	for (i = 0; i < ROUNDS; i++)
		check(&server, i);
	slow_file_end(&server);
	return vgpu_test_done();
}
