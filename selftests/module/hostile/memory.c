// SPDX-License-Identifier: GPL-2.0
/* Memory that changes at any moment, and is mapped and unmapped. */
#include <sys/mman.h>

#include "ggtt.h"
#include "hostile.h"
#include "tap.h"

static void write_dwords(struct actor *a, u32 page, u32 count)
{
	u32 *p = page_ptr(a, page), at = below(a, PAGE_SIZE / 4);

	while (count--)
		WRITE_ONCE(p[at++ % (PAGE_SIZE / 4)], any_dword(a));
}

void op_write_memory(struct actor *a)
{
	write_dwords(a, harmless_page(a), 1 + below(a, 16));
}

void op_write_image(struct actor *a)
{
	u32 ctx = below(a, NR_CTX);

	if (below(a, 2))
		setup_image(a, ctx);
	else
		write_dwords(a, PAGE_IMAGE(ctx) + below(a, IMAGE_PAGES), 1 + below(a, 4));
}

void op_write_ring(struct actor *a)
{
	u32 ctx = below(a, NR_CTX);

	write_dwords(a, PAGE_RING(ctx) + below(a, RING_DEFAULT_PAGES), 1 + below(a, 8));
}

void op_write_batch(struct actor *a)
{
	u32 n = below(a, NR_BATCHES);

	if (below(a, 4))
		write_batch(a, n, false);
	else
		WRITE_ONCE(((u32 *)page_ptr(a, PAGE_BATCH(n)))[below(a, 64)], any_dword(a));
}

/* The same page holds commands, and data that only look like commands. */
void op_write_wa(struct actor *a)
{
	u32 n = below(a, NR_WA);
	struct cs cs;

	cs_init(&cs, page_ptr(a, PAGE_WA(n)), PAGE_SIZE);
	cs.pos = below(a, 64) * 16;
	emit_commands(a, &cs, below(a, VGPU_NR_ENGINES), 1 + below(a, 8), one_in(a, 8));
	if (below(a, 2))
		cs_end(&cs);
	else
		cs_noop(&cs, below(a, 64));
}

void op_write_table(struct actor *a)
{
	u32 space = below(a, NR_SPACES), n = 1 + below(a, 16);
	/* Often entries of several levels name the same page. */
	u64 same = below(a, 2) ? any_pte(a) : 0;

	if (one_in(a, 16)) {
		setup_tables(a, space);
		return;
	}
	while (n--) {
		u64 *table = page_ptr(a, PAGE_TABLE(space, below(a, 7)));

		/* Page tables and directories far more often than the root's only entry. */
		WRITE_ONCE(table[1 + below(a, GEN_PTES_PER_PAGE - 1)], same ?: any_pte(a));
	}
}

void op_write_ggtt(struct actor *a)
{
	struct vgpu *vgpu = actor_vgpu(a);
	u32 n = 1 + below(a, 8);

	while (n--) {
		u32 page = any_page(a);

		switch (below(a, 8)) {
		case 0:		/* any address */
			ggtt_set(vgpu, (u64)below(a, GEN_GGTT_ENTRIES) * PAGE_SIZE, any_pte(a));
			break;
		case 1:
			ggtt_set(vgpu, GGTT_HIGH(page), any_pte(a));
			break;
		case 2:
			ggtt_set(vgpu, GGTT_LOW(page), any_pte(a));
			break;
		default:	/* repaired */
			ggtt_set(vgpu, GGTT_HIGH(page), GPA(page) | GEN_PTE_PRESENT);
			ggtt_set(vgpu, GGTT_LOW(page), GPA(page) | GEN_PTE_PRESENT);
			break;
		}
	}
}

void op_flush_ggtt(struct actor *a)
{
	ggtt_flush(actor_vgpu(a));
}

static u64 window_word(u32 i)
{
	return 0x817d0a5e00000000ULL + i;
}

/* It is unmapped: its contents must not change from now on. */
static void window_fill(struct window *w)
{
	u32 i;

	w->mapped = false;
	for (i = 0; i < WINDOW_SIZE / 8; i++)
		w->ptr[i] = window_word(i);
}

static void window_check(struct guest *g, const struct window *w)
{
	u32 i;

	for (i = 0; i < WINDOW_SIZE / 8 && w->ptr[i] == window_word(i); i++)
		;
	if (i == WINDOW_SIZE / 8)
		return;
	tap_diag("memory was written after it was unmapped: word %#x is %#llx", i,
		 (unsigned long long)w->ptr[i]);
	WRITE_ONCE(g->bad, true);
}

void windows_init(struct guest *g)
{
	u32 i;

	for (i = 0; i < NR_WINDOWS; i++) {
		struct window *w = &g->window[i];

		pthread_mutex_init(&w->lock, NULL);
		w->ptr = mmap(NULL, WINDOW_SIZE, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		if (w->ptr == MAP_FAILED)
			tap_die("no memory");
		window_fill(w);
	}
}

void windows_gone(struct guest *g)
{
	u32 i;

	for (i = 0; i < NR_WINDOWS; i++)
		if (g->window[i].mapped)
			window_fill(&g->window[i]);
}

void op_window_map(struct actor *a)
{
	u32 n = below(a, NR_WINDOWS);
	struct window *w = &a->guest->window[n];

	if (pthread_mutex_trylock(&w->lock))
		return;
	if (!w->mapped) {
		window_check(a->guest, w);
		w->mapped = !vfio_dma_map(&actor_vgpu(a)->dev, WINDOW_IOVA(n), w->ptr,
					  WINDOW_SIZE);
	}
	pthread_mutex_unlock(&w->lock);
}

void op_window_unmap(struct actor *a)
{
	u32 n = below(a, NR_WINDOWS);
	struct window *w = &a->guest->window[n];

	if (pthread_mutex_trylock(&w->lock))
		return;
	if (w->mapped && !vfio_dma_unmap(&actor_vgpu(a)->dev, WINDOW_IOVA(n), WINDOW_SIZE))
		window_fill(w);
	pthread_mutex_unlock(&w->lock);
}

/* Unmap all of its memory under running work, and map it again at once. */
void op_memory_unmap(struct actor *a)
{
	struct vgpu *vgpu = actor_vgpu(a);

	vfio_dma_unmap(&vgpu->dev, vgpu->ram.base, vgpu->ram.size);
	vfio_dma_map(&vgpu->dev, vgpu->ram.base, vgpu->ram.ptr, vgpu->ram.size);
}
