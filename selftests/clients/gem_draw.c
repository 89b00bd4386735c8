// SPDX-License-Identifier: GPL-2.0
/*
 * gem_draw - draw a picture with the blitter and hand it out
 *
 * Either as a PPM file, or on standard output as text that survives a serial
 * console: run lengths (count, red, green, blue; a byte each) in base64
 * between two marker lines. tools/ppm2png reads both.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gem_draw.h"

#define BATCH_SIZE	(256 * 1024)

static void die(const char *what, int error)
{
	fprintf(stderr, "gem_draw: %s: %s\n", what, strerror(-error));
	exit(1);
}

static void flush_batch(struct painter *p)
{
	int ret = batch_run(&p->batch, 0, I915_EXEC_BLT);

	if (!ret)
		ret = batch_reset(&p->batch);
	if (ret)
		die("blits", ret);
}

static void painter_init(struct painter *p, struct gem_bo *bo, int fd)
{
	int ret;

	ret = batch_init(&p->batch, fd, BATCH_SIZE);
	if (!ret)
		ret = gem_bo_create(bo, fd, PICTURE_WIDTH * PICTURE_HEIGHT * 4);
	if (!ret)
		ret = gem_bo_map(bo);
	if (ret)
		die("objects", ret);

	p->flush = flush_batch;
	p->screen.bo = bo;
	p->screen.width = PICTURE_WIDTH;
	p->screen.height = PICTURE_HEIGHT;
	p->screen.pitch = PICTURE_WIDTH * 4;
	p->screen.cpp = 4;
}

static void write_ppm(const char *path, const uint32_t *pixels)
{
	FILE *f = fopen(path, "wb");
	size_t i;

	if (!f)
		die(path, -errno);
	fprintf(f, "P6\n%d %d\n255\n", PICTURE_WIDTH, PICTURE_HEIGHT);
	for (i = 0; i < PICTURE_WIDTH * PICTURE_HEIGHT; i++) {
		putc(pixels[i] >> 16, f);
		putc(pixels[i] >> 8, f);
		putc(pixels[i], f);
	}
	if (fclose(f))
		die(path, -errno);
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
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	const char *device = NULL, *path = NULL, *text = NULL;
	struct painter painter = { 0 };
	struct gem_bo bo;
	int opt, fd, ret, picture = 1;

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

	fd = gem_open(device);
	if (fd < 0)
		die("no i915 GPU", fd);
	painter_init(&painter, &bo, fd);
	if (picture == 1)
		paint_carpet(&painter, text ? text : "vGPU 1");
	else
		paint_lake(&painter, text ? text : "vGPU 2");
	flush_batch(&painter);

	ret = gem_bo_to_cpu(&bo, false);
	if (ret)
		die("read back", ret);
	if (path)
		write_ppm(path, bo.map);
	else
		write_text(bo.map);
	return 0;
}
