// SPDX-License-Identifier: GPL-2.0
/* System sleep, at any moment of the guests' work. */
#include <errno.h>
#include <pthread.h>

#include "clock.h"
#include "file.h"
#include "hostile.h"
#include "sleep.h"
#include "tap.h"

#define AWAKE_MS	4000u	/* at most, between two */
/*
 * A thread that closes a file of the FUSE daemon cannot be frozen once the daemon is. All vGPUs are
 * parked until the kernel gives up: by default after 20 s, longer than the witness waits for a
 * request.
 */
#define FREEZE_TIMEOUT	"/sys/power/pm_freeze_timeout"
#define FREEZE_MS	"3000"

static struct rng rng;
static pthread_t thread;
static bool over, failed;
static int slept;

static void *sleep_often(void *arg)
{
	int ret;

	(void)arg;
	while (!READ_ONCE(over)) {
		sleep_us(rng_below(&rng, AWAKE_MS) * 1000);
		ret = sleep_once();
		slept += !ret;
		/* Guest memory that does not arrive may keep the machine awake. */
		if (!ret || ret == -EBUSY)
			continue;
		tap_diag("system sleep: %d", ret);
		failed = true;
		break;
	}
	return NULL;
}

void sleeper_start(u64 seed)
{
	rng.state = seed;
	if (!sleep_possible())
		tap_die("this machine cannot sleep and wake up by itself");
	if (file_write(FREEZE_TIMEOUT, FREEZE_MS))
		tap_die("cannot set the freezer's timeout");
	if (pthread_create(&thread, NULL, sleep_often, NULL))
		tap_die("no thread");
}

int sleeper_stop(void)
{
	WRITE_ONCE(over, true);
	pthread_join(thread, NULL);
	return failed ? -1 : slept;
}
