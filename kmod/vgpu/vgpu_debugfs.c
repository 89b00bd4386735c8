// SPDX-License-Identifier: GPL-2.0
/* What debugfs shows of vGPUs: docs/debugfs.md explains each file and line. */
#include <linux/debugfs.h>
#include <linux/delay.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>

#include "vgpu_priv.h"
#include "vgpu_state.h"
#include "base/lock.h"

/* How long the table of vGPUs waits for contended locks, all together. */
#define SHOW_PATIENCE	(HZ / 2)

static void vdbg_show_state(struct gslot_vgpu *vgpu, struct seq_file *m)
{
	u64 size = vgpu->window.low_size + vgpu->window.high_size;
	struct gslot_vgpu_stats *s = &vgpu->stats;

	seq_printf(m, "type: gslot-%s\n", vgpu->profile->name);
	seq_printf(m, "open: %s\n", vgpu->exec ? "yes" : "no");
	seq_printf(m, "migration: %s\n", gslot_vgpu_migration(vgpu));
	seq_printf(m, "low_mb: %u\nhigh_mb: %u\nfences: %u\n",
		   gslot_vgpu_mb_now(vgpu, GSLOT_GM_LOW), gslot_vgpu_mb_now(vgpu, GSLOT_GM_HIGH),
		   GEN_NR_FENCES);
	seq_printf(m, "host_memory_mb: %llu\n",
		   DIV_ROUND_UP_ULL(gslot_host_memory(size, vgpu->profile->tables), SZ_1M));
	seq_printf(m, "pinned_pages: %u\n", vgpu->exec ? READ_ONCE(vgpu->mem.count) : 0);
	seq_printf(m, "idle_pages: %u\n", vgpu->exec ? READ_ONCE(vgpu->mem.nr_idle) : 0);
	seq_printf(m, "reclaimed_pages: %lld\n", atomic64_read(&vgpu->shrink.reclaimed));
	seq_printf(m, "room_waits: %lld\n", atomic64_read(&vgpu->room.waits));
	seq_printf(m, "failed_pins: %llu\n", vgpu->exec ? READ_ONCE(vgpu->mem.failed) : 0);
	seq_printf(m, "unmaps: %lld\n", atomic64_read(&s->unmaps));
	seq_printf(m, "register_reads: %lld\n", atomic64_read(&s->reads));
	seq_printf(m, "register_writes: %lld\n", atomic64_read(&s->writes));
	seq_printf(m, "unknown_registers: %llu\n",
		   gslot_guest_errors_count(&vgpu->guest_errors, GSLOT_GUEST_ERR_REGISTER));
	seq_printf(m, "last_unknown: 0x%x\n", READ_ONCE(s->unknown_last));
	seq_printf(m, "ggtt_flushes: %lld\n", atomic64_read(&s->flushes));
	seq_printf(m, "submissions: %lld\n", atomic64_read(&s->submits));
	seq_printf(m, "engine_resets: %lld\n", atomic64_read(&s->resets));
	seq_printf(m, "interrupts: %llu\n", READ_ONCE(vgpu->irq.sent));
}

static void vdbg_show_ggtt(struct gslot_vgpu *vgpu, struct seq_file *m)
{
	if (vgpu->ggtt)
		gslot_ggtt_show(vgpu->ggtt, m);
}

static void vdbg_show_exec(struct gslot_vgpu *vgpu, struct seq_file *m)
{
	if (vgpu->exec)
		gslot_exec_show(vgpu->exec, m);
}

