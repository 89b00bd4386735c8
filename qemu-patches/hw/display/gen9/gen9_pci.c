/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: an Intel Skylake or Broadwell GT2 as a QEMU PCI device.
 *
 * The GPU itself is the host-neutral core (gen9_gpu.h). This is its shell:
 * configuration space, BARs, interrupts, properties. Like the real one it
 * is meant to be at 00:02.0 of a q35 machine:
 *     -device gen9gpu,id=gpu,addr=02.0     (or gen8gpu)
 */
#include "qemu/osdep.h"
#include "qemu/log.h"
#include "qemu/module.h"
#include "qemu/range.h"
#include "qemu/timer.h"
#include "qemu/units.h"
#include "qapi/error.h"
#include "hw/pci/msi.h"
#include "hw/pci/pcie.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "system/cpu-timers.h"
#include "gen/regs.h"
#include "gen9_pci.h"
#include "gen9_trace.h"

#define PCIE_CAP_OFFSET         0x70

static const Gen9Part broadwell_gt2 = {
    .desc = "Intel Gen8 GPU model (command streamers, no shaders)",
    .gen = 8,
    .device_id = 0x1616,
    .subsystem_id = 0x2057,
    .revision = 0x09,
};

static const Gen9Part skylake_gt2 = {
    .desc = "Intel Gen9 GPU model (command streamers, no shaders)",
    .gen = 9,
    .device_id = 0x1912,
    .subsystem_id = 0x2212,
    .revision = 0x06,           /* those below count as pre-production */
};

/* ---- operations for the core ---- */

static void host_lock(void *opaque)
{
    qemu_mutex_lock(&((Gen9State *)opaque)->lock);
}

static void host_unlock(void *opaque)
{
    qemu_mutex_unlock(&((Gen9State *)opaque)->lock);
}

static void host_wait(void *opaque)
{
    Gen9State *s = opaque;

    qemu_cond_wait(&s->cond, &s->lock);
}

static void host_wake(void *opaque)
{
    qemu_cond_broadcast(&((Gen9State *)opaque)->cond);
}

static uint64_t host_now(void *opaque)
{
    return qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

static void host_kick(void *opaque, int engine)
{
    if (icount_enabled()) {
        gen9_timer_kick(opaque, engine);
    } else {
        gen9_thread_kick(opaque, engine);
    }
}

static void host_log(void *opaque, const char *line)
{
    qemu_log_mask(LOG_GUEST_ERROR, "gen9gpu: %s\n", line);
}

/*
 * Delivered when the lock has been dropped: at the end of the register access
 * that raised it, or by the engine between two slices.
 */
static void host_irq(void *opaque, bool level)
{
    Gen9State *s = opaque;

    qatomic_set(&s->irq_level, level);
    if (level) {
        qatomic_set(&s->irq_rose, true);
    }
    qatomic_set(&s->irq_changed, true);
    if (icount_enabled()) {
        gen9_timer_irq(s);
    } else {
        gen9_thread_irq(s);
    }
}

void gen9_irq_deliver(Gen9State *s)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    bool rose;

    if (!qatomic_xchg(&s->irq_changed, false)) {
        return;
    }
    rose = qatomic_xchg(&s->irq_rose, false);
    gen9_trace(irq_deliver, msi_enabled(pdev), qatomic_read(&s->irq_level));
    if (!msi_enabled(pdev)) {
        pci_set_irq(pdev, qatomic_read(&s->irq_level));
    } else if (rose) {
        msi_notify(pdev, 0);
    }
}

static const Gen9HostOps host_ops = {
    .read = gen9_ram_read,
    .write = gen9_ram_write,
    .map = gen9_ram_map,
    .irq = host_irq,
    .now = host_now,
    .kick = host_kick,
    .lock = host_lock,
    .unlock = host_unlock,
    .wait = host_wait,
    .wake = host_wake,
    .log = host_log,
};

/* ---- BARs ---- */

static uint64_t mmio_read(void *opaque, hwaddr addr, unsigned size)
{
    uint64_t value = gen9_mmio_read(((Gen9State *)opaque)->gpu, addr, size);

    gen9_trace(mmio_read, addr, size, value);
    return value;
}

