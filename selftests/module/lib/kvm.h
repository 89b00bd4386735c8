/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A KVM guest with one virtual CPU, which reads and writes memory at any address below 4 GB: what a
 * VMM gives it of a vGPU is mapped in its memory.
 */
#ifndef _LIBVGPU_KVM_H
#define _LIBVGPU_KVM_H

#include <linux/kvm.h>

#include "types.h"

/**
 * struct kvm_guest - a guest
 * @kvm: /dev/kvm
 * @vm: the machine
 * @vcpu: its processor
 * @device: KVM's VFIO device
 * @run: of the processor
 * @ram: its own memory, KVM_GUEST_RAM bytes at KVM_GUEST_BASE
 * @code: where the next instruction goes
 */
struct kvm_guest {
	int kvm;
	int vm;
	int vcpu;
	int device;
	struct kvm_run *run;
	u8 *ram;
	u32 code;
};

#define KVM_GUEST_BASE	0xf0000000u
#define KVM_GUEST_RAM	0x10000u

/* Return: 0, or -errno: this machine has no KVM. */
int kvm_guest_init(struct kvm_guest *g);
void kvm_guest_fini(struct kvm_guest *g);

/* Show memory of this process to the guest, in a slot above 0; @size 0: remove it. 0 or -errno. */
int kvm_guest_map(struct kvm_guest *g, u32 slot, u32 address, void *memory, u32 size);

/*
 * Programs: begin, instructions, run. Stores have 1, 2 or 4 bytes; the value that load number @nr
 * has read is in the guest's memory after the run. The exit's reason is returned: KVM_EXIT_HLT when
 * all instructions were executed.
 */
void kvm_guest_begin(struct kvm_guest *g);
void kvm_guest_store(struct kvm_guest *g, u32 address, u32 bytes, u32 value);
void kvm_guest_load(struct kvm_guest *g, u32 address, u32 nr);
/* One in a program: its operand is in the guest's memory. */
void kvm_guest_store64(struct kvm_guest *g, u32 address, u64 value);
/* @count stores of 4 bytes by one instruction. */
void kvm_guest_fill(struct kvm_guest *g, u32 address, u32 count, u32 value);
/* Set @bits of 4 bytes, by a locked instruction. */
void kvm_guest_or(struct kvm_guest *g, u32 address, u32 bits);
/* A store of 4 bytes, 0, by an instruction that KVM does not emulate. */
void kvm_guest_store_float(struct kvm_guest *g, u32 address);
u32 kvm_guest_run(struct kvm_guest *g);
u32 kvm_guest_loaded(const struct kvm_guest *g, u32 nr);

/* One store of 4 bytes, and one load. The program ends if the guest exits for it. */
void kvm_guest_write(struct kvm_guest *g, u32 address, u32 value);
u32 kvm_guest_read(struct kvm_guest *g, u32 address);

#endif
