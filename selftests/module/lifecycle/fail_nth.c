// SPDX-License-Identifier: GPL-2.0
/*
 * Failed allocations. Each entry of the module runs with its first allocation failing, then with
 * its second, until none is left to fail; the same for copies from and to user space, and for DMA
 * mappings behind an IOMMU. A call fails cleanly, or does its work nevertheless; a guest's work is
 * only delayed. No resource is leaked, and the next attempt succeeds.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gen/pvinfo.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "fault.h"
#include "file.h"
#include "ggtt.h"
#include "gpu.h"
#include "kvm.h"
#include "migration.h"
#include "size.h"
#include "tap.h"
#include "vfio.h"
#include "vgpu.h"

#define DRIVER		"/sys/bus/pci/drivers/gslot/"
#define MANY		1000000u
#define EDGE		32u
#define STRIDE		16u
#define SPARE_IOVA	0x100000000ULL
#define SPARE_SIZE	MB(2)
#define BATCH		0x123456789000ULL
#define VALUE		0x600dbeefu
#define PAGES		70u	/* more than are pinned at once */
#define ROUNDS		6u

/**
 * struct op - an entry of the module
 * @name: name
 * @spare: a function of the kernel that is exempt from faults; may be NULL
 * @prepare: prepares the call; may be NULL
 * @go: the call; 0 or -errno
 * @done: has a call that succeeded done its work? Undoes it. May be NULL
 */
struct op {
	const char *name;
	const char *spare;
	void (*prepare)(void);
	int (*go)(void);
	bool (*done)(void);
};

static struct vgpu *vgpu;
static char uuid[MDEV_UUID_SIZE], pci[64];

/* No vGPU has state left in the GPU's shared resources. */
static bool gpu_as_before(void)
{
	return counters_as_marked();
}

struct usage {
	u64 pins;
	u64 idle;
	u64 contexts;
	u64 context_pages;
	u64 tables;
	u64 batch_pages;
	u64 refused;
};

static void take_usage(struct usage *u)
{
	u->pins = counters_pins(vgpu);
	u->idle = counters_idle(vgpu);
	u->contexts = counters_contexts(vgpu);
	u->context_pages = counters_number(vgpu, "exec", "context_pages");
	u->tables = counters_number(vgpu, "exec", "tables");
	u->batch_pages = counters_number(vgpu, "exec", "batch_pages");
	u->refused = counters_number(vgpu, "exec", "refused");
}

/* A reset vGPU has the same resources as after any reset. */
static bool vgpu_as_before(void)
{
	static struct usage first;
	struct usage now;

	if (!vgpu_reset(vgpu))
		return false;
	take_usage(&now);
	if (!first.pins)
		first = now;
	if (!memcmp(&first, &now, sizeof(now)))
		return true;
	tap_diag("pins %llu, were %llu; idle %llu, %llu; contexts %llu, %llu; tables %llu, %llu",
		 (unsigned long long)now.pins, (unsigned long long)first.pins,
		 (unsigned long long)now.idle, (unsigned long long)first.idle,
		 (unsigned long long)now.contexts, (unsigned long long)first.contexts,
		 (unsigned long long)now.tables, (unsigned long long)first.tables);
	return false;
}

/* When it reserves BARs, Linux reports a failed allocation as a resource in use. */
static bool clean_error(int ret)
{
	return ret == -ENOMEM || ret == -EFAULT || ret == -EBUSY;
}

/* In the middle there are many of a kind, such as a vGPU's tables: test a part of them. */
static u32 next_fault(u32 n, u32 total)
{
	return n < EDGE || n + EDGE > total ? n + 1 : n + STRIDE;
}

/* One attempt. Return: whether the fault did not come, and of how many it is then. */
static bool attempt(const struct op *op, u32 n, int *ret, u32 *total)
{
	u32 left;

	if (op->prepare)
		op->prepare();
	fault_arm(n);
	*ret = op->go();
	left = fault_disarm();
	*total = n - left;
	return left;
}

