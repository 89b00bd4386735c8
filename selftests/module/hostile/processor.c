// SPDX-License-Identifier: GPL-2.0
/*
 * A virtual CPU of KVM, which has the memory of one guest at a time, and faces of registers of any:
 * its writes are tracked. Other threads write to the same page tables behind KVM's back, as a VMM
 * that an attacker has taken over can.
 */
#include <sys/mman.h>
#include <unistd.h>

#include <gen/regs.h>

#include "clock.h"
#include "guard.h"
#include "hostile.h"
#include "iommufd.h"
#include "kvm.h"
#include "tap.h"

#define SLOT_RAM	1u
#define SLOT_FACE	2u
#define FACE_GPA	0xe0000000u
#define RUNS		8u

static struct kvm_guest guest;
static bool has_kvm;
static void *shown;	/* what SLOT_RAM has */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void processor_init(void)
{
	has_kvm = !iommufd_wanted() && !kvm_guest_init(&guest);
	if (has_kvm)
		vfio_use_kvm(guest.device);
	else
		tap_diag("without KVM: its write tracking is not tested");
}

void processor_fini(void)
{
	vfio_use_kvm(-1);
	if (has_kvm)
		kvm_guest_fini(&guest);
}

/*
 * Show the guest's memory now and then. Return: whether it is shown. If not, what is shown may be
 * gone, and the process may have something else there.
 */
static bool show_ram(struct actor *a)
{
	void *memory = ram_ptr(&actor_vgpu(a)->ram, 0);

	if (memory != shown ? one_in(a, 4) : one_in(a, 64)) {
		kvm_guest_map(&guest, SLOT_RAM, 0, NULL, 0);
		shown = NULL;
		if (!kvm_guest_map(&guest, SLOT_RAM, 0, memory, RAM_SIZE))
			shown = memory;
	}
	return memory == shown;
}

static u32 any_face(struct actor *a)
{
	u32 engine = below(a, VGPU_NR_ENGINES + 1);

	return (engine < VGPU_NR_ENGINES ? engine_infos[engine].base : GEN_MASTER_IRQ) &
	       ~(PAGE_SIZE - 1);
}

/* Registers that exist more often than others, of any width and alignment, across the end. */
static void use_face(struct actor *a, u32 face)
{
	u32 n = 1 + below(a, 8), at;

	kvm_guest_begin(&guest);
	while (n--) {
		at = below(a, 2) ? any_register(a, below(a, VGPU_NR_ENGINES)) : any_dword(a);
		at = FACE_GPA + at % PAGE_SIZE;
		if (below(a, 3))
			kvm_guest_store(&guest, at, 1 << below(a, 3), any_dword(a));
		else
			kvm_guest_load(&guest, at, 0);
	}
	kvm_guest_run(&guest);
	/* What a VMM stores there itself. */
	if (one_in(a, 8))
		mmio_write(actor_vgpu(a), face + below(a, PAGE_SIZE / 4) * 4, any_dword(a));
}

/* The VMM maps a face, and the slot or the mapping goes first, while it is used or later. */
static void op_face(struct actor *a)
{
	u32 face = any_face(a), n = below(a, RUNS);
	struct vfio *dev = &actor_vgpu(a)->dev;
	u8 *p = mmap(NULL, PAGE_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, dev->fd,
		     vfio_region_offset(dev, VFIO_PCI_BAR0_REGION_INDEX) + face);

	if (p == MAP_FAILED)
		return;
	if (one_in(a, 4))
		guard_write32(p + below(a, PAGE_SIZE / 4) * 4, any_dword(a));
	kvm_guest_map(&guest, SLOT_FACE, FACE_GPA, p, PAGE_SIZE);
	while (n--) {
		use_face(a, face);
		if (one_in(a, 8))
			sleep_us(below(a, 30000));
	}
	if (one_in(a, 2)) {
		munmap(p, PAGE_SIZE);
		kvm_guest_map(&guest, SLOT_FACE, 0, NULL, 0);
	} else {
		kvm_guest_map(&guest, SLOT_FACE, 0, NULL, 0);
		munmap(p, PAGE_SIZE);
	}
}

/* Write entries of page tables, and have the request of an engine that uses them in between. */
static void op_tables(struct actor *a)
{
	u32 n = below(a, RUNS), page;

	if (!show_ram(a))
		return;
	while (n--) {
		page = PAGE_TABLE(below(a, NR_SPACES), below(a, 7));
		kvm_guest_begin(&guest);
		kvm_guest_store(&guest, GPA(page) + (1 + below(a, GEN_PTES_PER_PAGE - 1)) * 8, 4,
				any_pte(a));
		kvm_guest_run(&guest);
		if (one_in(a, 2))
			submit_batch(a, below(a, VGPU_NR_ENGINES), below(a, NR_BATCHES));
	}
}

/* This thread submits many requests, and writes no table: they may be tracked. */
static void op_quiet(struct actor *a)
{
	u32 n = 16;

	if (!show_ram(a))
		return;
	while (n--)
		submit_batch(a, below(a, VGPU_NR_ENGINES), below(a, NR_BATCHES));
}

void op_processor(struct actor *a)
{
	u32 what = below(a, 4);

	if (!has_kvm)
		return;
	pthread_mutex_lock(&lock);
	if (what < 2)
		op_face(a);
	else if (what == 2)
		op_tables(a);
	else
		op_quiet(a);
	pthread_mutex_unlock(&lock);
}
