// SPDX-License-Identifier: GPL-2.0
/*
 * DOC: interrupts
 *
 * A vGPU has one MSI and no INTx, and VFIO's request to release the device.
 *
 * How long it takes to signal an eventfd is up to its user: each waiter is woken or called with
 * interrupts off, and a process may have hundreds of thousands of waiters. The scheduler raises the
 * MSI with the lock of all vGPUs held. So an irq_work on the same processor signals the MSI a
 * moment later, without locks of the scheduler, and the time is charged to the vGPU as its worker's
 * is. MSIs that are raised before that become one, as MSIs do; one that is raised meanwhile is
 * signalled again. A driver cannot make the signalling itself shorter.
 */
#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>

#include "vfio_priv.h"
#include "base/compat_vfio.h"

static u32 irqs_count(u32 index)
{
	return index == VFIO_PCI_MSI_IRQ_INDEX || index == VFIO_PCI_REQ_IRQ_INDEX;
}

/* VFIO_DEVICE_GET_IRQ_INFO */
long gslot_vfio_irq_info_ioctl(unsigned long arg)
{
	unsigned long minsz = offsetofend(struct vfio_irq_info, count);
	struct vfio_irq_info info;

	if (copy_from_user(&info, (void __user *)arg, minsz))
		return -EFAULT;
	if (info.argsz < minsz || info.index >= VFIO_PCI_NUM_IRQS)
		return -EINVAL;
	info.count = irqs_count(info.index);
	info.flags = info.count ? VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE : 0;
	return copy_to_user((void __user *)arg, &info, minsz) ? -EFAULT : 0;
}

static void irqs_set_eventfd(struct gslot_vfio_device *gdev, u32 index, struct eventfd_ctx *ctx)
{
	spin_lock_irq(&gdev->irq_lock);
	swap(gdev->eventfd[index], ctx);
	spin_unlock_irq(&gdev->irq_lock);
	if (ctx)
		eventfd_ctx_put(ctx);
}

/* Signal an interrupt, by VFIO's index, to the user. In any context. */
void gslot_vfio_irq_signal(struct gslot_vfio_device *gdev, u32 index)
{
	unsigned long flags;

	spin_lock_irqsave(&gdev->irq_lock, flags);
	if (gdev->eventfd[index])
		gslot_eventfd_signal(gdev->eventfd[index]);
	spin_unlock_irqrestore(&gdev->irq_lock, flags);
}

static void irqs_signal_msi(struct irq_work *work)
{
	struct gslot_vfio_device *gdev = container_of(work, struct gslot_vfio_device, msi);
	u64 start = ktime_get_ns();

	gslot_vfio_irq_signal(gdev, VFIO_PCI_MSI_IRQ_INDEX);
	gslot_vgpu_charge_cpu(gdev->vgpu, ktime_get_ns() - start);
}

void gslot_vfio_irq_init(struct gslot_vfio_device *gdev)
{
	spin_lock_init(&gdev->irq_lock);
	init_irq_work(&gdev->msi, irqs_signal_msi);
}

static long irqs_set_trigger(struct gslot_vfio_device *gdev, const struct vfio_irq_set *set,
			     const void *data)
{
	struct eventfd_ctx *ctx = NULL;
	s32 fd;

	switch (set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK) {
	case VFIO_IRQ_SET_DATA_NONE:
		/* VFIO: no data and a count of 0 disable the interrupt. */
		if (set->count)
			gslot_vfio_irq_signal(gdev, set->index);
		else
			irqs_set_eventfd(gdev, set->index, NULL);
		return 0;
	case VFIO_IRQ_SET_DATA_BOOL:
		if (set->count && *(const u8 *)data)
			gslot_vfio_irq_signal(gdev, set->index);
		return 0;
	case VFIO_IRQ_SET_DATA_EVENTFD:
		if (!set->count)
			return -EINVAL;
		fd = *(const s32 *)data;
		if (fd >= 0)
			ctx = eventfd_ctx_fdget(fd);
		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
		irqs_set_eventfd(gdev, set->index, ctx);
		return 0;
	default:
		return -EINVAL;
	}
}

/* VFIO_DEVICE_SET_IRQS */
long gslot_vfio_irq_set_ioctl(struct gslot_vfio_device *gdev, unsigned long arg)
{
	unsigned long minsz = offsetofend(struct vfio_irq_set, count);
	struct vfio_irq_set set;
	size_t size = 0;
	void *data = NULL;
	long ret;

	if (copy_from_user(&set, (void __user *)arg, minsz))
		return -EFAULT;
	if (set.index >= VFIO_PCI_NUM_IRQS)
		return -EINVAL;
	ret = vfio_set_irqs_validate_and_prepare(&set, irqs_count(set.index),
						 VFIO_PCI_NUM_IRQS, &size);
	if (ret)
		return ret;
	/* No interrupt can be masked. */
	if ((set.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) != VFIO_IRQ_SET_ACTION_TRIGGER ||
	    !irqs_count(set.index))
		return -EINVAL;
	if (size) {
		data = memdup_user((void __user *)(arg + minsz), size);
		if (IS_ERR(data))
			return PTR_ERR(data);
	}
	ret = irqs_set_trigger(gdev, &set, data);
	kfree(data);
	return ret;
}

/* Release all eventfds. The vGPU is closed, and raises no interrupts. */
void gslot_vfio_irq_release(struct gslot_vfio_device *gdev)
{
	u32 i;

	irq_work_sync(&gdev->msi);
	for (i = 0; i < VFIO_PCI_NUM_IRQS; i++)
		irqs_set_eventfd(gdev, i, NULL);
}
