// SPDX-License-Identifier: GPL-2.0
/*
 * A KVM guest maps faces of registers: it reads what the registers have, and its stores are writes
 * of registers, without an exit to this VMM. What it stores otherwise, in a face that is not
 * tracked, has no effect.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <gen/regs.h>

#include "clock.h"
#include "context.h"
#include "file.h"
#include "kvm.h"
#include "migration.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

#define PAGE	4096u
#define IRQ_GPA	0x20000u
#define RCS_GPA	0x30000u
#define ENGINES_GPA	0x50000u
#define IRQ_BASE	(GEN_MASTER_IRQ & ~(PAGE - 1))

static struct kvm_guest guest;
static struct vgpu *vgpu;
static u8 *irq_face, *rcs_face;

static void must(int ret, const char *what)
{
	if (ret)
		tap_die("%s: %s", what, strerror(-ret));
}

/* How many parts of BAR 0 can be mapped. */
static u32 count_areas(struct vgpu *v)
{
	struct vfio_region_info *info = vfio_region_info(&v->dev, VFIO_PCI_BAR0_REGION_INDEX);
	struct vfio_region_info_cap_sparse_mmap *cap;
	u32 n;

	if (!info)
		tap_die("no region info: %s", strerror(errno));
	cap = (void *)info + info->cap_offset;
	n = cap->nr_areas;
	free(info);
	return n;
}

static u8 *map_face(struct vgpu *v, u32 offset)
{
	u8 *p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, v->dev.fd,
		     vfio_region_offset(&v->dev, VFIO_PCI_BAR0_REGION_INDEX) + offset);

	return p == MAP_FAILED ? NULL : p;
}

static u32 irq_at(u32 offset)
{
	return IRQ_GPA + offset - IRQ_BASE;
}

static u32 rcs_at(u32 reg)
{
	return RCS_GPA + reg;
}

static void check_without_kvm(void)
{
	struct vgpu *other = vgpu_new(MDEV_TYPE_SMALL);

	tap_ok(count_areas(other) == 1, "without KVM there are no faces");
	tap_ok(!map_face(other, IRQ_BASE), "nor can registers be mapped");
	vgpu_free(other);
}

static void set_track(const char *value)
{
	must(file_write("/sys/module/gslot/parameters/track", value), "the module's parameter");
}

/* How many parts can be mapped, by the parameter; the page of entries is one. */
static void check_parameter(void)
{
	static const struct {
		const char *value;
		u32 areas;
	} row[] = { { "0", 1 }, { "1", 2 }, { "2", 5 }, { "3", 5 }, { "4", 6 }, { "5", 6 } };
	struct vgpu *v;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		set_track(row[i].value);
		v = vgpu_new(MDEV_TYPE_SMALL);
		tap_eq(count_areas(v), row[i].areas, "parts that a guest can map, by track=%s",
		       row[i].value);
		vgpu_free(v);
	}
	set_track("4");
}

/* Registers that are stored, by their classes */
static void check_classes(void)
{
	u32 mode = MI_MODE_STOP_RING;

	kvm_guest_write(&guest, irq_at(GEN_GT_IMR(0)), 0x12345678);
	tap_ok(mmio_read(vgpu, GEN_GT_IMR(0)) == 0x12345678, "a store writes a register");
	tap_ok(kvm_guest_read(&guest, irq_at(GEN_GT_IMR(0))) == 0x12345678, "a load reads it");
	mmio_write(vgpu, GEN_GT_IMR(0), 0x9abcdef0);
	tap_ok(kvm_guest_read(&guest, irq_at(GEN_GT_IMR(0))) == 0x9abcdef0,
	       "a load reads what the VMM has written");
	kvm_guest_write(&guest, irq_at(GEN_GT_ISR(0)), 0xffffffff);
	tap_ok(!kvm_guest_read(&guest, irq_at(GEN_GT_ISR(0))), "a read-only register stays");
	kvm_guest_write(&guest, irq_at(IRQ_BASE + 0xffc), 0xffffffff);
	tap_ok(!kvm_guest_read(&guest, irq_at(IRQ_BASE + 0xffc)), "and one that does not exist");
	kvm_guest_write(&guest, rcs_at(RING_MI_MODE), mode << 16 | mode);
	tap_ok(kvm_guest_read(&guest, rcs_at(RING_MI_MODE)) == (mode | MI_MODE_IDLE),
	       "a masked register takes the bits that are selected");
	kvm_guest_write(&guest, rcs_at(RING_MI_MODE), mode << 16);
	tap_ok(!(mmio_read(vgpu, GEN_RCS0_BASE + RING_MI_MODE) & mode), "and clears them");
}

