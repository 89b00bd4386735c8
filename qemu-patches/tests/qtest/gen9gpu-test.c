/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * QTest of the Gen9 GPU model's PCI side: what firmware and the kernel's PCI
 * code see of it. What the GPU does is tested natively and by i915.
 */
#include "qemu/osdep.h"
#include "qemu/units.h"
#include "qobject/qdict.h"
#include "libqtest.h"
#include "libqos/pci-pc.h"
#include "hw/pci/pci_regs.h"
#include "gen/gtt.h"
#include "gen/lrc.h"
#include "gen/regs.h"

#define GPU_DEVFN       QPCI_DEVFN(2, 0)
#define RAM_PAGE        0x200000
#define SCRATCH_REG     GEN_FENCE_LO(3)
#define SCRATCH_VALUE   0x12345001

typedef struct Gpu {
    QTestState *qts;
    QPCIBus *bus;
    QPCIDevice *dev;
    QPCIBar mmio;
    QPCIBar aperture;
} Gpu;

static void gpu_map(Gpu *gpu)
{
    gpu->bus->mmio_alloc_ptr = 0xe0000000;
    qpci_device_enable(gpu->dev);
    gpu->mmio = qpci_iomap(gpu->dev, 0, NULL);
    gpu->aperture = qpci_iomap(gpu->dev, 2, NULL);
}

static void gpu_start(Gpu *gpu, const char *properties)
{
    gpu->qts = qtest_initf("-machine q35 -nodefaults "
                           "-device gen9gpu,id=gpu,addr=2.0%s", properties);
    gpu->bus = qpci_new_pc(gpu->qts, NULL);
    gpu->dev = qpci_device_find(gpu->bus, GPU_DEVFN);
    g_assert_nonnull(gpu->dev);
}

static void gpu_stop(Gpu *gpu)
{
    g_free(gpu->dev);
    qpci_free_pc(gpu->bus);
    qtest_quit(gpu->qts);
}

static uint64_t counter(Gpu *gpu, const char *name)
{
    QDict *answer = qtest_qmp(gpu->qts, "{ 'execute': 'qom-get', 'arguments': "
                              "{ 'path': '/machine/peripheral/gpu', "
                              "'property': %s } }", name);
    uint64_t value = qdict_get_int(answer, "return");

    qobject_unref(answer);
    return value;
}

/* Engines run in threads of their own. */
static void wait_for(Gpu *gpu, const char *name, uint64_t value)
{
    for (int i = 0; i < 1000 && counter(gpu, name) < value; i++) {
        g_usleep(10000);
    }
    g_assert_cmpuint(counter(gpu, name), ==, value);
}

static uint32_t rd(Gpu *gpu, uint32_t reg)
{
    return qpci_io_readl(gpu->dev, gpu->mmio, reg);
}

static void wr(Gpu *gpu, uint32_t reg, uint32_t value)
{
    qpci_io_writel(gpu->dev, gpu->mmio, reg, value);
}

static uint64_t pte(Gpu *gpu, uint64_t page)
{
    return qpci_io_readq(gpu->dev, gpu->mmio, GEN_GSM_OFFSET + page * 8);
}

static void set_pte(Gpu *gpu, uint64_t page, uint64_t value)
{
    qpci_io_writeq(gpu->dev, gpu->mmio, GEN_GSM_OFFSET + page * 8, value);
}

static void set_power(Gpu *gpu, unsigned state)
{
    qpci_config_writew(gpu->dev, GEN_PCI_PM_CAP + PCI_PM_CTRL, state);
}

static unsigned power(Gpu *gpu)
{
    return qpci_config_readw(gpu->dev, GEN_PCI_PM_CAP + PCI_PM_CTRL) &
           PCI_PM_CTRL_STATE_MASK;
}

/* The render engine writes to its status page, which is page 5 of the GGTT. */
static void make_engine_write(Gpu *gpu, uint32_t value)
{
    qtest_qmp_assert_success(gpu->qts, "{ 'execute': 'qom-set', 'arguments': "
                             "{ 'path': '/machine/peripheral/gpu', "
                             "'property': 'csb-event-rcs0', "
                             "'value': %u } }", value);
}

