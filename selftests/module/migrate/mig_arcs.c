// SPDX-License-Identifier: GPL-2.0
/* The states of VFIO's migration: every change from each of them, resets, closing, data files. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "context.h"
#include "counters.h"
#include "file.h"
#include "mdev.h"
#include "migration.h"
#include "tap.h"
#include "vgpu.h"

static struct mig_stream stream;
/* The states that this kernel has. */
static enum mig_state nr_states = MIG_PRE_COPY;

/* Bring the vGPU to a state, from RUNNING. Return: its data file, or -1. */
static int bring(struct vgpu *vgpu, enum mig_state state)
{
	int fd = -1, ret;

	if (state == MIG_ERROR) {
		/* A stream that ends at once. */
		ret = mig_set(&vgpu->dev, MIG_RESUMING, &fd);
		close(fd);
		fd = -1;
		if (!ret && mig_set(&vgpu->dev, MIG_STOP, NULL) != -EINVAL)
			ret = -EPROTO;
	} else {
		ret = mig_set(&vgpu->dev, state, &fd);
	}
	if (ret || mig_get(&vgpu->dev) != (int)state)
		tap_die("no way to %s: %d, %d", mig_state_names[state], ret,
			mig_get(&vgpu->dev));
	return fd;
}

static bool in_pre_copy(enum mig_state state)
{
	return state == MIG_PRE_COPY || state == MIG_PRE_COPY_P2P;
}

static bool has_file(enum mig_state state)
{
	return state == MIG_STOP_COPY || state == MIG_RESUMING || in_pre_copy(state);
}

static bool exists(enum mig_state state)
{
	return state >= MIG_STOP && state < nr_states;
}

/* Do both states have the same data file? */
static bool keeps_file(enum mig_state from, enum mig_state to)
{
	return from == to || (in_pre_copy(from) && (in_pre_copy(to) || to == MIG_STOP_COPY));
}

/* What VFIO's documentation says of a change. An empty stream cannot be resumed from. */
static int expected(enum mig_state from, enum mig_state to)
{
	if (from == MIG_ERROR || !exists(to) || (from == MIG_STOP_COPY && in_pre_copy(to)))
		return -EINVAL;
	return from == MIG_RESUMING && to != from ? -EINVAL : 0;
}

static enum mig_state expected_state(enum mig_state from, enum mig_state to)
{
	if (from == MIG_RESUMING && to != from && exists(to))
		return MIG_ERROR;
	return expected(from, to) ? from : to;
}

/* @state: the one that it was created for */
static bool file_works(int fd, enum mig_state state)
{
	u8 byte;

	return state == MIG_RESUMING ? write(fd, stream.data, 1) == 1 : read(fd, &byte, 1) == 1;
}

static void check_arc(struct vgpu *vgpu, enum mig_state from, enum mig_state to)
{
	int fd = bring(vgpu, from), data, ret;
	bool ok;

	ret = mig_set(&vgpu->dev, to, &data);
	ok = ret == expected(from, to);
	ok &= mig_get(&vgpu->dev) == (int)expected_state(from, to);
	ok &= (data >= 0) == (!ret && has_file(to) && !keeps_file(from, to));
	if (!tap_ok(ok, "%s to %s", mig_state_names[from], mig_state_names[to]))
		tap_diag("%d, in %s, file %d", ret, mig_state_names[mig_get(&vgpu->dev)], data);
	/* A file works exactly as long as its states. */
	if (fd >= 0 && keeps_file(from, mig_get(&vgpu->dev)))
		tap_ok(file_works(fd, from), "%s to %s: the data file works", mig_state_names[from],
		       mig_state_names[to]);
	else if (fd >= 0)
		tap_ok(!file_works(fd, from) && errno == ENODEV,
		       "%s to %s: the data file works no more", mig_state_names[from],
		       mig_state_names[to]);
	close(fd);
	close(data);
	tap_ok(vgpu_works(vgpu) && mig_get(&vgpu->dev) == MIG_RUNNING,
	       "%s to %s: after a reset it works", mig_state_names[from], mig_state_names[to]);
}

static void check_arcs(struct vgpu *vgpu)
{
	enum mig_state from, to;

	for (from = MIG_ERROR; from < nr_states; from++)
		for (to = MIG_ERROR; to < MIG_NR_STATES; to++)
			check_arc(vgpu, from, to);
	tap_ok(mig_set(&vgpu->dev, 1000, NULL) < 0 && mig_get(&vgpu->dev) == MIG_RUNNING,
	       "a state that is none");
}

