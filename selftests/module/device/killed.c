// SPDX-License-Identifier: GPL-2.0
/* A process in the middle of a long read or write of a region can be killed. */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "ggtt.h"
#include "tap.h"
#include "vgpu.h"

#define WORD		0x1d1e5000u
#define REGION		VFIO_PCI_BAR2_REGION_INDEX
/* The end of the backed range, which a process that is killed early must not reach. */
#define NEVER		0x0e4e5000u

static pid_t start(struct vgpu *vgpu, u8 *buf, bool write)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	if (write)
		vfio_write(&vgpu->dev, REGION, 0, buf, GEN_APERTURE_SIZE);
	else
		vfio_read(&vgpu->dev, REGION, 0, buf, GEN_APERTURE_SIZE);
	_exit(0);
}

/* @last: the last word to be read or written */
static void kill_and_time(pid_t pid, const u32 *last, const char *what)
{
	int status = 0;
	u64 before;

	before = now_us();
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	tap_ok(READ_ONCE(*last) == NEVER, "%s: a killed process ends at once", what);
	tap_diag("%s: after %llu us", what, (unsigned long long)(now_us() - before));
	tap_ok(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "%s: the access was in progress",
	       what);
}

static void check_read(struct vgpu *vgpu, u64 gpa, u32 *buf)
{
	u32 *last = buf + vgpu->low_size / sizeof(u32) - 1;
	pid_t pid;

	*last = NEVER;
	ram_write32(&vgpu->ram, gpa, WORD);
	pid = start(vgpu, (u8 *)buf, false);
	tap_ok(wait_for(READ_ONCE(buf[0]) == WORD, SOON_MS), "a read of the aperture begins");
	kill_and_time(pid, last, "read");
}

static void check_write(struct vgpu *vgpu, u64 gpa, u32 *buf)
{
	u32 *last = ram_ptr(&vgpu->ram, gpa + 2 * PAGE_SIZE - sizeof(u32));
	pid_t pid;

	*last = NEVER;
	buf[0] = WORD + 1;
	buf[vgpu->low_size / sizeof(u32) - 1] = WORD;
	pid = start(vgpu, (u8 *)buf, true);
	tap_ok(wait_for(ram_read32(&vgpu->ram, gpa) == WORD + 1, SOON_MS),
	       "a write of the aperture begins");
	kill_and_time(pid, last, "write");
}

int main(void)
{
	struct vgpu *vgpu;
	void *buf;
	u64 gpa;

	vgpu_test_init(240);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	buf = mmap(NULL, GEN_APERTURE_SIZE, PROT_READ | PROT_WRITE,
		   MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (buf == MAP_FAILED)
		tap_die("no memory");
	/* The first page of low graphics memory, and the last one. */
	gpa = ram_alloc(&vgpu->ram, 2);
	ggtt_bind_low(vgpu, gpa, 1);
	ggtt_map(vgpu, vgpu->low_size - PAGE_SIZE, gpa + PAGE_SIZE, 1);
	ggtt_flush(vgpu);
	check_read(vgpu, gpa, buf);
	check_write(vgpu, gpa, buf);
	munmap(buf, GEN_APERTURE_SIZE);
	tap_ok(vgpu_works(vgpu), "the vGPU works");
	vgpu_free(vgpu);
	return vgpu_test_done();
}
