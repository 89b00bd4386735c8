/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: the QEMU device.
 */
#ifndef HW_DISPLAY_GEN9_PCI_H
#define HW_DISPLAY_GEN9_PCI_H

#include "hw/pci/pci_device.h"
#include "qemu/event_notifier.h"
#include "qemu/thread.h"
#include "qemu/timer.h"
#include "qom/object.h"
#include "system/runstate.h"
#include "gen9_gpu.h"

/* What both parts, gen8gpu and gen9gpu, have in common. */
#define TYPE_GEN9_GPU "gen9gpu-base"
OBJECT_DECLARE_TYPE(Gen9State, Gen9Class, GEN9_GPU)

typedef struct Gen9Part {
    const char *desc;
    unsigned gen;
    uint16_t device_id;
    uint16_t subsystem_id;
    uint8_t revision;
} Gen9Part;

struct Gen9Class {
    PCIDeviceClass parent_class;

    const Gen9Part *part;
};

/* The system memory that the device can reach; replaced as a whole (RCU). */
typedef struct Gen9RamMap Gen9RamMap;

typedef struct Gen9Thread {
    Gen9State *s;
    int engine;
    QemuThread thread;
    EventNotifier notifier;
    bool kicked;                /* atomic */
    bool sleeping;              /* atomic: set the notifier to wake it */
    bool running;               /* under s->lock: inside the core */
    bool delivering;            /* under s->lock: has or wants the big lock */
} Gen9Thread;

typedef struct Gen9Timer {
    Gen9State *s;
    int engine;
    QEMUTimer *timer;
    bool kicked;                /* in its own slice */
} Gen9Timer;

struct Gen9State {
    PCIDevice parent_obj;

    MemoryRegion bar0;
    MemoryRegion mmio;
    MemoryRegion gsm;
    MemoryRegion aperture;
    MemoryRegion local;
    Gen9Gpu *gpu;

    /* The GPU lock of the core; also protects paused and quit. */
    QemuMutex lock;
    QemuCond cond;
    bool paused;
    bool quit;
    bool threads_started;
    Gen9Thread thread[GEN9_NR_ENGINES];
    VMChangeStateEntry *vmstate;
    Gen9Timer timer[GEN9_NR_ENGINES];   /* instead, where time is counted */

    bool iommu;                 /* accesses are translated, one by one */
    MemoryListener listener;
    Gen9RamMap *ram_map;
    GArray *new_sections;       /* MemoryRegionSection, while it changes */

    bool irq_level;             /* atomic, as the next two */
    bool irq_rose;              /* a message is due */
    bool irq_changed;           /* irq_level, or irq_rose */

    Gen9Config config;          /* properties */
    uint32_t local_mb;
};

/* gen9_ram.c: DMA to what is RAM, and nothing else */
void gen9_ram_init(Gen9State *s);
void gen9_ram_exit(Gen9State *s);
bool gen9_ram_read(void *opaque, uint64_t pa, void *buf, size_t len);
bool gen9_ram_write(void *opaque, uint64_t pa, const void *buf, size_t len);
const void *gen9_ram_map(void *opaque, uint64_t pa);

/* gen9_thread.c */
void gen9_threads_start(Gen9State *s);
void gen9_threads_stop(Gen9State *s);
void gen9_thread_kick(Gen9State *s, int engine);
void gen9_thread_irq(Gen9State *s);

/* gen9_timer.c: the same where time is counted, all with the big lock */
void gen9_timers_init(Gen9State *s);
void gen9_timers_fini(Gen9State *s);
void gen9_timer_kick(Gen9State *s, int engine);
void gen9_timer_irq(Gen9State *s);

/* gen9_pci.c: with the big lock, without s->lock */
void gen9_irq_deliver(Gen9State *s);
/* May it access memory? From any thread. */
bool gen9_is_master(Gen9State *s);

/* gen9_props.c: counters and error injection as QOM properties */
void gen9_props_init(Gen9State *s);

#endif
