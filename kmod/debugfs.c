// SPDX-License-Identifier: GPL-2.0
/*
 * What debugfs shows of a GPU: docs/debugfs.md explains each file and line. Lines are "key: value",
 * or "name: key=value ..." where there are several of a kind.
 *
 * Failures are not errors: the kernel may be without debugfs.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/pci.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

#include "gen/regs.h"
#include "gpu_priv.h"
#include "hw/hw.h"
#include "places/places.h"
#include "sched/sched.h"
#include "vgpu/vgpus.h"

static struct dentry *dbg_root;

static void dbg_show_engine(struct seq_file *m, struct gslot_hw *hw, enum gslot_engine_id id)
{
	static const struct debugfs_reg32 regs[] = {
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
			   gslot_hw_read(hw, info->base + regs[i].offset));
	seq_putc(m, '\n');
}

static void dbg_show_engines(struct gslot_hw *hw, struct seq_file *m)
{
	int i;

	for (i = 0; i < GSLOT_NR_ENGINES; i++)
		dbg_show_engine(m, hw, i);
}

static void dbg_show_ggtt(struct gslot_vgpus *vgpus, struct seq_file *m)
{
	u64 size = gslot_hw_ggtt_size(vgpus->hw);

	seq_printf(m, "size_mb: %llu\n", size / SZ_1M);
	seq_printf(m, "host_pages: %llu\n",
		   (size - gslot_hw_ggtt_host_first(vgpus->hw)) >> PAGE_SHIFT);
	seq_printf(m, "host_pages_used: %u\n", gslot_hw_ggtt_used(vgpus->hw));
	gslot_runs_show_use(&vgpus->runs, m);
}

static void dbg_show_copies(struct gslot_vgpus *vgpus, struct seq_file *m)
{
	gslot_runs_show_work(&vgpus->runs, m);
	gslot_places_show_copies(vgpus, m);
}

static void dbg_show_registers(struct gslot_hw *hw, struct seq_file *m)
{
	static const struct debugfs_reg32 regs[] = {
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
	u32 i;

	for (i = 0; i < ARRAY_SIZE(regs); i++)
		seq_printf(m, "%s: offset=0x%06lx value=0x%08x\n", regs[i].name, regs[i].offset,
			   gslot_hw_read(hw, regs[i].offset));
	seq_printf(m, "timestamp: %llu\n", gslot_hw_timestamp(hw));
}

/* @show: an expression of the GPU, vgpus, and the output, m */
#define DBG_FILE(name, show) \
	static int dbg_##name##_show(struct seq_file *m, void *unused) \
	{ \
		struct gslot_vgpus *vgpus = m->private; \
		show; \
		return 0; \
	} \
	DEFINE_SHOW_ATTRIBUTE(dbg_##name)

DBG_FILE(aperture, gslot_aperture_pool_show(&vgpus->aperture, m));
DBG_FILE(copies, dbg_show_copies(vgpus, m));
DBG_FILE(engines, dbg_show_engines(vgpus->hw, m));
DBG_FILE(ggtt, dbg_show_ggtt(vgpus, m));
DBG_FILE(registers, dbg_show_registers(vgpus->hw, m));
DBG_FILE(sched, gslot_sched_show(vgpus->sched, m));
DBG_FILE(slots, gslot_places_show(vgpus, m));
DBG_FILE(vgpus, gslot_vgpus_show(vgpus, m));
DBG_FILE(wedged, seq_printf(m, "%s\n", gslot_hw_wedged(vgpus->hw) ?: "no"));

/* Create the directory of a GPU, which is in working order. */
void gslot_debugfs_gpu_add(struct gslot_vgpus *vgpus)
{
	struct dentry *dir = debugfs_create_dir(pci_name(vgpus->pdev), dbg_root);

	vgpus->debugfs = dir;
	debugfs_create_file("aperture", 0400, dir, vgpus, &dbg_aperture_fops);
	debugfs_create_file("copies", 0400, dir, vgpus, &dbg_copies_fops);
	debugfs_create_file("engines", 0400, dir, vgpus, &dbg_engines_fops);
	debugfs_create_file("ggtt", 0400, dir, vgpus, &dbg_ggtt_fops);
	debugfs_create_file("registers", 0400, dir, vgpus, &dbg_registers_fops);
	debugfs_create_file("sched", 0400, dir, vgpus, &dbg_sched_fops);
	debugfs_create_file("slots", 0400, dir, vgpus, &dbg_slots_fops);
	debugfs_create_file("vgpus", 0400, dir, vgpus, &dbg_vgpus_fops);
	debugfs_create_file("wedged", 0400, dir, vgpus, &dbg_wedged_fops);
}

/* Waits for readers: without any lock that a file's function takes. */
void gslot_debugfs_gpu_remove(struct gslot_vgpus *vgpus)
{
	debugfs_remove(vgpus->debugfs);
	vgpus->debugfs = NULL;
}

void __init gslot_debugfs_init(void)
{
	dbg_root = debugfs_create_dir("gslot", NULL);
}

void gslot_debugfs_exit(void)
{
	debugfs_remove(dbg_root);
}
