// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kvm.h"
#include "tap.h"

/* In the guest's memory: the program, what it has loaded, and an operand. */
#define CODE	0x1000u
#define LOADED	0x8000u
#define OPERAND	0x9000u

/* Protected mode without paging: all segments begin at 0, and have 4 GB. */
static int kvm_flat(struct kvm_guest *g)
{
	struct kvm_segment code = {
		.limit = ~0u, .selector = 8, .type = 11, .present = 1, .s = 1, .db = 1, .g = 1,
	}, data = code;
	struct kvm_sregs sregs;

	if (ioctl(g->vcpu, KVM_GET_SREGS, &sregs))
		return -errno;
	data.selector = 16;
	data.type = 3;
	sregs.cr0 |= 1;
	sregs.cs = code;
	sregs.ds = data;
	sregs.es = data;
	sregs.ss = data;
	return ioctl(g->vcpu, KVM_SET_SREGS, &sregs) ? -errno : 0;
}

static int kvm_processor(struct kvm_guest *g)
{
	int size = ioctl(g->kvm, KVM_GET_VCPU_MMAP_SIZE, 0);

	g->vcpu = ioctl(g->vm, KVM_CREATE_VCPU, 0);
	if (g->vcpu < 0 || size < 0)
		return -errno;
	g->run = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, g->vcpu, 0);
	return g->run == MAP_FAILED ? -errno : kvm_flat(g);
}

int kvm_guest_init(struct kvm_guest *g)
{
	struct kvm_create_device device = { .type = KVM_DEV_TYPE_VFIO };

	*g = (struct kvm_guest) { .vm = -1, .vcpu = -1, .device = -1 };
	g->kvm = open("/dev/kvm", O_RDWR | O_CLOEXEC);
	if (g->kvm < 0)
		return -errno;
	g->vm = ioctl(g->kvm, KVM_CREATE_VM, 0);
	if (g->vm < 0 || ioctl(g->vm, KVM_CREATE_DEVICE, &device))
		return -errno;
	g->device = device.fd;
	g->ram = mmap(NULL, KVM_GUEST_RAM, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (g->ram == MAP_FAILED)
		return -errno;
	return kvm_guest_map(g, 0, KVM_GUEST_BASE, g->ram, KVM_GUEST_RAM) ?: kvm_processor(g);
}

void kvm_guest_fini(struct kvm_guest *g)
{
	close(g->vcpu);
	close(g->device);
	close(g->vm);
	close(g->kvm);
	munmap(g->ram, KVM_GUEST_RAM);
}

int kvm_guest_map(struct kvm_guest *g, u32 slot, u32 address, void *memory, u32 size)
{
	struct kvm_userspace_memory_region region = {
		.slot = slot,
		.guest_phys_addr = address,
		.memory_size = size,
		.userspace_addr = (unsigned long)memory,
	};

	return ioctl(g->vm, KVM_SET_USER_MEMORY_REGION, &region) ? -errno : 0;
}

static void emit(struct kvm_guest *g, u32 value, u32 bytes)
{
	memcpy(g->ram + g->code, &value, bytes);
	g->code += bytes;
}

void kvm_guest_begin(struct kvm_guest *g)
{
	g->code = CODE;
}

void kvm_guest_store(struct kvm_guest *g, u32 address, u32 bytes, u32 value)
{
	if (bytes == 2)
		emit(g, 0x66, 1);
	emit(g, bytes == 1 ? 0x05c6 : 0x05c7, 2);	/* mov $value, address */
	emit(g, address, 4);
	emit(g, value, bytes);
}

void kvm_guest_store64(struct kvm_guest *g, u32 address, u64 value)
{
	memcpy(g->ram + OPERAND, &value, sizeof(value));
	emit(g, 0x056f0f, 3);			/* movq operand, %mm0 */
	emit(g, KVM_GUEST_BASE + OPERAND, 4);
	emit(g, 0x057f0f, 3);			/* movq %mm0, address */
	emit(g, address, 4);
}

void kvm_guest_fill(struct kvm_guest *g, u32 address, u32 count, u32 value)
{
	emit(g, 0xbf, 1);			/* mov $address, %edi */
	emit(g, address, 4);
	emit(g, 0xb9, 1);			/* mov $count, %ecx */
	emit(g, count, 4);
	emit(g, 0xb8, 1);			/* mov $value, %eax */
	emit(g, value, 4);
	emit(g, 0xabf3, 2);			/* rep stosl */
}

void kvm_guest_or(struct kvm_guest *g, u32 address, u32 bits)
{
	emit(g, 0x0d81f0, 3);			/* lock orl $bits, address */
	emit(g, address, 4);
	emit(g, bits, 4);
}

void kvm_guest_store_float(struct kvm_guest *g, u32 address)
{
	emit(g, 0xeed9, 2);			/* fldz */
	emit(g, 0x1dd9, 2);			/* fstps address */
	emit(g, address, 4);
}

void kvm_guest_load(struct kvm_guest *g, u32 address, u32 nr)
{
	emit(g, 0xa1, 1);			/* mov address, %eax */
	emit(g, address, 4);
	emit(g, 0xa3, 1);			/* mov %eax, result */
	emit(g, KVM_GUEST_BASE + LOADED + nr * sizeof(u32), 4);
}

/* An access that left KVM is completed by the next run: have that run nothing else. */
static void complete(struct kvm_guest *g)
{
	g->run->immediate_exit = 1;
	/* Ends with EINTR. */
	if (!ioctl(g->vcpu, KVM_RUN, 0))
		tap_diag("an access is not completed");
	g->run->immediate_exit = 0;
}

u32 kvm_guest_run(struct kvm_guest *g)
{
	struct kvm_regs regs = { .rip = KVM_GUEST_BASE + CODE, .rflags = 2 };
	u32 reason;

	emit(g, 0xf4, 1);			/* hlt */
	if (ioctl(g->vcpu, KVM_SET_REGS, &regs) || ioctl(g->vcpu, KVM_RUN, 0))
		return KVM_EXIT_UNKNOWN;
	reason = g->run->exit_reason;
	if (reason == KVM_EXIT_MMIO)
		complete(g);
	return reason;
}

u32 kvm_guest_loaded(const struct kvm_guest *g, u32 nr)
{
	u32 value;

	memcpy(&value, g->ram + LOADED + nr * sizeof(u32), sizeof(value));
	return value;
}

static void run_all(struct kvm_guest *g, u32 address)
{
	u32 reason = kvm_guest_run(g);

	if (reason != KVM_EXIT_HLT)
		tap_die("the guest's access to %#x ends with exit %u", address, reason);
}

void kvm_guest_write(struct kvm_guest *g, u32 address, u32 value)
{
	kvm_guest_begin(g);
	kvm_guest_store(g, address, 4, value);
	run_all(g, address);
}

u32 kvm_guest_read(struct kvm_guest *g, u32 address)
{
	kvm_guest_begin(g);
	kvm_guest_load(g, address, 0);
	run_all(g, address);
	return kvm_guest_loaded(g, 0);
}
