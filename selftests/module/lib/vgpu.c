// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <gen/pvinfo.h>
#include <gen/regs.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "ggtt.h"
#include "klog.h"
#include "model.h"
#include "tap.h"
#include "vgpu.h"

#define PCI_COMMAND_BITS	0x6	/* memory, bus master */

static struct vgpu *all;
static bool model_known;
static u64 stale_before;

static void close_everything(void)
{
	while (all)
		vgpu_free(all);
}

static void timed_out(int sig __maybe_unused)
{
	static const char text[] = "not ok 9999 - the test program did not end in time\n";

	if (write(STDOUT_FILENO, text, sizeof(text) - 1) < 0)
		_exit(3);
	_exit(2);
}

/*
 * Read the whole program from the disk before the test: a measurement must not wait for that, least
 * of all in counted time, which jumps meanwhile.
 */
static void read_program(void)
{
	if (mlockall(MCL_CURRENT) || munlockall())
		tap_diag("the program may have to wait for the disk");
}

void vgpu_test_init(unsigned int seconds)
{
	if (!mdev_parent())
		tap_skip_all("no PCI device is driven by gslot");
	signal(SIGALRM, timed_out);
	prctl(PR_SET_TIMERSLACK, 1000);	/* 1 us: wait_for() sleeps for 20 */
	read_program();
	alarm(seconds * slowness());
	mdev_remove_all();
	counters_mark();
	klog_mark();
	model_known = model_stale_hits(&stale_before);
	atexit(close_everything);
}

void vgpu_test_stale_until_now(void)
{
	model_known = model_stale_hits(&stale_before);
}

static void check_stale(void)
{
	u64 now;

	if (!model_known || !model_stale_hits(&now)) {
		tap_skip("no model", "no TLB entry was used after its PTE changed");
		return;
	}
	tap_eq(now, stale_before, "no TLB entry was used after its PTE changed");
	if (now != stale_before)
		model_explain_stale();
}

int vgpu_test_done(void)
{
	close_everything();
	check_stale();
	tap_ok(counters_as_marked(), "no resource is left after all vGPUs are removed");
	tap_ok(klog_clean(), "the kernel's log has no error");
	return tap_done();
}

u64 mmio_read_width(struct vgpu *vgpu, u32 offset, u32 width)
{
	u64 value = 0;

	if (vfio_read(&vgpu->dev, VFIO_PCI_BAR0_REGION_INDEX, offset, &value, width) != width)
		return ~0ULL;
	return value;
}

bool mmio_write_width(struct vgpu *vgpu, u32 offset, u32 width, u64 value)
{
	return vfio_write(&vgpu->dev, VFIO_PCI_BAR0_REGION_INDEX, offset, &value, width) == width;
}

u32 mmio_read(struct vgpu *vgpu, u32 offset)
{
	return mmio_read_width(vgpu, offset, 4);
}

void mmio_write(struct vgpu *vgpu, u32 offset, u32 value)
{
	mmio_write_width(vgpu, offset, 4, value);
}

static void *map_region(struct vgpu *vgpu, u32 index, u64 offset, u64 size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vgpu->dev.fd,
		       vfio_region_offset(&vgpu->dev, index) + offset);

	return p == MAP_FAILED ? NULL : p;
}

static void unmap_all(struct vgpu *vgpu)
{
	if (vgpu->gsm)
		munmap(vgpu->gsm, GEN_GSM_SIZE);
	if (vgpu->aperture)
		munmap(vgpu->aperture, GEN_APERTURE_SIZE);
}

static void fill_info(struct vgpu *vgpu)
{
	u32 i;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		vgpu->engines[i].vgpu = vgpu;
		vgpu->engines[i].info = &engine_infos[i];
	}
	vgpu->low_size = mmio_read(vgpu, PVINFO_BASE + PVINFO_O_LOW_SIZE);
	vgpu->high_size = mmio_read(vgpu, PVINFO_BASE + PVINFO_O_HIGH_SIZE);
	/* Broadwell's ids are 0x16xx. */
	vgpu->gen = vfio_config_read(&vgpu->dev, 3, 1) == 0x16 ? 8 : 9;
}

/* @other: another vGPU of its guest, or NULL. */
static struct vgpu *open_beside(const char *uuid, const struct vgpu *other)
{
	struct vgpu *vgpu = calloc(1, sizeof(*vgpu));
	int ret;

	if (!vgpu)
		return NULL;
	snprintf(vgpu->uuid, sizeof(vgpu->uuid), "%s", uuid);
	ret = other ? vfio_open_beside(&vgpu->dev, uuid, &other->dev) : vfio_open(&vgpu->dev, uuid);
	if (ret)
		goto err_free;
	if (other)
		ram_borrow(&vgpu->ram, &other->ram);
	else
		ret = ram_init(&vgpu->ram, &vgpu->dev, RAM_SIZE);
	if (ret)
		goto err_close;
	vgpu->gsm = map_region(vgpu, VFIO_PCI_BAR0_REGION_INDEX, GEN_GSM_OFFSET, GEN_GSM_SIZE);
	vgpu->aperture = map_region(vgpu, VFIO_PCI_BAR2_REGION_INDEX, 0, GEN_APERTURE_SIZE);
	vgpu->msi = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (!vgpu->gsm || vgpu->msi < 0) {
		ret = -ENXIO;
		goto err_unmap;
	}
	fill_info(vgpu);
	vgpu->next = all;
	all = vgpu;
	return vgpu;

err_unmap:
	unmap_all(vgpu);
	ram_fini(&vgpu->ram);
err_close:
	vfio_close(&vgpu->dev);
err_free:
	free(vgpu);
	errno = -ret;
	return NULL;
}