static void mmio_write(void *opaque, hwaddr addr, uint64_t value,
                       unsigned size)
{
    Gen9State *s = opaque;

    gen9_trace(mmio_write, addr, size, value);
    gen9_mmio_write(s->gpu, addr, size, value);
    gen9_irq_deliver(s);
}

static uint64_t gsm_read(void *opaque, hwaddr addr, unsigned size)
{
    return gen9_gsm_read(((Gen9State *)opaque)->gpu, addr, size);
}

static void gsm_write(void *opaque, hwaddr addr, uint64_t value,
                      unsigned size)
{
    gen9_gsm_write(((Gen9State *)opaque)->gpu, addr, size, value);
}

static uint64_t aperture_read(void *opaque, hwaddr addr, unsigned size)
{
    return gen9_aperture_read(((Gen9State *)opaque)->gpu, addr, size);
}

static void aperture_write(void *opaque, hwaddr addr, uint64_t value,
                           unsigned size)
{
    gen9_aperture_write(((Gen9State *)opaque)->gpu, addr, size, value);
}

#define GEN9_REGION_OPS(name) \
    static const MemoryRegionOps name##_ops = { \
        .read = name##_read, \
        .write = name##_write, \
        .endianness = DEVICE_LITTLE_ENDIAN, \
        .valid = { .min_access_size = 1, .max_access_size = 8 }, \
        .impl = { .min_access_size = 1, .max_access_size = 8 }, \
    }

GEN9_REGION_OPS(mmio);
GEN9_REGION_OPS(gsm);
GEN9_REGION_OPS(aperture);

/* GGTT entries are read as memory; every write is a real register access. */
static bool init_bars(Gen9State *s, Error **errp)
{
    PCIDevice *pdev = PCI_DEVICE(s);
    Object *obj = OBJECT(s);
    const uint8_t mem64 = PCI_BASE_ADDRESS_SPACE_MEMORY |
                          PCI_BASE_ADDRESS_MEM_TYPE_64;

    memory_region_init(&s->bar0, obj, "gen9-gttmmadr", GEN_GTTMMADR_SIZE);
    memory_region_init_io(&s->mmio, obj, &mmio_ops, s, "gen9-mmio",
                          GEN_MMIO_SIZE);
    if (!memory_region_init_rom_device_nomigrate(&s->gsm, obj, &gsm_ops, s,
                                                 "gen9-gsm", GEN_GSM_SIZE,
                                                 errp)) {
        return false;
    }
    memory_region_add_subregion(&s->bar0, 0, &s->mmio);
    memory_region_add_subregion(&s->bar0, GEN_GSM_OFFSET, &s->gsm);
    pci_register_bar(pdev, 0, mem64, &s->bar0);

    memory_region_init_io(&s->aperture, obj, &aperture_ops, s,
                          "gen9-aperture", GEN_APERTURE_SIZE);
    pci_register_bar(pdev, 2, mem64 | PCI_BASE_ADDRESS_MEM_PREFETCH,
                     &s->aperture);

    if (s->local_mb) {
        if (!memory_region_init_ram_nomigrate(&s->local, obj, "gen9-local",
                                              s->local_mb * MiB, errp)) {
            return false;
        }
        pci_register_bar(pdev, 4, mem64 | PCI_BASE_ADDRESS_MEM_PREFETCH,
                         &s->local);
        s->config.local = memory_region_get_ram_ptr(&s->local);
        s->config.local_size = s->local_mb * MiB;
    }
    s->config.gsm = memory_region_get_ram_ptr(&s->gsm);
    return true;
}

/* ---- configuration space ---- */

static bool in_d0(PCIDevice *pdev)
{
    return !(pci_get_word(pdev->config + GEN_PCI_PM_CAP + PCI_PM_CTRL) &
             PCI_PM_CTRL_STATE_MASK);
}

bool gen9_is_master(Gen9State *s)
{
    PCIDevice *pdev = PCI_DEVICE(s);

    return in_d0(pdev) &&
           (pci_get_word(pdev->config + PCI_COMMAND) & PCI_COMMAND_MASTER);
}

/*
 * No_Soft_Reset is clear: the function comes back from D3hot without its
 * setup. That applies to its PCI side alone: engines (the power context of
 * RC6) and the GGTT (memory of the machine) keep their state, on which i915's
 * runtime resume relies.
 */
