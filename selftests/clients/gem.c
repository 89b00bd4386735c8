// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <gen/regs.h>

#include "gem.h"

/*
 * Addresses start above the first 256 MB. Every second object is above 4 GB,
 * so both kinds of address are always used.
 */
#define LOW_START	0x0000000010000000ull
#define LOW_END		0x00000000f0000000ull
#define HIGH_START	0x0000000200000000ull

const struct gem_engine gem_engines[GEM_NR_ENGINES] = {
	{ "rcs", I915_EXEC_RENDER, GEN_RCS0_BASE },
	{ "bcs", I915_EXEC_BLT, GEN_BCS0_BASE },
	{ "vcs", I915_EXEC_BSD, GEN_VCS0_BASE },
	{ "vecs", I915_EXEC_VEBOX, GEN_VECS0_BASE },
};

const struct gem_engine *gem_engine(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gem_engines); i++)
		if (!strcmp(gem_engines[i].name, name))
			return &gem_engines[i];
	return NULL;
}

int gem_ioctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret == -1 && (errno == EINTR || errno == EAGAIN));

	return ret == -1 ? -errno : 0;
}

static bool is_i915(int fd)
{
	char name[16] = "";
	struct drm_version version = {
		.name_len = sizeof(name) - 1,
		.name = name,
	};

	return !gem_ioctl(fd, DRM_IOCTL_VERSION, &version) &&
	       !strcmp(name, "i915");
}

/**
 * gem_open - open the GPU
 * @path: a device node, or NULL for the first render node that is i915's
 *
 * Return: a file descriptor, or a negative errno.
 */
int gem_open(const char *path)
{
	char node[32];
	int minor, fd;

	if (path) {
		fd = open(path, O_RDWR | O_CLOEXEC);
		return fd < 0 ? -errno : fd;
	}

	for (minor = 128; minor < 136; minor++) {
		snprintf(node, sizeof(node), "/dev/dri/renderD%d", minor);
		fd = open(node, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (is_i915(fd))
			return fd;
		close(fd);
	}
	return -ENODEV;
}

int gem_param(int fd, int param, int *value)
{
	struct drm_i915_getparam gp = { .param = param, .value = value };

	return gem_ioctl(fd, DRM_IOCTL_I915_GETPARAM, &gp);
}

bool gem_has_preemption(int fd)
{
	int caps = 0;

	return !gem_param(fd, I915_PARAM_HAS_SCHEDULER, &caps) &&
	       (caps & I915_SCHEDULER_CAP_PREEMPTION);
}

/* On Gen8, with ids 0x16xx, general purpose registers are on rcs alone. */
bool gem_has_gprs(int fd, const struct gem_engine *engine)
{
	int id = 0;

	return engine->base == GEN_RCS0_BASE || gem_param(fd, I915_PARAM_CHIPSET_ID, &id) ||
	       id >> 8 != 0x16;
}

/* Addresses are never used twice: 47 bits last longer than any test. */
static uint64_t allocate_address(uint64_t size)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static uint64_t low = LOW_START, high = HIGH_START;
	static bool prefer_high;
	uint64_t address;

	size = (size + 0xffff) & ~0xffffull;

	pthread_mutex_lock(&lock);
	if (!prefer_high && low + size <= LOW_END) {
		address = low;
		low += size;
	} else {
		address = high;
		high += size;
	}
	prefer_high = !prefer_high;
	pthread_mutex_unlock(&lock);

	return address;
}

int gem_bo_create(struct gem_bo *bo, int fd, uint64_t size)
{
	struct drm_i915_gem_create create = { .size = size };
	int ret;

	memset(bo, 0, sizeof(*bo));
	ret = gem_ioctl(fd, DRM_IOCTL_I915_GEM_CREATE, &create);
	if (ret)
		return ret;

	bo->fd = fd;
	bo->handle = create.handle;
	bo->size = create.size;
	bo->address = allocate_address(create.size);
	return 0;
}

/**
 * gem_bo_place - move an object in the address space
 * @bo: the object, not in use by the GPU
 * @address: page-aligned, below 2^47
 */
void gem_bo_place(struct gem_bo *bo, uint64_t address)
{
	bo->address = address;
}

/**
 * gem_bo_map_as - map an object
 * @bo: the object
 * @type: I915_MMAP_OFFSET_GTT, _WC or _WB
 *
 * The caller unmaps it.
 *
 * Return: the mapping, or NULL.
 */
