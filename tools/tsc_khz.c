// SPDX-License-Identifier: GPL-2.0
/*
 * Print the frequency of this machine's TSC in kHz, measured for 50 ms. A read of TSC and clock
 * that was interrupted takes long: of many the shortest counts.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define READS	1000

struct moment {
	uint64_t tsc, ns;
};

static uint64_t clock_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static struct moment now(void)
{
	uint64_t shortest = UINT64_MAX;
	struct moment best = { 0 };
	int i;

	for (i = 0; i < READS; i++) {
		uint64_t before = __rdtsc(), ns = clock_ns(), took = __rdtsc() - before;

		if (took < shortest) {
			shortest = took;
			best = (struct moment) { before + took / 2, ns };
		}
	}
	return best;
}

int main(void)
{
	struct timespec pause = { .tv_nsec = 50000000 };
	struct moment from = now(), to;

	nanosleep(&pause, NULL);
	to = now();
	printf("%.0f\n", (to.tsc - from.tsc) * 1e6 / (to.ns - from.ns));
	return 0;
}