static void lose_config(PCIDevice *pdev)
{
    pci_default_write_config(pdev, PCI_COMMAND, 0, 2);
    for (int i = 0; i < PCI_ROM_SLOT; i++) {
        pci_default_write_config(pdev, PCI_BASE_ADDRESS_0 + 4 * i, 0, 4);
    }
    msi_reset(pdev);
}

/*
 * A device that stops being a bus master, also by D3hot, makes no access after
 * the write completes. The write takes the memory out of its address space,
 * and this waits for engines that still use earlier lookups.
 */
static void gen9_config_write(PCIDevice *pdev, uint32_t addr, uint32_t value,
                              int len)
{
    Gen9State *s = GEN9_GPU(pdev);
    bool was_d0 = in_d0(pdev);

    pci_default_write_config(pdev, addr, value, len);
    if (!was_d0 && in_d0(pdev)) {
        lose_config(pdev);
    }
    if (!ranges_overlap(addr, len, PCI_COMMAND, 2) && was_d0 == in_d0(pdev)) {
        return;
    }
    /* QEMU's PCI unmaps BARs outside of D0, and looks no further. */
    memory_region_set_enabled(&pdev->bus_master_enable_region,
                              gen9_is_master(s) && pdev->enabled);
    if (!gen9_is_master(s)) {
        gen9_gpu_memory_settle(s->gpu);
    }
}

/* ---- life ---- */

/* Version 2, D0 and D3hot, device specific initialization; no PME. */
static bool init_power_management(PCIDevice *pdev, Error **errp)
{
    uint8_t *cap = pdev->config + GEN_PCI_PM_CAP;

    if (pci_pm_init(pdev, GEN_PCI_PM_CAP, errp) < 0) {
        return false;
    }
    pci_set_word(cap + PCI_PM_PMC, PCI_PM_CAP_VER_1_1 | PCI_PM_CAP_DSI);
    pci_set_word(pdev->wmask + GEN_PCI_PM_CAP + PCI_PM_CTRL,
                 PCI_PM_CTRL_STATE_MASK);
    return true;
}

static bool init_config_space(PCIDevice *pdev, Error **errp)
{
    uint8_t *config = pdev->config;

    pci_config_set_interrupt_pin(config, 1);
    pci_set_word(config + PCI_SUBSYSTEM_VENDOR_ID, PCI_VENDOR_ID_INTEL);
    pci_set_word(config + PCI_SUBSYSTEM_ID,
                 GEN9_GPU_GET_CLASS(pdev)->part->subsystem_id);
    /* No stolen memory. */
    pci_set_word(config + GEN_PCI_GMCH_CTL,
                 ctz32(GEN9_GPU(pdev)->config.ggtt_mb) << GMCH_GGMS_SHIFT);
    /* The last one comes first in the list. */
    if (!init_power_management(pdev, errp) ||
        msi_init(pdev, GEN_PCI_MSI_CAP, 1, false, false, errp) < 0) {
        return false;
    }
    return !pci_is_express(pdev) ||
           pcie_cap_init(pdev, PCIE_CAP_OFFSET, PCI_EXP_TYPE_RC_END, 0,
                         errp) >= 0;
}

static void gen9_realize(PCIDevice *pdev, Error **errp)
{
    Gen9State *s = GEN9_GPU(pdev);

    s->config.gen = GEN9_GPU_GET_CLASS(s)->part->gen;
    if (s->local_mb && !is_power_of_2(s->local_mb)) {
        error_setg(errp, "local-mb must be a power of two");
        return;
    }
    if (!is_power_of_2(s->config.ggtt_mb) || s->config.ggtt_mb < 2 ||
        s->config.ggtt_mb > 8) {
        error_setg(errp, "ggtt-mb must be 2, 4 or 8");
        return;
    }
    if (s->config.display && s->config.gen == 8) {
        error_setg(errp, "a Gen8 GPU has its display fused off");
        return;
    }
    if (!init_config_space(pdev, errp) || !init_bars(s, errp)) {
        return;
    }
    qemu_mutex_init(&s->lock);
    qemu_cond_init(&s->cond);
    gen9_timers_init(s);
    s->gpu = gen9_gpu_new(&s->config, &host_ops, s);
    gen9_ram_init(s);
    if (!icount_enabled()) {
        gen9_threads_start(s);
    }
}