void *gem_bo_map_as(struct gem_bo *bo, uint64_t type)
{
	struct drm_i915_gem_mmap_offset arg = {
		.handle = bo->handle,
		.flags = type,
	};
	void *map;

	if (gem_ioctl(bo->fd, DRM_IOCTL_I915_GEM_MMAP_OFFSET, &arg))
		return NULL;

	map = mmap(NULL, bo->size, PROT_READ | PROT_WRITE, MAP_SHARED, bo->fd,
		   arg.offset);
	return map == MAP_FAILED ? NULL : map;
}

int gem_bo_map(struct gem_bo *bo)
{
	if (!bo->map)
		bo->map = gem_bo_map_as(bo, I915_MMAP_OFFSET_WB);
	return bo->map ? 0 : -ENOMEM;
}

static int set_domain(struct gem_bo *bo, uint32_t domain, bool write)
{
	struct drm_i915_gem_set_domain arg = {
		.handle = bo->handle,
		.read_domains = domain,
		.write_domain = write ? domain : 0,
	};

	return gem_ioctl(bo->fd, DRM_IOCTL_I915_GEM_SET_DOMAIN, &arg);
}

/* Waits for the GPU as well. */
int gem_bo_to_cpu(struct gem_bo *bo, bool write)
{
	return set_domain(bo, I915_GEM_DOMAIN_CPU, write);
}

int gem_bo_to_gtt(struct gem_bo *bo, bool write)
{
	return set_domain(bo, I915_GEM_DOMAIN_GTT, write);
}

int gem_bo_tile(struct gem_bo *bo, uint32_t mode, uint32_t pitch)
{
	struct drm_i915_gem_set_tiling arg = {
		.handle = bo->handle,
		.tiling_mode = mode,
		.stride = pitch,
	};
	int ret;

	ret = gem_ioctl(bo->fd, DRM_IOCTL_I915_GEM_SET_TILING, &arg);
	if (ret)
		return ret;
	return arg.tiling_mode == mode ? 0 : -EOPNOTSUPP;
}

int gem_bo_wait(struct gem_bo *bo, int64_t timeout_ns)
{
	struct drm_i915_gem_wait arg = {
		.bo_handle = bo->handle,
		.timeout_ns = timeout_ns,
	};

	return gem_ioctl(bo->fd, DRM_IOCTL_I915_GEM_WAIT, &arg);
}

bool gem_bo_busy(struct gem_bo *bo)
{
	struct drm_i915_gem_busy arg = { .handle = bo->handle };

	return !gem_ioctl(bo->fd, DRM_IOCTL_I915_GEM_BUSY, &arg) && arg.busy;
}

void gem_bo_destroy(struct gem_bo *bo)
{
	struct drm_gem_close arg = { .handle = bo->handle };

	if (!bo->handle)
		return;
	if (bo->map)
		munmap(bo->map, bo->size);
	gem_ioctl(bo->fd, DRM_IOCTL_GEM_CLOSE, &arg);
	memset(bo, 0, sizeof(*bo));
}

int gem_context_create(int fd, uint32_t *id)
{
	struct drm_i915_gem_context_create arg = { 0 };
	int ret = gem_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_CREATE, &arg);

	*id = arg.ctx_id;
	return ret;
}

void gem_context_destroy(int fd, uint32_t id)
{
	struct drm_i915_gem_context_destroy arg = { .ctx_id = id };

	gem_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_DESTROY, &arg);
}

int gem_context_set_priority(int fd, uint32_t id, int priority)
{
	struct drm_i915_gem_context_param arg = {
		.ctx_id = id,
		.param = I915_CONTEXT_PARAM_PRIORITY,
		.value = priority,
	};

	return gem_ioctl(fd, DRM_IOCTL_I915_GEM_CONTEXT_SETPARAM, &arg);
}

int gem_reset_stats(int fd, uint32_t ctx, struct drm_i915_reset_stats *stats)
{
	memset(stats, 0, sizeof(*stats));
	stats->ctx_id = ctx;
	return gem_ioctl(fd, DRM_IOCTL_I915_GET_RESET_STATS, stats);
}

int gem_reg_read(int fd, uint64_t reg, uint64_t *value)
{
	struct drm_i915_reg_read arg = { .offset = reg };
	int ret = gem_ioctl(fd, DRM_IOCTL_I915_REG_READ, &arg);

	*value = arg.val;
	return ret;
}

uint64_t gem_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

/**
 * gem_check - end the process on an error
 * @what: what failed
 * @ret: 0, or a negative errno
 */
void gem_check(const char *what, int ret)
{
	if (!ret)
		return;
	fprintf(stderr, "%s: %s: %s\n", program_invocation_short_name, what,
		strerror(-ret));
	exit(1);
}
