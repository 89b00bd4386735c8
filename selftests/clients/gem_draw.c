// SPDX-License-Identifier: GPL-2.0
/*
 * gem_draw - draw a picture with the blitter, or with the processor as reference
 *
 * The output is a PPM file, or text for a serial console on standard output:
 * run lengths (count, red, green, blue; a byte each) in base64 between two
 * marker lines. tools/ppm2png reads both.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <gen/cmds.h>

#include "gem_draw.h"

#define BATCH_SIZE	(256 * 1024)

/* A longer batch is submitted: one batch holds far more. */
#define FLUSH_DWORDS	(32 * 1024)

/**
 * struct gpu_painter - draws with the blitter only
 * @base: the interface for the pictures
 * @batch: collects the blits
 * @bo: the screen's memory
 * @screen: the screen
 */
struct gpu_painter {
	struct painter base;
	struct batch batch;
	struct gem_bo bo;
	struct surface screen;
};

/**
 * struct cpu_painter - draws with the processor
 * @base: the interface for the pictures
 * @pixels: the screen
 */
struct cpu_painter {
	struct painter base;
	uint32_t pixels[PICTURE_WIDTH * PICTURE_HEIGHT];
};

static void gpu_flush(struct painter *p)
{
	struct gpu_painter *gpu = (struct gpu_painter *)p;
	int ret = batch_run(&gpu->batch, 0, I915_EXEC_BLT);

	if (!ret)
		ret = batch_reset(&gpu->batch);
	gem_check("blits", ret);
}

static void gpu_fill(struct painter *p, const struct rect *r, uint32_t color)
{
	struct gpu_painter *gpu = (struct gpu_painter *)p;

	batch_fill(&gpu->batch, &gpu->screen, r, color,
		   BLT_WRITE_RGB | BLT_WRITE_ALPHA);
	if (gpu->batch.pos > FLUSH_DWORDS)
		gpu_flush(p);
}

static void gpu_copy(struct painter *p, const struct rect *r, int sx, int sy)
{
	struct gpu_painter *gpu = (struct gpu_painter *)p;

	batch_copy(&gpu->batch, &gpu->screen, r, &gpu->screen, sx, sy);
	if (gpu->batch.pos > FLUSH_DWORDS)
		gpu_flush(p);
}

static struct gpu_painter gpu_painter = {
	.base = { gpu_fill, gpu_copy, gpu_flush },
	.screen = {
		.bo = &gpu_painter.bo,
		.width = PICTURE_WIDTH,
		.height = PICTURE_HEIGHT,
		.pitch = PICTURE_WIDTH * 4,
		.cpp = 4,
	},
};

static void gpu_init(const char *device)
{
	int ret, fd = gem_open(device);

	gem_check("no i915 GPU", fd < 0 ? fd : 0);
	ret = batch_init(&gpu_painter.batch, fd, BATCH_SIZE);
	if (!ret)
		ret = gem_bo_create(&gpu_painter.bo, fd,
				    PICTURE_WIDTH * PICTURE_HEIGHT * 4);
	if (!ret)
		ret = gem_bo_map(&gpu_painter.bo);
	gem_check("objects", ret);
}

static const uint32_t *gpu_pixels(void)
{
	gpu_flush(&gpu_painter.base);
	gem_check("read back", gem_bo_to_cpu(&gpu_painter.bo, false));
	return gpu_painter.bo.map;
}

static void cpu_flush(struct painter *p)
{
	(void)p;	/* It is drawn already. */
}

static void cpu_fill(struct painter *p, const struct rect *r, uint32_t color)
{
	struct cpu_painter *cpu = (struct cpu_painter *)p;
	int x, y;

	for (y = r->y1; y < r->y2; y++)
		for (x = r->x1; x < r->x2; x++)
			cpu->pixels[y * PICTURE_WIDTH + x] = color;
}

static void cpu_copy(struct painter *p, const struct rect *r, int sx, int sy)
{
	struct cpu_painter *cpu = (struct cpu_painter *)p;
	int y;

	for (y = r->y1; y < r->y2; y++, sy++)
		memmove(&cpu->pixels[y * PICTURE_WIDTH + r->x1],
			&cpu->pixels[sy * PICTURE_WIDTH + sx],
			(r->x2 - r->x1) * sizeof(cpu->pixels[0]));
}

static struct cpu_painter cpu_painter = {
	.base = { cpu_fill, cpu_copy, cpu_flush },
};

