/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LIBVGPU_SWAP_H
#define _LIBVGPU_SWAP_H

/* Swap to the disk that SWAP_DISK names, which is erased. Skips the test without one. */
const char *swap_begin(void);

#endif
