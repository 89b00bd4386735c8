/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: DMA.
 *
 * Engines run without the big QEMU lock, and a vCPU that holds it may wait
 * for them. So they must never take it, which an access to anything but RAM
 * could do. A memory listener keeps a list of the RAM that the device can
 * reach. An access to anything else reads and writes nothing, as one to an
 * address without a device.
 *
 * Behind an IOMMU the list is of system memory, and every single access is
 * translated: mappings come and go without the listener knowing. The IOMMU
 * has a cache for it and reports what has no translation; no pointer is ever
 * given out.
 */
#include "qemu/osdep.h"
#include "qemu/rcu.h"
#include "exec/memory.h"
#include "gen9_pci.h"

typedef struct Gen9Ram {
    uint64_t start;
    uint64_t len;
    uint8_t *ptr;
    MemoryRegionCache cache;
} Gen9Ram;

struct Gen9RamMap {
    struct rcu_head rcu;
    unsigned count;
    Gen9Ram ram[];
};

static void ram_map_free(Gen9RamMap *map)
{
    for (unsigned i = 0; i < map->count; i++) {
        address_space_cache_destroy(&map->ram[i].cache);
    }
    g_free(map);
}

static void ram_map_set(Gen9State *s, Gen9RamMap *map)
{
    Gen9RamMap *old = s->ram_map;

    qatomic_rcu_set(&s->ram_map, map);
    gen9_gpu_memory_changed(s->gpu);
    if (old) {
        call_rcu(old, ram_map_free, rcu);
    }
}

static void ram_begin(MemoryListener *listener)
{
    Gen9State *s = container_of(listener, Gen9State, listener);

    s->new_sections = g_array_new(false, false, sizeof(MemoryRegionSection));
}

static void ram_region(MemoryListener *listener, MemoryRegionSection *section)
{
    Gen9State *s = container_of(listener, Gen9State, listener);

    if (s->new_sections && memory_region_is_ram(section->mr) &&
        !section->readonly && !memory_region_is_ram_device(section->mr) &&
        !memory_region_is_romd(section->mr)) {
        g_array_append_val(s->new_sections, *section);
    }
}

static void ram_commit(MemoryListener *listener)
{
    Gen9State *s = container_of(listener, Gen9State, listener);
    GArray *sections = s->new_sections;
    Gen9RamMap *map;

    if (!sections) {
        return;
    }
    s->new_sections = NULL;
    map = g_malloc0(sizeof(*map) + sections->len * sizeof(map->ram[0]));
    for (unsigned i = 0; i < sections->len; i++) {
        MemoryRegionSection *section =
            &g_array_index(sections, MemoryRegionSection, i);
        Gen9Ram *ram = &map->ram[map->count];
        int64_t len;

        ram->start = section->offset_within_address_space;
        ram->len = int128_get64(section->size);
        len = address_space_cache_init(&ram->cache, listener->address_space,
                                       ram->start, ram->len, true);
        if (len <= 0) {
            continue;
        }
        map->count++;
        ram->ptr = ram->cache.ptr;
        ram->len = ram->ptr ? len : 0;
    }
    g_array_free(sections, true);
    ram_map_set(s, map);
}

void gen9_ram_init(Gen9State *s)
{
    s->listener = (MemoryListener) {
        .name = "gen9gpu",
        .begin = ram_begin,
        .commit = ram_commit,
        .region_add = ram_region,
        .region_nop = ram_region,
    };
    s->iommu = pci_device_iommu_address_space(PCI_DEVICE(s)) !=
               &address_space_memory;
    memory_listener_register(&s->listener, s->iommu ? &address_space_memory :
                             pci_get_address_space(PCI_DEVICE(s)));
}

void gen9_ram_exit(Gen9State *s)
{
    memory_listener_unregister(&s->listener);
    ram_map_set(s, NULL);
}

/* In an RCU critical section, or with the big lock. */
static Gen9Ram *ram_find(Gen9State *s, uint64_t pa, size_t len)
{
    Gen9RamMap *map = qatomic_rcu_read(&s->ram_map);

    for (unsigned i = 0; map && i < map->count; i++) {
        Gen9Ram *ram = &map->ram[i];

        if (pa - ram->start < ram->len) {
            return len <= ram->len - (pa - ram->start) ? ram : NULL;
        }
    }
    return NULL;
}

/* Translates an address that the device uses to a physical one. */
static bool translate(Gen9State *s, uint64_t *addr, bool write)
{
    IOMMUTLBEntry entry;

    if (!s->iommu) {
        return true;
    }
    entry = address_space_get_iotlb_entry(pci_get_address_space(PCI_DEVICE(s)),
                                          *addr, write, MEMTXATTRS_UNSPECIFIED);
    *addr = entry.translated_addr | (*addr & entry.addr_mask);
    return entry.perm != IOMMU_NONE;
}

/*
 * With bus mastering off, or in D3hot, all accesses fail, which is no error:
 * there is no memory in the address space of such a device.
 */
static Gen9Ram *dma_find(Gen9State *s, uint64_t *addr, size_t len, bool write)
{
    Gen9Ram *ram = NULL;
    uint64_t pa = *addr;

    if (translate(s, &pa, write)) {
        ram = ram_find(s, pa, len);
    }
    if (!ram && gen9_is_master(s)) {
        gen9_gpu_dma_fault(s->gpu, *addr, len, write);
    } else if (!ram) {
        gen9_gpu_dma_refused(s->gpu);
    }
    *addr = pa;
    return ram;
}

/* Dwords and qwords must not tear: software polls them. */
static void copy(void *to, const void *from, size_t len)
{
    if (len == 4 && !((uintptr_t)to & 3) && !((uintptr_t)from & 3)) {
        qatomic_set((uint32_t *)to, qatomic_read((const uint32_t *)from));
    } else if (len == 8 && !((uintptr_t)to & 7) && !((uintptr_t)from & 7)) {
        qatomic_set((uint64_t *)to, qatomic_read((const uint64_t *)from));
    } else {
        memcpy(to, from, len);
    }
}

bool gen9_ram_read(void *opaque, uint64_t pa, void *buf, size_t len)
{
    Gen9Ram *ram;

    RCU_READ_LOCK_GUARD();
    ram = dma_find(opaque, &pa, len, false);
    if (ram) {
        copy(buf, ram->ptr + (pa - ram->start), len);
    }
    return ram;
}

bool gen9_ram_write(void *opaque, uint64_t pa, const void *buf, size_t len)
{
    Gen9Ram *ram;

    RCU_READ_LOCK_GUARD();
    ram = dma_find(opaque, &pa, len, true);
    if (ram) {
        copy(ram->ptr + (pa - ram->start), buf, len);
        /* Marks it dirty, and drops what TCG has translated from it. */
        address_space_cache_invalidate(&ram->cache, pa - ram->start, len);
    }
    return ram;
}

/* Inside the RCU critical section of an engine's slice. */
const void *gen9_ram_map(void *opaque, uint64_t pa)
{
    Gen9State *s = opaque;
    Gen9Ram *ram;

    if (s->iommu) {
        return NULL;
    }
    ram = ram_find(s, pa & ~0xfffULL, 0x1000);
    return ram ? ram->ptr + ((pa & ~0xfffULL) - ram->start) : NULL;
}
