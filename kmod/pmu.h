/* SPDX-License-Identifier: GPL-2.0 */
/* The PMU of a GPU, for perf(1). */
#ifndef _GSLOT_PMU_H
#define _GSLOT_PMU_H

struct gslot_pmu;
struct gslot_sched;
struct pci_dev;

struct gslot_pmu *gslot_pmu_attach(struct pci_dev *pdev, struct gslot_sched *sched);
void gslot_pmu_detach(struct gslot_pmu *pmu);
void gslot_pmus_init(void);
void gslot_pmus_exit(void);

#endif
