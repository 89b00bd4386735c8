// SPDX-License-Identifier: GPL-2.0
/*
 * Saving a vGPU: what its guest sees of it, as records of a stream. What the host has for it, such
 * as shadow page tables, is made anew elsewhere.
 *
 * Early records say what a vGPU that still runs has: then the rest, which is saved when the vGPU is
 * frozen, says only what differs from that.
 */
#include <linux/jiffies.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "vgpu_priv.h"
#include "vgpu_state.h"
#include "base/account.h"
#include "core/regs/regtable.h"
#include "core/stream/stream.h"

/* How long vCPUs may keep the vGPU's lock, all together. */
#define SAVE_PATIENCE	(5 * HZ)

/* What the functions of this file share. The vGPU's lock is taken for each record that needs it. */
struct save {
	struct gslot_vgpu *vgpu;
	struct gslot_vgpu_save *to;
	struct gslot_stream_writer *w;	/* of @to */
	void *buf;		/* for a payload, GSLOT_MIG_RECORD_MAX bytes */
	unsigned long until;	/* deadline for the vGPU's lock, jiffies */
};

static int save_lock(const struct save *s)
{
	return gslot_vgpu_lock_exec_until(s->vgpu, s->until) ? 0 : -EBUSY;
}

/* As the guest reads it: that is what it knows of the part. */
static u32 save_fuse_value(struct gslot_vgpu *vgpu, u32 offset)
{
	const struct gslot_reg *reg = gslot_reg_find(offset, gslot_hw_gen(vgpu->vgpus->hw));
	u32 value;

	if (reg && gslot_handler_read(vgpu, reg, offset, &value))
		return value;
	return gslot_vreg_reset_value(vgpu, offset);
}

static void save_fuses(struct gslot_vgpu *vgpu, struct gslot_mig_header *header)
{
	u32 gen = gslot_hw_gen(vgpu->vgpus->hw), i, offset;

	BUILD_BUG_ON(GSLOT_NR_FUSES > GSLOT_MIG_NR_FUSES);
	for (i = 0; i < GSLOT_MIG_NR_FUSES && (offset = gslot_reg_fuse(i, gen)); i++)
		header->fuse[i] = (struct gslot_mig_fuse) {
			.offset = offset,
			.value = save_fuse_value(vgpu, offset),
		};
	header->nr_fuses = i;
}

/**
 * gslot_vgpu_describe() - what a vGPU must have in common with one that its state goes to
 * @vgpu: the vGPU
 * @header: out: what follows the checksum
 *
 * Context: any, without the vGPU's locks.
 */
void gslot_vgpu_describe(struct gslot_vgpu *vgpu, struct gslot_mig_header *header)
{
	const struct pci_dev *pdev = vgpu->vgpus->pdev;

	BUILD_BUG_ON(GEN_NR_FENCES != GSLOT_MIG_NR_FENCES);
	memset(header, 0, sizeof(*header));
	header->vendor = pdev->vendor;
	header->device = pdev->device;
	header->revision = pdev->revision;
	header->gen = gslot_hw_gen(vgpu->vgpus->hw);
	header->nr_fences = GEN_NR_FENCES;
	header->pvinfo_version = gslot_pvinfo_read(vgpu, PVINFO_O_VERSION);
	header->pvinfo_caps = gslot_pvinfo_read(vgpu, PVINFO_O_CAPS);
	header->ggtt_size = GEN_GGTT_SIZE;
	header->low_size = READ_ONCE(vgpu->window.low_size);
	header->high_size = READ_ONCE(vgpu->window.high_size);
	strscpy(header->type, vgpu->profile->name, sizeof(header->type));
	save_fuses(vgpu, header);
}

/**
 * gslot_vgpu_save_begin() - write the header of a stream
 * @vgpu: the vGPU, open; it may run
 * @save: the vGPU's stream: a writer, and else zeros; gslot_vgpu_save_end() undoes this
 *
 * Return: 0, or -errno of the writer.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_vgpu_save_begin(struct gslot_vgpu *vgpu, struct gslot_vgpu_save *save)
{
	struct gslot_mig_header header;

	gslot_vgpu_describe(vgpu, &header);
	save->window.low_size = header.low_size;
	save->window.high_size = header.high_size;
	return gslot_stream_put_header(&save->w, &header);
}

/**
 * gslot_vgpu_save_end() - free what a stream needed while it was written
 * @save: the stream; nothing more is written to it
 *
 * Context: may sleep.
 */