/* Stores of other sizes: a plain register takes a part, and none has less than a dword. */
static void check_sizes(void)
{
	u32 reg = RING_NOPID;

	kvm_guest_write(&guest, rcs_at(reg), 0);
	kvm_guest_begin(&guest);
	kvm_guest_store(&guest, rcs_at(reg), 1, 0x11);
	kvm_guest_store(&guest, rcs_at(reg) + 2, 2, 0x2233);
	kvm_guest_load(&guest, rcs_at(reg), 0);
	tap_ok(kvm_guest_run(&guest) == KVM_EXIT_HLT, "stores of a byte and of a word");
	tap_ok(kvm_guest_loaded(&guest, 0) == 0x22330011, "write their part");
	tap_ok(mmio_read(vgpu, GEN_RCS0_BASE + reg) == 0x22330011, "of the register");
}

static void run(const char *what)
{
	if (kvm_guest_run(&guest) != KVM_EXIT_HLT)
		tap_die("%s leaves KVM", what);
}

/* Instructions that write several registers at once, or read one as well */
static void check_instructions(void)
{
	u32 imr = GEN_GT_IMR(0), ier = GEN_GT_IER(0), isr = GEN_GT_ISR(0);

	kvm_guest_begin(&guest);
	kvm_guest_store64(&guest, irq_at(isr), 0x0102030405060708ull);
	run("a store of 8 bytes");
	tap_ok(mmio_read(vgpu, imr) == 0x01020304 && !mmio_read(vgpu, isr),
	       "8 bytes write two registers, each as it may be written");
	kvm_guest_begin(&guest);
	kvm_guest_fill(&guest, irq_at(isr), 4, 0x00110022);
	run("a string of stores");
	tap_ok(mmio_read(vgpu, imr) == 0x00110022 && mmio_read(vgpu, ier) == 0x00110022 &&
	       !mmio_read(vgpu, isr), "a string of stores writes them one after the other");
	kvm_guest_begin(&guest);
	kvm_guest_or(&guest, irq_at(imr), 0x44000044);
	run("a locked instruction");
	tap_ok(mmio_read(vgpu, imr) == 0x44110066, "a locked instruction sets bits");
	mmio_write(vgpu, ier, 0);
	mmio_write(vgpu, imr, 0x9abcdef0);
}

/* The registers of each engine are its own. */
static void check_engines(void)
{
	u32 i, bad = 0, value[VGPU_NR_ENGINES];

	for (i = 0; i < VGPU_NR_ENGINES; i++) {
		u32 base = engine_infos[i].base, at = ENGINES_GPA + i * PAGE;
		u8 *face = map_face(vgpu, base & ~(PAGE - 1));

		if (!face)
			tap_die("map: %s", strerror(errno));
		must(kvm_guest_map(&guest, 3 + i, at, face, PAGE), "a memory slot");
		at += base & (PAGE - 1);
		value[i] = 0x1000 + i;
		kvm_guest_write(&guest, at + RING_NOPID, value[i]);
		bad += kvm_guest_read(&guest, at + RING_NOPID) != value[i];
		must(kvm_guest_map(&guest, 3 + i, 0, NULL, 0), "remove the slot");
		munmap(face, PAGE);
	}
	for (i = 0; i < VGPU_NR_ENGINES; i++)
		bad += mmio_read(vgpu, engine_infos[i].base + RING_NOPID) != value[i];
	tap_eq(bad, 0, "each engine has registers of its own");
}

