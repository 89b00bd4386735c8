// SPDX-License-Identifier: GPL-2.0
/*
 * A GPU has one timer for all engines. It ends quanta, finds engines that are late, unmasks user
 * interrupts, and while the hardware works it polls for events, as interrupts may be lost. Whatever
 * a policy asks for, two interrupts are SCHED_TIMER_GAP_NS apart at least.
 */
#include <linux/ktime.h>

#include "sched_priv.h"

static void timer_earlier(ktime_t *at, ktime_t other)
{
	if (!*at || ktime_before(other, *at))
		*at = other;
}

/* May the engine be late at its deadline? */
static bool timer_drains(const struct sched_engine *engine)
{
	return engine->state == SCHED_ENGINE_DRAINING && !sched_engine_quiet(engine);
}

/*
 * Arm the timer for the next time that something must be looked at. @recheck_ns: after how many ns
 * policies must be asked; 0: not without an event.
 */
void sched_timer_arm(struct gslot_sched *sched, ktime_t now, u64 recheck_ns)
{
	const struct sched_engine *engine;
	ktime_t at = 0;

	lockdep_assert_held(&sched->lock);
	if (recheck_ns)
		at = ktime_add_ns(now, recheck_ns);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		if (timer_drains(engine))
			timer_earlier(&at, engine->deadline);
		if (engine->user_irqs.masked_until)
			timer_earlier(&at, engine->user_irqs.masked_until);
	}
	if (!sched_engines_quiet(sched, ~0u))
		timer_earlier(&at, ktime_add_ns(now, SCHED_WATCH_NS));
	if (at && ktime_before(at, sched->timer.from))
		at = sched->timer.from;
	if (!at || (sched->timer.at && !ktime_before(at, sched->timer.at)))
		return;
	sched->timer.at = at;
	hrtimer_start(&sched->timer.hrtimer, at, HRTIMER_MODE_ABS);
}

/* Return: true if an engine is late now: a work item resets it, as that takes a while. */
static bool timer_mark_late(struct gslot_sched *sched)
{
	struct sched_engine *engine;
	ktime_t now = ktime_get();
	bool any = false;

	for (engine = sched->engine; engine < sched_engines_end(sched); engine++) {
		if (timer_drains(engine) && !ktime_before(now, engine->deadline)) {
			sched_engine_set_state(engine, SCHED_ENGINE_LATE);
			any = true;
		}
	}
	return any;
}

static void timer_count(struct sched_timer *timer, ktime_t now)
{
	u64 gap_ns = ktime_to_ns(ktime_sub(now, timer->last));

	if (timer->irqs++)
		timer->least_gap_ns = min_not_zero(timer->least_gap_ns, gap_ns);
	timer->last = now;
}

/*
 * Timer interrupt, for ends of quanta, deadlines and lost interrupts. sched_update() arms it again.
 */
enum hrtimer_restart sched_timer(struct hrtimer *timer)
{
	struct gslot_sched *sched = container_of(timer, struct gslot_sched, timer.hrtimer);
	struct sched_engine *engine;
	ktime_t now = ktime_get();
	unsigned long flags;

	for (engine = sched->engine; engine < sched_engines_end(sched); engine++)
		gslot_hw_poll(sched->hw, engine->id);

	spin_lock_irqsave(&sched->lock, flags);
	timer_count(&sched->timer, now);
	sched->timer.at = 0;
	sched->timer.from = ktime_add_ns(ktime_get(), SCHED_TIMER_GAP_NS);
	for (engine = sched->engine; engine < sched_engines_end(sched); engine++)
		sched_user_irqs_unmask(engine);
	sched_meter_look(sched);
	if (timer_mark_late(sched))
		queue_work(system_highpri_wq, &sched->reset_work);
	sched_update(sched);
	spin_unlock_irqrestore(&sched->lock, flags);
	return HRTIMER_NORESTART;
}
