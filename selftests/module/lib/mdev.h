/* SPDX-License-Identifier: GPL-2.0 */
/* Mediated devices through sysfs. */
#ifndef _LIBVGPU_MDEV_H
#define _LIBVGPU_MDEV_H

#include "types.h"

#define MDEV_PATH_MAX		320
#define MDEV_UUID_SIZE		37
#define MDEV_TYPE_SMALL		"gslot-L64-H384"
#define MDEV_TYPE_LARGE		"gslot-L64-H704"
#define MDEV_TYPE_HUGE		"gslot-L64-H1024"
#define MDEV_TYPE_LOW128	"gslot-L128-H384"

/* Name of the first PCI device that gslot drives, or NULL. */
const char *mdev_parent(void);

/* Path of an attribute of a type, or of a device. */
void mdev_type_path(char *path, const char *type, const char *attr);
void mdev_device_path(char *path, const char *uuid, const char *attr);

void mdev_new_uuid(char *uuid);
int mdev_create(const char *type, const char *uuid);
int mdev_remove(const char *uuid);
long mdev_available(const char *type);

/* The GPU's attribute max_vgpus: its path, value; 0 or -errno. */
void mdev_max_path(char *path);
long mdev_max(void);
int mdev_set_max(const char *text);
/* Without vGPUs: a value, and the largest reservation, as when the GPU is bound; 0 or -errno. */
int mdev_restore_max(long max);
bool mdev_exists(const char *uuid);

/* Remove the vGPUs of earlier tests. */
void mdev_remove_all(void);
/* Number of the parent's vGPUs. */
unsigned int mdev_count(void);

#endif
