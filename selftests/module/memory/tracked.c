// SPDX-License-Identifier: GPL-2.0
/*
 * Page tables of a KVM guest that it does not write are compared no more at each request, and what
 * it writes is seen all the same: by a virtual CPU, or by the GPU; and if its memory is not where
 * KVM shows it, nothing is tracked. What a driver has freed can be written by any instruction.
 */
#include <sys/mman.h>

#include <gen/regs.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "kvm.h"
#include "tap.h"
#include "vgpu.h"
#include "witness.h"

#define BATCH	0x40000000ull
#define DATA	0x80000000ull	/* in another page table than the batch */
#define REQUESTS	12u	/* more than it takes until tables are tracked */
#define SLOT	1u
#define SLOT_SMM	(0x10000u | SLOT)	/* in the address space of system management */

static struct kvm_guest guest;
static struct vgpu *vgpu;
static struct context ctx;
static u64 batch, page[2], directory, table;

static u64 *entries(void)
{
	return ram_ptr(&vgpu->ram, table);
}

static void show_in(u32 slot, void *memory)
{
	if (kvm_guest_map(&guest, slot, 0, memory, memory ? RAM_SIZE : 0))
		tap_die("no memory slot");
}

/* Show the guest's memory to KVM, or @memory instead, or nothing. */
static void show(void *memory)
{
	show_in(SLOT, memory);
}

static void *memory(void)
{
	return ram_ptr(&vgpu->ram, 0);
}

static void make_tables(void)
{
	context_init(&ctx, vgpu, RCS, NULL);
	batch = ram_alloc(&vgpu->ram, 1);
	page[0] = ram_alloc(&vgpu->ram, 1);
	page[1] = ram_alloc(&vgpu->ram, 1);
	ppgtt_map(ctx.ppgtt, BATCH, batch, 1);
	ppgtt_map(ctx.ppgtt, DATA, page[0], 1);
	table = *ppgtt_entry(ctx.ppgtt, DATA, 1) & GEN_PTE_ADDR;
	directory = *ppgtt_entry(ctx.ppgtt, DATA, 2) & GEN_PTE_ADDR;
}

static u32 entry_of(u64 gpa)
{
	return gpa | (entries()[0] & 0xfff);
}

/* A request stores @value at @addr of its address space. */
static bool runs(u64 addr, u32 value)
{
	struct cs cs;

	cs_init(&cs, ram_ptr(&vgpu->ram, batch), PAGE_SIZE);
	cs_store(&cs, PPGTT, addr, value);
	cs_end(&cs);
	request_begin(&ctx);
	request_batch(&ctx, BATCH);
	return request_run(&ctx, request_end(&ctx));
}

static bool stores_in(u32 nr, u32 value)
{
	ram_write32(&vgpu->ram, page[!nr], 0);
	return runs(DATA, value) && ram_read32(&vgpu->ram, page[nr]) == value &&
	       !ram_read32(&vgpu->ram, page[!nr]);
}

/* How many tables the next request compares, after many. */
static u32 compared(u32 nr)
{
	u64 before;
	u32 i;

	for (i = 0; i < REQUESTS; i++)
		if (!stores_in(nr, 0x1000 + i))
			tap_die("request %u stores elsewhere", i);
	before = counters_number(vgpu, "exec", "compared");
	if (!stores_in(nr, 0x2000))
		tap_die("a request stores elsewhere");
	return counters_number(vgpu, "exec", "compared") - before;
}

static void check_processor(void)
{
	tap_eq(compared(0), 0, "tables that do not change are not compared");
	tap_ok(counters_number(vgpu, "exec", "tracked") > 3, "they are tracked");
	kvm_guest_write(&guest, table, entry_of(page[1]));
	tap_ok(stores_in(1, 0x3000), "a processor's store in a table is seen");
	tap_eq(compared(1), 0, "later it is not compared again");
	kvm_guest_write(&guest, table, entry_of(page[0]));
	kvm_guest_write(&guest, table, entry_of(page[1]));
	kvm_guest_write(&guest, table, entry_of(page[0]));
	tap_ok(stores_in(0, 0x3001), "so are several");
	tap_eq(compared(0), 0, "with the table as it was it is not compared");
	kvm_guest_begin(&guest);
	kvm_guest_store64(&guest, table, entries()[0] - page[0] + page[1]);
	tap_ok(kvm_guest_run(&guest) == KVM_EXIT_HLT && stores_in(1, 0x3005),
	       "a store of 8 bytes is seen");
	tap_eq(compared(1), 0, "then the table is not compared");
	kvm_guest_begin(&guest);
	kvm_guest_fill(&guest, table, PAGE_SIZE / 4, 0);
	kvm_guest_store64(&guest, table, entry_of(page[0]));
	tap_ok(kvm_guest_run(&guest) == KVM_EXIT_HLT && stores_in(0, 0x3006),
	       "so is a string of stores to the whole table");
	tap_eq(compared(0), 0, "then the table is not compared");
	kvm_guest_begin(&guest);
	kvm_guest_store(&guest, table, 4, 0);
	kvm_guest_or(&guest, table, entry_of(page[1]));
	tap_ok(kvm_guest_run(&guest) == KVM_EXIT_HLT && stores_in(1, 0x3007),
	       "so is a locked instruction");
	kvm_guest_write(&guest, table, entry_of(page[0]));
}