static void test_config(void)
{
    static const struct {
        uint8_t offset;
        uint8_t size;
        uint32_t value;
    } fields[] = {
        { PCI_VENDOR_ID, 2, 0x8086 },
        { PCI_DEVICE_ID, 2, 0x1912 },
        { PCI_REVISION_ID, 1, 0x06 },
        { PCI_CLASS_PROG, 1, 0 },
        { PCI_CLASS_DEVICE, 2, 0x0300 },
        { PCI_COMMAND, 2, 0 },
        { PCI_INTERRUPT_PIN, 1, 1 },
        { PCI_SUBSYSTEM_VENDOR_ID, 2, 0x8086 },
        { GEN_PCI_GMCH_CTL, 2, GMCH_GGMS_8MB },
        { PCI_CAPABILITY_LIST, 1, 0x70 },
        { 0x70, 2, GEN_PCI_MSI_CAP << 8 | PCI_CAP_ID_EXP },
        { GEN_PCI_MSI_CAP, 2, GEN_PCI_PM_CAP << 8 | PCI_CAP_ID_MSI },
        { GEN_PCI_PM_CAP, 2, PCI_CAP_ID_PM },
        /* Version 2, DSI, no D1, no D2, no PME; D0, and NoSoftRst is clear */
        { GEN_PCI_PM_CAP + PCI_PM_PMC, 2, 0x0022 },
        { GEN_PCI_PM_CAP + PCI_PM_CTRL, 2, 0 },
    };
    Gpu gpu;

    gpu_start(&gpu, "");
    for (unsigned i = 0; i < ARRAY_SIZE(fields); i++) {
        uint32_t got = qpci_config_readl(gpu.dev, fields[i].offset & ~3) >>
                       8 * (fields[i].offset & 3);

        got &= (1u << 8 * fields[i].size) - 1;
        if (got != fields[i].value) {
            g_test_message("config space at 0x%x", fields[i].offset);
        }
        g_assert_cmphex(got, ==, fields[i].value);
    }
    gpu_stop(&gpu);
}

static void test_bars(void)
{
    static const struct {
        int bar;
        uint64_t size;
        uint32_t type;
    } bars[] = {
        { 0, GEN_GTTMMADR_SIZE, PCI_BASE_ADDRESS_MEM_TYPE_64 },
        { 2, GEN_APERTURE_SIZE, PCI_BASE_ADDRESS_MEM_TYPE_64 |
                                PCI_BASE_ADDRESS_MEM_PREFETCH },
        { 4, 64 * MiB, PCI_BASE_ADDRESS_MEM_TYPE_64 |
                       PCI_BASE_ADDRESS_MEM_PREFETCH },
    };
    Gpu gpu;

    gpu_start(&gpu, ",local-mb=64");
    for (unsigned i = 0; i < ARRAY_SIZE(bars); i++) {
        uint8_t reg = PCI_BASE_ADDRESS_0 + 4 * bars[i].bar;

        qpci_config_writel(gpu.dev, reg, ~0u);
        qpci_config_writel(gpu.dev, reg + 4, ~0u);
        g_assert_cmphex(qpci_config_readl(gpu.dev, reg), ==,
                        (uint32_t)-bars[i].size | bars[i].type);
        g_assert_cmphex(qpci_config_readl(gpu.dev, reg + 4), ==, ~0u);
    }
    gpu_stop(&gpu);
    /* Without local memory there is no BAR for it. */
    gpu_start(&gpu, "");
    qpci_config_writel(gpu.dev, PCI_BASE_ADDRESS_4, ~0u);
    g_assert_cmphex(qpci_config_readl(gpu.dev, PCI_BASE_ADDRESS_4), ==, 0);
    gpu_stop(&gpu);
}