static void check_op(const struct op *op, bool (*as_before)(void))
{
	u32 n, total, last, failed = 0, odd = 0, undone = 0, left = 0;
	bool missed;
	int ret;

	fault_spare(op->spare);
	tap_ok(attempt(op, MANY, &ret, &total) && !ret, "%s: it works without a fault", op->name);
	undone += op->done && !op->done();
	/* How many there are is not always the same: a fault may not come, and a later one may. */
	for (n = 1; n <= total; n = next_fault(n, total)) {
		missed = attempt(op, n, &ret, &last);
		failed += !!ret;
		if (ret && (missed || !clean_error(ret))) {
			tap_diag("%s: fault %u%s: %s", op->name, n, missed ? " of fewer" : "",
				 strerror(-ret));
			odd++;
		}
		if (!ret && op->done && !op->done()) {
			tap_diag("%s: fault %u: its work is not done", op->name, n);
			undone++;
		}
		if (as_before && !as_before()) {
			tap_diag("%s: fault %u", op->name, n);
			left++;
		}
	}
	tap_eq(odd, 0, "%s: failures return an expected error", op->name);
	tap_eq(undone, 0, "%s: calls that succeed do their work", op->name);
	tap_eq(left, 0, "%s: no resource is leaked", op->name);
	ret = attempt(op, MANY, &ret, &total) ? ret : -EIO;
	tap_ok(!ret && (!op->done || op->done()), "%s: it works afterwards", op->name);
	tap_diag("%s: %u allocations and copies; %u failures", op->name, total, failed);
}

/* The GPU. */

static void unbind(void)
{
	if (mdev_parent())
		file_write(DRIVER "unbind", pci);
}

/*
 * Linux takes a failed allocation for a device without MSI when it makes their domain
 * (pci_setup_msi_device_domain() is a bool), and for no vector left when it sets one up
 * (__msi_domain_alloc_irqs()).
 */
static int bind(void)
{
	int ret = file_write(DRIVER "bind", pci);

	return ret == -ENODEV || ret == -ENOSPC ? -ENOMEM : ret;
}

static bool is_bound(void)
{
	return mdev_parent();
}

static int create(void)
{
	mdev_new_uuid(uuid);
	return mdev_create(MDEV_TYPE_SMALL, uuid);
}

static bool created(void)
{
	return mdev_exists(uuid) && !mdev_remove(uuid);
}

static void create_one(void)
{
	if (!mdev_exists(uuid) && create())
		tap_die("no vGPU");
}

static int remove_one(void)
{
	return mdev_remove(uuid);
}

static bool removed(void)
{
	return !mdev_exists(uuid);
}

static int read_types(void)
{
	static const char *const attrs[] = { "name", "description", "available_instances" };
	char path[MDEV_PATH_MAX], text[512];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		int ret;

		mdev_type_path(path, MDEV_TYPE_SMALL, attrs[i]);
		ret = file_read(path, text, sizeof(text));
		if (ret < 0)
			return ret;
	}
	return 0;
}

static int read_gpu_files(void)
{
	static const char *const files[] = { "copies", "engines", "ggtt", "registers", "sched",
					     "slots", "vgpus", "wedged" };
	static char text[65536];
	char path[MDEV_PATH_MAX];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		int ret;

		counters_gpu_path(path, files[i]);
		ret = file_read(path, text, sizeof(text));
		if (ret < 0)
			return ret;
	}
	return 0;
}

static struct vfio opened;

static int open_it(void)
{
	return vfio_open(&opened, uuid);
}

static bool close_it(void)
{
	vfio_close(&opened);
	return true;
}

static struct kvm_guest guest;

/* One with which the device was not registered yet. */
static void new_guest(void)
{
	if (guest.ram)
		kvm_guest_fini(&guest);
	if (kvm_guest_init(&guest))
		tap_die("no KVM");
}

static int open_for_guest(void)
{
	int ret;

	vfio_use_kvm(guest.device);
	ret = vfio_open(&opened, uuid);
	vfio_use_kvm(-1);
	return ret;
}

