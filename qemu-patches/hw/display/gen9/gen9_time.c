/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Gen9 GPU model: simulated time.
 *
 * A command's effects happen at once; what it costs is added to the time
 * until which the engine counts as busy, and the engine does not go on
 * before the clock has come there. So an engine is never faster than its
 * costs say, and it sleeps, not spins, to be as slow.
 */
#include "gen9_compat.h"
#include "gen9_int.h"

/* How far an engine may run ahead: sleeping for less is not accurate. */
#define AHEAD_NS 10000

void gen9_cost(Gen9Engine *e, uint64_t ns)
{
    uint64_t now;

    if (!ns || !e->gpu->config.timing.on) {
        return;
    }
    now = gen9_now(e->gpu);
    e->busy_until = MAX(e->busy_until, now) + ns;
}

static uint64_t transfer_ns(uint64_t bytes, uint64_t mbps)
{
    return mbps ? bytes * 1000 / mbps : 0;
}

/* The command that has just been executed. */
void gen9_cost_command(Gen9Engine *e)
{
    const Gen9Timing *t = &e->gpu->config.timing;

    if (t->on) {
        gen9_cost(e, t->command_ns +
                     transfer_ns(e->cost_system, t->system_mbps) +
                     transfer_ns(e->cost_local, t->local_mbps));
    }
    e->cost_system = 0;
    e->cost_local = 0;
}

/* How long the engine has to wait for the clock, 0: not at all. */
uint64_t gen9_ahead(Gen9Engine *e)
{
    uint64_t now;

    if (!e->busy_until) {
        return 0;
    }
    now = gen9_now(e->gpu);
    if (e->busy_until <= now + AHEAD_NS) {
        return 0;
    }
    return e->busy_until - now;
}
