/* SPDX-License-Identifier: GPL-2.0 */
/* The other way to a VFIO device: its own character device, and iommufd for memory. */
#ifndef _LIBVGPU_IOMMUFD_H
#define _LIBVGPU_IOMMUFD_H

#include "vfio.h"

/* Is it asked for, by GSLOT_IOMMUFD in the environment? */
bool iommufd_wanted(void);

/* As those of vfio.h, for a device that was opened so. */
int iommufd_open(struct vfio *v, const char *uuid);
int iommufd_dma_map(struct vfio *v, u64 iova, void *ptr, u64 len);
int iommufd_dma_unmap(struct vfio *v, u64 iova, u64 len);

#endif
