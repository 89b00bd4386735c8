/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thin layer over i915's user interface.
 *
 * Every object has a fixed address in every address space of the process
 * ("soft pinning"), so command buffers are written once, without
 * relocations. Functions return 0 or a negative errno.
 */
#ifndef _CLIENTS_GEM_H
#define _CLIENTS_GEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <drm.h>
#include <i915_drm.h>

#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define GEM_PAGE_SIZE		4096
#define MB			(1024 * 1024)

/**
 * struct gem_bo - a buffer object
 * @fd: device that it lives on
 * @handle: its GEM handle
 * @size: bytes, whole pages
 * @address: its GPU address in every context
 * @map: its cached CPU mapping, NULL before gem_bo_map()
 * @slot: index in the object list of the batch @user
 * @user: serial of the last batch that has it in its list
 */
struct gem_bo {
	int fd;
	uint32_t handle;
	uint64_t size;
	uint64_t address;
	void *map;
	uint32_t slot;
	uint32_t user;
};

/**
 * struct gem_engine - one of the four engines
 * @name: rcs, bcs, vcs, vecs
 * @flag: its selector in execbuf2's flags
 * @base: of its register block
 */
struct gem_engine {
	const char *name;
	unsigned int flag;
	uint32_t base;
};

#define GEM_NR_ENGINES		4
extern const struct gem_engine gem_engines[GEM_NR_ENGINES];
const struct gem_engine *gem_engine(const char *name);

int gem_ioctl(int fd, unsigned long request, void *arg);
int gem_open(const char *path);
int gem_param(int fd, int param, int *value);
bool gem_has_preemption(int fd);
bool gem_has_gprs(int fd, const struct gem_engine *engine);

int gem_bo_create(struct gem_bo *bo, int fd, uint64_t size);
void gem_bo_place(struct gem_bo *bo, uint64_t address);
int gem_bo_map(struct gem_bo *bo);
void *gem_bo_map_as(struct gem_bo *bo, uint64_t type);
int gem_bo_to_cpu(struct gem_bo *bo, bool write);
int gem_bo_to_gtt(struct gem_bo *bo, bool write);
int gem_bo_tile(struct gem_bo *bo, uint32_t mode, uint32_t pitch);
int gem_bo_wait(struct gem_bo *bo, int64_t timeout_ns);
bool gem_bo_busy(struct gem_bo *bo);
void gem_bo_destroy(struct gem_bo *bo);

int gem_context_create(int fd, uint32_t *id);
void gem_context_destroy(int fd, uint32_t id);
int gem_context_set_priority(int fd, uint32_t id, int priority);
int gem_reset_stats(int fd, uint32_t ctx, struct drm_i915_reset_stats *stats);
int gem_reg_read(int fd, uint64_t reg, uint64_t *value);

uint64_t gem_now_ns(void);
void gem_check(const char *what, int ret);

#endif