static void check_gpu(void)
{
	static const struct op ops[] = {
		/* Linux 6.12 warns when it cannot create a VFIO group. */
		{ "create", "vfio_device_set_group", NULL, create, created },
		{ "remove", NULL, create_one, remove_one, removed },
		{ "types", NULL, NULL, read_types, NULL },
		{ "debugfs of the GPU", NULL, NULL, read_gpu_files, NULL },
	};
	static const struct op open_op = { "open", NULL, NULL, open_it, close_it };
	/* Linux warns when vmalloc() fails, by which KVM allocates its tables. */
	static const struct op guest_op = {
		"open for a guest of KVM", "__vmalloc_node_range_noprof", new_guest,
		open_for_guest, close_it
	};
	/* How an interrupt is routed, the firmware's code says: at length, and never fails. */
	static const struct op bind_op = { "bind", "acpi_pci_irq_enable", unbind, bind, is_bound };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ops); i++)
		check_op(&ops[i], gpu_as_before);
	create_one();
	counters_mark();
	check_op(&open_op, gpu_as_before);
	check_op(&guest_op, gpu_as_before);
	kvm_guest_fini(&guest);
	mdev_remove(uuid);
	counters_mark();
	check_op(&bind_op, NULL);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	tap_ok(vgpu_works(vgpu), "bind: a vGPU works");
	vgpu_free(vgpu);
}

/* A vGPU, as its VMM sees it. */

static int infos(void)
{
	struct vfio_device_info device = { .argsz = sizeof(device) };
	struct vfio_irq_info irq = { .argsz = sizeof(irq), .index = VFIO_PCI_MSI_IRQ_INDEX };
	struct {
		struct vfio_region_info info;
		char caps[128];
	} region = { .info.argsz = sizeof(region) };

	if (ioctl(vgpu->dev.fd, VFIO_DEVICE_GET_INFO, &device) ||
	    ioctl(vgpu->dev.fd, VFIO_DEVICE_GET_REGION_INFO, &region) ||
	    ioctl(vgpu->dev.fd, VFIO_DEVICE_GET_IRQ_INFO, &irq))
		return -errno;
	return 0;
}

static int set_irq(void)
{
	int ret = vfio_set_msi(&vgpu->dev, -1);

	return ret ? ret : vfio_set_msi(&vgpu->dev, vgpu->msi);
}

/* Twice as much as the widest access: two copies. */
static int regions(void)
{
	static const struct {
		u32 index;
		u64 offset;
	} places[] = {
		{ VFIO_PCI_CONFIG_REGION_INDEX, 0x40 },
		{ VFIO_PCI_BAR0_REGION_INDEX, PVINFO_BASE },
		{ VFIO_PCI_BAR0_REGION_INDEX, GEN_GSM_OFFSET + 64 },
		{ VFIO_PCI_BAR2_REGION_INDEX, 64 },
	};
	u64 data[2];
	ssize_t ret;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		ret = vfio_read(&vgpu->dev, places[i].index, places[i].offset, data, sizeof(data));
		if (ret >= 0)
			ret = vfio_write(&vgpu->dev, places[i].index, places[i].offset, data,
					 sizeof(data));
		if (ret < 0)
			return ret;
	}
	return 0;
}

static u64 gsm_at, aperture_at;

static void find_mappings(void)
{
	gsm_at = vfio_region_offset(&vgpu->dev, VFIO_PCI_BAR0_REGION_INDEX) + GEN_GSM_OFFSET;
	aperture_at = vfio_region_offset(&vgpu->dev, VFIO_PCI_BAR2_REGION_INDEX);
}

static int touch(u64 at, u64 size)
{
	u32 *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, vgpu->dev.fd, at);

	if (p == MAP_FAILED)
		return -errno;
	WRITE_ONCE(p[5], 0);
	munmap(p, size);
	return 0;
}

/* The kernel retries page faults that found no memory. */
static int touch_mappings(void)
{
	int ret = touch(gsm_at, GEN_GSM_SIZE);

	return ret ? ret : touch(aperture_at, GEN_APERTURE_SIZE);
}

static u64 bound_gpa, bound_at;

static void prepare_bind(void)
{
	u32 i;

	bound_gpa = ram_alloc(&vgpu->ram, PAGES);
	bound_at = ggtt_alloc_low(vgpu, PAGES);
	for (i = 0; i < PAGES; i++)
		ram_write32(&vgpu->ram, bound_gpa + i * PAGE_SIZE, VALUE + i);
}

