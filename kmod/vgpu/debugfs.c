// SPDX-License-Identifier: GPL-2.0
/*
 * What debugfs shows of vGPUs: docs/debugfs.md explains each line.
 *
 * debugfs/gslot/<pci>/slots: who has which slots and fences
 *
 * debugfs/gslot/<pci>/<uuid>/, per vGPU:
 *   state	what it is, where it is, what it uses, and counters
 *   ggtt	its private GGTT and fences
 *   exec	its contexts, requests and page tables, while it is open
 *   complaints	what there was to be said of it, by cause
 *   move	write "<low slot> <high slot>": put it there
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "vgpu_priv.h"

static int state_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpu *vgpu = m->private;
	const struct gslot_window *w = &vgpu->place.window;
	struct gslot_vgpu_stats *s = &vgpu->stats;

	mutex_lock(&vgpu->lock);
	seq_printf(m, "type: gslot-%s\n", vgpu->profile->name);
	seq_printf(m, "open: %s\n", vgpu->exec ? "yes" : "no");
	seq_printf(m, "low_mb: %llu\nlow_address: 0x%llx\n", w->low_size >> 20, w->low_phys);
	seq_printf(m, "high_mb: %llu\nhigh_address: 0x%llx\n", w->high_size >> 20, w->high_phys);
	seq_printf(m, "fences: %u\nfirst_fence: %u\n", vgpu->place.fence_count,
		   vgpu->place.fence_first);
	seq_printf(m, "pinned_pages: %u\n", vgpu->exec ? vgpu->mem.count : 0);
	seq_printf(m, "idle_pages: %u\n", vgpu->exec ? vgpu->mem.nr_idle : 0);
	seq_printf(m, "failed_pins: %llu\n", vgpu->exec ? vgpu->mem.failed : 0);
	mutex_unlock(&vgpu->lock);
	seq_printf(m, "register_reads: %lld\n", atomic64_read(&s->reads));
	seq_printf(m, "register_writes: %lld\n", atomic64_read(&s->writes));
	seq_printf(m, "unknown_registers: %llu\n",
		   gslot_complaints_of(&vgpu->complaints, GSLOT_CAUSE_REGISTER));
	seq_printf(m, "last_unknown: 0x%x\n", READ_ONCE(s->unknown_last));
	seq_printf(m, "ggtt_flushes: %lld\n", atomic64_read(&s->flushes));
	seq_printf(m, "submissions: %lld\n", atomic64_read(&s->submits));
	seq_printf(m, "engine_resets: %lld\n", atomic64_read(&s->resets));
	seq_printf(m, "interrupts: %llu\n", READ_ONCE(vgpu->irq.sent));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(state);

static int ggtt_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpu *vgpu = m->private;

	mutex_lock(&vgpu->lock);
	if (vgpu->ggtt)
		gslot_ggtt_show(vgpu->ggtt, m);
	mutex_unlock(&vgpu->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(ggtt);

static int exec_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpu *vgpu = m->private;

	mutex_lock(&vgpu->lock);
	if (vgpu->exec)
		gslot_exec_show(vgpu->exec, m);
	mutex_unlock(&vgpu->lock);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(exec);

static int complaints_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpu *vgpu = m->private;

	gslot_complaints_show(&vgpu->complaints, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(complaints);

static ssize_t move_write(struct file *file, const char __user *ubuf, size_t count, loff_t *pos)
{
	struct gslot_vgpu *vgpu = file->private_data;
	char buf[32] = "";
	u32 low, high;
	int ret;

	if (count >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, ubuf, count))
		return -EFAULT;
	if (sscanf(buf, "%u %u", &low, &high) != 2)
		return -EINVAL;
	ret = gslot_vgpu_move(vgpu, low, high);
	return ret ? ret : count;
}

static const struct file_operations move_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = move_write,
};

static void show_used(struct seq_file *m, const struct gslot_slots *slots)
{
	seq_printf(m, " low=0x%llx high=0x%llx fences=0x%x\n", slots->low, slots->high,
		   slots->fences);
}

static void show_place(struct seq_file *m, const struct gslot_vgpu *vgpu)
{
	struct gslot_slots own = { };

	gslot_slots_mark(&own, &vgpu->place);
	seq_printf(m, "%s: type=gslot-%s", gslot_vgpu_name(vgpu), vgpu->profile->name);
	show_used(m, &own);
}

/**
 * gslot_vgpus_show_slots() - who has which slots and fences, for debugfs
 * @gpu: the GPU
 * @m: where to
 *
 * Context: may sleep.
 */
void gslot_vgpus_show_slots(struct gslot_vgpu_parent *gpu, struct seq_file *m)
{
	const struct gslot_slots *slots = &gpu->slots;
	struct gslot_vgpu *vgpu;

	mutex_lock(&gpu->lock);
	seq_printf(m, "slots: low=%u high=%u fences=%u\n", slots->nr_low, slots->nr_high,
		   GEN_NR_FENCES);
	seq_puts(m, "used:");
	show_used(m, slots);
	list_for_each_entry(vgpu, &gpu->vgpus, link)
		show_place(m, vgpu);
	mutex_unlock(&gpu->lock);
}

/**
 * gslot_vgpu_debugfs_add() - show a vGPU in debugfs
 * @vgpu: the vGPU, placed
 *
 * Context: may sleep.
 */
void gslot_vgpu_debugfs_add(struct gslot_vgpu *vgpu)
{
	struct dentry *dir = debugfs_create_dir(gslot_vgpu_name(vgpu), vgpu->gpu->debugfs);

	vgpu->debugfs = dir;
	debugfs_create_file("state", 0400, dir, vgpu, &state_fops);
	debugfs_create_file("ggtt", 0400, dir, vgpu, &ggtt_fops);
	debugfs_create_file("exec", 0400, dir, vgpu, &exec_fops);
	debugfs_create_file("complaints", 0400, dir, vgpu, &complaints_fops);
	debugfs_create_file("move", 0200, dir, vgpu, &move_fops);
}

/**
 * gslot_vgpu_debugfs_remove() - undo gslot_vgpu_debugfs_add()
 * @vgpu: the vGPU; nobody reads its files when this returns
 *
 * Context: may sleep, without any lock that a file's function takes.
 */
void gslot_vgpu_debugfs_remove(struct gslot_vgpu *vgpu)
{
	debugfs_remove_recursive(vgpu->debugfs);
}