struct vgpu *vgpu_open(const char *uuid)
{
	return open_beside(uuid, NULL);
}

struct vgpu *vgpu_new_beside(const char *type, const struct vgpu *other)
{
	char uuid[MDEV_UUID_SIZE];
	struct vgpu *vgpu;
	int ret;

	mdev_new_uuid(uuid);
	ret = mdev_create(type, uuid);
	if (ret)
		tap_die("create a vGPU of type %s: %s", type, strerror(-ret));
	vgpu = open_beside(uuid, other);
	if (!vgpu) {
		ret = errno;
		mdev_remove(uuid);
		tap_die("open a vGPU of type %s: %s", type, strerror(ret));
	}
	vgpu_start(vgpu);
	return vgpu;
}

struct vgpu *vgpu_new(const char *type)
{
	return vgpu_new_beside(type, NULL);
}

void vgpu_close(struct vgpu *vgpu)
{
	struct vgpu **p;

	for (p = &all; *p; p = &(*p)->next) {
		if (*p == vgpu) {
			*p = vgpu->next;
			break;
		}
	}
	unmap_all(vgpu);
	vfio_close(&vgpu->dev);
	ram_fini(&vgpu->ram);
	close(vgpu->msi);
	free(vgpu);
}

void vgpu_rebind(struct vgpu *vgpu, const char *uuid, const struct vfio *dev)
{
	unmap_all(vgpu);
	vfio_close(&vgpu->dev);
	vgpu->dev = *dev;
	snprintf(vgpu->uuid, sizeof(vgpu->uuid), "%s", uuid);
	vgpu->gsm = map_region(vgpu, VFIO_PCI_BAR0_REGION_INDEX, GEN_GSM_OFFSET, GEN_GSM_SIZE);
	vgpu->aperture = map_region(vgpu, VFIO_PCI_BAR2_REGION_INDEX, 0, GEN_APERTURE_SIZE);
	if (!vgpu->gsm)
		tap_die("the GGTT's entries cannot be mapped");
}

int vgpu_free(struct vgpu *vgpu)
{
	char uuid[MDEV_UUID_SIZE];

	memcpy(uuid, vgpu->uuid, sizeof(uuid));
	vgpu_close(vgpu);
	return mdev_remove(uuid);
}

static void start_msi(struct vgpu *vgpu)
{
	u32 ctl = vfio_config_read(&vgpu->dev, GEN_PCI_MSI_CAP + 2, 2);

	vfio_config_write(&vgpu->dev, GEN_PCI_MSI_CAP + 4, 4, 0xfee00000);
	vfio_config_write(&vgpu->dev, GEN_PCI_MSI_CAP + 2, 2, ctl | 1);
	vfio_set_msi(&vgpu->dev, vgpu->msi);
}

void vgpu_start(struct vgpu *vgpu)
{
	u32 i;

	ggtt_forget(vgpu);
	ram_reset(&vgpu->ram);
	vfio_config_write(&vgpu->dev, 4, 2, PCI_COMMAND_BITS);
	start_msi(vgpu);
	irq_start(vgpu);
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		engine_start(&vgpu->engines[i]);
	mmio_write(vgpu, PVINFO_BASE + PVINFO_O_DISPLAY_READY, 1);
}

bool vgpu_reset(struct vgpu *vgpu)
{
	int ret = vfio_device_reset(&vgpu->dev);

	if (ret) {
		tap_diag("VFIO_DEVICE_RESET: %s", strerror(-ret));
		return false;
	}
	vgpu_start(vgpu);
	return true;
}

static bool engine_works(struct vgpu *vgpu, enum vgpu_engine engine)
{
	u32 value = 0x600d0000 + engine;
	struct context ctx;
	struct cs batch;
	u64 gpa, addr = 0x123456789000ULL;
	u32 seqno;

	context_init(&ctx, vgpu, engine, NULL);
	gpa = ram_alloc(&vgpu->ram, 2);
	ppgtt_map(ctx.ppgtt, addr, gpa, 2);
	cs_init(&batch, ram_ptr(&vgpu->ram, gpa), PAGE_SIZE);
	cs_store(&batch, PPGTT, addr + PAGE_SIZE, value);
	cs_end(&batch);

	request_begin(&ctx);
	cs_store(&ctx.ring, GGTT, context_slot(&ctx, 8), value);
	request_batch(&ctx, addr);
	seqno = request_end(&ctx);
	if (!request_run(&ctx, seqno))
		return false;
	if (context_slot_value(&ctx, 8) == value &&
	    ram_read32(&vgpu->ram, gpa + PAGE_SIZE) == value)
		return true;
	tap_diag("%s: the request ran, but its stores are missing", engine_infos[engine].name);
	return false;
}

bool vgpu_works(struct vgpu *vgpu)
{
	bool ok = true;
	u32 i;

	if (!vgpu_reset(vgpu))
		return false;
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		ok &= engine_works(vgpu, i);
	return ok && ram_canary_intact(&vgpu->ram);
}
