/* SPDX-License-Identifier: GPL-2.0 */
/* VFIO by character devices: iommufd maps the memory. */
#ifndef _LIBVGPU_IOMMUFD_H
#define _LIBVGPU_IOMMUFD_H

#include "vfio.h"

/* Does GSLOT_IOMMUFD in the environment ask for it? */
bool iommufd_wanted(void);

/* As in vfio.h, for a device that iommufd_open() opened. */
int iommufd_open(struct vfio *v, const char *uuid);
/* Leave the address space, and join it again. Return: 0 or an error code. */
int iommufd_detach(struct vfio *v);
int iommufd_attach(struct vfio *v);
int iommufd_dma_map(struct vfio *v, u64 iova, void *ptr, u64 len);
int iommufd_dma_unmap(struct vfio *v, u64 iova, u64 len);

#endif
