// SPDX-License-Identifier: GPL-2.0
/*
 * Code modification under TCG: one processor replaces an instruction and notifies another one,
 * which executes it in a loop and must execute the new one from then on. Linux patches code like
 * this; a failure is an oops far from the cause, once in hours. A test of
 * qemu-patches/patches/0006.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tap.h"

#define ROUNDS		20000
#define PAGE		4096
#define IMMEDIATE	4	/* offset in the code of the number that it returns */
#define OP_NOP		0x90
#define OP_MOV_EAX	0xb8
#define OP_RET		0xc3

static uint32_t told, taken, stale;
static bool over;

static uint32_t get(uint32_t *word)
{
	return __atomic_load_n(word, __ATOMIC_SEQ_CST);
}

static void set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_SEQ_CST);
}

/* A processor must serialise before it executes modified code (Intel SDM 3A, 9.1.3). */
static void serialize(void)
{
	uint32_t eax = 0, ebx, ecx = 0, edx;

	__asm__ volatile("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx) : : "memory");
}

static void *execute(void *code)
{
	uint32_t (*number)(void) = (uint32_t (*)(void))code;
	uint32_t now;

	while (!__atomic_load_n(&over, __ATOMIC_SEQ_CST)) {
		number();
		now = get(&told);
		if (now == taken)
			continue;
		serialize();
		stale += number() != now;
		set(&taken, now);
	}
	return NULL;
}

/* Replace it atomically, alternately by a plain store and by an atomic operation. */
static void replace(void *where, uint32_t number)
{
	if (number & 1)
		__atomic_store_n((uint32_t *)where, number, __ATOMIC_RELAXED);
	else
		__atomic_exchange_n((uint32_t *)where, number, __ATOMIC_SEQ_CST);
}

int main(void)
{
	int fd = memfd_create("code", 0);
	pthread_t thread;
	uint8_t *code, *same;
	uint32_t i;

	if (fd < 0 || ftruncate(fd, PAGE))
		tap_die("no memory");
	/* As Linux does: write it through another mapping. */
	same = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_SHARED, fd, 0);
	if (same == MAP_FAILED || code == MAP_FAILED)
		tap_die("no memory");
	/* Align the number. */
	memset(same, OP_NOP, IMMEDIATE);
	same[IMMEDIATE - 1] = OP_MOV_EAX;
	same[IMMEDIATE + 4] = OP_RET;
	if (pthread_create(&thread, NULL, execute, code))
		tap_die("no thread");
	for (i = 1; i <= ROUNDS; i++) {
		replace(same + IMMEDIATE, i);
		set(&told, i);
		while (get(&taken) != i)
			;
	}
	__atomic_store_n(&over, true, __ATOMIC_SEQ_CST);
	pthread_join(thread, NULL);
	tap_eq(stale, 0, "an instruction that is replaced %u times is the new one each time",
	       ROUNDS);
	return tap_done();
}
