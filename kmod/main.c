// SPDX-License-Identifier: GPL-2.0
/* gslot: shares an Intel Gen8/Gen9 GPU among KVM guests. */
#include <linux/module.h>

#include "debugfs.h"
#include "gpu.h"
#include "gm/guestmem.h"
#include "pmu.h"
#include "vfio/vfio.h"

static int __init gslot_init(void)
{
	int ret;

	ret = gslot_guestmem_cache_init();
	if (ret)
		return ret;
	gslot_debugfs_init();
	gslot_pmus_init();
	ret = gslot_vfio_init();
	if (ret)
		goto err_pmus;
	ret = gslot_gpu_init();
	if (ret)
		goto err_vfio;
	return 0;

err_vfio:
	gslot_vfio_exit();
err_pmus:
	gslot_pmus_exit();
	gslot_debugfs_exit();
	gslot_guestmem_cache_exit();
	return ret;
}
module_init(gslot_init);

static void __exit gslot_exit(void)
{
	gslot_gpu_exit();
	gslot_pmus_exit();
	gslot_vfio_exit();
	gslot_debugfs_exit();
	gslot_guestmem_cache_exit();
}
module_exit(gslot_exit);

MODULE_DESCRIPTION("Mediated sharing of Intel Gen8/Gen9 GPUs");
MODULE_AUTHOR("The gslot authors");
MODULE_LICENSE("GPL");
MODULE_VERSION(GSLOT_VERSION);