static int bind_pages(void)
{
	ggtt_map(vgpu, bound_at, bound_gpa, PAGES);
	return mmio_write_width(vgpu, GEN_GFX_FLSH_CNTL, 4, GFX_FLSH_CNTL_EN) ? 0 : -EFAULT;
}

/* A failed part is tried again at the next flush. */
static bool pages_bound(void)
{
	u32 i, right = 0;

	ggtt_flush(vgpu);
	for (i = 0; i < PAGES; i++)
		right += READ_ONCE(*(u32 *)(vgpu->aperture + bound_at + i * PAGE_SIZE)) ==
			 VALUE + i;
	return right == PAGES;
}

static void *spare;

static void prepare_unmap(void)
{
	u64 addr = ggtt_alloc(vgpu, 4);
	int ret = vfio_dma_map(&vgpu->dev, SPARE_IOVA, spare, SPARE_SIZE);

	if (ret && ret != -EEXIST)
		tap_die("map memory: %s", strerror(-ret));
	ggtt_map(vgpu, addr, SPARE_IOVA, 4);
	ggtt_flush(vgpu);
}

static int unmap(void)
{
	return vfio_dma_unmap(&vgpu->dev, SPARE_IOVA, SPARE_SIZE);
}

static void prepare_work(void)
{
	struct context ctx;
	u32 i;

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		context_init(&ctx, vgpu, i, NULL);
		request_begin(&ctx);
		request_end(&ctx);
		context_submit(&ctx);
	}
}

static int reset(void)
{
	return vfio_device_reset(&vgpu->dev);
}

static bool starts_anew(void)
{
	return vgpu_reset(vgpu);
}

static u32 next_mb;

/* More and less by turns; low graphics memory first, which moves all of the high. */
static void prepare_resize(void)
{
	next_mb = size_now(vgpu->uuid, LOW_MB) == 64 ? 96 : 64;
}

static int resize(void)
{
	int ret = size_set(vgpu->uuid, LOW_MB, next_mb);

	if (ret && size_now(vgpu->uuid, LOW_MB) == next_mb)
		tap_diag("resized, and an error");
	return ret;
}

static bool resized(void)
{
	return size_now(vgpu->uuid, LOW_MB) == next_mb &&
	       size_wanted(vgpu->uuid, LOW_MB) == next_mb;
}

static int set_places(void)
{
	return gpu_attr_try("copy_policy", "sparse");
}

/* And back: that allocates, too, but nothing fails then. */
static bool have_places(void)
{
	return (gpu_attr_is("copy_policy", "sparse") ||
		!gpu_attr_offers("copy_policy", "sparse")) && vgpu_works(vgpu) &&
	       !gpu_attr_set("copy_policy", "cached");
}

static struct mig_stream stream;
static u64 saved_at;
static u64 saved_pte;

static void prepare_save(void)
{
	saved_at = ggtt_bind(vgpu, ram_alloc(&vgpu->ram, 1), 1);
	ggtt_flush(vgpu);
	saved_pte = READ_ONCE(vgpu->gsm[saved_at / PAGE_SIZE]);
}

static int save(void)
{
	int ret;

	mig_free(&stream);
	ret = mig_save(&vgpu->dev, &stream);
	return ret ? ret : mig_set(&vgpu->dev, MIG_RUNNING, NULL);
}

/*
 * From a vGPU that still runs, of which an entry changes meanwhile. What could not be saved for
 * want of memory can be at the next attempt.
 */
static int save_early(void)
{
	int fd, ret = mig_set(&vgpu->dev, MIG_PRE_COPY, &fd);

	if (ret)
		return ret;
	mig_free(&stream);
	ret = mig_read(fd, &stream);
	if (ret == -ENOMSG) {
		WRITE_ONCE(vgpu->gsm[saved_at / PAGE_SIZE], saved_pte);
		ret = mig_set(&vgpu->dev, MIG_STOP_COPY, NULL);
		if (ret == -ENOMEM)
			ret = mig_set(&vgpu->dev, MIG_STOP_COPY, NULL);
	}
	if (!ret)
		ret = mig_read(fd, &stream);
	close(fd);
	return ret ? ret : mig_set(&vgpu->dev, MIG_RUNNING, NULL);
}

