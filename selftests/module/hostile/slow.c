// SPDX-License-Identifier: GPL-2.0
/* Guest memory from a FUSE daemon, which sometimes answers late. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "clock.h"
#include "fuse_file.h"
#include "ggtt.h"
#include "guard.h"
#include "hostile.h"
#include "tap.h"

#define SLOW_IOVA	0x600000000ULL
#define SLOW_PAGES	1024u
/* In the environment, as processes that are killed use it as well. */
#define SLOW_PATH	"GSLOT_HOSTILE_SLOW"
#define FLAGS		(GEN_PTE_PRESENT | GEN_PTE_RW)

static struct fuse_file file = { .size = SLOW_PAGES * PAGE_SIZE };
static pid_t server;

static void delay(void *rng)
{
	sleep_us(rng_below(rng, rng_below(rng, 4) ? 5000 : 300000));
}

void slow_begin(u64 seed)
{
	struct rng rng = { seed };

	snprintf(file.path, sizeof(file.path), "/tmp/slow.%d", getpid());
	file.before_read = delay;
	file.data = &rng;
	if (!fuse_file_mount(&file)) {
		tap_diag("no FUSE: no memory arrives late");
		return;
	}
	setenv(SLOW_PATH, file.path, 1);
	server = fuse_file_fork(&file);
}

void slow_end(void)
{
	if (server)
		fuse_file_unmount(&file);
}

static void *map_slow(void)
{
	const char *path = getenv(SLOW_PATH);
	void *p = MAP_FAILED;
	int fd;

	if (!path)
		return p;
	snprintf(file.path, sizeof(file.path), "%s", path);
	fd = fuse_file_open(&file);
	if (fd < 0)
		return p;
	/* Pages that were read before would be available at once. */
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	p = mmap(NULL, file.size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	return p;
}

/* A page of it in the GGTT, the aperture, or an address space. */
static void use_page(struct actor *a)
{
	struct vgpu *vgpu = actor_vgpu(a);
	u64 pte = (SLOW_IOVA + GPA(below(a, SLOW_PAGES))) | FLAGS, *table;
	u32 page = harmless_page(a), value;

	switch (below(a, 4)) {
	case 0:
		ggtt_set(vgpu, GGTT_HIGH(page), pte);
		break;
	case 1:
		ggtt_set(vgpu, GGTT_LOW(page), pte);
		guard_read32(vgpu->aperture + GGTT_LOW(page), &value);
		break;
	default:
		table = page_ptr(a, PAGE_TABLE(below(a, NR_SPACES), 3 + below(a, 4)));
		WRITE_ONCE(table[below(a, GEN_PTES_PER_PAGE)], pte);
		break;
	}
}

/*
 * The host waits for a page when it pins it; meanwhile the guest continues, resets its engine, or
 * unmaps the memory.
 */
void op_slow(struct actor *a)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
	struct vfio *dev = &actor_vgpu(a)->dev;
	u32 n = 1 + below(a, 8), engine = below(a, VGPU_NR_ENGINES), i;
	u32 us = below(a, 50000), then = below(a, 4), batch = below(a, NR_BATCHES);
	void *p;

	if (pthread_mutex_trylock(&one))
		return;
	p = map_slow();
	if (p != MAP_FAILED && !vfio_dma_map(dev, SLOW_IOVA, p, file.size)) {
		for (i = 0; i < n; i++)
			use_page(a);
		submit_batch(a, engine, batch);
		sleep_us(us);
		if (!then)
			reset_engine(a, engine, true);
		vfio_dma_unmap(dev, SLOW_IOVA, file.size);
	}
	if (p != MAP_FAILED)
		munmap(p, file.size);
	pthread_mutex_unlock(&one);
}