static void test_mmio(void)
{
    Gpu gpu;

    gpu_start(&gpu, "");
    gpu_map(&gpu);
    wr(&gpu, SCRATCH_REG, SCRATCH_VALUE);
    g_assert_cmphex(rd(&gpu, SCRATCH_REG), ==, SCRATCH_VALUE);
    g_assert_cmphex(qpci_io_readw(gpu.dev, gpu.mmio, SCRATCH_REG + 2), ==,
                    SCRATCH_VALUE >> 16);
    g_assert_cmphex(qpci_io_readb(gpu.dev, gpu.mmio, SCRATCH_REG), ==,
                    SCRATCH_VALUE & 0xff);
    g_assert_cmpuint(counter(&gpu, "mmio-writes"), ==, 1);
    g_assert_cmpuint(counter(&gpu, "mmio-reads"), ==, 3);
    /* What lies between registers and GGTT is nothing. */
    wr(&gpu, GEN_GSM_OFFSET - 4, SCRATCH_VALUE);
    g_assert_cmphex(rd(&gpu, GEN_GSM_OFFSET - 4), !=, SCRATCH_VALUE);
    gpu_stop(&gpu);
}

static void test_ggtt(void)
{
    const uint64_t last = GEN_GSM_SIZE / 8 - 1;
    const uint64_t value = RAM_PAGE | GEN_PTE_PRESENT;
    Gpu gpu;

    gpu_start(&gpu, "");
    gpu_map(&gpu);
    g_assert_cmpuint((last + 1) * GEN_PAGE_SIZE, ==, 4 * GiB);
    set_pte(&gpu, 5, value);
    set_pte(&gpu, last, value);
    g_assert_cmphex(pte(&gpu, 4), ==, 0);
    g_assert_cmphex(pte(&gpu, 5), ==, value);
    g_assert_cmphex(pte(&gpu, last), ==, value);
    g_assert_cmpuint(counter(&gpu, "ggtt-writes"), ==, 2);
    /* The aperture shows the page. */
    wr(&gpu, GEN_GFX_FLSH_CNTL, GFX_FLSH_CNTL_EN);
    qtest_writel(gpu.qts, RAM_PAGE + 8, SCRATCH_VALUE);
    g_assert_cmphex(qpci_io_readl(gpu.dev, gpu.aperture,
                                  5 * GEN_PAGE_SIZE + 8), ==, SCRATCH_VALUE);
    qpci_io_writel(gpu.dev, gpu.aperture, 5 * GEN_PAGE_SIZE + 12, 7);
    g_assert_cmphex(qtest_readl(gpu.qts, RAM_PAGE + 12), ==, 7);
    gpu_stop(&gpu);
}

/* Without bus mastering there is no memory, which is no error. */
static void test_bus_master(void)
{
    Gpu gpu;

    gpu_start(&gpu, "");
    gpu_map(&gpu);
    set_pte(&gpu, 5, RAM_PAGE | GEN_PTE_PRESENT);
    qtest_writel(gpu.qts, RAM_PAGE, SCRATCH_VALUE);
    qpci_config_writew(gpu.dev, PCI_COMMAND, PCI_COMMAND_MEMORY);
    g_assert_cmphex(qpci_io_readl(gpu.dev, gpu.aperture, 5 * GEN_PAGE_SIZE),
                    !=, SCRATCH_VALUE);
    g_assert_cmpuint(counter(&gpu, "dma-refused"), ==, 1);
    g_assert_cmpuint(counter(&gpu, "dma-faults"), ==, 0);
    gpu_stop(&gpu);
}

