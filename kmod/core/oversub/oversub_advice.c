// SPDX-License-Identifier: GPL-2.0
/*
 * The verdicts of a controller, filtered for administrators and their programs. The advice changes
 * no sooner than a second after its last change. "Room" and "overload" hold until the controller
 * has not repeated them for longer than it needs to, or until a client joins or leaves.
 */
#include "oversub.h"

static bool advice_is_word(enum gslot_oversub_verdict verdict)
{
	return verdict == GSLOT_OVERSUB_ROOM || verdict == GSLOT_OVERSUB_OVERLOAD;
}

/**
 * gslot_oversub_advise() - update the advice by a verdict
 * @a: the advice
 * @verdict: the verdict
 * @now: time, ns, which never goes back
 *
 * Return: whether &gslot_oversub_advice.word has changed.
 */
bool gslot_oversub_advise(struct gslot_oversub_advice *a, enum gslot_oversub_verdict verdict,
			  u64 now)
{
	if (advice_is_word(verdict)) {
		a->said = verdict;
		a->said_at = now;
	} else if (now - a->said_at >= GSLOT_OVERSUB_HOLDS_NS) {
		a->said = GSLOT_OVERSUB_STEADY;
	}
	if (a->said == a->word || now - a->since < GSLOT_OVERSUB_REST_NS)
		return false;
	a->word = a->said;
	a->since = now;
	return true;
}

/**
 * gslot_oversub_reset_advice() - reset the advice, as the clients or the controller have changed
 * @a: the advice; it is steady when this returns
 * @now: time, ns
 *
 * Return: whether it was not steady before.
 */
bool gslot_oversub_reset_advice(struct gslot_oversub_advice *a, u64 now)
{
	bool was = a->word != GSLOT_OVERSUB_STEADY;

	a->said = GSLOT_OVERSUB_STEADY;
	a->word = GSLOT_OVERSUB_STEADY;
	if (was)
		a->since = now;
	return was;
}
