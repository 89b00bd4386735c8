// SPDX-License-Identifier: GPL-2.0
/*
 * The blitter: the input is a sequence of commands, each after its length. Memory has 64 KB that
 * repeat, and accesses fault now and then.
 */
#include "test.h"
#include "gen9_blt.h"

static uint8_t ram[0x20000];
static unsigned calls;

static bool mem(void *opaque, uint64_t addr, void *buf, size_t len, bool write)
{
	uint8_t *p = ram + (addr & 0xffff);

	must(len && len < 0x10000 && !(addr >> 48));
	if (write)
		memcpy(p, buf, len);
	else
		memcpy(buf, p, len);
	return ++calls < 200;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	Gen9Blt b = { .mem = mem };
	uint32_t cmd[260];

	while (size > 2) {
		size_t n = data[0] * 4u;

		b.swctrl = data[1];
		data += 2;
		size -= 2;
		if (n > size)
			n = size & ~(size_t)3;
		memcpy(cmd, data, n);
		data += n;
		size -= n;
		calls = 0;
		gen9_blt_exec(&b, cmd, n / 4);
	}
	return 0;
}