void gslot_vgpu_save_end(struct gslot_vgpu_save *save)
{
	gslot_ggtt_copy_destroy(save->early);
	save->early = NULL;
}

/**
 * gslot_vgpu_save_fits() - does a vGPU have the size that a stream says?
 * @vgpu: the vGPU, open
 * @save: the stream; its header is written
 *
 * Return: false if an administrator has changed the size: what was saved does not fit then.
 * Context: any.
 */
bool gslot_vgpu_save_fits(const struct gslot_vgpu *vgpu, const struct gslot_vgpu_save *save)
{
	return READ_ONCE(vgpu->window.low_size) == save->window.low_size &&
	       READ_ONCE(vgpu->window.high_size) == save->window.high_size;
}

static int save_config(struct save *s)
{
	u8 config[GSLOT_MIG_CONFIG_SIZE];

	BUILD_BUG_ON(GSLOT_VGPU_CONFIG_SIZE != GSLOT_MIG_CONFIG_SIZE);
	/* The user may write it at any time: not between the checksum and the bytes. */
	memcpy(config, s->vgpu->config, sizeof(config));
	return gslot_stream_put(s->w, GSLOT_MIG_CONFIG, config, sizeof(config));
}

static int save_pvinfo(struct save *s)
{
	struct gslot_mig_pvinfo pvinfo;

	gslot_pvinfo_save(s->vgpu, &pvinfo);
	return gslot_stream_put(s->w, GSLOT_MIG_PVINFO, &pvinfo, sizeof(pvinfo));
}

static bool save_is_state(struct gslot_vgpu *vgpu, u32 offset)
{
	const struct gslot_reg *reg = gslot_reg_find(offset, gslot_hw_gen(vgpu->vgpus->hw));

	return reg && gslot_reg_is_state(reg);
}

/*
 * @regs: out; NULL: they are only counted. Return: their number. Registers of a page without
 * storage have their values of power-on.
 */
static u32 save_page_regs(struct gslot_vgpu *vgpu, u32 page, struct gslot_mig_reg *regs)
{
	u32 offset = page << PAGE_SHIFT, end = offset + PAGE_SIZE, count = 0;

	spin_lock(&vgpu->regs.lock);
	if (!vgpu->regs.pages[page])
		offset = end;
	for (; offset < end; offset += sizeof(u32)) {
		u32 value = gslot_vreg_get(vgpu, offset);

		if (!value || !save_is_state(vgpu, offset))
			continue;
		if (regs)
			regs[count] = (struct gslot_mig_reg) { .offset = offset, .value = value };
		count++;
	}
	spin_unlock(&vgpu->regs.lock);
	return count;
}

#define SAVE_PAGE_REGS	((u32)(PAGE_SIZE / sizeof(u32)))
#define SAVE_REGS	((u32)(GSLOT_MIG_RECORD_MAX / sizeof(struct gslot_mig_reg)))

static int save_put_regs(struct save *s, u32 count)
{
	return gslot_stream_put(s->w, GSLOT_MIG_REGS, s->buf,
				count * sizeof(struct gslot_mig_reg));
}

static int save_regs(struct save *s)
{
	int ret = gslot_vregs_reserve_presets(s->vgpu);
	struct gslot_mig_reg *regs = s->buf;
	u32 i, count = 0;

	BUILD_BUG_ON(SAVE_PAGE_REGS > SAVE_REGS);
	for (i = 0; !ret && i < GSLOT_VGPU_REG_PAGES; i++) {
		if (count > SAVE_REGS - SAVE_PAGE_REGS) {
			ret = save_put_regs(s, count);
			count = 0;
		}
		count += save_page_regs(s->vgpu, i, regs + count);
		cond_resched();
	}
	return ret ?: save_put_regs(s, count);
}

static int save_irq(struct save *s)
{
	struct gslot_mig_irq irq;

	gslot_irq_save(s->vgpu, &irq);
	return gslot_stream_put(s->w, GSLOT_MIG_IRQ, &irq, sizeof(irq));
}

static int save_fences(struct save *s)
{
	u64 fences[GSLOT_MIG_NR_FENCES];
	u32 i;

	for (i = 0; i < GSLOT_MIG_NR_FENCES; i++)
		fences[i] = gslot_ggtt_fence_read(s->vgpu->ggtt, i);
	return gslot_stream_put(s->w, GSLOT_MIG_FENCES, fences, sizeof(fences));
}

