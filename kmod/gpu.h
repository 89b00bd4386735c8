/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The PCI driver. What a GPU is made of is known to gpu.c alone; its vGPUs know
 * struct gslot_vgpus.
 */
#ifndef _GSLOT_GPU_H
#define _GSLOT_GPU_H

int gslot_gpu_init(void);
void gslot_gpu_exit(void);

#endif
