/* SPDX-License-Identifier: GPL-2.0 */
/* A vGPU with its guest: an mdev, its VFIO device, its memory, its engines. */
#ifndef _LIBVGPU_VGPU_H
#define _LIBVGPU_VGPU_H

#include "engine.h"
#include "mdev.h"
#include "ram.h"
#include "vfio.h"

/**
 * struct vgpu - one vGPU, driven by this process
 * @uuid: its mdev
 * @dev: its VFIO device
 * @ram: its guest's memory
 * @gsm: the GGTT's entries, mapped
 * @aperture: BAR2, mapped; NULL if it cannot be
 * @low_size: bytes of low graphics memory, from PVINFO
 * @high_size: bytes of high graphics memory, from PVINFO
 * @low_next: next free low graphics address
 * @high_next: next free high graphics address
 * @msi: eventfd of its interrupt
 * @msi_count: interrupts received
 * @gen: 8 or 9
 * @engines: engine state
 * @next: in the list of open vGPUs, which are closed at exit
 */
struct vgpu {
	char uuid[MDEV_UUID_SIZE];
	struct vfio dev;
	struct ram ram;
	u64 *gsm;
	u8 *aperture;
	u64 low_size;
	u64 high_size;
	u64 low_next;
	u64 high_next;
	int msi;
	u64 msi_count;
	u32 gen;
	struct engine engines[VGPU_NR_ENGINES];
	struct vgpu *next;
};

/*
 * First call of a test program: skips it without gslot, removes the vGPUs of earlier tests, ends
 * the program after @seconds.
 */
void vgpu_test_init(unsigned int seconds);
/* Last call: check for leaks and for errors in the kernel's log, print the plan. */
int vgpu_test_done(void);

/*
 * Ignore uses of stale TLB entries up to here: they are no defect while the host, which is about to
 * invalidate them, keeps the pages.
 */
void vgpu_test_stale_until_now(void);

/* Create, open and start an mdev of @type; dies on failure. */
struct vgpu *vgpu_new(const char *type);
/* A second vGPU of the guest of @other, which is closed after it; not with iommufd. */
struct vgpu *vgpu_new_beside(const char *type, const struct vgpu *other);
/* The same as vgpu_new() for an mdev that exists. NULL and errno on failure to open. */
struct vgpu *vgpu_open(const char *uuid);
/* Close it and keep its mdev. Frees @vgpu. */
void vgpu_close(struct vgpu *vgpu);
/* Close and remove it. Frees @vgpu; 0 or -errno of the removal. */
int vgpu_free(struct vgpu *vgpu);

/*
 * The guest goes on with another vGPU, @dev: its memory and its driver's state stay. Closes the
 * present one; its mdev stays.
 */
void vgpu_rebind(struct vgpu *vgpu, const char *uuid, const struct vfio *dev);

/* Start the guest's driver: PCI command, MSI, interrupts, engines. */
void vgpu_start(struct vgpu *vgpu);
/* VFIO_DEVICE_RESET, then restart the guest's driver; false if the reset is refused. */
bool vgpu_reset(struct vgpu *vgpu);
/* Reset it and run a request on every engine: does it work? */
bool vgpu_works(struct vgpu *vgpu);

u32 mmio_read(struct vgpu *vgpu, u32 offset);
void mmio_write(struct vgpu *vgpu, u32 offset, u32 value);
u64 mmio_read_width(struct vgpu *vgpu, u32 offset, u32 width);
bool mmio_write_width(struct vgpu *vgpu, u32 offset, u32 width, u64 value);

/*
 * Interrupts, as the guest's driver handles them: receive the MSI, read and clear pending bits,
 * count them for each engine.
 */
void irq_start(struct vgpu *vgpu);
bool irq_service(struct vgpu *vgpu, int ms);	/* false: no interrupt */
/* Wait until a counter of an engine of @vgpu has reached a value. */
bool irq_wait(struct vgpu *vgpu, const u32 *counter, u32 value, int ms);

#endif
