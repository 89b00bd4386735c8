/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From Multiboot to C on two processors: flat segments, no paging, a stack
 * each. Also interrupt entries, VMRUN and guest code, which C cannot express.
 */

#include "boot.h"

#define MULTIBOOT_MAGIC	0x1badb002
#define STACK_SIZE	4096

	.macro	load_segments
	mov	$16, %eax
	mov	%eax, %ds
	mov	%eax, %es
	mov	%eax, %ss
	.endm

	.section .text
	.code32
	.align	4
	.long	MULTIBOOT_MAGIC, 0, -MULTIBOOT_MAGIC

	.globl	_start
_start:
	cli
	cld
	lgdt	gdt_pointer
	ljmp	$8, $1f
1:	load_segments
	mov	$stacks + STACK_SIZE, %esp

	/* The second processor starts in real mode, below 1 MB. */
	mov	$ap_start, %esi
	mov	$AP_PAGE, %edi
	mov	$ap_end - ap_start, %ecx
	rep movsb
	call	main

	.code16
ap_start:
	cli
	cld
	xor	%ax, %ax
	mov	%ax, %ds
	lgdtl	AP_PAGE + ap_gdt_pointer - ap_start
	mov	%cr0, %eax
	or	$1, %al
	mov	%eax, %cr0
	ljmpl	$8, $ap_entry
ap_gdt_pointer:
	.word	gdt_end - gdt - 1
	.long	gdt
ap_end:

	.code32
ap_entry:
	load_segments
	mov	$stacks + 2 * STACK_SIZE, %esp
	lidt	idt_pointer
	call	second_cpu

	/* Interrupts of the host. */
	.macro	interrupt name, handler
	.globl	\name
\name:
	pusha
	cld
	call	\handler
	popa
	iret
	.endm

	interrupt ipi_entry, ipi
	interrupt spurious_entry, spurious

	/* void vmrun(uint32_t vmcb): the guest may change all other registers */
	.globl	vmrun
vmrun:
	pusha
	mov	36(%esp), %eax
	vmrun	%eax
	popa
	ret

	/* The idle guest. */
	.globl	guest_exits
guest_exits:
	vmmcall
	jmp	guest_exits

	/*
	 * The guest's handler of the injected interrupt. It records that it was
	 * entered, and waits, with interrupts off, for the other processor.
	 */
	.globl	guest_handler
guest_handler:
	incl	guest_entries
1:	cmpl	$0, map_changed
	je	1b
	vmmcall

	.section .data
	.align	8
	.globl	gdt, gdt_end
gdt:
	.quad	0
	.quad	0x00cf9b000000ffff	/* code */
	.quad	0x00cf93000000ffff	/* data */
gdt_end:

gdt_pointer:
	.word	gdt_end - gdt - 1
	.long	gdt

	.globl	idt_pointer
idt_pointer:
	.word	256 * 8 - 1
	.long	idt

	.section .bss
	.align	16
stacks:	.skip	2 * STACK_SIZE

	.section .note.GNU-stack, "", @progbits