/* A read-only slot: what the guest stores goes to its VMM, as without faces. */
static void check_read_only(void)
{
	struct kvm_userspace_memory_region region = {
		.slot = 1, .flags = KVM_MEM_READONLY, .guest_phys_addr = IRQ_GPA,
		.memory_size = PAGE, .userspace_addr = (unsigned long)irq_face,
	};
	u32 at = irq_at(GEN_GT_IMR(0));

	must(kvm_guest_map(&guest, 1, 0, NULL, 0), "remove a memory slot");
	must(ioctl(guest.vm, KVM_SET_USER_MEMORY_REGION, &region) ? -errno : 0, "a read-only one");
	tap_ok(kvm_guest_read(&guest, at) == mmio_read(vgpu, GEN_GT_IMR(0)),
	       "by a read-only slot the guest reads");
	kvm_guest_begin(&guest);
	kvm_guest_store(&guest, at, 4, 0x77);
	tap_ok(kvm_guest_run(&guest) == KVM_EXIT_MMIO, "what it stores goes to the VMM");
	tap_ok(mmio_read(vgpu, GEN_GT_IMR(0)) == 0x9abcdef0, "and not to the register");
	must(kvm_guest_map(&guest, 1, 0, NULL, 0), "remove it");
	must(kvm_guest_map(&guest, 1, IRQ_GPA, irq_face, PAGE), "and add it as it was");
}

/* State arrives while the guest has the faces mapped. */
static void check_migration(void)
{
	u32 imr = GEN_GT_IMR(0), left = 0xffffffff;
	struct mig_stream stream = { };

	kvm_guest_write(&guest, rcs_at(RING_NOPID), 0x1234);
	kvm_guest_write(&guest, irq_at(imr), 0x5678);
	must(mig_save(&vgpu->dev, &stream), "save");
	must(mig_set(&vgpu->dev, MIG_STOP, NULL), "stop");
	must(mig_set(&vgpu->dev, MIG_RUNNING, NULL), "run");
	kvm_guest_write(&guest, rcs_at(RING_NOPID), left);
	kvm_guest_write(&guest, irq_at(imr), left);
	must(mig_set(&vgpu->dev, MIG_STOP, NULL), "stop");
	must(mig_load(&vgpu->dev, &stream, 1000), "load");
	must(mig_set(&vgpu->dev, MIG_RUNNING, NULL), "run");
	tap_ok(kvm_guest_read(&guest, rcs_at(RING_NOPID)) == 0x1234 &&
	       kvm_guest_read(&guest, irq_at(imr)) == 0x5678, "faces show what a migration brings");
	kvm_guest_write(&guest, irq_at(imr), 0x9abcdef0);
	tap_ok(mmio_read(vgpu, imr) == 0x9abcdef0, "and stores write registers afterwards");
	mig_free(&stream);
}

/* The guest submits a request by its stores, and sees its interrupt. */
static void check_submission(void)
{
	u32 iir = GEN_GT_IIR(engine_infos[RCS].irq_group);
	struct context ctx;
	u32 seqno;
	u64 desc;

	context_init(&ctx, vgpu, RCS, NULL);
	request_begin(&ctx);
	seqno = request_end(&ctx);
	context_commit(&ctx);
	desc = context_desc(&ctx);
	ctx.engine->pending++;
	kvm_guest_begin(&guest);
	kvm_guest_store(&guest, rcs_at(RING_ELSP), 4, 0);
	kvm_guest_store(&guest, rcs_at(RING_ELSP), 4, 0);
	kvm_guest_store(&guest, rcs_at(RING_ELSP), 4, desc >> 32);
	kvm_guest_store(&guest, rcs_at(RING_ELSP), 4, desc);
	tap_ok(kvm_guest_run(&guest) == KVM_EXIT_HLT, "four stores submit");
	tap_ok(request_wait(&ctx, seqno, SOON_MS) && engine_wait_idle(ctx.engine, SOON_MS),
	       "the request is executed");
	tap_ok(wait_for(kvm_guest_read(&guest, irq_at(iir)), SOON_MS),
	       "its interrupt is seen in a face");
	tap_ok(kvm_guest_read(&guest, irq_at(iir)) == mmio_read(vgpu, iir), "as by a read");
	kvm_guest_write(&guest, irq_at(iir), 0xffffffff);
	tap_ok(!kvm_guest_read(&guest, irq_at(iir)) && !mmio_read(vgpu, iir),
	       "a store acknowledges it");
	tap_ok(kvm_guest_read(&guest, rcs_at(RING_HEAD)) ==
	       mmio_read(vgpu, GEN_RCS0_BASE + RING_HEAD) &&
	       kvm_guest_read(&guest, rcs_at(RING_TAIL)) ==
	       mmio_read(vgpu, GEN_RCS0_BASE + RING_TAIL), "HEAD and TAIL are those of the ring");
	tap_ok(kvm_guest_read(&guest, rcs_at(RING_CSB_PTR)) ==
	       mmio_read(vgpu, GEN_RCS0_BASE + RING_CSB_PTR), "and the CSB's pointer");
}

