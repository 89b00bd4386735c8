/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _CLIENTS_GEM_DRAW_H
#define _CLIENTS_GEM_DRAW_H

#include "batch.h"

#define PICTURE_WIDTH	640
#define PICTURE_HEIGHT	480

/**
 * struct painter - draws with the blitter, and with nothing else
 * @batch: collects the blits
 * @screen: what is drawn on
 * @flush: runs what has been collected
 */
struct painter {
	struct batch batch;
	struct surface screen;
	void (*flush)(struct painter *p);
};

void paint_carpet(struct painter *p, const char *text);
void paint_lake(struct painter *p, const char *text);

#endif