static void check_slots(void)
{
	tap_eq(compared(0), 0, "before the memory is removed, no table is compared");
	show(NULL);
	entries()[0] = entry_of(page[1]);
	show(memory());
	tap_ok(stores_in(1, 0x3002), "what was written while the guest had no memory is seen");
}

static void check_gpu(void)
{
	tap_eq(compared(1), 0, "before the GPU can write the table, no table is compared");
	kvm_guest_write(&guest, table + sizeof(u64), entry_of(table));
	tap_ok(compared(1) == 1, "a table that the GPU can write is always compared");
	tap_ok(runs(DATA + PAGE_SIZE, entry_of(page[0])), "the GPU writes it");
	tap_ok(stores_in(0, 0x3003), "that is seen");
	kvm_guest_write(&guest, table + sizeof(u64), 0);
	tap_eq(compared(0), 0, "until it can no more");
}

static void check_elsewhere(void)
{
	void *other = mmap(NULL, RAM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
			   0);

	if (other == MAP_FAILED)
		tap_die("no memory");
	show(NULL);
	show(other);
	tap_ok(compared(0) > 3, "if KVM has other memory there, all tables are compared");
	entries()[0] = entry_of(page[1]);
	tap_ok(stores_in(1, 0x3004), "and a store is seen");
	show(NULL);
	munmap(other, RAM_SIZE);
	tap_ok(compared(1) > 3, "as without memory");
}

/* A driver frees a table, and what a program has in its memory is written by any instruction. */
static void check_free(const char *what)
{
	kvm_guest_begin(&guest);
	kvm_guest_store_float(&guest, table + PAGE_SIZE - sizeof(u64));
	tap_ok(kvm_guest_run(&guest) == KVM_EXIT_HLT, "a table is free %s", what);
	tap_eq(compared(1), 0, "and tracked again when it is used again");
}

static void check_freed(void)
{
	u32 unused = directory + PAGE_SIZE - sizeof(u64);

	show(memory());
	tap_eq(compared(1), 0, "with its memory no table is compared");
	kvm_guest_write(&guest, unused, 0);
	check_free("when the one above it was written");
	ppgtt_notify(vgpu, ctx.ppgtt, false);
	check_free("when its address space is destroyed");
	tap_ok(wait_for(!counters_number(vgpu, "exec", "tracked"), SOON_MS),
	       "without submissions tracking ends");
	check_free("when nothing was submitted for a while");
	show_in(SLOT_SMM, memory());
	show_in(SLOT_SMM, NULL);
	check_free("when another address space's slot was removed");
	tap_ok(gdrst(vgpu, GDRST_FULL), "the GPU is reset");
	kvm_guest_begin(&guest);
	kvm_guest_store_float(&guest, table + PAGE_SIZE - sizeof(u64));
	tap_ok(kvm_guest_run(&guest) == KVM_EXIT_HLT, "then all tables are free");
}

static void check_end(void)
{
	tap_ok(!vfio_device_reset(&vgpu->dev), "the device is reset");
	vgpu_start(vgpu);
	kvm_guest_begin(&guest);
	kvm_guest_store_float(&guest, table);
	tap_ok(kvm_guest_run(&guest) == KVM_EXIT_HLT, "the guest writes what was a table");
}

int main(void)
{
	struct witness w;

	vgpu_test_init(180);
	if (kvm_guest_init(&guest))
		tap_skip_all("no KVM");
	witness_init(&w);
	vfio_use_kvm(guest.device);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	vfio_use_kvm(-1);
	show(memory());
	make_tables();
	check_processor();
	check_slots();
	check_gpu();
	check_elsewhere();
	check_freed();
	check_end();
	survived(vgpu, &w, "after that");
	vgpu_free(vgpu);
	kvm_guest_fini(&guest);
	witness_free(&w);
	return vgpu_test_done();
}
