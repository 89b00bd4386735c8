/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects that the CPU accesses through the GTT, linear for each tiling: the driver keeps a fence
 * for each object in use. Dword i is tag + i.
 */
#ifndef _CLIENTS_TILED_H
#define _CLIENTS_TILED_H

#include "gem.h"

#define TILED_PAGES		4	/* two rows of two tiles, a page each */
#define TILED_DWORDS		(TILED_PAGES * GEM_PAGE_SIZE / 4)

/**
 * struct tiled - an object with a mapping
 * @bo: the object
 * @gtt: its mapping through the GTT
 */
struct tiled {
	struct gem_bo bo;
	uint64_t *gtt;
};

/**
 * struct tiled_errors - dwords that were wrong
 * @count: how many
 * @got: one of them
 * @want: what it should have been
 */
struct tiled_errors {
	uint32_t count;
	uint32_t got;
	uint32_t want;
};

int tiled_create(struct tiled *t, int fd, uint32_t mode);
void tiled_destroy(struct tiled *t);
void tiled_fill_page(struct tiled *t, uint32_t page, uint32_t tag);
void tiled_copy_page(struct tiled *to, struct tiled *from, uint32_t page);
void tiled_check_page(struct tiled *t, uint32_t page, uint32_t tag, struct tiled_errors *errors);

#endif