/* Show a vGPU with its lock held. The holder may wait for the guest's memory for ever: killable. */
#define VDBG_FILE(name)										\
	static int vdbg_##name##_show(struct seq_file *m, void *unused)				\
	{											\
		struct gslot_vgpu *vgpu = m->private;						\
												\
		if (mutex_lock_killable(&vgpu->lock.mutex))					\
			return -EINTR;								\
		vdbg_show_##name(vgpu, m);							\
		mutex_unlock(&vgpu->lock.mutex);						\
		return 0;									\
	}											\
	DEFINE_SHOW_ATTRIBUTE(vdbg_##name)

VDBG_FILE(state);
VDBG_FILE(ggtt);
VDBG_FILE(exec);

static int vdbg_guest_errors_show(struct seq_file *m, void *unused)
{
	struct gslot_vgpu *vgpu = m->private;

	gslot_guest_errors_show(&vgpu->guest_errors, m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vdbg_guest_errors);

/* Return: false, and nothing is shown, if its lock is held and @wait says to try again. */
static bool vdbg_show_vgpu(struct seq_file *m, struct gslot_vgpu *vgpu, bool wait)
{
	const struct gslot_monitor_client seen = gslot_vgpu_monitor_get(vgpu);
	struct gslot_resident r = { };

	if (!mutex_trylock(&vgpu->lock.mutex)) {
		if (wait)
			return false;
		seq_printf(m, "%s: type=gslot-%s busy=1\n", gslot_vgpu_name(vgpu),
			   vgpu->profile->name);
		return true;
	}
	if (vgpu->ggtt)
		r = gslot_ggtt_resident(vgpu->ggtt);
	seq_printf(m, "%s: type=gslot-%s open=%u units=%u resident=%u held=%u loads=%llu evictions=%llu",
		   gslot_vgpu_name(vgpu), vgpu->profile->name, !!vgpu->exec, r.count, r.resident,
		   r.held, r.loads, r.evictions);
	mutex_unlock(&vgpu->lock.mutex);
	seq_printf(m, " use=%u idle=%u\n", seen.use, seen.idle);
	return true;
}

/* Return: the vGPU behind @i others; NULL: there are no more. */
static struct gslot_vgpu *vdbg_nth_vgpu(struct gslot_vgpus *vgpus, u32 i)
{
	struct gslot_vgpu *vgpu;

	list_for_each_entry(vgpu, &vgpus->list, link)
		if (!i--)
			return vgpu;
	return NULL;
}

/**
 * gslot_vgpus_show() - print the table of vGPUs
 * @vgpus: the GPU
 * @m: receives the table
 *
 * Context: may sleep, without the locks of the GPU and its vGPUs.
 */
void gslot_vgpus_show(struct gslot_vgpus *vgpus, struct seq_file *m)
{
	unsigned long until = jiffies + SHOW_PATIENCE;
	struct gslot_vgpu *vgpu;
	u32 i = 0;

	mutex_lock(&vgpus->lock);
	seq_printf(m, "max: %u\nreserved: %u\nmost: %u\ncount: %u\n", vgpus->max, vgpus->reserved,
		   vgpus->most, vgpus->count);
	while ((vgpu = vdbg_nth_vgpu(vgpus, i))) {
		if (vdbg_show_vgpu(m, vgpu, !time_after(jiffies, until))) {
			i++;
			continue;
		}
		/* Others may need the lock meanwhile. */
		mutex_unlock(&vgpus->lock);
		msleep(GSLOT_LOCK_POLL_MS);
		mutex_lock(&vgpus->lock);
	}
	mutex_unlock(&vgpus->lock);
}

void gslot_vgpu_debugfs_add(struct gslot_vgpu *vgpu)
{
	struct dentry *dir = debugfs_create_dir(gslot_vgpu_name(vgpu), vgpu->vgpus->debugfs);

	vgpu->debugfs = dir;
	debugfs_create_file("state", 0400, dir, vgpu, &vdbg_state_fops);
	debugfs_create_file("ggtt", 0400, dir, vgpu, &vdbg_ggtt_fops);
	debugfs_create_file("exec", 0400, dir, vgpu, &vdbg_exec_fops);
	debugfs_create_file("guest_errors", 0400, dir, vgpu, &vdbg_guest_errors_fops);
}

/* Waits for readers: without any lock that a file's function takes. */
void gslot_vgpu_debugfs_remove(struct gslot_vgpu *vgpu)
{
	debugfs_remove(vgpu->debugfs);
}
