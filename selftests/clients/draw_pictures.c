// SPDX-License-Identifier: GPL-2.0
/*
 * Two pictures made of filled and copied rectangles.
 */

#include "gem_draw.h"

static void box(struct painter *p, int x1, int y1, int x2, int y2,
		uint32_t color)
{
	struct rect r = { x1, y1, x2, y2 };

	if (r.x1 < 0)
		r.x1 = 0;
	if (r.y1 < 0)
		r.y1 = 0;
	if (r.x2 > PICTURE_WIDTH)
		r.x2 = PICTURE_WIDTH;
	if (r.y2 > PICTURE_HEIGHT)
		r.y2 = PICTURE_HEIGHT;
	if (r.x1 >= r.x2 || r.y1 >= r.y2)
		return;

	p->fill(p, &r, color);
}

static void move(struct painter *p, int x1, int y1, int x2, int y2, int sx,
		 int sy)
{
	struct rect r = { x1, y1, x2, y2 };

	p->copy(p, &r, sx, sy);
}

/* From @a to @b, where @i goes from 0 to @n. */
static uint32_t blend(uint32_t a, uint32_t b, int i, int n)
{
	uint32_t color = 0;
	int shift;

	for (shift = 0; shift < 24; shift += 8) {
		int from = a >> shift & 0xff, to = b >> shift & 0xff;

		color |= (uint32_t)(from + (to - from) * i / n) << shift;
	}
	return color;
}

/* 5 x 7 dots a letter, a byte a row, the left dot in bit 4. */
static const struct glyph {
	char letter;
	uint8_t rows[7];
} font[] = {
	{ 'G', { 0x0e, 0x11, 0x10, 0x17, 0x11, 0x11, 0x0f } },
	{ 'P', { 0x1e, 0x11, 0x11, 0x1e, 0x10, 0x10, 0x10 } },
	{ 'U', { 0x11, 0x11, 0x11, 0x11, 0x11, 0x11, 0x0e } },
	{ 'g', { 0x00, 0x0f, 0x11, 0x11, 0x0f, 0x01, 0x0e } },
	{ 'l', { 0x0c, 0x04, 0x04, 0x04, 0x04, 0x04, 0x0e } },
	{ 'o', { 0x00, 0x00, 0x0e, 0x11, 0x11, 0x11, 0x0e } },
	{ 's', { 0x00, 0x00, 0x0f, 0x10, 0x0e, 0x01, 0x1e } },
	{ 't', { 0x04, 0x04, 0x1f, 0x04, 0x04, 0x04, 0x03 } },
	{ 'v', { 0x00, 0x00, 0x11, 0x11, 0x11, 0x0a, 0x04 } },
	{ '0', { 0x0e, 0x11, 0x13, 0x15, 0x19, 0x11, 0x0e } },
	{ '1', { 0x04, 0x0c, 0x04, 0x04, 0x04, 0x04, 0x0e } },
	{ '2', { 0x0e, 0x11, 0x01, 0x06, 0x08, 0x10, 0x1f } },
	{ '3', { 0x0e, 0x11, 0x01, 0x06, 0x01, 0x11, 0x0e } },
	{ '4', { 0x02, 0x06, 0x0a, 0x12, 0x1f, 0x02, 0x02 } },
	{ '5', { 0x1f, 0x10, 0x1e, 0x01, 0x01, 0x11, 0x0e } },
	{ '6', { 0x0e, 0x10, 0x1e, 0x11, 0x11, 0x11, 0x0e } },
	{ '7', { 0x1f, 0x01, 0x02, 0x04, 0x08, 0x08, 0x08 } },
	{ '8', { 0x0e, 0x11, 0x11, 0x0e, 0x11, 0x11, 0x0e } },
	{ '9', { 0x0e, 0x11, 0x11, 0x0f, 0x01, 0x11, 0x0e } },
	{ '-', { 0x00, 0x00, 0x00, 0x1f, 0x00, 0x00, 0x00 } },
};

static void draw_letter(struct painter *p, char letter, int x, int y, int dot,
			uint32_t color)
{
	size_t i;
	int row, col;

	for (i = 0; i < ARRAY_SIZE(font); i++)
		if (font[i].letter == letter)
			break;
	if (i == ARRAY_SIZE(font))
		return;

	for (row = 0; row < 7; row++)
		for (col = 0; col < 5; col++)
			if (font[i].rows[row] & (0x10 >> col))
				box(p, x + col * dot, y + row * dot,
				    x + (col + 1) * dot, y + (row + 1) * dot,
				    color);
}

static void draw_text(struct painter *p, const char *text, int x, int y,
		      int dot, uint32_t color)
{
	for (; *text; text++, x += 6 * dot)
		draw_letter(p, *text, x, y, dot, color);
}

static void draw_title(struct painter *p, const char *text, int x, int y,
		       uint32_t color, uint32_t shadow)
{
	draw_text(p, "gslot", x + 3, y + 3, 6, shadow);
	draw_text(p, "gslot", x, y, 6, color);
	draw_text(p, text, x + 2, y + 60, 3, shadow);
	draw_text(p, text, x, y + 58, 3, color);
}

/*
 * Picture 1: Sierpinski's carpet. A square of the carpet is eight smaller
 * ones around a hole, so every step copies what the one before has drawn.
 */
#define CARPET_SIZE	405	/* 5 * 3^4 */
#define CARPET_X	24
#define CARPET_Y	38

