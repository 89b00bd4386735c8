/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: engines in a machine with counted time (-icount).
 *
 * Such a machine's time advances with its instructions and stands still while
 * a device works. A thread of an engine would run beside that, as fast as the
 * host happens to be. So each engine runs in slices from a timer of that
 * clock, in the thread that runs the vCPUs. What the machine does, and when,
 * then hardly depends on anything but its input.
 */
#include "qemu/osdep.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "gen9_pci.h"

#define SLICE_COMMANDS  1024
/* Between two slices: an engine that never sleeps must not stop the clock. */
#define PAUSE_NS        1000

/* The engine that runs a slice now, if any. With the big lock. */
static Gen9Timer *current;

static void run_at(Gen9Timer *t, int64_t ns)
{
    timer_mod_ns(t->timer, qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL) + ns);
}

/* With the big lock, by a vCPU, by another engine's slice, or by QMP. */
void gen9_timer_kick(Gen9State *s, int engine)
{
    Gen9Timer *t = &s->timer[engine];

    if (t == current) {
        t->kicked = true;
    } else {
        run_at(t, 0);
    }
}

void gen9_timer_irq(Gen9State *s)
{
    if (current && current->s == s) {
        gen9_engine_interrupt(s->gpu, current->engine);
    }
}

static void run_engine(void *opaque)
{
    Gen9Timer *t = opaque;
    Gen9RunResult r;

    current = t;
    t->kicked = false;
    WITH_RCU_READ_LOCK_GUARD() {
        r = gen9_engine_run(t->s->gpu, t->engine, SLICE_COMMANDS);
    }
    current = NULL;
    gen9_irq_deliver(t->s);
    if (t->kicked) {
        run_at(t, 0);
    } else if (!r.idle) {
        run_at(t, MAX(r.wait_ns, PAUSE_NS));
    }
}

void gen9_timers_init(Gen9State *s)
{
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        Gen9Timer *t = &s->timer[i];

        t->s = s;
        t->engine = i;
        t->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, run_engine, t);
    }
}

void gen9_timers_fini(Gen9State *s)
{
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        timer_free(s->timer[i].timer);
    }
}