static void check_time(void)
{
	u32 first = kvm_guest_read(&guest, rcs_at(RING_TIMESTAMP)), second;

	usleep(200000);
	second = kvm_guest_read(&guest, rcs_at(RING_TIMESTAMP));
	tap_diag("%u ticks in 200 ms", second - first);
	tap_ok(second - first >= 200 * 11000, "a timestamp goes on");
}

/* The VMM moves BAR 0, and touches the face while the guest does not see it. */
static void check_moves(void)
{
	u32 at = irq_at(GEN_GT_IMR(0)), away = 0x40000;

	must(kvm_guest_map(&guest, 1, 0, NULL, 0), "remove a memory slot");
	__atomic_store_n((u32 *)(irq_face + GEN_GT_IMR(0) - IRQ_BASE), 0xdeadbeef,
			 __ATOMIC_RELAXED);
	tap_ok(mmio_read(vgpu, GEN_GT_IMR(0)) == 0x9abcdef0, "the VMM's own stores have no effect");
	must(kvm_guest_map(&guest, 1, IRQ_GPA + away, irq_face, PAGE), "add it elsewhere");
	tap_ok(wait_for(kvm_guest_read(&guest, at + away) == 0x9abcdef0, SOON_MS),
	       "nor does the guest see them for long");
	kvm_guest_write(&guest, at + away, 0x55aa55aa);
	tap_ok(mmio_read(vgpu, GEN_GT_IMR(0)) == 0x55aa55aa, "where BAR 0 has gone, stores write");
	kvm_guest_begin(&guest);
	kvm_guest_store(&guest, at, 4, 1);
	tap_ok(kvm_guest_run(&guest) == KVM_EXIT_MMIO, "where it was there is nothing");
	must(kvm_guest_map(&guest, 1, 0, NULL, 0), "remove the slot");
	must(kvm_guest_map(&guest, 1, IRQ_GPA, irq_face, PAGE), "and add it as it was");
}

static void check_reset(void)
{
	kvm_guest_write(&guest, rcs_at(RING_NOPID), 77);
	tap_ok(!vfio_device_reset(&vgpu->dev), "the device is reset");
	tap_ok(kvm_guest_read(&guest, irq_at(GEN_GT_IMR(0))) == 0xffffffff &&
	       !kvm_guest_read(&guest, rcs_at(RING_NOPID)), "faces show that");
	vgpu_start(vgpu);
}

/* It is closed while a request runs, and the guest has just seen the registers. */
static void check_close(void)
{
	struct spinner spin;
	struct context ctx;
	u32 seqno;

	context_init(&ctx, vgpu, RCS, NULL);
	spinner_init(&spin, &ctx, true);
	seqno = spinner_request(&spin, &ctx);
	context_submit(&ctx);
	tap_ok(request_wait_started(&ctx, seqno, SOON_MS), "a request runs");
	kvm_guest_write(&guest, rcs_at(RING_NOPID), 0);
	kvm_guest_read(&guest, irq_at(GEN_MASTER_IRQ));
	munmap(irq_face, PAGE);
	munmap(rcs_face, PAGE);
	tap_eq(-vgpu_free(vgpu), 0, "the device is closed, and removed");
}

int main(void)
{
	struct witness w;

	vgpu_test_init(180);
	if (kvm_guest_init(&guest))
		tap_skip_all("no KVM");
	check_without_kvm();
	witness_init(&w);
	vfio_use_kvm(guest.device);
	check_parameter();
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	vfio_use_kvm(-1);
	set_track("3");
	irq_face = map_face(vgpu, IRQ_BASE);
	rcs_face = map_face(vgpu, GEN_RCS0_BASE);
	if (!irq_face || !rcs_face)
		tap_die("map: %s", strerror(errno));
	must(kvm_guest_map(&guest, 1, IRQ_GPA, irq_face, PAGE), "a memory slot");
	must(kvm_guest_map(&guest, 2, RCS_GPA, rcs_face, PAGE), "another one");
	check_classes();
	check_sizes();
	check_instructions();
	check_engines();
	check_read_only();
	check_migration();
	check_submission();
	check_time();
	check_moves();
	check_reset();
	survived(vgpu, &w, "after that");
	check_close();
	kvm_guest_fini(&guest);
	witness_free(&w);
	return vgpu_test_done();
}