static void carpet_holes(struct painter *p, int size, uint32_t color)
{
	int third = size / 3;
	int x = CARPET_X, y = CARPET_Y;

	box(p, x + third, y + third, x + 2 * third, y + 2 * third, color);
}

static void carpet(struct painter *p)
{
	static const uint32_t colors[] = {
		0x1d3557, 0x457b9d, 0x2a9d8f, 0xe9c46a,
	};
	int size = 5, step = 0, i, j;

	/* The smallest tile: a frame in a lighter colour. */
	box(p, CARPET_X, CARPET_Y, CARPET_X + 5, CARPET_Y + 5, 0xf4a261);
	box(p, CARPET_X + 1, CARPET_Y + 1, CARPET_X + 5, CARPET_Y + 5,
	    0xe76f51);

	for (; size < CARPET_SIZE; size *= 3, step++) {
		for (j = 0; j < 3; j++)
			for (i = 0; i < 3; i++)
				if (i || j)
					move(p, CARPET_X + i * size,
					     CARPET_Y + j * size,
					     CARPET_X + (i + 1) * size,
					     CARPET_Y + (j + 1) * size,
					     CARPET_X, CARPET_Y);
		carpet_holes(p, 3 * size, colors[3 - step]);
	}
}

void paint_carpet(struct painter *p, const char *text)
{
	int y, i;

	for (y = 0; y < PICTURE_HEIGHT; y += 4)
		box(p, 0, y, PICTURE_WIDTH, y + 4,
		    blend(0x0b132b, 0x3a506b, y, PICTURE_HEIGHT));
	box(p, CARPET_X - 6, CARPET_Y - 6, CARPET_X + CARPET_SIZE + 6,
	    CARPET_Y + CARPET_SIZE + 6, 0xf1faee);
	carpet(p);

	draw_title(p, text, 450, 60, 0xf1faee, 0x0b132b);
	/* Nested squares, each inside the one before. */
	for (i = 0; i < 16; i++)
		box(p, 452 + 5 * i, 240 + 5 * i, 612 - 5 * i, 400 - 5 * i,
		    blend(0xe76f51, 0x264653, i & 1 ? 15 - i : i, 15));
}

/*
 * Picture 2: an evening at a lake. The water is the upper half, copied row
 * by row upside down, a bit darker by stripes.
 */
#define SHORE_Y		300
#define SUN_X		430
#define SUN_Y		170
#define SUN_RADIUS	54

/* Height of a ridge at @x: triangles of several widths on each other. */
static int ridge(int x, int seed)
{
	static const int widths[] = { 320, 140, 61, 27, 11 };
	int height = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(widths); i++) {
		int w = widths[i], at = (x + seed * (int)(7 + 5 * i)) % w;

		height += (at < w / 2 ? at : w - at) * 10 / (14 + 5 * (int)i);
	}
	return height;
}

static int root(int n)
{
	int r = 0;

	while ((r + 1) * (r + 1) <= n)
		r++;
	return r;
}

static void sky(struct painter *p)
{
	int y;

	for (y = 0; y < SHORE_Y; y++)
		box(p, 0, y, PICTURE_WIDTH, y + 1,
		    y < 180 ? blend(0x2b2d5b, 0xb5477a, y, 180) :
			      blend(0xb5477a, 0xffb26b, y - 180, 120));
	for (y = -SUN_RADIUS; y <= SUN_RADIUS; y++) {
		int half = root(SUN_RADIUS * SUN_RADIUS - y * y);

		box(p, SUN_X - half, SUN_Y + y, SUN_X + half + 1,
		    SUN_Y + y + 1,
		    blend(0xfff3b0, 0xffa94d, y + SUN_RADIUS,
			  2 * SUN_RADIUS));
	}
}

static void mountains(struct painter *p)
{
	static const struct {
		int seed, percent;
		uint32_t color;
	} ridges[] = {
		{ 3, 70, 0x7d4675 }, { 11, 48, 0x55325f }, { 23, 28, 0x2f1f3f },
	};
	size_t i;
	int x;

	for (i = 0; i < ARRAY_SIZE(ridges); i++)
		for (x = 0; x < PICTURE_WIDTH; x += 2)
			box(p, x, SHORE_Y - 8 - ridge(x, ridges[i].seed) *
			    ridges[i].percent / 100, x + 2, SHORE_Y,
			    ridges[i].color);
}

static void water(struct painter *p)
{
	int y, sy;

	for (y = SHORE_Y; y < PICTURE_HEIGHT; y++) {
		int wave = (y * 7 / 3) % 5 - 2;

		sy = SHORE_Y - 1 - (y - SHORE_Y) * 3 / 2;
		if (wave >= 0)
			move(p, wave, y, PICTURE_WIDTH, y + 1, 0, sy);
		else
			move(p, 0, y, PICTURE_WIDTH + wave, y + 1, -wave, sy);
	}
	for (y = SHORE_Y + 4; y < PICTURE_HEIGHT; y += 6 + (y - SHORE_Y) / 20) {
		int x = y * 37 % 90 - 60;

		for (; x < PICTURE_WIDTH; x += 170)
			box(p, x, y, x + 40 + y % 7 * 8, y + 1, 0x9c5f7d);
	}
}

void paint_lake(struct painter *p, const char *text)
{
	sky(p);
	mountains(p);
	/* The water copies the upper half, which must be complete. */
	p->flush(p);
	water(p);
	draw_title(p, text, 24, 24, 0xfff3b0, 0x2b2d5b);
}
