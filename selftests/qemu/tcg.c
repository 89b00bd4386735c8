// SPDX-License-Identifier: GPL-2.0
/*
 * TCG with two processors and without an operating system: one processor runs
 * guests or accesses a device, the other one disturbs it. Prints TAP on the first
 * serial port and leaves QEMU through isa-debug-exit.
 *
 * Each test is of a patch in qemu-patches/patches. Without it a host has its
 * memory corrupted, or hangs, rarely and far from the cause.
 */
#include <stdbool.h>
#include <stdint.h>

#include "boot.h"

#define SERIAL_PORT	0x3f8
#define EXIT_PORT	0xf4
#define RTC_ADDRESS	0x70
#define RTC_DATA	0x71

#define PCI_ADDRESS	0xcf8
#define PCI_DATA	0xcfc

#define PCI_AHCI	(1u << 31 | 0x1f << 11 | 2 << 8)	/* at 00:1f.2 in q35 */
#define PCI_COMMAND	4
#define PCI_COMMAND_IO	(1 << 0)
#define PCI_COMMAND_MEMORY (1 << 1)

#define MSR_EFER	0xc0000080
#define MSR_VM_HSAVE_PA	0xc0010117
#define EFER_SVME	(1 << 12)

#define APIC		0xfee00000
#define APIC_VERSION	0x30
#define APIC_EOI	0xb0
#define APIC_SVR	0xf0
#define APIC_SVR_ENABLE	(1 << 8)
#define APIC_ICR	0x300
#define APIC_ICR_HIGH	0x310
#define APIC_LVT_LINT0	0x350
#define APIC_LVT_MASKED	(1 << 16)
#define ICR_FIXED	(0 << 8)
#define ICR_INIT	(5 << 8)
#define ICR_STARTUP	(6 << 8)
#define ICR_ASSERT	(1 << 14)

#define VECTOR_IPI	0x40
#define VECTOR_INJECTED	0x50
#define VECTOR_SPURIOUS	0xff

/* AMD64 Architecture Programmer's Manual, volume 2, appendix B. */
struct vmcb_seg {
	uint16_t selector, attrib;
	uint32_t limit;
	uint64_t base;
};

struct vmcb {
	uint32_t intercept_cr, intercept_dr, intercept_exceptions;
	uint32_t intercept[2];
	uint8_t reserved_14[0x58 - 0x14];
	uint32_t asid, tlb_control;
	uint32_t int_ctl, int_vector;
	uint64_t int_state;
	uint64_t exit_code, exit_info[2];
	uint8_t reserved_88[0xa8 - 0x88];
	uint64_t event_inj;
	uint8_t reserved_b0[0x400 - 0xb0];
	struct vmcb_seg es, cs, ss, ds, fs, gs, gdtr, ldtr, idtr, tr;
	uint8_t reserved_4a0[0x4d0 - 0x4a0];
	uint64_t efer;
	uint8_t reserved_4d8[0x548 - 0x4d8];
	uint64_t cr4, cr3, cr0, dr7, dr6, rflags, rip;
	uint8_t reserved_580[0x5d8 - 0x580];
	uint64_t rsp;
	uint8_t reserved_5e0[0x1000 - 0x5e0];
} __attribute__((aligned(4096)));

_Static_assert(sizeof(struct vmcb) == 4096, "a VMCB is a page");

#define INTERCEPT1_VMRUN	(1 << 0)
#define INTERCEPT1_VMMCALL	(1 << 1)
#define V_IRQ			(1 << 8)
#define V_IGN_TPR		(1 << 20)
#define V_INTR_MASKING		(1 << 24)
#define EVENT_VALID		(1u << 31)
#define EXIT_VMMCALL		0x81

#define GATE_INTERRUPT		0x8e00

struct gate idt[256];
static struct gate guest_idt[256];
static struct vmcb vmcb;
static uint8_t hsave[4096] __attribute__((aligned(4096)));
static uint32_t guest_stack[256];