static void gen9_exit(PCIDevice *pdev)
{
    Gen9State *s = GEN9_GPU(pdev);

    gen9_threads_stop(s);
    gen9_ram_exit(s);
    gen9_gpu_free(s->gpu);
    s->gpu = NULL;
    gen9_timers_fini(s);
    qemu_cond_destroy(&s->cond);
    qemu_mutex_destroy(&s->lock);
    msi_uninit(pdev);
}

static void gen9_reset(DeviceState *dev)
{
    Gen9State *s = GEN9_GPU(dev);

    gen9_gpu_reset(s->gpu);
    gen9_irq_deliver(s);
}

static void gen9_instance_init(Object *obj)
{
    gen9_props_init(GEN9_GPU(obj));
}

static const Property gen9_properties[] = {
    DEFINE_PROP_BOOL("display", Gen9State, config.display, false),
    DEFINE_PROP_UINT32("engines", Gen9State, config.engines,
                       GEN9_ALL_ENGINES),
    DEFINE_PROP_BOOL("strict-blitter", Gen9State, config.strict_blitter,
                     false),
    DEFINE_PROP_BOOL("head-last", Gen9State, config.head_last, false),
    DEFINE_PROP_BOOL("tlb-at-once", Gen9State, config.tlb_at_once, false),
    DEFINE_PROP_BOOL("load-at-once", Gen9State, config.load_at_once, false),
    DEFINE_PROP_UINT32("ggtt-mb", Gen9State, config.ggtt_mb, 8),
    DEFINE_PROP_UINT32("local-mb", Gen9State, local_mb, 0),
    DEFINE_PROP_BOOL("timing", Gen9State, config.timing.on, false),
    /* Two channels of DDR4-2133, less what the rest of the machine takes. */
    DEFINE_PROP_UINT64("system-mbps", Gen9State, config.timing.system_mbps,
                       20000),
    DEFINE_PROP_UINT64("local-mbps", Gen9State, config.timing.local_mbps,
                       100000),
    DEFINE_PROP_UINT32("command-ns", Gen9State, config.timing.command_ns, 20),
    DEFINE_PROP_UINT32("primitive-ns", Gen9State,
                       config.timing.primitive_ns, 10000),
    DEFINE_PROP_UINT32("context-ns", Gen9State, config.timing.context_ns,
                       10000),
};

static const VMStateDescription gen9_vmstate = {
    .name = "gen9gpu",
    .unmigratable = 1,
};

static void gen9_class_init(ObjectClass *class, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(class);
    PCIDeviceClass *k = PCI_DEVICE_CLASS(class);

    k->realize = gen9_realize;
    k->exit = gen9_exit;
    k->config_write = gen9_config_write;
    k->vendor_id = PCI_VENDOR_ID_INTEL;
    k->class_id = PCI_CLASS_DISPLAY_VGA;
    dc->vmsd = &gen9_vmstate;
    device_class_set_legacy_reset(dc, gen9_reset);
    device_class_set_props(dc, gen9_properties);
    set_bit(DEVICE_CATEGORY_DISPLAY, dc->categories);
}

static void gen9_part_class_init(ObjectClass *class, void *data)
{
    const Gen9Part *part = data;
    PCIDeviceClass *k = PCI_DEVICE_CLASS(class);

    GEN9_GPU_CLASS(class)->part = part;
    k->device_id = part->device_id;
    k->revision = part->revision;
    DEVICE_CLASS(class)->desc = part->desc;
}

static const TypeInfo gen9_types[] = {
    {
        .name = TYPE_GEN9_GPU,
        .parent = TYPE_PCI_DEVICE,
        .abstract = true,
        .instance_size = sizeof(Gen9State),
        .instance_init = gen9_instance_init,
        .class_size = sizeof(Gen9Class),
        .class_init = gen9_class_init,
        .interfaces = (InterfaceInfo[]) {
            { INTERFACE_PCIE_DEVICE },
            { }
        },
    },
    {
        .name = "gen8gpu",
        .parent = TYPE_GEN9_GPU,
        .class_init = gen9_part_class_init,
        .class_data = (void *)&broadwell_gt2,
    },
    {
        .name = "gen9gpu",
        .parent = TYPE_GEN9_GPU,
        .class_init = gen9_part_class_init,
        .class_data = (void *)&skylake_gt2,
    },
};

DEFINE_TYPES(gen9_types)
