/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A vGPU's private GGTT: the entries as the guest wrote them, in memory that
 * the guest maps and writes without an exit; and the pages that they name,
 * pinned and put into the physical GGTT when the guest's writes are
 * synchronised (its flush register, and every submission).
 */
#ifndef _GSLOT_GM_GGTT_H
#define _GSLOT_GM_GGTT_H

#include "../core/window.h"
#include "guestmem.h"

struct gslot_hw;
struct gslot_ggtt;

/**
 * gslot_ggtt_sync() - bring the physical GGTT up to what the guest wrote
 * @ggtt: the vGPU's
 *
 * Handles the pages of entries that were written since the last call: pins
 * and unpins, writes the changed physical entries, flushes, unmaps from the
 * aperture what changed, and watches those pages again.
 *
 * Return: 0; -EINTR if somebody waits for the vGPU's lock: at least one page was
 * handled, and this has to be called again for the rest; or another -errno if
 * the host could not give the guest what an entry names: the next call tries again.
 * Context: may sleep; the vGPU's lock is held.
 */
int gslot_ggtt_sync(struct gslot_ggtt *ggtt);

/**
 * gslot_ggtt_page() - the guest page behind a guest graphics address
 * @ggtt: the vGPU's
 * @addr: the address
 *
 * As of the last synchronisation. The page stays pinned until the next one:
 * the caller holds the vGPU's lock, or takes a reference by
 * gslot_guestmem_get(page->gfn).
 *
 * Return: the page, or NULL.
 */
struct gslot_guest_page *gslot_ggtt_page(struct gslot_ggtt *ggtt, u64 addr);

/* Copy from guest memory to a buffer by guest graphics address; -EFAULT. */
int gslot_ggtt_read(struct gslot_ggtt *ggtt, u64 addr, void *buf, size_t len);

/* Where the vGPU is now; stable while its lock is held. */
const struct gslot_window *gslot_ggtt_window(struct gslot_ggtt *ggtt);

#endif