static void prepare_save_early(void)
{
	prepare_save();
	WRITE_ONCE(vgpu->gsm[saved_at / PAGE_SIZE], 0);
}

static int restore(void)
{
	int ret = mig_load(&vgpu->dev, &stream, MB(1));

	if (!ret)
		ret = mig_set(&vgpu->dev, MIG_STOP, NULL);
	return ret ? ret : mig_set(&vgpu->dev, MIG_RUNNING, NULL);
}

static bool restored(void)
{
	return mig_get(&vgpu->dev) == MIG_RUNNING &&
	       READ_ONCE(vgpu->gsm[saved_at / PAGE_SIZE]) == saved_pte;
}

static int read_vgpu_files(void)
{
	static const char *const files[] = { "state", "ggtt", "exec" };
	static char text[65536];
	char path[MDEV_PATH_MAX];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		int ret;

		counters_vgpu_path(path, vgpu, files[i]);
		ret = file_read(path, text, sizeof(text));
		if (ret < 0)
			return ret;
	}
	return 0;
}

/* A start that fails must leave nothing that a second one finds. */
static int use_log(void)
{
	struct mig_range all = { vgpu->ram.base, MB(32) };
	u64 map[MB(32) / PAGE_SIZE / 64] = { };
	int ret = mig_log_start(&vgpu->dev, &all, 1), stopped;

	if (ret)
		return ret;
	ret = mig_log_report(&vgpu->dev, all.start, all.size, PAGE_SIZE, map);
	stopped = mig_log_stop(&vgpu->dev);
	return ret ? ret : stopped;
}