#define SAVE_RUNS	((u32)(GSLOT_MIG_RECORD_MAX / sizeof(struct gslot_mig_run)))

static int save_check_size(const struct save *s)
{
	return gslot_vgpu_save_fits(s->vgpu, s->to) ? 0 : -EBUSY;
}

/* @count: out: number of runs in the buffer; 0: all are saved */
static int save_runs(struct save *s, u32 *entry, u32 *count)
{
	int ret = save_lock(s);

	if (ret)
		return ret;
	/* @entry counts entries of a window of that size. */
	ret = save_check_size(s);
	if (!ret)
		*count = gslot_ggtt_save(s->vgpu->ggtt, s->to->early, entry, s->buf, SAVE_RUNS);
	gslot_exec_unlock(s->vgpu->exec);
	return ret;
}

/* @type: GSLOT_MIG_GGTT or GSLOT_MIG_GGTT_EARLY */
static int save_put_runs(struct save *s, enum gslot_mig_type type, u32 count)
{
	return gslot_stream_put(s->w, type, s->buf, count * sizeof(struct gslot_mig_run));
}

static int save_ggtt(struct save *s)
{
	u32 entry = 0, count;
	int ret;

	do {
		ret = save_runs(s, &entry, &count) ?: save_put_runs(s, GSLOT_MIG_GGTT, count);
	} while (!ret && count);
	return ret;
}

static int save_ggtt_early(struct save *s)
{
	u32 page = 0, count;
	int ret;

	do {
		count = gslot_ggtt_copy_save(s->to->early, &page, s->buf, SAVE_RUNS);
		ret = save_put_runs(s, GSLOT_MIG_GGTT_EARLY, count);
	} while (!ret && count);
	return ret;
}

static void save_exec(const struct gslot_exec_saved *saved, enum gslot_engine_id id,
		      struct gslot_mig_engine *to)
{
	*to = (struct gslot_mig_engine) {
		.engine = id,
		.flags = saved->hung ? GSLOT_MIG_ENGINE_HUNG : 0,
		.nr_active = saved->nr_active,
		.nr_submits = saved->nr_submits,
		.head = saved->head,
		.tail = saved->tail,
		.start = saved->start,
	};
	memcpy(to->active, saved->active, sizeof(to->active));
	memcpy(to->submit, saved->submit, sizeof(to->submit));
	if (!saved->batch.lrca)
		return;
	to->flags |= GSLOT_MIG_ENGINE_BATCH;
	to->batch.lrca = saved->batch.lrca;
	to->batch.head = saved->batch.head;
	to->batch.addr = saved->batch.addr;
	to->batch.second_addr = saved->batch.second_addr;
}

static int save_engine_exec(struct save *s, enum gslot_engine_id id, struct gslot_mig_engine *to)
{
	struct gslot_exec_saved saved;
	int ret = save_lock(s);

	if (ret)
		return ret;
	ret = gslot_exec_save_engine(s->vgpu->exec, id, &saved);
	gslot_exec_unlock(s->vgpu->exec);
	if (!ret)
		save_exec(&saved, id, to);
	return ret;
}

static int save_engine(struct save *s, enum gslot_engine_id id)
{
	struct gslot_vregs *regs = &s->vgpu->regs;
	struct gslot_mig_engine engine;
	int ret = save_engine_exec(s, id, &engine);

	if (ret)
		return ret;
	spin_lock(&regs->lock);
	engine.nr_elsp = regs->elsp_count[id];
	memcpy(engine.elsp, regs->elsp[id], engine.nr_elsp * sizeof(u32));
	engine.csb_ptr = regs->csb_ptr[id];
	spin_unlock(&regs->lock);
	return gslot_stream_put(s->w, GSLOT_MIG_ENGINE, &engine, sizeof(engine));
}

static int save_engines(struct save *s)
{
	int ret = 0;
	u32 i;

	for (i = 0; !ret && i < GSLOT_NR_ENGINES; i++)
		ret = save_engine(s, i);
	return ret;
}