static void write_ppm(const char *path, const uint32_t *pixels)
{
	FILE *f = fopen(path, "wb");
	size_t i;

	if (!f)
		gem_check(path, -errno);
	fprintf(f, "P6\n%d %d\n255\n", PICTURE_WIDTH, PICTURE_HEIGHT);
	for (i = 0; i < PICTURE_WIDTH * PICTURE_HEIGHT; i++) {
		putc(pixels[i] >> 16, f);
		putc(pixels[i] >> 8, f);
		putc(pixels[i], f);
	}
	if (fclose(f))
		gem_check(path, -errno);
}

/**
 * struct base64 - writes base64 in lines of 76 characters
 * @bits: not written yet
 * @count: bytes in @bits
 * @column: characters in the line
 */
struct base64 {
	uint32_t bits;
	int count;
	int column;
};

static void base64_flush(struct base64 *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	int i;

	if (!out->count)
		return;
	out->bits <<= 8 * (3 - out->count);
	for (i = 0; i < 4; i++)
		putchar(i > out->count ? '=' :
			digits[out->bits >> (18 - 6 * i) & 0x3f]);
	out->bits = 0;
	out->count = 0;
	out->column += 4;
	if (out->column == 76) {
		putchar('\n');
		out->column = 0;
	}
}

static void base64_put(struct base64 *out, uint8_t byte)
{
	out->bits = out->bits << 8 | byte;
	if (++out->count == 3)
		base64_flush(out);
}

static void write_text(const uint32_t *pixels)
{
	const size_t nr = PICTURE_WIDTH * PICTURE_HEIGHT;
	struct base64 out = { 0 };
	size_t i, run;

	printf("\n-----BEGIN PICTURE %d %d-----\n", PICTURE_WIDTH,
	       PICTURE_HEIGHT);
	for (i = 0; i < nr; i += run) {
		for (run = 1; run < 255 && i + run < nr; run++)
			if ((pixels[i + run] ^ pixels[i]) & 0xffffff)
				break;
		base64_put(&out, run);
		base64_put(&out, pixels[i] >> 16);
		base64_put(&out, pixels[i] >> 8);
		base64_put(&out, pixels[i]);
	}
	base64_flush(&out);
	if (out.column)
		putchar('\n');
	printf("-----END PICTURE-----\n");
	fflush(stdout);
}

static const char usage[] =
"Usage: gem_draw [options]\n"
"\n"
"Draws a picture with the blitter of an i915 GPU and hands it out.\n"
"\n"
"  --picture=N     1 (carpet) or 2 (lake); default 1\n"
"  --text=TEXT     second line of text (default: vGPU and the number)\n"
"  --out=FILE      write a PPM file; without it, text on standard output\n"
"  --device=NODE   device node (default: i915's first render node)\n"
"  --cpu           draw with the processor instead; no GPU is needed\n"
"  --help          print this\n"
"\n"
"Exit status: 0 done, 1 an error, 2 wrong usage.\n";

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "picture", required_argument, NULL, 'p' },
		{ "text", required_argument, NULL, 't' },
		{ "out", required_argument, NULL, 'o' },
		{ "device", required_argument, NULL, 'd' },
		{ "cpu", no_argument, NULL, 'c' },
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *device = NULL, *path = NULL, *text = NULL;
	struct painter *painter = &gpu_painter.base;
	const uint32_t *pixels;
	int opt, picture = 1;

	while ((opt = getopt_long(argc, argv, "", options, NULL)) != -1) {
		switch (opt) {
		case 'p':
			picture = atoi(optarg);
			break;
		case 't':
			text = optarg;
			break;
		case 'o':
			path = optarg;
			break;
		case 'd':
			device = optarg;
			break;
		case 'c':
			painter = &cpu_painter.base;
			break;
		case 'h':
			fputs(usage, stdout);
			return 0;
		default:
			fputs(usage, stderr);
			return 2;
		}
	}
	if (picture < 1 || picture > 2 || optind != argc) {
		fputs(usage, stderr);
		return 2;
	}

	if (painter == &gpu_painter.base)
		gpu_init(device);
	if (picture == 1)
		paint_carpet(painter, text ? text : "vGPU 1");
	else
		paint_lake(painter, text ? text : "vGPU 2");

	pixels = painter == &gpu_painter.base ? gpu_pixels() : cpu_painter.pixels;
	if (path)
		write_ppm(path, pixels);
	else
		write_text(pixels);
	return 0;
}