/* Closed in each state, and opened again. */
static void check_close(void)
{
	enum mig_state state;

	for (state = MIG_ERROR; state < nr_states; state++) {
		struct vgpu *vgpu = vgpu_new(MDEV_TYPE_SMALL);
		char uuid[MDEV_UUID_SIZE];
		int fd = bring(vgpu, state);

		memcpy(uuid, vgpu->uuid, sizeof(uuid));
		vgpu_close(vgpu);
		if (fd >= 0)
			tap_ok(!file_works(fd, state) && errno == ENODEV,
			       "closed in %s: the data file works no more",
			       mig_state_names[state]);
		vgpu = vgpu_open(uuid);
		if (!vgpu)
			tap_die("closed in %s: it cannot be opened again", mig_state_names[state]);
		tap_eq(mig_get(&vgpu->dev), MIG_RUNNING, "closed in %s: it runs when it is opened",
		       mig_state_names[state]);
		vgpu_start(vgpu);
		tap_ok(vgpu_works(vgpu), "closed in %s: it works", mig_state_names[state]);
		tap_eq(-vgpu_free(vgpu), 0, "closed in %s: it can be removed",
		       mig_state_names[state]);
		close(fd);
	}
}

/* debugfs names each state. */
static void check_shown(struct vgpu *vgpu)
{
	char path[MDEV_PATH_MAX], text[4096], line[64];
	enum mig_state state;

	if (!counters_vgpu_path(path, vgpu, "state"))
		tap_die("no debugfs");
	for (state = MIG_ERROR; state < nr_states; state++) {
		int fd = bring(vgpu, state);

		snprintf(line, sizeof(line), "migration: %s\n", mig_state_names[state]);
		tap_ok(file_read(path, text, sizeof(text)) > 0 && strstr(text, line),
		       "debugfs shows %s", mig_state_names[state]);
		close(fd);
		tap_ok(vgpu_reset(vgpu), "%s: it is reset", mig_state_names[state]);
	}
}

#define FILE_MAX	"/proc/sys/fs/file-max"
/* The kernel counts open files in batches, by processor. */
#define FILES		500

/* In a thread that may not exceed the number of files of the system. */
static void *resume_without_file(void *arg)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { 0 };
	struct vfio *dev = arg;

	if (syscall(SYS_capget, &header, data))
		return NULL;
	data[0].effective &= ~(1u << CAP_SYS_ADMIN);
	if (syscall(SYS_capset, &header, data))
		return NULL;
	return (void *)(long)mig_set(dev, MIG_RESUMING, NULL);
}

/* A data file that cannot be created: the vGPU keeps its state. */
static void check_no_file(struct vgpu *vgpu)
{
	int files[FILES], i;
	pthread_t thread;
	char before[32];
	void *ret;

	for (i = 0; i < FILES; i++)
		files[i] = open("/dev/null", O_RDONLY);
	mmio_write(vgpu, GEN_PAT_LO, 0x600d);
	if (mig_set(&vgpu->dev, MIG_STOP, NULL) ||
	    file_read(FILE_MAX, before, sizeof(before)) <= 0 || file_write(FILE_MAX, "1"))
		tap_die("no limit of files");
	pthread_create(&thread, NULL, resume_without_file, &vgpu->dev);
	pthread_join(thread, &ret);
	file_write(FILE_MAX, before);
	for (i = 0; i < FILES; i++)
		close(files[i]);
	tap_eq(-(long)ret, ENFILE, "no file can be opened: no RESUMING");
	tap_eq(mig_get(&vgpu->dev), MIG_STOP, "no file can be opened: the vGPU stays in STOP");
	tap_eq(mmio_read(vgpu, GEN_PAT_LO), 0x600d, "no file can be opened: it is not reset");
	tap_eq(-mig_set(&vgpu->dev, MIG_RUNNING, NULL), 0, "no file can be opened: it runs again");
}

/* Accesses of each kind are answered in each state. */
static void check_accesses(struct vgpu *vgpu)
{
	enum mig_state state;

	for (state = MIG_ERROR; state < nr_states; state++) {
		int fd = bring(vgpu, state);
		u32 value = 0x1000 + state;
		bool ok;

		mmio_write(vgpu, GEN_PAT_LO, value);
		ok = mmio_read(vgpu, GEN_PAT_LO) == value;
		vgpu->gsm[5] = value;
		ok &= vgpu->gsm[5] == value;
		vfio_config_write(&vgpu->dev, 0x3c, 1, state);
		ok &= vfio_config_read(&vgpu->dev, 0x3c, 1) == state;
		ok &= !vfio_set_msi(&vgpu->dev, -1) && !vfio_set_msi(&vgpu->dev, vgpu->msi);
		ok &= gdrst(vgpu, GDRST_FULL);
		tap_ok(ok, "%s: accesses are answered", mig_state_names[state]);
		close(fd);
		tap_ok(vgpu_reset(vgpu), "%s: it is reset", mig_state_names[state]);
	}
}

int main(void)
{
	struct vgpu *vgpu;

	vgpu_test_init(600);
	vgpu = vgpu_new(MDEV_TYPE_SMALL);
	if (mig_has_pre_copy(&vgpu->dev))
		nr_states = MIG_NR_STATES;
	if (mig_save(&vgpu->dev, &stream))
		tap_die("no stream");
	tap_ok(vgpu_reset(vgpu), "reset");
	check_arcs(vgpu);
	check_accesses(vgpu);
	check_shown(vgpu);
	check_no_file(vgpu);
	vgpu_free(vgpu);
	check_close();
	mig_free(&stream);
	return vgpu_test_done();
}
