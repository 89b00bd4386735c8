// SPDX-License-Identifier: GPL-2.0
/*
 * What debugfs shows of a GPU: docs/debugfs.md explains each line. Lines are "key: value", or
 * "name: key=value ..." where there are several of a kind.
 *   aperture	what is where in the physical aperture
 *   copies	GGTT entries written for vGPUs
 *   engines	command streamers, as the hardware shows them
 *   ggtt	how much of the host's part is used, and of what vGPUs share
 *   registers	registers of interest, by name
 *   sched	the scheduler
 *   slots	how graphics memory is shared, and who has which slots of it
 *   vgpus	how many vGPUs there are and may be, and what each has resident
 *   wedged	why the GPU is beyond help, or "no"
 *
 * Failures are not errors: the kernel may be without debugfs.
 */
#include <linux/debugfs.h>
#include <linux/pci.h>
#include <linux/seq_file.h>

#include "gen/regs.h"
#include "debugfs.h"
#include "hw/hw.h"
#include "places/places.h"
#include "sched/sched.h"
#include "vgpu/vgpus.h"

static struct dentry *root;

static void show_engine(struct seq_file *m, struct gslot_hw *hw, enum gslot_engine_id id)
{
	static const struct {
		const char *name;
		u32 reg;
	} regs[] = {
		{ "head", RING_HEAD },
		{ "tail", RING_TAIL },
		{ "start", RING_START },
		{ "ctl", RING_CTL },
		{ "acthd", RING_ACTHD },
		{ "ipehr", RING_IPEHR },
		{ "mi_mode", RING_MI_MODE },
		{ "eir", RING_EIR },
		{ "imr", RING_IMR },
		{ "hws_pga", RING_HWS_PGA },
		{ "status_lo", RING_EXECLIST_STATUS_LO },
		{ "status_hi", RING_EXECLIST_STATUS_HI },
		{ "csb_ptr", RING_CSB_PTR },
	};
	const struct gslot_engine_info *info = &gslot_engines[id];
	u32 i;

	seq_printf(m, "%s:", info->name);
	for (i = 0; i < ARRAY_SIZE(regs); i++)
		seq_printf(m, " %s=0x%x", regs[i].name,
			   gslot_hw_read(hw, info->base + regs[i].reg));
	seq_printf(m, " resets=%u\n", gslot_hw_resets(hw, id));
}

static int aperture_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpus *gpu = m->private;

	gslot_aperture_pool_show(&gpu->aperture, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(aperture);

static int engines_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpus *gpu = m->private;
	int i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		show_engine(m, gpu->hw, i);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(engines);

static int ggtt_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpus *gpu = m->private;
	u64 size = gslot_hw_ggtt_size(gpu->hw);

	seq_printf(m, "size_mb: %llu\n", size >> 20);
	seq_printf(m, "host_pages: %llu\n",
		   (size - gslot_hw_ggtt_host_first(gpu->hw)) >> PAGE_SHIFT);
	seq_printf(m, "host_pages_used: %u\n", gslot_hw_ggtt_used(gpu->hw));
	gslot_runs_show_use(&gpu->runs, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ggtt);

static int copies_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpus *gpu = m->private;

	gslot_runs_show_work(&gpu->runs, m);
	gslot_places_show_copies(gpu, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(copies);

static int registers_show(struct seq_file *m, void *unused)
{
	static const struct {
		const char *name;
		u32 reg;
	} regs[] = {
		{ "master_irq", GEN_MASTER_IRQ },
		{ "gt_iir0", GEN_GT_IIR(0) },
		{ "gt_iir1", GEN_GT_IIR(1) },
		{ "gt_iir3", GEN_GT_IIR(3) },
		{ "gt_ier0", GEN_GT_IER(0) },
		{ "gt_ier1", GEN_GT_IER(1) },
		{ "gt_ier3", GEN_GT_IER(3) },
		{ "gdrst", GEN_GDRST },
		{ "ring_fault", GEN_RING_FAULT },
		{ "fault_tlb_data0", GEN_FAULT_TLB_DATA0 },
		{ "fault_tlb_data1", GEN_FAULT_TLB_DATA1 },
		{ "forcewake_gt_ack", GEN_FORCEWAKE_GT_ACK },
		{ "forcewake_render_ack", GEN_FORCEWAKE_RENDER_ACK },
		{ "forcewake_media_ack", GEN_FORCEWAKE_MEDIA_ACK },
		{ "rpnswreq", GEN_RPNSWREQ },
		{ "rpstat1", GEN_RPSTAT1 },
		{ "fuse2", GEN_FUSE2 },
		{ "pat_lo", GEN_PAT_LO },
		{ "pat_hi", GEN_PAT_HI },
	};
	struct gslot_vgpus *gpu = m->private;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		seq_printf(m, "%s: offset=0x%06x value=0x%08x\n", regs[i].name, regs[i].reg,
			   gslot_hw_read(gpu->hw, regs[i].reg));
	seq_printf(m, "timestamp: %llu\n", gslot_hw_timestamp(gpu->hw));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

static int sched_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpus *gpu = m->private;

	gslot_sched_show(gpu->sched, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sched);

static int slots_show(struct seq_file *m, void *unused)
{
	gslot_places_show(m->private, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(slots);

static int vgpus_show(struct seq_file *m, void *unused)
{
	gslot_vgpus_show(m->private, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vgpus);

static int wedged_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpus *gpu = m->private;

	seq_printf(m, "%s\n", gslot_hw_wedged(gpu->hw) ?: "no");
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(wedged);

/**
 * gslot_debugfs_gpu_add() - show a GPU in debugfs
 * @gpu: the GPU, in working order
 *
 * Context: may sleep.
 */
void gslot_debugfs_gpu_add(struct gslot_vgpus *gpu)
{
	gpu->debugfs = debugfs_create_dir(pci_name(gpu->pdev), root);
	debugfs_create_file("aperture", 0400, gpu->debugfs, gpu, &aperture_fops);
	debugfs_create_file("copies", 0400, gpu->debugfs, gpu, &copies_fops);
	debugfs_create_file("engines", 0400, gpu->debugfs, gpu, &engines_fops);
	debugfs_create_file("ggtt", 0400, gpu->debugfs, gpu, &ggtt_fops);
	debugfs_create_file("registers", 0400, gpu->debugfs, gpu, &registers_fops);
	debugfs_create_file("sched", 0400, gpu->debugfs, gpu, &sched_fops);
	debugfs_create_file("slots", 0400, gpu->debugfs, gpu, &slots_fops);
	debugfs_create_file("vgpus", 0400, gpu->debugfs, gpu, &vgpus_fops);
	debugfs_create_file("wedged", 0400, gpu->debugfs, gpu, &wedged_fops);
}

/**
 * gslot_debugfs_gpu_remove() - undo gslot_debugfs_gpu_add()
 * @gpu: the GPU; nobody reads its files when this returns
 *
 * Context: may sleep, without any lock that a file's function takes.
 */
void gslot_debugfs_gpu_remove(struct gslot_vgpus *gpu)
{
	debugfs_remove(gpu->debugfs);
	gpu->debugfs = NULL;
}

/**
 * gslot_debugfs_init() - make the directory of all GPUs, when the module is loaded
 *
 * Context: may sleep.
 */
void gslot_debugfs_init(void)
{
	root = debugfs_create_dir("gslot", NULL);
}

/**
 * gslot_debugfs_exit() - undo gslot_debugfs_init(); no GPU is shown any more
 *
 * Context: may sleep.
 */
void gslot_debugfs_exit(void)
{
	debugfs_remove(root);
}
