// SPDX-License-Identifier: GPL-2.0
/* Memory that changes at any moment, and comes and goes. */
#include "ggtt.h"
#include "hostile.h"

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

/* The same page holds commands and what only looks like them. */
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

	if (one_in(a, 16)) {
		setup_tables(a, space);
		return;
	}
	while (n--) {
		u64 *table = page_ptr(a, PAGE_TABLE(space, below(a, 7)));

		/* Page tables and their tables far more often than a root's only entry. */
		WRITE_ONCE(table[1 + below(a, GEN_PTES_PER_PAGE - 1)], any_pte(a));
	}
}

void op_write_ggtt(struct actor *a)
{
	struct vgpu *vgpu = actor_vgpu(a);
	u32 n = 1 + below(a, 8);

	while (n--) {
		u32 page = any_page(a);

		switch (below(a, 8)) {
		case 0:		/* anywhere, one's own or not */
			ggtt_set(vgpu, (u64)below(a, GEN_GGTT_ENTRIES) * PAGE_SIZE, any_pte(a));
			break;
		case 1:
			ggtt_set(vgpu, GGTT_HIGH(page), any_pte(a));
			break;
		case 2:
			ggtt_set(vgpu, GGTT_LOW(page), any_pte(a));
			break;
		default:	/* mended */
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

void op_window_map(struct actor *a)
{
	struct vgpu *vgpu = actor_vgpu(a);
	u32 n = below(a, NR_WINDOWS);
	u64 at = MB(4) * below(a, RAM_SIZE / MB(4) - 1);

	/* Refused if it is there already. */
	vfio_dma_map(&vgpu->dev, WINDOW_IOVA(n), vgpu->ram.ptr + at, WINDOW_SIZE);
}

void op_window_unmap(struct actor *a)
{
	vfio_dma_unmap(&actor_vgpu(a)->dev, WINDOW_IOVA(below(a, NR_WINDOWS)), WINDOW_SIZE);
}

/* All of its memory, under everything that runs; it comes back at once. */
void op_memory_unmap(struct actor *a)
{
	struct vgpu *vgpu = actor_vgpu(a);

	vfio_dma_unmap(&vgpu->dev, vgpu->ram.base, vgpu->ram.size);
	vfio_dma_map(&vgpu->dev, vgpu->ram.base, vgpu->ram.ptr, vgpu->ram.size);
}