static void test_power(void)
{
    const uint64_t value = RAM_PAGE | GEN_PTE_PRESENT;
    uint64_t reads;
    Gpu gpu;

    gpu_start(&gpu, "");
    gpu_map(&gpu);
    /* States that it does not have. */
    set_power(&gpu, 1);
    g_assert_cmpuint(power(&gpu), ==, 0);
    set_power(&gpu, 2);
    g_assert_cmpuint(power(&gpu), ==, 0);

    wr(&gpu, SCRATCH_REG, SCRATCH_VALUE);
    set_pte(&gpu, 5, value);
    qtest_writel(gpu.qts, RAM_PAGE, SCRATCH_VALUE);
    wr(&gpu, GEN_RCS0_BASE + RING_HWS_PGA, 5 * GEN_PAGE_SIZE);
    wr(&gpu, GEN_RCS0_BASE + RING_MODE, GEN_MASKED_ENABLE(RING_MODE_RUN_LIST));
    wr(&gpu, GEN_RCS0_BASE + RING_IMR, 0);
    wr(&gpu, GEN_GT_IMR(0), 0);
    wr(&gpu, GEN_GT_IER(0), ~0u);
    wr(&gpu, GEN_MASTER_IRQ, MASTER_IRQ_ENABLE);
    make_engine_write(&gpu, CSB_COMPLETE);
    wait_for(&gpu, "interrupts", 1);
    g_assert_cmphex(qtest_readl(gpu.qts, RAM_PAGE + HWSP_CSB), ==,
                    CSB_COMPLETE);
    set_power(&gpu, 3);
    g_assert_cmpuint(power(&gpu), ==, 3);

    /* In D3hot there is the configuration space, and nothing else. */
    reads = counter(&gpu, "mmio-reads");
    g_assert_cmphex(rd(&gpu, SCRATCH_REG), !=, SCRATCH_VALUE);
    g_assert_cmphex(qpci_io_readl(gpu.dev, gpu.aperture, 5 * GEN_PAGE_SIZE),
                    !=, SCRATCH_VALUE);
    g_assert_cmpuint(counter(&gpu, "mmio-reads"), ==, reads);
    g_assert_cmpuint(counter(&gpu, "aperture-reads"), ==, 0);
    g_assert_cmphex(qpci_config_readw(gpu.dev, PCI_DEVICE_ID), ==, 0x1912);
    qpci_config_writew(gpu.dev, PCI_COMMAND,
                       PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER);
    g_assert_cmphex(rd(&gpu, SCRATCH_REG), !=, SCRATCH_VALUE);
    make_engine_write(&gpu, CSB_PREEMPTED);
    wait_for(&gpu, "dma-refused", 2);
    g_assert_cmpuint(counter(&gpu, "dma-faults"), ==, 0);
    g_assert_cmphex(qtest_readl(gpu.qts, RAM_PAGE + HWSP_CSB + 8), ==, 0);

    /* In D0 it wants to be set up anew; the GPU is what it was. */
    set_power(&gpu, 0);
    g_assert_cmpuint(power(&gpu), ==, 0);
    g_assert_cmphex(qpci_config_readw(gpu.dev, PCI_COMMAND), ==, 0);
    g_assert_cmphex(qpci_config_readl(gpu.dev, PCI_BASE_ADDRESS_0), ==,
                    PCI_BASE_ADDRESS_MEM_TYPE_64);
    gpu_map(&gpu);
    g_assert_cmphex(rd(&gpu, SCRATCH_REG), ==, SCRATCH_VALUE);
    g_assert_cmphex(pte(&gpu, 5), ==, value);
    g_assert_cmphex(qpci_io_readl(gpu.dev, gpu.aperture, 5 * GEN_PAGE_SIZE),
                    ==, SCRATCH_VALUE);
    gpu_stop(&gpu);
}

/* A reset of the machine, out of D3hot. */
static void test_reset(void)
{
    Gpu gpu;

    gpu_start(&gpu, "");
    gpu_map(&gpu);
    wr(&gpu, SCRATCH_REG, SCRATCH_VALUE);
    set_pte(&gpu, 5, RAM_PAGE | GEN_PTE_PRESENT);
    set_power(&gpu, 3);
    qtest_system_reset(gpu.qts);
    g_assert_cmpuint(power(&gpu), ==, 0);
    g_assert_cmphex(qpci_config_readw(gpu.dev, PCI_COMMAND), ==, 0);
    gpu_map(&gpu);
    g_assert_cmphex(rd(&gpu, SCRATCH_REG), ==, 0);
    g_assert_cmphex(pte(&gpu, 5), ==, 0);
    gpu_stop(&gpu);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    qtest_add_func("gen9gpu/config", test_config);
    qtest_add_func("gen9gpu/bars", test_bars);
    qtest_add_func("gen9gpu/mmio", test_mmio);
    qtest_add_func("gen9gpu/ggtt", test_ggtt);
    qtest_add_func("gen9gpu/bus-master", test_bus_master);
    qtest_add_func("gen9gpu/power", test_power);
    qtest_add_func("gen9gpu/reset", test_reset);
    return g_test_run();
}