static int save_debts(struct save *s)
{
	struct gslot_mig_debt debts[GSLOT_MIG_NR_ENGINES];
	struct gslot_client_debt now[GSLOT_NR_ENGINES];
	u32 i;

	gslot_client_debts(s->vgpu->client, now);
	gslot_restored_debts(s->vgpu, now);
	for (i = 0; i < GSLOT_MIG_NR_ENGINES; i++) {
		debts[i].debt_ns = now[i].debt_ns;
		debts[i].resets_ns = now[i].resets_ns;
	}
	return gslot_stream_put(s->w, GSLOT_MIG_DEBTS, debts, sizeof(debts));
}

static int save_counters(struct save *s)
{
	const struct gslot_mig_counters counters = {
		.flushes = atomic64_read(&s->vgpu->stats.flushes),
		.submits = atomic64_read(&s->vgpu->stats.submits),
		.resets = atomic64_read(&s->vgpu->stats.resets),
	};

	return gslot_stream_put(s->w, GSLOT_MIG_COUNTERS, &counters, sizeof(counters));
}

static int save_end(struct save *s)
{
	return save_check_size(s) ?: gslot_stream_put_end(s->w);
}

/* In the order of the types. */
static int save_rest(struct save *s)
{
	return save_config(s) ?: save_pvinfo(s) ?: save_regs(s) ?: save_irq(s) ?:
	       save_fences(s) ?: save_ggtt(s) ?: save_engines(s) ?: save_debts(s) ?:
	       save_counters(s) ?: save_end(s);
}

/* Write some of the records. Return: 0 or -errno. */
static int save_records(struct gslot_vgpu *vgpu, struct gslot_vgpu_save *save,
			int (*records)(struct save *s))
{
	struct save s = {
		.vgpu = vgpu,
		.to = save,
		.w = &save->w,
		.buf = kvmalloc(GSLOT_MIG_RECORD_MAX, GSLOT_GFP_GUEST),
		.until = jiffies + SAVE_PATIENCE,
	};
	int ret;

	if (!s.buf)
		return -ENOMEM;
	ret = records(&s);
	kvfree(s.buf);
	return ret;
}

/**
 * gslot_vgpu_save_early() - save the GGTT of a vGPU that may still run (PRE_COPY)
 * @vgpu: the vGPU, open; it may run
 * @save: its stream
 *
 * No lock of the vGPU is held for longer than it takes to copy a page. It takes as much memory as
 * the guest's global page table at most, until gslot_vgpu_save_end().
 *
 * Return: 0; -ENOMEM; or -errno of the writer.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_vgpu_save_early(struct gslot_vgpu *vgpu, struct gslot_vgpu_save *save)
{
	save->early = gslot_ggtt_copy_create(vgpu->ggtt, &save->window);
	if (!save->early)
		return -ENOMEM;
	return save_records(vgpu, save, save_ggtt_early);
}

/**
 * gslot_vgpu_save_rest() - save all that the stream does not have yet
 * @vgpu: the vGPU, frozen
 * @save: its stream
 *
 * The vGPU's lock is held for one record at a time: a stream may have many, and other tasks expect
 * a lock that is held for a moment.
 *
 * Return: 0; -EBUSY if the vGPU is in use for too long, or was resized, or its guest is resetting
 * an engine; -ENOMEM; or -errno of the writer.
 * Context: may sleep, without the vGPU's locks.
 */
int gslot_vgpu_save_rest(struct gslot_vgpu *vgpu, struct gslot_vgpu_save *save)
{
	return save_records(vgpu, save, save_rest);
}

static u64 save_count_regs(struct gslot_vgpu *vgpu)
{
	u64 count = 0;
	u32 i;

	for (i = 0; i < GSLOT_VGPU_REG_PAGES; i++) {
		count += save_page_regs(vgpu, i, NULL);
		cond_resched();
	}
	return count;
}

/**
 * gslot_vgpu_save_size() - estimate the size of what gslot_vgpu_save_rest() writes
 * @vgpu: the vGPU, open; it may run
 * @save: its stream, with what is written of it; NULL: nothing
 *
 * The vGPU's lock is not taken: a user may ask all the time. What its guest changes meanwhile may
 * be counted or not, and the frames of some records are left out.
 *
 * Return: bytes.
 * Context: may sleep, without the vGPU's locks.
 */
u64 gslot_vgpu_save_size(struct gslot_vgpu *vgpu, const struct gslot_vgpu_save *save)
{
	return gslot_stream_size(save_count_regs(vgpu),
				 gslot_ggtt_count_runs(vgpu->ggtt, save ? save->early : NULL));
}
