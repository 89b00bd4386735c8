/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: a thread for each engine.
 *
 * A thread sleeps until its engine is kicked, runs it in slices, and sleeps
 * between them as long as the core says (a looping batch, a semaphore,
 * simulated time); a kick ends every sleep. While the machine is stopped all
 * threads are parked.
 *
 * vCPUs wait for engines with the big QEMU lock held. So a thread takes that
 * lock only between slices, when no vCPU can be waiting for it, to deliver
 * interrupts. That takes one thread switch less than delivery by the main loop.
 */
#include "qemu/osdep.h"
#include "qemu/main-loop.h"
#include "qemu/rcu.h"
#include "qemu/timer.h"
#include "gen9_pci.h"

#define SLICE_COMMANDS 1024

/* The engine of this thread, if any. */
static __thread Gen9Thread *current;

void gen9_thread_kick(Gen9State *s, int engine)
{
    Gen9Thread *t = &s->thread[engine];

    qatomic_set(&t->kicked, true);
    smp_mb();                   /* pairs with thread_sleep() */
    if (qatomic_read(&t->sleeping)) {
        event_notifier_set(&t->notifier);
    }
}

/* Sleeps until a kick, at most @ns; -1: without a limit. */
static void thread_sleep(Gen9Thread *t, int64_t ns)
{
    GPollFD fd = {
        .fd = event_notifier_get_fd(&t->notifier),
        .events = G_IO_IN,
    };

    qatomic_set(&t->sleeping, true);
    smp_mb();                   /* pairs with gen9_thread_kick() */
    if (!qatomic_read(&t->kicked)) {
        qemu_poll_ns(&fd, 1, ns);
    }
    qatomic_set(&t->sleeping, false);
    event_notifier_test_and_clear(&t->notifier);
}

/* Waits while the machine is stopped; false: the thread has to end. */
static bool thread_enter(Gen9Thread *t)
{
    Gen9State *s = t->s;
    bool quit;

    qemu_mutex_lock(&s->lock);
    while (s->paused && !s->quit) {
        qemu_cond_wait(&s->cond, &s->lock);
    }
    quit = s->quit;
    t->running = !quit;
    qemu_mutex_unlock(&s->lock);
    return !quit;
}

static void thread_leave(Gen9Thread *t)
{
    Gen9State *s = t->s;

    qemu_mutex_lock(&s->lock);
    t->running = false;
    t->delivering = qatomic_read(&s->irq_changed) && !s->quit;
    qemu_cond_broadcast(&s->cond);
    qemu_mutex_unlock(&s->lock);
    if (t->delivering) {
        bql_lock();
        gen9_irq_deliver(s);
        bql_unlock();
        qemu_mutex_lock(&s->lock);
        t->delivering = false;
        qemu_mutex_unlock(&s->lock);
    }
}

/* An interrupt is due: an engine's thread ends its slice to deliver it. */
void gen9_thread_irq(Gen9State *s)
{
    if (current && current->s == s) {
        gen9_engine_interrupt(s->gpu, current->engine);
    }
}

static void *engine_thread(void *opaque)
{
    Gen9Thread *t = opaque;
    Gen9RunResult r;

    current = t;
    rcu_register_thread();
    while (thread_enter(t)) {
        qatomic_set(&t->kicked, false);
        smp_mb();               /* before looking at what was kicked for */
        rcu_read_lock();
        r = gen9_engine_run(t->s->gpu, t->engine, SLICE_COMMANDS);
        rcu_read_unlock();
        thread_leave(t);
        if (r.idle) {
            thread_sleep(t, -1);
        } else if (r.wait_ns) {
            thread_sleep(t, r.wait_ns);
        }
    }
    rcu_unregister_thread();
    return NULL;
}

static void wake_all(Gen9State *s)
{
    qemu_cond_broadcast(&s->cond);
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        gen9_engine_interrupt(s->gpu, i);
        gen9_thread_kick(s, i);
    }
}

static bool any_running(Gen9State *s)
{
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        if (s->thread[i].running) {
            return true;
        }
    }
    return false;
}

static bool any_delivering(Gen9State *s)
{
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        if (s->thread[i].delivering) {
            return true;
        }
    }
    return false;
}

/* When this returns from a stop, no engine touches memory any more. */
static void vm_state_change(void *opaque, bool running, RunState state)
{
    Gen9State *s = opaque;

    qemu_mutex_lock(&s->lock);
    s->paused = !running;
    wake_all(s);
    while (s->paused && any_running(s)) {
        qemu_cond_wait(&s->cond, &s->lock);
    }
    qemu_mutex_unlock(&s->lock);
}

void gen9_threads_start(Gen9State *s)
{
    s->paused = !runstate_is_running();
    s->vmstate = qemu_add_vm_change_state_handler(vm_state_change, s);
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        Gen9Thread *t = &s->thread[i];
        g_autofree char *name = g_strdup_printf("gen9-%s",
                                                gen9_engine_name(i));

        t->s = s;
        t->engine = i;
        event_notifier_init(&t->notifier, false);
        qemu_thread_create(&t->thread, name, engine_thread, t,
                           QEMU_THREAD_JOINABLE);
    }
    s->threads_started = true;
}

void gen9_threads_stop(Gen9State *s)
{
    if (!s->threads_started) {
        return;
    }
    qemu_del_vm_change_state_handler(s->vmstate);
    qemu_mutex_lock(&s->lock);
    s->quit = true;
    wake_all(s);
    while (any_delivering(s)) {
        /* It waits for the big lock, which we have. */
        qemu_mutex_unlock(&s->lock);
        bql_unlock();
        g_usleep(100);
        bql_lock();
        qemu_mutex_lock(&s->lock);
    }
    qemu_mutex_unlock(&s->lock);
    for (int i = 0; i < GEN9_NR_ENGINES; i++) {
        qemu_thread_join(&s->thread[i].thread);
        event_notifier_cleanup(&s->thread[i].notifier);
    }
    s->threads_started = false;
}
