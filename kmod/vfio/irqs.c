// SPDX-License-Identifier: GPL-2.0
/*
 * The interrupts of a vGPU as VFIO has them: one MSI, no INTx; and the request
 * to let go of the device.
 */
#include <linux/eventfd.h>
#include <linux/file.h>
#include <linux/uaccess.h>

#include "vfio_priv.h"
#include "../compat.h"

u32 gslot_irq_count(u32 index)
{
	return index == VFIO_PCI_MSI_IRQ_INDEX || index == VFIO_PCI_REQ_IRQ_INDEX;
}

/**
 * gslot_irq_info_ioctl() - VFIO_DEVICE_GET_IRQ_INFO
 * @vgpu: the vGPU
 * @arg: struct vfio_irq_info of user space
 *
 * Return: 0 or -errno.
 */
long gslot_irq_info_ioctl(struct gslot_vgpu *vgpu, unsigned long arg)
{
	unsigned long minsz = offsetofend(struct vfio_irq_info, count);
	struct vfio_irq_info info;

	if (copy_from_user(&info, (void __user *)arg, minsz))
		return -EFAULT;
	if (info.argsz < minsz || info.index >= VFIO_PCI_NUM_IRQS)
		return -EINVAL;
	info.count = gslot_irq_count(info.index);
	info.flags = 0;
	if (info.count)
		info.flags = VFIO_IRQ_INFO_EVENTFD | VFIO_IRQ_INFO_NORESIZE;
	return copy_to_user((void __user *)arg, &info, minsz) ? -EFAULT : 0;
}

static void set_request(struct gslot_vgpu *vgpu, struct eventfd_ctx *ctx)
{
	spin_lock_irq(&vgpu->irq.lock);
	swap(vgpu->req, ctx);
	spin_unlock_irq(&vgpu->irq.lock);
	if (ctx)
		eventfd_ctx_put(ctx);
}

static void signal_request(struct gslot_vgpu *vgpu)
{
	spin_lock_irq(&vgpu->irq.lock);
	if (vgpu->req)
		gslot_eventfd_signal(vgpu->req);
	spin_unlock_irq(&vgpu->irq.lock);
}

static void set_eventfd(struct gslot_vgpu *vgpu, u32 index, struct eventfd_ctx *ctx)
{
	if (index == VFIO_PCI_MSI_IRQ_INDEX)
		gslot_irq_set_msi(vgpu, ctx);
	else
		set_request(vgpu, ctx);
}

static void trigger(struct gslot_vgpu *vgpu, u32 index)
{
	if (index == VFIO_PCI_MSI_IRQ_INDEX)
		gslot_irq_send_msi(vgpu);
	else
		signal_request(vgpu);
}

static long set_trigger(struct gslot_vgpu *vgpu, const struct vfio_irq_set *set, const void *data)
{
	struct eventfd_ctx *ctx = NULL;
	s32 fd;

	switch (set->flags & VFIO_IRQ_SET_DATA_TYPE_MASK) {
	case VFIO_IRQ_SET_DATA_NONE:
		/* Nothing of nothing takes the interrupt down. */
		if (set->count)
			trigger(vgpu, set->index);
		else
			set_eventfd(vgpu, set->index, NULL);
		return 0;
	case VFIO_IRQ_SET_DATA_BOOL:
		if (set->count && *(const u8 *)data)
			trigger(vgpu, set->index);
		return 0;
	case VFIO_IRQ_SET_DATA_EVENTFD:
		if (!set->count)
			return -EINVAL;
		fd = *(const s32 *)data;
		if (fd >= 0)
			ctx = eventfd_ctx_fdget(fd);
		if (IS_ERR(ctx))
			return PTR_ERR(ctx);
		set_eventfd(vgpu, set->index, ctx);
		return 0;
	default:
		return -EINVAL;
	}
}

/**
 * gslot_set_irqs_ioctl() - VFIO_DEVICE_SET_IRQS
 * @vgpu: the vGPU
 * @arg: struct vfio_irq_set of user space
 *
 * Return: 0 or -errno.
 */
long gslot_set_irqs_ioctl(struct gslot_vgpu *vgpu, unsigned long arg)
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
	ret = vfio_set_irqs_validate_and_prepare(&set, gslot_irq_count(set.index),
						 VFIO_PCI_NUM_IRQS, &size);
	if (ret)
		return ret;
	/* Neither can be masked. */
	if ((set.flags & VFIO_IRQ_SET_ACTION_TYPE_MASK) != VFIO_IRQ_SET_ACTION_TRIGGER ||
	    !gslot_irq_count(set.index))
		return -EINVAL;
	if (size) {
		data = memdup_user((void __user *)(arg + minsz), size);
		if (IS_ERR(data))
			return PTR_ERR(data);
	}
	ret = set_trigger(vgpu, &set, data);
	kfree(data);
	return ret;
}

/**
 * gslot_irqs_request() - ask the user to let go of the device
 * @vgpu: the vGPU
 * @count: how often this has been asked
 */
void gslot_irqs_request(struct gslot_vgpu *vgpu, unsigned int count)
{
	if (!count || !(count % 10))
		dev_notice_ratelimited(vgpu->dev, "is to be removed; waiting for its user\n");
	signal_request(vgpu);
}

void gslot_irqs_release(struct gslot_vgpu *vgpu)
{
	set_request(vgpu, NULL);
}
