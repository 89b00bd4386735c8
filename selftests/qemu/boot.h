/* SPDX-License-Identifier: GPL-2.0 */
/* The interface of boot.S and tcg.c. */
#ifndef _QEMU_BOOT_H
#define _QEMU_BOOT_H

#define AP_PAGE		0x8000		/* where the second processor starts */

#ifndef __ASSEMBLER__
#include <stdint.h>

struct gate {
	uint16_t offset_low, selector, type, offset_high;
};

extern const uint64_t gdt[], gdt_end[];
extern const uint8_t idt_pointer[], ipi_entry[], spurious_entry[];
extern const uint8_t guest_exits[], guest_handler[];

extern struct gate idt[256];
extern uint32_t guest_entries, map_changed;

/* vmrun - run a guest until it exits; GIF is off then */
void vmrun(uint32_t vmcb);

void main(void);
void second_cpu(void);
void ipi(void);
void spurious(void);
#endif

#endif
