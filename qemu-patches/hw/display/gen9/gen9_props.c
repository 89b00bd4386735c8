/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: counters and error injection as QOM properties.
 *
 * Counters are read only: "ggtt-writes", "rcs0-contexts" and so on (see
 * gen9_gpu.c for the names). Writing "drop-interrupts" loses that many
 * coming interrupts; writing n to "hang-rcs0" hangs that engine at its nth
 * command from then on. With an id on the command line:
 *     qom-get /machine/peripheral/<id> rcs0-commands
 */
#include "qemu/osdep.h"
#include "qapi/error.h"
#include "qapi/visitor.h"
#include "gen9_pci.h"

#define ENGINE_SHIFT 8

static void counter_get(Object *obj, Visitor *v, const char *name,
                        void *opaque, Error **errp)
{
    Gen9State *s = GEN9_GPU(obj);
    uintptr_t which = (uintptr_t)opaque;
    int engine = (int)(which >> ENGINE_SHIFT) - 1;
    unsigned counter = which & ((1u << ENGINE_SHIFT) - 1);
    uint64_t value = 0;

    if (s->gpu && engine < 0) {
        value = gen9_gpu_counter(s->gpu, counter);
    } else if (s->gpu) {
        value = gen9_engine_counter(s->gpu, engine, counter);
    }
    visit_type_uint64(v, name, &value, errp);
}

static void drop_set(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    Gen9State *s = GEN9_GPU(obj);
    uint32_t count;

    if (visit_type_uint32(v, name, &count, errp) && s->gpu) {
        gen9_inject_drop_irqs(s->gpu, count);
    }
}

static void hang_set(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    Gen9State *s = GEN9_GPU(obj);
    uint64_t nth;

    if (visit_type_uint64(v, name, &nth, errp) && s->gpu) {
        gen9_inject_hang(s->gpu, (int)(uintptr_t)opaque, nth);
    }
}

void gen9_props_init(Gen9State *s)
{
    Object *obj = OBJECT(s);

    for (uintptr_t i = 0; i < GEN9_NR_GPU_COUNTERS; i++) {
        object_property_add(obj, gen9_gpu_counter_name(i), "uint64",
                            counter_get, NULL, NULL, (void *)i);
    }
    for (uintptr_t e = 0; e < GEN9_NR_ENGINES; e++) {
        g_autofree char *hang = g_strdup_printf("hang-%s",
                                                gen9_engine_name(e));

        for (uintptr_t i = 0; i < GEN9_NR_ENGINE_COUNTERS; i++) {
            g_autofree char *name =
                g_strdup_printf("%s-%s", gen9_engine_name(e),
                                gen9_engine_counter_name(i));

            object_property_add(obj, name, "uint64", counter_get, NULL, NULL,
                                (void *)(((e + 1) << ENGINE_SHIFT) | i));
        }
        object_property_add(obj, hang, "uint64", NULL, hang_set, NULL,
                            (void *)e);
    }
    object_property_add(obj, "drop-interrupts", "uint32", NULL, drop_set,
                        NULL, NULL);
}
