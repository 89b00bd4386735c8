/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CLIENTS_GEM_DRAW_H
#define _CLIENTS_GEM_DRAW_H

#include "batch.h"

#define PICTURE_WIDTH	640
#define PICTURE_HEIGHT	480

/**
 * struct painter - the interface for the pictures
 * @fill: paint a rectangle of the screen
 * @copy: copy a rectangle of the screen from the one at (sx, sy)
 * @flush: complete all drawing before the next call
 */
struct painter {
	void (*fill)(struct painter *p, const struct rect *r, uint32_t color);
	void (*copy)(struct painter *p, const struct rect *r, int sx, int sy);
	void (*flush)(struct painter *p);
};

void paint_carpet(struct painter *p, const char *text);
void paint_lake(struct painter *p, const char *text);

#endif
