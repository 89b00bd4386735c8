/* SPDX-License-Identifier: GPL-2.0 */
/* Between the files directly in kmod/. gpu.c knows the parts of a GPU. */
#ifndef _GSLOT_GPU_PRIV_H
#define _GSLOT_GPU_PRIV_H

struct attribute_group;
struct device;
struct gslot_pmu;
struct gslot_sched;
struct gslot_vgpus;
struct pci_dev;

/* gpu.c: the PCI driver */
struct gslot_vgpus *gslot_gpu_vgpus(struct device *dev);

/* sysfs.c */
extern const struct attribute_group *gslot_gpu_groups[];

/* debugfs.c: the state of a GPU, in debugfs/gslot/<pci> */
void gslot_debugfs_init(void);
void gslot_debugfs_exit(void);
void gslot_debugfs_gpu_add(struct gslot_vgpus *vgpus);
void gslot_debugfs_gpu_remove(struct gslot_vgpus *vgpus);

/* pmu.c: the PMU of a GPU, for perf(1) */
void gslot_pmus_init(void);
void gslot_pmus_exit(void);
struct gslot_pmu *gslot_pmu_attach(struct pci_dev *pdev, struct gslot_sched *sched);
void gslot_pmu_detach(struct gslot_pmu *pmu);

#endif