static void check_vgpu(void)
{
	static const struct op log = { "the dirty log", NULL, NULL, use_log, NULL };
	static const struct op ops[] = {
		{ "infos", NULL, NULL, infos, NULL },
		{ "interrupts", NULL, NULL, set_irq, NULL },
		{ "regions", NULL, NULL, regions, NULL },
		{ "mappings", NULL, find_mappings, touch_mappings, NULL },
		{ "GGTT", NULL, prepare_bind, bind_pages, pages_bound },
		{ "DMA unmap", NULL, prepare_unmap, unmap, NULL },
		{ "reset", NULL, prepare_work, reset, starts_anew },
		{ "resize", NULL, prepare_resize, resize, resized },
		{ "places", NULL, NULL, set_places, have_places },
		{ "save", NULL, prepare_save, save, restored },
		{ "restore", NULL, NULL, restore, restored },
		{ "save while it runs", NULL, prepare_save_early, save_early, restored },
		{ "restore of both parts", NULL, NULL, restore, restored },
		{ "debugfs of a vGPU", NULL, NULL, read_vgpu_files, NULL },
	};
	u32 i;

	spare = mmap(NULL, SPARE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (spare == MAP_FAILED)
		tap_die("no memory");
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	vgpu_as_before();
	for (i = 0; i < ARRAY_SIZE(ops); i++)
		check_op(&ops[i], vgpu_as_before);
	if (mig_log_probe(&vgpu->dev))
		tap_skip("this kernel has none for devices", "%s", log.name);
	else
		check_op(&log, vgpu_as_before);
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	vgpu_free(vgpu);
}

/* The guest's work, which the vGPU's worker prepares. */

struct work {
	struct context ctx;
	u64 gpa;
	u32 seqno;
};

/* All that there is: a context, page tables, a batch, entries that changed. */
static void submit_work(struct work *w, u32 engine)
{
	struct context *ctx = &w->ctx;
	struct cs batch;

	context_init(ctx, vgpu, engine, NULL);
	w->gpa = ram_alloc(&vgpu->ram, 2);
	ppgtt_map(ctx->ppgtt, BATCH, w->gpa, 2);
	cs_init(&batch, ram_ptr(&vgpu->ram, w->gpa), PAGE_SIZE);
	cs_store(&batch, PPGTT, BATCH + PAGE_SIZE, VALUE);
	cs_end(&batch);
	/* Workaround batches are copied as well: 64 bytes of NOOPs. */
	if (engine == RCS)
		ctx->state[LRC_INDIRECT_CTX] = ggtt_bind(vgpu, ram_alloc(&vgpu->ram, 1), 1) | 1;
	/* A new ring, in pages and at addresses that nothing was flushed for. */
	ctx->ring_gpa = ram_alloc(&vgpu->ram, RING_PAGES);
	cs_init(&ctx->ring, ram_ptr(&vgpu->ram, ctx->ring_gpa), RING_PAGES * PAGE_SIZE);
	ctx->ring_ggtt = ggtt_alloc(vgpu, RING_PAGES);
	ctx->state[LRC_RING_START] = ctx->ring_ggtt;
	ggtt_map(vgpu, ctx->ring_ggtt, ctx->ring_gpa, RING_PAGES);
	request_begin(ctx);
	request_batch(ctx, BATCH);
	w->seqno = request_end(ctx);
	context_submit(ctx);
}

static bool work_done(struct work *w)
{
	return request_wait(&w->ctx, w->seqno, SOON_MS) &&
	       engine_wait_idle(w->ctx.engine, SOON_MS) && !w->ctx.engine->bad &&
	       ram_read32(&vgpu->ram, w->gpa + PAGE_SIZE) == VALUE &&
	       !counters_number(vgpu, "exec", "refused");
}

/* A context that has run: the host has a value of it that is in no image of the guest's. */
static void run_context(struct work *w, u32 engine)
{
	struct context *ctx = &w->ctx;
	u32 i;

	context_init(ctx, vgpu, engine, NULL);
	for (i = 0; i < 2; i++) {
		request_begin(ctx);
		cs_lri(&ctx->ring, ctx->engine->info->base + CONTEXT_GPR, i ? VALUE : 0);
		if (!request_run(ctx, request_end(ctx)))
			tap_die("%s: no request runs", ctx->engine->info->name);
		if (!i)
			context_keep_state(ctx);
	}
}

/* Its guest gives it a ring of another size: the host imports the image again. */
static void move_ring(struct work *w, u32 engine __maybe_unused)
{
	struct context *ctx = &w->ctx;
	u32 pages = 2 * RING_PAGES;

	ctx->ring_gpa = ram_alloc(&vgpu->ram, pages);
	cs_init(&ctx->ring, ram_ptr(&vgpu->ram, ctx->ring_gpa), pages * PAGE_SIZE);
	ctx->ring_ggtt = ggtt_bind(vgpu, ctx->ring_gpa, pages);
	ctx->state[LRC_RING_START] = ctx->ring_ggtt;
	ctx->state[LRC_RING_CTL] = ((pages - 1) * PAGE_SIZE & RING_CTL_NR_PAGES) | RING_CTL_VALID;
	ctx->state[LRC_RING_HEAD] = 0;
	request_begin(ctx);
	w->seqno = request_end(ctx);
	context_submit(ctx);
}

static bool value_kept(struct work *w)
{
	return request_wait(&w->ctx, w->seqno, SOON_MS) &&
	       engine_wait_idle(w->ctx.engine, SOON_MS) && context_gpr_is(&w->ctx, VALUE) &&
	       !w->ctx.engine->bad;
}

/* An engine without general purpose registers has none to lose. */
static bool value_in_image(const struct context *ctx)
{
	return !engine_has_gprs(ctx->engine) ||
	       context_image_has(ctx, ctx->engine->info->base + CONTEXT_GPR, VALUE);
}

/*
 * It is stopped for a migration at once, perhaps between a try that failed and the next one. The
 * value must be in the guest's image then, as the destination has nothing else.
 */
static bool value_saved(struct work *w)
{
	return !mig_set(&vgpu->dev, MIG_STOP, NULL) && value_in_image(&w->ctx) &&
	       !mig_set(&vgpu->dev, MIG_RUNNING, NULL) && value_kept(w);
}

/* Its guest moves the image, as it was after the first run, to other pages besides. */
static void move_image(struct work *w, u32 engine)
{
	u32 pages = context_pages(engine, vgpu->gen);
	u64 image = ram_alloc(&vgpu->ram, pages);

	memcpy(ram_ptr(&vgpu->ram, image), ram_ptr(&vgpu->ram, w->ctx.image), pages * PAGE_SIZE);
	w->ctx.image = image;
	w->ctx.state = ram_ptr(&vgpu->ram, image + LRC_STATE_PAGE * PAGE_SIZE);
	ggtt_map(vgpu, w->ctx.image_ggtt, image, pages);
	ggtt_flush(vgpu);
	move_ring(w, engine);
}

static bool value_moved(struct work *w)
{
	return request_wait(&w->ctx, w->seqno, SOON_MS) &&
	       engine_wait_idle(w->ctx.engine, SOON_MS) && context_gpr_is(&w->ctx, 0) &&
	       !w->ctx.engine->bad;
}

/**
 * struct work_op - work of a guest during which allocations fail
 * @name: name
 * @prepare: what comes before it; may be NULL
 * @go: submits it
 * @done: is it done, and rightly?
 */
struct work_op {
	const char *name;
	void (*prepare)(struct work *w, u32 engine);
	void (*go)(struct work *w, u32 engine);
	bool (*done)(struct work *w);
};

/* A new vGPU each time: some memory is had once and kept. Return: faults still to come. */
static u32 try_work(const struct work_op *op, u32 engine, u32 n, bool *done)
{
	struct work w;
	u32 left;

	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (op->prepare)
		op->prepare(&w, engine);
	fault_target_worker(vgpu);
	fault_arm(n);
	op->go(&w, engine);
	*done = op->done(&w);
	left = fault_disarm();
	if (!*done) {
		tap_diag("%s: %s: fault %u", engine_infos[engine].name, op->name, n);
		counters_explain(vgpu);
	}
	vgpu_free(vgpu);
	return left;
}

static void check_work(const struct work_op *op, u32 engine)
{
	const char *name = engine_infos[engine].name;
	u32 n, total, lost = 0, left = 0;
	bool done;

	total = MANY - try_work(op, engine, MANY, &done);
	tap_ok(done, "%s: %s: without a fault", name, op->name);
	for (n = 1; n <= total; n = next_fault(n, total)) {
		try_work(op, engine, n, &done);
		lost += !done;
		left += !gpu_as_before();
	}
	tap_eq(lost, 0, "%s: %s: it is done though an allocation fails", name, op->name);
	tap_eq(left, 0, "%s: %s: no resource is leaked", name, op->name);
	tap_diag("%s: %s: %u allocations", name, op->name, total);
}

static void check_works(void)
{
	static const struct work_op work = { "work", NULL, submit_work, work_done };
	static const struct work_op kept = { "a new ring", run_context, move_ring, value_kept };
	static const struct work_op saved = {
		"a new ring, then a stop", run_context, move_ring, value_saved
	};
	static const struct work_op moved = {
		"a moved image", run_context, move_image, value_moved
	};
	u32 i;

	/* The fourth engine is like the third. */
	for (i = 0; i < VECS; i++)
		check_work(&work, i);
	check_work(&kept, RCS);
	check_work(&kept, VCS);
	check_work(&saved, RCS);
	check_work(&saved, VCS);
	check_work(&moved, RCS);
	check_work(&moved, VCS);
}

/* Many fail: some of the work is refused in the end, and nothing else happens. */
static void check_rate(void)
{
	struct work w[VGPU_NR_ENGINES];
	u32 i, round, done = 0;

	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	fault_target_worker(vgpu);
	fault_rate(5);
	for (round = 0; round < ROUNDS; round++) {
		for (i = 0; i < VGPU_NR_ENGINES; i++)
			submit_work(&w[i], i);
		for (i = 0; i < VGPU_NR_ENGINES; i++)
			done += request_wait(&w[i].ctx, w[i].seqno, 1000);
		vgpu_reset(vgpu);
	}
	fault_rate(0);
	tap_diag("%u of %u requests done", done, ROUNDS * VGPU_NR_ENGINES);
	tap_ok(vgpu_works(vgpu), "it works after many faults at once");
	vgpu_free(vgpu);
	tap_ok(gpu_as_before(), "many faults at once leak no resource");
}

int main(void)
{
	vgpu_test_init(300);
	if (!fault_init())
		tap_skip_all("no fault injection in this kernel");
	snprintf(pci, sizeof(pci), "%s", mdev_parent());
	fault_target_self();
	check_gpu();
	check_vgpu();
	check_works();
	check_rate();
	fault_fini();
	return vgpu_test_done();
}