/* Shared by both processors, accessed by get() and set(). */
uint32_t guest_entries, map_changed;
static uint32_t ipis, rounds;
static void (*job)(void);
static bool working, stop;

#define get(variable)		__atomic_load_n(&(variable), __ATOMIC_ACQUIRE)
#define set(variable, value)	__atomic_store_n(&(variable), value, __ATOMIC_RELEASE)

static unsigned int tests, failed;

static void write8(uint16_t port, uint8_t value)
{
	asm volatile("outb %0, %1" : : "a"(value), "Nd"(port));
}

static void write32(uint16_t port, uint32_t value)
{
	asm volatile("outl %0, %1" : : "a"(value), "Nd"(port));
}

static uint32_t read32(uint16_t port)
{
	uint32_t value;

	asm volatile("inl %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

static uint8_t read8(uint16_t port)
{
	uint8_t value;

	asm volatile("inb %1, %0" : "=a"(value) : "Nd"(port));
	return value;
}

/* The clock's second, in BCD. */
static uint32_t read_seconds(void)
{
	write8(RTC_ADDRESS, 0);
	return read8(RTC_DATA);
}

static void wrmsr(uint32_t msr, uint64_t value)
{
	asm volatile("wrmsr" : : "c"(msr), "A"(value));
}

static uint64_t rdmsr(uint32_t msr)
{
	uint64_t value;

	asm volatile("rdmsr" : "=A"(value) : "c"(msr));
	return value;
}

static void apic_write(uint32_t reg, uint32_t value)
{
	set(*(uint32_t *)(APIC + reg), value);
}

static uint32_t apic_read(uint32_t reg)
{
	return get(*(uint32_t *)(APIC + reg));
}

static void send(uint32_t apic_id, uint32_t what)
{
	apic_write(APIC_ICR_HIGH, apic_id << 24);
	apic_write(APIC_ICR, what | ICR_ASSERT);
}

static void put(const char *text)
{
	while (*text)
		write8(SERIAL_PORT, *text++);
}

static void put_number(uint32_t value)
{
	if (value >= 10)
		put_number(value / 10);
	write8(SERIAL_PORT, '0' + value % 10);
}

static void remark(const char *name, uint32_t value)
{
	put("# ");
	put(name);
	put(": ");
	put_number(value);
	put("\n");
}

static void result(bool passed, const char *name)
{
	tests++;
	if (!passed)
		failed++;
	put(passed ? "ok " : "not ok ");
	put_number(tests);
	put(" - ");
	put(name);
	put("\n");
}

static void set_gate(struct gate *table, unsigned int vector, const uint8_t *entry)
{
	table[vector] = (struct gate) {
		.offset_low = (uint32_t)entry,
		.selector = 8,
		.type = GATE_INTERRUPT,
		.offset_high = (uint32_t)entry >> 16,
	};
}

void ipi(void)
{
	set(ipis, ipis + 1);
	apic_write(APIC_EOI, 0);
}

void spurious(void)
{
}

/* Takes pending interrupts now. */
static void window(void)
{
	asm volatile("sti; nop; nop; cli" : : : "memory");
}

/* Pass some time without a memory access. */
static void spin(uint32_t steps)
{
	while (steps--)
		asm volatile("");
}

/* The second processor runs one job after the other. */
void second_cpu(void)
{
	for (;;) {
		while (!get(job))
			;
		set(working, true);
		job();
		set(job, 0);
		set(working, false);
	}
}

/*
 * disturb - run a job on the second processor until undisturb()
 *
 * Waits are without PAUSE, for which TCG leaves the translated code.
 */
static void disturb(void (*what)(void))
{
	set(stop, false);
	set(job, what);
	while (!get(working))
		;
}

static void undisturb(void)
{
	set(stop, true);
	while (get(working))
		;
}

/* A guest in flat protected mode that begins at @entry, with interrupts off. */
static void make_guest(const uint8_t *entry)
{
	static const struct vmcb_seg data = { 16, 0xc93, 0xffffffff, 0 };

	vmcb = (struct vmcb) {
		.intercept[1] = INTERCEPT1_VMRUN | INTERCEPT1_VMMCALL,
		.asid = 1,
		.es = data, .ss = data, .ds = data,
		.cs = { 8, 0xc9b, 0xffffffff, 0 },
		.gdtr = { .base = (uint32_t)gdt, .limit = (gdt_end - gdt) * 8 - 1 },
		.idtr = { .base = (uint32_t)guest_idt, .limit = sizeof(guest_idt) - 1 },
		.efer = EFER_SVME,
		.cr0 = 1,
		.dr6 = 0xffff0ff0, .dr7 = 0x400,
		.rflags = 2,
		.rip = (uint32_t)entry,
		.rsp = (uint32_t)(guest_stack + 256),
	};
}

/*
 * GIF is off between CLGI and STGI while the other processor restores its FPU.
 * An interrupt is always pending, so a moment with GIF on is noticed.
 */
#define TIMES	1000000

static uint32_t restores;

static void restore_fpu(void)
{
	static uint8_t image[512] __attribute__((aligned(16)));

	asm volatile("fxsave %0" : "=m"(image));
	set(restores, 0);
	while (!get(stop)) {
		asm volatile("fxrstor %0" : : "m"(image));
		set(restores, restores + 1);
	}
}

static void test_gif(void)
{
	uint32_t i, taken = 0;

	set(ipis, 0);
	send(0, ICR_FIXED | VECTOR_IPI);
	disturb(restore_fpu);
	for (i = 0; i < TIMES || get(restores) < TIMES; i++) {
		asm volatile("clgi" : : : "memory");
		window();
		asm volatile("stgi" : : : "memory");
		if (get(ipis)) {
			taken++;
			set(ipis, 0);
			send(0, ICR_FIXED | VECTOR_IPI);
		}
	}
	undisturb();
	window();
	remark("restores", restores);
	remark("interrupts taken with GIF off", taken);
	result(!taken && get(ipis) == 1, "an FPU restore leaves the other processor's GIF alone");
}

/*
 * No interrupt is lost in a VMRUN that has a virtual interrupt pending. One that
 * was not taken for PATIENCE windows is lost. On a busy machine, where the two
 * processors wait for each other at QEMU's lock, the test ends after SECONDS.
 */
#define IPIS		50000
#define PATIENCE	1000
#define SECONDS		8

static bool lost;

static void send_ipis(void)
{
	uint32_t sent, since, random = 1;

	for (sent = 1; sent <= IPIS && !lost && !get(stop); sent++) {
		random = random * 1103515245 + 12345;
		spin(random >> 24);
		send(0, ICR_FIXED | VECTOR_IPI);
		since = get(rounds);
		while (get(ipis) != sent && get(rounds) - since < PATIENCE)
			;
		lost = get(ipis) != sent;
	}
	set(stop, true);
}

static void test_interrupt_request(void)
{
	uint32_t seconds = 0, now, last = read_seconds();
	bool exits = true;

	make_guest(guest_exits);
	vmcb.int_ctl = V_IRQ | V_IGN_TPR | V_INTR_MASKING;
	vmcb.int_vector = VECTOR_INJECTED;
	set(ipis, 0);
	disturb(send_ipis);
	/* The other processor may still wait for an interrupt. */
	while (!get(stop) || get(working)) {
		vmrun((uint32_t)&vmcb);
		exits &= vmcb.exit_code == EXIT_VMMCALL;
		asm volatile("stgi");
		window();
		set(rounds, rounds + 1);
		if (rounds % 1024)
			continue;
		now = read_seconds();
		seconds += now != last;
		last = now;
		if (seconds == SECONDS)
			set(stop, true);
	}
	remark("guests run", rounds);
	remark("interrupts taken", ipis);
	result(exits && !lost, "a VMRUN loses no interrupt of the host");
}

/*
 * An injected interrupt is delivered once, also if the processor leaves its
 * translated code in the handler without an interrupt: for a change of the memory
 * map. The other processor makes such changes: it disables and enables the
 * decoding of a device.
 */
static void change_memory_map(void)
{
	uint32_t command;

	while (!get(guest_entries))
		;
	write32(PCI_ADDRESS, PCI_AHCI | PCI_COMMAND);
	command = read32(PCI_DATA);
	write32(PCI_DATA, command & ~(PCI_COMMAND_IO | PCI_COMMAND_MEMORY));
	write32(PCI_DATA, command);
	set(map_changed, 1);
}

static void test_injection(void)
{
	set_gate(guest_idt, VECTOR_INJECTED, guest_handler);
	make_guest(guest_exits);
	vmcb.event_inj = EVENT_VALID | VECTOR_INJECTED;
	disturb(change_memory_map);
	vmrun((uint32_t)&vmcb);
	asm volatile("stgi");
	undisturb();
	remark("entries of the handler", guest_entries);
	result(vmcb.exit_code == EXIT_VMMCALL && guest_entries == 1,
	       "an injected interrupt is delivered once");
}

/*
 * A device is accessed where it is, also while the other processor changes the
 * memory map in front of it. Each read comes after a random delay: the one before
 * has filled the TLB, and a change and its flush may fall around this one.
 */
#define MAP_SECONDS	2
#define SPIN_MAX	65536

static uint32_t map_changes;

static void change_memory_map_often(void)
{
	uint32_t command;

	write32(PCI_ADDRESS, PCI_AHCI | PCI_COMMAND);
	command = read32(PCI_DATA) | PCI_COMMAND_MEMORY;
	for (set(map_changes, 0); !get(stop); set(map_changes, map_changes + 2)) {
		write32(PCI_DATA, command & ~PCI_COMMAND_MEMORY);
		spin(SPIN_MAX);
		write32(PCI_DATA, command);
		spin(SPIN_MAX);
	}
}

static void test_memory_map(void)
{
	uint32_t reads = 0, wrong = 0, seconds = 0, now, random = 1;
	uint32_t version = apic_read(APIC_VERSION), last = read_seconds();

	disturb(change_memory_map_often);
	while (seconds <= MAP_SECONDS || !get(map_changes)) {
		for (now = reads + 4096; reads < now; reads++) {
			random = random * 1103515245 + 12345;
			spin(random >> 16);
			wrong += apic_read(APIC_VERSION) != version;
		}
		now = read_seconds();
		seconds += now != last;
		last = now;
	}
	undisturb();
	remark("changes of the memory map", map_changes);
	remark("reads", reads);
	remark("wrong reads", wrong);
	result(!wrong, "a device is read where it is while the memory map changes");
}

/* TCG needs no pauses between them. */
static void start_second_cpu(void)
{
	send(1, ICR_INIT);
	send(1, ICR_STARTUP | AP_PAGE >> 12);
}

void main(void)
{
	apic_write(APIC_SVR, APIC_SVR_ENABLE | VECTOR_SPURIOUS);
	/* The firmware's timer still ticks: mask all interrupts but our own. */
	apic_write(APIC_LVT_LINT0, APIC_LVT_MASKED);
	set_gate(idt, VECTOR_IPI, ipi_entry);
	set_gate(idt, VECTOR_SPURIOUS, spurious_entry);
	asm volatile("lidt (%0)" : : "r"(idt_pointer));
	wrmsr(MSR_EFER, rdmsr(MSR_EFER) | EFER_SVME);
	wrmsr(MSR_VM_HSAVE_PA, (uint32_t)hsave);
	start_second_cpu();

	test_gif();
	test_interrupt_request();
	test_injection();
	test_memory_map();
	put("1..");
	put_number(tests);
	put("\n");
	write32(EXIT_PORT, failed ? 1 : 0);
	for (;;)
		asm volatile("hlt");
}
