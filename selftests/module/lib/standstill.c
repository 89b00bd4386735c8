// SPDX-License-Identifier: GPL-2.0
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "standstill.h"
#include "tap.h"

#define MOST_CPUS	64
/* Each watch reads the clock at this period, with priority over all else on its processor. */
#define PERIOD_US	2000
/* A thread that waits for a shared processor is this late: that is no standstill. */
#define LATE_US		20000

/**
 * struct watch - a thread that only wakes up, one for each processor
 * @thread: the thread
 * @due: its next wakeup, us
 * @late: the sum of its delays, us
 */
struct watch {
	pthread_t thread;
	u64 due;
	u64 late;
};

static struct watch watches[MOST_CPUS];
static u32 count;

static u64 late_by(u64 due)
{
	u64 now = now_us();

	return now > due + LATE_US ? now - due : 0;
}

static void *run(void *arg)
{
	struct watch *w = arg;
	u64 late;

	for (;;) {
		sleep_us(PERIOD_US);
		late = late_by(w->due);
		/* In this order, or the delay would be counted twice for a moment. */
		__atomic_store_n(&w->due, now_us() + PERIOD_US, __ATOMIC_SEQ_CST);
		__atomic_store_n(&w->late, w->late + late, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

static void start(struct watch *w, u32 cpu)
{
	const struct sched_param first = { .sched_priority = 1 };
	pthread_attr_t attr;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	w->due = now_us() + PERIOD_US;
	pthread_attr_init(&attr);
	pthread_attr_setaffinity_np(&attr, sizeof(set), &set);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
	pthread_attr_setschedparam(&attr, &first);
	if (pthread_create(&w->thread, &attr, run, w))
		tap_die("no thread for processor %u", cpu);
	pthread_attr_destroy(&attr);
}

void standstill_watch(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	while (count < MOST_CPUS && count < cpus) {
		start(&watches[count], count);
		count++;
	}
}

/* Add the delay of a watch that stands still now. The result never decreases. */
u64 standstill_us(void)
{
	static u64 most;
	u64 sum = 0, last = __atomic_load_n(&most, __ATOMIC_SEQ_CST);
	u32 i;

	for (i = 0; i < count; i++) {
		sum += __atomic_load_n(&watches[i].late, __ATOMIC_SEQ_CST);
		sum += late_by(__atomic_load_n(&watches[i].due, __ATOMIC_SEQ_CST));
	}
	while (sum > last && !__atomic_compare_exchange_n(&most, &last, sum, false,
							  __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
		;
	return sum > last ? sum : last;
}

u64 standstill_but_for(u64 t0, u64 stood_us)
{
	u64 took = now_us() - t0;

	stood_us = standstill_us() - stood_us;
	return took > stood_us ? took - stood_us : 0;
}
