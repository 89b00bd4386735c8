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

static uint32_t injections(Gen9State *s, uintptr_t which)
{
    int engine = (int)(which >> ENGINE_SHIFT) - 1;
    unsigned what = which & ((1u << ENGINE_SHIFT) - 1);

    return engine < 0 ? gen9_gpu_injections(s->gpu, what) :
           gen9_engine_injections(s->gpu, engine, what);
}

static void injection_get(Object *obj, Visitor *v, const char *name,
                          void *opaque, Error **errp)
{
    Gen9State *s = GEN9_GPU(obj);
    uint32_t left = s->gpu ? injections(s, (uintptr_t)opaque) : 0;

    visit_type_uint32(v, name, &left, errp);
}

static void injection_set(Object *obj, Visitor *v, const char *name,
                          void *opaque, Error **errp)
{
    Gen9State *s = GEN9_GPU(obj);
    uintptr_t which = (uintptr_t)opaque;
    int engine = (int)(which >> ENGINE_SHIFT) - 1;
    unsigned what = which & ((1u << ENGINE_SHIFT) - 1);
    uint32_t times;

    if (!visit_type_uint32(v, name, &times, errp) || !s->gpu) {
        return;
    }
    if (engine < 0) {
        gen9_gpu_inject(s->gpu, what, times);
    } else {
        gen9_engine_inject(s->gpu, engine, what, times);
    }
}

static void event_set(Object *obj, Visitor *v, const char *name, void *opaque,
                      Error **errp)
{
    Gen9State *s = GEN9_GPU(obj);
    uint64_t event;

    if (visit_type_uint64(v, name, &event, errp) && s->gpu) {
        gen9_inject_event(s->gpu, (int)(uintptr_t)opaque, event);
    }
}

static void hang_get(Object *obj, Visitor *v, const char *name, void *opaque,
                     Error **errp)
{
    Gen9State *s = GEN9_GPU(obj);
    uint64_t left = s->gpu ?
                    gen9_hang_left(s->gpu, (int)(uintptr_t)opaque) : 0;

    visit_type_uint64(v, name, &left, errp);
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

static void add_engine_props(Object *obj, uintptr_t e)
{
    const char *engine = gen9_engine_name(e);
    g_autofree char *hang = g_strdup_printf("hang-%s", engine);
    g_autofree char *event = g_strdup_printf("csb-event-%s", engine);

    for (uintptr_t i = 0; i < GEN9_NR_ENGINE_COUNTERS; i++) {
        g_autofree char *name =
            g_strdup_printf("%s-%s", engine, gen9_engine_counter_name(i));

        object_property_add(obj, name, "uint64", counter_get, NULL, NULL,
                            (void *)(((e + 1) << ENGINE_SHIFT) | i));
    }
    for (uintptr_t i = 0; i < GEN9_NR_ENGINE_INJECTIONS; i++) {
        g_autofree char *name =
            g_strdup_printf("%s-%s", gen9_engine_injection_name(i), engine);

        object_property_add(obj, name, "uint32", injection_get, injection_set,
                            NULL, (void *)(((e + 1) << ENGINE_SHIFT) | i));
    }
    object_property_add(obj, hang, "uint64", hang_get, hang_set, NULL,
                        (void *)e);
    object_property_add(obj, event, "uint64", NULL, event_set, NULL,
                        (void *)e);
}

void gen9_props_init(Gen9State *s)
{
    Object *obj = OBJECT(s);

    for (uintptr_t i = 0; i < GEN9_NR_GPU_COUNTERS; i++) {
        object_property_add(obj, gen9_gpu_counter_name(i), "uint64",
                            counter_get, NULL, NULL, (void *)i);
    }
    for (uintptr_t i = 0; i < GEN9_NR_GPU_INJECTIONS; i++) {
        object_property_add(obj, gen9_gpu_injection_name(i), "uint32",
                            injection_get, injection_set, NULL, (void *)i);
    }
    for (uintptr_t e = 0; e < GEN9_NR_ENGINES; e++) {
        add_engine_props(obj, e);
    }
}
